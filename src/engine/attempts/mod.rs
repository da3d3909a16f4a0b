//! Turns that are handed to workers: dispatch, harvest, takeover, sweep
//! (attempts.md). The decisions are the core's and stand in the loop's journal;
//! here are the processes, the files of their runs, and the order of things.
//!
//! - `dispatch` — from reserving to a running worker; `bind` — what it needs before;
//!   `brief` — what it reads;
//! - `harvest` — taking what it brings; `reply` — reading that with care, `faults` — what is
//!   wrong with it, in words;
//!   `integrate` — merging what it changed; `go_on` — a review's next turn;
//! - `offers` — which turns could be handed out now;
//! - `workers` — who works now, their logs, ending them, sweeping;
//! - `kill` — for tests only.

mod bind;
mod brief;
mod dispatch;
mod ended;
mod faults;
mod go_on;
mod harvest;
mod integrate;
mod kill;
mod offers;
mod reply;
mod workers;

pub(super) use kill::point as kill_point;
pub use reply::read_reply;
pub use workers::LogPiece;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::api::{Done, Error, Result, Write};
use super::inner::{Engine, Inner};
use crate::core::loops::Command;
use crate::core::loops::attempt::{Attempt, AttemptCommand, AttemptStatus, Generation};
use crate::core::loops::ids::{ArtifactId, AssignmentId, LoopId, Name, RunId, SlotId, TurnId};
use crate::core::loops::model::{Actor, Loop};
use crate::core::loops::protocol::Kind;
use crate::core::time::Timestamp;
use crate::runner::process::{Life, life_of};
use crate::runner::worker::{self, WorkerStatus, files};

/// What is said of a worker's end that nobody noted: its keeper was gone before.
const UNKNOWN_END: &str = "how its worker ended is not known";

/// The hidden verb of this program that keeps a worker.
pub const KEEP_WORKER: &str = "__keep-worker";

/// Which turn is to be handed to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchRequest {
    /// The slot: an id, a beginning of one, or a role that is unique.
    pub slot: String,
    /// The agent; absent = the slot's own.
    pub agent: Option<String>,
}

/// A worker that was started.
#[derive(Clone, Debug)]
pub struct Dispatched {
    /// The loop and what the caller should know.
    pub done: Done,
    /// The worker.
    pub worker: Worker,
}

/// Whether a worker's process is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerLife {
    /// None was started yet.
    None,
    /// It runs.
    Alive,
    /// It has ended: its result can be taken.
    Ended,
    /// It runs on another machine, or nobody knows whether it was started.
    Unknown,
}

/// A turn that was handed to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Worker {
    /// The loop.
    pub loop_id: LoopId,
    /// Its title.
    pub title: String,
    /// The slot.
    pub slot_id: SlotId,
    /// The slot's role.
    pub role: Name,
    /// The agent.
    pub agent: Name,
    /// The turn.
    pub turn_id: TurnId,
    /// The newest generation's assignment.
    pub assignment_id: Option<AssignmentId>,
    /// The newest generation's run.
    pub run_id: Option<RunId>,
    /// Which generation it is, from 0.
    pub generation: Option<u32>,
    /// The phase.
    pub phase: Name,
    /// The round, from 1.
    pub round: u32,
    /// Where the attempt stands.
    pub status: AttemptStatus,
    /// Whether its process is there.
    pub process: WorkerLife,
    /// Its process's number.
    pub pid: Option<u32>,
    /// The machine that it runs on.
    pub host: Option<String>,
    /// Since when it works.
    pub started_at: Option<Timestamp>,
    /// Until when it may be launched.
    pub lease_until: Option<Timestamp>,
    /// Whether it may change files.
    pub writes: bool,
    /// Where it changes them, if not in the workspace.
    pub worktree: Option<PathBuf>,
    /// The folder of its run.
    pub run_dir: Option<PathBuf>,
    /// How it failed, if it ended so.
    pub failure: Option<String>,
    /// Whether its reply is there.
    pub reply: bool,
    /// Why its reply and its end contradict each other.
    pub contradiction: Option<String>,
    /// Why its reply was turned away, as long as no other takes its place.
    pub turned_away: Option<String>,
    /// Why what it brings is turned away.
    pub shut_out: Option<String>,
    /// Whether its result was taken once and that was undone: it is due again.
    pub taken_back: bool,
}

