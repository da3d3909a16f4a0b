//! Iteration sessions: starting, looking at, recording by hand, giving up
//! (sessions.md). `run` — attempts made by running a command; `name` — which
//! session a text names.

mod linked;
mod name;
mod run;
#[cfg(test)]
mod tests;

pub(super) use linked::Verification;

use std::sync::Arc;

use super::api::{
    AttemptDone, AttemptDraft, Error, GapDraft, Problem, Result, SessionDone, SessionDraft,
    SessionListing, Write,
};
use super::inner::{Engine, Inner, canonical};
use crate::core::loops::refusal::Refusal;
use crate::core::session::{
    self, ActionType, Amount, Attempt, AttemptId, Json, NO_EXIT_CODE, NewAttempt, NewGap,
    Observation, ObservationId, Outcome, Reading, RequestNote, Session, SessionId,
};
use crate::core::text::{has_visible, sha256_hex};
use crate::core::time::Timestamp;
use crate::runner::readers::Readers;

/// Characters of an attempt's description at most.
const DESCRIPTION_CHARS: usize = 2_000;

impl Engine {
    /// Starts a session; it is on disk when this returns.
    ///
    /// # Errors
    /// `invalid_goal`, `invalid_goal_type`, `invalid_max_attempts`;
    /// `session_not_found` for the one before; `request_id_reused`,
    /// `lock_timeout`, `read_only`, `io`.
    pub fn start_session(&self, draft: &SessionDraft, write: &Write) -> Result<SessionDone> {
        let inner = &self.inner;
        inner.check_writable()?;
        let note = note(write, "start", draft)?;
        let now = inner.time.now();
        let id = match &note {
            Some(note) => SessionId::derive(&[b"request", note.id.as_bytes()]),
            None => inner.new_session_id(&draft.goal, now)?,
        };
        if let Some(done) = inner.earlier_start(&id, note.as_ref())? {
            return Ok(done);
        }
        let previous = match &draft.previous {
            Some(text) => Some(self.session(&self.resolve_session(text)?)?),
            None => None,
        };
        let kind = draft.goal_type.clone();
        let kind = kind.or_else(|| previous.as_ref().map(|p| p.goal_type.clone()));
        let kind = kind.unwrap_or(session::GoalType::Custom);
        let mut new = Session::new(id.clone(), draft.goal.trim(), kind, now);
        new.max_attempts = draft.max_attempts.unwrap_or(session::DEFAULT_MAX_ATTEMPTS);
        new.request = note.clone();
        let new = Arc::new(session::start(new, previous.as_deref())?);
        inner.sessions.change::<_, Error>(&id, now, |slot| {
            // Somebody may have sent the same request meanwhile.
            let session = slot.get_or_insert_with(|| new.clone()).clone();
            let replayed = !Arc::ptr_eq(&session, &new);
            Ok(SessionDone { session, warnings: Vec::new(), replayed })
        })
    }

    /// A session with all that it holds.
    ///
    /// # Errors
    /// `session_not_found`, `damaged`, `io`.
    pub fn session(&self, id: &SessionId) -> Result<Arc<Session>> {
        self.inner.sessions.load(id)?.ok_or_else(|| name::not_found(id.as_str(), &[]))
    }

    /// All sessions in a line each, newest change first.
    ///
    /// # Errors
    /// `io`, if the folder cannot be read.
    pub fn sessions(&self) -> Result<SessionListing> {
        let all = self.inner.sessions.list()?;
        let problem = |fault: Arc<crate::store::Error>| Problem {
            path: fault.path().to_owned(),
            code: fault.code(),
            message: fault.to_string(),
        };
        Ok(SessionListing {
            sessions: all.lines,
            problems: all.faults.into_iter().map(problem).collect(),
        })
    }

