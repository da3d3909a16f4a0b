//! Refused concurrent writes, for the curious.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::plain;
use crate::core::loops::model::Actor;
use crate::core::time::Timestamp;
use crate::seam::fs::{self, OpenOptions};

/// Bytes after which the file is put aside and a new one begun.
const ROTATE_AT: u64 = 1_000_000;

/// One refused write.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict<'a> {
    /// When.
    pub at: Timestamp,
    /// Whose.
    pub by: &'a Actor,
    /// What was tried.
    pub verb: &'a str,
    /// The version that the caller had seen.
    pub expected: u64,
    /// The version that the loop had.
    pub actual: u64,
    /// The request's id, if it had one.
    pub request_id: Option<&'a str>,
}

/// Notes a refused write in `conflicts.jsonl`; one older file is kept as
/// `conflicts.1.jsonl`. Failing to note it is no reason to fail otherwise.
pub fn record(path: &Path, conflict: &Conflict<'_>) {
    if fs::metadata(path).is_ok_and(|m| m.len() >= ROTATE_AT) {
        let _ = fs::rename(path, path.with_file_name("conflicts.1.jsonl"));
    }
    if let Ok(mut line) = serde_json::to_vec(conflict) {
        line.push(b'\n');
        let mut options = OpenOptions::new();
        let _ = plain::open_in_place(options.create(true).append(true), path)
            .and_then(|mut file| file.write_all(&line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotates_and_keeps_one_older_file() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("conflicts.jsonl");
        fs::write(&path, vec![b'x'; 1_000_000]).expect("written");
        let conflict = Conflict {
            at: Timestamp::from_millis(0),
            by: &Actor::Operator,
            verb: "pause",
            expected: 1,
            actual: 2,
            request_id: None,
        };
        record(&path, &conflict);
        assert_eq!(
            fs::metadata(dir.path().join("conflicts.1.jsonl")).expect("kept").len(),
            1_000_000
        );
        let line = fs::read_to_string(&path).expect("readable");
        assert_eq!(line.lines().count(), 1);
        assert!(line.contains(r#""expected":1,"actual":2"#), "{line}");
    }
}
