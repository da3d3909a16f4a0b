//! What happens to an attempt (engine.md §10).

use serde::{Deserialize, Serialize};

use super::super::ids::{AssignmentId, Name, RunId, SlotId, TurnId};
use super::{Process, Worktree};
use crate::core::time::Timestamp;

/// A turn is to be handed to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnReserved {
    /// The turn, assigned in the same commit.
    pub turn_id: TurnId,
    /// Its slot.
    pub slot_id: SlotId,
    /// The agent whose command is run.
    pub agent: Name,
    /// The phase.
    pub phase: Name,
    /// The iteration, 0-based.
    pub iteration: u32,
    /// Whether it may change files.
    #[serde(default)]
    pub writes: bool,
}

/// An attempt is to be launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnCommitted {
    /// The turn.
    pub turn_id: TurnId,
}

/// An attempt never will be launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnAborted {
    /// The turn.
    pub turn_id: TurnId,
    /// Why.
    pub reason: String,
}

/// A launch generation may be crossed until its lease passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchArmed {
    /// The turn.
    pub turn_id: TurnId,
    /// Its slot.
    pub slot_id: SlotId,
    /// Which generation, from 0.
    pub epoch: u32,
    /// Its assignment.
    pub assignment_id: AssignmentId,
    /// Its run.
    pub run_id: RunId,
    /// SHA-256 of its nonce.
    pub nonce_sha256: String,
    /// Until when it may be crossed.
    pub lease_until: Timestamp,
    /// Where it works, if not in the workspace itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// The process that armed it: once that is gone, nobody can cross it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<Process>,
}

/// A worker is about to be started, by whom this commit belongs to and nobody else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchCrossed {
    /// The turn.
    pub turn_id: TurnId,
    /// Which generation.
    pub epoch: u32,
}

/// A generation never will be crossed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchRevoked {
    /// The turn.
    pub turn_id: TurnId,
    /// Which generation.
    pub epoch: u32,
    /// Why (`reserved_never_launched` where its lease passed).
    pub reason: String,
}

/// A worker was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spawned {
    /// The turn.
    pub turn_id: TurnId,
    /// Its slot.
    pub slot_id: SlotId,
    /// Which generation.
    pub epoch: u32,
    /// The worker.
    #[serde(flatten)]
    pub process: Process,
}

/// The system refused to start a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpawnFailed {
    /// The turn.
    pub turn_id: TurnId,
    /// Which generation.
    pub epoch: u32,
    /// What it said.
    pub error: String,
}

/// A worker's reply was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceAccepted {
    /// The turn.
    pub turn_id: TurnId,
    /// Which generation.
    pub epoch: u32,
    /// SHA-256 of the reply.
    pub sha256: String,
}

/// A reply was turned away and set aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRejected {
    /// The turn that it was found for.
    pub turn_id: TurnId,
    /// Which generation's folder it was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
    /// Why.
    pub reason: String,
    /// SHA-256 of the reply.
    pub sha256: String,
}

/// A reply says that the turn was done, and its worker's end says that it failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnContradiction {
    /// The turn.
    pub turn_id: TurnId,
    /// Which generation.
    pub epoch: u32,
    /// How it failed.
    pub failure: String,
    /// SHA-256 of the reply.
    pub sha256: String,
}

/// A generation was ended from outside: what it delivers is stale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationSuperseded {
    /// The turn.
    pub turn_id: TurnId,
    /// Which generation.
    pub epoch: u32,
    /// By what.
    pub cause: String,
}
