//! What ends the waiting for turns: the steps that help, by what each waits for.

use super::attempt::{Doubt, Due};
use super::explain::{SlotsEvaluated, answer_step};
use super::ids::SlotId;
use super::model::{Loop, Question, Slot, TurnState};
use super::refusal::NextStep;
use super::steps;
use crate::core::time::Timestamp;

/// What ends the waiting for slots.
pub fn slot_steps(state: &Loop, slots: &SlotsEvaluated, now: Timestamp) -> Vec<NextStep> {
    let mut out = Vec::new();
    for waiting in &slots.waiting {
        let (slot, role) = (waiting.slot_id.as_str(), &waiting.role);
        if waiting.state == TurnState::Failed.as_ref() {
            out.push(NextStep::new(
                format!("call the failed turn of {role} off"),
                steps::cancel_turn(state, slot),
            ));
        } else if let Some(question) = asked_by(state, &waiting.slot_id) {
            out.push(answer_step(state, question));
        } else if let Some(slot) = state.slot(&waiting.slot_id) {
            out.extend(turn_steps(state, slot, now));
        }
    }
    out
}

/// What ends a slot's live turn, the nearest first: the one step of [`turn_step`],
/// and the other way out where nobody knows whether a result will ever be taken.
pub fn turn_steps(state: &Loop, slot: &Slot, now: Timestamp) -> Vec<NextStep> {
    let first = turn_step(state, slot, now);
    let other = match state.doubt(slot, now) {
        Some(Doubt::Contradiction | Doubt::TurnedAway) => Some(NextStep::new(
            "or put another worker in its place",
            steps::take_over(state, &slot.slot_id),
        )),
        Some(Doubt::LaunchUnknown) => Some(result_step(state, slot, "or take the result")),
        None => None,
    };
    [first].into_iter().chain(other).collect()
}

/// What ends a slot's live turn: handing it out, taking its worker's result,
/// replacing a worker that nobody has heard of, or completing it.
pub fn turn_step(state: &Loop, slot: &Slot, now: Timestamp) -> NextStep {
    let role = &slot.role;
    match state.doubt(slot, now) {
        Some(Doubt::Contradiction | Doubt::TurnedAway) => {
            let text = format!("complete the turn of {role} by hand");
            return NextStep::new(text, steps::complete(state, slot.slot_id.as_str()));
        }
        Some(Doubt::LaunchUnknown) => {
            let text = format!("put another worker in the place of {role}'s");
            return NextStep::new(text, steps::take_over(state, &slot.slot_id));
        }
        None => {}
    }
    match state.due(slot) {
        Some(Due::Launch) => {
            let text = format!("hand the turn of {role} out");
            NextStep::new(text, steps::dispatch(state, &slot.slot_id))
        }
        Some(Due::Result) => result_step(state, slot, "take the result"),
        Some(Due::Person) | None => {
            let text = format!("complete the turn of {role}");
            NextStep::new(text, steps::complete(state, slot.slot_id.as_str()))
        }
    }
}

fn result_step(state: &Loop, slot: &Slot, text: &str) -> NextStep {
    let writes = state.live_attempt(slot).is_some_and(|attempt| attempt.writes);
    let command = if writes { steps::integrate(state) } else { steps::harvest(state) };
    NextStep::new(format!("{text} of {}", slot.role), command)
}

/// What helps the turns that were handed to workers on: those without a worker
/// are handed out, the results of the others taken. Each command once.
pub(super) fn worker_steps(state: &Loop, now: Timestamp) -> Vec<NextStep> {
    let mut out: Vec<NextStep> = Vec::new();
    for wanted in [Due::Launch, Due::Result] {
        let slots = state.slots.iter().filter(|slot| state.due(slot) == Some(wanted));
        for step in slots.flat_map(|slot| turn_steps(state, slot, now)) {
            if !out.iter().any(|one| one.command == step.command) {
                out.push(step);
            }
        }
    }
    out
}

/// Some steps after what helps the turns of workers on. Each command once.
pub(super) fn after_workers(state: &Loop, steps: Vec<NextStep>, now: Timestamp) -> Vec<NextStep> {
    let mut out = worker_steps(state, now);
    for step in steps {
        if !out.iter().any(|one| one.command == step.command) {
            out.push(step);
        }
    }
    out
}

/// The open question that a slot's turn waits for.
fn asked_by<'a>(state: &'a Loop, slot: &SlotId) -> Option<&'a Question> {
    state.open_questions.iter().find(|q| q.turn_id.is_some() && q.slot_id.as_ref() == Some(slot))
}
