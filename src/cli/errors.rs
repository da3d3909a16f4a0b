//! What went wrong, as people and scripts are told, and which exit status
//! follows (interfaces.md, "Codes").

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::page::{self, Page, Tone, gap, span};
use crate::core::loops::plain;
use crate::core::loops::refusal::NextStep;
use crate::core::text::shown_in_line;
use crate::engine;

/// A command that was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// A stable name.
    pub code: Cow<'static, str>,
    /// A sentence: what happened, why.
    pub message: String,
    /// What was counted, what is missing.
    pub details: Box<Map<String, Value>>,
    /// What would help, with command lines.
    pub next_steps: Vec<NextStep>,
}

/// What a command of the command line answers.
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// A fault from its code and sentence.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            details: Box::default(),
            next_steps: Vec::new(),
        }
    }

    /// Bad usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", message)
    }

    /// Adds a step that would help.
    #[must_use]
    pub fn step(mut self, text: impl Into<String>, command: impl Into<String>) -> Self {
        self.next_steps.push(NextStep::new(text, command));
        self
    }

    /// The exit status that its code stands for.
    pub fn exit_status(&self) -> u8 {
        exit_status(&self.code)
    }

    /// The one object that `--json` prints.
    pub fn to_json(&self) -> Value {
        json!({
            "status": "error",
            "error": {
                "code": self.code,
                "message": self.message,
                "details": self.details,
                "next_steps": self.next_steps,
            },
        })
    }

    /// The sentence for people: what happened, why, what to do.
    pub fn render(&self, page: &mut Page) {
        let said = plain::refusal(&self.code, &self.message, &self.details);
        let mut lines = said.lines();
        let first = lines.next().unwrap_or_default();
        page.hanging(vec![span(Tone::Bad, "error:"), gap(1)], Tone::Plain, first);
        for line in lines {
            page.hanging(vec![gap(7)], Tone::Plain, line);
        }
        steps(page, &self.next_steps);
    }
}

/// Lists steps that would help with their command lines.
pub fn steps(page: &mut Page, steps: &[NextStep]) {
    for step in steps {
        let text = page::plain(&step.text);
        page.line(vec![gap(2), span(Tone::Muted, "try:"), gap(1), text]);
        page.line(vec![gap(7), span(Tone::Command, shown_in_line(&step.command))]);
    }
}

impl From<engine::Error> for Fault {
    fn from(error: engine::Error) -> Self {
        (*error.0).into()
    }
}

impl From<Fault> for engine::Error {
    /// For those who speak the engine's language; a code that was made up for a
    /// flag is bad usage there.
    fn from(fault: Fault) -> Self {
        let code = match fault.code {
            Cow::Borrowed(code) => code,
            Cow::Owned(_) => "usage",
        };
        let mut error = engine::Error::new(code, fault.message);
        error.0.details = fault.details;
        error.0.next_steps = fault.next_steps;
        error
    }
}

impl From<crate::core::loops::Refusal> for Fault {
    fn from(refusal: crate::core::loops::Refusal) -> Self {
        Self {
            code: Cow::Borrowed(refusal.code),
            message: refusal.message,
            details: refusal.details,
            next_steps: refusal.next_steps,
        }
    }
}

/// Exit status 1: refused by a rule.
const REFUSED: &[&str] = &[
    "gate_unmet",
    "slots_pending",
    "saturation_doubtful",
    "at_last_phase",
    "would_close",
    "already_closed",
    "paused",
    "not_closed",
    "not_paused",
    "question_open",
    "question_closed",
    "too_many_questions",
    "nothing_to_cut",
    "no_default",
    "slot_busy",
    "no_turn",
    "turn_ambiguous",
    "not_slot_owner",
    "operator_only",
    "reason_required",
    "phase_not_reached",
    "body_too_large",
    "addresses_required",
    "coverage_required",
    "invalid_protocol",
    "stop_already_true",
    "verify_unconfigured",
    "verify_running",
    "command_not_trusted",
    "variable_not_trusted",
    "undo_unsafe",
    "no_follow_up",
    "nothing_to_undo",
    "nothing_to_redo",
    "not_a_commit_boundary",
    "session_closed",
    "unknown_status",
    "stale_evidence",
    "turn_contradiction",
    "workspace_dirty",
    "not_dispatchable",
    "integrate_required",
    "merge_conflict",
    "store_touched",
    "spawn_failed",
    "interrupted",
    "no_data",
    "insufficient_data",
];

