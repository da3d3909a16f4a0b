//! What happened, in words.

use crate::core::loops::Event;
use crate::core::loops::attempt;
use crate::core::loops::event::EventBody;
use crate::core::loops::explain::{Node, Why};
use crate::core::loops::plain;
use crate::core::loops::rounds::led_to;
use crate::core::text::plural;
use crate::engine::{Done, ImportReport, Problem};

/// A change in a few words: its most telling event.
pub fn done(done: &Done) -> String {
    if done.replayed {
        return "was done already: nothing changed".to_owned();
    }
    let closed = done.events.iter().find_map(|event| match &event.body {
        EventBody::Closed { status, .. } => Some(format!("the loop is {status}")),
        _ => None,
    });
    let asked_or_answered = |body: &&EventBody| {
        matches!(body, EventBody::InputRequested { .. } | EventBody::InputProvided { .. })
    };
    let bodies = || done.events.iter().map(|event| &event.body);
    let first = bodies().find(asked_or_answered).or_else(|| bodies().next()).map(event_line);
    match (first, closed) {
        (Some(first), Some(closed)) if first != closed => format!("{first}; {closed}"),
        (Some(first), _) => first,
        (None, _) => "nothing changed".to_owned(),
    }
}

/// How to go back from a change, if that is one key.
pub fn way_back(done: &Done) -> &'static str {
    let mut kinds = done.events.iter().map(|event| &event.body);
    match kinds.next() {
        Some(EventBody::Reverted { redo: false, .. }) => " · U redoes",
        Some(EventBody::Opened(_) | EventBody::Forked(_)) | None => "",
        Some(
            EventBody::Archived {}
            | EventBody::Unarchived {}
            | EventBody::Promoted { .. }
            | EventBody::Rated { .. }
            | EventBody::EffectsDone(_)
            | EventBody::EditsAccepted { .. },
        ) => "",
        Some(_) => " · u undoes",
    }
}

/// An import in a few words.
pub fn imported(report: &ImportReport) -> String {
    let items = plural(report.imported.len(), "item", "items");
    match report.skipped.len() {
        0 => format!("{items} imported"),
        skipped => format!("{items} imported, {skipped} left out"),
    }
}

/// The word for an event in a column of its own.
pub fn event_word(body: &EventBody) -> &str {
    match body {
        EventBody::Opened(_) => "opened",
        EventBody::TurnAssigned { .. } => "turn",
        EventBody::TurnCompleted { .. } => "turn ended",
        EventBody::TurnSuperseded { .. } => "overtaken",
        EventBody::ArtifactAdded(_) => "artifact",
        EventBody::ArtifactSuperseded { .. } => "superseded",
        EventBody::ArtifactRetracted { .. } => "retracted",
        EventBody::ArtifactWaived { .. } => "waived",
        EventBody::PhaseAdvanced { .. } => "advanced",
        EventBody::PhaseAdvanceBlocked { .. } => "gate shut",
        EventBody::GateSkipped { .. } => "gate passed",
        EventBody::MaxIterationsReached { .. } => "cap",
        EventBody::Paused { .. } => "paused",
        EventBody::Resumed {} => "resumed",
        EventBody::Closed { .. } => "closed",
        EventBody::Reopened { .. } => "reopened",
        EventBody::Amended { .. } => "amended",
        EventBody::Bound { .. } => "bound",
        EventBody::Linked { .. } => "linked",
        EventBody::Reverted { redo: false, .. } => "undone",
        EventBody::Reverted { redo: true, .. } => "redone",
        EventBody::Archived {} => "put away",
        EventBody::Unarchived {} => "taken out",
        EventBody::Promoted { .. } => "remembered",
        EventBody::Rated { .. } => "rated",
        EventBody::EffectsDone(done)
            if done.cause == crate::core::loops::effects::Cause::Report =>
        {
            "session"
        }
        EventBody::EffectsDone(_) => "rewards",
        EventBody::EditsAccepted { .. } => "accepted",
        EventBody::InputRequested { .. } => "question",
        EventBody::InputProvided { .. } => "answered",
        EventBody::PauseTimeout { .. } => "time is up",
        EventBody::SlotStatusChanged { .. } => "slot",
        EventBody::Forked(_) => "forked",
        EventBody::Unknown { kind, .. } => kind,
        attempt => attempt::words(attempt).map_or("event", |(word, _)| word),
    }
}

