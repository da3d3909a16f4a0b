//! Bodies of artifacts: inline in the journal, or in files of their own.

use super::api::{Error, Result};
use super::inner::{Engine, Inner};
use super::view::View;
use crate::core::loops::EventBody;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Artifact;
use crate::core::loops::reading;
use crate::store::journal::commit_at;
use crate::store::{self, bodies};

impl Engine {
    /// An artifact's body in full; empty for one that stands for something elsewhere.
    ///
    /// # Errors
    /// As [`Engine::load`]; `unknown_artifact`; `io` or `damaged` if the file of
    /// a long body is gone or changed.
    pub fn body(&self, id: &LoopId, artifact: &ArtifactId) -> Result<String> {
        let view = self.inner.view(id)?;
        let head = view.state.artifact(artifact.as_str()).ok_or_else(|| {
            Error::new("unknown_artifact", format!("loop {id} has no artifact {artifact}"))
        })?;
        self.inner.body_of(id, &view, head)
    }

    /// An artifact's body, and as a page where the engine wrote it as JSON.
    ///
    /// # Errors
    /// As [`Engine::body`].
    pub fn reading(&self, id: &LoopId, artifact: &ArtifactId) -> Result<Reading> {
        let body = self.body(id, artifact)?;
        let state = self.load(id)?;
        let page = state.artifact(artifact.as_str()).and_then(|head| reading::page(head, &body));
        Ok(Reading { body, page })
    }
}

/// A body, as it is filed and as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// As it is filed.
    pub body: String,
    /// As a page, where that is something else.
    pub page: Option<String>,
}

impl Inner {
    /// The body of an artifact of a loop, found by its seq.
    pub fn body_of(&self, id: &LoopId, view: &View, head: &Artifact) -> Result<String> {
        let files = self.layout.loop_files(id);
        if let Some(file) = &head.body_file {
            return Ok(bodies::read(&files.dir, file)?);
        }
        let path = files.journal();
        let file = store::plain::open(&path).map_err(|source| store::Error::read(&path, source))?;
        // The bodies of a fork's copies stand in its first event.
        let seq = if head.origin.is_some() { 1 } else { head.seq };
        let commit = commit_at(&file, &path, view.position.offset, seq)?;
        let events = commit.into_iter().flat_map(|commit| commit.events);
        let body = events.into_iter().find_map(|event| match event.body {
            EventBody::ArtifactAdded(added) if added.artifact.artifact_id == head.artifact_id => {
                added.body
            }
            EventBody::Forked(mut forked) => forked.bodies.remove(&head.artifact_id),
            _ => None,
        });
        Ok(body.unwrap_or_default())
    }
}
