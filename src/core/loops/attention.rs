//! The one word that says what a loop wants now (engine.md §9).

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::model::Loop;
use super::refusal::NextStep;
use crate::core::time::Timestamp;

/// What a loop wants; the first that applies.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AttentionState {
    /// It has ended.
    Closed,
    /// It waits for a person.
    Person,
    /// It is held.
    Paused,
    /// Somebody was refused, or something failed, and nothing has happened since.
    Stuck,
    /// An agent works.
    Worker,
    /// It can go on.
    Ready,
    /// Something is still to be done.
    Work,
}

/// What a loop wants and the step that answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attention {
    /// The word.
    pub state: AttentionState,
    /// What is missing or why, in a few words (`critique 2/3`).
    pub detail: String,
    /// The step; none for a closed loop.
    pub next: Option<NextStep>,
    /// Nothing has happened for more than 7 days, and it is not closed.
    pub idle: bool,
}

/// What a loop wants at a moment.
pub fn attention(_state: &Loop, _now: Timestamp) -> Attention {
    todo!()
}
