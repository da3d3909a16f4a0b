//! A reward record as this program writes it (dream.md, "Reward records").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::number::Thousandths;
use crate::core::text::{is_reserved_name, slugify};
use crate::core::time::Timestamp;

/// What came of the work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// What was made.
    pub artifacts_created: Vec<String>,
    /// What the operator answered at a checkpoint.
    pub checkpoint_response: Option<String>,
    /// Rounds that it took.
    pub iterations: Option<u64>,
    /// Whether a promise was given.
    pub promise_emitted: bool,
}

/// A record to be stored, keys in the published order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewRecord {
    /// Its id.
    pub id: String,
    /// Of the format: `1.1`.
    pub version: &'static str,
    /// When.
    pub timestamp: Timestamp,
    /// The case.
    pub case_slug: String,
    /// The domain.
    pub domain: String,
    /// The phase.
    pub phase: String,
    /// The phase as people call it.
    pub phase_name: String,
    /// Who or what worked it.
    pub skill_used: String,
    /// From 0 to 1.
    pub reward: f64,
    /// In a word.
    pub reward_label: &'static str,
    /// Why so much.
    pub reward_reason: String,
    /// What else is known.
    pub context: Map<String, Value>,
    /// What came of it.
    pub outcome: Outcome,
    /// A promise's tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise_tag: Option<String>,
    /// How often it was used.
    pub usage_count: u64,
    /// When it stops counting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

impl NewRecord {
    /// The version of the format that is written.
    pub const VERSION: &'static str = "1.1";

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Its folder below `memory/`: the domain and the case, as safe names.
    pub fn folder(&self) -> String {
        format!("{}/{}", safe_name(&self.domain, "general"), safe_name(&self.case_slug, "case"))
    }

    /// Its file's name without `.json`: phase and time.
    pub fn stem(&self) -> String {
        let at = self.timestamp.to_utc().format("%Y-%m-%dT%H-%M-%S");
        format!("{}_{at}", safe_name(&self.phase, "phase"))
    }
}

/// A reward in a word: excellent ≥ 0.85, good ≥ 0.5, needs_work ≥ 0.15, failed.
pub fn label(reward: f64) -> &'static str {
    match Thousandths::of(reward).0 {
        850.. => "excellent",
        500.. => "good",
        150.. => "needs_work",
        _ => "failed",
    }
}

/// A name that is safe in a path: as it stands where it is, else a slug of it.
fn safe_name(name: &str, fallback: &str) -> String {
    const LONGEST: usize = 80;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_safe = !name.is_empty()
        && name.len() <= LONGEST
        && name.chars().all(is_plain)
        && !name.starts_with(['.', '_', '-'])
        && !name.ends_with('.')
        && !is_reserved_name(name);
    if is_safe { name.to_owned() } else { slugify(name, LONGEST, fallback) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_their_borders() {
        let labels = [1.0, 0.85, 0.849, 0.5, 0.499, 0.15, 0.149, 0.0].map(label);
        assert_eq!(
            labels,
            [
                "excellent",
                "excellent",
                "good",
                "good",
                "needs_work",
                "needs_work",
                "failed",
                "failed"
            ]
        );
    }

    #[test]
    fn names_never_leave_their_folder() {
        for (name, safe) in [
            ("phase-2.5", "phase-2.5"),
            ("..", "x"),
            ("../up", "up"),
            ("_patterns", "patterns"),
            ("a/b", "a-b"),
            ("CON", "con-x"),
            ("12:30", "12-30"),
        ] {
            assert_eq!(safe_name(name, "x"), safe);
        }
    }
}
