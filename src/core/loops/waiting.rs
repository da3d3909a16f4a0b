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

/// What helps the turns that were handed to workers on: those without a worker
/// are handed out, the results of the others taken. Each command once.
pub(super) fn worker_steps(state: &Loop) -> Vec<NextStep> {
    let mut out: Vec<NextStep> = Vec::new();
    for wanted in [Due::Launch, Due::Result] {
        let slots = state.slots.iter().filter(|slot| state.due(slot) == Some(wanted));
        for step in slots.map(|slot| turn_step(state, slot)) {
            if !out.iter().any(|one| one.command == step.command) {
                out.push(step);
            }
        }
    }
    out
}

/// The open question that a slot's turn waits for.
fn asked_by<'a>(state: &'a Loop, slot: &SlotId) -> Option<&'a Question> {
    state.open_questions.iter().find(|q| q.turn_id.is_some() && q.slot_id.as_ref() == Some(slot))
}
