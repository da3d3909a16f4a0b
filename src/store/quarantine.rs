//! What is set aside: moved out of the way or copied before it changes, under a
//! name of its own. Nothing there is ever overwritten or deleted by the program
//! (store.md, "Workspace").

use std::io;
use std::path::{Path, PathBuf};

use super::Flush;
use super::atomic;
use super::error::{Error, Result};
use super::plain::{self, Links};
use crate::core::time::Timestamp;
use crate::seam::fs::{self, OpenOptions};

/// Names that are tried before something else must be wrong.
const TRIES: u32 = 1_000;

/// The folder of what was set aside.
#[derive(Clone, Debug)]
pub struct Quarantine {
    root: PathBuf,
}

impl Quarantine {
    /// The quarantine in a folder, which need not be there yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The part of it that has a name: `rewards`, `memory`.
    #[must_use]
    pub fn part(&self, name: &str) -> Self {
        Self { root: self.root.join(name) }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Moves a file, a link or a folder here under its own name and the time; says
    /// where to.
    ///
    /// # Errors
    /// If it cannot be moved; it is then still where it was.
    pub fn take(&self, path: &Path, now: Timestamp) -> Result<PathBuf> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.take_as(path, &name, now)
    }

    /// The same under another name.
    ///
    /// # Errors
    /// As [`Quarantine::take`].
    pub fn take_as(&self, path: &Path, name: &str, now: Timestamp) -> Result<PathBuf> {
        let about = fs::symlink_metadata(path).map_err(|source| Error::read(path, source))?;
        let target = self.reserve(name, about.is_dir(), now)?;
        match self.move_to(path, &target, about.is_file()) {
            Ok(()) => {
                sync_parent(path);
                sync_parent(&target);
                Ok(target)
            }
            Err(error) => {
                // Ours, and empty.
                let _ =
                    if about.is_dir() { fs::remove_dir(&target) } else { fs::remove_file(&target) };
                Err(error)
            }
        }
    }

    /// Copies a file here before it is changed or removed; says where to. A copy
    /// of this moment that says the same is enough.
    ///
    /// # Errors
    /// If it cannot be read, or the copy not be written.
    pub fn keep(&self, path: &Path, now: Timestamp) -> Result<PathBuf> {
        let bytes = plain::read(path).map_err(|source| Error::read(path, source))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let same = |kept: &PathBuf| plain::read(kept).is_ok_and(|kept| kept == bytes);
        let taken = (0..TRIES).map(|n| self.target(&name, now, n)).take_while(|path| path.exists());
        if let Some(kept) = taken.into_iter().find(same) {
            return Ok(kept);
        }
        self.copy(&name, &bytes, now)
    }

    fn copy(&self, name: &str, bytes: &[u8], now: Timestamp) -> Result<PathBuf> {
        let target = self.reserve(name, false, now)?;
        match atomic::write(&target, bytes) {
            Ok(()) => Ok(target),
            Err(error) => {
                let _ = fs::remove_file(&target);
                Err(error)
            }
        }
    }

    /// A name that was free, taken by something empty: who else sets aside now
    /// finds it taken.
    fn reserve(&self, name: &str, is_dir: bool, now: Timestamp) -> Result<PathBuf> {
        let failed = |source| Error::write(&self.root, source);
        // What is moved here would go with this folder's name.
        atomic::make_folder(&self.root, Flush::Yes)?;
        for target in (0..TRIES).map(|n| self.target(name, now, n)) {
            let made = match is_dir {
                true => fs::create_dir(&target),
                false => OpenOptions::new().write(true).create_new(true).open(&target).map(drop),
            };
            match made {
                Ok(()) => return Ok(target),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(io::Error::other("no name is free there")))
    }

    /// `name-20260301T123000123Z.ext`, with a number where that is taken.
    fn target(&self, name: &str, now: Timestamp, n: u32) -> PathBuf {
        let at = now.to_utc().format("%Y%m%dT%H%M%S%3fZ");
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (name, String::new()),
        };
        let number = if n == 0 { String::new() } else { format!("-{}", n + 1) };
        self.root.join(format!("{stem}-{at}{number}{extension}"))
    }

    fn move_to(&self, path: &Path, target: &Path, is_file: bool) -> Result<()> {
        match fs::rename(path, target) {
            // Stores and work trees may lie on another file system.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices && is_file => {
                let bytes = plain::read_up_to(path, plain::LONGEST, Links::Refuse)
                    .map_err(|source| Error::read(path, source))?;
                atomic::write(target, &bytes)?;
                fs::remove_file(path).map_err(|source| Error::write(path, source))
            }
            other => other.map_err(|source| Error::write(path, source)),
        }
    }
}

/// That a move outlives a power cut is worth a try, and no reason to say that it
/// was not made.
fn sync_parent(path: &Path) {
    if let Some(parent) = path.parent() {
        let _ = atomic::sync_dir(parent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        "2026-03-01T12:00:00Z".parse().expect("valid")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("listed");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    #[test]
    fn files_and_folders_of_one_name_and_moment_all_stay() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let quarantine = Quarantine::new(dir.path().join("quarantine")).part("rewards");
        let file = dir.path().join("a.json");
        for text in ["one", "two", "three"] {
            fs::write(&file, text).expect("written");
            let to = quarantine.take(&file, noon()).expect("moved");
            assert_eq!(fs::read_to_string(&to).expect("there"), text);
            assert!(!file.exists());
        }
        let folder = dir.path().join("a.json");
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join("inside"), "kept").expect("written");
        let to = quarantine.take(&folder, noon()).expect("moved");
        assert_eq!(fs::read_to_string(to.join("inside")).expect("there"), "kept");
        assert_eq!(
            names(quarantine.root()),
            [
                "a-20260301T120000000Z-2.json",
                "a-20260301T120000000Z-3.json",
                "a-20260301T120000000Z-4.json",
                "a-20260301T120000000Z.json",
            ]
        );
    }

    #[test]
    fn a_copy_that_says_the_same_is_kept_once() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let quarantine = Quarantine::new(dir.path().join("quarantine"));
        let file = dir.path().join("a.md");
        fs::write(&file, "one").expect("written");
        let first = quarantine.keep(&file, noon()).expect("kept");
        assert_eq!(quarantine.keep(&file, noon()).expect("kept"), first);
        fs::write(&file, "two").expect("written");
        assert_ne!(quarantine.keep(&file, noon()).expect("kept"), first);
        assert!(file.exists());
        assert_eq!(names(quarantine.root()).len(), 2);
    }

    #[test]
    fn what_cannot_be_moved_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let quarantine = Quarantine::new(dir.path().join("quarantine"));
        assert!(quarantine.take(&dir.path().join("none"), noon()).is_err());
        assert!(quarantine.keep(&dir.path().join("none"), noon()).is_err());
        assert!(!quarantine.root().exists());
        fs::write(quarantine.root(), "a file where the folder belongs").expect("written");
        let file = dir.path().join("a.md");
        fs::write(&file, "one").expect("written");
        assert!(quarantine.take(&file, noon()).is_err());
        assert_eq!(fs::read_to_string(&file).expect("there"), "one");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_moved_as_it_is() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let quarantine = Quarantine::new(dir.path().join("quarantine"));
        let (link, good) = (dir.path().join("reply.json"), dir.path().join("elsewhere.json"));
        fs::write(&good, "mine").expect("written");
        std::os::unix::fs::symlink(&good, &link).expect("linked");
        let to = quarantine.take_as(&link, "run_1.json", noon()).expect("moved");
        assert!(to.symlink_metadata().expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&good).expect("there"), "mine");
    }
}
