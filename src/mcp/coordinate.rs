//! `bclaw_coordinate` and its older name `bclaw_dispatch`: a loop opened, its
//! slots filled and its first turns handed out in one call.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Call, Told, arguments, error, missing, word};
use super::loops::side_effects;
use crate::core::loops::attempt::AttemptCommand;
use crate::core::loops::command::{Command, NewSlot};
use crate::core::loops::ids::{ArtifactId, LoopId, SlotId};
use crate::core::loops::model::Loop;
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::loops::wire;
use crate::core::text::first_chars;
use crate::engine::{BriefRequest, DispatchRequest, OpenRequest, Result};

/// Characters of a task that a title takes.
const TITLE_CHARS: usize = 80;

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
    let told = match args.intent {
        Intent::Ideate => ideate(call, &args),
        Intent::Review => review(call, &args),
    };
    match told {
        Ok(mut told) => {
            told.warnings.extend(unknown);
            told.answer(call, intent)
        }
        Err(refused) => error(call, Some(intent), &refused),
    }
}

fn title(args: &CoordinateArgs, task: &str) -> String {
    let first = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("untitled");
    args.title.clone().unwrap_or_else(|| first_chars(first, TITLE_CHARS).trim().to_owned())
}

fn request(args: &CoordinateArgs, kind: Kind, slots: Vec<NewSlot>) -> Result<OpenRequest> {
    let task = args.task.clone().ok_or_else(|| missing("task"))?;
    Ok(OpenRequest {
        goal: args.goal.clone(),
        domain: args.domain.clone(),
        proposal: Some(task.clone()),
        slots,
        ..OpenRequest::new(kind, title(args, &task))
    })
}

fn slot(role: &str, agent: Option<&str>) -> NewSlot {
    NewSlot { role: role.to_owned(), agent: agent.map(str::to_owned), ..NewSlot::default() }
}

/// The agents that no command is set for.
fn unknown_agents(call: &Call<'_>, wanted: &[String]) -> Vec<String> {
    let known = call.engine.agents();
    let is_known = |name: &String| {
        known.iter().any(|agent| agent.name == *name)
            || call.actor.agent().is_some_and(|own| **own == **name)
    };
    // Where no agent has a command, turns are handed over by hand.
    if known.is_empty() {
        return Vec::new();
    }
    wanted.iter().filter(|name| !is_known(name)).cloned().collect()
}

fn ideate(call: &Call<'_>, args: &CoordinateArgs) -> Result<Told> {
    let unknown = unknown_agents(call, &args.target_agents);
    let mut slots = vec![slot("champion", call.actor.agent().map(|name| &**name))];
    slots.extend(args.target_agents.iter().map(|agent| slot("critic", Some(agent))));
    let write = call.write(args.request_id.as_ref(), None);
    let opened = call.engine.open_loop(&request(args, Kind::Ideation, slots)?, &write)?;
    let id = opened.state.id.clone();
    let proposal = opened.made.artifact_ids.first().cloned();
    let mut told = Told::done(call, &opened);
    if args.target_agents.is_empty() || !unknown.is_empty() {
        let single = args.target_agents.is_empty();
        told.warnings.push(match single {
            true => "no target agents: the critique is dispatched by hand (advance, then turn \
                     for each critic)"
                .to_owned(),
            false => format!(
                "no command is set for {}: nothing was dispatched; the loop stands at proposal",
                unknown.join(", ")
            ),
        });
        told.status = if single { "ok" } else { "partial" };
        let mode = if single { "single_agent" } else { "multi_agent" };
        summary(call, &mut told, &id, proposal.as_ref(), mode, &[])?;
        return Ok(told);
    }
    let replayed = opened.replayed;
    if !replayed {
        advance(call, &id, &mut told)?;
    }
    let turns = hand_out(call, &id, "critic", "ideate", proposal.as_ref(), &mut told)?;
    summary(call, &mut told, &id, proposal.as_ref(), "multi_agent", &turns)?;
    Ok(told)
}

fn advance(call: &Call<'_>, id: &LoopId, told: &mut Told) -> Result<()> {
    let advance = Command::Advance { to: None, force: false, reason: None };
    let done = call.engine.execute(id, advance, &call.write(None, None))?;
    told.side_effects.extend(side_effects(&done));
    told.warnings.extend(done.warnings);
    Ok(())
}

fn review(call: &Call<'_>, args: &CoordinateArgs) -> Result<Told> {
    if !args.open_loop {
        return Err(missing("open_loop"));
    }
    let mode = args.mode.as_deref();
    let mode: Option<ReviewMode> =
        mode.map(|text| word("mode", text, &["symmetric", "asymmetric"])).transpose()?;
    let diff = match (&args.diff, args.diff_range.as_deref()) {
        (Some(diff), _) => Some(diff.clone()),
        (None, Some("")) => Some(call.engine.git_diff(None)?),
        (None, Some(range)) => Some(call.engine.git_diff(Some(range))?),
        (None, None) => None,
    };
    let unknown = unknown_agents(call, &args.target_agents);
    let mut slots = vec![slot("author", call.actor.agent().map(|name| &**name))];
    if args.target_agents.is_empty() {
        slots.push(slot("reviewer", None));
    }
    slots.extend(args.target_agents.iter().map(|agent| slot("reviewer", Some(agent))));
    let task = args.task.clone().or_else(|| diff.as_ref().map(|_| "See the diff.".to_owned()));
    let args = CoordinateArgs { task, ..copied(args) };
    let mut request = request(&args, Kind::Review, slots)?;
    request.diff = diff;
    request.review_mode = mode;
    let write = call.write(args.request_id.as_ref(), None);
    let opened = call.engine.open_loop(&request, &write)?;
    let id = opened.state.id.clone();
    let change = opened.made.artifact_ids.first().cloned();
    let mut told = Told::done(call, &opened);
    if !unknown.is_empty() {
        told.status = "partial";
        told.warnings.push(format!(
            "no command is set for {}: nothing was dispatched; the loop stands at change_summary",
            unknown.join(", ")
        ));
        summary(call, &mut told, &id, change.as_ref(), "review", &[])?;
        return Ok(told);
    }
    if !opened.replayed {
        advance(call, &id, &mut told)?;
    }
    let turns = hand_out(call, &id, "reviewer", "review", change.as_ref(), &mut told)?;
    summary(call, &mut told, &id, change.as_ref(), "review", &turns)?;
    Ok(told)
}

