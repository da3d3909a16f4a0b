//! `loopdeck session show`.

use clap::Args;
use serde_json::json;

use super::{engine_and_session, view};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::cli::page::{Cell, Entry, Page, Tone, gap, plain, span};
use crate::cli::when::{age, clock};
use crate::core::session::{Attempt, NO_EXIT_CODE, Reading, Session};
use crate::core::text::plural;
use crate::core::time::Timestamp;

/// Attempts that a page shows; the older ones are counted.
const SHOWN: usize = 30;

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The session
    id: String,
    /// One attempt, with all that is kept of its output: its number (from 1) or id
    #[arg(long, value_name = "ATTEMPT")]
    attempt: Option<String>,
}

/// A session, or one attempt of it.
pub fn run(call: &Call, args: &ShowArgs) -> Result<Answer> {
    super::refuse_request(call)?;
    let (engine, id) = engine_and_session(call, &args.id)?;
    let session = engine.session(&id)?;
    let now = engine.now();
    match &args.attempt {
        Some(named) => {
            let (number, attempt) = find(&session, named)?;
            let observation = session.observation_of(attempt);
            Ok(call.answer(
                || json!({ "attempt": attempt, "observation": observation }),
                |page| one(page, &session, number, attempt),
                Vec::new(),
            ))
        }
        None => Ok(call.answer(|| json!(*session), |page| whole(page, &session, now), Vec::new())),
    }
}

fn find<'a>(session: &'a Session, named: &str) -> Result<(usize, &'a Attempt)> {
    let by_number = named.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let at = by_number.filter(|at| *at < session.attempts.len()).or_else(|| {
        let mut found = session
            .attempts
            .iter()
            .enumerate()
            .filter(|(_, a)| named.len() >= 4 && a.attempt_id.as_str().starts_with(named));
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Some(at),
            _ => None,
        }
    });
    at.map(|at| (at + 1, &session.attempts[at])).ok_or_else(|| {
        let has = plural(session.attempts.len(), "attempt", "attempts");
        Fault::new("item_not_found", format!("this session has no attempt {named:?}: it has {has}"))
            .step("see them", format!("loopdeck session show {}", session.session_id))
    })
}

fn whole(page: &mut Page, session: &Session, now: Timestamp) {
    page.line(vec![span(Tone::Title, &session.goal)]);
    page.line(vec![
        plain(session.session_id.as_str()),
        gap(1),
        span(
            Tone::Muted,
            format!(
                "· {} · started {}",
                session.goal_type.in_words(),
                age(session.created_at, now)
            ),
        ),
    ]);
    if let Some(previous) = &session.previous {
        page.line(vec![span(Tone::Muted, "continues"), gap(1), plain(previous.as_str())]);
    }
    page.blank();
    page.line(view::status_spans(session));
    page.line(view::gap_spans(session));
    if session.is_stalled() {
        page.line(span(Tone::Warn, view::stalled(session.without_improvement())));
    }
    attempts(page, session, now);
    if !session.transitions.is_empty() {
        page.heading("Course");
        let rows = session.transitions.iter().map(|t| {
            vec![
                span(Tone::Muted, clock(t.at, now)).into(),
                plain(format!("{} → {}", t.from, t.to)).into(),
                span(Tone::Muted, &t.cause).into(),
            ]
        });
        page.table(1, &[2], rows.collect());
    }
    if !session.status.is_final() {
        page.blank();
        page.line(vec![plain("next:"), gap(1), span(Tone::Command, view::next_run(session))]);
    }
}

fn attempts(page: &mut Page, session: &Session, now: Timestamp) {
    let total = session.attempts.len();
    page.heading(&format!("Attempts {total} of {}", session.max_attempts));
    if total == 0 {
        page.line(vec![gap(1), span(Tone::Muted, "none yet")]);
        return;
    }
    let from = total.saturating_sub(SHOWN);
    if from > 0 {
        let older = format!("{from} older ones are not shown here");
        page.line(vec![gap(1), span(Tone::Muted, older)]);
    }
    let entries: Vec<Entry> = session.attempts[from..]
        .iter()
        .enumerate()
        .map(|(at, attempt)| entry(session, from + at + 1, attempt, now).into())
        .collect();
    page.groups(1, &[3], vec![(None, entries)]);
}

fn entry(session: &Session, number: usize, attempt: &Attempt, now: Timestamp) -> Vec<Cell> {
    let measured = session
        .gap_history
        .iter()
        .rfind(|entry| entry.attempt_id.as_ref() == Some(&attempt.attempt_id));
    let tone = view::outcome_tone(&attempt.outcome);
    let value = measured.map(|entry| entry.current_value.to_string()).unwrap_or_default();
    let trend = measured.and_then(|entry| entry.trend.as_ref());
    vec![
        span(Tone::Muted, number.to_string()).into(),
        span(tone, view::outcome_mark(&attempt.outcome)).into(),
        plain(attempt.action_type.as_str()).into(),
        plain(&attempt.action_description).into(),
        span(tone, attempt.outcome.as_str()).into(),
        plain(value).into(),
        trend.map_or(plain(""), |t| span(view::trend_tone(t), view::trend_mark(t))).into(),
        span(Tone::Muted, view::lasted(attempt.duration_ms())).into(),
        span(Tone::Muted, clock(attempt.completed_at, now)).into(),
    ]
}

fn one(page: &mut Page, session: &Session, number: usize, attempt: &Attempt) {
    let tone = view::outcome_tone(&attempt.outcome);
    page.line(vec![
        span(Tone::Title, format!("Attempt {number} of {}", session.max_attempts)),
        gap(2),
        span(tone, format!("{} {}", view::outcome_mark(&attempt.outcome), attempt.outcome)),
        gap(2),
        span(Tone::Muted, view::lasted(attempt.duration_ms())),
    ]);
    page.line(plain(format!("{}: {}", attempt.action_type, attempt.action_description)));
    let Some(seen) = session.observation_of(attempt) else {
        page.line(span(Tone::Muted, "it has no observation"));
        return;
    };
    let exit = match seen.exit_code {
        NO_EXIT_CODE => "no exit status".to_owned(),
        code => format!("exit status {code}"),
    };
    let size = match seen.truncated {
        true => format!("{} bytes, of which head and tail are kept", seen.original_bytes),
        false => format!("{} bytes", seen.original_bytes),
    };
    page.line(span(Tone::Muted, format!("{} · {exit} · {size}", seen.source)));
    let data = seen.structured_data.value();
    match Reading::of_structured(&data) {
        Some(reading) => page.line(plain(reading.in_words())),
        None if data.is_null() => {}
        None => page.line(plain(data.to_string())),
    }
    page.blank();
    match seen.raw_text.is_empty() {
        true => page.line(span(Tone::Muted, "nothing was said")),
        false => page.verbatim(&seen.raw_text),
    }
}
