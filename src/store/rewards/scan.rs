//! Reading all records of a folder, with two threads: a small file costs more to
//! open than to understand.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::core::dream::Memory;
use crate::core::dream::record::{is_record_folder, is_record_name};
use crate::seam::fs;
use crate::store::error::{Error, Result};
use crate::store::plain;

/// Told how far the reading is; answers whether to go on. Called by several
/// threads, once for every few hundred files.
pub type Pace<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Threads that read.
const THREADS: usize = 2;
/// Files between two words on the pace.
const STEP: usize = 256;

/// Reads every record below a folder; absent if `pace` said to stop. A folder
/// that is not there is one without memory. Linked folders are not followed.
///
/// # Errors
/// If the folder itself cannot be listed; a single file that cannot be read is
/// among the skipped ones.
pub fn scan(root: &Path, pace: &Pace<'_>) -> Result<Option<Memory>> {
    let Some(paths) = list(root)? else { return Ok(Some(Memory::default())) };
    let Listed { paths, unreadable } = paths;
    let done = AtomicUsize::new(0);
    let share = paths.len().div_ceil(THREADS).max(1);
    let total = paths.len();
    let parts: Vec<Option<Memory>> = std::thread::scope(|scope| {
        let work = |part| read_part(root, part, &done, total, pace);
        let running: Vec<_> =
            paths.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        running.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    let mut memory = Memory::new();
    for part in parts {
        let Some(part) = part else { return Ok(None) };
        memory.absorb(part);
    }
    for (path, error) in unreadable {
        memory.add(&path, Err(error));
    }
    Ok(Some(memory))
}

/// What a listing found.
#[derive(Default)]
struct Listed {
    /// Files, relative to the root, with `/`.
    paths: Vec<String>,
    /// Folders that cannot be listed, with what the system says.
    unreadable: Vec<(String, String)>,
}

fn list(root: &Path) -> Result<Option<Listed>> {
    match fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => {
            let source = io::Error::new(io::ErrorKind::NotADirectory, "it is no folder");
            return Err(Error::read(root, source));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::read(root, source)),
    }
    let mut listed = Listed::default();
    let mut todo: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
    while let Some((dir, prefix)) = todo.pop() {
        if let Err(error) = list_folder(&dir, &prefix, &mut listed, &mut todo) {
            match prefix.is_empty() {
                true => return Err(Error::read(root, error)),
                false => listed.unreadable.push((prefix, error.to_string())),
            }
        }
    }
    Ok(Some(listed))
}

fn list_folder(
    dir: &Path,
    prefix: &str,
    listed: &mut Listed,
    todo: &mut Vec<(PathBuf, String)>,
) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = || match prefix {
            "" => name.clone().into_owned(),
            prefix => format!("{prefix}/{name}"),
        };
        let kind = entry.file_type()?;
        // A linked folder is not looked into; what is neither file nor folder is told
        // when it is to be read.
        let is_folder = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
        if kind.is_dir() && is_record_folder(&name) {
            todo.push((entry.path(), path()));
        } else if !is_folder && is_record_name(&name) {
            listed.paths.push(path());
        }
    }
    Ok(())
}

fn read_part(
    root: &Path,
    paths: &[String],
    done: &AtomicUsize,
    total: usize,
    pace: &Pace<'_>,
) -> Option<Memory> {
    let mut memory = Memory::new();
    let mut bytes = Vec::with_capacity(4096);
    let mut file_path = PathBuf::new();
    for chunk in paths.chunks(STEP) {
        if !pace(done.fetch_add(chunk.len(), Ordering::Relaxed), total) {
            return None;
        }
        for path in chunk {
            file_path.clear();
            file_path.push(root);
            file_path.push(path);
            bytes.clear();
            let read = plain::read_into(&file_path, &mut bytes);
            memory.add(path, read.map(|()| bytes.as_slice()).map_err(|error| error.to_string()));
        }
    }
    Some(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str) -> String {
        format!(
            r#"{{"id":"{id}","timestamp":"2026-02-01T10:00:00Z","case_slug":"c","domain":"d",
            "phase":"p","skill_used":"s","reward":0.5}}"#
        )
    }

    fn go_on(_: usize, _: usize) -> bool {
        true
    }

    #[test]
    fn files_in_folders_are_read_and_the_excluded_are_not() {
        let dir = tempfile::tempdir().expect("temporary folder");
        for (path, text) in [
            ("a/b/phase_2026-02-01T10:00:00.json", record("1")),
            ("top.json", record("2")),
            ("bad.json", "{".to_owned()),
            ("config.json", "{".to_owned()),
            ("_stats/x.json", "{".to_owned()),
            (".hidden/x.json", "{".to_owned()),
            ("a/.x.json", "{".to_owned()),
            ("a/x.txt", "{".to_owned()),
        ] {
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        }
        let memory = scan(dir.path(), &go_on).expect("read").expect("not stopped");
        let mut paths: Vec<&str> = memory.rows.iter().map(|row| &*row.path).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["a/b/phase_2026-02-01T10:00:00.json", "top.json"]);
        assert_eq!(memory.skipped.len(), 1);
        assert!(memory.is_there);
    }

    #[cfg(unix)]
    #[test]
    fn linked_files_count_and_linked_folders_do_not() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("temporary folder");
        let elsewhere = tempfile::tempdir().expect("temporary folder");
        fs::write(elsewhere.path().join("r.json"), record("1")).expect("written");
        symlink(elsewhere.path(), dir.path().join("linked")).expect("linked");
        symlink(elsewhere.path().join("r.json"), dir.path().join("r.json")).expect("linked");
        symlink(dir.path().join("gone.json"), dir.path().join("broken.json")).expect("linked");
        let memory = scan(dir.path(), &go_on).expect("read").expect("not stopped");
        assert_eq!(memory.rows.len(), 1);
        assert_eq!(memory.skipped[0].reason, "unreadable");
    }

    #[test]
    fn no_folder_is_no_memory_and_reading_can_be_stopped() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let missing = scan(&dir.path().join("none"), &go_on).expect("read").expect("there");
        assert!(!missing.is_there);
        for n in 0..5 {
            fs::write(dir.path().join(format!("{n}.json")), record(&n.to_string())).expect("ok");
        }
        assert!(scan(dir.path(), &|_, _| false).expect("read").is_none());
    }
}
