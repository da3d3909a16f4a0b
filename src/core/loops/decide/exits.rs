//! The exits of a cycle: asked before the gate, and at the end of a round
//! (engine.md §5.2 and §5.6).

use super::super::evaluate::{self, CRITIQUE_SUBTYPES};
use super::super::event::AdvanceReason;
use super::super::model::{Loop, Turn, TurnState};
use super::super::protocol::{AdvanceWhen, ExitWhen, Kind};
use super::super::refusal::Refusal;
use super::super::steps;
use super::Draft;
use super::advance::{Move, SHORT_ROUND, Wish, slots_pending};

pub(super) fn is_short_round(state: &Loop, wish: &Wish<'_>) -> bool {
    wish.force && wish.to.is_none() && wish.reason == Some(SHORT_ROUND) && may_cut_short(state)
}

/// Whether a round can be cut short here: ideation, the cycle's first phase,
/// from the second round on.
pub fn may_cut_short(state: &Loop) -> bool {
    state.kind == Kind::Ideation && state.iteration_count >= 1 && in_first_of_cycle(state)
}

fn in_first_of_cycle(state: &Loop) -> bool {
    let first = state.protocol.iteration.as_ref().and_then(|i| i.cycle.first());
    first == Some(&state.current_phase)
}

/// Step 2: the exits that are asked before the gate.
pub(super) fn early_exit(
    draft: &Draft<'_>,
    wish: &Wish<'_>,
    short: bool,
) -> Result<Option<Move>, Refusal> {
    let state = &draft.state;
    if short {
        return match evaluate::has_critique_this_round(state) {
            true => Ok(None),
            false => Err(Refusal::new(
                "nothing_to_cut",
                "this round holds no critique that counts: there is nothing to cut short",
            )
            .step("add a critique", steps::add(state, "critique"))),
        };
    }
    let Some(iteration) = &state.protocol.iteration else { return Ok(None) };
    let here = wish.to.is_none()
        && state.iteration_count >= 1
        && state.protocol.in_cycle(&state.current_phase);
    if !here {
        return Ok(None);
    }
    match iteration.exit_when {
        Some(ExitWhen::CriticSignal) if evaluate::has_critic_signal(state) => {
            Ok(after_cycle(state, AdvanceReason::ExitCriticSignal))
        }
        Some(ExitWhen::NoNewCritiqueArtifacts) if in_first_of_cycle(state) => {
            saturation(draft, wish.force)
        }
        _ => Ok(None),
    }
}

/// Whether somebody looked at this round and found nothing (§5.2, a to d).
fn saturation(draft: &Draft<'_>, force: bool) -> Result<Option<Move>, Refusal> {
    let state = &draft.state;
    if evaluate::has_critique_this_round(state) {
        return Ok(None);
    }
    let turns = newest_turns(state, &state.current_phase);
    let pending = turns.iter().any(|t| t.state != TurnState::Done);
    if turns.is_empty() || (pending && force) {
        return Ok(None);
    }
    if pending {
        return Err(slots_pending(draft));
    }
    if let Some(doubt) = doubtful_artifact(state) {
        return if force { Ok(None) } else { Err(doubt) };
    }
    Ok(after_cycle(state, AdvanceReason::Saturation))
}

/// Each slot's newest turn of a phase in this round, cancelled and superseded
/// ones left out.
fn newest_turns<'a>(state: &'a Loop, phase: &str) -> Vec<&'a Turn> {
    state.slots.iter().filter_map(|s| s.newest_turn(phase, state.iteration_count)).collect()
}

fn doubtful_artifact(state: &Loop) -> Option<Refusal> {
    let artifact = evaluate::this_round(state).find(|a| {
        let mistyped = CRITIQUE_SUBTYPES.contains(&&*a.artifact_type) && a.is_current();
        mistyped || (&*a.artifact_type == "critique" && evaluate::is_blank(a))
    })?;
    let what = if &*artifact.artifact_type == "critique" {
        "a blank critique".to_owned()
    } else {
        format!("an artifact of type {:?}, which is a label of critiques", artifact.artifact_type)
    };
    let (id, now) = (&artifact.artifact_id, state.round());
    Some(
        Refusal::new(
            "saturation_doubtful",
            format!("round {now} holds {what} ({id}): it is doubtful that nothing new was found"),
        )
        .detail("artifact_id", id.as_str())
        .step(
            "retract it",
            steps::on_loop(state, "retract", &format!("{id} --reason 'filed by mistake'")),
        )
        .step("file it properly", steps::add(state, "critique")),
    )
}

fn after_cycle(state: &Loop, reason: AdvanceReason) -> Option<Move> {
    let to = state.protocol.after_cycle()?.clone();
    Some(Move { to, iteration: state.iteration_count, reason, at_cap: false })
}

/// Whether turns in a phase of this round block it, by the slot policy.
pub fn turns_met(state: &Loop, phase: &str, policy: AdvanceWhen) -> bool {
    let turns = newest_turns(state, phase);
    let done = |t: &&Turn| t.state == TurnState::Done;
    turns.is_empty()
        || match policy {
            AdvanceWhen::All => turns.iter().all(done),
            AdvanceWhen::Any => turns.iter().any(done),
        }
}

/// The exit predicate for the round just finished.
pub(super) fn exit_at_end(draft: &Draft<'_>, exit: Option<ExitWhen>) -> Option<AdvanceReason> {
    let state = &draft.state;
    match exit? {
        ExitWhen::CriticSignal => {
            evaluate::has_critic_signal(state).then_some(AdvanceReason::ExitCriticSignal)
        }
        ExitWhen::CommandGreen => {
            evaluate::command_green(state, draft.ctx.workspace_digest.as_deref())
                .then_some(AdvanceReason::ExitCommandGreen)
        }
        ExitWhen::NoNewCritiqueArtifacts => {
            let first = state.protocol.iteration.as_ref()?.cycle.first()?;
            let looked = newest_turns(state, first);
            let nothing_new = !evaluate::has_critique_this_round(state)
                && !looked.is_empty()
                && looked.iter().all(|t| t.state == TurnState::Done)
                && doubtful_artifact(state).is_none();
            nothing_new.then_some(AdvanceReason::ExitNoNewCritique)
        }
    }
}
