//! The open files of a loop's writer, and putting a commit into them.

use std::sync::Arc;

use super::api::Result;
use super::keeper;
use super::list::Line;
use super::view::{Stamp, View, events_of, goes_back};
use crate::core::loops::event::EventBody;
use crate::core::loops::history::{self, History};
use crate::core::time::Timestamp;
use crate::seam::fs;
use crate::store;
use crate::store::journal::{Commit, Draft, Journal, Position, scan};
use crate::store::layout::LoopFiles;
use crate::store::lock::LockFile;
use crate::store::summary::SummaryFile;

/// The open files of a loop's writer. Kept open between commits, so that a
/// commit costs little more than its flush.
pub(super) struct Writer {
    pub lock: Arc<LockFile>,
    pub journal: Journal,
    /// Which file the journal is.
    opened: Stamp,
    summary: Option<SummaryFile>,
}

impl Writer {
    /// Opens the files of a loop that is there.
    pub fn open(files: &LoopFiles, flush: store::Flush) -> Result<Self> {
        let lock = Arc::new(LockFile::open(&files.lock())?);
        Self::new(lock, Journal::open(&files.journal(), flush)?)
    }

    /// The files of a loop whose lock and journal are open already.
    pub fn new(lock: Arc<LockFile>, journal: Journal) -> Result<Self> {
        let opened = stamp_of(&journal)?;
        Ok(Self { lock, journal, opened, summary: None })
    }

    /// The stamp of the journal with a commit that was just put into it. Where
    /// the system doesn't tell, or tells of more than that, one that fits no file: it
    /// is looked at again.
    pub fn stamp_after(&self, end: &Position) -> Stamp {
        let told = stamp_of(&self.journal).ok().filter(|stamp| stamp.length == end.offset);
        told.unwrap_or_else(|| self.opened.unknown_at(end.offset))
    }

    /// The journal as it is now, if it is still the file that is open: editors
    /// put a new file in place of the old one, and whole folders may be replaced.
    pub fn look(&self) -> Result<Option<Stamp>> {
        let path = self.journal.path();
        let stamp = Stamp::at(path).map_err(|source| store::Error::read(path, source))?;
        Ok(stamp.filter(|stamp| stamp.is_same_file(&self.opened)))
    }

    /// The summary is derived: failing to write it is no fault of the commit.
    pub fn write_summary(&mut self, files: &LoopFiles, view: &View, now: Timestamp) {
        if self.summary.is_none() {
            self.summary = SummaryFile::open(&files.summary()).ok();
        }
        if let Some(summary) = &self.summary {
            summary.write(&Line::of(view, now));
        }
    }
}

/// Puts a commit after a view and flushes it: the view with it.
pub(super) fn append(
    open: &mut Writer,
    files: &LoopFiles,
    view: &View,
    draft: &Draft<'_>,
) -> Result<(Arc<View>, Commit)> {
    // What a commit that goes back needs of the journal is read before: once its
    // line stands nothing may fail any more, else a failure would be told of
    // something that is done.
    let went_back = draft.events.iter().any(goes_back);
    let past = match went_back {
        true => events_of(open.journal.file(), &files.journal(), u64::MAX)?,
        false => Vec::new(),
    };
    let (position, commit): (Position, Commit) = open.journal.append(&view.position, draft)?;
    let stamp = open.stamp_after(&position);
    let mut view = view.with(&commit, position, stamp);
    if went_back {
        let events: Vec<_> = past.into_iter().chain(commit.events.iter().cloned()).collect();
        if let Some(state) = history::fold(&events) {
            view.state = Arc::new(state);
        }
    }
    if keeper::is_due(&view) || closes(&commit) || went_back {
        view.snapshot_lines = view.position.lines;
    }
    Ok((Arc::new(view), commit))
}

/// The commits of a journal, as undo sees them.
pub(super) fn history_of(file: &fs::File, files: &LoopFiles) -> Result<History> {
    let mut history = History::default();
    scan(file, &files.journal(), &Position::default(), |commit| {
        history.push(&commit.by, &commit.events);
    })?;
    Ok(history)
}

/// The stamp of an open journal.
pub(super) fn stamp_of(journal: &Journal) -> Result<Stamp> {
    let metadata = journal.file().metadata();
    Ok(Stamp::of(&metadata.map_err(|source| store::Error::read(journal.path(), source))?))
}

fn closes(commit: &Commit) -> bool {
    commit.events.iter().any(|event| matches!(event.body, EventBody::Closed { .. }))
}
