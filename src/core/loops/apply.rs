//! The fold: events in, state out. Total; never fails on a journaled event.
//!
//! Nothing is judged here. An event that names something the loop lacks
//! (another program's journal) changes what it can and leaves the rest.

use std::sync::Arc;

use imbl::Vector;

use super::attempt;
use super::effects::{FoundShut, Rating, ReportedRun};
use super::event::{AdvanceReason, AmendedFields, Event, EventBody, Forked, Opened, Outcome};
use super::ids::{Name, SlotId, TurnId};
use super::index::Index;
use super::model::{
    Actor, Artifact, Close, Ledger, Loop, Retraction, Slot, SlotStatus, StandingRefusal, Status,
    Turn, TurnState, Visit,
};

/// The version of this fold; a snapshot made by another one is not used.
pub const FOLD_VERSION: u32 = 7;

/// The state after a loop's first event, if that event can begin one.
pub fn begin(event: &Event) -> Option<Loop> {
    let opened = match &event.body {
        EventBody::Opened(opened) => opened,
        EventBody::Forked(forked) => return Some(begun_as_copy(forked, event)),
        _ => return None,
    };
    let first = opened.protocol.phases.first()?.name.clone();
    let Opened { loop_id, slug, loop_kind, title, goal, domain, protocol, slots, linked } =
        (**opened).clone();
    Some(Loop {
        schema_version: 1,
        id: loop_id,
        slug,
        version: event.seq,
        kind: loop_kind,
        title,
        goal,
        domain,
        protocol: Arc::new(protocol),
        status: Status::Open,
        current_phase: first.clone(),
        iteration_count: 0,
        slots,
        artifacts: Vector::new(),
        linked,
        forked_from: None,
        open_questions: Vec::new(),
        answers: Default::default(),
        pause_reason: None,
        created_at: event.at,
        updated_at: event.at,
        closed_at: None,
        close: None,
        created_by: event.by.clone(),
        visits: vec![Visit {
            phase: first,
            iteration: 0,
            at: event.at,
            short: false,
            forced: false,
        }],
        stop_floor: 0,
        standing_refusal: None,
        found_shut: None,
        waived: Default::default(),
        ledger: Ledger::default(),
        index: Index::default(),
    })
}

fn begun_as_copy(forked: &Forked, event: &Event) -> Loop {
    let mut state = forked.state.clone();
    state.index = Index::of(&state.artifacts);
    state.version = event.seq;
    state.updated_at = event.at;
    state
}

/// Takes in what is never rewound, of an event that was undone.
pub fn apply_ledger(state: &mut Loop, event: &Event) {
    match &event.body {
        EventBody::TurnAssigned { slot_id, phase, iteration, .. } => {
            let key = ledger_key(slot_id, phase, *iteration);
            *state.ledger.turns_given.entry(key).or_insert(0) += 1;
        }
        EventBody::Archived {} => state.ledger.archived = true,
        EventBody::Unarchived {} => state.ledger.archived = false,
        EventBody::Promoted { artifact_id, item_id, .. } => {
            state.ledger.promoted.insert(artifact_id.clone(), item_id.clone());
        }
        EventBody::PauseTimeout { question_id, .. } => {
            state.ledger.timed_out.insert(question_id.clone());
        }
        EventBody::Rated { phase, reward } => {
            let rating = Rating { reward: *reward, seq: event.seq, at: event.at };
            state.ledger.effects.ratings.insert(phase.clone(), rating);
        }
        EventBody::EffectsDone(done) => state.ledger.effects.take_in(done),
        EventBody::ArtifactAdded(added) => {
            let session = added.artifact.report.as_ref().and_then(|report| report.session.clone());
            if let Some(session_id) = session {
                let artifact_id = added.artifact.artifact_id.clone();
                let run = ReportedRun { artifact_id, session_id };
                state.ledger.effects.reports.insert(event.seq, run);
            }
        }
        _ => attempt::fold(&mut state.ledger, event),
    }
}

