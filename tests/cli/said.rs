//! What is said where something is missing, mistaken or came to nothing.

use serde_json::json;

use crate::support::{Place, text};

const IGNORE: &str = ".loopdeck/.gitignore";

fn ignored(place: &Place) -> String {
    std::fs::read_to_string(place.root().join(IGNORE)).expect("written")
}

#[test]
fn tracking_later_rewrites_what_init_wrote_and_leaves_what_a_person_wrote() {
    let place = Place::with_workspace();
    assert!(ignored(&place).contains("\nloops/\n"));
    let tracked = place.json(&["init", "--track"]).result();
    assert_eq!(tracked["gitignore"], "rewritten");
    assert!(!ignored(&place).contains("\nloops/\n"));
    assert_eq!(place.json(&["init", "--track"]).result()["gitignore"], json!(null));
    place.file(IGNORE, "mine\n");
    let kept = place.run(&["init", "--track"]);
    assert!(kept.stderr.contains("stays as it is"), "{kept:?}");
    assert_eq!(ignored(&place), "mine\n");
}

#[test]
fn a_cite_may_be_the_unique_beginning_of_a_memory_id() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let add = ["memory", "add", "--category", "traps", "--title", "One", "--text", "A trap."];
    let item = text(&place.json(&add).result()["id"]);
    let beginning = &item[..8];
    let cite = ["loop", "add", &id, "--type", "critique", "--body", "x", "--cites", beginning];
    let added = place.json(&cite);
    assert_eq!(added.object()["warnings"], json!([]), "{added:?}");
    let artifacts = added.result()["loop"]["artifacts"].clone();
    let last = artifacts.as_array().and_then(|a| a.last()).cloned().expect("filed");
    assert_eq!(last["cites"], json!([item]));
}

#[test]
fn lists_that_match_nothing_say_so() {
    let place = Place::with_workspace();
    let start = ["session", "start", "--goal", "green", "--goal-type", "tests_pass"];
    let id = text(&place.json(&start).result()["session_id"]);
    let listed = place.run(&["session", "list", "--status", "failed"]).stdout;
    assert_eq!(listed, "none of 1 session is failed\n");
    let shown = place.run(&["session", "show", &id]).stdout;
    assert!(shown.contains(&format!("{id} · tests pass · started ")), "{shown}");
    let given_up = place.run(&["session", "escalate", &id, "--reason", "no key"]).stdout;
    assert_eq!(given_up, "▲ given up  no key\n");
    place.ideation();
    let log = place.run(&["loop", "log", "--kind", "rated"]).stdout;
    assert_eq!(log, "no event of kind rated here\n");
    let without = ["dream", "insights", "--without", "case=x/y"];
    let error = place.json(&without).error("item_not_found", 3);
    assert!(error.to_string().contains("case x/y"), "{error}");
}

#[test]
fn a_run_of_the_command_is_shown_in_words() {
    let place = Place::with_workspace();
    let open = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", "sh -c 'exit 3'"];
    let id = text(&place.json(&open).result()["id"]);
    let run = place.run(&["loop", "verify", &id]);
    let shown = place.run(&["loop", "show", &id]).stdout;
    assert!(shown.contains("red: exit 3, 0."), "{run:?}\n{shown}");
}

#[test]
fn folders_that_are_made_leave_their_locks_out_of_version_control() {
    let place = Place::with_workspace();
    let start = ["session", "start", "--goal", "green", "--goal-type", "tests_pass"];
    place.json(&start).result();
    let path = place.root().join(".whetstone/sessions/.gitignore");
    let text = std::fs::read_to_string(path).expect("written");
    assert!(text.contains("\n*.lock\n"), "{text}");
}
