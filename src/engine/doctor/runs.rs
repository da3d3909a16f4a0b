//! The files of runs: what is kept of workers beside the journal.

use std::path::Path;

use super::{Visit, entries, name_of};
use crate::engine::api::Severity;
use crate::runner::worker::{WorkerStatus, files};
use crate::store::layout::LoopFiles;
use crate::store::plain;

/// What a run is read from, beside what its keeper noted.
const READ: [&str; 4] = [files::BRIEF, files::STDOUT, files::STDERR, files::RESULT];

/// Looks at all runs of a loop.
pub(super) fn look(loop_files: &LoopFiles, visit: &mut Visit) {
    if plain::is_link(&loop_files.runs()) {
        let said =
            format!("{} is a link; nothing behind it is looked at", loop_files.runs().display());
        return visit.warning(&loop_files.runs(), "not_a_run", said);
    }
    for run in entries(&loop_files.runs(), visit) {
        if !plain::is_own_folder(&run) {
            let said = format!("{} is no folder of a run; nothing reads it", run.display());
            visit.warning(&run, "not_a_run", said);
            continue;
        }
        noted(&run, visit);
        for name in READ {
            visit.0.files += 1;
            no_file(&run.join(name), visit);
        }
    }
}

/// What the keeper noted. Without it the journal still tells which process it was.
fn noted(run: &Path, visit: &mut Visit) {
    visit.0.files += 1;
    if let Err(said) = WorkerStatus::look(run) {
        visit.movable(&run.join(files::STATUS), "damaged", Severity::Warning, said);
    }
}

/// Something else where a file belongs: a worker had its hands here.
fn no_file(path: &Path, visit: &mut Visit) {
    if path.symlink_metadata().is_err() {
        return;
    }
    if let Err(error) = plain::about(path) {
        let said = format!("{} can't be read: {error}", name_of(path));
        visit.warning(path, "io", said);
    }
}
