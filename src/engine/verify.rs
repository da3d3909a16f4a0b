//! Running a loop's verify command, outside the loop's lock, and what the
//! workspace was then (engine.md §4 and §6).

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::api::{Done, Error, Result, Write};
use super::inner::{Engine, Inner, canonical};
use super::sessions::Verification;
use super::write::{Change, check_expected};
use crate::core::loops::command::{Command, VerifyRun};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{INLINE_CAP, Loop};
use crate::core::loops::refusal::Refusal;
use crate::core::loops::{decide, evaluate, explain};
use crate::core::text::sha256_hex;
use crate::runner::readers::Readers;
use crate::runner::{self, Cancel, Ended, Environment, Job, Ran, Redactor, Said, Streams, git};
use crate::store;
use crate::store::journal::RequestMark;
use crate::store::lock::LockFile;

/// How long a command may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// A run of a verify command, and the loop with its report.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What the report says; none for the answer to an earlier request.
    pub run: Option<VerifyRun>,
    /// The change.
    pub done: Done,
}

impl Engine {
    /// Runs the loop's verify command and files its report under the phase and
    /// round in which it was started. Red is no error. `on_output` gets the output
    /// as it comes.
    ///
    /// # Errors
    /// `already_closed`, `paused`, `verify_unconfigured`, `command_not_trusted`,
    /// `variable_not_trusted`, `verify_running`; `interrupted` if it was called off, and as
    /// [`Engine::execute`].
    pub fn verify(
        &self,
        id: &LoopId,
        write: &Write,
        cancel: &Cancel,
        mut on_output: impl FnMut(Said<'_>),
    ) -> Result<Verified> {
        let inner = &self.inner;
        inner.check_writable()?;
        let view = inner.view(id)?;
        let mark = write.request_id.as_ref().map(|request| mark(request, id));
        if let Some(mark) = &mark
            && let Some(done) = inner.earlier_answer(id, &view, mark)?
        {
            return Ok(Verified { run: None, done });
        }
        let change = |write, mark| Change {
            verb: "verify",
            write,
            mark,
            known_cites: Default::default(),
            needs_history: false,
        };
        let state = &view.state;
        let argv = decide::verify_command(state)?.to_vec();
        check_expected(&inner.entry(id), &view, &change(write, None), inner.time.now())?;
        inner.check_trusted(&argv)?;
        inner.check_variables(&inner.settings.now().config.verify.pass_env)?;

        let lock = LockFile::open(&inner.layout.loop_files(id).verify_lock())?;
        let guard = lock.acquire(Duration::ZERO, inner.time.now()).map_err(already_running)?;
        let mut readers = state.linked.session_id.as_ref().map(|_| Readers::of(&argv));
        let ran = runner::run(&inner.job(&argv), cancel, |said| {
            if let Some(readers) = &mut readers {
                readers.feed(said.text);
            }
            on_output(said);
        });
        if ran.ended == Ended::Cancelled {
            return Err(Error::new("interrupted", "the run was called off: nothing was recorded"));
        }
        let command_line = shell_words::join(&argv);
        let run = report(argv, &ran, git::digest(inner.layout.root(), &inner.own_stores()));
        let command = Command::RecordVerify {
            run: run.clone(),
            phase: state.current_phase.clone(),
            iteration: state.iteration_count,
        };
        // What happened meanwhile is no reason to lose the report.
        let write = Write { expected_version: None, ..write.clone() };
        let mut done = inner.change(
            id,
            &change(&write, mark),
            |view, ctx| decide::decide(&view.state, &command, ctx),
            || Ok(()),
        )?;
        drop(guard);
        super::attempts::kill_point("verify");
        if let (Some(readers), Some(report)) = (readers, done.made.artifact_ids.first()) {
            let reading = readers.finish(run.exit_code.map(i64::from));
            let verification = Verification { ran: &ran, command: command_line, reading };
            inner.attempt_of_report(&done.state, report, &verification, &mut done.warnings);
        }
        Ok(Verified { run: Some(run), done })
    }

    /// The text of `git diff` in the workspace: of a range of commits, or of what
    /// is not committed yet.
    ///
    /// # Errors
    /// `invalid_diff` if git can't say, or if there is no difference.
    pub fn git_diff(&self, range: Option<&str>) -> Result<String> {
        let root = self.inner.layout.root();
        let invalid = |why| Error::from(Refusal::new("invalid_diff", why).detail("field", "diff"));
        let text = git::diff(root, range, &self.inner.own_stores()).map_err(invalid)?;
        match text.is_empty() {
            false => Ok(text),
            true => {
                Err(invalid(format!("git diff {} shows no difference", range.unwrap_or("HEAD"))))
            }
        }
    }
}

impl Inner {
    /// A command in the workspace, as the settings have commands run.
    pub(super) fn job(&self, argv: &[String]) -> Job {
        let read = self.settings.now();
        let config = &read.config;
        let root = self.layout.root();
        Job {
            argv: argv.to_vec(),
            dir: root.to_owned(),
            environment: Environment::of_process(&self.handed_on(&config.verify.pass_env))
                .with("PWD", root)
                .with("LOOPDECK_WORKSPACE", root),
            timeout: config.verify.timeout,
            grace: GRACE,
            redactor: self.redactor(),
            streams: Streams::Apart,
        }
    }

