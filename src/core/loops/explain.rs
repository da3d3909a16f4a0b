//! Why a gate is shut and what would open it (engine.md §9).

use serde::Serialize;

use super::attempt::Due;
use super::command::{Command, Ctx};
use super::condition::Condition;
use super::decide::{SHORT_ROUND, decide, may_cut_short, turns_met, would_close_at_cap};
use super::evaluate::{self, CRITIQUE_SUBTYPES, Detail, Evaluator, Purpose};
use super::green::red_words;
use super::ids::{ArtifactId, Name, SlotId};
use super::model::{Loop, Question, Status, TurnState};
use super::protocol::ExitWhen;
use super::question::ANSWER;
use super::refusal::{NextStep, Refusal, Would};
use super::{followups, steps, verdicts, waiting};
use crate::core::text::{nearest, plural};
use crate::core::time::Timestamp;

/// An artifact that a leaf looked at and did not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Which.
    pub artifact_id: ArtifactId,
    /// `blank`, `duplicate`, `other_round`, `other_phase`, `other_type`,
    /// `narrated`, `stale_workspace`, `retracted`, `superseded`, `late`.
    pub why: String,
}

/// A condition as it was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// The condition's kind.
    pub kind: String,
    /// Whether it holds.
    pub met: bool,
    /// The condition in words; for an unmet leaf the unmet reason (§4).
    pub text: String,
    /// How many were counted, for a leaf that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u32>,
    /// How many are needed, for a leaf that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<u32>,
    /// The artifacts that count.
    pub counts: Vec<ArtifactId>,
    /// Those that don't, and why.
    pub ignored: Vec<Ignored>,
    /// The parts of a composition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Node>,
}

/// A gate or a stop condition as it was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluated {
    /// Whether it holds.
    pub met: bool,
    /// Its tree; absent when there is no condition.
    pub tree: Option<Node>,
}

/// A slot that advance waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Which.
    pub slot_id: SlotId,
    /// Its role.
    pub role: Name,
    /// The state of its newest turn.
    pub state: String,
    /// In words, with what to do.
    pub text: String,
}

/// The slot policy as it was evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlotsEvaluated {
    /// Whether it holds.
    pub met: bool,
    /// `all` or `any`.
    pub policy: String,
    /// What it waits for.
    pub waiting: Vec<Waiting>,
}

/// Why a loop stands where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// The phase.
    pub phase: Name,
    /// The iteration, 0-based.
    pub iteration: u32,
    /// The gate of the phase.
    pub gate: Evaluated,
    /// The slot policy.
    pub slots: SlotsEvaluated,
    /// The loop's stop condition.
    pub stop: Evaluated,
    /// Whether the command is green, in the phase that ends a cycle which green
    /// leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Node>,
    /// What would count if it were a little different.
    pub near_misses: Vec<String>,
    /// The smallest set of actions that helps.
    pub next_steps: Vec<NextStep>,
    /// What `advance` would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would: Option<Would>,
    /// Why `advance` would be refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// Explains where a loop stands. Looks at the world through `ctx` only for what
/// `advance` would do.
pub fn why(state: &Loop, ctx: &Ctx) -> Why {
    let advance = Command::Advance { to: None, force: false, reason: None };
    let decision = decide(state, &advance, ctx);
    let evaluated = |tree: Option<Node>, absent: bool| Evaluated {
        met: tree.as_ref().map_or(absent, |t| t.met),
        tree,
    };
    let refused = decision.refusal.is_some();
    Why {
        phase: state.current_phase.clone(),
        iteration: state.iteration_count,
        gate: evaluated(evaluate::gate(state, Detail::Full), true),
        slots: slots(state),
        stop: evaluated(evaluate::stop(state, Detail::Full), false),
        exit: evaluate::exit(state, ctx.workspace_digest.as_deref()),
        near_misses: stale_words(state, ctx)
            .into_iter()
            .chain(red_words(state))
            .chain(near_misses(state))
            .collect(),
        next_steps: verify_again(state, ctx)
            .into_iter()
            .chain(next_steps(state, decision.refusal.as_ref(), ctx.now))
            .collect(),
        would: decision.made.would.filter(|_| !refused),
        refusal: decision.refusal,
    }
}