    /// Records an attempt that was made, and moves the session on.
    ///
    /// # Errors
    /// `session_not_found`, `session_closed`, `unknown_status`; `invalid_…` for
    /// what no attempt can be; `request_id_reused`, `lock_timeout`, `damaged`,
    /// `newer_format`, `read_only`, `io`. Nothing was recorded then.
    pub fn record_attempt(
        &self,
        id: &SessionId,
        draft: &AttemptDraft,
        write: &Write,
    ) -> Result<AttemptDone> {
        let inner = &self.inner;
        inner.check_writable()?;
        check_draft(draft)?;
        let note = note(write, "record", &(id.as_str(), draft))?;
        let now = inner.time.now();
        let raw = inner.redactor().redacted(draft.observation.raw_text.as_str().into());
        let data = &draft.observation.structured_data;
        let reading = data
            .as_ref()
            .and_then(Reading::of_structured)
            .or_else(|| Readers::read(&raw, draft.observation.exit_code));
        inner.add_attempt(id, note.as_ref(), now, |session, ids| {
            let mut warnings = Vec::new();
            let gap = match &draft.gap {
                Some(gap) => Some(told_gap(session, gap)),
                None => read_gap(session, reading.as_ref(), draft, &mut warnings),
            };
            let (attempt, observation) = described(session, draft, &raw, ids, now);
            let observation = with_reading(observation, draft, reading.as_ref());
            let new = NewAttempt { attempt, observation: Some(observation), gap };
            Ok((new, reading.clone(), warnings))
        })
    }

    /// Gives a session up: an attempt of type escalate ends it.
    ///
    /// # Errors
    /// `reason_required`, and as [`Engine::record_attempt`].
    pub fn escalate_session(
        &self,
        id: &SessionId,
        reason: &str,
        write: &Write,
    ) -> Result<AttemptDone> {
        let inner = &self.inner;
        inner.check_writable()?;
        if !has_visible(reason) {
            let why = "giving up needs a reason: the next one wants to know it";
            return Err(Error::new("reason_required", why));
        }
        check_description(reason)?;
        let note = note(write, "escalate", &(id.as_str(), reason))?;
        let now = inner.time.now();
        inner.add_attempt(id, note.as_ref(), now, |session, ids| {
            let mut attempt = Attempt::new(ids.attempt, session.session_id.clone(), now);
            attempt.action_type = ActionType::Escalate;
            attempt.action_description = reason.trim().to_owned();
            attempt.outcome = Outcome::Failure;
            Ok((NewAttempt { attempt, observation: None, gap: None }, None, Vec::new()))
        })
    }
}

/// The ids of a new attempt and of what it showed.
struct NewIds {
    attempt: AttemptId,
    observation: ObservationId,
}

type Made = (NewAttempt, Option<Reading>, Vec<String>);

impl Inner {
    fn new_session_id(&self, goal: &str, now: Timestamp) -> Result<SessionId> {
        // With a seed and a fixed clock the same goal may be started twice.
        for attempt in 0_u64.. {
            let parts = [goal.as_bytes(), &now.millis().to_be_bytes(), &attempt.to_be_bytes()];
            let id = SessionId::random(self.chance.for_session(&parts));
            if !self.sessions.path(&id).exists() {
                return Ok(id);
            }
        }
        Err(Error::new("io", "no free id for a session was found"))
    }

    /// The answer to a request that started a session before.
    fn earlier_start(
        &self,
        id: &SessionId,
        note: Option<&RequestNote>,
    ) -> Result<Option<SessionDone>> {
        let Some(note) = note else { return Ok(None) };
        let Some(session) = self.sessions.load(id)? else { return Ok(None) };
        check_same(session.request.as_ref(), note)?;
        Ok(Some(SessionDone { session, warnings: Vec::new(), replayed: true }))
    }

    /// Adds an attempt under the session's lock; `make` sees the session as it is
    /// then.
    fn add_attempt(
        &self,
        id: &SessionId,
        note: Option<&RequestNote>,
        now: Timestamp,
        make: impl FnOnce(&Session, NewIds) -> Result<Made>,
    ) -> Result<AttemptDone> {
        let attempt_id = |session: &Session| match note {
            Some(note) => AttemptId::derive(&[id.as_str().as_bytes(), note.id.as_bytes()]),
            None => self.new_attempt_id(session),
        };
        self.change_session(id, now, |shared| {
            let attempt_id = attempt_id(shared);
            if let Some(note) = note
                && let Some(earlier) = shared.attempt(&attempt_id)
            {
                check_same(earlier.request.as_ref(), note)?;
            }
            append(shared, attempt_id, now, |session, ids| {
                let (mut new, reading, warnings) = make(session, ids)?;
                new.attempt.request = note.cloned();
                Ok((new, reading, warnings))
            })
        })
    }

