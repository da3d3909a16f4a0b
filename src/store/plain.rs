//! Reading files that others may have put there: a folder that was cloned can hold
//! links to things that never end.

use std::io::{self, Read as _};
use std::path::Path;

use crate::seam::fs::{self, File};

/// How long a file of a store may be, in bytes: far above what any of them holds.
pub const LONGEST: u64 = 256 * 1024 * 1024;

/// Reads a regular file, or what a link to one leads to, into `bytes`.
///
/// # Errors
/// What the system says; `InvalidInput` for what is no regular file (a device, a
/// pipe), and for one that is longer than [`LONGEST`].
pub fn read_into(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    // Asked before it is opened: to open a pipe waits for who writes into it.
    let about = fs::metadata(path)?;
    if !about.is_file() {
        let said = "it is no regular file, so it is not read";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, said));
    }
    let file = File::open(path)?;
    file.take(LONGEST + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > LONGEST {
        let said = "it is longer than 256 MiB, so it is not read";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, said));
    }
    Ok(())
}

/// The same, into a buffer of its own.
///
/// # Errors
/// As [`read_into`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_into(path, &mut bytes)?;
    Ok(bytes)
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
    }
}
