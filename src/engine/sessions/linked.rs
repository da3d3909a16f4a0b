//! Verify runs of a loop as attempts of the session that it links (sessions.md,
//! "With loops").

use std::time::Duration;

use serde_json::Value;

use crate::core::loops::effects::{Cause, EffectsDone, ReportedRun};
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Loop;
use crate::core::session::{
    self, ActionType, Attempt, AttemptId, Json, NewAttempt, Observation, Reading, RunEnd, Session,
    SessionId, Source, capped_parts,
};
use crate::engine::api::{Error, Result};
use crate::engine::inner::Inner;
use crate::runner::readers::Readers;
use crate::runner::{Ended, Ran};

/// A run of a loop's verify command, and what was recognised in its output.
pub(in crate::engine) struct Verification<'a> {
    /// The run.
    pub ran: &'a Ran,
    /// The command, as people write it.
    pub command: String,
    /// What was recognised.
    pub reading: Option<Reading>,
}

impl Inner {
    /// Records a run as an attempt of the loop's session. Its id follows from the
    /// report's, so that doing it again changes nothing. A session that refuses is
    /// no fault of the run: that is said, and a new one offered.
    pub(in crate::engine) fn attempt_of_report(
        &self,
        state: &Loop,
        report: &ArtifactId,
        run: &Verification<'_>,
        warnings: &mut Vec<String>,
    ) {
        let Some(linked) = &state.linked.session_id else { return };
        let recorded = parsed(linked).and_then(|id| self.record_report(&id, state, report, run));
        if let Err(error) = recorded {
            warnings.push(no_attempt(state, linked, &error));
        }
        let head = state.artifact(report.as_str());
        let Some(of_seq) = head.map(|head| head.seq) else { return };
        let done = EffectsDone { of_seq, cause: Cause::Report, ..EffectsDone::default() };
        // Owed still, it is found to be there by the next writer.
        if let Err(error) = self.record_effects(&state.id, vec![done]) {
            warnings.push(error.message().to_owned());
        }
    }

