//! Noticing what others change on disk (store.md, "Watching").

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, UNIX_EPOCH};

use notify::event::ModifyKind;
use notify::{EventKind, RecursiveMode, Watcher};

use super::api::{Change, Error, Result, Watch};
use super::inner::Engine;
use super::loops::{Loops, hold};
use super::view::Stamp;
use crate::core::loops::ids::LoopId;
use crate::seam::fs;
use crate::store::atomic::is_temp_name;
use crate::store::layout::Layout;

/// How long it must be quiet before changes are told.
const QUIET: Duration = Duration::from_millis(50);
/// How long changes are held back at most while it never gets quiet.
const LONGEST: Duration = Duration::from_millis(100);
/// How often is looked where the system tells nothing.
const POLL: Duration = Duration::from_secs(1);

/// Told by the system, or by the clock.
enum Signal {
    /// Something at these paths.
    Paths(Vec<PathBuf>),
    /// Events were lost: look at everything.
    Everything,
}

impl Engine {
    /// Calls `notify` with every change that others make, until the handle is
    /// dropped. This engine's own commits are not told.
    ///
    /// # Errors
    /// `io` if no thread can be started. Where the system tells nothing of
    /// changes, the files are looked at every second instead.
    pub fn watch(&self, notify: Box<dyn Fn(Change) + Send + Sync>) -> Result<Watch> {
        let (signals, inbox) = channel();
        let layout = self.inner.layout.clone();
        let watching =
            watch_folders(&layout, &signals).map(|watching| Arc::new(Mutex::new(watching)));
        let every = if watching.is_some() { None } else { Some(POLL) };
        // The thread must not keep the watcher alive: it ends with it.
        let later = watching.as_ref().map(Arc::downgrade).unwrap_or_default();
        let mut seen = Seen::new(layout, Arc::clone(&self.inner.loops));
        let memory = Arc::clone(&self.inner.memory);
        std::thread::Builder::new()
            .name("loopdeck-watch".to_owned())
            .spawn(move || {
                while let Some(changes) = next(&inbox, every, &mut seen, &later) {
                    if changes.contains(&Change::Memory) {
                        memory.invalidate();
                    }
                    changes.into_iter().for_each(&notify);
                }
            })
            .map_err(|error| Error::new("io", format!("cannot watch for changes: {error}")))?;
        // While the handle lives so does a sender; the thread ends with the last.
        Ok(Watch { _keep: Box::new((watching, signals)) })
    }
}

fn watch_folders(layout: &Layout, signals: &Sender<Signal>) -> Option<Watching> {
    let signals = signals.clone();
    let handler = move |event: notify::Result<notify::Event>| {
        let signal = match event {
            Ok(event) if event.need_rescan() => Signal::Everything,
            Ok(event) if is_content(event.kind) => Signal::Paths(event.paths),
            Ok(_) => return,
            Err(_) => Signal::Everything,
        };
        let _ = signals.send(signal);
    };
    let watcher = notify::recommended_watcher(handler).ok()?;
    let store = layout.store();
    // The folder of dreams only: that of records may hold a folder for every case,
    // and storing one tells the trigger's state beside the dreams.
    let mut wanted = vec![
        (store.clone(), RecursiveMode::Recursive),
        (layout.insights().to_owned(), RecursiveMode::NonRecursive),
    ];
    let elsewhere = [layout.loops(), layout.memory(), layout.sessions()];
    let elsewhere = elsewhere.into_iter().filter(|folder| !folder.starts_with(&store));
    wanted.extend(elsewhere.map(|folder| (folder.to_owned(), RecursiveMode::Recursive)));
    let root = layout.root().to_owned();
    let mut watching = Watching { watcher, root, there: Vec::new(), wanted, above: Vec::new() };
    watching.go_on(&BTreeSet::new()).ok()?;
    Some(watching)
}

/// What is watched, and the folders that are to be once they are made.
struct Watching {
    watcher: notify::RecommendedWatcher,
    /// The folder of the workspace, watched by itself: one that is moved away tells
    /// nothing of that, the one that held it does.
    root: PathBuf,
    /// Folders that are there.
    there: Vec<(PathBuf, RecursiveMode)>,
    /// Folders that are not.
    wanted: Vec<(PathBuf, RecursiveMode)>,
    /// Folders that are watched only to see those come.
    above: Vec<PathBuf>,
}

