//! Repeats, conflicts and refusals: what is written and what is answered.

mod fixture;

use std::fs;

use fixture::{Workspace, add, advance, pause, requested, run};
use loopdeck::core::loops::Command;
use loopdeck::core::loops::command::{Content, NewArtifact};
use loopdeck::core::loops::protocol::Kind;
use loopdeck::engine::{OpenRequest, Options, Write};

fn expecting(version: u64) -> Write {
    Write { expected_version: Some(version), ..Write::operator() }
}

#[test]
fn the_same_request_is_answered_again_without_doing_it_again() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let write = requested("request 1");
    let first = workspace.engine.execute(&id, add("note", "once"), &write).expect("carried out");
    assert!(!first.replayed);
    run(&workspace.engine, &id, pause("something else"));
    let text = workspace.journal_text(&id);
    // By this engine, by another, and by one that has lost the derived index.
    for round in 0..3 {
        if round == 2 {
            fs::remove_dir_all(workspace.root.join(".loopdeck/requests")).expect("removed");
        }
        let engine = if round == 0 { workspace.engine.clone() } else { workspace.second() };
        let write = Write { expected_version: Some(1), ..write.clone() };
        let again = engine.execute(&id, add("note", "once"), &write).expect("answered");
        assert!(again.replayed && again.events.is_empty());
        assert_eq!(again.made.artifact_ids, first.made.artifact_ids);
        assert_eq!(again.state.version, first.state.version);
    }
    assert_eq!(workspace.journal_text(&id), text);
}

#[test]
fn a_repeated_advance_says_again_where_it_went() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let write = requested("go on");
    let first = workspace.engine.execute(&id, advance(), &write).expect("carried out");
    run(&workspace.engine, &id, add("critique", "later"));
    let again = workspace.second().execute(&id, advance(), &write).expect("answered");
    assert!(again.replayed && again.made.would.is_some());
    assert_eq!(again.made, first.made);
}

#[test]
fn a_request_id_for_another_command_is_refused() {
    let workspace = Workspace::new();
    let (id, other) = (workspace.open_loop(), workspace.open_loop());
    let write = requested("request 1");
    workspace.engine.execute(&id, add("note", "once"), &write).expect("carried out");
    for (id, command) in
        [(&id, add("note", "twice")), (&id, pause("x")), (&other, add("note", "once"))]
    {
        let refused = workspace.second().execute(id, command, &write).expect_err("reused");
        assert_eq!(refused.code(), "request_id_reused");
    }
    let mut open = OpenRequest::new(Kind::Research, "A question");
    open.goal = Some("Find out".to_owned());
    let refused = workspace.engine.open_loop(&open, &write).expect_err("reused");
    assert_eq!(refused.code(), "request_id_reused");
    assert_eq!(workspace.engine.list().expect("readable").loops.len(), 2);
}

#[test]
fn opening_twice_with_one_request_opens_once() {
    let workspace = Workspace::new();
    let mut open = OpenRequest::new(Kind::Ideation, "Once");
    open.proposal = Some("Do it once.".to_owned());
    let write = requested("open 1");
    let first = workspace.engine.open_loop(&open, &write).expect("opened");
    run(&workspace.engine, &first.state.id, add("note", "later"));
    let again = workspace.second().open_loop(&open, &write).expect("answered");
    assert!(again.replayed);
    assert_eq!((&again.state.id, again.state.version), (&first.state.id, first.state.version));
    assert_eq!(again.made.artifact_ids, first.made.artifact_ids);
    open.title = "Another".to_owned();
    let refused = workspace.engine.open_loop(&open, &write).expect_err("reused");
    assert_eq!(refused.code(), "request_id_reused");
    assert_eq!(workspace.engine.list().expect("readable").loops.len(), 1);
}

