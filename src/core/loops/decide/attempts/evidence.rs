//! What a worker brings: accepted once, of the running generation, and only if
//! it proves something (attempts.md, "Verbs", harvest).

use super::super::super::attempt::{
    Attempt, Due, Evidence, EvidenceAccepted, EvidenceRejected, Generation, Launch, ReviewVerdict,
    TurnContradiction, awaits, shut_out_words,
};
use super::super::super::command::{Body, Content, NewArtifact};
use super::super::super::event::{EventBody, Outcome};
use super::super::super::ids::TurnId;
use super::super::super::model::{Loop, TurnState};
use super::super::super::protocol::ReviewMode;
use super::super::super::refusal::Refusal;
use super::super::super::steps;
use super::super::filing::Place;
use super::super::{Draft, Verdict, artifacts};
use super::launch::end;
use super::{attempt_of, signs, supersede};
use crate::core::text::{has_visible, plural};

/// The type that a turn of a symmetric review may add once.
const CHANGES_APPLIED: &str = "changes_applied";

/// What may be done with a reply.
enum Standing {
    /// It is the running generation's.
    Current(u32),
    /// It was taken before, or comes too late to matter.
    Over(&'static str),
    /// It is nobody's.
    Stale(String),
}

pub(super) fn accept(draft: &mut Draft<'_>, turn: &TurnId, evidence: &Evidence) -> Verdict {
    let attempt = attempt_of(&draft.state, turn)?;
    draft.made.turn_id = Some(turn.clone());
    draft.made.slot_id = Some(attempt.slot_id.clone());
    let attempt = attempt_of(&draft.state, turn)?.clone();
    let epoch = match standing(&draft.state, &attempt, evidence) {
        Standing::Current(epoch) => epoch,
        Standing::Over(word) => {
            draft.warn(word);
            return Ok(());
        }
        Standing::Stale(why) => {
            return Err(stale(draft, &attempt, &why, &evidence.sha256, evidence.found_in));
        }
    };
    if let Some(failure) = attempt.generation().and_then(|g| g.contradiction.as_ref()) {
        return Err(contradiction(&draft.state, &attempt, failure));
    }
    let brought = brought(evidence);
    if let Some(failure) = failure_of(evidence) {
        return end_in_failure(draft, &attempt, epoch, evidence, &brought, failure);
    }
    if let Err(why) = check_types(&draft.state, &attempt, &brought) {
        return fail(draft, &attempt, epoch, evidence, &why);
    }
    // A closed loop keeps the reply as late, and what was changed stays where it is.
    if attempt.writes && !evidence.integrated && !draft.state.status.is_closed() {
        return Err(Refusal::new(
            "integrate_required",
            format!("turn {turn} changes files: its result is taken with what it changed"),
        )
        .step("take both", steps::integrate(&draft.state)));
    }
    converge(draft, &attempt, epoch, evidence, &brought)
}

fn standing(state: &Loop, attempt: &Attempt, evidence: &Evidence) -> Standing {
    let signed =
        |g: &&Generation| evidence.turn_id == attempt.turn_id.as_str() && signs(&evidence.proof, g);
    let Some(generation) = attempt.generation().filter(signed) else {
        let older = attempt.generations.iter().any(|g| signed(&g));
        return Standing::Stale(match older {
            true => "it is signed by a worker that another took the place of".to_owned(),
            false => "turn_id, run_id and nonce are not those of the running worker".to_owned(),
        });
    };
    if let Some(cause) = &generation.superseded {
        return Standing::Stale(shut_out_words(cause));
    }
    if generation.launch != Launch::Crossed || generation.spawn_error.is_some() {
        return Standing::Stale("its worker was never started".to_owned());
    }
    match attempt.turn(state) {
        // Also after an undo of the taking.
        Some(turn) if awaits(state, turn) => Standing::Current(generation.epoch),
        _ if generation.accepted.is_some() => {
            Standing::Over("this turn's result was taken before: nothing was changed")
        }
        None => Standing::Stale("its turn was undone".to_owned()),
        Some(turn) if turn.state == TurnState::Superseded => {
            Standing::Over("the loop went on without this turn: its result is not taken")
        }
        Some(turn) => Standing::Stale(format!("its turn has ended: {}", turn.state)),
    }
}

fn stale(
    draft: &mut Draft<'_>,
    attempt: &Attempt,
    why: &str,
    sha256: &str,
    epoch: Option<u32>,
) -> Refusal {
    if !attempt.rejected.iter().any(|known| known == sha256) {
        draft.journal_only(EventBody::EvidenceRejected(EvidenceRejected {
            turn_id: attempt.turn_id.clone(),
            epoch,
            reason: why.to_owned(),
            sha256: sha256.to_owned(),
        }));
    }
    let (state, out) = (&draft.state, attempt.out(&draft.state));
    let refusal = not_taken(attempt, why);
    match attempt.due(state) {
        Some(Due::Result) if out.is_some_and(|g| Some(g.epoch) == epoch) => {
            by_hand(state, attempt, refusal)
        }
        Some(Due::Launch) => {
            refusal.step("hand the turn out again", steps::dispatch(state, &attempt.slot_id))
        }
        _ => refusal,
    }
}

fn not_taken(attempt: &Attempt, why: &str) -> Refusal {
    Refusal::new(
        "stale_evidence",
        format!("the reply for turn {} is not taken: {why}", attempt.turn_id),
    )
    .detail("turn_id", attempt.turn_id.as_str())
    .detail("reason", why)
}

/// A refusal with what a person can do instead of taking a reply.
fn by_hand(state: &Loop, attempt: &Attempt, refusal: Refusal) -> Refusal {
    refusal
        .step("complete it by hand", steps::complete(state, attempt.slot_id.as_str()))
        .step("put another worker in its place", steps::take_over(state, &attempt.slot_id))
}

/// What is said again of a turn whose reply was turned away and lies there no more.
pub fn turned_away(state: &Loop, turn: &TurnId) -> Option<Refusal> {
    let attempt = state.attempt(turn)?;
    let why = attempt.out(state)?.turned_away.as_deref()?;
    Some(by_hand(state, attempt, not_taken(attempt, why)))
}

fn contradiction(state: &Loop, attempt: &Attempt, failure: &str) -> Refusal {
    let refusal = Refusal::new(
        "turn_contradiction",
        format!(
            "the reply for turn {} says done, but {failure}: nothing is taken until you complete \
             the slot by hand or put another worker in its place",
            attempt.turn_id
        ),
    )
    .detail("turn_id", attempt.turn_id.as_str())
    .detail("failure", failure);
    by_hand(state, attempt, refusal)
}

/// What a reply brings as artifacts, its verdict with it.
fn brought(evidence: &Evidence) -> Vec<NewArtifact> {
    let mut out = evidence.artifacts.clone();
    if let Some(verdict) = evidence.verdict {
        let words = evidence.review_summary.as_deref().or(evidence.summary.as_deref());
        let words = words.unwrap_or("no summary").trim();
        let body = match verdict {
            ReviewVerdict::Approve => format!("accepted: {words}"),
            ReviewVerdict::RequestChanges => format!("request_changes: {words}"),
        };
        // Said twice, the structured field is the one that counts.
        out.retain(|new| new.artifact_type != "verdict");
        out.push(NewArtifact {
            artifact_type: "verdict".to_owned(),
            content: Content::Body(Body::from(body)),
            ..NewArtifact::default()
        });
    }
    out
}

fn failure_of(evidence: &Evidence) -> Option<String> {
    match (&evidence.failure, evidence.outcome) {
        (Some(failure), _) => Some(failure.clone()),
        (None, Outcome::Failed) => Some("its outcome is failed".to_owned()),
        (None, Outcome::Cancelled) => Some("its outcome is cancelled".to_owned()),
        (None, Outcome::Done) => None,
    }
}

/// A failure with a result beside it proves neither; alone it ends the turn.
fn end_in_failure(
    draft: &mut Draft<'_>,
    attempt: &Attempt,
    epoch: u32,
    evidence: &Evidence,
    brought: &[NewArtifact],
    failure: String,
) -> Verdict {
    let complete = evidence.outcome == Outcome::Done || !brought.is_empty();
    if !complete || check_types(&draft.state, attempt, brought).is_err() {
        let said = evidence.summary.as_deref().filter(|s| has_visible(s));
        let why = said.map_or_else(|| failure.clone(), |said| format!("{failure}: {said}"));
        return fail(draft, attempt, epoch, evidence, &why);
    }
    draft.journal_only(EventBody::TurnContradiction(TurnContradiction {
        turn_id: attempt.turn_id.clone(),
        epoch,
        failure: failure.clone(),
        sha256: evidence.sha256.clone(),
    }));
    Err(contradiction(&draft.state, attempt, &failure))
}

/// The types must be those that the phase expects; a bare summary proves nothing.
fn check_types(state: &Loop, attempt: &Attempt, brought: &[NewArtifact]) -> Result<(), String> {
    let Some(phase) = state.protocol.phase(&attempt.phase) else { return Ok(()) };
    let symmetric = state.protocol.review_mode == Some(ReviewMode::Symmetric) && attempt.writes;
    let changes = brought.iter().filter(|new| new.artifact_type == CHANGES_APPLIED).count();
    if changes > 1 {
        return Err("a turn brings changes_applied once at most".to_owned());
    }
    let expected = |new: &&NewArtifact| {
        (symmetric && new.artifact_type == CHANGES_APPLIED)
            || phase.expects.is_empty()
            || phase.expects_type(&new.artifact_type)
    };
    if let Some(other) = brought.iter().find(|new| !expected(new)) {
        let wanted: Vec<&str> = phase.expects.iter().map(|t| &**t).collect();
        return Err(format!(
            "the reply brings a {}, and {} expects {}",
            other.artifact_type,
            phase.name,
            wanted.join(", ")
        ));
    }
    if brought.iter().all(|new| new.artifact_type == CHANGES_APPLIED) {
        return Err("the reply brings no artifact: a summary alone proves nothing".to_owned());
    }
    Ok(())
}

fn accepted(draft: &mut Draft<'_>, attempt: &Attempt, epoch: u32, evidence: &Evidence) {
    draft.push(EventBody::EvidenceAccepted(EvidenceAccepted {
        turn_id: attempt.turn_id.clone(),
        epoch,
        sha256: evidence.sha256.clone(),
    }));
}

/// Takes a reply that comes to nothing: the turn has failed, the gate stays shut.
fn fail(
    draft: &mut Draft<'_>,
    attempt: &Attempt,
    epoch: u32,
    evidence: &Evidence,
    why: &str,
) -> Verdict {
    accepted(draft, attempt, epoch, evidence);
    draft.warn(format!("the turn failed: {why}"));
    end_turn(draft, attempt, Outcome::Failed, Some(why));
    Ok(())
}

fn end_turn(draft: &mut Draft<'_>, attempt: &Attempt, outcome: Outcome, reason: Option<&str>) {
    let late = attempt.turn(&draft.state).is_some_and(|t| t.state == TurnState::Superseded);
    draft.push(EventBody::TurnCompleted {
        turn_id: attempt.turn_id.clone(),
        slot_id: attempt.slot_id.clone(),
        outcome,
        reason: reason.map(str::to_owned),
        empty: false,
        late,
    });
}

fn converge(
    draft: &mut Draft<'_>,
    attempt: &Attempt,
    epoch: u32,
    evidence: &Evidence,
    brought: &[NewArtifact],
) -> Verdict {
    let before = draft.checkpoint();
    accepted(draft, attempt, epoch, evidence);
    let place = Place {
        phase: attempt.phase.clone(),
        iteration: attempt.iteration,
        slot_id: Some(attempt.slot_id.clone()),
        turn_id: Some(attempt.turn_id.clone()),
        late: draft.state.status.is_closed(),
    };
    for new in brought {
        let new = NewArtifact { phase: None, round: None, ..new.clone() };
        match artifacts::file(draft, &new, &place) {
            Ok(id) => draft.made.artifact_ids.push(id),
            Err(refusal) => {
                let why = format!("the reply cannot be filed: {}", refusal.message);
                draft.go_back(before);
                return fail(draft, attempt, epoch, evidence, &why);
            }
        }
    }
    let filed = &draft.made.artifact_ids;
    let blank =
        filed.iter().filter(|id| draft.state.artifact(id.as_str()).is_some_and(|a| !a.usable));
    let blank = blank.count();
    if blank > 0 {
        let (count, agent) = (plural(blank, "artifact", "artifacts"), &attempt.agent);
        draft.warn(format!("{count} of {agent} without a word: blank ones count nowhere"));
    }
    end_turn(draft, attempt, Outcome::Done, None);
    Ok(())
}

pub(super) fn reject(
    draft: &mut Draft<'_>,
    turn: &TurnId,
    epoch: u32,
    reason: &str,
    sha256: &str,
) -> Verdict {
    let attempt = attempt_of(&draft.state, turn)?.clone();
    Err(stale(draft, &attempt, reason, sha256, Some(epoch)))
}

pub(super) fn no_reply(draft: &mut Draft<'_>, turn: &TurnId, epoch: u32, failure: &str) -> Verdict {
    let attempt = attempt_of(&draft.state, turn)?.clone();
    let out =
        attempt.out(&draft.state).is_some_and(|g| g.epoch == epoch && g.contradiction.is_none());
    if !out {
        return Ok(());
    }
    draft.made.turn_id = Some(turn.clone());
    draft.made.slot_id = Some(attempt.slot_id.clone());
    supersede(draft, turn, failure);
    if attempt.turn(&draft.state).is_some_and(|t| t.state.is_live()) {
        end(draft, turn, &attempt.slot_id, Outcome::Failed, failure);
    }
    Ok(())
}
