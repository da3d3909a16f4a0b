//! What goes into a form and what comes out of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString};

use crate::core::loops::Loop;
use crate::core::loops::command::Command;
use crate::core::loops::coverage::Coverage;
use crate::core::loops::explain::Why;
use crate::core::loops::ids::{ArtifactId, LoopId, SlotId};
use crate::core::loops::refusal::Decision;
use crate::core::loops::template::Template;
use crate::core::memory::{Category, MemoryItem};
use crate::core::session::{Session, SessionId};
use crate::engine::{
    AttemptDraft, Error, ImportReport, Importable, MemoryDraft, OpenRequest, ProtocolInfo,
    RunDraft, SessionDraft,
};
use crate::tui::msg::Zone;

/// The forms that there are.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumIter,
    EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FormKind {
    /// Open a loop.
    NewLoop,
    /// File an artifact.
    Artifact,
    /// Give a slot its turn.
    Turn,
    /// End a turn, with what it brought.
    Complete,
    /// Leave the phase; shows where to.
    Advance,
    /// Leave the phase past a shut gate.
    Force,
    /// Import files as memory.
    MemoryImport,
    /// Add a memory item.
    MemoryAdd,
    /// Change a memory item.
    MemoryEdit,
    /// Put a new version in an artifact's place.
    Supersede,
    /// Take an artifact back.
    Retract,
    /// Set a critique aside.
    Waive,
    /// Change a loop's head.
    Amend,
    /// Ask the operator something.
    Ask,
    /// Answer a question.
    Answer,
    /// Hold a loop.
    Pause,
    /// End a loop by hand.
    Close,
    /// Take a closed loop up again.
    Reopen,
    /// Change a loop's ties.
    Link,
    /// Say what an implementation carries out.
    Bind,
    /// Make an artifact a memory item.
    Promote,
    /// Start an iteration session.
    NewSession,
    /// Record an attempt that was made.
    RecordAttempt,
    /// Run a command as an attempt.
    RunAttempt,
    /// Give a session up.
    Escalate,
    /// Put another worker in one's place.
    TakeOver,
}

/// A field of a form, by meaning. Also the key of its value in a [`Draft`].
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)] // The names say it; each is a label on the screen.
pub enum FieldId {
    Kind,
    Title,
    Goal,
    Domain,
    Proposal,
    Protocol,
    ReviewMode,
    Verify,
    Slots,
    Type,
    Subtype,
    Slot,
    Artifact,
    Body,
    Cites,
    Addresses,
    Waives,
    WaiveReasons,
    Outcome,
    Result,
    Verdict,
    Reason,
    Input,
    Target,
    Status,
    Rounds,
    MaxRounds,
    AddSlots,
    Assign,
    RemoveSlots,
    Plans,
    Sequences,
    Source,
    Remove,
    Path,
    Category,
    Text,
    Tags,
    Paths,
    Question,
    Reply,
    Evidence,
    Options,
    Default,
    Scope,
    OnTimeout,
    Deadline,
    Session,
    GoalType,
    MaxAttempts,
    Action,
    Description,
    ExitCode,
    Gap,
    Raw,
    Command,
    Timeout,
}

/// A memory item as pickers show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRef {
    /// Its id.
    pub id: Arc<str>,
    /// What it is about.
    pub category: Category,
    /// Its title.
    pub title: String,
}

impl From<&MemoryItem> for MemoryRef {
    fn from(item: &MemoryItem) -> Self {
        Self { id: item.id.clone(), category: item.category, title: item.title.clone() }
    }
}

