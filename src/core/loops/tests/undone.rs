//! Undo and redo over turns that were handed to workers: what the state, the
//! list, `why`, the next steps and the workers say agrees, and none of it leads
//! in a circle.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::attempts::*;
use super::fixture::*;
use crate::core::loops::attempt::{AttemptCommand, AttemptStatus, Doubt, Due, Evidence};
use crate::core::loops::attention::AttentionState;
use crate::core::loops::command::Command;
use crate::core::loops::event::{EventBody, Outcome};
use crate::core::loops::history::Timeline;
use crate::core::loops::ids::TurnId;
use crate::core::loops::model::{SlotStatus, Status, TurnState};

const UNDO: Command = Command::Undo { to: None };

fn due(deck: &Deck, n: usize) -> Option<Due> {
    deck.state.due(&deck.state.slots[n])
}

fn first_step(deck: &Deck) -> String {
    deck.attention().next.map(|step| step.command).unwrap_or_default()
}

#[test]
fn a_result_whose_taking_was_undone_is_due_again_and_taken_again() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    deck.run(UNDO);
    assert!(deck.warnings.iter().any(|w| w.contains("is due again")), "{:?}", deck.warnings);
    assert_eq!(due(&deck, 1), Some(Due::Result));
    assert_eq!(deck.attention().state, AttentionState::Worker);
    assert!(deck.attention().detail.contains("due again"));
    assert!(first_step(&deck).starts_with("loopdeck turn harvest"));
    let again = step(AttemptCommand::Reserve { slot: slot.clone(), agent: None });
    let refusal = deck.refused(again);
    assert_eq!(refusal.code, "slot_busy");
    assert!(refusal.next_steps[0].command.starts_with("loopdeck turn harvest"));
    agree(&deck, &BTreeMap::from([((turn.clone(), 0), "n0".to_owned())]));
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(status(&deck, &turn), AttemptStatus::Completed);
    assert_eq!(deck.state.artifacts.iter().filter(|a| a.counts()).count(), 2);
    // Undone and redone, it is over.
    deck.run(UNDO);
    deck.run(Command::Redo);
    let version = deck.state.version;
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(deck.state.version, version, "nothing is taken twice");
    // Undone, another worker may take its place; what the first brought is stale then.
    deck.run(UNDO);
    deck.run(step(AttemptCommand::TakeOver { slot, cause: "do it again".to_owned() }));
    arm(&mut deck, &turn, "n1");
    deck.run(cross(&turn, 1, "n1"));
    assert_eq!(deck.refused(accept(&turn, evidence(&turn, 0, "n0"))).code, "stale_evidence");
    deck.run(accept(&turn, evidence(&turn, 1, "n1")));
    deck.check();
}

#[test]
fn an_undone_turn_shuts_its_worker_out_and_comes_back_without_it() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    deck.run(UNDO);
    let said = deck.warnings.join("\n");
    assert!(said.contains("codex, process 7") && said.contains("shut out"), "{said}");
    assert_eq!(deck.state.attempts_shut_out().count(), 1, "it may run on");
    assert_eq!(deck.state.attempts_open().count(), 0);
    deck.run(Command::Redo);
    assert!(deck.warnings.iter().any(|w| w.contains("hand it out again")), "{:?}", deck.warnings);
    assert_eq!(deck.state.slots[1].status, SlotStatus::Assigned, "nobody works");
    assert_eq!(status(&deck, &turn), AttemptStatus::Reserved);
    assert_eq!(due(&deck, 1), Some(Due::Launch));
    assert_eq!(deck.attention().state, AttentionState::Work);
    assert!(first_step(&deck).starts_with("loopdeck turn dispatch"), "{}", first_step(&deck));
    agree(&deck, &BTreeMap::new());
    assert_eq!(reserve(&mut deck, &slot), turn);
    arm(&mut deck, &turn, "n1");
    deck.run(cross(&turn, 1, "n1"));
    deck.run(spawned(&turn, 1));
    assert_eq!(deck.state.slots[1].status, SlotStatus::Working);
    deck.check();
}

