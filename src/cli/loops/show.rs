//! `loopdeck loop show`: a loop in a page, or one artifact in full.

use clap::Args;
use serde_json::json;

use super::{view, why};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::memory::problems;
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::cli::when::{age, clock};
use crate::core::loops::attention::{Attention, attention};
use crate::core::loops::explain::Why;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Artifact, Loop};
use crate::core::loops::spent;
use crate::core::loops::wire;
use crate::core::time::Timestamp;
use crate::engine::{Engine, LogEntry, LogQuery};

/// How many of the newest events the page shows.
const EVENTS: usize = 6;
/// How many of a phase's artifacts the page shows.
const ARTIFACTS: usize = 12;

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The loop
    id: String,
    /// This artifact, its body in full
    #[arg(long, value_name = "ARTIFACT")]
    artifact: Option<String>,
    /// As it was right after this event
    #[arg(long, value_name = "SEQ", conflicts_with = "artifact")]
    at: Option<u64>,
}

/// Shows a loop, or one of its artifacts.
pub fn run(call: &Call, args: &ShowArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    match (&args.artifact, args.at) {
        (Some(text), _) => artifact(call, &engine, &id, text),
        (None, Some(seq)) => moment(call, &engine, &id, seq),
        (None, None) => whole(call, &engine, &id),
    }
}

fn artifact(call: &Call, engine: &Engine, id: &LoopId, text: &str) -> Result<Answer> {
    let artifact_id = engine.resolve_artifact(id, text)?;
    let state = engine.load(id)?;
    let body = engine.body(id, &artifact_id)?;
    let now = engine.now();
    let head = state.artifact(artifact_id.as_str());
    let result = || {
        let mut object = json!(head);
        object["body"] = body.clone().into();
        json!({ "artifact": object })
    };
    let show = |page: &mut Page| {
        if let Some(head) = head {
            artifact_head(page, head, now);
        }
        page.blank();
        page.verbatim(&body);
    };
    Ok(call.answer(result, show, Vec::new()))
}

fn artifact_head(page: &mut Page, artifact: &Artifact, now: Timestamp) {
    let kind = match &artifact.subtype {
        Some(subtype) => format!("{} / {subtype}", artifact.artifact_type),
        None => artifact.artifact_type.to_string(),
    };
    page.edges(span(Tone::Title, kind), span(Tone::Muted, artifact.artifact_id.as_str()));
    let place = format!("{}, round {}", artifact.phase, artifact.iteration + 1);
    let made = format!(
        "{} · {} · {}",
        view::who(&artifact.produced_by.to_string()),
        age(artifact.produced_at, now),
        clock(artifact.produced_at, now)
    );
    let mut rows: Vec<(&str, String)> = vec![("filed", place), ("made by", made)];
    if let Some(flag) = view::discount(artifact) {
        let reason = artifact.retracted.as_ref().map_or("", |r| &r.reason);
        let newer = artifact.superseded_by.as_ref().map_or("", |a| a.as_str());
        rows.push(("counts", format!("no: {flag} {reason}{newer}")));
    }
    if !artifact.addresses_critique.is_empty() {
        let ids: Vec<_> = artifact.addresses_critique.iter().map(|a| a.as_str()).collect();
        rows.push(("addresses", ids.join(", ")));
    }
    for (critique, reason) in &artifact.waives {
        rows.push(("waives", format!("{critique}: {reason}")));
    }
    if !artifact.cites.is_empty() {
        rows.push(("cites", artifact.cites.join(", ")));
    }
    if !artifact.dangling.is_empty() {
        rows.push(("dangling", artifact.dangling.join(", ")));
    }
    if let Some(file) = &artifact.file {
        rows.push(("file", format!("{} ({} bytes)", file.reference, file.byte_count)));
    }
    page.table(0, &[1], labelled(rows));
}

/// Rows of a muted name and its value.
fn labelled(rows: Vec<(&str, String)>) -> Vec<Vec<Cell>> {
    rows.into_iter()
        .map(|(name, value)| vec![span(Tone::Muted, name).into(), plain(value).into()])
        .collect()
}

fn whole(call: &Call, engine: &Engine, id: &LoopId) -> Result<Answer> {
    let state = engine.load(id)?;
    let now = engine.now();
    let warnings = problems(&engine.loop_problems(id));
    let read_only = engine.loop_read_only(id);
    let wants = engine.attention(&state);
    if call.globals.json {
        return Ok(call.answer(|| wire::to_json(&state, &wants), |_| {}, warnings));
    }
    let why = engine.why(id)?;
    let query = LogQuery { loop_id: Some(id.clone()), limit: Some(EVENTS), ..LogQuery::default() };
    let log = engine.log(&query)?;
    let text = |page: &mut Page| {
        head(page, &state, &wants, now);
        if let Some(why) = &read_only {
            page.line(vec![gap(2), span(Tone::Bad, format!("{why}: the loop may only be read"))]);
            page.blank();
        }
        if !state.status.is_closed() {
            why::gate(page, &state, &why);
        }
        slots(page, &state, now);
        artifacts(page, &state, now);
        if read_only.is_none() {
            next(page, &why);
        }
        journal(page, &state, &log.entries, log.total, now);
    };
    Ok(call.answer(|| wire::to_json(&state, &wants), text, warnings))
}

