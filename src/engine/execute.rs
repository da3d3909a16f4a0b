//! Verbs on a loop that is there.

use std::sync::Arc;

use super::api::{Done, Result, Write};
use super::inner::{Engine, Inner, canonical};
use super::view::View;
use super::write::Change;
use crate::core::loops::Command;
use crate::core::loops::command::{Amend, Ctx};
use crate::core::loops::decide;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Actor, Loop};
use crate::core::loops::refusal::{Decision, Refusal};
use crate::core::text::sha256_hex;
use crate::store::journal::RequestMark;

impl Engine {
    /// Carries out a verb on a loop: lock, decide, append, flush. A body over
    /// the inline cap moves to a file by itself.
    ///
    /// # Errors
    /// What the core refuses; `loop_not_found`, `version_conflict`,
    /// `request_id_reused`, `lock_timeout`, `read_only`, `damaged`,
    /// `newer_format`, `io`. Nothing was changed then, except for the refusals
    /// that are journaled.
    pub fn execute(&self, id: &LoopId, command: Command, write: &Write) -> Result<Done> {
        self.execute_if(id, command, write, &|_, _, _, _| None)
    }

    /// The same, unless something speaks against it: asked under the loop's lock, with
    /// the state that it is decided on and what was decided.
    pub(super) fn execute_if(
        &self,
        id: &LoopId,
        command: Command,
        write: &Write,
        against: &dyn Fn(&Loop, &Command, &Ctx, &Decision) -> Option<Refusal>,
    ) -> Result<Done> {
        let inner = &self.inner;
        inner.check_writable()?;
        let prepared = inner.prepare(id, command)?;
        let command = &prepared.command;
        let change = Change {
            verb: command.verb(),
            write,
            mark: write.request_id.as_ref().map(|request| mark(request, id, command)),
            known_cites: prepared.known_cites.clone(),
            needs_history: command.needs_history(),
        };
        let files = inner.layout.loop_files(id);
        // Long bodies are flushed before the lock is taken, unless it is plain
        // already that they are not wanted.
        let mut written = prepared.bodies.is_empty();
        if !written && inner.foresee(id, command, &change)? {
            prepared.write_bodies(&files)?;
            written = true;
        }
        let digest = inner.digest_if_asked(id, command)?;
        let decide = |view: &View, ctx: &Ctx| {
            let ctx = Ctx { workspace_digest: digest, ..ctx.clone() };
            let decision = decide::decide(&view.state, command, &ctx);
            if decision.refusal.is_some() {
                return decision;
            }
            match against(&view.state, command, &ctx, &decision) {
                Some(refusal) => Decision { refusal: Some(refusal), ..Decision::default() },
                None => decision,
            }
        };
        let mut done = inner.change(id, &change, decide, || {
            if written { Ok(()) } else { prepared.write_bodies(&files) }
        })?;
        if let Command::Amend(Amend { verify, add_slots, .. }) = command {
            let argv = verify.as_ref().and_then(Option::as_deref);
            inner.trust_as_typed(argv, &write.actor, &mut done);
            inner.warn_of_profiles(add_slots, &mut done);
        }
        if !done.state.ledger.attempts.is_empty() {
            self.tell_workers(&done.state, &done.events, &mut done.warnings);
        }
        Ok(done)
    }

    /// What a verb would do, without doing it.
    ///
    /// # Errors
    /// `loop_not_found`, `io`, `damaged`; what the core refuses is part of the answer.
    pub fn preview(&self, id: &LoopId, command: Command, write: &Write) -> Result<Decision> {
        let prepared = self.inner.prepare(id, command)?;
        let view = self.inner.view(id)?;
        if let Some(fault) = &view.fault {
            return Err(fault.error(&self.inner.layout.loop_files(id).journal()).into());
        }
        let mut ctx = Ctx {
            actor: write.actor.clone(),
            grants: self.inner.settings.grants_of(&write.actor),
            known_cites: prepared.known_cites,
            workspace_digest: self.inner.digest_if_asked(id, &prepared.command)?,
            ..self.inner.reading_ctx(&view, id)
        };
        if prepared.command.needs_history() {
            ctx.history = Some(Arc::new(self.inner.history(id)?));
        }
        let mut decision = match decide::after_timeouts(&view.state, &ctx) {
            None => decide::decide(&view.state, &prepared.command, &ctx),
            Some((state, events)) => {
                if let Some(history) = &mut ctx.history {
                    Arc::make_mut(history).push(&Actor::Engine, &events);
                }
                let mut decision = decide::decide(&state, &prepared.command, &ctx);
                decision.warnings.insert(0, "a question's time is up: it is resolved first".into());
                decision
            }
        };
        decision.warnings.dedup();
        Ok(decision)
    }

    /// Resolves a loop's questions whose time is up, as the engine; does nothing
    /// where none is overdue. For those who keep running and watch the clock.
    ///
    /// # Errors
    /// As [`Engine::execute`].
    pub fn resolve_overdue(&self, id: &LoopId) -> Result<Done> {
        let write = Write { actor: Actor::Engine, request_id: None, expected_version: None };
        self.execute(id, Command::Timeout, &write)
    }
}

impl Inner {
    /// The digest of the workspace, if a command may compare it.
    fn digest_if_asked(&self, id: &LoopId, command: &Command) -> Result<Option<String>> {
        match command {
            Command::Advance { .. } => Ok(self.digest_for(&self.view(id)?.state)),
            _ => Ok(None),
        }
    }

    /// Whether a command would be carried out on what is known now.
    fn foresee(&self, id: &LoopId, command: &Command, change: &Change<'_>) -> Result<bool> {
        let view = self.view(id)?;
        let ctx = Ctx {
            actor: change.write.actor.clone(),
            grants: self.settings.grants_of(&change.write.actor),
            known_cites: change.known_cites.clone(),
            ..self.reading_ctx(&view, id)
        };
        Ok(decide::decide(&view.state, command, &ctx).refusal.is_none())
    }
}

/// What makes a repeat of a command harmless: its id, and the hash of loop,
/// verb and arguments as canonical JSON (store.md, "Concurrency").
fn mark(request: &str, id: &LoopId, command: &Command) -> RequestMark {
    let body = serde_json::json!({ "loop_id": id.as_str(), "command": command });
    RequestMark {
        id: request.to_owned(),
        body_sha256: sha256_hex(canonical(body).to_string().as_bytes()),
    }
}
