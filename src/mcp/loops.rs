//! `bclaw_loop`, `loop_why`, `loop_brief`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Call, Told, arguments, error, invalid, missing, plain, word};
use super::loop_args::{Intent, LoopArgs};
use super::parts::content;
use crate::core::loops::command::{
    Amend, Command, LinkChange, NewQuestion, Reply, SlotSelector, SupersedeWith,
};
use crate::core::loops::condition::Condition;
use crate::core::loops::event::{Outcome, Wire};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Linked, QuestionScope, Status, TimeoutPolicy};
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::loops::wire;
use crate::engine::{
    BriefRequest, Cancel, DispatchRequest, Error, HarvestOptions, HarvestTarget, LogQuery,
    LoopSummary, OpenRequest, Result,
};

const KINDS: [&str; 5] = ["ideation", "review", "research", "implementation", "debug"];
const STATUSES: [&str; 5] = ["open", "paused", "completed", "blocked", "cancelled"];
/// Loops that a list has at most where nothing else is asked for.
const LISTED: usize = 50;
/// Briefs that a list brings at most.
const BRIEFS: usize = 10;

/// Carries out an intent on a loop.
pub(super) fn bclaw_loop(call: &Call<'_>, given: &Map<String, Value>) -> Answer {
    let named = given.get("intent").and_then(Value::as_str).unwrap_or("unknown");
    let (args, unknown) = match arguments::<LoopArgs>(given) {
        Ok(read) => read,
        Err(wrong) => return error(call, Some(named), &wrong),
    };
    let intent: &'static str = args.intent.into();
    match carry_out(call, args) {
        Ok(mut told) => {
            told.warnings.extend(unknown);
            told.answer(call, intent)
        }
        Err(refused) => error(call, Some(intent), &refused),
    }
}

fn carry_out(call: &Call<'_>, args: LoopArgs) -> Result<Told> {
    match args.intent {
        Intent::Open => open(call, args),
        Intent::List => list(call, &args),
        Intent::Sweep => sweep(call),
        Intent::Harvest => harvest(call, &args),
        Intent::Get => get(call, &args),
        Intent::Verify => verify(call, &args),
        Intent::Takeover => {
            let id = call.loop_id(args.loop_id.as_ref())?;
            let slot = LoopArgs::needed("slot_id", &args.slot_id)?;
            let cause = LoopArgs::needed("cause", &args.cause)?;
            let write = call.write(args.request_id.as_ref(), args.expected_version);
            Ok(dispatched(call, call.engine.take_over(&id, slot, cause, &write)?))
        }
        Intent::Turn if args.dispatch => {
            let id = call.loop_id(args.loop_id.as_ref())?;
            let slot = args.slot_id.as_ref().or(args.role.as_ref());
            let slot = slot.ok_or_else(|| missing("slot_id"))?.clone();
            let request = DispatchRequest { slot, agent: args.agent.clone() };
            let write = call.write(args.request_id.as_ref(), args.expected_version);
            Ok(dispatched(call, call.engine.dispatch(&id, &request, &write)?))
        }
        _ => on_loop(call, args),
    }
}

fn dispatched(call: &Call<'_>, dispatched: crate::engine::Dispatched) -> Told {
    let mut told = Told::done(call, &dispatched.done);
    told.result["turn_id"] = json!(dispatched.worker.turn_id);
    told.result["slot_id"] = json!(dispatched.worker.slot_id);
    told.result["assignment_id"] = json!(dispatched.worker.assignment_id);
    told.result["run_id"] = json!(dispatched.worker.run_id);
    told.result["worker"] = json!(dispatched.worker);
    told.side_effects.push(json!({ "worker_started": dispatched.worker.pid }));
    told
}

