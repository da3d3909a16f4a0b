//! Dispatched turns: decisions that are made once, and evidence that is taken
//! once (attempts.md).

mod random;

use std::collections::BTreeMap;

pub(super) use random::check_journal;

use super::fixture::*;
use crate::core::loops::attempt::{
    AttemptCommand, AttemptStatus, Evidence, Process, Proof, ReviewVerdict,
};
use crate::core::loops::command::{Command, Ctx};
use crate::core::loops::decide::{decide, fork};
use crate::core::loops::event::{Event, EventBody, Outcome};
use crate::core::loops::history::fold;
use crate::core::loops::ids::{LoopId, RunId, TurnId};
use crate::core::loops::lint;
use crate::core::loops::model::{Loop, Status};
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::text::sha256_hex;

pub(super) fn step(step: AttemptCommand) -> Command {
    Command::Attempt(step)
}

/// A loop in `critique` with two critic slots of agents.
pub(super) fn critics() -> Deck {
    let mut request = request(Kind::Ideation, lint::builtin(Kind::Ideation));
    request.proposal = Some("Move the dispatcher.".into());
    request.slots =
        vec![slot("champion", None), slot("critic", Some("codex")), slot("critic", Some("claude"))];
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    deck
}

pub(super) fn critic(deck: &Deck, n: usize) -> String {
    deck.state.slots[n].slot_id.to_string()
}

pub(super) fn reserve(deck: &mut Deck, slot: &str) -> TurnId {
    let reserve = step(AttemptCommand::Reserve { slot: slot.to_owned(), agent: None });
    deck.run(reserve).made.turn_id.expect("a turn")
}

pub(super) fn arm(deck: &mut Deck, turn: &TurnId, nonce: &str) {
    deck.run(step(AttemptCommand::Arm {
        turn: turn.clone(),
        nonce_sha256: sha256_hex(nonce.as_bytes()),
        lease_ms: 120_000,
        worktree: None,
        launcher: None,
    }));
}

pub(super) fn cross(turn: &TurnId, epoch: u32, nonce: &str) -> Command {
    step(AttemptCommand::Cross { turn: turn.clone(), epoch, nonce: nonce.to_owned() })
}

pub(super) fn spawned(turn: &TurnId, epoch: u32) -> Command {
    let process = Process { pid: 7, start_time: "1".to_owned(), host: "here".to_owned() };
    step(AttemptCommand::Spawned { turn: turn.clone(), epoch, process })
}

/// From nothing to a running worker.
pub(super) fn launch(deck: &mut Deck, slot: &str, nonce: &str) -> TurnId {
    let turn = reserve(deck, slot);
    deck.run(step(AttemptCommand::Commit { turn: turn.clone() }));
    arm(deck, &turn, nonce);
    deck.run(cross(&turn, 0, nonce));
    deck.run(spawned(&turn, 0));
    turn
}

pub(super) fn evidence(turn: &TurnId, epoch: u32, nonce: &str) -> Evidence {
    Evidence {
        turn_id: turn.to_string(),
        proof: Proof { run_id: RunId::of(turn, epoch).to_string(), nonce: nonce.to_owned() },
        outcome: Outcome::Done,
        artifacts: vec![said("critique", "It drops the cache.")],
        verdict: None,
        review_summary: None,
        summary: Some("one critique".to_owned()),
        failure: None,
        sha256: sha256_hex(nonce.as_bytes()),
        integrated: false,
        found_in: Some(epoch),
    }
}

pub(super) fn accept(turn: &TurnId, evidence: Evidence) -> Command {
    step(AttemptCommand::Accept { turn: turn.clone(), evidence: Box::new(evidence) })
}

pub(super) fn status(deck: &Deck, turn: &TurnId) -> AttemptStatus {
    deck.state.attempt(turn).expect("dispatched").status(&deck.state, deck.state.updated_at)
}