    /// Replaces secrets in what is kept of others' words (store.md, "Secrets").
    pub(super) fn redactor(&self) -> Redactor {
        let read = self.settings.now();
        let patterns = read.config.redact.iter();
        let patterns: Vec<_> =
            patterns.filter_map(|pattern| regex::Regex::new(pattern).ok()).collect();
        Redactor::of_process(&patterns)
    }

    /// The program's own folders, which are no part of the work.
    pub(super) fn own_stores(&self) -> Vec<PathBuf> {
        let layout = &self.layout;
        let mut stores =
            vec![layout.store(), layout.loops().to_owned(), layout.memory().to_owned()];
        stores.extend([layout.sessions(), layout.rewards(), layout.insights()].map(Path::to_owned));
        stores.extend([".whetstone", ".keysarium"].map(|name| layout.root().join(name)));
        stores
    }

    /// The digest of the workspace, where a rule is about to compare it with the
    /// one that a green command ran on. It costs a look at the work tree, so it
    /// is taken nowhere else, and never under a lock.
    pub(super) fn digest_for(&self, state: &Loop) -> Option<String> {
        if state.protocol.verify.is_none() || !explain::may_exit(state) {
            return None;
        }
        let report = evaluate::latest_report(state)?.report.as_ref()?;
        report.workspace_digest.as_ref().filter(|_| report.passed)?;
        git::digest(self.layout.root(), &self.own_stores())
    }
}

fn report(command: Vec<String>, ran: &Ran, workspace_digest: Option<String>) -> VerifyRun {
    let (exit_code, why) = match &ran.ended {
        Ended::Exited(code) => (*code, None),
        Ended::NotStarted(why) => (None, Some(why.clone())),
        Ended::TimedOut | Ended::Cancelled => (None, None),
    };
    VerifyRun {
        command,
        exit_code,
        passed: exit_code == Some(0),
        duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
        timed_out: ran.ended == Ended::TimedOut,
        stdout_tail: ran.stdout.last(INLINE_CAP),
        stderr_tail: why.unwrap_or_else(|| ran.stderr.last(INLINE_CAP)),
        workspace_digest,
    }
}

fn already_running(error: store::Error) -> Error {
    let store::Error::LockTimeout { holder, .. } = error else { return error.into() };
    let who = holder.as_ref().map(|h| format!(" ({h})")).unwrap_or_default();
    Refusal::new(
        "verify_running",
        format!("the verify command of this loop is running already{who}: one at a time"),
    )
    .detail("holder", holder)
    .into()
}

/// What makes a repeat harmless; what the run brings is no part of the request.
fn mark(request: &str, id: &LoopId) -> RequestMark {
    let body = serde_json::json!({ "loop_id": id.as_str(), "command": { "verb": "verify" } });
    RequestMark {
        id: request.to_owned(),
        body_sha256: sha256_hex(canonical(body).to_string().as_bytes()),
    }
}
