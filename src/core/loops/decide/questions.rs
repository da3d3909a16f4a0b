//! request_input (engine.md §6).

use serde_json::json;

use super::super::command::{Body, Content, NewQuestion};
use super::super::event::EventBody;
use super::super::ids::{SlotId, TurnId};
use super::super::model::{Actor, Artifact, Loop, PREVIEW_CHARS, TurnState};
use super::super::question::{QUESTION, Question, QuestionOption, QuestionScope, TimeoutPolicy};
use super::super::refusal::Refusal;
use super::super::steps;
use super::filing::{self, Place, Said};
use super::turns::{find_slot, owned};
use super::{Draft, Verdict, lifecycle, needs_open};
use crate::core::duration::parse_span;
use crate::core::text::{first_chars, has_visible};
use crate::core::time::Timestamp;

/// Characters that a question may have.
pub const QUESTION_CHARS: usize = 500;
/// Options that a question may offer, if it offers any.
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=4;
/// Characters that an option's id may have.
const OPTION_ID_CHARS: usize = 64;
/// The option of the engine's own question that opens the gate.
pub(super) const APPROVE: &str = "approve";
/// The option of the engine's own question that sends the loop back.
pub(super) const CHANGE: &str = "change";

fn invalid(field: &str, what: impl Into<String>) -> Refusal {
    Refusal::new("invalid_question", what).detail("field", field)
}

/// The form of a question, whatever the loop.
fn check_form(new: &NewQuestion) -> Verdict {
    let length = new.text.chars().count();
    if !has_visible(&new.text) || length > QUESTION_CHARS {
        return Err(invalid(
            "question",
            format!("a question has 1 to {QUESTION_CHARS} characters, this one has {length}"),
        ));
    }
    if !new.evidence.iter().any(|line| has_visible(line)) {
        return Err(invalid("evidence", "a question needs at least one line of evidence"));
    }
    check_options(&new.options)?;
    let default = new.default.as_deref();
    if default.is_some_and(|d| !has_visible(d)) {
        return Err(invalid("default", "the default says nothing"));
    }
    if let Some(default) = default.filter(|_| !new.options.is_empty())
        && !new.options.iter().any(|o| o.id == default)
    {
        return Err(invalid(
            "default",
            format!("the default {default:?} is none of the options {}", ids(&new.options)),
        ));
    }
    if new.on_timeout == TimeoutPolicy::UseDefault && default.is_none() {
        return Err(invalid("on_timeout", "use_default needs a default"));
    }
    Ok(())
}

fn check_options(options: &[QuestionOption]) -> Verdict {
    if !options.is_empty() && !OPTIONS.contains(&options.len()) {
        return Err(invalid(
            "options",
            format!("a question offers 2 to 4 options or none, this one {}", options.len()),
        ));
    }
    for (position, option) in options.iter().enumerate() {
        let length = option.id.chars().count();
        if option.id.trim() != option.id || !has_visible(&option.id) || length > OPTION_ID_CHARS {
            return Err(invalid(
                "options",
                format!(
                    "{:?} is no option: its id has 1 to {OPTION_ID_CHARS} characters",
                    option.id
                ),
            ));
        }
        if options[..position].iter().any(|other| other.id == option.id) {
            return Err(invalid("options", format!("two options are called {:?}", option.id)));
        }
    }
    Ok(())
}