/// The verbs that are one command of the core.
fn on_loop(call: &Call<'_>, args: LoopArgs) -> Result<Told> {
    let id = call.loop_id(args.loop_id.as_ref())?;
    let write = call.write(args.request_id.as_ref(), args.expected_version);
    let dry_run = args.dry_run && args.intent == Intent::Advance;
    let hands_over = args.intent == Intent::Turn;
    let command = command(call, &id, args)?;
    if dry_run {
        let decision = call.engine.preview(&id, command, &write)?;
        return match decision.refusal {
            Some(refusal) => Err(refusal.into()),
            None => {
                let would = json!({ "would": decision.made.would });
                Ok(Told { warnings: decision.warnings, ..Told::result(would, Some(id)) })
            }
        };
    }
    let done = call.engine.execute(&id, command, &write)?;
    let mut told = Told::done(call, &done);
    if let Some(slot) = done.made.slot_id.as_ref().filter(|_| hands_over) {
        let request = BriefRequest { slot: Some(slot.to_string()), ..BriefRequest::default() };
        let brief = call.engine.brief(&id, &request)?;
        told.warnings.extend(brief.warnings.iter().cloned());
        if brief.truncated {
            told.warnings.push(format!("the brief of {slot} is truncated"));
        }
        told.result["brief"] = brief.text.into();
    }
    Ok(told)
}

fn command(call: &Call<'_>, id: &LoopId, args: LoopArgs) -> Result<Command> {
    let engine = call.engine;
    let reason = |args: &LoopArgs| LoopArgs::needed("reason", &args.reason).cloned();
    let artifact = |args: &LoopArgs| LoopArgs::needed("artifact_id", &args.artifact_id).cloned();
    Ok(match args.intent {
        Intent::Turn => {
            let slot = match (args.slot_id, args.role) {
                (Some(slot), _) => SlotSelector::Slot(slot),
                (None, Some(role)) => SlotSelector::Role(role),
                (None, None) => return Err(missing("slot_id")),
            };
            Command::Turn { slot, input: args.input }
        }
        Intent::CompleteTurn => {
            let proof = args.proof()?;
            let outcome = args.outcome.as_deref().unwrap_or("done");
            let outcome: Outcome = word("outcome", outcome, &["done", "failed", "cancelled"])?;
            let artifacts = args.artifacts.into_iter().map(|a| a.artifact(engine, id));
            Command::CompleteTurn {
                slot: LoopArgs::needed("slot_id", &args.slot_id)?.clone(),
                turn: args.turn_id,
                outcome,
                reason: args.failure_reason.or(args.reason),
                artifacts: artifacts.collect::<Result<Vec<_>>>()?,
                proof,
            }
        }
        Intent::AddArtifact => Command::AddArtifact(args.artifact()?.artifact(engine, id)?),
        Intent::Supersede => Command::Supersede {
            artifact: artifact(&args)?,
            new: SupersedeWith {
                content: content(engine, id, args.body, args.reference, args.from, None)?,
                addresses: args.addresses,
                waives: args.waives,
                cites: args.cites,
                subtype: args.subtype,
            },
        },
        Intent::Retract => Command::Retract { artifact: artifact(&args)?, reason: reason(&args)? },
        Intent::Waive => Command::Waive { artifact: artifact(&args)?, reason: reason(&args)? },
        Intent::Advance => Command::Advance { to: args.to, force: args.force, reason: args.reason },
        Intent::Pause => Command::Pause { reason: args.reason },
        Intent::Resume => Command::Resume,
        Intent::Close => {
            let status = LoopArgs::needed("status", &args.status)?;
            let status: Status = word("status", status, &STATUSES[2..])?;
            Command::Close { status, reason: args.reason }
        }
        Intent::Reopen => {
            Command::Reopen { reason: reason(&args)?, rounds: args.rounds.unwrap_or(1) }
        }
        Intent::Undo => Command::Undo { to: args.to_seq },
        Intent::Amend => Command::Amend(amend(args)?),
        Intent::Link => Command::Link(LinkChange {
            plans: args.plan_ids,
            sequences: args.sequence_ids,
            source: args.source_loop_id.as_deref().map(|t| engine.resolve(t)).transpose()?,
            session: args.session_id,
            remove: args.remove,
        }),
        Intent::Bind => {
            let file = args.sequence.map(|path| engine.root().join(path));
            let sequence = file.as_deref().map(|path| engine.sequence_file(path)).transpose()?;
            Command::Bind { plans: args.plan_ids, sequence }
        }
        Intent::RequestInput => Command::Ask(question(args)?),
        Intent::ProvideInput => {
            let question = LoopArgs::needed("question_id", &args.question_id)?.clone();
            let reply = match (args.text, args.option, args.skip) {
                (Some(text), None, false) => Reply::Text(text),
                (None, Some(option), false) => Reply::Choose(option),
                (None, None, true) => Reply::Skip,
                _ => return Err(invalid("text", "give one of text, option and skip")),
            };
            Command::Answer { question, reply }
        }
        other => {
            let name: &str = other.into();
            return Err(invalid("intent", format!("{name} is no verb on a loop")));
        }
    })
}

