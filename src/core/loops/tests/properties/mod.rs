//! What holds for every sequence of commands.

mod commands;
mod stepping;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::fixture::*;
use crate::core::loops::attention::attention;
use crate::core::loops::command::Command;
use crate::core::loops::condition::{Condition, Scope};
use crate::core::loops::evaluate::{self, Detail};
use crate::core::loops::event::{Event, EventBody, Wire, read_event};
use crate::core::loops::explain;
use crate::core::loops::history::Timeline;
use crate::core::loops::index::Index;
use crate::core::loops::model::{Loop, Status};
use crate::core::loops::refusal::{Decision, Refusal};
use commands::{ACTORS, BODIES, Dice, TYPES, command, opened, pick};

/// An event survives its way through the journal's JSON.
fn check_wire(event: &Event) {
    let json = serde_json::to_string(&Wire(event.seq, &event.body)).expect("writes");
    let (seq, body) = read_event(&json).expect("reads");
    assert_eq!(seq, event.seq);
    // What follows from the rest, like the index of a fork, is not written.
    let value = |event: Wire<'_>| serde_json::to_value(event).expect("writes");
    assert_eq!(value(Wire(seq, &body)), value(Wire(event.seq, &event.body)));
}

fn check_explanations(deck: &Deck) {
    let why = deck.why();
    let decision = deck.decide_as("operator", &advance());
    assert_eq!(why.refusal.as_ref().map(|r| r.code), decision.refusal.as_ref().map(|r| r.code));
    assert_eq!(why.would, decision.made.would, "the hint and the real command agree");
    let _ = attention(&deck.state, deck.state.updated_at);
    if let Some(gate) = why.gate.tree {
        let counts = evaluate::gate(&deck.state, Detail::Counts).expect("has a gate");
        assert_eq!((gate.met, gate.text), (counts.met, counts.text));
    }
    let slots = explain::slots(&deck.state);
    assert_eq!(slots.met, slots.waiting.is_empty());
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

/// A refusal says what would help, and what it says helps: each of its command
/// lines is carried out when the operator types it.
fn check_steps(deck: &Deck, refusal: &Refusal) {
    assert!(!refusal.message.is_empty(), "{refusal:?}");
    assert!(!refusal.next_steps.is_empty(), "no way on: {refusal:?}");
    for step in &refusal.next_steps {
        let Some(command) = stepping::command_of(&deck.state, step) else { continue };
        let decision = deck.decide_as("operator", &command);
        let refused = decision.refusal.map(|r| (r.code, r.message));
        assert_eq!(refused, None, "{:?} of {refusal:?}", step.command);
    }
}

/// What a dry run says of an advance is what becomes of it.
fn check_would(deck: &Deck, decision: &Decision) {
    let Some(would) = &decision.made.would else { return };
    assert_eq!(would.target, *deck.state.current_phase);
    assert_eq!(would.iteration, deck.state.iteration_count);
    let closed = deck.state.status.is_closed().then_some(deck.state.status);
    assert_eq!(would.closes, closed);
}

/// Whether a condition looks at nothing but artifacts.
fn is_of_artifacts(condition: &Condition) -> bool {
    match condition {
        Condition::ArtifactProduced { .. } | Condition::MinArtifactsByType { .. } => true,
        Condition::Any { conditions } | Condition::All { conditions } => {
            conditions.iter().all(is_of_artifacts)
        }
        _ => false,
    }
}

fn gate_is_open(state: &Loop) -> bool {
    evaluate::gate(state, Detail::Counts).is_none_or(|gate| gate.met)
}

/// A gate that is made of artifacts and open stays open when one is added in
/// the same phase and round.
fn check_gate(before: &Loop, after: &Loop, command: &Command) {
    let place = |state: &Loop| (state.current_phase.clone(), state.iteration_count);
    let gate = before.phase().and_then(|phase| phase.advance_gate.as_ref());
    let added = matches!(command, Command::AddArtifact(_));
    if added && place(before) == place(after) && gate.is_some_and(is_of_artifacts) {
        assert!(!gate_is_open(before) || gate_is_open(after), "shut by {command:?}");
    }
}

/// Undo restores the content before a command exactly, redo brings it back.
fn check_undo(deck: &Deck, before: &Loop, actor: &str) {
    if content(before) == content(&deck.state) {
        return;
    }
    let mut there = deck.clone();
    let after = content(&deck.state);
    there.try_as(actor, &Command::Undo { to: None }).expect("one's own newest change");
    assert_eq!(content(&there.state), content(before), "undo restores");
    assert_eq!(there.state.ledger, deck.state.ledger, "what was spent stays spent");
    there.try_as(actor, &Command::Redo).expect("right after the undo");
    assert_eq!(content(&there.state), after, "redo brings back");
    there.check();
}

/// What was used once is never used again, whatever was undone meanwhile.
fn check_spent(deck: &Deck) {
    let mut used = BTreeSet::new();
    for event in &deck.events {
        let id = match &event.body {
            EventBody::TurnAssigned { turn_id, .. } => turn_id.to_string(),
            EventBody::ArtifactAdded(added) => added.artifact.artifact_id.to_string(),
            EventBody::PauseTimeout { question_id, .. } => format!("timeout of {question_id}"),
            EventBody::Promoted { artifact_id, .. } => format!("item of {artifact_id}"),
            _ => continue,
        };
        assert!(used.insert(id.clone()), "{id} twice");
    }
}

/// One command of a random sequence, with all that must hold of it.
fn step(deck: &mut Deck, dice: Dice, actor: u8) {
    let before = deck.state.clone();
    let actor = pick(&ACTORS, actor);
    let command = match stepping::chosen(deck, dice) {
        Some(command) => command,
        None => command(&deck.state, dice),
    };
    let preview = deck.decide_as(actor, &command);
    match deck.try_as(actor, &command) {
        Ok(decision) => {
            assert_eq!(decision, preview, "the dry run predicts the run");
            if matches!(command, Command::Advance { .. }) {
                check_would(deck, &decision);
            }
            let back = matches!(command, Command::Undo { .. } | Command::Redo);
            if !back && dice.4.is_multiple_of(2) {
                check_undo(deck, &before, actor);
            }
        }
        Err(refusal) => {
            let journaled = deck.state.version - before.version;
            assert!(journaled <= 1);
            let mut same = deck.state.clone();
            same.version = before.version;
            same.updated_at = before.updated_at;
            same.standing_refusal = before.standing_refusal.clone();
            same.found_shut = before.found_shut.clone();
            assert_eq!(same, before, "a refusal changes nothing");
            check_steps(deck, &refusal);
        }
    }
    check_gate(&before, &deck.state, &command);
    let back = matches!(command, Command::Reopen { .. } | Command::Undo { .. } | Command::Redo);
    if deck.state.status == Status::Open && !back {
        assert!(evaluate::ending(&deck.state).is_none(), "a stop that holds has closed");
    }
}

/// What must hold of a loop whatever was done to it: replay = state, version =
/// last seq, and so on.
fn check_all(deck: &Deck) {
    deck.check();
    check_explanations(deck);
    check_spent(deck);
    assert_eq!(Index::of(&deck.state.artifacts), deck.state.index);
    deck.events.iter().for_each(check_wire);
    let json = serde_json::to_string(&deck.state).expect("writes");
    let mut read: Loop = serde_json::from_str(&json).expect("reads");
    read.index = Index::of(&read.artifacts);
    assert_eq!(read, deck.state, "a snapshot is the state");
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

type Steps = Vec<(Dice, u8)>;

fn steps(most: usize) -> impl Strategy<Value = Steps> {
    prop::collection::vec((any::<Dice>(), any::<u8>()), 1..most)
}

/// Runs a sequence on a new loop, and goes on in a fork of it if the dice say so.
fn run(kind: u8, steps: &Steps) -> Deck {
    let mut deck = opened(kind);
    for (dice, actor) in steps {
        if dice.0 == 250 {
            deck = deck.fork();
        }
        step(&mut deck, *dice, *actor);
    }
    check_all(&deck);
    deck
}

// 10,500 cases in all: many short ones, for they end in every corner and cost
// little, spread over several tests, which run beside each other; and some long.
macro_rules! short_sequences {
    ($($name:ident)*) => {
        proptest! {
            #![proptest_config(config(2_500))]
            $(#[test] fn $name(kind in any::<u8>(), steps in steps(14)) { run(kind, &steps); })*
        }
    };
}

short_sequences!(short_sequences_1 short_sequences_2 short_sequences_3 short_sequences_4);

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn long_sequences_and_every_moment_of_their_past(
        kind in any::<u8>(),
        steps in steps(50),
    ) {
        let mut deck = opened(kind);
        let mut recorded = vec![(deck.state.version, deck.state.clone())];
        for (dice, actor) in &steps {
            step(&mut deck, *dice, *actor);
            check_explanations(&deck);
            recorded.push((deck.state.version, deck.state.clone()));
        }
        check_all(&deck);
        let timeline = Timeline::of(deck.events.iter().cloned()).expect("a loop");
        for (seq, state) in recorded {
            prop_assert_eq!(timeline.at(seq), Some(state), "at {}", seq);
        }
    }

    #[test]
    fn an_open_gate_of_artifacts_stays_open_when_one_is_added(
        gate in gate(),
        bodies in prop::collection::vec((0..TYPES.len(), 0..BODIES.len(), 0..ACTORS.len()), 1..16),
    ) {
        let mut request = request(
            crate::core::loops::protocol::Kind::Ideation,
            crate::core::loops::lint::builtin(crate::core::loops::protocol::Kind::Ideation),
        );
        request.proposal = Some("x".into());
        request.gates = vec![("critique".to_owned(), Some(gate))];
        // Some gates can never open there, and are refused.
        let Ok(mut deck) = Deck::open_with(request) else { return Ok(()) };
        deck.advance();
        let mut was_open = gate_is_open(&deck.state);
        for (kind, body, actor) in bodies {
            let add = Command::AddArtifact(said(TYPES[kind], BODIES[body]));
            let _ = deck.try_as(ACTORS[actor], &add);
            prop_assert_eq!(deck.at(), ("critique", 0));
            let is_open = gate_is_open(&deck.state);
            prop_assert!(!was_open || is_open);
            was_open = is_open;
        }
    }
}

/// A gate made of artifacts.
fn gate() -> impl Strategy<Value = Condition> {
    let produced =
        (0..TYPES.len(), 0..3_usize).prop_map(|(kind, phase)| Condition::ArtifactProduced {
            phase: ["proposal", "critique", "critique"][phase].into(),
            artifact_type: TYPES[kind].into(),
        });
    let counted = (0..TYPES.len(), 1..4_u32, any::<bool>()).prop_map(|(kind, n, whole)| {
        Condition::MinArtifactsByType {
            artifact_type: TYPES[kind].into(),
            n,
            scope: if whole { Scope::Loop } else { Scope::Phase },
        }
    });
    prop_oneof![produced, counted].prop_recursive(2, 6, 3, |inner| {
        let several = prop::collection::vec(inner, 1..3);
        (several, any::<bool>()).prop_map(|(conditions, all)| {
            if all { Condition::All { conditions } } else { Condition::Any { conditions } }
        })
    })
}

#[test]
fn unknown_events_are_kept_if_optional_and_refused_if_not() {
    let json = r#"{"seq":4,"kind":"sparkled","optional":true,"glitter":[1,2]}"#;
    let (seq, body) = read_event(json).expect("optional");
    assert!(matches!(&body, EventBody::Unknown { .. }));
    let again = serde_json::to_string(&Wire(seq, &body)).expect("writes");
    assert_eq!(read_event(&again).expect("reads"), (4, body));
    assert!(read_event(r#"{"seq":4,"kind":"sparkled"}"#).is_err());
    assert!(read_event(r#"{"seq":4,"kind":"paused","reason":3}"#).is_err());
}
