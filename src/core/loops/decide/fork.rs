//! fork: a new loop that begins as another was at some moment (engine.md §6).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::apply::{ledger_key, raise_caps};
use super::super::command::Ctx;
use super::super::event::{EventBody, Forked};
use super::super::ids::{ArtifactId, LoopId};
use super::super::index::Index;
use super::super::model::{
    Artifact, ForkOrigin, Ledger, Linked, Loop, SlotStatus, Status, Turn, Visit,
};
use super::super::refusal::Decision;

/// The copy of `source`, as it was at its present version, under a new id.
/// `bodies` are those of its artifacts that stand inline in its journal.
///
/// Live turns, questions and the session link are dropped, ids of artifacts
/// kept; a closed loop goes on, open, where it was last worked.
pub fn fork(
    id: &LoopId,
    source: &Loop,
    bodies: BTreeMap<ArtifactId, String>,
    ctx: &Ctx,
) -> Decision {
    let origin = ForkOrigin { loop_id: source.id.clone(), seq: source.version };
    let mut state = Loop {
        id: id.clone(),
        slug: format!("{}-{}", source.slug, &id.as_str()[LoopId::PREFIX.len()..][..4]),
        version: 1,
        created_at: ctx.now,
        updated_at: ctx.now,
        created_by: ctx.actor.clone(),
        forked_from: Some(origin.clone()),
        linked: Linked {
            source_loop_id: Some(source.id.clone()),
            session_id: None,
            ..source.linked.clone()
        },
        open_questions: Vec::new(),
        standing_refusal: None,
        found_shut: None,
        ledger: Ledger::default(),
        ..source.clone()
    };
    drop_live_turns(&mut state);
    state.artifacts = source.artifacts.iter().map(|a| copied(a, source, &origin)).collect();
    state.stop_floor = u64::from(source.stop_floor > 0);
    take_up(&mut state, source, ctx);
    state.index = Index::of(&state.artifacts);
    let forked = Forked { source: source.id.clone(), source_seq: source.version, state, bodies };
    Decision { events: vec![EventBody::Forked(Box::new(forked))], ..Decision::default() }
}

/// A copied artifact stands at event 1, or at 2 if it counts for a stop whose
/// earlier artifacts count no more.
fn copied(artifact: &Artifact, source: &Loop, origin: &ForkOrigin) -> Arc<Artifact> {
    let counts_for_stop =
        !source.status.is_closed() && source.stop_floor > 0 && artifact.seq > source.stop_floor;
    Arc::new(Artifact {
        seq: 1 + u64::from(counts_for_stop),
        origin: Some(
            artifact.origin.clone().unwrap_or_else(|| ForkOrigin {
                loop_id: origin.loop_id.clone(),
                seq: artifact.seq,
            }),
        ),
        ..artifact.clone()
    })
}

fn drop_live_turns(state: &mut Loop) {
    for slot in &mut state.slots {
        let ended: imbl::Vector<Turn> =
            slot.turns.iter().filter(|t| !t.state.is_live()).cloned().collect();
        if ended.len() != slot.turns.len() {
            slot.status = SlotStatus::Open;
            slot.claimed_by = None;
        }
        for turn in &ended {
            let key = ledger_key(&slot.slot_id, &turn.phase, turn.iteration);
            *state.ledger.turns_given.entry(key).or_insert(0) += 1;
        }
        slot.turns = ended;
    }
}

/// A closed loop goes on where it was last worked; what ended it ends it no more.
fn take_up(state: &mut Loop, source: &Loop, ctx: &Ctx) {
    if state.status == Status::Paused && source.holding_question().is_some() {
        state.status = Status::Open;
        state.pause_reason = None;
    }
    let Some(close) = state.close.take() else { return };
    state.status = Status::Open;
    state.closed_at = None;
    state.stop_floor = 1;
    if close.by_cap {
        raise_caps(state, |cap| cap.saturating_add(1));
    }
    state.current_phase = close.from_phase.clone();
    state.iteration_count = close.from_iteration;
    state.visits.push(Visit {
        phase: close.from_phase,
        iteration: close.from_iteration,
        at: ctx.now,
        short: false,
        forced: false,
    });
}
