//! `loopdeck loop log`: what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::{events, follow, view};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::cli::memory::problems;
use crate::cli::page::{Cell, Page, Tone, plain, span};
use crate::cli::when::{age, clock};
use crate::core::loops::Event;
use crate::core::loops::event::{EventBody, Wire};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Actor, Loop};
use crate::core::time::Timestamp;
use crate::engine::{Engine, LogEntry, LogQuery};

/// Arguments of `log`.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// The loop (default: all of them, newest first)
    id: Option<String>,
    /// Only of this kind
    #[arg(long, value_name = "EVENT", value_parser = PossibleValuesParser::new(EventBody::kinds()),
        hide_possible_values = true)]
    kind: Option<String>,
    /// Only by this actor
    #[arg(long, value_name = "ACTOR", value_parser = by)]
    by: Option<Actor>,
    /// The newest so many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Go on with new events as they come; with --json an object a line
    #[arg(long, requires = "id")]
    follow: bool,
}

fn by(text: &str) -> std::result::Result<Actor, String> {
    text.parse()
}

/// Lists events.
pub fn run(call: &Call, args: &LogArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    let loop_id = args.id.as_deref().map(|text| engine.resolve(text)).transpose()?;
    let query = LogQuery {
        loop_id: loop_id.clone(),
        kind: args.kind.clone(),
        by: args.by.clone(),
        limit: args.limit,
    };
    if let (true, Some(id)) = (args.follow, &loop_id) {
        return follow::run(call, &engine, id, &query);
    }
    let log = engine.log(&query)?;
    let state = loop_id.as_ref().map(|id| engine.load(id)).transpose()?;
    let loops = if state.is_some() { BTreeMap::new() } else { loops_of(&engine, &log.entries) };
    let now = engine.now();
    let events = log
        .entries
        .iter()
        .map(|e| event_json(&e.loop_id, &e.event))
        .collect::<Result<Vec<Value>>>()?;
    let text = |page: &mut Page| {
        if log.entries.is_empty() {
            return page.line(plain(match (&args.kind, &args.by) {
                (Some(kind), _) => format!("no event of kind {kind} here"),
                (None, Some(by)) => format!("no event by {by} here"),
                (None, None) => "no event here".to_owned(),
            }));
        }
        let rows = log.entries.iter().map(|entry| match &state {
            Some(state) => row(&entry.event, Some(state), now),
            None => row_with_title(entry, loops.get(&entry.loop_id).map(|l| &**l), now),
        });
        page.table(0, &[if state.is_some() { 4 } else { 5 }], rows.collect());
        view::more(page, log.entries.len(), log.total, "without --limit");
    };
    let result = || json!({"events": events, "total": log.total});
    Ok(call.answer(result, text, problems(&log.problems)))
}

/// An event as the wire has it, with the loop's id.
pub(super) fn event_json(loop_id: &LoopId, event: &Event) -> Result<Value> {
    let mut object = serde_json::to_value(Wire(event.seq, &event.body))
        .map_err(|e| Fault::new("io", format!("event {} cannot be shown: {e}", event.seq)))?;
    object["at"] = json!(event.at);
    object["by"] = json!(event.by);
    object["loop_id"] = json!(loop_id);
    Ok(object)
}

/// An event in a row: seq, when, age, who, what.
pub fn row(event: &Event, state: Option<&Loop>, now: Timestamp) -> Vec<Cell> {
    let (mark, tone, text) = events::line(&event.body, state);
    vec![
        span(Tone::Muted, format!("#{}", event.seq)).into(),
        plain(clock(event.at, now)).into(),
        span(Tone::Muted, age(event.at, now)).into(),
        span(Tone::Muted, view::who(&event.by.to_string())).into(),
        vec![span(tone, mark), crate::cli::page::gap(1), plain(text)].into(),
    ]
}

/// The loops that some events are of. One that cannot be read is left out.
fn loops_of(engine: &Engine, entries: &[LogEntry]) -> BTreeMap<LoopId, Arc<Loop>> {
    let ids: BTreeSet<_> = entries.iter().map(|entry| &entry.loop_id).collect();
    ids.into_iter().filter_map(|id| Some((id.clone(), engine.load(id).ok()?))).collect()
}

fn row_with_title(entry: &LogEntry, state: Option<&Loop>, now: Timestamp) -> Vec<Cell> {
    let mut row = row(&entry.event, state, now);
    row.insert(4, span(Tone::Strong, crate::core::text::first_chars(&entry.title, 32)).into());
    row
}