#[test]
fn a_refusal_may_be_tried_again_with_the_same_request() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let write = requested("go on");
    run(&workspace.engine, &id, advance());
    let refused = workspace.engine.execute(&id, advance(), &write).expect_err("the gate is shut");
    assert_eq!(refused.code(), "gate_unmet");
    for n in 0..3 {
        run(&workspace.engine, &id, add("critique", &format!("critique {n}")));
    }
    let done = workspace.engine.execute(&id, advance(), &write).expect("now it goes");
    assert!(!done.replayed);
    assert_eq!(&*done.state.current_phase, "revision");
}

#[test]
fn a_version_conflict_writes_nothing_but_its_record() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let seen = workspace.engine.load(&id).expect("readable").version;
    run(&workspace.second(), &id, add("note", "meanwhile"));
    let text = workspace.journal_text(&id);
    for expected in [seen, seen + 2] {
        let refused = workspace
            .engine
            .execute(&id, pause("on what I saw"), &expecting(expected))
            .expect_err("somebody was quicker");
        assert_eq!(refused.code(), "version_conflict");
        assert_eq!(refused.0.details["expected"], expected);
        assert_eq!(refused.0.details["actual"], seen + 1);
    }
    assert_eq!(workspace.journal_text(&id), text);
    let record = fs::read_to_string(workspace.loop_dir(&id).join("conflicts.jsonl"));
    assert_eq!(record.expect("recorded").lines().count(), 2);
    workspace.engine.execute(&id, pause("now"), &expecting(seen + 1)).expect("carried out");
}

#[test]
fn being_behind_by_refusals_alone_is_no_conflict() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let seen = run(&workspace.engine, &id, advance()).state.version;
    let refused = workspace.second().execute(&id, advance(), &Write::operator());
    assert_eq!(refused.expect_err("the gate is shut").code(), "gate_unmet");
    let now = workspace.engine.load(&id).expect("readable");
    assert_eq!(now.version, seen + 1, "the refusal is journaled");
    assert!(workspace.journal_text(&id).contains("phase_advance_blocked"));
    // Asking again does not make the journal grow.
    let again = workspace.engine.execute(&id, advance(), &Write::operator());
    assert_eq!(again.expect_err("still shut").code(), "gate_unmet");
    assert_eq!(workspace.engine.load(&id).expect("readable").version, seen + 1);
    let command = add("critique", "as I saw it");
    workspace.engine.execute(&id, command, &expecting(seen)).expect("no conflict");
}

#[test]
fn a_clock_that_went_back_repeats_the_last_time_and_says_so() {
    use loopdeck::core::time::Timestamp;
    use loopdeck::engine::{Clock, Engine};
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let last = workspace.engine.load(&id).expect("readable").updated_at;
    let clock = Clock::new(|| Timestamp::from_millis(1_000_000_000_000));
    let options = Options {
        workspace: Some(workspace.root.clone()),
        clock: Some(clock),
        ..Options::default()
    };
    let engine = Engine::open(options).expect("a workspace");
    let done = run(&engine, &id, pause("in the past"));
    assert_eq!(done.state.updated_at, last);
    assert_eq!(done.events[0].at, last);
    assert!(done.warnings.iter().any(|w| w.contains("clock went back")), "{:?}", done.warnings);
}

#[test]
fn with_a_seed_two_runs_of_separate_processes_make_the_same_ids() {
    use loopdeck::engine::{Engine, InitOptions};
    let play = || {
        let dir = tempfile::tempdir().expect("temporary folder");
        Engine::init(dir.path(), InitOptions::default()).expect("made");
        let open = || {
            let options = Options {
                workspace: Some(dir.path().to_owned()),
                seed: Some(7),
                ..Options::default()
            };
            Engine::open(options).expect("a workspace")
        };
        let mut ids = Vec::new();
        for _ in 0..2 {
            // The same title again: the id that is taken moves on.
            let request = OpenRequest::new(Kind::Ideation, "The same");
            let id =
                open().open_loop(&request, &Write::operator()).expect("opened").state.id.clone();
            for n in 0..2 {
                let done = run(&open(), &id, add("note", &format!("note {n}")));
                ids.push(done.made.artifact_ids[0].to_string());
            }
            ids.push(id.to_string());
        }
        ids
    };
    let (one, two) = (play(), play());
    assert_eq!(one, two);
    let different: std::collections::BTreeSet<&String> = one.iter().collect();
    assert_eq!(different.len(), one.len());
}

