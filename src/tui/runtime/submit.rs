//! What is submitted, carried out by the engine.

use crate::core::loops::command::{Amend, Command};
use crate::engine::{Engine, Error, Result, Write};
use crate::tui::form::Submission;
use crate::tui::msg::Outcome;

use super::sessions::start_session;

/// Carries a submission out.
pub(super) fn carry_out(engine: &Engine, submission: &Submission) -> Result<Outcome> {
    match submission {
        Submission::Execute { loop_id, command, expected_version } => {
            let write = Write { expected_version: *expected_version, ..Write::operator() };
            let done = match command {
                Command::Promote { artifact, category } => {
                    engine.promote(loop_id, artifact, *category, &write)?
                }
                // A text that only adds isn't refused because others wrote meanwhile.
                command => engine.execute_beside(loop_id, command.clone(), &write)?,
            };
            Ok(Outcome::Done(Box::new(done)))
        }
        Submission::WithVerify { loop_id, command, argv, expected_version } => {
            let write = Write { expected_version: *expected_version, ..Write::operator() };
            let set = Amend { verify: Some(Some(argv.clone())), ..Amend::default() };
            engine.execute(loop_id, Command::Amend(set), &write)?;
            let done = engine.execute(loop_id, command.clone(), &Write::operator())?;
            Ok(Outcome::Done(Box::new(done)))
        }
        Submission::Fork { loop_id, at } => {
            let done = engine.fork(loop_id, *at, &Write::operator())?;
            Ok(Outcome::Opened(Box::new(done)))
        }
        Submission::Open(request) => {
            let done = engine.open_loop(request, &Write::operator())?;
            Ok(Outcome::Opened(Box::new(done)))
        }
        Submission::Import { path, category, dry_run } => {
            let report = engine.memory_import(path, *category, *dry_run)?;
            Ok(Outcome::Imported(report, engine.importable().new))
        }
        Submission::StartSession(draft, link) => start_session(engine, draft, link.as_ref()),
        Submission::Record(id, draft) => {
            let done = engine.record_attempt(id, draft, &Write::operator())?;
            Ok(Outcome::Attempt(Box::new(done)))
        }
        Submission::Escalate(id, reason) => {
            let done = engine.escalate_session(id, reason, &Write::operator())?;
            Ok(Outcome::Attempt(Box::new(done)))
        }
        Submission::Run(..) | Submission::TakeOver { .. } => {
            Err(Error::new("internal", "this is started, not filed"))
        }
        Submission::MemoryAdd(draft) => engine.memory_add(draft).map(Outcome::Remembered),
        Submission::MemoryEdit(id, draft) => engine.memory_edit(id, draft).map(Outcome::Remembered),
    }
}
