//! A preview in words: what a submission would do, or why not and what helps.

use std::collections::BTreeSet;

use crate::core::loops::coverage::CoverState;
use crate::core::loops::event::{AdvanceReason, EventBody};
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::Loop;
use crate::core::loops::plain;
use crate::core::loops::refusal::{Decision, Refusal};
use crate::core::text::plural;
use crate::engine::ImportReport;

use super::api::{FieldId, FormContext, Preview};
use super::field::{Fields, Grade, Note};

/// How many helping steps are named.
const STEPS: usize = 3;
/// How many imported titles are named.
const NAMED: usize = 3;

/// What a preview says.
pub(super) fn notes(preview: &Preview, context: &FormContext, fields: &Fields) -> Vec<Note> {
    match preview {
        Preview::Command(Ok(decision)) => of_decision(decision, context, fields),
        Preview::Command(Err(error)) | Preview::Import(Err(error)) => of_refusal(&error.0, fields),
        Preview::Import(Ok(report)) => of_import(report),
    }
}

/// A refusal: the sentence beside the field that it is about, then the steps
/// that would help.
pub(super) fn of_refusal(refusal: &Refusal, fields: &Fields) -> Vec<Note> {
    let seen = |id: &&FieldId| fields.get(**id).is_some_and(|f| f.visible);
    let first = Note {
        field: fields_of(refusal.code).iter().find(seen).copied(),
        grade: Grade::Refused,
        text: refusal.said().into_owned(),
    };
    let steps = refusal.next_steps.iter().take(STEPS).map(|s| Note::of_all(Grade::Step, &*s.text));
    std::iter::once(first).chain(steps).collect()
}

/// The fields that a code of the engine may be about, the likeliest first.
fn fields_of(code: &str) -> &'static [FieldId] {
    use FieldId as F;
    match code {
        "invalid_type" => &[F::Type],
        "invalid_subtype" => &[F::Subtype],
        "invalid_body" | "body_too_large" => &[F::Body, F::Proposal],
        "addresses_required" | "unknown_critique" | "coverage_required" => {
            &[F::Addresses, F::Artifact]
        }
        "invalid_title" => &[F::Title],
        "invalid_goal" => &[F::Goal],
        "invalid_domain" => &[F::Domain],
        "invalid_verify" | "verify_unconfigured" => &[F::Verify],
        "invalid_mode" => &[F::ReviewMode],
        "invalid_protocol" | "unknown_preset" | "preset_kind_mismatch" | "stop_already_true" => {
            &[F::Protocol]
        }
        "invalid_status" | "unknown_status" => &[F::Status],
        "invalid_outcome" => &[F::Outcome],
        "reason_required" | "nothing_to_cut" => &[F::Reason, F::WaiveReasons],
        "unknown_phase" | "would_close" => &[F::Target],
        "invalid_slot" => &[F::Slots, F::AddSlots, F::RemoveSlots],
        "slot_busy" | "slot_not_found" | "no_such_role" | "not_slot_owner" | "no_turn"
        | "turn_ambiguous" => &[F::Slot, F::Assign, F::RemoveSlots],
        "unknown_artifact" => &[F::Artifact],
        "invalid_rounds" => &[F::Rounds],
        "invalid_max_rounds" => &[F::MaxRounds],
        "invalid_category" => &[F::Category],
        "invalid_text" => &[F::Text],
        "invalid_source" => &[F::Source],
        "invalid_path" | "invalid_ref" => &[F::Path],
        _ => &[],
    }
}

fn of_decision(decision: &Decision, context: &FormContext, fields: &Fields) -> Vec<Note> {
    let warnings = decision.warnings.iter().map(|w| Note::of_all(Grade::Warns, w));
    match &decision.refusal {
        Some(refusal) => of_refusal(refusal, fields).into_iter().chain(warnings).collect(),
        None => {
            let open = still_open(decision, context);
            let told = decision.events.iter().filter_map(|e| told(e, context, open));
            let told = told.map(|text| Note::of_all(Grade::Tells, text));
            told.chain(warnings).collect()
        }
    }
}

