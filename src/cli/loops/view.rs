//! How loops, artifacts and events look in a page of plain text.

use crate::cli::page::{Cell, Page, Span, Tone, gap, plain, span};
use crate::cli::when::age;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::model::{Artifact, Loop, Slot, SlotStatus, Status, Turn, TurnState};
use crate::core::text::first_chars;
use crate::core::time::Timestamp;
use crate::engine::LoopSummary;

/// The beginning of an id that people type: the prefix and eight digits.
pub fn short(id: &str) -> &str {
    let digits = id.find('_').map_or(0, |at| at + 1);
    first_chars(id, digits + 8)
}

/// The beginning of a loop's id as lists show it, without its prefix: enough to
/// type.
pub fn handle(l: &LoopSummary) -> &str {
    let id = l.id.as_str();
    first_chars(id.split_once('_').map_or(id, |(_, digits)| digits), 8)
}

/// A kind of loop in a column.
pub fn kind_in_list(l: &LoopSummary) -> &'static str {
    l.kind.into()
}

/// The sign of what a loop wants.
pub fn attention_mark(state: AttentionState, status: Status) -> &'static str {
    match state {
        AttentionState::Closed => status_mark(status),
        AttentionState::Person => "?",
        AttentionState::Paused => "◌",
        AttentionState::Stuck => "✗",
        AttentionState::Worker => "◐",
        AttentionState::Ready => "▶",
        AttentionState::Work => "●",
    }
}

/// The tone of what a loop wants.
pub fn attention_tone(state: AttentionState) -> Tone {
    match state {
        AttentionState::Closed | AttentionState::Paused => Tone::Muted,
        AttentionState::Person | AttentionState::Worker => Tone::Warn,
        AttentionState::Stuck => Tone::Bad,
        AttentionState::Ready => Tone::Good,
        AttentionState::Work => Tone::Plain,
    }
}

/// The sign of a status.
pub fn status_mark(status: Status) -> &'static str {
    match status {
        Status::Open => "●",
        Status::Paused => "◌",
        Status::Completed => "✓",
        Status::Blocked => "■",
        Status::Cancelled => "–",
    }
}

/// The tone of a status.
pub fn status_tone(status: Status) -> Tone {
    match status {
        Status::Open => Tone::Plain,
        Status::Paused => Tone::Warn,
        Status::Completed => Tone::Good,
        Status::Blocked => Tone::Bad,
        Status::Cancelled => Tone::Muted,
    }
}

/// Where a loop stands: `proposal`, `critique · round 2 of 3`, `synthesis ·
/// after 2 rounds`.
pub fn place(state: &Loop) -> String {
    match state.rounds() {
        Some(rounds) => format!("{} · {rounds}", state.current_phase),
        None => state.current_phase.to_string(),
    }
}

/// The rail: phases with done, current and to come, the cycle in a bracket.
pub fn rail(state: &Loop) -> Vec<Span> {
    let cycle: &[_] = state.protocol.iteration.as_ref().map_or(&[], |i| &i.cycle);
    let mut spans = Vec::new();
    for (index, phase) in state.protocol.phases.iter().enumerate() {
        let first = cycle.first() == Some(&phase.name);
        let inside = cycle.contains(&phase.name);
        if index > 0 {
            let arrow = if inside && !first { " ⇄ " } else { " ──▶ " };
            spans.push(joint(arrow));
        }
        if first {
            spans.push(joint("( "));
        }
        spans.extend(rail_phase(state, &phase.name, index));
        if cycle.last() == Some(&phase.name) {
            spans.push(joint(" )"));
        }
    }
    spans
}

/// What stands between phases, its blanks kept.
fn joint(text: &str) -> Span {
    let core = text.trim();
    let (before, after) = text.split_once(core).unwrap_or(("", ""));
    span(Tone::Muted, core).padded(before, after)
}

fn rail_phase(state: &Loop, name: &str, index: usize) -> Vec<Span> {
    let here = state.protocol.position(&state.current_phase).unwrap_or(usize::MAX);
    let visited = state.visits.iter().any(|v| &*v.phase == name);
    if &*state.current_phase == name {
        let (mark, tone) = if state.status.is_closed() {
            (status_mark(state.status), status_tone(state.status))
        } else {
            ("●", Tone::Strong)
        };
        return vec![span(tone, mark), gap(1), span(Tone::Strong, name)];
    }
    if index < here && visited {
        return vec![span(Tone::Good, "✓"), gap(1), plain(name)];
    }
    vec![span(Tone::Muted, name)]
}

/// Who holds a slot, for people.
pub fn holder(slot: &Slot) -> String {
    match (&slot.agent, &slot.claimed_by) {
        (Some(agent), _) => agent.to_string(),
        (None, Some(actor)) => who(&actor.to_string()),
        (None, None) => "nobody yet".to_owned(),
    }
}

