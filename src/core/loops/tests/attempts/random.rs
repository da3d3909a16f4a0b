//! Random sequences of what operators, launchers, workers and crashes do to dispatched
//! turns: none crosses an epoch twice or takes a stale nonce.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// One random choice: which step, and numbers for its arguments.
type Dice = (u8, u8, u8);

/// The nonces that live processes hold, by turn and epoch. A crash forgets them.
type Held = BTreeMap<(TurnId, u32), String>;

fn some_attempt(state: &Loop, n: u8) -> Option<TurnId> {
    let attempts = &state.ledger.attempts;
    attempts.keys().nth(usize::from(n) % attempts.len().max(1)).cloned()
}

fn random_step(state: &Loop, held: &Held, drawn: usize, (verb, a, b): Dice) -> Option<Command> {
    let slot = state.slots[usize::from(a) % state.slots.len()].slot_id.to_string();
    let turn = some_attempt(state, b);
    let epochs = |turn: &TurnId| state.attempt(turn).map_or(0, |x| x.generations.len() as u32);
    let epoch = |turn: &TurnId| u32::from(a) % (epochs(turn) + 1);
    Some(match verb % 20 {
        0 | 1 => step(AttemptCommand::Reserve { slot, agent: Some("codex".to_owned()) }),
        2 => step(AttemptCommand::Commit { turn: turn? }),
        3 => step(AttemptCommand::Abort { turn: turn?, reason: "no".to_owned() }),
        4 | 5 => step(AttemptCommand::Arm {
            turn: turn?,
            nonce_sha256: sha256_hex(format!("nonce {drawn}").as_bytes()),
            lease_ms: if a % 4 == 0 { 1 } else { 100_000 },
            worktree: None,
            launcher: None,
        }),
        6..=8 => {
            let turn = turn?;
            let epoch = epochs(&turn).saturating_sub(u32::from(a % 5 == 0) + 1);
            let own = held.get(&(turn.clone(), epoch)).cloned();
            let nonce = own.filter(|_| a % 7 != 0).or_else(|| held.values().next().cloned())?;
            cross(&turn, epoch, &nonce)
        }
        9 => {
            let turn = turn?;
            step(AttemptCommand::Revoke { epoch: epoch(&turn), turn, reason: "no".to_owned() })
        }
        10 => {
            let turn = turn?;
            spawned(&turn, epoch(&turn))
        }
        11 => {
            let turn = turn?;
            let epoch = epoch(&turn);
            step(AttemptCommand::SpawnFailed { turn, epoch, error: "x".to_owned() })
        }
        12 | 13 => {
            let turn = turn?;
            let epoch = epoch(&turn);
            // A worker keeps its nonce whatever happens to its starter.
            let mut reply =
                evidence(&turn, epoch, &format!("nonce {}", usize::from(b) % (drawn + 1)));
            if let Some(nonce) = held.get(&(turn.clone(), epoch)).filter(|_| a % 3 != 0) {
                reply.proof.nonce.clone_from(nonce);
            }
            reply.sha256 = format!("{drawn}");
            reply.failure = (b % 5 == 0).then(|| "status 1".to_owned());
            accept(&turn, reply)
        }
        14 => step(AttemptCommand::TakeOver { slot, cause: "slow".to_owned() }),
        15 => step(AttemptCommand::Sweep),
        16 => Command::Undo { to: (a % 2 == 0).then(|| 1 + u64::from(b) % (state.version + 1)) },
        17 => Command::Redo,
        18 => match a % 4 {
            0 => force("on"),
            1 => advance_to("critique", Some("again")),
            2 => Command::Close { status: Status::Cancelled, reason: Some("x".to_owned()) },
            _ => Command::Reopen { reason: "again".to_owned(), rounds: 1 },
        },
        _ => complete(&slot, Outcome::Done),
    })
}

