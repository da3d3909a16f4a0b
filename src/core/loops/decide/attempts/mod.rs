//! Turn attempts: two decisions, each made once, and evidence that is accepted
//! once (attempts.md).
//!
//! - `launch` — from reserving a turn to its worker; `evidence` — what a worker
//!   brings; here: who may, and ending a generation from outside.

mod evidence;
mod launch;

use super::super::attempt::{
    Attempt, AttemptCommand, BY_HAND, Generation, GenerationSuperseded, Launch, UNDONE,
};
use super::super::attempt::{LaunchRevoked, Proof};
use super::super::command::Ctx;
use super::super::event::EventBody;
use super::super::history::Mark;
use super::super::ids::TurnId;
use super::super::model::{Actor, Loop, Slot, Turn};
use super::super::refusal::Refusal;
use super::super::{steps, waiting};
use super::turns::find_slot;
use super::{Draft, Verdict, needed_reason, needs_unclosed};
use crate::core::text::sha256_hex;

pub use evidence::turned_away;
pub use launch::may_be_dispatched;

/// Why a generation is revoked whose lease passed (attempts.md, "Verbs").
pub const NEVER_LAUNCHED: &str = "reserved_never_launched";

pub(super) fn run(draft: &mut Draft<'_>, command: &AttemptCommand) -> Verdict {
    match command {
        AttemptCommand::HandOver { slot } => launch::hand_over(draft, slot),
        AttemptCommand::Reserve { slot, agent } => launch::reserve(draft, slot, agent.as_deref()),
        AttemptCommand::Commit { turn } => launch::commit(draft, turn),
        AttemptCommand::Abort { turn, reason } => launch::abort(draft, turn, reason),
        AttemptCommand::Arm { turn, nonce_sha256, lease_ms, worktree, launcher } => {
            let (worktree, launcher) = (worktree.as_ref(), launcher.as_ref());
            launch::arm(draft, turn, nonce_sha256, *lease_ms, worktree, launcher)
        }
        AttemptCommand::Cross { turn, epoch, nonce } => launch::cross(draft, turn, *epoch, nonce),
        AttemptCommand::Revoke { turn, epoch, reason } => {
            launch::revoke(draft, turn, *epoch, reason)
        }
        AttemptCommand::Spawned { turn, epoch, process } => {
            launch::spawned(draft, turn, *epoch, process)
        }
        AttemptCommand::SpawnFailed { turn, epoch, error } => {
            launch::spawn_failed(draft, turn, *epoch, error)
        }
        AttemptCommand::Accept { turn, evidence } => evidence::accept(draft, turn, evidence),
        AttemptCommand::Reject { turn, epoch, reason, sha256 } => {
            evidence::reject(draft, turn, *epoch, reason, sha256)
        }
        AttemptCommand::NoReply { turn, epoch, failure } => {
            evidence::no_reply(draft, turn, *epoch, failure)
        }
        AttemptCommand::TakeOver { slot, cause } => take_over(draft, slot, cause),
        AttemptCommand::Sweep => {
            sweep(draft);
            Ok(())
        }
    }
}

/// The world as a command sees it: what a worker brought is judged as its
/// agent's, whoever harvests it.
pub(super) fn seen_by(state: &Loop, command: &AttemptCommand, ctx: &Ctx) -> Option<Ctx> {
    let AttemptCommand::Accept { turn, .. } = command else { return None };
    let agent = state.attempt(turn)?.agent.clone();
    Some(Ctx { actor: Actor::Agent(agent), grants: Default::default(), ..ctx.clone() })
}

/// Who may start, replace and hand over turns of a slot: the operator, the
/// slot's agent, and the agent that opened the loop.
fn may_direct(draft: &Draft<'_>, slot: &Slot) -> Verdict {
    let actor = &draft.ctx.actor;
    let own = actor.agent().is_some() && slot.agent.as_ref() == actor.agent();
    if matches!(actor, Actor::Operator | Actor::Engine) || own || draft.state.created_by == *actor {
        return Ok(());
    }
    Err(Refusal::new(
        "not_slot_owner",
        format!(
            "{actor} neither opened this loop nor has the slot {} ({})",
            slot.role, slot.slot_id
        ),
    )
    .detail("slot_id", slot.slot_id.as_str()))
}

fn attempt_of<'a>(state: &'a Loop, turn: &TurnId) -> Result<&'a Attempt, Refusal> {
    state.attempt(turn).ok_or_else(|| {
        Refusal::new("no_turn", format!("turn {turn} was never dispatched"))
            .detail("turn_id", turn.as_str())
    })
}

