//! What comes in, what goes out: messages and effects.
//!
//! `update` takes a [`Msg`] and answers with [`Effect`]s; the runtime carries
//! these out and sends what comes of them back as messages. Nothing that waits
//! for a disk or a lock happens in between.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};

use crate::core::dream::marks::Mark;
use crate::core::dream::what_if::WhatIf;
use crate::core::loops::command::Command;
use crate::core::loops::coverage::Coverage;
use crate::core::loops::diff::Difference;
use crate::core::loops::explain::Why;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::past::Past;
use crate::core::loops::refusal::Decision;
use crate::core::loops::{Event, Loop};
use crate::core::memory::MemoryItem;
use crate::core::session::{Session, SessionId};
use crate::core::time::Timestamp;
use crate::engine::{
    AttemptDone, Brief, Cancel, Change, Diagnosis, DispatchOffer, Done, DreamDone, DreamStatus,
    Error, Findings, ImportReport, InitReport, Listing, Log, MemoryPage, Problem, Provenance,
    RunDraft, SeenInsight, SessionDone, SessionListing, Supposition, Verified, Worker,
};
use crate::tui::app::dreams::{DreamsData, Progress};
use crate::tui::app::run::Output;
use crate::tui::app::workers::{Work, Worked};
use crate::tui::form::{Draft, FieldId, FormContext, FormKind, Preview, Submission};

/// Something that happened.
#[allow(clippy::large_enum_variant)] // One at a time, never stored.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted in one piece.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// The terminal got the focus, or lost it.
    Focus(bool),
    /// The terminal has another size: columns and rows.
    Resize(u16, u16),
    /// Time went on: the minute, a running turn's second, or a toast's end.
    Tick,
    /// The terminal went away; the runtime ends the deck before anybody asks.
    HungUp,
    /// The worker has an answer.
    Answer(Answer),
    /// The command that runs has said something.
    RunOutput,
    /// The dream that is under way has got further.
    DreamPace,
    /// Somebody else changed something.
    Changed(Change),
    /// The editor was closed.
    Edited {
        /// What it was for.
        purpose: EditPurpose,
        /// What was written, or why it didn't run.
        result: Result<String, String>,
    },
}

/// What is to be done outside the state.
#[allow(clippy::large_enum_variant)] // A handful at a time, never stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the engine.
    Ask(Request),
    /// Put a text on the clipboard.
    Copy(String),
    /// Let the person edit a text.
    Edit {
        /// What for.
        purpose: EditPurpose,
        /// The text.
        text: String,
    },
    /// Capture the mouse, or give it back.
    CaptureMouse(bool),
    /// Draw every cell again.
    Repaint,
    /// Call a person who looks elsewhere.
    Call(Call),
    /// Go to the background.
    Suspend,
    /// Keep what is written in a form (or forget it).
    KeepDraft(Option<Box<Draft>>),
    /// End.
    Quit,
}

/// How a person is called who looks elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// By the bell.
    pub bell: bool,
    /// By a notification of the desktop that says this.
    pub desktop: Option<String>,
}

/// Why a text is handed to an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditPurpose {
    /// A form's field.
    Field(FieldId),
    /// A new version of an artifact; the text is its present body.
    Artifact(LoopId, ArtifactId, Arc<str>),
    /// A memory item; the text is its present one.
    Memory(Arc<str>, Arc<str>),
    /// Only to read.
    Look,
}