    /// Adds an attempt under an id of its own; one that is there already stays as
    /// it is.
    fn add_attempt_as(
        &self,
        id: &SessionId,
        attempt_id: AttemptId,
        now: Timestamp,
        make: impl FnOnce(&Session, NewIds) -> Result<Made>,
    ) -> Result<AttemptDone> {
        self.change_session(id, now, |shared| append(shared, attempt_id, now, make))
    }

    fn change_session(
        &self,
        id: &SessionId,
        now: Timestamp,
        change: impl FnOnce(&mut Arc<Session>) -> Result<AttemptDone>,
    ) -> Result<AttemptDone> {
        if self.sessions.load(id)?.is_none() {
            return Err(name::not_found(id.as_str(), &[]));
        }
        self.sessions.change::<_, Error>(id, now, |slot| match slot {
            Some(shared) => change(shared),
            None => Err(name::not_found(id.as_str(), &[])),
        })
    }

    fn new_attempt_id(&self, session: &Session) -> AttemptId {
        let number = session.attempts.len() as u64;
        let parts = [session.session_id.as_str().as_bytes(), &number.to_be_bytes()];
        AttemptId::random(self.chance.for_session(&parts))
    }
}

/// Records an attempt in a session, unless it is there.
fn append(
    shared: &mut Arc<Session>,
    attempt_id: AttemptId,
    now: Timestamp,
    make: impl FnOnce(&Session, NewIds) -> Result<Made>,
) -> Result<AttemptDone> {
    if shared.attempt(&attempt_id).is_some() {
        return Ok(replayed(shared, attempt_id));
    }
    let ids = NewIds {
        observation: ObservationId::derive(&[attempt_id.as_str().as_bytes()]),
        attempt: attempt_id.clone(),
    };
    let (new, reading, warnings) = make(shared, ids)?;
    let recorded = session::record(Arc::make_mut(shared), new, now)?;
    Ok(AttemptDone {
        session: shared.clone(),
        attempt_id,
        gap_updated: recorded.gap_updated,
        reading,
        warnings,
        replayed: recorded.replayed,
    })
}

fn replayed(session: &Arc<Session>, attempt_id: AttemptId) -> AttemptDone {
    let gap_updated =
        session.gap_history.iter().any(|entry| entry.attempt_id.as_ref() == Some(&attempt_id));
    AttemptDone {
        session: session.clone(),
        attempt_id,
        gap_updated,
        reading: None,
        warnings: Vec::new(),
        replayed: true,
    }
}

/// What makes a repeat harmless: the request's id and the hash of what it asks.
fn note(write: &Write, verb: &str, asked: &impl serde::Serialize) -> Result<Option<RequestNote>> {
    let Some(id) = &write.request_id else { return Ok(None) };
    let asked = serde_json::to_value(asked)
        .map_err(|error| Error::new("usage", format!("the request cannot be noted: {error}")))?;
    let body = canonical(serde_json::json!({ "verb": verb, "arguments": asked }));
    let body_sha256 = sha256_hex(body.to_string().as_bytes());
    Ok(Some(RequestNote { id: id.clone(), body_sha256 }))
}

fn check_same(earlier: Option<&RequestNote>, note: &RequestNote) -> Result<()> {
    if earlier.is_some_and(|earlier| earlier.body_sha256 == note.body_sha256) {
        return Ok(());
    }
    Err(Refusal::new(
        "request_id_reused",
        format!(
            "the request id {:?} was used for something else before; a new request needs a new id",
            note.id
        ),
    )
    .detail("request_id", note.id.as_str())
    .into())
}

