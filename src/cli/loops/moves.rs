//! `loopdeck loop advance`, `pause`, `resume`, `close`, `reopen`.

use clap::Args;

use super::reply::{Form, dry_run, execute};
use crate::cli::args::word;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::core::loops::command::Command;
use crate::core::loops::model::Status;

/// Arguments of `advance`.
#[derive(Debug, Args)]
pub struct AdvanceArgs {
    /// The loop
    id: String,
    /// To this phase, rather than the next one by the rules
    #[arg(long, value_name = "PHASE")]
    to: Option<String>,
    /// Past a shut gate and turns that have not ended; needs --reason
    #[arg(long)]
    force: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Say where it would go, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Leaves the phase.
pub fn advance(call: &Call, args: &AdvanceArgs) -> Result<Answer> {
    let reason = call.maybe_text("reason", args.reason.as_ref())?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::Advance { to: args.to.clone(), force: args.force, reason };
    if args.dry_run {
        return dry_run(call, &engine, &id, command);
    }
    execute(call, &engine, &id, command, Form::Loop)
}

/// Arguments of `pause`.
#[derive(Debug, Args)]
pub struct PauseArgs {
    /// The loop
    id: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Holds the loop.
pub fn pause(call: &Call, args: &PauseArgs) -> Result<Answer> {
    let reason = call.maybe_text("reason", args.reason.as_ref())?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Pause { reason }, Form::Loop)
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The loop
    id: String,
}

/// Goes on with a held loop.
pub fn resume(call: &Call, args: &ResumeArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Resume, Form::Loop)
}

/// Arguments of `close`.
#[derive(Debug, Args)]
pub struct CloseArgs {
    /// The loop
    id: String,
    /// With which status
    #[arg(long, value_name = "STATUS", value_parser = word(|s: &Status| s.is_closed()))]
    status: Status,
    /// Why; needed for cancelled and blocked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Ends the loop by hand.
pub fn close(call: &Call, args: &CloseArgs) -> Result<Answer> {
    let reason = call.maybe_text("reason", args.reason.as_ref())?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Close { status: args.status, reason }, Form::Loop)
}

/// Arguments of `reopen`.
#[derive(Debug, Args)]
pub struct ReopenArgs {
    /// The loop
    id: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// How many rounds to add to the cap
    #[arg(long, value_name = "N", default_value_t = 1)]
    rounds: u32,
}

/// Takes a closed loop up again.
pub fn reopen(call: &Call, args: &ReopenArgs) -> Result<Answer> {
    let reason = call.text("reason", &args.reason)?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Reopen { reason, rounds: args.rounds }, Form::Loop)
}
