//! A loop driven in memory: `decide`, then `apply`, as the engine does.

use std::sync::Arc;

use crate::core::loops::apply::apply;
use crate::core::loops::attention::{Attention, attention};
use crate::core::loops::command::{
    Body, Command, Content, Ctx, NewArtifact, NewSlot, OpenLoop, SlotSelector,
};
use crate::core::loops::condition::Condition;
use crate::core::loops::decide::{decide, fork, open};
use crate::core::loops::event::{Event, EventBody, Outcome};
use crate::core::loops::explain::{Why, why};
use crate::core::loops::history::{History, fold};
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::lint;
use crate::core::loops::model::Loop;
use crate::core::loops::protocol::{Kind, Protocol};
use crate::core::loops::refusal::{Decision, Refusal};
use crate::core::time::Timestamp;

pub fn ctx(actor: &str, step: u64) -> Ctx {
    let mut entropy = [7; 32];
    entropy[..8].copy_from_slice(&step.to_be_bytes());
    Ctx {
        now: Timestamp::from_millis(1_767_225_600_000 + step as i64 * 1000),
        actor: actor.parse().expect("an actor"),
        grants: Default::default(),
        entropy,
        workspace_digest: None,
        known_cites: Default::default(),
        history: None,
    }
}

pub fn request(kind: Kind, protocol: Protocol) -> OpenLoop {
    OpenLoop {
        kind,
        title: "Extract the dispatcher".to_owned(),
        goal: None,
        domain: None,
        proposal: None,
        diff: None,
        slots: Vec::new(),
        protocol,
        stop: None,
        gates: Vec::new(),
        verify: None,
        review_mode: None,
        linked: Default::default(),
    }
}

pub fn slot(role: &str, agent: Option<&str>) -> NewSlot {
    NewSlot { role: role.to_owned(), agent: agent.map(str::to_owned), ..NewSlot::default() }
}

pub fn said(artifact_type: &str, body: &str) -> NewArtifact {
    NewArtifact {
        artifact_type: artifact_type.to_owned(),
        content: Content::Body(Body::from(body)),
        ..NewArtifact::default()
    }
}

/// A loop and its journal.
#[derive(Clone)]
pub struct Deck {
    pub state: Loop,
    pub events: Vec<Event>,
    pub warnings: Vec<String>,
    pub history: History,
    step: u64,
}

impl Deck {
    pub fn open(kind: Kind) -> Self {
        Self::open_with(request(kind, lint::builtin(kind))).expect("opens")
    }

    pub fn ideation() -> Self {
        let mut request = request(Kind::Ideation, lint::builtin(Kind::Ideation));
        request.proposal = Some(Body::from("Move the dispatcher into its own package."));
        request.slots = vec![slot("champion", None), slot("critic", None)];
        Self::open_with(request).expect("opens")
    }

    pub fn open_with(request: OpenLoop) -> Result<Self, Refusal> {
        Self::open_as("operator", request)
    }

    pub fn open_as(actor: &str, request: OpenLoop) -> Result<Self, Refusal> {
        let ctx = ctx(actor, 0);
        let id = LoopId::derive(&[b"test"]);
        let decision = open(&id, &request, &|_| false, &ctx);
        if let Some(refusal) = decision.refusal {
            return Err(refusal);
        }
        let events = stamped(1, &ctx, decision.events);
        let state = fold(&events).expect("opened first");
        let mut history = History::default();
        history.push(&ctx.actor, &events);
        Ok(Self { state, events, warnings: decision.warnings, history, step: 1 })
    }

    /// A loop of its own that begins as this one is.
    pub fn fork(&self) -> Self {
        let ctx = ctx("operator", self.step);
        let id = LoopId::derive(&[b"fork", self.state.id.as_str().as_bytes()]);
        let decision = fork(&id, &self.state, Default::default(), &ctx);
        let events = stamped(1, &ctx, decision.events);
        let state = fold(&events).expect("begins a loop");
        let mut history = History::default();
        history.push(&ctx.actor, &events);
        Self { state, events, warnings: Vec::new(), history, step: self.step + 1 }
    }

    fn ctx(&self, actor: &str) -> Ctx {
        Ctx { history: Some(Arc::new(self.history.clone())), ..ctx(actor, self.step) }
    }

    pub fn decide_as(&self, actor: &str, command: &Command) -> Decision {
        decide(&self.state, command, &self.ctx(actor))
    }

