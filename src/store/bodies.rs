//! Bodies over the inline cap, each in a file named by its hash.

use std::path::Path;

use super::error::{Error, Result};
use super::{atomic, plain};
use crate::core::loops::model::BodyFile;
use crate::core::text::sha256_hex;
use crate::seam::fs;

/// The folder of such files in a loop's folder.
pub const FOLDER: &str = "artifacts";

/// Where a text belongs, without writing it.
pub fn place(text: &str) -> BodyFile {
    let sha256 = sha256_hex(text.as_bytes());
    BodyFile { reference: format!("{FOLDER}/{sha256}"), byte_count: text.len() as u64, sha256 }
}

/// Puts a text into its file and flushes it; the same text again costs nothing.
///
/// # Errors
/// If it cannot be written.
pub fn write(loop_dir: &Path, text: &str) -> Result<BodyFile> {
    let file = place(text);
    let folder = loop_dir.join(FOLDER);
    let path = folder.join(&file.sha256);
    if fs::metadata(&path).is_ok_and(|m| m.len() == file.byte_count)
        && read(loop_dir, &file).is_ok()
    {
        return Ok(file);
    }
    if !folder.is_dir() {
        fs::create_dir_all(&folder).map_err(|source| Error::write(&folder, source))?;
        atomic::sync_dir(loop_dir)?;
    }
    atomic::write(&path, text.as_bytes())?;
    Ok(file)
}

/// Reads a text back and checks that it is what was written.
///
/// # Errors
/// `io` if the file is not there, `damaged` if it is another text.
pub fn read(loop_dir: &Path, file: &BodyFile) -> Result<String> {
    // The name comes from a journal, which others may have written: only the
    // hash is taken from it.
    let is_hash = file.sha256.len() == 64 && file.sha256.bytes().all(|b| b.is_ascii_hexdigit());
    let path = loop_dir.join(FOLDER).join(if is_hash { &*file.sha256 } else { "invalid" });
    let bytes = plain::read(&path).map_err(|source| Error::read(&path, source))?;
    if sha256_hex(&bytes) != file.sha256 {
        let reason = "its content is not what its name says".to_owned();
        return Err(Error::Damaged { path, line: 1, reason });
    }
    String::from_utf8(bytes).map_err(|error| Error::Damaged {
        path,
        line: 1,
        reason: format!("not UTF-8 from byte {}", error.utf8_error().valid_up_to() + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_noticed_and_written_again() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let file = write(dir.path(), "long text").expect("written");
        assert_eq!(read(dir.path(), &file).expect("readable"), "long text");
        fs::write(dir.path().join(&file.reference), "evil text").expect("written");
        assert_eq!(read(dir.path(), &file).expect_err("changed").code(), "damaged");
        write(dir.path(), "long text").expect("written");
        assert_eq!(read(dir.path(), &file).expect("readable"), "long text");
    }

    #[test]
    fn a_name_from_outside_never_leaves_the_folder() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let secret = dir.path().join("secret");
        fs::write(&secret, "secret").expect("written");
        let file = BodyFile {
            reference: "../secret".into(),
            byte_count: 6,
            sha256: secret.display().to_string(),
        };
        assert!(read(&dir.path().join("loop"), &file).is_err());
    }
}
