//! What the deck keeps of a workspace for its next run, in files of the person's
//! state: where they were, and what was being written. Reading changes nothing.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::app::place::Place;
use super::form::Draft;
use crate::engine::{Engine, Options, Problem};

/// How many decks of one workspace have a draft each.
const DECKS: usize = 8;

/// The files of one workspace.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where the person was.
    pub place: PathBuf,
    /// What was being written.
    pub draft: PathBuf,
}

impl Kept {
    /// Of a workspace, in the person's state.
    pub fn of(state: &Path, workspace: &Path) -> Self {
        let hash = crate::core::text::sha256_hex(workspace.to_string_lossy().as_bytes());
        let name = format!("{}.json", &hash[..16]);
        Self { place: state.join("places").join(&name), draft: state.join("drafts").join(name) }
    }

    /// The files for the drafts of decks that run side by side: each deck's is its own
    /// for as long as it runs. The first is [`Kept::draft`] of a workspace.
    pub fn drafts(&self) -> impl Iterator<Item = PathBuf> {
        let name = self.draft.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let first = self.draft.clone();
        (0..DECKS).map(move |n| match n {
            0 => first.clone(),
            n => first.with_file_name(format!("{name}-{n}.json")),
        })
    }

    /// Where the person was; none if that was never kept.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read_place(&self) -> Result<Option<Place>, Problem> {
        read(&self.place, "The deck begins as for the first time, and writes it anew when it ends")
    }

    /// What was being written when an earlier run ended.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read_draft(&self) -> Result<Option<Draft>, Problem> {
        read(
            &self.draft,
            "What it holds of your words is not offered again: copy them out of it. The next \
             draft moves it beside itself",
        )
    }
}

/// What is wrong with the person's own files: settings, and what the deck kept of the
/// workspace that the options name.
pub fn problems(options: &Options) -> Vec<Problem> {
    let settings = super::settings::Settings::load(options, |name| std::env::var(name).ok());
    let mut problems = settings.problems;
    let paths = Engine::paths(options);
    if let Some(workspace) = &paths.workspace {
        let kept = Kept::of(&paths.state, workspace);
        problems.extend(kept.read_place().err());
        let drafts = kept.drafts().map(|draft| Kept { draft, ..kept.clone() });
        problems.extend(drafts.filter_map(|one| one.read_draft().err()));
    }
    problems
}

fn read<T: DeserializeOwned>(path: &Path, so: &str) -> Result<Option<T>, Problem> {
    let Some(bytes) = Engine::kept_file(path)? else { return Ok(None) };
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    serde_json::from_slice(bytes).map(Some).map_err(|error| {
        let said = error.to_string();
        let what = said.split(" at line ").next().unwrap_or(&said);
        let message = format!(
            "{} is damaged at line {}, column {}: {what}. {so}",
            path.display(),
            error.line(),
            error.column()
        );
        Problem { path: path.to_owned(), code: "damaged", message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_and_what_is_damaged_is_told_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept::of(folder.path(), Path::new("/repo/parcels"));
        assert_eq!(kept.read_place(), Ok(None));
        std::fs::create_dir_all(folder.path().join("places")).expect("made");
        std::fs::write(&kept.place, "{\n\"screen\":").expect("written");
        let problem = kept.read_place().expect_err("damaged");
        assert!(problem.message.contains("line 2, column 9"), "{}", problem.message);
        std::fs::write(&kept.place, "{\"screen\":\"loops\",\"from_later\":1}").expect("written");
        let place = kept.read_place().expect("read").expect("there");
        assert_eq!(place.screen, "loops");
        let other = Kept::of(folder.path(), Path::new("/other"));
        assert_eq!(other.read_place(), Ok(None));
    }
}