/// A question to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Open the workspace.
    Open,
    /// Make a workspace in the current folder and open it.
    Init,
    /// Make the demo and open it.
    Demo,
    /// Tell of what others change from now on. Asked once the list is there, so
    /// that it never waits for the watching to begin.
    Watch,
    /// The list of loops.
    List,
    /// What is wrong with the workspace as a whole.
    Problems,
    /// All about one loop.
    Detail(LoopId),
    /// An artifact's body.
    Body(LoopId, ArtifactId),
    /// What the slot that plays the phase would read.
    Brief(LoopId),
    /// All memory items.
    Memory,
    /// All that the Dreams screen shows, of a dream or of the latest.
    Dreams(Option<String>),
    /// When a dream is due.
    DreamStatus,
    /// What an insight rests on.
    Provenance(String),
    /// What would be under a supposition.
    WhatIf(Supposition),
    /// The text of a reward record's file.
    RecordFile(String),
    /// Dream, on a thread of its own.
    Dream {
        /// Whether nobody asked for it.
        by_itself: bool,
        /// Ends it.
        cancel: Cancel,
        /// Where it says how far it is.
        progress: Progress,
    },
    /// Mark an insight, or take its mark away.
    MarkInsight {
        /// Which.
        id: String,
        /// As what.
        mark: Option<Mark>,
    },
    /// The newest events of all loops, at most so many.
    Events(usize),
    /// What a form may show.
    Form(FormOrder),
    /// What a submission of a form would do.
    Preview {
        /// The form's ticket.
        ticket: u64,
        /// What would be submitted.
        submission: Submission,
    },
    /// Where an advance would go.
    PreviewAdvance(LoopId, u64),
    /// What an undo would take back.
    PreviewUndo {
        /// Of which loop.
        loop_id: LoopId,
        /// To right after this event; absent = the newest change alone.
        to: Option<u64>,
    },
    /// A loop's whole past.
    Past(LoopId),
    /// A loop as Markdown.
    Export(LoopId),
    /// Check every store.
    Doctor,
    /// Save a loop as Markdown in a new file.
    SaveExport(LoopId),
    /// The artifacts of all loops that hold some words.
    Search(String),
    /// All sessions, in a line each.
    Sessions,
    /// All of one session.
    Session(SessionId),
    /// Run a command as an attempt of a session.
    RunAttempt {
        /// Which session.
        session_id: SessionId,
        /// What to run.
        draft: RunDraft,
        /// Ends it.
        cancel: Cancel,
        /// Where its output goes.
        output: Output,
    },
    /// Carry it out.
    Submit {
        /// What.
        submission: Submission,
        /// Who asked: a form waits for the answer, or a key was pressed.
        origin: Origin,
    },
    /// Run a loop's verify command.
    Verify {
        /// Which loop's.
        loop_id: LoopId,
        /// Ends it.
        cancel: Cancel,
        /// Where its output goes.
        output: Output,
    },
    /// Approve a command on this machine, to run it.
    Approve {
        /// The loop that it is of.
        loop_id: LoopId,
        /// The command.
        argv: Vec<String>,
    },
    /// What the workers do.
    Workers,
    /// Something with workers.
    Work(Work),
    /// End the deck: never asked of the engine.
    Leave,
    /// Resolve a loop's questions whose time is up.
    ResolveOverdue(LoopId),
    /// Move a memory item to quarantine.
    RemoveMemory(Arc<str>),
}

impl Request {
    /// Requests with the same name answer the same question: a newer one makes
    /// an older one that has not begun needless. None for what changes something.
    pub fn resource(&self) -> Option<&'static str> {
        Some(match self {
            Request::List => "list",
            Request::Problems => "problems",
            Request::Detail(_) => "detail",
            Request::Body(..) => "body",
            Request::Brief(_) => "brief",
            Request::Memory => "memory",
            Request::Dreams(_) => "dreams",
            Request::DreamStatus => "dream-status",
            Request::Provenance(_) => "provenance",
            Request::WhatIf(_) => "what-if",
            Request::RecordFile(_) => "record-file",
            Request::Events(_) => "events",
            Request::Form(_) => "form",
            Request::Preview { .. } => "preview",
            Request::PreviewAdvance(..) => "advance",
            Request::PreviewUndo { .. } => "undo",
            Request::Past(_) => "past",
            Request::Export(_) => "export",
            Request::Doctor => "doctor",
            Request::Search(_) => "search",
            Request::Workers => "workers",
            Request::Sessions => "sessions",
            Request::Session(_) => "session",
            Request::Open
            | Request::Init
            | Request::Demo
            | Request::Watch
            | Request::Submit { .. }
            | Request::Verify { .. }
            | Request::Dream { .. }
            | Request::MarkInsight { .. }
            | Request::RunAttempt { .. }
            | Request::Approve { .. }
            | Request::ResolveOverdue(_)
            | Request::Work(_)
            | Request::Leave
            | Request::SaveExport(_)
            | Request::RemoveMemory(_) => return None,
        })
    }
}

/// What a form needs to open.
#[derive(Clone, Debug, PartialEq)]
pub struct FormOrder {
    /// Which form.
    pub kind: FormKind,
    /// The loop that it is about.
    pub loop_id: Option<LoopId>,
    /// The artifact that was chosen.
    pub artifact: Option<ArtifactId>,
    /// The memory item that was chosen.
    pub item: Option<Arc<str>>,
    /// The session that is meant.
    pub session: Option<SessionId>,
    /// A text that takes the place of the present body.
    pub text: Option<String>,
}

/// Who asked for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The form that is open.
    Form,
    /// A key, without a form.
    Key,
}

/// All that the detail pane shows of a loop, as of one moment.
#[derive(Clone, Debug)]
pub struct DetailData {
    /// The loop.
    pub state: Arc<Loop>,
    /// Why it stands where it stands.
    pub why: Why,
    /// How its critiques stand.
    pub coverage: Coverage,
    /// The dream insights that its brief is confronted with.
    pub insights: Vec<SeenInsight>,
    /// Its newest events, newest last.
    pub log: Log,
    /// What is wrong with its files.
    pub problems: Vec<Problem>,
    /// The turns that could be handed to workers now.
    pub offers: Vec<DispatchOffer>,
    /// The iteration session that it links, if that can be read.
    pub session: Option<Arc<Session>>,
}

/// The workspace that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// Its root folder.
    pub root: PathBuf,
    /// Why nothing may be written, if so.
    pub read_only: Option<String>,
    /// What is wrong with it as a whole.
    pub problems: Vec<Problem>,
    /// Files and folders that could be imported as memory.
    pub importable: Vec<PathBuf>,
    /// Whether it was made just now.
    pub created: bool,
}

