//! `loopdeck turn`: turns that are handed to workers.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;

use super::call::{Answer, Call, print_text};
use super::errors::Result;
use super::memory::{Slice, problems};
use super::page::{Cell, Page, Tone, gap, plain, span};
use super::when::short_age;
use crate::core::loops::attempt::AttemptStatus;
use crate::core::loops::wire;
use crate::core::text::{plural, shown_in_line};
use crate::core::time::Timestamp;
use crate::engine::{
    DispatchRequest, Dispatched, Engine, HarvestItem, HarvestOptions, HarvestOutcome, Stream,
    Worker, WorkerLife,
};

/// How often a log that is followed is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// The verbs on turns that are handed to workers.
#[derive(Debug, Subcommand)]
pub enum TurnVerb {
    /// Hand a slot's turn to its agent's command
    Dispatch(DispatchArgs),
    /// Take what ended workers bring
    Harvest(HarvestArgs),
    /// Put another worker in the place of a running one
    Takeover(TakeoverArgs),
    /// Revoke launches that never came about; say whose worker is gone
    Sweep(SweepArgs),
    /// Who works now
    List(Slice),
    /// What a worker says
    Logs(LogsArgs),
}

/// Arguments of `dispatch`.
#[derive(Debug, Args)]
pub struct DispatchArgs {
    /// The loop
    id: String,
    /// The slot: an id, or a role that is unique
    #[arg(long)]
    slot: String,
    /// The agent, for a slot that has none
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// Arguments of `harvest`.
#[derive(Debug, Args)]
pub struct HarvestArgs {
    /// The loop, or an assignment
    #[arg(value_name = "LOOP|ASSIGNMENT")]
    target: String,
    /// Commit and merge what workers changed, too
    #[arg(long)]
    integrate: bool,
    /// In a review: hand out the next turn by itself
    #[arg(long = "continue", requires = "integrate")]
    go_on: bool,
}

/// Arguments of `takeover`.
#[derive(Debug, Args)]
pub struct TakeoverArgs {
    /// The loop
    id: String,
    /// The slot: an id, or a role that is unique
    #[arg(long)]
    slot: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    cause: String,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// End the process of this worker, which was shut out and runs on
    #[arg(long, value_name = "RUN")]
    end: Option<String>,
}

/// Arguments of `logs`.
#[derive(Debug, Args)]
pub struct LogsArgs {
    /// The run, or an assignment
    run: String,
    /// Go on as long as the worker runs
    #[arg(long)]
    follow: bool,
}

/// Arguments of the hidden verb that keeps a worker.
#[derive(Debug, Args)]
pub struct KeepArgs {
    run_dir: PathBuf,
}

/// Keeps a worker.
pub fn keep(call: &Call, args: &KeepArgs) -> Result<Answer> {
    crate::engine::keep_worker(&args.run_dir)?;
    Ok(call.answer(|| serde_json::Value::Null, |_| {}, Vec::new()))
}

/// Carries out a verb on turns.
pub fn run(call: &Call, verb: TurnVerb) -> Result<Answer> {
    match verb {
        TurnVerb::Dispatch(args) => dispatch(call, &args),
        TurnVerb::Harvest(args) => harvest(call, &args),
        TurnVerb::Takeover(args) => takeover(call, &args),
        TurnVerb::Sweep(args) => sweep(call, args.end.as_deref()),
        TurnVerb::List(slice) => list(call, &slice),
        TurnVerb::Logs(args) => logs(call, &args),
    }
}

fn dispatch(call: &Call, args: &DispatchArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let request = DispatchRequest { slot: args.slot.clone(), agent: args.agent.clone() };
    let dispatched = engine.dispatch(&id, &request, &call.write())?;
    Ok(started(call, &engine, dispatched))
}

fn takeover(call: &Call, args: &TakeoverArgs) -> Result<Answer> {
    let cause = call.text("cause", &args.cause)?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let dispatched = engine.take_over(&id, &args.slot, &cause, &call.write())?;
    Ok(started(call, &engine, dispatched))
}

fn started(call: &Call, engine: &Engine, dispatched: Dispatched) -> Answer {
    let Dispatched { done, worker } = dispatched;
    let result = || {
        let mut result = json!({
            "loop": wire::to_json(&done.state, &engine.attention(&done.state)),
            "turn_id": worker.turn_id,
            "slot_id": worker.slot_id,
            "assignment_id": worker.assignment_id,
            "run_id": worker.run_id,
            "worker": worker,
        });
        if done.replayed {
            result["replayed"] = true.into();
        }
        result
    };
    let text = |page: &mut Page| {
        page.line(vec![
            span(Tone::Good, "»"),
            gap(1),
            plain(format!("{} works as {}", worker.agent, worker.role)),
        ]);
        let run = worker.run_id.as_ref().map(ToString::to_string).unwrap_or_default();
        page.line(vec![gap(2), span(Tone::Command, format!("loopdeck turn logs {run} --follow"))]);
        let harvest = format!("loopdeck turn harvest {}", worker.loop_id);
        page.line(vec![gap(2), span(Tone::Command, harvest)]);
    };
    call.answer(result, text, done.warnings.clone())
}

fn harvest(call: &Call, args: &HarvestArgs) -> Result<Answer> {
    let engine = call.engine()?;
    let target = engine.harvest_target(&args.target)?;
    let options = HarvestOptions { integrate: args.integrate, go_on: args.go_on };
    let harvested = engine.harvest(&target, options, &call.write())?;

    let result = || {
        json!({
            "loop": wire::to_json(&harvested.state, &engine.attention(&harvested.state)),
            "items": harvested.items,
            "next": harvested.next,
        })
    };
    let text = |page: &mut Page| {
        if harvested.items.is_empty() {
            page.line(span(Tone::Muted, "no worker's result is due"));
        }
        for item in &harvested.items {
            item_line(page, item);
        }
        if let Some(next) = &harvested.next {
            let words = format!("{} works as {}", next.agent, next.role);
            page.line(vec![span(Tone::Good, "»"), gap(1), plain(words)]);
        }
    };
    Ok(call.answer(result, text, harvested.warnings.clone()))
}

fn item_line(page: &mut Page, item: &HarvestItem) {
    let (mark, tone) = match item.outcome {
        HarvestOutcome::Completed => ("✓", Tone::Good),
        HarvestOutcome::Failed | HarvestOutcome::Refused => ("✗", Tone::Bad),
        HarvestOutcome::Late | HarvestOutcome::NeedsIntegrate | HarvestOutcome::Unknown => {
            ("!", Tone::Warn)
        }
        HarvestOutcome::Running | HarvestOutcome::Over => ("·", Tone::Muted),
    };
    let lead = vec![span(tone, mark), gap(1), span(Tone::Strong, &*item.role), gap(1)];
    page.hanging(lead, Tone::Plain, &item.text);
}

fn sweep(call: &Call, end: Option<&str>) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    if let Some(run) = end {
        return ended(call, &engine, run);
    }
    let swept = engine.sweep(&call.write())?;
    let now = engine.now();
    let result = || json!({ "revoked": swept.revoked, "adrift": swept.adrift });
    let text = |page: &mut Page| {
        let revoked = plural(swept.revoked, "launch", "launches");
        page.line(plain(format!("{revoked} revoked that never came about")));
        table(page, &swept.adrift, now);
    };
    Ok(call.answer(result, text, swept.warnings.clone()))
}