/// The slot policy of the current phase as it stands: each slot counts with its
/// newest turn of this phase and round (engine.md §5.4).
pub fn slots(state: &Loop) -> SlotsEvaluated {
    let policy = state.phase().map(|p| p.advance_when).unwrap_or_default();
    let met = turns_met(state, &state.current_phase, policy);
    let waiting = if met { Vec::new() } else { unfinished(state) };
    SlotsEvaluated { met, policy: policy.to_string(), waiting }
}

fn unfinished(state: &Loop) -> Vec<Waiting> {
    let mut out = Vec::new();
    for slot in &state.slots {
        let turn = slot.newest_turn(&state.current_phase, state.iteration_count);
        let Some(turn) = turn.filter(|t| t.state != TurnState::Done) else { continue };
        let who = match &slot.agent {
            Some(agent) => format!("{} ({agent})", slot.role),
            None => slot.role.to_string(),
        };
        let text = if turn.state == TurnState::Failed {
            let reason = turn.reason.as_deref().unwrap_or("no reason given");
            format!("the turn of {who} failed: {reason}")
        } else if turn.state == TurnState::WaitingInput {
            format!("the turn of {who} waits for an answer")
        } else if state.due(slot) == Some(Due::Launch) {
            format!("the turn of {who} waits to be handed out")
        } else {
            format!("the turn of {who} is not finished")
        };
        out.push(Waiting {
            slot_id: slot.slot_id.clone(),
            role: slot.role.clone(),
            state: turn.state.to_string(),
            text,
        });
    }
    out
}

/// What is said where the last green was on other files.
fn stale_words(state: &Loop, ctx: &Ctx) -> Option<String> {
    let stale = may_exit(state) && evaluate::is_stale(state, ctx.workspace_digest.as_deref());
    stale.then(|| "files changed since: verify again".to_owned())
}

fn verify_again(state: &Loop, ctx: &Ctx) -> Option<NextStep> {
    let words = stale_words(state, ctx)?;
    Some(NextStep::new(words, steps::verify(state)))
}

/// Whether leaving the present phase asks whether the command is green.
pub fn may_exit(state: &Loop) -> bool {
    state.status == Status::Open && evaluate::asks_for_green(state)
}

/// What would count if it were filed a little differently.
fn near_misses(state: &Loop) -> Vec<String> {
    let mut wanted: Vec<Name> = Vec::new();
    for tree in [evaluate::gate(state, Detail::Counts), evaluate::stop(state, Detail::Counts)] {
        if tree.is_some_and(|t| !t.met) {
            collect_types(state, &mut wanted);
        }
    }
    let mut out = Vec::new();
    for kind in &wanted {
        let mut near: Vec<(Name, usize)> = Vec::new();
        for artifact in evaluate::this_round(state).filter(|a| a.counts()) {
            let have = &artifact.artifact_type;
            let label = &**kind == "critique" && CRITIQUE_SUBTYPES.contains(&&**have);
            let typo =
                have != kind && !known_type(state, have) && nearest(have, [&**kind]).is_some();
            if label || typo {
                match near.iter_mut().find(|(name, _)| name == have) {
                    Some((_, count)) => *count += 1,
                    None => near.push((have.clone(), 1)),
                }
            }
        }
        for (have, count) in near {
            out.push(format!("{count} `{have}` would count if typed `{kind}`"));
        }
    }
    out
}

fn known_type(state: &Loop, artifact_type: &str) -> bool {
    state.protocol.phases.iter().any(|p| p.expects.iter().any(|t| &**t == artifact_type))
}

/// The artifact types that the gate of this phase and the stop ask for.
fn collect_types(state: &Loop, out: &mut Vec<Name>) {
    let gate = state.phase().and_then(|p| p.advance_gate.as_ref());
    let mut todo: Vec<&Condition> =
        gate.into_iter().chain(state.protocol.stop_condition.as_ref()).collect();
    while let Some(condition) = todo.pop() {
        match condition {
            Condition::ArtifactProduced { artifact_type, .. }
            | Condition::MinArtifactsByType { artifact_type, .. }
                if !out.contains(artifact_type) =>
            {
                out.push(artifact_type.clone());
            }
            _ => {}
        }
        todo.extend(condition.children());
    }
}

