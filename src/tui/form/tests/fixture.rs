//! A loop in the middle of its work, and a form that is driven by a line of keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::core::loops::Loop;
use crate::core::loops::coverage::{CoverState, Coverage, Covered};
use crate::core::loops::explain::{Evaluated, Node, SlotsEvaluated, Why};
use crate::core::loops::ids::{ArtifactId, LoopId, SlotId, TurnId};
use crate::core::loops::index::Index;
use crate::core::loops::lint::{Lint, builtin};
use crate::core::loops::model::{
    Actor, Artifact, Ledger, Linked, Slot, SlotStatus, Status, Turn, TurnState, Visit,
};
use crate::core::loops::protocol::Kind;
use crate::core::memory::Category;
use crate::core::text::sha256_hex;
use crate::core::time::Timestamp;
use crate::engine::ProtocolInfo;
use crate::tui::theme::Theme;

use super::super::{Form, FormContext, FormEvent, FormKind, MemoryRef, Submission};

/// The moment at which everything happens.
fn now() -> Timestamp {
    Timestamp::from_millis(1_770_000_000_000)
}

/// An artifact of a type in a phase, of round 1.
pub(super) fn artifact(kind: &str, phase: &str, text: &str) -> Artifact {
    Artifact {
        artifact_id: ArtifactId::derive(&[kind.as_bytes(), text.as_bytes()]),
        phase: phase.into(),
        artifact_type: kind.into(),
        subtype: None,
        iteration: 0,
        produced_by: Actor::Agent("codex".into()),
        slot_id: None,
        turn_id: None,
        produced_at: now(),
        seq: 3,
        usable: !text.trim().is_empty(),
        late: false,
        byte_count: text.len() as u64,
        preview: text.chars().take(200).collect(),
        sha256: sha256_hex(text.as_bytes()),
        text_key: sha256_hex(text.trim().as_bytes()).into(),
        addresses_critique: Vec::new(),
        waives: BTreeMap::new(),
        cites: Vec::new(),
        dangling: Vec::new(),
        file: None,
        object: None,
        body_file: None,
        source: None,
        origin: None,
        verdict: None,
        reviewer_standing: false,
        report: None,
        supersedes: None,
        superseded_by: None,
        retracted: None,
    }
}

/// The id of a slot by its role.
pub(super) fn slot_id(role: &str) -> SlotId {
    SlotId::derive(&[role.as_bytes()])
}

fn slot(role: &str, agent: Option<&str>) -> Slot {
    Slot {
        slot_id: slot_id(role),
        role: role.into(),
        agent: agent.map(Into::into),
        status: SlotStatus::Open,
        profile: None,
        lane: None,
        scope_hint: Vec::new(),
        plan_ids: Vec::new(),
        step_ids: Vec::new(),
        read_only: false,
        claimed_by: None,
        turns: imbl::Vector::new(),
    }
}

/// Gives the critic of a loop a live turn in critique.
pub(super) fn with_turn(mut state: Loop) -> Loop {
    let id = state.id.clone();
    let slot = state.slots.iter_mut().find(|s| &*s.role == "critic").expect("a critic");
    slot.status = SlotStatus::Assigned;
    slot.turns.push_back(Turn {
        turn_id: TurnId::of(&id, &slot.slot_id, "critique", 0, 0),
        phase: "critique".into(),
        iteration: 0,
        n: 0,
        state: TurnState::Assigned,
        by: Actor::Operator,
        started_at: now(),
        ended_at: None,
        seq: 4,
        input: None,
        reason: None,
        empty: false,
        late: false,
    });
    state
}

/// The critiques of the fixture, oldest first.
pub(super) const CRITIQUES: [&str; 2] = [
    "Splitting drops the shared cache that both halves rely on.",
    "No plan for the retry path once the dispatcher is its own package.",
];

/// An ideation loop that stands in a phase, with a proposal and two critiques.
pub(super) fn ideation(at: &str) -> Loop {
    let mut artifacts: imbl::Vector<Arc<Artifact>> = imbl::Vector::new();
    artifacts.push_back(Arc::new(artifact("proposal", "proposal", "Split the dispatcher.")));
    for text in CRITIQUES {
        artifacts.push_back(Arc::new(artifact("critique", "critique", text)));
    }
    let visits = ["proposal", "critique", at];
    Loop {
        schema_version: 1,
        id: LoopId::derive(&[b"fixture"]),
        slug: "extract-the-dispatcher".to_owned(),
        version: 7,
        kind: Kind::Ideation,
        title: "Extract the dispatcher into its own package".to_owned(),
        goal: None,
        domain: Some("build".to_owned()),
        protocol: Arc::new(builtin(Kind::Ideation)),
        status: Status::Open,
        current_phase: at.into(),
        iteration_count: 0,
        slots: vec![slot("champion", None), slot("critic", Some("codex"))],
        index: Index::of(&artifacts),
        artifacts,
        linked: Linked::default(),
        forked_from: None,
        open_questions: Vec::new(),
        answers: Default::default(),
        pause_reason: None,
        created_at: now(),
        updated_at: now(),
        closed_at: None,
        close: None,
        created_by: Actor::Operator,
        visits: visits
            .iter()
            .map(|p| Visit {
                phase: (*p).into(),
                iteration: 0,
                at: now(),
                short: false,
                forced: false,
            })
            .collect(),
        stop_floor: 0,
        standing_refusal: None,
        found_shut: None,
        waived: BTreeMap::new(),
        ledger: Ledger::default(),
    }
}

