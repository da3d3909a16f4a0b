//! The pure core: rules over values. No disk, no clock, no threads, no
//! terminal, no randomness; whatever of these a rule needs arrives as an
//! argument ([`loops::Ctx`]).

pub mod brief;
pub mod dream;
pub mod duration;
pub mod loops;
pub mod memory;
pub mod search;
pub mod session;
pub mod settings;
pub mod text;
pub mod time;
