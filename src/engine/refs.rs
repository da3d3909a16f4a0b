//! What a new artifact may point at: earlier artifacts by a text, files of the
//! workspace by a path.

use std::path::{Component, Path, PathBuf};

use super::{Engine, Error, Result};
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::BodyFile;
use crate::core::text::sha256_hex;
use crate::seam::fs;

impl Engine {
    /// The artifact of a loop that a text names: an id or a unique beginning of
    /// at least 4 characters of what follows the prefix.
    ///
    /// # Errors
    /// `unknown_artifact`, `ambiguous_id`.
    pub fn resolve_artifact(&self, id: &LoopId, text: &str) -> Result<ArtifactId> {
        let state = self.load(id)?;
        Ok(crate::core::loops::decide::find_artifact(&state, text)?.artifact_id.clone())
    }

    /// A file of the workspace as an artifact refers to it: its path below the
    /// root with `/` between the parts, its length, its hash. A relative path
    /// counts from the present folder.
    ///
    /// # Errors
    /// `invalid_ref` if it isn't a file or not in the workspace, `io` if it
    /// can't be read.
    pub fn workspace_file(&self, path: &Path) -> Result<BodyFile> {
        measure(self.root(), path)
    }
}

/// A file below a root as an artifact refers to it; links and `..` that lead out
/// of the root are refused.
pub(super) fn measure(root: &Path, path: &Path) -> Result<BodyFile> {
    let shown = path.display();
    let root = canonical(root)?;
    let full = fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new("invalid_ref", format!("there is no file {shown}"))
        }
        _ => unreadable(path, &error),
    })?;
    let below = full.strip_prefix(&root).map_err(|_| {
        Error::new(
            "invalid_ref",
            format!("{shown} is not in the workspace {}: give a file below it", root.display()),
        )
    })?;
    if !full.is_file() {
        return Err(Error::new("invalid_ref", format!("{shown} is no file")));
    }
    let bytes = crate::store::plain::read(&full).map_err(|e| unreadable(path, &e))?;
    Ok(BodyFile {
        reference: slashed(below),
        byte_count: bytes.len() as u64,
        sha256: sha256_hex(&bytes),
    })
}

fn canonical(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).map_err(|e| unreadable(path, &e))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::new("io", format!("{} cannot be read: {error}", path.display()))
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect();
    parts.join("/")
}
