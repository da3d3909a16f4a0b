//! Outcome and gap where nobody says them (sessions.md, "Recording an
//! attempt").

use super::{ActionType, Amount, GoalType, MetricType, NewGap, Outcome, Reading, Session, Source};

/// How a command that was run for an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself, with this status; none if a signal ended it.
    Exited(Option<i64>),
    /// It took too long and was ended.
    TimedOut,
    /// Somebody called it off.
    Interrupted,
    /// It could not be started.
    NotStarted,
}

/// The outcome that an exit code tells: 0 success, above failure, none error.
pub fn outcome_of_exit(exit_code: i64) -> Outcome {
    match exit_code {
        0 => Outcome::Success,
        i64::MIN..=-1 => Outcome::Error,
        _ => Outcome::Failure,
    }
}

/// The outcome of a run: 0 success; fewer than last time partial; not started,
/// timed out or called off error; else failure.
pub fn outcome_of_run(session: &Session, end: RunEnd, gap: Option<&NewGap>) -> Outcome {
    match end {
        RunEnd::TimedOut | RunEnd::Interrupted | RunEnd::NotStarted => Outcome::Error,
        RunEnd::Exited(Some(0)) => Outcome::Success,
        RunEnd::Exited(_) if gap.is_some_and(|gap| is_less(session, gap)) => Outcome::Partial,
        RunEnd::Exited(_) => Outcome::Failure,
    }
}

fn is_less(session: &Session, gap: &NewGap) -> bool {
    let before = session.last_of(&gap.metric_type);
    before.is_some_and(|before| gap.current_value.value() < before.current_value.value())
}

/// What a session's gap is counted in: what its goal is about; for a custom
/// goal what it was counted in before, else what a reading counts.
pub fn metric_of(session: &Session, reading: Option<&Reading>) -> MetricType {
    match session.goal_type {
        GoalType::TestsPass => return MetricType::TestFailureCount,
        GoalType::BuildSuccess => return MetricType::ErrorCount,
        GoalType::EnvironmentReady => return MetricType::MissingDeps,
        _ => {}
    }
    if let Some(gap) = &session.gap {
        return gap.metric_type.clone();
    }
    match reading {
        Some(Reading { failed: Some(_), .. }) => MetricType::TestFailureCount,
        Some(Reading { errors: Some(_), .. }) => MetricType::ErrorCount,
        Some(Reading { missing: Some(_), .. }) => MetricType::MissingDeps,
        _ => MetricType::Custom,
    }
}

/// The gap that a reading shows, or without one the exit code (0 → 0, else 1).
/// A command that failed is never at its goal, whatever was counted.
pub fn gap_of_reading(
    session: &Session,
    reading: Option<&Reading>,
    exit_code: Option<i64>,
) -> Option<NewGap> {
    let red = exit_code.is_some_and(|code| code != 0);
    let counted = match reading {
        Some(reading) => counted(session, reading),
        None => u64::from(exit_code? != 0),
    };
    let current = counted.max(u64::from(red));
    let target = session.gap.as_ref().map(|gap| gap.target_value.clone());
    Some(NewGap {
        metric_type: metric_of(session, reading),
        current_value: current.into(),
        target_value: target.unwrap_or_else(Amount::zero),
    })
}

/// What keeps a session from its goal, by a reading.
fn counted(session: &Session, reading: &Reading) -> u64 {
    let Reading { failed, errors, missing, .. } = reading;
    let [failed, errors, missing] = [failed, errors, missing].map(|n| n.unwrap_or(0));
    match metric_of(session, Some(reading)) {
        MetricType::MissingDeps if missing > 0 => missing,
        MetricType::ErrorCount if errors > 0 => errors,
        // A test suite that doesn't compile has not passed.
        _ => (failed + errors).max(missing),
    }
}

/// What a command is run as where nobody says so.
pub fn action_for(session: &Session, reading: Option<&Reading>) -> ActionType {
    match (&session.goal_type, reading) {
        (GoalType::TestsPass, _) => ActionType::Test,
        (GoalType::BuildSuccess, _) => ActionType::Build,
        (GoalType::EnvironmentReady, _) => ActionType::Probe,
        (_, Some(Reading { failed: Some(_), .. })) => ActionType::Test,
        (_, Some(Reading { errors: Some(_), .. })) => ActionType::Build,
        _ => ActionType::Probe,
    }
}

/// Where the output of an action comes from.
pub fn source_for(session: &Session, action: &ActionType) -> Source {
    match (action, &session.goal_type) {
        (ActionType::Test, _) => Source::TestOutput,
        (ActionType::Build, _) => Source::BuildOutput,
        (ActionType::Probe, GoalType::EnvironmentReady) => Source::EnvProbe,
        _ => Source::ProcessStdout,
    }
}
