//! Commands that go well with what others do: what was decided on a version that was
//! seen holds on a later one too, if it comes to the same there.

use super::command::{Command, Ctx, NewArtifact};
use super::decide;
use super::event::EventBody;
use super::model::Loop;
use super::refusal::Decision;

/// Whether a command only adds, so that the order of it and of others' changes is of no
/// matter by itself.
pub fn adds(command: &Command) -> bool {
    matches!(command, Command::AddArtifact(_) | Command::Answer { .. })
}

/// Whether a command does to a loop what it would have done to it as it was seen.
pub fn comes_to_the_same(
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
