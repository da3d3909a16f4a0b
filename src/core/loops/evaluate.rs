//! The one evaluator of conditions (engine.md §4).
//!
//! Gate, stop, hint, explainer and preview all ask here, so they cannot
//! disagree. With [`Detail::Full`] a leaf also lists what counts and what
//! doesn't; the verdict is the same either way.

use std::sync::Arc;

use super::condition::{Condition, Scope};
use super::explain::{Ignored, Node};
use super::green::{lanes, speaks_for};
use super::ids::Name;
use super::model::{Artifact, Loop};
use super::verdicts;
use crate::core::text::plural;

pub use super::green::{asks_for_green, command_green, exit, is_stale, latest_report};

/// The labels that a critique may carry. As artifact *types* they count nowhere.
pub const CRITIQUE_SUBTYPES: [&str; 3] = ["memory_conflict", "coverage_gap", "scope_creep"];

/// What a condition is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To leave a phase.
    Gate,
    /// To end the loop: artifacts from before a reopen don't count.
    Stop,
    /// To end the loop, as if it had no round cap: tells success from the cap.
    StopWithoutCap,
}

/// How much a leaf tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Counts and reasons.
    Counts,
    /// Also which artifacts.
    Full,
}

/// Evaluates conditions on one state of a loop.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    state: &'a Loop,
    purpose: Purpose,
    detail: Detail,
}

/// How artifacts of one type count in a window.
#[derive(Default)]
struct Count {
    counted: u32,
    blank: u32,
    other_round: u32,
    duplicates: u32,
    narrated: u32,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for a purpose.
    pub fn new(state: &'a Loop, purpose: Purpose, detail: Detail) -> Self {
        Self { state, purpose, detail }
    }

    /// A condition as it stands.
    pub fn node(&self, condition: &Condition) -> Node {
        match condition {
            Condition::Any { conditions } => self.composed("any", conditions),
            Condition::All { conditions } => self.composed("all", conditions),
            Condition::PhaseReached { phase } => self.phase_reached(phase),
            Condition::ReviewerGreen => self.reviewer_green(),
            Condition::MaxIterations { n } => {
                let holds = self.purpose != Purpose::StopWithoutCap;
                self.iterations("max_iterations", *n, holds)
            }
            Condition::MinIterations { n } => self.iterations("min_iterations", *n, true),
            Condition::ArtifactProduced { phase, artifact_type } => {
                self.artifact_produced(phase, artifact_type)
            }
            Condition::MinArtifactsByType { artifact_type, n, scope } => {
                self.min_artifacts(artifact_type, *n, *scope)
            }
            Condition::NoOpenQuestions => self.no_open_questions(),
            Condition::Manual => leaf("manual", false, "manual: closes only by hand".to_owned()),
        }
    }

    fn composed(&self, kind: &str, parts: &[Condition]) -> Node {
        let conditions: Vec<Node> = parts.iter().map(|part| self.node(part)).collect();
        let met = if kind == "any" {
            conditions.iter().any(|c| c.met)
        } else {
            conditions.iter().all(|c| c.met)
        };
        let text = if kind == "any" { "any of" } else { "all of" };
        Node { conditions, ..leaf(kind, met, text.to_owned()) }
    }

    fn phase_reached(&self, phase: &Name) -> Node {
        let current = &self.state.current_phase;
        let met = current == phase;
        let text = if met {
            format!("phase_reached: current phase is {phase:?}")
        } else {
            format!("phase_reached unmet: current phase is {current:?}, expected {phase:?}")
        };
        leaf("phase_reached", met, text)
    }

    fn iterations(&self, kind: &'static str, n: u32, holds: bool) -> Node {
        let finished = self.state.iteration_count;
        let met = holds && finished >= n;
        let shown = finished.min(n);
        let text = if met {
            format!("{kind}: {shown} of {} finished", plural(n as usize, "round", "rounds"))
        } else {
            format!("{kind} unmet: {shown} of {} finished", plural(n as usize, "round", "rounds"))
        };
        Node { counted: Some(finished), needed: Some(n), ..leaf(kind, met, text) }
    }