/// Ends a worker that was shut out and runs on.
fn ended(call: &Call, engine: &Engine, run: &str) -> Result<Answer> {
    let said = engine.end_shut_out(run)?;
    let worker = engine.worker(run)?;
    let text = |page: &mut Page| {
        let none = "it had ended by itself".to_owned();
        page.line(plain(said.first().unwrap_or(&none)));
    };
    let result = || json!({ "ended": !said.is_empty(), "worker": worker });
    Ok(call.answer(result, text, Vec::new()))
}

fn list(call: &Call, slice: &Slice) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    let (workers, faults) = engine.workers()?;
    let from = slice.offset.min(workers.len());
    let to = from.saturating_add(slice.limit).min(workers.len());
    let next = (to < workers.len()).then_some(to);
    let shown = &workers[from..to];
    let now = engine.now();
    let result = || json!({ "workers": shown, "total": workers.len(), "next_offset": next });
    let text = |page: &mut Page| {
        if shown.is_empty() {
            page.line(span(
                Tone::Muted,
                "no turn is handed out: loopdeck turn dispatch LOOP --slot S",
            ));
        }
        table(page, shown, now);
        for run in shown.iter().filter(|one| runs_on(one)).filter_map(|one| one.run_id.as_ref()) {
            let command = format!("loopdeck turn sweep --end {run}");
            page.line(vec![gap(2), span(Tone::Command, command)]);
        }
    };
    Ok(call.answer(result, text, problems(&faults)))
}

