//! undo, redo, fork, diff, promote and archive, through the binary.

use serde_json::json;

use crate::support::{Place, text};

#[test]
fn undo_and_redo_and_what_they_would_do() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let critique = place.add(&id, "critique", "one");
    let would = place.json(&["loop", "undo", &id, "--dry-run"]).result()["would"].clone();
    assert_eq!(would["diff"]["removed"], json!([critique]));
    let before = place.json(&["loop", "show", &id]).result();
    let undone = place.json(&["loop", "undo", &id]).result();
    assert_eq!(undone["artifacts"].as_array().map(Vec::len), Some(1));
    assert_eq!(undone["version"], before["version"].as_u64().unwrap() + 1);
    let again = place.json(&["loop", "redo", &id]).result();
    assert_eq!(again["artifacts"], before["artifacts"]);
    place.json(&["loop", "redo", &id]).error("nothing_to_redo", 1);
    let log = place.run(&["loop", "log", &id]).stdout;
    assert!(log.contains("↶ undone: as after event"), "{log}");
    assert!(log.contains("↷ redone: as after event"), "{log}");
    place.json(&["loop", "undo", &id, "--to", "1"]).error("not_a_commit_boundary", 1);
    place.json(&["loop", "undo", &id, "--to", "99"]).error("unknown_seq", 3);
    let add = ["loop", "add", &id, "--type", "critique", "--body", "two", "--actor", "agent:atlas"];
    place.json(&add).result();
    let error = place.json(&["loop", "undo", &id]).error("undo_unsafe", 1);
    let command = text(&error["next_steps"][0]["command"]);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    place.json(&words).result();
    place
        .json(&["loop", "undo", &id, "--to", "2", "--actor", "agent:atlas"])
        .error("operator_only", 1);
}

#[test]
fn the_log_says_what_was_amended_and_linked() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let amend = ["loop", "amend", &id, "--goal", "Testable alone", "--max-rounds", "5"];
    place.json(&amend).result();
    place.json(&["loop", "amend", &id, "--add-slot", "scribe=atlas"]).result();
    place.json(&["loop", "link", &id, "--plan", "pln_1"]).result();
    place.json(&["loop", "link", &id, "--plan", "pln_1", "--remove"]).result();
    let log = place.run(&["loop", "log", &id]).stdout;
    for said in [
        "amended: goal, rounds 3 → 5",
        "amended: slots +scribe=atlas",
        "linked to plan pln_1",
        "linked to nothing any more",
    ] {
        assert!(log.contains(said), "{said}: {log}");
    }
}

#[test]
fn the_past_can_be_shown_compared_and_forked() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let then = place.json(&["loop", "show", &id]).result();
    let at = then["version"].to_string();
    let critique = place.add(&id, "critique", "one");
    let now = place.json(&["loop", "show", &id]).result()["version"].to_string();
    let past = place.json(&["loop", "show", &id, "--at", &at]).result();
    assert_eq!(past["artifacts"], then["artifacts"]);
    let diff = place.json(&["loop", "diff", &id, &at, &now]).result();
    assert_eq!(diff["added"], json!([critique]));
    let fork = place.json(&["loop", "fork", &id, "--at", &now]).result();
    assert_ne!(fork["id"], id.as_str());
    assert_eq!(fork["forked_from"]["loop_id"], id.as_str());
    let copy = text(&fork["id"]);
    let shown = place.json(&["loop", "show", &copy, "--artifact", &critique]).result();
    assert_eq!(shown["artifact"]["body"], "one");
    place.json(&["loop", "fork", &id, "--at", "77"]).error("unknown_seq", 3);
}

#[test]
fn what_was_said_is_remembered_and_loops_are_put_away() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let critique = place.add(&id, "critique", "The cache was split twice before");
    place.json(&["loop", "promote", &id, &critique]).error("invalid_category", 2);
    let promote = ["loop", "promote", &id, &critique, "--category", "traps"];
    let state = place.json(&promote).result();
    let item = text(&state["promoted"][&critique]);
    place.json(&promote).result();
    let found = place.json(&["memory", "list"]).result();
    assert_eq!(found["total"], 1);
    assert_eq!(found["items"][0]["id"], item);
    assert!(text(&found["items"][0]["source"]).starts_with(&format!("loop:{id}/{critique}@")));
    assert_eq!(place.json(&["loop", "archive", &id]).result()["archived"], true);
    assert_eq!(place.json(&["loop", "list"]).result()["total"], 0);
    assert_eq!(place.json(&["loop", "list", "--all"]).result()["total"], 1);
    place.json(&["loop", "unarchive", &id]).result();
    assert_eq!(place.json(&["loop", "list"]).result()["total"], 1);
}
