//! The forms of results, verb by verb.

use serde_json::{Value, json};

use crate::support::{Place, text};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn verbs_on_a_loop_give_the_loop() {
    let place = Place::with_workspace();
    let id = place.ideation();
    for args in [
        &["loop", "show", &id][..],
        &["loop", "amend", &id, "--title", "Another", "--goal", "g", "--max-rounds", "4"],
        &["loop", "link", &id, "--plan", "pln_00000000"],
        &["loop", "pause", &id],
        &["loop", "resume", &id],
        &["loop", "advance", &id],
        &["loop", "close", &id, "--status", "blocked", "--reason", "r"],
        &["loop", "reopen", &id, "--reason", "r", "--rounds", "2"],
    ] {
        let state = place.json(args).result();
        assert_eq!(state["id"], id.as_str(), "{args:?}");
        for key in ["schema_version", "version", "status", "current_phase", "round", "attention"] {
            assert!(state.get(key).is_some(), "{args:?} lacks {key}");
        }
        for hidden in ["index", "ledger", "stop_floor"] {
            assert_eq!(state.get(hidden), None, "{args:?} shows {hidden}");
        }
    }
}

#[test]
fn verbs_that_file_artifacts_name_them() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let critique = place.add(&id, "critique", "one");
    let superseded = place.json(&["loop", "supersede", &id, &critique, "--body", "two"]).result();
    assert_eq!(keys(&superseded), ["loop", "artifact_ids"]);
    let newer = text(&superseded["artifact_ids"][0]);
    place.json(&["loop", "retract", &id, &newer, "--reason", "no"]).result();
    let turn = place.json(&["loop", "turn", &id, "--role", "champion"]).result();
    assert_eq!(keys(&turn), ["loop", "turn_id", "slot_id"]);
    let done = place
        .json(&[
            "loop",
            "complete",
            &id,
            "--slot",
            "champion",
            "--type",
            "critique",
            "--body",
            "a",
            "--subtype",
            "coverage_gap",
            "--type",
            "critic_signal",
        ])
        .result();
    assert_eq!(done["artifact_ids"].as_array().map(Vec::len), Some(2));
    let other = place.add(&id, "critique", "three");
    let waived = place.json(&["loop", "waive", &id, &other, "--reason", "not ours"]).result();
    assert_eq!(waived["id"], id.as_str());
    let coverage = place.json(&["loop", "coverage", &id]).result();
    let states: Vec<_> =
        coverage["critiques"].as_array().expect("rows").iter().map(|c| text(&c["state"])).collect();
    assert_eq!(states, ["open", "waived"]);
}

#[test]
fn an_artifact_may_stand_for_a_file_or_be_filed_again() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let path = place.file("notes/plan.md", "the plan\n");
    let add =
        |args: &[&str]| place.json(&[&["loop", "add", &id, "--type", "proposal"], args].concat());
    let added = add(&["--ref", path.to_str().expect("a path in UTF-8")]).result();
    let head = added["loop"]["artifacts"].as_array().and_then(|a| a.last()).cloned();
    let head = head.expect("an artifact");
    assert_eq!(head["ref"]["ref"], "notes/plan.md");
    assert_eq!((&head["usable"], &head["ref"]["byte_count"]), (&json!(true), &json!(9)));
    add(&["--ref", "missing.md"]).error("invalid_ref", 2);
    add(&["--ref", "/etc/hostname"]).error("invalid_ref", 2);
    let first = place.add(&id, "proposal", "said once");
    let again = add(&["--from", &first[..9]]).result();
    let shown =
        place.json(&["loop", "show", &id, "--artifact", &text(&again["artifact_id"])]).result();
    assert_eq!(
        (&shown["artifact"]["body"], &shown["artifact"]["source"]),
        (&json!("said once"), &json!(first))
    );
    add(&["--from", &first, "--body", "both"]).error("usage", 2);
    add(&[]).error("invalid_body", 2);
}

#[test]
fn lists_are_cut_and_say_where_they_go_on() {
    let place = Place::with_workspace();
    for n in 0..5 {
        let title = format!("Loop {n}");
        place.json(&["loop", "open", "--kind", "research", "--title", &title]).result();
    }
    place.ideation();
    let page = place.json(&["loop", "list", "--limit", "4"]).result();
    assert_eq!(page["loops"].as_array().map(Vec::len), Some(4));
    assert_eq!((&page["total"], &page["next_offset"]), (&json!(6), &json!(4)));
    let rest = place.json(&["loop", "list", "--limit", "4", "--offset", "4"]).result();
    assert_eq!(rest["loops"].as_array().map(Vec::len), Some(2));
    assert_eq!(rest["next_offset"], json!(null));
    assert_eq!(place.json(&["loop", "list", "--kind", "ideation"]).result()["total"], 1);
    assert_eq!(place.json(&["loop", "list", "--status", "blocked"]).result()["total"], 0);
    place.json(&["loop", "list", "--assigned-to", "me"]).error("invalid_assigned_to", 2);
}

