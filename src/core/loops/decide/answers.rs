//! provide_input and overdue questions (engine.md §6).

use serde_json::json;

use super::super::command::{Body, Command, Content, Ctx, Reply};
use super::super::event::{AdvanceReason, Event, EventBody};
use super::super::ids::{ArtifactId, Name};
use super::super::model::{Actor, Artifact, Loop, PREVIEW_CHARS, Status};
use super::super::question::{ANSWER, QUESTION, Question, ResolvedVia, TimeoutPolicy};
use super::super::refusal::Refusal;
use super::super::{apply, evaluate, steps};
use super::filing;
use super::lifecycle::{self, Ended};
use super::questions::{APPROVE, CHANGE, head, ids};
use super::{Draft, Verdict, decide, needs_unclosed};
use crate::core::text::{first_chars, has_visible};

/// How a question is resolved.
struct Resolution {
    via: ResolvedVia,
    option: Option<String>,
    text: Option<String>,
}

impl Resolution {
    /// A text; one that is an option's id is that option.
    fn said(question: &Question, via: ResolvedVia, text: &str) -> Self {
        match question.option(text.trim()) {
            Some(option) => Self { via, option: Some(option.id.clone()), text: None },
            None => Self { via, option: None, text: Some(text.to_owned()) },
        }
    }

    /// Whether it is an answer that counts. On the engine's own question only
    /// an approval and words do, and in the phase of that question no answer to
    /// another one (engine.md §3, bootstrap).
    fn counts(&self, state: &Loop, question: &Question) -> bool {
        let says_something = self.option.is_some() || self.text.is_some();
        let reviews = state.protocol.phase(&question.phase).is_some_and(|p| p.review_of.is_some());
        says_something
            && match (&question.review_of, &self.option) {
                (Some(_), Some(option)) => option == APPROVE,
                (Some(_), None) => true,
                (None, _) => !reviews,
            }
    }
}

pub(super) fn answer(draft: &mut Draft<'_>, text: &str, reply: &Reply) -> Verdict {
    if matches!(reply, Reply::Text(words) if !has_visible(words)) {
        return Err(invalid_answer("an answer says something: this one is blank"));
    }
    needs_unclosed(&draft.state, "answer")?;
    let id = find_question(&draft.state, text)?;
    if let Some(first) = draft.state.answers.get(&id).cloned() {
        draft.warn(format!("question {id} was answered before ({first}): that answer stands"));
        draft.made.artifact_ids.push(first);
        draft.made.question_id = Some(id);
        return Ok(());
    }
    let Some(question) = draft.state.open_question(id.as_str()).cloned() else {
        return Err(Refusal::new(
            "question_closed",
            format!(
                "question {id} ended with its turn, its phase or its loop: nobody waits for it"
            ),
        )
        .detail("question_id", id.as_str()));
    };
    let resolution = resolution(&draft.state, &question, reply)?;
    if let Some(name) = draft.ctx.actor.agent().cloned() {
        draft.warn(format!("recorded as relayed by agent:{name}"));
    }
    resolve(draft, &question, &resolution)
}

fn invalid_answer(what: impl Into<String>) -> Refusal {
    Refusal::new("invalid_answer", what).detail("field", "answer")
}

fn resolution(state: &Loop, question: &Question, reply: &Reply) -> Result<Resolution, Refusal> {
    match reply {
        Reply::Text(words) => Ok(Resolution::said(question, ResolvedVia::Answer, words)),
        Reply::Choose(id) => match question.option(id.trim()) {
            Some(option) => Ok(Resolution {
                via: ResolvedVia::Choose,
                option: Some(option.id.clone()),
                text: None,
            }),
            None if question.options.is_empty() => {
                Err(invalid_answer("this question offers no options: answer it in words")
                    .step("answer it", steps::answer(state, question)))
            }
            None => Err(invalid_answer(format!(
                "{id:?} is none of the options {}",
                ids(&question.options)
            ))
            .step("answer it", steps::answer(state, question))),
        },
        Reply::Skip => match &question.default {
            Some(default) => Ok(Resolution::said(question, ResolvedVia::Skip, default)),
            None => Err(Refusal::new(
                "no_default",
                format!("question {} has no default: it cannot be skipped", question.question_id),
            )
            .step("answer it", steps::answer(state, question))),
        },
    }
}

/// The question that a text names: its id or a unique beginning of it.
fn find_question(state: &Loop, text: &str) -> Result<ArtifactId, Refusal> {
    let digits = text.strip_prefix(ArtifactId::PREFIX).unwrap_or(text);
    let named = |a: &&std::sync::Arc<Artifact>| {
        let id = a.artifact_id.as_str();
        &*a.artifact_type == QUESTION
            && (id == text
                || (digits.len() >= 4 && id[ArtifactId::PREFIX.len()..].starts_with(digits)))
    };
    let found: Vec<_> = state.artifacts.iter().filter(named).map(|a| &a.artifact_id).collect();
    match found.as_slice() {
        [id] => Ok((*id).clone()),
        [] => {
            let refusal =
                Refusal::new("unknown_question", format!("this loop has no question {text:?}"))
                    .detail("question", text);
            Err(match state.open_questions.first() {
                Some(open) => refusal.step("answer the one that waits", steps::answer(state, open)),
                None => refusal.step("see what it says", steps::on_loop(state, "show", "")),
            })
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(Refusal::new(
                "ambiguous_id",
                format!("{text:?} names {} questions: {}", ids.len(), ids.join(", ")),
            )
            .detail("candidates", ids))
        }
    }
}

