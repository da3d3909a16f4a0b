//! Exclusive locks beside the files that they guard (store.md, "Concurrency").
//!
//! The operating system releases a lock when its process dies, so there are no
//! stale locks and nothing is guessed from process numbers.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::{Error, Result};
use super::{atomic, plain};
use crate::core::time::Timestamp;
use crate::seam::fs::{File, OpenOptions, TryLockError};

/// How long a writer waits for a lock before it gives up.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(5);

/// Bytes of the holder's note. Fixed, so that overwriting leaves no rest.
const NOTE_WIDTH: usize = 64;

/// Waits that grow and vary, up to a moment at which to give up.
pub struct Backoff {
    started: Instant,
    wait: Duration,
    step: Duration,
    random: RandomState,
    round: u64,
}

impl Backoff {
    const LONGEST: Duration = Duration::from_millis(8);

    /// Waits that end after `wait` in all.
    pub fn new(wait: Duration) -> Self {
        Self {
            started: Instant::now(),
            wait,
            step: Duration::from_micros(60),
            random: RandomState::new(),
            round: 0,
        }
    }

    /// Sleeps for a moment; `false` if the time is over.
    pub fn pause(&mut self) -> bool {
        let Some(left) = self.wait.checked_sub(self.started.elapsed()).filter(|l| !l.is_zero())
        else {
            return false;
        };
        let mut hasher = self.random.build_hasher();
        hasher.write_u64(self.round);
        self.round += 1;
        let half = self.step / 2;
        let jitter = half.mul_f64(f64::from(hasher.finish() as u32) / f64::from(u32::MAX));
        std::thread::sleep((half + jitter).min(left));
        self.step = (self.step * 2).min(Self::LONGEST);
        true
    }

    /// How long was waited so far, in milliseconds.
    pub fn waited_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A lock file, opened and kept open. Never deleted: a deleted lock file would
/// let two processes hold "the" lock.
#[derive(Debug)]
pub struct LockFile {
    file: File,
    note: Option<File>,
    path: PathBuf,
}

/// Holds a lock until it is dropped.
#[derive(Debug)]
pub struct Guard<'a>(&'a LockFile);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // Closing the file would release it too; nothing to do about a failure.
        let _ = self.0.file.unlock();
    }
}

impl LockFile {
    /// Opens a lock file, making it if it is not there.
    ///
    /// # Errors
    /// `read_only` where it may not be written, else `io`.
    pub fn open(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = plain::open_in_place(&mut options, path)
            .map_err(|source| Error::write(path, source))?;
        // The note is a courtesy: without it the lock works just as well.
        let note = plain::open_in_place(&mut options, &note_path(path)).ok();
        Ok(Self { file, note, path: path.to_owned() })
    }

    /// Takes the lock, waiting at most `wait`, and leaves a note of who has it.
    ///
    /// # Errors
    /// `lock_timeout` with the holder's note; `io` where the file system has no locks.
    pub fn acquire(&self, wait: Duration, now: Timestamp) -> Result<Guard<'_>> {
        let mut backoff = None;
        loop {
            match self.file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let backoff = backoff.get_or_insert_with(|| Backoff::new(wait));
                    if !backoff.pause() {
                        return Err(Error::LockTimeout {
                            path: self.path.clone(),
                            waited_ms: backoff.waited_ms(),
                            holder: holder(&self.path),
                        });
                    }
                }
                Err(TryLockError::Error(source)) => {
                    return Err(Error::Io { action: "lock", path: self.path.clone(), source });
                }
            }
        }
        self.leave_note(now);
        Ok(Guard(self))
    }

    fn leave_note(&self, now: Timestamp) {
        let text = format!("pid {} since {now}", std::process::id());
        if let Some(note) = &self.note {
            let line = format!("{text:<width$}\n", width = NOTE_WIDTH - 1);
            let _ = atomic::overwrite(note, line.as_bytes());
        }
    }
}

/// Whether nobody holds a lock. Takes it for an instant (as one of many readers)
/// to find out; writes nothing.
pub fn is_free(path: &Path) -> bool {
    match plain::open(path) {
        Ok(file) => file.try_lock_shared().is_ok(),
        Err(_) => true,
    }
}

/// The note that the last holder of a lock left.
pub fn holder(lock: &Path) -> Option<String> {
    let text = plain::text(&note_path(lock)).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn note_path(lock: &Path) -> PathBuf {
    let mut name = lock.as_os_str().to_owned();
    name.push(".info");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_and_then_says_who_has_it() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("journal.lock");
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
        let first = LockFile::open(&path).expect("opened");
        let second = LockFile::open(&path).expect("opened");
        let guard = first.acquire(DEFAULT_WAIT, now).expect("free");
        assert!(!is_free(&path));
        let refused = second.acquire(Duration::from_millis(5), now).expect_err("held");
        assert_eq!(refused.code(), "lock_timeout");
        let pid = format!("pid {} since 2026-03-01T12:00:00.000Z", std::process::id());
        assert!(refused.to_string().contains(&pid), "{refused}");
        drop(guard);
        assert!(is_free(&path));
        second.acquire(DEFAULT_WAIT, now).expect("free again");
    }

    #[test]
    fn waits_end() {
        let mut backoff = Backoff::new(Duration::from_millis(3));
        let mut rounds = 0;
        while backoff.pause() {
            rounds += 1;
        }
        assert!(rounds > 0 && backoff.waited_ms() >= 3);
    }
}
