//! `loopdeck rewards …`: the records that dreams are dreamt from.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::call::{Answer, Call};
use super::errors::Result;
use super::memory::Slice;
use super::page::{Cell, Page, Tone, gap, plain, span};
use super::when::age;
use crate::core::text::plural;
use crate::core::time::Timestamp;
use crate::engine::{NameStats, RewardDraft, RewardPage, RewardQuery, RewardRecord, RewardStats};

/// The verbs on reward records.
#[derive(Debug, Subcommand)]
pub enum RewardsVerb {
    /// Store a record
    Add(AddArgs),
    /// List records, newest first
    List {
        /// Only of this domain
        #[arg(long)]
        domain: Option<String>,
        /// Only of this phase
        #[arg(long)]
        phase: Option<String>,
        /// Only of this case
        #[arg(long)]
        case: Option<String>,
        /// Which part of the list
        #[command(flatten)]
        slice: Slice,
    },
    /// Averages, trends and patterns; writes the summary and the pattern file
    Stats,
}

/// A record to be stored.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The case that it belongs to
    #[arg(long)]
    case: String,
    /// The phase that was worked
    #[arg(long)]
    phase: String,
    /// How good it was, from 0 to 1
    #[arg(long, value_name = "REWARD")]
    reward: f64,
    /// The domain (default: general)
    #[arg(long)]
    domain: Option<String>,
    /// Who or what worked it (default: operator)
    #[arg(long)]
    skill: Option<String>,
    /// Why so much
    #[arg(long)]
    reason: Option<String>,
    /// The phase as people call it
    #[arg(long, value_name = "NAME")]
    phase_name: Option<String>,
    /// Rounds that it took
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// When it stops counting: a date (to its end, UTC) or an RFC 3339 time
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
}

/// Carries out a verb on reward records.
pub fn run(call: &Call, verb: RewardsVerb) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    let now = engine.now();
    match verb {
        RewardsVerb::Add(args) => {
            let draft = draft(call, args)?;
            let (record, warnings) = engine.reward_add(&draft)?;
            let text = |page: &mut Page| stored(page, &record);
            Ok(call.answer(|| json!({ "record": record }), text, warnings))
        }
        RewardsVerb::List { domain, phase, case, slice } => {
            let (limit, offset) = (Some(slice.limit), slice.offset);
            let page = engine.rewards(&RewardQuery { domain, phase, case, limit, offset })?;
            let result = || {
                json!({
                    "records": page.records, "total": page.total,
                    "next_offset": page.next_offset, "skipped": page.skipped,
                })
            };
            Ok(call.answer(result, |out| list(out, &page, now), Vec::new()))
        }
        RewardsVerb::Stats => {
            let mut stats = engine.reward_stats()?;
            let warnings = std::mem::take(&mut stats.warnings);
            Ok(call.answer(|| stats_json(&stats), |page| show_stats(page, &stats), warnings))
        }
    }
}

fn draft(call: &Call, args: AddArgs) -> Result<RewardDraft> {
    Ok(RewardDraft {
        reason: call.maybe_text("reason", args.reason.as_ref())?,
        case: args.case,
        domain: args.domain,
        phase: args.phase,
        phase_name: args.phase_name,
        skill: args.skill,
        reward: args.reward,
        iterations: args.iterations,
        expires_at: args.expires_at,
    })
}

fn stored(page: &mut Page, record: &RewardRecord) {
    page.line(vec![
        span(Tone::Good, "stored"),
        gap(1),
        plain(&*record.id),
        gap(2),
        plain(format!("{} {}", record.reward, record.reward_label)),
    ]);
    page.line(vec![gap(2), span(Tone::Muted, record.file.display().to_string())]);
}

fn list(out: &mut Page, page: &RewardPage, now: Timestamp) {
    if page.records.is_empty() {
        out.line(plain("No reward records here."));
        out.line(span(
            Tone::Muted,
            "Closing a loop writes some; loopdeck rewards add stores one by hand.",
        ));
    }
    let rows = page.records.iter().map(|r| row(r, now)).collect();
    out.table(0, &[4, 3], rows);
    if let Some(next) = page.next_offset {
        let shown = page.records.len();
        out.line(span(
            Tone::Muted,
            format!("{shown} of {}; more: loopdeck rewards list --offset {next}", page.total),
        ));
    }
    skipped(out, page.skipped.iter().map(|s| (s.path.as_str(), s.reason.as_str())).collect());
}

