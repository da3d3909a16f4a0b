//! Changes that add to what others do: a person who wrote a text while others wrote
//! needn't be asked again, as long as what decided for them is as they saw it.

use super::api::{Done, Result, Write};
use super::inner::Engine;
use super::write::outdated;
use crate::core::loops::Command;
use crate::core::loops::beside::{adds, comes_to_the_same};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Loop;

impl Engine {
    /// Carries out a verb on a version that was seen, as [`Engine::execute`] does; one
    /// that only adds (filing an artifact, answering a question) also on a later one, if
    /// it would come to the same there: the same phase and round, and the loop goes as
    /// far with it. What others added meanwhile is no reason to refuse it.
    ///
    /// # Errors
    /// As [`Engine::execute`]; `version_conflict` where it would come to something else.
    pub fn execute_beside(&self, id: &LoopId, command: Command, write: &Write) -> Result<Done> {
        let seen = write.expected_version.filter(|_| adds(&command));
        let Some(seen) = seen else { return self.execute(id, command, write) };
        let now = self.load(id)?;
        let then = match now.version == seen {
            true => Loop::clone(&now),
            false => self.state_at(id, seen)?,
        };
        let write = Write { expected_version: None, ..write.clone() };
        self.execute_if(id, command, &write, &|state, command, ctx, decision| {
            let same =
                state.version == seen || comes_to_the_same(&then, state, command, ctx, decision);
            (!same).then(|| outdated(id, state.version, seen))
        })
    }
}
