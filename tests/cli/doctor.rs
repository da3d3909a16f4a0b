//! `doctor`: what it finds in damaged stores, and what it mends.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Place, text};

fn loop_dir(place: &Place, id: &str) -> PathBuf {
    place.root().join(".loopdeck/loops").join(id)
}

/// The findings, whether there are errors among them or not.
fn findings(place: &Place, args: &[&str]) -> Vec<Value> {
    let object = place.json(&[&["doctor"], args].concat()).object();
    let found = match object["status"].as_str() {
        Some("ok") => &object["result"]["findings"],
        _ => &object["error"]["details"]["findings"],
    };
    found.as_array().unwrap_or_else(|| panic!("{object:#}")).clone()
}

fn codes(found: &[Value]) -> Vec<String> {
    let mut codes: Vec<String> = found.iter().map(|finding| text(&finding["code"])).collect();
    codes.sort();
    codes
}

fn make_old(path: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(7_200);
    let file = fs::File::open(path).expect("it is there");
    file.set_modified(long_ago).expect("its time is set");
}

#[test]
fn a_sound_workspace_is_well() {
    let place = Place::with_workspace();
    place.in_critique();
    assert_eq!(findings(&place, &[]), Vec::<Value>::new());
    let said = place.run(&["doctor"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stdout.contains("all is well: 1 loop, "), "{}", said.stdout);
}

#[test]
fn an_interrupted_write_is_found_and_moved_out_of_the_journal() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = loop_dir(&place, &id).join("journal.jsonl");
    let whole = fs::read(&journal).expect("a journal");
    fs::write(&journal, [&whole[..], b"{\"v\":1,\"first_s"].concat()).expect("written");
    assert_eq!(codes(&findings(&place, &[])), ["tail"]);
    assert_eq!(codes(&findings(&place, &["--repair", "--dry-run"])), ["tail"]);
    assert_ne!(fs::read(&journal).expect("a journal"), whole, "a dry run does nothing");
    let done = findings(&place, &["--repair"]);
    assert_eq!(done[0]["repaired"], true, "{done:#?}");
    assert_eq!(fs::read(&journal).expect("a journal"), whole);
    let beside = fs::read_dir(loop_dir(&place, &id)).expect("the folder").flatten();
    let kept = beside.filter(|e| e.file_name().to_string_lossy().starts_with("journal.tail-"));
    assert_eq!(kept.count(), 1, "nothing is deleted");
    assert_eq!(findings(&place, &[]), Vec::<Value>::new());
}

#[test]
fn an_edited_line_is_found_and_can_be_accepted() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = loop_dir(&place, &id).join("journal.jsonl");
    let edited = fs::read_to_string(&journal).expect("text").replacen("Move", "Mova", 1);
    fs::write(&journal, edited).expect("written");
    fs::remove_file(loop_dir(&place, &id).join("snapshot.json")).ok();
    let found = findings(&place, &["--repair"]);
    assert_eq!(codes(&found), ["chain"], "{found:#?}");
    assert_eq!(found[0]["repaired"], false, "a person says that it was meant");
    let accepted = findings(&place, &["--accept-edits"]);
    assert_eq!(accepted[0]["repaired"], true, "{accepted:#?}");
    assert_eq!(findings(&place, &[]), Vec::<Value>::new());
    let log = place.json(&["loop", "log", &id]).result();
    let last = log["events"].as_array().and_then(|all| all.last()).expect("an event").clone();
    assert_eq!(
        (text(&last["kind"]), text(&last["by"])),
        ("edits_accepted".into(), "operator".into())
    );
    let warnings = place.json(&["loop", "show", &id]).object()["warnings"].clone();
    assert_eq!(warnings, serde_json::json!([]), "nobody is warned any more");
}

