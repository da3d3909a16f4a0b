//! Which critiques are answered (engine.md §7, "Coverage matrix").

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

/// All critiques that count, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// One row a critique.
    pub critiques: Vec<Covered>,
    /// How many.
    pub total: usize,
    /// How many are open.
    pub open: usize,
}

/// The coverage matrix of a loop.
pub fn coverage(_state: &Loop) -> Coverage {
    todo!()
}
