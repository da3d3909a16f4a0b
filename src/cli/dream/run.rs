//! `dream run`.

use serde_json::{Value, json};

use super::graph;
use super::insights::near_misses;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Page, Tone, gap, plain, span};
use crate::cli::rewards::skipped;
use crate::core::dream::diff::Change;
use crate::core::text::plural;
use crate::engine::{Cause, DreamDone, DreamRequest, Engine};

/// Dreams now.
pub(super) fn run(call: &Call, engine: &Engine, force: bool, graph: bool) -> Result<Answer> {
    let request = DreamRequest { force, graph, cause: Cause::ByHand };
    let done = engine.dream_run(&request, &|_, _| true)?;
    // Nobody stops a run of the command line but by ending it.
    let Some(mut done) = done else {
        return Err(crate::cli::errors::Fault::new("interrupted", "the dream was stopped"));
    };
    let warnings = std::mem::take(&mut done.warnings);
    let status = u8::from(done.refusal.is_some());
    if let Some(refusal) = done.refusal.as_ref().filter(|_| !call.globals.json) {
        crate::cli::call::say(refusal);
    }
    let answer = call.answer(|| result(&done), |page| show(page, &done), warnings);
    Ok(answer.ending_with(status))
}

fn result(done: &DreamDone) -> Value {
    let mut value = json!(done.dream);
    if let (Value::Object(map), Some(graph)) = (&mut value, &done.graph) {
        map.insert("graph".to_owned(), json!(graph));
    }
    value
}

fn show(page: &mut Page, done: &DreamDone) {
    let dream = &done.dream;
    if done.refusal.is_none() {
        page.line(plain(format!("{}.", dream.first_line())));
        let count = |wanted: Change| done.changes.iter().filter(|(c, _)| *c == wanted).count();
        let parts = [Change::New, Change::Persisting, Change::Turned, Change::Gone]
            .map(|change| (count(change), change))
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, change)| format!("{n} {change}"));
        let parts: Vec<String> = parts.collect();
        let changes =
            if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        page.line(vec![
            span(Tone::Strong, plural(dream.insights.len(), "insight", "insights")),
            plain(changes),
        ]);
        match (&done.file, dream.status.as_str()) {
            (Some(file), _) => {
                page.line(vec![gap(2), span(Tone::Muted, file.display().to_string())]);
            }
            (None, "unchanged_input") => page.line(plain(
                "Nothing has changed since the last dream: none was written (--force writes one).",
            )),
            (None, _) => {}
        }
        if done.removed > 0 {
            let gone = plural(done.removed, "old dream was", "old dreams were");
            page.line(span(Tone::Muted, format!("{gone} removed.")));
        }
    }
    if dream.insights.is_empty() {
        near_misses(page, &dream.near_misses, dream.near_misses_more);
    } else {
        page.line(vec![
            span(Tone::Muted, "see them:"),
            gap(1),
            span(Tone::Command, "loopdeck dream insights"),
        ]);
    }
    if let Some(graph) = &done.graph {
        graph::show(page, graph);
    }
    let files = dream.skipped.iter().map(|s| (s.path.as_str(), s.reason.as_str())).collect();
    skipped(page, files);
}
