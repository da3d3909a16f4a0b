//! Journals that were cut, edited or replaced: what still works, and what is said.

mod fixture;

use std::fs;

use fixture::{Workspace, add, advance, pause, run};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::engine::{Engine, LoopSummary, Problem, Write};

fn codes(problems: &[Problem]) -> Vec<&'static str> {
    problems.iter().map(|problem| problem.code).collect()
}

/// A loop with five commits.
fn loop_with_notes(workspace: &Workspace) -> LoopId {
    let id = workspace.open_loop();
    for n in 0..4 {
        run(&workspace.engine, &id, add("note", &format!("note {n}")));
    }
    id
}

/// Both a reader that saw the journal before and one that did not.
fn readers(workspace: &Workspace) -> [Engine; 2] {
    [workspace.engine.clone(), workspace.second()]
}

#[test]
fn cut_anywhere_in_its_last_line_the_loop_goes_on_from_the_commit_before() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    let whole = workspace.journal_text(&id);
    let last = whole.trim_end().rfind('\n').expect("several lines") + 1;
    for cut in (last..whole.len()).step_by(17).chain([whole.len() - 1]) {
        // What an interrupted write leaves: no summary knows of its commit.
        fs::remove_file(workspace.loop_dir(&id).join("summary.json")).expect("removed");
        fs::write(workspace.journal(&id), &whole[..cut]).expect("written");
        for engine in readers(&workspace) {
            assert_eq!(engine.load(&id).expect("readable").artifacts.len(), 4, "cut at {cut}");
            // It may be a writer at work: nothing is said yet.
            assert_eq!(codes(&engine.loop_problems(&id)), [""; 0], "cut at {cut}");
        }
        let done = run(&workspace.second(), &id, add("note", "after the cut"));
        assert_eq!(done.state.artifacts.len(), 5);
        let said = done.warnings.iter().any(|w| w.contains("set aside"));
        assert_eq!(said, cut > last, "cut at {cut}: {:?}", done.warnings);
        assert!(workspace.journal_text(&id).starts_with(&whole[..last]));
    }
    let aside = fs::read_dir(workspace.loop_dir(&id))
        .expect("listed")
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with("journal.tail-"))
        .count();
    assert!(aside > 5, "every tail is kept: {aside}");
}

#[test]
fn an_old_tail_is_reported_and_reading_leaves_it_alone() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    let text = workspace.journal_text(&id) + "{\"v\":1,\"first";
    fs::write(workspace.journal(&id), &text).expect("written");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let file = fs::File::options().write(true).open(workspace.journal(&id)).expect("opened");
    file.set_modified(long_ago).expect("set");
    let before = workspace.files();
    for engine in readers(&workspace) {
        assert_eq!(engine.load(&id).expect("readable").artifacts.len(), 5);
        assert_eq!(codes(&engine.loop_problems(&id)), ["tail"]);
        assert_eq!(codes(&engine.list().expect("readable").problems), ["tail"]);
        engine.why(&id).expect("readable");
    }
    assert_eq!(before, workspace.files(), "reading writes nothing");
}

#[test]
fn damage_in_the_middle_leaves_a_loop_that_can_be_read_up_to_there() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    let other = workspace.open_loop();
    workspace.edit_journal(&id, |lines| lines[2] = "{\"v\":1,oops".to_owned());
    for engine in readers(&workspace) {
        let state = engine.load(&id).expect("readable");
        assert_eq!(state.artifacts.len(), 2, "the proposal and the first note");
        let problems = engine.loop_problems(&id);
        assert_eq!(codes(&problems), ["damaged"]);
        assert!(problems[0].message.contains("line 3"), "{}", problems[0].message);
        let refused = engine.execute(&id, add("note", "no"), &Write::operator());
        let refused = refused.expect_err("read-only");
        assert_eq!(refused.code(), "damaged");
        assert!(refused.message().contains("line 3"), "{}", refused.message());
        // The rest works.
        let listing = engine.list().expect("readable");
        assert_eq!(listing.loops.len(), 2);
        assert_eq!(codes(&listing.problems), ["damaged"]);
        run(&engine, &other, add("note", "yes"));
    }
}

#[test]
fn a_damaged_first_line_hides_no_other_loop() {
    let workspace = Workspace::new();
    let (id, other) = (loop_with_notes(&workspace), workspace.open_loop());
    fs::write(workspace.journal(&id), "not a journal\n").expect("written");
    for engine in readers(&workspace) {
        assert_eq!(engine.load(&id).expect_err("unreadable").code(), "damaged");
        let listing = engine.list().expect("readable");
        let read_only = |l: &LoopSummary| (l.id.clone(), l.read_only.is_some());
        let mut listed: Vec<_> = listing.loops.iter().map(read_only).collect();
        listed.sort_by_key(|(one, _)| *one != id);
        assert_eq!(listed, [(id.clone(), true), (other.clone(), false)]);
        assert_eq!(codes(&listing.problems), ["damaged"]);
    }
    assert_eq!(fs::read_to_string(workspace.journal(&id)).expect("there"), "not a journal\n");
}

