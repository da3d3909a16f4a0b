//! Seed step 1348: all of it together.

use super::*;
use crate::core::session::{Attempt, AttemptId, Gap, NewGap, Observation, ObservationId, Source};

#[test]
fn all_new_headers_constructable() {
    let at = "2026-03-01T12:00:00Z".parse().expect("a time");
    let session = Session::new(SessionId::random([1; 16]), "g", GoalType::Custom, at);
    let attempt = Attempt::new(AttemptId::random([2; 16]), session.session_id.clone(), at);
    let seen = Observation::new(ObservationId::random([3; 16]), Source::FileRead, "x");
    let gap = Gap::measured(NewGap::to_zero(MetricType::Custom, 1_u32), None);
    assert_eq!(attempt.session_id, session.session_id);
    assert!(!gap.converged && !seen.truncated);
}

#[test]
fn session_round_trip_end_to_end() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), Some(3));
    deck.record(&id, 3).expect("recorded");
    let done = deck.record(&id, 0).expect("recorded");
    assert_eq!(done.session.status, Status::Converged);
    let read = open(deck.dir.path(), None).session(&id).expect("there");
    assert_eq!(*read, *done.session);
    let course: Vec<_> = read.transitions.iter().map(|t| t.to.to_string()).collect();
    assert_eq!(course, ["active", "converged"]);
}

#[test]
fn state_machine_covers_all_transitions() {
    let deck = Deck::new();
    let mut seen = std::collections::BTreeSet::new();
    for end in ["converged", "cap", "given up", "failed"] {
        let id = deck.start(Some(GoalType::TestsPass), Some(2));
        deck.record(&id, 3).expect("recorded");
        let write = Write::operator();
        let done = match end {
            "converged" => deck.record(&id, 0),
            "cap" => deck.record(&id, 1),
            "given up" => deck.engine.escalate_session(&id, "no", &write),
            _ => {
                let id = deck.start(Some(GoalType::TestsPass), Some(2));
                let mut error = AttemptDraft::new(ActionType::Build, "b");
                error.recoverable = Some(false);
                deck.engine.record_attempt(&id, &error, &write)
            }
        };
        let done = done.expect("recorded");
        seen.extend(done.session.transitions.iter().map(|t| format!("{} {}", t.from, t.to)));
    }
    let all = ["active converged", "active escalated", "active failed", "pending active"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn sidecar_created_on_disk() {
    let deck = Deck::new();
    let id = deck.start(None, None);
    let folder = deck.dir.path().join(".whetstone/sessions");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("made")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let own = ["", ".lock", ".lock.info"].map(|end| format!("{id}.json{end}"));
    assert_eq!(names.remove(0), ".gitignore");
    assert_eq!(names, own);
}

#[test]
fn no_header_exceeds_600_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/core/session");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "rs") {
            files += 1;
            let lines = std::fs::read_to_string(&path).expect("UTF-8").lines().count();
            assert!(lines <= 600, "{} has {lines} lines", path.display());
        }
    }
    assert!(files >= 8, "{files}");
}

#[test]
fn deterministic_snapshots() {
    let text = same_every_time(|engine| {
        let write = Write::operator();
        let done = engine.start_session(&draft("all tests pass"), &write).expect("started");
        let id = done.session.session_id.clone();
        engine.record_attempt(&id, &told(3), &write).expect("recorded");
        let done = engine.escalate_session(&id, "no key", &write).expect("given up");
        serde_json::to_string_pretty(&*done.session).expect("written")
    });
    insta::assert_snapshot!("session_file", text);
}

#[test]
fn full_prior_regression_passes() {
    // A file as the first version wrote it, and one as another program writes
    // them: both are read, and written back to the byte.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sessions");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let session: Session = serde_json::from_str(&text).expect("a session");
        assert_eq!(crate::store::sidecar::render(&session), text, "{}", path.display());
        files += 1;
    }
    assert_eq!(files, 2);
}

#[test]
fn unknown_words_and_fields_of_another_program_survive_a_record() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.record(&id, 3).expect("recorded");
    let path = deck.dir.path().join(format!(".whetstone/sessions/{id}.json"));
    let text = std::fs::read_to_string(&path).expect("there");
    let text = text
        .replacen("\"action_type\": \"test\"", "\"action_type\": \"meditate\"", 1)
        .replacen("\"recoverable\": true", "\"recoverable\": true,\n      \"mood\": 1.50", 1)
        .replacen("\"goal_type\": \"tests_pass\"", "\"goal_type\": \"zero_lints\"", 1);
    std::fs::write(&path, text).expect("written");
    deck.record(&id, 2).expect("recorded");
    let after = std::fs::read_to_string(&path).expect("there");
    for kept in ["\"meditate\"", "\"mood\": 1.50", "\"zero_lints\""] {
        assert!(after.contains(kept), "{kept} in {after}");
    }
    assert_eq!(deck.load(&id).attempts.len(), 2);
    std::fs::write(&path, after.replacen("\"active\"", "\"paused\"", 1)).expect("written");
    assert_eq!(deck.record(&id, 1).expect_err("unknown").code(), "unknown_status");
    let newer = after.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1);
    std::fs::write(&path, &newer).expect("written");
    assert_eq!(deck.record(&id, 1).expect_err("newer").code(), "newer_format");
    assert_eq!(std::fs::read_to_string(&path).expect("there"), newer);
}
