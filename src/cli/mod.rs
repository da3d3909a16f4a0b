//! The command line: parses, calls the engine, prints. No rule lives here.
//!
//! One file a noun; around them: [`args`] (what may be said), [`call`] (one
//! invocation and its answer), [`errors`] (codes and exit statuses), [`page`]
//! (layout of text for people), [`usage`] (what clap says, in our form).

pub mod args;
pub mod call;
pub mod config;
pub mod deck;
pub mod demo;
pub mod doctor;
pub mod dream;
pub mod errors;
pub mod init;
pub mod interrupt;
pub mod keys;
pub mod loops;
pub mod mcp;
pub mod memory;
pub mod page;
pub mod paths;
pub mod plain;
pub mod rewards;
pub mod sessions;
pub mod shell;
pub mod status;
pub mod trust;
pub mod turn;
pub mod usage;
pub mod when;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Noun};
use call::{Answer, Call};
use errors::{Fault, Result};

/// Runs the program with its arguments (the first is its own name) and says
/// with which status it ends.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = args::join_texts_with_dashes(args);
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error, &args),
    };
    let call = Call::new(cli.globals, cli.read_only);
    let ended = carry_out(&call, cli.plain, cli.command).and_then(|outcome| match outcome {
        // Of a change nobody must think that it failed with its answer.
        Outcome::Answer(answer) => match call.print(&answer) {
            Ok(()) => Ok(answer.status()),
            Err(mut fault) => {
                let done = "the command was carried out, only its answer is lost";
                fault.message = format!("{done}: {}", fault.message);
                Err(fault)
            }
        },
        Outcome::LeftDeck(status) => Ok(status),
    });
    match ended {
        Ok(status) => status.into(),
        Err(fault) => {
            call::print_fault(call.globals.json, &fault);
            fault.exit_status().into()
        }
    }
}

/// What a command came to.
#[derive(Debug)]
pub enum Outcome {
    /// Something to print.
    Answer(Answer),
    /// The deck has had the terminal; the status to end with.
    LeftDeck(u8),
}

fn carry_out(call: &Call, in_lines: bool, command: Option<Noun>) -> Result<Outcome> {
    let answer = match command {
        None if in_lines => return plain::run(call),
        Some(_) if in_lines => {
            return Err(Fault::usage("--plain is the deck in lines: it goes without a command"));
        }
        None => return deck::run(call),
        Some(Noun::Demo(args)) => return demo::run(call, &args),
        Some(Noun::Init(args)) => init::run(call, &args),
        Some(Noun::Status(args)) => status::run(call, &args),
        Some(Noun::Loop(verb)) => loops::run(call, verb),
        Some(Noun::Mcp) => {
            mcp::run(call)?;
            return Ok(Outcome::LeftDeck(0));
        }
        Some(Noun::Turn(verb)) => turn::run(call, verb),
        Some(Noun::KeepWorker(args)) => turn::keep(call, &args),
        Some(Noun::Memory(verb)) => memory::run(call, verb),
        Some(Noun::Rewards(verb)) => rewards::run(call, verb),
        Some(Noun::Dream(verb)) => dream::run(call, verb),
        Some(Noun::Session(verb)) => sessions::run(call, verb),
        Some(Noun::Trust { verb }) => trust::run(call, verb),
        Some(Noun::Config { verb }) => config::run(call, &verb),
        Some(Noun::Doctor(args)) => doctor::run(call, &args),
        Some(Noun::Keys) => keys::run(call),
        Some(Noun::Paths) => paths::run(call),
        Some(Noun::Completions(args)) => shell::completions(call, &args),
        Some(Noun::Man) => shell::man(call),
    };
    answer.map(Outcome::Answer)
}
