//! What the changing verbs answer: the loop as it is now, and what was made.

use serde_json::{Value, json};

use super::{events, view};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result, steps};
use crate::cli::page::{Page, Tone, gap, plain, span};
use crate::core::loops::command::Command;
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Loop;
use crate::core::loops::refusal::{Decision, Would};
use crate::core::loops::rounds::rounds_at;
use crate::core::loops::{attention::Attention, followups, wire};
use crate::engine::{Done, Engine};

/// Which form a verb's result has (interfaces.md, "Results").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The loop itself.
    Loop,
    /// `{loop, artifact_id}`.
    OneArtifact,
    /// `{loop, artifact_ids[]}`.
    Artifacts,
    /// `{loop, turn_id, slot_id}`.
    Turn,
    /// `{loop, question_id}`.
    Question,
}

/// Carries a verb out and answers in a form.
pub fn execute(
    call: &Call,
    engine: &Engine,
    id: &LoopId,
    command: Command,
    form: Form,
) -> Result<Answer> {
    let done = engine.execute(id, command, &call.write())?;
    Ok(done_answer(call, engine, form, done))
}

/// The answer to a change.
pub fn done_answer(call: &Call, engine: &Engine, form: Form, done: Done) -> Answer {
    let wants = engine.attention(&done.state);
    let result = || {
        let mut result = result(form, &done, &wants);
        if done.replayed {
            result["replayed"] = true.into();
        }
        result
    };
    call.answer(result, |page| told(page, &done, &wants), done.warnings.clone())
}

fn result(form: Form, done: &Done, wants: &Attention) -> Value {
    let state = wire::to_json(&done.state, wants);
    let made = &done.made;
    match form {
        Form::Loop => state,
        Form::OneArtifact => json!({"loop": state, "artifact_id": made.artifact_ids.first()}),
        Form::Artifacts => json!({"loop": state, "artifact_ids": made.artifact_ids}),
        Form::Question => json!({"loop": state, "question_id": made.question_id}),
        Form::Turn => json!({"loop": state, "turn_id": made.turn_id, "slot_id": made.slot_id}),
    }
}

/// What happened, then where the loop stands and what comes next.
fn told(page: &mut Page, done: &Done, wants: &Attention) {
    if done.replayed {
        page.line(span(Tone::Warn, "done before under this request id: nothing was changed"));
    } else if done.events.is_empty() {
        page.line(span(Tone::Muted, "nothing to change"));
    }
    for event in &done.events {
        let (mark, tone, text) = events::line(&event.body, Some(&done.state));
        page.line(vec![span(tone, mark), gap(1), plain(text)]);
    }
    for note in &done.notes {
        page.line(span(Tone::Muted, note));
    }
    standing(page, &done.state, wants);
}

/// Where a loop stands, in two lines.
fn standing(page: &mut Page, state: &Loop, wants: &Attention) {
    page.line(vec![
        span(Tone::Strong, &state.title),
        gap(2),
        span(Tone::Muted, format!("{} · v{}", view::place(state), state.version)),
        gap(2),
        span(view::attention_tone(wants.state), &wants.detail),
    ]);
    if let Some(next) = wants.next.clone().or_else(|| followups::step(state)) {
        steps(page, &[next]);
    }
}

/// What a dry run says: what would happen, or the refusal as the real one would
/// give it.
pub fn dry_run(call: &Call, engine: &Engine, id: &LoopId, command: Command) -> Result<Answer> {
    let decision = engine.preview(id, command, &call.write())?;
    if let Some(refusal) = decision.refusal {
        return Err(Fault::from(refusal));
    }
    let state = engine.load(id)?;
    let warnings = decision.warnings.clone();
    let result = || match &decision.made.would {
        Some(would) => json!({ "would": would }),
        None => json!({"would": {"events": kinds(&decision), "closes": closes(&decision)}}),
    };
    let text = |page: &mut Page| {
        page.line(span(Tone::Muted, "dry run: nothing was written; this would happen:"));
        if let Some(would) = &decision.made.would {
            page.line(vec![gap(2), plain(would_line(&state, would))]);
        }
        for event in &decision.events {
            let (mark, tone, text) = match event {
                // Its id is made when it is filed.
                EventBody::ArtifactAdded(added) => {
                    ("+", Tone::Plain, format!("{} filed", added.artifact.artifact_type))
                }
                other => events::line(other, Some(&state)),
            };
            page.line(vec![gap(2), span(tone, mark), gap(1), plain(text)]);
        }
    };
    Ok(call.answer(result, text, warnings))
}

fn kinds(decision: &Decision) -> Vec<&str> {
    decision.events.iter().map(|e| e.kind()).collect()
}

fn closes(decision: &Decision) -> Option<&'static str> {
    decision.events.iter().find_map(|e| match e {
        EventBody::Closed { status, .. } => Some((*status).into()),
        _ => None,
    })
}

/// Where an advance would go, in words.
pub fn would_line(state: &Loop, would: &Would) -> String {
    let reason = would.reason.replace('_', " ");
    let mut line = if would.target == *state.current_phase && would.closes.is_some() {
        format!("stays in {} ({reason})", would.target)
    } else if would.iteration == state.iteration_count {
        format!("goes to {} ({reason})", would.target)
    } else {
        let rounds = rounds_at(&state.protocol, &would.target, would.iteration);
        let rounds = rounds.map(|rounds| format!(", {rounds}")).unwrap_or_default();
        format!("goes to {}{rounds} ({reason})", would.target)
    };
    if let Some(status) = would.closes {
        line.push_str(&format!("; closes the loop: {status}"));
    }
    line
}
