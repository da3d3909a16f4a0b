//! The arguments of `bclaw_loop`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::answer::missing;
use super::parts::{ArtifactArg, LinkedArg, OptionArg, SlotArg, gates};
use crate::core::loops::attempt::Proof;
use crate::engine::Result;

/// What is to be done with a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum Intent {
    Open,
    Turn,
    CompleteTurn,
    Advance,
    AddArtifact,
    Supersede,
    Retract,
    Waive,
    Link,
    Pause,
    Resume,
    Close,
    Amend,
    Reopen,
    Undo,
    Verify,
    Bind,
    Takeover,
    Harvest,
    Sweep,
    RequestInput,
    ProvideInput,
    Get,
    List,
}

/// Which fields an intent takes stands with each: the others are passed over.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct LoopArgs {
    /// What is to be done.
    pub intent: Intent,
    /// The loop: id, unique beginning of it, or slug. Every intent but open, list, sweep.
    pub loop_id: Option<String>,
    /// The version that you saw: refused if the loop has moved since.
    pub expected_version: Option<u64>,
    /// Makes a repeat harmless: the same id gives the first answer again.
    pub request_id: Option<String>,

    /// open: your word that you will drive the loop.
    pub allow_orphan: Option<bool>,
    /// open, list.
    #[schemars(extend("enum" = ["ideation", "review", "research", "implementation", "debug"]))]
    pub kind: Option<String>,
    /// open, amend: one line.
    pub title: Option<String>,
    /// open, amend.
    pub goal: Option<String>,
    /// open, amend.
    pub domain: Option<String>,
    /// open: the proposal, in a review the change summary.
    pub proposal: Option<String>,
    /// open: the text of a diff to look at.
    pub diff: Option<String>,
    /// open: a preset by name.
    pub preset: Option<String>,
    /// open: the participants, in place of the default ones.
    #[serde(default)]
    pub slots: Vec<SlotArg>,
    /// open: a condition in place of the protocol's.
    pub stop_condition: Option<Value>,
    /// open: gates by phase in place of the protocol's; null takes one away.
    #[serde(default, deserialize_with = "gates")]
    pub gates: BTreeMap<String, Option<Value>>,
    /// open, amend: the command that tells green from red; empty takes it away.
    pub verify: Option<String>,
    /// open: how a review runs.
    #[schemars(extend("enum" = ["symmetric", "asymmetric"]))]
    pub mode: Option<String>,
    /// open: what it is tied to.
    pub linked: Option<LinkedArg>,

    /// turn, complete_turn, request_input, takeover: a slot by id or unique role.
    pub slot_id: Option<String>,
    /// turn: a free slot of this role.
    pub role: Option<String>,
    /// turn: what it is told besides its brief.
    pub input: Option<String>,
    /// turn: hand it to the agent's command.
    #[serde(default)]
    pub dispatch: bool,
    /// turn with dispatch: the agent, for a slot without one.
    pub agent: Option<String>,

    /// complete_turn: which; needed for a dispatched one.
    pub turn_id: Option<String>,
    /// complete_turn of a dispatched turn.
    pub run_id: Option<String>,
    /// complete_turn of a dispatched turn.
    pub nonce: Option<String>,
    /// complete_turn.
    #[schemars(extend("enum" = ["done", "failed", "cancelled"]))]
    pub outcome: Option<String>,
    /// complete_turn: why it failed.
    pub failure_reason: Option<String>,
    /// complete_turn: what it brought.
    #[serde(default)]
    pub artifacts: Vec<ArtifactArg>,

    /// add_artifact: its type.
    #[serde(rename = "type", alias = "artifact_type")]
    pub artifact_type: Option<String>,
    /// add_artifact, supersede: what it says.
    pub body: Option<String>,
    /// add_artifact, supersede: a file of the workspace instead.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// add_artifact, supersede: an earlier artifact instead.
    pub from: Option<String>,
    /// add_artifact: a label, on critiques.
    pub subtype: Option<String>,
    /// add_artifact: the phase, if not the present one.
    pub phase: Option<String>,
    /// add_artifact: the round, from 1.
    pub round: Option<u32>,
    /// add_artifact, supersede: the critiques that it answers.
    #[serde(alias = "addresses_critique")]
    pub addresses: Option<Vec<String>>,
    /// add_artifact, supersede: the critiques that it sets aside, with reasons.
    pub waives: Option<BTreeMap<String, String>>,
    /// add_artifact, supersede: memory ids or paths that it relies on.
    pub cites: Option<Vec<String>>,
    /// supersede, retract, waive.
    pub artifact_id: Option<String>,

    /// advance: a phase by name.
    pub to: Option<String>,
    /// advance: past a shut gate. The operator's alone.
    #[serde(default)]
    pub force: bool,
    /// advance, retract, waive, pause, close, reopen, complete_turn.
    pub reason: Option<String>,
    /// advance: only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// close, list.
    #[schemars(extend("enum" = ["open", "paused", "completed", "blocked", "cancelled"]))]
    pub status: Option<String>,
    /// reopen: rounds to add.
    pub rounds: Option<u32>,
    /// undo: back to the end of this commit. The operator's alone.
    pub to_seq: Option<u64>,

    /// amend: a larger cap on rounds.
    pub max_rounds: Option<u32>,
    /// amend: participants to add.
    #[serde(default)]
    pub add_slots: Vec<SlotArg>,
    /// amend: slots to give to an agent, or to nobody.
    #[serde(default)]
    pub assign: BTreeMap<String, Option<String>>,
    /// amend: slots to take away.
    #[serde(default)]
    pub remove_slots: Vec<String>,
    /// link, bind.
    #[serde(default)]
    pub plan_ids: Vec<String>,
    /// link.
    #[serde(default)]
    pub sequence_ids: Vec<String>,
    /// link: the loop that it follows.
    pub source_loop_id: Option<String>,
    /// link: the iteration session, whose attempts verify runs are.
    pub session_id: Option<String>,
    /// link: take these ties away.
    #[serde(default)]
    pub remove: bool,
    /// bind: a file with steps, in the workspace.
    pub sequence: Option<String>,

    /// takeover: why.
    pub cause: Option<String>,
    /// harvest: this one only.
    pub assignment_id: Option<String>,
    /// harvest: merge what was changed, too.
    #[serde(default)]
    pub integrate: bool,
    /// harvest with integrate: hand out a review's next turn.
    #[serde(default, rename = "continue")]
    pub go_on: bool,

    /// request_input: the question. provide_input: the answer, in words.
    pub text: Option<String>,
    /// request_input: what it rests on.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// request_input: the answers that it offers.
    #[serde(default)]
    pub options: Vec<OptionArg>,
    /// request_input: what holds if it is skipped.
    pub default: Option<String>,
    /// request_input: what waits for the answer.
    #[schemars(extend("enum" = ["slot", "loop"]))]
    pub scope: Option<String>,
    /// request_input: what happens when its time is up.
    #[schemars(extend("enum" = ["use_default", "cancel_loop", "continue_incomplete"]))]
    pub on_timeout: Option<String>,
    /// request_input: a time or a span.
    pub deadline: Option<String>,
    /// provide_input.
    pub question_id: Option<String>,
    /// provide_input: the option that is chosen.
    pub option: Option<String>,
    /// provide_input: by its default.
    #[serde(default)]
    pub skip: bool,

    /// get: what happened, too.
    #[serde(default)]
    pub include_events: bool,
    /// list: loops with a slot of this agent; `me` is you, with your briefs.
    pub assigned_to: Option<String>,
    /// list: those that were put away, too.
    #[serde(default)]
    pub all: bool,
    /// list: at most so many (50).
    pub limit: Option<usize>,
    /// list: after so many.
    #[serde(default)]
    pub offset: usize,
}