fn copied(args: &CoordinateArgs) -> CoordinateArgs {
    CoordinateArgs {
        intent: args.intent,
        task: None,
        title: args.title.clone(),
        goal: args.goal.clone(),
        domain: args.domain.clone(),
        target_agents: args.target_agents.clone(),
        open_loop: args.open_loop,
        mode: args.mode.clone(),
        diff: None,
        diff_range: None,
        request_id: args.request_id.clone(),
    }
}

/// What became of one slot's turn.
struct HandedOut {
    slot_id: SlotId,
    agent: Option<String>,
    dispatched: bool,
    value: Value,
}

/// Hands each slot of a role its turn: to its agent's command, or as a brief.
fn hand_out(
    call: &Call<'_>,
    id: &LoopId,
    role: &str,
    intent: &str,
    proposal: Option<&ArtifactId>,
    told: &mut Told,
) -> Result<Vec<HandedOut>> {
    let state = call.engine.load(id)?;
    let agents = call.engine.agents();
    let mut out = Vec::new();
    for slot in state.slots.iter().filter(|slot| &*slot.role == role) {
        let payload = json!({
            "intent": intent,
            "loop_id": id,
            "slot_id": slot.slot_id,
            "phase": state.current_phase,
            "iteration": state.iteration_count,
            "proposal_artifact_id": proposal,
        });
        let agent = slot.agent.as_ref().map(ToString::to_string);
        let configured = agent.as_ref().is_some_and(|name| {
            agents.iter().any(|known| known.name == *name && known.approved)
                && call.engine.dispatches(state.kind)
        });
        let has_turn = slot.live_turn().is_some();
        let mut one = HandedOut {
            slot_id: slot.slot_id.clone(),
            agent,
            dispatched: configured && has_turn,
            value: json!({ "payload": payload }),
        };
        match (configured, has_turn) {
            (_, true) => {}
            (true, false) => dispatch(call, id, &mut one, told),
            (false, false) => hand_over(call, id, &mut one, told)?,
        }
        out.push(one);
    }
    Ok(out)
}

fn dispatch(call: &Call<'_>, id: &LoopId, one: &mut HandedOut, told: &mut Told) {
    let request = DispatchRequest { slot: one.slot_id.to_string(), agent: None };
    match call.engine.dispatch(id, &request, &call.write(None, None)) {
        Ok(dispatched) => {
            one.dispatched = true;
            one.value["assignment_id"] = json!(dispatched.worker.assignment_id);
            one.value["run_id"] = json!(dispatched.worker.run_id);
            told.side_effects.push(json!({ "worker_started": dispatched.worker.pid }));
            told.warnings.extend(dispatched.done.warnings);
        }
        Err(failed) => {
            told.status = "partial";
            one.value["error"] = json!({ "code": failed.code(), "message": failed.message() });
            told.warnings.push(format!("slot {}: {}", one.slot_id, failed.message()));
        }
    }
}

fn hand_over(call: &Call<'_>, id: &LoopId, one: &mut HandedOut, told: &mut Told) -> Result<()> {
    let step = AttemptCommand::HandOver { slot: one.slot_id.to_string() };
    let done = call.engine.execute(id, Command::Attempt(step), &call.write(None, None))?;
    told.side_effects.extend(side_effects(&done));
    let request = BriefRequest { slot: Some(one.slot_id.to_string()), ..BriefRequest::default() };
    let brief = call.engine.brief(id, &request)?;
    if brief.truncated {
        told.warnings.push(format!("the brief of slot {} is truncated", one.slot_id));
    }
    told.warnings.extend(brief.warnings.iter().cloned());
    one.value["brief"] = brief.text.into();
    one.value["turn_id"] = json!(done.made.turn_id);
    Ok(())
}

/// The result of both intents.
fn summary(
    call: &Call<'_>,
    told: &mut Told,
    id: &LoopId,
    proposal: Option<&ArtifactId>,
    mode: &str,
    turns: &[HandedOut],
) -> Result<()> {
    let state: std::sync::Arc<Loop> = call.engine.load(id)?;
    let slots: Vec<Value> = turns
        .iter()
        .map(|one| {
            let mut value = one.value.clone();
            value["slot_id"] = json!(one.slot_id);
            value["agent"] = json!(one.agent);
            value["dispatched"] = one.dispatched.into();
            value
        })
        .collect();
    told.result = json!({
        "loop_id": id,
        "proposal_artifact_id": proposal,
        "mode": mode,
        "dispatched_critics": turns.iter().filter(|one| one.dispatched).count(),
        "current_phase": state.current_phase,
        "slots": slots,
        "loop": wire::to_json(&state, call.engine.now()),
    });
    Ok(())
}
