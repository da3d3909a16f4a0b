//! What may happen to a session, and what follows (sessions.md, "State
//! machine").

use super::{
    ActionType, Attempt, AttemptId, Gap, GoalType, MetricType, NewGap, Observation, Outcome,
    Session, Status, Transition,
};
use crate::core::loops::refusal::Refusal;
use crate::core::loops::steps::quoted;
use crate::core::text::{first_chars, shown_in_line};
use crate::core::time::Timestamp;

/// An attempt with what it showed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAttempt {
    /// The attempt.
    pub attempt: Attempt,
    /// What it showed.
    pub observation: Option<Observation>,
    /// The gap that was measured; absent = unchanged.
    pub gap: Option<NewGap>,
}

/// What recording an attempt brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The attempt's id.
    pub attempt_id: AttemptId,
    /// Whether a new gap was measured.
    pub gap_updated: bool,
    /// Whether the attempt was there already: nothing was changed.
    pub replayed: bool,
}

/// Checks a new session against the one that it continues.
///
/// # Errors
/// As [`Session::check`].
pub fn start(mut session: Session, previous: Option<&Session>) -> Result<Session, Refusal> {
    session.check()?;
    session.previous = previous.map(|previous| previous.session_id.clone());
    Ok(session)
}

/// Refuses where a session may not be changed any more.
///
/// # Errors
/// `session_closed`, `unknown_status`.
pub fn check_changeable(session: &Session) -> Result<(), Refusal> {
    match &session.status {
        Status::Pending | Status::Active if session.attempts_left() > 0 => Ok(()),
        Status::Pending | Status::Active => Err(closed(
            session,
            format!("this session has used all of its {} attempts", session.max_attempts),
        )),
        Status::Other(status) => Err(Refusal::new(
            "unknown_status",
            format!(
                "this session's status is {status:?}, which this version of loopdeck doesn't \
                 know: it can be read, not changed"
            ),
        )
        .detail("status", &**status)
        .step("look at it", format!("loopdeck session show {}", session.session_id))),
        closed_as => Err(closed(session, format!("this session is {closed_as}: it takes no more"))),
    }
}

fn closed(session: &Session, why: String) -> Refusal {
    let goal = quoted(first_chars(&session.goal, 80));
    Refusal::new("session_closed", why)
        .detail("status", session.status.as_str())
        .detail("attempts", session.attempts.len())
        .detail("max_attempts", session.max_attempts)
        .step("see how it went", format!("loopdeck session show {}", session.session_id))
        .step(
            "go on in a new one",
            format!("loopdeck session start --previous {} --goal {goal}", session.session_id),
        )
}

/// Records an attempt, and moves the session on. The same attempt again changes
/// nothing.
///
/// # Errors
/// `session_closed`, `unknown_status`; `invalid_completed_at` if it ended before
/// it began. Nothing was changed then.
pub fn record(session: &mut Session, new: NewAttempt, now: Timestamp) -> Result<Recorded, Refusal> {
    let id = new.attempt.attempt_id.clone();
    if session.attempt(&id).is_some() {
        return Ok(Recorded { attempt_id: id, gap_updated: false, replayed: true });
    }
    // Giving up is possible even where nothing else is left.
    let gives_up = new.attempt.action_type == ActionType::Escalate;
    if !(gives_up && session.status == Status::Active) {
        check_changeable(session)?;
    }
    check_attempt(&new.attempt)?;
    let gap_updated = new.gap.is_some();
    let at = now.max(session.updated_at);
    let seen = Seen::of(&new.attempt);
    session.attempts.push(new.attempt);
    session.observations.extend(new.observation);
    if let Some(gap) = new.gap {
        measure(session, gap, at, &id);
    }
    follow(session, &seen, at);
    session.updated_at = at;
    Ok(Recorded { attempt_id: id, gap_updated, replayed: false })
}

