//! Taking what workers bring. It never starts one, but for a review that is told
//! to go on by itself.

use std::path::Path;

use super::super::api::{Done, Error, Result, Write};
use super::super::inner::Engine;
use super::reply::{self, Found};
use super::{
    HarvestItem, HarvestOptions, HarvestOutcome, HarvestTarget, Harvested, UNKNOWN_END, Worker,
    WorkerLife,
};
use crate::core::loops::attempt::{Attempt, AttemptCommand, AttemptStatus, Evidence, Generation};
use crate::core::loops::decide::turned_away;
use crate::core::loops::event::{EventBody, Outcome};
use crate::core::loops::ids::{LoopId, TurnId};
use crate::core::loops::model::{Actor, Loop};
use crate::core::loops::refusal::Refusal;
use crate::core::loops::{Command, steps};
use crate::runner::worker::{WorkerStatus, files};
use crate::seam::fs;
use crate::store::plain::{self, Links};

impl Engine {
    /// Takes the results of workers that have ended. Again is a no-op.
    ///
    /// # Errors
    /// If the only result there is was turned away: `stale_evidence`,
    /// `turn_contradiction`, `workspace_dirty`, `merge_conflict`, `store_touched`;
    /// and as [`Engine::execute`].
    pub fn harvest(
        &self,
        target: &HarvestTarget,
        options: HarvestOptions,
        write: &Write,
    ) -> Result<Harvested> {
        self.inner.check_writable()?;
        let id = target.loop_id();
        let state = self.load(id)?;
        let mut attempts: Vec<Attempt> =
            state.ledger.attempts.values().map(|a| (**a).clone()).collect();
        attempts.sort_by_key(|a| a.seq);
        if let HarvestTarget::Turn(_, turn) = target {
            attempts.retain(|a| a.turn_id == *turn);
        }
        let mut harvest = Harvest {
            engine: self,
            id,
            options,
            actor: &write.actor,
            items: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        };
        let single = matches!(target, HarvestTarget::Turn(..));
        for attempt in &attempts {
            harvest.attempt(&state, attempt, single)?;
        }
        let Harvest { items, mut errors, mut warnings, .. } = harvest;
        let took = items.iter().any(|i| i.code.is_none());
        if !took && !errors.is_empty() {
            return Err(errors.remove(0));
        }
        warnings.extend(errors.iter().map(|error| error.message().to_owned()));
        let next = match options.integrate && options.go_on {
            true if items.iter().any(|i| i.outcome == HarvestOutcome::Completed) => {
                self.go_on(id, write, &mut warnings)
            }
            _ => None,
        };
        Ok(Harvested { state: self.load(id)?, items, next, warnings })
    }
}

/// A harvest under way.
struct Harvest<'a> {
    engine: &'a Engine,
    id: &'a LoopId,
    options: HarvestOptions,
    actor: &'a Actor,
    items: Vec<HarvestItem>,
    errors: Vec<Error>,
    warnings: Vec<String>,
}

