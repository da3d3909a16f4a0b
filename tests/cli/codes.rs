//! Codes and exit statuses, class by class, as the binary gives them.

use crate::support::{Place, text};

#[test]
fn no_workspace_says_how_to_make_one() {
    let place = Place::empty();
    for args in [&["status"][..], &["loop", "list"], &["memory", "list"], &[]] {
        let error = place.json(args).error("no_workspace", 3);
        let steps = error["next_steps"].to_string();
        assert!(steps.contains("loopdeck init") && steps.contains("loopdeck demo"), "{error:#}");
    }
    let spoken = place.run(&[]);
    assert_eq!((spoken.status, spoken.stdout.as_str()), (3, ""));
    assert!(spoken.stderr.contains("loopdeck init"), "{}", spoken.stderr);
    assert!(spoken.stderr.contains("loopdeck demo"), "{}", spoken.stderr);
}

#[test]
fn unknown_and_ambiguous_ids_are_told_apart() {
    let place = Place::with_workspace();
    let id = place.ideation();
    place.json(&["loop", "show", "lop_ffffffffffffffff"]).error("loop_not_found", 3);
    place.json(&["loop", "show", "no-such-slug"]).error("loop_not_found", 3);
    place.json(&["loop", "show", &id[..7]]).error("loop_not_found", 3);
    place
        .json(&["loop", "retract", &id, "art_ffffffffffff", "--reason", "x"])
        .error("unknown_artifact", 3);
    place.json(&["loop", "turn", &id, "--slot", "slt_ffffffff"]).error("slot_not_found", 3);
    place.json(&["loop", "turn", &id, "--role", "nobody"]).error("no_such_role", 3);
    place.json(&["memory", "show", "trp_ffffffff"]).error("item_not_found", 3);
    place
        .json(&["loop", "open", "--kind", "ideation", "--title", "x", "--preset", "nothing"])
        .error("unknown_preset", 3);
    place
        .json(&["loop", "open", "--kind", "debug", "--title", "x", "--preset", "bootstrap"])
        .error("preset_kind_mismatch", 2);
    place.json(&["loop", "advance", &id, "--to", "nowhere"]).error("unknown_phase", 3);
}

#[test]
fn a_beginning_that_several_ids_share_is_ambiguous() {
    let place = Place::with_workspace();
    let id = place.ideation();
    // The folder of a loop is named by its id: another of the same beginning.
    let loops = place.root().join(".loopdeck/loops");
    let last = if id.ends_with('0') { '1' } else { '0' };
    let second = format!("{}{last}", &id[..id.len() - 1]);
    std::fs::create_dir(loops.join(&second)).expect("a folder");
    let journal = std::fs::read_to_string(loops.join(&id).join("journal.jsonl")).expect("readable");
    std::fs::write(loops.join(&second).join("journal.jsonl"), journal.replace(&id, &second))
        .expect("written");
    let error = place.json(&["loop", "show", &id[..12]]).error("ambiguous_id", 3);
    let told = error.to_string();
    assert!(told.contains(&id) && told.contains(&second), "names the candidates: {error:#}");
}

#[test]
fn a_loop_answers_to_its_slug_and_to_any_unique_beginning() {
    let place = Place::with_workspace();
    let id = place.ideation();
    for name in ["extract-the-dispatcher", &id[..8], &id[4..8], &id[4..], &id] {
        assert_eq!(place.json(&["loop", "show", name]).result()["id"], id.as_str(), "{name}");
    }
    let artifact = place.add(&id, "proposal", "Another way.");
    let shown = place.json(&["loop", "show", &id, "--artifact", &artifact[4..9]]).result();
    assert_eq!(shown["artifact"]["artifact_id"], artifact.as_str());
    assert_eq!(shown["artifact"]["body"], "Another way.");
}

#[test]
fn rules_refuse_with_status_1() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    place.json(&["loop", "resume", &id]).error("not_paused", 1);
    place.json(&["loop", "reopen", &id, "--reason", "x"]).error("not_closed", 1);
    place.json(&["loop", "advance", &id, "--force"]).error("reason_required", 1);
    place.json(&["loop", "close", &id, "--status", "cancelled"]).error("reason_required", 1);
    place.json(&["loop", "complete", &id, "--slot", "champion"]).error("no_turn", 1);
    place
        .json(&["loop", "add", &id, "--type", "x", "--phase", "synthesis", "--body", "b"])
        .error("phase_not_reached", 1);
    place.json(&["loop", "turn", &id, "--slot", "champion"]).result();
    place.json(&["loop", "turn", &id, "--slot", "champion"]).error("slot_busy", 1);
    place.json(&["loop", "pause", &id, "--reason", "lunch"]).result();
    place.json(&["loop", "advance", &id]).error("paused", 1);
    place.json(&["loop", "close", &id, "--status", "cancelled", "--reason", "x"]).result();
    place.json(&["loop", "pause", &id]).error("already_closed", 1);
}

#[test]
fn conflicts_have_status_4_and_repeats_are_harmless() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let version = place.json(&["loop", "show", &id]).result()["version"].to_string();
    let add = ["loop", "add", &id, "--type", "critique", "--body", "one"];
    place.json(&[&add[..], &["--expect-version", "1"]].concat()).error("version_conflict", 4);
    let right = [&add[..], &["--expect-version", &version, "--request-id", "r-1"]].concat();
    let first = place.json(&right).result();
    let again = place.json(&[&add[..], &["--request-id", "r-1"]].concat()).result();
    assert_eq!(again["artifact_id"], first["artifact_id"]);
    assert_eq!(again["replayed"], true);
    place
        .json(&["loop", "add", &id, "--type", "critique", "--body", "two", "--request-id", "r-1"])
        .error("request_id_reused", 4);
}

#[test]
fn damage_and_the_disk_have_status_5() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = place.root().join(".loopdeck/loops").join(&id).join("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).expect("a journal");
    std::fs::write(&journal, whole.replacen("\"v\":1", "\"v\":9", 1)).expect("a journal");
    let other = place.ideation();
    place.json(&["loop", "add", &id, "--type", "critique", "--body", "x"]).error("newer_format", 5);
    assert_eq!(place.json(&["loop", "show", &other]).result()["id"], other.as_str());
    place
        .json(&["loop", "add", &other, "--type", "x", "--body", "y", "--read-only"])
        .error("usage", 2);
    place
        .json(&["--read-only", "loop", "add", &other, "--type", "x", "--body", "y"])
        .error("read_only", 5);
}

#[test]
fn bad_usage_is_one_object_too() {
    let place = Place::with_workspace();
    let error = place.json(&["loop", "open", "--kind", "ideatoin", "--title", "x"]);
    let error = error.error("invalid_kind", 2);
    assert_eq!(error["details"]["suggestion"], "ideation");
    let error = place.json(&["loop", "open", "--titel", "x"]).error("usage", 2);
    assert!(text(&error["message"]).contains("--titel"), "{error:#}");
    place.json(&["loop"]).error("usage", 2);
    place.json(&["lop"]).error("usage", 2);
    place.json(&["loop", "show"]).error("usage", 2);
    place.run(&["--json"]).result();
    place.json(&["loop", "open", "--kind", "ideation", "--title", " "]).error("invalid_title", 2);
    place.json(&["loop", "list", "--limit", "few"]).error("invalid_limit", 2);
    place.json(&["status", "--actor", "engine"]).error("invalid_actor", 2);
    place.json(&["loop", "list", "--request-id", "x"]).error("usage", 2);
}
