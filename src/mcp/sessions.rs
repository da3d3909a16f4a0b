//! The three `whetstone_*` tools: their answers are bare objects, as published.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Call, arguments, invalid};
use crate::core::session::{ActionType, Amount, GoalType, MetricType, Outcome, Source};
use crate::core::time::Timestamp;
use crate::engine::{AttemptDraft, GapDraft, ObservationDraft, Result, SessionDraft};

fn bare(body: Value) -> Answer {
    Answer { body, failed: false }
}

/// A word that the published format knows; what it doesn't know is refused.
fn known<T: std::str::FromStr>(field: &str, text: &str) -> Result<T>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| invalid(field, error))
}

fn moment(field: &str, text: Option<&String>) -> Result<Option<Timestamp>> {
    text.map(|text| text.parse().map_err(|_| invalid(field, format!("{text:?} is no time"))))
        .transpose()
}

/// The arguments of `whetstone_start_iteration_session`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StartArgs {
    /// What is to be reached, 1 to 500 characters.
    goal: String,
    /// Of which kind; absent = custom.
    #[schemars(extend("enum" = ["build_success", "tests_pass", "environment_ready", "custom"]))]
    goal_type: Option<String>,
    /// Attempts in all; absent = 10.
    max_attempts: Option<u32>,
}

pub(super) fn start(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, _) = arguments::<StartArgs>(given)?;
    let goal_type = args.goal_type.as_deref();
    let draft = SessionDraft {
        goal: args.goal,
        goal_type: goal_type.map(|text| known::<GoalType>("goal_type", text)).transpose()?,
        max_attempts: args.max_attempts,
        previous: None,
    };
    let done = call.engine.start_session(&draft, &call.write(None, None))?;
    let session = &done.session;
    Ok(bare(json!({ "session_id": session.session_id, "status": session.status })))
}

/// What an attempt showed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct ObservationArg {
    /// Where it comes from.
    #[schemars(extend("enum" = [
        "build_output", "test_output", "process_stdout", "process_stderr", "file_read", "env_probe"
    ]))]
    source: Option<String>,
    /// What was said, of any length.
    #[serde(default)]
    raw_text: String,
    /// The status of the command.
    exit_code: Option<i64>,
    /// How long it took.
    duration_ms: Option<u64>,
    /// What was recognised in it.
    structured_data: Option<Value>,
}

/// The gap that was measured.
#[derive(Debug, Deserialize, JsonSchema)]
struct GapArg {
    /// What is counted.
    #[schemars(extend("enum" = ["error_count", "test_failure_count", "missing_deps", "custom"]))]
    metric_type: Option<String>,
    /// How many there are.
    current_value: serde_json::Number,
    /// How many there are to be; absent = 0.
    target_value: Option<serde_json::Number>,
}

/// The arguments of `whetstone_record_attempt`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecordArgs {
    /// The session.
    session_id: String,
    /// What was done.
    #[schemars(extend("enum" = ["build", "test", "patch", "probe", "escalate"]))]
    action_type: String,
    /// In words.
    action_description: String,
    /// What it showed.
    observation: Option<ObservationArg>,
    /// How it ended; absent = by the exit code.
    #[schemars(extend("enum" = ["success", "failure", "partial", "error"]))]
    outcome: Option<String>,
    /// Whether there is a way on after an error; absent = yes.
    recoverable: Option<bool>,
    /// When it was begun.
    started_at: Option<String>,
    /// When it had ended.
    completed_at: Option<String>,
    /// The gap that was measured; absent = by what the observation shows.
    gap: Option<GapArg>,
}

fn amount(field: &str, number: &serde_json::Number) -> Result<Amount> {
    known(field, &number.to_string())
}

pub(super) fn record(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, _) = arguments::<RecordArgs>(given)?;
    let id = call.engine.resolve_session(&args.session_id)?;
    let observation = args.observation.unwrap_or_default();
    let source = observation.source.as_deref();
    let gap = args.gap.map(|gap| {
        let metric = gap.metric_type.as_deref();
        let target = gap.target_value.as_ref();
        Ok::<_, crate::engine::Error>(GapDraft {
            metric_type: metric.map(|t| known::<MetricType>("metric_type", t)).transpose()?,
            current_value: amount("current_value", &gap.current_value)?,
            target_value: Some(match target {
                Some(number) => amount("target_value", number)?,
                None => Amount::from(0_u32),
            }),
        })
    });
    let draft = AttemptDraft {
        outcome: args.outcome.as_deref().map(|t| known::<Outcome>("outcome", t)).transpose()?,
        recoverable: args.recoverable,
        started_at: moment("started_at", args.started_at.as_ref())?,
        completed_at: moment("completed_at", args.completed_at.as_ref())?,
        observation: ObservationDraft {
            source: source.map(|text| known::<Source>("source", text)).transpose()?,
            raw_text: observation.raw_text,
            exit_code: observation.exit_code,
            duration_ms: observation.duration_ms,
            structured_data: observation.structured_data,
        },
        gap: gap.transpose()?,
        ..AttemptDraft::new(
            known::<ActionType>("action_type", &args.action_type)?,
            args.action_description,
        )
    };
    let done = call.engine.record_attempt(&id, &draft, &call.write(None, None))?;
    let mut body = json!({
        "attempt_id": done.attempt_id,
        "session_status": done.session.status,
    });
    if done.gap_updated {
        body["gap"] = json!(done.session.gap);
    }
    Ok(bare(body))
}

/// The arguments of `whetstone_get_session_state`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StateArgs {
    /// The session.
    session_id: String,
}

pub(super) fn state(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, _) = arguments::<StateArgs>(given)?;
    let id = call.engine.resolve_session(&args.session_id)?;
    Ok(bare(json!(*call.engine.session(&id)?)))
}
