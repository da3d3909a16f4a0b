//! What an interrupted writer leaves at the end of a journal.

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Tail;
use crate::core::time::Timestamp;
use crate::seam::fs::File;
use crate::store::atomic;
use crate::store::error::{Error, Result};

/// Whether a line was not finished by its writer: it has no line feed, or it is
/// the last one and holds NULs (a length that reached the disk before the data).
pub(super) fn is_unfinished(line: &[u8], rest: &mut impl BufRead) -> io::Result<bool> {
    if line.last() != Some(&b'\n') {
        return Ok(true);
    }
    Ok(line.contains(&0) && rest.fill_buf()?.is_empty())
}

/// Moves a tail to a file of its own beside the journal and cuts it off. Only
/// for the holder of the lock.
///
/// # Errors
/// If the copy cannot be written (then nothing is cut) or the journal not be cut.
pub fn set_aside(file: &File, path: &Path, tail: Tail, now: Timestamp) -> Result<PathBuf> {
    let mut bytes = Vec::new();
    let mut reader = file;
    reader
        .seek(SeekFrom::Start(tail.offset))
        .and_then(|_| reader.take(tail.length).read_to_end(&mut bytes))
        .map_err(|source| Error::read(path, source))?;
    let copy = free_name(path, now);
    atomic::write(&copy, &bytes)?;
    file.set_len(tail.offset)
        .and_then(|()| file.sync_all())
        .map_err(|source| Error::write(path, source))?;
    Ok(copy)
}

/// `journal.tail-20260301T123000123Z`, with a number where that is taken.
fn free_name(journal: &Path, now: Timestamp) -> PathBuf {
    let stamp = now.to_utc().format("%Y%m%dT%H%M%S%3fZ").to_string();
    let name = |n: u32| match n {
        0 => journal.with_file_name(format!("journal.tail-{stamp}")),
        n => journal.with_file_name(format!("journal.tail-{stamp}-{n}")),
    };
    (0..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
}
