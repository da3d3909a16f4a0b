//! Keeping what is about to be replaced or removed (store.md: never lost).

use std::path::Path;

use super::super::error::{Error, Result};
use super::super::plain;
use super::atomic;
use crate::core::time::Timestamp;
use crate::seam::fs;

/// Copies a file to the quarantine, under its name and the time.
///
/// # Errors
/// If it cannot be read, or the copy not be written.
pub fn keep(path: &Path, quarantine: &Path, now: Timestamp) -> Result<()> {
    let bytes = plain::read(path).map_err(|source| Error::read(path, source))?;
    let dir = quarantine.join("memory");
    fs::create_dir_all(&dir).map_err(|source| Error::write(&dir, source))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let at = now.to_utc().format("%Y%m%dT%H%M%S%3fZ");
    let mut copy = dir.join(format!("{stem}-{at}.md"));
    let mut n = 2;
    while copy.exists() {
        if fs::read(&copy).is_ok_and(|kept| kept == bytes) {
            return Ok(());
        }
        copy = dir.join(format!("{stem}-{at}-{n}.md"));
        n += 1;
    }
    atomic::write(&copy, &bytes)
}
