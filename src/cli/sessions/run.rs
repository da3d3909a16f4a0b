//! `loopdeck session run`: a command as an attempt.

use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{engine_and_session, reply, view};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::interrupt::cancel_on_signals;
use crate::core::duration::parse_span;
use crate::core::loops::Refusal;
use crate::core::session::ActionType;
use crate::core::text::shown;
use crate::engine::{AttemptDone, Cancel, RunDraft, Said};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The session
    id: String,
    /// What it is [default: by the session's goal]
    #[arg(long, visible_alias = "action", value_name = "TYPE", value_parser = view::action_types())]
    action_type: Option<ActionType>,
    /// In words [default: the command]
    #[arg(long, visible_alias = "action-description", value_name = "TEXT")]
    description: Option<String>,
    /// After which time it is ended, like 90s or 30m [default: verify.timeout_s]
    #[arg(long, value_name = "TIME", value_parser = span)]
    timeout: Option<Duration>,
    /// A JUnit XML file that the command writes; may be given several times
    #[arg(long, value_name = "FILE")]
    junit: Vec<PathBuf>,
    /// The command and its arguments, behind --; no shell reads them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    argv: Vec<String>,
}

fn span(text: &str) -> std::result::Result<Duration, String> {
    let millis = parse_span(text).and_then(|millis| u64::try_from(millis).ok());
    millis.map(Duration::from_millis).ok_or_else(|| format!("{text:?} is no time like 90s or 30m"))
}

/// Runs a command. Red is an answer, not a fault.
pub fn run(call: &Call, args: RunArgs) -> Result<Answer> {
    let (engine, id) = engine_and_session(call, &args.id)?;
    let draft = RunDraft {
        argv: args.argv,
        action_type: args.action_type,
        action_description: call.maybe_text("description", args.description.as_ref())?,
        timeout: args.timeout,
        junit: args.junit,
    };
    let cancel = Cancel::default();
    cancel_on_signals(cancel.clone());
    let mut out = Out::new(call.globals.json);
    let done = engine.run_attempt(&id, &draft, &call.write(), &cancel, |said| out.show(said))?;
    out.end();
    if done.was_called_off() {
        return Err(called_off(&done).into());
    }
    Ok(reply::attempt(call, done))
}

/// What is said of a run that an interrupt ended. A script must not take it for one
/// that came to its end.
fn called_off(done: &AttemptDone) -> Refusal {
    let session = &done.session.session_id;
    let number = done.session.attempts.iter().position(|a| a.attempt_id == done.attempt_id);
    let said = format!(
        "the run was called off: attempt {} of {} is recorded with the outcome error, and the gap \
         stays as it was",
        number.map_or(0, |at| at + 1),
        done.session.max_attempts
    );
    Refusal::new("interrupted", said)
        .detail("session_id", session.as_str())
        .detail("attempt_id", done.attempt_id.as_str())
        .step("see the session", format!("loopdeck session show {session}"))
}

/// Where the output goes as it comes.
struct Out {
    /// For `--json` nowhere: one object is printed, and nothing else.
    quiet: bool,
    /// A terminal gets control characters shown, not sent.
    terminal: bool,
    /// Where nobody reads any more, the run goes on all the same.
    gone: bool,
    in_line: bool,
}

impl Out {
    fn new(quiet: bool) -> Self {
        let terminal = std::io::stdout().is_terminal();
        Self { quiet, terminal, gone: false, in_line: false }
    }

    fn show(&mut self, said: Said<'_>) {
        if self.quiet || self.gone {
            return;
        }
        self.in_line = !said.text.ends_with('\n');
        let shown = if self.terminal { shown(said.text) } else { said.text.into() };
        self.write(shown.as_bytes());
    }

    fn end(&mut self) {
        if !self.quiet && std::mem::take(&mut self.in_line) {
            self.write(b"\n");
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut stdout = std::io::stdout().lock();
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
        self.gone |= written.is_err();
    }
}
