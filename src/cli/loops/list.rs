//! `loopdeck loop list`.

use clap::Args;
use serde_json::json;

use super::view;
use crate::cli::args::word;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::cli::memory::{Slice, problems};
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::cli::when::short_age;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Kind;
use crate::core::text::first_chars;
use crate::core::time::Timestamp;
use crate::engine::LoopSummary;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_parser = word(|_: &Kind| true))]
    kind: Option<Kind>,
    /// Only of this status
    #[arg(long, value_name = "STATUS", value_parser = word(|_: &Status| true))]
    status: Option<Status>,
    /// Only those that want this
    #[arg(long, value_name = "ATTENTION", value_parser = word(|_: &AttentionState| true))]
    attention: Option<AttentionState>,
    /// Only those with a slot of this agent (me: the --actor)
    #[arg(long, value_name = "AGENT")]
    assigned_to: Option<String>,
    /// Those that were closed more than 14 days ago too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    slice: Slice,
}

impl ListArgs {
    fn wants(&self, found: &LoopSummary, agent: Option<&str>, now: Timestamp) -> bool {
        self.kind.is_none_or(|kind| kind == found.kind)
            && self.status.is_none_or(|status| status == found.status)
            && self.attention.is_none_or(|attention| attention == found.attention)
            && agent.is_none_or(|agent| found.agents.iter().any(|a| &**a == agent))
            && (self.all || self.status.is_some() || !found.is_folded_away(now))
    }
}

/// Lists loops, newest change first.
pub fn run(call: &Call, args: &ListArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    let agent = args.assigned_to.as_deref().map(|name| agent(call, name)).transpose()?;
    let listing = engine.list()?;
    let now = engine.now();
    let kept: Vec<&LoopSummary> =
        listing.loops.iter().filter(|l| args.wants(l, agent.as_deref(), now)).collect();
    let from = args.slice.offset.min(kept.len());
    let to = from.saturating_add(args.slice.limit).min(kept.len());
    let next = (from < to && to < kept.len()).then_some(to);
    let shown = &kept[from..to];
    let result = || json!({"loops": shown, "total": kept.len(), "next_offset": next});
    let text = |page: &mut Page| {
        if shown.is_empty() {
            return nothing(page, listing.loops.len());
        }
        table(page, shown, now);
        if let Some(next) = next {
            let rest = kept.len() - next;
            page.line(vec![gap(4), span(Tone::Muted, format!("{rest} more: --offset {next}"))]);
        }
    };
    Ok(call.answer(result, text, problems(&listing.problems)))
}

/// `me` is whoever `--actor` names.
fn agent(call: &Call, name: &str) -> Result<String> {
    if name != "me" {
        return Ok(name.strip_prefix("agent:").unwrap_or(name).to_owned());
    }
    match call.actor().agent() {
        Some(agent) => Ok(agent.to_string()),
        None => Err(Fault::new(
            "invalid_assigned_to",
            "slots are assigned to agents, and you are the operator: name an agent, or say who \
             you are with --actor agent:NAME",
        )
        .step("see what waits for you", "loopdeck loop list --attention person")),
    }
}

fn nothing(page: &mut Page, total: usize) {
    if total > 0 {
        return page.line(plain(format!("none of {total} loops (--all shows folded ones too)")));
    }
    page.line(plain("no loop here yet"));
    page.line(vec![
        plain("open one:"),
        gap(1),
        span(Tone::Command, "loopdeck loop open --kind ideation --title \"…\" --proposal \"…\""),
    ]);
}

/// A table of loops.
pub fn table(page: &mut Page, loops: &[&LoopSummary], now: Timestamp) {
    let rows = loops.iter().map(|l| row(l, now)).collect();
    page.table(1, &[4, 1], rows);
}

fn row(l: &LoopSummary, now: Timestamp) -> Vec<Cell> {
    let tone = view::attention_tone(l.attention);
    let place = if l.status.is_closed() { l.phase.to_string() } else { l.place() };
    let title = if l.status.is_closed() { Tone::Muted } else { Tone::Strong };
    vec![
        span(view::mark_tone(l), view::attention_mark(l.attention, l.status)).into(),
        span(title, &l.title).into(),
        span(Tone::Muted, view::kind_in_list(l)).into(),
        plain(place).into(),
        span(tone, first_chars(&view::detail(l), 48)).into(),
        span(Tone::Muted, view::handle(l)).into(),
        span(Tone::Muted, short_age(l.updated_at, now)).into(),
    ]
}
