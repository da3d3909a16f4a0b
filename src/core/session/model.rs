//! Sessions and attempts as they are stored (sessions.md, "Records").

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::record::record;
use super::{
    ActionType, Amount, AttemptId, Gap, GapEntry, GoalType, MetricType, Observation, ObservationId,
    Outcome, SessionId, Status,
};
use crate::core::loops::refusal::Refusal;
use crate::core::text::has_visible;
use crate::core::time::Timestamp;

/// Attempts that a session has where nobody says how many.
pub const DEFAULT_MAX_ATTEMPTS: u32 = 10;
/// Characters of a goal at most.
pub const GOAL_CHARS: usize = 500;
/// Attempts without improvement after which a session counts as stalled.
pub const STALL: usize = 3;

/// The request that made something, so that a repeat does nothing (store.md,
/// "Concurrency").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestNote {
    /// Its id.
    pub id: String,
    /// The hash of what it asked for.
    pub body_sha256: String,
}

record! {
    /// A change of status.
    Transition {
        /// From which.
        from: Status;
        /// To which.
        to: Status;
        /// When.
        at: Timestamp;
        /// Why, in a few words.
        cause: String = String::new();
    }
}

impl Transition {
    pub(super) fn new(from: Status, to: Status, at: Timestamp, cause: String) -> Self {
        Self { from, to, at, cause, extra: Vec::new() }
    }

    fn settled(self) -> Self {
        self
    }
}

record! {
    /// One attempt at closing the gap.
    Attempt {
        /// Its id.
        attempt_id: AttemptId;
        /// The session that it belongs to.
        session_id: SessionId;
        /// What was done.
        action_type: ActionType = ActionType::Probe;
        /// In words.
        action_description: String = String::new();
        /// When it was begun.
        started_at: Timestamp;
        /// When it had ended.
        completed_at: Timestamp;
        /// How it ended.
        outcome: Outcome = Outcome::Error;
        /// What it showed.
        observation_id: Option<ObservationId> = None;
        /// Whether there is a way on after an error.
        recoverable: bool = true;
        /// What was run, word by word; nothing where it was recorded by hand.
        argv: Vec<String> = Vec::new(), skip Vec::is_empty;
        /// The request that made it.
        request: Option<RequestNote> = None, skip Option::is_none;
    }
}

impl Attempt {
    /// An attempt of which nothing is known but when; its outcome is `error`
    /// until somebody says otherwise.
    pub fn new(attempt_id: AttemptId, session_id: SessionId, at: Timestamp) -> Self {
        Self {
            attempt_id,
            session_id,
            action_type: ActionType::Probe,
            action_description: String::new(),
            started_at: at,
            completed_at: at,
            outcome: Outcome::Error,
            observation_id: None,
            recoverable: true,
            argv: Vec::new(),
            request: None,
            extra: Vec::new(),
        }
    }

    /// How long it took, in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        u64::try_from(self.completed_at.since(self.started_at)).unwrap_or(0)
    }

    fn settled(self) -> Self {
        self
    }
}

record! {
    /// The record of closing one gap.
    Session {
        /// The version of the format.
        schema_version: u32 = Session::SCHEMA_VERSION;
        /// Its id.
        session_id: SessionId;
        /// What is to be reached, 1 to 500 characters.
        goal: String;
        /// Of which kind.
        goal_type: GoalType = GoalType::Custom;
        /// Where it stands.
        status: Status = Status::Pending;
        /// When it was started.
        created_at: Timestamp;
        /// When it last changed.
        updated_at: Timestamp;
        /// Attempts that it has in all, at least 1.
        max_attempts: u32 = DEFAULT_MAX_ATTEMPTS;
        /// What was tried, in order.
        attempts: Vec<Attempt> = Vec::new();
        /// What that showed.
        observations: Vec<Observation> = Vec::new();
        /// The distance left.
        gap: Option<Gap> = None, skip Option::is_none;
        /// The distances so far.
        gap_history: Vec<GapEntry> = Vec::new();
        /// The changes of status.
        transitions: Vec<Transition> = Vec::new();
        /// The session that it continues.
        previous: Option<SessionId> = None, skip Option::is_none;
        /// The request that started it.
        request: Option<RequestNote> = None, skip Option::is_none;
    }
}

impl Session {
    /// The version of the format that is written here.
    pub const SCHEMA_VERSION: u32 = 1;

