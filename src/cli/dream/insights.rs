//! `dream insights` as the published format shows it, `dream diff`, and what
//! would be without some records.

use serde_json::json;

use super::{InsightsArgs, at_least, insight, seen_json};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::core::dream::diff::{Change, Compared};
use crate::core::dream::identity::Kind;
use crate::core::dream::near::Miss;
use crate::core::dream::what_if::WhatIf;
use crate::core::dream::{Dream, Insight, Thousandths};
use crate::core::text::plural;
use crate::engine::{DreamView, Engine, SeenInsight};

/// The line above and below; its length is the published one.
const RULE: usize = 63;
/// The text of an insight is wrapped at this many cells.
const WRAP: usize = 67;

/// What the latest dream found, or one insight, or what would be.
pub(super) fn run(call: &Call, engine: &Engine, args: &InsightsArgs) -> Result<Answer> {
    let least = at_least(args.min_confidence)?;
    if let Some(supposition) = args.supposition() {
        let changed = engine.dream_what_if(&supposition)?;
        let only = match &args.id {
            Some(id) => Some(engine.insight(id)?.1.insight.identity()),
            None => None,
        };
        let text = |page: &mut Page| what_if(page, &changed, only.as_deref());
        return Ok(call.answer(|| json!(changed), text, Vec::new()));
    }
    if let Some(id) = &args.id {
        return insight::run(call, engine, id);
    }
    let view = engine.dream(args.dream.as_deref())?;
    let is_shown =
        |seen: &&SeenInsight| args.all || (!seen.hidden && seen.insight.confidence >= least);
    let shown: Vec<&SeenInsight> = view.insights.iter().filter(is_shown).collect();
    let result = || {
        json!({
            "dream_id": view.dream.dream_id,
            "trigger_reason": view.dream.trigger_reason,
            "completed_at": view.dream.completed_at,
            "previous_dream_id": view.previous,
            "insights": shown.iter().map(|seen| seen_json(seen)).collect::<Vec<_>>(),
            "total": view.insights.len(),
            "next_offset": null,
            "gone": view.gone,
            "near_misses": view.dream.near_misses,
            "near_misses_more": view.dream.near_misses_more,
        })
    };
    let warnings = view.problems.iter().map(|problem| problem.message.clone()).collect();
    let least = if args.all { Thousandths(0) } else { least };
    Ok(call.answer(result, |page| show(page, &view, &shown, least), warnings))
}

fn show(page: &mut Page, view: &DreamView, shown: &[&SeenInsight], least: Thousandths) {
    let dream = &view.dream;
    let rule = "─".repeat(RULE);
    page.line(plain(format!("Dream Insights (from {})", dream.dream_id)));
    page.line(plain(format!("Trigger: {}", trigger(dream))));
    if let Some(at) = dream.completed_at {
        let at = at.to_utc().format("%Y-%m-%d %H:%M:%S");
        page.line(plain(format!("Generated: {at}")));
    }
    if dream.left_out.is_some() {
        page.line(span(Tone::Warn, dream.first_line()));
    }
    page.blank();
    page.line(plain("Top Insights:"));
    page.line(plain(&rule));
    for (place, seen) in shown.iter().enumerate() {
        if place > 0 {
            page.blank();
        }
        one(page, seen);
    }
    page.line(plain(&rule));
    let total = view.insights.len();
    page.line(plain(format!(
        "Showing {} of {total} insights (confidence >= {})",
        shown.len(),
        least.short()
    )));
    if shown.is_empty() {
        near_misses(page, &dream.near_misses, dream.near_misses_more);
    }
}

/// `volume (23 new records)`.
fn trigger(dream: &Dream) -> String {
    let detail = &dream.trigger_detail;
    let why = match dream.trigger_reason.as_str() {
        "event" => plural(detail.events, "event", "events"),
        _ => format!("{} new records", detail.records_since),
    };
    format!("{} ({why})", dream.trigger_reason)
}

fn one(page: &mut Page, seen: &SeenInsight) {
    let insight = &seen.insight;
    let head = format!(
        "{}. [{} {}] ",
        seen.rank,
        insight.confidence.two_places(),
        insight.impact.to_uppercase()
    );
    let marks =
        [(seen.change == Change::Turned).then_some("turned"), seen.mark.map(|mark| mark.into())];
    let marks: Vec<&str> = marks.into_iter().flatten().collect();
    let tail = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    // The page as it was published, wording and all.
    let text = format!("{head}{}{tail}", insight.finding());
    let options = textwrap::Options::new(WRAP).subsequent_indent("   ");
    for line in textwrap::wrap(&text, options) {
        page.verbatim(&line);
    }
    if !insight.advice.is_empty() {
        page.verbatim(&format!("   Advice: {}.", insight.advice.trim_end_matches('.')));
    }
    page.verbatim(&format!("   {}", facts(insight)));
}