impl Watching {
    /// Watches what of the wanted folders is there by now; whether any of them
    /// came. Of the others the nearest folder above is watched, by itself. Of those
    /// that were moved the watch went with them, also where they are back again.
    fn go_on(&mut self, moved: &BTreeSet<PathBuf>) -> notify::Result<bool> {
        let mut came = false;
        let (lost, there): (Vec<_>, Vec<_>) = std::mem::take(&mut self.there)
            .into_iter()
            .partition(|(path, _)| moved.contains(path) || !path.is_dir());
        self.there = there;
        for (path, _) in &lost {
            let _ = self.watcher.unwatch(path);
        }
        self.wanted.extend(lost);
        loop {
            let (there, missing): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.wanted).into_iter().partition(|(path, _)| path.is_dir());
            self.wanted = missing;
            for (path, mode) in &there {
                self.watcher.watch(path, *mode)?;
            }
            came |= !there.is_empty();
            self.there.extend(there);
            let nearest = |(path, _): &(PathBuf, _)| {
                path.ancestors().skip(1).find(|above| above.is_dir()).map(Path::to_owned)
            };
            let root = std::iter::once(self.root.clone());
            let mut above: Vec<PathBuf> =
                self.wanted.iter().filter_map(nearest).chain(root).collect();
            above.sort();
            above.dedup();
            // One that was made between the look and the watch is seen in the next round.
            let new: Vec<PathBuf> =
                above.iter().filter(|path| !self.above.contains(path)).cloned().collect();
            for path in &new {
                self.watcher.watch(path, RecursiveMode::NonRecursive)?;
            }
            for path in self.above.iter().filter(|path| !above.contains(path)) {
                let _ = self.watcher.unwatch(path);
            }
            self.above = above;
            if new.is_empty() {
                return Ok(came);
            }
        }
    }
}

