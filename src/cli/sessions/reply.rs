//! What is answered when an attempt was recorded.

use serde_json::{Value, json};

use super::view;
use crate::cli::call::{Answer, Call};
use crate::cli::page::{Page, Tone, gap, plain, span};
use crate::core::session::{ActionType, Reading};
use crate::engine::AttemptDone;

/// The answer to an attempt.
pub fn attempt(call: &Call, done: AttemptDone) -> Answer {
    let warnings = done.warnings.clone();
    call.answer(|| to_json(&done), |page| text(page, &done), warnings)
}

fn to_json(done: &AttemptDone) -> Value {
    let session = &done.session;
    let attempt = session.attempt(&done.attempt_id);
    let mut result = json!({
        "session_id": session.session_id,
        "attempt_id": done.attempt_id,
        "session_status": session.status,
        "outcome": attempt.map(|attempt| &attempt.outcome),
        "attempts": session.attempts.len(),
        "max_attempts": session.max_attempts,
    });
    if done.gap_updated {
        result["gap"] = json!(session.gap);
    }
    if let Some(reading) = &done.reading {
        result["reading"] = json!(reading);
    }
    if done.replayed {
        result["replayed"] = true.into();
    }
    result
}

fn text(page: &mut Page, done: &AttemptDone) {
    let session = &done.session;
    let Some(attempt) = session.attempt(&done.attempt_id) else { return };
    let number = session.attempts.iter().position(|a| a.attempt_id == attempt.attempt_id);
    let number = number.map_or(0, |at| at + 1);
    if attempt.action_type == ActionType::Escalate {
        return given_up(page, done, &attempt.action_description);
    }
    page.line(vec![
        span(view::outcome_tone(&attempt.outcome), view::outcome_mark(&attempt.outcome)),
        gap(1),
        span(Tone::Strong, format!("attempt {number} of {}", session.max_attempts)),
        gap(1),
        span(view::outcome_tone(&attempt.outcome), attempt.outcome.as_str()),
        gap(2),
        span(Tone::Muted, view::lasted(attempt.duration_ms())),
    ]);
    if let Some(said) = done.reading.as_ref().map(Reading::in_words) {
        page.line(vec![gap(2), plain(said)]);
    }
    if session.gap.is_some() {
        let mut spans = vec![gap(2)];
        spans.extend(view::gap_spans(session));
        page.line(spans);
    }
    let mut spans = vec![gap(2)];
    spans.extend(view::status_spans(session));
    page.line(spans);
    if let Some(last) = session.transitions.last().filter(|_| session.status.is_final()) {
        page.line(vec![gap(2), span(Tone::Muted, &last.cause)]);
    }
    if session.is_stalled() {
        page.line(vec![gap(2), span(Tone::Warn, view::stalled(session.without_improvement()))]);
    }
    if done.replayed {
        page.line(vec![gap(2), span(Tone::Muted, "recorded before: nothing was done")]);
    }
}

/// Giving up is filed as an attempt, but nothing was attempted.
fn given_up(page: &mut Page, done: &AttemptDone, reason: &str) {
    let status = &done.session.status;
    page.line(vec![
        span(view::status_tone(status), view::status_mark(status)),
        gap(1),
        span(Tone::Strong, "given up"),
        gap(2),
        plain(reason),
    ]);
    if done.session.gap.is_some() {
        let mut spans = vec![gap(2)];
        spans.extend(view::gap_spans(&done.session));
        page.line(spans);
    }
    if done.replayed {
        page.line(vec![gap(2), span(Tone::Muted, "recorded before: nothing was done")]);
    }
}
