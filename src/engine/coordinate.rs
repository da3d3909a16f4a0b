//! A loop opened, moved to the phase where agents speak, and its first turns
//! handed out, in one go (interfaces.md, "bclaw_coordinate").

use std::sync::Arc;

use super::api::{BriefRequest, Done, Error, OpenRequest, Result, Write};
use super::attempts::{DispatchRequest, Worker};
use super::inner::Engine;
use crate::core::loops::Command;
use crate::core::loops::attempt::AttemptCommand;
use crate::core::loops::command::NewSlot;
use crate::core::loops::event::Event;
use crate::core::loops::ids::{ArtifactId, LoopId, Name, SlotId, TurnId};
use crate::core::loops::model::{Actor, Loop, Slot};
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::text::first_chars;

/// Characters of a task that a title takes.
const TITLE_CHARS: usize = 80;

/// What is handed to agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordination {
    /// A proposal, to be criticised. Without agents the caller drives it alone.
    Ideate,
    /// A change, to be reviewed.
    Review {
        /// Who finds and who fixes; absent = the protocol's.
        mode: Option<ReviewMode>,
        /// The text of the change.
        diff: Option<String>,
    },
}

/// What is to be coordinated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinateRequest {
    /// What is done with it.
    pub coordination: Coordination,
    /// The proposal, or what was changed.
    pub task: String,
    /// The loop's title; absent = the beginning of the task.
    pub title: Option<String>,
    /// What is wanted.
    pub goal: Option<String>,
    /// The field that it belongs to.
    pub domain: Option<String>,
    /// The agents that criticise or review.
    pub agents: Vec<String>,
}

/// How far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The loop is open, in its first phase, and the caller's alone.
    Alone,
    /// The loop is open, in its first phase: these agents have no command.
    UnknownAgents(Vec<String>),
    /// The turns were handed out, each as its entry says.
    HandedOut,
}

/// What became of one slot's turn.
#[derive(Clone, Debug)]
pub struct HandedOut {
    /// The slot.
    pub slot_id: SlotId,
    /// Its agent.
    pub agent: Option<Name>,
    /// How.
    pub how: How,
}

/// How a turn was handed out.
#[derive(Clone, Debug)]
pub enum How {
    /// It had been before, by the same request; whether its agent has a command.
    Before {
        /// Whether to its agent's command.
        dispatched: bool,
    },
    /// To its agent's command.
    Dispatched(Box<Worker>),
    /// As a brief, which is to be passed on.
    Brief {
        /// The turn.
        turn_id: Option<TurnId>,
        /// What it reads.
        text: String,
    },
    /// Not at all: no worker came of it.
    Failed(Error),
}

impl How {
    /// Whether its agent's command was, or had been, started.
    pub fn is_dispatched(&self) -> bool {
        matches!(self, How::Dispatched(_) | How::Before { dispatched: true })
    }
}

/// What a coordination brought.
#[derive(Clone, Debug)]
pub struct Coordinated {
    /// The opening.
    pub opened: Done,
    /// The loop as it is now.
    pub state: Arc<Loop>,
    /// What was proposed, or changed.
    pub proposal: Option<ArtifactId>,
    /// How far it came.
    pub reached: Reached,
    /// The turns, in the order of the slots.
    pub turns: Vec<HandedOut>,
    /// What stands in the journal after the opening.
    pub events: Vec<Event>,
    /// What the caller should know, besides what the opening says.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Opens a loop for a task and hands its first turns out. Agents are looked
    /// at before anything moves.
    ///
    /// # Errors
    /// As [`Engine::open_loop`] and [`Engine::execute`]. A worker that can't be
    /// started is no error: its entry says so.
    pub fn coordinate(&self, request: &CoordinateRequest, write: &Write) -> Result<Coordinated> {
        let unknown = self.without_command(&request.agents, &write.actor);
        let opened = self.open_loop(&opening(request, &write.actor), write)?;
        let id = opened.state.id.clone();
        let proposal = opened.made.artifact_ids.first().cloned();
        let ideates = request.coordination == Coordination::Ideate;
        let mut events = Vec::new();
        let mut warnings = Vec::new();
        let mut turns = Vec::new();
        let reached = if ideates && request.agents.is_empty() {
            Reached::Alone
        } else if !unknown.is_empty() {
            Reached::UnknownAgents(unknown)
        } else {
            let write = Write { request_id: None, expected_version: None, ..write.clone() };
            if !opened.replayed {
                let advance = Command::Advance { to: None, force: false, reason: None };
                let done = self.execute(&id, advance, &write)?;
                events.extend(done.events);
                warnings.extend(done.warnings);
            }
            let state = self.load(&id)?;
            let role = if ideates { "critic" } else { "reviewer" };
            for slot in state.slots.iter().filter(|slot| &*slot.role == role) {
                let how = self.hand_out(&state, slot, &write, &mut events, &mut warnings)?;
                let (slot_id, agent) = (slot.slot_id.clone(), slot.agent.clone());
                turns.push(HandedOut { slot_id, agent, how });
            }
            Reached::HandedOut
        };
        let state = self.load(&id)?;
        Ok(Coordinated { opened, state, proposal, reached, turns, events, warnings })
    }

