//! What a worker says, in a file of bounded size: its head and its tail.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::seam::fs::{self, File, OpenOptions};

/// Bytes that a file has at most (store.md, "Growth is bounded").
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Bytes of the beginning that are kept.
const HEAD_BYTES: u64 = MAX_BYTES / 2;
/// Bytes of the end that are kept when a file is full.
const TAIL_BYTES: u64 = MAX_BYTES / 4;

/// A log that is being written.
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    length: u64,
    left_out: u64,
    /// Bytes of the beginning that are kept, once something was left out.
    head: Option<usize>,
}

impl LogFile {
    /// A new, empty log.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        Ok(Self { path: path.to_owned(), file, length: 0, left_out: 0, head: None })
    }

    /// Adds a piece. What cannot be written is left out: a worker is not ended
    /// because a disk is full.
    pub fn push(&mut self, text: &str) {
        if self.length + text.len() as u64 > MAX_BYTES && self.shorten().is_err() {
            return;
        }
        if self.file.write_all(text.as_bytes()).is_ok() {
            self.length += text.len() as u64;
        }
    }

    /// Takes the middle out.
    fn shorten(&mut self) -> io::Result<()> {
        let mut head = vec![0; self.head.unwrap_or(HEAD_BYTES as usize)];
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_exact(&mut head)?;
        if let Some(end) = head.iter().rposition(|byte| *byte == b'\n') {
            head.truncate(end + 1);
        }
        let mut tail = Vec::new();
        self.file.seek(SeekFrom::End(-(TAIL_BYTES as i64)))?;
        self.file.read_to_end(&mut tail)?;
        let begin = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let tail = &tail[begin..];
        self.left_out += self.length - (head.len() + tail.len()) as u64;
        let mark = format!("[{} bytes left out]\n", self.left_out);
        // Readers see the old file or the new one.
        let beside = self.path.with_extension("new");
        let mut fresh = LogFile::create(&beside)?;
        for part in [&head[..], mark.as_bytes(), tail] {
            fresh.file.write_all(part)?;
            fresh.length += part.len() as u64;
        }
        fs::rename(&beside, &self.path)?;
        self.file = fresh.file;
        self.length = fresh.length;
        self.head = Some(head.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_never_ends_keeps_its_head_and_its_tail() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("stdout.log");
        let mut log = LogFile::create(&path).expect("made");
        let line = format!("{}\n", "x".repeat(1023));
        log.push("first\n");
        for _ in 0..12 * 1024 {
            log.push(&line);
        }
        log.push("last\n");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(text.len() as u64 <= MAX_BYTES);
        assert!(text.starts_with("first\n") && text.ends_with("last\n"));
        assert_eq!(text.matches("bytes left out]").count(), 1, "one mark for all that is missing");
    }
}
