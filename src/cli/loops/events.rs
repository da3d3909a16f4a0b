//! What happened, one line an event.

use super::view::{status_mark, status_tone, words};
use crate::cli::page::Tone;
use crate::core::loops::attempt;
use crate::core::loops::effects::Cause;
use crate::core::loops::event::{AdvanceReason, EventBody};
use crate::core::loops::model::{Artifact, Loop};
use crate::core::loops::plain;
use crate::core::text::{first_chars, plural};

/// An event in one line: its sign, its tone, what happened.
pub fn line(event: &EventBody, state: Option<&Loop>) -> (&'static str, Tone, String) {
    let role = |slot: &crate::core::loops::ids::SlotId| {
        state.and_then(|s| s.slot(slot)).map_or_else(|| slot.to_string(), |s| s.role.to_string())
    };
    match event {
        EventBody::Opened(opened) => {
            let text = format!("opened {} {} ({})", opened.loop_kind, opened.slug, opened.loop_id);
            ("○", Tone::Plain, text)
        }
        EventBody::TurnAssigned { slot_id, phase, .. } => {
            ("→", Tone::Plain, format!("turn to {} in {phase}", role(slot_id)))
        }
        EventBody::TurnCompleted { slot_id, outcome, reason, empty, late, .. } => {
            let mut text = format!("{}'s turn {outcome}", role(slot_id));
            if *empty {
                text.push_str(", with nothing new");
            }
            if *late {
                text.push_str(", late");
            }
            ("←", Tone::Plain, with_reason(text, reason.as_deref()))
        }
        EventBody::TurnSuperseded { slot_id, cause, .. } => {
            ("·", Tone::Muted, format!("{}'s turn overtaken ({cause})", role(slot_id)))
        }
        EventBody::ArtifactAdded(added) => ("+", Tone::Plain, artifact_line(&added.artifact)),
        EventBody::ArtifactSuperseded { artifact_id, superseded_by } => {
            ("±", Tone::Plain, format!("{artifact_id} replaced by {superseded_by}"))
        }
        EventBody::ArtifactRetracted { artifact_id, reason } => {
            ("−", Tone::Warn, with_reason(format!("{artifact_id} retracted"), Some(reason)))
        }
        EventBody::ArtifactWaived { artifact_id, reason } => {
            ("−", Tone::Plain, with_reason(format!("{artifact_id} waived"), Some(reason)))
        }
        EventBody::PhaseAdvanced { from, to, iteration, reason, note } => {
            let text = advanced_line(from, to, *iteration, *reason);
            ("▶", Tone::Good, with_reason(text, note.as_deref()))
        }
        EventBody::PhaseAdvanceBlocked { phase, gate_reason, .. } => {
            ("✗", Tone::Bad, format!("gate shut in {phase}: {}", plain::journaled(gate_reason)))
        }
        EventBody::GateSkipped { phase, unmet } => {
            ("!", Tone::Warn, format!("gate of {phase} skipped: {}", plain::skipped(unmet)))
        }
        EventBody::MaxIterationsReached { .. } => {
            ("!", Tone::Warn, "the cap on rounds was reached".to_owned())
        }
        EventBody::Paused { reason } => {
            ("◌", Tone::Warn, with_reason("paused".to_owned(), reason.as_deref()))
        }
        EventBody::Resumed {} => ("●", Tone::Good, "resumed".to_owned()),
        EventBody::InputRequested { question } => {
            ("?", Tone::Warn, format!("{} asks: {}", question.asked_by, question.text))
        }
        EventBody::InputProvided { question_id, resolved_via, option, synthetic, .. } => {
            let how = match (option, synthetic) {
                (Some(option), false) => format!("{option} ({})", words(resolved_via.as_ref())),
                (Some(option), true) => format!("{option}, by its default: its time was up"),
                (None, true) => "nobody, its time was up".to_owned(),
                (None, false) => words(resolved_via.as_ref()),
            };
            ("!", Tone::Good, format!("{question_id} answered: {how}"))
        }
        EventBody::PauseTimeout { question_id, policy } => (
            "!",
            Tone::Warn,
            format!("the time of {question_id} was up: {}", words(policy.as_ref())),
        ),
        EventBody::SlotStatusChanged { slot_id, status, .. } => {
            ("·", Tone::Muted, format!("{}: {}", role(slot_id), words(status.as_ref())))
        }
        EventBody::Closed { status, reason, stop_unmet, by_cap, .. } => {
            let mut text = format!("closed: {status}");
            if *by_cap {
                text.push_str(", by the cap on rounds");
            }
            if *stop_unmet {
                text.push_str(", its stop condition unmet");
            }
            (status_mark(*status), status_tone(*status), with_reason(text, reason.as_deref()))
        }
        EventBody::Reopened { reason, rounds, phase, .. } => {
            let rounds = plural(*rounds as usize, "round", "rounds");
            let text = format!("reopened in {phase}, {rounds} more");
            ("○", Tone::Good, with_reason(text, Some(reason)))
        }
        EventBody::Amended { before, after } => {
            ("~", Tone::Plain, format!("amended: {}", plain::amended(before, after)))
        }
        EventBody::Bound { plan_ids, slots, .. } => {
            let lanes = slots.iter().filter(|s| s.lane.is_some()).count();
            let mut text = format!("bound to {}", plan_ids.join(", "));
            if lanes > 0 {
                text.push_str(&format!(", in {}", plural(lanes, "lane", "lanes")));
            }
            ("~", Tone::Good, text)
        }
        EventBody::Linked { linked } => {
            ("~", Tone::Plain, format!("linked {}", plain::linked(linked)))
        }
        EventBody::Reverted { to_seq, redo } => {
            let (mark, what) = if *redo { ("↷", "redone") } else { ("↶", "undone") };
            (mark, Tone::Warn, format!("{what}: as after event {to_seq}"))
        }
        EventBody::Archived {} => ("·", Tone::Muted, "put away".to_owned()),
        EventBody::Unarchived {} => ("·", Tone::Muted, "taken out again".to_owned()),
        EventBody::Promoted { artifact_id, item_id, category } => {
            ("↗", Tone::Good, format!("{artifact_id} remembered as {item_id} in {category}"))
        }
        EventBody::Rated { phase, reward } => {
            ("★", Tone::Plain, format!("{phase} rated {}", reward.short()))
        }
        EventBody::EffectsDone(done) if done.cause == Cause::Report => {
            ("·", Tone::Muted, "the run is an attempt of the session".to_owned())
        }
        EventBody::EffectsDone(done) => {
            let mut text = format!(
                "{} written",
                plural(done.written.len(), "reward record", "reward records")
            );
            if !done.removed.is_empty() {
                text.push_str(&format!(", {} set aside", done.removed.len()));
            }
            ("·", Tone::Muted, text)
        }
        EventBody::EditsAccepted { lines } => {
            let count = plural(lines.len(), "edited line", "edited lines");
            ("·", Tone::Muted, format!("{count} of the journal accepted as they stand"))
        }
        EventBody::Forked(forked) => (
            "⑂",
            Tone::Plain,
            format!("forked from {} at event {}", forked.source, forked.source_seq),
        ),
        EventBody::Unknown { kind, .. } => ("·", Tone::Muted, words(kind)),
        attempt => attempt_line(attempt),
    }
}