/// The steps that help a loop on, the nearest first.
pub fn next_steps(state: &Loop, refusal: Option<&Refusal>, now: Timestamp) -> Vec<NextStep> {
    if state.status.is_closed() {
        let reopen = NextStep::new("reopen it", steps::reopen(state));
        return followups::step(state).into_iter().chain([reopen]).collect();
    }
    if let Some(question) = state.holding_question().or(state.open_questions.first()) {
        return vec![answer_step(state, question)];
    }
    if state.status == Status::Paused {
        return vec![NextStep::new("resume it", steps::resume(state))];
    }
    let missing = missing_words(state);
    match refusal {
        Some(refusal) if !refusal.next_steps.is_empty() => {
            waiting::after_workers(state, refusal.next_steps.clone(), now)
        }
        Some(_) => stop_steps(state, now),
        None => {
            let words =
                if red_words(state).is_some() { "advance, red as it is" } else { "advance" };
            let advance = NextStep::new(words, steps::advance(state));
            let bind = super::decide::bind::is_binding(state)
                .then(|| NextStep::new("or bind plans to it", steps::on_loop(state, "bind", "")));
            missing.into_iter().chain([advance]).chain(bind).chain(enough(state)).collect()
        }
    }
}

/// What ends rounds that go on until nothing is missing, at their last phase: nobody
/// guesses the name of the signal.
fn enough(state: &Loop) -> Option<NextStep> {
    let cycle = state.protocol.iteration.as_ref()?;
    let asks = cycle.exit_when == Some(ExitWhen::CriticSignal)
        && cycle.cycle.last() == Some(&state.current_phase)
        && !evaluate::has_critic_signal(state);
    asks.then(|| {
        let words = "or say that nothing is missing (critic_signal), then advance";
        NextStep::new(words, steps::add(state, "critic_signal"))
    })
}

/// Answering a question, with what it offers.
pub fn answer_step(state: &Loop, question: &Question) -> NextStep {
    let options: Vec<&str> = question.options.iter().map(|o| o.id.as_str()).collect();
    let offers =
        if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) };
    NextStep::new(format!("answer the question{offers}"), steps::answer(state, question))
}

/// The first expected type of the phase, where nothing of the kind was said in
/// this round yet and nobody has ended a turn.
fn missing_words(state: &Loop) -> Option<NextStep> {
    let phase = state.phase()?;
    let kind = phase.expects.first()?;
    if holds_expected(state) || has_ended_turn(state) {
        return None;
    }
    Some(NextStep::new(format!("add the {kind}"), add_step(state, kind)))
}

/// Whether this phase and round hold an artifact of a type that belongs here.
pub fn holds_expected(state: &Loop) -> bool {
    let Some(phase) = state.phase() else { return false };
    state
        .artifacts_in(&state.current_phase, state.iteration_count)
        .any(|a| a.counts() && phase.expects_type(&a.artifact_type))
}

/// Whether somebody has ended a turn in this phase and round.
pub fn has_ended_turn(state: &Loop) -> bool {
    state.slots.iter().any(|s| {
        s.newest_turn(&state.current_phase, state.iteration_count)
            .is_some_and(|t| t.state == TurnState::Done)
    })
}

fn add_step(state: &Loop, artifact_type: &str) -> String {
    if artifact_type == "plan_draft" {
        steps::add_plan(state)
    } else {
        steps::add(state, artifact_type)
    }
}

/// What opens the gate of the current phase: what is due from workers, then the
/// smallest set of actions.
pub fn gate_steps(state: &Loop, now: Timestamp) -> Vec<NextStep> {
    let condition = state.phase().and_then(|p| p.advance_gate.as_ref());
    let mut out =
        condition.and_then(|c| smallest(state, Purpose::Gate, c, now)).unwrap_or_default();
    if may_cut_short(state) && evaluate::has_critique_this_round(state) {
        let rest = format!("--force --reason {SHORT_ROUND}");
        out.push(NextStep::new(
            "end the round short instead",
            steps::on_loop(state, "advance", &rest),
        ));
    } else if may_cut_short(state) && !has_ended_turn(state) {
        let role = state.phase().and_then(|p| p.role.clone()).unwrap_or_else(|| "critic".into());
        out.push(NextStep::new(
            "or say that there is nothing new: take the turn and complete it",
            steps::turn(state, &role),
        ));
    }
    if out.is_empty() {
        let rest = "--force --reason 'YOUR REASON'";
        out.push(NextStep::new("pass the gate by force", steps::on_loop(state, "advance", rest)));
    }
    waiting::after_workers(state, out, now)
}

