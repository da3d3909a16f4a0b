//! Loops: journal, chain, clock, snapshot, summary, bodies, and what lies beside.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::{ABANDONED, Visit, entries, name_of};
use crate::core::loops::apply::FOLD_VERSION;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{BodyFile, Loop};
use crate::core::loops::{EventBody, history};
use crate::core::text::plural;
use crate::core::time::Timestamp;
use crate::engine::api::{Repair, Result, Severity};
use crate::engine::inner::Inner;
use crate::engine::lost::{self, Barred};
use crate::engine::view::View;
use crate::store::journal::{self, FaultKind, Position, Scanned};
use crate::store::layout::LoopFiles;
use crate::store::{Error, atomic, bodies, lock, plain, snapshot};

/// A journal line longer than this is worth a word.
const LONG_LINE: u64 = 8 * 1024 * 1024;

/// Looks at every loop.
pub(super) fn look(inner: &Inner, visit: &mut Visit) -> Result<()> {
    for path in entries(inner.layout.loops(), visit) {
        let name = name_of(&path);
        let is_lock = name.ends_with(".lock") || name.ends_with(".lock.info");
        if name.starts_with('.') || is_lock {
            continue;
        }
        if atomic::is_temp_name(name.as_ref()) {
            leftover(&path, visit);
            continue;
        }
        match LoopId::parse(&name) {
            Ok(id) if path.is_dir() => {
                visit.0.loops += 1;
                one(&inner.layout.loop_files(&id), visit);
            }
            _ => visit.warning(
                &path,
                "not_a_loop",
                format!("{} is no loop: its name is not an id; nothing reads it", path.display()),
            ),
        }
    }
    Ok(())
}

fn leftover(path: &Path, visit: &mut Visit) {
    if atomic::is_older_than(path, ABANDONED) {
        let said = format!("{} is what an interrupted write left", path.display());
        visit.movable(path, "leftover", Severity::Warning, said);
    }
}

/// What reading a journal from its first line told.
#[derive(Default)]
struct Told {
    events: Vec<crate::core::loops::Event>,
    bodies: Vec<BodyFile>,
    accepted: BTreeSet<u64>,
    clock: Vec<u64>,
    long: Vec<u64>,
    last_at: Option<Timestamp>,
}

fn one(files: &LoopFiles, visit: &mut Visit) {
    let path = files.journal();
    let mut told = Told::default();
    let scanned = match read(&path, &mut told) {
        Ok(scanned) => scanned,
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return unopened(files, visit);
        }
        Err(error) => return visit.error(&path, "io", error.to_string()),
    };
    visit.0.lines += scanned.end.lines;
    if scanned.end.lines == 0 && scanned.fault.is_none() {
        return unopened(files, visit);
    }
    let state = history::fold(&told.events);
    if let Some(state) = &state
        && files.dir.file_name().is_some_and(|name| name != state.id.as_str())
    {
        return misplaced(files, state, visit);
    }
    if let Some(barred) = Barred::of(files) {
        visit.error(barred.path(), "unwritable", barred.sentence());
    }
    // Where a line can't be read the rest is still there, behind it.
    if scanned.fault.is_none() {
        shortened(files, scanned.end.seq, visit);
    }
    of_journal(files, &scanned, &told, visit);
    if let Some(state) = &state {
        // A fork brings texts with it.
        told.bodies.extend(state.artifacts.iter().filter_map(|a| a.body_file.clone()));
        of_snapshot(files, &told, visit);
        of_summary(files, state, scanned.end.seq, visit);
    }
    of_bodies(files, &told, visit);
    super::runs::look(files, visit);
    beside(files, &scanned.end, visit);
}

/// A loop in the folder of another: the folder was copied or renamed.
fn misplaced(files: &LoopFiles, state: &Loop, visit: &mut Visit) {
    let said = format!(
        "{} tells of the loop {}, but a loop's folder bears its id: somebody copied or renamed it. \
         It is not listed: move it away, or give it back its name where no other folder has it",
        files.dir.display(),
        state.id
    );
    visit.error(&files.dir, "misplaced", said);
}

