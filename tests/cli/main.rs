//! The command line as scripts and people use it: the real binary, black box.
//! What a rule says is tested in the library; here it is the wiring.

#[path = "support.rs"]
mod support;

mod binding;
mod codes;
mod damage;
mod demo;
mod doctor;
mod dreams;
mod flags;
mod history;
mod honest;
mod kinds;
mod output;
mod path;
mod places;
mod plain;
mod questions;
mod readme;
mod said;
mod sessions;
mod settings;
mod take_away;
mod terminal;
mod texts;
mod turns;
mod turns_back;
mod verbs;
mod verify;
