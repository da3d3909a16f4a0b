//! Turn attempts: a turn that is handed to a worker process (attempts.md).
//!
//! All of it is folded over every event of the loop's journal, undone ones too,
//! and never rewound: what was spent is never spent again.
//!
//! - `events` — what happens to an attempt; `commands` — what can be asked of
//!   one; `fold` — the one into the other;
//! - the rules are in `decide::attempts`.

mod commands;
mod events;
mod fold;
mod words;

use imbl::Vector;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, IntoStaticStr};

pub use commands::{AttemptCommand, Evidence, Proof, ReviewVerdict};
pub use events::*;
pub(super) use fold::fold;
pub use words::words;

use super::ids::{AssignmentId, Name, RunId, SlotId, TurnId};
use super::model::{Loop, Slot, SlotStatus, Turn, TurnState};
use crate::core::time::Timestamp;

/// The first decision about an attempt; made once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Commitment {
    /// Reserved; nothing is decided.
    #[default]
    Prepared,
    /// It is to be launched.
    Committed,
    /// It never will be.
    Aborted,
}

/// The decision about one launch generation; made once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Launch {
    /// Somebody may cross until the lease passes.
    Armed,
    /// A worker was, or may have been, started. Never again for this generation.
    Crossed,
    /// Nobody may cross any more.
    Revoked,
}

/// A process, told apart from later ones with the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it was started, as its system says it; only for comparing.
    pub start_time: String,
    /// The machine that it runs on.
    pub host: String,
}

/// Where a turn that writes does its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// Its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
}

/// One launch of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Which, from 0.
    pub epoch: u32,
    /// Its assignment.
    pub assignment_id: AssignmentId,
    /// Its run.
    pub run_id: RunId,
    /// SHA-256 of the nonce that only its worker was given.
    pub nonce_sha256: String,
    /// Where its launch decision stands.
    pub launch: Launch,
    /// Until when it may be crossed.
    pub lease_until: Timestamp,
    /// The process that armed it and alone can cross it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<Process>,
    /// When it was armed.
    pub armed_at: Timestamp,
    /// When it was crossed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crossed_at: Option<Timestamp>,
    /// Where it works, if not in the workspace itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// Its worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// Why no worker could be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawn_error: Option<String>,
    /// The evidence that it brought: SHA-256 of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// The event that took it, the newest such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_seq: Option<u64>,
    /// Why its reply and its end contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
    /// Why the reply that lay in its folder was turned away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned_away: Option<String>,
    /// Why it was ended from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<String>,
}

/// Why a generation is superseded whose turn was undone (engine.md §6, "undo").
pub const UNDONE: &str = "undone";
/// Why one is whose turn the operator completed (attempts.md, "Verbs").
pub const BY_HAND: &str = "completed by hand";

/// Why what a generation brings is turned away that was ended from outside, in
/// words that need no knowledge of generations.
pub fn shut_out_words(cause: &str) -> String {
    match cause {
        UNDONE => "its worker was shut out when its turn was undone".to_owned(),
        BY_HAND => "its worker was shut out when its turn was completed by hand".to_owned(),
        cause => format!("its worker was shut out: {cause}"),
    }
}

impl Generation {
    /// Whether it was ended for good: what is spent stays spent, whatever is
    /// undone.
    pub fn is_spent(&self) -> bool {
        self.launch == Launch::Revoked || self.spawn_error.is_some() || self.superseded.is_some()
    }

    /// Whether somebody may be launching it.
    pub fn is_armed(&self) -> bool {
        self.launch == Launch::Armed && !self.is_spent()
    }

    /// Whether it was shut out while its worker may have been at work, and
    /// nobody ended that.
    pub fn is_shut_out(&self) -> bool {
        let left = matches!(self.superseded.as_deref(), Some(UNDONE | BY_HAND));
        left && self.launch == Launch::Crossed && self.accepted.is_none()
    }
}

/// What a turn waits for that was handed to a worker and has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// To be handed out, for the first time or again.
    Launch,
    /// A result: of a worker at work, or one that was taken and whose taking was
    /// undone.
    Result,
    /// A person: it was decided that it is never launched.
    Person,
}

