//! `loopdeck loop amend`, `link`.

use clap::Args;

use super::open::{slot, verify_command};
use super::reply::{Form, execute};
use crate::cli::args::pair;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::core::loops::command::{Amend, Command, LinkChange, NewSlot};

/// Arguments of `amend`.
#[derive(Debug, Args)]
pub struct AmendArgs {
    /// The loop
    id: String,
    /// A new title
    #[arg(long)]
    title: Option<String>,
    /// A new goal; an empty one takes it away
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// A new domain; an empty one takes it away
    #[arg(long)]
    domain: Option<String>,
    /// Another verify command, quoted as one argument; none takes it away
    #[arg(long, value_name = "CMD|none")]
    verify: Option<String>,
    /// A larger cap on rounds
    #[arg(long, value_name = "N")]
    max_rounds: Option<u32>,
    /// A participant to add (may be repeated)
    #[arg(long, value_name = "ROLE[=AGENT][@PROFILE][:ro]", value_parser = slot)]
    add_slot: Vec<NewSlot>,
    /// A slot to give to an agent, or to nobody (may be repeated)
    #[arg(long, value_name = "SLOT=AGENT|none", value_parser = assignment)]
    assign: Vec<(String, Option<String>)>,
    /// A slot to take away (may be repeated)
    #[arg(long, value_name = "SLOT")]
    remove_slot: Vec<String>,
}

fn assignment(text: &str) -> std::result::Result<(String, Option<String>), String> {
    let (slot, agent) = pair("SLOT=AGENT or SLOT=none", text)?;
    Ok((slot, (agent != "none").then_some(agent)))
}

/// Changes the loop's head.
pub fn amend(call: &Call, args: &AmendArgs) -> Result<Answer> {
    let verify = match args.verify.as_deref() {
        None => None,
        Some("none") => Some(None),
        Some(text) => Some(Some(verify_command(text)?)),
    };
    let change = Amend {
        title: args.title.clone(),
        goal: call.maybe_text("goal", args.goal.as_ref())?,
        domain: args.domain.clone(),
        verify,
        max_rounds: args.max_rounds,
        add_slots: args.add_slot.clone(),
        assign: args.assign.clone(),
        remove_slots: args.remove_slot.clone(),
    };
    if change == Amend::default() {
        return Err(nothing_given("amend"));
    }
    let (engine, id) = call.engine_and_loop(&args.id)?;
    execute(call, &engine, &id, Command::Amend(change), Form::Loop)
}

/// Arguments of `link`.
#[derive(Debug, Args)]
pub struct LinkArgs {
    /// The loop
    id: String,
    /// A plan (may be repeated)
    #[arg(long, value_name = "PLAN")]
    plan: Vec<String>,
    /// A sequence of plans (may be repeated)
    #[arg(long, value_name = "SEQUENCE")]
    sequence: Vec<String>,
    /// The loop that it follows
    #[arg(long, value_name = "LOOP")]
    source: Option<String>,
    /// Its iteration session: verify runs are attempts there
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Take these ties away
    #[arg(long)]
    remove: bool,
}

/// Changes the loop's ties.
pub fn link(call: &Call, args: &LinkArgs) -> Result<Answer> {
    let names_loops = args.source.is_some() || args.session.is_some();
    if args.plan.is_empty() && args.sequence.is_empty() && !names_loops {
        return Err(nothing_given("link"));
    }
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let source = args.source.as_deref().map(|text| engine.resolve(text)).transpose()?;
    let change = LinkChange {
        plans: args.plan.clone(),
        sequences: args.sequence.clone(),
        source,
        session: args.session.clone(),
        remove: args.remove,
    };
    execute(call, &engine, &id, Command::Link(change), Form::Loop)
}

/// Arguments of `bind`.
#[derive(Debug, Args)]
pub struct BindArgs {
    /// The loop
    id: String,
    /// A plan (may be repeated): a memory item of plans, a plan_draft, a file
    #[arg(long, value_name = "PLAN")]
    plan: Vec<String>,
    /// A file with steps in order, each with its plan, lane and paths
    #[arg(long, value_name = "FILE")]
    sequence: Option<std::path::PathBuf>,
}

/// Says what an implementation carries out, and goes on to it.
pub fn bind(call: &Call, args: &BindArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let sequence = args.sequence.as_deref().map(|path| engine.sequence_file(path)).transpose()?;
    let command = Command::Bind { plans: args.plan.clone(), sequence };
    execute(call, &engine, &id, command, Form::Loop)
}

fn nothing_given(verb: &str) -> Fault {
    Fault::usage(format!("{verb} was told nothing to change"))
        .step("see what it takes", format!("loopdeck loop {verb} --help"))
}
