//! Iteration sessions: one JSON file each, `.whetstone/sessions/<id>.json`,
//! beside it its lock (sessions.md, store.md "Concurrency").
//!
//! What was read is kept and given again while the file is the same one. A file
//! is written whole, so a kill leaves the old or the new one.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::error::{Error, Result};
use super::lock::{DEFAULT_WAIT, LockFile};
use super::stamp::Stamp;
use super::{Flush, atomic, ignore, plain};
use crate::core::session::{Session, SessionId, SessionSummary};
use crate::core::time::Timestamp;
use crate::seam::fs;

/// Sessions that are kept whole.
const KEPT: usize = 16;

/// The iteration sessions of a workspace. Cheap to share; safe to use from many
/// threads and processes.
#[derive(Debug)]
pub struct SessionStore {
    dir: PathBuf,
    wait: Duration,
    flush: Flush,
    held: Mutex<Held>,
}

/// What was read last.
#[derive(Debug, Default)]
struct Held {
    sessions: HashMap<SessionId, (Stamp, Arc<Session>)>,
    lines: HashMap<SessionId, (Stamp, Line)>,
}

/// A session in the list, or why it is not there.
type Line = std::result::Result<Arc<SessionSummary>, Arc<Error>>;

/// All sessions in a line each, and what could not be read.
#[derive(Debug, Default)]
pub struct Sessions {
    /// Newest change first.
    pub lines: Vec<Arc<SessionSummary>>,
    /// Files that could not be read.
    pub faults: Vec<Arc<Error>>,
}

