//! Reward records on disk: `.keysarium/memory/` (dream.md, "Reward records").

mod scan;

use std::io;
use std::path::{Component, Path, PathBuf};

pub use scan::{Pace, scan};

use super::error::{Error, Result};
use super::quarantine::Quarantine;
use super::{Flush, atomic, plain};
use crate::core::dream::new_record::NewRecord;
use crate::core::dream::record;
use crate::core::time::Timestamp;
use crate::seam::fs;

/// What the tracker writes.
const SUMMARY: &str = "_stats/reward-summary.json";
/// The patterns, ours and those of others.
const PATTERNS: &str = "_patterns/domain-patterns.json";

/// The folder of reward records.
#[derive(Clone, Debug)]
pub struct RewardStore {
    root: PathBuf,
    quarantine: Quarantine,
    flush: Flush,
}

impl RewardStore {
    /// The records in a folder; what is taken away goes to `quarantine`.
    pub fn new(root: PathBuf, quarantine: Quarantine, flush: Flush) -> Self {
        Self { root, quarantine, flush }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a path relative to the folder, with `/`.
    pub fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Stores a record, and says where: below `memory/`, with `/`. A record with
    /// its id that is there already is left as it is.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&self, record: &NewRecord) -> Result<(String, Stored)> {
        let folder = record.folder();
        let dir = self.root.join(&folder);
        atomic::make_folder(&dir, self.flush)?;
        for n in 1.. {
            let stem = record.stem();
            let name = if n == 1 { format!("{stem}.json") } else { format!("{stem}-{n}.json") };
            let (path, file) = (format!("{folder}/{name}"), dir.join(&name));
            match plain::read(&file) {
                Ok(bytes) if is_of(&bytes, &record.id) => return Ok((path, Stored::Already)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.write(&file, &record.to_bytes())?;
                    return Ok((path, Stored::New));
                }
                Err(source) => return Err(Error::read(&file, source)),
            }
        }
        unreachable!("some name is free")
    }

    /// When a record says that it was stored; none where it can't be told.
    pub fn stored_at(&self, path: &str) -> Option<Timestamp> {
        let bytes = self.holds(path).then(|| plain::read(&self.file(path)))?.ok()?;
        let record: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        serde_json::from_value(record.get("timestamp")?.clone()).ok()
    }

    /// Moves a record to quarantine; whether it was there.
    ///
    /// # Errors
    /// If it cannot be moved.
    pub fn set_aside(&self, path: &str, now: Timestamp) -> Result<bool> {
        let file = self.file(path);
        if !self.holds(path) {
            return Ok(false);
        }
        match file.try_exists() {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(source) => return Err(Error::read(&file, source)),
        }
        self.quarantine.part("rewards").take(&file, now)?;
        Ok(true)
    }

    /// Whether a path stays in the folder of records. It may come from a journal, which
    /// others may have written.
    pub fn holds(&self, path: &str) -> bool {
        let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
        let leads_down = !path.is_empty() && Path::new(path).components().all(is_name);
        let file = self.file(path);
        let folder = file.parent().map(fs::canonicalize);
        leads_down
            && match (folder, fs::canonicalize(&self.root)) {
                (Some(Ok(folder)), Ok(root)) => folder.starts_with(root),
                // What is not there is nowhere else either.
                _ => true,
            }
    }

    /// The summary that is there, ours or another tool's.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn summary(&self) -> Result<Option<Vec<u8>>> {
        read(&self.file(SUMMARY))
    }

    /// The patterns that are there.
    ///
    /// # Errors
    /// If they are there and cannot be read.
    pub fn patterns(&self) -> Result<Option<Vec<u8>>> {
        read(&self.file(PATTERNS))
    }

    /// Writes the summary and the patterns.
    ///
    /// # Errors
    /// If a file cannot be written; the old ones are then still there.
    pub fn write_stats(&self, summary: &[u8], patterns: &[u8]) -> Result<()> {
        for (path, bytes) in [(SUMMARY, summary), (PATTERNS, patterns)] {
            let file = self.file(path);
            let dir = file.parent().unwrap_or(&self.root);
            atomic::make_folder(dir, self.flush)?;
            self.write(&file, bytes)?;
        }
        Ok(())
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> Result<()> {
        match self.flush {
            Flush::Yes => atomic::write(file, bytes),
            Flush::No => fs::write(file, bytes).map_err(|source| Error::write(file, source)),
        }
    }
}

/// Whether a record was stored, or was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It was stored.
    New,
    /// It was there.
    Already,
}

/// Whether a file is the record of an id.
fn is_of(bytes: &[u8], id: &str) -> bool {
    record::read(bytes).is_ok_and(|record| record.id.as_deref() == Some(id))
}

/// A file's bytes; absent if it is not there.
pub(super) fn read(file: &Path) -> Result<Option<Vec<u8>>> {
    match plain::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::read(file, source)),
    }
}
