//! turn and complete_turn (engine.md §6).

use super::super::apply::{ledger_key, may_work_in};
use super::super::attempt::{Due, Proof};
use super::super::command::{NewArtifact, SlotSelector};
use super::super::event::{EventBody, Outcome};
use super::super::ids::TurnId;
use super::super::model::{Actor, Artifact, Loop, Slot, Turn, TurnState};
use super::super::protocol::ExitWhen;
use super::super::question::{ANSWER, QUESTION};
use super::super::refusal::Refusal;
use super::super::{steps, waiting};
use super::artifacts;
use super::filing::Place;
use super::{Draft, Verdict, attempts, needed_reason, needs_open};

pub(super) fn turn(draft: &mut Draft<'_>, wanted: &SlotSelector, input: Option<&str>) -> Verdict {
    // "Not allowed" comes before the status, the status before look-ups; who
    // owns a slot can only be told once it is found, so the status is asked
    // here and a foreign slot of an open loop below.
    if let SlotSelector::Slot(text) = wanted
        && let Ok(slot) = find_slot(&draft.state, text)
    {
        owned(slot, draft)?;
    }
    needs_open(&draft.state, "turn")?;
    let slot = match wanted {
        SlotSelector::Slot(text) => free(draft, find_slot(&draft.state, text)?)?,
        SlotSelector::Role(role) => by_role(draft, role)?,
    };
    let (slot_id, state) = (slot.slot_id.clone(), &draft.state);
    let (phase, iteration) = (state.current_phase.clone(), state.iteration_count);
    let key = ledger_key(&slot_id, &phase, iteration);
    let n = state.ledger.turns_given.get(&key).copied().unwrap_or(0);
    let turn_id = TurnId::of(&state.id, &slot_id, &phase, iteration, n);
    let input = input.filter(|i| crate::core::text::has_visible(i)).map(str::to_owned);
    draft.made.turn_id = Some(turn_id.clone());
    draft.made.slot_id = Some(slot_id.clone());
    draft.push(EventBody::TurnAssigned { turn_id, slot_id, phase, iteration, n, input });
    Ok(())
}

/// The slot that a text names: its id, a unique beginning of it, or a role
/// that only one slot has.
///
/// # Errors
/// `slot_not_found`, `ambiguous_id`.
pub fn find_slot<'a>(state: &'a Loop, text: &str) -> Result<&'a Slot, Refusal> {
    let digits = text.strip_prefix("slt_").unwrap_or(text);
    let by_id = |s: &&Slot| {
        s.slot_id.as_str() == text
            || (digits.len() >= 4 && s.slot_id.as_str()[4..].starts_with(digits))
    };
    let mut found: Vec<&Slot> = state.slots.iter().filter(by_id).collect();
    if found.is_empty() {
        found = state.slots.iter().filter(|s| &*s.role == text).collect();
    }
    match found.as_slice() {
        [slot] => Ok(slot),
        [] => Err(Refusal::new(
            "slot_not_found",
            format!("this loop has no slot {text:?}; its slots are {}", slot_list(state)),
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|s| s.slot_id.as_str()).collect();
            let told: Vec<String> = several.iter().map(|s| with_agent(s)).collect();
            Err(Refusal::new(
                "ambiguous_id",
                format!(
                    "{text:?} names {} slots: {}; name one by its id",
                    several.len(),
                    told.join(", ")
                ),
            )
            .detail("candidates", names))
        }
    }
}

/// A slot's id and who has it.
fn with_agent(slot: &Slot) -> String {
    match &slot.agent {
        Some(agent) => format!("{} (agent:{agent})", slot.slot_id),
        None => format!("{} (no agent)", slot.slot_id),
    }
}

fn slot_list(state: &Loop) -> String {
    let names: Vec<String> =
        state.slots.iter().map(|s| format!("{} ({})", s.role, s.slot_id)).collect();
    names.join(", ")
}

/// Refuses an actor a slot that it may not work in.
pub(super) fn owned(slot: &Slot, draft: &Draft<'_>) -> Verdict {
    if may_work_in(slot, &draft.ctx.actor) {
        return Ok(());
    }
    let owner = match (&slot.agent, &slot.claimed_by) {
        (Some(agent), _) => format!("agent:{agent}"),
        (None, Some(claimer)) => claimer.to_string(),
        (None, None) => "nobody".to_owned(),
    };
    Err(Refusal::new(
        "not_slot_owner",
        format!("the slot {} ({}) belongs to {owner}", slot.role, slot.slot_id),
    )
    .detail("owner", owner))
}

fn free<'a>(draft: &Draft<'_>, slot: &'a Slot) -> Result<&'a Slot, Refusal> {
    match slot.live_turn() {
        None => Ok(slot),
        Some(turn) => Err(slot_busy(draft, slot, turn)),
    }
}

