//! Seed step 1340: attempts.

use super::super::*;
use super::fixture::*;

fn made() -> Attempt {
    Attempt::new(AttemptId::random([1; 16]), SessionId::random([2; 16]), at(0))
}

#[test]
fn constructable() {
    let attempt = made();
    assert!(attempt.recoverable);
    assert_eq!(attempt.started_at, attempt.completed_at);
}

#[test]
fn action_type_round_trips() {
    assert_eq!(ActionType::KNOWN.len(), 5);
    for known in ActionType::KNOWN {
        assert_eq!(read::<ActionType>(&written(known)), *known);
        assert_eq!(known.as_str().parse().as_ref(), Ok(known));
    }
}

#[test]
fn outcome_defaults_to_error() {
    assert_eq!(made().outcome, Outcome::Error);
    let text = written(&made()).replace("\"outcome\": \"error\",", "");
    assert_eq!(read::<Attempt>(&text).outcome, Outcome::Error);
}

#[test]
fn duration_computable_from_timestamps() {
    let mut attempt = made();
    attempt.completed_at = at(0).plus_millis(1_234);
    assert_eq!(attempt.duration_ms(), 1_234);
    let mut session = session(3);
    let mut backwards = super::fixture::attempt(&session, 1);
    backwards.attempt.completed_at = backwards.attempt.started_at.plus_millis(-1);
    let refused = record(&mut session, backwards, at(5)).expect_err("ended before it began");
    assert_eq!(refused.code, "invalid_completed_at");
    assert_eq!((session.status, session.attempts.len()), (Status::Pending, 0));
}

#[test]
fn json_round_trip() {
    let mut attempt = made();
    attempt.observation_id = Some(ObservationId::random([3; 16]));
    attempt.action_description = "über\n\"quoted\"".to_owned();
    assert_eq!(read::<Attempt>(&written(&attempt)), attempt);
}

#[test]
fn unknown_action_type_passthrough() {
    let text =
        written(&made()).replace("\"probe\"", "\"meditate\"").replace("\"error\"", "\"meh\"");
    round_trips::<Attempt>(&text);
    assert!("meditate".parse::<ActionType>().is_err(), "from people unknown words are refused");
}

#[test]
fn attempt_id_non_empty() {
    assert_eq!(AttemptId::random([0; 16]).as_str().len(), 36);
    assert_eq!(AttemptId::derive(&[b"a"]), AttemptId::derive(&[b"a"]));
    assert_ne!(AttemptId::derive(&[b"a", b"b"]), AttemptId::derive(&[b"ab"]));
}

#[test]
fn links_to_session_id() {
    let mut session = session(3);
    with_gap(&mut session, 1, 1);
    assert_eq!(session.attempts[0].session_id, session.session_id);
}

#[test]
fn links_to_observation_id() {
    let mut session = session(3);
    with_gap(&mut session, 1, 2);
    with_gap(&mut session, 2, 1);
    let observation = session.observation_of(&session.attempts[1]).expect("there");
    assert_eq!(Some(&observation.observation_id), session.attempts[1].observation_id.as_ref());
    // Also where another program keeps them in another order.
    session.observations.reverse();
    let observation = session.observation_of(&session.attempts[1]).expect("there");
    assert_eq!(Some(&observation.observation_id), session.attempts[1].observation_id.as_ref());
}

#[test]
fn deterministic_serialization() {
    assert_eq!(written(&made()), written(&made()));
    let expected = "{\"attempt_id\":\"01010101-0101-4101-8101-010101010101\",\
        \"session_id\":\"02020202-0202-4202-8202-020202020202\",\"action_type\":\"probe\",\
        \"action_description\":\"\",\"started_at\":\"2026-03-01T12:00:00.000Z\",\
        \"completed_at\":\"2026-03-01T12:00:00.000Z\",\"outcome\":\"error\",\
        \"observation_id\":null,\"recoverable\":true}";
    assert_eq!(serde_json::to_string(&made()).expect("written"), expected);
}
