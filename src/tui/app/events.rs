//! The journal screen: what happened in all loops, newest first.

use std::sync::Arc;

use crate::core::loops::Event;
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::text::first_chars;
use crate::core::time::Timestamp;
use crate::engine::{Log, LogEntry};

use super::cursor::{Cursor, Step};
use super::finder::Finder;
use super::told::{event_detail, event_word};

/// How many events are read at first, and how many more each time that the end
/// comes near.
pub const PAGE: usize = 500;

/// How many rows stay behind the choice at least: more than a screen shows.
const ROOM: usize = 200;

/// How much of what an event says a row can show, in characters.
const DETAIL: usize = 500;

/// A row: what is shown of an event, without the texts and protocols that a whole one
/// carries. Thousands of these are held at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Which loop.
    pub loop_id: LoopId,
    /// The loop's title.
    pub title: Arc<str>,
    /// Its number in its loop.
    pub seq: u64,
    /// When it was.
    pub at: Timestamp,
    /// Who made it happen.
    pub by: Actor,
    /// What it is called in the journal's file.
    pub kind: Box<str>,
    /// What it is called in its row.
    pub word: Box<str>,
    /// What it means for its loop.
    pub tone: Tone,
    /// What it says besides.
    pub detail: Box<str>,
}

impl From<LogEntry> for EventRow {
    fn from(entry: LogEntry) -> Self {
        let LogEntry { loop_id, title, event: Event { seq, at, by, body } } = entry;
        EventRow {
            loop_id,
            title,
            seq,
            at,
            by,
            kind: body.kind().into(),
            word: event_word(&body).into(),
            tone: Tone::of(&body),
            detail: first_chars(&event_detail(&body), DETAIL).into(),
        }
    }
}

/// What an event means for its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It went on.
    Onward,
    /// Something was passed over.
    Doubtful,
    /// Somebody was refused.
    Refused,
    /// Nothing of these.
    Plain,
}

impl Tone {
    /// The tone of an event.
    pub fn of(body: &EventBody) -> Tone {
        match body {
            EventBody::PhaseAdvanceBlocked { .. } => Tone::Refused,
            EventBody::GateSkipped { .. } | EventBody::MaxIterationsReached { .. } => {
                Tone::Doubtful
            }
            EventBody::PhaseAdvanced { .. } | EventBody::Closed { .. } => Tone::Onward,
            _ => Tone::Plain,
        }
    }
}

/// The newest events of all loops and what of them is in view.
#[derive(Debug, Default)]
pub struct Events {
    /// What was read, newest first.
    pub log: Log<EventRow>,
    /// Whether it has been read yet.
    pub loaded: bool,
    /// Whether what was read is out of date.
    pub stale: bool,
    /// How many events are wanted.
    pub wanted: usize,
    /// What is looked for.
    pub finder: Finder,
    /// Positions in `log` of what is in view.
    pub visible: Vec<usize>,
    /// The largest number of an event in view, for rows that stand one below the other.
    pub largest: u64,
    /// The row and the scroll.
    pub cursor: Cursor,
    /// Only events of these kinds, and by these actors; empty = all.
    pub only: Vec<EventFacet>,
    chosen: Option<(LoopId, u64)>,
}

/// What events can be told apart by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventFacet {
    /// What they are called in their rows.
    Kind(String),
    /// Who made them happen.
    By(String),
}

impl EventFacet {
    /// In words.
    pub fn label(&self) -> String {
        match self {
            EventFacet::Kind(word) => word.clone(),
            EventFacet::By(actor) => format!("by {actor}"),
        }
    }
}

impl Events {
    /// Takes in what was read. The choice stays on the same event, unless it is
    /// the newest: then it stays on the newest.
    pub fn set(&mut self, log: Log<EventRow>) {
        let follows = self.cursor.index == 0;
        self.log = log;
        self.loaded = true;
        self.stale = false;
        if follows {
            self.chosen = None;
        }
        self.arrange();
    }

    /// The chosen event.
    pub fn selected(&self) -> Option<&EventRow> {
        self.row(self.cursor.index)
    }

    /// The event of a row.
    pub fn row(&self, row: usize) -> Option<&EventRow> {
        self.visible.get(row).and_then(|at| self.log.entries.get(*at))
    }

    /// Moves the choice; whether more events should be read.
    pub fn step(&mut self, step: Step, view: usize) -> bool {
        self.cursor.step(step, self.visible.len(), view);
        self.chosen = self.selected().map(key);
        if self.cursor.index == 0 {
            self.let_go();
        }
        let near_end = self.cursor.index + view >= self.visible.len();
        if near_end && self.log.entries.len() < self.log.total {
            self.wanted = self.log.entries.len() + PAGE;
            return true;
        }
        false
    }

