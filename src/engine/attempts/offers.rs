//! Which turns could be handed to workers now.

use super::super::api::Result;
use super::super::inner::{Engine, Inner};
use super::DispatchOffer;
use crate::core::loops::attempt::AttemptCommand;
use crate::core::loops::command::{Command, Ctx};
use crate::core::loops::decide::{decide, may_be_dispatched};
use crate::core::loops::evaluate::{self, Detail};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Loop;
use crate::core::loops::refusal::NextStep;
use crate::core::loops::steps;

impl Engine {
    /// The turns of a loop that could be handed to workers now: of slots that
    /// play the phase, whose agent has a command, and that are free.
    ///
    /// # Errors
    /// As [`Engine::load`].
    pub fn dispatch_offers(&self, id: &LoopId) -> Result<Vec<DispatchOffer>> {
        let view = self.inner.view(id)?;
        Ok(self.inner.offers(&view.state, &self.inner.reading_ctx(&view, id)))
    }
}

impl Inner {
    /// As [`Engine::dispatch_offers`], of a loop as it is known.
    pub(in super::super) fn offers(&self, state: &Loop, ctx: &Ctx) -> Vec<DispatchOffer> {
        let read = self.settings.now();
        let config = &read.config;
        if config.agents.is_empty()
            || !config.dispatch.allows(state.kind)
            || may_be_dispatched(state).is_err()
        {
            return Vec::new();
        }
        let role = state.phase().and_then(|phase| phase.role.as_deref());
        let slots = state.slots_playing(role).into_iter();
        let shut = evaluate::gate(state, Detail::Counts).is_some_and(|gate| !gate.met);
        slots
            .filter_map(|slot| {
                let agent = slot.agent.as_ref()?;
                let command = config.agents.get(&**agent)?.clone();
                // Once it has had its say in this round, it is asked again only if
                // the gate is still shut.
                let had = slot.newest_turn(&state.current_phase, state.iteration_count);
                let reserve =
                    AttemptCommand::Reserve { slot: slot.slot_id.to_string(), agent: None };
                let decision = decide(state, &Command::Attempt(reserve), ctx);
                let free = decision.refusal.is_none() && (shut || !had.is_some_and(is_done));
                free.then(|| DispatchOffer {
                    slot_id: slot.slot_id.clone(),
                    role: slot.role.clone(),
                    agent: agent.clone(),
                    approved: self.may_work(&command, &config.dispatch.pass_env),
                    variables: self.unapproved(&config.dispatch.pass_env).unwrap_or_default(),
                    command,
                })
            })
            .collect()
    }

    /// The steps that hand out what may be handed out without another word.
    pub(in super::super) fn dispatch_steps(&self, state: &Loop, ctx: &Ctx) -> Vec<NextStep> {
        let offers = self.offers(state, ctx).into_iter().filter(|offer| offer.approved);
        offers
            .map(|offer| {
                let text = format!("hand the turn of {} to {}", offer.role, offer.agent);
                NextStep::new(text, steps::dispatch(state, &offer.slot_id))
            })
            .collect()
    }
}

fn is_done(turn: &crate::core::loops::model::Turn) -> bool {
    turn.state == crate::core::loops::model::TurnState::Done
}