#[test]
fn undo_and_redo_of_something_else_leave_a_worker_alone() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = launch(&mut deck, &slot, "n0");
    deck.add("note", "beside the point");
    deck.run(UNDO);
    deck.run(Command::Redo);
    assert_eq!(deck.warnings, Vec::<String>::new());
    assert_eq!(status(&deck, &turn), AttemptStatus::Running);
    deck.run(accept(&turn, evidence(&turn, 0, "n0")));
    assert_eq!(status(&deck, &turn), AttemptStatus::Completed);
}

#[test]
fn an_undone_failure_to_start_or_decision_against_it_leaves_a_way_on() {
    let mut deck = critics();
    let slot = critic(&deck, 1);
    let turn = reserve(&mut deck, &slot);
    deck.run(step(AttemptCommand::Commit { turn: turn.clone() }));
    arm(&mut deck, &turn, "n0");
    deck.run(cross(&turn, 0, "n0"));
    let error = "no such file".to_owned();
    deck.run(step(AttemptCommand::SpawnFailed { turn: turn.clone(), epoch: 0, error }));
    deck.run(UNDO);
    assert_eq!(due(&deck, 1), Some(Due::Launch));
    agree(&deck, &BTreeMap::new());
    arm(&mut deck, &turn, "n1");
    deck.run(cross(&turn, 1, "n1"));

    let mut deck = critics();
    let turn = reserve(&mut deck, &slot);
    deck.run(step(AttemptCommand::Abort { turn, reason: "no work tree".to_owned() }));
    deck.run(UNDO);
    assert_eq!(due(&deck, 1), Some(Due::Person));
    agree(&deck, &BTreeMap::new());
    deck.done(&slot);
}

/// The nonces that were drawn, by turn and epoch.
type Nonces = BTreeMap<(TurnId, u32), String>;

/// What is said of the same turn in different places agrees.
fn agree(deck: &Deck, nonces: &Nonces) {
    let (state, why, wants) = (&deck.state, deck.why(), deck.attention());
    let mut works = false;
    for slot in &state.slots {
        let Some(attempt) = state.live_attempt(slot) else {
            works |= slot.live_turn().is_some();
            continue;
        };
        let turn = attempt.turn(state).expect("live");
        let due = attempt.due(state).expect("live");
        let out = attempt.out(state);
        works |= due == Due::Result;
        assert_eq!(out.is_some(), due == Due::Result);
        // The slot says that it works exactly if a worker is out.
        let at_work = out.is_some_and(|generation| generation.process.is_some());
        let shown = matches!(turn.state, TurnState::WaitingInput)
            || at_work == (slot.status == SlotStatus::Working);
        assert!(shown, "{slot:?}");
        // So does the status of its worker, and the list of workers names it.
        let status = attempt.status(state, state.updated_at);
        match due {
            Due::Launch => assert!(matches!(
                status,
                AttemptStatus::Reserved | AttemptStatus::Launching | AttemptStatus::WaitingInput
            )),
            Due::Result => assert!(!status.has_ended() && status != AttemptStatus::Reserved),
            Due::Person => assert_eq!(status, AttemptStatus::Cancelled),
        }
        let open = state.attempts_open().any(|one| one.turn_id == attempt.turn_id);
        assert_eq!(open, due != Due::Person);
        let left = state.attempts_shut_out().any(|one| one.turn_id == attempt.turn_id);
        assert!(!(open && left), "named once");
        here(deck, slot.slot_id.as_str(), due);
        // What is due is taken.
        let key = generation_key(attempt.turn_id.clone(), attempt.generations.len());
        if let (Due::Result, Some(nonce)) = (due, nonces.get(&key)) {
            let decision =
                deck.decide_as("operator", &accept(&key.0, evidence(&key.0, key.1, nonce)));
            let code = decision.refusal.map(|refusal| refusal.code);
            assert!(matches!(code, None | Some("turn_contradiction")), "{code:?}");
            assert!(code.is_some() || !decision.events.is_empty(), "harvest has it to take");
        }
        let waiting = why.slots.waiting.iter().find(|one| one.slot_id == slot.slot_id);
        if let Some(waiting) = waiting {
            assert_eq!(
                waiting.text.contains("handed out"),
                due == Due::Launch && !asks(turn.state)
            );
        }
        let shut =
            matches!(why.refusal.as_ref().map(|r| r.code), Some("gate_unmet" | "slots_pending"));
        // What the list names first, `why` names too, each once.
        if shut && state.open_questions.is_empty() && due != Due::Person {
            let command =
                crate::core::loops::waiting::turn_step(state, slot, state.updated_at).command;
            let named = why.next_steps.iter().filter(|step| step.command == command).count();
            assert_eq!(named, 1, "{:?}", why.next_steps);
            let first = wants.next.as_ref().map(|step| &step.command);
            assert!(why.next_steps.iter().any(|step| Some(&step.command) == first), "{first:?}");
        }
        if due == Due::Launch && shut && state.open_questions.is_empty() {
            let step = &why.next_steps[0].command;
            assert!(step.contains("dispatch"), "{step}");
        }
    }
    if wants.state == AttentionState::Worker {
        assert!(works, "{wants:?}");
    }
    for attempt in state.ledger.attempts.values() {
        let live = attempt.turn(state).is_some_and(|turn| turn.state.is_live());
        let status = attempt.status(state, state.updated_at);
        assert!(live || status.has_ended(), "{status}");
    }
}

