//! Random commands: every verb, with arguments that are right as often as wrong.

use crate::core::loops::binding::{Sequence, Step};
use crate::core::loops::command::{
    Amend, Command, LinkChange, NewArtifact, NewQuestion, Reply, SlotSelector, SupersedeWith,
    VerifyRun,
};
use crate::core::loops::event::Outcome;
use crate::core::loops::lint;
use crate::core::loops::model::{Loop, QuestionScope, Status, TimeoutPolicy};
use crate::core::loops::protocol::{Kind, ReviewMode};

use super::super::fixture::*;

pub const TYPES: [&str; 16] = [
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
pub const BODIES: [&str; 6] = ["accepted", "request changes", "", "passed", "failed", "words"];
pub const ACTORS: [&str; 4] = ["operator", "operator", "agent:codex", "agent:claude"];
const ROLES: [&str; 6] = ["champion", "critic", "reviewer", "author", "executor", "nobody"];

/// One random choice: which verb, and numbers that its arguments are taken from.
pub type Dice = (u8, u8, u8, u8, u8);

pub fn pick<'a>(list: &[&'a str], n: u8) -> &'a str {
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

/// The command that some dice say.
pub fn command(state: &Loop, (verb, a, b, c, d): Dice) -> Command {
    let text = |n: u8| {
        (!n.is_multiple_of(4)).then(|| pick(&["because", "short_round", " "], n).to_owned())
    };
    match verb % 29 {
        27 | 28 => Command::RecordVerify {
            run: VerifyRun {
                command: vec!["check".to_owned()],
                exit_code: (a % 5 != 0).then_some(i32::from(b % 3)),
                passed: a % 5 != 0 && b % 3 == 0,
                duration_ms: 5,
                ..VerifyRun::default()
            },
            phase: match c % 4 {
                0 => state.visits[usize::from(d) % state.visits.len()].phase.clone(),
                _ => state.current_phase.clone(),
            },
            iteration: state.iteration_count,
        },
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
        22 => match a % 4 {
            0 => Command::Archive,
            1 => Command::Unarchive,
            2 => Command::Rate {
                phase: state.current_phase.to_string(),
                reward: f64::from(b % 4) / 3.0,
            },
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
            proof: None,
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

/// A loop of some kind or preset.
pub fn opened(kind: u8) -> Deck {
    let more = kind;
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
    // The upper half of the numbers: with a command that the engine runs.
    request.verify = (kind.has_verify() && more >= 128).then(|| vec!["check".to_owned()]);
    request.proposal = Some("x".into());
    request.slots = kind
        .default_roles()
        .iter()
        .map(|role| slot(role, None))
        .chain([slot("critic", Some("claude"))])
        .collect();
    Deck::open_with(request).expect("opens")
}
