//! Patterns that other tools wrote into `_patterns/domain-patterns.json`
//! (dream.md, "The tracker").

use serde::Serialize;
use serde_json::{Map, Value};

use super::tracker::confidence;

/// A pattern of another tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForeignPattern {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// What it is; the insight's type.
    pub category: String,
    /// What it says.
    pub description: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// How much speaks for it.
    pub evidence_count: usize,
    /// Where.
    pub domain: Option<String>,
    /// Of which phase.
    pub phase: Option<String>,
    /// Of which skill.
    pub skill: Option<String>,
    /// What to do.
    pub advice: Option<String>,
}

/// Reads a pattern file: an object with `patterns`, a bare list, or plural keys
/// with lists (`"bottlenecks": […]`). Entries with `record_ids` are ours and
/// passed over; an entry that cannot be used is named in the warnings.
pub fn read(bytes: &[u8]) -> (Vec<ForeignPattern>, Vec<String>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut warnings = Vec::new();
    let entries = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Array(list)) => list.into_iter().map(|entry| (None, entry)).collect(),
        Ok(Value::Object(map)) => entries_of(map),
        Ok(_) => {
            warnings.push("domain-patterns.json holds neither a list nor an object".to_owned());
            Vec::new()
        }
        Err(error) => {
            warnings.push(format!("domain-patterns.json cannot be read: {error}"));
            Vec::new()
        }
    };
    let mut patterns = Vec::new();
    for (number, (category, entry)) in entries.into_iter().enumerate() {
        if entry.get("record_ids").is_some() {
            continue;
        }
        match pattern(category.as_deref(), &entry) {
            Ok(pattern) => patterns.push(pattern),
            Err(why) => warnings
                .push(format!("domain-patterns.json: entry {} is skipped: {why}", number + 1)),
        }
    }
    (patterns, warnings)
}

fn entries_of(map: Map<String, Value>) -> Vec<(Option<String>, Value)> {
    let mut entries = Vec::new();
    for (key, value) in map {
        let Value::Array(list) = value else { continue };
        let category = (key != "patterns").then(|| singular(&key));
        entries.extend(list.into_iter().map(|entry| (category.clone(), entry)));
    }
    entries
}

fn singular(key: &str) -> String {
    match key.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => key.strip_suffix('s').unwrap_or(key).to_owned(),
    }
}

fn pattern(category: Option<&str>, entry: &Value) -> Result<ForeignPattern, String> {
    let map = entry.as_object().ok_or("it is no object")?;
    let evidence = count(map)?;
    Ok(ForeignPattern {
        id: text(map, "pattern_id")?.or(text(map, "id")?),
        category: text(map, "category")?
            .or_else(|| category.map(str::to_owned))
            .ok_or("category is missing")?,
        description: text(map, "description")?.ok_or("description is missing")?,
        confidence: certainty(map)?.unwrap_or_else(|| confidence(evidence)),
        evidence_count: evidence,
        domain: text(map, "domain")?,
        phase: text(map, "phase")?,
        skill: text(map, "skill")?,
        advice: text(map, "actionable_advice")?,
    })
}

/// A text; absent, null and blank are none.
fn text(map: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{key} is no text")),
    }
}

fn count(map: &Map<String, Value>) -> Result<usize, String> {
    match map.get("evidence_count") {
        None | Some(Value::Null) => Ok(0),
        Some(value) => value
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| "evidence_count is no whole number".to_owned()),
    }
}

fn certainty(map: &Map<String, Value>) -> Result<Option<f64>, String> {
    match map.get("confidence") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(n) if (0.0..=1.0).contains(&n) => Ok(Some(n)),
            _ => Err("confidence is no number from 0 to 1".to_owned()),
        },
    }
}
