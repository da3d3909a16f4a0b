//! Sessions under many processes, and under processes that are killed.

mod fixture;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::time::Duration;

use fixture::{Workspace, argument, child, child_engine};
use loopdeck::core::session::{ActionType, Amount, Outcome, SessionId};
use loopdeck::engine::{AttemptDraft, Engine, GapDraft, SessionDraft, Write};

fn start(engine: &Engine, max_attempts: u32) -> SessionId {
    let draft = SessionDraft {
        goal: "all tests pass".into(),
        max_attempts: Some(max_attempts),
        ..SessionDraft::default()
    };
    let done = engine.start_session(&draft, &Write::operator()).expect("started");
    done.session.session_id.clone()
}

fn attempt(text: String) -> AttemptDraft {
    AttemptDraft {
        outcome: Some(Outcome::Failure),
        gap: Some(GapDraft {
            metric_type: None,
            current_value: Amount::from(1_u32),
            target_value: None,
        }),
        ..AttemptDraft::new(ActionType::Test, text)
    }
}

fn told_session() -> SessionId {
    SessionId::parse(&argument("SESSION")).expect("an id")
}

#[test]
fn eight_processes_recording_at_once_lose_nothing() {
    let workspace = Workspace::new();
    let id = start(&workspace.engine, 1_000);
    let children: Vec<_> = (0..8)
        .map(|n| {
            let told = [("SESSION", id.as_str()), ("NAME", &n.to_string())];
            child("child_records_twenty", &workspace.root, &told)
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let session = workspace.second().session(&id).expect("whole");
    assert_eq!((session.attempts.len(), session.gap_history.len()), (160, 160));
    let ids: BTreeSet<_> = session.attempts.iter().map(|a| a.attempt_id.clone()).collect();
    let texts: BTreeSet<_> = session.attempts.iter().map(|a| &a.action_description).collect();
    assert_eq!((ids.len(), texts.len()), (160, 160));
    assert!(session.attempts.iter().all(|a| session.observation_of(a).is_some()));
    assert_eq!(session.transitions.len(), 1, "it became active once");
}

#[test]
#[ignore = "the part of another process"]
fn child_records_twenty() {
    let (engine, id, name) = (child_engine(), told_session(), argument("NAME"));
    for n in 0..20 {
        let draft = attempt(format!("attempt {n} of {name}"));
        engine.record_attempt(&id, &draft, &Write::operator()).expect("recorded");
    }
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_file_with_all_that_was_told() {
    let workspace = Workspace::new();
    let id = start(&workspace.engine, 100_000);
    let mut told = BTreeSet::new();
    for round in 0..12_u64 {
        let arguments = [("SESSION", id.as_str()), ("NAME", &round.to_string())];
        let mut process = child("child_records_until_killed", &workspace.root, &arguments);
        let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        // As many are told before the kill as the round says; then at once.
        let mut seen = 0;
        while seen <= round {
            let line = lines.next().expect("it goes on").expect("text");
            if let Some(text) = line.strip_prefix("recorded ") {
                told.insert(text.to_owned());
                seen += 1;
            }
        }
        std::thread::sleep(Duration::from_micros(137 * round));
        process.kill().expect("killed");
        process.wait().expect("gone");
        for line in lines.map_while(Result::ok) {
            told.extend(line.strip_prefix("recorded ").map(str::to_owned));
        }
        let session = workspace.second().session(&id).expect("whole");
        let held: BTreeSet<_> =
            session.attempts.iter().map(|a| a.action_description.clone()).collect();
        assert!(told.is_subset(&held), "what was told is there, round {round}");
        assert_eq!(session.observations.len(), session.attempts.len());
        assert_eq!(workspace.second().sessions().expect("listed").problems, []);
    }
    // And the next one works.
    let done = workspace.engine.record_attempt(&id, &attempt("last".into()), &Write::operator());
    assert!(done.is_ok(), "{done:?}");
}

#[test]
#[ignore = "the part of another process"]
fn child_records_until_killed() {
    let (engine, id, name) = (child_engine(), told_session(), argument("NAME"));
    for n in 0.. {
        let text = format!("attempt {n} of {name}");
        engine.record_attempt(&id, &attempt(text.clone()), &Write::operator()).expect("recorded");
        println!("recorded {text}");
    }
}
