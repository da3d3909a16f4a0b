//! add_artifact, supersede, retract, waive (engine.md §6, §7).

use std::collections::BTreeMap;

use super::super::command::{NewArtifact, SupersedeWith};
use super::super::evaluate::CRITIQUE_SUBTYPES;
use super::super::event::EventBody;
use super::super::ids::{ArtifactId, Name};
use super::super::model::{Actor, Artifact, Loop, Slot, Turn};
use super::super::protocol::ReviewMode;
use super::super::refusal::Refusal;
use super::super::steps;
use super::facts::is_artifact_type;
use super::filing::{Place, Said, check_plan, head, push, warn_about};
use super::{Draft, Verdict, advance, needed_reason, needs_unclosed, operator_only};
use crate::core::memory::Category;
use crate::core::text::{sha256_hex, with_article};

pub(super) fn add(draft: &mut Draft<'_>, new: &NewArtifact) -> Verdict {
    check_type(new)?;
    needs_unclosed(&draft.state, "add")?;
    let place = place_of(draft, new)?;
    let id = file(draft, new, &place)?;
    draft.made.artifact_ids.push(id);
    Ok(())
}

fn check_type(new: &NewArtifact) -> Verdict {
    let kind = &new.artifact_type;
    if !is_artifact_type(kind) {
        return Err(Refusal::new(
            "invalid_type",
            format!("{kind:?} is no artifact type: use 1 to 64 of a-z, 0-9 and _"),
        )
        .detail("field", "type"));
    }
    if matches!(kind.as_str(), "operator_question" | "operator_answer") {
        return Err(Refusal::new(
            "invalid_type",
            format!("an artifact of type {kind} is filed by asking and answering only"),
        )
        .detail("field", "type"));
    }
    if let Some(subtype) = &new.subtype
        && (kind != "critique" || !CRITIQUE_SUBTYPES.contains(&subtype.as_str()))
    {
        return Err(Refusal::new(
            "invalid_subtype",
            format!(
                "{subtype:?} is no subtype of {kind}: only critiques have one of {}",
                CRITIQUE_SUBTYPES.join(", ")
            ),
        )
        .detail("field", "subtype"));
    }
    Ok(())
}

/// Phase, round and turn of a new artifact.
fn place_of(draft: &Draft<'_>, new: &NewArtifact) -> Result<Place, Refusal> {
    let state = &draft.state;
    let (phase, iteration) = phase_and_round(state, new)?;
    let own = turns_of(state, &draft.ctx.actor, &phase, iteration);
    super::attempts::unsigned(draft, &own)?;
    let turn = match own[..] {
        [one] => Some(one),
        _ => None,
    };
    Ok(Place {
        phase,
        iteration,
        slot_id: turn.map(|(slot, _)| slot.slot_id.clone()),
        turn_id: turn.map(|(_, turn)| turn.turn_id.clone()),
        late: false,
    })
}

fn phase_and_round(state: &Loop, new: &NewArtifact) -> Result<(Name, u32), Refusal> {
    let phase = match &new.phase {
        None => state.current_phase.clone(),
        Some(name) => match state.protocol.phase(name) {
            Some(phase) => phase.name.clone(),
            None => return Err(advance::unknown_phase(state, name)),
        },
    };
    let latest = state.visits.iter().rev().find(|v| v.phase == phase).map(|v| v.iteration);
    let wanted = match new.round {
        Some(0) => {
            return Err(
                Refusal::new("invalid_round", "rounds are counted from 1").detail("field", "round")
            );
        }
        Some(round) => Some(round - 1).filter(|i| state.was_entered(&phase, *i)),
        None => latest,
    };
    wanted.map(|iteration| (phase.clone(), iteration)).ok_or_else(|| {
        let round = new.round.map(|r| format!(" in round {r}")).unwrap_or_default();
        Refusal::new(
            "phase_not_reached",
            format!("the loop has not been in {phase:?}{round} yet: nothing can be filed there"),
        )
        .detail("phase", &*phase)
        .detail("current_phase", &*state.current_phase)
    })
}

