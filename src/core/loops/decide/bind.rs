//! bind: what an implementation carries out (engine.md §6).

use super::super::binding::{Sequence, Step};
use super::super::command::NewSlot;
use super::super::event::EventBody;
use super::super::ids::Name;
use super::super::model::{Loop, Slot};
use super::super::protocol::{Kind, Work};
use super::super::refusal::Refusal;
use super::super::steps;
use super::{Draft, Verdict, advance, amend, needs_open};
use crate::core::text::with_article;

/// Whether the loop is in the phase in which it is said what it carries out.
pub(in crate::core::loops) fn is_binding(state: &Loop) -> bool {
    state.phase().is_some_and(|p| p.work == Work::Engine && p.expects.is_empty())
}

/// Whether anything was bound.
pub(super) fn is_bound(state: &Loop) -> bool {
    !state.linked.plan_ids.is_empty() || state.slots.iter().any(|s| !s.step_ids.is_empty())
}

pub(super) fn bind(
    draft: &mut Draft<'_>,
    plans: &[String],
    sequence: Option<&Sequence>,
) -> Verdict {
    if draft.state.kind != Kind::Implementation {
        return Err(Refusal::new(
            "invalid_kind",
            format!(
                "plans are bound to implementation loops, not to {}",
                with_article(&format!("{} loop", draft.state.kind))
            ),
        ));
    }
    needs_open(&draft.state, "bind")?;
    if !is_binding(&draft.state) {
        return Err(Refusal::new(
            "phase_not_reached",
            format!(
                "plans are bound in the phase bind; the loop is in {}",
                draft.state.current_phase
            ),
        )
        .detail("current_phase", &*draft.state.current_phase)
        .step("tie plans to it all the same", steps::on_loop(&draft.state, "show", "")));
    }
    let steps = sequence.map(|s| s.steps.as_slice()).unwrap_or_default();
    let mut plan_ids: Vec<String> = Vec::new();
    for plan in plans.iter().chain(steps.iter().map(|s| &s.plan)) {
        if !plan_ids.contains(plan) {
            plan_ids.push(plan.clone());
        }
    }
    if !plan_ids.is_empty() {
        let slots = bound_slots(draft, plans, steps)?;
        let sequence_ids = sequence.map(|s| s.path.clone()).into_iter().collect();
        draft.push(EventBody::Bound { plan_ids, sequence_ids, slots });
    }
    advance::advance(draft, &advance::Wish { to: None, force: false, reason: None })
}

/// The slots with their part: one slot a lane, added where there are too few;
/// without lanes all goes to the first that plays the next phase.
fn bound_slots(
    draft: &mut Draft<'_>,
    plans: &[String],
    steps: &[Step],
) -> Result<Vec<Slot>, Refusal> {
    let state = draft.state.clone();
    let next = state.protocol.position(&state.current_phase).map_or(0, |at| at + 1);
    let role = state.protocol.phases.get(next).and_then(|p| p.role.clone());
    let role = role.unwrap_or_else(|| Name::from("executor"));
    let bare = |slot: &Slot| Slot {
        turns: Default::default(),
        lane: None,
        scope_hint: Vec::new(),
        plan_ids: Vec::new(),
        step_ids: Vec::new(),
        ..slot.clone()
    };
    let mut slots: Vec<Slot> = state.slots.iter().map(bare).collect();
    let mut lanes: Vec<Option<&String>> = Vec::new();
    for step in steps {
        if !lanes.contains(&step.lane.as_ref()) {
            lanes.push(step.lane.as_ref());
        }
    }
    if lanes.is_empty() {
        lanes.push(None);
    }
    let playing = state.slots_playing(Some(&role));
    let playing: Vec<usize> =
        playing.iter().filter_map(|p| slots.iter().position(|s| s.slot_id == p.slot_id)).collect();
    for (number, lane) in lanes.iter().enumerate() {
        let at = match playing.get(number) {
            Some(at) => *at,
            None => {
                let new = NewSlot { role: role.to_string(), ..NewSlot::default() };
                slots.push(amend::new_slot(draft, &state.id, &new)?);
                slots.len() - 1
            }
        };
        let slot = &mut slots[at];
        slot.lane = lane.map(|l| l.as_str().into());
        if lane.is_none() {
            slot.plan_ids = plans.to_vec();
        }
        for step in steps.iter().filter(|step| step.lane.as_ref() == *lane) {
            take(slot, step);
        }
    }
    Ok(slots)
}

/// Gives a step to a slot.
fn take(slot: &mut Slot, step: &Step) {
    slot.step_ids.push(step.id.clone());
    if !slot.plan_ids.contains(&step.plan) {
        slot.plan_ids.push(step.plan.clone());
    }
    for path in &step.paths {
        if !slot.scope_hint.contains(path) {
            slot.scope_hint.push(path.clone());
        }
    }
}
