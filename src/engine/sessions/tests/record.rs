//! Seed step 1346: recording an attempt by hand.

use super::*;

#[test]
fn attempt_appended() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    let done = deck.record(&id, 3).expect("recorded");
    let attempt = done.session.attempt(&done.attempt_id).expect("appended");
    assert_eq!((&attempt.session_id, attempt.action_type.as_str()), (&id, "test"));
    assert!(done.session.observation_of(attempt).is_some());
}

#[test]
fn session_status_updated() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    assert_eq!(deck.record(&id, 3).expect("recorded").session.status, Status::Active);
    assert_eq!(deck.record(&id, 0).expect("recorded").session.status, Status::Converged);
}

#[test]
fn unknown_session_id_returns_error() {
    let deck = Deck::new();
    let id = SessionId::parse("00000000-0000-4000-8000-000000000000").expect("an id");
    assert_eq!(deck.record(&id, 3).expect_err("unknown").code(), "session_not_found");
    assert_eq!(deck.engine.session(&id).expect_err("unknown").code(), "session_not_found");
    assert!(!deck.dir.path().join(".whetstone").exists(), "looking makes nothing");
    for text in ["", "abc", "../../etc/passwd", "0000"] {
        let refused = deck.engine.resolve_session(text).expect_err("unknown");
        assert_eq!(refused.code(), "session_not_found", "{text}");
    }
}

#[test]
fn illegal_transition_returns_error() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.record(&id, 0).expect("recorded");
    let before = deck.on_disk(&id);
    let refused = deck.record(&id, 0).expect_err("converged");
    assert_eq!(refused.code(), "session_closed");
    let refused = deck.engine.escalate_session(&id, "why not", &Write::operator());
    assert_eq!(refused.expect_err("converged").code(), "session_closed");
    assert_eq!(deck.on_disk(&id), before);
}

#[test]
fn gap_field_present_when_gap_model_updated() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    assert!(deck.record(&id, 3).expect("recorded").gap_updated);
    let mut blind = told(0);
    blind.gap = None;
    let done = deck.engine.record_attempt(&id, &blind, &Write::operator()).expect("recorded");
    assert!(!done.gap_updated);
    assert_eq!(done.session.gap.as_ref().map(|gap| gap.current_value.clone()), Some(3.into()));
    // From what somebody recognised, else from what was said.
    blind.observation.structured_data = Some(serde_json::json!({"failed": 2, "errors": 0}));
    let done = deck.engine.record_attempt(&id, &blind, &Write::operator()).expect("recorded");
    assert_eq!(done.session.gap.as_ref().map(|gap| gap.current_value.clone()), Some(2.into()));
    blind.observation = ObservationDraft {
        raw_text: "test result: FAILED. 2 passed; 1 failed; 0 ignored\n".into(),
        exit_code: Some(101),
        ..Default::default()
    };
    blind.outcome = None;
    let done = deck.engine.record_attempt(&id, &blind, &Write::operator()).expect("recorded");
    let gap = done.session.gap.clone().expect("measured");
    assert_eq!((gap.current_value, gap.trend), (1.into(), Some(Trend::Improving)));
    assert_eq!(gap.metric_type, MetricType::TestFailureCount);
    let attempt = done.session.attempts.last().expect("recorded");
    assert_eq!(attempt.outcome, Outcome::Failure, "by the exit code");
    let seen = done.session.observation_of(attempt).expect("kept").structured_data.value();
    assert_eq!((&seen["parser"], &seen["failed"]), (&"cargo-test".into(), &1.into()));
}

#[test]
fn deterministic_output() {
    same_every_time(|engine| {
        let done = engine.start_session(&draft("g"), &Write::operator()).expect("started");
        let id = done.session.session_id.clone();
        for failures in [2, 1] {
            engine.record_attempt(&id, &told(failures), &Write::operator()).expect("recorded");
        }
        let path = engine.root().join(format!(".whetstone/sessions/{id}.json"));
        std::fs::read_to_string(path).expect("there")
    });
}

#[test]
fn session_persisted_after_record() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.record(&id, 3).expect("recorded");
    assert_eq!(deck.on_disk(&id)["attempts"][0]["action_description"], "cargo test");
    assert_eq!(deck.on_disk(&id)["gap"]["current_value"], 3);
    let other = open(deck.dir.path(), None);
    assert_eq!(*other.session(&id).expect("there"), *deck.load(&id));
}

#[test]
fn the_same_request_again_does_nothing_more() {
    let deck = Deck::new();
    let first_draft = draft("g");
    let first = deck.engine.start_session(&first_draft, &request("r1")).expect("started");
    let again = deck.engine.start_session(&first_draft, &request("r1")).expect("the same answer");
    assert!(again.replayed && !first.replayed);
    assert_eq!(again.session.session_id, first.session.session_id);
    let other = draft("h");
    let refused = deck.engine.start_session(&other, &request("r1")).expect_err("another body");
    assert_eq!(refused.code(), "request_id_reused");

    let id = first.session.session_id.clone();
    let one = deck.engine.record_attempt(&id, &told(0), &request("r2")).expect("recorded");
    let two = deck.engine.record_attempt(&id, &told(0), &request("r2")).expect("replayed");
    assert_eq!((two.replayed, &two.attempt_id), (true, &one.attempt_id));
    assert!(two.gap_updated, "the first answer again");
    assert_eq!(deck.load(&id).attempts.len(), 1);
    let refused = deck.engine.record_attempt(&id, &told(1), &request("r2")).expect_err("other");
    assert_eq!(refused.code(), "request_id_reused");
}

#[test]
fn words_that_nobody_knows_are_refused_from_people() {
    let deck = Deck::new();
    let id = deck.start(None, None);
    let refused = |change: fn(&mut AttemptDraft)| {
        let mut draft = told(1);
        change(&mut draft);
        deck.engine.record_attempt(&id, &draft, &Write::operator()).expect_err("refused").code()
    };
    assert_eq!(refused(|d| d.action_type = ActionType::Other("x".into())), "invalid_action_type");
    assert_eq!(refused(|d| d.outcome = Some(Outcome::Other("x".into()))), "invalid_outcome");
    assert_eq!(refused(|d| d.action_description = "x".repeat(2_001)), "invalid_action_description");
    let ended = |d: &mut AttemptDraft| {
        d.started_at = Some("2026-03-01T12:00:00Z".parse().expect("a time"));
        d.completed_at = Some("2026-03-01T11:00:00Z".parse().expect("a time"));
    };
    assert_eq!(refused(ended), "invalid_completed_at");
    assert_eq!(deck.load(&id).attempts.len(), 0);
    let refused =
        deck.engine.escalate_session(&id, " ", &Write::operator()).expect_err("no reason");
    assert_eq!(refused.code(), "reason_required");
}