fn amend(args: LoopArgs) -> Result<Amend> {
    let verify = match args.verify.as_deref() {
        None => None,
        Some("" | "none") => Some(None),
        Some(text) => Some(Some(argv(text)?)),
    };
    Ok(Amend {
        title: args.title,
        goal: args.goal,
        domain: args.domain,
        verify,
        max_rounds: args.max_rounds,
        add_slots: args.add_slots.into_iter().map(Into::into).collect(),
        assign: args.assign.into_iter().collect(),
        remove_slots: args.remove_slots,
    })
}

fn argv(text: &str) -> Result<Vec<String>> {
    let words = shell_words::split(text).map_err(|e| invalid("verify", e))?;
    match words.first().is_some_and(|program| !program.is_empty()) {
        true => Ok(words),
        false => Err(invalid("verify", "a command names a program")),
    }
}

fn question(args: LoopArgs) -> Result<NewQuestion> {
    let scope = args.scope.as_deref();
    let scope: Option<QuestionScope> =
        scope.map(|text| word("scope", text, &["slot", "loop"])).transpose()?;
    let policies = ["use_default", "cancel_loop", "continue_incomplete"];
    let on_timeout = args.on_timeout.as_deref();
    let on_timeout: Option<TimeoutPolicy> =
        on_timeout.map(|text| word("on_timeout", text, &policies)).transpose()?;
    Ok(NewQuestion {
        slot: args.slot_id,
        text: LoopArgs::needed("text", &args.text)?.clone(),
        evidence: args.evidence,
        options: args.options.into_iter().map(Into::into).collect(),
        default: args.default,
        scope: scope.unwrap_or_default(),
        on_timeout: on_timeout.unwrap_or_default(),
        deadline: args.deadline,
    })
}

fn open(call: &Call<'_>, args: LoopArgs) -> Result<Told> {
    if args.allow_orphan != Some(true) {
        return Err(invalid(
            "allow_orphan",
            "a loop is driven by who opens it: say allow_orphan: true if that is you, \
             or use bclaw_coordinate",
        ));
    }
    let kind: Kind = word("kind", LoopArgs::needed("kind", &args.kind)?, &KINDS)?;
    let title = LoopArgs::needed("title", &args.title)?;
    let condition = |field: &str, value: Value| {
        serde_json::from_value::<Condition>(value)
            .map_err(|error| invalid(field, super::fault::in_words(&error.to_string())))
    };
    let mut gates = Vec::new();
    for (phase, gate) in args.gates {
        let field = format!("gates.{phase}");
        gates.push((phase, gate.map(|value| condition(&field, value)).transpose()?));
    }
    let mode = args.mode.as_deref();
    let mode: Option<ReviewMode> =
        mode.map(|text| word("mode", text, &["symmetric", "asymmetric"])).transpose()?;
    let linked = args.linked.unwrap_or_default();
    let source = linked.source_loop_id.as_deref();
    let request = OpenRequest {
        goal: args.goal,
        domain: args.domain,
        proposal: args.proposal,
        diff: args.diff,
        slots: args.slots.into_iter().map(Into::into).collect(),
        preset: args.preset,
        stop: args.stop_condition.map(|v| condition("stop_condition", v)).transpose()?,
        gates,
        verify: args.verify.as_deref().map(argv).transpose()?,
        review_mode: mode,
        linked: Linked {
            plan_ids: linked.plan_ids,
            sequence_ids: linked.sequence_ids,
            source_loop_id: source.map(|text| call.engine.resolve(text)).transpose()?,
            session_id: linked.session_id,
        },
        ..OpenRequest::new(kind, title)
    };
    let write = call.write(args.request_id.as_ref(), None);
    Ok(Told::done(call, &call.engine.open_loop(&request, &write)?))
}

