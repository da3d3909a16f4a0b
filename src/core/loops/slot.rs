//! Slots and their turns (engine.md §1).

use imbl::Vector;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, IntoStaticStr};

use super::actor::Actor;
use super::ids::{Name, SlotId, TurnId};
use crate::core::time::Timestamp;

/// Where a slot stands in the present phase (engine.md §1).
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
pub enum SlotStatus {
    /// Nobody was asked yet.
    #[default]
    Open,
    /// A turn was given.
    Assigned,
    /// A worker runs, or the brief was handed over.
    Working,
    /// It asked a question.
    WaitingInput,
    /// Its turn ended.
    Done,
    /// Its turn ended without success.
    Failed,
    /// Its turn was called off.
    Cancelled,
}

/// Where a turn stands.
#[derive(
    Clone,
    Copy,
    Debug,
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
pub enum TurnState {
    /// Given.
    Assigned,
    /// Under way.
    Working,
    /// Waits for an answer.
    WaitingInput,
    /// Ended.
    Done,
    /// Ended without success.
    Failed,
    /// Called off.
    Cancelled,
    /// The phase moved on, or the loop closed, while it was live.
    Superseded,
}

impl TurnState {
    /// Whether the turn has not ended: assigned, working or waiting for input.
    pub fn is_live(self) -> bool {
        matches!(self, TurnState::Assigned | TurnState::Working | TurnState::WaitingInput)
    }
}

/// How a turn ended.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::AsRefStr,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// With what it was for, or with nothing new.
    #[default]
    Done,
    /// Without success.
    Failed,
    /// Called off.
    Cancelled,
}

/// One assignment of a slot to a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Its id.
    pub turn_id: TurnId,
    /// The phase that it belongs to.
    pub phase: Name,
    /// The iteration that it belongs to, 0-based.
    pub iteration: u32,
    /// How many turns the slot had in that phase and iteration before.
    pub n: u32,
    /// Where it stands.
    pub state: TurnState,
    /// Who took it.
    pub by: Actor,
    /// Since when.
    pub started_at: Timestamp,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// The seq of the event that assigned it.
    pub seq: u64,
    /// What it was told besides its brief.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Why it failed or was called off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it ended `done` with nothing filed by its actor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// Whether its result came after it was superseded or the loop closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}

/// A position played by a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Its id.
    pub slot_id: SlotId,
    /// The role that it plays.
    pub role: Name,
    /// The agent that it belongs to, if any.
    #[serde(default)]
    pub agent: Option<Name>,
    /// Where it stands in the present phase.
    #[serde(default)]
    pub status: SlotStatus,
    /// The profile that narrows what it sees.
    #[serde(default)]
    pub profile: Option<Name>,
    /// Its lane in an implementation.
    #[serde(default)]
    pub lane: Option<Name>,
    /// Paths that its work touches.
    #[serde(default)]
    pub scope_hint: Vec<String>,
    /// Plans that it carries out.
    #[serde(default)]
    pub plan_ids: Vec<String>,
    /// Steps of a sequence that it carries out.
    #[serde(default)]
    pub step_ids: Vec<String>,
    /// Whether it may not write, even in phases of work `write`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Who claimed it for the present phase, where it has no agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<Actor>,
    /// Its turns, oldest first.
    #[serde(default)]
    pub turns: Vector<Turn>,
}

impl Slot {
    /// The turn that has not ended, if any: only the newest can be.
    pub fn live_turn(&self) -> Option<&Turn> {
        self.turns.last().filter(|t| t.state.is_live())
    }

    /// The newest turn of a phase and iteration, cancelled and superseded ones left out.
    pub fn newest_turn(&self, phase: &str, iteration: u32) -> Option<&Turn> {
        // Iterations only grow, but for a reopen's one step back: older turns
        // cannot be meant, and a long history is not searched for nothing.
        self.turns.iter().rev().take_while(|t| t.iteration >= iteration).find(|t| {
            &*t.phase == phase
                && t.iteration == iteration
                && !matches!(t.state, TurnState::Cancelled | TurnState::Superseded)
        })
    }
}
