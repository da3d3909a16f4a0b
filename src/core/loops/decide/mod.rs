//! Every rule about what may happen (engine.md §5, §6).
//!
//! When several things are wrong, the first counts: the form of the arguments,
//! whether the actor may, the loop's status, then what is looked up inside it.

mod advance;
mod amend;
mod answers;
mod artifacts;
mod attempts;
pub(super) mod bind;
mod draft;
mod exits;
mod facts;
mod filing;
mod fork;
mod lifecycle;
mod open;
mod questions;
mod turns;
mod undo;
mod verify;

use super::command::{Command, Ctx};
use super::evaluate::Detail;
use super::model::{Actor, Loop, Status};
use super::refusal::{Decision, NextStep, Refusal};
use super::steps;
use draft::Draft;
pub use draft::would;

pub use advance::{SHORT_ROUND, would_close_at_cap};
pub use answers::after_timeouts;
pub use artifacts::{find_artifact, must_sign, usual_category};
pub use attempts::{NEVER_LAUNCHED, may_be_dispatched, turned_away};
pub use exits::{may_cut_short, turns_met};
pub use facts::{VERDICT_INLINE_CHARS, is_artifact_type, must_stay_inline};
pub use fork::fork;
pub use open::open;
pub use questions::QUESTION_CHARS;
pub use turns::find_slot;
pub use verify::verify_command;

/// What a rule answers: done, or why not.
type Verdict = Result<(), Refusal>;

/// What a command does to a loop: the events, or a refusal. Nothing is changed.
///
/// Pure: the same loop, command and context give the same decision; the dry
/// run of a command is this without the commit.
pub fn decide(state: &Loop, command: &Command, ctx: &Ctx) -> Decision {
    let worker = match command {
        Command::Attempt(step) => attempts::seen_by(state, step, ctx),
        _ => None,
    };
    let draft = Draft::new(state, worker.as_ref().unwrap_or(ctx));
    let mut decision = decided(draft, state, command);
    if let Some(refusal) = &mut decision.refusal {
        refusal.next_steps.retain(|step| runs_in(state.status, step.verb()));
        if refusal.next_steps.is_empty() {
            refusal.next_steps.push(way_on(state, refusal.code));
        }
    }
    decision
}

/// Whether a verb is one for loops of a status (§6, "Verbs by status"): a step
/// that would be refused itself is no way on.
fn runs_in(status: Status, verb: &str) -> bool {
    let needs_open = ["advance", "turn", "dispatch", "verify", "ask", "bind", "pause"];
    let needs_unclosed =
        ["add", "complete", "answer", "retract", "amend", "waive", "close", "resume", "link"];
    match status {
        Status::Open => true,
        Status::Paused => !needs_open.contains(&verb),
        _ => !needs_open.contains(&verb) && !needs_unclosed.contains(&verb),
    }
}

/// What helps where no step answers the refusal itself: what holds the loop up,
/// or else a look.
fn way_on(state: &Loop, code: &str) -> NextStep {
    match (state.status, state.holding_question()) {
        (Status::Paused, Some(question)) => {
            NextStep::new("answer its question", steps::answer(state, question))
        }
        (Status::Paused, None) => NextStep::new("resume it", steps::resume(state)),
        _ => where_it_stands(state, code),
    }
}

/// What helps where no step undoes the refusal: to look at what there is, or at
/// why the loop stands where it stands.
fn where_it_stands(state: &Loop, code: &str) -> NextStep {
    let of_names = code.starts_with("unknown_") || code.ends_with("_not_found");
    if of_names || matches!(code, "no_such_role" | "ambiguous_id" | "turn_ambiguous") {
        return NextStep::new("see what there is", steps::on_loop(state, "show", ""));
    }
    NextStep::new("see where the loop stands", steps::on_loop(state, "why", ""))
}

/// As [`decide`], for a hint: a refusal doesn't list the artifacts behind it,
/// so that the cost doesn't grow with what was said.
pub fn outlook(state: &Loop, command: &Command, ctx: &Ctx) -> Decision {
    let mut draft = Draft::new(state, ctx);
    draft.detail = Detail::Counts;
    decided(draft, state, command)
}

fn decided(mut draft: Draft<'_>, state: &Loop, command: &Command) -> Decision {
    match run(&mut draft, command) {
        Ok(()) => {
            if evaluates_stop(command) {
                advance::close_if_ended(&mut draft);
            }
            draft.decided()
        }
        Err(refusal) => {
            if let Some(block) = advance::journaled(state, &refusal) {
                draft.journal_only(block);
            }
            draft.refused(refusal)
        }
    }
}