/// What must hold of a journal: one crossing a generation, evidence only of a
/// generation that was crossed and not ended, once, or again after an undo.
pub(in crate::core::loops::tests) fn check_journal(events: &[Event]) -> Result<(), TestCaseError> {
    let (mut crossed, mut over) = (BTreeSet::new(), BTreeSet::new());
    let mut nonces = BTreeSet::new();
    let (mut taken, mut undone) = (BTreeMap::new(), 0);
    let mut newest: BTreeMap<TurnId, u32> = BTreeMap::new();
    for event in events {
        match &event.body {
            EventBody::LaunchArmed(e) => {
                prop_assert!(nonces.insert((e.turn_id.clone(), e.nonce_sha256.clone())));
                let last = newest.insert(e.turn_id.clone(), e.epoch);
                prop_assert!(
                    last.is_none_or(
                        |last| last < e.epoch && over.contains(&(e.turn_id.clone(), last))
                    )
                );
            }
            EventBody::LaunchCrossed(e) => {
                let key = (e.turn_id.clone(), e.epoch);
                prop_assert!(!over.contains(&key) && crossed.insert(key), "two crossings");
            }
            EventBody::LaunchRevoked(e) => {
                let key = (e.turn_id.clone(), e.epoch);
                prop_assert!(!crossed.contains(&key), "a crossing was revoked");
                over.insert(key);
            }
            EventBody::GenerationSuperseded(e) => {
                over.insert((e.turn_id.clone(), e.epoch));
            }
            EventBody::SpawnFailed(e) => {
                over.insert((e.turn_id.clone(), e.epoch));
            }
            EventBody::EvidenceAccepted(e) => {
                let key = (e.turn_id.clone(), e.epoch);
                prop_assert!(crossed.contains(&key), "evidence of nothing");
                prop_assert!(newest.get(&e.turn_id) == Some(&e.epoch), "evidence of an old one");
                prop_assert!(!over.contains(&key), "stale evidence was accepted");
                let before = taken.insert(key, undone);
                prop_assert!(before.is_none_or(|before| before < undone), "accepted twice");
            }
            EventBody::Reverted { .. } => undone += 1,
            _ => {}
        }
    }
    Ok(())
}

/// How often the random sequences came to what they are about.
#[derive(Default)]
struct Reached {
    crossed: Cell<u32>,
    accepted: Cell<u32>,
    rejected: Cell<u32>,
}

fn one_more(count: &Cell<u32>) {
    count.set(count.get() + 1);
}

#[test]
fn no_sequence_crosses_an_epoch_twice_or_takes_a_stale_nonce() {
    let reached = Reached::default();
    let config = ProptestConfig {
        cases: 240,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    };
    let dice = prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..70);
    let told = TestRunner::new(config).run(&dice, |dice| random_sequence(dice, &reached));
    told.unwrap_or_else(|failed| panic!("{failed}"));
    for (count, what) in [
        (&reached.crossed, "crossing"),
        (&reached.accepted, "accepted reply"),
        (&reached.rejected, "rejected reply"),
    ] {
        assert!(count.get() > 0, "no {what} in all these sequences");
    }
}

fn random_sequence(dice: Vec<Dice>, reached: &Reached) -> Result<(), TestCaseError> {
    let mut deck = critics();
    let mut held = Held::new();
    for (drawn, dice) in dice.into_iter().enumerate() {
        if dice.0 % 31 == 30 {
            held.clear(); // A crash: whoever armed is gone, and its nonce with it.
        }
        let Some(command) = random_step(&deck.state, &held, drawn, dice) else { continue };
        let accepted = deck.try_as("operator", &command);
        if let (Command::Attempt(AttemptCommand::Arm { turn, .. }), Ok(_)) = (&command, &accepted) {
            let epoch = deck.state.attempt(turn).map_or(0, |a| a.generations.len() as u32 - 1);
            held.insert((turn.clone(), epoch), format!("nonce {drawn}"));
        }
        if let (Command::Attempt(AttemptCommand::Accept { turn, evidence }), Ok(done)) =
            (&command, &accepted)
            && done.events.iter().any(|e| e.kind() == "evidence_accepted")
        {
            one_more(&reached.accepted);
            let generation = deck.state.attempt(turn).and_then(|a| a.generation()).cloned();
            prop_assert_eq!(
                generation.map(|g| g.nonce_sha256),
                Some(sha256_hex(evidence.proof.nonce.as_bytes()))
            );
        }
    }
    let kinds = deck.kinds();
    kinds.iter().filter(|kind| **kind == "launch_crossed").for_each(|_| one_more(&reached.crossed));
    kinds
        .iter()
        .filter(|kind| **kind == "evidence_rejected")
        .for_each(|_| one_more(&reached.rejected));
    check_journal(&deck.events)?;
    let replayed = fold(&deck.events);
    prop_assert_eq!(replayed.as_ref(), Some(&deck.state));
    let world = Ctx { ..ctx("operator", 999) };
    let copy = fork(&LoopId::derive(&[b"fork"]), &deck.state, BTreeMap::new(), &world);
    let event =
        Event { seq: 1, at: world.now, by: world.actor.clone(), body: copy.events[0].clone() };
    let copy = fold(&[event]).expect("a loop");
    // Nothing that the original's workers hold is worth anything in the copy.
    for (turn, epoch) in held.keys() {
        let reply = evidence(turn, *epoch, &held[&(turn.clone(), *epoch)]);
        prop_assert!(decide(&copy, &accept(turn, reply), &world).refusal.is_some());
    }
    Ok(())
}
