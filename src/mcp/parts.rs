//! The parts of arguments: participants, artifacts, gates. Here nothing is
//! passed over: an unknown field in one of them is refused.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::answer::invalid;
use crate::core::loops::command::{Body, Content, NewArtifact, NewSlot};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{ObjectRef, QuestionOption};
use crate::engine::{Engine, Result};

/// A participant.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlotArg {
    /// The role that it plays.
    pub role: String,
    /// The agent that it belongs to; absent = you.
    pub agent: Option<String>,
    /// The profile that narrows what it sees.
    pub profile: Option<String>,
    /// Whether it may not write.
    #[serde(default)]
    pub read_only: bool,
    /// Its lane in an implementation.
    pub lane: Option<String>,
    /// Paths that its work touches.
    #[serde(default)]
    pub scope_hint: Vec<String>,
    /// Plans that it carries out.
    #[serde(default)]
    pub plan_ids: Vec<String>,
    /// Steps of a sequence that it carries out.
    #[serde(default)]
    pub step_ids: Vec<String>,
}

impl From<SlotArg> for NewSlot {
    fn from(slot: SlotArg) -> Self {
        Self {
            role: slot.role,
            agent: slot.agent,
            profile: slot.profile,
            read_only: slot.read_only,
            lane: slot.lane,
            scope_hint: slot.scope_hint,
            plan_ids: slot.plan_ids,
            step_ids: slot.step_ids,
        }
    }
}

/// A thing elsewhere.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectArg {
    /// Of which kind.
    pub kind: String,
    /// Which.
    pub id: String,
}

/// An artifact to be filed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ArtifactArg {
    /// Its type.
    #[serde(rename = "type", alias = "artifact_type")]
    pub artifact_type: String,
    /// What it says, of any length.
    pub body: Option<String>,
    /// A file of the workspace instead.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// An earlier artifact of the loop instead, filed again.
    pub from: Option<String>,
    /// A thing elsewhere instead.
    pub object: Option<ObjectArg>,
    /// A label, on critiques.
    pub subtype: Option<String>,
    /// The phase, if not the present one.
    pub phase: Option<String>,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The critiques that it answers.
    #[serde(default, alias = "addresses_critique")]
    pub addresses: Vec<String>,
    /// The critiques that it sets aside, with reasons.
    #[serde(default)]
    pub waives: BTreeMap<String, String>,
    /// Memory ids or paths that it relies on.
    #[serde(default)]
    pub cites: Vec<String>,
}

impl ArtifactArg {
    /// The artifact, its sources found.
    pub fn artifact(self, engine: &Engine, id: &LoopId) -> Result<NewArtifact> {
        let content = content(engine, id, self.body, self.reference, self.from, self.object)?;
        Ok(NewArtifact {
            artifact_type: self.artifact_type,
            subtype: self.subtype,
            phase: self.phase,
            round: self.round,
            content,
            addresses: self.addresses,
            waives: self.waives,
            cites: self.cites,
        })
    }
}

/// Where content comes from: one source at most.
pub(super) fn content(
    engine: &Engine,
    id: &LoopId,
    body: Option<String>,
    reference: Option<String>,
    from: Option<String>,
    object: Option<ObjectArg>,
) -> Result<Content> {
    let sources = [body.is_some(), reference.is_some(), from.is_some(), object.is_some()];
    if sources.iter().filter(|is| **is).count() > 1 {
        return Err(invalid("body", "give one of body, ref, from and object"));
    }
    if let Some(body) = body {
        return Ok(Content::Body(Body::from(body)));
    }
    if let Some(path) = reference {
        return Ok(Content::File(engine.workspace_file(&engine.root().join(path))?));
    }
    if let Some(object) = object {
        return Ok(Content::Object(ObjectRef { kind: object.kind, id: object.id }));
    }
    match from {
        Some(text) => {
            let artifact = engine.resolve_artifact(id, &text)?;
            Ok(Content::From { artifact, body: Body::default() })
        }
        None => Ok(Content::None),
    }
}

/// An answer that a question offers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionArg {
    /// What it is chosen by.
    pub id: String,
    /// What it says.
    pub label: String,
}

impl From<OptionArg> for QuestionOption {
    fn from(option: OptionArg) -> Self {
        Self { id: option.id, label: option.label }
    }
}

/// What a loop is tied to.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkedArg {
    /// Plans.
    #[serde(default)]
    pub plan_ids: Vec<String>,
    /// Sequences of plans.
    #[serde(default)]
    pub sequence_ids: Vec<String>,
    /// The loop that it follows.
    pub source_loop_id: Option<String>,
    /// Its iteration session.
    pub session_id: Option<String>,
}

/// Gates by phase, and what to say of anything else.
pub(super) fn gates<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<String, Option<Value>>, D::Error> {
    let gates = match Value::deserialize(from)? {
        Value::Null => return Ok(BTreeMap::new()),
        Value::Object(gates) => gates,
        other => {
            return Err(D::Error::custom(format!(
                "{other} is no object: it names phases, each with its gate, \
                 {{\"critique\": {{\"kind\": \"manual\"}}}}, or with null, which takes its gate away, \
                 {{\"critique\": null}}"
            )));
        }
    };
    // The command line says it in a word.
    let gate = |gate: Value| Some(gate).filter(|gate| !gate.is_null() && gate != "none");
    Ok(gates.into_iter().map(|(phase, value)| (phase, gate(value))).collect())
}
