//! A loop as Markdown, fit for a pull request: what was wanted, what came of it,
//! the plan in full, every critique with how it was answered, and the course.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::coverage::{CoverState, Covered, coverage};
use super::event::{Event, EventBody};
use super::ids::ArtifactId;
use super::model::{Artifact, Loop};
use super::plain;
use super::rounds::led_to;
use crate::core::text::{first_chars, plural};

/// Types that tell what a loop led to, the most telling first.
const OUTCOMES: [&str; 7] = [
    "plan_draft",
    "research_summary",
    "verdict",
    "handoff",
    "implementation_summary",
    "change_summary",
    "proposal",
];
/// Characters of an answer that stand beside the critique that it answers.
const ANSWER: usize = 300;

/// The loop as Markdown. `bodies` are the artifacts' texts; one without is
/// shown by its beginning.
pub fn markdown(state: &Loop, events: &[Event], bodies: &BTreeMap<ArtifactId, String>) -> String {
    let mut out = format!("# {}\n\n", in_line(&state.title));
    let body = |artifact: &Artifact| -> String {
        let text = bodies.get(&artifact.artifact_id).map_or(&*artifact.preview, String::as_str);
        text.trim_end().to_owned()
    };
    head(&mut out, state);
    if let Some(main) = outcome(state) {
        let _ = write!(out, "## {}\n\n{}\n\n", heading(&main.artifact_type), body(main));
    }
    critiques(&mut out, state, &body);
    rounds(&mut out, state);
    course(&mut out, state, events);
    let _ = writeln!(out, "<!-- loop {} at version {} -->", state.id, state.version);
    out
}

/// The artifact that tells best what the loop led to.
pub fn outcome(state: &Loop) -> Option<&Artifact> {
    OUTCOMES.iter().find_map(|kind| {
        let of_kind = |a: &&std::sync::Arc<Artifact>| &*a.artifact_type == *kind && a.counts();
        state.artifacts.iter().rev().find(of_kind).map(|a| &**a)
    })
}

fn in_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn heading(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

fn head(out: &mut String, state: &Loop) {
    let round = state.rounds().map(|rounds| format!(", {rounds}")).unwrap_or_default();
    let ended = match &state.close {
        Some(close) => {
            let cap = if close.by_cap { ", by the round cap" } else { "" };
            let why = close.reason.as_ref().map(|r| format!(": {}", in_line(r)));
            format!("**{}**{cap}{}", close.status, why.unwrap_or_default())
        }
        None => format!("{} in {}{round}", state.status, state.current_phase),
    };
    let _ = writeln!(out, "- {} loop: {ended}", heading(state.kind.as_ref()));
    if let Some(goal) = &state.goal {
        let _ = writeln!(out, "- Goal: {}", in_line(goal));
    }
    if let Some(domain) = &state.domain {
        let _ = writeln!(out, "- Domain: {}", in_line(domain));
    }
    if let Some(source) = &state.linked.source_loop_id {
        let _ = writeln!(out, "- Follows `{source}`");
    }
    out.push('\n');
}

fn critiques(out: &mut String, state: &Loop, body: &dyn Fn(&Artifact) -> String) {
    let coverage = coverage(state);
    if coverage.total == 0 {
        return;
    }
    let count = plural(coverage.total, "critique", "critiques");
    let _ = write!(out, "## Critiques\n\n{count}, {} open.\n\n", coverage.open);
    for row in &coverage.critiques {
        critique(out, state, row, body);
    }
    out.push('\n');
}

fn critique(out: &mut String, state: &Loop, row: &Covered, body: &dyn Fn(&Artifact) -> String) {
    let Some(artifact) = state.artifact(row.artifact_id.as_str()) else { return };
    let tick = if row.state == CoverState::Open { ' ' } else { 'x' };
    let label = artifact.subtype.as_ref().map(|s| format!(" ({})", s.replace('_', " ")));
    let said = in_line(&body(artifact));
    let _ = writeln!(out, "- [{tick}] Round {}{}: {said}", row.round, label.unwrap_or_default());
    match row.state {
        CoverState::Open => out.push_str("  - open\n"),
        CoverState::Waived => {
            let reason = row.reason.as_deref().unwrap_or_default();
            let _ = writeln!(out, "  - set aside: {}", in_line(reason));
        }
        CoverState::Addressed => {
            for by in row.by.iter().filter_map(|id| state.artifact(id.as_str())) {
                let answer = in_line(first_chars(&body(by), ANSWER));
                let _ = writeln!(out, "  - answered by the {}: {answer}", words(&by.artifact_type));
            }
        }
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// How many artifacts of which type each round brought.
fn rounds(out: &mut String, state: &Loop) {
    if state.artifacts.is_empty() {
        return;
    }
    let mut of_round: BTreeMap<u32, BTreeMap<&str, usize>> = BTreeMap::new();
    for artifact in state.artifacts.iter().filter(|a| a.counts()) {
        let round = of_round.entry(artifact.iteration + 1).or_default();
        *round.entry(&artifact.artifact_type).or_default() += 1;
    }
    out.push_str("## Rounds\n\n| Round | Brought |\n| --- | --- |\n");
    for (round, types) in of_round {
        let brought: Vec<String> =
            types.iter().map(|(kind, n)| format!("{n} × {}", words(kind))).collect();
        let _ = writeln!(out, "| {round} | {} |", brought.join(", "));
    }
    out.push('\n');
}

/// Where the loop went and when: phases, forced gates, ends.
fn course(out: &mut String, state: &Loop, events: &[Event]) {
    out.push_str("## Course\n\n");
    for event in events {
        let said = match &event.body {
            EventBody::Opened(_) => "opened".to_owned(),
            EventBody::Forked(forked) => {
                format!("forked from `{}` at event {}", forked.source, forked.source_seq)
            }
            EventBody::PhaseAdvanced { from, to, iteration, reason, .. } => {
                format!("{from} → {to}, {}", led_to(*reason, *iteration))
            }
            EventBody::GateSkipped { unmet, .. } => {
                format!("gate passed by force: {}", in_line(&plain::skipped(unmet)))
            }
            EventBody::Closed { status, .. } => format!("closed: {status}"),
            EventBody::Reopened { reason, .. } => format!("reopened: {}", in_line(reason)),
            EventBody::Reverted { to_seq, redo } => {
                format!("{} to event {to_seq}", if *redo { "redone" } else { "undone" })
            }
            _ => continue,
        };
        let at = event.at.to_utc().format("%Y-%m-%d %H:%M");
        let _ = writeln!(out, "- {at} {said} ({})", event.by);
    }
    let count = plural(events.len(), "event", "events");
    let artifacts = plural(state.artifacts.len(), "artifact", "artifacts");
    let _ = write!(out, "\n{count}, {artifacts} in all.\n\n");
}
