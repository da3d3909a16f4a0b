//! `loopdeck session record`: an attempt that was made, told by hand.

use clap::Args;
use serde_json::Value;

use super::{engine_and_session, reply, view};
use crate::cli::args::json;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::core::session::{ActionType, Amount, MetricType, Outcome, Source};
use crate::core::time::Timestamp;
use crate::engine::{AttemptDraft, GapDraft, ObservationDraft};

/// Arguments of `record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The session
    id: String,
    /// What was done
    #[arg(long, visible_alias = "action", value_name = "TYPE", value_parser = view::action_types())]
    action_type: ActionType,
    /// In words (@FILE, - or text)
    #[arg(long, visible_alias = "action-description", value_name = "TEXT", default_value = "")]
    description: String,
    /// How it ended [default: by the exit code; without one error]
    #[arg(long, value_name = "OUTCOME", value_parser = view::outcomes())]
    outcome: Option<Outcome>,
    /// There is no way on after this error: the session fails
    #[arg(long)]
    unrecoverable: bool,
    /// The exit status of what was run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    exit_code: Option<i64>,
    /// What was said, of any length (@FILE, - or text)
    #[arg(long, value_name = "TEXT")]
    raw: Option<String>,
    /// Where that comes from [default: by the action]
    #[arg(long, value_name = "SOURCE", value_parser = view::sources())]
    source: Option<Source>,
    /// What was recognised in it, as JSON: failed, errors and missing are counts
    #[arg(long, value_name = "JSON", value_parser = json::<Value>)]
    data: Option<Value>,
    /// How many are left [default: what the data or the text shows]
    #[arg(long, value_name = "N", value_parser = amount, allow_negative_numbers = true)]
    gap: Option<Amount>,
    /// How many there are to be [default: as before, else 0]
    #[arg(long, value_name = "N", value_parser = amount, requires = "gap", allow_negative_numbers = true)]
    target: Option<Amount>,
    /// What is counted [default: what the session counts]
    #[arg(long, value_name = "METRIC", value_parser = view::metrics(), requires = "gap")]
    metric: Option<MetricType>,
    /// When it was begun, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time)]
    started_at: Option<Timestamp>,
    /// When it had ended, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    completed_at: Option<Timestamp>,
    /// How long it took, in milliseconds
    #[arg(long, value_name = "N")]
    duration_ms: Option<u64>,
}

fn amount(text: &str) -> std::result::Result<Amount, String> {
    text.parse()
}

fn time(text: &str) -> std::result::Result<Timestamp, String> {
    text.parse().map_err(|_| format!("{text:?} is no time like 2026-03-01T12:30:00Z"))
}

/// Records an attempt.
pub fn run(call: &Call, args: &RecordArgs) -> Result<Answer> {
    let (engine, id) = engine_and_session(call, &args.id)?;
    let draft = AttemptDraft {
        action_type: args.action_type.clone(),
        action_description: call.text("description", &args.description)?,
        outcome: args.outcome.clone(),
        recoverable: args.unrecoverable.then_some(false),
        started_at: args.started_at,
        completed_at: args.completed_at,
        observation: ObservationDraft {
            source: args.source.clone(),
            raw_text: raw_text(call, args.raw.as_deref())?,
            exit_code: args.exit_code,
            duration_ms: args.duration_ms,
            structured_data: args.data.clone(),
        },
        gap: args.gap.clone().map(|current_value| GapDraft {
            metric_type: args.metric.clone(),
            current_value,
            target_value: args.target.clone(),
        }),
    };
    let done = engine.record_attempt(&id, &draft, &call.write())?;
    Ok(reply::attempt(call, done))
}

/// Output may be anything: what is no UTF-8 is replaced, not refused.
fn raw_text(call: &Call, argument: Option<&str>) -> Result<String> {
    let Some(argument) = argument else { return Ok(String::new()) };
    match argument.strip_prefix('@').filter(|path| !path.starts_with('@')) {
        None => call.text("raw", argument),
        Some(path) => match std::fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Fault::usage(format!("--raw names the file {path}, which does not exist")))
            }
            Err(error) => {
                Err(Fault::new("io", format!("the file {path} for --raw cannot be read: {error}")))
            }
        },
    }
}
