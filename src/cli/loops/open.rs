//! `loopdeck loop open`.

use std::path::PathBuf;

use clap::Args;

use super::reply::{Form, done_answer};
use crate::cli::args::{command_line, json, pair, word};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::core::loops::command::NewSlot;
use crate::core::loops::condition::Condition;
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::engine::OpenRequest;

/// Arguments of `open`.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// What it is for
    #[arg(long, value_name = "KIND", value_parser = word(|_: &Kind| true),
        required_unless_present = "template")]
    kind: Option<Kind>,
    /// One line, 1 to 200 characters
    #[arg(long, required_unless_present = "template")]
    title: Option<String>,
    /// A file of .loopdeck/templates, by name: it fills in what is not given here
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// What is wanted
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// The field that it belongs to
    #[arg(long)]
    domain: Option<String>,
    /// What is proposed (in a review: what was changed)
    #[arg(long, value_name = "TEXT")]
    proposal: Option<String>,
    /// A participant (may be repeated; together they replace the default ones)
    #[arg(long, value_name = "ROLE[=AGENT][@PROFILE][:ro]", value_parser = slot)]
    slot: Vec<NewSlot>,
    /// A preset of this kind, built in or of the workspace
    #[arg(long, value_name = "NAME", conflicts_with = "protocol")]
    preset: Option<String>,
    /// A protocol file
    #[arg(long, value_name = "FILE")]
    protocol: Option<PathBuf>,
    /// The condition that ends the loop, in place of the protocol's
    #[arg(long, value_name = "JSON", value_parser = json::<Condition>)]
    stop: Option<Condition>,
    /// The gate of a phase, in place of the protocol's; none takes it away
    #[arg(long, value_name = "PHASE=JSON|none", value_parser = gate)]
    gate: Vec<(String, Option<Condition>)>,
    /// The loop that it follows: its goal, domain, plan or handoff are taken over
    /// where none is given, and it is tied to that loop
    #[arg(long, value_name = "LOOP")]
    follow: Option<String>,
    /// The command that tells green from red, quoted as one argument; run without a shell
    #[arg(long, value_name = "CMD")]
    verify: Option<String>,
    /// File the git diff of a range, or of what is not committed, beside the proposal
    #[arg(long, value_name = "REV..REV", num_args = 0..=1)]
    diff: Option<Option<String>>,
    /// How a review runs
    #[arg(long, value_name = "MODE", value_parser = mode())]
    mode: Option<ReviewMode>,
    /// Its iteration session: verify runs are attempts there
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

fn mode() -> impl clap::builder::TypedValueParser<Value = ReviewMode> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["symmetric", "asymmetric"])
        .try_map(|word| word.parse::<ReviewMode>().map_err(|_| "symmetric or asymmetric"))
}

/// Reads `ROLE[=AGENT][@PROFILE][:ro]`.
pub fn slot(text: &str) -> std::result::Result<NewSlot, String> {
    text.parse()
}

/// Reads a verify command.
pub fn verify_command(text: &str) -> Result<Vec<String>> {
    command_line(text).map_err(|why| Fault::new("invalid_verify", why))
}

fn gate(text: &str) -> std::result::Result<(String, Option<Condition>), String> {
    let (phase, condition) = pair("PHASE=JSON or PHASE=none", text)?;
    let condition = if condition == "none" { None } else { Some(json(&condition)?) };
    Ok((phase, condition))
}

/// Opens a loop.
pub fn run(call: &Call, args: &OpenArgs) -> Result<Answer> {
    let verify = args.verify.as_deref().map(verify_command).transpose()?;
    let mut request = OpenRequest {
        goal: call.maybe_text("goal", args.goal.as_ref())?,
        domain: args.domain.clone(),
        proposal: call.maybe_text("proposal", args.proposal.as_ref())?,
        slots: args.slot.clone(),
        preset: args.preset.clone(),
        protocol_file: args.protocol.clone(),
        stop: args.stop.clone(),
        gates: args.gate.clone(),
        verify,
        review_mode: args.mode,
        ..OpenRequest::new(
            args.kind.unwrap_or(Kind::Ideation),
            args.title.clone().unwrap_or_default(),
        )
    };
    let engine = call.engine()?;
    if let Some(source) = &args.follow {
        let source = engine.resolve(source)?;
        let given = engine.follow_up(&source)?;
        request.goal = request.goal.or(given.goal);
        request.domain = request.domain.or(given.domain);
        request.proposal = request.proposal.or(given.proposal);
        request.linked = given.linked;
    }
    if let Some(name) = &args.template {
        engine.start_from(name, &mut request, args.kind.is_some())?;
    }
    request.linked.session_id = args.session.clone();
    if let Some(range) = &args.diff {
        request.diff = Some(engine.git_diff(range.as_deref())?);
    }
    let done = engine.open_loop(&request, &call.write())?;
    Ok(done_answer(call, &engine, Form::Loop, done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_a_condition_or_none() {
        let (phase, condition) = gate("critique=none").expect("well formed");
        assert_eq!((&*phase, condition), ("critique", None));
        let text = r#"critique={"kind":"min_artifacts_by_type","type":"critique","n":1}"#;
        assert!(gate(text).expect("well formed").1.is_some());
        assert!(gate("critique={").is_err() && gate("critique").is_err());
    }
}