/// Whether an event can mean other content; reading a file is an event too.
fn is_content(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// Where the workspace's settings, protocols, profiles and templates are.
fn settings_of(layout: &Layout) -> [PathBuf; 4] {
    [layout.config(), layout.protocols(), layout.profiles(), layout.templates()]
}

/// Waits for the next changes; none once the handle was dropped.
fn next(
    inbox: &Receiver<Signal>,
    every: Option<Duration>,
    seen: &mut Seen,
    watching: &Weak<Mutex<Watching>>,
) -> Option<Vec<Change>> {
    let first = match every {
        None => inbox.recv().ok()?,
        Some(every) => match inbox.recv_timeout(every) {
            Ok(signal) => signal,
            Err(RecvTimeoutError::Timeout) => Signal::Everything,
            Err(RecvTimeoutError::Disconnected) => return None,
        },
    };
    let mut places = Places::default();
    places.add(&seen.layout, first);
    let started = Instant::now();
    while let Some(left) = LONGEST.checked_sub(started.elapsed()) {
        match inbox.recv_timeout(left.min(QUIET)) {
            Ok(signal) => places.add(&seen.layout, signal),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    if let Some(watching) = watching.upgrade()
        && let Ok(true) = hold(&watching).go_on(&places.moved)
    {
        // What was put there before it was watched was told by nobody.
        places.everything = true;
    }
    Some(seen.changes(places))
}

/// Where something happened.
#[derive(Default)]
struct Places {
    loops: BTreeSet<LoopId>,
    memory: bool,
    dreams: bool,
    sessions: bool,
    settings: bool,
    everything: bool,
    /// Watched folders that came, went or were put in another's place.
    moved: BTreeSet<PathBuf>,
}

impl Places {
    fn add(&mut self, layout: &Layout, signal: Signal) {
        match signal {
            Signal::Everything => self.everything = true,
            Signal::Paths(paths) => paths.iter().for_each(|path| self.add_path(layout, path)),
        }
    }

    fn add_path(&mut self, layout: &Layout, path: &Path) {
        if path.file_name().is_some_and(is_temp_name) {
            return;
        }
        let store = layout.store();
        let watched =
            [&*store, layout.loops(), layout.memory(), layout.insights(), layout.sessions()];
        if watched.contains(&path) {
            self.moved.insert(path.to_owned());
        }
        if path == store {
            self.everything = true;
        } else if let Ok(inside) = path.strip_prefix(layout.loops()) {
            let name = inside.components().next().and_then(|part| part.as_os_str().to_str());
            match name.map(LoopId::parse) {
                Some(Ok(id)) => {
                    self.loops.insert(id);
                }
                Some(Err(_)) => {}
                // The folder of all loops itself came, went or moved.
                None => self.everything = true,
            }
        } else if path.starts_with(layout.memory()) {
            self.memory = true;
        } else if path.starts_with(layout.insights()) {
            self.dreams = true;
        } else if path.starts_with(layout.sessions()) {
            self.sessions |= path.extension().is_some_and(|end| end == "json");
        } else {
            let own = settings_of(layout);
            self.settings |= own.iter().any(|place| path.starts_with(place));
        }
    }
}

/// What was last seen, so that only other content is told.
struct Seen {
    layout: Layout,
    engine: Arc<Loops>,
    loops: HashMap<LoopId, Stamp>,
    memory: u64,
    dreams: u64,
    sessions: u64,
    settings: u64,
}

impl Seen {
    fn new(layout: Layout, engine: Arc<Loops>) -> Self {
        let mut seen = Self {
            layout,
            engine,
            loops: HashMap::new(),
            memory: 0,
            dreams: 0,
            sessions: 0,
            settings: 0,
        };
        for id in seen.ids() {
            if let Some(stamp) = seen.stamp(&id) {
                seen.loops.insert(id, stamp);
            }
        }
        seen.memory = seen.memory_mark();
        seen.dreams = seen.dreams_mark();
        seen.sessions = seen.sessions_mark();
        seen.settings = seen.settings_mark();
        seen
    }

    fn changes(&mut self, places: Places) -> Vec<Change> {
        let mut ids = places.loops;
        if places.everything {
            ids.extend(self.loops.keys().cloned());
            ids.extend(self.ids());
        }
        let mut changes = Vec::new();
        let mut came_or_went = false;
        for id in ids {
            let now = self.stamp(&id);
            let before = self.loops.get(&id).copied();
            if now == before {
                continue;
            }
            match now {
                Some(stamp) => self.loops.insert(id.clone(), stamp),
                None => self.loops.remove(&id),
            };
            // One that is back again is told even if it is as this engine left it.
            let back = places.everything && before.is_none();
            let own = !back
                && now.is_some_and(|now| {
                    self.engine.held(&id).is_some_and(|entry| entry.is_own(&now))
                });
            if !own {
                came_or_went |= now.is_none() || before.is_none();
                changes.push(Change::Loop(id));
            }
        }
        if came_or_went {
            changes.push(Change::Loops);
        }
        if places.memory || places.everything {
            let mark = self.memory_mark();
            if std::mem::replace(&mut self.memory, mark) != mark {
                changes.push(Change::Memory);
            }
        }
        if places.dreams || places.everything {
            let mark = self.dreams_mark();
            if std::mem::replace(&mut self.dreams, mark) != mark {
                changes.push(Change::Dreams);
            }
        }
        if places.sessions || places.everything {
            let mark = self.sessions_mark();
            if std::mem::replace(&mut self.sessions, mark) != mark {
                changes.push(Change::Sessions);
            }
        }
        if places.settings || places.everything {
            let mark = self.settings_mark();
            if std::mem::replace(&mut self.settings, mark) != mark {
                changes.push(Change::Settings);
            }
        }
        changes
    }

    fn ids(&self) -> Vec<LoopId> {
        let entries = fs::read_dir(self.layout.loops()).into_iter().flatten().flatten();
        entries.filter_map(|e| LoopId::parse(e.file_name().to_str()?).ok()).collect()
    }

    fn stamp(&self, id: &LoopId) -> Option<Stamp> {
        let stamp = Stamp::at(&self.layout.loop_files(id).journal()).ok().flatten()?;
        (stamp.length > 0).then_some(stamp)
    }

    fn sessions_mark(&self) -> u64 {
        let is_session = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        let files = fs::read_dir(self.layout.sessions()).into_iter().flatten().flatten();
        mark_of(files.map(|entry| entry.path()).filter(is_session))
    }

    fn memory_mark(&self) -> u64 {
        mark_of([self.layout.memory().to_owned()])
    }

    fn dreams_mark(&self) -> u64 {
        mark_of([self.layout.insights().to_owned()])
    }

    fn settings_mark(&self) -> u64 {
        mark_of(settings_of(&self.layout))
    }
}

/// A number that differs when a file below some paths came, went or changed.
fn mark_of(paths: impl IntoIterator<Item = PathBuf>) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut mark = 0_u64;
    let mut todo: Vec<PathBuf> = paths.into_iter().collect();
    while let Some(path) = todo.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            todo.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
        } else if !path.file_name().is_some_and(is_temp_name) {
            let mut hasher = DefaultHasher::new();
            let modified = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            (path, metadata.len(), modified).hash(&mut hasher);
            // A sum does not depend on the order in which files are met.
            mark = mark.wrapping_add(hasher.finish());
        }
    }
    mark
}
