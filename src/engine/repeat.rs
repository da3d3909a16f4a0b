//! Requests that come twice: the first answer again, or a refusal where the id
//! stands for another command (store.md, "Concurrency").

use std::sync::Arc;

use super::api::{Done, Error, Result};
use super::inner::Inner;
use super::view::View;
use crate::core::loops::decide;
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Loop;
use crate::core::loops::refusal::{Made, Refusal};
use crate::store;
use crate::store::journal::{Commit, RequestMark, commit_at};
use crate::store::requests;

impl Inner {
    /// The answer to a request that was carried out before, on this loop.
    pub fn earlier_answer(
        &self,
        id: &LoopId,
        view: &Arc<View>,
        mark: &RequestMark,
    ) -> Result<Option<Done>> {
        let Some(answered) = view.requests.get(&mark.id) else {
            self.check_elsewhere(id, mark)?;
            return Ok(None);
        };
        if answered.body_sha256 != mark.body_sha256 {
            return Err(reused(&mark.id, id, answered.seq));
        }
        self.answer_again(id, view, answered.seq).map(Some)
    }

    /// The answer that the commit with an event gave.
    pub fn answer_again(&self, id: &LoopId, view: &Arc<View>, seq: u64) -> Result<Done> {
        let files = self.layout.loop_files(id);
        let path = files.journal();
        let file = store::plain::open(&path).map_err(|e| store::Error::read(&path, e))?;
        let commit = commit_at(&file, &path, view.position.offset, seq)?;
        let state = match seq == view.position.seq {
            true => Arc::clone(&view.state),
            false => View::state_at(&files, seq)?.unwrap_or_else(|| Arc::clone(&view.state)),
        };
        Ok(Done {
            made: commit.map(|commit| made_in(&commit, &state)).unwrap_or_default(),
            state,
            warnings: Vec::new(),
            notes: Vec::new(),
            replayed: true,
            events: Vec::new(),
        })
    }

    /// Refuses a request id that was used on another loop. The index says where
    /// to look; that loop's journal has the say.
    pub fn check_elsewhere(&self, id: &LoopId, mark: &RequestMark) -> Result<()> {
        let Some(found) = requests::find(&self.layout.requests(), &mark.id) else { return Ok(()) };
        if found.loop_id == *id {
            return Ok(());
        }
        let files = self.layout.loop_files(&found.loop_id);
        let there = View::read(&files, None).ok().flatten();
        match there.as_ref().and_then(|view| view.requests.get(&mark.id)) {
            Some(answered) => Err(reused(&mark.id, &found.loop_id, answered.seq)),
            None => Ok(()),
        }
    }
}

/// A request id that stands for another command already.
pub(super) fn reused(request: &str, id: &LoopId, seq: u64) -> Error {
    Refusal::new(
        "request_id_reused",
        format!(
            "request id {request:?} was used before, for another command (loop {id}, event {seq}); \
             give every command an id of its own"
        ),
    )
    .detail("request_id", request)
    .detail("loop_id", id.as_str())
    .detail("seq", seq)
    .into()
}

/// What the answer to a commit named.
fn made_in(commit: &Commit, after: &Loop) -> Made {
    let bodies = commit.events.iter().map(|event| &event.body);
    let mut made = Made { would: decide::would(after, bodies), ..Made::default() };
    for event in &commit.events {
        match &event.body {
            EventBody::ArtifactAdded(added) => {
                made.artifact_ids.push(added.artifact.artifact_id.clone());
            }
            EventBody::Reverted { to_seq, .. } => made.back_to = Some(*to_seq),
            EventBody::InputRequested { question } => {
                made.question_id = Some(question.question_id.clone());
            }
            EventBody::InputProvided { question_id, .. } => {
                made.question_id = Some(question_id.clone());
            }
            EventBody::Promoted { item_id, .. } => made.item_id = Some(item_id.clone()),
            EventBody::TurnAssigned { turn_id, slot_id, .. }
            | EventBody::TurnCompleted { turn_id, slot_id, .. } => {
                made.turn_id = Some(turn_id.clone());
                made.slot_id = Some(slot_id.clone());
            }
            _ => {}
        }
    }
    made
}
