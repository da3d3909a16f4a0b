//! What happened: the events that a loop's journal holds (engine.md §10).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attempt;
use super::ids::{ArtifactId, LoopId, Name, SlotId, TurnId};
use super::model::{
    Actor, Artifact, Linked, Loop, Question, Slot, Status, TimeoutPolicy, TurnState,
};
use super::protocol::{Kind, Protocol};
use super::question::ResolvedVia;
use crate::core::memory::Category;
use crate::core::time::Timestamp;

pub use super::event_wire::{EventError, Wire, read_event};
pub use super::slot::Outcome;

/// One event with its place in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// When its commit was made.
    pub at: Timestamp,
    /// Who made its commit.
    pub by: Actor,
    /// What happened.
    pub body: EventBody,
}

/// Why a phase was left for another.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::AsRefStr,
    strum::Display,
    strum::EnumIter,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AdvanceReason {
    /// The next phase, outside the cycle.
    Linear,
    /// The next phase of the cycle.
    InCycle,
    /// Back to the cycle's first phase.
    NextRound,
    /// Somebody looked and found nothing new.
    Saturation,
    /// A critic_signal.
    ExitCriticSignal,
    /// The verify command was green.
    ExitCommandGreen,
    /// The round just finished brought no critique.
    ExitNoNewCritique,
    /// The cap.
    MaxIterations,
    /// A verdict sent the work back.
    RequestChanges,
    /// The target was named.
    Explicit,
    /// By force.
    Force,
    /// A round in ideation cut short by the operator.
    ShortRound,
}

/// The head of a loop when it was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its id.
    pub loop_id: LoopId,
    /// Its slug.
    pub slug: String,
    /// Its kind.
    pub loop_kind: Kind,
    /// One line.
    pub title: String,
    /// What is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Its domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The rules, resolved.
    pub protocol: Protocol,
    /// The participants.
    pub slots: Vec<Slot>,
    /// What it is tied to.
    #[serde(default)]
    pub linked: Linked,
}

/// The beginning of a loop as a copy of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forked {
    /// The loop that it was copied from.
    pub source: LoopId,
    /// The moment: the state after this event of the source.
    pub source_seq: u64,
    /// The content as it was then, under the new id.
    pub state: Loop,
    /// The bodies of its artifacts that stood inline in the source's journal.
    #[serde(default)]
    pub bodies: BTreeMap<ArtifactId, String>,
}

/// An artifact as it was filed: its head, and its body where that is inline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArtifactAdded {
    /// The head. Shared, so that a replay copies none.
    pub artifact: Arc<Artifact>,
    /// The body, inline; absent when it lives in a file or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// What `amend` may change; absent = unchanged. `Some(None)` takes a value away.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AmendedFields {
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The slug that follows from the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The goal.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "double_option")]
    pub goal: Option<Option<String>>,
    /// The domain.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "double_option")]
    pub domain: Option<Option<String>>,
    /// The verify command.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "double_option")]
    pub verify: Option<Option<Vec<String>>>,
    /// The round cap, of the iteration and of the stop's `max_iterations` atoms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
    /// The links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked: Option<Linked>,
    /// The whole list of slots, without their turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<Vec<Slot>>,
}

