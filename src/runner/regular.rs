//! Reading what a worker or a command may have put in a file's place.

use std::io::{self, Read as _};
use std::path::Path;

use crate::seam::fs::{self, File};

/// How long a file may be that is read as a whole, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Opens a regular file: to open a pipe would wait for who writes into it, and a
/// device may never end.
///
/// # Errors
/// What the system says; `InvalidInput` for what is no regular file.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    match fs::metadata(path) {
        Ok(about) if about.is_file() => File::open(path),
        Ok(_) => refused("it is no regular file"),
        // Something is there: it must not pass for absent.
        Err(_) if fs::symlink_metadata(path).is_ok() => refused("it is a link that leads nowhere"),
        Err(error) => Err(error),
    }
}

/// Reads a regular file of at most 16 MiB.
///
/// # Errors
/// As [`open`]; `InvalidInput` for a longer one.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LONGEST {
        true => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is longer than 16 MiB")),
        false => Ok(bytes),
    }
}
