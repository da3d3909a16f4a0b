//! Which verdicts count, and whether the reviewers are satisfied (engine.md §4).

use std::sync::Arc;

use super::model::{Actor, Artifact, Loop, Slot, TurnState, Verdict};
use super::protocol::ReviewMode;

/// How the review of the current round stands.
pub struct Review<'a> {
    /// The verdicts that count: of each actor the latest.
    pub counting: Vec<&'a Arc<Artifact>>,
    /// Why it is not green; none if it is.
    pub unmet: Option<String>,
}

/// The slots that review: those of role reviewer, else the first.
pub fn reviewer_slots(state: &Loop) -> Vec<&Slot> {
    state.slots_playing(Some("reviewer"))
}

/// Whether a verdict of this actor would count: the operator's, and that of
/// the agent that holds a reviewer slot.
pub fn has_standing(state: &Loop, actor: &Actor) -> bool {
    match actor {
        Actor::Operator => true,
        Actor::Agent(name) => reviewer_slots(state)
            .iter()
            .any(|s| s.agent.as_ref() == Some(name) || s.claimed_by.as_ref() == Some(actor)),
        Actor::Engine | Actor::Other(_) => false,
    }
}

/// How the review of the current round stands, over verdicts with a seq above
/// `floor` (0 = all; a reopen raises it for the stop condition).
pub fn review(state: &Loop, floor: u64) -> Review<'_> {
    let counting = counting_verdicts(state, floor);
    let unmet = unmet_reason(state, &counting);
    Review { counting, unmet }
}

/// A verdict of this round that asks for changes and that sends the work back
/// from the present phase; one given in `findings` only from there (§5.6).
pub fn sends_back(state: &Loop) -> bool {
    counting_verdicts(state, 0).iter().any(|a| {
        a.verdict == Some(Verdict::RequestChanges)
            && (&*a.phase != "findings" || &*state.current_phase == "findings")
    })
}

fn counting_verdicts(state: &Loop, floor: u64) -> Vec<&Arc<Artifact>> {
    let mut latest: Vec<&Arc<Artifact>> = Vec::new();
    let mut verdicts: Vec<&Arc<Artifact>> = super::evaluate::this_round(state)
        .filter(|a| a.verdict.is_some() && a.counts() && a.reviewer_standing && a.seq > floor)
        .filter(|a| turn_lets_count(state, a))
        .collect();
    verdicts.sort_by_key(|a| a.seq);
    for verdict in verdicts {
        latest.retain(|a| a.produced_by != verdict.produced_by);
        latest.push(verdict);
    }
    let decides = |a: &&&Arc<Artifact>| a.produced_by == Actor::Operator && &*a.phase == "verdict";
    match latest.iter().find(decides) {
        Some(operators) => vec![operators],
        None => latest,
    }
}

/// In symmetric mode an acceptance that was filed in a turn counts once that
/// turn has ended without findings or changes of its own.
fn turn_lets_count(state: &Loop, verdict: &Artifact) -> bool {
    if state.protocol.review_mode != Some(ReviewMode::Symmetric)
        || verdict.verdict != Some(Verdict::Accepted)
    {
        return true;
    }
    let Some(turn_id) = &verdict.turn_id else { return true };
    let turn = state.slots.iter().flat_map(|s| s.turns.iter()).find(|t| &t.turn_id == turn_id);
    let clean = !super::evaluate::this_round(state).any(|a| {
        a.turn_id.as_ref() == Some(turn_id)
            && a.counts()
            && matches!(&*a.artifact_type, "finding" | "changes_applied")
    });
    clean && turn.is_none_or(|t| t.state == TurnState::Done)
}

fn unmet_reason(state: &Loop, counting: &[&Arc<Artifact>]) -> Option<String> {
    let round = state.round();
    if counting.is_empty() {
        return Some(format!("no accepted verdict in round {round}"));
    }
    if let Some(against) = counting.iter().find(|a| a.verdict != Some(Verdict::Accepted)) {
        return Some(format!(
            "no accepted verdict in round {round} (the latest of {} requests changes)",
            against.produced_by
        ));
    }
    let slots = reviewer_slots(state);
    if let Some(slot) = slots.iter().find(|s| s.live_turn().is_some()) {
        return Some(format!("the turn of {} is not finished", slot_name(slot)));
    }
    let decided =
        counting.iter().any(|a| a.produced_by == Actor::Operator && &*a.phase == "verdict");
    if decided {
        return None;
    }
    slots
        .iter()
        .find(|slot| owes_verdict(state, slot))
        .map(|slot| format!("{} owes its verdict in round {round}", slot_name(slot)))
}

fn slot_name(slot: &Slot) -> String {
    match &slot.agent {
        Some(agent) => format!("{} ({agent})", slot.role),
        None => format!("{} ({})", slot.role, slot.slot_id),
    }
}

/// Whether a reviewer slot took a turn this round and has neither its verdict
/// nor been called off.
fn owes_verdict(state: &Loop, slot: &Slot) -> bool {
    let took_turn = slot.turns.iter().any(|t| {
        t.iteration == state.iteration_count
            && !matches!(t.state, TurnState::Cancelled | TurnState::Superseded)
    });
    took_turn
        && !super::evaluate::this_round(state).any(|a| {
            a.verdict.is_some()
                && a.counts()
                && (a.slot_id.as_ref() == Some(&slot.slot_id)
                    || (slot.agent.is_some() && a.produced_by.agent() == slot.agent.as_ref()))
        })
}