#[test]
fn a_turn_goes_from_reserved_to_completed_and_its_result_is_the_agents() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = reserve(&mut deck, &slot);
    assert_eq!(status(&deck, &turn), AttemptStatus::Reserved);
    deck.run(step(AttemptCommand::Commit { turn: turn.clone() }));
    arm(&mut deck, &turn, "n0");
    assert_eq!(status(&deck, &turn), AttemptStatus::Launching);
    deck.run(cross(&turn, 0, "n0"));
    deck.run(spawned(&turn, 0));
    assert_eq!(status(&deck, &turn), AttemptStatus::Running);
    assert_eq!(deck.state.slots[1].status.as_ref(), "working");
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(status(&deck, &turn), AttemptStatus::Completed);
    let critique = deck.state.artifacts.last().expect("filed").clone();
    assert_eq!(critique.produced_by.to_string(), "agent:codex");
    assert_eq!(critique.turn_id.as_ref(), Some(&turn));
    // Again is a no-op with a word.
    let version = deck.state.version;
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(deck.state.version, version);
    assert!(deck.warnings[0].contains("taken before"));
    deck.check();
}

#[test]
fn reserving_again_finds_the_same_attempt_and_a_launched_one_is_busy() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let first = reserve(&mut deck, &slot);
    let version = deck.state.version;
    assert_eq!(reserve(&mut deck, &slot), first);
    assert_eq!(deck.state.version, version);
    deck.run(step(AttemptCommand::Commit { turn: first.clone() }));
    let abort = step(AttemptCommand::Abort { turn: first.clone(), reason: "no".to_owned() });
    assert_eq!(deck.refused(abort).code, "slot_busy");
    arm(&mut deck, &first, "n0");
    // Another caller neither arms nor crosses while the lease holds.
    let again = step(AttemptCommand::Arm {
        turn: first.clone(),
        nonce_sha256: sha256_hex(b"other"),
        lease_ms: 1,
        worktree: None,
        launcher: None,
    });
    assert_eq!(deck.refused(again).code, "slot_busy");
    assert_eq!(deck.refused(cross(&first, 0, "other")).code, "stale_evidence");
    deck.run(cross(&first, 0, "n0"));
    assert_eq!(deck.refused(cross(&first, 0, "n0")).code, "slot_busy");
    let reserve = step(AttemptCommand::Reserve { slot, agent: None });
    let refusal = deck.refused(reserve);
    assert_eq!(refusal.code, "slot_busy");
    assert!(refusal.next_steps[0].command.starts_with("loopdeck turn harvest"));
}

#[test]
fn a_lease_that_passed_is_swept_and_the_next_generation_has_a_larger_epoch() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = reserve(&mut deck, &slot);
    deck.run(step(AttemptCommand::Commit { turn: turn.clone() }));
    deck.run(step(AttemptCommand::Arm {
        turn: turn.clone(),
        nonce_sha256: sha256_hex(b"n0"),
        lease_ms: 10,
        worktree: None,
        launcher: None,
    }));
    assert_eq!(deck.refused(cross(&turn, 0, "n0")).code, "slot_busy");
    deck.run(step(AttemptCommand::Sweep));
    assert_eq!(deck.kinds().last(), Some(&"launch_revoked"));
    assert_eq!(status(&deck, &turn), AttemptStatus::Reserved);
    // A nonce is spent with its generation.
    let spent = step(AttemptCommand::Arm {
        turn: turn.clone(),
        nonce_sha256: sha256_hex(b"n0"),
        lease_ms: 10,
        worktree: None,
        launcher: None,
    });
    assert_eq!(deck.refused(spent).code, "stale_evidence");
    arm(&mut deck, &turn, "n1");
    assert_eq!(deck.refused(cross(&turn, 0, "n0")).code, "slot_busy");
    deck.run(cross(&turn, 1, "n1"));
    deck.check();
}

#[test]
fn a_refused_spawn_fails_the_turn_and_the_next_dispatch_is_another_turn() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = reserve(&mut deck, &slot);
    deck.run(step(AttemptCommand::Commit { turn: turn.clone() }));
    arm(&mut deck, &turn, "n0");
    deck.run(cross(&turn, 0, "n0"));
    deck.run(step(AttemptCommand::SpawnFailed {
        turn: turn.clone(),
        epoch: 0,
        error: "no such file".to_owned(),
    }));
    assert_eq!(status(&deck, &turn), AttemptStatus::Failed);
    assert_eq!(deck.attention().state.as_ref(), "stuck");
    let next = reserve(&mut deck, &slot);
    assert_ne!(next, turn);
    let slot = deck.state.slots[1].clone();
    assert_eq!(slot.turns.last().map(|t| t.n), Some(1));
}

