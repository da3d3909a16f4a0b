//! Iteration sessions by keys: a gap that is closed in attempts, live output,
//! what is called off, and a loop's own session.

use crate::support::Place;

const RED: &str = "echo 'test a ... FAILED'\n\
    echo 'test result: FAILED. 1 passed; 3 failed; 0 ignored'\nexit 101\n";

fn script(place: &Place, text: &str) {
    std::fs::write(place.root().join("check.sh"), text).expect("a script");
}

#[test]
fn a_gap_is_closed_by_keys_and_a_further_attempt_is_refused() {
    let place = Place::workspace();
    script(&place, RED);
    let mut deck = place.deck();
    deck.sees("no loop yet").keys("3").sees("no session yet").keys("a").sees("Start a session");
    deck.keys("all tests pass<Tab><Enter>tests_pass<Enter>").keys("<C-s>");
    deck.sees("session started").sees("no gap measured yet");
    deck.keys("R").sees("Run an attempt").keys("sh check.sh<C-s>");
    deck.sees("3 failing tests").sees("9 attempts left").sees("test a ... FAILED");
    script(&place, &RED.replace("3 failed", "1 failed"));
    // The command stands there already.
    deck.keys("R").sees("Run an attempt").sees("sh check.sh").keys("<C-s>");
    deck.sees("1 failing test").sees("improving").sees("partial");
    script(&place, "echo 'test result: ok. 4 passed; 0 failed; 0 ignored'\n");
    deck.keys("R").sees("Run an attempt").keys("<C-s>").sees("converged");
    deck.sees("3 of 10 attempts").keys("R").sees("it takes no more");
    let listed = place.json(&["session", "list"])["result"].clone();
    let id = listed["sessions"][0]["session_id"].as_str().expect("an id");
    let refused = place.json(&["--json", "session", "run", id, "--", "sh", "check.sh"]);
    assert_eq!(refused["error"]["code"], "session_closed");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn output_comes_live_is_searched_and_an_interrupt_is_recorded() {
    let place = Place::workspace();
    let started = place.json(&["session", "start", "--goal", "it builds"]);
    let id = started["result"]["session_id"].as_str().expect("an id").to_owned();
    script(&place, "echo $$ > pid; for n in $(seq 1 200); do echo line $n; done; sleep 600\n");
    let mut deck = place.deck();
    deck.sees("no loop yet").keys("3").sees("it builds").keys("R").sees("Run an attempt");
    deck.keys("sh check.sh<C-s>").sees("running").sees("line 200").sees("follows");
    deck.keys("/").keys("line 17").sees("line 17").keys("<Enter>").sees("n N");
    deck.keys("<Esc>").sees_no("n N").keys("<C-c>").sees("interrupted");
    let shown = place.json(&["session", "show", &id])["result"].clone();
    assert_eq!(shown["attempts"][0]["outcome"], "error");
    assert_eq!(shown["observations"][0]["structured_data"]["interrupted"], true);
    // The deck itself goes on, until it is left.
    deck.sees("error").keys("q");
    assert!(deck.ends().success());
    let pid = std::fs::read_to_string(place.root().join("pid")).expect("it had begun");
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().expect("a number"));
    assert!(rustix::process::test_kill_process(pid.expect("not 0")).is_err(), "it lives on");
}

#[test]
fn a_loop_is_offered_a_session_and_its_verify_runs_count_there() {
    let place = Place::workspace();
    script(&place, RED);
    let args = ["--kind", "debug", "--title", "Flaky", "--verify", "sh check.sh"];
    let id = place.open_loop(&args);
    let mut deck = place.deck();
    deck.sees("Flaky").sees("no session counts").keys("R").sees("Start a session for: Flaky");
    deck.keys("<C-s>").sees("started and linked").sees("no gap measured yet");
    deck.keys("v").sees("red: exit status 101").keys("<Esc>").sees("3 failing tests");
    deck.keys("r").sees("Record an attempt").keys("<Tab>mocked the clock<Tab><Tab><Tab>2<C-s>");
    deck.sees("2 failing tests");
    let shown = place.json(&["loop", "show", &id])["result"].clone();
    let session = shown["linked"]["session_id"].as_str().expect("linked");
    let session = place.json(&["session", "show", session])["result"].clone();
    assert_eq!(session["attempts"].as_array().map(Vec::len), Some(2), "{session}");
    deck.keys("S").sees("mocked the clock").keys("q");
    assert!(deck.ends().success());
}
