//! `loopdeck loop verify`: runs the loop's command.

use std::io::Write as _;

use clap::Args;

use super::reply::{Form, done_answer};
use crate::cli::call::{Answer, Call, say};
use crate::cli::errors::Result;
use crate::cli::interrupt::cancel_on_signals;
use crate::core::text::shown_in_line;
use crate::engine::{Cancel, Said};

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The loop
    id: String,
}

/// Runs the loop's verify command. Red is an answer, not a fault.
pub fn run(call: &Call, args: &VerifyArgs) -> Result<Answer> {
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let cancel = Cancel::default();
    cancel_on_signals(cancel.clone());
    let quiet = call.globals.json;
    let verified = engine.verify(&id, &call.write(), &cancel, |said| {
        if !quiet {
            show(said);
        }
    })?;
    if let Some(run) = verified.run.as_ref().filter(|_| !quiet) {
        say(&run.outcome());
    }
    Ok(done_answer(call, &engine, Form::Artifacts, verified.done))
}

/// Hands lines on to people: control characters are shown, not sent.
fn show(said: Said<'_>) {
    let mut stderr = std::io::stderr().lock();
    for line in said.lines() {
        // Where nobody reads any more, the run goes on all the same.
        let _ = writeln!(stderr, "{}", shown_in_line(line));
    }
}