impl Harvest<'_> {
    /// Looks at all runs of an attempt.
    fn attempt(&mut self, state: &Loop, attempt: &Attempt, single: bool) -> Result<()> {
        let newest = attempt.generations.len().saturating_sub(1);
        for (n, generation) in attempt.generations.iter().enumerate() {
            if n == newest && attempt.out(state).is_some() {
                self.out(attempt, generation)?;
            } else if generation.accepted.is_some() {
                if single {
                    let text = "its result was taken before".to_owned();
                    self.item(state, attempt, generation, HarvestOutcome::Over, text);
                }
            } else {
                self.leftover(attempt, generation)?;
            }
        }
        Ok(())
    }

    /// A generation that was ended: what it left is stale, and said to be.
    fn leftover(&mut self, attempt: &Attempt, generation: &Generation) -> Result<()> {
        let run_dir = self.engine.inner.run_dir(self.id, generation);
        match reply::look(&[&run_dir], &self.engine.inner.redactor()) {
            Found::Nothing => Ok(()),
            Found::Reply(path, evidence) => self.accept(attempt, generation, &path, *evidence),
            Found::Bad { path, why, sha256 } => {
                self.reject(attempt, generation, &path, &why, sha256)
            }
        }
    }

    /// A generation whose result is due.
    fn out(&mut self, attempt: &Attempt, generation: &Generation) -> Result<()> {
        let inner = &self.engine.inner;
        let run_dir = inner.run_dir(self.id, generation);
        let noted = WorkerStatus::read(&run_dir).unwrap_or_default();
        let state = self.engine.note_process(self.id, attempt, generation, &noted, self.actor)?;
        let Some(now) = state.attempt(&attempt.turn_id) else { return Ok(()) };
        if now.out(&state).is_none() {
            let error = now.generation().and_then(|g| g.spawn_error.clone()).unwrap_or_default();
            let text = format!("no worker could be started: {error}");
            self.item(&state, attempt, generation, HarvestOutcome::Failed, text);
            return Ok(());
        }
        let worker = inner.worker_of(&state, now);
        if worker.process == WorkerLife::Alive {
            let text = format!("{} still works", attempt.agent);
            self.item(&state, attempt, generation, HarvestOutcome::Running, text);
            return Ok(());
        }
        let tree = generation.worktree.as_ref().map(|tree| inner.place_in(Path::new(&tree.path)));
        let top = generation.worktree.as_ref().map(|tree| Path::new(&tree.path).to_owned());
        let mut folders: Vec<&Path> = vec![&run_dir];
        folders.extend(tree.as_deref());
        folders.extend(top.as_deref());
        match reply::look(&folders, &inner.redactor()) {
            Found::Reply(path, mut evidence) => {
                evidence.failure.clone_from(&worker.failure);
                self.accept(attempt, generation, &path, *evidence)
            }
            Found::Bad { path, why, sha256 } => {
                self.reject(attempt, generation, &path, &why, sha256)
            }
            Found::Nothing => self.nothing(&state, now, generation, &worker),
        }
    }

    /// A generation whose result is due and that has left no reply, or none that
    /// was not turned away before.
    fn nothing(
        &mut self,
        state: &Loop,
        attempt: &Attempt,
        generation: &Generation,
        worker: &Worker,
    ) -> Result<()> {
        if let Some(refusal) = turned_away(state, &attempt.turn_id) {
            if state.status.is_closed() {
                // Nobody can put another in its place any more.
                return self.no_reply(attempt, generation, &refusal.message);
            }
            self.refused(state, attempt, generation, refusal.into());
        } else if worker.process == WorkerLife::Ended {
            return self.no_reply(attempt, generation, &failure_words(worker));
        } else {
            let mut text =
                "nobody knows whether its worker was started, and no reply is there".to_owned();
            if worker.status == AttemptStatus::LaunchAttemptedUnknown {
                let take = steps::take_over(state, &attempt.slot_id);
                text.push_str(&format!("; put another in its place: {take}"));
            }
            self.item(state, attempt, generation, HarvestOutcome::Unknown, text);
        }
        Ok(())
    }

    fn accept(
        &mut self,
        attempt: &Attempt,
        generation: &Generation,
        path: &Path,
        mut evidence: Evidence,
    ) -> Result<()> {
        evidence.found_in = Some(generation.epoch);
        let actor = self.actor.clone();
        let write = Write { actor, request_id: None, expected_version: None };
        let command = |evidence: &Evidence| {
            Command::Attempt(AttemptCommand::Accept {
                turn: attempt.turn_id.clone(),
                evidence: Box::new(evidence.clone()),
            })
        };
        let look = || self.engine.preview(self.id, command(&evidence), &write);
        // A disk that failed for a moment turns no result away: that is for good.
        let foreseen = match look().or_else(|_| look()) {
            Ok(decision) => decision.refusal,
            // What it points at cannot be read: that is no result.
            Err(error) => {
                let why = error.message().to_owned();
                return self.reject(attempt, generation, path, &why, evidence.sha256);
            }
        };
        if foreseen.as_ref().is_some_and(|refusal| refusal.code == "integrate_required") {
            let state = self.engine.load(self.id)?;
            if !self.options.integrate {
                let text = format!("{} changed files: take them with --integrate", attempt.agent);
                self.item(&state, attempt, generation, HarvestOutcome::NeedsIntegrate, text);
                return Ok(());
            }
            self.keep_reply(generation, path)?;
            match self.engine.inner.integrate(&state, attempt, generation) {
                Ok(said) => self.warnings.extend(said),
                Err(error) => {
                    self.refused(&state, attempt, generation, error);
                    return Ok(());
                }
            }
            super::kill::point("integrate");
            evidence.integrated = true;
        }
        match self.engine.execute(self.id, command(&evidence), &write) {
            Ok(done) => {
                self.keep_reply(generation, path)?;
                self.took(attempt, generation, done, evidence.integrated);
                Ok(())
            }
            Err(error) if error.code() == "stale_evidence" => {
                let run = generation.run_id.as_str();
                let now = self.engine.now();
                let kept = self.engine.inner.quarantine_reply(run, path, now)?;
                let state = self.engine.load(self.id)?;
                let error = with_kept(error, &kept);
                self.refused(&state, attempt, generation, error);
                Ok(())
            }
            Err(error) if is_a_rule(&error) => {
                let state = self.engine.load(self.id)?;
                self.refused(&state, attempt, generation, error);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Moves a reply from a work tree to the folder of its run, where it stays.
    fn keep_reply(&self, generation: &Generation, path: &Path) -> Result<()> {
        let kept = self.engine.inner.run_dir(self.id, generation).join(files::RESULT);
        if path == kept || !path.exists() {
            return Ok(());
        }
        // What was read a moment ago may be a link by now.
        let bytes = plain::read_up_to(path, reply::MAX_BYTES, Links::Refuse)
            .map_err(|source| crate::store::Error::read(path, source))?;
        crate::store::atomic::write(&kept, &bytes)?;
        fs::remove_file(path).map_err(|source| crate::store::Error::write(path, source).into())
    }

    fn reject(
        &mut self,
        attempt: &Attempt,
        generation: &Generation,
        path: &Path,
        why: &str,
        sha256: String,
    ) -> Result<()> {
        let reason = why.to_owned();
        let (turn, epoch) = (attempt.turn_id.clone(), generation.epoch);
        let step = AttemptCommand::Reject { turn, epoch, reason, sha256 };
        let Err(error) = self.engine.step(self.id, step, self.actor) else { return Ok(()) };
        if error.code() != "stale_evidence" {
            return Err(error);
        }
        let run = generation.run_id.as_str();
        let kept = self.engine.inner.quarantine_reply(run, path, self.engine.now())?;
        let state = self.engine.load(self.id)?;
        self.refused(&state, attempt, generation, with_kept(error, &kept));
        Ok(())
    }

    fn no_reply(
        &mut self,
        attempt: &Attempt,
        generation: &Generation,
        failure: &str,
    ) -> Result<()> {
        let step = AttemptCommand::NoReply {
            turn: attempt.turn_id.clone(),
            epoch: generation.epoch,
            failure: failure.to_owned(),
        };
        let done = self.engine.step(self.id, step, self.actor)?;
        let text = format!("the turn failed: {failure}");
        self.item(&done.state, attempt, generation, HarvestOutcome::Failed, text);
        Ok(())
    }

    fn took(&mut self, attempt: &Attempt, generation: &Generation, done: Done, merged: bool) {
        let ended = done.events.iter().find_map(|event| match &event.body {
            EventBody::TurnCompleted { outcome, late, reason, .. } => {
                Some((*outcome, *late, reason.clone()))
            }
            _ => None,
        });
        let (outcome, text) = match ended {
            Some((Outcome::Done, false, _)) => {
                let n = done.made.artifact_ids.len();
                let filed = crate::core::text::plural(n, "artifact", "artifacts");
                (HarvestOutcome::Completed, format!("{filed} of {}", attempt.agent))
            }
            Some((Outcome::Done, true, _)) => {
                let branch = generation.worktree.as_ref().map(|tree| &tree.branch);
                let left = branch.map_or_else(String::new, |branch| match merged {
                    // Closed by somebody between the look and the merge: a merge stands.
                    true => format!("; what it changed was being merged and is (branch {branch})"),
                    false => format!(
                        "; what it changed is not merged and stays in its work tree ({branch})"
                    ),
                });
                (HarvestOutcome::Late, format!("the loop is closed: kept as late{left}"))
            }
            Some((_, _, reason)) => {
                (HarvestOutcome::Failed, format!("the turn failed: {}", reason.unwrap_or_default()))
            }
            None => (HarvestOutcome::Over, done.warnings.join("; ")),
        };
        if ended_warnings_matter(outcome) {
            self.warnings.extend(done.warnings.clone());
        }
        self.item(&done.state, attempt, generation, outcome, text);
        if let Some(item) = self.items.last_mut() {
            item.artifact_ids = done.made.artifact_ids;
        }
    }

    fn refused(&mut self, state: &Loop, attempt: &Attempt, generation: &Generation, error: Error) {
        let text = error.message().to_owned();
        self.item(state, attempt, generation, HarvestOutcome::Refused, text);
        if let Some(item) = self.items.last_mut() {
            item.code = Some(error.code());
        }
        self.errors.push(error);
    }

    fn item(
        &mut self,
        state: &Loop,
        attempt: &Attempt,
        generation: &Generation,
        outcome: HarvestOutcome,
        text: String,
    ) {
        self.items.push(HarvestItem {
            slot_id: attempt.slot_id.clone(),
            role: state.slot(&attempt.slot_id).map_or_else(|| "?".into(), |s| s.role.clone()),
            turn_id: attempt.turn_id.clone(),
            assignment_id: generation.assignment_id.clone(),
            run_id: generation.run_id.clone(),
            outcome,
            text,
            artifact_ids: Vec::new(),
            code: None,
        });
    }
}

/// What a result warns about is said; what made a turn fail stands in its text.
fn ended_warnings_matter(outcome: HarvestOutcome) -> bool {
    matches!(outcome, HarvestOutcome::Completed | HarvestOutcome::Late)
}

/// Whether an error is a refusal by a rule rather than a fault.
fn is_a_rule(error: &Error) -> bool {
    matches!(error.code(), "turn_contradiction" | "integrate_required" | "no_turn")
}

fn with_kept(mut error: Error, kept: &Path) -> Error {
    let kept = kept.display().to_string();
    error.0.message.push_str(&format!("; it is kept as {kept}"));
    error.0.details.insert("kept".to_owned(), kept.into());
    error
}

fn failure_words(worker: &Worker) -> String {
    match worker.failure.as_deref() {
        Some(end) if end.starts_with(UNKNOWN_END) => {
            format!("its worker left no reply, and {end}")
        }
        Some(end) => format!("{end} without a reply"),
        None => "its worker ended without a reply".to_owned(),
    }
}

impl Engine {
    /// Notes what a keeper knows of its worker and the journal doesn't: who
    /// started it may have died in between.
    pub(super) fn note_process(
        &self,
        id: &LoopId,
        attempt: &Attempt,
        generation: &Generation,
        noted: &WorkerStatus,
        actor: &Actor,
    ) -> Result<std::sync::Arc<Loop>> {
        if generation.process.is_some() {
            return self.load(id);
        }
        let (turn, epoch) = (attempt.turn_id.clone(), generation.epoch);
        let not_started = noted.ended.as_ref().and_then(|end| end.not_started.clone());
        let step = match (&noted.process, not_started) {
            (Some(process), _) => AttemptCommand::Spawned { turn, epoch, process: process.clone() },
            (None, Some(error)) => AttemptCommand::SpawnFailed { turn, epoch, error },
            (None, None) => return self.load(id),
        };
        Ok(self.step(id, step, actor)?.state)
    }

    /// What a text names as a target of a harvest: an assignment or a run, else
    /// a loop.
    ///
    /// # Errors
    /// `no_turn`, `loop_not_found`, `ambiguous_id`.
    pub fn harvest_target(&self, text: &str) -> Result<HarvestTarget> {
        if !text.starts_with("asg_") && !text.starts_with("run_") {
            return Ok(HarvestTarget::Loop(self.resolve(text)?));
        }
        let mut found: Vec<(LoopId, TurnId)> = Vec::new();
        let mut loops = self.list()?.loops;
        loops.sort_by_key(|one| one.workers == 0);
        for one in loops {
            if one.workers == 0 && !found.is_empty() {
                break;
            }
            let Ok(state) = self.load(&one.id) else { continue };
            for attempt in state.ledger.attempts.values() {
                let named = attempt.generations.iter().any(|g| {
                    g.assignment_id.as_str().starts_with(text)
                        || g.run_id.as_str().starts_with(text)
                });
                if named {
                    found.push((one.id.clone(), attempt.turn_id.clone()));
                }
            }
        }
        match &found[..] {
            [(id, turn)] => Ok(HarvestTarget::Turn(id.clone(), turn.clone())),
            [] => Err(Refusal::new("no_turn", format!("no turn was handed out as {text:?}"))
                .step("see who works", "loopdeck turn list")
                .into()),
            several => Err(Error::new(
                "ambiguous_id",
                format!("{text:?} could be any of {} assignments", several.len()),
            )),
        }
    }
}
