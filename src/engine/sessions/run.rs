//! Attempts made by running a command (sessions.md, "By running it").

use std::time::Duration;

use serde_json::{Value, json};

use super::{NOTHING_RAN, note};
use crate::core::session::{
    self, ActionType, Attempt, Json, NO_EXIT_CODE, NewAttempt, Observation, Reading, RunEnd,
    Session, SessionId, capped_parts,
};
use crate::engine::api::{AttemptDone, Error, Result, RunDraft, Write};
use crate::engine::inner::{Engine, Inner};
use crate::runner::readers::Readers;
use crate::runner::{self, Cancel, Ended, Ran, Said, Streams};

impl Engine {
    /// Runs a command in the workspace and records what came of it as an attempt.
    /// Red is no error, nor is a command that can't be started, takes too long or
    /// is called off: those are attempts with the outcome `error`. `on_output`
    /// gets the output as it comes.
    ///
    /// # Errors
    /// `usage` without a command; `session_not_found`, `session_closed`,
    /// `unknown_status`, `variable_not_trusted` before anything is run; then as
    /// [`Engine::record_attempt`].
    pub fn run_attempt(
        &self,
        id: &SessionId,
        draft: &RunDraft,
        write: &Write,
        cancel: &Cancel,
        mut on_output: impl FnMut(Said<'_>),
    ) -> Result<AttemptDone> {
        let inner = &self.inner;
        inner.check_writable()?;
        if draft.argv.first().is_none_or(String::is_empty) {
            return Err(Error::new("usage", "which command is to be run?"));
        }
        let before = self.session(id)?;
        let note = note(write, "run", &(id.as_str(), draft))?;
        if let Some(note) = &note
            && let Some(done) = inner.earlier_attempt(&before, note)?
        {
            return Ok(done);
        }
        session::check_changeable(&before)?;
        inner.check_variables(&inner.settings.now().config.verify.pass_env)?;

        let mut job = inner.job(&draft.argv);
        job.timeout = draft.timeout.unwrap_or(job.timeout);
        // What is kept and shown is one text, in the order in which it was said.
        job.streams = Streams::Together;
        let began = inner.time.now();
        let files = Files::of(draft, inner);
        let mut readers = Readers::of(&draft.argv);
        let ran = runner::run(&job, cancel, |said| {
            readers.feed(said.text);
            on_output(said);
        });
        let (file_reading, mut warnings) = files.read();
        let reading = file_reading.or_else(|| readers.finish(code_of(&ran)));
        let seen = Seen { ran, reading };
        let now = inner.time.now().max(began);
        inner.add_attempt(id, note.as_ref(), now, |session, ids| {
            let action = draft.action_type.clone();
            let action =
                action.unwrap_or_else(|| session::action_for(session, seen.reading.as_ref()));
            let gap = seen.gap(session, &mut warnings);
            let mut observation =
                seen.observation(session, &action, ids.observation, gap.is_some());
            observation.duration_ms = millis(seen.ran.duration);
            let mut attempt = Attempt::new(ids.attempt, session.session_id.clone(), began);
            attempt.completed_at = now
                .max(began.plus_millis(i64::try_from(observation.duration_ms).unwrap_or_default()));
            attempt.action_type = action;
            attempt.action_description = match &draft.action_description {
                Some(text) => text.trim().to_owned(),
                None => shell_words::join(&draft.argv),
            };
            attempt.argv.clone_from(&draft.argv);
            attempt.outcome = session::outcome_of_run(session, seen.end(), gap.as_ref());
            attempt.observation_id = Some(observation.observation_id.clone());
            let new = NewAttempt { attempt, observation: Some(observation), gap };
            Ok((new, seen.reading.clone(), std::mem::take(&mut warnings)))
        })
    }
}

/// What a run showed.
struct Seen {
    ran: Ran,
    reading: Option<Reading>,
}

impl Seen {
    fn end(&self) -> RunEnd {
        match &self.ran.ended {
            Ended::Exited(code) => RunEnd::Exited(code.map(i64::from)),
            Ended::TimedOut => RunEnd::TimedOut,
            Ended::Cancelled => RunEnd::Interrupted,
            Ended::NotStarted(_) => RunEnd::NotStarted,
        }
    }