#[test]
fn a_dry_run_says_what_the_real_one_does_and_writes_nothing() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let before = workspace.files();
    let long = "x".repeat(10_000);
    let decision =
        workspace.engine.preview(&id, add("note", &long), &Write::operator()).expect("foreseen");
    assert!(decision.refusal.is_none());
    let would = workspace.engine.preview(&id, advance(), &Write::operator()).expect("foreseen");
    assert_eq!(before, workspace.files());
    let done = run(&workspace.engine, &id, advance());
    let would = would.made.would.expect("it advances");
    assert_eq!(*would.target, *done.state.current_phase);
    let shut = workspace.engine.preview(&id, Command::Resume, &Write::operator());
    assert_eq!(shut.expect("foreseen").refusal.expect("refused").code, "not_paused");
}

#[test]
fn what_only_adds_goes_well_with_what_others_add_until_it_would_mean_something_else() {
    let workspace = Workspace::new();
    let (mine, others) = (&workspace.engine, workspace.second());
    let id = workspace.open_loop();
    let seen = run(mine, &id, advance()).state.version;
    // Others write without pause: what was seen is always older than what is there.
    for n in 0..5 {
        run(&others, &id, add("note", &format!("others {n}")));
        let done =
            mine.execute_beside(&id, add("critique", &format!("mine {n}")), &expecting(seen));
        let done = done.expect("it means the same");
        assert_eq!(&*done.state.artifacts.last().expect("filed").phase, "critique");
    }
    // Commands that decide something are on what was seen, as ever.
    let refused = mine.execute_beside(&id, pause("on what I saw"), &expecting(seen));
    assert_eq!(refused.expect_err("it has passed").code(), "version_conflict");
    // The loop went on: a text would land in another phase.
    let seen = mine.load(&id).expect("readable").version;
    run(&others, &id, advance());
    let text = workspace.journal_text(&id);
    let refused = mine.execute_beside(&id, add("critique", "late"), &expecting(seen));
    let refused = refused.expect_err("another phase");
    assert_eq!(
        (refused.code(), &refused.0.details["expected"]),
        ("version_conflict", &seen.into())
    );
    assert_eq!(workspace.journal_text(&id), text);
    let mut there = NewArtifact {
        artifact_type: "critique".to_owned(),
        content: Content::Body("late".into()),
        ..NewArtifact::default()
    };
    (there.phase, there.round) = (Some("critique".to_owned()), Some(1));
    let done = mine.execute_beside(&id, Command::AddArtifact(there), &expecting(seen));
    assert_eq!(
        &*done.expect("it says where").state.artifacts.last().expect("filed").phase,
        "critique"
    );
}

#[test]
fn what_would_close_a_loop_that_it_did_not_close_when_it_was_seen_is_asked_again() {
    let workspace = Workspace::new();
    let (mine, others) = (&workspace.engine, workspace.second());
    let mut open = OpenRequest::new(Kind::Ideation, "Ends with its second note");
    open.proposal = Some("Do it.".to_owned());
    let stop = r#"{"kind":"min_artifacts_by_type","type":"note","n":2,"scope":"loop"}"#;
    open.stop = Some(serde_json::from_str(stop).expect("a condition"));
    let id = mine.open_loop(&open, &Write::operator()).expect("opened").state.id.clone();
    let seen = mine.load(&id).expect("readable").version;
    run(&others, &id, add("note", "the first"));
    let refused = mine.execute_beside(&id, add("note", "mine"), &expecting(seen));
    assert_eq!(refused.expect_err("it would close the loop").code(), "version_conflict");
    let seen = mine.load(&id).expect("readable").version;
    let done = mine.execute_beside(&id, add("note", "mine"), &expecting(seen)).expect("seen");
    assert!(done.state.status.is_closed());
}