/// The id of a critique of the fixture.
pub(super) fn critique_id(i: usize) -> ArtifactId {
    artifact("critique", "critique", CRITIQUES[i]).artifact_id
}

/// What a form on the fixture may show.
pub(super) fn context(state: Loop) -> FormContext {
    let covered = |i, state| Covered {
        artifact_id: critique_id(i),
        round: 1,
        state,
        by: Vec::new(),
        reason: None,
    };
    FormContext {
        state: Some(Arc::new(state)),
        why: Some(why()),
        coverage: Some(Coverage {
            critiques: vec![covered(0, CoverState::Addressed), covered(1, CoverState::Open)],
            total: 2,
            open: 1,
        }),
        memory: vec![
            memory("trp_7a30c1d2", Category::Traps, "The shared cache is built once at start"),
            memory("not_31ab99f0", Category::RuntimeNotes, "Retries pile up when the queue stalls"),
            memory("dec_05e1b7aa", Category::Decisions, "使用单一的调度器"),
        ],
        protocols: protocols(),
        ..FormContext::default()
    }
}

fn memory(id: &str, category: Category, title: &str) -> MemoryRef {
    MemoryRef { id: id.into(), category, title: title.to_owned() }
}

fn protocols() -> Vec<ProtocolInfo> {
    let info = |name: &str, kind, phases: &[&str], from_workspace| ProtocolInfo {
        name: name.to_owned(),
        kind,
        phases: phases.iter().map(|p| (*p).into()).collect(),
        from_workspace,
        lint: Lint::default(),
    };
    let ideation = ["proposal", "critique", "revision", "synthesis"];
    let reframe = ["proposal", "critique", "revision", "reframe", "synthesis"];
    vec![
        info("ideation", Kind::Ideation, &ideation, false),
        info("ideation+reframe", Kind::Ideation, &reframe, false),
        info("quick", Kind::Ideation, &["proposal", "synthesis"], true),
        info("review", Kind::Review, &["change_summary", "findings"], false),
    ]
}

fn why() -> Why {
    let leaf = Node {
        kind: "min_artifacts_by_type".to_owned(),
        met: false,
        text: "min_artifacts_by_type unmet: phase-scope count of type \"critique\" = 2 < n=3"
            .to_owned(),
        counted: Some(2),
        needed: Some(3),
        counts: vec![critique_id(0), critique_id(1)],
        ignored: Vec::new(),
        conditions: Vec::new(),
    };
    let stop = Node {
        kind: "artifact_produced".to_owned(),
        met: false,
        text: "artifact_produced unmet: no artifact of type \"plan_draft\" in phase \"synthesis\""
            .to_owned(),
        counted: None,
        needed: None,
        counts: Vec::new(),
        ignored: Vec::new(),
        conditions: Vec::new(),
    };
    Why {
        phase: "critique".into(),
        iteration: 0,
        gate: Evaluated { met: false, tree: Some(leaf) },
        slots: SlotsEvaluated { met: true, policy: "all".to_owned(), waiting: Vec::new() },
        stop: Evaluated { met: false, tree: Some(stop) },
        exit: None,
        near_misses: Vec::new(),
        next_steps: Vec::new(),
        would: None,
        refusal: None,
    }
}

/// A key by its name: `C-s`, `S-Tab`, `Enter`, `Space`, `x`.
fn key(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.split_once('-') {
        Some(("C", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("S", rest)) => (KeyModifiers::SHIFT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Tab" if modifiers == KeyModifiers::SHIFT => KeyCode::BackTab,
        "Tab" => KeyCode::Tab,
        "Esc" => KeyCode::Esc,
        "Space" => KeyCode::Char(' '),
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Back" => KeyCode::Backspace,
        one => KeyCode::Char(one.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}

/// Types a line of keys, `text<Enter><C-s>`; the answer to the last one.
pub(super) fn press(form: &mut Form, keys: &str) -> FormEvent {
    let mut last = FormEvent::Ignored;
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let event = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            Some((name, after)) => {
                rest = after;
                key(name)
            }
            None => {
                rest = &rest[c.len_utf8()..];
                KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
            }
        };
        last = form.handle(&Event::Key(event));
    }
    last
}

/// What a form submits after some keys.
pub(super) fn submitted(kind: FormKind, context: FormContext, keys: &str) -> Submission {
    let mut form = Form::new(kind, context);
    match press(&mut form, keys) {
        FormEvent::Submit(submission) => submission,
        other => panic!("no submission but {other:?}\n{}", picture(&form, 80, 24)),
    }
}

/// A form as it looks at a size.
pub(super) fn picture(form: &Form, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a backend");
    let theme = Theme::default();
    terminal.draw(|frame| form.render(frame, frame.area(), &theme)).expect("a frame");
    terminal.backend().to_string()
}