fn get(call: &Call<'_>, args: &LoopArgs) -> Result<Told> {
    let id = call.loop_id(args.loop_id.as_ref())?;
    let state = call.engine.load(&id)?;
    let mut result = json!({ "loop": wire::to_json(&state, &call.engine.attention(&state)) });
    if let Some(artifact) = &args.artifact_id {
        let artifact = call.engine.resolve_artifact(&id, artifact)?;
        let head = state.artifact(artifact.as_str());
        let mut shown = json!(head.map(|a| &**a));
        shown["body"] = call.engine.body(&id, &artifact)?.into();
        result["artifact"] = shown;
    }
    if args.include_events {
        let query = LogQuery { loop_id: Some(id.clone()), ..LogQuery::default() };
        let events: std::result::Result<Vec<Value>, _> = call
            .engine
            .log(&query)?
            .entries
            .iter()
            .map(|entry| {
                let mut value = serde_json::to_value(Wire(entry.event.seq, &entry.event.body))?;
                value["at"] = json!(entry.event.at);
                value["by"] = json!(entry.event.by);
                Ok::<_, serde_json::Error>(value)
            })
            .collect();
        result["events"] = json!(events.map_err(|e| Error::new("io", e.to_string()))?);
    }
    Ok(Told::result(result, Some(id)))
}

fn list(call: &Call<'_>, args: &LoopArgs) -> Result<Told> {
    let kind = args.kind.as_deref().map(|t| word::<Kind>("kind", t, &KINDS)).transpose()?;
    let status = args.status.as_deref();
    let status = status.map(|t| word::<Status>("status", t, &STATUSES)).transpose()?;
    let mine = args.assigned_to.as_deref() == Some("me");
    let agent = match args.assigned_to.as_deref() {
        Some("me") => Some(call.actor.agent().cloned().ok_or_else(|| {
            invalid("assigned_to", "slots are assigned to agents, and you act as the operator")
        })?),
        Some(name) => Some(name.strip_prefix("agent:").unwrap_or(name).into()),
        None => None,
    };
    let now = call.engine.now();
    let listing = call.engine.list()?;
    let wanted = |one: &&LoopSummary| {
        kind.is_none_or(|kind| kind == one.kind)
            && status.is_none_or(|status| status == one.status)
            && agent.as_ref().is_none_or(|agent| one.agents.contains(agent))
            && (args.all || status.is_some() || !one.is_folded_away(now))
    };
    let kept: Vec<&LoopSummary> = listing.loops.iter().filter(wanted).collect();
    let from = args.offset.min(kept.len());
    let to = from.saturating_add(args.limit.unwrap_or(LISTED)).min(kept.len());
    let shown = &kept[from..to];
    let mut result = json!({
        "loops": shown, "total": kept.len(), "next_offset": (from < to && to < kept.len()).then_some(to),
    });
    let mut warnings: Vec<String> = listing.problems.iter().map(|p| p.message.clone()).collect();
    if let Some(agent) = agent.filter(|_| mine) {
        result["briefs"] = json!(briefs(call, shown, &agent, &mut warnings));
    }
    Ok(Told { warnings, ..Told::result(result, None) })
}