/// Keeps "absent" and "null" apart.
mod double_option {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(
        value: &Option<Option<T>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().and_then(Option::as_ref).serialize(serializer)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<T>>, D::Error> {
        Option::<T>::deserialize(deserializer).map(Some)
    }
}

/// What happened, with its payload. On the wire `kind` names the variant and
/// the payload's fields stand beside it.
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EventBody {
    /// The loop began.
    Opened(Box<Opened>),
    /// A slot was given a turn.
    TurnAssigned {
        /// The turn.
        turn_id: TurnId,
        /// The slot.
        slot_id: SlotId,
        /// The phase.
        phase: Name,
        /// The iteration, 0-based.
        iteration: u32,
        /// How many turns the slot had there before.
        n: u32,
        /// What it was told besides its brief.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<String>,
    },
    /// A turn ended.
    TurnCompleted {
        /// The turn.
        turn_id: TurnId,
        /// The slot.
        slot_id: SlotId,
        /// How.
        outcome: Outcome,
        /// Why it failed or was called off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// `done`, and nothing filed by its actor since it began.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        empty: bool,
        /// After it was superseded, or after the loop closed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        late: bool,
    },
    /// A live turn was overtaken.
    TurnSuperseded {
        /// The turn.
        turn_id: TurnId,
        /// The slot.
        slot_id: SlotId,
        /// By what: `phase` or `closed`.
        cause: Name,
    },
    /// Something was said.
    ArtifactAdded(ArtifactAdded),
    /// A newer version took an artifact's place.
    ArtifactSuperseded {
        /// The old one.
        artifact_id: ArtifactId,
        /// The new one.
        superseded_by: ArtifactId,
    },
    /// An artifact was taken back.
    ArtifactRetracted {
        /// Which.
        artifact_id: ArtifactId,
        /// Why.
        reason: String,
    },
    /// A critique was set aside.
    ArtifactWaived {
        /// Which.
        artifact_id: ArtifactId,
        /// Why.
        reason: String,
    },
    /// The loop went to another phase.
    PhaseAdvanced {
        /// From.
        from: Name,
        /// To.
        to: Name,
        /// The iteration there, 0-based.
        iteration: u32,
        /// Why.
        reason: AdvanceReason,
        /// The text given with force or a target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Somebody was refused ("gate shut").
    PhaseAdvanceBlocked {
        /// The phase that could not be left.
        phase: Name,
        /// `gate_unmet`, `slots_pending` or `saturation_doubtful`.
        code: Name,
        /// The unmet reasons, one a line.
        gate_reason: String,
    },
    /// A shut gate was passed.
    GateSkipped {
        /// The phase.
        phase: Name,
        /// What was unmet.
        unmet: Vec<String>,
    },
    /// The round cap was reached.
    MaxIterationsReached {
        /// The iteration that begins, = the cap.
        iteration: u32,
    },
    /// The loop is held.
    Paused {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The loop goes on.
    Resumed {},
    /// The operator is asked something.
    InputRequested {
        /// The question.
        question: Box<Question>,
    },
    /// A question has its answer.
    InputProvided {
        /// The question.
        question_id: ArtifactId,
        /// The artifact that answers it.
        answer_id: ArtifactId,
        /// How.
        resolved_via: ResolvedVia,
        /// The option that was chosen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<String>,
        /// Whether nobody gave it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        synthetic: bool,
    },
    /// A question's time was up.
    PauseTimeout {
        /// The question.
        question_id: ArtifactId,
        /// What is done about it.
        policy: TimeoutPolicy,
    },
    /// A live turn waits for an answer, or goes on with it.
    SlotStatusChanged {
        /// The slot.
        slot_id: SlotId,
        /// The turn.
        turn_id: TurnId,
        /// Where both stand now.
        status: TurnState,
    },
    /// The loop ended.
    Closed {
        /// With which status.
        status: Status,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Whether the stop condition did not hold.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stop_unmet: bool,
        /// Whether only the cap ended it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_cap: bool,
        /// The phase last worked.
        from_phase: Name,
        /// The iteration last worked, 0-based.
        from_iteration: u32,
    },
    /// A closed loop was taken up again.
    Reopened {
        /// Why.
        reason: String,
        /// How many rounds were added.
        rounds: u32,
        /// The phase that it goes on in.
        phase: Name,
        /// The iteration that it goes on in, 0-based.
        iteration: u32,
    },
    /// Head fields were changed.
    Amended {
        /// As they were.
        before: Box<AmendedFields>,
        /// As they are.
        after: Box<AmendedFields>,
    },
    /// Ties were changed.
    Linked {
        /// All ties as they are now.
        linked: Linked,
    },
    /// It was said what the loop carries out.
    Bound {
        /// The plans that are tied to the loop by it.
        plan_ids: Vec<String>,
        /// The sequences that are tied to the loop by it.
        sequence_ids: Vec<String>,
        /// The whole list of slots, without their turns.
        slots: Vec<Slot>,
    },
    /// The content went back to an earlier moment.
    Reverted {
        /// The last seq of the commit that it went back to.
        to_seq: u64,
        /// Whether an undo was taken back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        redo: bool,
    },
    /// The loop was put away; its content is as it was.
    Archived {},
    /// The loop was taken out again.
    Unarchived {},
    /// An artifact became a memory item.
    Promoted {
        /// Which.
        artifact_id: ArtifactId,
        /// The memory item.
        item_id: Name,
        /// Its category.
        category: Category,
    },
    /// The loop began as a copy of another at some moment.
    Forked(Box<Forked>),
    /// The operator said how good the work in a phase was.
    Rated {
        /// The phase.
        phase: Name,
        /// From 0 to 1.
        reward: crate::core::dream::Thousandths,
    },
    /// What the loop brings about outside of itself was carried out.
    EffectsDone(super::effects::EffectsDone),
    /// Lines of the journal that somebody edited hold as they stand.
    EditsAccepted {
        /// The lines, from 1.
        lines: Vec<u64>,
    },
    /// A turn is to be handed to a worker.
    TurnReserved(attempt::TurnReserved),
    /// An attempt is to be launched.
    TurnCommitted(attempt::TurnCommitted),
    /// An attempt never will be.
    TurnAborted(attempt::TurnAborted),
    /// A generation may be crossed until its lease passes.
    LaunchArmed(attempt::LaunchArmed),
    /// A worker is about to be started.
    LaunchCrossed(attempt::LaunchCrossed),
    /// A generation never will be crossed.
    LaunchRevoked(attempt::LaunchRevoked),
    /// A worker was started.
    Spawned(attempt::Spawned),
    /// The system refused to start one.
    SpawnFailed(attempt::SpawnFailed),
    /// A worker's reply was taken.
    EvidenceAccepted(attempt::EvidenceAccepted),
    /// A reply was turned away.
    EvidenceRejected(attempt::EvidenceRejected),
    /// A reply and its worker's end contradict each other.
    TurnContradiction(attempt::TurnContradiction),
    /// A generation was ended from outside.
    GenerationSuperseded(attempt::GenerationSuperseded),
    /// A kind that this version doesn't know, marked optional by who wrote it.
    #[serde(skip)]
    Unknown {
        /// Its name.
        kind: Name,
        /// All of it.
        payload: BTreeMap<String, Value>,
    },
}

impl EventBody {
    /// The names of all kinds of event that this version knows.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        let all = <EventBody as strum::VariantNames>::VARIANTS.iter().copied();
        all.filter(|kind| *kind != "unknown")
    }

    /// The name of this kind of event on the wire.
    pub fn kind(&self) -> &str {
        match self {
            EventBody::Unknown { kind, .. } => kind,
            known => known.into(),
        }
    }
}
