//! Reading commits: forwards from a position, one by its seq, the newest few.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;

use super::line::{self, Commit};
use super::{Position, tail};
use crate::seam::fs::File;
use crate::store::error::{Error, Result};
use crate::store::plain;

/// Why a journal cannot be read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A line does not parse.
    Damaged,
    /// A line says something that this version doesn't know.
    Newer,
    /// The journal ends before what was said of it: its end was taken away.
    Shortened,
}

/// The first line that cannot be used. The loop stands at the commit before it
/// and may only be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is the matter.
    pub kind: FaultKind,
    /// The line, from 1.
    pub line: u64,
    /// In words.
    pub reason: String,
}

impl Fault {
    /// The fault as the error that a writer meets.
    pub fn error(&self, path: &Path) -> Error {
        let (path, line, reason) = (path.to_owned(), self.line, self.reason.clone());
        match self.kind {
            FaultKind::Damaged | FaultKind::Shortened => Error::Damaged { path, line, reason },
            FaultKind::Newer => Error::NewerFormat { path, line, reason },
        }
    }
}

/// What stands after the last commit without being one: the work of a writer
/// that is not done, or died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
}

/// What a scan met besides commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Where the last good commit ends.
    pub end: Position,
    /// Why it did not get to the end of the file.
    pub fault: Option<Fault>,
    /// What stands after the last commit.
    pub tail: Option<Tail>,
    /// Lines whose `prev` is not the line before: somebody edited the file.
    pub breaks: Vec<u64>,
}

/// How long a line may be, in bytes: what is longer is no commit, and isn't read to its
/// end. The longest are those that begin a fork: a loop with its short texts.
pub const LONGEST_LINE: u64 = plain::LONGEST;

/// Reads all commits after a position, in order.
///
/// # Errors
/// `io` if the file cannot be read. Lines that don't parse are no error: see
/// [`Scanned::fault`].
pub fn scan(
    file: &File,
    path: &Path,
    from: &Position,
    mut each: impl FnMut(Commit),
) -> Result<Scanned> {
    let failed = |source| Error::read(path, source);
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    reader.seek(SeekFrom::Start(from.offset)).map_err(failed)?;
    let mut scanned = Scanned { end: from.clone(), ..Scanned::default() };
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut bounded = (&mut reader).take(LONGEST_LINE + 1);
        let length = bounded.read_until(b'\n', &mut bytes).map_err(failed)? as u64;
        if length == 0 {
            return Ok(scanned);
        }
        if length > LONGEST_LINE {
            let reason = format!("it is longer than {} MiB", LONGEST_LINE >> 20);
            let line = scanned.end.lines + 1;
            scanned.fault = Some(Fault { kind: FaultKind::Damaged, line, reason });
            return Ok(scanned);
        }
        let at = &scanned.end;
        if tail::is_unfinished(&bytes, &mut reader).map_err(failed)? {
            scanned.tail = Some(Tail { offset: at.offset, length });
            return Ok(scanned);
        }
        let content = line::content(&bytes, at.lines == 0);
        match line::decode(content, at) {
            Ok(commit) => {
                if commit.prev != at.line_sha256 || commit.first_seq != at.seq + 1 {
                    scanned.breaks.push(commit.line);
                }
                scanned.end = line::advance(at, length, content, &commit);
                each(commit);
            }
            Err((kind, reason)) => {
                scanned.fault = Some(Fault { kind, line: at.lines + 1, reason });
                return Ok(scanned);
            }
        }
    }
}

/// The numbers in front of a commit; all else is skipped over.
#[derive(Deserialize)]
struct Numbers {
    first_seq: u64,
    last_seq: u64,
}

/// The commit that holds an event, found by halving the file: no index is
/// needed, and the cost hardly grows with the journal. Looks at the first `end`
/// bytes, which must be good commits.
///
/// # Errors
/// `io`, or `damaged` if a line on the way is no commit.
pub fn commit_at(file: &File, path: &Path, end: u64, seq: u64) -> Result<Option<Commit>> {
    let failed = |source| Error::read(path, source);
    let mut reader = BufReader::with_capacity(8 * 1024, file);
    let (mut low, mut high) = (0, end);
    // Invariant: lines that begin before `low` are older, those from `high` on newer.
    while low < high {
        let middle = low + (high - low) / 2;
        let start = line_start_before(file, middle).map_err(failed)?.max(low);
        let bytes = read_line(&mut reader, start).map_err(failed)?;
        let content = line::content(&bytes, start == 0);
        let numbers: Numbers = serde_json::from_slice(content).map_err(|error| {
            let reason = format!("not a commit at byte {start}: {error}");
            Error::Damaged { path: path.to_owned(), line: 0, reason }
        })?;
        if seq < numbers.first_seq {
            high = start;
        } else if seq > numbers.last_seq {
            low = start + bytes.len() as u64;
        } else {
            // Nobody numbers from 0; a line that does is refused as it is decoded.
            let before = numbers.first_seq.saturating_sub(1);
            let at = Position { seq: before, ..Position::default() };
            return line::decode(content, &at).map(Some).map_err(|(_, reason)| Error::Damaged {
                path: path.to_owned(),
                line: 0,
                reason,
            });
        }
    }
    Ok(None)
}

/// The newest commits that end at or before a byte, newest first, until `more`
/// says that it is enough.
///
/// # Errors
/// `io`, or `damaged` if a line on the way is no commit.
pub fn newest(
    file: &File,
    path: &Path,
    end: u64,
    mut more: impl FnMut(Commit) -> bool,
) -> Result<()> {
    let failed = |source| Error::read(path, source);
    let mut reader = BufReader::with_capacity(8 * 1024, file);
    let mut end = end;
    while end > 0 {
        let start = line_start_before(file, end - 1).map_err(failed)?;
        let bytes = read_line(&mut reader, start).map_err(failed)?;
        let content = line::content(&bytes, start == 0);
        let commit = line::decode(content, &Position::default())
            .map_err(|(_, reason)| Error::Damaged { path: path.to_owned(), line: 0, reason })?;
        if !more(commit) {
            break;
        }
        end = start;
    }
    Ok(())
}

fn read_line(reader: &mut BufReader<&File>, start: u64) -> io::Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    reader.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    Ok(bytes)
}

/// Where the line that holds a byte begins.
fn line_start_before(file: &File, byte: u64) -> io::Result<u64> {
    use std::io::Read;
    const STEP: u64 = 2_048;
    let mut file = file;
    let mut end = byte;
    while end > 0 {
        let start = end.saturating_sub(STEP);
        let mut chunk = vec![0; usize::try_from(end - start).unwrap_or(0)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut chunk)?;
        if let Some(found) = chunk.iter().rposition(|b| *b == b'\n') {
            return Ok(start + found as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
