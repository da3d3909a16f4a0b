//! A session in a line, for lists: read without what its observations say.

use serde::{Deserialize, Serialize};

use super::model::without_improvement;
use super::{
    AttemptId, DEFAULT_MAX_ATTEMPTS, Gap, GapEntry, GoalType, Outcome, STALL, Session, SessionId,
    Status,
};
use crate::core::time::Timestamp;

/// A session in a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Head")]
pub struct SessionSummary {
    /// Its id.
    pub session_id: SessionId,
    /// What is to be reached.
    pub goal: String,
    /// Of which kind.
    pub goal_type: GoalType,
    /// Where it stands.
    pub status: Status,
    /// How many attempts were made.
    pub attempts: usize,
    /// How many there are in all.
    pub max_attempts: u32,
    /// The distance left.
    pub gap: Option<Gap>,
    /// Attempts since the gap was last nearer than ever before.
    pub without_improvement: usize,
    /// Whether it goes on without getting anywhere.
    pub stalled: bool,
    /// How the newest attempt ended.
    pub last_outcome: Option<Outcome>,
    /// The session that it continues.
    pub previous: Option<SessionId>,
    /// When it was started.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl SessionSummary {
    /// Attempts that are left.
    pub fn attempts_left(&self) -> usize {
        (self.max_attempts as usize).saturating_sub(self.attempts)
    }
}

impl From<&Session> for SessionSummary {
    fn from(session: &Session) -> Self {
        Self {
            session_id: session.session_id.clone(),
            goal: session.goal.clone(),
            goal_type: session.goal_type.clone(),
            status: session.status.clone(),
            attempts: session.attempts.len(),
            max_attempts: session.max_attempts,
            gap: session.gap.clone(),
            without_improvement: session.without_improvement(),
            stalled: session.is_stalled(),
            last_outcome: session.attempts.last().map(|attempt| attempt.outcome.clone()),
            previous: session.previous.clone(),
            created_at: session.created_at,
            updated_at: session.updated_at,
        }
    }
}

/// What of a session's file a line needs.
#[derive(Deserialize)]
struct Head {
    session_id: SessionId,
    goal: String,
    goal_type: Option<GoalType>,
    status: Option<Status>,
    created_at: Timestamp,
    updated_at: Timestamp,
    max_attempts: Option<u32>,
    #[serde(default)]
    attempts: Vec<HeadAttempt>,
    gap: Option<Gap>,
    #[serde(default)]
    gap_history: Vec<GapEntry>,
    previous: Option<SessionId>,
}

#[derive(Deserialize)]
struct HeadAttempt {
    attempt_id: AttemptId,
    outcome: Option<Outcome>,
}

impl From<Head> for SessionSummary {
    fn from(head: Head) -> Self {
        let ids = head.attempts.iter().map(|attempt| &attempt.attempt_id);
        let without_improvement = without_improvement(ids, &head.gap_history);
        let status = head.status.unwrap_or(Status::Pending);
        let last = head.attempts.last();
        Self {
            session_id: head.session_id,
            goal: head.goal,
            goal_type: head.goal_type.unwrap_or(GoalType::Custom),
            stalled: status == Status::Active && without_improvement >= STALL,
            status,
            attempts: head.attempts.len(),
            max_attempts: head.max_attempts.unwrap_or(DEFAULT_MAX_ATTEMPTS),
            gap: head.gap,
            without_improvement,
            last_outcome: last.map(|last| last.outcome.clone().unwrap_or(Outcome::Error)),
            previous: head.previous,
            created_at: head.created_at,
            updated_at: head.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture::*;
    use super::*;

    #[test]
    fn a_line_read_from_a_file_is_that_of_the_session_in_it() {
        let mut session = session(9);
        assert_eq!(read::<SessionSummary>(&written(&session)), SessionSummary::from(&session));
        for (n, failures) in [(1, 3), (2, 2), (3, 2), (4, 5), (5, 2)] {
            with_gap(&mut session, n, failures);
            assert_eq!(read::<SessionSummary>(&written(&session)), SessionSummary::from(&session));
        }
        assert!(SessionSummary::from(&session).stalled);
    }
}