/// Files an answer; the turn or the loop goes on with it.
fn resolve(draft: &mut Draft<'_>, question: &Question, resolution: &Resolution) -> Verdict {
    let content = answer_body(draft, question, resolution);
    let mut artifact = head(draft, ANSWER, &content, question)?;
    let counts = resolution.counts(&draft.state, question);
    artifact.usable = counts;
    artifact.source = Some(question.question_id.clone());
    if let Some(said) = resolution.text.as_ref().or(resolution.option.as_ref()) {
        artifact.preview = first_chars(said, PREVIEW_CHARS).to_owned();
    }
    let answer_id = filing::push(draft, artifact, &content);
    draft.made.artifact_ids.push(answer_id.clone());
    draft.made.question_id = Some(question.question_id.clone());
    draft.push(EventBody::InputProvided {
        question_id: question.question_id.clone(),
        answer_id,
        resolved_via: resolution.via,
        option: resolution.option.clone(),
        synthetic: resolution.via == ResolvedVia::Timeout,
    });
    match (&question.slot_id, &question.turn_id, question.before) {
        (Some(slot_id), Some(turn_id), Some(status)) => draft.push(EventBody::SlotStatusChanged {
            slot_id: slot_id.clone(),
            turn_id: turn_id.clone(),
            status,
        }),
        _ if draft.state.status == Status::Paused && draft.state.holding_question().is_none() => {
            draft.push(EventBody::Resumed {});
        }
        _ => {}
    }
    if let Some(back) = &question.review_of
        && resolution.option.as_deref() == Some(CHANGE)
    {
        send_back(draft, back.clone());
    }
    Ok(())
}

fn answer_body(draft: &Draft<'_>, question: &Question, resolution: &Resolution) -> Content {
    let mut body = json!({
        "question_id": question.question_id,
        "resolved_via": resolution.via,
        "synthetic": resolution.via == ResolvedVia::Timeout,
    });
    if let Some(option) = &resolution.option {
        body["option"] = json!(option);
    }
    if let Some(text) = &resolution.text {
        body["text"] = json!(text);
    }
    if draft.ctx.actor.agent().is_some() {
        body["relayed_by"] = json!(draft.ctx.actor);
    }
    Content::Body(Body::from(body.to_string()))
}

/// Changes are wanted: a new round from the phase of the draft on.
fn send_back(draft: &mut Draft<'_>, to: Name) {
    if draft.state.protocol.phase(&to).is_none() {
        return;
    }
    lifecycle::supersede_live_turns(draft, "phase");
    let (from, iteration) = lifecycle::position(&draft.state);
    draft.push(EventBody::PhaseAdvanced {
        from,
        to,
        iteration: iteration + 1,
        reason: AdvanceReason::RequestChanges,
        note: None,
    });
}

/// Carries out what overdue questions are to bring, the longest overdue first.
pub(super) fn timeouts(draft: &mut Draft<'_>) -> Verdict {
    let now = draft.ctx.now;
    let overdue: Vec<Question> = draft.state.overdue(now).into_iter().cloned().collect();
    for question in overdue {
        // One that was resolved may have ended others.
        if draft.state.open_question(question.question_id.as_str()).is_some() {
            time_out(draft, &question)?;
        }
    }
    Ok(())
}

fn time_out(draft: &mut Draft<'_>, question: &Question) -> Verdict {
    let (question_id, policy) = (question.question_id.clone(), question.on_timeout);
    draft.push(EventBody::PauseTimeout { question_id: question_id.clone(), policy });
    let via = ResolvedVia::Timeout;
    match (policy, &question.default) {
        (TimeoutPolicy::UseDefault, Some(default)) => {
            resolve(draft, question, &Resolution::said(question, via, default))
        }
        (TimeoutPolicy::CancelLoop, _) => {
            let from = lifecycle::position(&draft.state);
            let stop_unmet = evaluate::ending(&draft.state).is_none();
            let reason = Some(format!("question {question_id} was not answered in time"));
            let status = Status::Cancelled;
            lifecycle::end(draft, Ended { status, reason, stop_unmet, by_cap: false, from });
            Ok(())
        }
        _ => resolve(draft, question, &Resolution { via, option: None, text: None }),
    }
}

/// The loop as its overdue questions leave it, with the events that they bring;
/// nothing if none is overdue.
pub fn after_timeouts(state: &Loop, ctx: &Ctx) -> Option<(Loop, Vec<Event>)> {
    if state.overdue(ctx.now).is_empty() {
        return None;
    }
    let ctx = Ctx { actor: Actor::Engine, ..ctx.clone() };
    let decision = decide(state, &Command::Timeout, &ctx);
    let mut after = state.clone();
    let mut events = Vec::new();
    for body in decision.events {
        let event = Event { seq: after.version + 1, at: ctx.now, by: Actor::Engine, body };
        apply::apply(&mut after, &event);
        events.push(event);
    }
    Some((after, events))
}
