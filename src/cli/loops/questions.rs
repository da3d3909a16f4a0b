//! `loopdeck loop ask`, `answer`.

use clap::Args;

use super::reply::{Form, execute};
use crate::cli::args::word;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::core::loops::command::{Command, NewQuestion, Reply};
use crate::core::loops::model::{QuestionOption, QuestionScope, TimeoutPolicy};

/// Arguments of `ask`.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The loop
    id: String,
    /// The slot whose turn asks: an id, or a role that is unique (default: the
    /// one slot whose turn is live)
    #[arg(long)]
    slot: Option<String>,
    /// The question, up to 500 characters
    #[arg(long, value_name = "TEXT")]
    question: String,
    /// What it rests on; at least once
    #[arg(long, value_name = "TEXT", required = true)]
    evidence: Vec<String>,
    /// An answer that it offers; none, or 2 to 4
    #[arg(long = "option", value_name = "ID=LABEL", value_parser = option)]
    options: Vec<QuestionOption>,
    /// What holds if it is skipped; one of the options where there are any
    #[arg(long, value_name = "TEXT")]
    default: Option<String>,
    /// What waits: the slot's turn, or the whole loop
    #[arg(long, value_name = "SCOPE", default_value = "slot", value_parser = word(|_: &QuestionScope| true))]
    scope: QuestionScope,
    /// What happens when its time is up
    #[arg(long, value_name = "POLICY", default_value = "continue_incomplete", value_parser = word(|_: &TimeoutPolicy| true))]
    on_timeout: TimeoutPolicy,
    /// Until when: a time (RFC 3339) or a span (P7D, PT30M, 30m, 2h, 7d)
    #[arg(long, value_name = "TIME|DURATION")]
    deadline: Option<String>,
}

/// `ID=LABEL`; an id alone is its own label.
fn option(text: &str) -> std::result::Result<QuestionOption, String> {
    let (id, label) = text.split_once('=').unwrap_or((text, text));
    let (id, label) = (id.trim(), label.trim());
    if id.is_empty() || label.is_empty() {
        return Err("an option is ID=LABEL, neither of them empty".to_owned());
    }
    Ok(QuestionOption { id: id.to_owned(), label: label.to_owned() })
}

/// Asks the operator something.
pub fn ask(call: &Call, args: &AskArgs) -> Result<Answer> {
    let text = call.text("question", &args.question)?;
    let evidence =
        args.evidence.iter().map(|e| call.text("evidence", e)).collect::<Result<Vec<_>>>()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let command = Command::Ask(NewQuestion {
        slot: args.slot.clone(),
        text,
        evidence,
        options: args.options.clone(),
        default: args.default.clone(),
        scope: args.scope,
        on_timeout: args.on_timeout,
        deadline: args.deadline.clone(),
    });
    execute(call, &engine, &id, command, Form::Question)
}

/// Arguments of `answer`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("reply").required(true))]
pub struct AnswerArgs {
    /// The loop
    id: String,
    /// The question
    question: String,
    /// In words
    #[arg(long, value_name = "TEXT", group = "reply")]
    text: Option<String>,
    /// By one of its options
    #[arg(long, value_name = "OPTION", group = "reply")]
    choose: Option<String>,
    /// By its default
    #[arg(long, group = "reply")]
    skip: bool,
}

/// Answers a question.
pub fn answer(call: &Call, args: &AnswerArgs) -> Result<Answer> {
    let text = call.maybe_text("text", args.text.as_ref())?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let reply = match (text, &args.choose) {
        (Some(text), _) => Reply::Text(text),
        (None, Some(option)) => Reply::Choose(option.clone()),
        (None, None) => Reply::Skip,
    };
    let command = Command::Answer { question: args.question.clone(), reply };
    execute(call, &engine, &id, command, Form::Artifacts)
}
