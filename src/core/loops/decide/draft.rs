//! A decision in the making: the state as it would be, and the events so far.

use super::super::apply::apply;
use super::super::command::Ctx;
use super::super::evaluate::Detail;
use super::super::event::{Event, EventBody};
use super::super::ids::ArtifactId;
use super::super::model::Loop;
use super::super::refusal::{Decision, Made, Refusal, Would};

/// The state as the events so far would leave it. Later rules of the same
/// command look at it, so that a commit is judged as a whole.
pub(super) struct Draft<'a> {
    /// The state with the events so far.
    pub state: Loop,
    /// The world around the command.
    pub ctx: &'a Ctx,
    events: Vec<EventBody>,
    warnings: Vec<String>,
    /// What the answer names.
    pub made: Made,
    ids: u32,
    /// Whether a refusal lists the artifacts behind it (a hint doesn't show them).
    pub detail: Detail,
}

impl<'a> Draft<'a> {
    /// A draft that begins at a state.
    pub fn new(state: &Loop, ctx: &'a Ctx) -> Self {
        Self::of(state.clone(), ctx)
    }

    /// As `new`, for a state that is the draft's own.
    pub fn of(state: Loop, ctx: &'a Ctx) -> Self {
        Self {
            state,
            ctx,
            events: Vec::new(),
            warnings: Vec::new(),
            made: Made::default(),
            ids: 0,
            detail: Detail::Full,
        }
    }

    /// Takes an event into the draft.
    pub fn push(&mut self, body: EventBody) {
        let event = Event {
            seq: self.state.version + 1,
            at: self.ctx.now,
            by: self.ctx.actor.clone(),
            body,
        };
        apply(&mut self.state, &event);
        self.events.push(event.body);
    }

    /// Takes an event in that only stands in the journal beside a refusal.
    pub fn journal_only(&mut self, body: EventBody) {
        self.events.push(body);
    }

    /// Says something that the caller should know.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    /// An artifact id that the loop doesn't have yet.
    pub fn new_artifact_id(&mut self) -> ArtifactId {
        loop {
            self.ids += 1;
            let id = ArtifactId::derive(&[&self.ctx.entropy, b"art", &self.ids.to_be_bytes()]);
            if self.state.artifact(id.as_str()).is_none() {
                return id;
            }
        }
    }

    /// A number for other new ids.
    pub fn next_id_part(&mut self) -> [u8; 4] {
        self.ids += 1;
        self.ids.to_be_bytes()
    }

    /// The events so far.
    pub fn events(&self) -> &[EventBody] {
        &self.events
    }

    /// Where the draft stands, to come back to.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            state: self.state.clone(),
            events: self.events.len(),
            warnings: self.warnings.len(),
            artifacts: self.made.artifact_ids.len(),
        }
    }

    /// Takes back what came after a checkpoint.
    pub fn go_back(&mut self, to: Checkpoint) {
        self.state = to.state;
        self.events.truncate(to.events);
        self.warnings.truncate(to.warnings);
        self.made.artifact_ids.truncate(to.artifacts);
    }

    /// The decision to carry it out.
    pub fn decided(mut self) -> Decision {
        self.made.would = would(&self.state, self.events.iter());
        Decision { events: self.events, refusal: None, warnings: self.warnings, made: self.made }
    }

    /// The decision to refuse. Of the events only what is journaled beside a
    /// refusal stays.
    pub fn refused(mut self, refusal: Refusal) -> Decision {
        self.events.retain(is_beside_refusal);
        Decision {
            events: self.events,
            refusal: Some(refusal),
            warnings: self.warnings,
            made: Made::default(),
        }
    }
}

/// A place in a draft's making.
pub(super) struct Checkpoint {
    state: Loop,
    events: usize,
    warnings: usize,
    artifacts: usize,
}

/// Whether an event stands in the journal beside a refusal: somebody was turned
/// away, and that is worth knowing.
fn is_beside_refusal(event: &EventBody) -> bool {
    matches!(
        event,
        EventBody::PhaseAdvanceBlocked { .. }
            | EventBody::EvidenceRejected(_)
            | EventBody::TurnContradiction(_)
    )
}

/// Where some events take the loop, if they move or close it.
pub fn would<'a>(
    after: &Loop,
    events: impl DoubleEndedIterator<Item = &'a EventBody> + Clone,
) -> Option<Would> {
    let closes = events.clone().rev().find_map(|e| match e {
        EventBody::Closed { status, .. } => Some(*status),
        _ => None,
    });
    let moved = events.rev().find_map(|e| match e {
        EventBody::PhaseAdvanced { reason, .. } => Some(reason.to_string()),
        _ => None,
    });
    if closes.is_none() && moved.is_none() {
        return None;
    }
    Some(Would {
        target: after.current_phase.to_string(),
        iteration: after.iteration_count,
        reason: moved.unwrap_or_else(|| "stop".to_owned()),
        closes,
    })
}
