//! A slow and obvious reading of dream.md, used only to check the real dream engine.
//!
//! Everything here is quadratic and written in the order of the specification. Each rule names the
//! place in dream.md that it comes from, e.g. "dream.md, Run 3". Nothing is shared with the real
//! engine: the same mistake would have to be made twice to stay unseen.

// Several test programs use it, and none of them all of it.
#![allow(dead_code, unused_imports)]

mod arithmetic;
mod associate;
mod compare;
mod earlier;
mod file;
mod graph;
mod insight;
mod load;
mod near;
mod pattern;
pub mod random;
mod random_others;
mod random_record;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_chain;
#[cfg(test)]
mod tests_load;
mod types;

pub use arithmetic::{natural, show2, show3, thousandths};
pub use compare::differences;
pub use file::{dream_id_for, to_file};
pub use types::*;

use chrono::{DateTime, Utc};
use serde_json::Value;

/// Dreams over `files` (path relative to memory/, bytes), given the earlier dream files (file name,
/// content; `Value::Null` stands for one that can't be read) and the contents of pattern files.
///
/// `Config::memory_folder = false` stands for a memory folder that does not exist.
pub fn dream(
    files: &[(String, Vec<u8>)],
    earlier: &[(String, Value)],
    foreign_patterns: &[Value],
    config: &Config,
    now: DateTime<Utc>,
) -> Outcome {
    let mut outcome = Outcome::empty();

    // Run 1: "Load: no folder → `no_data`".
    if !config.memory_folder {
        outcome.status = Status::NoData;
        return outcome;
    }

    let loaded = load::load(files, now);
    outcome.skipped = loaded.skipped;
    outcome.expired = loaded.expired;
    outcome.warnings = loaded.warnings;
    outcome.valid_records = loaded.records.len() + outcome.expired.len();

    // Run 1: "sort …; keep the top 200", "when records are left out …".
    let (kept, left_out) = load::select(&loaded.records, config);
    outcome.left_out = left_out;

    // Run 1: "fewer than 5 kept → `insufficient_data` ("4 of 5"; records_analyzed 0)".
    if kept.len() < 5 {
        outcome.status = Status::InsufficientData;
        outcome.reason = format!("{} of 5", kept.len());
        return outcome;
    }
    outcome.kept = load::in_time_order(&kept).iter().map(|r| r.id.clone()).collect();

    // Run 7: "Same fingerprint as the last dream: `unchanged_input` … unless `--force`".
    let chosen = earlier::choose(earlier, now, &mut outcome.warnings);
    outcome.fingerprint = file::fingerprint(&kept, foreign_patterns, config);
    let last = chosen.first().and_then(|dream| dream.fingerprint.clone());
    if !config.force && last.as_deref() == Some(outcome.fingerprint.as_str()) {
        outcome.status = Status::UnchangedInput;
        outcome.records_analyzed = kept.len();
        return outcome;
    }

    outcome.status = Status::Completed;
    outcome.records_analyzed = kept.len();
    outcome.dream_id = dream_id_for(earlier, now);
    outcome.domains_covered = arithmetic::names(kept.iter().map(|r| r.domain.as_str()));
    outcome.phases_covered = arithmetic::names(kept.iter().map(|r| r.phase.as_str()));

    outcome.graph = graph::build(&kept);
    let (associations, mut misses) = associate::all(&kept, &config.limits);
    let (own, failed) = pattern::tracker(&kept);
    misses.extend(failed);
    let foreign = pattern::foreign(foreign_patterns, &mut outcome.warnings);

    let mut insights: Vec<Insight> =
        associations.iter().map(|a| insight::from_association(a, &config.limits)).collect();
    let (promoted, unsure) = insight::promote(&own, &foreign, &associations, &config.limits);
    insights.extend(promoted);
    misses.extend(unsure);
    outcome.associations = associations;

    for one in &mut insights {
        earlier::merge(one, &chosen, &outcome.dream_id, now);
    }
    outcome.insights = rank(insights, config, &outcome.dream_id);
    outcome.all_near_misses = near::closest_first(misses);
    outcome.near_misses = outcome.all_near_misses.iter().take(20).cloned().collect();
    outcome.near_misses_rest = outcome.all_near_misses.len() - outcome.near_misses.len();
    outcome
}

/// Run 6: "Sort rank_score (on thousandths) desc, evidence desc, identity part by part bytewise;
/// dismissed ones are left out; top 20; ids `{dream_id}-001…` in that order."
fn rank(mut insights: Vec<Insight>, config: &Config, dream_id: &str) -> Vec<Insight> {
    insights.sort_by(|a, b| {
        thousandths(b.rank_score)
            .cmp(&thousandths(a.rank_score))
            .then(b.evidence_count.cmp(&a.evidence_count))
            .then(a.identity_parts.cmp(&b.identity_parts))
    });
    insights.retain(|insight| !is_dismissed(insight, config));
    insights.truncate(20);
    for (index, insight) in insights.iter_mut().enumerate() {
        insight.insight_id = format!("{dream_id}-{:03}", index + 1);
    }
    insights
}

/// Looking, Between dreams: "a dismissed one comes back only when its own evidence is ≥ 2 × what it
/// was then."
fn is_dismissed(insight: &Insight, config: &Config) -> bool {
    config
        .dismissed
        .iter()
        .any(|mark| mark.identity == insight.identity && insight.own_evidence < 2 * mark.evidence)
}
