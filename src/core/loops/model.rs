//! A loop as a value: what the fold of its journal knows (engine.md §1, §7, §10).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use imbl::Vector;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::attempt::Attempt;
use super::ids::{ArtifactId, LoopId, Name, SlotId, TurnId};
use super::index::Index;
use super::protocol::{Kind, Protocol};
use crate::core::time::Timestamp;

pub use super::actor::Actor;
pub use super::artifact::{Artifact, BodyFile, ObjectRef, Report, Retraction, Verdict};
pub use super::question::{Question, QuestionOption, QuestionScope, TimeoutPolicy};
pub use super::slot::{Slot, SlotStatus, Turn, TurnState};

/// Bytes of UTF-8 that a body may have inline; longer ones live in a file (engine.md §7).
pub const INLINE_CAP: usize = 4_096;
/// Characters of a body that an artifact's head shows.
pub const PREVIEW_CHARS: usize = 200;

/// Where a loop stands as a whole.
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
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// At work.
    Open,
    /// Held by hand or by a question.
    Paused,
    /// Ended with what it was for.
    Completed,
    /// Ended at its cap, or by hand, without.
    Blocked,
    /// Given up.
    Cancelled,
}

impl Status {
    /// Whether the loop has ended.
    pub fn is_closed(self) -> bool {
        matches!(self, Status::Completed | Status::Blocked | Status::Cancelled)
    }
}

/// What a loop is tied to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// Plans.
    #[serde(default)]
    pub plan_ids: Vec<String>,
    /// Sequences of plans.
    #[serde(default)]
    pub sequence_ids: Vec<String>,
    /// The loop that it follows.
    #[serde(default)]
    pub source_loop_id: Option<LoopId>,
    /// Its iteration session.
    #[serde(default)]
    pub session_id: Option<String>,
}

/// Where a fork began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    /// The loop.
    pub loop_id: LoopId,
    /// The state after this event of it.
    pub seq: u64,
}

/// How a loop ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Close {
    /// With which status.
    pub status: Status,
    /// The reason given.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the stop condition did not hold.
    #[serde(default)]
    pub stop_unmet: bool,
    /// Whether only the round cap ended it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_cap: bool,
    /// The event that closed it.
    #[serde(default)]
    pub seq: u64,
    /// Where the closing commit came from: the phase and iteration last worked.
    pub from_phase: Name,
    /// See `from_phase`.
    pub from_iteration: u32,
}

/// One stay in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The phase.
    pub phase: Name,
    /// The iteration, 0-based.
    pub iteration: u32,
    /// Since when.
    pub at: Timestamp,
    /// Whether the round was ended short by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub short: bool,
    /// Whether it was left by force or past a shut gate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// The refusal that the newest commit journaled, if it is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingRefusal {
    /// Its code.
    pub code: String,
    /// The phase.
    pub phase: Name,
    /// The reason as it was told.
    pub gate_reason: String,
}

/// What is folded over every event and never rewound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Turns ever given, by `slot/phase/iteration`.
    #[serde(default)]
    pub turns_given: imbl::HashMap<String, u32>,
    /// Whether the loop is put away.
    #[serde(default)]
    pub archived: bool,
    /// The memory items that artifacts became.
    #[serde(default)]
    pub promoted: BTreeMap<ArtifactId, Name>,
    /// The turns that were handed to workers.
    #[serde(default)]
    pub attempts: imbl::OrdMap<TurnId, Arc<Attempt>>,
    /// The questions whose timeout was carried out.
    #[serde(default)]
    pub timed_out: BTreeSet<ArtifactId>,
    /// What the loop brought about outside of itself.
    #[serde(default)]
    pub effects: super::effects::Effects,
}

