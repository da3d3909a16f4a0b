//! A loop's past: the state at any moment, and loops that begin there.

use std::collections::BTreeMap;

use super::api::{Done, Error, Result, Write};
use super::inner::{Engine, Inner, canonical};
use super::open::Opening;
use super::view::events_of;
use super::writer::history_of;
use crate::core::loops::decide;
use crate::core::loops::event::{Event, EventBody};
use crate::core::loops::history::{History, Timeline};
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Loop;
use crate::core::loops::past::Past;
use crate::core::loops::refusal::Refusal;
use crate::core::text::sha256_hex;
use crate::seam::fs::File;
use crate::store::{self, bodies};

impl Engine {
    /// A loop's whole history in memory, to look at any moment of it.
    ///
    /// # Errors
    /// As [`Engine::load`].
    pub fn timeline(&self, id: &LoopId) -> Result<Timeline> {
        let events = self.inner.events(id)?;
        Timeline::of(events).ok_or_else(|| Error::not_found(id))
    }

    /// A loop's whole past in memory, with its commits: to look at any moment
    /// of it, and to know where a fork may begin.
    ///
    /// # Errors
    /// As [`Engine::load`].
    pub fn past(&self, id: &LoopId) -> Result<Past> {
        // The commits first: a commit that comes in between is seen next time.
        let history = self.inner.history(id)?;
        Ok(Past::new(self.timeline(id)?, &history))
    }

    /// A loop as it was right after an event.
    ///
    /// # Errors
    /// As [`Engine::load`]; `unknown_seq`.
    pub fn state_at(&self, id: &LoopId, seq: u64) -> Result<Loop> {
        let timeline = self.timeline(id)?;
        timeline.at(seq).ok_or_else(|| unknown_seq(seq, timeline.head().version))
    }

    /// A new loop that begins as another was after a commit.
    ///
    /// # Errors
    /// As [`Engine::load`] and [`Engine::open_loop`]; `unknown_seq`,
    /// `not_a_commit_boundary`.
    pub fn fork(&self, id: &LoopId, seq: u64, write: &Write) -> Result<Done> {
        let inner = &self.inner;
        inner.check_writable()?;
        let timeline = self.timeline(id)?;
        let source = timeline.at(seq).ok_or_else(|| unknown_seq(seq, timeline.head().version))?;
        if inner.history(id)?.ending_at(seq).is_none() {
            return Err(Error::new(
                "not_a_commit_boundary",
                format!(
                    "event {seq} is not the last of its commit: a fork begins after a whole commit"
                ),
            ));
        }
        let inline = inline_bodies(&source, timeline.events());
        let dir = inner.layout.loop_files(id).dir;
        let mut long = Vec::new();
        for file in source.artifacts.iter().filter_map(|a| a.body_file.as_ref()) {
            long.push(bodies::read(&dir, file)?);
        }
        let identity = serde_json::json!({ "verb": "fork", "loop_id": id.as_str(), "at": seq });
        inner.begin(&Opening {
            decide: &|new, _, ctx| decide::fork(new, &source, inline.clone(), ctx),
            bodies: long,
            sha256: sha256_hex(canonical(identity).to_string().as_bytes()),
            write,
        })
    }
}

impl Inner {
    /// The commits of a loop, as undo sees them.
    pub fn history(&self, id: &LoopId) -> Result<History> {
        let (file, files) = self.journal_of(id)?;
        history_of(&file, &files)
    }

    /// The events of a loop, oldest first.
    pub fn events(&self, id: &LoopId) -> Result<Vec<Event>> {
        let (file, files) = self.journal_of(id)?;
        Ok(events_of(&file, &files.journal(), u64::MAX)?)
    }

    fn journal_of(&self, id: &LoopId) -> Result<(File, store::layout::LoopFiles)> {
        self.view(id)?;
        let files = self.layout.loop_files(id);
        let path = files.journal();
        let file = store::plain::open(&path).map_err(|source| store::Error::read(&path, source))?;
        Ok((file, files))
    }
}

/// The bodies of a state's artifacts that stand inline in the journal.
fn inline_bodies(state: &Loop, events: &[Event]) -> BTreeMap<ArtifactId, String> {
    let mut out = BTreeMap::new();
    let mut keep = |id: &ArtifactId, body: &String| {
        if state.artifact(id.as_str()).is_some() {
            out.insert(id.clone(), body.clone());
        }
    };
    for event in events {
        match &event.body {
            EventBody::ArtifactAdded(added) => {
                if let Some(body) = &added.body {
                    keep(&added.artifact.artifact_id, body);
                }
            }
            EventBody::Forked(forked) => {
                forked.bodies.iter().for_each(|(id, body)| keep(id, body));
            }
            _ => {}
        }
    }
    out
}

fn unknown_seq(seq: u64, version: u64) -> Error {
    Refusal::new(
        "unknown_seq",
        format!("this loop has no event {seq}: its events are 1 to {version}"),
    )
    .detail("version", version)
    .into()
}