#[test]
fn a_damaged_line_is_an_error_that_no_repair_touches() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = loop_dir(&place, &id).join("journal.jsonl");
    let mut lines: Vec<String> =
        fs::read_to_string(&journal).expect("text").lines().map(str::to_owned).collect();
    lines[1] = "<<<<<<< ours".to_owned();
    let damaged = lines.join("\n") + "\n";
    fs::write(&journal, &damaged).expect("written");
    let error = place.json(&["doctor", "--repair"]).error("damaged", 5);
    assert!(text(&error["message"]).contains("line 2"), "{error:#}");
    assert_eq!(fs::read_to_string(&journal).expect("text"), damaged);
    // What stands behind the line is there: nothing was taken away, nothing is accepted.
    let before = fs::read(loop_dir(&place, &id).join("summary.json")).expect("a summary");
    assert_eq!(codes(&findings(&place, &["--accept-edits"])), ["damaged"]);
    assert_eq!(fs::read(loop_dir(&place, &id).join("summary.json")).expect("kept"), before);
}

#[test]
fn a_copied_folder_is_an_error_and_no_second_loop() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let slug = text(&place.json(&["loop", "list"]).result()["loops"][0]["slug"]);
    let copy = loop_dir(&place, "lop_0123456789abcdef");
    fs::create_dir(&copy).expect("made");
    for name in ["journal.jsonl", "summary.json"] {
        fs::copy(loop_dir(&place, &id).join(name), copy.join(name)).expect("copied");
    }
    let listed = place.json(&["loop", "list"]);
    assert_eq!(listed.result()["total"], 1, "{listed:?}");
    assert!(listed.object()["warnings"].to_string().contains(&id), "{listed:?}");
    assert_eq!(place.json(&["loop", "show", &slug]).result()["id"], id.as_str());
    place.json(&["loop", "show", "lop_0123456789abcdef"]).error("damaged", 5);
    place.json(&["loop", "pause", "lop_0123456789abcdef"]).error("damaged", 5);
    let found = findings(&place, &[]);
    assert_eq!(codes(&found), ["misplaced"], "{found:?}");
    assert_eq!(found[0]["severity"], "error");
}

#[cfg(unix)]
#[test]
fn a_loop_that_nothing_can_write_to_is_found_and_listed_as_such() {
    use std::os::unix::fs::symlink;
    let place = Place::with_workspace();
    let id = place.in_critique();
    let dir = loop_dir(&place, &id);
    let (journal, lock) = (dir.join("journal.jsonl"), dir.join("journal.lock"));
    let (kept, other) = (dir.join("kept"), place.file("other", ""));
    type Put<'a> = &'a dyn Fn(&Path);
    let cases: [(&Path, Put<'_>, &str); 3] = [
        (&journal, &|at| symlink(&kept, at).expect("a link"), "its journal is a link"),
        (&lock, &|at| symlink(&other, at).expect("a link"), "its lock is a link"),
        (&lock, &|at| fs::create_dir(at).expect("made"), "its lock is no regular file"),
    ];
    for (path, put, why) in cases {
        fs::rename(path, &kept).expect("moved");
        put(path);
        let listed = place.json(&["loop", "list"]);
        let row = listed.result()["loops"][0].clone();
        assert_eq!((&row["attention"], &row["read_only"]), (&"stuck".into(), &why.into()));
        assert!(listed.object()["warnings"].to_string().contains(why), "{listed:?}");
        let steps = place.json(&["loop", "why", &id]).result()["next_steps"].clone();
        assert_eq!(steps.as_array().map(Vec::len), Some(1), "{steps:#}");
        assert_eq!(steps[0]["command"], "loopdeck doctor");
        let refused = place.json(&["loop", "pause", &id]).error("io", 5);
        assert_eq!(refused["next_steps"][0]["command"], "loopdeck doctor", "{refused:#}");
        assert!(text(&refused["message"]).contains(why), "{refused:#}");
        assert_eq!(codes(&findings(&place, &[])), ["unwritable"], "{why}");
        if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) }.expect("gone");
        fs::rename(&kept, path).expect("put back");
    }
    assert_eq!(codes(&findings(&place, &[])), [""; 0]);
    place.add(&id, "critique", "more");
}

#[test]
fn a_snapshot_that_lies_is_an_error_and_is_moved_aside() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    place.json(&["loop", "close", &id, "--status", "cancelled", "--reason", "enough"]).result();
    let snapshot = loop_dir(&place, &id).join("snapshot.json");
    let kept = fs::read_to_string(&snapshot).expect("closing a loop writes one");
    fs::write(&snapshot, kept.replace("Extract the dispatcher", "Extract the despatcher"))
        .expect("written");
    let found = findings(&place, &[]);
    assert_eq!(codes(&found), ["snapshot"], "{found:#?}");
    assert_eq!(found[0]["severity"], "error");
    findings(&place, &["--repair"]);
    assert!(!snapshot.exists());
    assert_eq!(codes(&findings(&place, &[])), ["quarantine"]);
    let title = place.json(&["loop", "show", &id]).result()["title"].clone();
    assert_eq!(title, "Extract the dispatcher");
}

