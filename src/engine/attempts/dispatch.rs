//! From reserving a turn to a running worker, in the order in which a crash at
//! any step starts nothing twice: reserve, commit, arm, bind, cross, spawn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::api::{Done, Error, Result, Write};
use super::super::inner::{Engine, Inner};
use super::kill;
use super::{DispatchRequest, Dispatched, Worker};
use crate::core::loops::attempt::{Attempt, AttemptCommand, Due, Generation, Worktree};
use crate::core::loops::decide::find_slot;
use crate::core::loops::ids::{LoopId, TurnId};
use crate::core::loops::model::{Actor, Loop, Slot};
use crate::core::loops::refusal::Refusal;
use crate::core::loops::{Command, steps};
use crate::core::text::{did_you_mean, sha256_hex};
use crate::runner::worker::{NoWorker, files, start};
use crate::runner::{Environment, process, worktree};
use crate::store;
use crate::store::lock::LockFile;

/// Why a launch is revoked whose launcher died.
const LAUNCHER_GONE: &str = "launcher_gone";
/// How long a worker that is replaced may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// Hands a slot's turn to a worker. Again, after a crash, goes on where it
    /// stood; a worker that may have been started is never started again.
    ///
    /// # Errors
    /// `not_dispatchable`, `slot_busy`, `not_slot_owner`, `agent_not_found`,
    /// `command_not_trusted`, `variable_not_trusted`, and as [`Engine::execute`].
    pub fn dispatch(
        &self,
        id: &LoopId,
        request: &DispatchRequest,
        write: &Write,
    ) -> Result<Dispatched> {
        let inner = &self.inner;
        inner.check_writable()?;
        let reserve =
            AttemptCommand::Reserve { slot: request.slot.clone(), agent: request.agent.clone() };
        let foreseen = self.preview(id, Command::Attempt(reserve.clone()), write)?;
        if let Some(refusal) = foreseen.refusal {
            return Err(refusal.into());
        }
        let state = self.load(id)?;
        inner.check_dispatched(&state)?;
        let slot = find_slot(&state, &request.slot)?;
        let named = request.agent.as_deref().or(slot.agent.as_deref()).unwrap_or_default();
        // The command is looked at before anything moves.
        inner.agent_command(named).map_err(|error| without_command(error, &state, slot))?;
        let alone = LockFile::open(&inner.layout.workers_lock())?;
        let guard = inner.guard_of_writing(&alone, &state, slot.read_only)?;
        let done = self.execute(id, Command::Attempt(reserve), write)?;
        kill::point("reserve");
        drop(guard);
        let turn = done.made.turn_id.clone().ok_or_else(|| Error::new("io", "no turn was made"))?;
        if done.replayed && !is_waiting(&*self.load(id)?, &turn) {
            let state = self.load(id)?;
            let worker = inner.worker_of(&state, attempt_of(&state, &turn)?);
            return Ok(Dispatched { done, worker });
        }
        self.launch(id, &turn, &write.actor, done.warnings)
    }

    /// Ends the running generation of a slot's turn and starts the next one in
    /// its place: what the old worker delivers from now on is stale.
    ///
    /// # Errors
    /// `no_turn`, `reason_required`, and as [`Engine::dispatch`].
    pub fn take_over(
        &self,
        id: &LoopId,
        slot: &str,
        cause: &str,
        write: &Write,
    ) -> Result<Dispatched> {
        let inner = &self.inner;
        inner.check_writable()?;
        let take = AttemptCommand::TakeOver { slot: slot.to_owned(), cause: cause.to_owned() };
        let foreseen = self.preview(id, Command::Attempt(take.clone()), write)?;
        if let Some(refusal) = foreseen.refusal {
            return Err(refusal.into());
        }
        let state = self.load(id)?;
        inner.check_dispatched(&state)?;
        if let Some(attempt) = state.live_attempt(find_slot(&state, slot)?) {
            inner.agent_command(&attempt.agent)?;
        }
        let done = self.execute(id, Command::Attempt(take), write)?;
        kill::point("takeover");
        let turn =
            done.made.turn_id.clone().ok_or_else(|| Error::new("io", "no turn was found"))?;
        let mut warnings = done.warnings;
        if done.replayed && !is_waiting(&*self.load(id)?, &turn) {
            warnings.push("taken over before under this request id".to_owned());
        } else if let Some(old) = attempt_of(&state, &turn)?.generation() {
            inner.end_worker(id, old, &mut warnings);
        }
        self.launch(id, &turn, &write.actor, warnings)
    }

    /// Commits a reserved turn and launches its next generation.
    fn launch(
        &self,
        id: &LoopId,
        turn: &TurnId,
        actor: &Actor,
        mut warnings: Vec<String>,
    ) -> Result<Dispatched> {
        let state = self.load(id)?;
        let attempt = attempt_of(&state, turn)?;
        let command = self.inner.agent_command(&attempt.agent)?;
        self.clear_the_way(&state, attempt, actor, &mut warnings)?;
        let tree = match self.work_tree(&state, attempt) {
            Ok(tree) => tree,
            Err(error) => {
                // Decided already, it waits for another try; else it is given up.
                let reason = error.message().to_owned();
                let abort = AttemptCommand::Abort { turn: turn.clone(), reason };
                let _ = self.step(id, abort, actor);
                return Err(error);
            }
        };
        self.step(id, AttemptCommand::Commit { turn: turn.clone() }, actor)?;
        kill::point("commit");
        let version = self.load(id)?.version;
        let drawn = self.inner.chance.for_command(id, version);
        let nonce = sha256_hex(&[b"nonce", &drawn[..]].concat());
        let lease = self.inner.settings.now().config.dispatch.lease;
        let arm = AttemptCommand::Arm {
            turn: turn.clone(),
            nonce_sha256: sha256_hex(nonce.as_bytes()),
            lease_ms: u64::try_from(lease.as_millis()).unwrap_or(u64::MAX),
            worktree: tree.clone(),
            launcher: Some(process::of_pid(std::process::id())),
        };
        let armed = self.step(id, arm, actor)?;
        kill::point("arm");
        let attempt = attempt_of(&armed.state, turn)?.clone();
        let generation = attempt
            .generation()
            .cloned()
            .ok_or_else(|| Error::new("io", "no generation was armed"))?;
        let epoch = generation.epoch;
        match self.bind(id, &attempt, &generation, &nonce, &command) {
            Ok(told) => warnings.extend(told),
            Err(error) => {
                let reason = error.message().to_owned();
                let revoke = AttemptCommand::Revoke { turn: turn.clone(), epoch, reason };
                let _ = self.step(id, revoke, actor);
                return Err(error);
            }
        }
        kill::point("bind");
        let cross = AttemptCommand::Cross { turn: turn.clone(), epoch, nonce };
        self.step(id, cross, actor)?;
        kill::point("cross");
        self.spawn(id, &attempt, &generation, actor, warnings)
    }

    /// Ends what stands in the way of a launch: a launch by a process that is gone
    /// and can never be crossed, and workers of the slot that were shut out and run
    /// on, for they would work in the same place.
    fn clear_the_way(
        &self,
        state: &Loop,
        attempt: &Attempt,
        actor: &Actor,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        self.revoke_orphan(&state.id, attempt, actor)?;
        let shut_out = state.attempts_shut_out().filter(|a| a.slot_id == attempt.slot_id);
        for old in shut_out.chain([attempt]).filter_map(Attempt::generation) {
            if old.is_spent() {
                self.inner.end_worker(&state.id, old, warnings);
            }
        }
        Ok(())
    }

    /// Revokes a launch whose launcher is gone: nobody else has its nonce, so nobody
    /// can cross it any more. Says whether there was one.
    pub(super) fn revoke_orphan(
        &self,
        id: &LoopId,
        attempt: &Attempt,
        actor: &Actor,
    ) -> Result<bool> {
        let armed = attempt.generation().filter(|generation| generation.is_armed());
        let orphan = armed.filter(|generation| {
            let launcher = generation.launcher.as_ref();
            launcher.is_some_and(|one| process::life_of(one) == process::Life::Gone)
        });
        let Some(orphan) = orphan else { return Ok(false) };
        let revoke = AttemptCommand::Revoke {
            turn: attempt.turn_id.clone(),
            epoch: orphan.epoch,
            reason: LAUNCHER_GONE.to_owned(),
        };
        self.step(id, revoke, actor)?;
        Ok(true)
    }

    /// Starts the worker of a generation that this call has crossed.
    fn spawn(
        &self,
        id: &LoopId,
        attempt: &Attempt,
        generation: &Generation,
        actor: &Actor,
        mut warnings: Vec<String>,
    ) -> Result<Dispatched> {
        let inner = &self.inner;
        let run_dir = inner.run_dir(id, generation);
        let environment = inner.worker_environment(&run_dir);
        let (turn, epoch) = (attempt.turn_id.clone(), generation.epoch);
        let started = start(&inner.worker_keeper, &run_dir, &environment);
        kill::point("spawn");
        let done = match started {
            Ok(process) => self.step(
                id,
                AttemptCommand::Spawned { turn: turn.clone(), epoch, process },
                actor,
            )?,
            Err(NoWorker::Refused(error)) => {
                let failed =
                    AttemptCommand::SpawnFailed { turn: turn.clone(), epoch, error: error.clone() };
                self.step(id, failed, actor)?;
                return Err(spawn_failed(&*self.load(id)?, attempt, &error));
            }
            Err(NoWorker::Silent) => {
                warnings.push(
                    "nobody knows whether the worker was started: it is not started again; \
                     harvest takes what it brings"
                        .to_owned(),
                );
                Done {
                    state: self.load(id)?,
                    made: Default::default(),
                    notes: Vec::new(),
                    warnings: Vec::new(),
                    replayed: false,
                    events: Vec::new(),
                }
            }
        };
        kill::point("spawned");
        let worker = inner.worker_of(&done.state, attempt_of(&done.state, &turn)?);
        Ok(Dispatched { done: Done { warnings, ..done }, worker })
    }

    /// The work tree of a turn that changes files; none outside git.
    fn work_tree(&self, state: &Loop, attempt: &Attempt) -> Result<Option<Worktree>> {
        if !attempt.writes {
            return Ok(None);
        }
        let Some(top) = worktree::top_of(self.inner.layout.root()) else { return Ok(None) };
        let name = format!("{}-{}", state.id, attempt.slot_id);
        let path = self.inner.user.state.join("worktrees").join(name);
        let branch = format!("loopdeck/{}/{}", state.id, attempt.slot_id);
        worktree::ensure(&top, &path, &branch).map_err(|why| {
            Error::new("io", format!("no work tree can be made at {}: {why}", path.display()))
        })?;
        Ok(Some(Worktree { path: path.to_string_lossy().into_owned(), branch }))
    }
}

