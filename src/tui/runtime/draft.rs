//! What is being written, kept in a file so that a crash loses nothing.

use std::path::{Path, PathBuf};

use crate::tui::form::Draft;

/// Where drafts are kept. What can't be written is not kept: that must never
/// stand in the way of writing.
pub(super) struct Drafts {
    path: PathBuf,
    kept: bool,
}

impl Drafts {
    /// The draft of the workspace that the deck is started in.
    pub fn new(state: &Path, workspace: &Path) -> Self {
        let name = crate::core::text::sha256_hex(workspace.to_string_lossy().as_bytes());
        let path = state.join("drafts").join(format!("{}.json", &name[..16]));
        Self { kept: path.exists(), path }
    }

    /// What an earlier run left behind.
    pub fn read(&self) -> Option<Draft> {
        let bytes = std::fs::read(&self.path).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps a draft, or forgets the one that was kept.
    pub fn keep(&mut self, draft: Option<&Draft>) {
        let Some(draft) = draft else {
            if self.kept {
                let _ = std::fs::remove_file(&self.path);
                self.kept = false;
            }
            return;
        };
        let Ok(json) = serde_json::to_vec(draft) else { return };
        let Some(folder) = self.path.parent() else { return };
        if std::fs::create_dir_all(folder).is_err() {
            return;
        }
        let written = tempfile::NamedTempFile::new_in(folder)
            .and_then(|file| std::fs::write(file.path(), json).map(|()| file));
        if let Ok(file) = written {
            self.kept = file.persist(&self.path).is_ok();
        }
    }
}