/// Exit status 2: bad usage. So is every `invalid_<field>` but `invalid_protocol`.
const BAD_USAGE: &[&str] = &["usage", "preset_kind_mismatch"];

/// Exit status 3: not found.
const NOT_FOUND: &[&str] = &[
    "loop_not_found",
    "slot_not_found",
    "no_such_role",
    "unknown_phase",
    "unknown_critique",
    "unknown_artifact",
    "unknown_question",
    "unknown_preset",
    "unknown_template",
    "unknown_seq",
    "session_not_found",
    "item_not_found",
    "agent_not_found",
    "no_workspace",
    "ambiguous_id",
    "no_dream",
    "dream_not_found",
    "insight_not_found",
];

/// Exit status 4: conflict or lock.
const CONFLICT: &[&str] = &["lock_timeout", "version_conflict", "request_id_reused"];

/// Exit status 5: the disk or a damaged file.
const DISK: &[&str] = &["io", "damaged", "newer_format", "read_only"];

/// Every code that a table names; `invalid_<field>` stands for many more.
pub fn codes() -> impl Iterator<Item = &'static str> {
    [REFUSED, BAD_USAGE, NOT_FOUND, CONFLICT, DISK].into_iter().flatten().copied()
}

/// The exit status of a code. One that no table names is a refusal.
pub fn exit_status(code: &str) -> u8 {
    let tables = [(1, REFUSED), (2, BAD_USAGE), (3, NOT_FOUND), (4, CONFLICT), (5, DISK)];
    match tables.into_iter().find(|(_, codes)| codes.contains(&code)) {
        Some((status, _)) => status,
        None if code.starts_with("invalid_") => 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of interfaces.md, "Codes", written out once more.
    const SPECIFIED: &str = "
        1: gate_unmet slots_pending saturation_doubtful at_last_phase would_close already_closed
           paused not_closed not_paused question_open question_closed too_many_questions
           nothing_to_cut no_default slot_busy no_turn turn_ambiguous not_slot_owner operator_only
           reason_required phase_not_reached body_too_large addresses_required coverage_required
           invalid_protocol stop_already_true verify_unconfigured verify_running
           command_not_trusted variable_not_trusted undo_unsafe no_follow_up nothing_to_undo nothing_to_redo not_a_commit_boundary
           session_closed unknown_status stale_evidence turn_contradiction workspace_dirty
           not_dispatchable integrate_required merge_conflict store_touched spawn_failed interrupted no_data insufficient_data
        2: usage invalid_type invalid_body invalid_subtype invalid_outcome invalid_title
           invalid_kind invalid_status invalid_question invalid_answer invalid_reward
           invalid_verify invalid_mode invalid_max_chars preset_kind_mismatch
        3: loop_not_found slot_not_found no_such_role unknown_phase unknown_critique
           unknown_artifact unknown_question unknown_preset unknown_template unknown_seq
           session_not_found item_not_found agent_not_found no_workspace ambiguous_id no_dream
           dream_not_found insight_not_found
        4: lock_timeout version_conflict request_id_reused
        5: io damaged newer_format read_only";

    #[test]
    fn every_code_has_the_exit_status_of_its_class() {
        let mut status = 0;
        let mut seen = 0;
        for word in SPECIFIED.split_whitespace() {
            if let Some(number) = word.strip_suffix(':') {
                status = number.parse().expect("a number");
            } else {
                assert_eq!(exit_status(word), status, "{word}");
                seen += 1;
            }
        }
        let all = REFUSED.len() + BAD_USAGE.len() + NOT_FOUND.len() + CONFLICT.len() + DISK.len();
        assert_eq!(seen, all + 13, "the thirteen invalid_<field> codes follow from their prefix");
    }

    #[test]
    fn no_code_stands_in_two_classes() {
        let mut all: Vec<_> =
            [REFUSED, BAD_USAGE, NOT_FOUND, CONFLICT, DISK].concat().into_iter().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
