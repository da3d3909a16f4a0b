//! Journals that lost their end, or all that they held. What a loop came to stands
//! in the summary beside its journal as well; where that knows more, somebody took
//! commits away, and to go on from what is left would bury them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::api::{Error, Problem};
use super::inner::Inner;
use super::view::{Stamp, View};
use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Refusal;
use crate::core::text::plural;
use crate::store::journal::{Fault, FaultKind};
use crate::store::layout::LoopFiles;
use crate::store::{self, plain, summary};

/// What of a summary is asked for.
#[derive(Debug, Deserialize)]
struct Known {
    id: LoopId,
    title: String,
    version: u64,
}

fn known(files: &LoopFiles) -> Option<Known> {
    let known = summary::read::<Known>(&files.summary(), None)?;
    let is_its = files.dir.file_name().is_some_and(|name| name == known.id.as_str());
    is_its.then_some(known)
}

/// The fault of a journal that was read to its end, if the summary knew of more.
pub(super) fn shortened(files: &LoopFiles, view: &View) -> Option<Fault> {
    let known = known(files).filter(|known| known.version > view.position.seq)?;
    // A writer may have committed since the journal was read: then the next
    // reading tells.
    let still = Stamp::at(&files.journal()).ok().flatten();
    (still == Some(view.stamp)).then(|| Fault {
        kind: FaultKind::Shortened,
        line: view.position.lines + 1,
        reason: format!(
            "it ends at event {}, but the summary beside it knew of event {}: the end of the \
             journal was taken away",
            view.position.seq, known.version
        ),
    })
}

/// The step that helps where a journal is not as it should be.
pub(super) const TO_DOCTOR: (&str, &str) =
    ("see what is wrong and what mends it", "loopdeck doctor");

/// The step after a refusal because of a journal.
pub(super) fn to_doctor(refusal: Refusal) -> Refusal {
    refusal.step(TO_DOCTOR.0, TO_DOCTOR.1)
}

/// Why a journal tells nothing of a loop that was there, in a few words; none if
/// nothing is known of such a loop.
pub(super) fn reason(files: &LoopFiles) -> Option<&'static str> {
    known(files)?;
    Some(why(files))
}

fn why(files: &LoopFiles) -> &'static str {
    let path = files.journal();
    match plain::about(&path).and_then(|about| plain::may_be_read(&path).map(|()| about)) {
        Err(error) => match error.kind() {
            ErrorKind::NotFound => "its journal is gone",
            ErrorKind::InvalidInput => "its journal is no regular file",
            _ => "its journal can't be read",
        },
        Ok(about) if about.len() == 0 => "its journal is empty",
        Ok(_) => "its journal holds no whole commit",
    }
}

/// A file of a loop that keeps everybody from writing to it.
pub(super) struct Barred {
    path: PathBuf,
    /// In a few words.
    pub why: String,
}

impl Barred {
    /// What is in the way of changes to a loop that can be read, if anything is:
    /// nothing is written through a link, and a folder is no lock.
    pub fn of(files: &LoopFiles) -> Option<Self> {
        [("journal", files.journal()), ("lock", files.lock())].into_iter().find_map(
            |(name, path)| {
                let why = format!("its {name} {}", plain::unwritable(&path)?);
                Some(Self { path, why })
            },
        )
    }

    /// As something that is shown beside what works.
    pub fn problem(&self) -> Problem {
        Problem { path: self.path.clone(), code: "io", message: self.sentence() }
    }

    /// What is wrong, and what to do.
    pub fn sentence(&self) -> String {
        format!(
            "the loop may only be read: {}, and nothing is written there. Put a file of its own \
             in the place of {}, or move away what is there",
            self.why,
            self.path.display()
        )
    }

    /// As what a change meets.
    pub fn error(&self) -> Error {
        let refusal = Refusal::new("io", self.sentence());
        to_doctor(refusal.detail("path", self.path.display().to_string())).into()
    }

    /// Which file it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The error of a journal that can't be read, as far as it is known to be one.
pub(super) fn unreadable(inner: &Inner, id: &LoopId, error: store::Error) -> Error {
    match &error {
        store::Error::Io { source, .. } if source.kind() == ErrorKind::InvalidInput => {
            let files = inner.layout.loop_files(id);
            // A line that is too long for anybody is none of these.
            match known(&files).filter(|_| plain::about(&files.journal()).is_err()) {
                Some(_) => inner.nothing_of(id),
                None => error.into(),
            }
        }
        _ => error.into(),
    }
}

impl Inner {
    /// The error where a journal holds no loop: there never was one, or it was
    /// taken away.
    pub fn nothing_of(&self, id: &LoopId) -> Error {
        let files = self.layout.loop_files(id);
        let Some(known) = known(&files) else { return Error::not_found(id) };
        let path = files.journal();
        let message = format!(
            "the loop {} can't be read: {}, though the summary beside it knew of {} ({:?}). \
             Put {} back from a copy",
            known.id,
            why(&files),
            plural(usize::try_from(known.version).unwrap_or(usize::MAX), "event", "events"),
            known.title,
            path.display()
        );
        let refusal = Refusal::new("damaged", message).detail("path", path.display().to_string());
        to_doctor(refusal).into()
    }
}