#[test]
fn a_takeover_makes_the_old_workers_reply_stale() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let take = |cause: &str| {
        step(AttemptCommand::TakeOver { slot: slot.clone(), cause: cause.to_owned() })
    };
    assert_eq!(deck.refused(take(" ")).code, "reason_required");
    assert_eq!(deck.refused_as("agent:other", take("mine")).code, "not_slot_owner");
    deck.run(take("it hangs"));
    arm(&mut deck, &turn, "n1");
    deck.run(cross(&turn, 1, "n1"));
    let stale = deck.refused(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(stale.code, "stale_evidence");
    assert_eq!(deck.kinds().last(), Some(&"evidence_rejected"));
    // The same file again grows nothing.
    let version = deck.state.version;
    deck.refused(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(deck.state.version, version);
    deck.run(accept(&turn, evidence(&turn, 1, "n1")));
    assert_eq!(status(&deck, &turn), AttemptStatus::Completed);
    deck.check();
}

#[test]
fn a_reply_that_is_not_signed_right_changes_nothing() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let other = launch(&mut deck, &critic(&critics(), 2), "m0");
    let forged = [
        Evidence { turn_id: other.to_string(), ..evidence(&turn, 0, "n0") },
        Evidence { turn_id: "trn_../../x".to_owned(), ..evidence(&turn, 0, "n0") },
        evidence(&turn, 0, "guessed"),
        evidence(&turn, 1, "n0"),
        evidence(&other, 0, "m0"),
    ];
    let artifacts = deck.state.artifacts.len();
    for (n, mut forged) in forged.into_iter().enumerate() {
        forged.sha256 = n.to_string();
        assert_eq!(deck.refused(accept(&turn, forged)).code, "stale_evidence", "{n}");
        assert_eq!(deck.kinds().last(), Some(&"evidence_rejected"));
    }
    assert_eq!(deck.state.artifacts.len(), artifacts);
    assert_eq!(status(&deck, &turn), AttemptStatus::Running);
}

#[test]
fn a_bare_summary_or_a_foreign_type_fails_the_turn_and_the_gate_stays_shut() {
    for artifacts in [Vec::new(), vec![said("plan_draft", "The plan.")]] {
        let mut deck = critics();
        let slot = critic(&deck, 1);
        let turn = launch(&mut deck, &slot, "n0");
        let reply = Evidence { artifacts, ..evidence(&turn, 0, "n0") };
        deck.run(accept(&turn, reply));
        assert_eq!(status(&deck, &turn), AttemptStatus::Failed);
        assert_eq!(deck.state.artifacts.len(), 1, "only the proposal");
        deck.check();
    }
}

#[test]
fn a_reply_beside_a_failure_is_a_contradiction_until_the_operator_decides() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let failed = Some("its worker ended with status 1".to_owned());
    let reply = Evidence { failure: failed.clone(), ..evidence(&turn, 0, "n0") };
    assert_eq!(deck.refused(accept(&turn, reply.clone())).code, "turn_contradiction");
    assert_eq!(deck.kinds().last(), Some(&"turn_contradiction"));
    assert_eq!(deck.attention().state.as_ref(), "stuck");
    let version = deck.state.version;
    let clean = Evidence { failure: None, ..reply };
    assert_eq!(deck.refused(accept(&turn, clean)).code, "turn_contradiction");
    assert_eq!(deck.state.version, version);
    deck.done(&slot);
    assert_eq!(deck.refused(accept(&turn, evidence(&turn, 0, "n0"))).code, "stale_evidence");
    // A failure without a result is only a failure.
    let mut deck = critics();
    let turn = launch(&mut deck, &slot, "n0");
    let reply = Evidence { failure: failed, artifacts: Vec::new(), ..evidence(&turn, 0, "n0") };
    deck.run(accept(&turn, reply));
    assert_eq!(status(&deck, &turn), AttemptStatus::Failed);
}

