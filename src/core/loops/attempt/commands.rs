//! What can be asked of an attempt. The engine says these, step by step; people
//! and agents say dispatch, harvest, takeover and sweep.

use serde::{Deserialize, Serialize};

use super::super::command::NewArtifact;
use super::super::event::Outcome;
use super::super::ids::TurnId;
use super::{Process, Worktree};

/// What a worker signs with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The run that it was started for.
    pub run_id: String,
    /// The nonce that it was given.
    pub nonce: String,
}

/// What a reviewer's reply comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// The change is accepted.
    Approve,
    /// The change is sent back.
    RequestChanges,
}

/// A worker's reply, as it was read, and how its worker ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The turn that it speaks of, as written.
    pub turn_id: String,
    /// What it is signed with.
    pub proof: Proof,
    /// How it says that the turn went.
    pub outcome: Outcome,
    /// What it brought.
    pub artifacts: Vec<NewArtifact>,
    /// What it says about the change under review.
    pub verdict: Option<ReviewVerdict>,
    /// The words beside that.
    pub review_summary: Option<String>,
    /// The words about the whole.
    pub summary: Option<String>,
    /// How its worker failed, if it did: an exit status, a signal.
    pub failure: Option<String>,
    /// SHA-256 of the reply.
    pub sha256: String,
    /// Whether what it changed is in the workspace: a turn that writes converges
    /// only so.
    pub integrated: bool,
    /// Which generation's folder it was found in.
    pub found_in: Option<u32>,
}

/// A step of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum AttemptCommand {
    /// Give a slot's turn to an agent whose brief is handed over in the same
    /// breath; no worker is started.
    HandOver {
        /// Which slot.
        slot: String,
    },
    /// Take a slot's turn for a worker. Again finds the same attempt.
    Reserve {
        /// Which slot.
        slot: String,
        /// The agent; absent = the slot's own.
        agent: Option<String>,
    },
    /// Decide that it is to be launched.
    Commit {
        /// The turn.
        turn: TurnId,
    },
    /// Decide that it never will be.
    Abort {
        /// The turn.
        turn: TurnId,
        /// Why.
        reason: String,
    },
    /// Make the next generation ready.
    Arm {
        /// The turn.
        turn: TurnId,
        /// SHA-256 of its nonce.
        nonce_sha256: String,
        /// How long it may be crossed, in milliseconds.
        lease_ms: u64,
        /// Where it works, if not in the workspace itself.
        worktree: Option<Worktree>,
        /// Who arms it.
        launcher: Option<Process>,
    },
    /// Decide that its worker is started now. Only who armed it can.
    Cross {
        /// The turn.
        turn: TurnId,
        /// Which generation.
        epoch: u32,
        /// Its nonce.
        #[serde(skip)]
        nonce: String,
    },
    /// Decide that it never will be crossed.
    Revoke {
        /// The turn.
        turn: TurnId,
        /// Which generation.
        epoch: u32,
        /// Why.
        reason: String,
    },
    /// Say which process works.
    Spawned {
        /// The turn.
        turn: TurnId,
        /// Which generation.
        epoch: u32,
        /// The process.
        process: Process,
    },
    /// Say that none could be started.
    SpawnFailed {
        /// The turn.
        turn: TurnId,
        /// Which generation.
        epoch: u32,
        /// What the system said.
        error: String,
    },
    /// Take a reply.
    Accept {
        /// The turn that it was found for.
        turn: TurnId,
        /// The reply.
        evidence: Box<Evidence>,
    },
    /// Turn a reply away that could not even be read.
    Reject {
        /// The turn that it was found for.
        turn: TurnId,
        /// Which generation's folder it was found in.
        epoch: u32,
        /// Why.
        reason: String,
        /// SHA-256 of the reply.
        sha256: String,
    },
    /// Say that a worker ended without a reply.
    NoReply {
        /// The turn.
        turn: TurnId,
        /// Which generation.
        epoch: u32,
        /// How it ended.
        failure: String,
    },
    /// End a slot's running generation, so that the next can be armed.
    TakeOver {
        /// Which slot.
        slot: String,
        /// Why.
        cause: String,
    },
    /// Revoke generations whose lease has passed.
    Sweep,
}

impl AttemptCommand {
    /// The verb as the command line calls it.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::HandOver { .. } => "turn",
            Self::Accept { .. } | Self::Reject { .. } | Self::NoReply { .. } => "harvest",
            Self::TakeOver { .. } => "takeover",
            Self::Sweep => "sweep",
            _ => "dispatch",
        }
    }
}
