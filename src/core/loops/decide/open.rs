//! open: a new loop from its request (engine.md §6).

use super::super::apply;
use super::super::command;
use super::super::command::{Ctx, NewArtifact, NewSlot, OpenLoop};
use super::super::evaluate;
use super::super::event::{Event, EventBody, Opened};
use super::super::ids::LoopId;
use super::super::lint;
use super::super::model::{Actor, Loop};
use super::super::protocol::{Kind, Protocol, ReviewMode, Work};
use super::super::refusal::{Decision, Made, Refusal};
use super::filing::Place;
use super::{Draft, amend, artifacts};
use crate::core::text::with_article;

/// What opening a loop under an id brings: its first events, or a refusal.
/// `taken` tells the slugs that other loops have: the new one gets its own.
pub fn open(id: &LoopId, request: &OpenLoop, taken: &dyn Fn(&str) -> bool, ctx: &Ctx) -> Decision {
    match decided(id, request, taken, ctx) {
        Ok(decision) => decision,
        Err(refusal) => Decision { refusal: Some(refusal), ..Decision::default() },
    }
}

fn decided(
    id: &LoopId,
    request: &OpenLoop,
    taken: &dyn Fn(&str) -> bool,
    ctx: &Ctx,
) -> Result<Decision, Refusal> {
    let title = amend::checked_title(&request.title)?;
    let protocol = resolved(request)?;
    let lint = lint::lint(request.kind, &protocol);
    if !lint.errors.is_empty() {
        return Err(invalid_protocol(&lint.errors));
    }
    let mut opened = Opened {
        loop_id: id.clone(),
        slug: amend::free_slug(&title, taken),
        loop_kind: request.kind,
        title,
        goal: given(&request.goal),
        domain: given(&request.domain),
        protocol,
        slots: Vec::new(),
        linked: request.linked.clone(),
    };
    let blank = blank_loop(&opened, ctx)?;
    opened.slots = slots(&mut Draft::of(blank, ctx), id, request)?;

    let first = EventBody::Opened(Box::new(opened));
    let event = Event { seq: 1, at: ctx.now, by: ctx.actor.clone(), body: first.clone() };
    let state = apply::begin(&event).ok_or_else(|| invalid_protocol(&no_phases()))?;
    let mut draft = Draft::of(state, ctx);
    file_proposal(&mut draft, request)?;
    if evaluate::ending(&draft.state).is_some() {
        return Err(Refusal::new(
            "stop_already_true",
            "the stop condition holds before anything was done: the loop would end at once",
        )
        .detail("stop", serde_json::json!(draft.state.protocol.stop_condition)));
    }
    let mut decision = draft.decided();
    decision.events.insert(0, first);
    decision.warnings = lint.warnings;
    decision.made = Made { would: None, ..decision.made };
    Ok(decision)
}

fn no_phases() -> Vec<String> {
    vec!["a protocol has at least one phase".to_owned()]
}

fn invalid_protocol(errors: &[String]) -> Refusal {
    Refusal::new("invalid_protocol", format!("the protocol does not work: {}", errors.join("; ")))
        .detail("errors", errors.to_vec())
}

fn given(text: &Option<String>) -> Option<String> {
    text.as_deref().map(str::trim).filter(|t| crate::core::text::has_visible(t)).map(str::to_owned)
}

/// A verify command on a loop that has no place for one.
pub(super) fn invalid_verify(kind: Kind) -> Refusal {
    Refusal::new(
        "invalid_verify",
        format!(
            "{} has no verify command: implementation and debug loops have one",
            with_article(&format!("{kind} loop"))
        ),
    )
    .detail("field", "verify")
}

/// The request's protocol with its own gates, stop, command and mode put in.
fn resolved(request: &OpenLoop) -> Result<Protocol, Refusal> {
    let mut protocol = request.protocol.clone();
    if request.verify.is_some() && !request.kind.has_verify() {
        return Err(invalid_verify(request.kind));
    }
    if request.verify.is_some() {
        protocol.verify.clone_from(&request.verify);
    }
    match (request.review_mode, request.kind) {
        (Some(mode), Kind::Review) => protocol.review_mode = Some(mode),
        (Some(_), kind) => {
            return Err(Refusal::new(
                "invalid_mode",
                format!(
                    "{} has no review mode: review loops have one",
                    with_article(&format!("{kind} loop"))
                ),
            )
            .detail("field", "mode"));
        }
        (None, Kind::Review) => {
            protocol.review_mode = Some(protocol.review_mode.unwrap_or_default());
        }
        (None, _) => {}
    }
    if protocol.review_mode == Some(ReviewMode::Symmetric) {
        // §3: symmetric reviewers mend what they find.
        for phase in protocol.phases.iter_mut().filter(|p| &*p.name == "findings") {
            phase.work = Work::Write;
        }
    }
    if request.stop.is_some() {
        protocol.stop_condition.clone_from(&request.stop);
    }
    for (phase, gate) in &request.gates {
        match protocol.phases.iter_mut().find(|p| *p.name == **phase) {
            Some(found) => found.advance_gate.clone_from(gate),
            None => {
                return Err(Refusal::new(
                    "unknown_phase",
                    format!("a gate names the phase {phase:?}, which the protocol lacks"),
                ));
            }
        }
    }
    Ok(protocol)
}

/// A loop without slots, only to derive slot ids in.
fn blank_loop(opened: &Opened, ctx: &Ctx) -> Result<Loop, Refusal> {
    let event = Event {
        seq: 1,
        at: ctx.now,
        by: ctx.actor.clone(),
        body: EventBody::Opened(Box::new(opened.clone())),
    };
    apply::begin(&event).ok_or_else(|| invalid_protocol(&no_phases()))
}

/// The slots that were named, else the kind's own; those that an agent opens
/// without naming one are its own.
fn slots(
    draft: &mut Draft<'_>,
    id: &LoopId,
    request: &OpenLoop,
) -> Result<Vec<super::super::model::Slot>, Refusal> {
    let by_default: Vec<NewSlot> = request
        .kind
        .default_roles()
        .iter()
        .map(|role| NewSlot { role: (*role).to_owned(), ..NewSlot::default() })
        .collect();
    let wanted = if request.slots.is_empty() { &by_default } else { &request.slots };
    let opener = match &draft.ctx.actor {
        Actor::Agent(name) => Some(name.clone()),
        _ => None,
    };
    let mut out = Vec::new();
    for new in wanted {
        let mut slot = amend::new_slot(draft, id, new)?;
        slot.agent = slot.agent.or_else(|| opener.clone());
        out.push(slot);
    }
    Ok(out)
}

/// The proposal, filed in the first phase: in review as its change summary; and
/// the diff beside it.
fn file_proposal(draft: &mut Draft<'_>, request: &OpenLoop) -> Result<(), Refusal> {
    let kind = if request.kind == Kind::Review { "change_summary" } else { "proposal" };
    for (kind, body) in [(kind, &request.proposal), ("file_diff", &request.diff)] {
        let Some(body) = body else { continue };
        let new = NewArtifact {
            artifact_type: kind.to_owned(),
            content: command::Content::Body(body.clone()),
            ..NewArtifact::default()
        };
        let place = Place {
            phase: draft.state.current_phase.clone(),
            iteration: 0,
            slot_id: None,
            turn_id: None,
            late: false,
        };
        let id = artifacts::file(draft, &new, &place)?;
        draft.made.artifact_ids.push(id);
    }
    Ok(())
}
