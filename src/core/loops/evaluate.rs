//! The one evaluator of conditions (engine.md §4).