    fn no_open_questions(&self) -> Node {
        let open = self.state.open_questions.len();
        let text = if open == 0 {
            "no_open_questions: none open".to_owned()
        } else {
            format!("no_open_questions unmet: {} still open", plural(open, "question", "questions"))
        };
        leaf("no_open_questions", open == 0, text)
    }

    fn reviewer_green(&self) -> Node {
        let (review, round) = (verdicts::review(self.state, self.floor()), self.state.round());
        let text = match &review.unmet {
            None => format!("reviewer_green: accepted in round {round}"),
            Some(reason) => format!("reviewer_green unmet: {reason}"),
        };
        let mut node = leaf("reviewer_green", review.unmet.is_none(), text);
        if self.detail == Detail::Full {
            node.counts = review.counting.iter().map(|a| a.artifact_id.clone()).collect();
            node.ignored = self.verdicts_that_dont_count(&node.counts);
        }
        node
    }

    fn verdicts_that_dont_count(&self, counts: &[super::ids::ArtifactId]) -> Vec<Ignored> {
        self.state
            .artifacts
            .iter()
            .filter(|a| &*a.artifact_type == "verdict" && !counts.contains(&a.artifact_id))
            .map(|a| {
                let why = match standing(a) {
                    Some(why) => why,
                    None if a.iteration != self.state.iteration_count => "other_round",
                    None if !a.reviewer_standing => "no_reviewer",
                    None => "older_verdict",
                };
                Ignored { artifact_id: a.artifact_id.clone(), why: why.to_owned() }
            })
            .collect()
    }

    fn artifact_produced(&self, phase: &Name, artifact_type: &Name) -> Node {
        let iterations: Vec<u32> = self.iterations_of(phase);
        let counted: u32 =
            iterations.iter().map(|i| self.count_in(phase, *i, artifact_type).counted).sum();
        let met = counted > 0;
        let text = if met {
            format!("artifact_produced: phase {phase:?} has an artifact of type {artifact_type:?}")
        } else {
            format!(
                "artifact_produced unmet: no artifact of type {artifact_type:?} in phase {phase:?}"
            )
        };
        let mut node = leaf("artifact_produced", met, text);
        node.counted = Some(counted.min(1));
        node.needed = Some(1);
        if self.detail == Detail::Full {
            self.list(&mut node, artifact_type, |a| a.phase == *phase);
        }
        node
    }

    fn min_artifacts(&self, artifact_type: &Name, n: u32, scope: Scope) -> Node {
        let count = match scope {
            Scope::Phase => {
                let phase = &self.state.current_phase;
                let now = self.state.iteration_count;
                let mut count = self.count_in(phase, now, artifact_type);
                count.other_round = self
                    .iterations_of(phase)
                    .into_iter()
                    .filter(|i| *i != now)
                    .map(|i| self.count_in(phase, i, artifact_type).counted)
                    .sum();
                count
            }
            Scope::Loop => self.count_everywhere(artifact_type),
        };
        let missing = self.lanes_without(artifact_type, scope);
        let met = count.counted >= n && missing.is_empty();
        let head = format!(
            "min_artifacts_by_type{}: {scope}-scope count of type {artifact_type:?} = {}",
            if met { "" } else { " unmet" },
            count.counted
        );
        let text = if met {
            format!("{head} >= n={n}")
        } else {
            let sign = if count.counted < n { "<" } else { ">=" };
            let lanes = match missing.is_empty() {
                true => String::new(),
                false => format!(" (none from lane {})", missing.join(", ")),
            };
            format!("{head} {sign} n={n}{}{lanes}", count.remarks())
        };
        let mut node = leaf("min_artifacts_by_type", met, text);
        let short = u32::try_from(missing.len()).unwrap_or(u32::MAX);
        node.counted = Some(count.counted);
        node.needed = Some(n.max(count.counted.saturating_add(short)));
        if short == 0 {
            node.needed = Some(n);
        }
        if self.detail == Detail::Full {
            let (phase, now) = (&self.state.current_phase, self.state.iteration_count);
            self.list(&mut node, artifact_type, |a| {
                scope == Scope::Loop || (a.phase == *phase && a.iteration == now)
            });
        }
        node
    }

