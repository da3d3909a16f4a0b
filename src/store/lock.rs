//! Exclusive locks beside the files that they guard (store.md, "Concurrency").
//!
//! The operating system releases a lock when its process dies, so there are no
//! stale locks and nothing is guessed from process numbers.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::{Error, Result};
use super::stamp::Stamp;
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

/// A lock file, opened and kept open. Never deleted by us; where somebody else deletes
/// it or puts another in its place, two processes would hold "the" lock: the file is
/// compared with what its path names whenever the lock is taken.
#[derive(Debug)]
pub struct LockFile {
    file: Mutex<Arc<File>>,
    note: Option<File>,
    path: PathBuf,
}

/// Holds a lock until it is dropped.
#[derive(Debug)]
pub struct Guard<'a> {
    file: Arc<File>,
    of: PhantomData<&'a LockFile>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // Closing the file would release it too; nothing to do about a failure.
        let _ = self.file.unlock();
    }
}

impl LockFile {
    /// Opens a lock file, making it if it is not there.
    ///
    /// # Errors
    /// `read_only` where it may not be written, else `io`.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open_or_make(path).map_err(|source| Error::write(path, source))?;
        // The note is a courtesy: without it the lock works just as well.
        let note = open_or_make(&note_path(path)).ok();
        Ok(Self { file: Mutex::new(Arc::new(file)), note, path: path.to_owned() })
    }

    fn file(&self) -> Arc<File> {
        Arc::clone(&self.file.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens what the path names now, where that is another file than the one that is
    /// open; whether it was. Where nothing can be opened there any more, the folder is
    /// gone, and what is locked is found out by whoever looks into it.
    fn follow_the_path(&self, open: &File) -> bool {
        let same = match (open.metadata(), plain::about(&self.path)) {
            (Ok(ours), Ok(theirs)) => Stamp::of(&ours).is_same_file(&Stamp::of(&theirs)),
            _ => false,
        };
        if same {
            return false;
        }
        let Ok(file) = open_or_make(&self.path) else { return false };
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(file);
        true
    }

    /// Takes the lock, waiting at most `wait`, and leaves a note of who has it.
    ///
    /// # Errors
    /// `lock_timeout` with the holder's note; `io` where the file system has no locks.
    pub fn acquire(&self, wait: Duration, now: Timestamp) -> Result<Guard<'_>> {
        let mut backoff = None;
        let mut file = self.file();
        loop {
            match file.try_lock() {
                Ok(()) if self.follow_the_path(&file) => {
                    let _ = file.unlock();
                    file = self.file();
                }
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
        Ok(Guard { file, of: PhantomData })
    }

    fn leave_note(&self, now: Timestamp) {
        let text = format!("pid {} since {now}", std::process::id());
        if let Some(note) = &self.note {
            let line = format!("{text:<width$}\n", width = NOTE_WIDTH - 1);
            let _ = atomic::overwrite(note, line.as_bytes());
        }
    }
}

fn open_or_make(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    plain::open_in_place(&mut options, path)
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

    /// Git removes lock files with `git clean -X`, people with `rm`: who opened the old
    /// one and who makes the new one must not both hold the lock.
    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_was_removed_or_replaced_is_opened_anew() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("journal.lock");
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
        let old = LockFile::open(&path).expect("opened");
        drop(old.acquire(Duration::ZERO, now).expect("free"));
        std::fs::remove_file(&path).expect("removed");
        let new = LockFile::open(&path).expect("made");
        let guard = new.acquire(Duration::ZERO, now).expect("free");
        let refused = old.acquire(Duration::ZERO, now).expect_err("it is the same lock");
        assert_eq!(refused.code(), "lock_timeout");
        drop(guard);
        drop(old.acquire(Duration::ZERO, now).expect("free"));
        // Without its folder there is nothing to open: who looks for the loop says so.
        std::fs::remove_dir_all(dir.path()).expect("removed");
        drop(old.acquire(Duration::ZERO, now).expect("free"));
    }

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
