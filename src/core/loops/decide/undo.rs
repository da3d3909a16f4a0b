//! undo and redo (engine.md §6): nothing is erased, the content goes back.

use super::super::event::EventBody;
use super::super::history::{History, Mark};
use super::super::model::Actor;
use super::super::refusal::Refusal;
use super::super::steps;
use super::{Draft, Verdict, attempts, operator_only};

pub(super) fn undo(draft: &mut Draft<'_>, to: Option<u64>) -> Verdict {
    if to.is_some() {
        operator_only(draft.ctx, "undo --to")?;
    }
    let history = draft.ctx.history.clone().unwrap_or_default();
    let to_seq = match to {
        Some(seq) => boundary(draft, &history, seq)?,
        None => before_newest_change(draft, &history)?,
    };
    go_back(draft, to_seq, false);
    Ok(())
}

/// A moment that can be gone back to by name.
fn boundary(draft: &Draft<'_>, history: &History, seq: u64) -> Result<u64, Refusal> {
    let present = draft.state.version;
    if seq == present {
        return Err(Refusal::new(
            "nothing_to_undo",
            format!("{seq} is the present version: there is nothing to go back from"),
        ));
    }
    if seq == 0 || seq > present {
        return Err(Refusal::new(
            "unknown_seq",
            format!("this loop has no event {seq}: its events are 1 to {present}"),
        )
        .detail("version", present));
    }
    if history.ending_at(seq).is_some() {
        return Ok(seq);
    }
    let near = history.marks().iter().rev().find(|m| m.last_seq < seq).map(|m| m.last_seq);
    let mut refusal = Refusal::new(
        "not_a_commit_boundary",
        format!("event {seq} is not the last of its commit: half a commit cannot be kept"),
    )
    .detail("nearest", near);
    if let Some(near) = near {
        refusal = refusal.step(
            "go back to the end of the commit before",
            steps::on_loop(&draft.state, "undo", &format!("--to {near}")),
        );
    }
    Err(refusal)
}

fn before_newest_change(draft: &Draft<'_>, history: &History) -> Result<u64, Refusal> {
    let mark = history.newest_change().ok_or_else(|| {
        Refusal::new("nothing_to_undo", "nothing was changed since the loop was opened")
    })?;
    let to_seq = mark.first_seq - 1;
    own(draft, mark, "undo", Some(to_seq))?;
    Ok(to_seq)
}

/// Plain undo and redo take back only what is the actor's own; what the engine
/// did by itself is anybody's.
fn own(draft: &Draft<'_>, mark: &Mark, verb: &str, to_seq: Option<u64>) -> Verdict {
    if mark.by == draft.ctx.actor || mark.by == Actor::Engine {
        return Ok(());
    }
    let refusal = Refusal::new(
        "undo_unsafe",
        format!("the newest change (event {}) was made by {}, not by you", mark.last_seq, mark.by),
    )
    .detail("by", mark.by.to_string())
    .detail("seq", mark.last_seq);
    Err(match to_seq {
        Some(seq) => refusal.detail("to", seq).step(
            format!("{verb} it all the same"),
            steps::on_loop(&draft.state, "undo", &format!("--to {seq}")),
        ),
        None => refusal,
    })
}

pub(super) fn redo(draft: &mut Draft<'_>) -> Verdict {
    let history = draft.ctx.history.clone().unwrap_or_default();
    let mark = history.newest_undo().cloned().ok_or_else(|| {
        Refusal::new(
            "nothing_to_redo",
            "the newest change is no undo: there is nothing to take back",
        )
    })?;
    let to_seq = mark.first_seq - 1;
    own(draft, &mark, "redo", Some(to_seq))?;
    go_back(draft, to_seq, true);
    Ok(())
}

fn go_back(draft: &mut Draft<'_>, to_seq: u64, redo: bool) {
    draft.made.back_to = Some(to_seq);
    attempts::undone(draft, to_seq);
    draft.push(EventBody::Reverted { to_seq, redo });
}