/// Which results are to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HarvestTarget {
    /// Of all workers of a loop.
    Loop(LoopId),
    /// Of one turn.
    Turn(LoopId, TurnId),
}

impl HarvestTarget {
    /// The loop.
    pub fn loop_id(&self) -> &LoopId {
        match self {
            HarvestTarget::Loop(id) | HarvestTarget::Turn(id, _) => id,
        }
    }
}

/// How results are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HarvestOptions {
    /// Whether what workers changed is merged.
    pub integrate: bool,
    /// Whether a review's next turn is dispatched by itself; only with `integrate`.
    pub go_on: bool,
}

/// What became of one worker's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HarvestOutcome {
    /// It was taken.
    Completed,
    /// It came to nothing: the turn has failed.
    Failed,
    /// The loop was closed meanwhile: it is kept, and counts nowhere.
    Late,
    /// The worker still works.
    Running,
    /// What it changed has to be merged with it.
    NeedsIntegrate,
    /// It was taken before, or the loop went on without it.
    Over,
    /// Nobody knows whether the worker was started.
    Unknown,
    /// It was turned away.
    Refused,
}

/// One worker's result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HarvestItem {
    /// The slot.
    pub slot_id: SlotId,
    /// Its role.
    pub role: Name,
    /// The turn.
    pub turn_id: TurnId,
    /// The assignment.
    pub assignment_id: AssignmentId,
    /// The run.
    pub run_id: RunId,
    /// What became of it.
    pub outcome: HarvestOutcome,
    /// In words.
    pub text: String,
    /// What was filed.
    pub artifact_ids: Vec<ArtifactId>,
    /// Why it was turned away: a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
}

/// What a harvest brought.
#[derive(Clone, Debug)]
pub struct Harvested {
    /// The loop as it is now.
    pub state: std::sync::Arc<Loop>,
    /// The results, oldest first.
    pub items: Vec<HarvestItem>,
    /// The turn that was dispatched by itself.
    pub next: Option<Worker>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// What a sweep found.
#[derive(Clone, Debug, Default)]
pub struct Swept {
    /// How many launches were revoked: their lease had passed.
    pub revoked: usize,
    /// Turns whose worker should be there and is not.
    pub adrift: Vec<Worker>,
    /// What could not be looked at.
    pub warnings: Vec<String>,
}

/// An agent that turns can be handed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// Its command, with placeholders.
    pub command: Vec<String>,
    /// Whether the operator approved it on this machine.
    pub approved: bool,
}

/// A turn that could be handed to a worker now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DispatchOffer {
    /// The slot.
    pub slot_id: SlotId,
    /// Its role.
    pub role: Name,
    /// The agent.
    pub agent: Name,
    /// The agent's command.
    pub command: Vec<String>,
    /// Whether the operator approved it on this machine, and what it is handed.
    pub approved: bool,
    /// The variables of the environment that it would be handed, and that the operator
    /// hasn't approved.
    pub variables: Vec<String>,
}

impl Engine {
    /// The agents that the settings name, by name.
    pub fn agents(&self) -> Vec<AgentInfo> {
        let read = self.inner.settings.now();
        let agents = read.config.agents.iter().map(|(name, command)| AgentInfo {
            name: name.clone(),
            command: command.clone(),
            approved: self.inner.may_work(command, &read.config.dispatch.pass_env),
        });
        agents.collect()
    }

    /// Whether turns of a kind of loop are handed to workers at all.
    pub fn dispatches(&self, kind: Kind) -> bool {
        self.inner.settings.now().config.dispatch.allows(kind)
    }

    /// Takes one step of an attempt, as an actor.
    fn step(&self, id: &LoopId, step: AttemptCommand, actor: &Actor) -> Result<Done> {
        let write = Write { actor: actor.clone(), request_id: None, expected_version: None };
        self.execute(id, Command::Attempt(step), &write)
    }
}

/// Keeps the worker of a run until it ends: the work of the hidden verb.
///
/// # Errors
/// `io`.
pub fn keep_worker(run_dir: &Path) -> Result<()> {
    worker::keep(run_dir).map_err(|error| {
        Error::new("io", format!("{}: its worker cannot be kept: {error}", run_dir.display()))
    })
}

impl Inner {
    fn run_dir(&self, id: &LoopId, generation: &Generation) -> PathBuf {
        self.layout.loop_files(id).run(&generation.run_id)
    }

