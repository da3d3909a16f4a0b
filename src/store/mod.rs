//! Bytes on disk: where things are, how they are locked, written and read back.
//!
//! Knows the form of files but no rule of the domain; `store.md` is its
//! specification. Everything here is blocking.

pub mod approvals;
pub mod atomic;
pub mod bodies;
pub mod config;
pub mod conflicts;
pub mod dreams;
pub mod error;
pub mod ignore;
pub mod import;
pub mod journal;
pub mod layout;
pub mod lock;
pub mod memory;
pub mod plain;
pub mod quarantine;
pub mod requests;
pub mod rewards;
pub mod sidecar;
pub mod snapshot;
pub mod stamp;
pub mod summary;

pub use error::{Error, Result};

/// Whether what was written must outlive a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flush {
    /// Flushed to the disk before "done" is said.
    #[default]
    Yes,
    /// Left to the system: only for what may be lost, like a demo.
    No,
}
