//! Dreams on disk: `.keysarium/insights/` (dream.md, "Run", 7, and "Trigger").
//! All changes are made under one lock, so that two who dream at once are safe.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{Error, Result};
use super::lock::{Guard, LockFile};
use super::quarantine::Quarantine;
use super::rewards::read;
use super::{Flush, atomic, ignore, plain};
use crate::core::dream::past::MERGED;
use crate::core::dream::trigger::State;
use crate::core::dream::{Dream, DreamId, Earlier, Marks};
use crate::core::time::Timestamp;
use crate::seam::fs;

/// The trigger's state.
pub const STATE: &str = "trigger-state.json";
/// What people think of insights.
const MARKS: &str = "marks.json";
/// The lock of the folder.
const LOCK: &str = ".lock";
/// The lock of whoever dreams by itself.
const AUTO_LOCK: &str = ".auto.lock";

/// The folder of dreams.
#[derive(Clone, Debug)]
pub struct DreamStore {
    root: PathBuf,
    quarantine: Quarantine,
    wait: Duration,
    flush: Flush,
}

/// The trigger's state as it was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// As it is in its file.
    Read(State),
    /// There is no file: as things are without one.
    Missing(State),
    /// The file cannot be used (why): as things are without one.
    Malformed(State, String),
}

impl Found {
    /// The state that holds.
    pub fn state(&self) -> &State {
        match self {
            Found::Read(state) | Found::Missing(state) | Found::Malformed(state, _) => state,
        }
    }

    /// What is wrong with the file.
    pub fn fault(&self) -> Option<&str> {
        match self {
            Found::Malformed(_, why) => Some(why),
            _ => None,
        }
    }
}

/// An open lock of the folder.
pub struct Locked(LockFile);

impl Locked {
    /// Takes the lock.
    ///
    /// # Errors
    /// `lock_timeout` with the holder's note.
    pub fn take(&self, wait: Duration, now: Timestamp) -> Result<Guard<'_>> {
        self.0.acquire(wait, now)
    }
}