fn read(path: &Path, told: &mut Told) -> std::result::Result<Scanned, Error> {
    let file = plain::open(path).map_err(|source| Error::read(path, source))?;
    journal::scan(&file, path, &Position::default(), |commit| {
        if told.last_at.is_some_and(|last| commit.at < last) {
            told.clock.push(commit.line);
        }
        told.last_at = told.last_at.max(Some(commit.at));
        let mut length = 0;
        for event in &commit.events {
            if let EventBody::ArtifactAdded(added) = &event.body {
                told.bodies.extend(added.artifact.body_file.clone());
                length += added.body.as_ref().map_or(0, |body| body.len() as u64);
            }
            if let EventBody::EditsAccepted { lines } = &event.body {
                told.accepted.extend(lines);
            }
        }
        if length > LONG_LINE {
            told.long.push(commit.line);
        }
        told.events.extend(commit.events);
    })
}

/// A journal that ends before what was said of it: its end was taken away.
fn shortened(files: &LoopFiles, seq: u64, visit: &mut Visit) {
    let Some(known) = said_by_summary(files)["version"].as_u64().filter(|known| *known > seq)
    else {
        return;
    };
    let path = files.journal();
    let said = format!(
        "{} ends at event {seq}, but the summary beside it knew of event {known}: the end of the \
         journal was taken away. The loop may only be read: put the file back from a copy",
        path.display()
    );
    if seq == 0 {
        return visit.error(&path, "shortened", said);
    }
    let said = format!("{said}, or take it as it stands: loopdeck doctor --accept-edits");
    visit.find(&path, "shortened", Severity::Error, said).repair = Some(Repair::AcceptShorter);
}

fn said_by_summary(files: &LoopFiles) -> serde_json::Value {
    let text = plain::text(&files.summary()).unwrap_or_default();
    serde_json::from_str(text.trim_end_matches(['\0', ' ', '\n'])).unwrap_or_default()
}

/// A folder without a complete first commit.
fn unopened(files: &LoopFiles, visit: &mut Visit) {
    // Where a summary was written there was a first commit once.
    if said_by_summary(files).is_object() {
        return shortened(files, 0, visit);
    }
    if let Some(why) = lost::more_than_an_opening(files) {
        return visit.error(&files.journal(), "damaged", lost::unjudged(files, &why));
    }
    if atomic::is_older_than(&files.dir, ABANDONED) {
        let said = format!(
            "{} is the rest of an opening that was interrupted: it holds no complete first commit",
            files.dir.display()
        );
        visit.movable(&files.dir, "orphan", Severity::Warning, said);
    }
}

fn of_journal(files: &LoopFiles, scanned: &Scanned, told: &Told, visit: &mut Visit) {
    let path = files.journal();
    if let Some(fault) = &scanned.fault {
        let code = match fault.kind {
            FaultKind::Damaged => "damaged",
            FaultKind::Newer => "newer_format",
            FaultKind::Shortened => "shortened",
        };
        let said = format!(
            "{}. The loop may only be read, as it stood before that line; mend the line by hand \
             (a copy of the file first), or begin anew from what stands: loopdeck loop fork",
            fault.error(&path)
        );
        visit.error(&path, code, said);
    }
    let broken: Vec<u64> =
        scanned.breaks.iter().copied().filter(|line| !told.accepted.contains(line)).collect();
    if !broken.is_empty() {
        let said = format!(
            "{} not follow from the line before: somebody edited the file. The loop works on as \
             the lines stand; loopdeck doctor --accept-edits records that they are meant",
            lines_do(&broken)
        );
        visit.find(&path, "chain", Severity::Warning, said).repair =
            Some(Repair::AcceptEdits { lines: broken });
    }
    if let Some(tail) = scanned.tail.filter(|_| lock::is_free(&files.lock())) {
        let said = format!(
            "the last {} of {} are an interrupted write, not a commit; they are ignored",
            plural(usize::try_from(tail.length).unwrap_or(usize::MAX), "byte", "bytes"),
            path.display()
        );
        visit.find(&path, "tail", Severity::Warning, said).repair = Some(Repair::CutTail);
    }
    if !told.clock.is_empty() {
        let said =
            format!("{} dated before the line above: a clock went back", lines_are(&told.clock));
        visit.warning(&path, "clock", said);
    }
    if !told.long.is_empty() {
        let said = format!("{} longer than 8 MiB", lines_are(&told.long));
        visit.warning(&path, "oversize", said);
    }
}

fn lines_do(lines: &[u64]) -> String {
    let do_ = if lines.len() == 1 { "does" } else { "do" };
    format!("{} {do_}", named(lines))
}

fn lines_are(lines: &[u64]) -> String {
    let are = if lines.len() == 1 { "is" } else { "are" };
    format!("{} {are}", named(lines))
}

fn named(lines: &[u64]) -> String {
    let first: Vec<String> = lines.iter().take(5).map(u64::to_string).collect();
    let more = match lines.len().saturating_sub(5) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    format!("{word} {}{more}", first.join(", "))
}