impl Inner {
    /// Refuses where the settings switch dispatching off.
    fn check_dispatched(&self, state: &Loop) -> Result<()> {
        if self.settings.now().config.dispatch.allows(state.kind) {
            return Ok(());
        }
        let config = self.layout.config();
        Err(Refusal::new(
            "not_dispatchable",
            format!(
                "turns of {} loops are not handed to workers here: [dispatch] in {} says so",
                state.kind,
                config.display()
            ),
        )
        .detail("setting", "dispatch")
        .into())
    }

    /// The command of an agent, which the operator has approved.
    fn agent_command(&self, name: &str) -> Result<Vec<String>> {
        let read = self.settings.now();
        let Some(command) = read.config.agents.get(name) else {
            let known: Vec<&str> = read.config.agents.keys().map(String::as_str).collect();
            let near = did_you_mean(name, known.iter().copied());
            let near = if near.is_empty() { "." } else { &*near };
            let config = self.layout.config();
            return Err(Refusal::new(
                "agent_not_found",
                format!(
                    "no command is set for the agent {name:?}{near} Write one into {}: \
                     [agents.{name}] command = [\"PROGRAM\", \"ARGUMENT\"]",
                    config.display()
                ),
            )
            .detail("agent", name)
            .detail("known", known)
            .into());
        };
        self.check_trusted(command)?;
        self.check_variables(&read.config.dispatch.pass_env)?;
        Ok(command.clone())
    }

