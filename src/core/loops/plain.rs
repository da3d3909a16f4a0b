//! What conditions, refusals and changes say to people.
//!
//! The reasons that are stored and that `--json` prints are a contract: they report
//! what the evaluator counted, in its own words (engine.md §4). Here they become
//! sentences, the same for the command line and the deck. What has none of the known
//! forms is said as it stands.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::condition::{Condition, Scope};
use super::event::AmendedFields;
use super::explain::Node;
use super::model::{Linked, Slot};
use crate::core::text::{plural, with_article};

/// What is said of things that are missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// Nothing else is: with them the gate opens.
    Opens,
    /// Something else may be too.
    Needed,
    /// It was so, and the gate was passed all the same.
    Lacked,
}

impl Missing {
    /// `1 more opens the gate`, `2 more are needed`.
    fn said(self, count: u32) -> String {
        match (self, count) {
            (Missing::Opens, 1) => "1 more opens the gate".to_owned(),
            (Missing::Opens, n) => format!("{n} more open the gate"),
            (Missing::Lacked, 1) => "1 was missing".to_owned(),
            (Missing::Lacked, n) => format!("{n} were missing"),
            (Missing::Needed, 1) => "1 more is needed".to_owned(),
            (Missing::Needed, n) => format!("{n} more are needed"),
        }
    }
}

/// What was evaluated, as people say it: `critiques: 2 of 3 this round; 1 more is
/// needed` for `min_artifacts_by_type unmet: phase-scope count of type "critique" = 2
/// < n=3`.
pub fn reason(text: &str) -> String {
    said(text, Missing::Needed)
}

/// Why a gate is shut, from its unmet reasons. Where there is one alone, what is
/// missing of it opens the gate.
pub fn reasons<S: AsRef<str>>(unmet: &[S]) -> String {
    let missing = if unmet.len() == 1 { Missing::Opens } else { Missing::Needed };
    unmet.iter().map(|text| said(text.as_ref(), missing)).collect::<Vec<_>>().join("; ")
}

/// What was missing of a gate that was passed by force.
pub fn skipped<S: AsRef<str>>(unmet: &[S]) -> String {
    let lacked = unmet.iter().map(|text| said(text.as_ref(), Missing::Lacked));
    lacked.collect::<Vec<_>>().join("; ")
}

/// The same as [`reasons`] from the lines of a journaled refusal.
pub fn journaled(gate_reason: &str) -> String {
    reasons(&gate_reason.lines().collect::<Vec<_>>())
}

/// What a node of a gate says: of one that is the whole gate also what opens it.
pub fn node(node: &Node, whole_gate: bool) -> String {
    let alone = whole_gate && node.conditions.is_empty();
    said(&node.text, if alone { Missing::Opens } else { Missing::Needed })
}

/// A refusal's sentence with the reasons in it as people say them.
pub fn refusal<'m>(code: &str, message: &'m str, details: &Map<String, Value>) -> Cow<'m, str> {
    let (told, plain) = match code {
        "gate_unmet" => {
            let Some(unmet) = details.get("unmet").and_then(Value::as_array) else {
                return message.into();
            };
            let unmet: Vec<&str> = unmet.iter().filter_map(Value::as_str).collect();
            (unmet.join("; "), reasons(&unmet))
        }
        "at_last_phase" => {
            let Some(stop) = details.get("stop").and_then(Value::as_str) else {
                return message.into();
            };
            (stop.to_owned(), stop.split("; ").map(reason).collect::<Vec<_>>().join("; "))
        }
        _ => return message.into(),
    };
    if told.is_empty() { message.into() } else { message.replacen(&told, &plain, 1).into() }
}

fn said(text: &str, missing: Missing) -> String {
    let (head, met, rest) = match text.split_once(" unmet: ") {
        Some((head, rest)) => (head, false, rest),
        None => match text.split_once(": ") {
            Some((head, rest)) => (head, true, rest),
            None => (text, true, ""),
        },
    };
    let plain = match head {
        "min_artifacts_by_type" => Count::read(rest).map(|count| count.said(met, missing)),
        "artifact_produced" => produced(rest),
        "phase_reached" => reached(rest),
        "reviewer_green" if met => Some(format!("the reviewers {rest}")),
        "reviewer_green" | "max_iterations" | "min_iterations" | "command_green" | "manual" => {
            Some(rest.to_owned())
        }
        "no_open_questions" if met => Some("no question is open".to_owned()),
        "no_open_questions" => Some(rest.to_owned()),
        "any of" if rest.is_empty() => Some("one of these".to_owned()),
        "all of" if rest.is_empty() => Some("all of these".to_owned()),
        _ => None,
    };
    plain.unwrap_or_else(|| text.to_owned())
}

