//! From reserving a turn to its worker: reserve, commit, arm, cross, spawned.

use super::super::super::apply::ledger_key;
use super::super::super::attempt::{
    Attempt, Commitment, Due, Generation, Launch, LaunchArmed, LaunchCrossed, LaunchRevoked,
    Process, SpawnFailed, Spawned, TurnAborted, TurnCommitted, TurnReserved, Worktree,
};
use super::super::super::event::{EventBody, Outcome};
use super::super::super::ids::{AssignmentId, Name, RunId, SlotId, TurnId};
use super::super::super::model::{Loop, Slot, TurnState};
use super::super::super::protocol::{ReviewMode, Work};
use super::super::super::refusal::Refusal;
use super::super::super::steps;
use super::super::turns::{find_slot, slot_busy};
use super::super::{Draft, Verdict, needs_open, needs_unclosed};
use super::{NEVER_LAUNCHED, attempt_of, generation_of, live_turn_of, may_direct};
use crate::core::text::sha256_hex;

/// What a worker in the present phase may do to files; a refusal where none may
/// be started (attempts.md, "Workers").
///
/// # Errors
/// `not_dispatchable`.
pub fn may_be_dispatched(state: &Loop) -> Result<Work, Refusal> {
    let work = state.phase().map_or(Work::Read, |phase| phase.work);
    let who = match work {
        Work::Read | Work::Write => {
            let fixes = &*state.current_phase == "findings"
                && state.protocol.review_mode == Some(ReviewMode::Symmetric);
            return Ok(if fixes { Work::Write } else { work });
        }
        Work::Person => "a person's",
        Work::Engine => "the engine's",
    };
    Err(Refusal::new(
        "not_dispatchable",
        format!("the work of {} is {who}: no worker is started for it", state.current_phase),
    )
    .detail("phase", &*state.current_phase))
}

/// What both ways of giving a turn to an agent begin with: may it be, and to
/// which slot.
fn slot_for<'a>(draft: &'a Draft<'_>, text: &str, verb: &str) -> Result<&'a Slot, Refusal> {
    if let Ok(slot) = find_slot(&draft.state, text) {
        may_direct(draft, slot)?;
    }
    needs_open(&draft.state, verb)?;
    find_slot(&draft.state, text)
}

fn busy(draft: &Draft<'_>, slot: &Slot) -> Verdict {
    match slot.live_turn() {
        None => Ok(()),
        Some(turn) => Err(slot_busy(draft, slot, turn)),
    }
}

/// Assigns the slot's next turn: its id, phase and iteration.
fn assign(draft: &mut Draft<'_>, slot_id: &SlotId) -> (TurnId, Name, u32) {
    let state = &draft.state;
    let (phase, iteration) = (state.current_phase.clone(), state.iteration_count);
    let key = ledger_key(slot_id, &phase, iteration);
    let n = state.ledger.turns_given.get(&key).copied().unwrap_or(0);
    let turn_id = TurnId::of(&state.id, slot_id, &phase, iteration, n);
    draft.made.turn_id = Some(turn_id.clone());
    draft.made.slot_id = Some(slot_id.clone());
    draft.push(EventBody::TurnAssigned {
        turn_id: turn_id.clone(),
        slot_id: slot_id.clone(),
        phase: phase.clone(),
        iteration,
        n,
        input: None,
    });
    (turn_id, phase, iteration)
}

pub(super) fn hand_over(draft: &mut Draft<'_>, text: &str) -> Verdict {
    let slot = slot_for(draft, text, "turn")?;
    busy(draft, slot)?;
    let slot_id = slot.slot_id.clone();
    let (turn_id, _, _) = assign(draft, &slot_id);
    draft.push(EventBody::SlotStatusChanged { slot_id, turn_id, status: TurnState::Working });
    Ok(())
}

pub(super) fn reserve(draft: &mut Draft<'_>, text: &str, agent: Option<&str>) -> Verdict {
    let slot = slot_for(draft, text, "dispatch")?;
    let work = may_be_dispatched(&draft.state)?;
    if let Some(attempt) =
        draft.state.live_attempt(slot).filter(|a| a.due(&draft.state) == Some(Due::Launch))
    {
        let (turn_id, slot_id) = (attempt.turn_id.clone(), slot.slot_id.clone());
        draft.made.turn_id = Some(turn_id);
        draft.made.slot_id = Some(slot_id);
        return Ok(());
    }
    busy(draft, slot)?;
    let agent = agent_for(slot, agent)?;
    let (slot_id, writes) = (slot.slot_id.clone(), work == Work::Write && !slot.read_only);
    let (turn_id, phase, iteration) = assign(draft, &slot_id);
    draft.push(EventBody::TurnReserved(TurnReserved {
        turn_id,
        slot_id,
        agent,
        phase,
        iteration,
        writes,
    }));
    Ok(())
}

