//! What is being written, kept in a file so that a crash loses nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::tui::form::Draft;

/// Where drafts are kept, by a thread of their own: no key waits for the disk.
/// What can't be written is not kept; that must never stand in the way of writing.
pub(super) struct Drafts {
    path: PathBuf,
    wishes: Option<Sender<Option<Box<Draft>>>>,
    keeper: Option<JoinHandle<()>>,
}

impl Drafts {
    /// The draft of the workspace that the deck is started in.
    pub fn new(state: &Path, workspace: &Path) -> Self {
        let name = crate::core::text::sha256_hex(workspace.to_string_lossy().as_bytes());
        let path = state.join("drafts").join(format!("{}.json", &name[..16]));
        Self { path, wishes: None, keeper: None }
    }

    /// What an earlier run left behind. A file that makes no sense is moved beside
    /// itself, so that the next draft does not take its place: words of a person are
    /// in it.
    pub fn read(&self) -> Option<Draft> {
        let bytes = std::fs::read(&self.path).ok()?;
        let draft = serde_json::from_slice(&bytes);
        if draft.is_err() {
            let aside = (0..100)
                .map(|n| self.path.with_extension(format!("damaged-{n}.json")))
                .find(|path| path.symlink_metadata().is_err());
            if let Some(aside) = aside {
                // What can't be moved stays where it is.
                let _ = std::fs::rename(&self.path, aside);
            }
        }
        draft.ok()
    }

    /// Keeps a draft, or forgets the one that was kept.
    pub fn keep(&mut self, draft: Option<Box<Draft>>) {
        if self.wishes.is_none() {
            let (wishes, inbox) = channel();
            let path = self.path.clone();
            let keeper = move || carry_out(&inbox, &path);
            self.keeper = Builder::new().name("deck-drafts".to_owned()).spawn(keeper).ok();
            self.wishes = Some(wishes);
        }
        if let Some(wishes) = &self.wishes {
            // Without its thread there is nobody to keep it.
            let _ = wishes.send(draft);
        }
    }
}

impl Drop for Drafts {
    /// The newest wish is still carried out.
    fn drop(&mut self) {
        self.wishes = None;
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// Carries out the newest of the wishes that came while the one before was
/// carried out.
fn carry_out(inbox: &Receiver<Option<Box<Draft>>>, path: &Path) {
    while let Ok(wish) = inbox.recv() {
        match inbox.try_iter().last().unwrap_or(wish) {
            Some(draft) => write(path, &draft),
            None => {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

/// Writes a small file of state, whole or not at all.
pub(super) fn write(path: &Path, what: &impl serde::Serialize) {
    let (Ok(json), Some(folder)) = (serde_json::to_vec(what), path.parent()) else { return };
    if std::fs::create_dir_all(folder).is_err() {
        return;
    }
    let written = tempfile::NamedTempFile::new_in(folder)
        .and_then(|file| std::fs::write(file.path(), json).map(|()| file));
    if let Ok(file) = written {
        let _ = file.persist(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::form::FormKind;

    fn draft(phase: &str) -> Box<Draft> {
        Box::new(Draft {
            form: FormKind::NewLoop,
            loop_id: None,
            phase: Some(phase.to_owned()),
            iteration: None,
            fields: std::collections::BTreeMap::new(),
        })
    }

    #[test]
    fn a_damaged_draft_is_set_aside_and_the_next_one_takes_nothing_from_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut drafts = Drafts::new(folder.path(), Path::new("/repo/parcels"));
        std::fs::create_dir_all(drafts.path.parent().expect("a folder")).expect("made");
        for n in 0..2 {
            std::fs::write(&drafts.path, format!("{{\"fields\": words {n}")).expect("written");
            assert_eq!(drafts.read(), None);
            let aside = drafts.path.with_extension(format!("damaged-{n}.json"));
            let kept = std::fs::read_to_string(aside).expect("kept");
            assert!(kept.ends_with(&format!("words {n}")), "{kept}");
        }
        drafts.keep(Some(draft("one")));
        drop(drafts);
        let next = Drafts::new(folder.path(), Path::new("/repo/parcels"));
        assert_eq!(next.read(), Some(*draft("one")));
    }

    #[test]
    fn the_newest_draft_is_there_for_the_next_run_until_it_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = Path::new("/repo/parcels");
        let mut drafts = Drafts::new(folder.path(), workspace);
        assert_eq!(drafts.read(), None);
        drafts.keep(Some(draft("one")));
        drafts.keep(Some(draft("two")));
        drop(drafts);
        let mut next = Drafts::new(folder.path(), workspace);
        assert_eq!(next.read(), Some(*draft("two")));
        assert_eq!(Drafts::new(folder.path(), Path::new("/other")).read(), None);
        next.keep(None);
        drop(next);
        assert_eq!(Drafts::new(folder.path(), workspace).read(), None);
    }
}