/// The loop as it was at a moment of its past.
fn moment(call: &Call, engine: &Engine, id: &LoopId, seq: u64) -> Result<Answer> {
    let state = engine.state_at(id, seq)?;
    let then = state.updated_at;
    let wants = attention(&state, then);
    let text = |page: &mut Page| {
        head(page, &state, &wants, then);
        slots(page, &state, then);
        artifacts(page, &state, then);
    };
    Ok(call.answer(|| wire::to_json(&state, &wants), text, Vec::new()))
}

/// Title, rail and the loop's facts: what every page on a loop begins with.
pub fn head(page: &mut Page, state: &Loop, wants: &Attention, now: Timestamp) {
    let right = vec![
        span(Tone::Muted, format!("{} ·", state.kind)),
        gap(1),
        span(view::status_tone(state.status), state.status),
        gap(1),
        span(Tone::Muted, format!("· v{}", state.version)),
    ];
    page.edges(span(Tone::Title, &state.title), right);
    page.blank();
    let mut rail = vec![gap(2)];
    rail.extend(view::rail(state));
    page.line(rail);
    page.line(vec![gap(2), span(Tone::Muted, view::place(state))]);
    page.blank();
    let mut rows: Vec<Vec<Cell>> = vec![vec![
        span(Tone::Muted, "wants").into(),
        vec![
            span(
                view::attention_tone(wants.state),
                view::attention_mark(wants.state, state.status),
            ),
            gap(1),
            span(view::attention_tone(wants.state), wants.state),
            gap(2),
            plain(&wants.detail),
        ]
        .into(),
    ]];
    rows.extend(labelled(facts(state, now)));
    page.table(0, &[1], rows);
    if let Some(goal) = &state.goal {
        page.blank();
        page.prose(0, Tone::Plain, goal);
    }
}

fn facts(state: &Loop, now: Timestamp) -> Vec<(&'static str, String)> {
    let mut rows = vec![("id", format!("{}  {}", state.id, state.slug))];
    if let Some(reason) = &state.pause_reason {
        rows.push(("paused", reason.clone()));
    }
    if let Some(close) = &state.close {
        let cap = if close.by_cap { " by the cap on rounds" } else { "" };
        let reason = close.reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
        rows.push(("closed", format!("{}{cap}{reason}", close.status)));
    }
    rows.push(("time", spent::in_words(state, now)));
    if let Some(domain) = &state.domain {
        rows.push(("domain", domain.clone()));
    }
    if let Some(source) = &state.linked.source_loop_id {
        rows.push(("follows", source.to_string()));
    }
    if let Some(session) = &state.linked.session_id {
        rows.push(("session", session.clone()));
    }
    if !state.linked.plan_ids.is_empty() {
        rows.push(("plans", state.linked.plan_ids.join(", ")));
    }
    let when = format!(
        "{} by {}, changed {} ({})",
        age(state.created_at, now),
        view::who(&state.created_by.to_string()),
        age(state.updated_at, now),
        clock(state.updated_at, now)
    );
    rows.push(("opened", when));
    rows
}

fn slots(page: &mut Page, state: &Loop, now: Timestamp) {
    page.heading("Slots");
    let rows = state.slots.iter().map(|slot| view::slot_row(state, slot, now)).collect();
    page.table(2, &[3], rows);
}

/// The artifacts of the present round (of a closed loop: the newest of all),
/// then how many more there are.
fn artifacts(page: &mut Page, state: &Loop, now: Timestamp) {
    let wanted = |a: &Artifact| state.status.is_closed() || a.iteration == state.iteration_count;
    let mut newest: Vec<_> =
        state.artifacts.iter().rev().filter(|a| wanted(a)).take(ARTIFACTS).collect();
    newest.reverse();
    page.heading("Artifacts");
    if state.artifacts.is_empty() {
        return page.line(vec![gap(2), span(Tone::Muted, "none yet")]);
    }
    let rest = state.artifacts.len() - newest.len();
    page.table(2, &[5], newest.into_iter().map(|a| view::artifact_row(state, a, now)).collect());
    if rest > 0 {
        let how = format!("loopdeck loop log {} --kind artifact_added", state.slug);
        let text = format!("{rest} more, older or of other rounds: {how}");
        page.line(vec![gap(2), span(Tone::Muted, text)]);
    }
}

fn next(page: &mut Page, why: &Why) {
    if !why.next_steps.is_empty() {
        page.heading("Next");
        why::steps(page, &why.next_steps);
    }
}

fn journal(page: &mut Page, state: &Loop, entries: &[LogEntry], total: usize, now: Timestamp) {
    page.heading("Journal");
    let rows =
        entries.iter().map(|entry| super::log::row(&entry.event, Some(state), now)).collect();
    page.table(2, &[4], rows);
    view::more(page, entries.len(), total, &format!("loopdeck loop log {}", state.slug));
}