fn agent_for(slot: &Slot, named: Option<&str>) -> Result<Name, Refusal> {
    match (&slot.agent, named) {
        (Some(own), Some(named)) if **own != *named => Err(Refusal::new(
            "not_slot_owner",
            format!("the slot {} ({}) belongs to agent:{own}", slot.role, slot.slot_id),
        )
        .detail("owner", &**own)),
        (Some(own), _) => Ok(own.clone()),
        (None, Some(named)) => Ok(named.into()),
        (None, None) => Err(Refusal::new(
            "agent_not_found",
            format!("the slot {} ({}) has no agent: name one", slot.role, slot.slot_id),
        )
        .detail("field", "agent")),
    }
}

pub(super) fn commit(draft: &mut Draft<'_>, turn: &TurnId) -> Verdict {
    let attempt = attempt_of(&draft.state, turn)?;
    live_turn_of(&draft.state, attempt)?;
    match attempt.commitment {
        Commitment::Committed => Ok(()),
        Commitment::Prepared => {
            draft.push(EventBody::TurnCommitted(TurnCommitted { turn_id: turn.clone() }));
            Ok(())
        }
        Commitment::Aborted => {
            Err(Refusal::new("no_turn", format!("turn {turn} was given up before it began")))
        }
    }
}

pub(super) fn abort(draft: &mut Draft<'_>, turn: &TurnId, reason: &str) -> Verdict {
    let attempt = attempt_of(&draft.state, turn)?;
    match attempt.commitment {
        Commitment::Aborted => Ok(()),
        Commitment::Committed => Err(Refusal::new(
            "slot_busy",
            format!("turn {turn} is decided to be launched: it cannot be given up any more"),
        )),
        Commitment::Prepared => {
            let slot_id = attempt.slot_id.clone();
            let live = attempt.turn(&draft.state).is_some_and(|t| t.state.is_live());
            draft.push(EventBody::TurnAborted(TurnAborted {
                turn_id: turn.clone(),
                reason: reason.to_owned(),
            }));
            if live {
                end(draft, turn, &slot_id, Outcome::Cancelled, reason);
            }
            Ok(())
        }
    }
}

/// Ends a turn that brought nothing.
pub(super) fn end(
    draft: &mut Draft<'_>,
    turn: &TurnId,
    slot_id: &SlotId,
    outcome: Outcome,
    reason: &str,
) {
    draft.push(EventBody::TurnCompleted {
        turn_id: turn.clone(),
        slot_id: slot_id.clone(),
        outcome,
        reason: Some(reason.to_owned()),
        empty: false,
        late: false,
    });
}

pub(super) fn arm(
    draft: &mut Draft<'_>,
    turn: &TurnId,
    nonce_sha256: &str,
    lease_ms: u64,
    worktree: Option<&Worktree>,
    launcher: Option<&Process>,
) -> Verdict {
    needs_unclosed(&draft.state, "dispatch")?;
    let attempt = attempt_of(&draft.state, turn)?;
    live_turn_of(&draft.state, attempt)?;
    if attempt.commitment != Commitment::Committed {
        return Err(Refusal::new("no_turn", format!("turn {turn} is not to be launched")));
    }
    if attempt.generations.iter().any(|g| g.nonce_sha256 == nonce_sha256) {
        return Err(Refusal::new("stale_evidence", "this nonce was spent: draw another"));
    }
    let (slot_id, epoch) = (attempt.slot_id.clone(), attempt.generations.len() as u32);
    if let Some(last) = attempt.generation().filter(|g| !g.is_spent()) {
        let lapsed = last.is_armed() && last.lease_until < draft.ctx.now;
        if !lapsed {
            return Err(launching(&draft.state, attempt, last));
        }
        let revoked = LaunchRevoked {
            turn_id: turn.clone(),
            epoch: last.epoch,
            reason: NEVER_LAUNCHED.to_owned(),
        };
        draft.push(EventBody::LaunchRevoked(revoked));
    }
    draft.made.turn_id = Some(turn.clone());
    draft.made.slot_id = Some(slot_id.clone());
    draft.push(EventBody::LaunchArmed(LaunchArmed {
        turn_id: turn.clone(),
        slot_id,
        epoch,
        assignment_id: AssignmentId::of(turn, epoch),
        run_id: RunId::of(turn, epoch),
        nonce_sha256: nonce_sha256.to_owned(),
        lease_until: draft.ctx.now.plus_millis(i64::try_from(lease_ms).unwrap_or(i64::MAX)),
        worktree: worktree.cloned(),
        launcher: launcher.cloned(),
    }));
    Ok(())
}

