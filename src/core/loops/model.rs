//! A loop as a value: what the fold of its journal knows (engine.md §1, §7, §10).

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use imbl::Vector;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::ids::{ArtifactId, LoopId, Name, SlotId, TurnId};
use super::index::Index;
use super::protocol::{Kind, Protocol};
use crate::core::time::Timestamp;

/// Bytes of UTF-8 that a body may have inline; longer ones live in a file (engine.md §7).
pub const INLINE_CAP: usize = 4_096;
/// Characters of a body that an artifact's head shows.
pub const PREVIEW_CHARS: usize = 200;

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The person at the terminal.
    Operator,
    /// A coding agent by name.
    Agent(Name),
    /// The program itself.
    Engine,
    /// A spelling that this version doesn't know; kept as it was.
    Other(Name),
}

impl Actor {
    /// The agent's name, if it is one.
    pub fn agent(&self) -> Option<&Name> {
        match self {
            Actor::Agent(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Operator => f.write_str("operator"),
            Actor::Engine => f.write_str("engine"),
            Actor::Agent(name) => write!(f, "agent:{name}"),
            Actor::Other(text) => f.write_str(text),
        }
    }
}

impl FromStr for Actor {
    type Err = String;

    /// Reads `operator`, `engine` or `agent:<name>`.
    fn from_str(text: &str) -> Result<Self, String> {
        match Actor::lenient(text) {
            Actor::Other(_) => Err(format!(
                "{text:?} is no actor: use operator or agent:<name> \
                 (a name has 1-64 letters, digits, - _ . or /)"
            )),
            actor => Ok(actor),
        }
    }
}

impl Actor {
    fn lenient(text: &str) -> Actor {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        match text {
            "operator" => Actor::Operator,
            "engine" => Actor::Engine,
            _ => match text.strip_prefix("agent:") {
                Some(name)
                    if (1..=64).contains(&name.chars().count()) && name.chars().all(allowed) =>
                {
                    Actor::Agent(name.into())
                }
                _ => Actor::Other(text.into()),
            },
        }
    }
}

impl Serialize for Actor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Ok(Actor::lenient(&text))
    }
}

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
    /// The turn that has not ended, if any.
    pub fn live_turn(&self) -> Option<&Turn> {
        self.turns.iter().rev().find(|t| t.state.is_live())
    }

    /// The newest turn of a phase and iteration, cancelled and superseded ones left out.
    pub fn newest_turn(&self, phase: &str, iteration: u32) -> Option<&Turn> {
        self.turns.iter().rev().find(|t| {
            &*t.phase == phase
                && t.iteration == iteration
                && !matches!(t.state, TurnState::Cancelled | TurnState::Superseded)
        })
    }
}

/// How a verdict reads (engine.md §4, reviewer_green).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// Its first word is `accepted`.
    Accepted,
    /// Anything else usable.
    RequestChanges,
}

/// What a verify report says, read once from its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Whether the command was green.
    pub passed: bool,
    /// Whether a person or agent says so, rather than the engine having run it.
    pub narrated: bool,
    /// The digest of the workspace that it ran on, if one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_digest: Option<String>,
}

/// Where a body over the inline cap lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BodyFile {
    /// The path below the loop's folder, `artifacts/<sha256>`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its length in bytes.
    pub byte_count: u64,
    /// The lower-case hexadecimal SHA-256 of its bytes.
    pub sha256: String,
}

/// A thing elsewhere that an artifact stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObjectRef {
    /// What kind of thing.
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// Why and by whom an artifact was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retraction {
    /// The reason given.
    pub reason: String,
}

/// An artifact's head: all of it but the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its id.
    pub artifact_id: ArtifactId,
    /// The phase that it is filed under.
    pub phase: Name,
    /// Its type.
    #[serde(rename = "type")]
    pub artifact_type: Name,
    /// A label, only on critiques.
    #[serde(default)]
    pub subtype: Option<Name>,
    /// The iteration that it is filed under, 0-based.
    pub iteration: u32,
    /// Who made it.
    pub produced_by: Actor,
    /// The slot that it came through.
    #[serde(default)]
    pub slot_id: Option<SlotId>,
    /// The turn that it belongs to.
    #[serde(default)]
    pub turn_id: Option<TurnId>,
    /// When.
    pub produced_at: Timestamp,
    /// The seq of the event that filed it. The body stands there.
    #[serde(default)]
    pub seq: u64,
    /// Whether it carries content that counts.
    pub usable: bool,
    /// Whether it came after its turn was superseded or the loop had closed.
    #[serde(default)]
    pub late: bool,
    /// Bytes of the body.
    pub byte_count: u64,
    /// The body's first 200 characters.
    pub preview: String,
    /// SHA-256 of the body as it is.
    pub sha256: String,
    /// SHA-256 of the body without the invisible characters around it.
    pub text_key: String,
    /// The critiques that it answers.
    #[serde(default)]
    pub addresses_critique: Vec<ArtifactId>,
    /// The critiques that it sets aside, with the reason for each.
    #[serde(default)]
    pub waives: BTreeMap<ArtifactId, String>,
    /// Memory ids or workspace paths that it relies on.
    #[serde(default)]
    pub cites: Vec<Name>,
    /// Those of `cites` that were not found when it was filed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dangling: Vec<Name>,
    /// A file of the workspace that it stands for.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub file: Option<BodyFile>,
    /// A thing elsewhere that it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectRef>,
    /// Where a body over the inline cap lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_file: Option<BodyFile>,
    /// The artifact whose content was filed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ArtifactId>,
    /// How it reads, for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether its maker stood for a reviewer when it was filed (§4).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reviewer_standing: bool,
    /// What it says, for a verify_report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// The older version that it takes the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<ArtifactId>,
    /// The newer version that takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ArtifactId>,
    /// Set when it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<Retraction>,
}

impl Artifact {
    /// Whether gates, briefs and coverage count it: usable, not late, retracted or superseded.
    pub fn counts(&self) -> bool {
        self.usable && !self.late && self.is_current()
    }

    /// Whether it was neither retracted nor superseded.
    pub fn is_current(&self) -> bool {
        self.retracted.is_none() && self.superseded_by.is_none()
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

/// A question to the operator that waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The artifact that asks it.
    pub question_id: ArtifactId,
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
    /// The questions that wait.
    pub open_questions: Vec<Question>,
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
