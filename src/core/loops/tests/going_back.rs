//! undo, redo, time travel and fork (engine.md §2, §6).

use super::fixture::*;
use crate::core::loops::command::Command;
use crate::core::loops::decide::fork;
use crate::core::loops::event::{Event, EventBody, Outcome};
use crate::core::loops::history::{Timeline, fold};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Loop, Status};
use crate::core::memory::Category;

fn undo() -> Command {
    Command::Undo { to: None }
}

fn undo_to(seq: u64) -> Command {
    Command::Undo { to: Some(seq) }
}

/// A state without what no undo brings back.
fn content(state: &Loop) -> Loop {
    Loop {
        version: 0,
        updated_at: state.created_at,
        ledger: Default::default(),
        standing_refusal: None,
        found_shut: None,
        ..state.clone()
    }
}

#[test]
fn undo_takes_one_change_back_and_again_one_more() {
    let mut deck = Deck::ideation();
    let opened = content(&deck.state);
    deck.advance();
    let in_critique = content(&deck.state);
    deck.add("critique", "one");
    let with_one = content(&deck.state);
    deck.refused(advance());
    deck.run(undo());
    assert_eq!(content(&deck.state), in_critique, "the refusal is passed over");
    deck.run(undo());
    assert_eq!(content(&deck.state), opened);
    assert_eq!(deck.refused(undo()).code, "nothing_to_undo");
    deck.run(Command::Redo);
    assert_eq!(content(&deck.state), in_critique);
    deck.run(Command::Redo);
    assert_eq!(content(&deck.state), with_one);
    assert_eq!(deck.refused(Command::Redo).code, "nothing_to_redo");
    deck.run(undo());
    deck.add("critique", "another");
    assert_eq!(deck.refused(Command::Redo).code, "nothing_to_redo", "after a new commit");
    deck.run(undo());
    assert_eq!(content(&deck.state), in_critique);
    deck.check();
}

#[test]
fn undo_reopens_what_a_commit_closed() {
    let mut deck = Deck::ideation();
    deck.run(Command::Close { status: Status::Cancelled, reason: Some("x".to_owned()) });
    deck.run(undo());
    assert_eq!(deck.state.status, Status::Open);
    deck.run(Command::Redo);
    assert_eq!(deck.state.status, Status::Cancelled);
}

#[test]
fn what_is_beside_the_content_is_never_taken_back() {
    let mut deck = Deck::ideation();
    deck.advance();
    let id = deck.add("critique", "one").to_string();
    deck.run(Command::Archive);
    let promoted = Command::Promote { artifact: id.clone(), category: Some(Category::Traps) };
    let item = deck.run(promoted.clone()).made.item_id.expect("has an id");
    assert!(item.starts_with("trp_"));
    let version = deck.state.version;
    assert_eq!(deck.run(promoted).made.item_id, Some(item));
    assert_eq!(deck.state.version, version, "again is the same item");
    let unnamed = Command::Promote { artifact: id, category: None };
    assert_eq!(deck.refused(unnamed).code, "invalid_category");
    deck.run(undo());
    assert!(deck.state.artifacts.iter().all(|a| &*a.artifact_type != "critique"));
    assert!(deck.state.ledger.archived, "still put away");
    assert_eq!(deck.state.ledger.promoted.len(), 1);
    deck.run(Command::Unarchive);
    deck.run(Command::Redo);
    assert_eq!(deck.state.artifacts.len(), 2);
    deck.check();
}

#[test]
fn a_turn_after_an_undo_has_its_own_id() {
    let mut deck = Deck::ideation();
    deck.advance();
    let first = deck.run(turn("critic")).made.turn_id;
    deck.run(undo());
    let second = deck.run(turn("critic")).made.turn_id;
    assert_ne!(first, second, "ids that were used stay used");
}

#[test]
fn others_changes_are_taken_back_by_name_only() {
    let mut deck = Deck::ideation();
    deck.advance();
    deck.add_as("agent:codex", "critique", "the agent's");
    let refusal = deck.refused(undo());
    assert_eq!(refusal.code, "undo_unsafe");
    let to =
        refusal.next_steps[0].command.rsplit(' ').next().expect("a seq").parse().expect("a number");
    assert_eq!(deck.refused_as("agent:codex", undo_to(to)).code, "operator_only");
    deck.run(undo_to(to));
    assert_eq!(deck.state.artifacts.len(), 1);
    assert_eq!(deck.refused_as("agent:codex", Command::Redo).code, "undo_unsafe");
    let mut deck = Deck::ideation();
    deck.advance();
    deck.add_as("agent:codex", "critique", "its own");
    deck.try_as("agent:codex", &undo()).expect("its own");
}