fn table(page: &mut Page, workers: &[Worker], now: Timestamp) {
    let rows = workers.iter().map(|worker| -> Vec<Cell> {
        let (words, tone) = standing(worker);
        let age = worker.started_at.map(|at| short_age(at, now)).unwrap_or_default();
        let run = worker.run_id.as_ref().map(ToString::to_string).unwrap_or_default();
        vec![
            span(Tone::Strong, &*worker.agent).into(),
            plain(format!("{} in {}, round {}", worker.role, worker.phase, worker.round)).into(),
            span(tone, words).into(),
            span(Tone::Muted, age).into(),
            span(Tone::Muted, run).into(),
            plain(shown_in_line(&worker.title)).into(),
        ]
    });
    page.table(0, &[5], rows.collect());
}

/// Whether a worker was shut out and works on.
fn runs_on(worker: &Worker) -> bool {
    worker.shut_out.is_some() && worker.process == WorkerLife::Alive
}

/// Where a worker stands, in words.
fn standing(worker: &Worker) -> (String, Tone) {
    if let Some(failure) = &worker.contradiction {
        return (format!("contradiction: {failure}"), Tone::Bad);
    }
    if let Some(why) = &worker.turned_away {
        return (format!("its reply was turned away: {why}"), Tone::Bad);
    }
    if let Some(why) = worker.shut_out.as_ref().filter(|_| runs_on(worker)) {
        return (format!("runs on, shut out: {why}"), Tone::Warn);
    }
    if worker.taken_back {
        return ("its result is due again: harvest it".to_owned(), Tone::Warn);
    }
    if worker.status == AttemptStatus::Reserved {
        return ("waits to be handed out".to_owned(), Tone::Warn);
    }
    match (worker.status, worker.process) {
        (_, WorkerLife::Ended) if !worker.status.has_ended() => match &worker.failure {
            Some(failure) => (format!("ended: {failure}"), Tone::Bad),
            None => ("ended: harvest it".to_owned(), Tone::Warn),
        },
        (AttemptStatus::Running, WorkerLife::Unknown) => ("elsewhere".to_owned(), Tone::Warn),
        (AttemptStatus::LaunchAttemptedUnknown, _) => ("launch unknown".to_owned(), Tone::Bad),
        (status, _) => (status.to_string().replace('_', " "), Tone::Plain),
    }
}

fn logs(call: &Call, args: &LogsArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    let worker = engine.worker(&args.run)?;
    let Some(run_dir) = worker.run_dir.clone() else {
        return Ok(call.answer(|| json!({ "stdout": "", "stderr": "" }), |_| {}, Vec::new()));
    };
    if args.follow {
        follow(&engine, &args.run, &run_dir)?;
        return Ok(call.answer(|| json!({ "worker": worker }), |_| {}, Vec::new()));
    }
    let stdout = whole(&engine, &run_dir, Stream::Stdout)?;
    let stderr = whole(&engine, &run_dir, Stream::Stderr)?;
    let result = || json!({ "worker": worker, "stdout": stdout, "stderr": stderr });
    let text = |page: &mut Page| {
        for line in stdout.lines() {
            page.line(plain(shown_in_line(line)));
        }
        for line in stderr.lines() {
            page.line(span(Tone::Warn, shown_in_line(line)));
        }
        if stdout.is_empty() && stderr.is_empty() {
            page.line(span(Tone::Muted, "it has said nothing"));
        }
    };
    Ok(call.answer(result, text, Vec::new()))
}

fn whole(engine: &Engine, run_dir: &Path, stream: Stream) -> Result<String> {
    let (mut text, mut from) = (String::new(), 0);
    loop {
        let piece = engine.run_log(run_dir, stream, from)?;
        if piece.text.is_empty() || piece.next <= from {
            return Ok(text);
        }
        text.push_str(&piece.text);
        from = piece.next;
    }
}

/// Prints what a worker says as it comes, until it has ended or nobody reads.
fn follow(engine: &Engine, run: &str, run_dir: &Path) -> Result<()> {
    let mut from = [0, 0];
    loop {
        let runs = engine.worker(run)?.process == WorkerLife::Alive;
        for (stream, from) in [Stream::Stdout, Stream::Stderr].into_iter().zip(&mut from) {
            let piece = engine.run_log(run_dir, stream, *from)?;
            *from = piece.next;
            let shown: String = piece.text.split_inclusive('\n').map(shown_line).collect();
            match stream {
                Stream::Stdout if !shown.is_empty() => print_text(&shown)?,
                Stream::Stderr => {
                    let _ = std::io::stderr().lock().write_all(shown.as_bytes());
                }
                Stream::Stdout => {}
            }
        }
        if !runs {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

/// A line with its control characters shown, its end kept.
fn shown_line(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => format!("{}\n", shown_in_line(line.trim_end_matches('\r'))),
        None => shown_in_line(line),
    }
}
