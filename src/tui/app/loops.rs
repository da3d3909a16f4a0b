//! The list of loops: filter, sort, facets, and a choice by identity.

use std::cmp::Reverse;

use strum::{EnumIter, EnumString, IntoEnumIterator, IntoStaticStr};

use crate::core::loops::attention::AttentionState;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Kind;
use crate::core::time::Timestamp;
use crate::engine::{Listing, LoopSummary, Problem};

use super::cursor::{Cursor, Step};
use super::finder::Finder;

/// In which order loops are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Sort {
    /// What wants something first, then the newest change.
    #[default]
    Attention,
    /// The newest change first.
    Changed,
    /// By title.
    Title,
}

impl Sort {
    /// The next one.
    pub fn next(self) -> Self {
        match self {
            Sort::Attention => Sort::Changed,
            Sort::Changed => Sort::Title,
            Sort::Title => Sort::Attention,
        }
    }

    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Sort::Attention => "by attention",
            Sort::Changed => "by last change",
            Sort::Title => "by title",
        }
    }
}

/// One thing by which loops are shown or left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    /// Only stuck ones.
    Stuck,
    /// Only those that wait for a person.
    Person,
    /// Only of this status.
    Status(Status),
    /// Only of this kind.
    Kind(Kind),
    /// Also those that closed long ago.
    Folded,
}

impl Facet {
    /// All facets, as the menu lists them.
    pub fn all() -> Vec<Facet> {
        [Facet::Stuck, Facet::Person]
            .into_iter()
            .chain(Status::iter().map(Facet::Status))
            .chain(Kind::iter().map(Facet::Kind))
            .chain([Facet::Folded])
            .collect()
    }

    /// In words.
    pub fn label(self) -> String {
        match self {
            Facet::Stuck => "stuck".to_owned(),
            Facet::Person => "waits for you".to_owned(),
            Facet::Status(status) => status.to_string(),
            Facet::Kind(kind) => kind.to_string(),
            Facet::Folded => "also closed more than 14 days ago".to_owned(),
        }
    }

    fn admits(self, summary: &LoopSummary) -> bool {
        match self {
            Facet::Stuck => summary.attention == AttentionState::Stuck,
            Facet::Person => summary.attention == AttentionState::Person,
            Facet::Status(status) => summary.status == status,
            Facet::Kind(kind) => summary.kind == kind,
            Facet::Folded => true,
        }
    }
}

/// The loops and which of them are in view.
#[derive(Debug, Default)]
pub struct Loops {
    /// All of them.
    pub all: Vec<LoopSummary>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Whether they have been read yet.
    pub loaded: bool,
    /// What is looked for.
    pub finder: Finder,
    /// The facets that are on.
    pub facets: Vec<Facet>,
    /// The order.
    pub sort: Sort,
    /// Positions in `all` of what is in view, in order.
    pub visible: Vec<usize>,
    /// How many are left out because they closed long ago.
    pub folded: usize,
    /// The row and the scroll.
    pub cursor: Cursor,
    chosen: Option<LoopId>,
    /// A new loop that is to be chosen once it is listed.
    awaited: Option<LoopId>,
}

impl Loops {
    /// Takes in a fresh listing. The choice stays on the same loop.
    pub fn set(&mut self, listing: Listing, now: Timestamp) {
        self.all = listing.loops;
        self.problems = listing.problems;
        self.loaded = true;
        match self.awaited.take() {
            Some(id) => self.choose(&id, now),
            None => self.arrange(now),
        }
    }

    /// The chosen loop.
    pub fn selected(&self) -> Option<&LoopSummary> {
        self.row(self.cursor.index)
    }

    /// The loop of a row.
    pub fn row(&self, row: usize) -> Option<&LoopSummary> {
        self.visible.get(row).and_then(|at| self.all.get(*at))
    }

    /// Moves the choice, with so many loops in sight.
    pub fn step(&mut self, step: Step, view: usize) {
        self.cursor.step(step, self.visible.len(), view);
        self.chosen = self.selected().map(|summary| summary.id.clone());
    }

    /// Chooses a loop by id; shows it even if a filter or facet left it out.
    /// One that is not listed yet is chosen when it is.
    pub fn choose(&mut self, id: &LoopId, now: Timestamp) {
        if !self.all.iter().any(|summary| summary.id == *id) {
            self.awaited = Some(id.clone());
        }
        self.chosen = Some(id.clone());
        self.arrange(now);
        if self.selected().is_none_or(|summary| summary.id != *id) {
            self.finder = Finder::default();
            self.facets = self
                .all
                .iter()
                .find(|summary| summary.id == *id)
                .filter(|summary| summary.is_folded_away(now))
                .map(|_| Facet::Folded)
                .into_iter()
                .collect();
            self.chosen = Some(id.clone());
            self.arrange(now);
        }
    }