#[test]
fn what_a_newer_version_wrote_may_only_be_read() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    workspace.edit_journal(&id, |lines| {
        lines[3] = lines[3].replace("\"kind\":\"artifact_added\"", "\"kind\":\"teleported\"");
    });
    for engine in readers(&workspace) {
        assert_eq!(engine.load(&id).expect("readable").artifacts.len(), 3);
        assert_eq!(codes(&engine.loop_problems(&id)), ["newer_format"]);
        let refused = engine.execute(&id, advance(), &Write::operator()).expect_err("read-only");
        assert_eq!(refused.code(), "newer_format");
    }
}

#[test]
fn an_edited_journal_is_a_warning_and_the_loop_works_on() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    workspace.edit_journal(&id, |lines| lines[1] = lines[1].replace("note 0", "NOTE 0"));
    for engine in readers(&workspace) {
        let problems = engine.loop_problems(&id);
        assert_eq!(codes(&problems), ["chain"]);
        assert!(problems[0].message.contains("line 3"), "{}", problems[0].message);
    }
    let done = run(&workspace.engine, &id, pause("edited"));
    assert_eq!(&*done.state.artifacts[1].preview, "NOTE 0");
    assert_eq!(codes(&workspace.second().loop_problems(&id)), ["chain"]);
}

#[test]
fn an_editor_that_puts_another_file_in_place_is_followed() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    let engine = &workspace.engine;
    // The engine has the journal open; the editor writes anew and renames, with
    // other line ends and a byte order mark.
    let text = format!("\u{feff}{}", workspace.journal_text(&id).replace('\n', "\r\n"));
    let new = workspace.loop_dir(&id).join("journal.new");
    fs::write(&new, text).expect("written");
    fs::rename(&new, workspace.journal(&id)).expect("renamed");
    let done = run(engine, &id, add("note", "after the editor"));
    assert_eq!(done.state.artifacts.len(), 6);
    assert_eq!(*done.state, *workspace.second().load(&id).expect("readable"));
    assert_eq!(codes(&workspace.second().loop_problems(&id)), [""; 0]);
}

#[test]
fn a_snapshot_that_does_not_fit_is_ignored_and_made_anew() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    for n in 0..260 {
        run(&workspace.engine, &id, add("note", &format!("more {n}")));
    }
    let (root, files) = (workspace.root.clone(), workspace.loop_dir(&id));
    let snapshot = files.join("snapshot.json");
    let expected = (*workspace.engine.load(&id).expect("readable")).clone();
    // Dropping the last handle waits for the snapshot.
    let Workspace { engine, dir: _dir, .. } = workspace;
    drop(engine);
    let text = fs::read_to_string(&snapshot).expect("a snapshot every 256 commits");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(value["seq"].as_u64().is_some_and(|seq| seq >= 256), "{}", value["seq"]);

    let as_if_true = text.replace("note 1", "lies 1");
    assert_ne!(as_if_true, text);
    let broken = [
        text[..text.len() / 2].to_owned(),
        String::new(),
        "[]".to_owned(),
        as_if_true.replacen("\"fold\":", "\"fold\":9", 1),
        as_if_true.replacen("\"line_start\":", "\"line_start\":1", 1),
        as_if_true.replacen("\"line_sha256\":\"", "\"line_sha256\":\"00", 1),
    ];
    for text in broken {
        fs::write(&snapshot, text).expect("written");
        let engine = fixture::open(&root);
        assert_eq!(*engine.load(&id).expect("readable"), expected);
    }
    // One that fits is used: the lie in it is seen. (Only so is it known that
    // the cases above were refused for their faults.)
    fs::write(&snapshot, as_if_true).expect("written");
    let believed = fixture::open(&root).load(&id).expect("readable");
    assert_eq!(&*believed.artifacts[2].preview, "lies 1");
}

#[test]
fn the_rest_of_an_interrupted_opening_is_no_loop_and_in_nobodys_way() {
    let workspace = Workspace::new();
    let id = loop_with_notes(&workspace);
    let half = workspace.loop_dir(&id).with_file_name("lop_00000000000000aa");
    fs::create_dir(&half).expect("made");
    for journal in [None, Some(""), Some("{\"v\":1,\"first_seq\":1")] {
        if let Some(text) = journal {
            fs::write(half.join("journal.jsonl"), text).expect("written");
        }
        for engine in readers(&workspace) {
            let listing = engine.list().expect("readable");
            assert_eq!((listing.loops.len(), listing.problems.len()), (1, 0), "{journal:?}");
            let missing = LoopId::parse("lop_00000000000000aa").expect("an id");
            assert_eq!(engine.load(&missing).expect_err("no loop").code(), "loop_not_found");
            assert!(engine.resolve("lop_00000000000000aa").is_err(), "{journal:?}");
        }
    }
}

#[test]
fn a_store_that_went_away_is_not_taken_for_one_without_loops() {
    let workspace = Workspace::new();
    workspace.open_loop();
    let (store, away) = (workspace.root.join(".loopdeck"), workspace.root.join("away"));
    fs::rename(&store, &away).expect("moved");
    let error = workspace.engine.list().expect_err("it is gone");
    assert_eq!(error.code(), "io");
    assert!(error.message().contains(".loopdeck is gone"), "{}", error.message());
    fs::rename(&away, &store).expect("put back");
    assert_eq!(workspace.engine.list().expect("listed").loops.len(), 1);
}