/// Why a slot takes no other turn, and what ends the one that it has.
pub(super) fn slot_busy(draft: &Draft<'_>, slot: &Slot, turn: &Turn) -> Refusal {
    let (state, now) = (&draft.state, draft.ctx.now);
    let attempt = state.attempt(&turn.turn_id);
    let by = match attempt {
        Some(attempt) => format!("a worker of {}", attempt.agent),
        None => turn.by.to_string(),
    };
    let silent = attempt.and_then(|a| a.out(state)).filter(|g| g.process.is_none());
    let silent = silent.map_or_else(String::new, |generation| match generation.lease_until {
        until if now > until => {
            "; nothing was heard of its start, and nobody knows whether it works".to_owned()
        }
        until => format!("; nothing was heard of its start, which may still come until {until}"),
    });
    let refusal = Refusal::new(
        "slot_busy",
        format!(
            "{} ({}) has a turn that is not finished, taken by {by}{silent}",
            slot.role, slot.slot_id
        ),
    )
    .detail("slot_id", slot.slot_id.as_str())
    .detail("turn_id", turn.turn_id.as_str());
    let mut refusal = refusal;
    refusal.next_steps = waiting::turn_steps(state, slot, now);
    match attempt.and_then(|a| a.due(state)) {
        Some(Due::Result) if refusal.next_steps.len() == 1 => refusal
            .step("or put another worker in its place", steps::take_over(state, &slot.slot_id)),
        _ => refusal,
    }
}

fn by_role<'a>(draft: &'a Draft<'_>, role: &str) -> Result<&'a Slot, Refusal> {
    let (state, actor) = (&draft.state, &draft.ctx.actor);
    let named = state.slots.iter().any(|s| &*s.role == role);
    let asked_here = state.phase().is_some_and(|p| p.role.as_deref() == Some(role));
    if !named && !asked_here {
        return Err(Refusal::new(
            "no_such_role",
            format!("no slot plays {role:?}; the slots are {}", slot_list(state)),
        )
        .detail("roles", state.slots.iter().map(|s| s.role.to_string()).collect::<Vec<_>>()));
    }
    let candidates = state.slots_playing(Some(role));
    let mine: Vec<&Slot> = candidates.iter().copied().filter(|s| may_work_in(s, actor)).collect();
    // An agent's own slots come before unclaimed ones.
    let own_first = |s: &&&Slot| s.agent.is_none() && actor.agent().is_some();
    let mut order: Vec<&&Slot> = mine.iter().collect();
    order.sort_by_key(own_first);
    if let Some(slot) = order.into_iter().find(|s| s.live_turn().is_none()) {
        return Ok(slot);
    }
    match (mine.first(), candidates.first()) {
        (Some(slot), _) => match slot.live_turn() {
            Some(turn) => Err(slot_busy(draft, slot, turn)),
            None => Ok(slot),
        },
        (None, _) => Err(Refusal::new(
            "not_slot_owner",
            format!("every slot of role {role:?} belongs to another agent"),
        )),
    }
}

/// The arguments of complete_turn.
pub(super) struct EndTurn<'a> {
    pub slot: &'a str,
    pub turn: Option<&'a str>,
    pub outcome: Outcome,
    pub reason: Option<&'a str>,
    pub artifacts: &'a [NewArtifact],
    pub proof: Option<&'a Proof>,
}

pub(super) fn complete(draft: &mut Draft<'_>, end: &EndTurn<'_>) -> Verdict {
    let slot = find_slot(&draft.state, end.slot)?;
    let turn = choose_turn(&draft.state, slot, end)?.clone();
    let (slot_id, agent) = (slot.slot_id.clone(), slot.agent.clone());
    may_complete(draft, &turn, agent.as_deref())?;
    attempts::fence(draft, &turn.turn_id, end.turn, end.proof)?;
    let late = turn.state == TurnState::Superseded || draft.state.status.is_closed();
    if end.outcome == Outcome::Failed {
        needed_reason(end.reason, "a failed turn")?;
    }
    if turn.state == TurnState::Failed && !end.artifacts.is_empty() {
        return Err(Refusal::new(
            "invalid_outcome",
            "calling a failed turn off takes no artifacts: add them on their own",
        ));
    }
    let place = Place {
        phase: turn.phase.clone(),
        iteration: turn.iteration,
        slot_id: Some(slot_id.clone()),
        turn_id: Some(turn.turn_id.clone()),
        late,
    };
    for new in end.artifacts {
        let id = artifacts::file(draft, new, &place)?;
        draft.made.artifact_ids.push(id);
    }
    let empty = end.outcome == Outcome::Done && !filed_something(draft, &turn);
    if empty && !late && !says_nothing_new(&draft.state) {
        draft.warn(format!("the turn of {} ended with nothing filed", end.slot));
    }
    draft.made.turn_id = Some(turn.turn_id.clone());
    draft.made.slot_id = Some(slot_id.clone());
    draft.push(EventBody::TurnCompleted {
        turn_id: turn.turn_id,
        slot_id,
        outcome: end.outcome,
        reason: end.reason.filter(|r| crate::core::text::has_visible(r)).map(str::to_owned),
        empty,
        late,
    });
    Ok(())
}