/// Why a result that is due may never be taken: a person decides (attempts.md,
/// "Verbs").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Its reply and its worker's end contradict each other.
    Contradiction,
    /// The reply that was there was turned away.
    TurnedAway,
    /// Nobody knows whether its worker was started.
    LaunchUnknown,
}

/// A turn that is handed to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The turn.
    pub turn_id: TurnId,
    /// Its slot.
    pub slot_id: SlotId,
    /// The phase that it works in.
    pub phase: Name,
    /// The iteration that it works in, 0-based.
    pub iteration: u32,
    /// The agent whose command is run.
    pub agent: Name,
    /// Whether it may change files.
    pub writes: bool,
    /// Since when.
    pub reserved_at: Timestamp,
    /// The seq of the event that reserved it.
    pub seq: u64,
    /// Whether it is to be launched.
    pub commitment: Commitment,
    /// Its launches, oldest first; only the last can be live.
    #[serde(default)]
    pub generations: Vector<Generation>,
    /// Evidence that was turned away: SHA-256 of each.
    #[serde(default, skip_serializing_if = "Vector::is_empty")]
    pub rejected: Vector<String>,
}

/// Where an attempt stands; follows from what was recorded, never stored
/// (attempts.md, "Two decisions").
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AttemptStatus {
    /// The turn is taken; no launch is under way.
    Reserved,
    /// A worker is being started.
    Launching,
    /// A worker was started.
    Running,
    /// The worker asked something.
    WaitingInput,
    /// Its result was taken.
    Completed,
    /// It came to nothing.
    Failed,
    /// It was called off, or overtaken.
    Cancelled,
    /// A worker may have been started; nobody knows. Evidence or a takeover
    /// decides; it is never started again.
    LaunchAttemptedUnknown,
}

impl AttemptStatus {
    /// Whether nothing more is to come.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl Attempt {
    /// The newest generation.
    pub fn generation(&self) -> Option<&Generation> {
        self.generations.last()
    }

    /// Its turn, if the present content holds it.
    pub fn turn<'a>(&self, state: &'a Loop) -> Option<&'a Turn> {
        let slot = state.slot(&self.slot_id)?;
        slot.turns.iter().rev().find(|t| t.turn_id == self.turn_id)
    }

    /// The generation whose result may be taken, if there is one: its worker was,
    /// or may have been, started, it was not ended from outside, and no result of
    /// it stands in the present content. After an undo of the taking it is due
    /// again (engine.md §6).
    pub fn out(&self, state: &Loop) -> Option<&Generation> {
        let generation = self.generation().filter(|g| g.launch == Launch::Crossed)?;
        let due =
            generation.accepted.is_none() || self.turn(state).is_some_and(|t| awaits(state, t));
        (due && !generation.is_spent()).then_some(generation)
    }

    /// What its turn waits for; nothing where that is not live.
    pub fn due(&self, state: &Loop) -> Option<Due> {
        self.turn(state).filter(|turn| turn.state.is_live())?;
        Some(match self.generation() {
            _ if self.commitment == Commitment::Aborted => Due::Person,
            Some(generation) if !generation.is_spent() && generation.launch == Launch::Crossed => {
                Due::Result
            }
            _ => Due::Launch,
        })
    }

    /// Where it stands at a moment.
    pub fn status(&self, state: &Loop, now: Timestamp) -> AttemptStatus {
        if self.commitment == Commitment::Aborted {
            return AttemptStatus::Cancelled;
        }
        let Some(turn) = self.turn(state) else { return AttemptStatus::Cancelled };
        match turn.state {
            TurnState::Done => return AttemptStatus::Completed,
            TurnState::Failed => return AttemptStatus::Failed,
            TurnState::Cancelled | TurnState::Superseded => return AttemptStatus::Cancelled,
            TurnState::WaitingInput => return AttemptStatus::WaitingInput,
            TurnState::Assigned | TurnState::Working => {}
        }
        let Some(generation) = self.generation().filter(|g| !g.is_spent()) else {
            return AttemptStatus::Reserved;
        };
        match (generation.launch, &generation.process) {
            (_, Some(_)) => AttemptStatus::Running,
            (Launch::Crossed, None) if now > generation.lease_until => {
                AttemptStatus::LaunchAttemptedUnknown
            }
            _ => AttemptStatus::Launching,
        }
    }
}

