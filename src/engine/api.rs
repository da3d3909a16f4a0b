//! What the engine can be asked, and what it answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

pub use crate::core::brief::{Brief, RankedItem};
use crate::core::loops::Event;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::command::NewSlot;
use crate::core::loops::condition::Condition;
use crate::core::loops::ids::{ArtifactId, LoopId, Name};
use crate::core::loops::lint::Lint;
use crate::core::loops::model::{Actor, Linked, Loop, Status};
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::loops::refusal::{Made, NextStep, Refusal};
use crate::core::memory::{Category, MemoryItem};
use crate::core::time::Timestamp;

/// What went wrong, with all that a person or a script needs to act.
///
/// `code` is one of interfaces.md "Codes"; its class decides the exit status.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Error(pub Box<Refusal>);

impl Error {
    /// An error from its code and sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Refusal::new(code, message)))
    }

    /// Its stable name.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What would help.
    pub fn next_steps(&self) -> &[NextStep] {
        &self.0.next_steps
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self(Box::new(refusal))
    }
}

/// What a method answers.
pub type Result<T> = std::result::Result<T, Error>;

/// How an engine is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The workspace folder, if it was named (`--workspace`).
    pub workspace: Option<PathBuf>,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// The clock; absent = `LOOPDECK_NOW` where set, else the system's. The demo
    /// plays its script on a clock of its own, so that its ages look alive.
    pub clock: Option<Clock>,
    /// What new ids are derived from; absent = `LOOPDECK_SEED` where set, else chance.
    pub seed: Option<u64>,
    /// Whether writes are not flushed to the disk: only for what may be lost,
    /// like a demo that is being made.
    pub unflushed: bool,
    /// How long a change waits for a loop that another process is changing;
    /// absent = what the settings say, else 5 s.
    pub lock_wait: Option<Duration>,
}

/// Where the present moment comes from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// A clock that asks a function.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The moment that it shows.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// What `init` is to do.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    /// Keep everything under version control, loops included.
    pub track: bool,
}

/// What `init` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InitReport {
    /// The workspace's root.
    pub root: PathBuf,
    /// Whether it was made now (else it was there).
    pub created: bool,
    /// Files and folders that could be imported as memory: CLAUDE.md, AGENTS.md,
    /// folders of decision records.
    pub importable: Vec<PathBuf>,
}

/// Where things are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Paths {
    /// The workspace's root; absent outside one.
    pub workspace: Option<PathBuf>,
    /// Its `.loopdeck` folder.
    pub store: Option<PathBuf>,
    /// The user's settings.
    pub config: PathBuf,
    /// The user's state: drafts, last selection.
    pub state: PathBuf,
    /// Caches.
    pub cache: PathBuf,
}

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
    /// The questions that wait for an answer.
    pub questions: usize,
    /// The next moment at which a question's time is up.
    pub deadline: Option<Timestamp>,
}

impl LoopSummary {
    /// Days after which a closed loop is folded away from lists (interfaces.md,
    /// "loop list").
    pub const FOLDED_AFTER_DAYS: i64 = 14;

    /// Whether lists leave it out unless asked: put away, or closed for more
    /// than 14 days.
    pub fn is_folded_away(&self, now: Timestamp) -> bool {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        self.archived
            || self.closed_at.is_some_and(|at| now.since(at) > Self::FOLDED_AFTER_DAYS * DAY_MS)
    }
}

/// Something on disk that could not be used. The rest still works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Which file or folder.
    pub path: PathBuf,
    /// `damaged`, `newer_format`, `io`, `tail`, `chain`, …
    pub code: &'static str,
    /// What, where (line, field), what to do.
    pub message: String,
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

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Of one loop; absent = of all, newest first.
    pub loop_id: Option<LoopId>,
    /// Of one kind of event.
    pub kind: Option<String>,
    /// By one actor.
    pub by: Option<Actor>,
    /// The newest so many; absent = all.
    pub limit: Option<usize>,
}

/// One event with its loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Which loop.
    pub loop_id: LoopId,
    /// The loop's title.
    pub title: Arc<str>,
    /// What happened.
    pub event: Event,
}

/// Some events, newest last for one loop, newest first for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The events.
    pub entries: Vec<LogEntry>,
    /// How many match in all.
    pub total: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// An artifact that a search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// In which loop.
    pub loop_id: LoopId,
    /// The loop's title.
    pub title: String,
    /// Which artifact.
    pub artifact_id: ArtifactId,
    /// Its type.
    pub artifact_type: Name,
    /// The phase that it was filed in.
    pub phase: Name,
    /// The round that it was filed in, from 1.
    pub round: u32,
    /// When it was filed.
    pub produced_at: Timestamp,
    /// How well it matches; only the order means something.
    pub score: f64,
    /// The piece of its text around the first match.
    pub excerpt: String,
}

/// What a search found, the best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The artifacts.
    pub found: Vec<Found>,
    /// How many match in all.
    pub total: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
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

/// Which memory items are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryQuery {
    /// Of these categories; empty = of all.
    pub categories: Vec<Category>,
    /// The words to rank by; absent = newest first.
    pub words: Option<String>,
    /// At most so many; absent = all.
    pub limit: Option<usize>,
    /// After so many.
    pub offset: usize,
}

/// Some memory items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryPage {
    /// The items.
    pub items: Vec<Arc<MemoryItem>>,
    /// How many match in all.
    pub total: usize,
    /// Where the next page begins, if there is one.
    pub next_offset: Option<usize>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A new memory item, or changes to one (absent = unchanged).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryDraft {
    /// Its category.
    pub category: Option<Category>,
    /// One line.
    pub title: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
    /// Paths that it speaks of.
    pub paths: Option<Vec<String>>,
    /// Where it came from.
    pub source: Option<String>,
}

/// One thing that an import left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Which file (with `:line` or `#item` where it holds several).
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What an import brought, or would bring.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ImportReport {
    /// The new items.
    pub imported: Vec<MemoryItem>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// How many things were looked at.
    pub total: usize,
    /// Whether nothing was written.
    #[serde(skip)]
    pub dry_run: bool,
}

/// What changed on disk by somebody else's hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// This loop.
    Loop(LoopId),
    /// Loops came or went.
    Loops,
    /// Memory items.
    Memory,
    /// The workspace's settings, protocols or profiles.
    Settings,
}

/// A handle that ends the watching when it is dropped.
pub struct Watch {
    /// Keeps the watcher alive.
    pub(crate) _keep: Box<dyn std::any::Any + Send>,
}
