//! verify: the report of a run of the loop's command (engine.md §6).

use super::super::command::{Body, Content, VerifyRun};
use super::super::model::{Actor, INLINE_CAP, Loop, Report};
use super::super::refusal::Refusal;
use super::super::steps;
use super::filing::{Place, Said, head, push};
use super::{Draft, Verdict, needs_open};
use crate::core::loops::ids::Name;
use crate::core::text::first_chars;

/// The command that a loop may run now.
///
/// # Errors
/// `already_closed`, `paused`, `verify_unconfigured`.
pub fn verify_command(state: &Loop) -> Result<&[String], Refusal> {
    needs_open(state, "verify")?;
    if let Some(argv) = &state.protocol.verify {
        return Ok(argv);
    }
    let refusal =
        Refusal::new("verify_unconfigured", "this loop has no verify command: nothing can be run");
    Err(match state.kind.has_verify() {
        true => refusal
            .step("set one", steps::on_loop(state, "amend", "--verify 'YOUR COMMAND'"))
            .step("or say what you saw", steps::add(state, "verify_report")),
        false => refusal,
    })
}

/// Files the report of a run under the phase and round that it started in. It is
/// the engine's, whoever started it.
pub(super) fn record(
    draft: &mut Draft<'_>,
    run: &VerifyRun,
    phase: &Name,
    iteration: u32,
) -> Verdict {
    let place = Place {
        phase: phase.clone(),
        iteration,
        slot_id: None,
        turn_id: None,
        late: draft.state.status.is_closed(),
    };
    let content = Content::Body(Body::from(body_of(run)));
    let said = Said {
        artifact_type: "verify_report".into(),
        subtype: None,
        content: &content,
        addresses: Vec::new(),
        waives: Default::default(),
        cites: &[],
    };
    let mut artifact = head(draft, &said, &place)?;
    artifact.produced_by = Actor::Engine;
    artifact.report = Some(Report {
        passed: run.passed,
        narrated: false,
        workspace_digest: run.workspace_digest.clone(),
        session: draft.state.linked.session_id.as_deref().map(str::to_owned),
    });
    if let Some(why) = opens_nothing(&draft.state, phase, iteration) {
        draft.warn(why);
    }
    let id = push(draft, artifact, &content);
    draft.made.artifact_ids.push(id);
    Ok(())
}

/// Why a report filed at a place leaves every gate and exit as it is.
fn opens_nothing(state: &Loop, phase: &Name, iteration: u32) -> Option<String> {
    if state.status.is_closed() {
        return Some(format!(
            "the loop was {} meanwhile: the report is kept as late and counts nowhere",
            state.status
        ));
    }
    if iteration != state.iteration_count {
        return Some(format!(
            "the report belongs to round {}, in which it was started, and opens nothing in this one",
            iteration + 1
        ));
    }
    let last = state.protocol.iteration.as_ref().and_then(|i| i.cycle.last())?;
    (last != phase).then(|| {
        format!("the report is filed under {phase}, where it opens nothing: it counts in {last}")
    })
}

/// The body of a report: JSON of at most the inline cap, its tails shrunk until
/// it fits.
fn body_of(run: &VerifyRun) -> String {
    let mut room = INLINE_CAP;
    loop {
        let body = serde_json::json!({
            "command": shortened(&run.command, room),
            "exit_code": run.exit_code,
            "passed": run.passed,
            "duration_ms": run.duration_ms,
            "timed_out": run.timed_out,
            "stdout_tail": end_of(&run.stdout_tail, room),
            "stderr_tail": end_of(&run.stderr_tail, room),
            "workspace_digest": run.workspace_digest,
        })
        .to_string();
        if body.len() <= INLINE_CAP || room == 0 {
            return body;
        }
        // Escapes make text longer, by how much is known only afterwards.
        room = room.saturating_sub((body.len() - INLINE_CAP).div_ceil(8).max(16));
    }
}

/// The last bytes of a text, cut between characters.
fn end_of(text: &str, max_bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(max_bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// An argv whose words are cut, if it is as long as the whole body may be.
fn shortened(argv: &[String], room: usize) -> Vec<String> {
    let total: usize = argv.iter().map(|word| word.len() + 3).sum();
    if total <= INLINE_CAP / 2 {
        return argv.to_vec();
    }
    argv.iter().take(8).map(|word| first_chars(word, (room / 64).max(8)).to_owned()).collect()
}
