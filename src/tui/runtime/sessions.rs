//! What the deck asks of sessions beyond a single call.

use std::sync::Arc;

use crate::core::loops::Loop;
use crate::core::loops::command::{Command, LinkChange};
use crate::core::loops::ids::LoopId;
use crate::core::session::{Session, SessionId};
use crate::engine::{Engine, Result, SessionDraft, Write};
use crate::tui::msg::Outcome;

/// The session that a loop links; one that can't be read is shown on its screen.
pub(super) fn linked_session(engine: &Engine, state: &Loop) -> Option<Arc<Session>> {
    let id = SessionId::parse(state.linked.session_id.as_deref()?).ok()?;
    engine.session(&id).ok()
}

/// Starts a session, and ties it to a loop if one is named.
pub(super) fn start_session(
    engine: &Engine,
    draft: &SessionDraft,
    link: Option<&LoopId>,
) -> Result<Outcome> {
    let mut done = engine.start_session(draft, &Write::operator())?;
    if let Some(loop_id) = link {
        let session = Some(done.session.session_id.to_string());
        let change = LinkChange { session, ..LinkChange::default() };
        let linked = engine.execute(loop_id, Command::Link(change), &Write::operator());
        if let Err(error) = linked {
            done.warnings.push(format!("the session is not linked: {}", error.message()));
        }
    }
    Ok(Outcome::Session(Box::new(done)))
}