    /// Where there is no git, turns that change files work in the workspace
    /// itself, one at a time: held until the turn is reserved.
    fn guard_of_writing<'a>(
        &self,
        lock: &'a LockFile,
        state: &Loop,
        read_only: bool,
    ) -> Result<Option<store::lock::Guard<'a>>> {
        let work = crate::core::loops::decide::may_be_dispatched(state)?;
        let writes = work == crate::core::loops::protocol::Work::Write && !read_only;
        if !writes || worktree::top_of(self.layout.root()).is_some() {
            return Ok(None);
        }
        let guard = lock.acquire(self.lock_wait, self.time.now())?;
        let busy = self.open_workers()?.0.into_iter().find(|worker: &Worker| {
            worker.writes
                && worker.worktree.is_none()
                && worker.loop_id != state.id
                && !worker.status.has_ended()
        });
        match busy {
            None => Ok(Some(guard)),
            Some(worker) => Err(Refusal::new(
                "slot_busy",
                format!(
                    "{} changes files of the workspace for {:?}: without git, one at a time",
                    worker.agent, worker.title
                ),
            )
            .detail("loop_id", worker.loop_id.as_str())
            .step(
                "take its result",
                format!("loopdeck turn harvest {} --integrate", worker.loop_id),
            )
            .into()),
        }
    }

    /// The folder in a work tree that stands for the workspace's root.
    pub(super) fn place_in(&self, tree: &Path) -> PathBuf {
        let root = self.layout.root();
        let below = worktree::top_of(root)
            .and_then(|top| root.strip_prefix(top).ok().map(Path::to_owned))
            .unwrap_or_default();
        tree.join(below)
    }

    fn worker_environment(&self, run_dir: &Path) -> Environment {
        let root = self.layout.root();
        let pass = self.handed_on(&self.settings.now().config.dispatch.pass_env);
        Environment::of_process(&pass)
            .with("LOOPDECK_RESULT", run_dir.join(files::RESULT))
            .with("LOOPDECK_WORKSPACE", root)
    }

    /// Ends the worker of a generation, if it runs here.
    pub(super) fn end_worker(
        &self,
        id: &LoopId,
        generation: &Generation,
        warnings: &mut Vec<String>,
    ) {
        let noted = crate::runner::worker::WorkerStatus::read(&self.run_dir(id, generation));
        let noted = noted.filter(|status| status.ended.is_none()).and_then(|s| s.process);
        let Some(worker) = generation.process.clone().or(noted) else { return };
        if !process::end_group(&worker, false) {
            return;
        }
        let end = std::time::Instant::now() + PATIENCE;
        while process::life_of(&worker) == process::Life::Alive {
            if std::time::Instant::now() > end {
                process::end_group(&worker, true);
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        warnings.push(format!("the worker {} was ended", worker.pid));
    }
}

/// Whether a launch of a turn may still be made.
fn is_waiting(state: &Loop, turn: &TurnId) -> bool {
    state.attempt(turn).is_some_and(|attempt| {
        attempt.due(state) == Some(Due::Launch)
            && attempt.generation().is_none_or(Generation::is_spent)
    })
}

fn attempt_of<'a>(state: &'a Loop, turn: &TurnId) -> Result<&'a Attempt> {
    state.attempt(turn).ok_or_else(|| Error::new("no_turn", format!("turn {turn} is not there")))
}

