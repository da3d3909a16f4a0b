//! Events as they stand in a journal line (engine.md §10).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{ArtifactAdded, EventBody};
use super::model::Artifact;

/// Why an event could not be read.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// A kind that this version doesn't know and that is not optional.
    #[error("unknown event kind {kind:?}")]
    UnknownKind {
        /// Its name.
        kind: String,
    },
    /// A known kind with a payload of another form.
    #[error("event cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// Whether this version reads events of a kind.
fn is_known(kind: &str) -> bool {
    EventBody::kinds().any(|known| known == kind)
}

#[derive(Deserialize)]
struct Head<'a> {
    seq: u64,
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default)]
    optional: bool,
}

/// Reads one event of a journal line: its seq and what happened.
///
/// # Errors
/// If the JSON is no event, or one of a kind that is neither known nor optional.
pub fn read_event(json: &str) -> Result<(u64, EventBody), EventError> {
    if let Some(read) = read_artifact(json) {
        return Ok(read);
    }
    let head: Head<'_> = serde_json::from_str(json)?;
    if is_known(&head.kind) {
        return Ok((head.seq, serde_json::from_str(json)?));
    }
    if !head.optional {
        return Err(EventError::UnknownKind { kind: head.kind.into_owned() });
    }
    let mut payload: BTreeMap<String, Value> = serde_json::from_str(json)?;
    payload.remove("seq");
    payload.remove("kind");
    Ok((head.seq, EventBody::Unknown { kind: head.kind.as_ref().into(), payload }))
}

/// The commonest event, read in one go: its kind need not be looked for first.
/// None if it is another, or doesn't read as it should; then the general way
/// says what is wrong.
fn read_artifact(json: &str) -> Option<(u64, EventBody)> {
    #[derive(Deserialize)]
    struct Line<'a> {
        seq: u64,
        #[serde(borrow)]
        kind: &'a str,
        artifact: Arc<Artifact>,
        #[serde(default)]
        body: Option<String>,
    }
    const KIND: &str = "artifact_added";
    // Where this version writes it; elsewhere it is merely read more slowly.
    let head = &json.as_bytes()[..json.len().min(64)];
    if !head.windows(KIND.len()).any(|window| window == KIND.as_bytes()) {
        return None;
    }
    let line: Line<'_> = serde_json::from_str(json).ok()?;
    let added = ArtifactAdded { artifact: line.artifact, body: line.body };
    (line.kind == KIND).then_some((line.seq, EventBody::ArtifactAdded(added)))
}

/// An event as it stands in a journal line: `seq`, `kind` and the payload.
pub struct Wire<'a>(pub u64, pub &'a EventBody);

impl Serialize for Wire<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Known<'a> {
            seq: u64,
            #[serde(flatten)]
            body: &'a EventBody,
        }
        #[derive(Serialize)]
        struct Unknown<'a> {
            seq: u64,
            kind: &'a str,
            #[serde(flatten)]
            payload: &'a BTreeMap<String, Value>,
        }
        match self.1 {
            EventBody::Unknown { kind, payload } => {
                Unknown { seq: self.0, kind, payload }.serialize(serializer)
            }
            body => Known { seq: self.0, body }.serialize(serializer),
        }
    }
}