    /// The gap that it shows; none for a run that was cut short: what it had not
    /// come to yet is not known.
    fn gap(&self, session: &Session, warnings: &mut Vec<String>) -> Option<session::NewGap> {
        let code = match (self.end(), &session.goal_type) {
            (RunEnd::Exited(code), _) => code.unwrap_or(NO_EXIT_CODE),
            // A command that isn't there is what such a goal counts.
            (RunEnd::NotStarted, session::GoalType::EnvironmentReady) => NO_EXIT_CODE,
            (end, _) => {
                warnings.push(unfinished(end).to_owned());
                return None;
            }
        };
        match &self.reading {
            Some(reading) if reading.ran_nothing() => warnings.push(NOTHING_RAN.to_owned()),
            Some(_) => {}
            None => warnings.push(
                "no known tool's output was recognised: the gap follows from the exit code alone"
                    .to_owned(),
            ),
        }
        session::gap_of_reading(session, self.reading.as_ref(), Some(code))
    }

    fn observation(
        &self,
        session: &Session,
        action: &ActionType,
        id: session::ObservationId,
        measured: bool,
    ) -> Observation {
        let said = &self.ran.stdout;
        let source = session::source_for(session, action);
        let mut made = match &self.ran.ended {
            Ended::NotStarted(why) => Observation::new(id, source, why),
            _ => {
                let tail = said.last(usize::MAX);
                let mut made = Observation::new(id, source, "");
                made.original_bytes = said.total_bytes;
                (made.raw_text, made.truncated) =
                    capped_parts(said.head(), &tail, said.total_bytes);
                made
            }
        };
        if let Ended::Exited(Some(code)) = self.ran.ended {
            made.exit_code = i64::from(code);
        }
        made.structured_data = Json::of(&self.structured(measured));
        made
    }

    /// What was recognised, and what else a program may want to know.
    fn structured(&self, measured: bool) -> Value {
        let mut data = match &self.reading {
            Some(reading) => json!(reading),
            None if measured => json!({ "parser": null, "fallback": "exit_code" }),
            None => json!({ "parser": null }),
        };
        let flag = match self.ran.ended {
            Ended::TimedOut => "timed_out",
            Ended::Cancelled => "interrupted",
            Ended::NotStarted(_) => "not_started",
            Ended::Exited(None) => "signalled",
            Ended::Exited(Some(_)) => return data,
        };
        data[flag] = true.into();
        data
    }
}

/// The exit status of a command that ended by itself.
fn code_of(ran: &Ran) -> Option<i64> {
    match ran.ended {
        Ended::Exited(code) => code.map(i64::from),
        _ => None,
    }
}

fn unfinished(end: RunEnd) -> &'static str {
    match end {
        RunEnd::Interrupted => "the run was called off: the gap stays as it was",
        RunEnd::TimedOut => "the run took too long and was ended: the gap stays as it was",
        _ => "the command could not be started: the gap stays as it was",
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The result files that a command writes.
struct Files<'a> {
    paths: Vec<(std::path::PathBuf, Option<crate::store::stamp::Stamp>)>,
    named: &'a [std::path::PathBuf],
}

impl<'a> Files<'a> {
    fn of(draft: &'a RunDraft, inner: &Inner) -> Self {
        let stamp = |path: &std::path::PathBuf| {
            let path = inner.layout.root().join(path);
            let stamp = crate::store::stamp::Stamp::at(&path).ok().flatten();
            (path, stamp)
        };
        Self { paths: draft.junit.iter().map(stamp).collect(), named: &draft.junit }
    }

    /// What the files say; one that the run didn't write says nothing of it.
    fn read(&self) -> (Option<Reading>, Vec<String>) {
        let (mut sum, mut warnings) = (None, Vec::new());
        for ((path, before), named) in self.paths.iter().zip(self.named) {
            let why = match (crate::store::stamp::Stamp::at(path), before) {
                (Ok(None), _) => "it is not there".to_owned(),
                // A pipe or a device is there, and never read.
                (Err(error), _) => error.to_string(),
                (Ok(Some(now)), Some(before)) if now == *before => {
                    "the run did not write it: it is from before".to_owned()
                }
                _ => match runner::readers::junit_file(path) {
                    Ok(reading) => {
                        sum = Some(runner::readers::sum(sum.take(), reading));
                        continue;
                    }
                    Err(why) => {
                        warnings.push(format!("{} was not read: {why}", named.display()));
                        continue;
                    }
                },
            };
            warnings.push(format!("{} was not read: {why}", named.display()));
        }
        (sum, warnings)
    }
}

impl Inner {
    /// The answer to a request that made an attempt before.
    fn earlier_attempt(
        &self,
        session: &std::sync::Arc<Session>,
        note: &session::RequestNote,
    ) -> Result<Option<AttemptDone>> {
        let parts = [session.session_id.as_str().as_bytes(), note.id.as_bytes()];
        let id = session::AttemptId::derive(&parts);
        let Some(attempt) = session.attempt(&id) else { return Ok(None) };
        super::check_same(attempt.request.as_ref(), note)?;
        Ok(Some(super::replayed(session, id)))
    }
}
