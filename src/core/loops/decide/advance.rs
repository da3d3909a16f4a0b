//! advance: the order of checks of engine.md §5.

use serde_json::json;

use super::super::apply::apply;
use super::super::evaluate::{self, Detail, Ending};
use super::super::event::{AdvanceReason, Event, EventBody};
use super::super::explain;
use super::super::ids::Name;
use super::super::model::{Actor, Loop, Status};
use super::super::protocol::{ExitWhen, Kind, ReviewMode};
use super::super::refusal::Refusal;
use super::super::{steps, verdicts, waiting};
use super::exits::{early_exit, exit_at_end, is_short_round};
use super::lifecycle::{self, Ended};
use super::{Draft, Verdict, bind, needed_reason, needs_open, operator_only};

/// The text that cuts a round of ideation short.
pub const SHORT_ROUND: &str = "short_round";

/// What an advance asks for.
pub(super) struct Wish<'a> {
    /// A phase by name.
    pub to: Option<&'a str>,
    /// Past what is shut.
    pub force: bool,
    /// Why; never blank.
    pub reason: Option<&'a str>,
}

/// Where an advance leads.
pub(super) struct Move {
    pub to: Name,
    pub iteration: u32,
    pub reason: AdvanceReason,
    pub at_cap: bool,
}

/// Whether a target lies behind a phase that has a gate and would not be entered:
/// that gate is passed as well, and nobody asked it (engine.md §6).
fn leaps_over_a_gate(state: &Loop, to: &str) -> bool {
    let phases = &state.protocol.phases;
    let here = state.protocol.position(&state.current_phase);
    match (here, state.protocol.position(to)) {
        (Some(here), Some(there)) if there > here + 1 => {
            phases[here + 1..there].iter().any(|phase| phase.advance_gate.is_some())
        }
        _ => false,
    }
}

pub(super) fn advance(draft: &mut Draft<'_>, wish: &Wish<'_>) -> Verdict {
    let gate = evaluate::gate(&draft.state, Detail::Counts);
    let gate_shut = gate.as_ref().is_some_and(|g| !g.met);
    if wish.force {
        operator_only(draft.ctx, "force")?;
    }
    if wish.to.is_some_and(|to| gate_shut || leaps_over_a_gate(&draft.state, to)) {
        operator_only(draft.ctx, "a target past a shut gate")?;
    }
    needs_open(&draft.state, "advance")?;
    check_arguments(&draft.state, wish, gate_shut)?;

    let short = is_short_round(&draft.state, wish);
    if let Some(exit) = early_exit(draft, wish, short)? {
        return go(draft, exit, wish);
    }
    let unmet = gate.as_ref().map(evaluate::unmet_reasons).unwrap_or_default();
    if gate_shut {
        if !wish.force && wish.to.is_none() {
            return Err(gate_unmet(draft, &unmet));
        }
        draft.push(EventBody::GateSkipped { phase: draft.state.current_phase.clone(), unmet });
    }
    if !wish.force {
        check_slots(draft)?;
    }
    if close_if_ended(draft) {
        return Ok(());
    }
    let next = match wish.to {
        Some(to) => explicit(draft, to, wish)?,
        None if short => in_cycle(&draft.state, AdvanceReason::ShortRound),
        None => {
            let next = by_rule(draft)?;
            if next.reason == AdvanceReason::NextRound && ends_by_signal(&draft.state) {
                // Whoever thinks that it is enough has to say so (§5.2).
                draft.warn(format!("no critic_signal: starts round {}", next.iteration + 1));
            }
            next
        }
    };
    let next = match (wish.force, wish.to, short) {
        (true, None, false) => Move { reason: AdvanceReason::Force, ..next },
        _ => next,
    };
    go(draft, next, wish)
}

fn check_arguments(state: &Loop, wish: &Wish<'_>, gate_shut: bool) -> Verdict {
    if let Some(to) = wish.to.filter(|to| state.protocol.phase(to).is_none()) {
        return Err(unknown_phase(state, to));
    }
    if wish.force {
        needed_reason(wish.reason, "force")?;
    }
    if wish.to.is_some() && gate_shut {
        needed_reason(wish.reason, "leaving a phase whose gate is shut")?;
    }
    Ok(())
}

/// A phase that the protocol lacks.
pub(super) fn unknown_phase(state: &Loop, phase: &str) -> Refusal {
    let names: Vec<&str> = state.protocol.phases.iter().map(|p| &*p.name).collect();
    let near = crate::core::text::nearest(phase, names.iter().copied());
    let hint = near.map(|n| format!(" (did you mean {n}?)")).unwrap_or_default();
    Refusal::new(
        "unknown_phase",
        format!("this loop has no phase {phase:?}{hint}; its phases are {}", names.join(", ")),
    )
    .detail("phases", names)
}