    /// The lanes that have no report of their own in this phase and round: a
    /// gate of a loop with lanes wants one from each (engine.md §6, bind).
    fn lanes_without(&self, artifact_type: &str, scope: Scope) -> Vec<String> {
        if artifact_type != "verify_report" || scope != Scope::Phase {
            return Vec::new();
        }
        let phase = &self.state.current_phase;
        let reports: Vec<_> = self
            .state
            .artifacts_in(phase, self.state.iteration_count)
            .filter(|a| &*a.artifact_type == artifact_type && a.counts() && a.seq > self.floor())
            .filter(|a| !self.is_narrated(a))
            .collect();
        let without = |lane: &&Name| !reports.iter().any(|a| speaks_for(self.state, a, lane));
        lanes(self.state).into_iter().filter(without).map(|lane| lane.to_string()).collect()
    }

    /// The iterations in which a phase holds something.
    fn iterations_of(&self, phase: &Name) -> Vec<u32> {
        self.state.index.places().filter(|(p, _)| *p == phase).map(|(_, i)| i).collect()
    }

    fn count_everywhere(&self, artifact_type: &Name) -> Count {
        let mut total = Count::default();
        for (phase, iteration) in self.state.index.places() {
            let count = self.count_in(phase, iteration, artifact_type);
            total.counted += count.counted;
            total.blank += count.blank;
            total.duplicates += count.duplicates;
            total.narrated += count.narrated;
        }
        total
    }

    /// Counts a type in a phase and iteration: from the tally where every
    /// artifact has the same say, one by one where some don't.
    fn count_in(&self, phase: &Name, iteration: u32, artifact_type: &Name) -> Count {
        let by_hand = self.floor() > 0 || self.narrated_dont_count(artifact_type);
        if !by_hand {
            return match self.state.index.tally(phase, iteration, artifact_type) {
                None => Count::default(),
                Some(tally) => Count {
                    counted: tally.distinct(),
                    blank: tally.blank(),
                    duplicates: tally.duplicates(),
                    ..Count::default()
                },
            };
        }
        let mut count = Count::default();
        let mut seen = std::collections::HashSet::new();
        for artifact in self.state.artifacts_in(phase, iteration) {
            if artifact.artifact_type != *artifact_type || artifact.seq <= self.floor() {
                continue;
            }
            if !artifact.counts() {
                count.blank += u32::from(is_blank(artifact));
            } else if self.is_narrated(artifact) {
                count.narrated += 1;
            } else if seen.insert((artifact.produced_by.clone(), artifact.text_key.clone())) {
                count.counted += 1;
            } else {
                count.duplicates += 1;
            }
        }
        count
    }

    fn floor(&self) -> u64 {
        if self.purpose == Purpose::Gate { 0 } else { self.state.stop_floor }
    }

    fn narrated_dont_count(&self, artifact_type: &str) -> bool {
        artifact_type == "verify_report" && self.state.protocol.verify.is_some()
    }

    pub(super) fn is_narrated(&self, artifact: &Artifact) -> bool {
        self.narrated_dont_count(&artifact.artifact_type)
            && artifact.report.as_ref().is_none_or(|r| r.narrated)
    }

    /// Fills in which artifacts of a type count in a window and which don't.
    fn list(&self, node: &mut Node, artifact_type: &str, window: impl Fn(&Artifact) -> bool) {
        let mut seen = std::collections::HashSet::new();
        for artifact in self.state.artifacts.iter().filter(|a| &*a.artifact_type == artifact_type) {
            let sameness = (
                artifact.phase.clone(),
                artifact.iteration,
                artifact.produced_by.clone(),
                artifact.text_key.clone(),
            );
            let why = if let Some(why) = standing(artifact) {
                Some(why)
            } else if artifact.seq <= self.floor() {
                Some("before_reopen")
            } else if !window(artifact) {
                Some(self.outside(artifact))
            } else if self.is_narrated(artifact) {
                Some("narrated")
            } else if !seen.insert(sameness) && node.kind == "min_artifacts_by_type" {
                Some("duplicate")
            } else {
                None
            };
            match why {
                None => node.counts.push(artifact.artifact_id.clone()),
                Some(why) => node.ignored.push(Ignored {
                    artifact_id: artifact.artifact_id.clone(),
                    why: why.to_owned(),
                }),
            }
        }
    }

