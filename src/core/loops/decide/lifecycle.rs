//! pause, resume, close, reopen (engine.md §6).

use super::super::evaluate::{self, Detail};
use super::super::event::EventBody;
use super::super::ids::Name;
use super::super::model::{Loop, Status};
use super::super::refusal::Refusal;
use super::super::steps;
use super::{Draft, Verdict, needed_reason, needs_open, needs_unclosed, operator_only};
use crate::core::dream::Thousandths;
use crate::core::text::plural;

pub(super) fn pause(draft: &mut Draft<'_>, reason: Option<&str>) -> Verdict {
    needs_open(&draft.state, "pause")?;
    let reason = reason.filter(|r| crate::core::text::has_visible(r)).map(str::to_owned);
    draft.push(EventBody::Paused { reason });
    Ok(())
}

pub(super) fn resume(draft: &mut Draft<'_>) -> Verdict {
    needs_unclosed(&draft.state, "resume")?;
    if draft.state.status != Status::Paused {
        return Err(Refusal::new(
            "not_paused",
            "the loop is not paused: there is nothing to resume",
        ));
    }
    if let Some(question) = draft.state.holding_question() {
        return Err(Refusal::new(
            "question_open",
            format!(
                "question {} waits for its answer: the loop goes on with it",
                question.question_id
            ),
        )
        .detail("question_id", question.question_id.as_str())
        .step("answer it", steps::answer(&draft.state, question)));
    }
    draft.push(EventBody::Resumed {});
    Ok(())
}

pub(super) fn close(draft: &mut Draft<'_>, status: Status, reason: Option<&str>) -> Verdict {
    if !status.is_closed() {
        return Err(Refusal::new(
            "invalid_status",
            format!("{status} is no way to end: use completed, cancelled or blocked"),
        ));
    }
    let stop_unmet = !evaluate::stop(&draft.state, Detail::Counts).is_some_and(|n| n.met);
    if stop_unmet {
        operator_only(draft.ctx, "close")?;
    }
    needs_unclosed(&draft.state, "close")?;
    let reason = reason.filter(|r| crate::core::text::has_visible(r)).map(str::to_owned);
    if status != Status::Completed {
        needed_reason(reason.as_deref(), &format!("closing a loop {status}"))?;
    }
    let from = position(&draft.state);
    end(draft, Ended { status, reason, stop_unmet, by_cap: false, from });
    Ok(())
}

/// How a loop is closed, and from which phase and iteration.
pub(super) struct Ended {
    pub status: Status,
    pub reason: Option<String>,
    pub stop_unmet: bool,
    pub by_cap: bool,
    pub from: (Name, u32),
}

/// The phase and iteration that a loop is in.
pub(super) fn position(state: &Loop) -> (Name, u32) {
    (state.current_phase.clone(), state.iteration_count)
}

/// Closes the loop; live turns are superseded and open questions dropped in the
/// same commit (§5, "How it closes").
pub(super) fn end(draft: &mut Draft<'_>, ended: Ended) {
    let dropped: Vec<String> =
        draft.state.open_questions.iter().map(|q| q.question_id.to_string()).collect();
    if !dropped.is_empty() {
        let questions = plural(dropped.len(), "open question", "open questions");
        draft.warn(format!(
            "closing the loop drops {questions} without an answer: {}",
            dropped.join(", ")
        ));
    }
    supersede_live_turns(draft, "closed");
    let (from_phase, from_iteration) = ended.from;
    draft.push(EventBody::Closed {
        status: ended.status,
        reason: ended.reason,
        stop_unmet: ended.stop_unmet,
        by_cap: ended.by_cap,
        from_phase,
        from_iteration,
    });
}

/// Ends every live turn because the loop went on without it.
pub(super) fn supersede_live_turns(draft: &mut Draft<'_>, cause: &str) {
    let live: Vec<_> = draft
        .state
        .slots
        .iter()
        .filter_map(|s| s.live_turn().map(|t| (t.turn_id.clone(), s.slot_id.clone())))
        .collect();
    for (turn_id, slot_id) in live {
        draft.push(EventBody::TurnSuperseded { turn_id, slot_id, cause: cause.into() });
    }
}

pub(super) fn reopen(draft: &mut Draft<'_>, reason: &str, rounds: u32) -> Verdict {
    if rounds == 0 {
        return Err(Refusal::new("invalid_rounds", "reopen adds at least 1 round"));
    }
    operator_only(draft.ctx, "reopen")?;
    let Some(close) = draft.state.close.clone().filter(|_| draft.state.status.is_closed()) else {
        return Err(Refusal::new(
            "not_closed",
            format!("the loop is {}: only a closed one can be reopened", draft.state.status),
        ));
    };
    let reason = needed_reason(Some(reason), "reopen")?.to_owned();
    let before = draft.state.clone();
    draft.push(EventBody::Reopened {
        reason,
        rounds,
        phase: close.from_phase,
        iteration: close.from_iteration,
    });
    super::questions::on_entering(draft)?;
    if evaluate::ending(&draft.state).is_some() {
        let stop = evaluate::stop(&draft.state, Detail::Counts);
        return Err(Refusal::new(
            "stop_already_true",
            "the stop condition would hold at once, and the loop would be closed again",
        )
        .detail("stop", stop.map(|n| n.text))
        .step("open a new loop that follows this one", steps::follow_up(&before)));
    }
    Ok(())
}

/// The operator's own rating of a phase (dream.md, "With loops"); the same
/// again changes nothing.
pub(super) fn rate(draft: &mut Draft<'_>, phase: &str, reward: f64) -> Verdict {
    if !(0.0..=1.0).contains(&reward) {
        return Err(Refusal::new(
            "invalid_reward",
            format!("a reward is a number from 0 to 1, not {reward}"),
        )
        .detail("field", "reward"));
    }
    operator_only(draft.ctx, "rate")?;
    let Some(found) = draft.state.protocol.phase(phase) else {
        return Err(super::advance::unknown_phase(&draft.state, phase));
    };
    let (phase, reward) = (found.name.clone(), Thousandths::of(reward));
    let rated = draft.state.ledger.effects.ratings.get(&phase);
    if rated.is_none_or(|rated| rated.reward != reward) {
        draft.push(EventBody::Rated { phase, reward });
    }
    Ok(())
}

pub(super) fn archive(draft: &mut Draft<'_>) -> Verdict {
    if !draft.state.ledger.archived {
        draft.push(EventBody::Archived {});
    }
    Ok(())
}

pub(super) fn unarchive(draft: &mut Draft<'_>) -> Verdict {
    if draft.state.ledger.archived {
        draft.push(EventBody::Unarchived {});
    }
    Ok(())
}
