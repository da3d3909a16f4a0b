//! A verify command run with one key, and a review decided with keys.

use crate::support::Place;

fn in_verify(place: &Place, script: &str) -> String {
    std::fs::write(place.root().join("check.sh"), script).expect("a script");
    let command = "sh check.sh";
    let args = ["--kind", "implementation", "--title", "Move the labels", "--verify", command];
    let id = place.open_loop(&args);
    for _ in 0..2 {
        place.run(&["loop", "advance", &id]);
    }
    id
}

#[test]
fn v_runs_the_command_with_live_output_and_green_leads_to_the_handoff() {
    let place = Place::workspace();
    let script = "echo begun; until [ -e go ]; do sleep 0.05; done; echo and done";
    let id = in_verify(&place, script);
    let mut deck = place.deck();
    deck.sees("Move the labels").keys("v");
    deck.sees("begun").sees("x ends it");
    // It is hidden, goes on, and is shown again.
    deck.keys("<Esc>").sees_no("x ends it").keys("v").sees("begun");
    std::fs::write(place.root().join("go"), "").expect("a file");
    deck.sees("and done").sees("is green").keys("<Esc>").sees_no("and done");
    deck.keys("A").sees("goes there").sees("handoff_ready").keys("<Enter>");
    deck.sees("advanced from verify to handoff_ready");
    deck.keys("a").sees("Add an artifact").keys("It is done.<C-s>");
    deck.sees_no("Add an artifact").sees("completed");
    assert_eq!(place.json(&["loop", "show", &id])["result"]["status"], "completed");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_run_that_is_called_off_records_nothing_and_leaves_nothing_running() {
    let place = Place::workspace();
    let id = in_verify(&place, "echo $$ > pid; echo begun; sleep 600");
    let mut deck = place.deck();
    deck.sees("Move the labels").keys("v").sees("begun").keys("x");
    deck.sees("called off");
    let state = place.json(&["loop", "show", &id]);
    assert_eq!(state["result"]["artifacts"].as_array().map(Vec::len), Some(0), "{state}");
    deck.keys("<Esc>").sees_no("Verify").keys("v").sees("x ends it").sees("begun");
    deck.keys("<Esc>").sees_no("Verify").keys("q");
    assert!(deck.ends().success());
    let pid = std::fs::read_to_string(place.root().join("pid")).expect("it had begun");
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().expect("a number"));
    assert!(
        rustix::process::test_kill_process(pid.expect("not 0")).is_err(),
        "it outlived the deck"
    );
}

#[test]
fn a_command_that_nobody_typed_here_is_asked_about() {
    let place = Place::workspace();
    let args = ["--kind", "debug", "--title", "Flaky", "--verify", "sh -c 'echo asked first'"];
    place.open_loop(&[&args[..], &["--actor", "agent:codex"]].concat());
    let mut deck = place.deck();
    deck.sees("Flaky").keys("v").sees("You did not type this command here").keys("y");
    deck.sees("asked first").sees("is green");
    deck.keys("<Esc>").sees_no("Verify").keys("q");
    assert!(deck.ends().success());
}