    pub fn try_as(&mut self, actor: &str, command: &Command) -> Result<Decision, Refusal> {
        let decision = self.decide_as(actor, command);
        let ctx = ctx(actor, self.step);
        self.step += 1;
        let events = stamped(self.state.version + 1, &ctx, decision.events.clone());
        self.history.push(&ctx.actor, &events);
        let reverted = events.iter().any(|e| e.body.kind() == "reverted");
        for event in &events {
            apply(&mut self.state, event);
        }
        self.events.extend(events);
        if reverted {
            self.state = fold(&self.events).expect("opened first");
        }
        self.warnings.clone_from(&decision.warnings);
        match decision.refusal.clone() {
            Some(refusal) => Err(refusal),
            None => Ok(decision),
        }
    }

    /// Puts events of the engine's own into the journal.
    pub fn record(&mut self, bodies: Vec<EventBody>) {
        let ctx = ctx("engine", self.step);
        self.step += 1;
        let events = stamped(self.state.version + 1, &ctx, bodies);
        self.history.push(&ctx.actor, &events);
        for event in &events {
            apply(&mut self.state, event);
        }
        self.events.extend(events);
    }

    pub fn run(&mut self, command: Command) -> Decision {
        self.try_as("operator", &command)
            .unwrap_or_else(|r| panic!("{} refused: {} {}", command.verb(), r.code, r.message))
    }

    pub fn refused(&mut self, command: Command) -> Refusal {
        self.refused_as("operator", command)
    }

    pub fn refused_as(&mut self, actor: &str, command: Command) -> Refusal {
        match self.try_as(actor, &command) {
            Err(refusal) => refusal,
            Ok(_) => panic!("{} was not refused", command.verb()),
        }
    }

    pub fn add(&mut self, artifact_type: &str, body: &str) -> ArtifactId {
        self.run(Command::AddArtifact(said(artifact_type, body))).made.artifact_ids[0].clone()
    }

    pub fn add_as(&mut self, actor: &str, artifact_type: &str, body: &str) -> ArtifactId {
        self.try_as(actor, &Command::AddArtifact(said(artifact_type, body)))
            .unwrap_or_else(|r| panic!("refused: {}", r.message))
            .made
            .artifact_ids[0]
            .clone()
    }

    pub fn plan(&mut self, addresses: &[&ArtifactId]) -> Result<Decision, Refusal> {
        let mut plan = said("plan_draft", "The plan.");
        plan.addresses = addresses.iter().map(|id| id.to_string()).collect();
        self.try_as("operator", &Command::AddArtifact(plan))
    }

    pub fn advance(&mut self) -> Decision {
        self.run(advance())
    }

    pub fn turn(&mut self, role: &str) {
        self.run(turn(role));
    }

    pub fn done(&mut self, slot: &str) {
        self.run(complete(slot, Outcome::Done));
    }

    /// Phase and iteration.
    pub fn at(&self) -> (&str, u32) {
        (&self.state.current_phase, self.state.iteration_count)
    }

    pub fn why(&self) -> Why {
        why(&self.state, &ctx("operator", self.step))
    }

    pub fn attention(&self) -> Attention {
        attention(&self.state, self.state.updated_at)
    }

    pub fn kinds(&self) -> Vec<&str> {
        self.events.iter().map(|e| e.body.kind()).collect()
    }

    /// What must hold at any time: the fold of the journal is the state.
    pub fn check(&self) {
        assert_eq!(fold(&self.events).as_ref(), Some(&self.state));
        assert_eq!(self.state.version, self.events.len() as u64);
    }
}

fn stamped(first: u64, ctx: &Ctx, bodies: Vec<EventBody>) -> Vec<Event> {
    let stamp =
        |(i, body)| Event { seq: first + i as u64, at: ctx.now, by: ctx.actor.clone(), body };
    bodies.into_iter().enumerate().map(stamp).collect()
}

pub fn advance() -> Command {
    Command::Advance { to: None, force: false, reason: None }
}

pub fn advance_to(to: &str, reason: Option<&str>) -> Command {
    Command::Advance { to: Some(to.to_owned()), force: false, reason: reason.map(str::to_owned) }
}

pub fn force(reason: &str) -> Command {
    Command::Advance { to: None, force: true, reason: Some(reason.to_owned()) }
}

pub fn turn(role: &str) -> Command {
    Command::Turn { slot: SlotSelector::Role(role.to_owned()), input: None }
}

pub fn complete(slot: &str, outcome: Outcome) -> Command {
    let reason = (outcome != Outcome::Done).then(|| "because".to_owned());
    Command::CompleteTurn {
        slot: slot.to_owned(),
        turn: None,
        outcome,
        reason,
        artifacts: Vec::new(),
        proof: None,
    }
}

pub fn critiques(n: u32) -> Condition {
    Condition::MinArtifactsByType { artifact_type: "critique".into(), n, scope: Default::default() }
}
