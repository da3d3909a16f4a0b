//! Child processes: how a command is run, listened to, and ended.
//!
//! A command is an argv, never a line for a shell. It runs in a folder, in a
//! process group of its own, with an environment that is passed on by name.
//! What it says is handed on line by line, with secrets replaced, and kept with
//! a bounded head and tail. Nothing here knows what a loop is.
//!
//! - `run` — one command from start to end; `listen` — its streams, in pieces of
//!   whole lines; `readers` — what tools' outputs come to; `capture` — what is kept of its
//!   output; `environment` — which variables it gets; `redact` — what is
//!   replaced; `git` — the one tool that the program itself asks;
//! - `worker` — a command that outlives the program, `log_file` — what it says,
//!   `process` — finding it again; `worktree` — where it changes files.

mod capture;
mod environment;
pub mod git;
mod listen;
mod log_file;
pub mod process;
pub mod readers;
mod redact;
mod regular;
mod run;
#[cfg(all(test, unix))]
mod tests;
pub mod worker;
pub mod worktree;

pub use capture::Captured;
pub use environment::{Environment, is_usual};
pub use redact::Redactor;
pub use run::{Cancel, Ended, Job, Ran, Said, Stream, Streams, run, run_from};
