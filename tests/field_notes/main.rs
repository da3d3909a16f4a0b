//! Fault kinds that users of comparable tools report in public (field-notes.md), those
//! that no other test holds; docs/reliability.md has the table of all.

#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "the tests of the command line use more of it")]
mod support;

mod lost;
mod place;
mod stuck;
mod time;