/// What an event says beside its word.
pub fn event_detail(body: &EventBody) -> String {
    match body {
        EventBody::Opened(opened) => format!("{} loop", opened.loop_kind),
        EventBody::TurnAssigned { phase, iteration, .. } => {
            format!("{phase}, round {}", iteration + 1)
        }
        EventBody::TurnCompleted { outcome, reason, empty, late, .. } => {
            let mut text = outcome.to_string();
            if *empty {
                text.push_str(", nothing new");
            }
            if *late {
                text.push_str(", late");
            }
            with_reason(text, reason.as_deref())
        }
        EventBody::TurnSuperseded { cause, .. } => match &**cause {
            "closed" => "the loop closed".to_owned(),
            _ => "the phase moved on".to_owned(),
        },
        EventBody::ArtifactAdded(added) => {
            let artifact = &added.artifact;
            let subtype = artifact.subtype.as_deref().map(|s| format!("/{s}")).unwrap_or_default();
            let kind = &artifact.artifact_type;
            match artifact.usable {
                true => format!("{kind}{subtype}: {}", artifact.said()),
                false => format!("{kind}{subtype} (blank)"),
            }
        }
        EventBody::ArtifactSuperseded { superseded_by, .. } => format!("by {superseded_by}"),
        EventBody::ArtifactRetracted { reason, .. } | EventBody::ArtifactWaived { reason, .. } => {
            reason.clone()
        }
        EventBody::PhaseAdvanced { from, to, iteration, reason, note } => with_reason(
            format!("{from} → {to}, {} ({})", led_to(*reason, *iteration), words(reason.as_ref())),
            note.as_deref(),
        ),
        EventBody::PhaseAdvanceBlocked { gate_reason, .. } => plain::journaled(gate_reason),
        EventBody::GateSkipped { unmet, .. } => plain::skipped(unmet),
        EventBody::MaxIterationsReached { iteration } => {
            plural(usize::try_from(*iteration).unwrap_or(usize::MAX), "round", "rounds")
        }
        EventBody::Paused { reason } => reason.clone().unwrap_or_default(),
        EventBody::Resumed {} => String::new(),
        EventBody::Closed { status, reason, by_cap, .. } => {
            let cap = if *by_cap { " by the cap" } else { "" };
            with_reason(format!("{status}{cap}"), reason.as_deref())
        }
        EventBody::Reopened { reason, phase, iteration, .. } => {
            format!("{phase}, round {}: {reason}", iteration + 1)
        }
        EventBody::Amended { before, after } => plain::amended(before, after),
        EventBody::Bound { plan_ids, .. } => plan_ids.join(", "),
        EventBody::Linked { linked } => plain::linked(linked),
        EventBody::Reverted { to_seq, .. } => format!("as after event {to_seq}"),
        EventBody::Archived {} | EventBody::Unarchived {} => String::new(),
        EventBody::Promoted { item_id, category, .. } => format!("{item_id} in {category}"),
        EventBody::Rated { phase, reward } => format!("{phase} {}", reward.short()),
        EventBody::EffectsDone(done) => effects(done),
        EventBody::EditsAccepted { lines } => {
            format!(
                "{} as they were edited",
                crate::core::text::plural(lines.len(), "line", "lines")
            )
        }
        EventBody::InputRequested { question } => question.text.clone(),
        EventBody::InputProvided { resolved_via, option, .. } => match option {
            Some(option) => format!("{option} ({resolved_via})"),
            None => resolved_via.to_string(),
        },
        EventBody::PauseTimeout { policy, .. } => words(policy.as_ref()),
        EventBody::SlotStatusChanged { status, .. } => words(status.as_ref()),
        EventBody::Forked(forked) => {
            format!("from {} at event {}", forked.source, forked.source_seq)
        }
        EventBody::Unknown { .. } => "of a newer version".to_owned(),
        attempt => attempt::words(attempt).map(|(_, detail)| detail).unwrap_or_default(),
    }
}

fn with_reason(text: String, reason: Option<&str>) -> String {
    match reason {
        Some(reason) if !reason.is_empty() => format!("{text}: {reason}"),
        _ => text,
    }
}