fn check_draft(draft: &AttemptDraft) -> Result<()> {
    check_description(&draft.action_description)?;
    let words = [
        ("action_type", draft.action_type.as_str().parse::<ActionType>().err()),
        ("outcome", draft.outcome.as_ref().and_then(|o| o.as_str().parse::<Outcome>().err())),
        (
            "source",
            draft
                .observation
                .source
                .as_ref()
                .and_then(|source| source.as_str().parse::<session::Source>().err()),
        ),
        (
            "metric_type",
            draft
                .gap
                .as_ref()
                .and_then(|gap| gap.metric_type.as_ref())
                .and_then(|metric| metric.as_str().parse::<session::MetricType>().err()),
        ),
    ];
    let code = |field| match field {
        "action_type" => "invalid_action_type",
        "outcome" => "invalid_outcome",
        "source" => "invalid_source",
        _ => "invalid_metric_type",
    };
    for (field, why) in words {
        if let Some(why) = why {
            return Err(Refusal::new(code(field), why).detail("field", field).into());
        }
    }
    Ok(())
}

fn check_description(text: &str) -> Result<()> {
    let chars = text.chars().count();
    if chars <= DESCRIPTION_CHARS {
        return Ok(());
    }
    let why = format!("a description has at most {DESCRIPTION_CHARS} characters, not {chars}");
    let refusal = Refusal::new("invalid_action_description", why);
    Err(refusal.detail("field", "action_description").into())
}

fn told_gap(session: &Session, told: &GapDraft) -> NewGap {
    let metric = told.metric_type.clone();
    let metric = metric.unwrap_or_else(|| session::metric_of(session, None));
    let before = session.last_of(&metric).map(|entry| entry.target_value.clone());
    NewGap {
        target_value: told.target_value.clone().or(before).unwrap_or_else(Amount::zero),
        current_value: told.current_value.clone(),
        metric_type: metric,
    }
}

/// The gap that what was told shows; none if nothing in it counts.
fn read_gap(
    session: &Session,
    reading: Option<&Reading>,
    draft: &AttemptDraft,
    warnings: &mut Vec<String>,
) -> Option<NewGap> {
    let reading = reading?;
    if reading.ran_nothing() {
        warnings.push(NOTHING_RAN.to_owned());
    }
    session::gap_of_reading(session, Some(reading), draft.observation.exit_code)
}

/// Said where a test runner had nothing to run.
const NOTHING_RAN: &str = "no test ran: nothing failed, and nothing was tested";

fn described(
    session: &Session,
    draft: &AttemptDraft,
    raw: &str,
    ids: NewIds,
    now: Timestamp,
) -> (Attempt, Observation) {
    let told = &draft.observation;
    let ended = draft.completed_at.unwrap_or(now);
    let took = told.duration_ms.unwrap_or(0);
    let began = draft.started_at.unwrap_or_else(|| {
        ended.plus_millis(i64::try_from(took).map_or(i64::MIN + 1, |took| -took))
    });
    let exit_code = told.exit_code.unwrap_or(NO_EXIT_CODE);
    let source = told.source.clone();
    let source = source.unwrap_or_else(|| session::source_for(session, &draft.action_type));
    let mut observation = Observation::new(ids.observation, source, raw);
    observation.exit_code = exit_code;
    let by_times = u64::try_from(ended.since(began)).unwrap_or(0);
    observation.duration_ms = told.duration_ms.unwrap_or(by_times);
    let mut attempt = Attempt::new(ids.attempt, session.session_id.clone(), began);
    attempt.completed_at = ended;
    attempt.action_type = draft.action_type.clone();
    attempt.action_description = draft.action_description.trim().to_owned();
    let outcome = draft.outcome.clone();
    attempt.outcome = outcome.unwrap_or_else(|| session::outcome_of_exit(exit_code));
    attempt.recoverable = draft.recoverable.unwrap_or(true);
    attempt.observation_id = Some(observation.observation_id.clone());
    (attempt, observation)
}

fn with_reading(
    mut observation: Observation,
    draft: &AttemptDraft,
    reading: Option<&Reading>,
) -> Observation {
    if let Some(data) = &draft.observation.structured_data {
        observation.structured_data = Json::of(data);
    } else if let Some(reading) = reading {
        observation.structured_data = Json::of(reading);
    }
    observation
}
