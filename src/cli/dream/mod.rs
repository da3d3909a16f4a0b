//! `loopdeck dream …`: what the reward records show.

mod graph;
mod insight;
mod insights;
mod run;
mod status;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::args::pair;
use super::call::{Answer, Call};
use super::errors::{Fault, Result};
use super::page::{Cell, Page, Tone, gap, plain, span};
use super::when::age;
use crate::core::dream::limits::{Limit, Limits};
use crate::core::dream::marks::Mark;
use crate::core::dream::{Thousandths, Without};
use crate::core::text::plural;
use crate::engine::{DreamLine, Engine, SeenInsight, Supposition};

/// The verbs on dreams.
#[derive(Debug, Subcommand)]
pub enum DreamVerb {
    /// Dream now
    Run {
        /// Write a dream even if nothing has changed since the last one
        #[arg(long)]
        force: bool,
        /// Show the concept graph too
        #[arg(long)]
        graph: bool,
    },
    /// When a dream is due
    Status,
    /// What the latest dream found; one insight with its records; what would be without some
    Insights(InsightsArgs),
    /// The dreams that are kept, newest first
    List,
    /// The concept graph of the records
    Graph,
    /// What changed between two dreams (default: the last two)
    Diff {
        /// The earlier dream
        from: Option<String>,
        /// The later dream
        to: Option<String>,
    },
    /// Say that an insight is right and was acted upon
    Accept(MarkArgs),
    /// Put an insight out of sight for a week
    Snooze(MarkArgs),
    /// Leave an insight out until its evidence has doubled
    Dismiss(MarkArgs),
    /// Remove dreams beyond those that are kept
    Clear,
    /// The latest dream's best insights, for other tools
    Export,
}

/// Which insights, and under which supposition.
#[derive(Debug, Args)]
pub struct InsightsArgs {
    /// One insight: its id, a unique beginning of it, or its place (1, 2, …)
    id: Option<String>,
    /// Of this dream instead of the latest
    #[arg(long, value_name = "DREAM")]
    dream: Option<String>,
    /// Only those of at least this confidence
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.3)]
    min_confidence: f64,
    /// Every one, dismissed and snoozed ones too
    #[arg(long)]
    all: bool,
    /// Suppose something were not there: record=ID, case=DOMAIN/CASE, domain=NAME (may be repeated)
    #[arg(long, value_name = "WHAT=VALUE", value_parser = without)]
    without: Vec<(String, String)>,
    /// Suppose a limit were another: gap, low, cases, impact, confidence (may be repeated)
    #[arg(long, value_name = "LIMIT=VALUE", value_parser = limit)]
    suppose: Vec<(Limit, f64)>,
}

/// Which insight is marked.
#[derive(Debug, Args)]
pub struct MarkArgs {
    /// Its id, a unique beginning of it, or its place in the latest dream
    id: String,
    /// Take the mark away again
    #[arg(long)]
    undo: bool,
}

fn without(text: &str) -> std::result::Result<(String, String), String> {
    let (what, value) = pair("WHAT=VALUE", text)?;
    match what.as_str() {
        "record" | "domain" => Ok((what, value)),
        "case" if value.contains('/') => Ok((what, value)),
        "case" => Err("a case is named as DOMAIN/CASE".to_owned()),
        _ => Err(format!("{what:?} is none of record, case, domain")),
    }
}

fn limit(text: &str) -> std::result::Result<(Limit, f64), String> {
    let (name, value) = pair("LIMIT=VALUE", text)?;
    let limit: Limit = name
        .parse()
        .map_err(|_| format!("{name:?} is none of gap, low, cases, impact, confidence"))?;
    let value: f64 = value.parse().map_err(|_| format!("{value:?} is no number"))?;
    Limits::default().set(limit, value)?;
    Ok((limit, value))
}

impl InsightsArgs {
    /// What is supposed, if anything is.
    fn supposition(&self) -> Option<Supposition> {
        if self.without.is_empty() && self.suppose.is_empty() {
            return None;
        }
        let mut without = Without::default();
        for (what, value) in &self.without {
            match (what.as_str(), value.split_once('/')) {
                ("record", _) => {
                    without.records.insert(value.clone());
                }
                ("case", Some((domain, case))) => {
                    without.cases.insert((domain.to_owned(), case.to_owned()));
                }
                _ => {
                    without.domains.insert(value.clone());
                }
            }
        }
        let mut limits = Limits::default();
        for (limit, value) in &self.suppose {
            // The flag's parser has tried it already.
            let _ = limits.set(*limit, *value);
        }
        Some(Supposition { without, limits })
    }
}