impl Loop {
    /// The attempt of a turn, if it was dispatched.
    pub fn attempt(&self, turn: &TurnId) -> Option<&Attempt> {
        self.ledger.attempts.get(turn).map(|a| &**a)
    }

    /// The attempt of a slot's live turn.
    pub fn live_attempt(&self, slot: &Slot) -> Option<&Attempt> {
        self.attempt(&slot.live_turn()?.turn_id)
    }

    /// What a slot's live turn waits for, if it was handed to a worker.
    pub fn due(&self, slot: &Slot) -> Option<Due> {
        self.live_attempt(slot)?.due(self)
    }

    /// The attempts whose worker was, or may have been, started and whose result
    /// may still be taken.
    pub fn attempts_out(&self) -> impl Iterator<Item = &Attempt> {
        self.ledger.attempts.values().map(|a| &**a).filter(|a| a.out(self).is_some())
    }

    /// The attempts that may still need somebody: launches under way, workers
    /// out, turns to be handed out.
    pub fn attempts_open(&self) -> impl Iterator<Item = &Attempt> {
        let attempts = self.ledger.attempts.values().map(|a| &**a);
        attempts.filter(|a| a.out(self).is_some() || a.due(self) == Some(Due::Launch))
    }

    /// The attempts that are not open and whose worker was shut out: it may run
    /// on.
    pub fn attempts_shut_out(&self) -> impl Iterator<Item = &Attempt> {
        let attempts = self.ledger.attempts.values().map(|a| &**a);
        attempts.filter(|a| {
            a.generation().is_some_and(Generation::is_shut_out) && a.due(self) != Some(Due::Launch)
        })
    }

    /// What is wrong with an attempt of a live turn.
    pub fn attempt_in_doubt(&self, now: Timestamp) -> Option<String> {
        self.slots.iter().find_map(|slot| {
            let words = match self.doubt(slot, now)? {
                Doubt::Contradiction => "reply and end contradict",
                Doubt::TurnedAway => "its reply was turned away",
                Doubt::LaunchUnknown => "launch unknown",
            };
            Some(format!("{}: {words}", slot.role))
        })
    }

    /// Why the result of a slot's live turn can't be relied on to come, if so.
    pub fn doubt(&self, slot: &Slot, now: Timestamp) -> Option<Doubt> {
        let attempt = self.live_attempt(slot)?;
        let generation = attempt.out(self)?;
        if generation.contradiction.is_some() {
            return Some(Doubt::Contradiction);
        }
        if generation.turned_away.is_some() {
            return Some(Doubt::TurnedAway);
        }
        let unknown = attempt.status(self, now) == AttemptStatus::LaunchAttemptedUnknown;
        unknown.then_some(Doubt::LaunchUnknown)
    }
}

/// Whether a turn's result may still come in: it is live, or it was when the loop
/// closed, and is kept as late.
pub fn awaits(state: &Loop, turn: &Turn) -> bool {
    let late = turn.state == TurnState::Superseded
        && !turn.late
        && state.status.is_closed()
        && turn.ended_at.is_some()
        && turn.ended_at == state.closed_at;
    turn.state.is_live() || late
}

/// Makes the turns of a content say of their workers what the ledger knows: a
/// live turn is *working* exactly while a result of a worker of it is due
/// (engine.md §1). An undo brings contents back whose worker was ended, or
/// started, since.
pub(super) fn settle(state: &mut Loop) {
    if state.ledger.attempts.is_empty() {
        return;
    }
    let works: Vec<Option<bool>> = state
        .slots
        .iter()
        .map(|slot| {
            let attempt = state.live_attempt(slot)?;
            Some(attempt.out(state).is_some_and(|generation| generation.process.is_some()))
        })
        .collect();
    for (slot, works) in state.slots.iter_mut().zip(works) {
        let Some(works) = works else { continue };
        let Some(at) = slot.turns.iter().rposition(|turn| turn.state.is_live()) else { continue };
        let now = slot.turns[at].state;
        if matches!(now, TurnState::Assigned | TurnState::Working) {
            let (turn, shown) = match works {
                true => (TurnState::Working, SlotStatus::Working),
                false => (TurnState::Assigned, SlotStatus::Assigned),
            };
            if now != turn {
                slot.turns[at].state = turn;
            }
            slot.status = shown;
        }
    }
}