#[test]
fn what_nobody_names_and_what_was_left_is_moved_once_it_is_old() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let folder = loop_dir(&place, &id).join("artifacts");
    fs::create_dir_all(&folder).expect("a folder");
    let orphan = folder.join("0".repeat(64));
    fs::write(&orphan, "nobody's").expect("written");
    assert_eq!(findings(&place, &[]), Vec::<Value>::new(), "a writer may be at work");
    make_old(&orphan);
    let unopened = loop_dir(&place, "lop_0123456789abcdef");
    fs::create_dir_all(&unopened).expect("a folder");
    make_old(&unopened);
    assert_eq!(codes(&findings(&place, &[])), ["orphan", "orphan"]);
    let done = findings(&place, &["--repair"]);
    assert!(done.iter().all(|f| f["repaired"] == true || f["severity"] == "info"), "{done:#?}");
    assert!(!orphan.exists() && !unopened.exists());
    let kept = fs::read_dir(place.root().join(".loopdeck/quarantine")).expect("it is kept");
    assert_eq!(kept.count(), 2);
}

/// A loop whose journal can't be judged and whose summary is gone as well.
#[test]
fn what_may_hold_a_commit_is_never_taken_for_an_interrupted_opening() {
    let damages: [fn(&Path, &str); 5] = [
        // The line feed of the only commit is gone.
        |folder, line| fs::write(folder.join("journal.jsonl"), line.trim_end()).expect("written"),
        |folder, line| fs::write(folder.join("journal.jsonl"), &line[9..40]).expect("written"),
        |folder, line| {
            fs::write(folder.join("journal.jsonl"), vec![0; line.len()]).expect("written");
        },
        |folder, line| {
            fs::rename(folder.join("journal.jsonl"), folder.join("journal (copy).jsonl"))
                .expect("moved");
            assert!(!line.is_empty());
        },
        |folder, line| {
            fs::remove_file(folder.join("journal.jsonl")).expect("removed");
            fs::write(folder.join("snapshot.json"), line).expect("written");
        },
    ];
    for (nth, damage) in damages.iter().enumerate() {
        let place = Place::with_workspace();
        place.in_critique();
        let open = ["loop", "open", "--kind", "ideation", "--title", "Two", "--proposal", "P"];
        let id = place.json(&open).result()["id"].as_str().expect("an id").to_owned();
        let folder = loop_dir(&place, &id);
        let text = fs::read_to_string(folder.join("journal.jsonl")).expect("there");
        let first = text.split_inclusive('\n').next().expect("a line").to_owned();
        fs::remove_file(folder.join("summary.json")).expect("removed");
        damage(&folder, &first);
        make_old(&folder);
        let found = findings(&place, &[]);
        assert_eq!(codes(&found), ["damaged"], "{nth}: {found:#?}");
        assert_eq!(found[0]["severity"], "error");
        let list = place.json(&["status"]);
        let said = list.result()["problems"].to_string();
        assert!(said.contains(&id) && said.contains("left alone"), "{nth}: {said}");
        // Opening a loop sweeps, and a repair moves what is safe.
        place
            .json(&["loop", "open", "--kind", "ideation", "--title", "Three", "--proposal", "P"])
            .result();
        findings(&place, &["--repair"]);
        assert!(folder.is_dir(), "{nth}");
        assert!(!place.root().join(".loopdeck/quarantine").exists(), "{nth}");
    }
}

