//! What is broken is said wherever it matters, not only where one looks for it.

use std::fs;

use serde_json::json;

use crate::support::{Place, text};

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
fn a_damaged_loop_is_told_apart_in_every_list() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    for critique in ["one", "two", "three"] {
        place.add(&id, "critique", critique);
    }
    assert_eq!(place.json(&["loop", "list"]).result()["loops"][0]["attention"], "ready");
    let journal = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let text = fs::read_to_string(&journal).expect("readable");
    // As long as before, so that only the time of the file tells.
    let broken = text.replacen("\"two\"", "\"two{", 1);
    assert_eq!(broken.len(), text.len());
    fs::write(&journal, &broken).expect("written");
    let listed = place.json(&["loop", "list"]).result()["loops"][0].clone();
    assert_eq!(listed["attention"], "stuck", "{listed:#}");
    assert_eq!(listed["read_only"], "damaged at line 4");
    for args in [&["status"][..], &["loop", "list"]] {
        let page = place.run(args).stdout;
        assert!(page.contains("damaged at line 4, may only be read"), "{page}");
        assert!(!page.contains("ready"), "{page}");
    }
    let shown = place.run(&["loop", "show", &id]);
    assert!(shown.stdout.contains("damaged at line 4"), "{shown:?}");
    fs::write(&journal, &text).expect("written");
    let listed = place.json(&["loop", "list"]).result()["loops"][0].clone();
    assert_eq!((&listed["attention"], &listed["read_only"]), (&json!("ready"), &json!(null)));
}

#[test]
fn loops_of_one_title_have_slugs_of_their_own() {
    let place = Place::with_workspace();
    let ids = [place.ideation(), place.ideation(), place.ideation()];
    let slug = "extract-the-dispatcher";
    for (id, slug) in ids.iter().zip([slug.to_owned(), format!("{slug}-2"), format!("{slug}-3")]) {
        assert_eq!(place.json(&["loop", "show", &slug]).result()["id"], id.as_str());
    }
}

#[test]
fn loops_that_are_opened_at_once_have_slugs_of_their_own_too() {
    let place = Place::with_workspace();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| place.ideation());
        }
    });
    let listed = place.json(&["loop", "list"]).result();
    let loops = listed["loops"].as_array().expect("loops");
    let slugs: std::collections::BTreeSet<_> = loops.iter().map(|l| l["slug"].as_str()).collect();
    assert_eq!(slugs.len(), 6);
}

#[test]
fn a_profile_that_is_not_there_is_warned_about_when_it_is_named() {
    let place = Place::with_workspace();
    let open = ["loop", "open", "--kind", "ideation", "--title", "x", "--slot", "critic=a@nope"];
    let opened = place.json(&open);
    assert!(warned(&opened.object(), "\"nope\""), "{opened:?}");
    let id = text(&opened.result()["id"]);
    let added = place.json(&["loop", "amend", &id, "--add-slot", "critic=b@nada"]);
    assert!(warned(&added.object(), "\"nada\""), "{added:?}");
    let known = place.json(&["loop", "amend", &id, "--add-slot", "critic=c@pessimist"]);
    assert!(!warned(&known.object(), "pessimist"), "{known:?}");
}

#[test]
fn what_was_put_away_is_not_called_closed() {
    let place = Place::with_workspace();
    let id = place.ideation();
    place.json(&["loop", "archive", &id]).result();
    let page = place.run(&["status"]).stdout;
    assert!(page.contains("1 archived") && !page.contains("closed earlier"), "{page}");
    assert_eq!(place.json(&["status"]).result()["counts"]["archived"], 1);
}

#[test]
fn what_a_protocol_leaves_unset_is_null() {
    let place = Place::with_workspace();
    let args = ["loop", "open", "--kind", "review", "--title", "x"];
    let protocol = place.json(&args).result()["protocol"].clone();
    for field in ["iteration", "verify", "preset", "max_pause_duration"] {
        assert_eq!(protocol.get(field), Some(&json!(null)), "{field}");
    }
    assert_eq!(
        (&protocol["require_coverage"], &protocol["review_mode"]),
        (&json!(false), &json!("asymmetric"))
    );
}

#[test]
fn a_kind_of_event_that_there_is_not_is_bad_usage() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let run = place.run(&["loop", "log", &id, "--kind", "nope"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.contains("artifact_added"), "names those there are: {run:?}");
    assert_eq!(place.json(&["loop", "log", &id, "--kind", "opened"]).result()["total"], 1);
}

#[test]
fn a_page_of_nothing_has_no_next_page() {
    let place = Place::with_workspace();
    place.ideation();
    let listed = place.json(&["loop", "list", "--limit", "0"]).result();
    assert_eq!((&listed["total"], &listed["next_offset"]), (&json!(1), &json!(null)));
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
