//! Reading files that others may have put there: a folder that was cloned can hold
//! links to things that never end.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::seam::fs::{self, File, Metadata, OpenOptions};

/// How long a file of a store may be, in bytes: far above what any of them holds.
pub const LONGEST: u64 = 256 * 1024 * 1024;

/// What the system says of a regular file, or of one that a link leads to.
///
/// # Errors
/// What the system says; `InvalidInput` for what is no regular file (a device, a
/// pipe, a folder), and for a link that leads nowhere: something is there, so that
/// it must not pass for absent.
pub fn about(path: &Path) -> io::Result<Metadata> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(about),
        Ok(_) => Err(refused("it is no regular file, so it is not read")),
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_link(path) => {
            Err(refused("it is a link that leads nowhere"))
        }
        Err(error) => Err(error),
    }
}

/// Opens a regular file for reading. Asked before it is opened: to open a pipe
/// waits for who writes into it, and a device may never end.
///
/// # Errors
/// As [`about`].
pub fn open(path: &Path) -> io::Result<File> {
    about(path)?;
    open_unless_waiting(path, Links::Follow)
}

/// What becomes of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// What it leads to is read.
    Follow,
    /// It is refused, also where it was put there a moment ago.
    Refuse,
}

/// Reads a regular file, or what a link to one leads to, into `bytes`.
///
/// # Errors
/// As [`about`]; `InvalidInput` for a file that is longer than [`LONGEST`].
pub fn read_into(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    read_bounded(path, LONGEST, Links::Follow, bytes)
}

/// The same, into a buffer of its own.
///
/// # Errors
/// As [`read_into`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, LONGEST, Links::Follow)
}

/// Reads a regular file of so many bytes at most.
///
/// # Errors
/// As [`read_into`], by another bound.
pub fn read_up_to(path: &Path, longest: u64, links: Links) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_bounded(path, longest, links, &mut bytes)?;
    Ok(bytes)
}

fn read_bounded(path: &Path, longest: u64, links: Links, bytes: &mut Vec<u8>) -> io::Result<()> {
    if links == Links::Refuse && is_link(path) {
        return Err(refused("it is a link, so it is not read"));
    }
    let too_long = || refused(&format!("it is longer than {}, so it is not read", size(longest)));
    if about(path)?.len() > longest {
        return Err(too_long());
    }
    // It may still grow while it is read, or be another one by now.
    let before = bytes.len() as u64;
    open_unless_waiting(path, links)?.take(longest + 1).read_to_end(bytes)?;
    if bytes.len() as u64 - before > longest { Err(too_long()) } else { Ok(()) }
}

/// Opens without waiting, should a pipe be there by now.
#[cfg(unix)]
fn open_unless_waiting(path: &Path, links: Links) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let no_follow = if links == Links::Refuse { OFlags::NOFOLLOW } else { OFlags::empty() };
    let flags = (OFlags::NONBLOCK | no_follow).bits();
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags).unwrap_or_default());
    options.open(path)
}

#[cfg(not(unix))]
fn open_unless_waiting(path: &Path, _: Links) -> io::Result<File> {
    File::open(path)
}

fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes % MIB {
        0 => format!("{} MiB", bytes / MIB),
        _ => format!("{bytes} bytes"),
    }
}

/// The same, as text.
///
/// # Errors
/// As [`read_into`]; `InvalidData`, with the place, for what is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        let said = format!("it is not UTF-8 from line {line} on: save it as UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, said)
    })
}

/// Why a file is never opened for writing in place, in a few words, if so: it is a
/// link, or no file at all.
pub fn unwritable(path: &Path) -> Option<&'static str> {
    let about = fs::symlink_metadata(path).ok()?;
    match (about.is_symlink(), about.is_file()) {
        (true, _) => Some("is a link"),
        (false, true) => None,
        (false, false) => Some("is no regular file"),
    }
}

/// Whether we may read a file, as far as its permissions go.
///
/// # Errors
/// What the system says.
pub fn may_be_read(path: &Path) -> io::Result<()> {
    crate::seam::pass(crate::seam::Op::Open, path)?;
    #[cfg(unix)]
    {
        use rustix::fs::{Access, AtFlags, CWD, accessat};
        accessat(CWD, path, Access::READ_OK, AtFlags::EACCESS)?;
    }
    Ok(())
}

