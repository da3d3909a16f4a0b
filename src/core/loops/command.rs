//! What can be asked of a loop: the verbs with their arguments (engine.md §6).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::attempt::{AttemptCommand, Proof};
use super::binding::Sequence;
use super::condition::Condition;
use super::event::Outcome;
use super::history::History;
use super::ids::{ArtifactId, LoopId, Name};
use super::model::{
    Actor, BodyFile, Linked, ObjectRef, QuestionOption, QuestionScope, Status, TimeoutPolicy,
};
use super::protocol::{Kind, Protocol, ReviewMode};
use crate::core::memory::Category;
use crate::core::time::Timestamp;

pub use super::new_slot::NewSlot;
pub use super::verify_run::VerifyRun;

/// A body as it comes in: the whole text, and where its bytes were put if
/// they are over the inline cap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Body {
    /// The whole text.
    pub text: String,
    /// The file that holds it, when it is not to stand inline. Left out of the
    /// request's identity: it follows from the text.
    #[serde(skip)]
    pub file: Option<BodyFile>,
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), file: None }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self { text, file: None }
    }
}

/// Where the content of a new artifact comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// No content: only for a critic_signal.
    #[default]
    None,
    /// A text.
    Body(Body),
    /// A file of the workspace, by path, with its length and hash.
    File(BodyFile),
    /// A thing elsewhere.
    Object(ObjectRef),
    /// An earlier artifact of this loop, filed again. `body` is that one's
    /// content, looked up by the engine.
    From {
        /// Which.
        artifact: ArtifactId,
        /// Its content.
        #[serde(skip)]
        body: Body,
    },
}

/// A new artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewArtifact {
    /// Its type.
    pub artifact_type: String,
    /// A label, only on critiques.
    pub subtype: Option<String>,
    /// The phase to file it under; absent = the current one.
    pub phase: Option<String>,
    /// The round to file it under, counted from 1; absent = the last one that
    /// entered the phase.
    pub round: Option<u32>,
    /// What it says.
    pub content: Content,
    /// The critiques that it answers.
    pub addresses: Vec<String>,
    /// The critiques that it sets aside, with reasons.
    pub waives: BTreeMap<String, String>,
    /// Memory ids or workspace paths that it relies on.
    pub cites: Vec<String>,
}

/// Which slot is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotSelector {
    /// This one: an id, a unique beginning of one, or a role that is unique.
    Slot(String),
    /// A free one of this role.
    Role(String),
}

/// What a new loop is to be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenLoop {
    /// Its kind.
    pub kind: Kind,
    /// One line, 1 to 200 characters.
    pub title: String,
    /// What is wanted.
    pub goal: Option<String>,
    /// Its domain.
    pub domain: Option<String>,
    /// The proposal (in review: the change summary).
    pub proposal: Option<Body>,
    /// A diff, filed beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Body>,
    /// The participants; empty = the kind's default.
    pub slots: Vec<NewSlot>,
    /// The protocol, already resolved from kind, preset or file.
    pub protocol: Protocol,
    /// A stop condition in place of the protocol's.
    pub stop: Option<Condition>,
    /// Gates in place of the protocol's; `None` takes one away.
    pub gates: Vec<(String, Option<Condition>)>,
    /// The command that tells green from red, as argv.
    pub verify: Option<Vec<String>>,
    /// How a review runs.
    pub review_mode: Option<ReviewMode>,
    /// What it is tied to.
    pub linked: Linked,
}

/// A question to the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewQuestion {
    /// The slot that asks; absent = the one whose turn is live.
    pub slot: Option<String>,
    /// What is asked, 1 to 500 characters.
    pub text: String,
    /// What it rests on, at least one line.
    pub evidence: Vec<String>,
    /// The answers that it offers: none, or 2 to 4.
    pub options: Vec<QuestionOption>,
    /// What holds if it is skipped: one of the options where there are any.
    pub default: Option<String>,
    /// What waits for the answer.
    pub scope: QuestionScope,
    /// What happens when its time is up.
    pub on_timeout: TimeoutPolicy,
    /// A time or a span, as written; absent = the protocol's longest pause.
    pub deadline: Option<String>,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// In words.
    Text(String),
    /// By one of its options.
    Choose(String),
    /// By its default.
    Skip,
}

/// Changes to a loop's head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Amend {
    /// A new title.
    pub title: Option<String>,
    /// A new goal; empty takes it away.
    pub goal: Option<String>,
    /// A new domain; empty takes it away.
    pub domain: Option<String>,
    /// A new verify command; `Some(None)` takes it away.
    pub verify: Option<Option<Vec<String>>>,
    /// A larger round cap.
    pub max_rounds: Option<u32>,
    /// Slots to add.
    pub add_slots: Vec<NewSlot>,
    /// Slots to give to an agent, or to nobody.
    pub assign: Vec<(String, Option<String>)>,
    /// Slots to take away.
    pub remove_slots: Vec<String>,
}

