//! loopdeck: structured loops driven by hand from the terminal.
//!
//! The map, from the inside out; arrows point one way,
//! `core <- store, runner <- engine <- tui, mcp, cli`:
//!
//! - [`core`] — the rules, pure: loops, briefs, memory values.
//! - [`seam`] — stands where `std::fs` would, so that tests can make it fail.
//! - [`store`] — bytes on disk: layout, journal, locks, memory files, watching.
//! - [`runner`] — child processes: run, listened to, ended.
//! - [`engine`] — runs the core against the stores; one method a verb. The only
//!   door for the rooms below.
//! - [`tui`] — the deck.
//! - [`mcp`] — the loops for coding agents.
//! - [`cli`] — the command line.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod cli;
pub mod core;
pub mod engine;
pub mod mcp;
pub mod runner;
pub mod seam;
pub mod store;
pub mod tui;