/// Opens a file for writing in place, and never through a link: a folder that was
/// cloned must not lead our writing to files elsewhere.
///
/// # Errors
/// What the system says; `InvalidInput` for a link, and for what is no file.
pub fn open_in_place(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    if let Some(why) = unwritable(path) {
        return Err(refused(&format!("it {why}, so nothing is written there")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Also where it was put there a moment ago; a pipe is not waited for.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    options.open(path)
}

/// Whether a link leads out of all of some folders, given as the system names them:
/// what a folder that was cloned holds must not bring in what lies elsewhere.
pub fn leads_out(path: &Path, folders: &[PathBuf]) -> bool {
    is_link(path)
        && fs::canonicalize(path)
            .is_ok_and(|to| !folders.iter().any(|folder| to.starts_with(folder)))
}

/// Whether a folder is one, and no link to one: nothing is removed or moved through a
/// link, for who put it there may mean somebody else's files.
pub fn is_own_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())
}

/// Whether a name stands for a link.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink())
}

fn refused(said: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        std::fs::write(&path, "{}").expect("written");
        assert_eq!(read(&path).expect("read"), b"{}");
        assert_eq!(read(folder.path()).expect_err("a folder").kind(), io::ErrorKind::InvalidInput);
        let missing = read(&folder.path().join("none")).expect_err("missing");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_what_never_ends_is_refused_and_one_to_a_file_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (endless, good) = (folder.path().join("zero.json"), folder.path().join("good.json"));
        std::os::unix::fs::symlink("/dev/zero", &endless).expect("a link");
        assert_eq!(read(&endless).expect_err("endless").kind(), io::ErrorKind::InvalidInput);
        std::fs::write(folder.path().join("a.json"), "1").expect("written");
        std::os::unix::fs::symlink(folder.path().join("a.json"), &good).expect("a link");
        assert_eq!(read(&good).expect("followed"), b"1");
        assert!(read_up_to(&good, 9, Links::Refuse).is_err());
        let put_there = open_unless_waiting(&good, Links::Refuse);
        assert!(put_there.is_err(), "put there after it was asked about");
        let lost = folder.path().join("lost.json");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &lost).expect("a link");
        assert_eq!(read(&lost).expect_err("not absent").kind(), io::ErrorKind::InvalidInput);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (own, others) = (folder.path().join("own"), folder.path().join("others"));
        std::fs::write(&others, "mine\n").expect("written");
        std::os::unix::fs::symlink(&others, &own).expect("a link");
        let open = |path: &Path| open_in_place(OpenOptions::new().write(true).create(true), path);
        assert!(open(&own).is_err());
        let said = open(folder.path()).expect_err("a folder").to_string();
        assert_eq!(said, "it is no regular file, so nothing is written there");
        assert!(open(&others).is_ok());
        assert!(open(&folder.path().join("new")).is_ok());
        assert_eq!(std::fs::read_to_string(&others).expect("there"), "mine\n");
    }

    #[test]
    fn text_that_is_none_is_told_by_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.toml");
        std::fs::write(&path, b"one\ntwo\n\xff").expect("written");
        assert!(text(&path).expect_err("no text").to_string().contains("line 3"));
    }

    #[test]
    fn what_is_too_long_is_refused_and_says_how_long_it_may_be() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "1234").expect("written");
        assert_eq!(read_up_to(&path, 4, Links::Refuse).expect("read"), b"1234");
        let long = read_up_to(&path, 3, Links::Refuse).expect_err("too long").to_string();
        assert_eq!(long, "it is longer than 3 bytes, so it is not read");
        // A buffer that holds something already has no part in it.
        let mut bytes = b"before".to_vec();
        read_bounded(&path, 4, Links::Follow, &mut bytes).expect("read");
        assert_eq!(bytes, b"before1234");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_waits_for_a_pipe_that_nobody_writes_into() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe.toml");
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, &pipe, FileType::Fifo, mode, 0).expect("a pipe");
        assert_eq!(read(&pipe).expect_err("a pipe").kind(), io::ErrorKind::InvalidInput);
        let mut bytes = Vec::new();
        let opened = open_unless_waiting(&pipe, Links::Follow)
            .and_then(|mut file| file.read_to_end(&mut bytes));
        assert!(bytes.is_empty(), "{opened:?}");
    }
}