/// An event of a preview in words; nothing for those that the form itself says.
fn told(event: &EventBody, context: &FormContext, open: usize) -> Option<String> {
    Some(match event {
        EventBody::PhaseAdvanced { to, iteration, reason, .. } => {
            format!("goes to {to}, round {}{}", iteration + 1, because(*reason))
        }
        EventBody::GateSkipped { unmet, .. } => {
            format!("passes a shut gate: {}", plain::reasons(unmet))
        }
        EventBody::MaxIterationsReached { iteration } => {
            format!("the cap of {} is reached", plural(*iteration as usize, "round", "rounds"))
        }
        EventBody::TurnSuperseded { slot_id, .. } => {
            let role = context.state.as_ref().and_then(|l| l.slot(slot_id));
            let role = role.map_or("a slot", |s| &*s.role);
            format!("the {role}'s turn is overtaken")
        }
        EventBody::Closed { status, stop_unmet, by_cap, .. } => {
            let how = match (by_cap, stop_unmet) {
                (true, _) => " by the round cap",
                (_, true) => ", though the stop condition does not hold",
                _ => "",
            };
            let open = match open {
                0 => String::new(),
                open => format!("; {} open", plural(open, "critique", "critiques")),
            };
            format!("closes the loop: {status}{how}{open}")
        }
        EventBody::Reopened { phase, iteration, rounds, .. } => {
            let rounds = plural(*rounds as usize, "round", "rounds");
            format!("goes on in {phase}, round {}, with {rounds} more", iteration + 1)
        }
        EventBody::TurnCompleted { empty: true, .. } => {
            "ends the turn with nothing filed: it says \"nothing new\"".to_owned()
        }
        EventBody::TurnCompleted { late: true, .. } => {
            "the turn was overtaken: what it brings is filed as late".to_owned()
        }
        _ => return None,
    })
}

fn because(reason: AdvanceReason) -> &'static str {
    match reason {
        AdvanceReason::Linear | AdvanceReason::InCycle => "",
        AdvanceReason::NextRound => ": the next round begins",
        AdvanceReason::Saturation => ": somebody looked and found nothing new",
        AdvanceReason::ExitCriticSignal => ": a critic_signal ends the rounds",
        AdvanceReason::ExitCommandGreen => ": the command is green",
        AdvanceReason::ExitNoNewCritique => ": the round brought no critique",
        AdvanceReason::MaxIterations => ": the last round is over",
        AdvanceReason::RequestChanges => ": a verdict asks for changes",
        AdvanceReason::Explicit => ": by hand",
        AdvanceReason::Force => ": by force",
        AdvanceReason::ShortRound => ": the round is cut short",
    }
}

/// How many critiques stay open once the decision is carried out.
fn still_open(decision: &Decision, context: &FormContext) -> usize {
    let settled: BTreeSet<&str> = decision
        .events
        .iter()
        .filter_map(|event| match event {
            EventBody::ArtifactAdded(added) => Some(&added.artifact),
            _ => None,
        })
        .flat_map(|a| a.addresses_critique.iter().chain(a.waives.keys()))
        .map(ArtifactId::as_str)
        .collect();
    let covered = context.coverage.as_ref().map_or(&[][..], |c| &c.critiques);
    covered
        .iter()
        .filter(|c| c.state == CoverState::Open && !settled.contains(c.artifact_id.as_str()))
        .count()
}

fn of_import(report: &ImportReport) -> Vec<Note> {
    let count = plural(report.imported.len(), "item", "items");
    let mut titles: Vec<&str> =
        report.imported.iter().take(NAMED).map(|i| i.title.as_str()).collect();
    let more = report.imported.len().saturating_sub(titles.len());
    let rest = format!("{more} more");
    if more > 0 {
        titles.push(&rest);
    }
    let names = if titles.is_empty() { String::new() } else { format!(": {}", titles.join(", ")) };
    let grade = if report.imported.is_empty() { Grade::Warns } else { Grade::Tells };
    let mut notes = vec![Note::of_all(grade, format!("imports {count}{names}"))];
    if let Some(first) = report.skipped.first() {
        let rest = match report.skipped.len() - 1 {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        let text = format!("leaves out {}: {}{rest}", first.path, first.reason);
        notes.push(Note::of_all(Grade::Warns, text));
    }
    notes
}

/// `critique, round 2 of 3`: where a loop stands.
pub(super) fn place(state: &Loop) -> String {
    match state.rounds() {
        Some(rounds) => format!("{}, {rounds}", state.current_phase),
        None => state.current_phase.to_string(),
    }
}
