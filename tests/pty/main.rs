//! The real binary in a pseudo-terminal: what a person at a terminal meets.
//!
//! Every test waits for what the screen shows; none sleeps.

#![cfg(unix)]

mod dreams;
mod endings;
mod live;
mod past;
mod path;
mod pictures;
mod question;
mod sessions;
mod support;
mod typing;
mod verify;
mod workers;
