//! A loop's past to look at: any moment with its gate, and where rounds begin.

use super::command::{Ctx, Grants};
use super::coverage::{Coverage, coverage};
use super::event::{Event, EventBody};
use super::explain::{self, Why};
use super::history::{History, Timeline};
use super::model::{Actor, Loop};

/// A loop as it was right after an event.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The loop.
    pub state: Loop,
    /// Why it stood where it stood.
    pub why: Why,
    /// How its critiques stood.
    pub coverage: Coverage,
}

/// A loop's whole past in memory.
#[derive(Clone, Debug)]
pub struct Past {
    timeline: Timeline,
    /// The last events of commits, oldest first.
    ends: Vec<u64>,
    /// Where rounds begin, or phases where there are no rounds; oldest first.
    rounds: Vec<u64>,
}

impl Past {
    /// The past of a timeline and its commits.
    pub fn new(timeline: Timeline, history: &History) -> Self {
        let ends = history.marks().iter().map(|mark| mark.last_seq).collect();
        let rounds = beginnings(timeline.events());
        Self { timeline, ends, rounds }
    }

    /// The events and the present state.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.timeline.head().version
    }

    /// The event with a number.
    pub fn event(&self, seq: u64) -> Option<&Event> {
        let events = self.timeline.events();
        events.binary_search_by_key(&seq, |e| e.seq).ok().map(|at| &events[at])
    }

    /// The number of the event so many places after (before, if negative)
    /// another, at most to the ends.
    pub fn step(&self, seq: u64, by: isize) -> u64 {
        let events = self.timeline.events();
        let at = events.partition_point(|e| e.seq < seq);
        let to = at.saturating_add_signed(by).min(events.len().saturating_sub(1));
        events.get(to).map_or(seq, |e| e.seq)
    }

    /// Where the next round begins, or the one before; the ends of the past
    /// where there is none.
    pub fn round(&self, seq: u64, forward: bool) -> u64 {
        if forward {
            let next = self.rounds.partition_point(|begin| *begin <= seq);
            self.rounds.get(next).copied().unwrap_or_else(|| self.last())
        } else {
            let here = self.rounds.partition_point(|begin| *begin < seq);
            let before = here.checked_sub(1).and_then(|at| self.rounds.get(at));
            before.copied().unwrap_or_else(|| self.step(0, 0))
        }
    }

    /// Where rounds begin (phases, where there are no rounds), oldest first.
    pub fn rounds(&self) -> &[u64] {
        &self.rounds
    }

    /// The last event of the commit that an event belongs to: where a fork may begin.
    pub fn end_of_commit(&self, seq: u64) -> u64 {
        let at = self.ends.partition_point(|end| *end < seq);
        self.ends.get(at).copied().unwrap_or(seq)
    }

    /// The loop right after an event, with why it stood there; none if there is
    /// no such event.
    pub fn moment(&self, seq: u64) -> Option<Moment> {
        let state = self.timeline.at(seq)?;
        let ctx = Ctx {
            now: state.updated_at,
            actor: Actor::Operator,
            grants: Grants::default(),
            entropy: [0; 32],
            workspace_digest: None,
            known_cites: std::collections::BTreeSet::new(),
            history: None,
        };
        let why = explain::why(&state, &ctx);
        let coverage = coverage(&state);
        Some(Moment { state, why, coverage })
    }
}

/// Where rounds begin; where none ever did, where phases begin.
fn beginnings(events: &[Event]) -> Vec<u64> {
    let mut rounds = Vec::new();
    let mut phases = Vec::new();
    let mut present = 0;
    for event in events {
        if let EventBody::PhaseAdvanced { iteration, .. } = &event.body {
            phases.push(event.seq);
            if *iteration != present {
                rounds.push(event.seq);
            }
            present = *iteration;
        }
    }
    let mut out = if rounds.is_empty() { phases } else { rounds };
    if let Some(first) = events.first() {
        out.insert(0, first.seq);
    }
    out
}
