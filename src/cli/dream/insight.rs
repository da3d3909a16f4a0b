//! One insight with all that it rests on, down to the files.

use serde_json::json;

use super::insights::facts;
use super::seen_json;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::cli::when::age;
use crate::core::text::plural;
use crate::core::time::Timestamp;
use crate::engine::{Engine, Provenance, RewardRecord, Side};

/// Records of a side that are listed.
const LISTED: usize = 20;

/// Opens one insight.
pub(super) fn run(call: &Call, engine: &Engine, id: &str) -> Result<Answer> {
    let found = engine.dream_provenance(id)?;
    let now = engine.now();
    let result = || {
        json!({
            "insight": seen_json(&found.seen),
            "dream_id": found.dream_id,
            "sides": found.sides,
            "evidence_from_earlier_dreams": found.from_earlier,
        })
    };
    Ok(call.answer(result, |page| show(page, &found, now), Vec::new()))
}

fn show(page: &mut Page, found: &Provenance, now: Timestamp) {
    let (seen, insight) = (&found.seen, &found.seen.insight);
    page.prose(0, Tone::Strong, &insight.said());
    if !insight.advice.is_empty() {
        page.prose(2, Tone::Plain, &format!("Advice: {}.", insight.advice.trim_end_matches('.')));
    }
    page.line(vec![gap(2), span(Tone::Muted, facts(insight))]);
    let mut standing = vec![format!("{}", seen.change)];
    standing.extend(insight.turned_from.as_ref().map(|from| format!("turned from {from}")));
    standing.extend(seen.mark.map(|mark| mark.to_string()));
    page.line(vec![
        gap(2),
        plain(format!(
            "confidence {}, {} impact, rank {}: {}",
            insight.confidence.two_places(),
            insight.impact,
            seen.rank,
            standing.join(", ")
        )),
    ]);
    page.line(vec![gap(2), span(Tone::Muted, &insight.insight_id)]);
    for side in &found.sides {
        show_side(page, side, now);
    }
    if found.from_earlier > 0 {
        page.blank();
        page.line(plain(format!(
            "{} of its evidence only earlier dreams have ({}).",
            found.from_earlier,
            insight.seen_in.join(", ")
        )));
    }
}

fn show_side(page: &mut Page, side: &Side, now: Timestamp) {
    page.heading(&format!(
        "{}: {}, average {}",
        side.name,
        plural(side.records.len(), "record", "records"),
        side.average.two_places()
    ));
    let row = |record: &RewardRecord| -> Vec<Cell> {
        vec![
            plain(format!("{:.2}", record.reward)).into(),
            plain(&*record.phase).into(),
            plain(&*record.case_slug).into(),
            span(Tone::Muted, age(record.timestamp, now)).into(),
            span(Tone::Muted, &*record.path).into(),
        ]
    };
    page.table(2, &[4, 2], side.records.iter().take(LISTED).map(row).collect());
    if side.records.len() > LISTED {
        let more = side.records.len() - LISTED;
        page.line(vec![gap(2), span(Tone::Muted, format!("and {more} more"))]);
    }
    if !side.missing.is_empty() {
        let what = plural(side.missing.len(), "record is", "records are");
        page.line(vec![
            gap(2),
            span(Tone::Warn, format!("{what} not there any more: {}", side.missing.join(", "))),
        ]);
    }
}
