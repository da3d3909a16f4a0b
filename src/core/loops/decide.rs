//! Every rule about what may happen (engine.md §5, §6).

use super::command::{Command, Ctx, OpenLoop};
use super::ids::LoopId;
use super::model::Loop;
use super::refusal::Decision;

/// What a command does to a loop: the events, or a refusal. Nothing is changed.
pub fn decide(_state: &Loop, _command: &Command, _ctx: &Ctx) -> Decision {
    todo!()
}

/// What opening a loop under an id brings: its first events, or a refusal.
pub fn open(_id: &LoopId, _request: &OpenLoop, _ctx: &Ctx) -> Decision {
    todo!()
}
