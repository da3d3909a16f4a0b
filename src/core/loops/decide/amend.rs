//! amend and link (engine.md §6).

use super::super::command::{Amend, LinkChange, NewSlot};
use super::super::event::{AmendedFields, EventBody};
use super::super::ids::{LoopId, Name, SlotId};
use super::super::model::{Loop, Slot, SlotStatus};
use super::super::refusal::Refusal;
use super::super::steps;
use super::{Draft, Verdict, needs_unclosed, operator_only, turns};
use crate::core::text::{has_visible, slugify};

/// Characters that a title may have.
const TITLE_CHARS: usize = 200;

/// A title as it may be stored: one line, 1 to 200 characters, one of them visible.
pub(super) fn checked_title(title: &str) -> Result<String, Refusal> {
    let title = title.trim();
    let fault = if !has_visible(title) {
        "is empty"
    } else if title.chars().any(char::is_control) {
        "is not one line of text"
    } else if title.chars().count() > TITLE_CHARS {
        "has more than 200 characters"
    } else {
        return Ok(title.to_owned());
    };
    Err(Refusal::new(
        "invalid_title",
        format!("the title {fault}: use one line of 1 to {TITLE_CHARS} characters"),
    )
    .detail("field", "title"))
}

/// The slug of a title: one that no loop has yet, with a number after it where
/// the title alone doesn't tell it apart.
pub(super) fn free_slug(title: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let slug = slugify(title, 48, "loop");
    if !taken(&slug) {
        return slug;
    }
    let numbered = (2_u64..).map(|n| format!("{slug}-{n}"));
    numbered.into_iter().find(|slug| !taken(slug)).unwrap_or(slug)
}

/// A new slot from its description.
pub(super) fn new_slot(
    draft: &mut Draft<'_>,
    loop_id: &LoopId,
    new: &NewSlot,
) -> Result<Slot, Refusal> {
    check_role(&new.role)?;
    if let Some(agent) = &new.agent {
        check_agent(agent)?;
    }
    let part = draft.next_id_part();
    let slot_id = SlotId::derive(&[loop_id.as_str().as_bytes(), &draft.ctx.entropy, &part]);
    Ok(Slot {
        slot_id,
        role: new.role.as_str().into(),
        agent: new.agent.as_deref().map(Name::from),
        status: SlotStatus::Open,
        profile: new.profile.as_deref().map(Name::from),
        lane: new.lane.as_deref().map(Name::from),
        scope_hint: new.scope_hint.clone(),
        plan_ids: new.plan_ids.clone(),
        step_ids: new.step_ids.clone(),
        read_only: new.read_only,
        claimed_by: None,
        turns: Default::default(),
    })
}

fn check_role(role: &str) -> Verdict {
    let allowed = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if (1..=64).contains(&role.chars().count()) && role.chars().all(allowed) {
        return Ok(());
    }
    Err(Refusal::new(
        "invalid_slot",
        format!("{role:?} is no role: use 1 to 64 letters, digits, _ or -"),
    )
    .detail("field", "role"))
}

fn check_agent(agent: &str) -> Verdict {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if (1..=64).contains(&agent.chars().count()) && agent.chars().all(allowed) {
        return Ok(());
    }
    Err(Refusal::new(
        "invalid_slot",
        format!("{agent:?} is no agent name: use 1 to 64 letters, digits, - _ . or /"),
    )
    .detail("field", "agent"))
}

/// An optional text where an empty one takes the value away.
fn emptied(text: &Option<String>) -> Option<Option<String>> {
    text.as_ref().map(|t| has_visible(t).then(|| t.trim().to_owned()))
}

pub(super) fn amend(draft: &mut Draft<'_>, change: &Amend) -> Verdict {
    if *change == Amend::default() {
        return Err(Refusal::new("usage", "amend: nothing to change was named"));
    }
    let title = change.title.as_deref().map(checked_title).transpose()?;
    operator_only(draft.ctx, "amend")?;
    needs_unclosed(&draft.state, "amend")?;
    let mut after = AmendedFields {
        // The slug stays: people and scripts may call the loop by it.
        title,
        goal: emptied(&change.goal),
        domain: emptied(&change.domain),
        verify: change.verify.clone(),
        ..AmendedFields::default()
    };
    if after.verify.is_some() && !draft.state.kind.has_verify() {
        return Err(super::open::invalid_verify(draft.state.kind));
    }
    if let Some(rounds) = change.max_rounds {
        after.max_rounds = Some(checked_rounds(&draft.state, rounds)?);
    }
    after.slots = changed_slots(draft, change)?;
    let before = former(&draft.state, &after);
    if before != after {
        draft.push(EventBody::Amended { before: Box::new(before), after: Box::new(after) });
    }
    Ok(())
}

