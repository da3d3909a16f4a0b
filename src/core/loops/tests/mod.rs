//! Tests of the rules, without any I/O.

mod advancing;
mod attempts;
mod binding;
mod counting;
pub(super) mod fixture;
mod going_back;
mod kinds;
mod properties;
mod protocols;
mod questions;
mod rewards;
mod speaking;
mod undone;
mod verify;
