//! What closing and rating bring about outside of a loop (dream.md, "With loops").

use super::fixture::*;
use crate::core::dream::new_record::NewRecord;
use crate::core::loops::command::Command;
use crate::core::loops::effects::{Cause, EffectsDone, Owed, Written, is_owing, owed};
use crate::core::loops::event::EventBody;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Kind;

/// What a loop owes, by phase and reward.
fn rewards(deck: &Deck) -> Vec<(String, f64)> {
    let all = owed(&deck.state).into_iter().flat_map(|owed| owed.records);
    all.map(|(phase, record)| (phase.to_string(), record.reward)).collect()
}

fn records(deck: &Deck) -> Vec<NewRecord> {
    owed(&deck.state).into_iter().flat_map(|owed| owed.records).map(|(_, r)| r).collect()
}

/// Records that the effects were carried out, with a path for each record.
fn carry_out(deck: &mut Deck) {
    for Owed { of_seq, cause, records, remove, .. } in owed(&deck.state) {
        let written = records
            .into_iter()
            .map(|(phase, record)| Written { phase, path: format!("{}.json", record.id) })
            .collect();
        let done = EffectsDone { of_seq, cause, written, removed: remove };
        deck.record(vec![EventBody::EffectsDone(done)]);
    }
    deck.check();
    assert!(!is_owing(&deck.state));
}

/// An ideation loop with three critiques and a revision in each of its rounds,
/// left because nobody found anything new in the last.
fn ideation(rounds: u32) -> Deck {
    let mut deck = Deck::ideation();
    deck.advance();
    let mut said = None;
    for round in 1..rounds {
        for n in 0..3 {
            said = Some(deck.add("critique", &format!("round {round}, point {n}")));
        }
        deck.advance();
        deck.add("revision", &format!("revision {round}"));
        deck.advance();
    }
    deck.turn("critic");
    deck.done("critic");
    deck.advance();
    deck.plan(&[&said.expect("a critique")]).expect("closes");
    deck
}

/// From the critique on to the end by force.
fn end_by_force(deck: &mut Deck) {
    let said = deck.add("critique", "only one");
    deck.run(force("enough of it"));
    deck.run(advance_to("synthesis", None));
    deck.plan(&[&said]).expect("closes");
}

#[test]
fn ideations_cycle_left_in_round_2_is_the_first_possible() {
    let deck = ideation(2);
    assert_eq!(deck.state.status, Status::Completed);
    assert_eq!(rewards(&deck), [("critique".to_owned(), 1.0), ("revision".to_owned(), 1.0)]);
    let of_critique = &records(&deck)[0];
    assert!(of_critique.reward_reason.starts_with("auto:"), "{}", of_critique.reward_reason);
    assert_eq!(of_critique.outcome.iterations, Some(2));
    assert_eq!(of_critique.domain, "general");
    assert!(of_critique.case_slug.contains('-'), "{}", of_critique.case_slug);
    assert_eq!(rewards(&ideation(3))[0].1, 0.7);
}

#[test]
fn a_phase_that_was_left_by_force_earns_0_3() {
    let mut deck = Deck::ideation();
    deck.advance();
    end_by_force(&mut deck);
    assert_eq!(rewards(&deck)[0], ("critique".to_owned(), 0.3));
}

#[test]
fn a_blocked_end_gives_0_to_the_cycles_last_phase_and_a_cancelled_none() {
    let close = |status| Command::Close { status, reason: Some("enough".to_owned()) };
    let mut deck = Deck::open(Kind::Implementation);
    deck.advance();
    deck.run(close(Status::Blocked));
    assert!(rewards(&deck).contains(&("verify".to_owned(), 0.0)), "{:?}", rewards(&deck));
    let mut deck = Deck::open(Kind::Implementation);
    deck.advance();
    deck.run(close(Status::Cancelled));
    assert_eq!(rewards(&deck), []);
    assert!(is_owing(&deck.state), "that nothing is due is to be recorded too");
    carry_out(&mut deck);
}

#[test]
fn repeating_owes_the_same_records_and_undoing_takes_them_back() {
    let mut deck = ideation(2);
    let first: Vec<String> = records(&deck).into_iter().map(|r| r.id).collect();
    let again: Vec<String> = records(&deck).into_iter().map(|r| r.id).collect();
    assert_eq!(first, again);
    carry_out(&mut deck);
    assert_eq!(deck.state.ledger.effects.records.len(), 2);
    deck.run(Command::Undo { to: None });
    let taken: Vec<Owed> = owed(&deck.state);
    assert_eq!((taken.len(), taken[0].cause, taken[0].remove.len()), (1, Cause::TakenBack, 2));
    carry_out(&mut deck);
    assert!(deck.state.ledger.effects.records.is_empty());
    deck.run(Command::Redo);
    let back: Vec<String> = records(&deck).into_iter().map(|r| r.id).collect();
    assert_eq!(back, first, "redone, they are the same ones");
    carry_out(&mut deck);
    deck.run(Command::Reopen { reason: "more".to_owned(), rounds: 1 });
    assert_eq!(owed(&deck.state)[0].remove.len(), 2);
}

#[test]
fn the_operators_rating_takes_the_place_of_the_automatic_record() {
    let mut deck = ideation(2);
    carry_out(&mut deck);
    let rate = |reward| Command::Rate { phase: "critique".to_owned(), reward };
    deck.run(rate(0.3));
    let due = owed(&deck.state);
    assert_eq!((due.len(), due[0].cause, due[0].remove.len()), (1, Cause::Rating, 1));
    assert_eq!(rewards(&deck), [("critique".to_owned(), 0.3)]);
    carry_out(&mut deck);
    assert_eq!(deck.state.ledger.effects.records.len(), 2);
    deck.run(rate(0.3));
    assert!(!is_owing(&deck.state), "the same again changes nothing");
    deck.run(rate(1.0));
    carry_out(&mut deck);
    assert_eq!(deck.state.ledger.effects.records.len(), 2);
    // Rated before the end: the close writes none for that phase.
    let mut deck = Deck::ideation();
    deck.advance();
    deck.run(rate(0.7));
    carry_out(&mut deck);
    end_by_force(&mut deck);
    assert!(rewards(&deck).iter().all(|(phase, _)| phase != "critique"), "{:?}", rewards(&deck));
}

#[test]
fn only_the_operator_rates_and_only_what_is_there() {
    let mut deck = Deck::ideation();
    let rate = |phase: &str, reward| Command::Rate { phase: phase.to_owned(), reward };
    assert_eq!(deck.refused(rate("nowhere", 0.5)).code, "unknown_phase");
    assert_eq!(deck.refused(rate("critique", 1.1)).code, "invalid_reward");
    assert_eq!(deck.refused(rate("critique", f64::NAN)).code, "invalid_reward");
    let refused = deck.try_as("agent:codex", &rate("critique", 0.5)).expect_err("an agent");
    assert_eq!(refused.code, "operator_only");
}
