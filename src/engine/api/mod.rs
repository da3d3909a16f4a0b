//! What the engine can be asked, and what it answers, one file a noun.

mod doctor;
mod dreams;
mod error;
mod log;
mod loops;
mod memory;
mod sessions;
mod workspace;

pub use crate::core::brief::{Brief, RankedItem};
pub use crate::store::rewards::Pace;
pub use doctor::{Diagnosis, Finding, Repair, Severity, Treatment};
pub use dreams::{
    Cause, Difference, DreamDone, DreamLine, DreamRequest, DreamStatus, DreamView, NameStats,
    Pattern, Provenance, RewardDraft, RewardPage, RewardQuery, RewardRecord, RewardStats,
    SeenInsight, Side, Supposition,
};
pub use error::{Error, Result};
pub use log::{Findings, Found, Log, LogEntry, LogQuery};
pub use loops::{
    BriefRequest, Done, Exported, Listing, LoopSummary, OpenRequest, ProtocolInfo, Write,
};
pub use memory::{ImportReport, MemoryDraft, MemoryPage, MemoryQuery, Skipped};
pub use sessions::{
    AttemptDone, AttemptDraft, GapDraft, ObservationDraft, RunDraft, SessionDone, SessionDraft,
    SessionListing,
};
pub use workspace::{
    Change, Clock, Ignoring, Importable, InitOptions, InitReport, Options, Paths, Problem,
    UserFile, Watch,
};