fn row(record: &RewardRecord, now: Timestamp) -> Vec<Cell> {
    let tone = match record.reward_label {
        "excellent" | "good" => Tone::Good,
        "needs_work" => Tone::Warn,
        _ => Tone::Bad,
    };
    let mut when = vec![span(Tone::Muted, age(record.timestamp, now))];
    if record.expired {
        when.extend([gap(1), span(Tone::Warn, "expired")]);
    }
    vec![
        span(tone, format!("{:.2}", record.reward)).into(),
        plain(&*record.domain).into(),
        plain(&*record.phase).into(),
        plain(&*record.skill_used).into(),
        span(Tone::Muted, &*record.case_slug).into(),
        when.into(),
    ]
}

/// Names the files that do not count.
pub fn skipped(page: &mut Page, files: Vec<(&str, &str)>) {
    const NAMED: usize = 10;
    if files.is_empty() {
        return;
    }
    page.heading(&format!("{} skipped", plural(files.len(), "file", "files")));
    let row = |(path, reason): &(&str, &str)| -> Vec<Cell> {
        vec![span(Tone::Warn, reason).into(), plain(path).into()]
    };
    page.table(2, &[1], files.iter().take(NAMED).map(row).collect());
    if files.len() > NAMED {
        page.line(vec![gap(2), span(Tone::Muted, format!("and {} more", files.len() - NAMED))]);
    }
}

fn stats_json(stats: &RewardStats) -> Value {
    json!({
        "total_records": stats.records, "average_reward": stats.average, "trend": stats.trend,
        "phases": stats.phases, "domains": stats.domains, "skills": stats.skills,
        "patterns": stats.patterns, "differences": stats.differences,
        "expired": stats.expired, "skipped": stats.skipped,
    })
}

fn show_stats(page: &mut Page, stats: &RewardStats) {
    page.line(vec![
        plain(plural(stats.records, "reward record", "reward records")),
        plain(format!(", average {},", stats.average.two_places())),
        gap(1),
        plain(stats.trend.as_ref().replace('_', " ")),
    ]);
    let table = |names: &[NameStats]| -> Vec<super::page::Entry> {
        let row = |n: &NameStats| -> Vec<Cell> {
            vec![
                gap(0).into(),
                plain(n.average.two_places()).into(),
                plain(&n.name).into(),
                span(Tone::Muted, plural(n.count, "record", "records")).into(),
                trend(n.trend.as_ref()).into(),
            ]
        };
        names.iter().map(|n| row(n).into()).collect()
    };
    let groups: Vec<_> =
        [("Phases", &stats.phases), ("Domains", &stats.domains), ("Skills", &stats.skills)]
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(title, names)| (Some(title), table(names)))
            .collect();
    page.groups(1, &[2], groups);
    if !stats.patterns.is_empty() {
        page.heading("Patterns");
        for pattern in &stats.patterns {
            let figure = format!("[{}]", pattern.confidence.two_places());
            let text = format!("{}. {}.", pattern.description, pattern.actionable_advice);
            page.hanging(vec![gap(2), span(Tone::Muted, figure), gap(1)], Tone::Plain, &text);
        }
    }
    for difference in &stats.differences {
        page.line(vec![
            span(Tone::Warn, "differs:"),
            gap(1),
            plain(format!(
                "{} of {}: the summary that was there says {}, the records {}",
                difference.name,
                difference.of,
                difference.summary.two_places(),
                difference.records.two_places()
            )),
        ]);
    }
    if stats.expired > 0 {
        page.line(span(
            Tone::Muted,
            plural(stats.expired, "record has expired", "records have expired"),
        ));
    }
    skipped(page, stats.skipped.iter().map(|s| (s.path.as_str(), s.reason.as_str())).collect());
}

/// A trend with its symbol.
pub fn trend(name: &str) -> super::page::Span {
    match name {
        "improving" => span(Tone::Good, "↗ improving"),
        "degrading" => span(Tone::Bad, "↘ degrading"),
        "stable" => span(Tone::Muted, "→ stable"),
        _ => span(Tone::Muted, "· too few"),
    }
}