    /// What is to be known of an attempt, its process included.
    fn worker_of(&self, state: &Loop, attempt: &Attempt) -> Worker {
        let generation = attempt.generation();
        // What was wrong with one that was ended since is nobody's business any more.
        let live = generation.filter(|g| !g.is_spent());
        let run_dir = generation.map(|g| self.run_dir(&state.id, g));
        let (noted, spoilt, life) = noted_now(generation, run_dir.as_deref());
        let process = generation.and_then(|g| g.process.clone()).or(noted.process.clone());
        let worktree = generation.and_then(|g| g.worktree.as_ref()).map(|w| PathBuf::from(&w.path));
        let reply = attempt.out(state).is_some()
            && [&run_dir, &worktree]
                .into_iter()
                .flatten()
                .any(|dir| dir.join(files::RESULT).symlink_metadata().is_ok());
        Worker {
            loop_id: state.id.clone(),
            title: state.title.clone(),
            slot_id: attempt.slot_id.clone(),
            role: state.slot(&attempt.slot_id).map_or_else(|| "?".into(), |s| s.role.clone()),
            agent: attempt.agent.clone(),
            turn_id: attempt.turn_id.clone(),
            assignment_id: generation.map(|g| g.assignment_id.clone()),
            run_id: generation.map(|g| g.run_id.clone()),
            generation: generation.map(|g| g.epoch),
            phase: attempt.phase.clone(),
            round: attempt.iteration + 1,
            status: attempt.status(state, self.time.now().max(state.updated_at)),
            process: life,
            pid: process.as_ref().map(|p| p.pid),
            host: process.map(|p| p.host),
            started_at: generation.and_then(|g| g.crossed_at),
            lease_until: generation.map(|g| g.lease_until),
            writes: attempt.writes,
            worktree,
            run_dir,
            failure: failure(life, &noted, spoilt),
            reply,
            contradiction: live.and_then(|g| g.contradiction.clone()),
            turned_away: attempt.out(state).and_then(|g| g.turned_away.clone()),
            shut_out: generation.and_then(|g| g.superseded.clone()),
            taken_back: attempt.out(state).is_some_and(|g| g.accepted.is_some()),
        }
    }
}

/// What the keeper of a generation's worker noted, why that can't be read, if so, and
/// whether the worker is there.
fn noted_now(
    generation: Option<&Generation>,
    run_dir: Option<&Path>,
) -> (WorkerStatus, Option<String>, WorkerLife) {
    let read = || match run_dir.map(WorkerStatus::look) {
        Some(Ok(noted)) => (noted.unwrap_or_default(), None),
        Some(Err(spoilt)) => (WorkerStatus::default(), Some(spoilt)),
        None => Default::default(),
    };
    let (noted, spoilt) = read();
    let now = life(generation, &noted);
    if now != WorkerLife::Ended || noted.ended.is_some() {
        return (noted, spoilt, now);
    }
    // The keeper may have written its last note in between.
    let (noted, spoilt) = read();
    (noted, spoilt, now)
}

/// How a worker failed, if it has ended so.
fn failure(life: WorkerLife, noted: &WorkerStatus, spoilt: Option<String>) -> Option<String> {
    match (&noted.ended, spoilt) {
        (Some(end), _) => end.failure(),
        (None, Some(spoilt)) if life == WorkerLife::Ended => {
            Some(format!("{UNKNOWN_END} ({spoilt})"))
        }
        (None, None) if life == WorkerLife::Ended => Some(UNKNOWN_END.to_owned()),
        (None, _) => None,
    }
}

/// Whether the worker of a generation is there, by what its keeper noted and by
/// what the system says. Until its end was noted it counts as there.
fn life(generation: Option<&Generation>, noted: &WorkerStatus) -> WorkerLife {
    let Some(generation) = generation.filter(|g| g.crossed_at.is_some()) else {
        return WorkerLife::None;
    };
    if noted.ended.is_some() {
        return WorkerLife::Ended;
    }
    let keeper_works = noted.keeper.as_ref().is_some_and(|k| life_of(k) == Life::Alive);
    match generation.process.as_ref().or(noted.process.as_ref()).map(life_of) {
        Some(Life::Alive) => WorkerLife::Alive,
        Some(Life::Gone) if keeper_works => WorkerLife::Alive,
        Some(Life::Gone) => WorkerLife::Ended,
        Some(Life::Unknown) | None => WorkerLife::Unknown,
    }
}
