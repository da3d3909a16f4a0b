//! Which critiques are answered (engine.md §7, "Coverage matrix").

use std::collections::HashMap;

use serde::Serialize;

use super::ids::ArtifactId;
use super::model::Loop;

/// How a critique stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::AsRefStr, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CoverState {
    /// A revision or plan_draft answers it.
    Addressed,
    /// It was set aside.
    Waived,
    /// Neither.
    Open,
}

/// One critique and what answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// The critique.
    pub artifact_id: ArtifactId,
    /// Its round, counted from 1.
    pub round: u32,
    /// How it stands.
    pub state: CoverState,
    /// The artifacts that answer it or set it aside.
    pub by: Vec<ArtifactId>,
    /// Why it was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// All critiques that count, oldest first. One that repeats another's text is
/// that one again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// One row a critique.
    pub critiques: Vec<Covered>,
    /// How many.
    pub total: usize,
    /// How many are open.
    pub open: usize,
}

/// What was said to one critique.
#[derive(Default)]
struct Answers {
    addressed_by: Vec<ArtifactId>,
    waived_by: Vec<ArtifactId>,
    reason: Option<String>,
}

/// The coverage matrix of a loop. An answer that names an old version of a
/// critique answers its newest, one that names a duplicate what it repeats; an
/// answer outweighs a waiver.
pub fn coverage(state: &Loop) -> Coverage {
    let mut answers: HashMap<ArtifactId, Answers> = HashMap::new();
    let newest = |id: &ArtifactId| {
        let Some(newest) = state.newest_version(id.as_str()) else { return id.clone() };
        state.said_before(newest).unwrap_or(newest).artifact_id.clone()
    };
    for (id, reason) in &state.waived {
        answers.entry(newest(id)).or_default().reason = Some(reason.clone());
    }
    let answering = |kind: &str| matches!(kind, "revision" | "plan_draft");
    for artifact in state.artifacts.iter().filter(|a| a.counts() && answering(&a.artifact_type)) {
        for id in &artifact.addresses_critique {
            let answer = answers.entry(newest(id)).or_default();
            answer.addressed_by.push(artifact.artifact_id.clone());
        }
        for (id, reason) in &artifact.waives {
            let answer = answers.entry(newest(id)).or_default();
            answer.waived_by.push(artifact.artifact_id.clone());
            answer.reason = Some(reason.clone());
        }
    }
    let critiques: Vec<Covered> = state
        .artifacts
        .iter()
        .filter(|a| &*a.artifact_type == "critique" && a.counts() && !state.repeats(a))
        .map(|a| row(a, answers.remove(&a.artifact_id).unwrap_or_default()))
        .collect();
    let open = critiques.iter().filter(|c| c.state == CoverState::Open).count();
    Coverage { total: critiques.len(), open, critiques }
}

fn row(critique: &super::model::Artifact, answers: Answers) -> Covered {
    let Answers { addressed_by, waived_by, reason } = answers;
    let (state, by, reason) = if !addressed_by.is_empty() {
        (CoverState::Addressed, addressed_by, None)
    } else if reason.is_some() {
        (CoverState::Waived, waived_by, reason)
    } else {
        (CoverState::Open, Vec::new(), None)
    };
    Covered {
        artifact_id: critique.artifact_id.clone(),
        round: critique.iteration + 1,
        state,
        by,
        reason,
    }
}