fn gate_unmet(draft: &Draft<'_>, unmet: &[String]) -> Refusal {
    let state = &draft.state;
    let phase = &state.current_phase;
    let mut refusal =
        Refusal::new("gate_unmet", format!("the gate of {phase:?} is shut: {}", unmet.join("; ")))
            .detail("phase", &**phase)
            .detail("gate_reason", unmet.join("\n"))
            .detail("unmet", unmet.to_vec());
    if draft.detail == Detail::Full
        && let Some(tree) = evaluate::gate(state, Detail::Full)
    {
        refusal = refusal.detail("gate", json!({ "met": tree.met, "tree": tree }));
    }
    refusal.next_steps = explain::gate_steps(state, draft.ctx.now);
    refusal
}

/// Step 4: every slot that took a turn has ended it (or one, for `any`).
fn check_slots(draft: &Draft<'_>) -> Verdict {
    if explain::slots(&draft.state).met { Ok(()) } else { Err(slots_pending(draft)) }
}

pub(super) fn slots_pending(draft: &Draft<'_>) -> Refusal {
    let state = &draft.state;
    let slots = explain::slots(state);
    let names: Vec<&str> = slots.waiting.iter().map(|w| w.text.as_str()).collect();
    let mut refusal = Refusal::new(
        "slots_pending",
        format!("advance waits for turns in {:?}: {}", state.current_phase, names.join("; ")),
    )
    .detail("phase", &*state.current_phase)
    .detail("gate_reason", names.join("\n"))
    .detail("slots", json!(slots));
    refusal.next_steps = waiting::slot_steps(state, &slots, draft.ctx.now);
    refusal
}

/// Closes the loop if its stop condition holds in the draft's state. Says so.
pub(super) fn close_if_ended(draft: &mut Draft<'_>) -> bool {
    if draft.state.status.is_closed() {
        return false;
    }
    let Some(ending) = evaluate::ending(&draft.state) else { return false };
    let from = draft
        .events()
        .iter()
        .find_map(|e| match e {
            EventBody::PhaseAdvanced { from, to: _, .. } => Some(from.clone()),
            _ => None,
        })
        .map(|phase| (phase, iteration_before(draft)))
        .unwrap_or_else(|| lifecycle::position(&draft.state));
    let (status, by_cap) = match ending {
        Ending::Success => (Status::Completed, false),
        Ending::Cap => (Status::Blocked, true),
    };
    lifecycle::end(draft, Ended { status, reason: None, stop_unmet: false, by_cap, from });
    true
}

/// The iteration in which the phase that was left was worked: the visit before
/// the last.
fn iteration_before(draft: &Draft<'_>) -> u32 {
    let visits = &draft.state.visits;
    visits.len().checked_sub(2).map_or(0, |i| visits[i].iteration)
}

/// Step 6, with a target by name.
fn explicit(draft: &Draft<'_>, to: &str, wish: &Wish<'_>) -> Result<Move, Refusal> {
    let state = &draft.state;
    let here = state.protocol.position(&state.current_phase);
    let there = state.protocol.position(to);
    let back = there <= here;
    if back && !wish.force && would_close_at_cap(state, to) {
        return Err(Refusal::new(
            "would_close",
            format!(
                "going back to {to:?} begins round {}, and the round cap would close the \
                 loop at once as blocked",
                state.iteration_count + 2
            ),
        )
        .detail("target", to)
        .step("raise the cap", steps::raise_cap(state)));
    }
    Ok(Move {
        to: to.into(),
        iteration: state.iteration_count + u32::from(back),
        reason: AdvanceReason::Explicit,
        at_cap: false,
    })
}

/// Whether the round that a return to a phase begins is one that the cap ends at
/// once, as blocked.
pub fn would_close_at_cap(state: &Loop, to: &str) -> bool {
    let mut after = state.clone();
    let body = EventBody::PhaseAdvanced {
        from: state.current_phase.clone(),
        to: to.into(),
        iteration: state.iteration_count + 1,
        reason: AdvanceReason::Explicit,
        note: None,
    };
    let (seq, at) = (state.version + 1, state.updated_at);
    apply(&mut after, &Event { seq, at, by: Actor::Engine, body });
    evaluate::ending(&after) == Some(Ending::Cap)
}

/// Step 6, without a target.
fn by_rule(draft: &Draft<'_>) -> Result<Move, Refusal> {
    let state = &draft.state;
    if state.kind == Kind::Review
        && verdicts::sends_back(state)
        && let Some(next) = review_back(draft)?
    {
        return Ok(next);
    }
    if state.protocol.in_cycle(&state.current_phase) {
        return Ok(cycle_next(draft));
    }
    let next = state
        .protocol
        .position(&state.current_phase)
        .and_then(|here| state.protocol.phases.get(here + 1))
        .ok_or_else(|| at_last_phase(draft))?;
    Ok(Move {
        to: next.name.clone(),
        iteration: state.iteration_count,
        reason: AdvanceReason::Linear,
        at_cap: false,
    })
}