fn launching(state: &Loop, attempt: &Attempt, last: &Generation) -> Refusal {
    let (turn, slot) = (&attempt.turn_id, &attempt.slot_id);
    let over = |why: &str| Refusal::new("slot_busy", format!("turn {turn} {why}"));
    let refusal = match last.launch {
        _ if last.is_spent() => over("is not launched by this generation any more: it was ended")
            .step("hand it out", steps::dispatch(state, slot)),
        Launch::Armed => {
            let by = last.launcher.as_ref().map_or_else(
                || "by somebody".to_owned(),
                |one| format!("by process {} on {}", one.pid, one.host),
            );
            let until = last.lease_until;
            over(&format!(
                "is being launched {by}, who has until {until}: it is not launched twice; \
                 from then on it can be handed out again"
            ))
            .step("end that launch and begin another", steps::take_over(state, slot))
        }
        _ => over("was launched: it is not launched twice")
            .step("take its result", steps::harvest(state))
            .step("or put another worker in its place", steps::take_over(state, slot)),
    };
    refusal.detail("turn_id", turn.as_str()).detail("lease_until", last.lease_until.to_string())
}

pub(super) fn cross(draft: &mut Draft<'_>, turn: &TurnId, epoch: u32, nonce: &str) -> Verdict {
    needs_unclosed(&draft.state, "dispatch")?;
    let generation = generation_of(&draft.state, turn, epoch)?;
    let attempt = attempt_of(&draft.state, turn)?;
    live_turn_of(&draft.state, attempt)?;
    if !generation.is_armed() {
        return Err(launching(&draft.state, attempt, generation));
    }
    if sha256_hex(nonce.as_bytes()) != generation.nonce_sha256 {
        return Err(Refusal::new(
            "stale_evidence",
            format!("turn {turn} was armed by somebody else: only they may launch it"),
        ));
    }
    if generation.lease_until < draft.ctx.now {
        return Err(Refusal::new(
            "slot_busy",
            format!("the lease of turn {turn} passed before its worker was started"),
        ));
    }
    draft.push(EventBody::LaunchCrossed(LaunchCrossed { turn_id: turn.clone(), epoch }));
    Ok(())
}

pub(super) fn revoke(draft: &mut Draft<'_>, turn: &TurnId, epoch: u32, reason: &str) -> Verdict {
    let generation = generation_of(&draft.state, turn, epoch)?;
    match generation.launch {
        Launch::Revoked => Ok(()),
        Launch::Crossed => Err(Refusal::new(
            "slot_busy",
            format!("turn {turn} was launched: that cannot be taken back"),
        )),
        Launch::Armed => {
            draft.push(EventBody::LaunchRevoked(LaunchRevoked {
                turn_id: turn.clone(),
                epoch,
                reason: reason.to_owned(),
            }));
            Ok(())
        }
    }
}

/// A generation that was crossed and of which nothing more is known yet.
fn crossed<'a>(
    state: &'a Loop,
    turn: &TurnId,
    epoch: u32,
) -> Result<Option<&'a Generation>, Refusal> {
    let attempt = attempt_of(state, turn)?;
    let generation = attempt.generations.get(epoch as usize);
    let Some(generation) = generation.filter(|g| g.launch == Launch::Crossed) else {
        return Err(Refusal::new("no_turn", format!("turn {turn} was not launched as {epoch}")));
    };
    Ok((generation.process.is_none() && generation.spawn_error.is_none()).then_some(generation))
}

pub(super) fn spawned(
    draft: &mut Draft<'_>,
    turn: &TurnId,
    epoch: u32,
    process: &Process,
) -> Verdict {
    if crossed(&draft.state, turn, epoch)?.is_some() {
        let slot_id = attempt_of(&draft.state, turn)?.slot_id.clone();
        let process = process.clone();
        let turn_id = turn.clone();
        draft.push(EventBody::Spawned(Spawned { turn_id, slot_id, epoch, process }));
    }
    Ok(())
}

pub(super) fn spawn_failed(
    draft: &mut Draft<'_>,
    turn: &TurnId,
    epoch: u32,
    error: &str,
) -> Verdict {
    if crossed(&draft.state, turn, epoch)?.is_none() {
        return Ok(());
    }
    let attempt = attempt_of(&draft.state, turn)?;
    let newest = attempt.generation().is_some_and(|g| g.epoch == epoch && !g.is_spent());
    let live = attempt.turn(&draft.state).is_some_and(|t| t.state.is_live());
    let slot_id = attempt.slot_id.clone();
    draft.push(EventBody::SpawnFailed(SpawnFailed {
        turn_id: turn.clone(),
        epoch,
        error: error.to_owned(),
    }));
    if newest && live {
        end(
            draft,
            turn,
            &slot_id,
            Outcome::Failed,
            &format!("no worker could be started: {error}"),
        );
    }
    Ok(())
}
