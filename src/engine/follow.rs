//! What a loop that follows from another one is to be.

use super::api::{Error, OpenRequest, Result};
use super::inner::Engine;
use crate::core::loops::followups::follow_up;
use crate::core::loops::ids::LoopId;
use crate::core::text::with_article;

impl Engine {
    /// The loop that follows from another one, filled in: its kind and title,
    /// the goal and domain of the other one, the text that it starts from, and
    /// its ties.
    ///
    /// # Errors
    /// As [`Engine::load`] and [`Engine::body`]; `no_follow_up` if nothing
    /// follows from the loop as it stands.
    pub fn follow_up(&self, id: &LoopId) -> Result<OpenRequest> {
        let state = self.load(id)?;
        let follow = follow_up(&state).ok_or_else(|| {
            Error::new(
                "no_follow_up",
                format!(
                    "nothing follows from {} that is {}: a completed ideation has a plan to \
                     implement, a handoff is reviewed, a blocked implementation debugged",
                    with_article(&format!("{} loop", state.kind)),
                    state.status
                ),
            )
        })?;
        let mut request = OpenRequest::new(follow.kind, follow.title);
        request.goal = state.goal.clone();
        request.domain = state.domain.clone();
        request.linked.source_loop_id = Some(id.clone());
        if let Some(seed) = &follow.seed {
            request.proposal = Some(self.body(id, seed)?);
        }
        if let ("implement this plan", Some(plan)) = (follow.words, &follow.seed) {
            request.linked.plan_ids = vec![plan.to_string()];
        }
        Ok(request)
    }
}
