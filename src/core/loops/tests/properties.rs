//! What holds for every sequence of commands.

use proptest::prelude::*;

use super::fixture::*;
use crate::core::loops::attention::attention;
use crate::core::loops::binding::{Sequence, Step};
use crate::core::loops::command::{
    Amend, Command, LinkChange, NewArtifact, NewQuestion, Reply, SlotSelector, SupersedeWith,
};
use crate::core::loops::evaluate::{self, Detail};
use crate::core::loops::event::{Event, EventBody, Outcome, Wire, read_event};
use crate::core::loops::explain;
use crate::core::loops::index::Index;
use crate::core::loops::lint;
use crate::core::loops::model::{Loop, QuestionScope, Status, TimeoutPolicy};
use crate::core::loops::protocol::{Kind, ReviewMode};

const TYPES: [&str; 16] = [
    "signals_report",
    "project_md_draft",
    "proposal",
    "critique",
    "revision",
    "plan_draft",
    "finding",
    "verdict",
    "synthesis",
    "critic_signal",
    "verify_report",
    "repro",
    "handoff",
    "coverage_gap",
    "change_summary",
    "changes_applied",
];
const BODIES: [&str; 6] = ["accepted", "request changes", "", "passed", "failed", "words"];
const ACTORS: [&str; 4] = ["operator", "operator", "agent:codex", "agent:claude"];
const ROLES: [&str; 6] = ["champion", "critic", "reviewer", "author", "executor", "nobody"];

/// One random choice: which verb, and numbers that its arguments are taken from.
type Dice = (u8, u8, u8, u8, u8);

fn pick<'a>(list: &[&'a str], n: u8) -> &'a str {
    list[usize::from(n) % list.len()]
}

fn some_artifact(state: &Loop, n: u8) -> String {
    match state.artifacts.len() {
        0 => "art_000000000000".to_owned(),
        len => state.artifacts[usize::from(n) % len].artifact_id.to_string(),
    }
}

fn some_slot(state: &Loop, n: u8) -> String {
    state.slots[usize::from(n) % state.slots.len()].slot_id.to_string()
}

fn artifact(state: &Loop, a: u8, b: u8, c: u8) -> NewArtifact {
    let mut new = said(pick(&TYPES, a), pick(&BODIES, b));
    if c.is_multiple_of(3) {
        new.addresses = vec![some_artifact(state, c)];
    }
    if c.is_multiple_of(11) {
        new.phase = Some(
            state.protocol.phases[usize::from(c) % state.protocol.phases.len()].name.to_string(),
        );
    }
    new
}

fn command(state: &Loop, (verb, a, b, c, d): Dice) -> Command {
    let text = |n: u8| {
        (!n.is_multiple_of(4)).then(|| pick(&["because", "short_round", " "], n).to_owned())
    };
    match verb % 27 {
        26 => Command::Bind {
            plans: (a % 2 == 0).then(|| "pln_1".to_owned()).into_iter().collect(),
            sequence: (b % 2 == 0).then(|| Sequence {
                path: "all.toml".to_owned(),
                steps: (0..1 + c % 3)
                    .map(|n| Step {
                        id: n.to_string(),
                        plan: "pln_2".to_owned(),
                        lane: (d % 2 == 0).then(|| n.to_string()),
                        paths: vec!["src".to_owned()],
                    })
                    .collect(),
            }),
        },
        23 => Command::Ask(NewQuestion {
            text: pick(&["Which one?", ""], a / 64).to_owned(),
            evidence: vec!["it is open".to_owned()],
            default: (c % 2 == 0).then(|| "the first".to_owned()),
            scope: if a % 2 == 0 { QuestionScope::Slot } else { QuestionScope::Loop },
            on_timeout: [
                TimeoutPolicy::ContinueIncomplete,
                TimeoutPolicy::UseDefault,
                TimeoutPolicy::CancelLoop,
            ][usize::from(b % 3)],
            deadline: (d % 2 == 0).then(|| "3s".to_owned()),
            ..NewQuestion::default()
        }),
        24 => Command::Answer {
            question: match state.open_questions.first() {
                Some(question) if a % 4 != 0 => question.question_id.to_string(),
                _ => some_artifact(state, b),
            },
            reply: match c % 4 {
                0 => Reply::Skip,
                1 => Reply::Choose("change".to_owned()),
                _ => Reply::Text("approve".to_owned()),
            },
        },
        25 => Command::Timeout,
        20 => Command::Undo { to: (a % 3 == 0).then(|| 1 + u64::from(b) % (state.version + 1)) },
        21 => Command::Redo,
        22 => match a % 3 {
            0 => Command::Archive,
            1 => Command::Unarchive,
            _ => Command::Promote {
                artifact: some_artifact(state, b),
                category: Some(crate::core::memory::Category::Traps),
            },
        },
        0..=5 => Command::AddArtifact(artifact(state, a, b, c)),
        6..=9 => advance(),
        10 => {
            let to = &state.protocol.phases[usize::from(a) % state.protocol.phases.len()].name;
            Command::Advance { to: Some(to.to_string()), force: b % 3 == 0, reason: text(c) }
        }
        11 => Command::Advance { to: None, force: true, reason: text(c) },
        12 => Command::Turn {
            slot: if a % 2 == 0 {
                SlotSelector::Slot(some_slot(state, b))
            } else {
                SlotSelector::Role(pick(&ROLES, b).to_owned())
            },
            input: None,
        },
        13 | 14 => Command::CompleteTurn {
            slot: some_slot(state, a),
            turn: None,
            outcome: [Outcome::Done, Outcome::Done, Outcome::Failed, Outcome::Cancelled]
                [usize::from(b % 4)],
            reason: text(c),
            artifacts: if d % 3 == 0 { vec![artifact(state, a, b, c)] } else { Vec::new() },
        },
        15 => Command::Supersede {
            artifact: some_artifact(state, a),
            new: SupersedeWith {
                content: said("x", pick(&BODIES, b)).content,
                ..Default::default()
            },
        },
        16 => Command::Retract { artifact: some_artifact(state, a), reason: "r".to_owned() },
        17 => match a % 3 {
            0 => Command::Pause { reason: text(b) },
            1 => Command::Resume,
            _ => Command::Waive { artifact: some_artifact(state, b), reason: "w".to_owned() },
        },
        18 => match a % 3 {
            0 => Command::Close {
                status: [Status::Completed, Status::Cancelled, Status::Blocked][usize::from(b % 3)],
                reason: text(c),
            },
            _ => Command::Reopen { reason: "again".to_owned(), rounds: 1 },
        },
        _ => match a % 3 {
            0 => Command::Amend(Amend { max_rounds: Some(u32::from(b % 6)), ..Amend::default() }),
            1 => Command::Amend(Amend {
                add_slots: vec![slot("critic", Some("codex"))],
                ..Amend::default()
            }),
            _ => Command::Link(LinkChange {
                plans: vec!["pln_1".to_owned()],
                ..LinkChange::default()
            }),
        },
    }
}

