//! What can wait until an answer was given: snapshots and sweeping.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::loops::hold;
use super::lost;
use super::view::View;
use crate::core::loops::ids::LoopId;
use crate::core::memory::Category;
use crate::core::time::Timestamp;
use crate::seam::fs;
use crate::store::layout::{Layout, LoopFiles};
use crate::store::lock::LockFile;
use crate::store::quarantine::Quarantine;
use crate::store::{atomic, bodies, requests, snapshot};

/// Commits between two snapshots of a loop (store.md, "Journal").
const EVERY: u64 = 256;
/// Commits after which snapshots grow rarer: a snapshot costs as much as the
/// loop is large, so that a fixed distance would make commits dearer with it.
const STRETCH: u64 = 16_384;
/// How long the keeper waits for a loop's lock before it leaves a thing to the
/// next writer.
const PATIENCE: Duration = Duration::from_millis(500);
/// How old a folder without a first commit is before it is taken for the rest
/// of an interrupted opening.
const ORPHAN_AGE: Duration = Duration::from_secs(3_600);

/// A thing to do.
pub(super) enum Chore {
    /// Write a loop's snapshot.
    Snapshot(LoopFiles, Arc<View>, Timestamp),
    /// Set aside what interrupted openings left, and forget old requests.
    Sweep(Layout, Timestamp),
}

/// A thread that does chores one by one. Started when first needed; dropping
/// it waits until all are done.
#[derive(Default)]
pub(super) struct Keeper {
    running: Mutex<Option<Running>>,
    swept: AtomicBool,
}

struct Running {
    chores: Sender<Chore>,
    thread: JoinHandle<()>,
}

impl Keeper {
    /// Has the workspace swept, once in this keeper's life.
    pub fn sweep(&self, layout: &Layout, now: Timestamp) {
        if !self.swept.swap(true, Ordering::Relaxed) {
            self.ask(Chore::Sweep(layout.clone(), now));
        }
    }

    /// Has a thing done. If no thread can be had it is left to the next writer.
    pub fn ask(&self, chore: Chore) {
        let mut running = hold(&self.running);
        if running.is_none() {
            let (chores, todo) = channel();
            let thread = std::thread::Builder::new()
                .name("loopdeck-keeper".to_owned())
                .spawn(move || work(&todo));
            *running = thread.ok().map(|thread| Running { chores, thread });
        }
        if let Some(running) = &*running {
            let _ = running.chores.send(chore);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(Running { chores, thread }) = hold(&self.running).take() {
            drop(chores);
            let _ = thread.join();
        }
    }
}

fn work(todo: &Receiver<Chore>) {
    while let Ok(chore) = todo.recv() {
        match chore {
            Chore::Snapshot(files, view, now) => write_snapshot(&files, &view, now),
            Chore::Sweep(layout, now) => sweep(&layout, now),
        }
    }
}

/// Whether a loop is due for a snapshot after its newest commit.
pub(super) fn is_due(view: &View) -> bool {
    let since = view.position.lines - view.snapshot_lines.min(view.position.lines);
    since >= EVERY * (1 + view.position.lines / STRETCH)
}

/// Makes the file without the lock and takes it only to put the file in place.
/// A failure is no fault: without a snapshot more of the journal is read.
fn write_snapshot(files: &LoopFiles, view: &View, now: Timestamp) {
    let path = files.snapshot();
    let Ok(prepared) = snapshot::prepare(&path, &view.snapshot()) else { return };
    let Ok(lock) = LockFile::open(&files.lock()) else { return };
    if let Ok(_guard) = lock.acquire(PATIENCE, now) {
        let _ = prepared.commit(&path);
        atomic::sweep_leftovers(&files.dir);
        atomic::sweep_leftovers(&files.dir.join(bodies::FOLDER));
    }
}

fn sweep(layout: &Layout, now: Timestamp) {
    requests::sweep(&layout.requests());
    for folder in [layout.insights(), layout.sessions()] {
        atomic::sweep_leftovers(folder);
    }
    for category in Category::USER {
        atomic::sweep_leftovers(&layout.memory().join(category.as_ref()));
    }
    let Ok(entries) = fs::read_dir(layout.loops()) else { return };
    for entry in entries.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|n| LoopId::parse(n).ok()) else {
            continue;
        };
        let files = layout.loop_files(&id);
        if is_orphan(&files) {
            set_aside(layout, &files, now);
        }
    }
}

/// Whether a folder is the rest of an opening that never came to its first commit.
fn is_orphan(files: &LoopFiles) -> bool {
    // The first commit is followed by a summary: where there is one, no file is
    // read, so that sweeping ten thousand loops costs little.
    !files.summary().exists()
        && lost::more_than_an_opening(files).is_none()
        && atomic::is_older_than(&files.dir, ORPHAN_AGE)
}

/// Moves a folder to quarantine, under its lock; nothing is deleted.
fn set_aside(layout: &Layout, files: &LoopFiles, now: Timestamp) {
    let Ok(lock) = LockFile::open(&files.lock()) else { return };
    let Ok(_guard) = lock.acquire(Duration::ZERO, now) else { return };
    // Under the lock nobody is about to write the first commit any more.
    if lost::more_than_an_opening(files).is_none() {
        let _ = Quarantine::new(layout.quarantine()).take(&files.dir, now);
    }
}
