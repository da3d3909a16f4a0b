//! Artifacts: what was said, without the bodies (engine.md §7).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display};

use super::actor::Actor;
use super::ids::{ArtifactId, Name, SlotId, TurnId, name};
use super::model::ForkOrigin;
use crate::core::time::Timestamp;

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
    /// The iteration session that the loop linked then: the run is an attempt there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
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
    #[serde(deserialize_with = "name")]
    pub phase: Name,
    /// Its type.
    #[serde(rename = "type", deserialize_with = "name")]
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
    #[serde(deserialize_with = "name")]
    pub text_key: Name,
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
    /// Where it was filed first, if its loop is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ForkOrigin>,
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

    /// What it says in a line: its preview; of a report that the engine filed what
    /// came of the run (`red: exit 1, 0.4 s`), and only `red` or `green` where a long
    /// command leaves the preview no room for more.
    pub fn said(&self) -> Cow<'_, str> {
        let run = self.report.as_ref().filter(|report| !report.narrated);
        match run {
            Some(report) => match outcome_of(&self.preview, report.passed) {
                Some(outcome) => outcome.into(),
                None if report.passed => "green".into(),
                None => "red".into(),
            },
            None => self.preview.as_str().into(),
        }
    }

    /// Whether it was neither retracted nor superseded.
    pub fn is_current(&self) -> bool {
        self.retracted.is_none() && self.superseded_by.is_none()
    }
}

/// The outcome of a run by the beginning of its report, which is JSON that may be
/// cut anywhere. Inside its texts quotes are escaped, so that a name is found only
/// where it is one.
pub(super) fn outcome_of(preview: &str, passed: bool) -> Option<String> {
    let number = |name: &str| -> Option<i64> {
        let (_, rest) = preview.split_once(&format!("\"{name}\":"))?;
        let end = rest.find([',', '}'])?;
        rest[..end].trim().parse().ok()
    };
    let seconds = number("duration_ms")? as f64 / 1_000.0;
    let how = match (passed, number("exit_code")) {
        (true, _) => "green".to_owned(),
        (false, _) if preview.contains("\"timed_out\":true") => "red: took too long".to_owned(),
        (false, Some(code)) => format!("red: exit {code}"),
        (false, None) => "red: no exit status".to_owned(),
    };
    Some(format!("{how}, {seconds:.1} s"))
}

#[cfg(test)]
mod tests {
    use super::outcome_of;

    #[test]
    fn a_report_says_in_words_what_came_of_the_run() {
        let red = r#"{"command":["sh","-c","exit 1"],"duration_ms":40,"exit_code":1,"passed":false,"stderr_ta"#;
        assert_eq!(outcome_of(red, false).as_deref(), Some("red: exit 1, 0.0 s"));
        let green = r#"{"command":["true"],"exit_code":0,"passed":true,"duration_ms":1234,"t"#;
        assert_eq!(outcome_of(green, true).as_deref(), Some("green, 1.2 s"));
        assert_eq!(outcome_of(r#"{"command":["a long"#, false), None);
    }
}
