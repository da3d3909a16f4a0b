//! What docs/security.md promises, held from outside: hostile repositories, hostile
//! workers, hostile clients, and what the program itself never does.

#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "the tests of the command line use more of it")]
mod support;

mod client;
mod links;
mod pages;
mod program;
mod repository;
mod screen;
mod secrets;
mod worker;