fn asks(state: TurnState) -> bool {
    state == TurnState::WaitingInput
}

fn generation_key(turn: TurnId, generations: usize) -> (TurnId, u32) {
    (turn, u32::try_from(generations).expect("few").saturating_sub(1))
}

/// Handing the turn out is carried out exactly if that is due; else the refusal
/// names what is.
fn here(deck: &Deck, slot: &str, due: Due) {
    if deck.state.status != Status::Open || deck.state.current_phase.as_ref() != "critique" {
        return;
    }
    let again = step(AttemptCommand::Reserve { slot: slot.to_owned(), agent: None });
    let refusal = deck.decide_as("operator", &again).refusal;
    let step = refusal.as_ref().map(|r| r.next_steps[0].command.clone());
    match due {
        Due::Launch => assert_eq!(refusal, None),
        Due::Result => {
            let slot = crate::core::loops::decide::find_slot(&deck.state, slot).expect("there");
            let wanted = match deck.state.doubt(slot, deck.state.updated_at) {
                None => "turn harvest",
                Some(Doubt::Contradiction | Doubt::TurnedAway) => "loop complete",
                Some(Doubt::LaunchUnknown) => "turn takeover",
            };
            assert!(step.is_some_and(|s| s.contains(wanted)), "{wanted}");
        }
        Due::Person => assert!(step.is_some_and(|s| s.contains("loop complete"))),
    }
}

/// Goes through a dispatch, up to some step of it.
fn dispatch(deck: &mut Deck, nonces: &mut Nonces, slot: &str, steps: u8) {
    let reserve = step(AttemptCommand::Reserve { slot: slot.to_owned(), agent: None });
    let Ok(done) = deck.try_as("operator", &reserve) else { return };
    let turn = done.made.turn_id.expect("a turn");
    let epoch = deck.state.attempt(&turn).map_or(0, |a| a.generations.len());
    let epoch = u32::try_from(epoch).expect("few");
    let nonce = format!("{turn} {epoch}");
    let arm = AttemptCommand::Arm {
        turn: turn.clone(),
        nonce_sha256: crate::core::text::sha256_hex(nonce.as_bytes()),
        lease_ms: 1_000_000_000,
        worktree: None,
        launcher: None,
    };
    let all = [
        step(AttemptCommand::Commit { turn: turn.clone() }),
        step(arm),
        cross(&turn, epoch, &nonce),
        spawned(&turn, epoch),
    ];
    for command in all.iter().take(usize::from(steps)) {
        if deck.try_as("operator", command).is_err() {
            return;
        }
        nonces.insert((turn.clone(), epoch), nonce.clone());
    }
}