/// A name of the data as words: `no_new_critique` → `no new critique`.
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn event_line(body: &EventBody) -> String {
    match body {
        EventBody::Opened(opened) => format!("opened \"{}\"", opened.title),
        EventBody::ArtifactAdded(added) => {
            let artifact = &added.artifact;
            let blank = if artifact.usable { "" } else { " (blank: it doesn't count)" };
            let round = artifact.iteration + 1;
            let kind = &artifact.artifact_type;
            format!("{kind} filed in {}, round {round}{blank}", artifact.phase)
        }
        EventBody::PhaseAdvanced { from, to, iteration, reason, .. } => {
            format!("advanced from {from} to {to}, {}", led_to(*reason, *iteration))
        }
        EventBody::Closed { status, .. } => format!("the loop is {status}"),
        EventBody::TurnAssigned { phase, .. } => format!("turn given in {phase}"),
        EventBody::TurnCompleted { outcome, empty, .. } => {
            let empty = if *empty { ", nothing new" } else { "" };
            format!("turn ended: {outcome}{empty}")
        }
        EventBody::InputRequested { question } => format!("asked: {}", question.text),
        EventBody::InputProvided { .. } => format!("answered: {}", event_detail(body)),
        EventBody::Paused { .. } => "paused".to_owned(),
        EventBody::Resumed {} => "resumed".to_owned(),
        EventBody::Reverted { to_seq, redo } => {
            let word = if *redo { "redone" } else { "undone" };
            format!("{word}: as after event {to_seq}")
        }
        EventBody::Archived {} => "put away: lists leave it out".to_owned(),
        EventBody::Unarchived {} => "taken out again".to_owned(),
        EventBody::Promoted { item_id, category, .. } => {
            format!("remembered as {item_id} ({category})")
        }
        EventBody::Rated { phase, reward } => format!("{phase} rated {}", reward.short()),
        other => format!("{} {}", event_word(other), event_detail(other)),
    }
}

/// What was carried out outside of a loop.
fn effects(done: &crate::core::loops::effects::EffectsDone) -> String {
    if done.cause == crate::core::loops::effects::Cause::Report {
        return "the run is an attempt of the session".to_owned();
    }
    let written = plural(done.written.len(), "record", "records");
    match done.removed.len() {
        0 if done.written.is_empty() => "none to write".to_owned(),
        0 => format!("{written} written"),
        removed => format!("{written} written, {removed} set aside"),
    }
}

/// What could not be used, where it is, and what to do.
pub fn problem(problem: &Problem) -> String {
    format!("{}\n  {} ({})", problem.path.display(), problem.message, problem.code)
}

/// An event with all that it carries.
pub fn event_in_full(event: &Event) -> String {
    let wire = crate::core::loops::event::Wire(event.seq, &event.body);
    let json = serde_json::to_string_pretty(&wire)
        .unwrap_or_else(|error| format!("this event can't be shown: {error}"));
    format!("{} by {}\n\n{}\n\n{json}", event.at, event.by, event_detail(&event.body))
}

/// Gate, slots and stop as plain text, for the clipboard.
pub fn why_in_text(why: &Why) -> String {
    let mut out = format!("phase {}, round {}\n", why.phase, why.iteration + 1);
    for (name, evaluated) in [("gate", &why.gate), ("stop", &why.stop)] {
        let state = if evaluated.met { "holds" } else { "does not hold" };
        match &evaluated.tree {
            Some(tree) => {
                out.push_str(&format!("\n{name} {state}\n"));
                node_in_text(tree, (1, name == "gate"), &mut out);
            }
            None => out.push_str(&format!("\nno {name}\n")),
        }
    }
    for waiting in &why.slots.waiting {
        out.push_str(&format!("\nslot {}: {}\n", waiting.role, waiting.text));
    }
    for miss in &why.near_misses {
        out.push_str(&format!("\nnear miss: {miss}\n"));
    }
    for step in &why.next_steps {
        out.push_str(&format!("\n{}\n  {}\n", step.text, step.command));
    }
    out
}

fn node_in_text(node: &Node, (depth, whole_gate): (usize, bool), out: &mut String) {
    let mark = if node.met { "+" } else { "-" };
    out.push_str(&format!("{}{mark} {}\n", "  ".repeat(depth), plain::node(node, whole_gate)));
    for child in &node.conditions {
        node_in_text(child, (depth + 1, false), out);
    }
}

/// What the doctor found, for reading.
pub(super) fn diagnosis(found: &crate::engine::Diagnosis) -> String {
    let mut out: Vec<String> = found
        .findings
        .iter()
        .map(|finding| format!("{}: {}", finding.severity, finding.said()))
        .collect();
    if out.is_empty() {
        out.push("All is well.".to_owned());
    } else if found.findings.iter().any(|finding| finding.repair.is_some()) {
        out.push("loopdeck doctor --repair does what is safe; nothing is ever deleted.".to_owned());
    }
    out.push(format!("{}.", found.looked_at()));
    out.join("\n\n")
}