/// Approvals are the person's: what is spoilt is told, approves nothing, and is moved
/// within the person's own folder.
#[test]
fn spoilt_files_of_the_person_are_told_and_moved_in_their_own_folder() {
    let place = Place::with_workspace();
    let state = place.state();
    fs::create_dir_all(state.join("drafts")).expect("made");
    fs::write(state.join("approvals.json"), "{\"schema_version\": 1,\n nothing").expect("written");
    place.write_config("keys.toml", "[gate]\nnothing = \"x\"\n");
    let found = findings(&place, &[]);
    assert_eq!(codes(&found), ["damaged", "invalid_setting"], "{found:#?}");
    let said = found[0]["message"].as_str().expect("words");
    assert!(said.contains("approvals.json is damaged at line 2, column 2"), "{said}");
    assert!(said.contains("nothing counts as approved"), "{said}");
    let said = place.json(&["status"]).result()["problems"].to_string();
    assert!(said.contains("approvals.json"), "{said}");
    let done = findings(&place, &["--repair"]);
    let moved = done.iter().find(|f| f["code"] == "damaged").expect("a finding");
    assert_eq!(moved["repaired"], true, "{moved}");
    let to = moved["moved_to"].as_str().expect("a place").to_owned();
    assert!(Path::new(&to).starts_with(&state), "{to}");
    assert_eq!(codes(&findings(&place, &[])), ["invalid_setting"]);
}

#[test]
fn what_interrupted_writes_left_is_found_in_every_store() {
    let place = Place::with_workspace();
    let folders = [
        ".keysarium/insights",
        ".keysarium/memory/billing/case-1",
        ".keysarium/memory/_stats",
        ".whetstone/sessions",
        ".loopdeck/memory/traps",
    ];
    let left: Vec<_> = folders.map(|dir| format!("{dir}/.loopdeck-tmp-0123456789ab")).into();
    for file in &left {
        place.file(file, "half of it");
    }
    assert_eq!(findings(&place, &[]), Vec::<Value>::new(), "a writer may be at work");
    for file in &left {
        make_old(&place.root().join(file));
    }
    assert_eq!(codes(&findings(&place, &[])), ["leftover"; 5]);
    findings(&place, &["--repair"]);
    assert!(left.iter().all(|file| !place.root().join(file).exists()));
    assert_eq!(codes(&findings(&place, &[])), ["quarantine"]);
}

#[test]
fn what_is_left_beside_sessions_and_dreams_goes_with_the_next_loop_that_is_opened() {
    let place = Place::with_workspace();
    for folder in [".keysarium/insights", ".whetstone/sessions", ".loopdeck/memory/traps"] {
        let left = format!("{folder}/.loopdeck-tmp-0123456789ab");
        place.file(&left, "half of it");
        make_old(&place.root().join(&left));
    }
    place.in_critique();
    assert_eq!(findings(&place, &[]), Vec::<Value>::new());
}

#[test]
fn a_journal_whose_end_was_taken_away_is_an_error() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = loop_dir(&place, &id).join("journal.jsonl");
    let whole = fs::read_to_string(&journal).expect("text");
    let last = whole.trim_end().rfind('\n').expect("several lines");
    fs::write(&journal, &whole[..=last]).expect("written");
    assert_eq!(codes(&findings(&place, &[])), ["shortened"]);
    // It is listed as what may only be read, and nothing is written after it.
    let listed = place.json(&["loop", "list"]).result()["loops"][0].clone();
    assert_eq!(listed["attention"], "stuck", "{listed:#}");
    assert_eq!(listed["read_only"], "its journal ends at event 2", "{listed:#}");
    let refused = place.json(&["loop", "add", &id, "--type", "critique", "--body", "more"]);
    let steps = refused.error("damaged", 5)["next_steps"].clone();
    assert_eq!(steps[0]["command"], "loopdeck doctor", "{steps:#}");
    assert!(!fs::read_to_string(&journal).expect("text").contains("more"));
    // Somebody may mean it so.
    assert_eq!(codes(&findings(&place, &["--repair"])), ["shortened"]);
    let found = findings(&place, &["--accept-edits"]);
    assert!(found[0]["moved_to"].as_str().expect("moved").contains("quarantine"), "{found:?}");
    place.add(&id, "critique", "more");
    let listed = place.json(&["loop", "list"]).result()["loops"][0].clone();
    assert_eq!(listed["read_only"], serde_json::json!(null), "{listed:#}");
}