#[test]
fn red_at_the_cap_ends_blocked() {
    let place = Place::workspace();
    let id = in_verify(&place, "echo x >> n; echo broken $(wc -l < n); exit 3");
    let mut deck = place.deck();
    for round in 1..=3 {
        deck.sees("Move the labels").keys("v").sees(&format!("broken {round}"));
        deck.sees_no("x ends it").sees("red: exit status 3");
        deck.keys("<Esc>").sees_no("Verify");
        place.run(&["loop", "advance", &id]);
        if round < 3 {
            place.run(&["loop", "advance", &id]);
            deck.sees(&format!("round {} of 3", round + 1));
        }
    }
    deck.sees("blocked");
    assert_eq!(place.json(&["loop", "show", &id])["result"]["status"], "blocked");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_review_is_sent_back_and_then_accepted_with_keys() {
    let place = Place::workspace();
    let args = ["--kind", "review", "--title", "Look at it", "--proposal", "Labels move."];
    let id = place.open_loop(&args);
    place.run(&["loop", "advance", &id]);
    let mut deck = place.deck();
    deck.sees("Look at it").sees("findings").keys("a").sees("Add an artifact");
    // The verdict is chosen, not typed; without one nothing is filed.
    deck.keys("<S-Tab><Enter>verdict<Enter>").sees("request changes");
    deck.keys("<C-s>").sees("accept, or request changes");
    deck.keys("r<Tab>Name the owner.<C-s>").sees_no("Add an artifact");
    let filed = place.json(&["loop", "show", &id]);
    let preview = &filed["result"]["artifacts"][1]["preview"];
    assert_eq!(preview, "request_changes: Name the owner.", "{filed}");
    deck.keys("A").sees("goes there").sees("author_response").keys("<Enter>");
    deck.sees("advanced from findings to author_response");
    for _ in 0..2 {
        place.run(&["loop", "advance", &id]);
    }
    deck.sees("? yours").keys("a").sees("Add an artifact · verdict");
    deck.sees("request changes").keys("<C-s>").sees("accept, or request changes");
    deck.keys("a<Tab>It has an owner.<C-s>").sees_no("Add an artifact").sees("completed");
    assert_eq!(place.json(&["loop", "show", &id])["result"]["status"], "completed");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_fault_is_red_then_mended_then_green() {
    let place = Place::workspace();
    let args = ["--kind", "debug", "--title", "Flaky", "--verify", "sh check.sh"];
    std::fs::write(place.root().join("check.sh"), "test -e mended && echo all well || exit 1\n")
        .expect("a script");
    let id = place.open_loop(&args);
    let mut deck = place.deck();
    deck.sees("Flaky").keys("a").sees("Add an artifact · reproduce");
    deck.keys("Run it twice.<C-s>").sees_no("Add an artifact");
    let advance = |deck: &mut crate::support::Deck, to: &str| {
        deck.keys("A").sees("goes there").sees(to).keys("<Enter>").sees_no("goes there");
    };
    for round in 1..=2 {
        advance(&mut deck, "hypothesize");
        deck.keys("a").sees("Add an artifact · hypothesize").keys("The cache.<C-s>");
        deck.sees_no("Add an artifact");
        advance(&mut deck, "isolate");
        deck.keys("a").sees("Add an artifact · isolate").keys("It is cold.<C-s>");
        deck.sees_no("Add an artifact");
        advance(&mut deck, "fix");
        if round == 2 {
            std::fs::write(place.root().join("mended"), "").expect("a file");
        }
        deck.keys("v").sees(if round == 1 { "red: exit status 1" } else { "is green" });
        deck.keys("<Esc>").sees_no("Verify");
    }
    advance(&mut deck, "handoff");
    deck.keys("a").sees("Add an artifact · handoff").keys("It is warm now.<C-s>");
    deck.sees_no("Add an artifact").sees("completed");
    assert_eq!(place.json(&["loop", "show", &id])["result"]["status"], "completed");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_fault_that_stays_red_ends_blocked_and_an_implementation_offers_to_look_for_it() {
    let place = Place::workspace();
    std::fs::write(
        place.root().join("check.sh"),
        "echo x >> n; echo broken $(wc -l < n); exit 1\n",
    )
    .expect("a script");
    let args =
        ["--kind", "implementation", "--title", "Move the labels", "--verify", "sh check.sh"];
    let id = place.open_loop(&args);
    place.run(&["loop", "advance", &id]);
    let mut deck = place.deck();
    deck.sees("Move the labels");
    for round in 1..=3 {
        place.run(&["loop", "advance", &id]);
        deck.keys("v").sees(&format!("broken {round}")).sees_no("x ends it");
        // On a loop that has moved since it was drawn, Enter would be asked for again.
        deck.keys("<Esc>").sees_no("Verify").sees(&format!("#{}", 1 + 3 * round));
        deck.keys("A").sees("goes there").keys("<Enter>").sees_no("goes there");
    }
    deck.sees("debug what kept it red")
        .keys("O")
        .sees("Open a loop")
        .sees("Debug: Move the labels");
    deck.keys("<C-s>").sees_no("Open a loop").sees("reproduce");
    let listed = place.json(&["loop", "list", "--kind", "debug"])["result"].clone();
    assert_eq!(listed["loops"][0]["source_loop_id"], id.as_str(), "{listed}");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_variable_that_settings_name_is_asked_about_before_it_is_handed_on() {
    let place = Place::workspace();
    in_verify(&place, "echo the key has ${#CLOUD_KEY} letters");
    let config = "[verify]\npass_env = [\"CLOUD_KEY\"]\n";
    std::fs::write(place.root().join(".loopdeck/config.toml"), config).expect("written");
    let mut deck = place.deck_with(120, 36, &[("CLOUD_KEY", "swordfish")]);
    deck.sees("Move the labels").keys("v").sees("Hand CLOUD_KEY on to what runs here?");
    deck.keys("<Esc>").sees_no("Hand CLOUD_KEY").keys("v").sees("Hand CLOUD_KEY").keys("y");
    deck.sees("the key has 9 letters");
    deck.keys("<Esc>").sees_no("Verify").keys("q");
    assert!(deck.ends().success());
}
