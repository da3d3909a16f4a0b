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
use crate::seam::fs;
use crate::store::journal::{Fault, FaultKind};
use crate::store::layout::LoopFiles;
use crate::store::{self, atomic, bodies, plain, summary};

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

/// What every first line of a journal begins with.
const BEGINNING: &[u8] = b"{\"v\":1,\"first_seq\":1,";

/// Why a folder is more than the rest of an opening that was interrupted before its
/// first commit, in a few words; none if it is no more. Only what can be no more may
/// be set aside by itself: all else may hold what somebody was told is done.
pub(super) fn more_than_an_opening(files: &LoopFiles) -> Option<String> {
    let entries = match fs::read_dir(&files.dir) {
        Ok(entries) => entries,
        // A folder that is not there holds nothing, and no loop is meant by its name.
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("the folder can't be listed: {error}")),
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let why = match &*name {
            "journal.jsonl" => why_no_beginning(&entry.path()),
            name if name.starts_with("journal.tail-") => why_no_beginning(&entry.path()),
            "journal.lock" | "journal.lock.info" => None,
            name if name == bodies::FOLDER || atomic::is_temp_name(name.as_ref()) => None,
            name => Some(format!("{name} lies beside it")),
        };
        if why.is_some() {
            return why;
        }
    }
    None
}

/// Why a journal without a whole commit is not the beginning of a first line.
fn why_no_beginning(path: &Path) -> Option<String> {
    let bytes = match plain::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("it can't be read: {error}")),
    };
    let length = bytes.len().min(BEGINNING.len());
    if bytes[..length] != BEGINNING[..length] {
        return Some("what it holds is no beginning of a commit".to_owned());
    }
    if bytes.contains(&b'\n') {
        return Some("it holds a line".to_owned());
    }
    let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
    is_whole.then(|| "it holds a commit that lacks only the line's end".to_owned())
}

/// What is said of a folder that holds no commit and is more than a rest.
pub(super) fn unjudged(files: &LoopFiles, why: &str) -> String {
    format!(
        "{} holds no commit that can be read, and nothing tells which loop it was; it is left \
         alone, because {why}. Put the journal back from a copy, or move the folder away",
        files.journal().display()
    )
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