/// Every commit ends by evaluating the stop condition, but for these (§5).
fn evaluates_stop(command: &Command) -> bool {
    !matches!(
        command,
        Command::Pause { .. } | Command::Reopen { .. } | Command::Undo { .. } | Command::Redo
    )
}

fn run(draft: &mut Draft<'_>, command: &Command) -> Verdict {
    match command {
        Command::Turn { slot, input } => turns::turn(draft, slot, input.as_deref()),
        Command::CompleteTurn { slot, turn, outcome, reason, artifacts, proof } => {
            let ending = turns::EndTurn {
                slot,
                turn: turn.as_deref(),
                outcome: *outcome,
                reason: reason.as_deref(),
                artifacts,
                proof: proof.as_ref(),
            };
            turns::complete(draft, &ending)
        }
        Command::AddArtifact(new) => artifacts::add(draft, new),
        Command::Supersede { artifact, new } => artifacts::supersede(draft, artifact, new),
        Command::Retract { artifact, reason } => artifacts::retract(draft, artifact, reason),
        Command::Waive { artifact, reason } => artifacts::waive(draft, artifact, reason),
        Command::Amend(change) => amend::amend(draft, change),
        Command::Link(change) => amend::link(draft, change),
        Command::Advance { to, force, reason } => {
            let wish = advance::Wish {
                to: to.as_deref(),
                force: *force,
                reason: reason.as_deref().filter(|r| crate::core::text::has_visible(r)),
            };
            advance::advance(draft, &wish)
        }
        Command::Bind { plans, sequence } => bind::bind(draft, plans, sequence.as_ref()),
        Command::Ask(new) => questions::ask(draft, new),
        Command::Answer { question, reply } => answers::answer(draft, question, reply),
        Command::Timeout => answers::timeouts(draft),
        Command::Pause { reason } => lifecycle::pause(draft, reason.as_deref()),
        Command::Resume => lifecycle::resume(draft),
        Command::Close { status, reason } => lifecycle::close(draft, *status, reason.as_deref()),
        Command::Reopen { reason, rounds } => lifecycle::reopen(draft, reason, *rounds),
        Command::Undo { to } => undo::undo(draft, *to),
        Command::Redo => undo::redo(draft),
        Command::Archive => lifecycle::archive(draft),
        Command::Unarchive => lifecycle::unarchive(draft),
        Command::RecordVerify { run, phase, iteration } => {
            verify::record(draft, run, phase, *iteration)
        }
        Command::Rate { phase, reward } => lifecycle::rate(draft, phase, *reward),
        Command::Attempt(step) => attempts::run(draft, step),
        Command::Promote { artifact, category } => artifacts::promote(draft, artifact, *category),
    }
}

/// Refuses a verb that a closed loop doesn't take.
fn needs_unclosed(state: &Loop, verb: &str) -> Verdict {
    if !state.status.is_closed() {
        return Ok(());
    }
    Err(Refusal::new(
        "already_closed",
        format!("the loop is {}: {verb} is for loops that are not closed", state.status),
    )
    .detail("status", state.status.as_ref())
    .step("take it up again", steps::reopen(state)))
}

/// Refuses a verb that only an open loop takes.
fn needs_open(state: &Loop, verb: &str) -> Verdict {
    needs_unclosed(state, verb)?;
    if state.status != Status::Paused {
        return Ok(());
    }
    let step = match state.holding_question() {
        Some(question) => NextStep::new("answer its question", steps::answer(state, question)),
        None => NextStep::new("resume it", steps::resume(state)),
    };
    let why = state.pause_reason.as_deref().map(|r| format!(" ({r})")).unwrap_or_default();
    Err(Refusal::new("paused", format!("the loop is paused{why}: {verb} waits until it goes on"))
        .detail("reason", state.pause_reason.clone())
        .step(step.text, step.command))
}

/// Refuses an agent what only the operator may do, unless config grants it
/// that (engine.md §6, "Operator only").
fn operator_only(ctx: &Ctx, what: &str) -> Verdict {
    match &ctx.actor {
        Actor::Operator | Actor::Engine => Ok(()),
        _ if ctx.grants.0.contains(what) => Ok(()),
        other => Err(Refusal::new(
            "operator_only",
            format!("{what} is the operator's alone, and {other} is not granted it"),
        )
        .detail("actor", other.to_string())
        .detail("needs", what)),
    }
}

/// A reason with something visible in it, or `reason_required`.
fn needed_reason<'a>(reason: Option<&'a str>, what: &str) -> Result<&'a str, Refusal> {
    reason.filter(|r| crate::core::text::has_visible(r)).ok_or_else(|| {
        Refusal::new("reason_required", format!("{what} needs a reason")).detail("field", "reason")
    })
}
