//! The state of a loop at some commit, so that a reader need not begin at the
//! first one. Derived: safe to delete, ignored where it doesn't fit.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::Result;
use super::journal::Position;
use super::{atomic, plain};
use crate::core::text::sha256_hex;
use crate::seam::fs::File;

/// The format of the file.
const FORMAT: u32 = 1;

/// A request that was answered, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// SHA-256 of verb and arguments.
    pub body_sha256: String,
    /// The last seq of the commit that answers it.
    pub seq: u64,
}

/// Everything that was folded up to a position, with the state `S`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot<S> {
    /// The format of the file.
    v: u32,
    /// The version of the fold that made the state.
    fold: u32,
    /// The seq of the last event in it.
    pub seq: u64,
    /// Up to where the journal is in it.
    pub position: Position,
    /// The seq of the newest commit that was more than a journaled refusal.
    pub changed_seq: u64,
    /// Lines whose `prev` is not the line before.
    #[serde(default)]
    pub breaks: Vec<u64>,
    /// The requests that were answered, by id.
    #[serde(default)]
    pub requests: BTreeMap<String, Answered>,
    /// The state.
    pub state: S,
}

impl<S> Snapshot<S> {
    /// A snapshot of a state at a position.
    pub fn new(fold: u32, position: Position, changed_seq: u64, state: S) -> Self {
        Self {
            v: FORMAT,
            fold,
            seq: position.seq,
            position,
            changed_seq,
            breaks: Vec::new(),
            requests: BTreeMap::new(),
            state,
        }
    }
}

#[derive(Deserialize)]
struct Head {
    v: u32,
    fold: u32,
    position: Position,
}

/// Reads a snapshot if there is one and it still fits the journal: same format
/// and fold, and the line that it ends with is where it was and what it was.
pub fn read<S: DeserializeOwned>(path: &Path, fold: u32, journal: &File) -> Option<Snapshot<S>> {
    let bytes = plain::read(path).ok()?;
    let head: Head = serde_json::from_slice(&bytes).ok()?;
    if head.v != FORMAT || head.fold != fold || !fits(&head.position, journal) {
        return None;
    }
    let snapshot: Snapshot<S> = serde_json::from_slice(&bytes).ok()?;
    (snapshot.seq == snapshot.position.seq).then_some(snapshot)
}

/// Whether the line before a position still stands there unchanged.
pub fn fits(position: &Position, mut journal: &File) -> bool {
    let Some(expected) = &position.line_sha256 else { return false };
    let Some(length) = position.offset.checked_sub(position.line_start) else { return false };
    // The byte before the line must end another one, else it is no line.
    let lead = u64::from(position.line_start > 0);
    let mut bytes = Vec::new();
    let read = journal
        .seek(SeekFrom::Start(position.line_start - lead))
        .and_then(|_| BufReader::new(journal).take(length + lead).read_to_end(&mut bytes));
    if !read.is_ok_and(|n| n as u64 == length + lead) || bytes.last() != Some(&b'\n') {
        return false;
    }
    if lead == 1 && bytes.remove(0) != b'\n' {
        return false;
    }
    let mut line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    line = line.strip_suffix(b"\r").unwrap_or(line);
    if position.line_start == 0 {
        line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    }
    sha256_hex(line) == *expected
}

/// A snapshot that is complete on disk but not in place yet.
pub struct Prepared(tempfile::NamedTempFile<File>);

/// Writes a snapshot beside its place; needs no lock.
///
/// # Errors
/// If it cannot be written.
pub fn prepare<S: Serialize>(path: &Path, snapshot: &Snapshot<S>) -> Result<Prepared> {
    atomic::prepare(path, |out| {
        serde_json::to_writer(&mut *out, snapshot)?;
        out.write_all(b"\n")
    })
    .map(Prepared)
}

impl Prepared {
    /// Puts it in place. Only for the holder of the lock.
    ///
    /// # Errors
    /// If the rename fails.
    pub fn commit(self, path: &Path) -> Result<()> {
        atomic::commit(self.0, path)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn journal(text: &str) -> (tempfile::TempDir, File, Position) {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("journal.jsonl");
        fs::write(&path, text).expect("written");
        let position = Position {
            offset: 11,
            line_start: 6,
            lines: 2,
            seq: 2,
            at: None,
            line_sha256: Some(sha256_hex(b"line")),
        };
        let file = File::open(&path).expect("opened");
        (dir, file, position)
    }

    #[test]
    fn fits_only_while_its_last_line_is_the_same() {
        let (_dir, file, position) = journal("first\nline\nmore\n");
        assert!(fits(&position, &file));
        for other in ["first\nlime\nmore\n", "first\nline", "firstxline\nmore\n", "first\n", ""] {
            let (_dir, file, position) = journal(other);
            assert!(!fits(&position, &file), "{other:?}");
        }
    }

    #[test]
    fn a_snapshot_of_another_fold_or_a_cut_one_is_ignored() {
        let (dir, file, position) = journal("first\nline\n");
        let path = dir.path().join("snapshot.json");
        let snapshot = Snapshot::new(1, position, 2, "state".to_owned());
        prepare(&path, &snapshot).and_then(|p| p.commit(&path)).expect("written");
        assert_eq!(read::<String>(&path, 1, &file), Some(snapshot));
        assert_eq!(read::<String>(&path, 2, &file), None);
        let bytes = fs::read(&path).expect("readable");
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        assert_eq!(read::<String>(&path, 1, &file), None);
    }
}