/// Takes one more event into a loop's state. A revert changes no content here:
/// what it goes back to is the fold's business (`history`).
pub fn apply(state: &mut Loop, event: &Event) {
    state.version = event.seq;
    state.updated_at = state.updated_at.max(event.at);
    if !matches!(event.body, EventBody::PhaseAdvanceBlocked { .. }) {
        state.standing_refusal = None;
    }
    apply_ledger(state, event);
    match &event.body {
        EventBody::TurnAssigned { turn_id, slot_id, phase, iteration, n, input } => {
            let turn = Turn {
                turn_id: turn_id.clone(),
                phase: phase.clone(),
                iteration: *iteration,
                n: *n,
                state: TurnState::Assigned,
                by: event.by.clone(),
                started_at: event.at,
                ended_at: None,
                seq: event.seq,
                input: input.clone(),
                reason: None,
                empty: false,
                late: false,
            };
            assign(state, slot_id, turn);
        }
        EventBody::TurnCompleted { turn_id, slot_id, outcome, reason, empty, late } => {
            with_turn(state, slot_id, turn_id, |slot, position| {
                let turn = &mut slot.turns[position];
                turn.ended_at = Some(event.at);
                turn.reason.clone_from(reason);
                turn.empty = *empty;
                turn.late = *late;
                if !late {
                    turn.state = ended(*outcome);
                    slot.status = shown(*outcome);
                }
            });
            drop_questions_of(state, turn_id);
        }
        EventBody::TurnSuperseded { turn_id, slot_id, .. } => {
            with_turn(state, slot_id, turn_id, |slot, position| {
                let turn = &mut slot.turns[position];
                turn.state = TurnState::Superseded;
                turn.ended_at = Some(event.at);
                slot.status = SlotStatus::Open;
            });
            drop_questions_of(state, turn_id);
        }
        EventBody::ArtifactAdded(added) => {
            let mut artifact = Arc::clone(&added.artifact);
            if artifact.seq != event.seq {
                Arc::make_mut(&mut artifact).seq = event.seq;
            }
            state.index.add(state.artifacts.len(), &artifact);
            state.artifacts.push_back(artifact);
        }
        EventBody::ArtifactSuperseded { artifact_id, superseded_by } => {
            change_artifact(state, artifact_id.as_str(), |artifact| {
                artifact.superseded_by = Some(superseded_by.clone());
            });
        }
        EventBody::ArtifactRetracted { artifact_id, reason } => {
            change_artifact(state, artifact_id.as_str(), |artifact| {
                artifact.retracted = Some(Retraction { reason: reason.clone() });
            });
        }
        EventBody::ArtifactWaived { artifact_id, reason } => {
            state.waived.insert(artifact_id.clone(), reason.clone());
        }
        EventBody::PhaseAdvanced { to, iteration, reason, .. } => {
            if let Some(visit) = state.visits.last_mut() {
                visit.short = *reason == AdvanceReason::ShortRound;
                visit.forced |= *reason == AdvanceReason::Force;
            }
            enter(state, to.clone(), *iteration, event);
        }
        EventBody::PhaseAdvanceBlocked { phase, code, gate_reason } => {
            if &**code == "gate_unmet" {
                state.found_shut = Some(FoundShut {
                    phase: phase.clone(),
                    iteration: state.iteration_count,
                    artifacts: state.artifacts.len(),
                });
            }
            state.standing_refusal = Some(StandingRefusal {
                code: code.to_string(),
                phase: phase.clone(),
                gate_reason: gate_reason.clone(),
            });
        }
        EventBody::GateSkipped { .. } => {
            if let Some(visit) = state.visits.last_mut() {
                visit.forced = true;
            }
        }
        EventBody::MaxIterationsReached { .. } => {}
        EventBody::Paused { reason } => {
            state.status = Status::Paused;
            state.pause_reason.clone_from(reason);
        }
        EventBody::Resumed {} => {
            state.status = Status::Open;
            state.pause_reason = None;
        }
        EventBody::InputRequested { question } => {
            state.open_questions.push((**question).clone());
        }
        EventBody::InputProvided { question_id, answer_id, .. } => {
            state.open_questions.retain(|q| q.question_id != *question_id);
            state.answers.insert(question_id.clone(), answer_id.clone());
        }
        EventBody::SlotStatusChanged { slot_id, turn_id, status } => {
            with_turn(state, slot_id, turn_id, |slot, position| {
                slot.turns[position].state = *status;
                slot.status = at_work(*status);
            });
            attempt::settle(state);
        }
        EventBody::Closed { status, reason, stop_unmet, by_cap, from_phase, from_iteration } => {
            state.status = *status;
            state.pause_reason = None;
            state.open_questions.clear();
            state.closed_at = Some(event.at);
            state.close = Some(Close {
                status: *status,
                reason: reason.clone(),
                stop_unmet: *stop_unmet,
                by_cap: *by_cap,
                seq: event.seq,
                from_phase: from_phase.clone(),
                from_iteration: *from_iteration,
            });
        }
        EventBody::Reopened { rounds, phase, iteration, .. } => {
            state.status = Status::Open;
            state.close = None;
            state.closed_at = None;
            state.stop_floor = event.seq;
            raise_caps(state, |cap| cap.saturating_add(*rounds));
            enter(state, phase.clone(), *iteration, event);
        }
        EventBody::Amended { after, .. } => amend(state, after),
        EventBody::Linked { linked } => state.linked = linked.clone(),
        EventBody::Bound { plan_ids, sequence_ids, slots } => {
            add_new(&mut state.linked.plan_ids, plan_ids);
            add_new(&mut state.linked.sequence_ids, sequence_ids);
            replace_slots(state, slots);
        }
        EventBody::TurnReserved(reserved) => {
            let agent = Actor::Agent(reserved.agent.clone());
            with_turn(state, &reserved.slot_id, &reserved.turn_id, |slot, position| {
                slot.turns[position].by = agent.clone();
                if slot.agent.is_none() {
                    slot.claimed_by = Some(agent);
                }
            });
        }
        EventBody::Spawned(_) | EventBody::GenerationSuperseded(_) => attempt::settle(state),
        EventBody::TurnCommitted(_)
        | EventBody::TurnAborted(_)
        | EventBody::LaunchArmed(_)
        | EventBody::LaunchCrossed(_)
        | EventBody::LaunchRevoked(_)
        | EventBody::SpawnFailed(_)
        | EventBody::EvidenceAccepted(_)
        | EventBody::EvidenceRejected(_)
        | EventBody::TurnContradiction(_)
        | EventBody::Opened(_)
        | EventBody::Forked(_)
        | EventBody::Reverted { .. }
        | EventBody::Archived {}
        | EventBody::Unarchived {}
        | EventBody::Promoted { .. }
        | EventBody::Rated { .. }
        | EventBody::EffectsDone(_)
        | EventBody::EditsAccepted { .. }
        | EventBody::PauseTimeout { .. }
        | EventBody::Unknown { .. } => {}
    }
}

