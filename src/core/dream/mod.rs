//! Dreams: from reward records to ranked insights that can be trusted.
//! `dream.md` is the specification. All of it is pure.
//!
//! - [`record`], [`memory`] — what a file says; all that were read, as a table;
//!   [`new_record`] — a record as it is written;
//! - [`select`], [`index`] — which records count; grouped once;
//! - [`associate`], [`tracker`], [`foreign`] — what they show; [`near`] — what
//!   came near;
//! - [`graph`] — the concept graph;
//! - [`identity`], [`insight`], [`words`] — what becomes an insight and how it is
//!   worded; [`past`], [`marks`] — earlier dreams, what people think of insights;
//! - [`run`] — the whole way; [`what_if`], [`diff`] — with something left out;
//!   between two dreams;
//! - [`file`](mod@file) — a dream as it is stored; [`trigger`] — when one is due.

pub mod associate;
pub mod diff;
pub mod file;
pub mod foreign;
pub mod graph;
pub mod identity;
pub mod index;
pub mod insight;
pub mod limits;
pub mod marks;
pub mod memory;
pub mod near;
pub mod new_record;
pub mod number;
pub mod past;
pub mod record;
pub mod run;
pub mod select;
pub mod tracker;
pub mod trigger;
pub mod what_if;
pub mod words;

#[cfg(test)]
mod tests;

pub use file::{Dream, Insight};
pub use limits::{Limit, Limits};
pub use marks::{Mark, Marks};
pub use memory::Memory;
pub use number::Thousandths;
pub use past::{DreamId, Earlier};
pub use run::{Dreamt, Request, WithGraph, dream, dream_of_files};
pub use select::{Selection, Settings, Without};