/// Whether all that an agent has here are dispatched turns: it files nothing
/// unsigned then.
pub fn must_sign(state: &Loop, actor: &Actor) -> bool {
    let own = turns_of(state, actor, &state.current_phase, state.iteration_count);
    super::attempts::all_dispatched(state, actor, &own)
}

/// The actor's live turns in a phase and iteration.
fn turns_of<'a>(
    state: &'a Loop,
    actor: &Actor,
    phase: &str,
    iteration: u32,
) -> Vec<(&'a Slot, &'a Turn)> {
    let live = state.slots.iter().filter_map(|slot| {
        let turn = slot.live_turn()?;
        let mine = match &slot.agent {
            Some(agent) => actor.agent() == Some(agent),
            None => turn.by == *actor,
        };
        (mine && &*turn.phase == phase && turn.iteration == iteration).then_some((slot, turn))
    });
    live.collect()
}

/// Files an artifact at a place: checks it, measures it, warns about it.
pub(super) fn file(
    draft: &mut Draft<'_>,
    new: &NewArtifact,
    place: &Place,
) -> Result<ArtifactId, Refusal> {
    check_type(new)?;
    let place = if new.phase.is_some() || new.round.is_some() {
        let (phase, iteration) = phase_and_round(&draft.state, new)?;
        Place { phase, iteration, ..place.clone() }
    } else {
        place.clone()
    };
    let said = Said {
        artifact_type: new.artifact_type.as_str().into(),
        subtype: new.subtype.as_deref().map(Name::from),
        content: &new.content,
        addresses: resolve_critiques(&draft.state, &new.addresses)?,
        waives: resolve_waives(&draft.state, &new.waives)?,
        cites: &new.cites,
    };
    check_plan(draft, &said)?;
    check_changes_applied(&draft.state, &new.artifact_type, &place)?;
    let artifact = head(draft, &said, &place)?;
    warn_about(draft, &said, &artifact);
    Ok(push(draft, artifact, said.content))
}

/// In a symmetric review a turn says once what it has mended (attempts.md).
fn check_changes_applied(state: &Loop, artifact_type: &str, place: &Place) -> Verdict {
    let symmetric = state.protocol.review_mode == Some(ReviewMode::Symmetric);
    let Some(turn) = place.turn_id.as_ref().filter(|_| symmetric) else { return Ok(()) };
    if artifact_type != "changes_applied" {
        return Ok(());
    }
    let mut here = state.artifacts_in(&place.phase, place.iteration);
    let first = here.find(|a| {
        &*a.artifact_type == "changes_applied" && a.turn_id.as_ref() == Some(turn) && a.is_current()
    });
    let Some(first) = first else { return Ok(()) };
    let rest = format!("{} --body 'YOUR WORDS'", first.artifact_id);
    Err(Refusal::new(
        "invalid_type",
        format!("this turn has its changes_applied already ({}): one a turn", first.artifact_id),
    )
    .detail("field", "type")
    .detail("artifact_id", first.artifact_id.as_str())
    .step("put a new version in its place", steps::on_loop(state, "supersede", &rest)))
}

/// The artifact that a text names: an id or a unique beginning of one.
pub fn find_artifact<'a>(state: &'a Loop, text: &str) -> Result<&'a Artifact, Refusal> {
    if let Some(artifact) = state.artifact(text) {
        return Ok(artifact);
    }
    let digits = text.strip_prefix(ArtifactId::PREFIX).unwrap_or(text);
    let begins = |a: &&std::sync::Arc<Artifact>| a.artifact_id.as_str()[4..].starts_with(digits);
    let found: Vec<&Artifact> = if digits.len() >= 4 {
        state.artifacts.iter().filter(begins).map(|a| &**a).collect()
    } else {
        Vec::new()
    };
    match found.as_slice() {
        [artifact] => Ok(artifact),
        [] => Err(Refusal::new("unknown_artifact", format!("this loop has no artifact {text:?}"))
            .detail("artifact", text)
            .step("list its artifacts", steps::on_loop(state, "show", ""))),
        several => {
            let ids: Vec<&str> = several.iter().map(|a| a.artifact_id.as_str()).collect();
            Err(Refusal::new(
                "ambiguous_id",
                format!("{text:?} names {} artifacts: {}", ids.len(), ids.join(", ")),
            )
            .detail("candidates", ids))
        }
    }
}

