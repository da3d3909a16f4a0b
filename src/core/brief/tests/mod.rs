//! Briefs of loops that were driven by the real rules.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

mod cap;
mod parts;

use super::*;
use crate::core::loops::command::{
    Amend, Body, Command, Content, Ctx, Grants, NewArtifact, NewSlot, OpenLoop, SlotSelector,
};
use crate::core::loops::decide::{decide, open};
use crate::core::loops::event::Event;
use crate::core::loops::history::fold;
use crate::core::loops::ids::LoopId;
use crate::core::loops::lint::{builtin, preset};
use crate::core::loops::model::{Actor, Linked};
use crate::core::loops::protocol::{Kind, Protocol};
use crate::core::loops::{apply, refusal::Decision};
use crate::core::memory::MemoryItem;
use crate::core::time::Timestamp;

/// A loop under way, with the bodies of its artifacts.
#[derive(Debug)]
struct Desk {
    state: Loop,
    bodies: HashMap<ArtifactId, String>,
    step: u64,
    actor: Actor,
}

impl Desk {
    fn open(kind: Kind, proposal: &str) -> Self {
        Self::with(kind, builtin(kind), proposal, Vec::new())
    }

    fn with(kind: Kind, protocol: Protocol, proposal: &str, slots: Vec<NewSlot>) -> Self {
        let request = OpenLoop {
            kind,
            title: "Split the cache".into(),
            goal: Some("Less contention".into()),
            domain: None,
            proposal: Some(proposal.into()),
            diff: None,
            slots,
            protocol,
            stop: None,
            gates: Vec::new(),
            verify: None,
            review_mode: None,
            linked: Linked::default(),
        };
        let ctx = ctx(0, Actor::Operator);
        let decision = open(&LoopId::derive(&[b"brief"]), &request, &|_| false, &ctx);
        assert_eq!(decision.refusal, None);
        let events = stamped(&decision, 0, &ctx);
        let state = fold(&events).expect("a loop");
        let mut desk = Self { state, bodies: HashMap::new(), step: 1, actor: Actor::Operator };
        desk.remember(&decision, proposal);
        desk
    }

    fn remember(&mut self, decision: &Decision, body: &str) {
        for id in &decision.made.artifact_ids {
            self.bodies.insert(id.clone(), body.to_owned());
        }
        // Opening doesn't say which artifact it made.
        if let (true, Some(first)) = (self.bodies.is_empty(), self.state.artifacts.front()) {
            self.bodies.insert(first.artifact_id.clone(), body.to_owned());
        }
    }

    fn run(&mut self, command: Command, body: &str) -> Option<ArtifactId> {
        let ctx = ctx(self.step, self.actor.clone());
        let decision = decide(&self.state, &command, &ctx);
        assert_eq!(decision.refusal, None, "{command:?}");
        for event in stamped(&decision, self.state.version, &ctx) {
            apply::apply(&mut self.state, &event);
        }
        self.step += 1;
        self.remember(&decision, body);
        decision.made.artifact_ids.first().cloned()
    }

    fn add(&mut self, kind: &str, body: &str) -> ArtifactId {
        self.file(NewArtifact { artifact_type: kind.into(), ..NewArtifact::default() }, body)
    }

    fn file(&mut self, new: NewArtifact, body: &str) -> ArtifactId {
        let mut said = Body::from(body);
        if body.len() > crate::core::loops::model::INLINE_CAP {
            said.file = Some(crate::core::loops::model::BodyFile {
                reference: "artifacts/x".into(),
                byte_count: body.len() as u64,
                sha256: crate::core::text::sha256_hex(body.as_bytes()),
            });
        }
        let new = NewArtifact { content: Content::Body(said), ..new };
        self.run(Command::AddArtifact(new), body).expect("made")
    }

    fn advance(&mut self, to: Option<&str>) {
        let to = to.map(str::to_owned);
        let reason = Some("test".to_owned());
        self.run(Command::Advance { to, force: false, reason }, "");
    }

    fn brief_within(&self, index: &MemoryIndex, max_chars: usize) -> Brief {
        let bodies = |id: &ArtifactId| self.bodies.get(id).cloned();
        let role = self.state.phase().and_then(|phase| phase.role.as_deref());
        let input = Input {
            state: &self.state,
            slot: self.state.slots_playing(role).first().copied(),
            profile: None,
            bodies: &bodies,
            index,
            limits: Limits { max_chars, ..Limits::default() },
        };
        assemble(&input).expect("assembled")
    }

    fn brief(&self, index: &MemoryIndex) -> Brief {
        self.brief_within(index, DEFAULT_MAX_CHARS)
    }
}

fn ctx(step: u64, actor: Actor) -> Ctx {
    let mut entropy = [7; 32];
    entropy[..8].copy_from_slice(&step.to_be_bytes());
    Ctx {
        now: Timestamp::from_millis(1_772_000_000_000 + step as i64 * 1_000),
        actor,
        grants: Grants::default(),
        entropy,
        workspace_digest: None,
        known_cites: BTreeSet::new(),
        history: None,
    }
}

fn stamped(decision: &Decision, version: u64, ctx: &Ctx) -> Vec<Event> {
    let numbered = decision.events.iter().zip(version + 1..);
    let event = |body, seq| Event { seq, at: ctx.now, by: ctx.actor.clone(), body };
    numbered.map(|(body, seq)| event(body.clone(), seq)).collect()
}

fn item(id: &str, text: &str) -> Arc<MemoryItem> {
    Arc::new(MemoryItem {
        id: id.into(),
        category: Category::of_id(id).expect("a known prefix"),
        title: String::new(),
        text: text.to_owned(),
        tags: Vec::new(),
        paths: Vec::new(),
        source: None,
        created_at: Timestamp::from_millis(1_000),
    })
}

/// One item of every category that speaks of the cache.
fn memory() -> MemoryIndex {
    let items = Category::USER.map(|c| item(&format!("{}00000001", c.id_prefix()), "the cache"));
    MemoryIndex::of(items.into_iter().enumerate().map(|(i, item)| {
        let mut item = (*item).clone();
        item.text = format!("the cache {i}");
        Arc::new(item)
    }))
}

fn categories(brief: &Brief) -> BTreeSet<Category> {
    brief.items.iter().map(|item| item.category).collect()
}

fn assert_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(at) => from += at + part.len(),
            None => panic!("{part:?} is missing or out of order in:\n{text}"),
        }
    }
}
