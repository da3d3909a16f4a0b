//! Small sessions to try rules on.

use super::super::*;
use crate::core::time::Timestamp;

/// So many seconds after a fixed moment.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_772_366_400_000 + seconds * 1_000)
}

/// A session for passing tests, with so many attempts.
pub fn session(max_attempts: u32) -> Session {
    let id = SessionId::random([7; 16]);
    let mut session = Session::new(id, "all tests pass", GoalType::TestsPass, at(0));
    session.max_attempts = max_attempts;
    session
}

/// The `n`th attempt of a session, a run of tests that failed.
pub fn attempt(session: &Session, n: u8) -> NewAttempt {
    let observation = Observation::new(ObservationId::random([n; 16]), Source::TestOutput, "");
    let mut attempt =
        Attempt::new(AttemptId::random([n; 16]), session.session_id.clone(), at(i64::from(n)));
    attempt.action_type = ActionType::Test;
    attempt.action_description = format!("run {n}");
    attempt.outcome = Outcome::Failure;
    attempt.observation_id = Some(observation.observation_id.clone());
    NewAttempt { attempt, observation: Some(observation), gap: None }
}

/// Records the `n`th attempt, with so many failures.
pub fn with_gap(session: &mut Session, n: u8, failures: u64) -> Recorded {
    let mut new = attempt(session, n);
    new.gap = Some(NewGap::to_zero(MetricType::TestFailureCount, failures));
    record(session, new, at(i64::from(n))).expect("it may be recorded")
}

/// As it is written to a file.
pub fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("it can be written")
}

/// As it is read from a file.
pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Checks that a text is read and written to the byte as it was.
pub fn round_trips<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) {
    assert_eq!(written(&read::<T>(text)), text);
}