/// The fields that an amendment changes, as they were.
fn former(state: &Loop, after: &AmendedFields) -> AmendedFields {
    let bare = |slots: &[Slot]| -> Vec<Slot> {
        slots.iter().map(|s| Slot { turns: Default::default(), ..s.clone() }).collect()
    };
    AmendedFields {
        title: after.title.as_ref().map(|_| state.title.clone()),
        slug: after.slug.as_ref().map(|_| state.slug.clone()),
        goal: after.goal.as_ref().map(|_| state.goal.clone()),
        domain: after.domain.as_ref().map(|_| state.domain.clone()),
        verify: after.verify.as_ref().map(|_| state.protocol.verify.clone()),
        max_rounds: after.max_rounds.and_then(|_| state.protocol.max_rounds()),
        linked: None,
        slots: after.slots.as_ref().map(|_| bare(&state.slots)),
    }
}

fn checked_rounds(state: &Loop, rounds: u32) -> Result<u32, Refusal> {
    match state.protocol.max_rounds() {
        None => Err(Refusal::new("invalid_max_rounds", "this loop has no round cap to raise")),
        Some(now) if rounds <= now => Err(Refusal::new(
            "invalid_max_rounds",
            format!("the round cap is {now} and can only be raised, not set to {rounds}"),
        )
        .detail("max_rounds", now)),
        Some(_) => Ok(rounds),
    }
}

fn changed_slots(draft: &mut Draft<'_>, change: &Amend) -> Result<Option<Vec<Slot>>, Refusal> {
    if change.add_slots.is_empty() && change.assign.is_empty() && change.remove_slots.is_empty() {
        return Ok(None);
    }
    let state = draft.state.clone();
    let mut slots: Vec<Slot> =
        state.slots.iter().map(|s| Slot { turns: Default::default(), ..s.clone() }).collect();
    for (text, agent) in &change.assign {
        let id = idle_slot(&state, text)?;
        if let Some(agent) = agent {
            check_agent(agent)?;
        }
        if let Some(slot) = slots.iter_mut().find(|s| s.slot_id == id) {
            slot.agent = agent.as_deref().map(Name::from);
            slot.claimed_by = None;
        }
    }
    for text in &change.remove_slots {
        let id = idle_slot(&state, text)?;
        slots.retain(|s| s.slot_id != id);
    }
    for new in &change.add_slots {
        let slot = new_slot(draft, &state.id, new)?;
        slots.push(slot);
    }
    if slots.is_empty() {
        return Err(Refusal::new("invalid_slot", "a loop keeps at least one slot"));
    }
    Ok(Some(slots))
}

/// A slot that may be changed: one without a live turn.
fn idle_slot(state: &Loop, text: &str) -> Result<SlotId, Refusal> {
    let slot = turns::find_slot(state, text)?;
    match slot.live_turn() {
        None => Ok(slot.slot_id.clone()),
        Some(turn) => Err(Refusal::new(
            "slot_busy",
            format!("{} ({}) has a turn that is not finished", slot.role, slot.slot_id),
        )
        .detail("turn_id", turn.turn_id.as_str())
        .step("complete it", steps::complete(state, slot.slot_id.as_str()))),
    }
}

pub(super) fn link(draft: &mut Draft<'_>, change: &LinkChange) -> Verdict {
    let nothing = change.plans.is_empty()
        && change.sequences.is_empty()
        && change.source.is_none()
        && change.session.is_none();
    if nothing {
        let why = "link: name a plan, a sequence, a source loop or a session";
        return Err(Refusal::new("usage", why));
    }
    needs_unclosed(&draft.state, "link")?;
    if change.source.as_ref() == Some(&draft.state.id) {
        return Err(Refusal::new("invalid_source", "a loop cannot follow itself"));
    }
    let mut linked = draft.state.linked.clone();
    if change.remove {
        linked.plan_ids.retain(|p| !change.plans.contains(p));
        linked.sequence_ids.retain(|s| !change.sequences.contains(s));
        if linked.source_loop_id == change.source {
            linked.source_loop_id = None;
        }
        if linked.session_id == change.session {
            linked.session_id = None;
        }
    } else {
        for (list, new) in
            [(&mut linked.plan_ids, &change.plans), (&mut linked.sequence_ids, &change.sequences)]
        {
            for id in new {
                if !list.contains(id) {
                    list.push(id.clone());
                }
            }
        }
        linked.source_loop_id = change.source.clone().or(linked.source_loop_id);
        linked.session_id = change.session.clone().or(linked.session_id);
    }
    if linked != draft.state.linked {
        draft.push(EventBody::Linked { linked });
    }
    Ok(())
}