    /// Lets go of what lies more than a page behind the choice: it is read again when
    /// somebody goes there. Where only some events are in view, all stay,
    /// for they are counted.
    pub fn let_go(&mut self) {
        if !self.finder.is_empty() || !self.only.is_empty() {
            return;
        }
        let kept = (self.cursor.index + ROOM).div_ceil(PAGE) * PAGE;
        if self.log.entries.len() > kept {
            self.log.entries.truncate(kept);
            self.log.entries.shrink_to_fit();
            self.wanted = kept;
            self.arrange();
        }
    }

    /// Looks for some words in what was read.
    pub fn filter(&mut self, words: &str) {
        self.finder = Finder::new(words);
        self.arrange();
    }

    /// The kinds and actors of what was read, with how many events they have.
    pub fn facets(&self) -> Vec<(EventFacet, usize)> {
        let mut counts = std::collections::BTreeMap::new();
        for entry in &self.log.entries {
            let kind = EventFacet::Kind(entry.word.to_string());
            *counts.entry(kind).or_insert(0) += 1;
            *counts.entry(EventFacet::By(entry.by.to_string())).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    /// Turns the facet of a row on or off.
    pub fn toggle(&mut self, row: usize) {
        let Some((facet, _)) = self.facets().into_iter().nth(row) else { return };
        match self.only.iter().position(|on| *on == facet) {
            Some(at) => {
                self.only.remove(at);
            }
            None => self.only.push(facet),
        }
        self.arrange();
    }

    /// Whether the facets let an event through: one of the kinds, one of the
    /// actors, where any was chosen.
    fn admits(&self, entry: &EventRow) -> bool {
        let (mut kinds, mut actors) = ((false, false), (false, false));
        for facet in &self.only {
            match facet {
                EventFacet::Kind(word) => {
                    kinds = (true, kinds.1 || *entry.word == **word);
                }
                EventFacet::By(actor) => {
                    actors = (true, actors.1 || entry.by.to_string() == *actor);
                }
            }
        }
        [kinds, actors].iter().all(|(wanted, met)| !wanted || *met)
    }

    /// Keeps the choice that a filter led to.
    pub fn settle(&mut self) {
        self.chosen = self.selected().map(key);
    }

    fn arrange(&mut self) {
        let finder = &self.finder;
        let entries = self.log.entries.iter().enumerate();
        self.visible = entries
            .filter(|(_, entry)| self.admits(entry))
            .filter(|(_, entry)| {
                finder.is_empty()
                    || finder
                        .score(&format!("{} {} {}", entry.title, entry.kind, entry.by))
                        .is_some()
            })
            .map(|(at, _)| at)
            .collect();
        let seqs = self.visible.iter().filter_map(|at| Some(self.log.entries.get(*at)?.seq));
        self.largest = seqs.max().unwrap_or(0);
        let chosen = self.chosen.clone();
        let found = chosen.and_then(|wanted| {
            let at = |at: &usize| self.log.entries.get(*at).map(key) == Some(wanted.clone());
            self.visible.iter().position(at)
        });
        match found {
            Some(row) => {
                let above = self.cursor.index.saturating_sub(self.cursor.offset);
                self.cursor = Cursor { index: row, offset: row.saturating_sub(above) };
            }
            None => self.cursor = Cursor::default(),
        }
    }
}

fn key(entry: &EventRow) -> (LoopId, u64) {
    (entry.loop_id.clone(), entry.seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64) -> Log<EventRow> {
        let row = |seq| EventRow {
            loop_id: LoopId::derive(&[b"one"]),
            title: "a loop".into(),
            seq,
            at: Timestamp::from_millis(i64::try_from(seq).expect("small")),
            by: Actor::Operator,
            kind: "paused".into(),
            word: "paused".into(),
            tone: Tone::Plain,
            detail: "".into(),
        };
        Log { entries: (1..=count).rev().map(row).collect(), total: 3000, problems: Vec::new() }
    }

    #[test]
    fn what_was_read_far_back_is_let_go_when_the_choice_is_far_from_it() {
        let mut events = Events { wanted: PAGE, ..Events::default() };
        events.set(rows(500));
        assert!(events.step(Step::Last, 30), "the end asks for more");
        assert_eq!(events.wanted, 1000);
        events.set(rows(1000));
        events.step(Step::Last, 30);
        events.set(rows(1500));
        events.let_go();
        assert_eq!(events.log.entries.len(), 1500, "the choice is at 1,000: it keeps its page");
        let chosen = events.selected().map(|row| row.seq);
        events.let_go();
        assert_eq!(events.selected().map(|row| row.seq), chosen);
        events.step(Step::First, 30);
        assert_eq!(events.log.entries.len(), PAGE);
        assert_eq!(events.wanted, PAGE);
        assert_eq!(events.selected().map(|row| row.seq), Some(1500));
        assert!(events.step(Step::Last, 30), "what was let go can be read again");
    }

    #[test]
    fn nothing_is_let_go_while_only_some_events_are_in_view() {
        let mut events = Events { wanted: 1500, ..Events::default() };
        events.set(rows(1500));
        events.filter("paused");
        events.step(Step::First, 30);
        assert_eq!(events.log.entries.len(), 1500);
    }
}
