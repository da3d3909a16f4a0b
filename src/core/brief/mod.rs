//! Briefs: what a slot works from (engine.md §8).