/// What can be done without a command of an agent: handing the turn to one that
/// has a command, or taking it oneself.
fn without_command(error: Error, state: &Loop, slot: &Slot) -> Error {
    if error.code() != "agent_not_found" {
        return error;
    }
    let mut refusal = *error.0;
    let known = refusal.details.get("known").and_then(|known| known[0].as_str());
    if let Some(agent) = known.map(str::to_owned).filter(|_| slot.agent.is_none()) {
        let named = format!(" --agent {}", steps::quoted(&agent));
        let dispatch = steps::dispatch(state, &slot.slot_id) + &named;
        refusal = refusal.step(format!("hand it to {agent}"), dispatch);
    }
    let turn = steps::on_loop(state, "turn", &format!("--slot {}", slot.slot_id));
    refusal.step("or take the turn yourself", turn).into()
}

fn spawn_failed(state: &Loop, attempt: &Attempt, error: &str) -> Error {
    Refusal::new(
        "spawn_failed",
        format!("no worker of {} could be started: {error}. The turn has failed", attempt.agent),
    )
    .detail("error", error)
    .detail("turn_id", attempt.turn_id.as_str())
    .step("call the failed turn off", steps::cancel_turn(state, attempt.slot_id.as_str()))
    .step("or try again", steps::dispatch(state, &attempt.slot_id))
    .into()
}