/// The critique that a text names; its newest version where it was superseded,
/// what it repeats where it is a duplicate.
fn find_critique(state: &Loop, text: &str) -> Result<ArtifactId, Refusal> {
    let unknown = || {
        Refusal::new("unknown_critique", format!("{text:?} is no critique of this loop"))
            .detail("critique", text)
            .step("list its critiques", steps::on_loop(state, "coverage", ""))
    };
    let named = find_artifact(state, text)
        .map_err(|error| if error.code == "ambiguous_id" { error } else { unknown() })?;
    let newest = state.newest_version(named.artifact_id.as_str()).ok_or_else(unknown)?;
    if &*newest.artifact_type != "critique" {
        return Err(unknown());
    }
    Ok(state.said_before(newest).unwrap_or(newest).artifact_id.clone())
}

fn resolve_critiques(state: &Loop, texts: &[String]) -> Result<Vec<ArtifactId>, Refusal> {
    let mut out = Vec::new();
    for text in texts {
        let id = find_critique(state, text)?;
        if !out.contains(&id) {
            out.push(id);
        }
    }
    Ok(out)
}

fn resolve_waives(
    state: &Loop,
    waives: &BTreeMap<String, String>,
) -> Result<BTreeMap<ArtifactId, String>, Refusal> {
    let mut out = BTreeMap::new();
    for (text, reason) in waives {
        needed_reason(Some(reason), &format!("waiving {text}"))?;
        out.insert(find_critique(state, text)?, reason.clone());
    }
    Ok(out)
}

/// Whether the actor may take an artifact back or replace it: the operator
/// always, an agent its own while its phase and round last.
fn own(draft: &Draft<'_>, artifact: &Artifact, verb: &str) -> Verdict {
    let here = artifact.phase == draft.state.current_phase
        && artifact.iteration == draft.state.iteration_count;
    if artifact.produced_by == draft.ctx.actor && here {
        return Ok(());
    }
    operator_only(draft.ctx, verb)
}

pub(super) fn supersede(draft: &mut Draft<'_>, text: &str, new: &SupersedeWith) -> Verdict {
    needs_unclosed(&draft.state, "supersede")?;
    let named = find_artifact(&draft.state, text)?.artifact_id.clone();
    let Some(old) = draft.state.newest_version(named.as_str()).map(|a| (**a).clone()) else {
        return Err(Refusal::new("unknown_artifact", format!("no artifact {text:?}")));
    };
    own(draft, &old, "supersede")?;
    let said = Said {
        artifact_type: old.artifact_type.clone(),
        subtype: new.subtype.as_deref().map(Name::from).or_else(|| old.subtype.clone()),
        content: &new.content,
        addresses: match &new.addresses {
            Some(texts) => resolve_critiques(&draft.state, texts)?,
            None => old.addresses_critique.clone(),
        },
        waives: match &new.waives {
            Some(waives) => resolve_waives(&draft.state, waives)?,
            None => old.waives.clone(),
        },
        cites: &new
            .cites
            .clone()
            .unwrap_or_else(|| old.cites.iter().map(|c| c.to_string()).collect()),
    };
    check_type(&NewArtifact {
        artifact_type: old.artifact_type.to_string(),
        subtype: said.subtype.as_deref().map(str::to_owned),
        ..NewArtifact::default()
    })?;
    check_plan(draft, &said)?;
    let place = Place {
        phase: old.phase.clone(),
        iteration: old.iteration,
        slot_id: old.slot_id.clone(),
        turn_id: old.turn_id.clone(),
        late: old.late,
    };
    let mut artifact = head(draft, &said, &place)?;
    if old.supersedes.is_some() && same_content(&old, &artifact) {
        draft.made.artifact_ids.push(old.artifact_id);
        return Ok(());
    }
    artifact.supersedes = Some(old.artifact_id.clone());
    if artifact.verdict.is_some() {
        artifact.produced_by = old.produced_by.clone();
        artifact.reviewer_standing = old.reviewer_standing;
    }
    warn_about(draft, &said, &artifact);
    let id = push(draft, artifact, said.content);
    draft.push(EventBody::ArtifactSuperseded {
        artifact_id: old.artifact_id,
        superseded_by: id.clone(),
    });
    draft.made.artifact_ids.push(id);
    Ok(())
}

