//! `loopdeck session list`.

use clap::Args;
use serde_json::json;

use super::view;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::memory::problems;
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::cli::when::short_age;
use crate::core::session::{Gap, SessionSummary, Status};
use crate::core::text::{first_chars, plural};
use crate::core::time::Timestamp;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only those of a status
    #[arg(long, value_name = "STATUS", value_parser = view::statuses())]
    status: Option<Status>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// After so many
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
}

/// All sessions, newest change first.
pub fn run(call: &Call, args: &ListArgs) -> Result<Answer> {
    super::refuse_request(call)?;
    let engine = call.engine()?;
    let listing = engine.sessions()?;
    let now = engine.now();
    let fits = |s: &&std::sync::Arc<SessionSummary>| {
        args.status.as_ref().is_none_or(|status| s.status == *status)
    };
    let all: Vec<_> = listing.sessions.iter().filter(fits).collect();
    let page: Vec<_> = all.iter().skip(args.offset).take(args.limit).collect();
    let end = args.offset + page.len();
    let next_offset = (end < all.len() && !page.is_empty()).then_some(end);
    let result = || {
        let lines: Vec<&SessionSummary> = page.iter().map(|line| &****line).collect();
        json!({ "sessions": lines, "total": all.len(), "next_offset": next_offset })
    };
    let text = |out: &mut Page| {
        let others = listing.sessions.len();
        if let (true, Some(status), 1..) = (all.is_empty(), &args.status, others) {
            out.line(plain(format!(
                "none of {} is {status}",
                plural(others, "session", "sessions")
            )));
            return;
        }
        if all.is_empty() {
            out.line(plain("no session here yet"));
            let command = "loopdeck session start --goal 'all tests pass' --goal-type tests_pass";
            out.line(vec![plain("start one:"), gap(1), span(Tone::Command, command)]);
            return;
        }
        out.table(0, &[1], page.iter().map(|line| row(line, now)).collect());
        if let Some(next) = next_offset {
            let text = format!("{} more: --offset {next}", all.len() - next);
            out.line(span(Tone::Muted, text));
        }
    };
    Ok(call.answer(result, text, problems(&listing.problems)))
}

fn row(line: &SessionSummary, now: Timestamp) -> Vec<Cell> {
    let gap = line.gap.as_ref();
    let trend = gap.and_then(|gap| gap.trend.as_ref());
    vec![
        span(view::status_tone(&line.status), view::status_mark(&line.status)).into(),
        span(Tone::Strong, &line.goal).into(),
        span(view::status_tone(&line.status), line.status.as_str()).into(),
        plain(format!("{}/{}", line.attempts, line.max_attempts)).into(),
        plain(gap.map(Gap::in_words).unwrap_or_default()).into(),
        match (line.stalled, trend) {
            (true, _) => span(Tone::Warn, "stalled").into(),
            (false, Some(trend)) => {
                span(view::trend_tone(trend), format!("{} {trend}", view::trend_mark(trend))).into()
            }
            (false, None) => plain("").into(),
        },
        span(Tone::Muted, first_chars(line.session_id.as_str(), 8)).into(),
        span(Tone::Muted, short_age(line.updated_at, now)).into(),
    ]
}
