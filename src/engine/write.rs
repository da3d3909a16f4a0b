//! The one way in which a loop changes: lock, read what others appended,
//! decide, append, flush, answer (store.md, "Journal").

use std::sync::{Arc, MutexGuard, TryLockError};

use super::api::{Done, Error, Result, Write};
use super::inner::Inner;
use super::keeper::Chore;
use super::loops::Entry;
use super::lost::{Barred, to_doctor, unreadable};
use super::view::{Stamp, View};
use super::writer::{Writer, append, history_of, stamp_of};
use crate::core::loops::Loop;
use crate::core::loops::command::Ctx;
use crate::core::loops::decide;
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::{LoopId, Name};
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::{Decision, Refusal};
use crate::core::time::Timestamp;
use crate::store;
use crate::store::conflicts::{self, Conflict};
use crate::store::journal::{Commit, Draft, RequestMark};
use crate::store::layout::LoopFiles;
use crate::store::lock::Backoff;
use crate::store::requests;

/// A change that is asked for.
pub(super) struct Change<'a> {
    /// Its verb, for the record of conflicts.
    pub verb: &'a str,
    /// How it is made.
    pub write: &'a Write,
    /// What makes a repeat harmless.
    pub mark: Option<RequestMark>,
    /// Those of the cited names that exist.
    pub known_cites: std::collections::BTreeSet<Name>,
    /// Whether the loop's commits are needed to decide it.
    pub needs_history: bool,
}

impl Inner {
    /// Carries a change out on a loop that is there. `decide` says what happens,
    /// on the newest state; `before` runs once that is known not to be refused.
    pub fn change(
        &self,
        id: &LoopId,
        change: &Change<'_>,
        decide: impl FnOnce(&View, &Ctx) -> Decision,
        before: impl FnOnce() -> Result<()>,
    ) -> Result<Done> {
        let entry = self.entry(id);
        let mut writer = self.writer(&entry)?;
        let mut open = match writer.take() {
            Some(open) => open,
            None => self.open_writer(id, &entry)?,
        };
        let mut lock = Arc::clone(&open.lock);
        let mut guard = lock.acquire(self.lock_wait, self.time.now())?;
        let mut stamp = open.look()?;
        if stamp.is_none() {
            // Another file is there now, perhaps with another lock beside it.
            drop(guard);
            open = self.open_writer(id, &entry)?;
            lock = Arc::clone(&open.lock);
            guard = lock.acquire(self.lock_wait, self.time.now())?;
            stamp = open.look()?;
        }
        let stamp = stamp.ok_or_else(|| self.nothing_of(id))?;
        let outcome = self.under_lock(id, &entry, (&mut open, stamp), change, decide, before);
        drop(guard);
        match outcome {
            Ok(outcome) => {
                *writer = Some(open);
                drop(writer);
                let mut done = self.settle(id, &entry, change, outcome)?;
                self.carry_out_effects(id, change, &mut done);
                Ok(done)
            }
            Err(error) => {
                // What is on disk is not known any more: look again next time.
                if matches!(error.code(), "io" | "read_only") {
                    entry.learn(None);
                } else {
                    *writer = Some(open);
                }
                Err(error)
            }
        }
    }

    /// Opens the files of a loop for writing.
    fn open_writer(&self, id: &LoopId, entry: &Entry) -> Result<Writer> {
        match entry.refresh().map_err(|error| unreadable(self, id, error))? {
            Some(_) => match Barred::of(&entry.files) {
                Some(barred) => Err(barred.error()),
                None => Writer::open(&entry.files, self.flush),
            },
            None => Err(self.nothing_of(id)),
        }
    }