/// The ids of some options, in a line.
pub(super) fn ids(options: &[QuestionOption]) -> String {
    options.iter().map(|o| o.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// A deadline as it was written: a time, or a span from now.
fn deadline(text: &str, now: Timestamp) -> Result<Timestamp, Refusal> {
    let at = parse_span(text)
        .map(|span| now.plus_millis(span))
        .or_else(|| text.parse::<Timestamp>().ok());
    let wrong =
        |what: String| Err(Refusal::new("invalid_deadline", what).detail("field", "deadline"));
    match at {
        None => wrong(format!(
            "{text:?} is no deadline: write a time like 2026-03-01T12:30:00Z, or a span like P7D, \
             PT30M, 30m, 2h or 7d"
        )),
        Some(at) if at <= now => wrong(format!("the deadline {at} is in the past")),
        Some(at) => Ok(at),
    }
}

pub(super) fn ask(draft: &mut Draft<'_>, new: &NewQuestion) -> Verdict {
    check_form(new)?;
    let now = draft.ctx.now;
    let wished = new.deadline.as_deref().map(|text| deadline(text, now)).transpose()?;
    if let Some(slot) = &new.slot
        && let Ok(slot) = find_slot(&draft.state, slot)
    {
        owned(slot, draft)?;
    }
    needs_open(&draft.state, "ask")?;
    let (slot_id, turn) = asker(draft, new)?;
    check_limits(draft, new.scope, slot_id.as_ref())?;
    let deadline = bounded(draft, wished);
    let question = Question {
        question_id: draft.new_artifact_id(),
        text: new.text.trim().to_owned(),
        options: new.options.clone(),
        default: new.default.clone(),
        evidence: new.evidence.iter().filter(|line| has_visible(line)).cloned().collect(),
        scope: new.scope,
        slot_id,
        turn_id: turn.as_ref().map(|(id, _)| id.clone()),
        phase: draft.state.current_phase.clone(),
        iteration: draft.state.iteration_count,
        asked_by: draft.ctx.actor.clone(),
        asked_at: now,
        deadline,
        on_timeout: new.on_timeout,
        before: turn.map(|(_, state)| state),
        review_of: None,
    };
    put(draft, question)
}

/// A live turn that is to wait, with its state.
type Waits = (TurnId, TurnState);

/// The slot that asks and, for slot scope, its live turn with its state.
fn asker(draft: &Draft<'_>, new: &NewQuestion) -> Result<(Option<SlotId>, Option<Waits>), Refusal> {
    let state = &draft.state;
    let named = new.slot.as_deref().map(|text| find_slot(state, text)).transpose()?;
    if new.scope == QuestionScope::Loop {
        return Ok((named.map(|slot| slot.slot_id.clone()), None));
    }
    let mine: Vec<_> =
        state.slots.iter().filter(|s| s.live_turn().is_some() && owned(s, draft).is_ok()).collect();
    let slot = match (named, mine.as_slice()) {
        (Some(slot), _) => slot,
        (None, [slot]) => slot,
        (None, _) => return Err(no_turn(state, "no single slot has a turn that could ask", None)),
    };
    match slot.live_turn() {
        Some(turn) => Ok((Some(slot.slot_id.clone()), Some((turn.turn_id.clone(), turn.state)))),
        None => {
            let what = format!("{} ({}) has no turn that could ask", slot.role, slot.slot_id);
            Err(no_turn(state, &what, Some(slot.slot_id.as_str())))
        }
    }
}

fn no_turn(state: &Loop, what: &str, slot: Option<&str>) -> Refusal {
    let refusal =
        Refusal::new("no_turn", format!("{what}: a question of scope slot needs a live turn"));
    let free = || state.slots.iter().find(|s| s.live_turn().is_none()).map(|s| s.slot_id.as_str());
    let slot = slot.or_else(free);
    let refusal = match slot {
        Some(slot) => refusal
            .step("give it its turn", steps::on_loop(state, "turn", &format!("--slot {slot}"))),
        None => refusal,
    };
    refusal.step("or ask for the whole loop", steps::ask(state))
}

fn check_limits(draft: &Draft<'_>, scope: QuestionScope, slot: Option<&SlotId>) -> Verdict {
    let state = &draft.state;
    let same = |q: &&Question| {
        q.scope == scope && (scope == QuestionScope::Loop || q.slot_id.as_ref() == slot)
    };
    if let Some(open) = state.open_questions.iter().find(same) {
        return Err(Refusal::new(
            "too_many_questions",
            format!("question {} of the same {scope} waits for its answer", open.question_id),
        )
        .detail("question_id", open.question_id.as_str())
        .step("answer it", steps::answer(state, open)));
    }
    let asked = |a: &&std::sync::Arc<Artifact>| {
        &*a.artifact_type == QUESTION && a.produced_by != Actor::Engine
    };
    let (asked, max) =
        (state.artifacts.iter().filter(asked).count(), state.protocol.max_operator_questions);
    if asked < max as usize {
        return Ok(());
    }
    let refusal = Refusal::new(
        "too_many_questions",
        format!("this loop has asked {asked} questions, and its protocol allows {max}"),
    )
    .detail("asked", asked)
    .detail("max", max);
    Err(match state.open_questions.first() {
        Some(open) => refusal.step("answer the one that waits", steps::answer(state, open)),
        None => refusal.step("see what it is about", steps::on_loop(state, "show", "")),
    })
}

/// A wished deadline within the protocol's longest pause; that one where none
/// is wished.
fn bounded(draft: &mut Draft<'_>, wished: Option<Timestamp>) -> Option<Timestamp> {
    let longest = draft.state.protocol.max_pause_duration.as_deref().and_then(parse_span);
    let latest = longest.map(|span| draft.ctx.now.plus_millis(span));
    match (wished, latest) {
        (Some(wished), Some(latest)) if wished > latest => {
            draft.warn(format!("the protocol lets no question wait longer: deadline {latest}"));
            Some(latest)
        }
        (wished, latest) => wished.or(latest),
    }
}

/// Files a question and lets its turn or the loop wait for it.
fn put(draft: &mut Draft<'_>, question: Question) -> Verdict {
    let content = question_body(&question);
    let mut artifact = head(draft, QUESTION, &content, &question)?;
    artifact.artifact_id = question.question_id.clone();
    artifact.produced_by = question.asked_by.clone();
    artifact.preview = first_chars(&question.text, PREVIEW_CHARS).to_owned();
    filing::push(draft, artifact, &content);
    let id = question.question_id.clone();
    draft.push(EventBody::InputRequested { question: Box::new(question.clone()) });
    match (question.scope, question.slot_id, question.turn_id) {
        (QuestionScope::Slot, Some(slot_id), Some(turn_id)) => {
            let status = TurnState::WaitingInput;
            draft.push(EventBody::SlotStatusChanged { slot_id, turn_id, status });
        }
        _ => {
            let asked = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let reason = format!("asked: {}", first_chars(&asked, PREVIEW_CHARS));
            draft.push(EventBody::Paused { reason: Some(reason) });
        }
    }
    draft.made.question_id = Some(id);
    Ok(())
}

fn question_body(question: &Question) -> Content {
    let mut body = json!({
        "question": question.text,
        "evidence": question.evidence,
        "scope": question.scope,
        "on_timeout": question.on_timeout,
    });
    if !question.options.is_empty() {
        body["options"] = json!(question.options);
    }
    if let Some(default) = &question.default {
        body["default"] = json!(default);
    }
    if let Some(deadline) = question.deadline {
        body["deadline"] = json!(deadline);
    }
    Content::Body(Body::from(body.to_string()))
}

/// The head of a question or an answer, filed where the question belongs.
pub(super) fn head(
    draft: &mut Draft<'_>,
    artifact_type: &str,
    content: &Content,
    question: &Question,
) -> Result<Artifact, Refusal> {
    let said = Said {
        artifact_type: artifact_type.into(),
        subtype: None,
        content,
        addresses: Vec::new(),
        waives: Default::default(),
        cites: &[],
    };
    let place = Place {
        phase: question.phase.clone(),
        iteration: question.iteration,
        slot_id: question.slot_id.clone(),
        turn_id: question.turn_id.clone(),
        late: false,
    };
    filing::head(draft, &said, &place)
}

/// What the engine asks by itself when a phase is entered: whether a draft that
/// the phase reviews is approved (§3, bootstrap). Outside the budget.
pub(super) fn on_entering(draft: &mut Draft<'_>) -> Verdict {
    let state = &draft.state;
    let Some(reviewed) = state.phase().and_then(|p| p.review_of.clone()) else { return Ok(()) };
    if state.holding_question().is_some() {
        return Ok(());
    }
    let newest = state.artifacts.iter().rev().find(|a| a.phase == reviewed && a.counts());
    let evidence = match newest {
        Some(artifact) => format!("{} {}", artifact.artifact_type, artifact.artifact_id),
        None => format!("phase {reviewed} holds nothing that counts"),
    };
    let option =
        |id: &str, label: &str| QuestionOption { id: id.to_owned(), label: label.to_owned() };
    let (phase, iteration) = lifecycle::position(state);
    let question = Question {
        text: format!(
            "Is the draft of {reviewed} right? Approve it, ask for changes, or say what you think."
        ),
        options: vec![
            option(APPROVE, "Go on with it"),
            option(CHANGE, &format!("Back to {reviewed}, another round")),
        ],
        default: None,
        evidence: vec![evidence],
        scope: QuestionScope::Loop,
        slot_id: None,
        turn_id: None,
        phase,
        iteration,
        asked_by: Actor::Engine,
        asked_at: draft.ctx.now,
        deadline: bounded(draft, None),
        on_timeout: TimeoutPolicy::ContinueIncomplete,
        before: None,
        review_of: Some(reviewed),
        question_id: draft.new_artifact_id(),
    };
    put(draft, question)
}
