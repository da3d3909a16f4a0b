//! A review that goes on by itself: the next turn after a result was taken.

use super::super::api::Write;
use super::super::inner::Engine;
use super::{DispatchRequest, Worker};
use crate::core::loops::Command;
use crate::core::loops::ids::{LoopId, Name};
use crate::core::loops::model::{Loop, Slot, Status};
use crate::core::loops::protocol::{Kind, Work};

impl Engine {
    /// A review's next turn, dispatched by itself.
    pub(super) fn go_on(
        &self,
        id: &LoopId,
        write: &Write,
        warnings: &mut Vec<String>,
    ) -> Option<Worker> {
        let state = self.load(id).ok()?;
        if state.kind != Kind::Review || state.status != Status::Open {
            return None;
        }
        let write = Write { actor: write.actor.clone(), request_id: None, expected_version: None };
        let advance = Command::Advance { to: None, force: false, reason: None };
        let state = match self.execute(id, advance, &write) {
            Ok(done) => done.state,
            Err(error) => {
                warnings.push(format!("the review does not go on by itself: {}", error.message()));
                return None;
            }
        };
        if state.status != Status::Open {
            return None;
        }
        let phase = state.phase()?;
        if matches!(phase.work, Work::Person | Work::Engine) {
            warnings.push(format!("{} is yours: no worker is started for it", phase.name));
            return None;
        }
        let slots = state.slots_playing(phase.role.as_deref());
        let slot = slots.into_iter().find(|slot| slot.agent.is_some() || slot.claimed_by.is_some());
        let agent = slot.and_then(|slot| slot.agent.clone().or_else(|| last_agent(&state, slot)));
        let Some((slot, agent)) = slot.zip(agent) else {
            warnings.push(format!("{} has no agent: hand the turn over by hand", phase.name));
            return None;
        };
        let request =
            DispatchRequest { slot: slot.slot_id.to_string(), agent: Some(agent.to_string()) };
        match self.dispatch(id, &request, &write) {
            Ok(dispatched) => {
                warnings.extend(dispatched.done.warnings);
                Some(dispatched.worker)
            }
            Err(error) => {
                warnings.push(format!("the next turn was not dispatched: {}", error.message()));
                None
            }
        }
    }
}

/// The agent that worked last in a slot without one of its own.
fn last_agent(state: &Loop, slot: &Slot) -> Option<Name> {
    let turn = slot.turns.iter().rev().find_map(|turn| state.attempt(&turn.turn_id))?;
    Some(turn.agent.clone())
}
