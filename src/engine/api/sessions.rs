//! What can be asked of iteration sessions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::Problem;
use crate::core::session::{
    ActionType, Amount, AttemptId, GoalType, MetricType, Outcome, Reading, Session, SessionSummary,
    Source,
};
use crate::core::time::Timestamp;

/// A session that is to be started.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionDraft {
    /// What is to be reached, 1 to 500 characters.
    pub goal: String,
    /// Of which kind; absent = custom.
    pub goal_type: Option<GoalType>,
    /// Attempts in all; absent = 10.
    pub max_attempts: Option<u32>,
    /// The session that it continues: an id, or the beginning of one.
    pub previous: Option<String>,
}

/// An attempt that was made, told by hand. What is absent is derived
/// (sessions.md, "Recording an attempt").
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttemptDraft {
    /// What was done.
    pub action_type: ActionType,
    /// In words.
    pub action_description: String,
    /// How it ended; absent = by the exit code.
    pub outcome: Option<Outcome>,
    /// Whether there is a way on after an error; absent = yes.
    pub recoverable: Option<bool>,
    /// When it was begun; absent = when it had ended, less what it took.
    pub started_at: Option<Timestamp>,
    /// When it had ended; absent = now.
    pub completed_at: Option<Timestamp>,
    /// What it showed.
    pub observation: ObservationDraft,
    /// The gap that was measured; absent = by what it showed.
    pub gap: Option<GapDraft>,
}

impl AttemptDraft {
    /// An attempt of which only the action is told.
    pub fn new(action_type: ActionType, action_description: impl Into<String>) -> Self {
        Self {
            action_type,
            action_description: action_description.into(),
            outcome: None,
            recoverable: None,
            started_at: None,
            completed_at: None,
            observation: ObservationDraft::default(),
            gap: None,
        }
    }
}

/// What an attempt showed, told by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ObservationDraft {
    /// Where it comes from; absent = by the action.
    pub source: Option<Source>,
    /// What was said, of any length.
    pub raw_text: String,
    /// The status of the command; absent = there was none.
    pub exit_code: Option<i64>,
    /// How long it took, in milliseconds; absent = by the times.
    pub duration_ms: Option<u64>,
    /// What somebody recognised in it.
    pub structured_data: Option<Value>,
}

/// A gap, told by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GapDraft {
    /// What is counted; absent = what the session counts.
    pub metric_type: Option<MetricType>,
    /// How many there are.
    pub current_value: Amount,
    /// How many there are to be; absent = as before, else 0.
    pub target_value: Option<Amount>,
}

/// A command that is to be run as an attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunDraft {
    /// The program and its arguments. No shell reads them.
    pub argv: Vec<String>,
    /// What it is; absent = by the session's goal.
    pub action_type: Option<ActionType>,
    /// In words; absent = the command.
    pub action_description: Option<String>,
    /// After which time it is ended; absent = what the settings say.
    pub timeout: Option<Duration>,
    /// JUnit XML files that it writes, relative to the workspace.
    pub junit: Vec<PathBuf>,
}

/// What a change of a session brought.
#[derive(Clone, Debug)]
pub struct SessionDone {
    /// The session as it is now.
    pub session: Arc<Session>,
    /// What the caller should know.
    pub warnings: Vec<String>,
    /// Whether this repeats the answer to an earlier request.
    pub replayed: bool,
}

/// What recording an attempt brought.
#[derive(Clone, Debug)]
pub struct AttemptDone {
    /// The session as it is now.
    pub session: Arc<Session>,
    /// The attempt.
    pub attempt_id: AttemptId,
    /// Whether a new gap was measured.
    pub gap_updated: bool,
    /// What was recognised in the output.
    pub reading: Option<Reading>,
    /// What the caller should know.
    pub warnings: Vec<String>,
    /// Whether this repeats the answer to an earlier request.
    pub replayed: bool,
}

impl AttemptDone {
    /// Whether the attempt is a run that was called off before it ended.
    pub fn was_called_off(&self) -> bool {
        let attempt = self.session.attempt(&self.attempt_id);
        let seen = attempt.and_then(|attempt| self.session.observation_of(attempt));
        seen.is_some_and(|seen| seen.structured_data.value()["interrupted"] == true)
    }
}

/// All sessions, newest change first, and what could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionListing {
    /// The sessions.
    pub sessions: Vec<Arc<SessionSummary>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}