    fn outside(&self, artifact: &Artifact) -> &'static str {
        if artifact.phase == self.state.current_phase { "other_round" } else { "other_phase" }
    }
}

impl Count {
    /// What is said behind an unmet count, in the order of engine.md §4.
    fn remarks(&self) -> String {
        let mut out = String::new();
        let mut say = |count: u32, one: &str, many: &str| {
            if count > 0 {
                out.push_str(&format!(" ({count} {})", if count == 1 { one } else { many }));
            }
        };
        say(
            self.blank,
            "of this type carries no usable content",
            "of this type carry no usable content",
        );
        say(
            self.other_round,
            "of this type belongs to another round",
            "of this type belong to another round",
        );
        say(self.duplicates, "duplicate", "duplicates");
        say(self.narrated, "narrated", "narrated");
        out
    }
}

/// Why an artifact counts nowhere, if so.
pub(super) fn standing(artifact: &Artifact) -> Option<&'static str> {
    if artifact.retracted.is_some() {
        Some("retracted")
    } else if artifact.superseded_by.is_some() {
        Some("superseded")
    } else if artifact.late {
        Some("late")
    } else if !artifact.usable {
        Some("blank")
    } else {
        None
    }
}

/// Whether it would count if it said something.
pub fn is_blank(artifact: &Artifact) -> bool {
    standing(artifact) == Some("blank")
}

pub(super) fn leaf(kind: &str, met: bool, text: String) -> Node {
    Node {
        kind: kind.to_owned(),
        met,
        text,
        counted: None,
        needed: None,
        counts: Vec::new(),
        ignored: Vec::new(),
        conditions: Vec::new(),
    }
}

/// One line for every leaf that keeps a condition from holding.
pub fn unmet_reasons(node: &Node) -> Vec<String> {
    if node.met {
        Vec::new()
    } else if node.conditions.is_empty() {
        vec![node.text.clone()]
    } else {
        node.conditions.iter().flat_map(unmet_reasons).collect()
    }
}

/// The gate of the current phase; none if it has none.
pub fn gate(state: &Loop, detail: Detail) -> Option<Node> {
    let condition = state.phase()?.advance_gate.as_ref()?;
    Some(Evaluator::new(state, Purpose::Gate, detail).node(condition))
}

/// The stop condition; none if there is none.
pub fn stop(state: &Loop, detail: Detail) -> Option<Node> {
    let condition = state.protocol.stop_condition.as_ref()?;
    Some(Evaluator::new(state, Purpose::Stop, detail).node(condition))
}

/// How a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With what it was for.
    Success,
    /// Only because of the round cap.
    Cap,
}

/// Whether the stop condition ends the loop in this state, and how: success
/// wins over the cap (engine.md §5, "How it closes").
pub fn ending(state: &Loop) -> Option<Ending> {
    let condition = state.protocol.stop_condition.as_ref()?;
    let holds = |purpose| Evaluator::new(state, purpose, Detail::Counts).node(condition).met;
    if !holds(Purpose::Stop) {
        None
    } else if holds(Purpose::StopWithoutCap) {
        Some(Ending::Success)
    } else {
        Some(Ending::Cap)
    }
}

/// The critiques of the current round that count, in any phase of it.
pub fn critiques_this_round(state: &Loop) -> Vec<&Arc<Artifact>> {
    this_round(state).filter(|a| &*a.artifact_type == "critique" && a.counts()).collect()
}

/// Whether the current round holds a critique that counts.
pub fn has_critique_this_round(state: &Loop) -> bool {
    counts_this_round(state, "critique")
}

/// Whether the current round holds a critic_signal.
pub fn has_critic_signal(state: &Loop) -> bool {
    counts_this_round(state, "critic_signal")
}

fn counts_this_round(state: &Loop, artifact_type: &str) -> bool {
    state.index.in_iteration(state.iteration_count, artifact_type).any(|t| t.counting() > 0)
}

/// The artifacts of the current round, phase by phase in the protocol's order.
pub fn this_round(state: &Loop) -> impl Iterator<Item = &Arc<Artifact>> {
    let now = state.iteration_count;
    state.protocol.phases.iter().flat_map(move |phase| state.artifacts_in(&phase.name, now))
}
