//! The one word that says what a loop wants now (engine.md §9).

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::attempt::Due;
use super::command::{Command, Ctx};
use super::condition::Condition;
use super::decide::outlook;
use super::evaluate::{self, Detail};
use super::explain::{self, Node};
use super::model::{Actor, Loop, Status, TurnState};
use super::protocol::Work;
use super::refusal::{NextStep, Refusal, Would};
use super::{steps, waiting};
use crate::core::text::plural;
use crate::core::time::Timestamp;

/// What a loop wants; the first that applies.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AttentionState {
    /// It has ended.
    Closed,
    /// It waits for a person.
    Person,
    /// It is held.
    Paused,
    /// Somebody was refused, or something failed, and nothing has happened since.
    Stuck,
    /// An agent works.
    Worker,
    /// It can go on.
    Ready,
    /// Something is still to be done.
    Work,
}

impl AttentionState {
    /// What lists show first: what wants a person, then what can go on, then what
    /// others do, then what is held, and last what has ended. From 0.
    pub fn urgency(self) -> u8 {
        match self {
            AttentionState::Stuck => 0,
            AttentionState::Person => 1,
            AttentionState::Ready => 2,
            AttentionState::Work => 3,
            AttentionState::Worker => 4,
            AttentionState::Paused => 5,
            AttentionState::Closed => 6,
        }
    }
}

/// What a loop wants and the step that answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attention {
    /// The word.
    pub state: AttentionState,
    /// What is missing or why, in a few words (`critique 2/3`).
    pub detail: String,
    /// The step; none for a closed loop.
    pub next: Option<NextStep>,
    /// Nothing has happened for more than 7 days, and it is not closed.
    pub idle: bool,
}

/// A loop in which nothing happened for longer is marked idle.
const IDLE_AFTER_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// What a loop wants at a moment: one function for header, list, facets and
/// status. It doesn't look at the workspace; a green counts as recorded.
pub fn attention(state: &Loop, now: Timestamp) -> Attention {
    let preview = Preview::of(state, now);
    let (word, detail) = word(state, &preview, now);
    Attention {
        state: word,
        detail,
        next: next_step(state, word, &preview, now),
        idle: !state.status.is_closed() && now.since(state.updated_at) > IDLE_AFTER_MS,
    }
}

/// What advance would do now.
struct Preview {
    would: Option<Would>,
    refusal: Option<Refusal>,
}

impl Preview {
    fn of(state: &Loop, now: Timestamp) -> Self {
        if state.status != Status::Open {
            return Self { would: None, refusal: None };
        }
        let ctx = Ctx {
            now,
            actor: Actor::Operator,
            grants: Default::default(),
            entropy: [0; 32],
            workspace_digest: None,
            known_cites: Default::default(),
            history: None,
        };
        let advance = Command::Advance { to: None, force: false, reason: None };
        let decision = outlook(state, &advance, &ctx);
        let refused = decision.refusal.is_some();
        Self { would: decision.made.would.filter(|_| !refused), refusal: decision.refusal }
    }
}

fn word(state: &Loop, preview: &Preview, now: Timestamp) -> (AttentionState, String) {
    if state.status.is_closed() {
        return (AttentionState::Closed, closed_detail(state));
    }
    if !state.open_questions.is_empty() {
        let mut waiting = plural(state.open_questions.len(), "question waits", "questions wait");
        if !state.overdue(now).is_empty() {
            waiting.push_str(", overdue");
        }
        return (AttentionState::Person, waiting);
    }
    if let Some(kind) = person_owes(state) {
        return (AttentionState::Person, format!("{kind} is yours to give"));
    }
    if state.status == Status::Paused {
        return (AttentionState::Paused, state.pause_reason.clone().unwrap_or_default());
    }
    if let Some(detail) = stuck(state, now) {
        return (AttentionState::Stuck, detail);
    }
    if let Some(detail) = agent_at_work(state) {
        return (AttentionState::Worker, detail);
    }
    let worked = is_bind(state) || explain::holds_expected(state) || explain::has_ended_turn(state);
    match &preview.would {
        Some(would) if worked => (AttentionState::Ready, ready_detail(would)),
        _ => (AttentionState::Work, missing(state, preview)),
    }
}

fn closed_detail(state: &Loop) -> String {
    match &state.close {
        Some(close) if close.by_cap => {
            format!(
                "round cap reached after {}",
                plural(close.from_iteration as usize + 1, "round", "rounds")
            )
        }
        Some(close) => close.reason.clone().unwrap_or_default(),
        None => String::new(),
    }
}