    /// A new session: pending, without attempts.
    pub fn new(session_id: SessionId, goal: &str, goal_type: GoalType, at: Timestamp) -> Self {
        Self {
            schema_version: Self::SCHEMA_VERSION,
            session_id,
            goal: goal.to_owned(),
            goal_type,
            status: Status::Pending,
            created_at: at,
            updated_at: at,
            max_attempts: DEFAULT_MAX_ATTEMPTS,
            attempts: Vec::new(),
            observations: Vec::new(),
            gap: None,
            gap_history: Vec::new(),
            transitions: Vec::new(),
            previous: None,
            request: None,
            extra: Vec::new(),
        }
    }

    /// Refuses what no session may be.
    ///
    /// # Errors
    /// `invalid_goal`, `invalid_goal_type`, `invalid_max_attempts`.
    pub fn check(&self) -> Result<(), Refusal> {
        let invalid =
            |code, why: String, field: &str| Err(Refusal::new(code, why).detail("field", field));
        let chars = self.goal.chars().count();
        if !has_visible(&self.goal) || chars > GOAL_CHARS {
            let why =
                format!("a goal has 1 to {GOAL_CHARS} characters of visible text, not {chars}");
            return invalid("invalid_goal", why, "goal");
        }
        if let Err(why) = self.goal_type.as_str().parse::<GoalType>() {
            return invalid("invalid_goal_type", why, "goal_type");
        }
        if self.max_attempts == 0 {
            let why = "a session has at least 1 attempt: max_attempts is 1 or more";
            return invalid("invalid_max_attempts", why.to_owned(), "max_attempts");
        }
        Ok(())
    }

    /// Attempts that are left.
    pub fn attempts_left(&self) -> usize {
        (self.max_attempts as usize).saturating_sub(self.attempts.len())
    }

    /// What an attempt showed.
    pub fn observation_of(&self, attempt: &Attempt) -> Option<&Observation> {
        let id = attempt.observation_id.as_ref()?;
        // They are recorded together, so it is near the attempt's own place.
        let same = |o: &&Observation| o.observation_id == *id;
        let at = self.attempts.iter().position(|a| a.attempt_id == attempt.attempt_id);
        let near = at.and_then(|at| self.observations.get(at)).filter(same);
        near.or_else(|| self.observations.iter().rfind(same))
    }

    /// The command that was run last and could be: it would be run again.
    pub fn last_run(&self) -> Option<&[String]> {
        let ran = |a: &&Attempt| !a.argv.is_empty() && a.outcome != Outcome::Error;
        self.attempts.iter().rfind(ran).map(|attempt| attempt.argv.as_slice())
    }

    /// An attempt by its id.
    pub fn attempt(&self, id: &AttemptId) -> Option<&Attempt> {
        self.attempts.iter().rfind(|attempt| attempt.attempt_id == *id)
    }

    /// The last value of a metric.
    pub fn last_of(&self, metric: &MetricType) -> Option<&GapEntry> {
        self.gap_history.iter().rfind(|entry| entry.metric_type == *metric)
    }

    /// Attempts since the gap was last nearer to its target than ever before.
    /// The first value is what the others are measured by.
    pub fn without_improvement(&self) -> usize {
        let ids = self.attempts.iter().map(|attempt| &attempt.attempt_id);
        without_improvement(ids, &self.gap_history)
    }

    /// Whether it goes on without getting anywhere: three attempts without
    /// improvement.
    pub fn is_stalled(&self) -> bool {
        self.status == Status::Active && self.without_improvement() >= STALL
    }

    fn settled(self) -> Self {
        self
    }
}

/// See [`Session::without_improvement`]; for those who have not read the rest.
pub(crate) fn without_improvement<'a>(
    attempts: impl DoubleEndedIterator<Item = &'a AttemptId> + ExactSizeIterator,
    history: &[GapEntry],
) -> usize {
    let mut best: Option<&Amount> = None;
    let mut at: Option<&GapEntry> = None;
    let metric = history.last().map(|entry| &entry.metric_type);
    for entry in history.iter().filter(|entry| Some(&entry.metric_type) == metric) {
        if best.is_none_or(|best| entry.delta.cmp_size(best) == Ordering::Less) {
            best = Some(&entry.delta);
            at = Some(entry);
        }
    }
    let all = attempts.len();
    let Some(improved) = at.and_then(|entry| entry.attempt_id.as_ref()) else { return all };
    attempts.rev().position(|id| id == improved).unwrap_or(all)
}
