//! Who works now: the list, the logs, the sweep.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::super::api::{Error, LoopSummary, Problem, Result, Write};
use super::super::inner::{Engine, Inner};
use super::{Swept, Worker, WorkerLife};
use crate::core::loops::attempt::{Attempt, AttemptCommand, AttemptStatus, Generation};
use crate::core::loops::attention::{Attention, AttentionState, attention};
use crate::core::loops::event::{EventBody, Outcome};
use crate::core::loops::ids::{LoopId, TurnId};
use crate::core::loops::model::Loop;
use crate::core::loops::refusal::Refusal;
use crate::core::loops::{Event, steps, waiting};
use crate::runner::Stream;
use crate::runner::worker::{WorkerStatus, files};
use crate::store;

/// Bytes of a log that are handed out at once.
const PIECE: u64 = 256 * 1024;

/// A piece of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPiece {
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Where the next piece begins.
    pub next: u64,
}

impl Engine {
    /// The turns that were handed to workers and have not ended, the newest
    /// first, and what could not be read. Writes nothing.
    ///
    /// # Errors
    /// `io`.
    pub fn workers(&self) -> Result<(Vec<Worker>, Vec<Problem>)> {
        self.inner.open_workers()
    }

    /// The workers of one loop, ended ones too, the newest first.
    ///
    /// # Errors
    /// As [`Engine::load`].
    pub fn workers_of(&self, id: &LoopId) -> Result<Vec<Worker>> {
        let state = self.load(id)?;
        let mut attempts: Vec<_> = state.ledger.attempts.values().collect();
        attempts.sort_by_key(|attempt| std::cmp::Reverse(attempt.seq));
        Ok(attempts.into_iter().map(|attempt| self.inner.worker_of(&state, attempt)).collect())
    }

    /// What a loop wants now: as its journal tells, and where it waits for a worker,
    /// whether that one has ended, which no journal tells.
    pub fn attention(&self, state: &Loop) -> Attention {
        self.inner.attention(state)
    }

    /// A worker by its run, or by its assignment.
    ///
    /// # Errors
    /// As [`Engine::harvest_target`].
    pub fn worker(&self, text: &str) -> Result<Worker> {
        let text = if text.contains('_') { text.to_owned() } else { format!("run_{text}") };
        let super::HarvestTarget::Turn(id, turn) = self.harvest_target(&text)? else {
            return Err(Refusal::new("no_turn", format!("{text:?} is no run"))
                .step("see who works", "loopdeck turn list")
                .into());
        };
        let state = self.load(&id)?;
        let attempt = state
            .attempt(&turn)
            .ok_or_else(|| Error::new("no_turn", format!("turn {turn} is not there")))?;
        Ok(self.inner.worker_of(&state, attempt))
    }

