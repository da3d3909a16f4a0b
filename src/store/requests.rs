//! Which request ids were answered where: a derived index over all loops.
//!
//! The journal line is the authority; an entry only says where to look. Entries
//! are kept for a day.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::summary;
use super::{atomic, plain};
use crate::core::loops::ids::LoopId;
use crate::core::text::sha256_hex;
use crate::seam::fs::{self, OpenOptions};

/// How long an entry is kept.
const KEPT: Duration = Duration::from_secs(24 * 3_600);

/// Where a request was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The request's id.
    pub id: String,
    /// The loop whose journal has the answer.
    pub loop_id: LoopId,
    /// SHA-256 of verb and arguments.
    pub body_sha256: String,
    /// The last seq of the commit.
    pub seq: u64,
}

/// Notes where a request was answered. Without the note a repeat on the same
/// loop is still known from its journal, so failing is no error.
pub fn record(folder: &Path, entry: &Entry) {
    let path = path_of(folder, &entry.id);
    let open = || {
        let mut options = OpenOptions::new();
        plain::open_in_place(options.write(true).create(true).truncate(false), &path)
    };
    let file = open().or_else(|_| {
        fs::create_dir_all(folder)?;
        open()
    });
    if let (Ok(file), Some(bytes)) = (file, summary::encode(entry)) {
        let _ = atomic::overwrite(&file, &bytes);
    }
}

/// Where a request was answered, if that is known.
pub fn find(folder: &Path, id: &str) -> Option<Entry> {
    summary::read::<Entry>(&path_of(folder, id), None).filter(|entry| entry.id == id)
}

/// Removes entries that are older than a day: of our own names, in a folder of our own.
pub fn sweep(folder: &Path) {
    if !plain::is_own_folder(folder) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_name);
        if is_ours && atomic::is_older_than(&entry.path(), KEPT) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file is named as entries are.
fn is_name(name: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    name.strip_suffix(".json").is_some_and(|hash| hash.len() == 32 && hash.chars().all(is_digit))
}

/// Ids come from outside and may hold anything: their hash is the name.
fn path_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{}.json", &sha256_hex(id.as_bytes())[..32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_recorded_whatever_the_id() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let folder = dir.path().join("requests");
        let entry = Entry {
            id: "../../../x\u{0}".into(),
            loop_id: LoopId::derive(&[b"a"]),
            body_sha256: "00".into(),
            seq: 7,
        };
        assert_eq!(find(&folder, &entry.id), None);
        record(&folder, &entry);
        assert_eq!(find(&folder, &entry.id), Some(entry));
        assert_eq!(find(&folder, "other"), None);
        sweep(&folder);
        assert_eq!(fs::read_dir(&folder).expect("listed").count(), 1);
    }

    #[test]
    fn old_entries_are_swept_and_nothing_else_is() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let (own, others) = (dir.path().join("requests"), dir.path().join("others"));
        let name = format!("{}.json", "0a".repeat(16));
        let long_ago = std::time::SystemTime::now() - 2 * KEPT;
        for folder in [&own, &others] {
            std::fs::create_dir(folder).expect("made");
            for name in [&name, "notes.txt", "report.json"] {
                std::fs::write(folder.join(name), "{}").expect("written");
                let file = std::fs::File::open(folder.join(name)).expect("there");
                file.set_modified(long_ago).expect("its time is set");
            }
        }
        sweep(&own);
        assert!(!own.join(&name).exists() && own.join("notes.txt").exists());
        assert!(own.join("report.json").exists());
        #[cfg(unix)]
        {
            let link = dir.path().join("link");
            std::os::unix::fs::symlink(&others, &link).expect("linked");
            sweep(&link);
            assert!(others.join(&name).exists(), "nothing is removed through a link");
        }
    }
}
