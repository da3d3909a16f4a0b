//! `loopdeck trust`: which commands may be run on this machine, and what they are handed.

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
    /// List what is approved on this machine
    List,
    /// Approve exactly this command on this machine, or variables in this workspace
    Approve(WhatArgs),
    /// Take an approval back
    Revoke(WhatArgs),
}

/// A command, as one argument; or variables.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct WhatArgs {
    /// The command, quoted as one argument: split into words as a shell does, run without one
    #[arg(value_name = "CMD")]
    command: Option<String>,
    /// A variable of the environment that this workspace hands on to what it runs (its
    /// settings name it); again, or with commas, for more
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pass_env: Vec<String>,
}

/// Carries out a verb on approvals; without one they are listed.
pub fn run(call: &Call, verb: Option<TrustVerb>) -> Result<Answer> {
    call.refuse_conditions()?;
    let verb = verb.unwrap_or(TrustVerb::List);
    if call.read_only && !matches!(verb, TrustVerb::List) {
        let why = "nothing is approved or taken back: it was started with --read-only";
        return Err(Fault::new("read_only", why));
    }
    match verb {
        TrustVerb::List => list(call),
        TrustVerb::Approve(args) => {
            let argv = argv(&args)?;
            let mut new = false;
            if !args.pass_env.is_empty() {
                new |= call.engine()?.approve_variables(&args.pass_env, &call.actor())?;
            }
            if !argv.is_empty() {
                new |= Engine::approve_command(&argv, &call.actor(), now(call)?)?;
            }
            let word = if new { "approved" } else { "approved already" };
            Ok(told(call, &argv, &args.pass_env, (true, new), word))
        }
        TrustVerb::Revoke(args) => {
            let argv = argv(&args)?;
            let mut changed = false;
            if !args.pass_env.is_empty() {
                changed |= call.engine()?.revoke_variables(&args.pass_env, &call.actor())?;
            }
            if !argv.is_empty() {
                changed |= Engine::revoke_command(&argv, &call.actor(), now(call)?)?;
            }
            let word = if changed { "no longer approved" } else { "was not approved" };
            Ok(told(call, &argv, &args.pass_env, (false, changed), word))
        }
    }
}

/// The words of the command; none where none was given.
fn argv(args: &WhatArgs) -> Result<Vec<String>> {
    let Some(command) = &args.command else { return Ok(Vec::new()) };
    command_line(command).map_err(|why| Fault::new("invalid_command", why))
}

fn now(call: &Call) -> Result<Timestamp> {
    Ok(Engine::clock(&call.options())?)
}

fn told(
    call: &Call,
    argv: &[String],
    variables: &[String],
    (approved, changed): (bool, bool),
    word: &str,
) -> Answer {
    let what = match (argv, variables) {
        ([], names) => format!("handing on {}", names.join(", ")),
        (argv, []) => shell_words::join(argv),
        (argv, names) => {
            format!("{}, and handing on {},", shell_words::join(argv), names.join(", "))
        }
    };
    call.answer(
        || {
            json!({
                "command": argv, "variables": variables, "approved": approved, "changed": changed,
            })
        },
        |page| {
            page.line(vec![span(Tone::Command, what), gap(1), plain(word)]);
        },
        Vec::new(),
    )
}

fn list(call: &Call) -> Result<Answer> {
    let approved = Engine::approved_commands()?;
    let variables = Engine::approved_variables()?;
    let result = || {
        json!({
            "commands": approved, "variables": variables, "total": approved.len(),
            "next_offset": null,
        })
    };
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
        for variable in &variables {
            page.line(vec![
                span(Tone::Muted, variable.approved_at.to_string()),
                gap(2),
                plain(format!("{} in {}", variable.name, variable.workspace.display())),
            ]);
        }
    };
    Ok(call.answer(result, text, Vec::new()))
}