/// A count as its reason tells it.
struct Count<'t> {
    scope: &'t str,
    kind: &'t str,
    counted: u32,
    needed: u32,
    ignored: Vec<String>,
    /// Lanes that have none of their own.
    lanes: Option<&'t str>,
}

impl<'t> Count<'t> {
    /// Reads `phase-scope count of type "critique" = 2 < n=3 (1 duplicate)`.
    fn read(text: &'t str) -> Option<Self> {
        let (scope, rest) = text.split_once("-scope count of type \"")?;
        let (kind, rest) = rest.split_once("\" = ")?;
        let (counted, rest) = rest.split_once(' ')?;
        let (_, rest) = rest.split_once("n=")?;
        let (needed, remarks) = rest.split_once(' ').unwrap_or((rest, ""));
        let (counted, needed) = (counted.parse().ok()?, needed.parse().ok()?);
        let mut count = Self { scope, kind, counted, needed, ignored: Vec::new(), lanes: None };
        let remarks = remarks.trim().trim_start_matches('(').trim_end_matches(')');
        for remark in remarks.split(") (").filter(|remark| !remark.is_empty()) {
            match remark.strip_prefix("none from lane ") {
                Some(lanes) => count.lanes = Some(lanes),
                None => count.ignored.push(not_counted(remark)),
            }
        }
        Some(count)
    }

    fn said(&self, met: bool, missing: Missing) -> String {
        let (counted, needed) = (self.counted, self.needed);
        let name = if needed == 1 { self.kind.replace('_', " ") } else { many(self.kind) };
        let scope = if self.scope == "loop" { "in the whole loop" } else { "this round" };
        let mut text = match counted > needed {
            true => format!("{name}: {counted} {scope}, {needed} needed"),
            false => format!("{name}: {counted} of {needed} {scope}"),
        };
        if !self.ignored.is_empty() {
            text.push_str(&format!(" (not counted: {})", self.ignored.join(", ")));
        }
        if !met && counted < needed {
            text.push_str(&format!("; {}", missing.said(needed - counted)));
        }
        if let Some(lanes) = self.lanes {
            text.push_str(&format!("; none from lane {lanes} yet"));
        }
        text
    }
}

/// A remark behind a count, in a few words.
fn not_counted(remark: &str) -> String {
    let count = remark.split(' ').next().unwrap_or_default();
    if remark.contains("no usable content") {
        format!("{count} blank")
    } else if remark.contains("another round") {
        format!("{count} from another round")
    } else {
        remark.to_owned()
    }
}

/// `no artifact of type "repro" in phase "reproduce"`, or that there is one.
fn produced(rest: &str) -> Option<String> {
    if let Some(rest) = rest.strip_prefix("no artifact of type \"") {
        let (kind, rest) = rest.split_once("\" in phase \"")?;
        return Some(format!(
            "no {} in {} yet",
            kind.replace('_', " "),
            rest.trim_end_matches('"')
        ));
    }
    let (phase, rest) =
        rest.strip_prefix("phase \"")?.split_once("\" has an artifact of type \"")?;
    Some(format!("{phase} has {}", with_article(&rest.trim_end_matches('"').replace('_', " "))))
}

/// `current phase is "x", expected "y"`, or that it is there.
fn reached(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix("current phase is \"")?.trim_end_matches('"');
    Some(match rest.split_once("\", expected \"") {
        Some((_, phase)) => format!("the phase {phase} is not reached yet"),
        None => format!("the phase {rest} is reached"),
    })
}

