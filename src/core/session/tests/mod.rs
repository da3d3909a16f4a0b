//! The tests that the sessions seed lists by name (docs/session-tests.md says
//! which is where), and those of the rules that sessions.md adds.

mod attempt;
pub mod fixture;
mod gap;
mod machine;
mod observation;
mod properties;
mod session;