/// An event of a turn that was handed to a worker.
fn attempt_line(event: &EventBody) -> (&'static str, Tone, String) {
    let (word, detail) = attempt::words(event).unwrap_or(("event", String::new()));
    let (mark, tone) = match event {
        EventBody::Spawned(_) | EventBody::EvidenceAccepted(_) => ("»", Tone::Good),
        EventBody::SpawnFailed(_) | EventBody::TurnContradiction(_) => ("✗", Tone::Bad),
        EventBody::EvidenceRejected(_) | EventBody::GenerationSuperseded(_) => ("!", Tone::Warn),
        _ => ("·", Tone::Muted),
    };
    (mark, tone, format!("{word}: {detail}"))
}

fn advanced_line(from: &str, to: &str, iteration: u32, reason: AdvanceReason) -> String {
    let round = iteration + 1;
    match reason {
        AdvanceReason::Linear | AdvanceReason::InCycle => format!("{from} → {to}"),
        AdvanceReason::NextRound => format!("{from} → {to}, round {round}"),
        other => format!("{from} → {to} ({})", words(other.as_ref())),
    }
}

fn artifact_line(artifact: &Artifact) -> String {
    let kind = match &artifact.subtype {
        Some(subtype) => format!("{}/{subtype}", artifact.artifact_type),
        None => artifact.artifact_type.to_string(),
    };
    let flag = match (artifact.usable, artifact.late) {
        (_, true) => " (late)",
        (false, _) if artifact.artifact_type.as_ref() != "critic_signal" => " (blank)",
        _ => "",
    };
    let said = artifact.said();
    let said = first_chars(&said, 100);
    format!("{kind} {}{flag}  {said}", artifact.artifact_id).trim_end().to_owned()
}

fn with_reason(text: String, reason: Option<&str>) -> String {
    match reason {
        Some(reason) if !reason.is_empty() => format!("{text}: {}", first_chars(reason, 200)),
        _ => text,
    }
}