/// Carries out a verb on dreams.
pub fn run(call: &Call, verb: DreamVerb) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    match verb {
        DreamVerb::Run { force, graph } => run::run(call, &engine, force, graph),
        DreamVerb::Status => status::run(call, &engine),
        DreamVerb::Insights(args) => insights::run(call, &engine, &args),
        DreamVerb::List => list(call, &engine),
        DreamVerb::Graph => graph::run(call, &engine),
        DreamVerb::Diff { from, to } => insights::diff(call, &engine, from, to),
        DreamVerb::Accept(args) => mark(call, &engine, &args, Mark::Accepted),
        DreamVerb::Snooze(args) => mark(call, &engine, &args, Mark::Snoozed),
        DreamVerb::Dismiss(args) => mark(call, &engine, &args, Mark::Dismissed),
        DreamVerb::Clear => {
            let removed = engine.dream_clear()?;
            let text = move |page: &mut Page| match removed {
                0 => page.line(plain("Nothing to clear.")),
                n => page.line(plain(format!("{} removed.", plural(n, "dream", "dreams")))),
            };
            Ok(call.answer(|| json!({ "removed": removed }), text, Vec::new()))
        }
        DreamVerb::Export => export(call, &engine),
    }
}

fn mark(call: &Call, engine: &Engine, args: &MarkArgs, mark: Mark) -> Result<Answer> {
    let seen = engine.dream_mark(&args.id, (!args.undo).then_some(mark))?;
    let text = |page: &mut Page| {
        let word = match seen.mark {
            None => "unmarked".to_owned(),
            Some(mark) => mark.to_string(),
        };
        page.line(vec![
            span(Tone::Good, word),
            gap(1),
            plain(&seen.insight.insight_id),
            gap(2),
            span(Tone::Muted, seen.insight.said()),
        ]);
    };
    Ok(call.answer(|| json!({ "insight": seen_json(&seen) }), text, Vec::new()))
}

fn list(call: &Call, engine: &Engine) -> Result<Answer> {
    let dreams = engine.dreams()?;
    let now = engine.now();
    let text = |page: &mut Page| {
        if dreams.is_empty() {
            page.line(plain("No dreams yet."));
        }
        let row = |line: &DreamLine| -> Vec<Cell> {
            let found = match &line.problem {
                Some(problem) => span(Tone::Bad, format!("cannot be read: {problem}")),
                None => plain(format!(
                    "{} from {}",
                    plural(line.insights, "insight", "insights"),
                    plural(line.records_analyzed, "record", "records")
                )),
            };
            let when = line.at.map_or_else(String::new, |at| age(at, now));
            vec![
                plain(line.dream_id.as_str()).into(),
                span(Tone::Muted, when).into(),
                plain(&line.trigger_reason).into(),
                found.into(),
            ]
        };
        page.table(0, &[3], dreams.iter().map(row).collect());
    };
    let total = dreams.len();
    let result = || json!({ "dreams": dreams, "total": total, "next_offset": null });
    Ok(call.answer(result, text, Vec::new()))
}

/// The object that a container of exported knowledge holds (the published format).
fn export(call: &Call, engine: &Engine) -> Result<Answer> {
    const TOP: usize = 5;
    let view = engine.dream(None)?;
    let folder = view.file.parent().map(std::path::Path::to_owned).unwrap_or_default();
    let from = folder.strip_prefix(engine.root()).unwrap_or(&folder).display().to_string();
    let from = format!("{}/", from.replace('\\', "/").trim_end_matches('/'));
    let top: Vec<_> = view.dream.insights.iter().take(TOP).collect();
    let value = json!({
        "dream_insights": {
            "latest_dream_id": view.dream.dream_id,
            "insight_count": view.dream.insights.len(),
            "top_insights": top,
            "exported_from": from,
        },
    });
    let text = |page: &mut Page| page.verbatim(&format!("{value:#}"));
    Ok(call.answer(|| value.clone(), text, Vec::new()))
}

/// An insight as scripts see it: as in its file, and how it stands.
fn seen_json(seen: &SeenInsight) -> Value {
    let mut value = json!(seen.insight);
    if let Value::Object(map) = &mut value {
        map.insert("rank".to_owned(), json!(seen.rank));
        map.insert("change".to_owned(), json!(seen.change));
        map.insert("mark".to_owned(), json!(seen.mark));
        map.insert("snoozed_until".to_owned(), json!(seen.snoozed_until));
        map.insert("hidden".to_owned(), json!(seen.hidden));
    }
    value
}

/// `of at least` as a confidence; refuses what is none.
fn at_least(confidence: f64) -> Result<Thousandths> {
    if (0.0..=1.0).contains(&confidence) {
        Ok(Thousandths::of(confidence))
    } else {
        let message = format!("--min-confidence is a number from 0 to 1, not {confidence}");
        Err(Fault::new("invalid_min_confidence", message))
    }
}
