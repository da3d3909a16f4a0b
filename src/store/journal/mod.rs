//! A loop's journal: one commit a line, only ever appended to (store.md, "Journal").
//!
//! A commit exists if and only if its line parses and ends in a line feed.
//! [`scan`] reads commits onwards from a [`Position`]; [`Journal`] appends them.

mod line;
mod read;
mod tail;
mod write;

pub use line::{Commit, Draft, RequestMark};
pub use read::{Fault, FaultKind, LONGEST_LINE, Scanned, Tail, commit_at, newest, scan};
pub use tail::set_aside;
pub use write::Journal;

use serde::{Deserialize, Serialize};

use crate::core::time::Timestamp;

/// The format of the lines that this version writes.
pub const FORMAT: u64 = 1;

/// A place in a journal between two lines, with what is needed to go on there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// Where the line before it begins, in bytes.
    pub line_start: u64,
    /// Lines before it.
    pub lines: u64,
    /// The seq of the last event before it; 0 at the start.
    pub seq: u64,
    /// The time of the commit before it.
    pub at: Option<Timestamp>,
    /// SHA-256 of the line before it, without its line end.
    pub line_sha256: Option<String>,
}
