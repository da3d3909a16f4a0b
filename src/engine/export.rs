//! A loop to take away: everything that it holds, and its Markdown.

use std::collections::BTreeMap;

use super::api::{Error, Exported, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::event::{Event, EventBody};
use crate::core::loops::export::markdown;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::store::bodies;

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