/// All that a form may show. What a form has no use for may be left out.
#[derive(Clone, Debug, Default)]
pub struct FormContext {
    /// The loop that it is about.
    pub state: Option<Arc<Loop>>,
    /// Why that loop stands where it stands.
    pub why: Option<Why>,
    /// How its critiques stand.
    pub coverage: Option<Coverage>,
    /// The memory items that may be cited.
    pub memory: Vec<MemoryRef>,
    /// The protocols that a loop may be opened with.
    pub protocols: Vec<ProtocolInfo>,
    /// The templates that it may start from.
    pub templates: Vec<Template>,
    /// The artifact that was chosen.
    pub artifact: Option<ArtifactId>,
    /// Its body in full, where the form edits it.
    pub body: Option<String>,
    /// The slot that was chosen.
    pub slot: Option<SlotId>,
    /// The memory item that is to be changed.
    pub item: Option<Arc<MemoryItem>>,
    /// The session that it is about.
    pub session: Option<Arc<Session>>,
    /// What the submission would do, if that is known already.
    pub preview: Option<Preview>,
    /// The workspace's root; paths below it are shown without it.
    pub root: PathBuf,
    /// Files and folders that could be imported.
    pub importable: Importable,
    /// What to fill a new loop with (a follow-up of another one).
    pub prefill: Option<OpenRequest>,
    /// What was written before an interruption.
    pub draft: Option<Draft>,
    /// Whose clock moments are told by.
    pub zone: Zone,
}

/// What a submission would do, as the engine answered it.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // One at a time, never stored.
pub enum Preview {
    /// A command's decision, not committed.
    Command(Result<Decision, Error>),
    /// An import's dry run.
    Import(Result<ImportReport, Error>),
}

/// What a form sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Submission {
    /// A verb on a loop.
    Execute {
        /// Which loop.
        loop_id: LoopId,
        /// The verb with its arguments.
        command: Command,
        /// The version that the person saw.
        expected_version: Option<u64>,
    },
    /// A verb on a loop, after the loop's verify command was set.
    WithVerify {
        /// Which loop.
        loop_id: LoopId,
        /// The verb with its arguments.
        command: Command,
        /// The verify command, as argv.
        argv: Vec<String>,
        /// The version that the person saw.
        expected_version: Option<u64>,
    },
    /// A new loop.
    Open(Box<OpenRequest>),
    /// A new loop that begins where another one was.
    Fork {
        /// The other one.
        loop_id: LoopId,
        /// Right after this event.
        at: u64,
    },
    /// Files as memory.
    Import {
        /// Which file or folder.
        path: PathBuf,
        /// The category, if it was chosen.
        category: Option<Category>,
        /// Whether nothing is to be written.
        dry_run: bool,
    },
    /// A new memory item.
    MemoryAdd(MemoryDraft),
    /// Changes to a memory item, by id.
    MemoryEdit(String, MemoryDraft),
    /// A new session, tied to a loop if one is named.
    StartSession(SessionDraft, Option<LoopId>),
    /// An attempt that was made.
    Record(SessionId, Box<AttemptDraft>),
    /// A command to run as an attempt.
    Run(SessionId, RunDraft),
    /// Giving a session up, and why.
    Escalate(SessionId, String),
    /// Another worker in the place of a slot's.
    TakeOver {
        /// Which loop.
        loop_id: LoopId,
        /// Which slot.
        slot_id: SlotId,
        /// Why.
        cause: String,
    },
}

/// What a form answers to an event.
#[derive(Clone, Debug, PartialEq)]
pub enum FormEvent {
    /// Nothing of the form's; the event may mean something elsewhere.
    Ignored,
    /// Something changed: draw.
    Redraw,
    /// Carry this out; then drop the form, or call [`super::Form::refused`].
    Submit(Submission),
    /// Drop the form.
    Cancelled,
    /// Let the person edit this text in their editor, then call
    /// [`super::Form::edited`].
    Editor {
        /// Which field.
        field: FieldId,
        /// Its text.
        text: String,
    },
    /// Something changed (draw), and what a submission would do is wanted:
    /// answer with [`super::Form::previewed`]. Only the newest ticket matters.
    PreviewWanted {
        /// To be given back with the answer.
        ticket: u64,
        /// What would be submitted; imports as a dry run.
        submission: Submission,
    },
}

/// What was written in a form, to be kept across a crash and offered again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Which form.
    pub form: FormKind,
    /// The loop that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<LoopId>,
    /// The artifact that the form was opened for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactId>,
    /// The memory item that it changes, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The session that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The phase that the loop was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The iteration that it was in, 0-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The fields' values.
    pub fields: BTreeMap<FieldId, serde_json::Value>,
}
