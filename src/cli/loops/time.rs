//! `loopdeck loop undo`, `redo`, `fork`, `diff`: the loop's past.

use clap::Args;
use serde_json::json;

use super::log::row;
use super::reply::{Form, done_answer, execute};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::core::loops::Event;
use crate::core::loops::command::Command;
use crate::core::loops::diff::{LoopDiff, Mark, diff, in_words};
use crate::core::loops::model::Loop;

/// Arguments of `undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// The loop
    id: String,
    /// Back to right after this event, the last of its commit (default: one change back)
    #[arg(long, value_name = "SEQ")]
    to: Option<u64>,
    /// Say what would be taken back, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Takes the newest change back, or all since a moment.
pub fn undo(call: &Call, args: &UndoArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::Undo { to: args.to };
    if !args.dry_run {
        return execute(call, &engine, &id, command, Form::Loop);
    }
    let decision = engine.preview(&id, command, &call.write())?;
    if let Some(refusal) = decision.refusal {
        return Err(Fault::from(refusal));
    }
    let to = decision.made.back_to.unwrap_or_default();
    let timeline = engine.timeline(&id)?;
    let then =
        timeline.at(to).ok_or_else(|| Fault::new("unknown_seq", format!("no event {to}")))?;
    let change = diff(timeline.head(), &then);
    let text = |page: &mut Page| {
        page.line(span(Tone::Muted, "dry run: nothing was written; this would be different:"));
        changes(page, &change, timeline.head(), &then);
    };
    Ok(call.answer(
        || json!({ "would": { "to_seq": to, "diff": change } }),
        text,
        decision.warnings,
    ))
}

/// Arguments of `redo`.
#[derive(Debug, Args)]
pub struct RedoArgs {
    /// The loop
    id: String,
}

/// Takes the last undo back.
pub fn redo(call: &Call, args: &RedoArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Redo, Form::Loop)
}

/// Arguments of `fork`.
#[derive(Debug, Args)]
pub struct ForkArgs {
    /// The loop
    id: String,
    /// The new loop begins as this one was right after this event
    #[arg(long, value_name = "SEQ")]
    at: u64,
}

/// Begins a new loop where another one was.
pub fn fork(call: &Call, args: &ForkArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let done = engine.fork(&id, args.at, &call.write())?;
    Ok(done_answer(call, &engine, Form::Loop, done))
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The loop
    id: String,
    /// The one moment: right after this event
    from: u64,
    /// The other moment
    to: u64,
}

/// What is different between two moments.
pub fn between(call: &Call, args: &DiffArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let (from, to) = (engine.state_at(&id, args.from)?, engine.state_at(&id, args.to)?);
    let change = diff(&from, &to);
    let timeline = engine.timeline(&id)?;
    let (low, high) = (args.from.min(args.to), args.from.max(args.to));
    let events: Vec<&Event> =
        timeline.events().iter().filter(|e| (low + 1..=high).contains(&e.seq)).collect();
    let now = engine.now();
    let text = |page: &mut Page| {
        page.edges(
            span(Tone::Title, &to.title),
            span(Tone::Muted, format!("#{} → #{}", args.from, args.to)),
        );
        changes(page, &change, &from, &to);
        page.blank();
        let rows = events.iter().map(|event| row(event, Some(&to), now)).collect();
        page.table(0, &[4], rows);
    };
    Ok(call.answer(|| json!(change), text, Vec::new()))
}

/// The differences, a line each.
fn changes(page: &mut Page, change: &LoopDiff, before: &Loop, after: &Loop) {
    if change.is_empty() {
        return page.line(plain("nothing is different"));
    }
    let rows = in_words(change, before, after)
        .into_iter()
        .map(|one| -> Vec<Cell> {
            let (mark, tone) = match one.mark {
                Mark::Changed => ("~", Tone::Warn),
                Mark::Added => ("+", Tone::Good),
                Mark::Removed => ("−", Tone::Bad),
            };
            let (what, said) = match one.artifact {
                Some(id) => (id.to_string(), format!("{}  {}", one.what, one.text)),
                None => (one.what, one.text),
            };
            vec![span(tone, mark).into(), plain(what).into(), plain(said).into()]
        })
        .collect();
    page.table(1, &[2], rows);
    page.line(gap(0));
}