#[test]
fn moments_are_ends_of_commits() {
    let mut deck = Deck::ideation();
    assert_eq!(deck.state.version, 2, "opened with its proposal");
    assert_eq!(deck.refused(undo_to(1)).code, "not_a_commit_boundary");
    assert_eq!(deck.refused(undo_to(2)).code, "nothing_to_undo");
    assert_eq!(deck.refused(undo_to(9)).code, "unknown_seq");
    assert_eq!(deck.refused(undo_to(0)).code, "unknown_seq");
    deck.advance();
    deck.run(undo_to(2));
    assert_eq!(deck.at(), ("proposal", 0));
    deck.run(undo_to(3));
    assert_eq!(deck.at(), ("critique", 0), "an undone moment can be gone back to");
    deck.check();
}

#[test]
fn every_moment_of_a_timeline_is_the_state_recorded_then() {
    let mut deck = Deck::ideation();
    let mut recorded: Vec<(u64, Loop)> = vec![(deck.state.version, deck.state.clone())];
    for i in 0..900u32 {
        match i % 9 {
            0 => {
                let _ = deck.try_as("operator", &advance());
            }
            3 if i % 2 == 0 => {
                let _ = deck.try_as("operator", &undo());
            }
            5 if i % 4 == 1 => {
                let _ = deck.try_as("operator", &Command::Redo);
            }
            7 => {
                let _ = deck.try_as("operator", &turn("critic"));
                let _ = deck.try_as("operator", &complete("critic", Outcome::Done));
            }
            _ => {
                let _ = deck
                    .try_as("operator", &Command::AddArtifact(said("critique", &i.to_string())));
            }
        }
        recorded.push((deck.state.version, deck.state.clone()));
    }
    assert!(deck.events.len() > 600);
    let timeline = Timeline::of(deck.events.iter().cloned()).expect("a loop");
    assert_eq!(timeline.head(), &deck.state);
    for (seq, state) in &recorded {
        assert_eq!(timeline.at(*seq).as_ref(), Some(state), "at {seq}");
    }
    for seq in [2, recorded[450].0, deck.state.version] {
        let events = &deck.events[..seq as usize];
        assert_eq!(fold(events), timeline.at(seq), "the plain fold agrees at {seq}");
    }
    assert_eq!(timeline.at(0), None);
    assert_eq!(timeline.at(deck.state.version + 1), None);
}

fn forked(source: &Loop) -> Loop {
    let id = LoopId::derive(&[b"fork"]);
    let context = ctx("operator", 500);
    let decision = fork(&id, source, Default::default(), &context);
    let body = decision.events.into_iter().next().expect("one event");
    let event = Event { seq: 1, at: context.now, by: context.actor, body };
    fold(&[event]).expect("begins a loop")
}

#[test]
fn a_fork_goes_on_from_where_the_source_was() {
    let mut deck = Deck::ideation();
    deck.advance();
    let id = deck.add("critique", "one");
    deck.turn("critic");
    let copy = forked(&deck.state);
    assert_eq!((&*copy.current_phase, copy.version), ("critique", 1));
    assert_eq!(copy.linked.source_loop_id.as_ref(), Some(&deck.state.id));
    assert!(copy.slots.iter().all(|s| s.live_turn().is_none()), "live turns are dropped");
    let kept = copy.artifact(id.as_str()).expect("ids are kept");
    assert_eq!(
        kept.origin.as_ref().map(|o| o.seq),
        deck.state.artifact(id.as_str()).map(|a| a.seq)
    );
}

#[test]
fn a_fork_of_an_ended_loop_is_open_and_does_not_end_at_once() {
    let mut deck = Deck::ideation();
    deck.advance();
    let ids: Vec<_> = (0..3).map(|i| deck.add("critique", &i.to_string())).collect();
    deck.run(advance_to("synthesis", None));
    deck.plan(&[&ids[0]]).expect("addressed");
    assert_eq!(deck.state.status, Status::Completed);
    let copy = forked(&deck.state);
    assert_eq!((copy.status, &*copy.current_phase), (Status::Open, "synthesis"));
    let add = Command::AddArtifact(said("critique", "afterthought"));
    let decision = crate::core::loops::decide::decide(&copy, &add, &ctx("operator", 501));
    assert!(!decision.events.iter().any(|e| matches!(e, EventBody::Closed { .. })));
    let mut plan = said("plan_draft", "better");
    plan.addresses = vec![ids[0].to_string()];
    let decision = crate::core::loops::decide::decide(
        &copy,
        &Command::AddArtifact(plan),
        &ctx("operator", 502),
    );
    assert!(
        decision.events.iter().any(|e| matches!(e, EventBody::Closed { .. })),
        "a new plan ends it"
    );

    let mut deck = Deck::open(crate::core::loops::protocol::Kind::Debug);
    deck.add("repro", "x");
    deck.advance();
    for round in 0..3 {
        deck.advance();
        deck.advance();
        deck.add("verify_report", &format!("failed {round}"));
        deck.advance();
    }
    assert_eq!(deck.state.status, Status::Blocked);
    let copy = forked(&deck.state);
    assert_eq!((copy.status, &*copy.current_phase, copy.iteration_count), (Status::Open, "fix", 2));
    assert!(crate::core::loops::evaluate::ending(&copy).is_none());
}
