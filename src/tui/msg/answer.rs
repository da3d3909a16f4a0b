//! What the workers answer.

use std::path::PathBuf;
use std::sync::Arc;

use crate::core::dream::what_if::WhatIf;
use crate::core::loops::coverage::Coverage;
use crate::core::loops::diff::Difference;
use crate::core::loops::explain::Why;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::past::Past;
use crate::core::loops::refusal::Decision;
use crate::core::loops::{Event, Loop};
use crate::core::memory::MemoryItem;
use crate::core::session::{Session, SessionId};
use crate::engine::{
    AttemptDone, Brief, Diagnosis, DispatchOffer, Done, DreamDone, DreamStatus, Error, Findings,
    ImportReport, InitReport, Listing, Log, MemoryPage, Problem, Provenance, Reading, SeenInsight,
    SessionDone, SessionListing, Verified, Worker,
};
use crate::tui::app::dreams::DreamsData;
use crate::tui::app::events::EventRow;
use crate::tui::app::workers::Worked;
use crate::tui::form::{FormContext, Preview};

use super::{FormOrder, Request};

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
    /// An import, and what of the workspace could still be imported.
    Imported(ImportReport, Vec<PathBuf>),
    /// A memory item was filed or changed.
    Remembered(MemoryItem),
    /// A memory item was removed.
    Forgotten(MemoryItem),
    /// A loop was saved as Markdown.
    Saved(PathBuf),
    /// What a run takes was approved; of a loop, if it was that of one.
    Approved(Option<LoopId>),
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
    Body(LoopId, ArtifactId, Result<Reading, Error>),
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
    Events(Result<Log<EventRow>, Error>),
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
    /// The workers that have ended, each with what it said last and what it replied.
    EndedWorkers(Result<Vec<(Worker, Vec<String>)>, Error>),
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