/// The usual type of a phase whose work is a person's and that holds none of
/// its expected types in this round.
fn person_owes(state: &Loop) -> Option<&str> {
    let phase = state.phase().filter(|p| p.work == Work::Person)?;
    if explain::holds_expected(state) {
        return None;
    }
    Some(phase.expects.first().map_or("an artifact", |t| &**t))
}

fn is_bind(state: &Loop) -> bool {
    state.phase().is_some_and(|p| p.work == Work::Engine && p.expects.is_empty())
}

fn stuck(state: &Loop, now: Timestamp) -> Option<String> {
    let slots = explain::slots(state);
    let failed = slots.waiting.iter().find(|w| w.state == TurnState::Failed.as_ref());
    if let Some(failed) = failed {
        return Some(failed.text.clone());
    }
    if let Some(doubt) = state.attempt_in_doubt(now) {
        return Some(doubt);
    }
    let standing = state.standing_refusal.as_ref()?;
    Some(match standing.code.as_str() {
        "slots_pending" => "turn not finished".to_owned(),
        "saturation_doubtful" => "doubtful: nothing new?".to_owned(),
        _ => gate_count(state).unwrap_or_else(|| "gate shut".to_owned()),
    })
}

/// An agent that has a turn, in words; not one whose worker is gone.
fn agent_at_work(state: &Loop) -> Option<String> {
    state.slots.iter().find_map(|slot| {
        let turn = slot.live_turn()?;
        let agent = slot.agent.as_ref().or_else(|| turn.by.agent())?;
        let taken = || state.live_attempt(slot)?.out(state)?.accepted.as_ref();
        Some(match state.due(slot) {
            Some(Due::Launch | Due::Person) => return None,
            Some(Due::Result) if taken().is_some() => {
                format!("the result of {agent} as {} is due again", slot.role)
            }
            _ => format!("{agent} works as {}", slot.role),
        })
    })
}

fn ready_detail(would: &Would) -> String {
    match would.closes {
        Some(status) => format!("closes: {status}"),
        None => format!("to {}", would.target),
    }
}

/// The first unmet count of the gate: `critique 2/3`.
fn gate_count(state: &Loop) -> Option<String> {
    let gate = evaluate::gate(state, Detail::Counts)?;
    let condition = state.phase()?.advance_gate.as_ref()?;
    first_unmet(condition, &gate)
}

fn first_unmet(condition: &Condition, node: &Node) -> Option<String> {
    if node.met {
        return None;
    }
    if !node.conditions.is_empty() {
        return condition
            .children()
            .iter()
            .zip(&node.conditions)
            .find_map(|(c, n)| first_unmet(c, n));
    }
    let (counted, needed) = (node.counted.unwrap_or(0), node.needed.unwrap_or(1));
    Some(match condition {
        Condition::MinArtifactsByType { artifact_type, .. }
        | Condition::ArtifactProduced { artifact_type, .. } => {
            format!("{artifact_type} {counted}/{needed}")
        }
        Condition::ReviewerGreen => "verdict missing".to_owned(),
        Condition::MaxIterations { .. } | Condition::MinIterations { .. } => {
            format!("round {counted}/{needed}")
        }
        Condition::PhaseReached { phase } => format!("phase {phase} not reached"),
        Condition::NoOpenQuestions => "questions open".to_owned(),
        _ => "closes only by hand".to_owned(),
    })
}

fn missing(state: &Loop, preview: &Preview) -> String {
    let code = preview.refusal.as_ref().map(|r| r.code);
    let waits = state.slots.iter().find(|slot| state.due(slot) == Some(Due::Launch));
    if let Some(slot) = waits {
        return format!("{} waits to be handed out", slot.role);
    }
    if let Some(count) = gate_count(state) {
        return count;
    }
    if code == Some("at_last_phase") {
        let stop = evaluate::stop(state, Detail::Counts);
        let condition = state.protocol.stop_condition.as_ref();
        return condition
            .zip(stop.as_ref())
            .and_then(|(c, n)| first_unmet(c, n))
            .unwrap_or_else(|| "closes only by hand".to_owned());
    }
    if code == Some("slots_pending") {
        return explain::slots(state).waiting.first().map(|w| w.text.clone()).unwrap_or_default();
    }
    let expected = state.phase().and_then(|p| p.expects.first());
    expected.map_or_else(|| "something to say".to_owned(), |t| format!("{t} missing"))
}

fn next_step(
    state: &Loop,
    word: AttentionState,
    preview: &Preview,
    now: Timestamp,
) -> Option<NextStep> {
    match word {
        AttentionState::Closed => None,
        AttentionState::Ready => Some(NextStep::new("advance", steps::advance(state))),
        AttentionState::Worker => {
            waiting::slot_steps(state, &explain::slots(state), now).into_iter().next()
        }
        _ => explain::next_steps(state, preview.refusal.as_ref(), now).into_iter().next(),
    }
}
