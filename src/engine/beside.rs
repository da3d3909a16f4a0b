//! Changes that add to what others do: a person who wrote a text while others wrote
//! needn't be asked again, as long as what decided for them is as they saw it.

use super::api::{Done, Result, Write};
use super::inner::Engine;
use super::write::outdated;
use crate::core::loops::Command;
use crate::core::loops::command::{Ctx, NewArtifact};
use crate::core::loops::decide;
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Loop;
use crate::core::loops::refusal::Decision;

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

/// Whether a command only adds, so that the order of it and of others' changes is of no
/// matter by itself.
fn adds(command: &Command) -> bool {
    matches!(command, Command::AddArtifact(_) | Command::Answer { .. })
}

/// Whether a command does to a loop what it would have done to it as it was seen.
fn comes_to_the_same(
    then: &Loop,
    now: &Loop,
    command: &Command,
    ctx: &Ctx,
    decision: &Decision,
) -> bool {
    let foreseen = decide::decide(then, command, ctx);
    stands_where(command, then) == stands_where(command, now) && moves(&foreseen) == moves(decision)
}

/// Where a loop stands, as far as it decides what a command means: a text is filed
/// where the loop is, unless it says where.
fn stands_where<'a>(command: &Command, state: &'a Loop) -> Option<(&'a str, u32)> {
    let says =
        matches!(command, Command::AddArtifact(NewArtifact { phase: None, round: None, .. }));
    says.then(|| (&*state.current_phase, state.iteration_count))
}

/// What a decision does to the loop beyond what it adds.
fn moves(decision: &Decision) -> Vec<&EventBody> {
    let is_move = |event: &&EventBody| {
        matches!(
            event,
            EventBody::PhaseAdvanced { .. }
                | EventBody::GateSkipped { .. }
                | EventBody::MaxIterationsReached { .. }
                | EventBody::Closed { .. }
        )
    };
    decision.events.iter().filter(is_move).collect()
}
