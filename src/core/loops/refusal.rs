//! Refusals: why a command was not carried out, and what would help.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

/// A step that would help, and the command line that takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextStep {
    /// In words.
    pub text: String,
    /// As a command line that runs.
    pub command: String,
}

impl NextStep {
    /// A step from its words and its command line.
    pub fn new(text: impl Into<String>, command: impl Into<String>) -> Self {
        Self { text: text.into(), command: command.into() }
    }

    /// Whether it adds an artifact on its own, without ending a turn.
    pub fn files_an_artifact(&self) -> bool {
        self.command.starts_with("loopdeck loop add ")
    }

    /// The verb of a `loopdeck loop VERB …` command line.
    pub fn verb(&self) -> &str {
        self.command.split_whitespace().nth(2).unwrap_or("")
    }
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// A stable name (interfaces.md, "Codes").
    pub code: &'static str,
    /// A sentence for people: what happened and why.
    pub message: String,
    /// What was counted, what is missing.
    pub details: Box<Map<String, Value>>,
    /// What would help.
    pub next_steps: Vec<NextStep>,
}

impl Refusal {
    /// A refusal without details.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Box::default(), next_steps: Vec::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The sentence as people are told it ([`super::plain`]).
    pub fn said(&self) -> Cow<'_, str> {
        super::plain::refusal(self.code, &self.message, &self.details)
    }

    /// Adds a step that would help.
    #[must_use]
    pub fn step(mut self, text: impl Into<String>, command: impl Into<String>) -> Self {
        self.next_steps.push(NextStep::new(text, command));
        self
    }
}

/// What `decide` says to a command: what happens, or why not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// What is to be journaled, in order. A refusal may carry some too.
    pub events: Vec<super::event::EventBody>,
    /// Why the command is not carried out.
    pub refusal: Option<Refusal>,
    /// What the caller should know all the same.
    pub warnings: Vec<String>,
    /// Which things were made or meant.
    pub made: Made,
}

/// The ids that an answer names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Artifacts, in the order in which they were given.
    pub artifact_ids: Vec<super::ids::ArtifactId>,
    /// The turn.
    pub turn_id: Option<super::ids::TurnId>,
    /// The slot.
    pub slot_id: Option<super::ids::SlotId>,
    /// Where an advance goes.
    pub would: Option<Would>,
    /// What an undo or redo goes back to.
    pub back_to: Option<u64>,
    /// The memory item that an artifact became.
    pub item_id: Option<super::ids::Name>,
    /// The question that was asked or answered.
    pub question_id: Option<super::ids::ArtifactId>,
}

/// What an advance does: its target, or how it closes the loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Would {
    /// The phase that is entered; the present one if the loop closes in place.
    pub target: String,
    /// The iteration there, 0-based.
    pub iteration: u32,
    /// Why it goes there (`linear`, `next_round`, …, or `stop` if it closes in place).
    pub reason: String,
    /// With which status the loop closes, if it does.
    pub closes: Option<super::model::Status>,
}