#[test]
fn a_loop_whose_journal_was_taken_away_stays_in_every_list() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = loop_dir(&place, &id).join("journal.jsonl");
    let whole = fs::read_to_string(&journal).expect("text");
    let slug = place.json(&["loop", "list"]).result()["loops"][0]["slug"].clone();
    let slug = slug.as_str().expect("a slug");
    let cases = [
        (Some(""), "its journal is empty"),
        (Some("{\"v\":1,\"first_seq\":1"), "its journal holds no whole commit"),
        (Some("{\"v\":1,\n"), "its journal holds no whole commit"),
        (None, "its journal is gone"),
        (Some("folder"), "its journal is no regular file"),
    ];
    for (text, why) in cases {
        match text {
            Some("folder") => fs::create_dir(&journal).expect("made"),
            Some(text) => fs::write(&journal, text).expect("written"),
            None => fs::remove_file(&journal).expect("removed"),
        }
        let listed = place.json(&["loop", "list"]).result()["loops"][0].clone();
        assert_eq!((&listed["id"], &listed["slug"]), (&id.as_str().into(), &slug.into()));
        assert_eq!((&listed["attention"], &listed["read_only"]), (&"stuck".into(), &why.into()));
        let page = place.run(&["status"]).stdout;
        assert!(page.contains(&format!("{why}, may only be read")), "{page}");
        for args in [&["loop", "show", slug][..], &["loop", "advance", slug], &["loop", "why", &id]]
        {
            place.json(args).error("damaged", 5);
        }
        assert!(!codes(&findings(&place, &["--repair"])).is_empty());
        assert!(loop_dir(&place, &id).exists(), "it is not taken for an interrupted opening");
    }
    fs::remove_dir(&journal).expect("gone");
    fs::write(&journal, &whole).expect("written");
    let listed = place.json(&["loop", "list"]).result()["loops"][0].clone();
    assert_eq!(listed["read_only"], serde_json::json!(null), "{listed:#}");
    place.add(&id, "critique", "more");
}

#[test]
fn a_body_that_is_gone_or_changed_is_an_error() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let long = "A long critique. ".repeat(400);
    place.json(&["loop", "add", &id, "--type", "critique", "--body", &long]).result();
    let folder = loop_dir(&place, &id).join("artifacts");
    let body = fs::read_dir(&folder).expect("a folder").flatten().next().expect("a body").path();
    fs::write(&body, long.replace("long", "lang")).expect("written");
    assert_eq!(codes(&findings(&place, &[])), ["missing_body"]);
    fs::remove_file(&body).expect("gone");
    place.json(&["doctor"]).error("damaged", 5);
}

#[test]
fn another_head_of_a_journal_is_diverged() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let folder = loop_dir(&place, &id);
    fs::copy(folder.join("journal.jsonl"), folder.join("journal (conflicted copy).jsonl"))
        .expect("a copy");
    assert_eq!(findings(&place, &[]), Vec::<Value>::new(), "the same head is no other");
    place.json(&["loop", "add", &id, "--type", "critique", "--body", "One more."]).result();
    let error = place.json(&["doctor"]).error("damaged", 5);
    assert!(text(&error["message"]).contains("another head"), "{error:#}");
}

#[test]
fn every_store_is_looked_at() {
    let place = Place::with_workspace();
    place.file(".loopdeck/memory/traps/trp_00000001.md", "+++\nno toml\n");
    place.file(".loopdeck/memory/gossip/x.md", "nothing");
    place.file(".loopdeck/config.toml", "lock_wait_ms = -1\n");
    place.file(".loopdeck/loops/notes.txt", "mine");
    place.file(".whetstone/sessions/2f0d8a52-6ce5-4c7f-9c55-2d3f0a6b1c11.json", "{");
    place.file(".keysarium/insights/dream-20260301-120000.json", "{");
    let found = codes(&findings(&place, &[]));
    for code in ["unknown_category", "invalid_setting", "not_a_loop", "damaged"] {
        assert!(found.iter().any(|c| c == code), "{code} in {found:?}");
    }
    assert_eq!(found.iter().filter(|c| *c == "damaged").count(), 3, "{found:?}");
}

#[test]
fn a_treatment_is_refused_where_nothing_may_be_written() {
    let place = Place::with_workspace();
    place.json(&["--read-only", "doctor", "--repair"]).error("read_only", 5);
    assert_eq!(place.json(&["--read-only", "doctor"]).result()["findings"], serde_json::json!([]));
}
