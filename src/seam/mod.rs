//! Where store, runner and engine touch the machine: every file, folder, lock and
//! process goes through here, so that tests can make each of them fail, or end
//! the process there (docs/reliability.md).
//!
//! In the program that users build this room is empty: [`fs`] *is* `std::fs`, and
//! [`pass`] does nothing. Only with the cargo feature `faults`, which this
//! package's own tests, benches and examples turn on, the same names lead to
//! counted points that a plan can reach.

#[cfg(feature = "faults")]
mod faults;
mod op;

#[cfg(feature = "faults")]
pub use faults::{Injected, Plan, Point, Rule, What, When, fs, inject, pass};
pub use op::Op;
#[cfg(not(feature = "faults"))]
pub use std::fs;

/// A point that [`fs`] doesn't cover: what a library does, or a process that is
/// started (the path is the folder that it is to run in).
///
/// # Errors
/// Never, in the program that users build.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub fn pass(_: Op, _: &std::path::Path) -> std::io::Result<()> {
    Ok(())
}
