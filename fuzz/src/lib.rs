//! What is fuzzed: one function a target, from bytes to nothing. It panics where
//! something does not hold.
//!
//! The targets of `fuzz_targets/` call them under libFuzzer; `tests/fuzz.rs` calls
//! them on the seeds and on changes of these in every run of the tests.

mod kept;
mod outside;
mod screen;

/// A target: its name, and what it does with its bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 11] = [
    ("journal", kept::journal),
    ("snapshot", kept::snapshot),
    ("session", kept::session),
    ("record", kept::record),
    ("protocol", kept::protocol),
    ("memory", kept::memory),
    ("lane_result", outside::lane_result),
    ("mcp", outside::mcp),
    ("readers", outside::readers),
    ("keymap", screen::keymap),
    ("input", screen::input),
];

/// Runs one target on some bytes.
///
/// # Panics
/// If there is no such target, or if something does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(own, _)| *own == name).expect("a target of that name");
    target(bytes);
}
