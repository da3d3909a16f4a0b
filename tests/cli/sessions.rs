//! Iteration sessions by the command line, with commands that the test writes.

use serde_json::Value;

use crate::support::{Place, text};

fn started(place: &Place, more: &[&str]) -> String {
    let args = ["session", "start", "--goal", "all tests pass", "--goal-type", "tests_pass"];
    let result = place.json(&[&args[..], more].concat()).result();
    assert_eq!(result["status"], "pending");
    text(&result["session_id"])
}

const RED: &str = "echo running; echo 'test result: FAILED. 1 passed; 3 failed; 0 ignored' >&2\n\
                   exit 101\n";

#[test]
fn a_gap_is_closed_in_attempts_and_then_the_session_takes_no_more() {
    let place = Place::with_workspace();
    let id = started(&place, &["--max-attempts", "5"]);
    place.file("check.sh", RED);
    let shown = place.run(&["session", "run", &id[..8], "--", "sh", "check.sh"]);
    assert_eq!(shown.status, 0, "{shown:?}");
    let out = &shown.stdout;
    assert!(out.starts_with("running\ntest result: FAILED."), "the output comes first: {out}");
    for part in ["attempt 1 of 5 failure", "cargo-test: 3 failed, 1 passed", "3 failing tests"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    place.file("check.sh", RED.replace("3 failed", "2 failed"));
    let ran = place.run(&["--json", "session", "run", &id, "--", "sh", "check.sh"]).result();
    assert_eq!((&ran["outcome"], &ran["session_status"]), (&"partial".into(), &"active".into()));
    assert_eq!(
        (&ran["gap"]["current_value"], &ran["gap"]["trend"]),
        (&2.into(), &"improving".into())
    );
    assert_eq!((&ran["reading"]["parser"], &ran["attempts"]), (&"cargo-test".into(), &2.into()));
    place.file("check.sh", "echo 'test result: ok. 4 passed; 0 failed; 0 ignored'\n");
    let ran = place.run(&["--json", "session", "run", &id, "--", "sh", "check.sh"]).result();
    assert_eq!((&ran["outcome"], &ran["session_status"]), (&"success".into(), &"converged".into()));

    let refused = place.run(&["--json", "session", "run", &id, "--", "sh", "check.sh"]);
    let error = refused.error("session_closed", 1);
    let step = error["next_steps"][1]["command"].as_str().expect("a step");
    let words = shell_words::split(step).expect("words");
    let words: Vec<&str> = words.iter().map(String::as_str).skip(1).collect();
    assert_eq!(place.json(&words).result()["previous"], id.as_str(), "the step runs as it is");

    let shown = place.json(&["session", "show", &id]).result();
    assert_eq!(shown["attempts"].as_array().map(Vec::len), Some(3));
    let page = place.run(&["session", "show", &id]).stdout;
    for part in ["✓ converged", "█▆▁", "attempt 3: sh check.sh", "pending → active"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let one = place.run(&["session", "show", &id, "--attempt", "1"]).stdout;
    assert!(one.contains("exit status 101") && one.contains("\nrunning\n"), "{one}");
    place.json(&["session", "show", &id, "--attempt", "9"]).error("item_not_found", 3);
}

#[test]
fn attempts_are_recorded_by_hand_and_what_is_left_out_is_derived() {
    let place = Place::with_workspace();
    let id = started(&place, &[]);
    place.file("ci.log", b"\xff\r\n=== 2 failed, 5 passed in 0.12s ===\r\n".as_slice());
    let record = |more: &[&str]| {
        let args = ["session", "record", id.as_str(), "--action-type"];
        place.json(&[&args[..], more].concat())
    };
    let done = record(&["test", "--exit-code", "1", "--raw", "@ci.log"]).result();
    assert_eq!((&done["outcome"], &done["gap"]["current_value"]), (&"failure".into(), &2.into()));
    let done = record(&["patch", "--description", "mock it", "--outcome", "partial"]).result();
    assert!(done.get("gap").is_none(), "nothing was measured: {done}");
    let done = record(&["test", "--gap", "1", "--duration-ms", "1500"]).result();
    assert_eq!((&done["outcome"], &done["gap"]["delta"]), (&"error".into(), &1.into()));
    let session = place.json(&["session", "show", &id]).result();
    let took = |attempt: &Value| {
        let time = |key: &str| {
            chrono::DateTime::parse_from_rfc3339(attempt[key].as_str().expect("a time"))
                .expect("RFC 3339")
        };
        (time("completed_at") - time("started_at")).num_milliseconds()
    };
    assert_eq!(took(&session["attempts"][2]), 1_500);

    record(&["tset"]).error("invalid_action_type", 2);
    record(&["test", "--outcome", "fine"]).error("invalid_outcome", 2);
    record(&["test", "--gap", "NaN"]).error("invalid_gap", 2);
    record(&["test", "--target", "1"]).error("usage", 2);
    record(&["test", "--data", "{"]).error("invalid_data", 2);
    let early =
        ["test", "--started-at", "2026-03-01T12:00:00Z", "--completed-at", "2026-03-01T11:00:00Z"];
    record(&early).error("invalid_completed_at", 2);
    let done = record(&["build", "--unrecoverable"]).result();
    assert_eq!(done["session_status"], "failed");
}

#[test]
fn sessions_are_listed_given_up_and_named_by_their_beginning() {
    let place = Place::with_workspace();
    let empty = place.run(&["session", "list"]);
    assert!(empty.stdout.contains("no session here yet"), "{}", empty.stdout);
    let id = started(&place, &[]);
    let other = started(&place, &[]);
    let done = place.json(&["session", "escalate", &id, "--reason", "no key"]).result();
    assert_eq!(done["session_status"], "escalated");
    place.json(&["session", "escalate", &id, "--reason", "again"]).error("session_closed", 1);
    let listed = place.json(&["session", "list", "--limit", "1"]).result();
    assert_eq!((&listed["total"], &listed["next_offset"]), (&2.into(), &1.into()));
    let listed = place.json(&["session", "list", "--status", "pending"]).result();
    assert_eq!(listed["sessions"][0]["session_id"], other.as_str());
    place.json(&["session", "show", "ffff0000"]).error("session_not_found", 3);
    place.json(&["session", "start", "--goal", " "]).error("invalid_goal", 2);
    place
        .json(&["session", "start", "--goal", "g", "--max-attempts", "0"])
        .error("invalid_max_attempts", 2);
    place
        .json(&["session", "start", "--goal", "g", "--goal-type", "x"])
        .error("invalid_goal_type", 2);
    place.json(&["session", "run", &other]).error("usage", 2);
    place.json(&["session", "show", &other, "--expect-version", "1"]).error("usage", 2);
    // A file that cannot be read is said, and hides no other.
    place.file(&format!(".whetstone/sessions/{id}.json"), "{\n  oops");
    let listed = place.json(&["session", "list"]);
    assert_eq!(listed.result()["total"], 1);
    assert!(listed.object()["warnings"][0].as_str().is_some_and(|w| w.contains("line 2")));
    place.json(&["session", "show", &id]).error("damaged", 5);
}

#[test]
fn the_same_request_gives_the_same_answer() {
    let place = Place::with_workspace();
    let start = || place.json(&["session", "start", "--goal", "g", "--request-id", "r1"]).result();
    let (one, two) = (start(), start());
    assert_eq!((&one["session_id"], &two["replayed"]), (&two["session_id"], &true.into()));
    let id = text(&one["session_id"]);
    let record = || {
        let args = ["session", "record", &id, "--action-type", "test", "--gap", "3"];
        place.json(&[&args[..], &["--request-id", "r2"]].concat()).result()
    };
    let (one, two) = (record(), record());
    assert_eq!((&one["attempt_id"], &two["replayed"]), (&two["attempt_id"], &true.into()));
    let args =
        ["session", "record", &id, "--action-type", "test", "--gap", "4", "--request-id", "r2"];
    place.json(&args).error("request_id_reused", 4);
    assert_eq!(
        place.json(&["session", "show", &id]).result()["attempts"].as_array().map(Vec::len),
        Some(1)
    );
}

#[cfg(unix)]
#[test]
fn a_result_file_that_is_a_pipe_is_not_said_to_be_missing() {
    let place = Place::with_workspace();
    let id = started(&place, &[]);
    place.file("folder.xml/x", "");
    for (name, why) in [("folder.xml", "it is no regular file"), ("none.xml", "it is not there")] {
        let run = place.run(&["session", "run", &id, "--junit", name, "--", "false"]);
        let warning = format!("{name} was not read: {why}");
        assert!(run.stderr.contains(&warning), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_command_and_records_it() {
    use std::io::{BufRead, BufReader};
    let place = Place::with_workspace();
    let id = started(&place, &[]);
    place.file("slow.sh", "echo $$ > pid; echo begun; while :; do sleep 1; done\n");
    let args = ["session", "run", &id, "--", "sh", "slow.sh"];
    // How it ends is heard by scripts too: not as a run that came to its end.
    let mut child = std::process::Command::new(place.command(&[]).get_program())
        .args(args)
        .current_dir(place.root())
        .env("LOOPDECK_STATE_DIR", place.root())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "begun");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("told");
    let ended = child.wait_with_output().expect("ended");
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let said = String::from_utf8(ended.stderr).expect("text");
    assert!(said.contains("called off: attempt 1 of 10"), "{said}");
    assert!(said.contains(&format!("loopdeck session show {id}")), "{said}");
    let shown = place.json(&["session", "show", &id]).result();
    assert_eq!(shown["observations"][0]["structured_data"]["interrupted"], true);
    let pid = std::fs::read_to_string(place.root().join("pid")).expect("written");
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().expect("a number"));
    assert!(rustix::process::test_kill_process(pid.expect("not 0")).is_err(), "it lives on");
}

#[test]
fn a_terminals_weapons_and_secrets_stay_out_of_the_file() {
    let place = Place::with_workspace();
    let id = started(&place, &[]);
    place.file("say.sh", "printf 'token %s\\n' s3cret-value; exit 1\n");
    let mut command = place.command(&["session", "run", &id, "--", "sh", "say.sh"]);
    let output = command.env("DEPLOY_TOKEN", "s3cret-value").output().expect("runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("token [redacted]"), "{said}");
    let mut command =
        place.command(&["session", "record", &id, "--action", "test", "--raw", "s3cret-value"]);
    command.env("DEPLOY_TOKEN", "s3cret-value").output().expect("runs");
    let file = place.root().join(format!(".whetstone/sessions/{id}.json"));
    let stored = std::fs::read_to_string(file).expect("there");
    assert!(!stored.contains("s3cret-value") && stored.contains("[redacted]"), "{stored}");
}

#[test]
fn a_run_whose_program_died_becomes_an_attempt_with_the_next_change() {
    let place = Place::with_workspace();
    let session = started(&place, &["--max-attempts", "3"]);
    place.file("check.sh", RED);
    let base =
        ["loop", "open", "--kind", "implementation", "--title", "t", "--verify", "sh check.sh"];
    let opened = place.json(&[&base[..], &["--session", &session]].concat()).result();
    let id = text(&opened["id"]);
    for _ in 0..2 {
        place.json(&["loop", "advance", &id]).result();
    }
    let mut verify = place.command(&["loop", "verify", &id]);
    let output = verify.env("LOOPDECK_TEST_KILL_AT", "verify").output().expect("ran");
    assert_eq!(output.status.code(), None, "killed: {output:?}");
    let attempts = || {
        let shown = place.json(&["session", "show", &session]).result();
        shown["attempts"].as_array().cloned().expect("a list")
    };
    assert_eq!(attempts().len(), 0);
    // Any change to the loop carries it out, once.
    let note = ["loop", "add", &id, "--type", "note", "--body", "It died."];
    for _ in 0..2 {
        place.json(&note).result();
        let attempts = attempts();
        assert_eq!(attempts.len(), 1);
        assert_eq!(attempts[0]["action_description"], "sh check.sh");
        assert_eq!(attempts[0]["outcome"], "failure");
    }
    let shown = place.json(&["session", "show", &session]).result();
    assert_eq!(shown["gap"]["current_value"], 3, "read from the ends of its output");
    let log = place.json(&["loop", "log", &id, "--kind", "effects_done"]).result();
    assert_eq!((&log["total"], &log["events"][0]["cause"]), (&1.into(), &"report".into()));
}

#[test]
fn verify_runs_of_a_linked_loop_are_attempts_of_its_session() {
    let place = Place::with_workspace();
    let session = started(&place, &["--max-attempts", "3"]);
    place.file("check.sh", RED);
    let base =
        ["loop", "open", "--kind", "implementation", "--title", "t", "--verify", "sh check.sh"];
    let refused = place.json(&[&base[..], &["--session", "ffff0000"]].concat());
    refused.error("session_not_found", 3);
    let opened = place.json(&[&base[..], &["--session", &session[..8]]].concat()).result();
    assert_eq!(opened["linked"]["session_id"], session.as_str());
    let id = text(&opened["id"]);
    for _ in 0..2 {
        place.json(&["loop", "advance", &id]).result();
    }
    let ran = place.json(&["loop", "verify", &id, "--request-id", "r1"]).result();
    place.json(&["loop", "verify", &id, "--request-id", "r1"]).result();
    let shown = place.json(&["session", "show", &session]).result();
    assert_eq!(shown["attempts"].as_array().map(Vec::len), Some(1), "a repeat is none: {ran}");
    let attempt = &shown["attempts"][0];
    assert_eq!((&attempt["action_type"], &attempt["outcome"]), (&"test".into(), &"failure".into()));
    assert_eq!(shown["observations"][0]["source"], "test_output");
    assert_eq!((&shown["gap"]["current_value"], &shown["status"]), (&3.into(), &"active".into()));

    place.file("check.sh", "echo 'test result: ok. 4 passed; 0 failed; 0 ignored'\n");
    place.json(&["loop", "verify", &id]).result();
    assert_eq!(place.json(&["session", "show", &session]).result()["status"], "converged");
    // A session that takes no more never fails the run.
    let ran = place.json(&["loop", "verify", &id]);
    ran.result();
    let warning = ran.object()["warnings"].to_string();
    assert!(warning.contains("session start --previous"), "{warning}");
    assert!(place.run(&["loop", "show", &id]).stdout.contains(&session));

    place.json(&["loop", "link", &id, "--session", &session, "--remove"]).result();
    let shown = place.json(&["loop", "show", &id]).result();
    assert_eq!(shown["linked"]["session_id"], Value::Null);
    place.json(&["loop", "link", &id, "--session", &session[..8]]).result();
    let shown = place.json(&["loop", "show", &id]).result();
    assert_eq!(shown["linked"]["session_id"], session.as_str());
}

#[test]
fn status_counts_the_sessions_that_go_on() {
    let place = Place::with_workspace();
    let counts = || place.json(&["status"]).result()["counts"]["sessions"].clone();
    assert_eq!(counts(), serde_json::json!({"active": 0, "stalled": 0}));
    assert!(!place.run(&["status"]).stdout.contains("session"));
    let id = started(&place, &[]);
    started(&place, &[]);
    for _ in 0..4 {
        let record = ["session", "record", &id, "--action", "patch", "--description", "no luck"];
        place.json(&[&record[..], &["--gap", "3"]].concat()).result();
    }
    assert_eq!(counts(), serde_json::json!({"active": 2, "stalled": 1}));
    let page = place.run(&["status"]).stdout;
    assert!(page.contains("2 sessions go on, 1 stalled: loopdeck session list"), "{page}");
}
