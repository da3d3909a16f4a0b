//! `loopdeck loop add`, `retract`, `supersede`, `waive`.

use clap::Args;

use super::pieces::{Source, Ties};
use super::reply::{Form, dry_run, execute};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::core::loops::command::{Command, NewArtifact, SupersedeWith};

/// Arguments of `add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The loop
    id: String,
    /// The artifact's type
    #[arg(long = "type", value_name = "TYPE")]
    artifact_type: String,
    #[command(flatten)]
    source: Source,
    /// The phase to file it under; one that was entered before (default: the present one)
    #[arg(long)]
    phase: Option<String>,
    /// The round to file it under, counted from 1 (default: the phase's last)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    round: Option<u32>,
    /// A label, only on critiques
    #[arg(long)]
    subtype: Option<String>,
    #[command(flatten)]
    ties: Ties,
    /// Say what would happen, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Files an artifact.
pub fn add(call: &Call, args: &AddArgs) -> Result<Answer> {
    let given = args.source.read(call)?;
    let waives = args.ties.waives(call)?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::AddArtifact(NewArtifact {
        artifact_type: args.artifact_type.clone(),
        subtype: args.subtype.clone(),
        phase: args.phase.clone(),
        round: args.round,
        content: given.content(&engine, &id)?,
        addresses: args.ties.addresses.clone(),
        waives,
        cites: args.ties.cites.clone(),
    });
    if args.dry_run {
        return dry_run(call, &engine, &id, command);
    }
    execute(call, &engine, &id, command, Form::OneArtifact)
}

/// Arguments of `retract`.
#[derive(Debug, Args)]
pub struct RetractArgs {
    /// The loop
    id: String,
    /// Which artifact
    artifact: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// Takes an artifact back.
pub fn retract(call: &Call, args: &RetractArgs) -> Result<Answer> {
    let reason = call.text("reason", &args.reason)?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::Retract { artifact: args.artifact.clone(), reason };
    execute(call, &engine, &id, command, Form::Loop)
}

/// Arguments of `supersede`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("content").args(["body", "file", "from", "diff"]).required(true))]
pub struct SupersedeArgs {
    /// The loop
    id: String,
    /// Which artifact
    artifact: String,
    #[command(flatten)]
    source: Source,
    /// Another label, only on critiques
    #[arg(long)]
    subtype: Option<String>,
    #[command(flatten)]
    ties: Ties,
}

/// Puts a new version in an artifact's place.
pub fn supersede(call: &Call, args: &SupersedeArgs) -> Result<Answer> {
    let content = args.source.read(call)?;
    let waives = args.ties.waives(call)?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let given = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    let new = SupersedeWith {
        content: content.content(&engine, &id)?,
        addresses: given(&args.ties.addresses),
        waives: (!waives.is_empty()).then_some(waives),
        cites: given(&args.ties.cites),
        subtype: args.subtype.clone(),
    };
    let command = Command::Supersede { artifact: args.artifact.clone(), new };
    execute(call, &engine, &id, command, Form::Artifacts)
}

/// Arguments of `waive`.
#[derive(Debug, Args)]
pub struct WaiveArgs {
    /// The loop
    id: String,
    /// Which critique
    artifact: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// Sets a critique aside.
pub fn waive(call: &Call, args: &WaiveArgs) -> Result<Answer> {
    let reason = call.text("reason", &args.reason)?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::Waive { artifact: args.artifact.clone(), reason };
    execute(call, &engine, &id, command, Form::Loop)
}
