//! Workspaces: making them, finding them, folders that can't be used.

use serde_json::json;

use crate::support::{Place, text};

#[test]
fn init_is_harmless_when_repeated_and_offers_what_it_finds() {
    let place = Place::empty();
    place.file("CLAUDE.md", "- Run the tests before you say done.\n- Never force-push.\n");
    place.file(
        "docs/adr/0001-one.md",
        "# 1. One store\n\n## Status\n\nAccepted\n\n## Decision\n\nOne.\n",
    );
    let first = place.json(&["init"]).result();
    assert_eq!(first["created"], true);
    assert_eq!(first["importable"].as_array().map(Vec::len), Some(2), "{first:#}");
    assert_eq!(first["imported"], json!([]));
    let spoken = place.run(&["init"]);
    assert!(spoken.stdout.contains("loopdeck init --import"), "{}", spoken.stdout);
    let again = place.json(&["init", "--import"]).result();
    assert_eq!(again["created"], false);
    assert_eq!(again["imported"].as_array().map(Vec::len), Some(2), "{again:#}");
    let listed = place.json(&["memory", "list"]).result();
    let categories: Vec<_> = listed["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| text(&item["category"]))
        .collect();
    assert!(categories.contains(&"constraints".to_owned()), "{categories:?}");
    assert!(categories.contains(&"decisions".to_owned()), "{categories:?}");
    // What was taken in is offered no more, and said to be there.
    let after = place.json(&["init"]).result();
    assert_eq!(after["importable"], json!([]), "{after:#}");
    assert_eq!(after["imported_before"].as_array().map(Vec::len), Some(2), "{after:#}");
    let spoken = place.run(&["init"]).stdout;
    assert!(spoken.contains("in memory already: CLAUDE.md, docs/adr"), "{spoken}");
    assert!(!spoken.contains("--import"), "{spoken}");
    // A record that came since is new again.
    let second = "# 2. Two\n\n## Status\n\nAccepted\n\n## Decision\n\nTwo stores.\n";
    place.file("docs/adr/0002-two.md", second);
    let spoken = place.run(&["init"]).stdout;
    assert!(spoken.contains("in memory already: CLAUDE.md\n"), "{spoken}");
    assert!(spoken.contains("docs/adr") && spoken.contains("loopdeck init --import"), "{spoken}");
}

#[test]
fn a_workspace_is_found_from_below_and_by_name() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let below = place.root().join("a/b");
    std::fs::create_dir_all(&below).expect("folders");
    let mut command = place.command(&["loop", "show", &id, "--json"]);
    let output = command.current_dir(&below).output().expect("it runs");
    assert!(output.status.success());
    let paths = place.json(&["paths"]).result();
    assert!(text(&paths["store"]).ends_with(".loopdeck"), "{paths:#}");
    let outside = Place::empty();
    assert_eq!(outside.json(&["paths"]).result()["workspace"], json!(null));
    let missing = ["status", "--workspace", "no/such/folder"];
    outside.json(&missing).error("no_workspace", 3);
}

/// What is in the way of a write stops root too; whether a folder's mode is
/// noticed is tested with another user in `engine_workspace`.
#[test]
fn a_loop_that_cannot_be_written_still_shows_everything() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let lock = place.root().join(".loopdeck/loops").join(&id).join("journal.lock");
    std::fs::remove_file(&lock).expect("it was there");
    std::fs::create_dir(&lock).expect("a folder in its place");
    let shown = place.json(&["loop", "show", &id]).result();
    let error =
        place.json(&["loop", "add", &id, "--type", "critique", "--body", "x"]).error("io", 5);
    assert!(text(&error["message"]).contains("journal.lock"), "{error:#}");
    assert_eq!(place.json(&["loop", "show", &id]).result(), shown, "and nothing was changed");
}

#[test]
fn a_file_in_the_way_of_the_workspace_is_said() {
    let place = Place::empty();
    place.file(".loopdeck", "in the way");
    place.json(&["init"]).error("io", 5);
}

#[test]
fn the_clock_and_the_ids_can_be_fixed() {
    let fixed = |place: &Place| {
        let mut command = place.command(&[
            "loop",
            "open",
            "--kind",
            "ideation",
            "--title",
            "Same",
            "--proposal",
            "p",
            "--json",
        ]);
        command.env("LOOPDECK_NOW", "2026-03-01T12:30:00+02:00").env("LOOPDECK_SEED", "7");
        let output = command.output().expect("it runs");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
        object["result"].clone()
    };
    let (one, two) = (Place::with_workspace(), Place::with_workspace());
    let (first, second) = (fixed(&one), fixed(&two));
    assert_eq!(first, second);
    assert_eq!(first["created_at"], "2026-03-01T10:30:00.000Z");
    let mut command = one.command(&["status", "--json"]);
    let output = command.env("LOOPDECK_NOW", "yesterday").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}
