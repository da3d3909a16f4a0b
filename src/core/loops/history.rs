//! The journal as undo and time travel see it (engine.md §2, §6 "undo").
//!
//! Nothing is ever erased: a `reverted` event says to which earlier moment the
//! content goes back. The *effective* history of a moment is what is left when
//! every revert is followed back; the content is its fold. What is never
//! rewound (the ledger) is folded over every event.

use super::apply::{apply, apply_ledger, begin};
use super::attempt;
use super::event::{Event, EventBody};
use super::model::{Actor, Loop};

/// What a commit did to the loop's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// It changed it.
    Content,
    /// It recorded something beside it: a refusal, an archiving, a promotion.
    Aside,
    /// It took the content back to the end of an earlier commit.
    Revert {
        /// The last seq of that commit.
        to_seq: u64,
        /// Whether it took back an undo rather than a change.
        redo: bool,
    },
}

/// A commit as undo sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its first event.
    pub first_seq: u64,
    /// Its last event.
    pub last_seq: u64,
    /// Who made it.
    pub by: Actor,
    /// What it did.
    pub nature: Nature,
}

/// All commits of a loop, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    marks: Vec<Mark>,
}

impl History {
    /// Takes in the next commit; one without events is none.
    pub fn push(&mut self, by: &Actor, events: &[Event]) {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return };
        let nature = events
            .iter()
            .find_map(|e| match e.body {
                EventBody::Reverted { to_seq, redo } => Some(Nature::Revert { to_seq, redo }),
                _ => None,
            })
            .unwrap_or_else(|| {
                let beside = events.iter().all(|e| is_aside(&e.body));
                if beside { Nature::Aside } else { Nature::Content }
            });
        self.marks.push(Mark { first_seq: first.seq, last_seq: last.seq, by: by.clone(), nature });
    }

    /// The commits, oldest first.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The commit that ends with an event.
    pub fn ending_at(&self, seq: u64) -> Option<&Mark> {
        self.position(seq).map(|i| &self.marks[i])
    }

    fn position(&self, last_seq: u64) -> Option<usize> {
        self.marks.binary_search_by_key(&last_seq, |m| m.last_seq).ok()
    }

    /// The effective commits of the present moment, newest first.
    pub fn effective(&self) -> Vec<&Mark> {
        self.effective_up_to(self.marks.len().checked_sub(1))
    }

    /// The effective commits of the moment right after an event that ends a
    /// commit, newest first.
    pub fn effective_at(&self, seq: u64) -> Vec<&Mark> {
        self.effective_up_to(self.position(seq))
    }

    fn effective_up_to(&self, mut next: Option<usize>) -> Vec<&Mark> {
        let mut out = Vec::new();
        while let Some(i) = next {
            let mark = &self.marks[i];
            next = match mark.nature {
                // A revert always leads back; anything else is another program's.
                Nature::Revert { to_seq, .. } => self.position(to_seq).filter(|to| *to < i),
                _ => {
                    out.push(mark);
                    i.checked_sub(1)
                }
            };
        }
        out
    }

    /// The newest effective commit that changed the content, but not the one
    /// that opened the loop: what a plain undo takes back.
    pub fn newest_change(&self) -> Option<&Mark> {
        let opening = self.marks.first()?.last_seq;
        self.effective()
            .into_iter()
            .find(|m| m.nature == Nature::Content)
            .filter(|m| m.last_seq != opening)
    }

    /// The undo that a redo takes back: the newest commit, what was recorded
    /// beside the content left out, if it is one that no redo has taken back.
    pub fn newest_undo(&self) -> Option<&Mark> {
        let mut next = self.marks.iter().rposition(|m| m.nature != Nature::Aside);
        while let Some(i) = next {
            let mark = &self.marks[i];
            match mark.nature {
                Nature::Revert { redo: false, .. } => return Some(mark),
                Nature::Revert { to_seq, redo: true } => {
                    next = self.position(to_seq).filter(|to| *to < i);
                    while let Some(aside) = next.filter(|n| self.marks[*n].nature == Nature::Aside)
                    {
                        next = aside.checked_sub(1);
                    }
                }
                _ => return None,
            }
        }
        None
    }
}

/// Whether an event records something beside the content; undo passes it over.
fn is_aside(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::PhaseAdvanceBlocked { .. }
            | EventBody::Archived {}
            | EventBody::Unarchived {}
            | EventBody::Promoted { .. }
            | EventBody::Rated { .. }
            | EventBody::EffectsDone(_)
            | EventBody::EditsAccepted { .. }
            | EventBody::TurnReserved(_)
            | EventBody::TurnCommitted(_)
            | EventBody::TurnAborted(_)
            | EventBody::LaunchArmed(_)
            | EventBody::LaunchCrossed(_)
            | EventBody::LaunchRevoked(_)
            | EventBody::Spawned(_)
            | EventBody::SpawnFailed(_)
            | EventBody::EvidenceAccepted(_)
            | EventBody::EvidenceRejected(_)
            | EventBody::TurnContradiction(_)
            | EventBody::GenerationSuperseded(_)
            | EventBody::Unknown { .. }
    )
}