fn harvest(deck: &mut Deck, nonces: &Nonces, n: usize, dice: u8) {
    let out: Vec<_> =
        deck.state.attempts_out().map(|a| (a.turn_id.clone(), a.generations.len())).collect();
    let Some((turn, count)) = out.get(n % out.len().max(1)).cloned() else { return };
    let (turn, epoch) = generation_key(turn, count);
    let nonce = nonces.get(&(turn.clone(), epoch)).cloned().unwrap_or_default();
    let mut reply = evidence(&turn, epoch, &nonce);
    match dice % 8 {
        0 => reply.failure = Some("status 1".to_owned()),
        1 => reply.artifacts.clear(),
        2 => reply = Evidence { outcome: Outcome::Failed, artifacts: Vec::new(), ..reply },
        3 => {
            let failure = "ended without a reply".to_owned();
            let _ =
                deck.try_as("operator", &step(AttemptCommand::NoReply { turn, epoch, failure }));
            return;
        }
        _ => {}
    }
    let _ = deck.try_as("operator", &accept(&turn, reply));
}

fn one_of(deck: &mut Deck, nonces: &mut Nonces, (verb, a, b): (u8, u8, u8)) {
    let slot = critic(deck, 1 + usize::from(a % 2));
    let command = match verb % 22 {
        0..=4 => return dispatch(deck, nonces, &slot, if b % 4 == 0 { a % 4 } else { 4 }),
        5..=8 => return harvest(deck, nonces, usize::from(a), b),
        9..=12 => UNDO,
        13 | 14 => Command::Redo,
        15 => Command::Undo { to: Some(1 + u64::from(b) % deck.state.version.max(1)) },
        16 => {
            let take = AttemptCommand::TakeOver { slot: slot.clone(), cause: "slow".to_owned() };
            let _ = deck.try_as("operator", &step(take));
            return dispatch(deck, nonces, &slot, if b % 2 == 0 { 4 } else { 0 });
        }
        17 => complete(&slot, [Outcome::Done, Outcome::Cancelled][usize::from(b % 2)]),
        18 => {
            Command::AddArtifact(said("critique", ["One.", "Two.", "Three."][usize::from(b % 3)]))
        }
        19 => match b % 4 {
            0 => force("on"),
            1 => advance_to("critique", Some("again")),
            2 => Command::Close { status: Status::Cancelled, reason: Some("x".to_owned()) },
            _ => Command::Reopen { reason: "again".to_owned(), rounds: 1 },
        },
        20 => Command::Ask(question(&slot)),
        _ => match deck.state.open_questions.first() {
            Some(open) => answer(open.question_id.as_str()),
            None => step(AttemptCommand::Sweep),
        },
    };
    let _ = deck.try_as("operator", &command);
}

fn question(slot: &str) -> crate::core::loops::command::NewQuestion {
    crate::core::loops::command::NewQuestion {
        slot: Some(slot.to_owned()),
        text: "Which?".to_owned(),
        evidence: vec!["both fit".to_owned()],
        options: Vec::new(),
        default: None,
        scope: crate::core::loops::model::QuestionScope::Slot,
        on_timeout: Default::default(),
        deadline: None,
    }
}

fn answer(id: &str) -> Command {
    let reply = crate::core::loops::command::Reply::Text("This one.".to_owned());
    Command::Answer { question: id.to_owned(), reply }
}

#[test]
fn whatever_was_undone_all_places_say_the_same_and_no_step_leads_in_a_circle() {
    let taken_again = Cell::new(0);
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    };
    let dice = prop::collection::vec(any::<(u8, u8, u8)>(), 1..40);
    let told = TestRunner::new(config).run(&dice, |dice| {
        let mut deck = critics();
        let mut nonces = Nonces::new();
        for dice in dice {
            one_of(&mut deck, &mut nonces, dice);
            agree(&deck, &nonces);
        }
        deck.check();
        check_journal(&deck.events)?;
        let timeline = Timeline::of(deck.events.iter().cloned()).expect("a loop");
        prop_assert_eq!(timeline.head(), &deck.state);
        let mut taken = BTreeSet::new();
        for event in &deck.events {
            if let EventBody::EvidenceAccepted(one) = &event.body
                && !taken.insert((one.turn_id.clone(), one.epoch))
            {
                taken_again.set(taken_again.get() + 1);
            }
        }
        let last = deck.state.version;
        prop_assert_eq!(timeline.at(last), Some(deck.state));
        Ok(())
    });
    told.unwrap_or_else(|failed| panic!("{failed}"));
    assert!(taken_again.get() > 0, "no result was taken again after an undo");
}
