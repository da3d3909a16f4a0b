//! The command lines that next steps name. Every one of them runs as it is.

use super::coverage::{CoverState, Covered};
use super::ids::SlotId;
use super::model::{Loop, Question};
use super::question::{ANSWER, QUESTION};

/// A text as one word of a POSIX shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// `loopdeck loop VERB <id> REST`.
pub fn on_loop(state: &Loop, verb: &str, rest: &str) -> String {
    let space = if rest.is_empty() { "" } else { " " };
    format!("loopdeck loop {verb} {}{space}{rest}", state.id)
}

/// Add an artifact of a type; the body is to be replaced by one's own words.
pub fn add(state: &Loop, artifact_type: &str) -> String {
    match artifact_type {
        "critic_signal" => on_loop(state, "add", "--type critic_signal"),
        "verdict" => on_loop(state, "add", "--type verdict --body 'accepted: YOUR REASON'"),
        "verify_report" if state.protocol.verify.is_some() => verify(state),
        "verify_report" => {
            on_loop(state, "add", "--type verify_report --body 'passed: WHAT WAS CHECKED'")
        }
        QUESTION => ask(state),
        ANSWER => match state.open_questions.first() {
            Some(question) => answer(state, question),
            None => ask(state),
        },
        other => on_loop(state, "add", &format!("--type {other} --body 'YOUR WORDS'")),
    }
}

/// Raise the round cap so far that a return to an earlier phase fits under it.
pub fn raise_cap(state: &Loop) -> String {
    on_loop(state, "amend", &format!("--max-rounds {}", state.iteration_count + 2))
}

/// Run the verify command.
pub fn verify(state: &Loop) -> String {
    on_loop(state, "verify", "")
}

/// Add a plan_draft that answers the critiques which are still open; all of them
/// where none is, because a plan_draft names at least one.
pub fn add_plan(state: &Loop) -> String {
    let coverage = super::coverage::coverage(state);
    let wanted = |c: &&Covered| coverage.open == 0 || c.state == CoverState::Open;
    let ids: Vec<String> =
        coverage.critiques.iter().filter(wanted).map(|c| c.artifact_id.to_string()).collect();
    let addresses =
        if ids.is_empty() { String::new() } else { format!(" --addresses {}", ids.join(",")) };
    on_loop(state, "add", &format!("--type plan_draft --body 'YOUR PLAN'{addresses}"))
}

/// Ask the operator something, for the whole loop.
pub fn ask(state: &Loop) -> String {
    on_loop(state, "ask", "--scope loop --question 'YOUR QUESTION' --evidence 'WHAT IT RESTS ON'")
}

/// Answer a question: in one's own words, or by the first of its options.
pub fn answer(state: &Loop, question: &Question) -> String {
    let reply = match question.options.first() {
        Some(option) => format!("--choose {}", quoted(&option.id)),
        None => "--text 'YOUR ANSWER'".to_owned(),
    };
    on_loop(state, "answer", &format!("{} {reply}", question.question_id))
}

/// Leave the phase.
pub fn advance(state: &Loop) -> String {
    on_loop(state, "advance", "")
}

/// Resume a paused loop.
pub fn resume(state: &Loop) -> String {
    on_loop(state, "resume", "")
}

/// Reopen a closed loop.
pub fn reopen(state: &Loop) -> String {
    on_loop(state, "reopen", "--reason 'YOUR REASON'")
}

/// Give a role its turn.
pub fn turn(state: &Loop, role: &str) -> String {
    on_loop(state, "turn", &format!("--role {}", quoted(role)))
}

/// End a slot's turn.
pub fn complete(state: &Loop, slot: &str) -> String {
    on_loop(state, "complete", &format!("--slot {}", quoted(slot)))
}

/// Call a slot's failed turn off.
pub fn cancel_turn(state: &Loop, slot: &str) -> String {
    on_loop(state, "complete", &format!("--slot {} --outcome cancelled", quoted(slot)))
}

/// Take the results of a loop's workers.
pub fn harvest(state: &Loop) -> String {
    format!("loopdeck turn harvest {}", state.id)
}

/// Take the results of a loop's workers with what they changed.
pub fn integrate(state: &Loop) -> String {
    format!("loopdeck turn harvest {} --integrate", state.id)
}

/// Hand a slot's turn to a worker.
pub fn dispatch(state: &Loop, slot: &SlotId) -> String {
    format!("loopdeck turn dispatch {} --slot {slot}", state.id)
}

/// Put another worker in the place of a slot's.
pub fn take_over(state: &Loop, slot: &SlotId) -> String {
    format!("loopdeck turn takeover {} --slot {slot} --cause 'YOUR REASON'", state.id)
}

/// A loop of the same kind that follows a closed one.
pub fn follow_up(state: &Loop) -> String {
    format!("loopdeck loop open --kind {} --title {}", state.kind, quoted(&state.title))
}
