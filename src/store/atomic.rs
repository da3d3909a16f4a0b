//! Writing whole files so that a crash or a full disk leaves the old or the
//! new content, never a mixture and never nothing (store.md, "Every other file").

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::error::{Error, Result};
use super::{Flush, plain};
use crate::seam::{
    Op,
    fs::{self, File},
    pass,
};

/// What the names of unfinished files begin with.
const TEMP_PREFIX: &str = ".loopdeck-tmp-";
/// How old an unfinished file is before it counts as left over by a dead process.
const LEFTOVER_AGE: Duration = Duration::from_secs(3_600);

/// Replaces a file's content: unique temporary file in the same folder, flush,
/// rename, flush of the folder.
///
/// # Errors
/// If any step fails; the old content is then still there and the temporary
/// file is gone.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |file| file.write_all(bytes))
}

/// Like [`write`], with the content produced piece by piece.
///
/// # Errors
/// As [`write`]; an error of `fill` is reported for `path`.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let temp = prepare(path, fill)?;
    commit(temp, path)
}

/// Like [`write_with`], for what is its owner's alone to read and to write.
///
/// # Errors
/// As [`write_with`].
pub fn write_private(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let temp = prepare_as(path, Some(0o600), fill)?;
    commit(temp, path)
}

/// A file that is complete and flushed, but does not bear its name yet.
pub(crate) fn prepare(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<tempfile::NamedTempFile<File>> {
    prepare_as(path, mode_of(path), fill)
}

/// The same, with permissions of its own (absent = those of any new file).
fn prepare_as(
    path: &Path,
    mode: Option<u32>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<tempfile::NamedTempFile<File>> {
    let failed = |source| Error::write(path, source);
    let mut temp = temp_file(folder_of(path)).map_err(failed)?;
    // Before there is anything in it to read.
    if let Some(mode) = mode {
        permit(temp.path(), mode).map_err(failed)?;
    }
    let mut buffered = io::BufWriter::new(temp.as_file_mut());
    fill(&mut buffered).map_err(failed)?;
    buffered.flush().map_err(failed)?;
    drop(buffered);
    temp.as_file().sync_all().map_err(failed)?;
    Ok(temp)
}

/// Gives a prepared file its name, in place of what bore it.
pub(crate) fn commit(temp: tempfile::NamedTempFile<File>, path: &Path) -> Result<()> {
    persist(temp, path).map_err(|source| Error::write(path, source))?;
    sync_after(path)
}

/// Makes a name durable that was given or taken away. Where that fails, what was
/// done stands, and the error says so: else a repeat might do it twice.
pub(crate) fn sync_after(path: &Path) -> Result<()> {
    sync_dir(folder_of(path)).map_err(|error| {
        let why = match error {
            Error::Io { source, .. } => source.to_string(),
            other => other.to_string(),
        };
        let source = io::Error::other(format!(
            "{why}. It is done all the same, but a power cut may take it back: look before you \
             repeat it"
        ));
        Error::Io { action: "make durable", path: path.to_owned(), source }
    })
}

/// The permissions of the file that is to be replaced: what a person made private
/// stays so.
#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let about = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(about.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode_of(_: &Path) -> Option<u32> {
    None
}

#[cfg(unix)]
fn permit(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn permit(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// An unfinished file, with the permissions that any other tool would give a new
/// file.
fn temp_file(dir: &Path) -> io::Result<tempfile::NamedTempFile<File>> {
    tempfile::Builder::new()
        .prefix(TEMP_PREFIX)
        .rand_bytes(12)
        .make_in(dir, |path| File::create_new(path))
}

/// Renames, trying again for a moment where a scanner holds the target.
fn persist(mut temp: tempfile::NamedTempFile<File>, path: &Path) -> io::Result<()> {
    let mut tries = if cfg!(windows) { 20 } else { 1 };
    loop {
        tries -= 1;
        pass(Op::Rename, path)?;
        match temp.persist(path) {
            Ok(_) => return Ok(()),
            Err(failed) if tries > 0 && failed.error.kind() == io::ErrorKind::PermissionDenied => {
                temp = failed.file;
                std::thread::sleep(Duration::from_millis(25));
            }
            Err(failed) => return Err(failed.error),
        }
    }
}

/// Overwrites a derived file in place, from its start and without shortening
/// it first; costs no flush. Content of a fixed width keeps readers from
/// meeting the end of an older, longer one.
///
/// # Errors
/// If the write fails.
pub fn overwrite(file: &File, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileExt;
        file.write_all_at(bytes, 0)
    }
    #[cfg(not(unix))]
    {
        use std::io::Seek;
        let mut file = file;
        file.seek(io::SeekFrom::Start(0))?;
        file.write_all(bytes)
    }
}

/// Makes a folder, and those above it that are missing. Each is made durable: a
/// file is lost with the name of any folder that it is in.
///
/// # Errors
/// If a folder cannot be made, or the one above it not be flushed.
pub fn make_folder(path: &Path, flush: Flush) -> Result<()> {
    let mut missing: Vec<&Path> = path.ancestors().take_while(|path| !path.is_dir()).collect();
    fs::create_dir_all(path).map_err(|source| Error::write(path, source))?;
    if flush == Flush::Yes {
        while let Some(made) = missing.pop() {
            sync_dir(folder_of(made))?;
        }
    }
    Ok(())
}

/// Makes the names in a folder durable. Where a system knows no such thing
/// (Windows), renames are durable by themselves.
///
/// # Errors
/// If the folder cannot be opened or flushed.
pub fn sync_dir(dir: &Path) -> Result<()> {
    #[cfg(unix)]
    File::open(dir).and_then(|f| f.sync_all()).map_err(|source| Error::write(dir, source))?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// Removes unfinished files that dead processes left in a folder. Failing to
/// is no error: the next writer tries again.
pub fn sweep_leftovers(dir: &Path) {
    if !plain::is_own_folder(dir) {
        return;
    }
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        if is_temp_name(&entry.file_name()) && is_older_than(&entry.path(), LEFTOVER_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is that of an unfinished file of this module.
pub fn is_temp_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|n| n.starts_with(TEMP_PREFIX))
}

/// Whether a file or folder was last changed longer ago than `age`.
pub(crate) fn is_older_than(path: &Path, age: Duration) -> bool {
    fs::metadata(path)
        .and_then(|m| m.modified())
        .is_ok_and(|t| SystemTime::now().duration_since(t).is_ok_and(|past| past > age))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_content_and_no_leftover() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a.txt");
        write(&path, b"old").expect("written");
        let failed = write_with(&path, |w| {
            w.write_all(b"half of the new")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("readable"), b"old");
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_was_made_private_stays_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a.txt");
        let mode = || path.metadata().expect("there").permissions().mode() & 0o777;
        write(&path, b"new").expect("written");
        permit(&path, 0o600).expect("permitted");
        write(&path, b"anew").expect("written");
        assert_eq!(mode(), 0o600);
        permit(&path, 0o644).expect("permitted");
        write_private(&path, |w| w.write_all(b"mine")).expect("written");
        assert_eq!((mode(), fs::read(&path).expect("readable")), (0o600, b"mine".to_vec()));
    }

    #[test]
    fn overwriting_in_place_never_shortens() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a.txt");
        fs::write(&path, b"0123456789").expect("written");
        let file = fs::OpenOptions::new().write(true).open(&path).expect("opened");
        overwrite(&file, b"abc").expect("overwritten");
        assert_eq!(fs::read(&path).expect("readable"), b"abc3456789");
    }
}