fn same_content(old: &Artifact, new: &Artifact) -> bool {
    old.sha256 == new.sha256
        && old.subtype == new.subtype
        && old.addresses_critique == new.addresses_critique
        && old.waives == new.waives
        && old.cites == new.cites
}

pub(super) fn retract(draft: &mut Draft<'_>, text: &str, reason: &str) -> Verdict {
    needs_unclosed(&draft.state, "retract")?;
    let named = find_artifact(&draft.state, text)?.artifact_id.clone();
    let Some(artifact) = draft.state.newest_version(named.as_str()).cloned() else {
        return Err(Refusal::new("unknown_artifact", format!("no artifact {text:?}")));
    };
    own(draft, &artifact, "retract")?;
    let reason = needed_reason(Some(reason), "retract")?.to_owned();
    if let Some(question) = draft.state.open_question(artifact.artifact_id.as_str()) {
        return Err(Refusal::new(
            "question_open",
            format!("question {} waits: answer it first", question.question_id),
        )
        .step("answer it", steps::answer(&draft.state, question)));
    }
    let artifact_id = artifact.artifact_id.clone();
    draft.made.artifact_ids.push(artifact_id.clone());
    if artifact.retracted.is_none() {
        draft.push(EventBody::ArtifactRetracted { artifact_id, reason });
    }
    Ok(())
}

pub(super) fn waive(draft: &mut Draft<'_>, text: &str, reason: &str) -> Verdict {
    operator_only(draft.ctx, "waive")?;
    needs_unclosed(&draft.state, "waive")?;
    let artifact_id = find_critique(&draft.state, text)?;
    let reason = needed_reason(Some(reason), "waive")?.to_owned();
    draft.made.artifact_ids.push(artifact_id.clone());
    if draft.state.waived.get(&artifact_id) != Some(&reason) {
        draft.push(EventBody::ArtifactWaived { artifact_id, reason });
    }
    Ok(())
}

/// The category that a type of artifact is promoted to without being told.
pub fn usual_category(artifact_type: &str) -> Option<Category> {
    (artifact_type == "plan_draft").then_some(Category::Plans)
}

pub(super) fn promote(draft: &mut Draft<'_>, text: &str, category: Option<Category>) -> Verdict {
    if category.is_some_and(|c| !c.is_user()) {
        return Err(Refusal::new(
            "invalid_category",
            "an artifact is promoted to one of the nine categories of memory",
        )
        .detail("field", "category"));
    }
    let artifact = find_artifact(&draft.state, text)?.clone();
    let kind = &artifact.artifact_type;
    let Some(category) = category.or_else(|| usual_category(kind)) else {
        return Err(Refusal::new(
            "invalid_category",
            format!("{} has no usual category: name one with --category", with_article(kind)),
        )
        .detail("field", "category"));
    };
    if !artifact.usable {
        return Err(Refusal::new(
            "invalid_artifact",
            format!("{} carries no usable content to remember", artifact.artifact_id),
        ));
    }
    let item_id = item_id(&draft.state, &artifact.artifact_id, category);
    draft.made.item_id = Some(item_id.clone());
    let artifact_id = artifact.artifact_id;
    if draft.state.ledger.promoted.get(&artifact_id) != Some(&item_id) {
        draft.push(EventBody::Promoted { artifact_id, item_id, category });
    }
    Ok(())
}

/// The id of the memory item that an artifact becomes: the same each time.
fn item_id(state: &Loop, artifact: &ArtifactId, category: Category) -> Name {
    let mut digits = sha256_hex(format!("{}/{artifact}", state.id).as_bytes());
    digits.truncate(8);
    format!("{}{digits}", category.id_prefix()).into()
}