fn opened(kind: u8) -> Deck {
    let (kind, protocol, mode) = match kind % 9 {
        8 => {
            let (kind, protocol) = lint::preset("bootstrap").expect("exists");
            (kind, protocol, None)
        }
        0 | 1 => (Kind::Ideation, lint::builtin(Kind::Ideation), None),
        2 => (Kind::Review, lint::builtin(Kind::Review), None),
        3 => (Kind::Review, lint::builtin(Kind::Review), Some(ReviewMode::Symmetric)),
        4 => (Kind::Research, lint::builtin(Kind::Research), None),
        5 => (Kind::Implementation, lint::builtin(Kind::Implementation), None),
        6 => (Kind::Debug, lint::builtin(Kind::Debug), None),
        _ => {
            let (kind, protocol) = lint::preset("ideation+reframe").expect("exists");
            (kind, protocol, None)
        }
    };
    let mut request = request(kind, protocol);
    request.review_mode = mode;
    request.proposal = Some("x".into());
    request.slots = kind
        .default_roles()
        .iter()
        .map(|role| slot(role, None))
        .chain([slot("critic", Some("claude"))])
        .collect();
    Deck::open_with(request).expect("opens")
}

/// Each event survives its way through the journal's JSON.
fn through_the_wire(event: &Event) -> Event {
    let json = serde_json::to_string(&Wire(event.seq, &event.body)).expect("writes");
    let (seq, body) = read_event(&json).expect("reads");
    Event { seq, body, at: event.at, by: event.by.clone() }
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

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        max_shrink_iters: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sequence_of_commands(
        kind in any::<u8>(),
        steps in prop::collection::vec((any::<Dice>(), any::<u8>()), 1..50),
    ) {
        let mut deck = opened(kind);
        for (dice, actor) in steps {
            let before = deck.state.clone();
            let command = command(&deck.state, dice);
            let actor = pick(&ACTORS, actor);
            let preview = deck.decide_as(actor, &command);
            match deck.try_as(actor, &command) {
                Ok(decision) => prop_assert_eq!(&decision, &preview, "the dry run predicts the run"),
                Err(refusal) => {
                    prop_assert!(!refusal.message.is_empty());
                    let journaled = deck.state.version - before.version;
                    prop_assert!(journaled <= 1);
                    let mut same = deck.state.clone();
                    same.version = before.version;
                    same.updated_at = before.updated_at;
                    same.standing_refusal = before.standing_refusal.clone();
                    prop_assert_eq!(&same, &before, "a refusal changes nothing");
                }
            }
            check_explanations(&deck);
            prop_assert_eq!(&Index::of(&deck.state.artifacts), &deck.state.index);
            let back = matches!(command, Command::Reopen { .. } | Command::Undo { .. } | Command::Redo);
            if deck.state.status == Status::Open && !back {
                prop_assert!(evaluate::ending(&deck.state).is_none(), "a stop that holds has closed");
            }
        }
        deck.check();
        let wired: Vec<Event> = deck.events.iter().map(through_the_wire).collect();
        prop_assert_eq!(&wired, &deck.events);
        let json = serde_json::to_string(&deck.state).expect("writes");
        let mut read: Loop = serde_json::from_str(&json).expect("reads");
        read.index = Index::of(&read.artifacts);
        prop_assert_eq!(&read, &deck.state, "a snapshot is the state");
    }

    #[test]
    fn an_open_gate_of_artifacts_stays_open_when_one_is_added(
        bodies in prop::collection::vec(0u8..6, 3..12),
        more in any::<u8>(),
    ) {
        let mut deck = Deck::ideation();
        deck.advance();
        for body in bodies {
            deck.add("critique", pick(&BODIES, body));
        }
        let open = evaluate::gate(&deck.state, Detail::Counts).is_some_and(|g| g.met);
        deck.add("critique", pick(&BODIES, more));
        let still = evaluate::gate(&deck.state, Detail::Counts).is_some_and(|g| g.met);
        prop_assert!(!open || still);
    }
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