fn live_turn_of<'a>(state: &'a Loop, attempt: &Attempt) -> Result<&'a Turn, Refusal> {
    attempt.turn(state).filter(|turn| turn.state.is_live()).ok_or_else(|| {
        Refusal::new("no_turn", format!("turn {} is not live any more", attempt.turn_id))
            .detail("turn_id", attempt.turn_id.as_str())
    })
}

fn generation_of<'a>(
    state: &'a Loop,
    turn: &TurnId,
    epoch: u32,
) -> Result<&'a Generation, Refusal> {
    let newest = attempt_of(state, turn)?.generation();
    newest.filter(|g| g.epoch == epoch).ok_or_else(|| {
        Refusal::new("slot_busy", format!("turn {turn} has gone on from generation {epoch}"))
            .detail("turn_id", turn.as_str())
    })
}

/// Ends a generation from outside, if it is live.
fn supersede(draft: &mut Draft<'_>, turn: &TurnId, cause: &str) {
    let live = draft.state.attempt(turn).and_then(|attempt| {
        let armed = attempt.generation().filter(|generation| generation.is_armed());
        armed.or_else(|| attempt.out(&draft.state))
    });
    if let Some(epoch) = live.map(|g| g.epoch) {
        draft.push(EventBody::GenerationSuperseded(GenerationSuperseded {
            turn_id: turn.clone(),
            epoch,
            cause: cause.to_owned(),
        }));
    }
}

fn take_over(draft: &mut Draft<'_>, slot: &str, cause: &str) -> Verdict {
    if let Ok(slot) = find_slot(&draft.state, slot) {
        may_direct(draft, slot)?;
    }
    needs_unclosed(&draft.state, "takeover")?;
    let cause = needed_reason(Some(cause), "takeover")?.trim().to_owned();
    let slot = find_slot(&draft.state, slot)?;
    let slot_id = slot.slot_id.clone();
    let Some(attempt) = draft.state.live_attempt(slot) else {
        let what = match slot.live_turn() {
            Some(turn) => format!("the turn of {} was taken by hand, by {}", slot.role, turn.by),
            None => format!("{} ({}) has no turn", slot.role, slot.slot_id),
        };
        let refusal = Refusal::new("no_turn", format!("{what}: there is no worker to take over"));
        return Err(match slot.live_turn() {
            Some(_) => {
                refusal.step("complete it", steps::complete(&draft.state, slot.slot_id.as_str()))
            }
            None => refusal,
        });
    };
    let turn_id = attempt.turn_id.clone();
    supersede(draft, &turn_id, &cause);
    draft.made.turn_id = Some(turn_id);
    draft.made.slot_id = Some(slot_id);
    Ok(())
}

/// Revokes every armed generation whose lease has passed.
fn sweep(draft: &mut Draft<'_>) {
    let now = draft.ctx.now;
    let lapsed: Vec<(TurnId, u32)> = draft
        .state
        .ledger
        .attempts
        .values()
        .filter_map(|attempt| {
            let generation = attempt.generation()?;
            (generation.is_armed() && generation.lease_until < now)
                .then(|| (attempt.turn_id.clone(), generation.epoch))
        })
        .collect();
    for (turn_id, epoch) in lapsed {
        draft.push(EventBody::LaunchRevoked(LaunchRevoked {
            turn_id,
            epoch,
            reason: NEVER_LAUNCHED.to_owned(),
        }));
    }
}

/// What completing a dispatched turn by `complete_turn` takes: of the operator
/// nothing (the worker is fenced out by it), of the agent turn, run and nonce.
pub(super) fn fence(
    draft: &mut Draft<'_>,
    turn: &TurnId,
    named: Option<&str>,
    proof: Option<&Proof>,
) -> Verdict {
    let Some(attempt) = draft.state.attempt(turn) else { return Ok(()) };
    if matches!(draft.ctx.actor, Actor::Operator | Actor::Engine) {
        supersede(draft, turn, BY_HAND);
        return Ok(());
    }
    let fits = attempt.out(&draft.state).filter(|generation| {
        named == Some(turn.as_str()) && proof.is_some_and(|proof| signs(proof, generation))
    });
    let Some(generation) = fits else {
        let refusal = Refusal::new(
            "stale_evidence",
            format!(
                "turn {turn} was dispatched: its agent completes it with the turn_id, run_id \
                 and nonce that its brief names, and these are not those"
            ),
        )
        .detail("turn_id", turn.as_str());
        let Some(slot) = draft.state.slot(&attempt.slot_id) else { return Err(refusal) };
        let step = waiting::turn_step(&draft.state, slot, draft.ctx.now);
        return Err(refusal.step(step.text, step.command));
    };
    let event = super::super::attempt::EvidenceAccepted {
        turn_id: turn.clone(),
        epoch: generation.epoch,
        sha256: "complete_turn".to_owned(),
    };
    draft.push(EventBody::EvidenceAccepted(event));
    Ok(())
}

