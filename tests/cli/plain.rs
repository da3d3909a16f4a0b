//! `--plain`: the deck in lines.

use crate::support::Place;

#[test]
fn a_loop_is_chosen_by_number_and_driven_by_its_verbs() {
    let place = Place::with_workspace();
    place.in_critique();
    let said = place.run_with_stdin(
        &["--plain"],
        "1\nadd --type critique --subtype trap --body -\nIt drops the cache.\n@all of it.\n.\n\
         why\nmemory list\nnonsense\n99\nundo\nq\nnever read\n",
    );
    assert_eq!(said.status, 0, "{said:?}");
    let out = &said.stdout;
    assert!(out.contains("1. Extract the dispatcher; ideation, open, critique round 1"), "{out}");
    assert!(out.contains("[Extract the dispatcher] > "), "{out}");
    assert!(out.contains("line by line; a line with a single dot ends it"), "{out}");
    assert!(out.contains("ANN: Extract the dispatcher"), "{out}");
    assert!(said.stderr.contains("no loop has the number 99"), "{}", said.stderr);
    assert!(said.stderr.contains("nonsense"), "{}", said.stderr);
    let shown = place.json(&["loop", "list", "--all"]).result();
    assert_eq!(shown["total"], 1, "{shown:#}");
}

#[test]
fn what_was_written_line_by_line_is_filed_to_the_byte() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let said =
        place.run_with_stdin(&["--plain"], "1\nadd --type critique --body -\n@one\n  two\n.\n");
    assert_eq!(said.status, 0, "{said:?}");
    let state = place.json(&["loop", "show", &id]).result();
    let filed = state["artifacts"].as_array().and_then(|all| all.last()).expect("filed").clone();
    let artifact = filed["artifact_id"].as_str().expect("an id").to_owned();
    let whole = place.json(&["loop", "show", &id, "--artifact", &artifact]).result();
    assert_eq!(whole["artifact"]["body"], "@one\n  two", "{whole:#}");
}

#[test]
fn a_text_whose_end_never_came_is_not_filed() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let before = place.json(&["loop", "show", &id]).result()["version"].clone();
    for half in [&b"no dot"[..], b"no dot\n", b"half\n\xff\n"] {
        let typed = [b"1\nadd --type critique --body -\n", half].concat();
        let said = place.run_with_stdin(&["--plain"], typed);
        assert!(said.stderr.contains("nothing is done"), "{said:?}");
        assert_eq!(place.json(&["loop", "show", &id]).result()["version"], before);
    }
}

#[test]
fn it_goes_without_a_command_and_needs_a_workspace() {
    let place = Place::with_workspace();
    place.json(&["--plain", "status"]).error("usage", 2);
    Place::empty().json(&["--plain"]).error("no_workspace", 3);
}