/// The state after some events, oldest first, reverts followed; none if they
/// don't begin a loop.
pub fn fold(events: &[Event]) -> Option<Loop> {
    let effective = effective_events(events);
    let mut all = events.iter().zip(effective);
    let mut state = begin(all.next()?.0)?;
    for (event, counts) in all {
        if counts {
            apply(&mut state, event);
        } else {
            apply_ledger(&mut state, event);
        }
    }
    attempt::settle(&mut state);
    if let Some(last) = events.last() {
        state.version = last.seq;
        state.updated_at = events.iter().map(|e| e.at).max().unwrap_or(last.at);
    }
    Some(state)
}

/// Which events are part of the effective history of the last one.
fn effective_events(events: &[Event]) -> Vec<bool> {
    let mut out = vec![false; events.len()];
    let mut next = events.len().checked_sub(1);
    while let Some(i) = next {
        out[i] = true;
        next = match events[i].body {
            EventBody::Reverted { to_seq, .. } => {
                events[..i].binary_search_by_key(&to_seq, |e| e.seq).ok()
            }
            _ => i.checked_sub(1),
        };
    }
    if let Some(first) = out.first_mut() {
        *first = true;
    }
    out
}

/// How many events lie between two remembered states of a [`Timeline`].
const STEP: usize = 256;

/// A loop's whole history in memory: the state at any moment, quickly.
#[derive(Clone, Debug)]
pub struct Timeline {
    events: Vec<Event>,
    /// The states after every `STEP`th event, the first after the first.
    remembered: Vec<Loop>,
    head: Loop,
}

impl Timeline {
    /// The timeline of some events, oldest first; none if they don't begin a loop.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let first = events.next()?;
        let head = begin(&first)?;
        let mut timeline = Self { events: vec![first], remembered: vec![head.clone()], head };
        events.for_each(|event| timeline.push(event));
        Some(timeline)
    }

    /// Takes in the next event.
    pub fn push(&mut self, event: Event) {
        match event.body {
            EventBody::Reverted { to_seq, .. } => {
                let then = self.at(to_seq).unwrap_or_else(|| self.head.clone());
                self.head = restored(then, &self.head, &event);
            }
            _ => apply(&mut self.head, &event),
        }
        if self.events.len().is_multiple_of(STEP) {
            self.remembered.push(self.head.clone());
        }
        self.events.push(event);
    }

    /// The events, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The present state.
    pub fn head(&self) -> &Loop {
        &self.head
    }

    /// The state right after an event; none if there is no such event.
    pub fn at(&self, seq: u64) -> Option<Loop> {
        let position = self.position(seq)?;
        let (base, effective) = self.path_to(position)?;
        let mut state = base.clone();
        for i in effective.into_iter().rev() {
            apply(&mut state, &self.events[i]);
        }
        self.as_of(position, &mut state);
        Some(state)
    }

    fn position(&self, seq: u64) -> Option<usize> {
        self.events.binary_search_by_key(&seq, |e| e.seq).ok()
    }

    /// A remembered state before an event, and the effective events that lead
    /// from it to the event, newest first. Reverts are followed, not replayed.
    fn path_to(&self, position: usize) -> Option<(&Loop, Vec<usize>)> {
        let mut effective = Vec::new();
        let mut i = position;
        while !i.is_multiple_of(STEP) {
            i = match self.events[i].body {
                EventBody::Reverted { to_seq, .. } => self.position(to_seq).filter(|to| *to < i)?,
                _ => {
                    effective.push(i);
                    i - 1
                }
            };
        }
        Some((self.remembered.get(i / STEP)?, effective))
    }

    /// Gives a state the ledger, version and time of a moment.
    fn as_of(&self, position: usize, state: &mut Loop) {
        let start = position / STEP;
        if let Some(near) = self.remembered.get(start) {
            state.ledger = near.ledger.clone();
            state.updated_at = near.updated_at;
        }
        for event in &self.events[start * STEP + 1..=position] {
            apply_ledger(state, event);
            state.updated_at = state.updated_at.max(event.at);
        }
        attempt::settle(state);
        let event = &self.events[position];
        state.version = event.seq;
        if !matches!(event.body, EventBody::PhaseAdvanceBlocked { .. }) {
            state.standing_refusal = None;
        }
    }
}

/// The content of an earlier moment with the ledger of now, after a revert.
fn restored(then: Loop, now: &Loop, event: &Event) -> Loop {
    let mut state = Loop { ledger: now.ledger.clone(), ..then };
    state.updated_at = now.updated_at;
    apply(&mut state, event);
    attempt::settle(&mut state);
    state
}
