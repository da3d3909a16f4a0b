//! Which session a text names.

use crate::core::loops::refusal::Refusal;
use crate::core::session::SessionId;
use crate::core::text::{first_chars, shown_in_line};
use crate::engine::api::{Error, Result};
use crate::engine::inner::{Engine, Inner};

/// Characters that the beginning of an id needs at least.
const SHORTEST: usize = 4;
/// Candidates that are named.
const NAMED: usize = 5;

impl Inner {
    /// The id of the session that a loop is to be tied to.
    pub(in crate::engine) fn session_named(&self, text: &str) -> Result<String> {
        self.resolve_session(text).map(|id| id.to_string())
    }

    pub(super) fn resolve_session(&self, text: &str) -> Result<SessionId> {
        let text = text.trim();
        if let Ok(id) = SessionId::parse(text)
            && self.sessions.path(&id).exists()
        {
            // One that cannot be read is meant too: reading it says why.
            return Ok(id);
        }
        let ids = self.sessions.ids()?;
        let lower = text.to_ascii_lowercase();
        let fits = |id: &&SessionId| {
            lower.len() >= SHORTEST && id.as_str().to_ascii_lowercase().starts_with(&lower)
        };
        let found: Vec<&SessionId> = ids.iter().filter(fits).collect();
        match found[..] {
            [one] => Ok(one.clone()),
            [] => Err(not_found(text, &ids)),
            _ => Err(self.ambiguous_session(text, &found)),
        }
    }

    fn ambiguous_session(&self, text: &str, found: &[&SessionId]) -> Error {
        let lines = self.sessions.list().unwrap_or_default().lines;
        let goal = |id: &SessionId| {
            let line = lines.iter().find(|line| line.session_id == *id);
            line.map(|line| line.goal.clone()).unwrap_or_default()
        };
        let ids: Vec<&str> = found.iter().map(|id| id.as_str()).collect();
        let mut refusal = Refusal::new(
            "ambiguous_id",
            format!("{text:?} could be any of {} sessions: type more of its id", found.len()),
        )
        .detail("given", text)
        .detail("candidates", ids);
        for id in found.iter().take(NAMED) {
            let goal = shown_in_line(first_chars(&goal(id), 80));
            refusal = refusal.step(goal, format!("loopdeck session show {id}"));
        }
        refusal.into()
    }
}

impl Engine {
    /// The session that a text names: an id, or a unique beginning of ≥ 4
    /// characters of one.
    ///
    /// # Errors
    /// `session_not_found`; `ambiguous_id`, with the candidates; `io`.
    pub fn resolve_session(&self, text: &str) -> Result<SessionId> {
        self.inner.resolve_session(text)
    }
}

/// No session is called so.
pub(super) fn not_found(text: &str, ids: &[SessionId]) -> Error {
    let mut message = format!("no session is called {text:?}");
    if (1..SHORTEST).contains(&text.chars().count()) && !ids.is_empty() {
        message.push_str("; the beginning of an id needs at least 4 characters");
    }
    Refusal::new("session_not_found", message)
        .detail("given", text)
        .step("see all sessions", "loopdeck session list")
        .into()
}
