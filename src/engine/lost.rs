//! Journals that lost their end, or all that they held. What a loop came to stands
//! in the summary beside its journal as well; where that knows more, somebody took
//! commits away, and to go on from what is left would bury them.

use serde::Deserialize;

use super::api::Error;
use super::inner::Inner;
use super::view::{Stamp, View};
use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Refusal;
use crate::core::text::plural;
use crate::seam::fs;
use crate::store::journal::{Fault, FaultKind};
use crate::store::layout::LoopFiles;
use crate::store::summary;

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

/// The step after a refusal because of a journal.
pub(super) fn to_doctor(refusal: Refusal) -> Refusal {
    refusal.step("see what is wrong and what mends it", "loopdeck doctor")
}

/// Why a journal tells nothing of a loop that was there, in a few words; none if
/// nothing is known of such a loop.
pub(super) fn reason(files: &LoopFiles) -> Option<&'static str> {
    known(files)?;
    Some(why(files))
}

fn why(files: &LoopFiles) -> &'static str {
    match fs::metadata(files.journal()) {
        Err(_) => "its journal is gone",
        Ok(about) if about.len() == 0 => "its journal is empty",
        Ok(_) => "its journal holds no whole commit",
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