impl DreamStore {
    /// The dreams in a folder; what cannot be used goes to `quarantine`.
    pub fn new(root: PathBuf, quarantine: Quarantine, wait: Duration, flush: Flush) -> Self {
        Self { root, quarantine, wait, flush }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// How long a writer waits for the lock.
    pub fn wait(&self) -> Duration {
        self.wait
    }

    /// The lock of the folder, which is made if need be.
    ///
    /// # Errors
    /// If the folder or the lock file cannot be made.
    pub fn lock(&self) -> Result<Locked> {
        self.lock_file(LOCK)
    }

    /// The lock of whoever dreams by itself: one at a time.
    ///
    /// # Errors
    /// As [`DreamStore::lock`].
    pub fn auto_lock(&self) -> Result<Locked> {
        self.lock_file(AUTO_LOCK)
    }

    fn lock_file(&self, name: &str) -> Result<Locked> {
        if !self.root.is_dir() {
            atomic::make_folder(&self.root, self.flush)?;
            ignore::in_folder(&self.root);
        }
        Ok(Locked(LockFile::open(&self.root.join(name))?))
    }

    /// The dreams that are there, newest first. Only names exactly of the form count.
    ///
    /// # Errors
    /// If the folder is there and cannot be listed.
    pub fn dreams(&self) -> Result<Vec<DreamId>> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(Error::read(&self.root, source)),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| Error::read(&self.root, source))?;
            ids.extend(entry.file_name().to_str().and_then(DreamId::of_file));
        }
        ids.sort_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    /// The file of a dream.
    pub fn file(&self, id: &DreamId) -> PathBuf {
        self.root.join(id.file_name())
    }

    /// One dream, or why it cannot be read.
    pub fn read(&self, id: &DreamId) -> Earlier {
        let file = self.file(id);
        let dream = match plain::read(&file) {
            Ok(bytes) => Dream::parse(&bytes),
            Err(error) => Err(error.to_string()),
        };
        Earlier { id: id.clone(), dream }
    }

    /// The dreams that count for a new one: those dated after now, which are
    /// only reported, and the newest three before.
    ///
    /// # Errors
    /// As [`DreamStore::dreams`].
    pub fn earlier(&self, now: Timestamp) -> Result<Vec<Earlier>> {
        let is_later = |id: &DreamId| id.moment().is_some_and(|at| at > now);
        let ids = self.dreams()?;
        let (later, before): (Vec<_>, Vec<_>) = ids.into_iter().partition(is_later);
        let later = later.into_iter().map(|id| Earlier { id, dream: Ok(Dream::default()) });
        Ok(later.chain(before.iter().take(MERGED).map(|id| self.read(id))).collect())
    }

    /// The trigger's state as it is.
    ///
    /// # Errors
    /// If the file is there and the system does not give it.
    pub fn state(&self, now: Timestamp) -> Result<Found> {
        let without = || -> Result<State> {
            let ids = self.dreams()?;
            let past = |id: &&DreamId| id.moment().is_some_and(|at| at <= now);
            Ok(State::after(ids.iter().find(past).or(ids.first())))
        };
        match read(&self.root.join(STATE))? {
            None => Ok(Found::Missing(without()?)),
            Some(bytes) => match State::parse(&bytes) {
                Ok(state) => Ok(Found::Read(state)),
                Err(why) => Ok(Found::Malformed(without()?, why)),
            },
        }
    }

    /// Changes the trigger's state; the caller holds the lock. A file that cannot
    /// be used is set aside, and where is said.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn change_state(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut State),
    ) -> Result<Option<String>> {
        let found = self.state(now)?;
        let path = self.root.join(STATE);
        let mut state = found.state().clone();
        change(&mut state);
        let said = match found.fault() {
            None => None,
            Some(why) => {
                let to = self.quarantine.part("insights").take(&path, now)?;
                Some(format!("{STATE} could not be used ({why}): set aside as {}", to.display()))
            }
        };
        self.write(&path, &state.to_bytes())?;
        Ok(said)
    }

    /// The id of a dream dreamt now: a taken name moves to the next free second.
    pub fn free_id(&self, now: Timestamp) -> DreamId {
        let mut id = DreamId::at(now);
        while self.file(&id).exists() {
            let next = id.next();
            // At the end of what a name can say there is no next second.
            if next <= id {
                break;
            }
            id = next;
        }
        id
    }

    /// Writes a dream; the caller holds the lock.
    ///
    /// # Errors
    /// If it cannot be written; nothing else was touched then.
    pub fn write_dream(&self, id: &DreamId, bytes: &[u8]) -> Result<PathBuf> {
        let file = self.file(id);
        self.write(&file, bytes)?;
        atomic::sweep_leftovers(&self.root);
        Ok(file)
    }

    /// Removes the oldest dreams beyond `keep`, never `just_written`; how many went.
    ///
    /// # Errors
    /// If the folder cannot be listed or a file not be removed; if it is a link: what
    /// it leads to may be another workspace's.
    pub fn retain(&self, keep: usize, just_written: Option<&DreamId>) -> Result<usize> {
        let ids = self.dreams()?;
        if ids.len() > keep && plain::is_link(&self.root) {
            let why = "it is a link, so no dream is removed there";
            return Err(Error::write(&self.root, io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        let mut kept: BTreeSet<&DreamId> = just_written.into_iter().collect();
        for id in &ids {
            if kept.len() >= keep {
                break;
            }
            kept.insert(id);
        }
        let mut gone = 0;
        for id in ids.iter().filter(|id| !kept.contains(id)) {
            let file = self.file(id);
            fs::remove_file(&file).map_err(|source| Error::write(&file, source))?;
            gone += 1;
        }
        Ok(gone)
    }

    /// What people think of insights; a file that cannot be used is told apart
    /// from one that is not there.
    ///
    /// # Errors
    /// `damaged` if it does not parse; if the system does not give it.
    pub fn marks(&self) -> Result<Marks> {
        let path = self.root.join(MARKS);
        match read(&path)? {
            None => Ok(Marks::default()),
            Some(bytes) => Marks::parse(&bytes).map_err(|reason| Error::Damaged {
                path: path.clone(),
                line: 1,
                reason,
            }),
        }
    }

    /// Changes the marks under the lock.
    ///
    /// # Errors
    /// As [`DreamStore::marks`]; if they cannot be written.
    pub fn change_marks<T>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut Marks) -> T,
    ) -> Result<T> {
        let lock = self.lock()?;
        let _guard = lock.take(self.wait, now)?;
        let mut marks = self.marks()?;
        let answer = change(&mut marks);
        self.write(&self.root.join(MARKS), &marks.to_bytes())?;
        Ok(answer)
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> Result<()> {
        match self.flush {
            Flush::Yes => atomic::write(file, bytes),
            Flush::No => fs::write(file, bytes).map_err(|source| Error::write(file, source)),
        }
    }
}