/// Which of a slot's turns is ended: the one named, else the live one, else
/// (for `cancelled`) the failed one of this phase and round, else the one
/// superseded turn that still has no result.
fn choose_turn<'a>(state: &Loop, slot: &'a Slot, end: &EndTurn<'_>) -> Result<&'a Turn, Refusal> {
    let open_result = |t: &&Turn| t.state == TurnState::Superseded && !t.late;
    let failed_here = |t: &&Turn| {
        t.state == TurnState::Failed
            && t.phase == state.current_phase
            && t.iteration == state.iteration_count
    };
    if let Some(text) = end.turn {
        let named = slot.turns.iter().rev().find(|t| t.turn_id.as_str().starts_with(text));
        let fits = |t: &&Turn| {
            t.state.is_live()
                || open_result(t)
                || (end.outcome == Outcome::Cancelled && failed_here(t))
        };
        return named.filter(fits).ok_or_else(|| no_turn(state, slot, named));
    }
    if let Some(turn) = slot.live_turn() {
        return Ok(turn);
    }
    if end.outcome == Outcome::Cancelled && !state.status.is_closed() {
        let newest = slot.newest_turn(&state.current_phase, state.iteration_count);
        if let Some(turn) = newest.filter(failed_here) {
            return Ok(turn);
        }
    }
    let superseded: Vec<&Turn> = slot.turns.iter().filter(open_result).collect();
    match superseded.as_slice() {
        [turn] => Ok(turn),
        [] => Err(no_turn(state, slot, None)),
        several => {
            let ids: Vec<&str> = several.iter().map(|t| t.turn_id.as_str()).collect();
            Err(Refusal::new(
                "turn_ambiguous",
                format!("several overtaken turns still lack a result: {}", ids.join(", ")),
            )
            .detail("turns", ids))
        }
    }
}

fn no_turn(state: &Loop, slot: &Slot, named: Option<&Turn>) -> Refusal {
    let what = match named {
        Some(turn) => format!("turn {} has ended ({})", turn.turn_id, turn.state),
        None => format!("{} ({}) has no turn to complete", slot.role, slot.slot_id),
    };
    let refusal = Refusal::new("no_turn", what).detail("slot_id", slot.slot_id.as_str());
    if state.status.is_closed() {
        // A closed loop gives no turns: the step would be refused as well.
        return refusal.step("take the loop up again", steps::reopen(state));
    }
    refusal.step(
        "give it its turn",
        steps::on_loop(state, "turn", &format!("--slot {}", slot.slot_id)),
    )
}

/// Only the slot's agent, whoever took the turn, and the operator.
fn may_complete(draft: &Draft<'_>, turn: &Turn, agent: Option<&str>) -> Verdict {
    let actor = &draft.ctx.actor;
    let owner = actor.agent().is_some_and(|name| agent == Some(name));
    if matches!(actor, Actor::Operator | Actor::Engine) || owner || turn.by == *actor {
        return Ok(());
    }
    Err(Refusal::new(
        "not_slot_owner",
        format!("the turn was taken by {}: {actor} cannot complete it", turn.by),
    ))
}

/// Whether anything was filed in a turn, or by its actor since it began.
fn filed_something(draft: &Draft<'_>, turn: &Turn) -> bool {
    let (taker, completer) = (&turn.by, &draft.ctx.actor);
    let asks = |a: &Artifact| matches!(&*a.artifact_type, QUESTION | ANSWER);
    draft.state.artifacts.iter().rev().take_while(|a| a.seq > turn.seq).any(|a| {
        if asks(a) {
            return false;
        }
        a.turn_id.as_ref() == Some(&turn.turn_id)
            || a.produced_by == *taker
            || a.produced_by == *completer
    })
}

/// Whether an empty turn is a statement here: "nothing new".
fn says_nothing_new(state: &Loop) -> bool {
    state.protocol.iteration.as_ref().is_some_and(|i| {
        i.exit_when == Some(ExitWhen::NoNewCritiqueArtifacts)
            && i.cycle.first() == Some(&state.current_phase)
    })
}
