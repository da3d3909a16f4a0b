//! `dream status`, as the published format shows it.

use serde_json::json;

use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Page, plain};
use crate::cli::when::age;
use crate::engine::{DreamStatus, Engine};

/// The line above and below; its length is the published one.
const RULE: usize = 51;
/// Where the values begin.
const COLUMN: usize = 20;
const MINUTE_MS: i64 = 60_000;

/// When a dream is due.
pub(super) fn run(call: &Call, engine: &Engine) -> Result<Answer> {
    let status = engine.dream_status()?;
    let result = || {
        let (state, evaluation, news) = (&status.state, &status.evaluation, &status.news);
        let events: Vec<_> = state
            .events
            .iter()
            .map(|e| {
                json!({
                    "event_type": e.event_type, "timestamp": e.timestamp, "details": e.details,
                })
            })
            .collect();
        json!({
            "last_dream_id": state.last_id, "last_dream_completed_at": state.last_completed,
            "records_since_last_dream": state.records_since, "pending_events": events,
            "config": {
                "time_threshold_minutes": state.thresholds.time_minutes,
                "volume_threshold": state.thresholds.volume,
                "event_triggers_enabled": state.thresholds.events,
            },
            "met": evaluation.met, "should_dream": evaluation.should_dream(),
            "reason": evaluation.reason(), "latest": status.latest, "due": status.due,
            "auto": status.auto,
            "news": {
                "valid_records": news.valid, "never_dreamt": news.never_dreamt,
                "dated_after_last_dream": news.dated_after, "expired_since": news.expired_since,
            },
        })
    };
    let warnings = status.warnings.clone();
    Ok(call.answer(result, |page| show(page, &status), warnings))
}

fn show(page: &mut Page, status: &DreamStatus) {
    let rule = "─".repeat(RULE);
    page.line(plain("Dream Cycle Status"));
    page.line(plain(&rule));
    for (name, value) in rows(status) {
        page.verbatim(&format!("{:<COLUMN$}{value}", format!("{name}:")));
    }
    page.blank();
    let evaluation = &status.evaluation;
    if evaluation.should_dream() {
        page.line(plain(format!("Status: TRIGGER MET ({})", evaluation.reason())));
        let by_itself = if status.auto && status.due {
            " or it will auto-trigger while the deck is open"
        } else {
            ""
        };
        // A trigger that is met is no reason to dream where a dream would be refused
        // or find what the last one found.
        let advice = match (status.due, status.news.too_few()) {
            (true, _) => format!("Run loopdeck dream run{by_itself}"),
            (false, Some(few)) => format!("Nothing to dream of yet: {few}"),
            (false, None) => "Nothing to do: nothing is new since the last dream".to_owned(),
        };
        page.line(plain(format!("Recommendation: {advice}")));
    } else {
        page.line(plain("Status: no trigger met"));
        page.line(plain("Recommendation: Nothing to do"));
    }
    page.line(plain(&rule));
}

fn rows(status: &DreamStatus) -> [(&'static str, String); 6] {
    let (state, evaluation) = (&status.state, &status.evaluation);
    let (met, limits) = (&evaluation.met, &state.thresholds);
    let word = |met: bool| if met { "MET" } else { "not met" };
    let elapsed = match evaluation.elapsed_ms {
        None => "never dreamt".to_owned(),
        Some(ms) if ms < 0 => "the last dream is dated after now".to_owned(),
        Some(ms) => format!("{} min elapsed", ms / MINUTE_MS),
    };
    let (since, volume) = (state.records_since, limits.volume);
    let events = match (limits.events, state.events.len()) {
        (false, _) => "disabled".to_owned(),
        (true, 0) => "enabled (no pending events)".to_owned(),
        (true, n) => format!("enabled (MET -- {n} pending)"),
    };
    let last = match (&state.last_id, state.last_completed) {
        (Some(id), Some(at)) => format!("{id} ({})", age(at, status.now)),
        (None, Some(at)) => age(at, status.now),
        (_, None) => "never".to_owned(),
    };
    [
        ("Last dream", last),
        ("Records since", format!("{since} / {volume} (volume threshold)")),
        ("Pending events", state.events.len().to_string()),
        (
            "Time threshold",
            format!("{} min ({} -- {elapsed})", limits.time_minutes, word(met.time)),
        ),
        ("Volume threshold", format!("{volume} ({} -- {since}/{volume})", word(met.volume))),
        ("Event trigger", events),
    ]
}
