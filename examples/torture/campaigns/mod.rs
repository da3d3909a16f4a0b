//! The campaigns, for `examples/torture` as long as one likes and for
//! `tests/survival` in small.

// Each of the two uses a part of it.
#![allow(dead_code)]

pub mod contention;
pub mod disk;
pub mod faults;
mod judge;
pub mod processes;
mod recover;
mod steps;
mod workers;
mod world;