impl SessionStore {
    /// The sessions in a folder, which need not be there yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), wait: DEFAULT_WAIT, flush: Flush::Yes, held: Mutex::default() }
    }

    /// With another time that a writer waits for another one.
    #[must_use]
    pub fn with_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// With writes flushed to the disk, or not: for what may be lost.
    #[must_use]
    pub fn with_flush(mut self, flush: Flush) -> Self {
        self.flush = flush;
        self
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where a session is.
    pub fn path(&self, id: &SessionId) -> PathBuf {
        self.dir.join(format!("{id}.json"))
    }

    /// The ids of all sessions, in order; none where there is no folder.
    ///
    /// # Errors
    /// `io` if the folder cannot be read.
    pub fn ids(&self) -> Result<Vec<SessionId>> {
        let failed = |source| Error::read(&self.dir, source);
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
            ids.extend(id.and_then(|id| SessionId::parse(id).ok()));
        }
        ids.sort();
        Ok(ids)
    }

    /// A session; none if there is no such file.
    ///
    /// # Errors
    /// `damaged` with line and column, `io`.
    pub fn load(&self, id: &SessionId) -> Result<Option<Arc<Session>>> {
        let path = self.path(id);
        let stamp = Stamp::at(&path).map_err(|source| Error::read(&path, source))?;
        let Some(stamp) = stamp else { return Ok(None) };
        if let Some((known, session)) = self.held().sessions.get(id)
            && *known == stamp
        {
            return Ok(Some(session.clone()));
        }
        let Some(session) = read::<Session>(&path)? else { return Ok(None) };
        check_name(&path, id, &session.session_id)?;
        let session = Arc::new(session);
        self.keep(id, stamp, &session);
        Ok(Some(session))
    }

    /// Writes a session, in place of what its file says now. Makes the folder.
    ///
    /// # Errors
    /// `lock_timeout`, `read_only`, `io`; the old file is then still there.
    pub fn save(&self, session: &Session, now: Timestamp) -> Result<()> {
        self.change::<(), Error>(&session.session_id, now, |slot| {
            *slot = Some(Arc::new(session.clone()));
            Ok(())
        })
    }

    /// Changes a session (none = there is none yet) as it is on disk now, under
    /// its lock. Nothing is written where the change fails or leaves it as it is.
    ///
    /// # Errors
    /// What `change` says; `lock_timeout`, `damaged`, `read_only`, `io`.
    pub fn change<T, E: From<Error>>(
        &self,
        id: &SessionId,
        now: Timestamp,
        change: impl FnOnce(&mut Option<Arc<Session>>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if !self.dir.is_dir() {
            atomic::make_folder(&self.dir, self.flush)?;
            ignore::in_folder(&self.dir);
        }
        let lock = LockFile::open(&self.lock_path(id))?;
        let _guard = lock.acquire(self.wait, now)?;
        let mut session = self.load(id)?;
        let newer = session.as_ref().filter(|s| s.schema_version > Session::SCHEMA_VERSION);
        if let Some(newer) = newer {
            let reason = format!("its schema_version is {}", newer.schema_version);
            let error = Error::NewerFormat { path: self.path(id), line: 1, reason };
            return Err(error.into());
        }
        let before = session.clone();
        let answer = change(&mut session)?;
        if let Some(session) = session
            && !before.is_some_and(|before| Arc::ptr_eq(&before, &session))
        {
            self.write(&session)?;
        }
        Ok(answer)
    }

    /// All sessions in a line each; only files that changed are read.
    ///
    /// # Errors
    /// `io` if the folder cannot be read.
    pub fn list(&self) -> Result<Sessions> {
        let ids = self.ids()?;
        let known = std::mem::take(&mut self.held().lines);
        let mut lines = HashMap::with_capacity(ids.len());
        let mut all = Sessions::default();
        for id in ids {
            let path = self.path(&id);
            let stamp = match Stamp::at(&path) {
                Ok(Some(stamp)) => stamp,
                // It went meanwhile.
                Ok(None) => continue,
                Err(source) => {
                    all.faults.push(Arc::new(Error::read(&path, source)));
                    continue;
                }
            };
            let line = match known.get(&id) {
                Some((same, line)) if *same == stamp => line.clone(),
                _ => match self.read_line(&path, &id) {
                    Some(line) => line,
                    None => continue,
                },
            };
            match &line {
                Ok(line) => all.lines.push(line.clone()),
                Err(error) => all.faults.push(error.clone()),
            }
            lines.insert(id, (stamp, line));
        }
        self.held().lines = lines;
        all.lines.sort_by(|a, b| {
            b.updated_at.cmp(&a.updated_at).then_with(|| a.session_id.cmp(&b.session_id))
        });
        Ok(all)
    }

    fn read_line(&self, path: &Path, id: &SessionId) -> Option<Line> {
        let line = read::<SessionSummary>(path).transpose()?;
        let line = line.and_then(|line| {
            check_name(path, id, &line.session_id)?;
            Ok(Arc::new(line))
        });
        Some(line.map_err(Arc::new))
    }

    fn write(&self, session: &Arc<Session>) -> Result<()> {
        let path = self.path(&session.session_id);
        let text = render(session);
        match self.flush {
            Flush::Yes => atomic::write(&path, text.as_bytes())?,
            Flush::No => {
                fs::write(&path, &text).map_err(|source| Error::write(&path, source))?;
            }
        }
        atomic::sweep_leftovers(&self.dir);
        if let Ok(Some(stamp)) = Stamp::at(&path) {
            self.keep(&session.session_id, stamp, session);
        }
        Ok(())
    }

    fn keep(&self, id: &SessionId, stamp: Stamp, session: &Arc<Session>) {
        let mut held = self.held();
        if held.sessions.len() >= KEPT && !held.sessions.contains_key(id) {
            let oldest = held.sessions.values().map(|(_, s)| s.updated_at).min();
            held.sessions.retain(|_, (_, s)| Some(s.updated_at) != oldest);
        }
        held.sessions.insert(id.clone(), (stamp, session.clone()));
    }

    fn lock_path(&self, id: &SessionId) -> PathBuf {
        self.dir.join(format!("{id}.json.lock"))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session as its file says it.
pub fn render(session: &Session) -> String {
    // Keys are texts and numbers are finite, so there is nothing to fail.
    let mut text = serde_json::to_string_pretty(session).unwrap_or_default();
    text.push('\n');
    text
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let bytes = match plain::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::read(path, error)),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    serde_json::from_slice(bytes).map(Some).map_err(|error| {
        let (line, column) = (error.line() as u64, error.column() as u64);
        let said = error.to_string();
        // Where it is stands in front already.
        let reason = said.split(" at line ").next().unwrap_or(&said).to_owned();
        Error::Unparsable { path: path.to_owned(), line, column, reason }
    })
}

/// A file under another session's name would be changed in that one's place.
fn check_name(path: &Path, id: &SessionId, inside: &SessionId) -> Result<()> {
    if id == inside {
        return Ok(());
    }
    Err(Error::Unparsable {
        path: path.to_owned(),
        line: 1,
        column: 1,
        reason: format!("it holds the session {inside:?}, whose file would be {inside}.json"),
    })
}

#[cfg(test)]
#[path = "sidecar_tests.rs"]
mod tests;