fn check_attempt(attempt: &Attempt) -> Result<(), Refusal> {
    if attempt.completed_at < attempt.started_at {
        let why = format!(
            "the attempt would have ended at {}, before it began at {}",
            attempt.completed_at, attempt.started_at
        );
        return Err(Refusal::new("invalid_completed_at", why).detail("field", "completed_at"));
    }
    Ok(())
}

fn measure(session: &mut Session, new: NewGap, at: Timestamp, by: &AttemptId) {
    let before = match session.last_of(&new.metric_type) {
        Some(entry) => Some(&entry.delta),
        // A session of another program may have a gap and no history.
        None => session
            .gap
            .as_ref()
            .filter(|gap| gap.metric_type == new.metric_type)
            .map(|gap| &gap.delta),
    };
    let mut gap = Gap::measured(new, before);
    session.gap_history.push(gap.entry(at, by));
    if let Some(old) = session.gap.take() {
        gap.extra = old.extra;
    }
    session.gap = Some(gap);
}

/// What of an attempt decides where the session goes.
struct Seen {
    described: String,
    escalates: Option<String>,
    is_hopeless: bool,
}

impl Seen {
    fn of(attempt: &Attempt) -> Self {
        let described = shown_in_line(first_chars(&attempt.action_description, 200));
        let escalates = attempt.action_type == ActionType::Escalate;
        Self {
            described: match described.is_empty() {
                true => attempt.action_type.to_string(),
                false => described.clone(),
            },
            escalates: escalates.then_some(described),
            is_hopeless: attempt.outcome == Outcome::Error && !attempt.recoverable,
        }
    }
}

/// Moves a session on after an attempt: into `active` with the first, then into
/// an end, in the order of sessions.md.
fn follow(session: &mut Session, seen: &Seen, at: Timestamp) {
    let number = session.attempts.len();
    if session.status == Status::Pending {
        pass(session, Status::Active, at, "the first attempt was recorded".to_owned());
    }
    let converged = session.gap.as_ref().is_some_and(|gap| gap.converged);
    if converged {
        let cause = format!("the gap is closed by attempt {number}: {}", seen.described);
        pass(session, Status::Converged, at, cause);
    } else if let Some(reason) = &seen.escalates {
        let cause = match reason.is_empty() {
            true => "given up".to_owned(),
            false => format!("given up: {reason}"),
        };
        pass(session, Status::Escalated, at, cause);
    } else if session.attempts_left() == 0 {
        let cause = format!("all {number} attempts are used up and the gap is not closed");
        pass(session, Status::Escalated, at, cause);
    } else if seen.is_hopeless {
        let cause = format!("attempt {number} met an error without a way on: {}", seen.described);
        pass(session, Status::Failed, at, cause);
    }
}

fn pass(session: &mut Session, to: Status, at: Timestamp, cause: String) {
    debug_assert!(may_pass(&session.status, &to), "{} to {to}", session.status);
    let from = std::mem::replace(&mut session.status, to.clone());
    session.transitions.push(Transition::new(from, to, at, cause));
}

/// Whether a status may follow another one.
pub(super) fn may_pass(from: &Status, to: &Status) -> bool {
    matches!(
        (from, to),
        (Status::Pending, Status::Active)
            | (Status::Active, Status::Converged | Status::Escalated | Status::Failed)
    )
}

impl MetricType {
    /// What is counted, in words, for one of it or any other number.
    pub fn in_words(&self, one: bool) -> &str {
        match self {
            MetricType::ErrorCount if one => "error",
            MetricType::ErrorCount => "errors",
            MetricType::TestFailureCount if one => "failing test",
            MetricType::TestFailureCount => "failing tests",
            MetricType::MissingDeps => "missing",
            MetricType::Custom => "left",
            MetricType::Other(word) => word,
        }
    }
}

impl GoalType {
    /// The goal type in words.
    pub fn in_words(&self) -> &str {
        match self {
            GoalType::BuildSuccess => "it builds",
            GoalType::TestsPass => "tests pass",
            GoalType::EnvironmentReady => "the environment is ready",
            GoalType::Custom => "custom",
            GoalType::Other(word) => word,
        }
    }
}