#[test]
fn loops_are_found_by_the_agent_of_a_slot() {
    let place = Place::with_workspace();
    place.ideation();
    let args = ["loop", "open", "--kind", "debug", "--title", "x", "--slot", "fixer=atlas"];
    let id = place.json(&args).result()["id"].clone();
    for (who, actor) in [("atlas", "operator"), ("agent:atlas", "operator"), ("me", "agent:atlas")]
    {
        let found = place.json(&["loop", "list", "--assigned-to", who, "--actor", actor]).result();
        assert_eq!((&found["total"], &found["loops"][0]["id"]), (&json!(1), &id), "{who}");
    }
}

#[test]
fn loops_closed_long_ago_are_folded_away() {
    let place = Place::with_workspace();
    let id = place.ideation();
    place.json(&["loop", "close", &id, "--status", "completed"]).result();
    let later = |args: &[&str]| {
        let at = chrono::Utc::now() + chrono::Duration::days(15);
        let mut command = place.command(args);
        let output = command.env("LOOPDECK_NOW", at.to_rfc3339()).output().expect("it runs");
        let object: Value = serde_json::from_slice(&output.stdout).expect("one object");
        object["result"]["total"].clone()
    };
    assert_eq!(place.json(&["loop", "list"]).result()["total"], 1);
    assert_eq!(later(&["loop", "list", "--json"]), 0);
    assert_eq!(later(&["loop", "list", "--json", "--all"]), 1);
    assert_eq!(later(&["loop", "list", "--json", "--status", "completed"]), 1);
}

#[test]
fn the_log_is_filtered_and_counted() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    place.add(&id, "critique", "one");
    let log = place.json(&["loop", "log", &id]).result();
    assert_eq!(keys(&log), ["events", "total"]);
    let events = log["events"].as_array().expect("events");
    assert_eq!(events[0]["kind"], "opened");
    assert_eq!(log["total"], events.len());
    for key in ["seq", "kind", "at", "by"] {
        assert!(events[0].get(key).is_some(), "{key}");
    }
    let one = place.json(&["loop", "log", &id, "--limit", "1", "--by", "operator"]).result();
    assert_eq!(one["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["total"], log["total"]);
    let none = place.json(&["loop", "log", &id, "--by", "agent:nobody"]).result();
    assert_eq!(none["total"], 0);
}

#[test]
fn memory_items_are_filed_changed_found_and_set_aside() {
    let place = Place::with_workspace();
    let added = place
        .json(&[
            "memory",
            "add",
            "--category",
            "traps",
            "--title",
            "Кэш не сбрасывается",
            "--text",
            "После деплоя кэш старый.",
            "--tag",
            "cache",
            "--path",
            "src/**",
            "--source",
            "me",
        ])
        .result();
    let id = text(&added["id"]);
    assert!(id.starts_with("trp_"));
    let shown = place.json(&["memory", "show", &id[..9]]).result();
    assert_eq!((&shown["tags"], &shown["source"]), (&json!(["cache"]), &json!("me")));
    let edited = place.json(&["memory", "edit", &id, "--text", "Neuer Text: café"]).result();
    assert_eq!((&edited["title"], &edited["text"]), (&shown["title"], &json!("Neuer Text: café")));
    for words in ["cafe", "КЭШ"] {
        let found = place.json(&["memory", "search", words]).result();
        assert_eq!((&found["total"], &found["items"][0]["id"]), (&json!(1), &json!(id)), "{words}");
    }
    let listed = place.json(&["memory", "list", "--category", "decisions"]).result();
    assert_eq!(listed, json!({"items": [], "total": 0, "next_offset": null}));
    assert_eq!(place.json(&["memory", "rm", &id]).result()["id"], id.as_str());
    place.json(&["memory", "show", &id]).error("item_not_found", 3);
    place
        .json(&["memory", "add", "--category", "x", "--title", "t", "--text", "t"])
        .error("invalid_category", 2);
}

#[test]
fn importing_can_be_rehearsed() {
    let place = Place::with_workspace();
    place.file("notes.md", "# One thing\n\ntext\n\n# Another thing\n\ntext\n");
    let args = ["memory", "import", "notes.md", "--category", "traps"];
    let dry = place.json(&[&args[..], &["--dry-run"]].concat()).result();
    assert_eq!((&dry["total"], dry["imported"].as_array().map(Vec::len)), (&json!(2), Some(2)));
    assert_eq!(place.json(&["memory", "list"]).result()["total"], 0);
    let real = place.json(&args).result();
    assert_eq!(real["imported"].as_array().map(Vec::len), Some(2));
    assert_eq!(place.json(&["memory", "list"]).result()["total"], 2);
}