    /// The writer of a loop; other threads of this engine wait no longer for it
    /// than other processes do.
    fn writer<'a>(&self, entry: &'a Entry) -> Result<MutexGuard<'a, Option<Writer>>> {
        let mut backoff = Backoff::new(self.lock_wait);
        loop {
            match entry.writer.try_lock() {
                Ok(writer) => return Ok(writer),
                Err(TryLockError::Poisoned(poisoned)) => {
                    let mut writer = poisoned.into_inner();
                    *writer = None;
                    return Ok(writer);
                }
                Err(TryLockError::WouldBlock) => {
                    if !backoff.pause() {
                        return Err(Error::from(store::Error::LockTimeout {
                            path: entry.files.lock(),
                            waited_ms: backoff.waited_ms(),
                            holder: Some("another task of this program".to_owned()),
                        }));
                    }
                }
            }
        }
    }

    fn under_lock(
        &self,
        id: &LoopId,
        entry: &Entry,
        (open, stamp): (&mut Writer, Stamp),
        change: &Change<'_>,
        decide: impl FnOnce(&View, &Ctx) -> Decision,
        before: impl FnOnce() -> Result<()>,
    ) -> Result<Outcome> {
        let known = entry.known();
        let view = View::read_from(open.journal.file(), stamp, &entry.files, known.as_ref())?
            .ok_or_else(|| self.nothing_of(id))?;
        let (view, mut notes) = self.mended(entry, open, view)?;
        if let Some(mark) = &change.mark
            && let Some(done) = self.earlier_answer(id, &view, mark)?
        {
            return Ok(Outcome::Replayed(Box::new(done)));
        }
        let (now, went_back) = self.moment_after(&view);
        notes.extend(went_back);
        let view = match change.verb {
            "timeout" => view,
            _ => self.carry_out_timeouts(id, entry, open, view, now, &mut notes)?,
        };
        check_expected(entry, &view, change, now)?;
        let mut ctx = self.ctx(id, &view, change, now);
        if change.needs_history {
            ctx.history = Some(Arc::new(history_of(open.journal.file(), &entry.files)?));
        }
        let mut decision = decide(&view, &ctx);
        decision.warnings.splice(0..0, notes);
        if decision.events.is_empty() {
            return Ok(Outcome::Unchanged(view, decision));
        }
        before()?;
        let before = decision.refusal.is_some().then(|| Arc::clone(&view.state));
        let request = change.mark.as_ref().filter(|_| decision.refusal.is_none());
        let draft = Draft { at: now, by: &change.write.actor, request, events: &decision.events };
        let (view, commit) = append(open, &entry.files, &view, &draft)?;
        open.write_summary(&entry.files, &view, now);
        entry.learn_own(&view);
        Ok(Outcome::Committed { view, commit, decision, before })
    }

    /// The view without faults that a writer has to deal with: refuses where the
    /// journal cannot be continued, and sets the rest of an interrupted write aside.
    fn mended(
        &self,
        entry: &Entry,
        open: &mut Writer,
        view: Arc<View>,
    ) -> Result<(Arc<View>, Vec<String>)> {
        let path = entry.files.journal();
        if let Some(fault) = &view.fault {
            let Error(refusal) = fault.error(&path).into();
            return Err(to_doctor(*refusal).into());
        }
        let Some(tail) = view.tail else { return Ok((view, Vec::new())) };
        let copy = open.journal.set_aside(tail, self.time.now())?;
        let mended = View { tail: None, stamp: stamp_of(&open.journal)?, ..View::clone(&view) };
        let note = format!(
            "an interrupted write of {} bytes was set aside as {}",
            tail.length,
            copy.display()
        );
        Ok((Arc::new(mended), vec![note]))
    }

    /// Resolves the questions whose time is up before the loop is changed, in a
    /// commit of its own by the engine (engine.md §6, "Overdue").
    fn carry_out_timeouts(
        &self,
        id: &LoopId,
        entry: &Entry,
        open: &mut Writer,
        view: Arc<View>,
        now: Timestamp,
        notes: &mut Vec<String>,
    ) -> Result<Arc<View>> {
        let ctx = Ctx { now, actor: Actor::Engine, ..self.reading_ctx(&view, id) };
        let Some((_, events)) = decide::after_timeouts(&view.state, &ctx) else { return Ok(view) };
        let events: Vec<EventBody> = events.into_iter().map(|event| event.body).collect();
        let draft = Draft { at: now, by: &Actor::Engine, request: None, events: &events };
        let (view, commit) = append(open, &entry.files, &view, &draft)?;
        open.write_summary(&entry.files, &view, now);
        entry.learn_own(&view);
        self.after_commit(id, &entry.files, None, &view);
        notes.extend(commit.events.iter().filter_map(|event| match &event.body {
            EventBody::PauseTimeout { question_id, policy } => {
                Some(format!("the time of question {question_id} was up: {policy}"))
            }
            _ => None,
        }));
        Ok(view)
    }

    /// The present moment, never before the newest commit.
    fn moment_after(&self, view: &View) -> (Timestamp, Option<String>) {
        let now = self.time.now();
        match view.position.at {
            Some(last) if last > now => {
                let note = format!(
                    "the clock went back: it says {now}, the newest change was at {last}; \
                     that time is used again"
                );
                (last, Some(note))
            }
            _ => (now, None),
        }
    }

    fn ctx(&self, id: &LoopId, view: &View, change: &Change<'_>, now: Timestamp) -> Ctx {
        Ctx {
            now,
            actor: change.write.actor.clone(),
            grants: self.settings.grants_of(&change.write.actor),
            entropy: self.chance.for_command(id, view.position.seq),
            workspace_digest: None,
            known_cites: change.known_cites.clone(),
            history: None,
        }
    }

    /// What happens without the lock, once the outcome is certain.
    fn settle(
        &self,
        id: &LoopId,
        entry: &Entry,
        change: &Change<'_>,
        outcome: Outcome,
    ) -> Result<Done> {
        let done = |view: &View, decision: Decision, events| match decision.refusal {
            Some(refusal) => Err(Error::from(refusal)),
            None => Ok(Done {
                state: Arc::clone(&view.state),
                made: decision.made,
                warnings: decision.warnings,
                replayed: false,
                notes: Vec::new(),
                events,
            }),
        };
        match outcome {
            Outcome::Unchanged(view, decision) => done(&view, decision, Vec::new()),
            Outcome::Replayed(done) => Ok(*done),
            Outcome::Committed { view, commit, decision, before } => {
                self.after_commit(id, &entry.files, change.mark.as_ref(), &view);
                if let (Some(refusal), Some(before)) = (&decision.refusal, &before) {
                    self.tell_of_refusal(before, refusal);
                }
                done(&view, decision, commit.events)
            }
        }
    }

    /// The derived files that cost too much to be written before the answer.
    pub fn after_commit(
        &self,
        id: &LoopId,
        files: &LoopFiles,
        mark: Option<&RequestMark>,
        view: &Arc<View>,
    ) {
        if let Some(mark) = mark {
            let entry = requests::Entry {
                id: mark.id.clone(),
                loop_id: id.clone(),
                body_sha256: mark.body_sha256.clone(),
                seq: view.position.seq,
            };
            requests::record(&self.layout.requests(), &entry);
        }
        // `append` has counted the snapshot as written already.
        if view.snapshot_lines == view.position.lines {
            let chore = Chore::Snapshot(files.clone(), Arc::clone(view), self.time.now());
            self.keeper.ask(chore);
        }
    }
}

