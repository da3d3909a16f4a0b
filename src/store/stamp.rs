//! Telling whether a file is still as it was, without reading it.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::plain;
use crate::seam::fs::Metadata;

/// What tells, without reading it, that a file is still the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Its length in bytes.
    pub length: u64,
    /// When it was written last.
    pub modified: Option<SystemTime>,
    #[cfg(unix)]
    identity: (u64, u64),
}

impl Stamp {
    /// The stamp of a file.
    pub fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            identity: (metadata.dev(), metadata.ino()),
        }
    }

    /// The stamp of the file at a path, if there is one. What is there and is no
    /// regular file is an error, not absent.
    pub fn at(path: &Path) -> io::Result<Option<Self>> {
        match plain::about(path) {
            Ok(metadata) => Ok(Some(Self::of(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The stamp of the same file at another length, written at no moment: it
    /// equals none that is read from a disk.
    pub fn unknown_at(&self, length: u64) -> Self {
        Self { length, modified: None, ..*self }
    }

    /// Whether both are of one file, changed or not. Where the system gives
    /// files no identity, the same path has to do.
    pub fn is_same_file(&self, other: &Stamp) -> bool {
        #[cfg(unix)]
        return self.identity == other.identity;
        #[cfg(not(unix))]
        {
            let _ = other;
            true
        }
    }
}