fn assign(state: &mut Loop, slot_id: &SlotId, turn: Turn) {
    if let Some(slot) = state.slots.iter_mut().find(|s| &s.slot_id == slot_id) {
        slot.status = SlotStatus::Assigned;
        if slot.agent.is_none() {
            slot.claimed_by = Some(turn.by.clone());
        }
        slot.turns.push_back(turn);
    }
}

/// A question ends with the turn that waits for it.
fn drop_questions_of(state: &mut Loop, turn_id: &TurnId) {
    state.open_questions.retain(|q| q.turn_id.as_ref() != Some(turn_id));
}

/// The status of a slot whose newest turn stands so.
fn at_work(turn: TurnState) -> SlotStatus {
    match turn {
        TurnState::Assigned => SlotStatus::Assigned,
        TurnState::Working => SlotStatus::Working,
        TurnState::WaitingInput => SlotStatus::WaitingInput,
        TurnState::Done => SlotStatus::Done,
        TurnState::Failed => SlotStatus::Failed,
        TurnState::Cancelled => SlotStatus::Cancelled,
        TurnState::Superseded => SlotStatus::Open,
    }
}

/// The key of a slot's turn count in the ledger.
pub fn ledger_key(slot_id: &SlotId, phase: &str, iteration: u32) -> String {
    format!("{slot_id}/{phase}/{iteration}")
}

