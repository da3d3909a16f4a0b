//! What of a folder would be there after a power cut: the content of a file as it
//! was flushed last, under the names that its folder had when *that* was flushed
//! last. Stricter than most file systems, which is the point.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::seam::Op;

/// The durable part of what lies below a folder.
pub(super) struct Durable {
    root: PathBuf,
    /// Names that are durable, and what each would hold.
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: BTreeSet<PathBuf>,
    /// What was flushed of each file, by its number on disk.
    contents: HashMap<u64, Vec<u8>>,
}

impl Durable {
    /// All of a folder, taken as flushed.
    pub fn of(root: &Path) -> Self {
        let mut durable = Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            folders: BTreeSet::new(),
            contents: HashMap::new(),
        };
        durable.take(root);
        durable
    }

    fn take(&mut self, folder: &Path) {
        for path in names_of(folder) {
            if is_folder(&path) {
                self.take(&path);
                self.folders.insert(path);
            } else if let (Ok(bytes), Some(number)) = (fs::read(&path), number_of(&path)) {
                self.contents.insert(number, bytes.clone());
                self.files.insert(path, bytes);
            }
        }
    }

    /// A file is about to lose its name: its number may be given to another.
    pub fn about_to(&mut self, op: Op, path: &Path) {
        if matches!(op, Op::Rename | Op::Remove)
            && let Some(number) = number_of(path)
        {
            self.contents.remove(&number);
        }
    }

    /// A file's bytes, or a folder's names, were flushed.
    pub fn flushed(&mut self, path: &Path) {
        if is_folder(path) {
            self.names_flushed(path);
        } else if let (Ok(bytes), Some(number)) = (fs::read(path), number_of(path)) {
            if let Some(named) = self.files.get_mut(path) {
                named.clone_from(&bytes);
            }
            self.contents.insert(number, bytes);
        }
    }

    fn names_flushed(&mut self, folder: &Path) {
        let is_in = |path: &Path| path.parent() == Some(folder);
        self.files.retain(|path, _| !is_in(path));
        let (mut gone, mut there) = (BTreeSet::new(), BTreeSet::new());
        for path in names_of(folder) {
            if is_folder(&path) {
                there.insert(path);
            } else if let Some(number) = number_of(&path) {
                // A name whose bytes were never flushed leads to an empty file.
                let bytes = self.contents.get(&number).cloned().unwrap_or_default();
                self.files.insert(path, bytes);
            }
        }
        gone.extend(self.folders.iter().filter(|f| is_in(f) && !there.contains(*f)).cloned());
        for folder in gone {
            self.folders.retain(|f| !f.starts_with(&folder));
            self.files.retain(|f, _| !f.starts_with(&folder));
        }
        self.folders.extend(there);
    }

    /// Makes the disk so.
    pub fn restore(&self) -> io::Result<()> {
        for path in names_of(&self.root) {
            if is_folder(&path) { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
        let stands = |path: &Path| {
            path.ancestors()
                .skip(1)
                .take_while(|folder| *folder != self.root)
                .all(|folder| self.folders.contains(folder))
        };
        for folder in self.folders.iter().filter(|folder| stands(folder)) {
            fs::create_dir_all(folder)?;
        }
        for (path, bytes) in self.files.iter().filter(|(path, _)| stands(path)) {
            fs::write(path, bytes)?;
        }
        Ok(())
    }
}

fn names_of(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(unix)]
fn number_of(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).ok().map(|metadata| metadata.ino())
}

/// Where files have no numbers to be had, their paths do: a renamed file then
/// counts as never flushed.
#[cfg(not(unix))]
fn number_of(path: &Path) -> Option<u64> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    fs::symlink_metadata(path).ok().map(|_| hasher.finish())
}
