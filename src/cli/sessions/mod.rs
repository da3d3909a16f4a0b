//! `loopdeck session …`: attempts at closing a gap, recorded or run.

mod list;
mod record;
mod reply;
mod run;
mod show;
mod start;
mod view;

use clap::{Args, Subcommand};

use super::call::{Answer, Call};
use super::errors::{Fault, Result};
use crate::core::session::SessionId;
use crate::engine::Engine;

pub use view::sparkline;

/// The verbs on sessions.
#[derive(Debug, Subcommand)]
pub enum SessionVerb {
    /// Start a session: a goal, and how many attempts it may take
    Start(start::StartArgs),
    /// Record an attempt that was made
    Record(Box<record::RecordArgs>),
    /// Run a command as an attempt: its output is read, the gap follows from it
    Run(run::RunArgs),
    /// A session: its gap, its attempts, how it went
    Show(show::ShowArgs),
    /// All sessions, newest change first
    List(list::ListArgs),
    /// Give a session up
    Escalate(EscalateArgs),
}

/// Arguments of `escalate`.
#[derive(Debug, Args)]
pub struct EscalateArgs {
    /// The session
    id: String,
    /// Why it is given up (@FILE, - or text)
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// Carries out a verb on sessions.
pub fn run(call: &Call, verb: SessionVerb) -> Result<Answer> {
    if call.globals.expect_version.is_some() {
        return Err(Fault::usage("--expect-version applies only to loops: sessions have none"));
    }
    match verb {
        SessionVerb::Start(args) => start::run(call, &args),
        SessionVerb::Record(args) => record::run(call, &args),
        SessionVerb::Run(args) => run::run(call, args),
        SessionVerb::Show(args) => show::run(call, &args),
        SessionVerb::List(args) => list::run(call, &args),
        SessionVerb::Escalate(args) => escalate(call, &args),
    }
}

fn escalate(call: &Call, args: &EscalateArgs) -> Result<Answer> {
    let (engine, id) = engine_and_session(call, &args.id)?;
    let reason = call.text("reason", &args.reason)?;
    let done = engine.escalate_session(&id, &reason, &call.write())?;
    Ok(reply::attempt(call, done))
}

/// Opens the workspace and finds a session in it.
fn engine_and_session(call: &Call, text: &str) -> Result<(Engine, SessionId)> {
    let engine = call.engine()?;
    let id = engine.resolve_session(text)?;
    Ok((engine, id))
}

/// Refuses the request id where nothing is changed.
fn refuse_request(call: &Call) -> Result<()> {
    match call.globals.request_id {
        Some(_) => Err(Fault::usage("--request-id applies only to verbs that change something")),
        None => Ok(()),
    }
}
