//! Appending commits.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::line::{self, Commit, Draft};
use super::read::LONGEST_LINE;
use super::{Position, Tail, tail};
use crate::core::loops::event::Event;
use crate::core::text::sha256_hex;
use crate::core::time::Timestamp;
use crate::seam::fs::{File, OpenOptions};
use crate::store::error::{Error, Result};
use crate::store::{Flush, plain};

/// A journal that is open for appending. The caller holds the lock.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    flush: Flush,
}

/// The three things that a commit does to a file; apart so that tests can make
/// each of them fail.
trait Sink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn flush(&mut self) -> io::Result<()>;
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Sink for &Journal {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        (&self.file).write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.flush {
            Flush::Yes => self.file.sync_data(),
            Flush::No => Ok(()),
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }
}

/// Appends and flushes, or takes back what was written.
fn append_or_undo(mut sink: impl Sink, length: u64, bytes: &[u8]) -> io::Result<()> {
    sink.append(bytes).and_then(|()| sink.flush()).map_err(|error| {
        match sink.cut(length).and_then(|()| sink.flush()) {
            Ok(()) => error,
            // What is left is a tail, or a commit that nobody was told of; both are
            // dealt with by the next writer, and the caller must not believe that
            // there is none.
            Err(_) => io::Error::other(format!(
                "{error}. Nor could it be taken back: it may be done all the same; look before you \
                 repeat it"
            )),
        }
    })
}

impl Journal {
    /// Opens a journal, making an empty one if there is none.
    ///
    /// # Errors
    /// `read_only` where it may not be written, else `io`.
    pub fn open_or_create(path: &Path, flush: Flush) -> Result<Self> {
        Self::open_with(path, OpenOptions::new().create(true), flush)
    }

    /// Opens a journal that is there.
    ///
    /// # Errors
    /// `read_only` where it may not be written, else `io`.
    pub fn open(path: &Path, flush: Flush) -> Result<Self> {
        Self::open_with(path, &mut OpenOptions::new(), flush)
    }

    fn open_with(path: &Path, options: &mut OpenOptions, flush: Flush) -> Result<Self> {
        let file = plain::open_in_place(options.read(true).append(true), path)
            .map_err(|source| Error::write(path, source))?;
        Ok(Self { file, path: path.to_owned(), flush })
    }

    /// The open file, for reading what others appended.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a commit after a position, which must be the journal's end, and
    /// flushes it. It exists once this returns.
    ///
    /// # Errors
    /// If it cannot be written or flushed; the journal then ends where it ended.
    pub fn append(&mut self, end: &Position, draft: &Draft<'_>) -> Result<(Position, Commit)> {
        let bytes = line::encode(end, draft)
            .map_err(|error| Error::write(&self.path, io::Error::other(error)))?;
        if bytes.len() as u64 > LONGEST_LINE {
            let said = format!("a commit of {} bytes is more than a line holds", bytes.len());
            return Err(Error::write(&self.path, io::Error::other(said)));
        }
        append_or_undo(&*self, end.offset, &bytes)
            .map_err(|source| Error::write(&self.path, source))?;
        let commit = self.written(end, draft);
        let content = line::content(&bytes, false);
        let position = Position {
            offset: end.offset + bytes.len() as u64,
            line_start: end.offset,
            lines: end.lines + 1,
            seq: commit.last_seq,
            at: Some(draft.at),
            line_sha256: Some(sha256_hex(content)),
        };
        Ok((position, commit))
    }

    fn written(&self, end: &Position, draft: &Draft<'_>) -> Commit {
        let event = |(seq, body): (u64, &crate::core::loops::EventBody)| Event {
            seq,
            at: draft.at,
            by: draft.by.clone(),
            body: body.clone(),
        };
        Commit {
            line: end.lines + 1,
            first_seq: end.seq + 1,
            last_seq: end.seq + draft.events.len() as u64,
            at: draft.at,
            by: draft.by.clone(),
            request: draft.request.cloned(),
            prev: end.line_sha256.clone(),
            events: (end.seq + 1..).zip(draft.events).map(event).collect(),
        }
    }

    /// Moves a tail aside and cuts it off; gives the path of the copy.
    ///
    /// # Errors
    /// As [`tail::set_aside`].
    pub fn set_aside(&mut self, tail: Tail, now: Timestamp) -> Result<PathBuf> {
        tail::set_aside(&self.file, &self.path, tail, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in memory whose `n`th step fails, after half of the bytes.
    struct Failing<'a> {
        bytes: &'a mut Vec<u8>,
        fails_at: u32,
        step: u32,
    }

    impl Failing<'_> {
        fn step(&mut self) -> io::Result<()> {
            self.step += 1;
            if self.step == self.fails_at { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    impl Sink for Failing<'_> {
        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            match self.step() {
                Ok(()) => self.bytes.extend_from_slice(bytes),
                Err(error) => {
                    self.bytes.extend_from_slice(&bytes[..bytes.len() / 2]);
                    return Err(error);
                }
            }
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.step()
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            self.bytes.truncate(usize::try_from(length).expect("small"));
            Ok(())
        }
    }

    #[test]
    fn a_failed_write_or_flush_takes_back_what_was_written() {
        for fails_at in [1, 2] {
            let mut bytes = b"first\n".to_vec();
            let sink = Failing { bytes: &mut bytes, fails_at, step: 0 };
            let failed = append_or_undo(sink, 6, b"second\n").expect_err("the step fails");
            assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
            assert_eq!(bytes, b"first\n", "step {fails_at}");
        }
    }
}
