//! A loop to take away: everything that it holds, and its Markdown.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::api::{Error, Exported, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::event::{Event, EventBody};
use crate::core::loops::export::markdown;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::seam::fs::File;
use crate::store::{self, bodies};

/// Names that are tried for a file.
const TRIES: u32 = 1_000;

impl Engine {
    /// A loop with all its texts, and as Markdown.
    ///
    /// # Errors
    /// As [`Engine::load`] and [`Engine::body`].
    pub fn export(&self, id: &LoopId) -> Result<Exported> {
        let events = self.inner.events(id)?;
        let timeline = crate::core::loops::history::Timeline::of(events)
            .ok_or_else(|| Error::not_found(id))?;
        let state = std::sync::Arc::new(timeline.head().clone());
        let events = timeline.events().to_vec();
        let mut texts = self.inner.bodies_of(id, &events)?;
        texts.retain(|artifact, _| state.artifact(artifact.as_str()).is_some());
        let markdown = markdown(&state, &events, &texts);
        Ok(Exported { state, events, bodies: texts, markdown })
    }

    /// Saves a loop as Markdown in the workspace's root, in a new file that is
    /// named after it; no file that is there is ever written over.
    ///
    /// # Errors
    /// As [`Engine::export`]; `read_only`, `io`.
    pub fn save_export(&self, id: &LoopId) -> Result<PathBuf> {
        self.inner.check_writable()?;
        let exported = self.export(id)?;
        let slug = &exported.state.slug;
        for n in 1..=TRIES {
            let number = if n == 1 { String::new() } else { format!("-{n}") };
            let path = self.root().join(format!("{slug}{number}.md"));
            let failed = |source| store::Error::write(&path, source);
            let mut file = match File::create_new(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(failed(error).into()),
            };
            file.write_all(exported.markdown.as_bytes()).map_err(failed)?;
            return Ok(path);
        }
        Err(Error::new("io", format!("{TRIES} files named after {slug} are there already")))
    }
}

impl Inner {
    /// The texts of all artifacts that some events filed.
    pub fn bodies_of(&self, id: &LoopId, events: &[Event]) -> Result<BTreeMap<ArtifactId, String>> {
        let dir = self.layout.loop_files(id).dir;
        let mut out = BTreeMap::new();
        for event in events {
            match &event.body {
                EventBody::ArtifactAdded(added) => {
                    let head = &added.artifact;
                    let text = match (&added.body, &head.body_file) {
                        (Some(body), _) => body.clone(),
                        (None, Some(file)) => bodies::read(&dir, file)?,
                        (None, None) => continue,
                    };
                    out.insert(head.artifact_id.clone(), text);
                }
                EventBody::Forked(forked) => {
                    out.extend(forked.bodies.iter().map(|(id, body)| (id.clone(), body.clone())));
                    for artifact in &forked.state.artifacts {
                        if let Some(file) = &artifact.body_file {
                            out.insert(artifact.artifact_id.clone(), bodies::read(&dir, file)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(out)
    }
}
