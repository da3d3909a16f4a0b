//! What comes in, what goes out: messages and effects.
//!
//! `update` takes a [`Msg`] and answers with [`Effect`]s; the runtime carries
//! these out and sends what comes of them back as messages. Nothing that waits
//! for a disk or a lock happens in between.

mod answer;
mod request;

use std::sync::Arc;

use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::time::Timestamp;
use crate::engine::Change;
use crate::tui::form::{Draft, FieldId};
use chrono::{Local, NaiveDateTime};
use crossterm::event::{KeyEvent, MouseEvent};

pub use answer::{Answer, DetailData, Outcome, UndoLook, Workspace};
pub use request::{FormOrder, Origin, Request, advance};

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
    /// Let the person read a text in the pager.
    Page(String),
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

/// A clock that tells the time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// The one on this machine's wall, which is put forward and back.
    Wall,
    /// One that shows so many minutes more than UTC, always.
    Fixed(i32),
}

impl Default for Zone {
    fn default() -> Self {
        Zone::Fixed(0)
    }
}

impl Zone {
    /// What the clock showed at a moment: by the offset that held then, not by today's.
    pub fn at(self, moment: Timestamp) -> NaiveDateTime {
        match self {
            Zone::Wall => moment.to_utc().with_timezone(&Local).naive_local(),
            Zone::Fixed(minutes) => {
                moment.plus_millis(i64::from(minutes) * 60_000).to_utc().naive_utc()
            }
        }
    }
}

/// A moment on the screen's clock: what ages are counted from, and the zone
/// that times of day are told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenClock {
    /// Now.
    pub now: Timestamp,
    /// Whose clock tells the time of day.
    pub zone: Zone,
    /// How long the deck runs, as a moment since the epoch: it goes on where
    /// `now` is held still.
    pub uptime: Timestamp,
}
