//! A loop as it is shown to scripts and agents (engine.md §10).

use serde_json::Value;

use super::model::Loop;
use crate::core::time::Timestamp;

/// The loop as JSON: the stored fields without the fold's own books, with
/// `round` and `attention`.
pub fn to_json(_state: &Loop, _now: Timestamp) -> Value {
    todo!()
}