/// What a change brought.
#[derive(Debug)]
pub enum Outcome {
    /// A verb on a loop.
    Done(Box<Done>),
    /// A new loop.
    Opened(Box<Done>),
    /// An import.
    Imported(ImportReport),
    /// A memory item was filed or changed.
    Remembered(MemoryItem),
    /// A memory item was removed.
    Forgotten(MemoryItem),
    /// A loop was saved as Markdown.
    Saved(PathBuf),
    /// The command of a loop was approved.
    Approved(LoopId),
    /// Something was done with workers.
    Worked(Box<Worked>),
    /// An insight was marked.
    Marked(Box<SeenInsight>),
    /// A session was started.
    Session(Box<SessionDone>),
    /// An attempt was recorded.
    Attempt(Box<AttemptDone>),
}

/// An answer of the engine.
#[derive(Debug)]
pub enum Answer {
    /// The workspace is open, or why not.
    Opened(Result<Box<Workspace>, Error>),
    /// Others' changes are not seen, and why.
    Unwatched(Error),
    /// What is wrong with the workspace as a whole, now.
    Problems(Result<Vec<Problem>, Error>),
    /// The loops.
    Listing(Result<Listing, Error>),
    /// All about one loop.
    Detail(LoopId, Result<Box<DetailData>, Error>),
    /// A body.
    Body(LoopId, ArtifactId, Result<String, Error>),
    /// A brief.
    Brief(LoopId, Result<Box<Brief>, Error>),
    /// Memory items.
    Memory(Result<MemoryPage, Error>),
    /// What the Dreams screen shows.
    Dreams(Result<Box<DreamsData>, Error>),
    /// When a dream is due.
    DreamStatus(Result<Box<DreamStatus>, Error>),
    /// What an insight rests on.
    Provenance(String, Result<Box<Provenance>, Error>),
    /// What would be under a supposition.
    WhatIf(Result<Box<WhatIf>, Error>),
    /// A reward record's path and the text of its file.
    RecordFile(String, Result<String, Error>),
    /// A dream has ended.
    Dreamt {
        /// Whether nobody asked for it.
        by_itself: bool,
        /// What it came to; absent if it was ended or not due.
        result: Result<Option<Box<DreamDone>>, Error>,
    },
    /// Events of all loops, newest first.
    Events(Result<Log, Error>),
    /// What a form may show.
    Form(FormOrder, Result<Box<FormContext>, Error>),
    /// What a form's submission would do.
    Preview(u64, Preview),
    /// Where an advance would go, and from which version.
    Advance(LoopId, u64, Result<Decision, Error>),
    /// What an undo would take back.
    Undo(LoopId, Result<Box<UndoLook>, Error>),
    /// A loop's whole past.
    Past(LoopId, Result<Arc<Past>, Error>),
    /// A loop, its title and its Markdown.
    Export(Result<(LoopId, String, String), Error>),
    /// What the doctor found.
    Doctor(Result<Box<Diagnosis>, Error>),
    /// What was found for some words.
    Search(String, Result<Findings, Error>),
    /// What the workers do, each with the end of what it said.
    Workers(Result<Vec<(Worker, Vec<String>)>, Error>),
    /// The sessions.
    Sessions(Result<SessionListing, Error>),
    /// A session.
    Session(SessionId, Result<Arc<Session>, Error>),
    /// The run of an attempt has ended, or was not begun.
    Ran(SessionId, Result<Box<AttemptDone>, Error>),
    /// A verify command has ended, or was not run.
    Verified(LoopId, Result<Box<Verified>, Error>),
    /// A change was made, or why not.
    Submitted {
        /// What was asked.
        request: Box<Request>,
        /// What came of it.
        result: Result<Outcome, Error>,
    },
}

/// What an undo would take back.
#[derive(Clone, Debug)]
pub struct UndoLook {
    /// The version that was looked at.
    pub version: u64,
    /// To right after which event it goes back, where that has to be named.
    pub to: Option<u64>,
    /// To right after which event it goes back.
    pub back_to: u64,
    /// What is worth a thought before.
    pub warning: Option<String>,
    /// What would be different.
    pub differences: Vec<Difference>,
    /// What happened since that moment, oldest first.
    pub events: Vec<Event>,
}

/// An advance by the rules, from a version.
pub fn advance(loop_id: LoopId, version: u64) -> Submission {
    Submission::Execute {
        loop_id,
        command: Command::Advance { to: None, force: false, reason: None },
        expected_version: Some(version),
    }
}

/// What opening told of an init.
impl From<InitReport> for Workspace {
    fn from(report: InitReport) -> Self {
        Self {
            name: String::new(),
            root: report.root,
            read_only: None,
            problems: Vec::new(),
            importable: report.importable,
            created: report.created,
        }
    }
}

/// A moment on the screen's clock: what ages are counted from, and the zone
/// that times of day are told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenClock {
    /// Now.
    pub now: Timestamp,
    /// Minutes east of UTC.
    pub zone: i32,
    /// How long the deck runs, as a moment since the epoch: it goes on where
    /// `now` is held still.
    pub uptime: Timestamp,
}