fn with_turn(
    state: &mut Loop,
    slot_id: &SlotId,
    turn_id: &TurnId,
    change: impl FnOnce(&mut Slot, usize),
) {
    let Some(slot) = state.slots.iter_mut().find(|s| &s.slot_id == slot_id) else { return };
    let from_end = slot.turns.iter().rev().position(|t| &t.turn_id == turn_id);
    if let Some(from_end) = from_end {
        let position = slot.turns.len() - 1 - from_end;
        change(slot, position);
    }
}

fn ended(outcome: Outcome) -> TurnState {
    match outcome {
        Outcome::Done => TurnState::Done,
        Outcome::Failed => TurnState::Failed,
        Outcome::Cancelled => TurnState::Cancelled,
    }
}

fn shown(outcome: Outcome) -> SlotStatus {
    match outcome {
        Outcome::Done => SlotStatus::Done,
        Outcome::Failed => SlotStatus::Failed,
        Outcome::Cancelled => SlotStatus::Cancelled,
    }
}

fn change_artifact(state: &mut Loop, id: &str, change: impl FnOnce(&mut Artifact)) {
    let Some(position) = state.index.position(id) else { return };
    let Some(before) = state.artifacts.get(position).cloned() else { return };
    let mut after = (*before).clone();
    change(&mut after);
    state.index.recount(&before, &after);
    state.artifacts.set(position, Arc::new(after));
}

/// Entering a phase opens every slot anew (engine.md §5.7).
fn enter(state: &mut Loop, phase: Name, iteration: u32, event: &Event) {
    state.current_phase = phase.clone();
    state.iteration_count = iteration;
    state.open_questions.clear();
    state.visits.push(Visit { phase, iteration, at: event.at, short: false, forced: false });
    for slot in &mut state.slots {
        slot.status = SlotStatus::Open;
        slot.claimed_by = None;
    }
}

/// Changes the cap of the cycle and of every `max_iterations` atom of the stop.
pub(super) fn raise_caps(state: &mut Loop, change: impl Fn(u32) -> u32) {
    let protocol = Arc::make_mut(&mut state.protocol);
    if let Some(iteration) = &mut protocol.iteration {
        iteration.max_iterations = change(iteration.max_iterations);
    }
    if let Some(stop) = &mut protocol.stop_condition {
        stop.map_caps(&change);
    }
}

fn amend(state: &mut Loop, after: &AmendedFields) {
    if let Some(title) = &after.title {
        state.title.clone_from(title);
    }
    if let Some(slug) = &after.slug {
        state.slug.clone_from(slug);
    }
    if let Some(goal) = &after.goal {
        state.goal.clone_from(goal);
    }
    if let Some(domain) = &after.domain {
        state.domain.clone_from(domain);
    }
    if let Some(verify) = &after.verify {
        Arc::make_mut(&mut state.protocol).verify.clone_from(verify);
    }
    if let Some(rounds) = after.max_rounds {
        raise_caps(state, |cap| cap.max(rounds));
    }
    if let Some(linked) = &after.linked {
        state.linked = linked.clone();
    }
    if let Some(slots) = &after.slots {
        replace_slots(state, slots);
    }
}

/// Puts a list of slots in place of the present one; turns stay.
fn replace_slots(state: &mut Loop, slots: &[Slot]) {
    let former = std::mem::take(&mut state.slots);
    state.slots = slots
        .iter()
        .map(|slot| match former.iter().find(|s| s.slot_id == slot.slot_id) {
            Some(old) => Slot { turns: old.turns.clone(), ..slot.clone() },
            None => slot.clone(),
        })
        .collect();
}

fn add_new(list: &mut Vec<String>, new: &[String]) {
    for id in new {
        if !list.contains(id) {
            list.push(id.clone());
        }
    }
}

/// Whether an actor may work in a slot: the operator in all, an agent in its
/// own and in those that nobody else holds (engine.md §1, "Slot").
pub fn may_work_in(slot: &Slot, actor: &Actor) -> bool {
    match (actor, &slot.agent) {
        (Actor::Operator | Actor::Engine, _) => true,
        (Actor::Agent(me), Some(owner)) => me == owner,
        (_, None) => slot.claimed_by.as_ref().is_none_or(|claimer| claimer == actor),
        (Actor::Other(_), Some(_)) => false,
    }
}