/// `Domains: banking, retail | Phases: phase-2 | Evidence: 8 records`.
pub(super) fn facts(insight: &Insight) -> String {
    let mut parts = Vec::new();
    for (name, values) in
        [("Domains", &insight.domains), ("Phases", &insight.phases), ("Skills", &insight.skills)]
    {
        if !values.is_empty() {
            parts.push(format!("{name}: {}", values.join(", ")));
        }
    }
    parts.push(format!("Evidence: {}", evidence(insight)));
    parts.join(" | ")
}

fn evidence(insight: &Insight) -> String {
    match insight.kind() {
        Kind::PhaseCorrelation => plural(insight.evidence_count, "case", "cases"),
        _ => plural(insight.evidence_count, "record", "records"),
    }
}

/// Why there are no insights, or none more.
pub(super) fn near_misses(page: &mut Page, misses: &[Miss], more: usize) {
    if misses.is_empty() {
        return;
    }
    page.heading("What came near");
    let row = |miss: &Miss| -> Vec<Cell> {
        vec![
            plain(miss.kind.replace('_', " ")).into(),
            plain(miss.about()).into(),
            span(Tone::Muted, &miss.reason).into(),
        ]
    };
    page.table(2, &[1], misses.iter().map(row).collect());
    if more > 0 {
        page.line(vec![gap(2), span(Tone::Muted, format!("and {more} less near"))]);
    }
}

fn what_if(page: &mut Page, changed: &WhatIf, only: Option<&str>) {
    page.line(plain(format!(
        "Supposed: {} instead of {}, without what earlier dreams saw.",
        plural(changed.records_after, "record", "records"),
        changed.records_before
    )));
    if changed.status != Dream::COMPLETED {
        page.line(span(Tone::Warn, "Too few records would be left for a dream."));
    }
    let row = |fate: &crate::core::dream::what_if::Fate| -> Vec<Cell> {
        let state = match (fate.before, fate.after) {
            (Some(_), None) => span(Tone::Bad, "falls"),
            (None, _) => span(Tone::Good, "new"),
            (Some(before), Some(after)) if before == after => span(Tone::Muted, "stays"),
            (Some(before), Some(after)) => span(Tone::Warn, format!("{before} → {after}")),
        };
        let place = fate.after.or(fate.before).unwrap_or_default();
        vec![
            state.into(),
            plain(format!("{place}.")).into(),
            plain(format!("[{} {}]", fate.insight.confidence.two_places(), fate.insight.impact))
                .into(),
            plain(fate.insight.said()).into(),
        ]
    };
    let fates = changed.fates.iter();
    let fates = fates.filter(|f| only.is_none_or(|only| f.insight.identity == only));
    page.table(2, &[3], fates.map(row).collect());
    if changed.changes_nothing() {
        page.line(plain("No insight falls, comes or changes its place."));
    }
    if changed.fates.iter().all(|fate| fate.after.is_none()) {
        near_misses(page, &changed.near_misses, 0);
    }
}

/// What changed between two dreams.
pub(super) fn diff(
    call: &Call,
    engine: &Engine,
    from: Option<String>,
    to: Option<String>,
) -> Result<Answer> {
    let (earlier, later, compared) = engine.dream_diff(from.as_deref(), to.as_deref())?;
    let result = || json!({ "from": earlier, "to": later, "changes": compared });
    let text = |page: &mut Page| {
        let before = earlier.as_ref().map_or("nothing", |id| id.as_str());
        page.line(plain(format!("From {before} to {later}")));
        if compared.is_empty() {
            page.line(plain("Neither has an insight."));
        }
        page.table(2, &[2], compared.iter().map(change_row).collect());
    };
    Ok(call.answer(result, text, Vec::new()))
}

fn change_row(compared: &Compared) -> Vec<Cell> {
    let (symbol, tone) = match compared.change {
        Change::New => ("+", Tone::Good),
        Change::Persisting => ("=", Tone::Muted),
        Change::Turned => ("↻", Tone::Warn),
        Change::Gone => ("−", Tone::Bad),
    };
    let now = compared.insight.confidence.two_places();
    let confidence = match &compared.before {
        Some(before) if before.confidence != compared.insight.confidence => {
            format!("{} → {now}", before.confidence.two_places())
        }
        _ => now,
    };
    vec![
        span(tone, format!("{symbol} {}", compared.change)).into(),
        plain(confidence).into(),
        plain(compared.insight.said()).into(),
    ]
}