/// An actor for people: `you` is the operator.
pub fn who(actor: &str) -> String {
    match actor {
        "operator" => "you".to_owned(),
        other => other.strip_prefix("agent:").unwrap_or(other).to_owned(),
    }
}

/// A row of the slots' table.
pub fn slot_row(state: &Loop, slot: &Slot, now: Timestamp) -> Vec<Cell> {
    let turn = slot.newest_turn(&state.current_phase, state.iteration_count);
    let tone = match slot.status {
        SlotStatus::Done => Tone::Good,
        SlotStatus::Failed => Tone::Bad,
        SlotStatus::Assigned | SlotStatus::Working | SlotStatus::WaitingInput => Tone::Warn,
        SlotStatus::Open | SlotStatus::Cancelled => Tone::Muted,
    };
    vec![
        plain(&slot.role).into(),
        plain(holder(slot)).into(),
        span(tone, words(slot.status.as_ref())).into(),
        turn.map_or_else(Cell::default, |t| turn_cell(t, now)),
        span(Tone::Muted, short(slot.slot_id.as_str())).into(),
    ]
}

fn turn_cell(turn: &Turn, now: Timestamp) -> Cell {
    let when = match turn.ended_at {
        Some(at) => format!("ended {}", age(at, now)),
        None => format!("since {}", age(turn.started_at, now)),
    };
    let mut spans = vec![span(Tone::Muted, when)];
    if turn.empty && turn.state == TurnState::Done {
        spans.extend([gap(1), span(Tone::Warn, "with nothing new")]);
    }
    if let Some(reason) = &turn.reason {
        spans.extend([gap(1), plain(format!("– {}", first_chars(reason, 80)))]);
    }
    spans.into()
}

/// A row of a table of artifacts: sign, id, type, round, who, what it says, when.
pub fn artifact_row(state: &Loop, artifact: &Artifact, now: Timestamp) -> Vec<Cell> {
    let (mark, tone) = match artifact.counts() {
        true => ("▸", Tone::Plain),
        false => ("·", Tone::Muted),
    };
    let kind = match &artifact.subtype {
        Some(subtype) => format!("{}/{subtype}", artifact.artifact_type),
        None => artifact.artifact_type.to_string(),
    };
    let mut said = Vec::new();
    let repeated = || state.repeats(artifact).then_some("duplicate");
    if let Some(flag) = discount(artifact).or_else(repeated) {
        said.extend([span(Tone::Warn, format!("({flag})")), gap(1)]);
    }
    said.push(span(tone, first_chars(&artifact.said(), 120)));
    vec![
        span(tone, mark).into(),
        span(Tone::Muted, short(artifact.artifact_id.as_str())).into(),
        span(tone, kind).into(),
        span(Tone::Muted, format!("round {}", artifact.iteration + 1)).into(),
        span(Tone::Muted, who(&artifact.produced_by.to_string())).into(),
        said.into(),
        span(Tone::Muted, age(artifact.produced_at, now)).into(),
    ]
}

/// Why an artifact doesn't count, in a word.
pub fn discount(artifact: &Artifact) -> Option<&'static str> {
    if artifact.retracted.is_some() {
        Some("retracted")
    } else if artifact.superseded_by.is_some() {
        Some("superseded")
    } else if artifact.late {
        Some("late")
    } else if !artifact.usable {
        Some("blank")
    } else {
        None
    }
}

/// The tone of a loop's sign in a list.
pub fn mark_tone(l: &LoopSummary) -> Tone {
    if l.status.is_closed() { status_tone(l.status) } else { attention_tone(l.attention) }
}

/// What a loop wants, in few words.
pub fn detail(l: &LoopSummary) -> String {
    if let (true, None) = (l.status.is_closed(), &l.read_only) {
        return l.status.to_string();
    }
    if let Some(why) = &l.read_only {
        return format!("{why}, may only be read");
    }
    let word = l.attention.as_ref();
    match (l.attention, l.attention_detail.as_str()) {
        (_, "") => word.to_owned(),
        (AttentionState::Stuck | AttentionState::Paused | AttentionState::Ready, detail) => {
            format!("{word}: {detail}")
        }
        (_, detail) => detail.to_owned(),
    }
}

/// `waiting_input` → `waiting input`.
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Says how many more there are, and how to see them.
pub fn more(page: &mut Page, shown: usize, total: usize, how: &str) {
    if total > shown {
        let rest = total - shown;
        page.line(vec![gap(2), span(Tone::Muted, format!("{rest} more: {how}"))]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_ids_keep_their_prefix() {
        assert_eq!(short("lop_0123456789abcdef"), "lop_01234567");
        assert_eq!(short("slt_01234567"), "slt_01234567");
        assert_eq!(short("x"), "x");
    }
}