    /// A piece of what a worker said, from a place on. A log that was shortened
    /// meanwhile begins anew.
    ///
    /// # Errors
    /// `io`.
    pub fn run_log(&self, run_dir: &Path, stream: Stream, from: u64) -> Result<LogPiece> {
        let name = match stream {
            Stream::Stdout => files::STDOUT,
            Stream::Stderr => files::STDERR,
        };
        let path = run_dir.join(name);
        let failed = |source| Error::from(store::Error::read(&path, source));
        let mut file = match store::plain::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(LogPiece::default());
            }
            Err(error) => return Err(failed(error)),
        };
        let length = file.metadata().map_err(failed)?.len();
        let from = if from > length { 0 } else { from };
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(PIECE).read_to_end(&mut bytes).map_err(failed)?;
        // A character that is half there is left to the next piece.
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
                error.valid_up_to()
            }
            _ => bytes.len(),
        };
        let text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
        Ok(LogPiece { text, next: from + whole as u64 })
    }

    /// The last lines of what a worker said, at most `max_bytes` of them.
    pub fn run_tail(&self, run_dir: &Path, max_bytes: u64) -> Vec<String> {
        let mut lines = Vec::new();
        for name in [files::STDERR, files::STDOUT] {
            let Ok(mut file) = store::plain::open(&run_dir.join(name)) else { continue };
            let length = file.metadata().map_or(0, |m| m.len());
            let mut bytes = Vec::new();
            let from = SeekFrom::Start(length.saturating_sub(max_bytes));
            if file.seek(from).and_then(|_| file.read_to_end(&mut bytes)).is_ok() {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                lines.extend(text.lines().map(str::to_owned));
            }
        }
        lines
    }

    /// Revokes launches whose lease has passed and says whose worker should be
    /// there and is not. For the verb, and for those who keep running.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn sweep(&self, write: &Write) -> Result<Swept> {
        self.inner.check_writable()?;
        let mut swept = Swept::default();
        for one in self.list()?.loops.into_iter().filter(|one| one.workers > 0) {
            if let Err(error) = self.sweep_loop(&one.id, write, &mut swept) {
                swept.warnings.push(format!("{}: {}", one.slug, error.message()));
            }
        }
        Ok(swept)
    }

    fn sweep_loop(&self, id: &LoopId, write: &Write, swept: &mut Swept) -> Result<()> {
        let state = self.load(id)?;
        let now = self.now();
        for attempt in state.attempts_open() {
            swept.revoked += usize::from(self.revoke_orphan(id, attempt, &write.actor)?);
        }
        let state = self.load(id)?;
        let lapsed = |g: &Generation| g.is_armed() && g.lease_until < now;
        if state.ledger.attempts.values().any(|a| a.generation().is_some_and(lapsed)) {
            let done = self.step(id, AttemptCommand::Sweep, &write.actor)?;
            swept.revoked += done.events.len();
        }
        let out: Vec<TurnId> = state.attempts_out().map(|a| a.turn_id.clone()).collect();
        for turn in out {
            let Some((attempt, generation)) =
                state.attempt(&turn).and_then(|a| Some((a, a.generation()?)))
            else {
                continue;
            };
            let run_dir = self.inner.run_dir(id, generation);
            let noted = WorkerStatus::read(&run_dir).unwrap_or_default();
            let state = self.note_process(id, attempt, generation, &noted, &write.actor)?;
            let Some(attempt) = state.attempt(&turn).filter(|a| a.out(&state).is_some()) else {
                continue;
            };
            let worker = self.inner.worker_of(&state, attempt);
            let unknown = worker.status == AttemptStatus::LaunchAttemptedUnknown;
            if worker.process == WorkerLife::Ended || unknown {
                swept.adrift.push(worker);
            }
        }
        Ok(())
    }

    /// What a change to a loop means for its workers: a turn that is called off
    /// ends its worker, and closing a loop names those that go on.
    pub(in super::super) fn tell_workers(
        &self,
        after: &Loop,
        events: &[Event],
        warnings: &mut Vec<String>,
    ) {
        for event in events {
            match &event.body {
                EventBody::TurnCompleted { turn_id, outcome: Outcome::Cancelled, .. } => {
                    let generation = after.attempt(turn_id).and_then(|a| a.generation());
                    if let Some(generation) = generation {
                        self.inner.end_worker(&after.id, generation, warnings);
                    }
                }
                EventBody::Closed { .. } => self.left_behind(after, warnings),
                _ => {}
            }
        }
    }

    /// Ends the process of a worker that was shut out and runs on, or whose loop is
    /// damaged, with its children. Says what became of it.
    ///
    /// # Errors
    /// As [`Engine::worker`]; `slot_busy` if it was not shut out.
    pub fn end_shut_out(&self, run: &str) -> Result<Vec<String>> {
        let worker = self.worker(run)?;
        let view = self.inner.view(&worker.loop_id)?;
        let state = &view.state;
        let generation = state.attempt(&worker.turn_id).and_then(Attempt::generation);
        let mut said = Vec::new();
        // A turn of a loop that may only be read can't be called off any more: a worker
        // must not get its way by damaging the journal.
        match generation.filter(|_| worker.shut_out.is_some() || view.fault.is_some()) {
            Some(generation) => self.inner.end_worker(&worker.loop_id, generation, &mut said),
            // Nothing is left of it to be ended.
            None if worker.process == WorkerLife::Ended => {}
            None => {
                let why = format!("{} works on its turn: call that off to end it", worker.agent);
                let call_off = steps::cancel_turn(state, worker.slot_id.as_str());
                return Err(Refusal::new("slot_busy", why)
                    .step("call the turn off", call_off)
                    .into());
            }
        }
        Ok(said)
    }

    fn left_behind(&self, state: &Loop, warnings: &mut Vec<String>) {
        for attempt in state.attempts_out() {
            let worker = self.inner.worker_of(state, attempt);
            if worker.process == WorkerLife::Alive {
                let pid = worker.pid.unwrap_or_default();
                warnings.push(format!(
                    "the worker of {} (process {pid}) goes on: its result will be kept as late",
                    worker.agent
                ));
            }
        }
        let mut trees: Vec<&str> = state
            .ledger
            .attempts
            .values()
            .filter_map(|a| a.generation()?.worktree.as_ref())
            .map(|tree| tree.path.as_str())
            .filter(|path| Path::new(path).exists())
            .collect();
        trees.sort_unstable();
        trees.dedup();
        for tree in trees {
            warnings.push(format!(
                "a work tree is left; once you need it no more: git worktree remove {tree}"
            ));
        }
    }
}

