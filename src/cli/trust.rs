//! `loopdeck trust`: which commands may be run on this machine.

use clap::{Args, Subcommand};
use serde_json::json;

use super::args::command_line;
use super::call::{Answer, Call};
use super::errors::{Fault, Result};
use super::page::{Tone, gap, plain, span};
use crate::core::time::Timestamp;
use crate::engine::Engine;

/// The verbs on approvals.
#[derive(Debug, Subcommand)]
pub enum TrustVerb {
    /// List the commands that are approved on this machine
    List,
    /// Approve exactly this command on this machine
    Approve(CommandArgs),
    /// Take an approval back
    Revoke(CommandArgs),
}

/// A command, as one argument.
#[derive(Debug, Args)]
pub struct CommandArgs {
    /// The command, quoted as one argument: split into words as a shell does, run without one
    #[arg(value_name = "CMD")]
    command: String,
}

/// Carries out a verb on approvals; without one they are listed.
pub fn run(call: &Call, verb: Option<TrustVerb>) -> Result<Answer> {
    call.refuse_conditions()?;
    match verb.unwrap_or(TrustVerb::List) {
        TrustVerb::List => list(call),
        TrustVerb::Approve(args) => {
            let argv = argv(&args)?;
            let new = Engine::approve_command(&argv, &call.actor(), now(call)?)?;
            let word = if new { "approved" } else { "approved already" };
            Ok(told(call, &argv, true, new, word))
        }
        TrustVerb::Revoke(args) => {
            let argv = argv(&args)?;
            let changed = Engine::revoke_command(&argv, &call.actor(), now(call)?)?;
            let word = if changed { "no longer approved" } else { "was not approved" };
            Ok(told(call, &argv, false, changed, word))
        }
    }
}

fn argv(args: &CommandArgs) -> Result<Vec<String>> {
    command_line(&args.command).map_err(|why| Fault::new("invalid_command", why))
}

fn now(call: &Call) -> Result<Timestamp> {
    Ok(Engine::clock(&call.options())?)
}

fn told(call: &Call, argv: &[String], approved: bool, changed: bool, word: &str) -> Answer {
    call.answer(
        || json!({ "command": argv, "approved": approved, "changed": changed }),
        |page| {
            page.line(vec![span(Tone::Command, shell_words::join(argv)), gap(1), plain(word)]);
        },
        Vec::new(),
    )
}

fn list(call: &Call) -> Result<Answer> {
    let approved = Engine::approved_commands()?;
    let result = || json!({ "commands": approved, "total": approved.len(), "next_offset": null });
    let text = |page: &mut super::page::Page| {
        if approved.is_empty() {
            page.line(span(Tone::Muted, "no command is approved on this machine"));
        }
        for approval in &approved {
            page.line(vec![
                span(Tone::Muted, approval.approved_at.to_string()),
                gap(2),
                plain(shell_words::join(&approval.command)),
            ]);
        }
    };
    Ok(call.answer(result, text, Vec::new()))
}