#[test]
fn a_reply_that_was_turned_away_leaves_its_turn_to_a_person_and_says_why_again() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let reject = AttemptCommand::Reject {
        turn: turn.clone(),
        epoch: 0,
        reason: "it is no JSON".to_owned(),
        sha256: "s".to_owned(),
    };
    let refused = deck.refused(step(reject));
    let again = crate::core::loops::decide::turned_away(&deck.state, &turn).expect("turned away");
    for refusal in [refused, again] {
        assert!(refusal.message.ends_with("is not taken: it is no JSON"), "{}", refusal.message);
        let verbs: Vec<&str> = refusal.next_steps.iter().map(|step| step.verb()).collect();
        assert_eq!(verbs, ["complete", "takeover"]);
    }
    assert_eq!(deck.attention().detail, "critic: its reply was turned away");
    let (why, wants) = (deck.why(), deck.attention());
    let verbs: Vec<&str> = why.next_steps.iter().map(|step| step.verb()).collect();
    assert_eq!(verbs[..2], ["complete", "takeover"], "{verbs:?}");
    assert_eq!(wants.next.as_ref(), why.next_steps.first());
    assert_eq!(why.refusal.expect("shut").next_steps, why.next_steps);
    // A good one that comes after all is taken.
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert!(crate::core::loops::decide::turned_away(&deck.state, &turn).is_none());
}

#[test]
fn a_closed_loop_keeps_what_a_writing_worker_brings_without_what_it_changed() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    // As the fold has it of a turn that may change files.
    let attempt = deck.state.ledger.attempts.get_mut(&turn).expect("dispatched");
    std::sync::Arc::make_mut(attempt).writes = true;
    let reply = evidence(&turn, 0, "n0");
    assert_eq!(deck.refused(accept(&turn, reply.clone())).code, "integrate_required");
    deck.run(Command::Close {
        status: crate::core::loops::model::Status::Cancelled,
        reason: Some("x".to_owned()),
    });
    deck.run(accept(&turn, reply));
    let kept = deck.state.artifacts.last().expect("kept");
    assert!(kept.late && !kept.counts());
}

#[test]
fn an_agent_completes_a_dispatched_turn_only_with_its_proof() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let ending = |turn: Option<&TurnId>, proof: Option<Proof>| Command::CompleteTurn {
        slot: slot.clone(),
        turn: turn.map(TurnId::to_string),
        outcome: Outcome::Done,
        reason: None,
        artifacts: vec![said("critique", "It drops the cache.")],
        proof,
    };
    let proof =
        |nonce: &str| Some(Proof { run_id: RunId::of(&turn, 0).to_string(), nonce: nonce.into() });
    for wrong in [
        ending(None, None),
        ending(Some(&turn), None),
        ending(Some(&turn), proof("guessed")),
        ending(None, proof("n0")),
    ] {
        assert_eq!(deck.refused_as("agent:codex", wrong).code, "stale_evidence");
    }
    deck.try_as("agent:codex", &ending(Some(&turn), proof("n0"))).expect("signed");
    assert_eq!(status(&deck, &turn), AttemptStatus::Completed);
    // The file that it left says the same again.
    let version = deck.state.version;
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(deck.state.version, version);
}

#[test]
fn while_its_turn_is_dispatched_an_agent_files_nothing_unsigned() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let add = || Command::AddArtifact(said("critique", "It drops the cache."));
    let refusal = deck.refused_as("agent:codex", add());
    assert_eq!(refusal.code, "stale_evidence");
    assert!(refusal.next_steps[0].command.starts_with("loopdeck turn harvest"));
    // The old worker after a takeover is no better off.
    deck.run(step(AttemptCommand::TakeOver { slot: slot.clone(), cause: "slow".to_owned() }));
    assert_eq!(deck.refused_as("agent:codex", add()).code, "stale_evidence");
    // Others may, and so may it once its turn has ended.
    deck.add("critique", "Another.");
    deck.add_as("agent:claude", "critique", "A third.");
    deck.run(complete(&slot, Outcome::Cancelled));
    deck.add_as("agent:codex", "critique", "It drops the cache.");
    assert!(deck.state.attempt(&turn).is_some());
}