/// Whether the cycle ends by somebody's word that it is enough.
fn ends_by_signal(state: &Loop) -> bool {
    let exit = state.protocol.iteration.as_ref().and_then(|i| i.exit_when);
    exit == Some(ExitWhen::CriticSignal)
}

/// A verdict that requests changes sends the work back (§5.6, Review); none
/// where the present phase doesn't send back.
fn review_back(draft: &Draft<'_>) -> Result<Option<Move>, Refusal> {
    let state = &draft.state;
    let symmetric = state.protocol.review_mode == Some(ReviewMode::Symmetric);
    let (target, next_round) = match (&*state.current_phase, symmetric) {
        ("followup_review" | "verdict", false) => ("author_response", true),
        ("findings" | "followup_review" | "verdict", true) => ("findings", true),
        ("findings", false) => ("author_response", false),
        _ => return Ok(None),
    };
    let phase = state.protocol.phase(target).ok_or_else(|| at_last_phase(draft))?;
    Ok(Some(Move {
        to: phase.name.clone(),
        iteration: state.iteration_count + u32::from(next_round),
        reason: AdvanceReason::RequestChanges,
        at_cap: false,
    }))
}

fn in_cycle(state: &Loop, reason: AdvanceReason) -> Move {
    let next = state
        .protocol
        .position(&state.current_phase)
        .and_then(|here| state.protocol.phases.get(here + 1))
        .map_or_else(|| state.current_phase.clone(), |p| p.name.clone());
    Move { to: next, iteration: state.iteration_count, reason, at_cap: false }
}

fn cycle_next(draft: &Draft<'_>) -> Move {
    let state = &draft.state;
    let Some(iteration) = &state.protocol.iteration else {
        return in_cycle(state, AdvanceReason::InCycle);
    };
    if iteration.cycle.last() != Some(&state.current_phase) {
        return in_cycle(state, AdvanceReason::InCycle);
    }
    let after = state.protocol.after_cycle().unwrap_or(&state.current_phase).clone();
    if let Some(reason) = exit_at_end(draft, iteration.exit_when) {
        return Move { to: after, iteration: state.iteration_count, reason, at_cap: false };
    }
    let next = state.iteration_count + 1;
    if next >= iteration.max_iterations {
        let reason = AdvanceReason::MaxIterations;
        return Move { to: after, iteration: next, reason, at_cap: true };
    }
    let first = iteration.cycle.first().unwrap_or(&state.current_phase).clone();
    Move { to: first, iteration: next, reason: AdvanceReason::NextRound, at_cap: false }
}

fn at_last_phase(draft: &Draft<'_>) -> Refusal {
    let state = &draft.state;
    let stop = evaluate::stop(state, Detail::Counts);
    let needs = match &stop {
        Some(node) => evaluate::unmet_reasons(node).join("; "),
        None => "it closes only by hand".to_owned(),
    };
    let mut refusal = Refusal::new(
        "at_last_phase",
        format!("{:?} is the last phase. What would close the loop: {needs}", state.current_phase),
    )
    .detail("phase", &*state.current_phase)
    .detail("stop", needs);
    refusal.next_steps = explain::stop_steps(state, draft.ctx.now);
    refusal
}

fn moved(state: &Loop, next: &Move, note: Option<&str>) -> EventBody {
    EventBody::PhaseAdvanced {
        from: state.current_phase.clone(),
        to: next.to.clone(),
        iteration: next.iteration,
        reason: next.reason,
        note: note.map(str::to_owned),
    }
}

/// Steps 7 and 8. The stop on the new state is evaluated by `decide`, as for
/// every verb.
fn go(draft: &mut Draft<'_>, next: Move, wish: &Wish<'_>) -> Verdict {
    if next.at_cap {
        draft.push(EventBody::MaxIterationsReached { iteration: next.iteration });
    }
    if bind::is_binding(&draft.state) && !bind::is_bound(&draft.state) {
        draft.warn("nothing is bound: the loop carries out no plan that it could name");
    }
    let event = moved(&draft.state, &next, wish.reason);
    lifecycle::supersede_live_turns(draft, "phase");
    draft.push(event);
    super::questions::on_entering(draft)
}

/// The journaled form of a refusal, unless the newest commit says the same.
pub(super) fn journaled(state: &Loop, refusal: &Refusal) -> Option<EventBody> {
    if !matches!(refusal.code, "gate_unmet" | "slots_pending" | "saturation_doubtful") {
        return None;
    }
    let reason = refusal
        .details
        .get("gate_reason")
        .and_then(serde_json::Value::as_str)
        .unwrap_or(&refusal.message)
        .to_owned();
    let standing = state.standing_refusal.as_ref();
    let same = standing.is_some_and(|s| {
        s.code == refusal.code && s.phase == state.current_phase && s.gate_reason == reason
    });
    (!same).then(|| EventBody::PhaseAdvanceBlocked {
        phase: state.current_phase.clone(),
        code: refusal.code.into(),
        gate_reason: reason,
    })
}