/// Whether the snapshot is what the journal tells up to its moment.
fn of_snapshot(files: &LoopFiles, told: &Told, visit: &mut Visit) {
    let path = files.snapshot();
    if !path.exists() {
        return;
    }
    visit.0.files += 1;
    let kept = plain::open(&files.journal())
        .ok()
        .and_then(|journal| snapshot::read::<Loop>(&path, FOLD_VERSION, &journal));
    let Some(kept) = kept else {
        let said = format!(
            "{} does not fit its journal or this version; it is ignored and made again",
            path.display()
        );
        return visit.movable(&path, "snapshot", Severity::Info, said);
    };
    let until = told.events.partition_point(|event| event.seq <= kept.seq);
    let replayed = history::fold(&told.events[..until]);
    if replayed.as_ref().map(as_json) != Some(as_json(&kept.state)) {
        let said = format!(
            "{} is not what the journal tells up to event {}; without it the loop is read from \
             its journal",
            path.display(),
            kept.seq
        );
        visit.movable(&path, "snapshot", Severity::Error, said);
    }
}

fn as_json(state: &Loop) -> serde_json::Value {
    serde_json::to_value(state).unwrap_or_default()
}

/// Whether lists say of the loop what its journal does.
fn of_summary(files: &LoopFiles, state: &Loop, seq: u64, visit: &mut Visit) {
    let path = files.summary();
    visit.0.files += usize::from(path.exists());
    let said = said_by_summary(files);
    // A writer is between its commit and its summary, or left it to the next one.
    if said["version"].as_u64().is_none_or(|version| version != seq) {
        return;
    }
    let fits = said["title"] == *state.title && said["status"] == state.status.to_string();
    if !fits {
        let said = format!("{} says of the loop what its journal doesn't", path.display());
        visit.movable(&path, "summary", Severity::Warning, said);
    }
}

/// Whether every long body is there and is what it was, and no file is nobody's.
fn of_bodies(files: &LoopFiles, told: &Told, visit: &mut Visit) {
    let mut named: HashSet<String> = HashSet::new();
    for body in &told.bodies {
        if !named.insert(body.sha256.clone()) {
            continue;
        }
        visit.0.files += 1;
        if let Err(error) = bodies::read(&files.dir, body) {
            let path = files.dir.join(bodies::FOLDER).join(&body.sha256);
            let said = format!("a text that an artifact stands on can't be read: {error}");
            visit.error(&path, "missing_body", said);
        }
    }
    for path in entries(&files.dir.join(bodies::FOLDER), visit) {
        let name = name_of(&path);
        if atomic::is_temp_name(name.as_ref()) {
            leftover(&path, visit);
        } else if !named.contains(&name) && atomic::is_older_than(&path, ABANDONED) {
            let said = format!("{} is named by no line of the journal", path.display());
            visit.movable(&path, "orphan", Severity::Warning, said);
        }
    }
}

/// What lies beside the journal: leftovers, and another head of it.
fn beside(files: &LoopFiles, end: &Position, visit: &mut Visit) {
    for path in entries(&files.dir, visit) {
        let name = name_of(&path);
        if atomic::is_temp_name(name.as_ref()) {
            leftover(&path, visit);
        } else if is_other_head(&name) {
            other_head(&path, end, visit);
        }
    }
}

/// A copy of a journal under the name that a file synchroniser or a merge gives it.
fn is_other_head(name: &str) -> bool {
    let is_tail = name.starts_with("journal.tail-");
    let is_lock = name.starts_with("journal.lock");
    name.starts_with("journal") && name != "journal.jsonl" && !is_tail && !is_lock
}

fn other_head(path: &Path, end: &Position, visit: &mut Visit) {
    let Ok(file) = plain::open(path) else { return };
    let Ok(scanned) = journal::scan(&file, path, &Position::default(), |_| {}) else { return };
    if scanned.end.lines == 0 || scanned.end.line_sha256 == end.line_sha256 {
        return;
    }
    let said = format!(
        "{} is another head of this journal: it ends at event {}, the journal at {}. Somebody \
         wrote in two places at once, and a synchroniser or a merge kept both. The loop goes by \
         journal.jsonl; what only the other one says can be read there",
        path.display(),
        scanned.end.seq,
        end.seq
    );
    visit.error(path, "diverged", said);
}

/// The lines of a loop's journal that were edited and not accepted yet.
pub(super) fn edited(view: &View) -> &[u64] {
    &view.breaks
}
