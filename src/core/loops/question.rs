//! Questions to the operator (engine.md §6, request_input).

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::ids::{ArtifactId, Name, SlotId, TurnId};
use super::model::{Actor, Loop, TurnState};
use crate::core::time::Timestamp;

/// What waits for the answer.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum QuestionScope {
    /// One slot's turn.
    #[default]
    Slot,
    /// The whole loop: it is paused.
    Loop,
}

/// What happens to a question that nobody answered in time.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TimeoutPolicy {
    /// The question is closed with an answer that counts nowhere.
    #[default]
    ContinueIncomplete,
    /// Its default is the answer.
    UseDefault,
    /// The loop is closed as cancelled.
    CancelLoop,
}

/// How a question was answered.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ResolvedVia {
    /// With words.
    Answer,
    /// With one of its options.
    Choose,
    /// With its default, by somebody.
    Skip,
    /// By nobody: its time was up.
    Timeout,
}

/// One of the answers that a question offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOption {
    /// What names it.
    pub id: String,
    /// What it says.
    pub label: String,
}

/// A question to the operator that waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The artifact that asks it.
    pub question_id: ArtifactId,
    /// What is asked.
    pub text: String,
    /// The answers that it offers; empty = any words.
    #[serde(default)]
    pub options: Vec<QuestionOption>,
    /// What holds if it is skipped.
    #[serde(default)]
    pub default: Option<String>,
    /// What it rests on, at least one line.
    pub evidence: Vec<String>,
    /// What waits.
    pub scope: QuestionScope,
    /// The slot that asks, if one does.
    #[serde(default)]
    pub slot_id: Option<SlotId>,
    /// The turn that waits, if one does.
    #[serde(default)]
    pub turn_id: Option<TurnId>,
    /// The phase in which it was asked.
    pub phase: Name,
    /// The iteration in which it was asked, 0-based.
    pub iteration: u32,
    /// Who asks.
    pub asked_by: Actor,
    /// Since when.
    pub asked_at: Timestamp,
    /// Until when; absent = for ever.
    #[serde(default)]
    pub deadline: Option<Timestamp>,
    /// What happens then.
    #[serde(default)]
    pub on_timeout: TimeoutPolicy,
    /// The state that the turn goes back to with the answer.
    #[serde(default)]
    pub before: Option<TurnState>,
    /// The phase that the option `change` leads back to: set on the engine's own
    /// question about a draft (§3, bootstrap).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_of: Option<Name>,
}

impl Question {
    /// One of its options.
    pub fn option(&self, id: &str) -> Option<&QuestionOption> {
        self.options.iter().find(|option| option.id == id)
    }
}

/// The artifact type of a question.
pub const QUESTION: &str = "operator_question";
/// The artifact type of an answer.
pub const ANSWER: &str = "operator_answer";

impl Loop {
    /// The open question with an id.
    pub fn open_question(&self, id: &str) -> Option<&Question> {
        self.open_questions.iter().find(|q| q.question_id.as_str() == id)
    }

    /// The open question that holds the whole loop.
    pub fn holding_question(&self) -> Option<&Question> {
        self.open_questions.iter().find(|q| q.scope == QuestionScope::Loop)
    }

    /// The next moment at which a question's time is up. One whose timeout was
    /// carried out and undone waits for a person.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.timed_questions().filter_map(|q| q.deadline).min()
    }

    /// The questions whose time is up, the longest overdue first.
    pub fn overdue(&self, now: Timestamp) -> Vec<&Question> {
        let is_up = |q: &&Question| q.deadline.is_some_and(|at| at <= now);
        let mut found: Vec<&Question> = self.timed_questions().filter(is_up).collect();
        found.sort_by_key(|q| q.deadline);
        found
    }

    fn timed_questions(&self) -> impl Iterator<Item = &Question> {
        let closed = self.status.is_closed();
        self.open_questions
            .iter()
            .filter(move |q| !closed && !self.ledger.timed_out.contains(&q.question_id))
    }
}
