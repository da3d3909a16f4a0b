//! A journal folded up to some commit: a value that can be kept and shared.

use std::path::Path;
use std::sync::Arc;

use super::lost::shortened;
use crate::core::loops::apply::FOLD_VERSION;
use crate::core::loops::model::Loop;
use crate::core::loops::{Event, EventBody, apply, history};
use crate::seam::fs::File;
use crate::store::journal::{self, Commit, Fault, FaultKind, Position, Scanned, Tail};
use crate::store::layout::LoopFiles;
use crate::store::snapshot::{self, Answered, Snapshot};
pub(super) use crate::store::stamp::Stamp;
use crate::store::{Error, plain};

/// A loop as its journal tells it up to a commit.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The loop.
    pub state: Arc<Loop>,
    /// Where that commit ends.
    pub position: Position,
    /// The last seq of the newest commit that was more than a journaled refusal
    /// or what was carried out after a commit.
    pub changed_seq: u64,
    /// The requests that were answered, by id.
    pub requests: imbl::HashMap<String, Answered>,
    /// Lines whose `prev` is not the line before.
    pub breaks: Vec<u64>,
    /// Why the journal cannot be read further.
    pub fault: Option<Fault>,
    /// What stands after the last commit.
    pub tail: Option<Tail>,
    /// The journal file when it was looked at.
    pub stamp: Stamp,
    /// Lines in the newest snapshot that is known of.
    pub snapshot_lines: u64,
}

impl View {
    /// The loop as it is on disk now; none if the folder holds no complete
    /// first commit. Reads only what was appended since `previous`, if that
    /// still fits, else what came after the snapshot, else all.
    ///
    /// # Errors
    /// If the journal cannot be read, or not even its first line makes sense.
    pub fn read(
        files: &LoopFiles,
        previous: Option<&Arc<View>>,
    ) -> Result<Option<Arc<View>>, Error> {
        let path = files.journal();
        let failed = |source| Error::read(&path, source);
        let Some(stamp) = Stamp::at(&path).map_err(failed)? else { return Ok(None) };
        if let Some(view) = previous.filter(|view| view.holds(&stamp)) {
            return Ok(Some(Arc::clone(view)));
        }
        let file = plain::open(&path).map_err(failed)?;
        let stamp = Stamp::of(&file.metadata().map_err(failed)?);
        Self::read_from(&file, stamp, files, previous)
    }

    /// Like [`View::read`], from a journal that is open already and that was
    /// looked at.
    pub fn read_from(
        file: &File,
        stamp: Stamp,
        files: &LoopFiles,
        previous: Option<&Arc<View>>,
    ) -> Result<Option<Arc<View>>, Error> {
        if let Some(view) = previous.filter(|view| view.holds(&stamp)) {
            return Ok(Some(Arc::clone(view)));
        }
        let grown = previous.filter(|view| view.is_continued_by(file, &stamp));
        let mut fold = match grown {
            Some(view) => Fold::from_view(view),
            None if previous.is_some_and(|view| view.was_edited(&stamp)) => Fold::default(),
            None => snapshot::read(&files.snapshot(), FOLD_VERSION, file)
                .map_or_else(Fold::default, Fold::from_snapshot),
        };
        let from = fold.position.clone();
        let path = files.journal();
        let scanned = journal::scan(file, &path, &from, |commit| fold.take(&commit))?;
        if fold.went_back {
            // What a revert goes back to is known by the whole journal only.
            fold.state = history::fold(&events_of(file, &path, u64::MAX)?);
        }
        let view = fold.finish(scanned, stamp).map_err(|fault| fault.error(&path))?;
        if let Some(fault) = view.as_ref().and_then(|view| misplaced(files, &view.state)) {
            return Err(fault.error(&path));
        }
        Ok(view.map(|mut view| {
            view.fault = view.fault.take().or_else(|| shortened(files, &view));
            Arc::new(view)
        }))
    }

    /// Whether it says what there is to say of a journal that looks like this. That
    /// one lost its end is known by the summary, which may be put right meanwhile.
    fn holds(&self, stamp: &Stamp) -> bool {
        self.stamp == *stamp && !self.is_shortened()
    }

    /// Whether the journal ends before what was said of it.
    pub fn is_shortened(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Shortened)
    }

    fn is_continued_by(&self, file: &File, stamp: &Stamp) -> bool {
        self.stamp.is_same_file(stamp)
            && self.position.offset <= stamp.length
            && !self.was_edited(stamp)
            && snapshot::fits(&self.position, file)
    }

    /// Whether the file was changed without growing: somebody wrote into the
    /// middle of it, and nothing that is known of it can be relied on.
    fn was_edited(&self, stamp: &Stamp) -> bool {
        self.stamp.is_same_file(stamp) && self.stamp.length == stamp.length && self.stamp != *stamp
    }

    /// The loop as it was right after an event: the fold from the first line up
    /// to there.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn state_at(files: &LoopFiles, seq: u64) -> Result<Option<Arc<Loop>>, Error> {
        let path = files.journal();
        let file = plain::open(&path).map_err(|source| Error::read(&path, source))?;
        Ok(history::fold(&events_of(&file, &path, seq)?).map(Arc::new))
    }

    /// This view with one more commit, which now ends the journal.
    pub fn with(&self, commit: &Commit, position: Position, stamp: Stamp) -> View {
        let mut fold = Fold::from_view(self);
        fold.take(commit);
        View {
            state: fold.state.map_or_else(|| Arc::clone(&self.state), Arc::new),
            position,
            changed_seq: fold.changed_seq,
            requests: fold.requests,
            breaks: fold.breaks.into_iter().filter(|l| !fold.accepted.contains(l)).collect(),
            fault: None,
            tail: None,
            stamp,
            snapshot_lines: self.snapshot_lines,
        }
    }

    /// The first view of a loop: that of its opening commit.
    pub fn first(commit: &Commit, position: Position, stamp: Stamp) -> Option<View> {
        let mut fold = Fold::default();
        fold.take(commit);
        let scanned = Scanned { end: position, ..Scanned::default() };
        fold.finish(scanned, stamp).ok().flatten()
    }

    /// The view as a snapshot.
    pub fn snapshot(&self) -> Snapshot<Arc<Loop>> {
        let mut snapshot = Snapshot::new(
            FOLD_VERSION,
            self.position.clone(),
            self.changed_seq,
            Arc::clone(&self.state),
        );
        snapshot.breaks.clone_from(&self.breaks);
        snapshot.requests = self.requests.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        snapshot
    }
}