/// Refuses what an agent would file unsigned while all that it has are dispatched
/// turns: a worker that was shut out could bring it as well (attempts.md, "Verbs",
/// harvest). The operator may, and an agent with a turn that it took itself.
pub(super) fn unsigned(draft: &Draft<'_>, own: &[(&Slot, &Turn)]) -> Verdict {
    let Some((slot, turn)) = own.first() else { return Ok(()) };
    if !all_dispatched(&draft.state, &draft.ctx.actor, own) {
        return Ok(());
    }
    let step = waiting::turn_step(&draft.state, slot, draft.ctx.now);
    Err(Refusal::new(
        "stale_evidence",
        format!(
            "turn {} was dispatched: what its worker found comes with its reply, or with \
             complete_turn, signed with turn_id, run_id and nonce",
            turn.turn_id
        ),
    )
    .detail("turn_id", turn.turn_id.as_str())
    .step(step.text, step.command))
}

/// Whether an actor is an agent that has turns, all of them dispatched.
pub(super) fn all_dispatched(state: &Loop, actor: &Actor, own: &[(&Slot, &Turn)]) -> bool {
    let is_dispatched = |turn: &Turn| state.attempt(&turn.turn_id).is_some();
    actor.agent().is_some() && !own.is_empty() && own.iter().all(|(_, turn)| is_dispatched(turn))
}

/// Whether a proof is that of a generation's worker.
fn signs(proof: &Proof, generation: &Generation) -> bool {
    proof.run_id == generation.run_id.as_str()
        && sha256_hex(proof.nonce.as_bytes()) == generation.nonce_sha256
}

/// Before the content goes back: the generations whose turn is not part of what
/// it goes back to end here (engine.md §6, "undo"). What that means for workers
/// is said: those stay in the world.
pub(super) fn undone(draft: &mut Draft<'_>, to_seq: u64) {
    let history = draft.ctx.history.clone().unwrap_or_default();
    let (now, then) = (history.effective(), history.effective_at(to_seq));
    let holds = |marks: &[&Mark], seq: u64| {
        marks.iter().any(|mark| (mark.first_seq..=mark.last_seq).contains(&seq))
    };
    let mut gone: Vec<TurnId> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for attempt in draft.state.ledger.attempts.values() {
        let Some(generation) = attempt.generation() else { continue };
        let stays = holds(&then, attempt.seq);
        if !stays && !generation.is_spent() && generation.accepted.is_none() {
            gone.push(attempt.turn_id.clone());
            words.extend(shut_out_words(&draft.state, attempt, generation));
        }
        let taken = generation.accepted_seq.filter(|seq| holds(&now, *seq) && !holds(&then, *seq));
        if taken.is_some() {
            words.extend(taken_back_words(&draft.state, attempt, generation, stays));
        }
        if stays && !holds(&now, attempt.seq) && generation.superseded.as_deref() == Some(UNDONE) {
            words.push(format!(
                "the turn of {} is there again without its worker, which was shut out: hand it \
                 out again",
                role_of(&draft.state, attempt)
            ));
        }
    }
    for turn in gone {
        supersede(draft, &turn, UNDONE);
    }
    words.into_iter().for_each(|text| draft.warn(text));
}

fn role_of<'a>(state: &'a Loop, attempt: &'a Attempt) -> &'a str {
    state.slot(&attempt.slot_id).map_or(attempt.slot_id.as_str(), |slot| &*slot.role)
}

fn shut_out_words(state: &Loop, attempt: &Attempt, generation: &Generation) -> Option<String> {
    if generation.launch != Launch::Crossed {
        return None;
    }
    let process = generation.process.as_ref();
    let process = process.map(|one| format!(", process {}", one.pid)).unwrap_or_default();
    Some(format!(
        "the worker of {} ({}{process}) is shut out: what it brings is turned away. It goes on \
         while it has work (turn list shows it); `loopdeck turn sweep --end {}` ends it, and so \
         does handing the slot's turn out again",
        role_of(state, attempt),
        attempt.agent,
        generation.run_id
    ))
}

fn taken_back_words(
    state: &Loop,
    attempt: &Attempt,
    generation: &Generation,
    stays: bool,
) -> Vec<String> {
    let mut out = Vec::new();
    let role = role_of(state, attempt);
    if stays {
        out.push(format!(
            "the result of {role} ({}) is due again: harvest takes it",
            attempt.agent
        ));
    }
    if let Some(tree) = &generation.worktree {
        out.push(format!("what {role} changed stays merged (branch {})", tree.branch));
    }
    out
}
