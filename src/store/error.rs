//! What can go wrong with bytes on disk.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read or written. Every variant says which file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused an operation.
    #[error("cannot {action} {}: {}", .path.display(), reason(.source))]
    Io {
        /// What was tried, as a verb ("write", "read").
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file does not parse.
    #[error(
        "{} is damaged at line {line}: {reason}. It is left alone; all before that line can be read",
        .path.display()
    )]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// The first line that cannot be used, from 1.
        line: u64,
        /// Why not.
        reason: String,
    },
    /// A file that is one value does not parse.
    #[error(
        "{} is damaged at line {line}, column {column}: {reason}. It is left alone: mend it by \
         hand, or move it away",
        .path.display()
    )]
    Unparsable {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// Why not.
        reason: String,
    },
    /// A file was written by a version of the program that knows more.
    #[error(
        "{} was written by a newer loopdeck (line {line}: {reason}); update loopdeck to change it",
        .path.display()
    )]
    NewerFormat {
        /// Which file.
        path: PathBuf,
        /// The first line that this version doesn't know, from 1.
        line: u64,
        /// What is not known.
        reason: String,
    },
    /// Nothing may be written here.
    #[error("cannot write {}: {reason}; reading still works", .path.display())]
    ReadOnly {
        /// Which file or folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Somebody else held the lock for too long.
    #[error(
        "{} is locked by another process{}: gave up after {waited_ms} ms; try again",
        .path.display(),
        .holder.as_ref().map(|h| format!(" ({h})")).unwrap_or_default()
    )]
    LockTimeout {
        /// The lock file.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
        /// The note that the holder left.
        holder: Option<String>,
    },
}

impl Error {
    /// Its stable name (interfaces.md, "Codes").
    pub fn code(&self) -> &'static str {
        match self {
            Error::Io { .. } => "io",
            Error::Damaged { .. } | Error::Unparsable { .. } => "damaged",
            Error::NewerFormat { .. } => "newer_format",
            Error::ReadOnly { .. } => "read_only",
            Error::LockTimeout { .. } => "lock_timeout",
        }
    }

    /// The file that it is about.
    pub fn path(&self) -> &Path {
        match self {
            Error::Io { path, .. }
            | Error::Damaged { path, .. }
            | Error::Unparsable { path, .. }
            | Error::NewerFormat { path, .. }
            | Error::ReadOnly { path, .. }
            | Error::LockTimeout { path, .. } => path,
        }
    }

    /// Whether the file or folder is simply not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// A failed read.
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Error::Io { action: "read", path: path.to_owned(), source }
    }

    /// A failed write; a refused permission is a store that may only be read.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied => Error::ReadOnly {
                path: path.to_owned(),
                reason: "this user may not write there".to_owned(),
            },
            io::ErrorKind::ReadOnlyFilesystem => Error::ReadOnly {
                path: path.to_owned(),
                reason: "the file system is mounted read-only".to_owned(),
            },
            _ => Error::Io { action: "write", path: path.to_owned(), source },
        }
    }
}

fn reason(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full. Nothing was changed; free some space and try again".to_owned()
        }
        _ => source.to_string(),
    }
}

/// What an operation on files answers.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_permission_is_read_only_and_a_full_disk_says_so() {
        let path = Path::new("x/y");
        assert_eq!(Error::write(path, io::ErrorKind::PermissionDenied.into()).code(), "read_only");
        let full = Error::write(path, io::ErrorKind::StorageFull.into());
        assert_eq!(full.code(), "io");
        assert!(full.to_string().contains("disk is full"), "{full}");
        assert!(full.to_string().contains("x/y"), "{full}");
    }
}
