//! `loopdeck loop verify`: runs the loop's command.

use std::io::Write as _;
use std::thread;

use clap::Args;

use super::reply::{Form, done_answer};
use crate::cli::call::{Answer, Call, say};
use crate::cli::errors::Result;
use crate::core::text::shown_in_line;
use crate::engine::{Cancel, Line};

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
    let verified = engine.verify(&id, &call.write(), &cancel, |line| {
        if !quiet {
            show(line);
        }
    })?;
    if let Some(run) = verified.run.as_ref().filter(|_| !quiet) {
        say(&run.outcome());
    }
    Ok(done_answer(call, &engine, Form::Artifacts, verified.done))
}

/// Hands a line on to people: control characters are shown, not sent.
fn show(line: Line<'_>) {
    let mut stderr = std::io::stderr().lock();
    // Where nobody reads any more, the run goes on all the same.
    let _ = writeln!(stderr, "{}", shown_in_line(line.text.trim_end_matches(['\n', '\r'])));
}

/// The command has a process group of its own, so an interrupt from the terminal
/// reaches only this program: it is handed on as calling the run off.
fn cancel_on_signals(cancel: Cancel) {
    thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(async {
            interrupted().await;
            cancel.cancel();
        });
    });
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut streams: Vec<_> = wanted.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    let waits = streams.iter_mut().map(|stream| Box::pin(stream.recv()));
    futures_util::future::select_all(waits).await;
}

#[cfg(not(unix))]
async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
