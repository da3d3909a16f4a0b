//! What a treatment does: moves, and a line in the journal. Nothing is deleted.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::core::loops::EventBody;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::Decision;
use crate::engine::api::{Diagnosis, Error, Finding, Repair, Result, Treatment, Write};
use crate::engine::inner::{Engine, Inner};
use crate::engine::write::Change;
use crate::store::journal::{self, Journal, Position};
use crate::store::layout::LoopFiles;
use crate::store::lock::LockFile;
use crate::store::plain;
use crate::store::quarantine::Quarantine;

/// How long a repair waits for a loop that is being written.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does what is safe; what could not be done says why.
pub(super) fn treat(engine: &Engine, diagnosis: &mut Diagnosis, treatment: Treatment) {
    for finding in &mut diagnosis.findings {
        let wanted = match &finding.repair {
            Some(Repair::AcceptEdits { .. } | Repair::AcceptShorter) => treatment.accept_edits,
            Some(Repair::MoveAside | Repair::CutTail) => treatment.repair,
            None => false,
        };
        if !wanted {
            continue;
        }
        match repair(engine, finding) {
            Ok(moved_to) => (finding.repaired, finding.moved_to) = (true, moved_to),
            Err(error) => {
                finding.message.push_str(&format!("; it was not repaired: {}", error.message()));
            }
        }
    }
}

/// Repairs, and says where what was moved is now.
fn repair(engine: &Engine, finding: &Finding) -> Result<Option<PathBuf>> {
    let inner = &engine.inner;
    match &finding.repair {
        Some(Repair::MoveAside) => move_aside(inner, &finding.path).map(Some),
        Some(Repair::AcceptShorter) => {
            let summary = loop_of(inner, &finding.path)?.summary();
            move_aside(inner, &summary).map(Some)
        }
        Some(Repair::CutTail) => cut_tail(inner, &loop_of(inner, &finding.path)?),
        Some(Repair::AcceptEdits { lines }) => {
            accept(inner, &loop_id(inner, &finding.path)?, lines.clone())?;
            Ok(None)
        }
        None => Ok(None),
    }
}

/// The loop whose folder a file is in.
fn loop_id(inner: &Inner, path: &Path) -> Result<LoopId> {
    let below = path.strip_prefix(inner.layout.loops()).ok();
    let name = below.and_then(|below| below.components().next());
    let name = name.map(|name| name.as_os_str().to_string_lossy().into_owned());
    name.and_then(|name| LoopId::parse(&name).ok())
        .ok_or_else(|| Error::new("io", format!("{} is not in a loop's folder", path.display())))
}

fn loop_of(inner: &Inner, path: &Path) -> Result<LoopFiles> {
    Ok(inner.layout.loop_files(&loop_id(inner, path)?))
}

/// Moves a file or a folder to quarantine, under the lock of its loop if it is a
/// loop's; says where to.
fn move_aside(inner: &Inner, path: &Path) -> Result<PathBuf> {
    if let Some(link) = link_above(inner, path) {
        let said = format!("{} is a link, and nothing is moved through one", link.display());
        return Err(Error::new("io", said));
    }
    let now = inner.time.now();
    let files = loop_of(inner, path).ok();
    let lock = files.as_ref().map(|files| LockFile::open(&files.lock())).transpose()?;
    let _guard = lock.as_ref().map(|lock| lock.acquire(PATIENCE, now)).transpose()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let owner = loop_id(inner, path).ok().filter(|id| id.as_str() != name);
    let name = owner.map_or_else(|| name.to_string(), |id| format!("{id}-{name}"));
    let quarantine = match path.starts_with(&inner.user.state) {
        // What is the person's own is no workspace's to keep.
        true => Quarantine::new(inner.user.state.join("quarantine")),
        false => inner.quarantine(),
    };
    Ok(quarantine.take_as(path, &name, now)?)
}

/// The link through which a path of the stores leads, if there is one: who put it there
/// may mean files that are nobody's business here.
fn link_above<'a>(inner: &Inner, path: &'a Path) -> Option<&'a Path> {
    let layout = &inner.layout;
    // Stores that settings put elsewhere are looked at from their own folder on.
    let tops = [
        layout.root(),
        layout.loops(),
        layout.memory(),
        layout.sessions(),
        layout.rewards(),
        layout.insights(),
        &inner.user.state,
    ];
    let is_top = |folder: &&Path| tops.contains(folder);
    let root = layout.root();
    let mut above = path.ancestors().skip(1);
    if path.starts_with(root) {
        return above.take_while(|folder| *folder != root).find(|folder| plain::is_link(folder));
    }
    above.by_ref().take_while(|folder| !is_top(folder)).find(|folder| plain::is_link(folder))
}

/// Moves what stands after the last commit into a file of its own, if it still
/// stands there.
fn cut_tail(inner: &Inner, files: &LoopFiles) -> Result<Option<PathBuf>> {
    let now = inner.time.now();
    let lock = LockFile::open(&files.lock())?;
    let _guard = lock.acquire(PATIENCE, now)?;
    let path = files.journal();
    let mut journal = Journal::open(&path, inner.flush)?;
    let scanned = journal::scan(journal.file(), &path, &Position::default(), |_| {})?;
    Ok(scanned.tail.map(|tail| journal.set_aside(tail, now)).transpose()?)
}

/// Records that edited lines hold as they stand.
fn accept(inner: &Inner, id: &LoopId, lines: Vec<u64>) -> Result<()> {
    let change = Change {
        verb: "doctor --accept-edits",
        write: &Write { actor: Actor::Operator, request_id: None, expected_version: None },
        mark: None,
        known_cites: Default::default(),
        needs_history: false,
    };
    let decide = |view: &crate::engine::view::View, _: &_| {
        let still = super::loops::edited(view);
        let lines: Vec<u64> = lines.iter().copied().filter(|line| still.contains(line)).collect();
        let events =
            if lines.is_empty() { Vec::new() } else { vec![EventBody::EditsAccepted { lines }] };
        Decision { events, ..Decision::default() }
    };
    inner.change(id, &change, decide, || Ok(()))?;
    Ok(())
}