    /// The agents that no command is set for; none where no agent at all has one,
    /// for turns are then handed over by hand. The caller is there already.
    fn without_command(&self, wanted: &[String], actor: &Actor) -> Vec<String> {
        let known = self.agents();
        if known.is_empty() {
            return Vec::new();
        }
        let is_known = |name: &String| {
            known.iter().any(|agent| agent.name == *name)
                || actor.agent().is_some_and(|own| **own == **name)
        };
        wanted.iter().filter(|name| !is_known(name)).cloned().collect()
    }

    /// Hands a slot its turn: to its agent's command where that was approved, else
    /// as a brief.
    fn hand_out(
        &self,
        state: &Loop,
        slot: &Slot,
        write: &Write,
        events: &mut Vec<Event>,
        warnings: &mut Vec<String>,
    ) -> Result<How> {
        let has_command = slot.agent.as_ref().is_some_and(|name| {
            self.agents().iter().any(|known| known.name == **name && known.approved)
                && self.dispatches(state.kind)
        });
        if slot.live_turn().is_some() {
            return Ok(How::Before { dispatched: has_command });
        }
        if !has_command {
            return self.hand_over(&state.id, &slot.slot_id, write, events, warnings);
        }
        let request = DispatchRequest { slot: slot.slot_id.to_string(), agent: None };
        Ok(match self.dispatch(&state.id, &request, write) {
            Ok(dispatched) => {
                warnings.extend(dispatched.done.warnings);
                How::Dispatched(Box::new(dispatched.worker))
            }
            Err(failed) => {
                warnings.push(format!("slot {}: {}", slot.slot_id, failed.message()));
                How::Failed(failed)
            }
        })
    }

    fn hand_over(
        &self,
        id: &LoopId,
        slot: &SlotId,
        write: &Write,
        events: &mut Vec<Event>,
        warnings: &mut Vec<String>,
    ) -> Result<How> {
        let step = AttemptCommand::HandOver { slot: slot.to_string() };
        let done = self.execute(id, Command::Attempt(step), write)?;
        events.extend(done.events);
        let request = BriefRequest { slot: Some(slot.to_string()), ..BriefRequest::default() };
        let brief = self.brief(id, &request)?;
        if brief.truncated {
            warnings.push(format!("the brief of slot {slot} is truncated"));
        }
        warnings.extend(brief.warnings.iter().cloned());
        Ok(How::Brief { turn_id: done.made.turn_id, text: brief.text })
    }
}

/// The loop of a task: the caller proposes, or is the author; each agent has a
/// slot of its own.
fn opening(request: &CoordinateRequest, actor: &Actor) -> OpenRequest {
    let own = actor.agent().map(|name| &**name);
    let others = |role: &'static str| request.agents.iter().map(move |a| slot(role, Some(a)));
    let (kind, mut slots) = match &request.coordination {
        Coordination::Ideate => (Kind::Ideation, vec![slot("champion", own)]),
        Coordination::Review { .. } => (Kind::Review, vec![slot("author", own)]),
    };
    match kind {
        Kind::Ideation => slots.extend(others("critic")),
        _ if request.agents.is_empty() => slots.push(slot("reviewer", None)),
        _ => slots.extend(others("reviewer")),
    }
    let mut open = OpenRequest {
        goal: request.goal.clone(),
        domain: request.domain.clone(),
        proposal: Some(request.task.clone()),
        slots,
        ..OpenRequest::new(kind, title(request))
    };
    if let Coordination::Review { mode, diff } = &request.coordination {
        open.diff.clone_from(diff);
        open.review_mode = *mode;
    }
    open
}

fn title(request: &CoordinateRequest) -> String {
    let lines = request.task.lines().map(str::trim);
    let first = lines.into_iter().find(|line| !line.is_empty()).unwrap_or("untitled");
    let own = request.title.clone();
    own.unwrap_or_else(|| first_chars(first, TITLE_CHARS).trim().to_owned())
}

fn slot(role: &str, agent: Option<&str>) -> NewSlot {
    NewSlot { role: role.to_owned(), agent: agent.map(str::to_owned), ..NewSlot::default() }
}
