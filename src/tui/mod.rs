//! The deck: the terminal interface (tui.md).
//!
//! - [`app`] — the state and its `update`: plain values and functions.
//! - [`msg`] — messages in, effects out.
//! - [`action`], [`keymap`], [`keys`] — the one table of actions, the keys that hold,
//!   and keys as terminals send them.
//! - [`view`] — the picture.
//! - [`form`] — everything that is asked before something changes.
//! - [`run`] — the runtime: terminal, event loop, the engine's threads.
//! - [`kept`] — what is kept for the next run: the place, and what was being written.
//! - [`settings`] — the person's own keys, theme and habits; [`theme`], [`widget`] —
//!   styles by meaning, text in cells.

pub mod action;
pub mod app;
pub mod form;
pub mod kept;
pub mod keymap;
pub mod keys;
pub mod msg;
pub mod settings;
pub mod theme;
pub mod view;
pub mod widget;

mod runtime;
#[cfg(test)]
mod tests;

pub use runtime::{DemoMaker, Error, RunOptions, run};
