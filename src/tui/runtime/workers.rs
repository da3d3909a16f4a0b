//! What the deck asks of the engine about workers.

use crate::core::loops::attempt::AttemptStatus;
use crate::core::text::plural;
use crate::engine::{
    DispatchRequest, Engine, HarvestItem, HarvestOptions, HarvestTarget, Result, Worker, Write,
};
use crate::tui::app::workers::{Work, Worked};
use crate::tui::msg::Outcome;

/// Bytes of a worker's output that the deck shows the end of.
const TAIL: u64 = 8 * 1024;
/// Lines of it.
const LINES: usize = 40;
/// Ended workers that are listed, the newest.
const ENDED: usize = 30;

/// The workers, each with the end of what it said.
pub(super) fn look(engine: &Engine) -> Result<Vec<(Worker, Vec<String>)>> {
    let (workers, _) = engine.workers()?;
    let with_tail = |worker: Worker| {
        let lines = tail(engine, &worker);
        (worker, lines)
    };
    Ok(workers.into_iter().map(with_tail).collect())
}

/// Those that have ended, each with the end of what it said and its reply.
pub(super) fn ended(engine: &Engine) -> Result<Vec<(Worker, Vec<String>)>> {
    let with_reply = |worker: Worker| {
        let mut lines = tail(engine, &worker);
        let tree = worker.worktree.as_deref();
        let reply = worker.run_dir.as_deref().and_then(|dir| engine.run_reply(dir, tree));
        if let Some(reply) = reply {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(reply.lines().map(str::to_owned));
        }
        (worker, lines)
    };
    Ok(engine.ended_workers(ENDED)?.into_iter().map(with_reply).collect())
}

/// The end of what a worker said.
fn tail(engine: &Engine, worker: &Worker) -> Vec<String> {
    let lines = worker.run_dir.as_deref().map(|dir| engine.run_tail(dir, TAIL));
    let mut lines = lines.unwrap_or_default();
    let over = lines.len().saturating_sub(LINES);
    lines.drain(..over);
    lines
}

/// Does something with workers.
/// Approves a command, and variables that the workspace hands on, where there are any.
pub(super) fn approve(engine: &Engine, argv: &[String], variables: &[String]) -> Result<()> {
    let actor = Write::operator().actor;
    if !variables.is_empty() {
        engine.approve_variables(variables, &actor)?;
    }
    if !argv.is_empty() {
        Engine::approve_command(argv, &actor, engine.now())?;
    }
    Ok(())
}

pub(super) fn carry_out(engine: &Engine, work: &Work) -> Result<Outcome> {
    let write = Write::operator();
    let worked = match work {
        Work::Dispatch { loop_id, slot_id } => {
            let request = DispatchRequest { slot: slot_id.to_string(), agent: None };
            let done = engine.dispatch(loop_id, &request, &write)?;
            let unknown = done.worker.status == AttemptStatus::LaunchAttemptedUnknown;
            let text = match unknown {
                true => "nobody knows whether the worker was started".to_owned(),
                false => format!("{} works as {}", done.worker.agent, done.worker.role),
            };
            Worked::new(loop_id, text).with(done.done.warnings)
        }
        Work::ApproveAndDispatch { loop_id, slot_id, argv, variables } => {
            approve(engine, argv, variables)?;
            let dispatch = Work::Dispatch { loop_id: loop_id.clone(), slot_id: slot_id.clone() };
            return carry_out(engine, &dispatch);
        }
        Work::End { loop_id, run } => {
            let said = engine.end_shut_out(run.as_str())?;
            let none = || "it had ended by itself".to_owned();
            Worked::new(loop_id, said.into_iter().next().unwrap_or_else(none))
        }
        Work::TakeOver { loop_id, slot_id, cause } => {
            let done = engine.take_over(loop_id, slot_id.as_str(), cause, &write)?;
            let text = format!("another worker of {} was started", done.worker.agent);
            Worked::new(loop_id, text).with(done.done.warnings)
        }
        Work::Harvest { loop_id, integrate, .. } => {
            let options = HarvestOptions { integrate: *integrate, go_on: *integrate };
            let target = HarvestTarget::Loop(loop_id.clone());
            let harvested = engine.harvest(&target, options, &write)?;
            let mut text = said(&harvested.items);
            if let Some(next) = &harvested.next {
                text.push_str(&format!("; {} works as {}", next.agent, next.role));
            }
            Worked::new(loop_id, text).with(harvested.warnings)
        }
        Work::Sweep => {
            let swept = engine.sweep(&write)?;
            let adrift = plural(swept.adrift.len(), "worker is gone", "workers are gone");
            let revoked = plural(swept.revoked, "launch", "launches");
            let text = format!("{revoked} revoked; {adrift}");
            Worked { loop_id: None, text, warnings: swept.warnings }
        }
    };
    Ok(Outcome::Worked(Box::new(worked)))
}

fn said(items: &[HarvestItem]) -> String {
    if items.is_empty() {
        return "no worker's result is due".to_owned();
    }
    let parts: Vec<String> =
        items.iter().map(|item| format!("{}: {}", item.role, item.text)).collect();
    parts.join("; ")
}