/// The briefs of an agent's slots that have their turn or play the phase.
fn briefs(
    call: &Call<'_>,
    loops: &[&LoopSummary],
    agent: &str,
    warnings: &mut Vec<String>,
) -> Vec<Value> {
    let mut out = Vec::new();
    for one in loops.iter().filter(|one| one.status == Status::Open) {
        let Ok(state) = call.engine.load(&one.id) else { continue };
        let role = state.phase().and_then(|phase| phase.role.clone());
        let playing = state.slots_playing(role.as_deref());
        let mine = state.slots.iter().filter(|slot| {
            slot.agent.as_deref() == Some(agent)
                && (slot.live_turn().is_some()
                    || playing.iter().any(|other| other.slot_id == slot.slot_id))
        });
        for slot in mine {
            if out.len() == BRIEFS {
                warnings.push(format!("only the first {BRIEFS} briefs: ask loop_brief for more"));
                return out;
            }
            let request =
                BriefRequest { slot: Some(slot.slot_id.to_string()), ..BriefRequest::default() };
            if let Ok(brief) = call.engine.brief(&one.id, &request) {
                out.push(json!({
                    "loop_id": one.id, "slot_id": slot.slot_id, "brief": brief.text,
                    "truncated": brief.truncated,
                }));
            }
        }
    }
    out
}

fn verify(call: &Call<'_>, args: &LoopArgs) -> Result<Told> {
    let id = call.loop_id(args.loop_id.as_ref())?;
    let write = call.write(args.request_id.as_ref(), args.expected_version);
    let verified = call.engine.verify(&id, &write, &Cancel::default(), |_| ())?;
    let mut told = Told::done(call, &verified.done);
    if let Some(run) = &verified.run {
        told.result["passed"] = run.passed.into();
        told.result["exit_code"] = json!(run.exit_code);
    }
    Ok(told)
}

fn harvest(call: &Call<'_>, args: &LoopArgs) -> Result<Told> {
    let text = args.assignment_id.as_ref().or(args.loop_id.as_ref());
    let text = text.ok_or_else(|| missing("loop_id"))?;
    let target: HarvestTarget = call.engine.harvest_target(text)?;
    let options = HarvestOptions { integrate: args.integrate, go_on: args.go_on };
    let write = call.write(args.request_id.as_ref(), args.expected_version);
    let harvested = call.engine.harvest(&target, options, &write)?;
    let result = json!({
        "loop": wire::to_json(&harvested.state, &call.engine.attention(&harvested.state)),
        "items": harvested.items,
        "next": harvested.next,
    });
    let artifacts = harvested.items.iter().flat_map(|item| &item.artifact_ids);
    let refused = harvested.items.iter().any(|item| item.code.is_some());
    Ok(Told {
        status: if refused { "partial" } else { "ok" },
        artifacts: artifacts.map(ToString::to_string).collect(),
        warnings: harvested.warnings,
        ..Told::result(result, Some(target.loop_id().clone()))
    })
}

fn sweep(call: &Call<'_>) -> Result<Told> {
    let swept = call.engine.sweep(&call.write(None, None))?;
    let result = json!({ "revoked": swept.revoked, "adrift": swept.adrift });
    Ok(Told { warnings: swept.warnings, ..Told::result(result, None) })
}

/// The arguments of `loop_why` and `loop_brief`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LookArgs {
    /// The loop: id, unique beginning of it, or slug.
    loop_id: String,
    /// brief: for this slot; absent = whoever plays the phase.
    slot_id: Option<String>,
    /// brief: at most so many characters, 4000 or more.
    max_chars: Option<usize>,
    /// brief: at most so many memory items a category.
    top_k: Option<usize>,
}

/// Why a loop stands where it stands.
pub(super) fn loop_why(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, warnings) = arguments::<LookArgs>(given)?;
    let id = call.engine.resolve(&args.loop_id)?;
    let mut why = json!(call.engine.why(&id)?);
    why["next_expected"] = json!(super::next::expected(call, &id));
    Ok(plain(why, warnings))
}

/// What a slot would read.
pub(super) fn loop_brief(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, mut warnings) = arguments::<LookArgs>(given)?;
    let id = call.engine.resolve(&args.loop_id)?;
    let request = BriefRequest { slot: args.slot_id, max_chars: args.max_chars, top_k: args.top_k };
    let brief = call.engine.brief(&id, &request)?;
    warnings.extend(brief.warnings.iter().cloned());
    Ok(plain(json!(brief), warnings))
}
