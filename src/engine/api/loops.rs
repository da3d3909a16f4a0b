//! Loops: listed, opened, changed, exported.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::workspace::Problem;
use crate::core::loops::Event;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::command::NewSlot;
use crate::core::loops::condition::Condition;
use crate::core::loops::ids::{ArtifactId, LoopId, Name};
use crate::core::loops::lint::Lint;
use crate::core::loops::model::{Actor, Linked, Loop, Status};
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::loops::refusal::{Made, NextStep};
use crate::core::time::Timestamp;

/// One loop in the list, from its summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopSummary {
    /// Its id.
    pub id: LoopId,
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its kind.
    pub kind: Kind,
    /// Its status.
    pub status: Status,
    /// The phase that it is in.
    pub phase: Name,
    /// The round that people see, from 1.
    pub round: u32,
    /// The cap on rounds.
    pub max_rounds: Option<u32>,
    /// Which round it is in words (`round 2 of 3`, `after 2 rounds`); absent
    /// where rounds say nothing.
    pub rounds: Option<String>,
    /// What it wants.
    pub attention: AttentionState,
    /// In a few words.
    pub attention_detail: String,
    /// The command that answers it.
    pub next: Option<NextStep>,
    /// The agents of its slots.
    pub agents: Vec<Name>,
    /// Its version.
    pub version: u64,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it ended.
    pub closed_at: Option<Timestamp>,
    /// Whether it was put away.
    pub archived: bool,
    /// The loop that it follows.
    pub source_loop_id: Option<LoopId>,
    /// The turns that were handed to workers and have not ended.
    pub workers: usize,
    /// Turns whose worker was shut out: some may run on.
    pub shut_out: usize,
    /// The questions that wait for an answer.
    pub questions: usize,
    /// The next moment at which a question's time is up.
    pub deadline: Option<Timestamp>,
    /// Why it may only be read, in a few words (`damaged at line 3`): its
    /// journal can't be continued. Absent = it can be changed.
    pub read_only: Option<String>,
}

impl LoopSummary {
    /// Days after which a closed loop is folded away from lists (interfaces.md,
    /// "loop list").
    pub const FOLDED_AFTER_DAYS: i64 = 14;

    /// Where it stands in a list: its phase, from the second round on with the
    /// round in words.
    pub fn place(&self) -> String {
        match &self.rounds {
            Some(rounds) if self.round > 1 => format!("{} · {rounds}", self.phase),
            _ => self.phase.to_string(),
        }
    }

    /// Whether lists leave it out unless asked: put away, or closed for more
    /// than 14 days.
    pub fn is_folded_away(&self, now: Timestamp) -> bool {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        self.archived
            || self.closed_at.is_some_and(|at| now.since(at) > Self::FOLDED_AFTER_DAYS * DAY_MS)
    }
}

/// All loops, newest change first, and what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The loops.
    pub loops: Vec<LoopSummary>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// How a change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Who makes it.
    pub actor: Actor,
    /// The id that makes a repeat harmless.
    pub request_id: Option<String>,
    /// The version that the caller saw.
    pub expected_version: Option<u64>,
}

impl Write {
    /// By the operator, without further conditions.
    pub fn operator() -> Self {
        Self { actor: Actor::Operator, request_id: None, expected_version: None }
    }
}

/// What a change brought.
#[derive(Clone, Debug)]
pub struct Done {
    /// The loop as it is now.
    pub state: Arc<Loop>,
    /// What was made.
    pub made: Made,
    /// What the caller should know.
    pub warnings: Vec<String>,
    /// What else is worth a word: nothing is wrong.
    pub notes: Vec<String>,
    /// Whether this repeats the answer to an earlier request.
    pub replayed: bool,
    /// The events that were committed; empty if nothing changed.
    pub events: Vec<Event>,
}

/// What a new loop is to be, before its protocol is resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenRequest {
    /// Its kind.
    pub kind: Kind,
    /// One line.
    pub title: String,
    /// What is wanted.
    pub goal: Option<String>,
    /// Its domain.
    pub domain: Option<String>,
    /// The proposal text, of any length.
    pub proposal: Option<String>,
    /// The text of a diff to look at, filed beside the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The participants; empty = default.
    pub slots: Vec<NewSlot>,
    /// A preset by name.
    pub preset: Option<String>,
    /// A protocol file.
    pub protocol_file: Option<PathBuf>,
    /// A stop condition in place of the protocol's.
    pub stop: Option<Condition>,
    /// Gates in place of the protocol's.
    pub gates: Vec<(String, Option<Condition>)>,
    /// The verify command, as argv.
    pub verify: Option<Vec<String>>,
    /// How a review runs.
    pub review_mode: Option<ReviewMode>,
    /// What it is tied to.
    pub linked: Linked,
}

impl OpenRequest {
    /// A loop of a kind with a title, all else by default.
    pub fn new(kind: Kind, title: impl Into<String>) -> Self {
        Self {
            kind,
            title: title.into(),
            goal: None,
            domain: None,
            proposal: None,
            diff: None,
            slots: Vec::new(),
            preset: None,
            protocol_file: None,
            stop: None,
            gates: Vec::new(),
            verify: None,
            review_mode: None,
            linked: Linked::default(),
        }
    }
}

/// A kind or preset that a loop may be opened with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProtocolInfo {
    /// Its name: a kind, a built-in preset, or a file of the workspace.
    pub name: String,
    /// The kind of loop that it makes.
    pub kind: Kind,
    /// The phases in order.
    pub phases: Vec<Name>,
    /// Whether it is the workspace's own.
    pub from_workspace: bool,
    /// What lint says of it.
    #[serde(skip)]
    pub lint: Lint,
}

/// A loop with all that it holds, to take away.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The loop.
    pub state: Arc<Loop>,
    /// What happened, oldest first.
    pub events: Vec<Event>,
    /// The texts of its artifacts, long ones too.
    pub bodies: std::collections::BTreeMap<ArtifactId, String>,
    /// All of it as Markdown.
    pub markdown: String,
}

/// How a brief is assembled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BriefRequest {
    /// For which slot; absent = the one that plays the phase.
    pub slot: Option<String>,
    /// The cap in characters; absent = config, else 48,000.
    pub max_chars: Option<usize>,
    /// Items a category; absent = config, else 8.
    pub top_k: Option<usize>,
}
