//! What is being written, kept in a file so that a crash loses nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::tui::form::Draft;

/// Where drafts are kept. What can't be written is not kept: that must never
/// stand in the way of writing.
///
/// A thread of its own writes, so that no key waits for the disk; of several
/// drafts that wait, the newest is enough. Dropping it waits until that is done.
pub(super) struct Drafts {
    path: PathBuf,
    newest: Option<Sender<Option<Draft>>>,
    writer: Option<JoinHandle<()>>,
}

impl Drafts {
    /// The draft of the workspace that the deck is started in.
    pub fn new(state: &Path, workspace: &Path) -> Self {
        let name = crate::core::text::sha256_hex(workspace.to_string_lossy().as_bytes());
        let path = state.join("drafts").join(format!("{}.json", &name[..16]));
        let (newest, waiting) = channel();
        let target = path.clone();
        let writer = Builder::new()
            .name(format!("{}draft", super::worker::THREADS))
            .spawn(move || write_all(&target, &waiting));
        Self { path, newest: Some(newest), writer: writer.ok() }
    }

    /// What an earlier run left behind.
    pub fn read(&self) -> Option<Draft> {
        let bytes = std::fs::read(&self.path).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps a draft, or forgets the one that was kept.
    pub fn keep(&mut self, draft: Option<&Draft>) {
        if let Some(newest) = &self.newest {
            // Without a writer nothing is kept; see above.
            let _ = newest.send(draft.cloned());
        }
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        // The end of the sender is the end of the writer.
        self.newest = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn write_all(path: &Path, waiting: &Receiver<Option<Draft>>) {
    while let Ok(first) = waiting.recv() {
        let newest = waiting.try_iter().last().unwrap_or(first);
        match newest {
            Some(draft) => {
                // What can't be kept is not; see above.
                let _ = write(path, &draft);
            }
            None => {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn write(path: &Path, draft: &Draft) -> std::io::Result<()> {
    let json = serde_json::to_vec(draft)?;
    let Some(folder) = path.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    std::fs::write(file.path(), json)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::form::FormKind;

    fn draft(iteration: u32) -> Draft {
        Draft {
            form: FormKind::NewLoop,
            loop_id: None,
            phase: None,
            iteration: Some(iteration),
            fields: Default::default(),
        }
    }

    #[test]
    fn the_newest_draft_is_there_for_the_next_run_until_it_is_forgotten() {
        let state = tempfile::tempdir().expect("a folder");
        let drafts = || Drafts::new(state.path(), Path::new("/some/workspace"));
        let mut first = drafts();
        assert_eq!(first.read(), None);
        (0..100).for_each(|i| first.keep(Some(&draft(i))));
        drop(first);
        let mut second = drafts();
        assert_eq!(second.read(), Some(draft(99)));
        second.keep(None);
        drop(second);
        assert_eq!(drafts().read(), None);
    }

    #[test]
    fn another_workspace_has_its_own() {
        let state = tempfile::tempdir().expect("a folder");
        let mut one = Drafts::new(state.path(), Path::new("/one"));
        one.keep(Some(&draft(1)));
        drop(one);
        assert_eq!(Drafts::new(state.path(), Path::new("/two")).read(), None);
    }
}
