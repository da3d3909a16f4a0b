//! Briefs: the message that a slot works from (engine.md §8).

pub mod paths;
pub mod rank;
pub mod tokens;
