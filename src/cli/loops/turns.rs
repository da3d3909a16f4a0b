//! `loopdeck loop turn`, `complete`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::pieces::Pieces;
use super::reply::{Form, execute};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::core::loops::attempt::Proof;
use crate::core::loops::command::{Command, SlotSelector};
use crate::core::loops::event::Outcome;

/// Arguments of `turn`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("who").required(true))]
pub struct TurnArgs {
    /// The loop
    id: String,
    /// A free slot of this role
    #[arg(long, group = "who")]
    role: Option<String>,
    /// This slot: an id, or a role that is unique
    #[arg(long, group = "who")]
    slot: Option<String>,
    /// What it is told besides its brief
    #[arg(long, value_name = "TEXT")]
    input: Option<String>,
}

/// Gives a slot its turn.
pub fn turn(call: &Call, args: &TurnArgs) -> Result<Answer> {
    let input = call.maybe_text("input", args.input.as_ref())?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let slot = match (&args.slot, &args.role) {
        (Some(slot), _) => SlotSelector::Slot(slot.clone()),
        (None, role) => SlotSelector::Role(role.clone().unwrap_or_default()),
    };
    execute(call, &engine, &id, Command::Turn { slot, input }, Form::Turn)
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub struct CompleteArgs {
    /// The loop
    id: String,
    /// The slot: an id, or a role that is unique
    #[arg(long)]
    slot: String,
    /// Which of its turns (default: the live one)
    #[arg(long)]
    turn: Option<String>,
    /// How it ended
    #[arg(long, value_name = "OUTCOME", default_value = "done", value_parser = outcome())]
    outcome: Outcome,
    /// Why it failed or was called off
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// What a dispatched turn's worker signs with: its nonce
    #[arg(long, value_name = "N", requires = "run")]
    nonce: Option<String>,
    /// What a dispatched turn's worker signs with: its run
    #[arg(long, value_name = "R", requires = "nonce")]
    run: Option<String>,
    #[command(flatten)]
    pieces: Pieces,
}

fn outcome() -> impl TypedValueParser<Value = Outcome> {
    PossibleValuesParser::new(["done", "failed", "cancelled"])
        .try_map(|word| word.parse::<Outcome>().map_err(|_| "done, failed or cancelled"))
}

/// Ends a turn and files what it brought.
pub fn complete(call: &Call, args: &CompleteArgs) -> Result<Answer> {
    let reason = call.maybe_text("reason", args.reason.as_ref())?;
    let pieces = args.pieces.0.iter().map(|piece| piece.read(call)).collect::<Result<Vec<_>>>()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let artifacts =
        pieces.into_iter().map(|piece| piece.artifact(&engine, &id)).collect::<Result<Vec<_>>>()?;
    let proof = args.nonce.clone().zip(args.run.clone());
    let proof = proof.map(|(nonce, run_id)| Proof { run_id, nonce });
    let command = Command::CompleteTurn {
        slot: args.slot.clone(),
        turn: args.turn.clone(),
        outcome: args.outcome,
        reason,
        artifacts,
        proof,
    };
    execute(call, &engine, &id, command, Form::Artifacts)
}