/// A condition as people say it.
pub fn condition(condition: &Condition) -> String {
    match condition {
        Condition::MinArtifactsByType { artifact_type, n, scope } => {
            let things = things(*n, artifact_type);
            match scope {
                Scope::Phase => format!("{things} this round"),
                Scope::Loop => format!("{things} in the whole loop"),
            }
        }
        Condition::ArtifactProduced { phase, artifact_type } => {
            format!("{} in {phase}", with_article(&artifact_type.replace('_', " ")))
        }
        Condition::PhaseReached { phase } => format!("the phase {phase}"),
        Condition::ReviewerGreen => "the reviewers' acceptance".to_owned(),
        Condition::MaxIterations { n } | Condition::MinIterations { n } => {
            things(*n, "finished round")
        }
        Condition::NoOpenQuestions => "no open question".to_owned(),
        Condition::Manual => "a close by hand".to_owned(),
        Condition::Any { conditions } => joined(conditions, " or "),
        Condition::All { conditions } => joined(conditions, " and "),
    }
}

fn joined(conditions: &[Condition], word: &str) -> String {
    conditions.iter().map(condition).collect::<Vec<_>>().join(word)
}

fn things(n: u32, name: &str) -> String {
    plural(n as usize, &name.replace('_', " "), &many(name))
}

/// Several of a type: `plan drafts`, `hypotheses`, `change summaries`.
fn many(name: &str) -> String {
    let name = name.replace('_', " ");
    match name.strip_suffix("sis").map(|stem| format!("{stem}ses")) {
        Some(many) => many,
        None if name.ends_with("ed") || name.ends_with('s') => name,
        None => match name.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o'])) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{name}s"),
        },
    }
}

/// What an amendment changed, in words.
pub fn amended(before: &AmendedFields, after: &AmendedFields) -> String {
    let mut out: Vec<String> = Vec::new();
    let named = [
        (after.title.is_some(), "title"),
        (after.goal.is_some(), "goal"),
        (after.domain.is_some(), "domain"),
        (after.verify.is_some(), "verify command"),
    ];
    out.extend(named.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()));
    if let Some(max) = after.max_rounds {
        out.push(match before.max_rounds {
            Some(was) => format!("rounds {was} → {max}"),
            None => format!("rounds up to {max}"),
        });
    }
    if let Some(slots) = &after.slots {
        out.push(slots_changed(before.slots.as_deref().unwrap_or_default(), slots));
    }
    if let Some(links) = &after.linked {
        out.push(format!("ties {}", linked(links)));
    }
    if out.is_empty() { "nothing that shows".to_owned() } else { out.join(", ") }
}

/// Which slots came, went or got another agent.
fn slots_changed(before: &[Slot], after: &[Slot]) -> String {
    let find = |slots: &[Slot], slot: &Slot| {
        slots.iter().find(|other| other.slot_id == slot.slot_id).cloned()
    };
    let name = |slot: &Slot| match &slot.agent {
        Some(agent) => format!("{}={agent}", slot.role),
        None => slot.role.to_string(),
    };
    let came = after.iter().filter(|slot| find(before, slot).is_none());
    let mut out: Vec<String> = came.map(|slot| format!("+{}", name(slot))).collect();
    let gone = before.iter().filter(|slot| find(after, slot).is_none());
    out.extend(gone.map(|slot| format!("-{}", name(slot))));
    let given =
        after.iter().filter(|slot| find(before, slot).is_some_and(|b| b.agent != slot.agent));
    out.extend(given.map(&name));
    if out.is_empty() { "slots".to_owned() } else { format!("slots {}", out.join(" ")) }
}

/// What a loop is tied to.
pub fn linked(linked: &Linked) -> String {
    let mut out = Vec::new();
    let mut list = |ids: &[String], one: &str, many: &str| match ids {
        [] => {}
        [id] => out.push(format!("{one} {id}")),
        ids => out.push(format!("{many} {}", ids.join(", "))),
    };
    list(&linked.plan_ids, "plan", "plans");
    list(&linked.sequence_ids, "sequence", "sequences");
    out.extend(linked.source_loop_id.iter().map(|id| format!("loop {id}")));
    out.extend(linked.session_id.iter().map(|id| format!("session {id}")));
    if out.is_empty() { "to nothing any more".to_owned() } else { format!("to {}", out.join(", ")) }
}

#[cfg(test)]
mod tests;
