//! Iteration sessions: the record of closing one gap (sessions.md).
//!
//! - `word` — closed sets of words that files may widen; `record` — objects
//!   with a fixed order of keys that keep what they don't know;
//! - `ids`, `amount` — identities and finite numbers;
//! - `model` — session, attempt, transition; `observation` — what an attempt
//!   showed, cut to a size; `gap` — the distance left, and its trend;
//! - `summary` — a session in a line, for lists;
//! - `reading` — what a tool's output came to; `derive` — outcome and gap
//!   where nobody says them; `machine` — what may happen, and what follows.

mod amount;
mod derive;
mod gap;
mod ids;
mod machine;
mod model;
mod observation;
mod reading;
mod record;
mod summary;
#[cfg(test)]
mod tests;
mod word;

pub use amount::Amount;
pub use derive::{
    RunEnd, action_for, gap_of_reading, metric_of, outcome_of_exit, outcome_of_run, source_for,
};
pub use gap::{Gap, GapEntry, NewGap};
pub use ids::{AttemptId, ObservationId, SessionId};
pub use machine::{NewAttempt, Recorded, check_changeable, record, start};
pub use model::{
    Attempt, DEFAULT_MAX_ATTEMPTS, GOAL_CHARS, RequestNote, STALL, Session, Transition,
};
pub use observation::{NO_EXIT_CODE, Observation, RAW_CAP, RAW_HEAD, capped, capped_parts};
pub use reading::Reading;
pub use record::Json;
pub use summary::SessionSummary;
pub use word::{ActionType, GoalType, MetricType, Outcome, Source, Status, Trend};
