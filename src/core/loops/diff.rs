//! What is different between two moments of a loop.

use serde::Serialize;
use serde_json::{Value, json};

use super::ids::ArtifactId;
use super::model::{Artifact, Loop, Slot};
use crate::core::text::first_chars;

/// A field of the loop, or of one of its slots, that is different.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldChange {
    /// Its name, `slot critic (slt_…): status` for a slot's.
    pub field: String,
    /// As it was.
    pub before: Value,
    /// As it is.
    pub after: Value,
}

/// An artifact that both moments have, in different standing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArtifactChange {
    /// Which.
    pub artifact_id: ArtifactId,
    /// `retracted`, `superseded`, `restored`.
    pub what: String,
}

/// What is different between two moments of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoopDiff {
    /// The version of the one.
    pub from: u64,
    /// The version of the other.
    pub to: u64,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
    /// Artifacts that only the other moment has.
    pub added: Vec<ArtifactId>,
    /// Artifacts that only the one moment has.
    pub removed: Vec<ArtifactId>,
    /// Artifacts in different standing.
    pub changed: Vec<ArtifactChange>,
}

impl LoopDiff {
    /// Whether the two moments are the same, versions aside.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
    }
}

/// What is different in `after`, compared with `before`.
pub fn diff(before: &Loop, after: &Loop) -> LoopDiff {
    let mut out = LoopDiff { from: before.version, to: after.version, ..LoopDiff::default() };
    for (field, a, b) in heads(before, after) {
        out.compare(field, a, b);
    }
    out.slots(before, after);
    for artifact in &after.artifacts {
        match before.artifact(artifact.artifact_id.as_str()) {
            None => out.added.push(artifact.artifact_id.clone()),
            Some(old) => out.changed.extend(standing(old, artifact)),
        }
    }
    let gone = |a: &&std::sync::Arc<Artifact>| after.artifact(a.artifact_id.as_str()).is_none();
    out.removed = before.artifacts.iter().filter(gone).map(|a| a.artifact_id.clone()).collect();
    out
}

/// The fields of the head that people know, with both values.
fn heads(a: &Loop, b: &Loop) -> Vec<(&'static str, Value, Value)> {
    vec![
        ("title", json!(a.title), json!(b.title)),
        ("goal", json!(a.goal), json!(b.goal)),
        ("domain", json!(a.domain), json!(b.domain)),
        ("status", json!(a.status), json!(b.status)),
        ("phase", json!(a.current_phase), json!(b.current_phase)),
        ("round", json!(a.round()), json!(b.round())),
        ("max_rounds", json!(a.protocol.max_rounds()), json!(b.protocol.max_rounds())),
        ("verify", json!(a.protocol.verify), json!(b.protocol.verify)),
        ("pause_reason", json!(a.pause_reason), json!(b.pause_reason)),
        ("plans", json!(a.linked.plan_ids), json!(b.linked.plan_ids)),
        ("sequences", json!(a.linked.sequence_ids), json!(b.linked.sequence_ids)),
        ("source", json!(a.linked.source_loop_id), json!(b.linked.source_loop_id)),
        ("open_questions", json!(a.open_questions.len()), json!(b.open_questions.len())),
        ("waived", json!(a.waived), json!(b.waived)),
        ("archived", json!(a.ledger.archived), json!(b.ledger.archived)),
    ]
}

impl LoopDiff {
    fn compare(&mut self, field: impl Into<String>, before: Value, after: Value) {
        if before != after {
            self.fields.push(FieldChange { field: field.into(), before, after });
        }
    }

    fn slots(&mut self, before: &Loop, after: &Loop) {
        let name = |slot: &Slot| format!("slot {} ({})", slot.role, slot.slot_id);
        for slot in &after.slots {
            let Some(old) = before.slot(&slot.slot_id) else {
                self.compare(name(slot), Value::Null, json!("added"));
                continue;
            };
            self.compare(format!("{}: agent", name(slot)), json!(old.agent), json!(slot.agent));
            self.compare(format!("{}: status", name(slot)), json!(old.status), json!(slot.status));
            self.compare(
                format!("{}: turns", name(slot)),
                json!(old.turns.len()),
                json!(slot.turns.len()),
            );
        }
        for slot in before.slots.iter().filter(|s| after.slot(&s.slot_id).is_none()) {
            self.compare(name(slot), json!("there"), json!("removed"));
        }
    }
}

fn standing(old: &Artifact, new: &Artifact) -> Option<ArtifactChange> {
    let word = |a: &Artifact| match (&a.retracted, &a.superseded_by) {
        (Some(_), _) => "retracted",
        (None, Some(_)) => "superseded",
        (None, None) => "restored",
    };
    (word(old) != word(new)).then(|| ArtifactChange {
        artifact_id: new.artifact_id.clone(),
        what: word(new).to_owned(),
    })
}

/// What became of a thing between two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Both have it, differently.
    Changed,
    /// Only the other moment has it.
    Added,
    /// Only the one moment has it.
    Removed,
}

/// One difference in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What became of it.
    pub mark: Mark,
    /// Which field, or the type of the artifact.
    pub what: String,
    /// Which artifact, for differences of artifacts.
    pub artifact: Option<ArtifactId>,
    /// Both values, or what the artifact says.
    pub text: String,
}

/// How many characters of a value or an artifact a difference shows.
const SHOWN: usize = 80;

/// The differences in words, fields first, then artifacts that came, went, and
/// stand differently.
pub fn in_words(change: &LoopDiff, before: &Loop, after: &Loop) -> Vec<Difference> {
    let fields = change.fields.iter().map(|field| Difference {
        mark: Mark::Changed,
        what: field.field.clone(),
        artifact: None,
        text: format!("{} → {}", shown(&field.before), shown(&field.after)),
    });
    let artifact = |mark, id: &ArtifactId, state: &Loop, word: Option<&str>| {
        let head = state.artifact(id.as_str());
        let says = head.map_or_else(String::new, |a| first_chars(&a.said(), SHOWN).to_owned());
        Difference {
            mark,
            what: head.map_or_else(|| "artifact".to_owned(), |a| a.artifact_type.to_string()),
            artifact: Some(id.clone()),
            text: match word {
                Some(word) => format!("{word}: {says}"),
                None => says,
            },
        }
    };
    let added = change.added.iter().map(|id| artifact(Mark::Added, id, after, None));
    let removed = change.removed.iter().map(|id| artifact(Mark::Removed, id, before, None));
    let standing = change
        .changed
        .iter()
        .map(|c| artifact(Mark::Changed, &c.artifact_id, after, Some(&c.what)));
    fields.chain(added).chain(removed).chain(standing).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => first_chars(text, SHOWN).to_owned(),
        other => other.to_string(),
    }
}