    /// Looks for some words.
    pub fn filter(&mut self, words: &str, now: Timestamp) {
        self.finder = Finder::new(words);
        self.arrange(now);
    }

    /// Turns a facet on or off.
    pub fn toggle(&mut self, facet: Facet, now: Timestamp) {
        match self.facets.iter().position(|f| *f == facet) {
            Some(at) => {
                self.facets.remove(at);
            }
            None => self.facets.push(facet),
        }
        self.arrange(now);
    }

    /// Takes another order.
    pub fn sort_next(&mut self, now: Timestamp) {
        self.sort = self.sort.next();
        self.arrange(now);
    }

    /// Keeps the choice that a filter led to.
    pub fn settle(&mut self) {
        self.chosen = self.selected().map(|summary| summary.id.clone());
    }

    /// How many loops a facet would show.
    pub fn count(&self, facet: Facet, now: Timestamp) -> usize {
        let folded = |summary: &&LoopSummary| summary.is_folded_away(now);
        match facet {
            Facet::Folded => self.all.iter().filter(folded).count(),
            _ => self.all.iter().filter(|s| !folded(s) && facet.admits(s)).count(),
        }
    }

    /// Works out which loops are in view and keeps the choice on the same loop;
    /// if that one is out of view, on the row where it was.
    fn arrange(&mut self, now: Timestamp) {
        let show_folded = self.facets.contains(&Facet::Folded);
        self.folded = 0;
        let mut rows: Vec<(usize, u32)> = Vec::with_capacity(self.all.len());
        for (at, summary) in self.all.iter().enumerate() {
            if !show_folded && summary.is_folded_away(now) {
                self.folded += 1;
                continue;
            }
            if !self.admits(summary) {
                continue;
            }
            if let Some(score) = self.score(summary) {
                rows.push((at, score));
            }
        }
        let all = &self.all;
        let newest = |at: usize| Reverse(all[at].updated_at);
        match self.sort {
            _ if !self.finder.is_empty() => {
                rows.sort_by_key(|(at, score)| (Reverse(*score), newest(*at)));
            }
            Sort::Attention => rows.sort_by_key(|(at, _)| (rank(&all[*at]), newest(*at))),
            Sort::Changed => rows.sort_by_key(|(at, _)| newest(*at)),
            Sort::Title => rows.sort_by_cached_key(|(at, _)| all[*at].title.to_lowercase()),
        }
        self.visible = rows.into_iter().map(|(at, _)| at).collect();
        self.find_choice();
    }

    fn find_choice(&mut self) {
        let chosen = self.chosen.as_ref();
        let found =
            chosen.and_then(|id| self.visible.iter().position(|at| self.all[*at].id == *id));
        match found {
            Some(row) => {
                // The rows in view stay where they are around the choice.
                let above = self.cursor.index.saturating_sub(self.cursor.offset);
                self.cursor = Cursor { index: row, offset: row.saturating_sub(above) };
            }
            None => {
                self.cursor.index = self.cursor.index.min(self.visible.len().saturating_sub(1));
                // While a filter leaves it out, the choice is remembered.
                if self.finder.is_empty() || chosen.is_none() {
                    self.chosen = self.selected().map(|summary| summary.id.clone());
                } else {
                    self.cursor = Cursor::default();
                }
            }
        }
    }

    /// Facets of one sort are alternatives; of different sorts all must hold.
    fn admits(&self, summary: &LoopSummary) -> bool {
        let sort = |facet: &Facet| match facet {
            Facet::Stuck | Facet::Person => 0,
            Facet::Status(_) => 1,
            Facet::Kind(_) => 2,
            Facet::Folded => 3,
        };
        (0..4).all(|group| {
            let mut of_group = self.facets.iter().filter(|f| sort(f) == group).peekable();
            of_group.peek().is_none() || of_group.any(|facet| facet.admits(summary))
        })
    }

    fn score(&self, summary: &LoopSummary) -> Option<u32> {
        if self.finder.is_empty() {
            return Some(0);
        }
        let title = self.finder.score(&summary.title).map(|score| score.saturating_mul(2));
        let wider = format!(
            "{} {} {} {} {}",
            summary.slug, summary.kind, summary.phase, summary.status, summary.id
        );
        title.max(self.finder.score(&wider))
    }
}

/// What wants a person comes first, what has ended last; of that what ended badly
/// before the rest.
fn rank(summary: &LoopSummary) -> (u8, bool) {
    (summary.attention.urgency(), summary.status != Status::Blocked)
}