    /// The body of a report that a loop's journal holds, undone or not.
    pub(in crate::engine) fn report_body(&self, id: &LoopId, seq: u64) -> Result<Value> {
        let event = self.events(id)?.into_iter().find(|event| event.seq == seq);
        let body = event.and_then(|event| match event.body {
            EventBody::ArtifactAdded(added) => added.body.clone(),
            _ => None,
        });
        // A body that is not there, or is another program's, tells nothing more.
        Ok(body.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Records a run as an attempt by what its report says: for one whose program
    /// died before it did. A session that refuses takes it no other time.
    ///
    /// # Errors
    /// `io`, `lock_timeout`: then it is owed still.
    pub(in crate::engine) fn attempt_of_body(
        &self,
        state: &Loop,
        run: &ReportedRun,
        body: &Value,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let recorded = parsed(&run.session_id)
            .and_then(|id| self.record_body(&id, state, &run.artifact_id, body));
        match recorded {
            Err(error) if matches!(error.code(), "io" | "lock_timeout") => Err(error),
            Err(error) => {
                warnings.push(no_attempt(state, &run.session_id, &error));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn record_body(
        &self,
        id: &SessionId,
        state: &Loop,
        report: &ArtifactId,
        body: &Value,
    ) -> Result<()> {
        let (now, said) = (self.time.now(), Told::of(body));
        self.add_attempt_as(id, attempt_id(state, report), now, |session, ids| {
            let gap = match said.end {
                RunEnd::Exited(code) => session::gap_of_reading(
                    session,
                    said.reading.as_ref(),
                    Some(code.unwrap_or(session::NO_EXIT_CODE)),
                ),
                _ => None,
            };
            let took = i64::try_from(said.took).unwrap_or_default();
            let mut attempt =
                Attempt::new(ids.attempt, session.session_id.clone(), now.plus_millis(-took));
            attempt.completed_at = now;
            attempt.action_type = ActionType::Test;
            attempt.action_description.clone_from(&said.command);
            attempt.outcome = session::outcome_of_run(session, said.end, gap.as_ref());
            let mut observation = Observation::new(ids.observation, Source::TestOutput, &said.text);
            observation.original_bytes = said.text.len() as u64;
            observation.duration_ms = said.took;
            if let RunEnd::Exited(Some(code)) = said.end {
                observation.exit_code = code;
            }
            attempt.observation_id = Some(observation.observation_id.clone());
            let new = NewAttempt { attempt, observation: Some(observation), gap };
            Ok((new, said.reading.clone(), Vec::new()))
        })?;
        Ok(())
    }

    fn record_report(
        &self,
        id: &SessionId,
        state: &Loop,
        report: &ArtifactId,
        run: &Verification<'_>,
    ) -> Result<()> {
        let now = self.time.now();
        self.add_attempt_as(id, attempt_id(state, report), now, |session, ids| {
            let took = millis(run.ran.duration);
            let gap = gap(session, run);
            let mut attempt = Attempt::new(
                ids.attempt,
                session.session_id.clone(),
                now.plus_millis(-i64::try_from(took).unwrap_or_default()),
            );
            attempt.completed_at = now;
            attempt.action_type = ActionType::Test;
            attempt.action_description = run.command.clone();
            attempt.outcome = session::outcome_of_run(session, end(run.ran), gap.as_ref());
            let mut observation = observed(run, ids.observation);
            observation.duration_ms = took;
            attempt.observation_id = Some(observation.observation_id.clone());
            let new = NewAttempt { attempt, observation: Some(observation), gap };
            Ok((new, run.reading.clone(), Vec::new()))
        })?;
        Ok(())
    }
}

/// What a report says of its run.
struct Told {
    command: String,
    end: RunEnd,
    took: u64,
    /// The ends of what was said on both streams.
    text: String,
    reading: Option<Reading>,
}

impl Told {
    fn of(body: &Value) -> Self {
        let words = body["command"].as_array().into_iter().flatten();
        let argv: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
        let end = match (body["timed_out"].as_bool(), body["exit_code"].as_i64()) {
            (Some(true), _) => RunEnd::TimedOut,
            (_, code) => RunEnd::Exited(code),
        };
        let tail = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let text = tail("stdout_tail") + &tail("stderr_tail");
        let mut readers = Readers::of(&argv);
        readers.feed(&text);
        let reading = readers.finish(body["exit_code"].as_i64());
        let took = body["duration_ms"].as_u64().unwrap_or_default();
        Self { command: shell_words::join(&argv), end, took, text, reading }
    }
}

/// Follows from the report's id, so that doing it again changes nothing.
fn attempt_id(state: &Loop, report: &ArtifactId) -> AttemptId {
    AttemptId::derive(&[b"report", state.id.as_str().as_bytes(), report.as_str().as_bytes()])
}

fn parsed(session: &str) -> Result<SessionId> {
    SessionId::parse(session).map_err(|why| Error::new("session_not_found", why))
}

/// Why a run is no attempt, and what would take the next one.
fn no_attempt(state: &Loop, linked: &str, error: &Error) -> String {
    let offer = match error.code() {
        "session_closed" => format!(
            "; loopdeck session start --previous {linked} --goal 'YOUR GOAL' goes on, and \
             loopdeck loop link {} --session NEW ties it",
            state.id
        ),
        _ => String::new(),
    };
    format!("the run is no attempt of session {linked}: {}{offer}", error.message())
}

fn gap(session: &Session, run: &Verification<'_>) -> Option<session::NewGap> {
    match end(run.ran) {
        RunEnd::Exited(code) => session::gap_of_reading(
            session,
            run.reading.as_ref(),
            Some(code.unwrap_or(session::NO_EXIT_CODE)),
        ),
        _ => None,
    }
}

fn end(ran: &Ran) -> RunEnd {
    match &ran.ended {
        Ended::Exited(code) => RunEnd::Exited(code.map(i64::from)),
        Ended::TimedOut => RunEnd::TimedOut,
        Ended::Cancelled => RunEnd::Interrupted,
        Ended::NotStarted(_) => RunEnd::NotStarted,
    }
}

/// What was said on both streams, one after the other: they were heard apart.
fn observed(run: &Verification<'_>, id: session::ObservationId) -> Observation {
    let (out, err) = (&run.ran.stdout, &run.ran.stderr);
    let mut made = Observation::new(id, Source::TestOutput, "");
    let total = out.total_bytes + err.total_bytes;
    let tail = format!("{}{}", out.last(usize::MAX), err.last(usize::MAX));
    let head = if out.head().is_empty() { err.head() } else { out.head() };
    made.original_bytes = total;
    (made.raw_text, made.truncated) = capped_parts(head, &tail, total);
    if let Ended::NotStarted(why) = &run.ran.ended {
        made.raw_text.clone_from(why);
    }
    if let Ended::Exited(Some(code)) = run.ran.ended {
        made.exit_code = i64::from(code);
    }
    made.structured_data = match &run.reading {
        Some(reading) => Json::of(reading),
        None => Json::of(&serde_json::json!({ "parser": null, "fallback": "exit_code" })),
    };
    made
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