/// A verb on an existing loop, with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Command {
    /// Give a slot its turn.
    Turn {
        /// Which slot.
        slot: SlotSelector,
        /// What it is told besides its brief.
        input: Option<String>,
    },
    /// End a turn.
    CompleteTurn {
        /// Which slot.
        slot: String,
        /// Which of its turns; absent = the live one.
        turn: Option<String>,
        /// How.
        outcome: Outcome,
        /// Why it failed or was called off.
        reason: Option<String>,
        /// What it brought.
        artifacts: Vec<NewArtifact>,
        /// What a dispatched turn's agent signs with.
        #[serde(skip_serializing_if = "Option::is_none")]
        proof: Option<Proof>,
    },
    /// Say something.
    AddArtifact(NewArtifact),
    /// Put a new version in an artifact's place.
    Supersede {
        /// Which.
        artifact: String,
        /// The new version; fields left out are the old one's.
        new: SupersedeWith,
    },
    /// Take an artifact back.
    Retract {
        /// Which.
        artifact: String,
        /// Why.
        reason: String,
    },
    /// Set a critique aside.
    Waive {
        /// Which.
        artifact: String,
        /// Why.
        reason: String,
    },
    /// Change head fields.
    Amend(Amend),
    /// Leave the phase.
    Advance {
        /// A phase by name; absent = the next one by the rules.
        to: Option<String>,
        /// Past a shut gate and pending slots.
        force: bool,
        /// Why; needed for force and for leaving a shut gate.
        reason: Option<String>,
    },
    /// Say what an implementation carries out, and go on to it.
    Bind {
        /// Plans: memory items, plan_drafts (`art_…`, `lop_…/art_…`) or files.
        plans: Vec<String>,
        /// Steps in lanes.
        sequence: Option<Sequence>,
    },
    /// Ask the operator something.
    Ask(NewQuestion),
    /// Answer a question.
    Answer {
        /// Which.
        question: String,
        /// What.
        reply: Reply,
    },
    /// Carry out what overdue questions bring: the engine's own verb.
    Timeout,
    /// Hold the loop.
    Pause {
        /// Why.
        reason: Option<String>,
    },
    /// Go on.
    Resume,
    /// End the loop.
    Close {
        /// With which status: completed, cancelled or blocked.
        status: Status,
        /// Why; needed for cancelled and blocked.
        reason: Option<String>,
    },
    /// Take a closed loop up again.
    Reopen {
        /// Why.
        reason: String,
        /// How many rounds to add.
        rounds: u32,
    },
    /// Change the loop's ties.
    Link(LinkChange),
    /// Take the newest change back, or go back to an earlier moment.
    Undo {
        /// The last seq of the commit to go back to; absent = one change back.
        to: Option<u64>,
    },
    /// Take the last undo back.
    Redo,
    /// Put the loop away.
    Archive,
    /// Take the loop out again.
    Unarchive,
    /// File the report of a run of the verify command. Only the engine says it.
    RecordVerify {
        /// What came of the run.
        run: VerifyRun,
        /// The phase in which it was started.
        phase: Name,
        /// The iteration in which it was started, 0-based.
        iteration: u32,
    },
    /// Say how good the work in a phase was.
    Rate {
        /// Which phase.
        phase: String,
        /// From 0 to 1.
        reward: f64,
    },
    /// A step of a turn that is handed to a worker.
    Attempt(AttemptCommand),
    /// Make an artifact a memory item.
    Promote {
        /// Which.
        artifact: String,
        /// Its category; absent = by the artifact's type.
        category: Option<Category>,
    },
}

impl Command {
    /// Whether `Ctx::history` is needed to decide it.
    pub fn needs_history(&self) -> bool {
        matches!(self, Command::Undo { .. } | Command::Redo)
    }

    /// The verb as the command line calls it.
    pub fn verb(&self) -> &'static str {
        match self {
            Command::Turn { .. } => "turn",
            Command::CompleteTurn { .. } => "complete",
            Command::AddArtifact(_) => "add",
            Command::Supersede { .. } => "supersede",
            Command::Retract { .. } => "retract",
            Command::Waive { .. } => "waive",
            Command::Amend(_) => "amend",
            Command::Advance { .. } => "advance",
            Command::Bind { .. } => "bind",
            Command::Ask(_) => "ask",
            Command::Answer { .. } => "answer",
            Command::Timeout => "timeout",
            Command::Pause { .. } => "pause",
            Command::Resume => "resume",
            Command::Close { .. } => "close",
            Command::Reopen { .. } => "reopen",
            Command::Link(_) => "link",
            Command::Undo { .. } => "undo",
            Command::Redo => "redo",
            Command::Archive => "archive",
            Command::Unarchive => "unarchive",
            Command::RecordVerify { .. } => "verify",
            Command::Rate { .. } => "rate",
            Command::Attempt(step) => step.verb(),
            Command::Promote { .. } => "promote",
        }
    }
}

/// The new version of an artifact; what is absent is taken over from the old one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SupersedeWith {
    /// What it says.
    pub content: Content,
    /// The critiques that it answers.
    pub addresses: Option<Vec<String>>,
    /// The critiques that it sets aside.
    pub waives: Option<BTreeMap<String, String>>,
    /// What it relies on.
    pub cites: Option<Vec<String>>,
    /// Its label.
    pub subtype: Option<String>,
}

/// Ties to add, or to take away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkChange {
    /// Plans.
    pub plans: Vec<String>,
    /// Sequences.
    pub sequences: Vec<String>,
    /// The loop that it follows.
    pub source: Option<LoopId>,
    /// Its iteration session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Whether these are taken away rather than added.
    pub remove: bool,
}

/// What the world adds to a command: time, chance, who asks, what exists.
#[derive(Clone, Debug, PartialEq)]
pub struct Ctx {
    /// Now.
    pub now: Timestamp,
    /// Who asks.
    pub actor: Actor,
    /// What an agent may do beyond its station (config grants).
    pub grants: Grants,
    /// What new ids are derived from; another value for every command.
    pub entropy: [u8; 32],
    /// The digest of the workspace, if it was taken.
    pub workspace_digest: Option<String>,
    /// Those of the cited names that exist.
    pub known_cites: BTreeSet<Name>,
    /// The loop's commits; only undo and redo look at them.
    pub history: Option<Arc<History>>,
}

/// Operator-only verbs that an agent was granted, by verb name (`force`, `amend`, …).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(pub BTreeSet<String>);
