//! What several sheets need: choices of artifacts, critiques, types, memory, slots.

use std::collections::HashMap;

use crate::core::loops::actor::Actor;
use crate::core::loops::condition::Condition;
use crate::core::loops::coverage::CoverState;
use crate::core::loops::ids::Name;
use crate::core::loops::model::{Artifact, Loop, Slot};
use crate::core::text::has_visible;
use crate::tui::widget::text::one_line;

use super::super::api::FormContext;
use super::super::choice::Choice;

/// The type whose artifacts gates and coverage call critiques.
pub const CRITIQUE: &str = "critique";

/// Types that only other verbs file (engine.md §6, request_input and provide_input).
const OTHER_VERBS: [&str; 2] = ["operator_question", "operator_answer"];

/// The first words of an artifact, or what is said where there are none.
pub fn headline(artifact: &Artifact) -> String {
    let said = artifact.said();
    let line = said.lines().find(|l| has_visible(l)).unwrap_or_default();
    match (line.trim(), &artifact.file) {
        ("", Some(file)) => file.reference.clone(),
        ("", None) => "(blank)".to_owned(),
        (line, _) => one_line(line).into_owned(),
    }
}

/// An id without most of its digits, as lists show it.
pub fn short_id(id: &str) -> &str {
    let end = id.char_indices().nth(8).map_or(id.len(), |(i, _)| i);
    &id[..end]
}

/// A choice that stands for an artifact.
fn artifact_choice(artifact: &Artifact, more: &str) -> Choice {
    let id = artifact.artifact_id.as_str();
    let note = format!("{} · round {}{more}", short_id(id), artifact.iteration + 1);
    let what = &artifact.artifact_type;
    let by = format!("{what} in {} by {}", artifact.phase, artifact.produced_by);
    Choice::new(id, headline(artifact)).note(note).detail(by).detail(artifact.said().into_owned())
}

/// The loop's critiques, open ones first, else the newest first.
pub fn critiques(context: &FormContext) -> Vec<Choice> {
    let Some(state) = &context.state else { return Vec::new() };
    let rows = context.coverage.as_ref().map_or(&[][..], |c| &c.critiques);
    let cover: HashMap<&str, CoverState> =
        rows.iter().map(|c| (c.artifact_id.as_str(), c.state)).collect();
    let mut found: Vec<(bool, Choice)> = state
        .artifacts
        .iter()
        .rev()
        .filter(|a| &*a.artifact_type == CRITIQUE && a.counts())
        .map(|a| {
            let state = cover.get(a.artifact_id.as_str()).copied();
            let settled = matches!(state, Some(CoverState::Addressed | CoverState::Waived));
            let word = state.map(|s| format!(" · {s}")).unwrap_or_default();
            (settled, artifact_choice(a, &word))
        })
        .collect();
    found.sort_by_key(|(settled, _)| *settled);
    found.into_iter().map(|(_, choice)| choice).collect()
}

/// The artifacts that stand, newest first.
pub fn standing(state: &Loop, only: impl Fn(&Artifact) -> bool) -> Vec<Choice> {
    let found = state.artifacts.iter().rev().filter(|a| a.is_current() && only(a));
    found.map(|a| artifact_choice(a, &format!(" · {}", a.artifact_type))).collect()
}

/// The memory items that may be cited.
pub fn memory(context: &FormContext) -> Vec<Choice> {
    let items = context.memory.iter();
    items
        .map(|m| {
            let title = one_line(&m.title).into_owned();
            Choice::new(&*m.id, title).note(format!("{} · {}", m.id, m.category))
        })
        .collect()
}

/// The artifact types for the phase that a loop is in: those that the gate
/// counts, those that end the loop here, those that belong here, then the others.
pub fn types(state: &Loop) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    let mut add = |name: &str, note: String| {
        if !OTHER_VERBS.contains(&name) && !found.iter().any(|c| c.value == name) {
            let signal = name == "critic_signal";
            let note = if signal { format!("nothing is missing; {note}") } else { note };
            found.push(Choice::plain(name).note(note));
        }
    };
    let phase = state.phase();
    let gate = phase.and_then(|p| p.advance_gate.as_ref());
    for name in gate.into_iter().flat_map(|g| counted_types(g, &state.current_phase)) {
        add(&name, "the gate wants it".to_owned());
    }
    let stop = state.protocol.stop_condition.as_ref();
    for name in stop.into_iter().flat_map(|s| ending_types(s, &state.current_phase)) {
        add(&name, "ends the loop".to_owned());
    }
    for name in phase.into_iter().flat_map(|p| &p.expects) {
        add(name, "belongs here".to_owned());
    }
    for other in &state.protocol.phases {
        for name in &other.expects {
            add(name, format!("belongs to {}", other.name));
        }
    }
    for artifact in &state.artifacts {
        add(&artifact.artifact_type, "used in this loop".to_owned());
    }
    found
}

/// The types that a gate of a phase looks for.
fn counted_types(condition: &Condition, phase: &str) -> Vec<Name> {
    match condition {
        Condition::MinArtifactsByType { artifact_type, .. } => vec![artifact_type.clone()],
        Condition::ArtifactProduced { phase: p, artifact_type } if &**p == phase => {
            vec![artifact_type.clone()]
        }
        other => other.children().iter().flat_map(|c| counted_types(c, phase)).collect(),
    }
}

/// The types that end a loop when they are filed in a phase.
fn ending_types(condition: &Condition, phase: &str) -> Vec<Name> {
    match condition {
        Condition::ArtifactProduced { phase: p, artifact_type } if &**p == phase => {
            vec![artifact_type.clone()]
        }
        other => other.children().iter().flat_map(|c| ending_types(c, phase)).collect(),
    }
}

/// Whether a word may name an artifact type (engine.md §7): 1 to 64 of `[a-z0-9_]`.
pub fn is_type_name(word: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (1..=64).contains(&word.len()) && word.chars().all(allowed)
}

/// `critic · codex · working`: a slot in a line.
pub fn slot_choice(slot: &Slot, note: String) -> Choice {
    let who = match (&slot.agent, &slot.claimed_by) {
        (Some(agent), _) => agent.to_string(),
        (None, Some(Actor::Operator)) => "you".to_owned(),
        (None, Some(actor)) => actor.agent().map_or(actor.to_string(), ToString::to_string),
        (None, None) => "anyone".to_owned(),
    };
    let id = short_id(slot.slot_id.as_str());
    let detail = slot.profile.as_ref().map(|p| format!("profile {p}")).unwrap_or_default();
    let choice = Choice::new(slot.slot_id.as_str(), format!("{} · {who}", slot.role));
    choice.note(format!("{note} · {id}")).detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_are_small_words() {
        assert!(is_type_name("plan_draft"));
        for wrong in ["", "Plan", "a-b", "é", &"a".repeat(65)] {
            assert!(!is_type_name(wrong), "{wrong:?}");
        }
    }
}
