//! `bclaw_coordinate` and its older name `bclaw_dispatch`: a loop opened, its
//! slots filled and its first turns handed out in one call.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Call, Told, arguments, effect, error, missing, word};
use crate::core::loops::protocol::ReviewMode;
use crate::core::loops::wire;
use crate::engine::{
    CoordinateRequest, Coordinated, Coordination, HandedOut, How, Reached, Result,
};

/// What is to be coordinated.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum Intent {
    Ideate,
    Review,
}

/// The arguments of `bclaw_coordinate`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CoordinateArgs {
    /// ideate: a proposal is criticised. review: a change is reviewed.
    intent: Intent,
    /// The proposal, or what was changed.
    task: Option<String>,
    /// The loop's title; absent = the beginning of the task.
    title: Option<String>,
    /// What is wanted.
    goal: Option<String>,
    /// The field that it belongs to.
    domain: Option<String>,
    /// The agents that criticise or review; none = you drive it alone.
    #[serde(default, rename = "targetAgents", alias = "target_agents")]
    target_agents: Vec<String>,
    /// review: a review is a loop; say true.
    #[serde(default, alias = "openLoop")]
    open_loop: bool,
    /// review: who finds and who fixes.
    #[schemars(extend("enum" = ["symmetric", "asymmetric"]))]
    mode: Option<String>,
    /// review: the text of the change; absent = none is filed beside the task.
    diff: Option<String>,
    /// review: a range of commits (`main..HEAD`) whose diff is filed; empty = what
    /// is not committed.
    diff_range: Option<String>,
    /// Makes a repeat harmless.
    request_id: Option<String>,
}

/// Carries the call out.
pub(super) fn coordinate(call: &Call<'_>, given: &Map<String, Value>) -> Answer {
    let named = given.get("intent").and_then(Value::as_str).unwrap_or("unknown");
    let (args, unknown) = match arguments::<CoordinateArgs>(given) {
        Ok(read) => read,
        Err(wrong) => return error(call, Some(named), &wrong),
    };
    let intent: &'static str = args.intent.into();
    match coordinated(call, &args, intent) {
        Ok(mut told) => {
            told.warnings.extend(unknown);
            told.answer(call, intent)
        }
        Err(refused) => error(call, Some(intent), &refused),
    }
}

fn coordinated(call: &Call<'_>, args: &CoordinateArgs, intent: &str) -> Result<Told> {
    let coordination = match args.intent {
        Intent::Ideate => Coordination::Ideate,
        Intent::Review if !args.open_loop => return Err(missing("open_loop")),
        Intent::Review => Coordination::Review { mode: mode(args)?, diff: diff(call, args)? },
    };
    let has_diff = matches!(&coordination, Coordination::Review { diff: Some(_), .. });
    let task = args.task.clone().or_else(|| has_diff.then(|| "See the diff.".to_owned()));
    let request = CoordinateRequest {
        coordination,
        task: task.ok_or_else(|| missing("task"))?,
        title: args.title.clone(),
        goal: args.goal.clone(),
        domain: args.domain.clone(),
        agents: args.target_agents.clone(),
    };
    let done = call.engine.coordinate(&request, &call.write(args.request_id.as_ref(), None))?;
    Ok(told(call, args.intent, intent, done))
}

fn mode(args: &CoordinateArgs) -> Result<Option<ReviewMode>> {
    let mode = args.mode.as_deref();
    mode.map(|text| word("mode", text, &["symmetric", "asymmetric"])).transpose()
}

fn diff(call: &Call<'_>, args: &CoordinateArgs) -> Result<Option<String>> {
    Ok(match (&args.diff, args.diff_range.as_deref()) {
        (Some(diff), _) => Some(diff.clone()),
        (None, Some("")) => Some(call.engine.git_diff(None)?),
        (None, Some(range)) => Some(call.engine.git_diff(Some(range))?),
        (None, None) => None,
    })
}

/// The answer in its published form.
fn told(call: &Call<'_>, asked: Intent, intent: &str, done: Coordinated) -> Told {
    let Coordinated { opened, state, proposal, reached, turns, events, warnings } = done;
    let mut told = Told::done(call, &opened);
    told.side_effects.extend(events.iter().map(effect));
    told.warnings.extend(warnings);
    if let Reached::UnknownAgents(unknown) = &reached {
        told.warnings.push(format!(
            "no command is set for {}: nothing was dispatched; the loop stands at {}",
            unknown.join(", "),
            state.current_phase
        ));
    }
    if reached == Reached::Alone {
        told.warnings.push(
            "no target agents: the critique is dispatched by hand (advance, then turn for each \
             critic)"
                .to_owned(),
        );
    }
    let failed = turns.iter().any(|turn| matches!(turn.how, How::Failed(_)));
    if failed || matches!(reached, Reached::UnknownAgents(_)) {
        told.status = "partial";
    }
    for turn in &turns {
        if let How::Dispatched(worker) = &turn.how {
            told.side_effects.push(json!({ "worker_started": worker.pid }));
        }
    }
    let mode = match (asked, &reached) {
        (Intent::Review, _) => "review",
        (Intent::Ideate, Reached::Alone) => "single_agent",
        (Intent::Ideate, _) => "multi_agent",
    };
    let payload = |turn: &HandedOut| {
        json!({
            "intent": intent,
            "loop_id": state.id,
            "slot_id": turn.slot_id,
            "phase": state.current_phase,
            "iteration": state.iteration_count,
            "proposal_artifact_id": proposal,
        })
    };
    told.result = json!({
        "loop_id": state.id,
        "proposal_artifact_id": proposal,
        "mode": mode,
        "dispatched_critics": turns.iter().filter(|turn| turn.how.is_dispatched()).count(),
        "current_phase": state.current_phase,
        "slots": turns.iter().map(|turn| shown(turn, payload(turn))).collect::<Vec<_>>(),
        "loop": wire::to_json(&state, &call.engine.attention(&state)),
    });
    told
}

fn shown(turn: &HandedOut, payload: Value) -> Value {
    let mut value = json!({ "payload": payload });
    match &turn.how {
        How::Before { .. } => {}
        How::Dispatched(worker) => {
            value["assignment_id"] = json!(worker.assignment_id);
            value["run_id"] = json!(worker.run_id);
        }
        How::Brief { turn_id, text } => {
            value["brief"] = text.as_str().into();
            value["turn_id"] = json!(turn_id);
        }
        How::Failed(failed) => {
            value["error"] = json!({ "code": failed.code(), "message": failed.message() });
        }
    }
    value["slot_id"] = json!(turn.slot_id);
    value["agent"] = json!(turn.agent);
    value["dispatched"] = turn.how.is_dispatched().into();
    value
}