/// One persistent thread of structured work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// 1.
    pub schema_version: u32,
    /// Its id.
    pub id: LoopId,
    /// A readable short name, from the title.
    pub slug: String,
    /// The seq of its last event.
    pub version: u64,
    /// Its kind.
    pub kind: Kind,
    /// One line.
    pub title: String,
    /// What is wanted.
    pub goal: Option<String>,
    /// The field that it belongs to, for dreams.
    pub domain: Option<String>,
    /// The rules that it runs by.
    pub protocol: Arc<Protocol>,
    /// Where it stands.
    pub status: Status,
    /// The phase that it is in.
    pub current_phase: Name,
    /// The iteration that it is in, 0-based.
    pub iteration_count: u32,
    /// The participants, in order.
    pub slots: Vec<Slot>,
    /// The heads of all that was said, oldest first.
    pub artifacts: Vector<Arc<Artifact>>,
    /// What it is tied to.
    pub linked: Linked,
    /// The loop and moment that it was copied from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
    /// The questions that wait.
    pub open_questions: Vec<Question>,
    /// The answers that were given, by question.
    #[serde(default)]
    pub answers: BTreeMap<ArtifactId, ArtifactId>,
    /// Why it is paused.
    pub pause_reason: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it ended.
    pub closed_at: Option<Timestamp>,
    /// How it ended.
    pub close: Option<Close>,
    /// Who opened it.
    pub created_by: Actor,
    /// The phases entered so far, oldest first.
    pub visits: Vec<Visit>,
    /// Artifacts with a seq up to this one don't count for the stop (reopen).
    #[serde(default)]
    pub stop_floor: u64,
    /// Set while the newest commit is a journaled refusal.
    #[serde(default)]
    pub standing_refusal: Option<StandingRefusal>,
    /// The gate that was last found shut.
    #[serde(default)]
    pub found_shut: Option<super::effects::FoundShut>,
    /// Critiques set aside by the verb, with the reason for each.
    #[serde(default)]
    pub waived: BTreeMap<ArtifactId, String>,
    /// What is never rewound.
    #[serde(default)]
    pub ledger: Ledger,
    /// Counts over the artifacts, kept by `apply`; never stored.
    #[serde(skip)]
    pub index: Index,
}

impl Loop {
    /// The phase that the loop is in, with its rules.
    ///
    /// A journal that another program wrote may name a phase that its protocol
    /// lacks; then there is none.
    pub fn phase(&self) -> Option<&super::protocol::Phase> {
        self.protocol.phase(&self.current_phase)
    }

    /// A slot by id.
    pub fn slot(&self, id: &SlotId) -> Option<&Slot> {
        self.slots.iter().find(|s| &s.slot_id == id)
    }

    /// The slots of a role; where no slot has it, the first slot plays it (§3).
    pub fn slots_playing<'a>(&'a self, role: Option<&str>) -> Vec<&'a Slot> {
        let named: Vec<&Slot> =
            self.slots.iter().filter(|s| role.is_some_and(|r| &*s.role == r)).collect();
        if named.is_empty() { self.slots.first().into_iter().collect() } else { named }
    }

    /// An artifact by id.
    pub fn artifact(&self, id: &str) -> Option<&Arc<Artifact>> {
        let position = self.index.position(id)?;
        self.artifacts.get(position)
    }

    /// The newest version of an artifact: ids that name an old one mean the new one (§6).
    pub fn newest_version<'a>(&'a self, id: &str) -> Option<&'a Arc<Artifact>> {
        let mut artifact = self.artifact(id)?;
        while let Some(next) =
            artifact.superseded_by.as_ref().and_then(|n| self.artifact(n.as_str()))
        {
            artifact = next;
        }
        Some(artifact)
    }

    /// The artifacts of one phase and iteration, oldest first.
    pub fn artifacts_in<'a>(
        &'a self,
        phase: &str,
        iteration: u32,
    ) -> impl DoubleEndedIterator<Item = &'a Arc<Artifact>> + use<'a> {
        self.index.place(phase, iteration).filter_map(|i| self.artifacts.get(i))
    }

    /// The round that people see: iteration + 1, never over the cap.
    pub fn round(&self) -> u32 {
        let round = self.iteration_count.saturating_add(1);
        self.protocol.max_rounds().map_or(round, |max| round.min(max.max(1)))
    }

    /// Whether a phase and iteration were ever entered.
    pub fn was_entered(&self, phase: &str, iteration: u32) -> bool {
        self.visits.iter().any(|v| &*v.phase == phase && v.iteration == iteration)
    }
}
