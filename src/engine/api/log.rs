//! What happened, and what artifacts say.

use std::sync::Arc;

use serde::Serialize;

use super::workspace::Problem;
use crate::core::loops::Event;
use crate::core::loops::ids::{ArtifactId, LoopId, Name};
use crate::core::loops::model::Actor;
use crate::core::time::Timestamp;

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Of one loop; absent = of all, newest first.
    pub loop_id: Option<LoopId>,
    /// Of one kind of event.
    pub kind: Option<String>,
    /// By one actor.
    pub by: Option<Actor>,
    /// The newest so many; absent = all.
    pub limit: Option<usize>,
}

/// One event with its loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Which loop.
    pub loop_id: LoopId,
    /// The loop's title.
    pub title: Arc<str>,
    /// What happened.
    pub event: Event,
}

/// Some events, newest last for one loop, newest first for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<T = LogEntry> {
    /// The events, or what was made of each.
    pub entries: Vec<T>,
    /// How many match in all.
    pub total: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Log { entries: Vec::new(), total: 0, problems: Vec::new() }
    }
}

/// An artifact that a search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// In which loop.
    pub loop_id: LoopId,
    /// The loop's title.
    pub title: String,
    /// Which artifact.
    pub artifact_id: ArtifactId,
    /// Its type.
    pub artifact_type: Name,
    /// The phase that it was filed in.
    pub phase: Name,
    /// The round that it was filed in, from 1.
    pub round: u32,
    /// When it was filed.
    pub produced_at: Timestamp,
    /// How well it matches; only the order means something.
    pub score: f64,
    /// The piece of its text around the first match.
    pub excerpt: String,
}

/// What a search found, the best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The artifacts.
    pub found: Vec<Found>,
    /// How many match in all.
    pub total: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
}
