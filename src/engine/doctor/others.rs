//! Everything beside the loops: memory, sessions, rewards, dreams, settings,
//! quarantine, and whether locks are locks here.

use std::path::Path;

use super::{ABANDONED, Visit, entries, name_of};
use crate::core::memory::Category;
use crate::core::text::plural;
use crate::engine::api::{Problem, Severity};
use crate::engine::inner::Inner;
use crate::seam::fs::{self, File, TryLockError};
use crate::store::{atomic, plain};

/// A memory item longer than this is worth a word.
const LARGE: u64 = 1024 * 1024;

pub(super) fn look(inner: &Inner, visit: &mut Visit) {
    memory(inner, visit);
    for problem in inner.settings.now().problems.iter() {
        tell(problem, visit);
    }
    sessions(inner, visit);
    leftovers_of_records(inner.layout.rewards(), visit);
    dreams(inner, visit);
    quarantine(&inner.layout.quarantine(), visit);
    for lock in [inner.layout.naming_lock(), inner.layout.workers_lock()] {
        if let Some(why) = plain::unwritable(&lock) {
            let said =
                format!("{} {why}, so nobody can hold it: move away what is there", lock.display());
            visit.error(&lock, "unwritable", said);
        }
    }
    locks(&inner.layout.store(), visit);
}

pub(super) fn tell(problem: &Problem, visit: &mut Visit) {
    let severity = match problem.code {
        "damaged" | "io" | "newer_format" => Severity::Error,
        _ => Severity::Warning,
    };
    visit.find(&problem.path, problem.code, severity, problem.message.clone());
}

fn memory(inner: &Inner, visit: &mut Visit) {
    let read = inner.memory.read();
    visit.0.files += read.items().len();
    for fault in read.faults() {
        let (path, message) = (fault.path.clone(), fault.message.clone());
        tell(&Problem { path, code: fault.code, message }, visit);
    }
    for stored in read.items() {
        let size = fs::metadata(&stored.path).map_or(0, |meta| meta.len());
        if size > LARGE {
            let said = format!("{} is {} KiB long", stored.path.display(), size / 1024);
            visit.warning(&stored.path, "oversize", said);
        }
    }
    for path in entries(inner.layout.memory(), visit) {
        let name = name_of(&path);
        let known = Category::USER.iter().any(|category| category.to_string() == name);
        if path.is_dir() && !known && !name.starts_with('.') {
            let said =
                format!("{} is no category of memory: nothing in it is read", path.display());
            visit.warning(&path, "unknown_category", said);
        }
        leftovers(&path, visit);
    }
}

fn sessions(inner: &Inner, visit: &mut Visit) {
    match inner.sessions.list() {
        Ok(found) => {
            visit.0.files += found.lines.len();
            for fault in &found.faults {
                of_session(fault, visit);
            }
            // A list reads a few fields of each; here all of them count.
            for line in &found.lines {
                if let Err(fault) = inner.sessions.load(&line.session_id) {
                    of_session(&fault, visit);
                }
            }
        }
        Err(error) => visit.error(inner.sessions.dir(), "io", error.to_string()),
    }
    leftovers(inner.sessions.dir(), visit);
}

fn of_session(fault: &crate::store::Error, visit: &mut Visit) {
    let (path, message) = (fault.path().to_owned(), fault.to_string());
    tell(&Problem { path, code: fault.code(), message }, visit);
}

fn dreams(inner: &Inner, visit: &mut Visit) {
    let store = inner.dream_store();
    for id in store.dreams().unwrap_or_default() {
        visit.0.files += 1;
        if let Err(error) = store.read(&id).dream {
            let path = store.file(&id);
            let said = format!("{} can't be read as a dream: {error}", path.display());
            visit.error(&path, "damaged", said);
        }
    }
    leftovers(store.root(), visit);
}

/// What interrupted writes left anywhere below the folder of reward records; linked
/// folders are not looked into.
fn leftovers_of_records(folder: &Path, visit: &mut Visit) {
    if !fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir()) {
        return;
    }
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        leftovers(&folder, visit);
        let below = fs::read_dir(&folder).into_iter().flatten().flatten();
        todo.extend(
            below.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir())).map(|e| e.path()),
        );
    }
}

/// What interrupted writes left in a folder.
fn leftovers(folder: &Path, visit: &mut Visit) {
    if !folder.is_dir() {
        return;
    }
    for path in entries(folder, visit) {
        let is_temp = atomic::is_temp_name(name_of(&path).as_ref());
        if is_temp && atomic::is_older_than(&path, ABANDONED) {
            let said = format!("{} is what an interrupted write left", path.display());
            visit.movable(&path, "leftover", Severity::Warning, said);
        }
    }
}

/// How much was set aside: nothing there is ever deleted by the program.
fn quarantine(folder: &Path, visit: &mut Visit) {
    let (count, bytes) = size_of(folder, 0);
    if count > 0 {
        let said = format!(
            "{} holds {} of {} KiB that were set aside; look through them and delete what you \
             don't want",
            folder.display(),
            plural(count, "file", "files"),
            bytes.div_ceil(1024)
        );
        visit.find(folder, "quarantine", Severity::Info, said);
    }
}

/// Files and bytes below a folder; links are not followed.
fn size_of(folder: &Path, depth: usize) -> (usize, u64) {
    const DEEPEST: usize = 16;
    let Ok(read) = fs::read_dir(folder) else { return (0, 0) };
    let mut sum = (0, 0);
    for entry in read.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        let (count, bytes) = match meta.is_dir() {
            true if depth < DEEPEST => size_of(&entry.path(), depth + 1),
            true => (0, 0),
            false => (1, meta.len()),
        };
        sum = (sum.0 + count, sum.1 + bytes);
    }
    sum
}

/// Whether a lock keeps others out on this file system: two handles on a file of
/// ours, of which the second must not get it.
fn locks(store: &Path, visit: &mut Visit) {
    let Ok(probe) = tempfile::NamedTempFile::new_in(store) else { return };
    let Ok(other) = File::open(probe.path()) else { return };
    let tried = probe.as_file().try_lock().map(|()| other.try_lock());
    let kept_out = matches!(tried, Ok(Err(TryLockError::WouldBlock)));
    if !kept_out {
        let said = format!(
            "locks do not keep others out on the file system of {}: two programs at once can \
             harm a loop. Move the workspace to a local disk",
            store.display()
        );
        visit.error(store, "lock", said);
    }
}
