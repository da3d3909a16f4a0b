//! Conditions: what must be true before a phase is left or a loop ends (engine.md §4).

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, IntoStaticStr};

use super::ids::Name;

/// Which artifacts a count looks at.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    /// Those of the current phase and the current iteration.
    #[default]
    Phase,
    /// Those of all phases and rounds.
    Loop,
}

/// A condition, an atom or a composition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Condition {
    /// The current phase is this one.
    PhaseReached {
        /// The phase.
        phase: Name,
    },
    /// The reviewers accepted this round.
    ReviewerGreen,
    /// At least n rounds are finished: the cap.
    MaxIterations {
        /// How many.
        n: u32,
    },
    /// At least n rounds are finished: the floor.
    MinIterations {
        /// How many.
        n: u32,
    },
    /// A phase holds an artifact of a type, in any iteration.
    ArtifactProduced {
        /// The phase.
        phase: Name,
        /// The artifact type.
        #[serde(rename = "type")]
        artifact_type: Name,
    },
    /// At least n different artifacts of a type.
    MinArtifactsByType {
        /// The artifact type.
        #[serde(rename = "type")]
        artifact_type: Name,
        /// How many.
        n: u32,
        /// Which ones are looked at.
        #[serde(default)]
        scope: Scope,
    },
    /// No question waits for an answer.
    NoOpenQuestions,
    /// Never by itself.
    Manual,
    /// One of them holds.
    Any {
        /// At least one.
        conditions: Vec<Condition>,
    },
    /// All of them hold.
    All {
        /// At least one.
        conditions: Vec<Condition>,
    },
}

impl Condition {
    /// The name of this kind of condition on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Condition::PhaseReached { .. } => "phase_reached",
            Condition::ReviewerGreen => "reviewer_green",
            Condition::MaxIterations { .. } => "max_iterations",
            Condition::MinIterations { .. } => "min_iterations",
            Condition::ArtifactProduced { .. } => "artifact_produced",
            Condition::MinArtifactsByType { .. } => "min_artifacts_by_type",
            Condition::NoOpenQuestions => "no_open_questions",
            Condition::Manual => "manual",
            Condition::Any { .. } => "any",
            Condition::All { .. } => "all",
        }
    }

    /// The conditions that this one is composed of; empty for an atom.
    pub fn children(&self) -> &[Condition] {
        match self {
            Condition::Any { conditions } | Condition::All { conditions } => conditions,
            _ => &[],
        }
    }

    /// The least `n` of the `max_iterations` atoms in it.
    pub fn iteration_cap(&self) -> Option<u32> {
        match self {
            Condition::MaxIterations { n } => Some(*n),
            _ => self.children().iter().filter_map(Condition::iteration_cap).min(),
        }
    }

    /// Changes the `n` of every `max_iterations` atom in it.
    pub fn map_caps(&mut self, change: &impl Fn(u32) -> u32) {
        match self {
            Condition::MaxIterations { n } => *n = change(*n),
            Condition::Any { conditions } | Condition::All { conditions } => {
                conditions.iter_mut().for_each(|c| c.map_caps(change));
            }
            _ => {}
        }
    }
}
