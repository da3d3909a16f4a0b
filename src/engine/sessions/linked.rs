//! Verify runs of a loop as attempts of the session that it links (sessions.md,
//! "With loops").

use std::time::Duration;

use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::Loop;
use crate::core::session::{
    self, ActionType, Attempt, AttemptId, Json, NewAttempt, Observation, Reading, RunEnd, Session,
    SessionId, Source, capped_parts,
};
use crate::engine::api::Result;
use crate::engine::inner::Inner;
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
        let recorded = SessionId::parse(linked)
            .map_err(|why| crate::engine::api::Error::new("session_not_found", why))
            .and_then(|id| self.record_report(&id, state, report, run));
        if let Err(error) = recorded {
            let offer = match error.code() {
                "session_closed" => format!(
                    "; loopdeck session start --previous {linked} --goal 'YOUR GOAL' goes on, and \
                     loopdeck loop link {} --session NEW ties it",
                    state.id
                ),
                _ => String::new(),
            };
            warnings.push(format!(
                "the run is no attempt of session {linked}: {}{offer}",
                error.message()
            ));
        }
    }

    fn record_report(
        &self,
        id: &SessionId,
        state: &Loop,
        report: &ArtifactId,
        run: &Verification<'_>,
    ) -> Result<()> {
        let now = self.time.now();
        let attempt_id = AttemptId::derive(&[
            b"report",
            state.id.as_str().as_bytes(),
            report.as_str().as_bytes(),
        ]);
        self.add_attempt_as(id, attempt_id, now, |session, ids| {
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