/// The fault of a journal in another loop's folder: somebody copied or renamed one.
fn misplaced(files: &LoopFiles, state: &Loop) -> Option<Fault> {
    let folder = files.dir.file_name()?.to_string_lossy();
    (folder != state.id.as_str()).then(|| Fault {
        kind: FaultKind::Damaged,
        line: 1,
        reason: format!("it tells of the loop {}, but its folder is that of {folder}", state.id),
    })
}

/// A fold under way.
#[derive(Default)]
struct Fold {
    state: Option<Loop>,
    position: Position,
    changed_seq: u64,
    requests: imbl::HashMap<String, Answered>,
    breaks: Vec<u64>,
    snapshot_lines: u64,
    /// Edited lines that were accepted as they stand.
    accepted: Vec<u64>,
    /// The first event does not begin a loop.
    headless: bool,
    /// A revert was read: the state is not what these events alone tell.
    went_back: bool,
}

impl Fold {
    fn from_view(view: &View) -> Self {
        Self {
            state: Some(Loop::clone(&view.state)),
            position: view.position.clone(),
            changed_seq: view.changed_seq,
            requests: view.requests.clone(),
            breaks: view.breaks.clone(),
            snapshot_lines: view.snapshot_lines,
            accepted: Vec::new(),
            headless: false,
            went_back: false,
        }
    }

    fn from_snapshot(snapshot: Snapshot<Loop>) -> Self {
        let mut state = snapshot.state;
        state.index = crate::core::loops::index::Index::of(&state.artifacts);
        Self {
            state: Some(state),
            snapshot_lines: snapshot.position.lines,
            position: snapshot.position,
            changed_seq: snapshot.changed_seq,
            requests: snapshot.requests.into_iter().collect(),
            breaks: snapshot.breaks,
            accepted: Vec::new(),
            headless: false,
            went_back: false,
        }
    }

    fn take(&mut self, commit: &Commit) {
        for event in &commit.events {
            self.went_back |= matches!(event.body, EventBody::Reverted { .. });
            match &mut self.state {
                Some(state) => apply::apply(state, event),
                None if !self.headless => {
                    self.state = apply::begin(event);
                    self.headless = self.state.is_none();
                }
                None => {}
            }
        }
        for event in &commit.events {
            if let EventBody::EditsAccepted { lines } = &event.body {
                self.accepted.extend(lines);
            }
        }
        if !is_beside(commit) {
            self.changed_seq = commit.last_seq;
        }
        if let Some(request) = &commit.request {
            let body_sha256 = request.body_sha256.clone();
            let answered = Answered { body_sha256, seq: commit.last_seq };
            self.requests.insert(request.id.clone(), answered);
        }
    }

    fn finish(self, scanned: Scanned, stamp: Stamp) -> Result<Option<View>, Fault> {
        let Some(state) = self.state else {
            let headless = Fault {
                kind: FaultKind::Damaged,
                line: 1,
                reason: "its first event does not begin a loop".to_owned(),
            };
            return match scanned.fault {
                Some(fault) => Err(fault),
                None if self.headless => Err(headless),
                None => Ok(None),
            };
        };
        let mut breaks = self.breaks;
        breaks.extend(scanned.breaks);
        breaks.retain(|line| !self.accepted.contains(line));
        Ok(Some(View {
            state: Arc::new(state),
            position: scanned.end,
            changed_seq: self.changed_seq,
            requests: self.requests,
            breaks,
            fault: scanned.fault,
            tail: scanned.tail,
            stamp,
            snapshot_lines: self.snapshot_lines,
        }))
    }
}

/// The events of a journal up to one, oldest first, as far as it can be read.
pub(super) fn events_of(file: &File, path: &Path, seq: u64) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    journal::scan(file, path, &Position::default(), |commit| {
        events.extend(commit.events.into_iter().filter(|event| event.seq <= seq));
    })?;
    Ok(events)
}

/// Whether an event takes the content back.
pub(super) fn goes_back(event: &EventBody) -> bool {
    matches!(event, EventBody::Reverted { .. })
}

/// Whether a commit holds nothing but a journaled refusal (engine.md §2).
fn is_beside(commit: &Commit) -> bool {
    let beside = |body: &EventBody| {
        matches!(
            body,
            EventBody::PhaseAdvanceBlocked { .. }
                | EventBody::EffectsDone(_)
                | EventBody::EditsAccepted { .. }
        )
    };
    commit.events.iter().all(|event| beside(&event.body))
}
