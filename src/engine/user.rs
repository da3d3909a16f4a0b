//! The files of the user's own folder, which are read and never written.

use std::io;
use std::path::{Path, PathBuf};

use super::api::{Options, Problem, UserFile};
use super::inner::Engine;
use crate::seam::fs;
use crate::store;
use crate::store::plain::{self, Links};

/// How long such a file may be, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// How long a file of the person's state may be, in bytes: drafts hold whole texts.
const LONGEST_KEPT: u64 = 64 * 1024 * 1024;

/// The files there may be beside `themes/*.toml`.
const NAMES: [&str; 2] = ["deck.toml", "keys.toml"];

impl Engine {
    /// The user's files: `deck.toml`, `keys.toml` and `themes/*.toml`, by name.
    /// Those that are not there are left out; those that can't be read are told.
    pub fn user_files(options: &Options) -> Vec<Result<UserFile, Problem>> {
        let folder = Self::paths(options).config;
        let mut names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        let mut themes: Vec<String> = fs::read_dir(folder.join("themes"))
            .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.ends_with(".toml") && !name.starts_with('.'))
            .map(|name| format!("themes/{name}"))
            .collect();
        themes.sort();
        names.append(&mut themes);
        names.into_iter().filter_map(|name| read(&folder, name).transpose()).collect()
    }

    /// A file of the person's state, as far as the engine is concerned any bytes; none
    /// if there is none.
    ///
    /// # Errors
    /// Why what is there can't be read: never waited for, never read without an end.
    pub fn kept_file(path: &Path) -> Result<Option<Vec<u8>>, Problem> {
        match plain::read_up_to(path, LONGEST_KEPT, Links::Follow) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let error = super::api::Error::from(store::Error::read(path, error));
                Err(error.problem(path.to_owned()))
            }
        }
    }
}

fn read(folder: &Path, name: String) -> Result<Option<UserFile>, Problem> {
    let path = folder.join(&name);
    match text_of(&path) {
        Ok(text) => Ok(text.map(|text| UserFile { name, path, text })),
        Err(problem) => Err(problem),
    }
}

fn text_of(path: &Path) -> Result<Option<String>, Problem> {
    let unreadable = |error: io::Error| {
        super::api::Error::from(store::Error::read(path, error)).problem(path.to_owned())
    };
    let bytes = match plain::read_up_to(path, LONGEST, Links::Follow) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let refuse = |message: String| Problem { path: path.to_owned(), code: "damaged", message };
    let said = format!("{} is not UTF-8, so it is not followed; save it as UTF-8", path.display());
    String::from_utf8(bytes).map(Some).map_err(|_| refuse(said))
}

impl UserFile {
    /// Its name without folder and `.toml`.
    pub fn stem(&self) -> String {
        let name: PathBuf = self.name.clone().into();
        name.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_nothing_and_a_bad_one_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys.toml");
        assert_eq!(text_of(&path), Ok(None));
        fs::write(&path, "[gate]\n").expect("written");
        assert_eq!(text_of(&path), Ok(Some("[gate]\n".to_owned())));
        fs::write(&path, [0xff, 0xfe]).expect("written");
        assert_eq!(text_of(&path).expect_err("no text").code, "damaged");
        fs::write(&path, vec![b' '; 1024 * 1024 + 1]).expect("written");
        assert!(text_of(&path).expect_err("too long").message.contains("1 MiB"));
        fs::remove_file(&path).expect("gone");
        fs::create_dir(&path).expect("a folder in its place");
        assert!(text_of(&path).is_err());
    }
}
