//! `loopdeck loop promote`, `archive`, `unarchive`: what is kept of a loop.

use clap::Args;

use super::reply::{Form, done_answer, execute};
use crate::cli::args::category;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::core::loops::command::Command;
use crate::core::memory::Category;

/// Arguments of `promote`.
#[derive(Debug, Args)]
pub struct PromoteArgs {
    /// The loop
    id: String,
    /// The artifact
    artifact: String,
    /// Under this category (default for a plan_draft: plans)
    #[arg(long, value_name = "CATEGORY", value_parser = category())]
    category: Option<Category>,
}

/// Makes an artifact a memory item.
pub fn promote(call: &Call, args: &PromoteArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let done = engine.promote(&id, &args.artifact, args.category, &call.write())?;
    Ok(done_answer(call, &engine, Form::Loop, done))
}

/// Arguments of `rate`.
#[derive(Debug, Args)]
pub struct RateArgs {
    /// The loop
    id: String,
    /// The phase
    phase: String,
    /// How good the work was: 0 to 1 (in the deck 1.0, 0.7, 0.3, 0.0)
    reward: f64,
}

/// Rates the work in a phase; in place of what closing the loop would say.
pub fn rate(call: &Call, args: &RateArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::Rate { phase: args.phase.clone(), reward: args.reward };
    execute(call, &engine, &id, command, Form::Loop)
}

/// Arguments of `archive` and `unarchive`.
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// The loop
    id: String,
}

/// Puts the loop away: lists leave it out.
pub fn archive(call: &Call, args: &ArchiveArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Archive, Form::Loop)
}

/// Takes the loop out again.
pub fn unarchive(call: &Call, args: &ArchiveArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Unarchive, Form::Loop)
}
