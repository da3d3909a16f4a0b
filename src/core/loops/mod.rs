//! The loop engine's rules: values in, decisions out (engine.md).

pub mod actor;
pub mod apply;
pub mod artifact;
pub mod attempt;
pub mod attention;
pub mod beside;
pub mod binding;
pub mod command;
pub mod condition;
pub mod coverage;
pub mod decide;
pub mod diff;
pub mod effects;
pub mod evaluate;
pub mod event;
mod event_wire;
pub mod explain;
pub mod export;
pub mod followups;
pub mod green;
pub mod history;
pub mod ids;
pub mod index;
pub mod lint;
pub mod model;
mod new_slot;
pub mod past;
pub mod plain;
pub mod protocol;
pub mod question;
pub mod reading;
pub mod refusal;
pub mod rounds;
pub mod side_by_side;
pub mod slot;
pub mod spent;
pub mod steps;
pub mod template;
pub mod verdicts;
pub mod verify_run;
pub mod waiting;
pub mod wire;

#[cfg(test)]
mod tests;

pub use command::{Command, Ctx, OpenLoop};
pub use event::{Event, EventBody};
pub use model::Loop;
pub use refusal::{Decision, Refusal};
