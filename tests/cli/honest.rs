//! What is broken is said wherever it matters, not only where one looks for it.

use std::fs;

use crate::support::Place;

fn warned(object: &serde_json::Value, word: &str) -> bool {
    object["warnings"].as_array().is_some_and(|all| {
        all.iter().any(|warning| warning.as_str().is_some_and(|text| text.contains(word)))
    })
}

#[test]
fn a_broken_config_is_told_by_every_command() {
    let place = Place::with_workspace();
    let id = place.ideation();
    fs::write(place.root().join(".loopdeck/config.toml"), "actor = \"agent:x\"\nfoo = [\n")
        .expect("written");
    for args in
        [&["loop", "list"][..], &["loop", "why", &id], &["loop", "amend", &id, "--goal", "g"]]
    {
        let run = place.json(args);
        assert_eq!(run.status, 0, "{args:?}");
        assert!(warned(&run.object(), "config.toml"), "{args:?}: {run:?}");
    }
}

#[test]
fn a_brief_says_which_memory_it_could_not_read() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let add = ["memory", "add", "--category", "traps", "--title", "t", "--text", "x"];
    let item = place.json(&add).result()["id"].as_str().expect("an id").to_owned();
    let file = place.root().join(format!(".loopdeck/memory/traps/{item}.md"));
    fs::write(&file, "+++\ntitle = \"broken\n+++\nx\n").expect("written");
    let brief = place.json(&["loop", "brief", &id]);
    assert!(warned(&brief.object(), &item), "{brief:?}");
}

#[test]
fn a_dry_run_on_a_damaged_loop_fails_as_the_real_one_does() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let journal = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let mut text = fs::read_to_string(&journal).expect("readable");
    text.push_str("garbage\n");
    fs::write(&journal, text).expect("written");
    place.json(&["loop", "advance", &id, "--dry-run"]).error("damaged", 5);
    place.json(&["loop", "advance", &id]).error("damaged", 5);
}

#[test]
fn a_loop_keeps_its_handle_through_a_new_title_and_a_fork() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let slug =
        place.json(&["loop", "show", &id]).result()["slug"].as_str().expect("one").to_owned();
    place.json(&["loop", "amend", &id, "--title", "Something else"]).result();
    place.json(&["loop", "fork", &slug, "--at", "2"]).result();
    assert_eq!(place.json(&["loop", "show", &slug]).result()["id"], id.as_str());
}
