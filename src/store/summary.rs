//! A small derived file of a fixed width that is overwritten in place and tells
//! by itself whether it was torn (store.md, "Every other file").

use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{Error, Result};
use super::{atomic, plain};
use crate::core::text::sha256_hex;
use crate::seam::fs::{File, OpenOptions};

/// Bytes of a summary file.
pub const WIDTH: usize = 2_048;
/// What stands between the content and its check.
const CHECK: &[u8] = br#","check":""#;
/// Characters of the check.
const CHECK_WIDTH: usize = 16;

/// A summary file that is open for writing.
#[derive(Debug)]
pub struct SummaryFile(File);

impl SummaryFile {
    /// Opens it, making it if it is not there.
    ///
    /// # Errors
    /// `read_only` where it may not be written, else `io`.
    pub fn open(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        plain::open_in_place(&mut options, path)
            .map(Self)
            .map_err(|source| Error::write(path, source))
    }

    /// Overwrites it with an object; `false` if that is too long for a summary
    /// or could not be written. What stood there then fits no longer, and the
    /// reader folds the journal itself.
    pub fn write(&self, object: &impl Serialize) -> bool {
        encode(object).is_some_and(|bytes| atomic::overwrite(&self.0, &bytes).is_ok())
    }
}

pub(super) fn encode(object: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = serde_json::to_vec(object).ok()?;
    if bytes.pop() != Some(b'}') || bytes.len() < 2 {
        return None;
    }
    let check = sha256_hex(&bytes);
    bytes.extend_from_slice(CHECK);
    bytes.extend_from_slice(&check.as_bytes()[..CHECK_WIDTH]);
    bytes.extend_from_slice(b"\"}");
    if bytes.len() >= WIDTH {
        return None;
    }
    bytes.resize(WIDTH - 1, b' ');
    bytes.push(b'\n');
    Some(bytes)
}

/// Reads a summary; none if it is missing, torn, of another form, or older than
/// `since`, when what it sums up was written last: somebody else's hand was there.
pub fn read<T: DeserializeOwned>(path: &Path, since: Option<SystemTime>) -> Option<T> {
    let file = plain::open(path).ok()?;
    if since > file.metadata().ok()?.modified().ok() {
        return None;
    }
    let mut bytes = Vec::with_capacity(WIDTH);
    file.take(WIDTH as u64).read_to_end(&mut bytes).ok()?;
    let bytes = bytes.as_slice();
    let place = bytes.windows(CHECK.len()).rposition(|w| w == CHECK)?;
    let check = bytes.get(place + CHECK.len()..)?.get(..CHECK_WIDTH)?;
    if sha256_hex(&bytes[..place]).as_bytes()[..CHECK_WIDTH] != *check {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn survives_growing_and_shrinking_and_notices_a_torn_write() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("summary.json");
        let file = SummaryFile::open(&path).expect("opened");
        assert_eq!(read::<Value>(&path, None), None);
        for title in ["a long title that fills the line", "short", r#"with ,"check":" inside"#] {
            assert!(file.write(&json!({"title": title, "version": 3})));
            let value: Value = read(&path, None).expect("fits");
            assert_eq!(value["title"], title);
            assert_eq!(fs::metadata(&path).expect("there").len(), WIDTH as u64);
        }
        let mut bytes = fs::read(&path).expect("readable");
        let place = bytes.windows(9).position(|w| w == b"\"version\"").expect("there");
        bytes[place + 10] = b'4';
        fs::write(&path, &bytes).expect("written");
        assert_eq!(read::<Value>(&path, None), None);
    }

    #[test]
    fn a_summary_that_is_older_than_what_it_sums_up_is_not_believed() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("summary.json");
        assert!(SummaryFile::open(&path).expect("opened").write(&json!({"version": 3})));
        let written = fs::metadata(&path).expect("there").modified().expect("has a time");
        assert!(read::<Value>(&path, Some(written)).is_some());
        let later = written + std::time::Duration::from_millis(1);
        assert_eq!(read::<Value>(&path, Some(later)), None);
    }

    #[test]
    fn what_is_too_long_is_not_written() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("summary.json");
        let file = SummaryFile::open(&path).expect("opened");
        assert!(!file.write(&json!({"title": "x".repeat(WIDTH)})));
        assert_eq!(read::<Value>(&path, None), None);
    }
}
