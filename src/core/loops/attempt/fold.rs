//! The fold of attempts: over every event, undone ones too. Total, like all of
//! the fold: an event that doesn't fit (another program's) changes nothing.

use std::sync::Arc;

use super::super::event::{Event, EventBody};
use super::super::ids::TurnId;
use super::super::model::Ledger;
use super::{Attempt, Commitment, Generation, Launch};

/// Takes in what an event says about attempts.
pub(in super::super) fn fold(ledger: &mut Ledger, event: &Event) {
    match &event.body {
        EventBody::TurnReserved(reserved) => {
            let attempt = Attempt {
                turn_id: reserved.turn_id.clone(),
                slot_id: reserved.slot_id.clone(),
                phase: reserved.phase.clone(),
                iteration: reserved.iteration,
                agent: reserved.agent.clone(),
                writes: reserved.writes,
                reserved_at: event.at,
                seq: event.seq,
                commitment: Commitment::Prepared,
                generations: imbl::Vector::new(),
                rejected: imbl::Vector::new(),
            };
            ledger.attempts.entry(reserved.turn_id.clone()).or_insert_with(|| Arc::new(attempt));
        }
        EventBody::TurnCommitted(one) => decide_once(ledger, &one.turn_id, Commitment::Committed),
        EventBody::TurnAborted(one) => decide_once(ledger, &one.turn_id, Commitment::Aborted),
        EventBody::LaunchArmed(armed) => with(ledger, &armed.turn_id, |attempt| {
            if armed.epoch as usize == attempt.generations.len() {
                attempt.generations.push_back(Generation {
                    epoch: armed.epoch,
                    assignment_id: armed.assignment_id.clone(),
                    run_id: armed.run_id.clone(),
                    nonce_sha256: armed.nonce_sha256.clone(),
                    launch: Launch::Armed,
                    lease_until: armed.lease_until,
                    launcher: armed.launcher.clone(),
                    armed_at: event.at,
                    crossed_at: None,
                    worktree: armed.worktree.clone(),
                    process: None,
                    spawn_error: None,
                    accepted: None,
                    accepted_seq: None,
                    contradiction: None,
                    turned_away: None,
                    superseded: None,
                });
            }
        }),
        EventBody::LaunchCrossed(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            if generation.launch == Launch::Armed {
                generation.launch = Launch::Crossed;
                generation.crossed_at = Some(event.at);
            }
        }),
        EventBody::LaunchRevoked(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            if generation.launch == Launch::Armed {
                generation.launch = Launch::Revoked;
            }
        }),
        EventBody::Spawned(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            generation.process = Some(one.process.clone());
        }),
        EventBody::SpawnFailed(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            generation.spawn_error = Some(one.error.clone());
        }),
        EventBody::EvidenceAccepted(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            generation.accepted = Some(one.sha256.clone());
            generation.turned_away = None;
            generation.accepted_seq = Some(event.seq);
        }),
        EventBody::EvidenceRejected(one) => with(ledger, &one.turn_id, |attempt| {
            attempt.rejected.push_back(one.sha256.clone());
            let found_in = one.epoch.and_then(|epoch| attempt.generations.get_mut(epoch as usize));
            if let Some(generation) = found_in {
                generation.turned_away = Some(one.reason.clone());
            }
        }),
        EventBody::TurnContradiction(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            generation.contradiction = Some(one.failure.clone());
        }),
        EventBody::GenerationSuperseded(one) => on(ledger, &one.turn_id, one.epoch, |generation| {
            generation.superseded = Some(one.cause.clone());
        }),
        _ => {}
    }
}

fn decide_once(ledger: &mut Ledger, turn: &TurnId, decision: Commitment) {
    with(ledger, turn, |attempt| {
        if attempt.commitment == Commitment::Prepared {
            attempt.commitment = decision;
        }
    });
}

fn with(ledger: &mut Ledger, turn: &TurnId, change: impl FnOnce(&mut Attempt)) {
    if let Some(attempt) = ledger.attempts.get_mut(turn) {
        change(Arc::make_mut(attempt));
    }
}

fn on(ledger: &mut Ledger, turn: &TurnId, epoch: u32, change: impl FnOnce(&mut Generation)) {
    with(ledger, turn, |attempt| {
        if let Some(generation) = attempt.generations.get_mut(epoch as usize) {
            change(generation);
        }
    });
}
