//! The form of arguments and answers.

use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::Refusal;
use crate::core::loops::wire;
use crate::core::text::{echo, nearest};
use crate::engine::{Done, Engine, Error, Result, Write};

/// One call of a tool: on which workspace, by whom.
pub(super) struct Call<'a> {
    pub engine: &'a Engine,
    pub actor: &'a Actor,
    pub started: Instant,
}

/// What a tool answers.
pub(super) struct Answer {
    /// The object.
    pub body: Value,
    /// Whether it says that the call failed.
    pub failed: bool,
}

impl Call<'_> {
    /// How a change is made.
    pub fn write(&self, request_id: Option<&String>, expected_version: Option<u64>) -> Write {
        Write { actor: self.actor.clone(), request_id: request_id.cloned(), expected_version }
    }

    fn millis(&self) -> f64 {
        (self.started.elapsed().as_secs_f64() * 1_000_000.0).round() / 1_000.0
    }

    /// A loop by whatever names it.
    pub fn loop_id(&self, given: Option<&String>) -> Result<LoopId> {
        let text = given.ok_or_else(|| missing("loop_id"))?;
        self.engine.resolve(text)
    }
}

/// An answer in the form of `bclaw_loop` and `bclaw_coordinate`.
pub(super) struct Told {
    /// `ok` or `partial`.
    pub status: &'static str,
    pub result: Value,
    pub artifacts: Vec<String>,
    pub side_effects: Vec<Value>,
    pub warnings: Vec<String>,
    /// The loop that it is about: what to call next follows from it.
    pub about: Option<LoopId>,
}

impl Told {
    /// Nothing but a result.
    pub fn result(result: Value, about: Option<LoopId>) -> Self {
        Self {
            status: "ok",
            result,
            artifacts: Vec::new(),
            side_effects: Vec::new(),
            warnings: Vec::new(),
            about,
        }
    }

    /// What a change of a loop brought.
    pub fn done(call: &Call<'_>, done: &Done) -> Self {
        let made = &done.made;
        let mut result =
            json!({ "loop": wire::to_json(&done.state, &call.engine.attention(&done.state)) });
        let ids = [
            ("turn_id", json!(made.turn_id)),
            ("slot_id", json!(made.slot_id)),
            ("question_id", json!(made.question_id)),
            ("item_id", json!(made.item_id)),
            ("to_seq", json!(made.back_to)),
            ("would", json!(made.would)),
        ];
        for (name, value) in ids.into_iter().filter(|(_, value)| !value.is_null()) {
            result[name] = value;
        }
        if let [one] = &made.artifact_ids[..] {
            result["artifact_id"] = json!(one);
        }
        if done.replayed {
            result["replayed"] = true.into();
        }
        Self {
            artifacts: made.artifact_ids.iter().map(ToString::to_string).collect(),
            side_effects: effects(done),
            warnings: done.warnings.clone(),
            ..Self::result(result, Some(done.state.id.clone()))
        }
    }

    /// The whole answer.
    pub fn answer(self, call: &Call<'_>, intent: &str) -> Answer {
        let next = self.about.as_ref().map(|id| super::next::expected(call, id));
        let body = json!({
            "status": self.status,
            "intent": intent,
            "result": self.result,
            "artifacts": self.artifacts,
            "side_effects": self.side_effects,
            "warnings": self.warnings,
            "duration_ms": call.millis(),
            "next_expected": next.unwrap_or_default(),
        });
        Answer { body, failed: false }
    }
}

/// What a change put into the journal.
fn effects(done: &Done) -> Vec<Value> {
    done.events.iter().map(effect).collect()
}

/// One event that stands in the journal now.
pub(super) fn effect(event: &crate::core::loops::Event) -> Value {
    json!({ "event": event.body.kind(), "seq": event.seq })
}

/// An answer of the other tools, as the command line gives it.
pub(super) fn plain(result: Value, warnings: Vec<String>) -> Answer {
    Answer { body: json!({"status": "ok", "result": result, "warnings": warnings}), failed: false }
}

/// What went wrong, in the form of every tool.
pub(super) fn error(call: &Call<'_>, intent: Option<&str>, error: &Error) -> Answer {
    let steps: Vec<Value> =
        error.next_steps().iter().map(|step| super::next::shown(step, call.actor)).collect();
    let mut body = json!({
        "status": "error",
        "error": {
            "code": error.code(),
            "message": error.message(),
            "details": error.0.details,
            "next_steps": error.next_steps(),
        },
    });
    if let Some(intent) = intent {
        body["intent"] = intent.into();
        body["duration_ms"] = json!(call.millis());
        body["next_expected"] = json!(steps);
    }
    Answer { body, failed: true }
}

/// Fields that no tool takes and that ask for another place, other rules or
/// another name: passing one over would do something else than was meant.
const ELSEWHERE: [(&str, &str); 7] = [
    ("workspace", PLACE),
    ("root", PLACE),
    ("cwd", PLACE),
    ("protocol", RULES),
    ("phases", RULES),
    ("iteration", RULES),
    ("actor", "you are who your client says that it is; the server's --actor names you otherwise"),
];
const PLACE: &str =
    "this server serves one workspace, its own; another needs a server with --workspace";
const RULES: &str = "a loop is opened by kind or preset, with slots, gates and stop_condition of \
     your own; more presets are files in the workspace's folder of protocols";

/// Reads the arguments of a tool; what is wrong is said with the field's name.
/// Fields that are not known are passed over, and said to be, but for those that
/// ask for something else altogether.
pub(super) fn arguments<T: DeserializeOwned + schemars::JsonSchema>(
    given: &Map<String, Value>,
) -> Result<(T, Vec<String>)> {
    let schema = schemars::schema_for!(T);
    let known: Vec<&str> = schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let elsewhere = ELSEWHERE.iter().find(|(name, _)| given.contains_key(*name));
    if let Some((field, why)) = elsewhere.filter(|(name, _)| !known.contains(name)) {
        return Err(invalid(field, format!("no field of this tool: {why}")));
    }
    let warnings = given
        .keys()
        .filter(|key| !known.contains(&key.as_str()))
        .map(|key| match (nearest(key, known.iter().copied()), echo(key)) {
            (Some(near), key) => format!("{key} is no field of this tool (did you mean {near}?)"),
            (None, key) => format!("{key} is no field of this tool and was passed over"),
        })
        .collect();
    let read = serde_path_to_error::deserialize(Value::Object(given.clone()));
    let read = read.map_err(|error: serde_path_to_error::Error<serde_json::Error>| {
        let path = error.path().to_string();
        let inner = error.into_inner().to_string();
        let field = match path.as_str() {
            "." | "?" => inner.split('`').nth(1).unwrap_or("arguments").to_owned(),
            path => path.to_owned(),
        };
        invalid(&field, super::fault::in_words(&inner))
    })?;
    Ok((read, warnings))
}

/// A field with a value that it doesn't take.
pub(super) fn invalid(field: &str, why: impl std::fmt::Display) -> Error {
    Refusal::new("usage", format!("{field}: {why}")).detail("field", field).into()
}

/// A field that is needed here.
pub(super) fn missing(field: &str) -> Error {
    invalid(field, "this intent needs it")
}

/// Reads a word of a closed set.
pub(super) fn word<T: std::str::FromStr>(field: &str, text: &str, words: &[&str]) -> Result<T> {
    text.parse().map_err(|_| {
        let words = words.join(", ");
        invalid(field, format!("{:?} is not one of {words}", echo(text)))
    })
}
