//! Whether a protocol makes sense (engine.md §6, open).

use super::protocol::{Kind, Protocol};

/// What lint found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lint {
    /// Faults: a loop with this protocol is refused (`invalid_protocol`).
    pub errors: Vec<String>,
    /// Doubts.
    pub warnings: Vec<String>,
}

/// Checks a protocol for a kind of loop.
pub fn lint(_kind: Kind, _protocol: &Protocol) -> Lint {
    todo!()
}

/// Reads a protocol file (TOML, engine.md §4 "On the wire").
///
/// # Errors
/// A sentence with line, column and field.
pub fn parse_protocol(_toml: &str) -> Result<(Kind, Protocol), String> {
    todo!()
}

/// The built-in protocol of a kind.
pub fn builtin(_kind: Kind) -> Protocol {
    todo!()
}

/// A built-in preset by name, with its kind: `ideation+reframe`, `bootstrap`.
pub fn preset(_name: &str) -> Option<(Kind, Protocol)> {
    todo!()
}

/// The names of the built-in presets.
pub const PRESETS: [&str; 2] = ["ideation+reframe", "bootstrap"];
