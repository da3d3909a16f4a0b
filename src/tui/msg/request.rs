//! What the deck asks its workers for.

use std::sync::Arc;

use crate::core::dream::marks::Mark;
use crate::core::loops::command::Command;
use crate::core::loops::ids::{ArtifactId, LoopId, SlotId};
use crate::core::session::SessionId;
use crate::engine::{Cancel, RunDraft, Supposition};
use crate::tui::app::dreams::Progress;
use crate::tui::app::run::Output;
use crate::tui::app::workers::Work;
use crate::tui::form::{FormKind, Submission};

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
    /// Approve a command on this machine, or variables that it is handed, to run it.
    Approve {
        /// The loop that it is of, if it is of one.
        loop_id: Option<LoopId>,
        /// The command; empty where it is approved already.
        argv: Vec<String>,
        /// The variables.
        variables: Vec<String>,
    },
    /// What the workers do.
    Workers,
    /// Those that have ended, how, and what they left.
    EndedWorkers,
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
            Request::EndedWorkers => "ended-workers",
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
    /// The slot that was chosen.
    pub slot: Option<SlotId>,
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

/// An advance by the rules, from a version.
pub fn advance(loop_id: LoopId, version: u64) -> Submission {
    Submission::Execute {
        loop_id,
        command: Command::Advance { to: None, force: false, reason: None },
        expected_version: Some(version),
    }
}