#[test]
fn a_reply_without_a_word_is_taken_and_said_to_count_nowhere() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let blank =
        Evidence { artifacts: vec![said("critique", " \n\u{200b}")], ..evidence(&turn, 0, "n0") };
    deck.run(accept(&turn, blank));
    assert!(deck.warnings.iter().any(|w| w.contains("count nowhere")), "{:?}", deck.warnings);
    assert!(deck.state.artifacts.last().is_some_and(|a| !a.usable));
}

#[test]
fn a_loop_that_went_on_takes_nothing_and_one_that_closed_keeps_it_as_late() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    deck.run(force("on with it"));
    let version = deck.state.version;
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(deck.state.version, version);
    assert!(deck.warnings[0].contains("without this turn"));

    let mut deck = critics();
    let turn = launch(&mut deck, &slot, "n0");
    deck.run(Command::Close { status: Status::Cancelled, reason: Some("moot".to_owned()) });
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert!(deck.state.artifacts.last().is_some_and(|a| a.late && !a.counts()));
    deck.check();
}

#[test]
fn undo_spends_what_was_launched_and_a_fork_has_no_attempts() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    // The newest change is the turn itself: launching it is none beside that.
    deck.run(Command::Undo { to: None });
    assert!(deck.state.slots[1].live_turn().is_none());
    let refusal = deck.refused(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(refusal.code, "stale_evidence");
    let next = reserve(&mut deck, &slot);
    assert_ne!(next, turn, "an undone turn counts as given");
    deck.check();

    // Taking back something else leaves the worker alone.
    let mut deck = critics();
    let turn = launch(&mut deck, &slot, "n0");
    deck.add("note", "beside the point");
    deck.run(Command::Undo { to: None });
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(status(&deck, &turn), AttemptStatus::Completed);
    deck.check();

    let mut deck = critics();
    launch(&mut deck, &slot, "n0");
    let forked =
        fork(&LoopId::derive(&[b"fork"]), &deck.state, BTreeMap::new(), &ctx("operator", 9));
    let event = Event {
        seq: 1,
        at: deck.state.updated_at,
        by: deck.state.created_by.clone(),
        body: forked.events[0].clone(),
    };
    let copy = fold(&[event]).expect("a loop");
    assert!(copy.ledger.attempts.is_empty() && copy.slots[1].live_turn().is_none());
}

#[test]
fn an_approving_reviewer_closes_the_loop_and_writers_wait_for_their_files() {
    let mut request = request(Kind::Review, lint::builtin(Kind::Review));
    request.proposal = Some("A change.".into());
    request.slots = vec![slot("author", Some("claude")), slot("reviewer", Some("codex"))];
    request.review_mode = Some(ReviewMode::Symmetric);
    let mut deck = Deck::open_with(request).expect("opens");
    let reviewer = critic(&deck, 1);
    let early = step(AttemptCommand::Reserve { slot: reviewer.clone(), agent: None });
    assert_eq!(deck.refused(early).code, "not_dispatchable");
    deck.advance();
    let turn = launch(&mut deck, &reviewer, "n0");
    assert!(deck.state.attempt(&turn).is_some_and(|a| a.writes), "symmetric findings write");
    let approve = Evidence {
        artifacts: Vec::new(),
        verdict: Some(ReviewVerdict::Approve),
        review_summary: Some("reads well".to_owned()),
        ..evidence(&turn, 0, "n0")
    };
    assert_eq!(deck.refused(accept(&turn, approve.clone())).code, "integrate_required");
    deck.run(accept(&turn, Evidence { integrated: true, ..approve }));
    assert_eq!(deck.state.status, Status::Completed);
    assert_eq!(
        deck.state.artifacts.last().map(|a| a.preview.clone()),
        Some("accepted: reads well".into())
    );
}

#[test]
fn a_reply_that_cannot_be_filed_fails_the_turn_and_files_nothing() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    let mut bad = said("critique", "Good.");
    bad.addresses = vec!["art_../../etc".to_owned()];
    let reply =
        Evidence { artifacts: vec![said("critique", "First."), bad], ..evidence(&turn, 0, "n0") };
    deck.run(accept(&turn, reply));
    assert_eq!(status(&deck, &turn), AttemptStatus::Failed);
    assert_eq!(deck.state.artifacts.len(), 1);
    deck.check();
}
