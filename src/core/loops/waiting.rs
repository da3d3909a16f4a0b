//! What ends the waiting for turns: the steps that help, by what each waits for.

use super::attempt::Due;
use super::explain::{SlotsEvaluated, answer_step};
use super::ids::SlotId;
use super::model::{Loop, Question, Slot, TurnState};
use super::refusal::NextStep;
use super::steps;

/// What ends the waiting for slots.
pub fn slot_steps(state: &Loop, slots: &SlotsEvaluated) -> Vec<NextStep> {
    let mut out = Vec::new();
    for waiting in &slots.waiting {
        let (slot, role) = (waiting.slot_id.as_str(), &waiting.role);
        out.push(if waiting.state == TurnState::Failed.as_ref() {
            NextStep::new(
                format!("call the failed turn of {role} off"),
                steps::cancel_turn(state, slot),
            )
        } else if let Some(question) = asked_by(state, &waiting.slot_id) {
            answer_step(state, question)
        } else {
            match state.slot(&waiting.slot_id) {
                Some(slot) => turn_step(state, slot),
                None => continue,
            }
        });
    }
    out
}

/// What ends a slot's live turn: handing it out, taking its worker's result, or
/// completing it.
pub fn turn_step(state: &Loop, slot: &Slot) -> NextStep {
    let role = &slot.role;
    match state.due(slot) {
        Some(Due::Launch) => {
            let text = format!("hand the turn of {role} out");
            NextStep::new(text, steps::dispatch(state, &slot.slot_id))
        }
        Some(Due::Result) => {
            let writes = state.live_attempt(slot).is_some_and(|attempt| attempt.writes);
            let command = if writes { steps::integrate(state) } else { steps::harvest(state) };
            NextStep::new(format!("take the result of {role}"), command)
        }
        Some(Due::Person) | None => {
            let text = format!("complete the turn of {role}");
            NextStep::new(text, steps::complete(state, slot.slot_id.as_str()))
        }
    }
}

/// The turns that were handed out, have no worker now, and play the present
/// phase: handing them out is what helps.
pub(super) fn launch_steps(state: &Loop) -> Vec<NextStep> {
    let waits = |slot: &&Slot| state.due(slot) == Some(Due::Launch);
    state.slots.iter().filter(waits).map(|slot| turn_step(state, slot)).collect()
}

/// The open question that a slot's turn waits for.
fn asked_by<'a>(state: &'a Loop, slot: &SlotId) -> Option<&'a Question> {
    state.open_questions.iter().find(|q| q.turn_id.is_some() && q.slot_id.as_ref() == Some(slot))
}