impl LoopArgs {
    /// A field that the intent needs.
    pub fn needed<'a>(name: &str, field: &'a Option<String>) -> Result<&'a String> {
        field.as_ref().ok_or_else(|| missing(name))
    }

    /// What a dispatched turn's agent signs with.
    pub fn proof(&self) -> Result<Option<Proof>> {
        match (&self.run_id, &self.nonce) {
            (Some(run_id), Some(nonce)) => {
                Ok(Some(Proof { run_id: run_id.clone(), nonce: nonce.clone() }))
            }
            (None, None) => Ok(None),
            (None, Some(_)) => Err(missing("run_id")),
            (Some(_), None) => Err(missing("nonce")),
        }
    }

    /// The artifact of add_artifact.
    pub fn artifact(&self) -> Result<ArtifactArg> {
        Ok(ArtifactArg {
            artifact_type: Self::needed("type", &self.artifact_type)?.clone(),
            body: self.body.clone(),
            reference: self.reference.clone(),
            from: self.from.clone(),
            object: None,
            subtype: self.subtype.clone(),
            phase: self.phase.clone(),
            round: self.round,
            addresses: self.addresses.clone().unwrap_or_default(),
            waives: self.waives.clone().unwrap_or_default(),
            cites: self.cites.clone().unwrap_or_default(),
        })
    }
}