impl Inner {
    /// Brings what the list says of a loop with workers up to now: a launch may have
    /// become doubtful by mere waiting, and a worker may have ended, which no journal
    /// tells.
    pub(in super::super) fn tell_ended(&self, summary: &mut LoopSummary) {
        if summary.workers == 0 || summary.read_only.is_some() || summary.status.is_closed() {
            return;
        }
        let Ok(view) = self.view(&summary.id) else { return };
        let wants = self.attention(&view.state);
        summary.attention = wants.state;
        summary.attention_detail = wants.detail;
        summary.next = wants.next;
    }

    /// What a loop wants now; where it waits for a worker that has ended, that.
    fn attention(&self, state: &Loop) -> Attention {
        let now = self.time.now().max(state.updated_at);
        let mut wants = attention(state, now);
        if wants.state != AttentionState::Worker {
            return wants;
        }
        let ended = state.attempts_out().find_map(|attempt| {
            let worker = self.worker_of(state, attempt);
            let ended = worker.process == WorkerLife::Ended && !worker.taken_back;
            ended.then_some(worker).zip(state.slot(&attempt.slot_id))
        });
        if let Some((worker, slot)) = ended {
            wants.detail = format!("{} has ended as {}: harvest it", worker.agent, worker.role);
            wants.next = Some(waiting::turn_step(state, slot, now));
        }
        wants
    }

    /// The turns that were handed to workers and have not ended, and the workers
    /// that run although nobody waits for them any more.
    pub(super) fn open_workers(&self) -> Result<(Vec<Worker>, Vec<Problem>)> {
        let (listed, mut problems) = self.listed()?;
        let mut workers = Vec::new();
        for one in listed.iter().filter(|one| one.summary.workers + one.summary.shut_out > 0) {
            match self.view(&one.summary.id) {
                Ok(view) => {
                    let state = &view.state;
                    let all = state.attempts_open().chain(state.attempts_shut_out());
                    let all = all.map(|attempt| (attempt, self.worker_of(state, attempt)));
                    let shown: Vec<_> =
                        all.filter(|(attempt, one)| self.is_listed(state, attempt, one)).collect();
                    problems.extend(shown.iter().filter_map(|(_, one)| spoilt(one)));
                    workers.extend(shown.into_iter().map(|(_, worker)| worker));
                }
                Err(error) => {
                    problems.push(error.problem(self.layout.loop_files(&one.summary.id).journal()))
                }
            }
        }
        workers.sort_by(|a, b| {
            b.started_at.cmp(&a.started_at).then_with(|| a.turn_id.cmp(&b.turn_id))
        });
        Ok((workers, problems))
    }
}

/// Why what the keeper of a worker noted can't be read, if so.
fn spoilt(worker: &Worker) -> Option<Problem> {
    let run_dir = worker.run_dir.as_deref()?;
    let message = WorkerStatus::look(run_dir).err()?;
    Some(Problem { path: run_dir.join(files::STATUS), code: "damaged", message })
}
