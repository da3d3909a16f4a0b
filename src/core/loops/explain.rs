//! Why a gate is shut and what would open it (engine.md §9).

use serde::Serialize;

use super::command::Ctx;
use super::ids::{ArtifactId, Name, SlotId};
use super::model::Loop;
use super::refusal::{NextStep, Refusal, Would};

/// An artifact that a leaf looked at and did not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Which.
    pub artifact_id: ArtifactId,
    /// `blank`, `duplicate`, `other_round`, `other_phase`, `other_type`,
    /// `narrated`, `stale_workspace`, `retracted`, `superseded`, `late`.
    pub why: String,
}

/// A condition as it was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// The condition's kind.
    pub kind: String,
    /// Whether it holds.
    pub met: bool,
    /// The condition in words; for an unmet leaf the unmet reason (§4).
    pub text: String,
    /// How many were counted, for a leaf that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u32>,
    /// How many are needed, for a leaf that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<u32>,
    /// The artifacts that count.
    pub counts: Vec<ArtifactId>,
    /// Those that don't, and why.
    pub ignored: Vec<Ignored>,
    /// The parts of a composition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Node>,
}

/// A gate or a stop condition as it was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluated {
    /// Whether it holds.
    pub met: bool,
    /// Its tree; absent when there is no condition.
    pub tree: Option<Node>,
}

/// A slot that advance waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Which.
    pub slot_id: SlotId,
    /// Its role.
    pub role: Name,
    /// The state of its newest turn.
    pub state: String,
    /// In words, with what to do.
    pub text: String,
}

/// The slot policy as it was evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlotsEvaluated {
    /// Whether it holds.
    pub met: bool,
    /// `all` or `any`.
    pub policy: String,
    /// What it waits for.
    pub waiting: Vec<Waiting>,
}

/// Why a loop stands where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// The phase.
    pub phase: Name,
    /// The iteration, 0-based.
    pub iteration: u32,
    /// The gate of the phase.
    pub gate: Evaluated,
    /// The slot policy.
    pub slots: SlotsEvaluated,
    /// The loop's stop condition.
    pub stop: Evaluated,
    /// What would count if it were a little different.
    pub near_misses: Vec<String>,
    /// The smallest set of actions that helps.
    pub next_steps: Vec<NextStep>,
    /// What `advance` would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would: Option<Would>,
    /// Why `advance` would be refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// Explains where a loop stands.
pub fn why(_state: &Loop, _ctx: &Ctx) -> Why {
    todo!()
}