/// How a change went.
enum Outcome {
    /// Nothing to write.
    Unchanged(Arc<View>, Decision),
    /// A repeat of what was done before.
    Replayed(Box<Done>),
    /// Written and flushed.
    Committed {
        /// The view with it.
        view: Arc<View>,
        /// What was written.
        commit: Commit,
        /// Why.
        decision: Decision,
        /// The loop before it, where a refusal was journaled.
        before: Option<Arc<Loop>>,
    },
}

/// Being behind by journaled refusals alone is no conflict.
pub(super) fn check_expected(
    entry: &Entry,
    view: &View,
    change: &Change<'_>,
    now: Timestamp,
) -> Result<()> {
    let actual = view.position.seq;
    let Some(expected) = change.write.expected_version else { return Ok(()) };
    if (view.changed_seq..=actual).contains(&expected) {
        return Ok(());
    }
    conflicts::record(
        &entry.files.conflicts(),
        &Conflict {
            at: now,
            by: &change.write.actor,
            verb: change.verb,
            expected,
            actual,
            request_id: change.write.request_id.as_deref(),
        },
    );
    Err(outdated(&view.state.id, actual, expected).into())
}

/// The refusal of a change on a version that has passed.
pub(super) fn outdated(id: &LoopId, actual: u64, expected: u64) -> Refusal {
    Refusal::new(
        "version_conflict",
        format!(
            "the loop is at version {actual}, you saw {expected}: somebody changed it since; \
             look at it again and repeat the command if it still fits"
        ),
    )
    .detail("expected", expected)
    .detail("actual", actual)
    .step("see what happened since", format!("loopdeck loop log {id}"))
}