/// The smallest set of actions that makes the stop condition hold.
pub fn stop_steps(state: &Loop, now: Timestamp) -> Vec<NextStep> {
    let stop = state.protocol.stop_condition.as_ref();
    stop.and_then(|c| smallest(state, Purpose::Stop, c, now))
        .filter(|s| !s.is_empty())
        .unwrap_or_else(|| {
            let rest = "--status completed";
            vec![NextStep::new("close it by hand", steps::on_loop(state, "close", rest))]
        })
}

/// The fewest actions that make a condition hold; none if no action can.
fn smallest(
    state: &Loop,
    purpose: Purpose,
    condition: &Condition,
    now: Timestamp,
) -> Option<Vec<NextStep>> {
    let node = Evaluator::new(state, purpose, Detail::Counts).node(condition);
    if node.met {
        return Some(Vec::new());
    }
    match condition {
        Condition::Any { conditions } => {
            conditions.iter().filter_map(|c| smallest(state, purpose, c, now)).min_by_key(Vec::len)
        }
        Condition::All { conditions } => {
            let parts: Option<Vec<_>> =
                conditions.iter().map(|c| smallest(state, purpose, c, now)).collect();
            Some(parts?.into_iter().flatten().collect())
        }
        Condition::MinArtifactsByType { artifact_type, .. } => {
            let missing = node.needed?.saturating_sub(node.counted?);
            if &**artifact_type == "verify_report" && state.protocol.verify.is_some() {
                return Some(vec![NextStep::new("run the verify command", steps::verify(state))]);
            }
            let noun = plural(missing as usize, artifact_type, &format!("{artifact_type}s"));
            Some(vec![NextStep::new(format!("add {noun}"), add_step(state, artifact_type))])
        }
        Condition::ArtifactProduced { phase, artifact_type } => {
            produce(state, phase, artifact_type, now)
        }
        Condition::ReviewerGreen => Some(vec![accept(state)]),
        Condition::NoOpenQuestions => {
            Some(state.open_questions.iter().map(|q| answer_step(state, q)).collect())
        }
        Condition::PhaseReached { .. }
        | Condition::MaxIterations { .. }
        | Condition::MinIterations { .. }
        | Condition::Manual => None,
    }
}

/// An artifact of a type in a phase that is, or was, entered.
fn produce(
    state: &Loop,
    phase: &Name,
    artifact_type: &str,
    now: Timestamp,
) -> Option<Vec<NextStep>> {
    let text = format!("add the {artifact_type}");
    let reviews = state.protocol.phase(phase).is_some_and(|p| p.review_of.is_some());
    if artifact_type == ANSWER && reviews && state.open_questions.is_empty() {
        return Some(ask_again(state, phase, now));
    }
    if *phase == state.current_phase {
        return Some(vec![NextStep::new(text, add_step(state, artifact_type))]);
    }
    let entered = state.visits.iter().any(|v| v.phase == *phase);
    entered.then(|| {
        let command = format!("{} --phase {phase}", add_step(state, artifact_type));
        vec![NextStep::new(format!("{text} in {phase}"), command)]
    })
}

/// The engine's own question is the only one that opens the gate of a review by
/// the operator, and the engine asks it on entering. So the phase is entered anew:
/// once no turn holds it and the cap has room for the round.
fn ask_again(state: &Loop, phase: &Name, now: Timestamp) -> Vec<NextStep> {
    let slots = slots(state);
    if !slots.met {
        return waiting::slot_steps(state, &slots, now);
    }
    if would_close_at_cap(state, phase) {
        return vec![NextStep::new("raise the cap", steps::raise_cap(state))];
    }
    let rest = format!("--to {phase} --reason 'the question was not answered'");
    vec![NextStep::new("have it asked again", steps::on_loop(state, "advance", &rest))]
}

/// What would satisfy the reviewers: a turn to finish, or an accepting verdict.
fn accept(state: &Loop) -> NextStep {
    match verdicts::reviewer_slots(state).into_iter().find(|s| s.live_turn().is_some()) {
        Some(slot) => NextStep::new(
            format!("complete the turn of {}", slot.role),
            steps::complete(state, slot.slot_id.as_str()),
        ),
        None => NextStep::new("add the verdict", steps::add(state, "verdict")),
    }
}
