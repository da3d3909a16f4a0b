//! The Dreams screen: what the latest dream found, what that rests on, what
//! came near, the concept graph, past dreams; and suppositions.

mod act;
mod rows;
mod run;

use crate::core::dream::diff::Change;
use crate::core::dream::graph::{Graph, Node, NodeKey};
use crate::core::dream::limits::Limit;
use crate::core::dream::near::Miss;
use crate::core::dream::what_if::{Fate, WhatIf};
use crate::engine::{
    DreamLine, DreamStatus, DreamView, Error, Provenance, SeenInsight, Supposition,
};

pub use rows::Row;
pub use run::{DreamRun, Progress};

use super::cursor::{Cursor, Step};

/// What the list of the screen shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Insights by rank.
    #[default]
    Insights,
    /// Rules that failed, closest first.
    Near,
    /// The nodes of the concept graph.
    Graph,
    /// The dreams that are kept.
    Past,
}

impl Look {
    /// All of them, in the order of the tabs.
    pub const ALL: [Look; 4] = [Look::Insights, Look::Near, Look::Graph, Look::Past];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Look::Insights => "Insights",
            Look::Near => "What came near",
            Look::Graph => "Concept graph",
            Look::Past => "Past dreams",
        }
    }

    fn turned(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|look| *look == self).unwrap_or(0);
        let next = if forward { at + 1 } else { at + Self::ALL.len() - 1 };
        Self::ALL[next % Self::ALL.len()]
    }
}

/// All that the screen reads at once.
#[derive(Clone, Debug)]
pub struct DreamsData {
    /// When a dream is due.
    pub status: DreamStatus,
    /// The dream in view; absent where there is none yet.
    pub view: Option<DreamView>,
    /// The dreams that are kept, newest first.
    pub past: Vec<DreamLine>,
    /// The concept graph of the records, or why there is none.
    pub graph: Result<Graph, Error>,
}

/// What the screen shows.
#[derive(Default)]
pub struct Dreams {
    /// What was read.
    pub data: Option<DreamsData>,
    /// When a dream is due; read for the header too.
    pub status: Option<DreamStatus>,
    /// Whether what was read is out of date.
    pub stale: bool,
    /// Why nothing could be read.
    pub fault: Option<Error>,
    /// What the list shows.
    pub look: Look,
    /// The chosen row of the list.
    pub cursor: Cursor,
    /// Whether the keyboard is in the detail.
    pub in_detail: bool,
    /// The chosen row of the detail.
    pub detail: Cursor,
    /// Whether dismissed and snoozed insights are listed too.
    pub show_hidden: bool,
    /// What the chosen insight rests on, by its id.
    pub provenance: Option<(String, Result<Provenance, Error>)>,
    /// What is supposed.
    pub supposition: Supposition,
    /// Which limit `+` and `-` move.
    pub limit: Option<Limit>,
    /// What would be then.
    pub what_if: Option<WhatIf>,
    /// The dream that is under way.
    pub run: Option<DreamRun>,
    /// The dream that was asked for; absent = the latest.
    pub wanted: Option<String>,
    /// The insight to choose as soon as it is there.
    pub choose: Option<String>,
}

/// A row of the list of insights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Listed<'a> {
    /// One of the dream in view.
    Seen(&'a SeenInsight),
    /// One that only the dream before has.
    Gone(&'a crate::core::dream::Insight),
    /// One that only a supposition brings.
    Supposed(&'a Fate),
}

impl Dreams {
    /// Takes in what was read. The choice stays on the same insight.
    pub fn set(&mut self, data: DreamsData) {
        let chosen = self.choose.take().or_else(|| self.chosen_identity());
        self.status = Some(data.status.clone());
        self.data = Some(data);
        self.stale = false;
        self.fault = None;
        self.provenance = None;
        if let Some(identity) = chosen {
            let found = self.listed().iter().position(|row| {
                identity_of(row) == identity
                    || matches!(row, Listed::Seen(seen) if seen.insight.insight_id == identity)
            });
            if let Some(at) = found {
                self.cursor.index = at;
            }
        }
    }

    /// The dream in view.
    pub fn view(&self) -> Option<&DreamView> {
        self.data.as_ref().and_then(|data| data.view.as_ref())
    }

    /// The rows of the list of insights: those in sight, those that are gone,
    /// those that only the supposition brings.
    pub fn listed(&self) -> Vec<Listed<'_>> {
        let Some(view) = self.view() else { return Vec::new() };
        let in_sight = view.insights.iter().filter(|seen| self.show_hidden || !seen.hidden);
        let supposed = self.what_if.iter().flat_map(|changed| &changed.fates);
        let new = supposed.filter(|fate| fate.before.is_none()).filter(|fate| {
            !view.insights.iter().any(|s| s.insight.identity() == fate.insight.identity)
        });
        in_sight
            .map(Listed::Seen)
            .chain(view.gone.iter().map(Listed::Gone))
            .chain(new.map(Listed::Supposed))
            .collect()
    }

    /// How an insight fares under the supposition.
    pub fn fate(&self, identity: &str) -> Option<&Fate> {
        let fates = &self.what_if.as_ref()?.fates;
        fates.iter().find(|fate| fate.insight.identity == identity)
    }

    /// What came near, in the dream in view or under the supposition.
    pub fn misses(&self) -> &[Miss] {
        match (&self.what_if, self.view()) {
            (Some(changed), _) => &changed.near_misses,
            (None, Some(view)) => &view.dream.near_misses,
            (None, None) => &[],
        }
    }

    /// The concept graph.
    pub fn graph(&self) -> Option<&Graph> {
        self.data.as_ref().and_then(|data| data.graph.as_ref().ok())
    }

    /// The chosen insight of the dream in view.
    pub fn selected(&self) -> Option<&SeenInsight> {
        match self.listed().get(self.cursor.index) {
            Some(Listed::Seen(seen)) if self.look == Look::Insights => Some(seen),
            _ => None,
        }
    }

    /// The chosen node of the graph.
    pub fn node(&self) -> Option<&Node> {
        self.graph()?.nodes.get(self.cursor.index).filter(|_| self.look == Look::Graph)
    }

    /// The chosen past dream.
    pub fn past(&self) -> Option<&DreamLine> {
        let data = self.data.as_ref()?;
        data.past.get(self.cursor.index).filter(|_| self.look == Look::Past)
    }

    /// How many rows the list has.
    pub fn len(&self) -> usize {
        match self.look {
            Look::Insights => self.listed().len(),
            Look::Near => self.misses().len(),
            Look::Graph => self.graph().map_or(0, |graph| graph.nodes.len()),
            Look::Past => self.data.as_ref().map_or(0, |data| data.past.len()),
        }
    }

    /// Whether the list has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the limits bear on what the list shows.
    pub fn has_limits(&self) -> bool {
        matches!(self.look, Look::Insights | Look::Near)
    }

    /// Whether anything is supposed.
    pub fn supposes(&self) -> bool {
        self.supposition != Supposition::default()
    }

    /// Moves the choice.
    pub fn step(&mut self, step: Step, view: usize) {
        let len = self.len();
        self.cursor.step(step, len, view);
        self.detail = Cursor::default();
    }

    /// Goes to a node of the graph.
    pub fn walk_to(&mut self, key: &NodeKey) {
        let at = self.graph().and_then(|g| g.nodes.iter().position(|node| node.key == *key));
        if let Some(at) = at {
            self.look = Look::Graph;
            self.cursor.index = at;
            self.detail = Cursor::default();
        }
    }

    fn chosen_identity(&self) -> Option<String> {
        self.selected().map(|seen| seen.insight.identity())
    }
}

fn identity_of(row: &Listed<'_>) -> String {
    match row {
        Listed::Seen(seen) => seen.insight.identity(),
        Listed::Gone(insight) => insight.identity(),
        Listed::Supposed(fate) => fate.insight.identity(),
    }
}

/// The change of a row, for its symbol.
pub fn change_of(row: &Listed<'_>) -> Change {
    match row {
        Listed::Seen(seen) => seen.change,
        Listed::Gone(_) => Change::Gone,
        Listed::Supposed(_) => Change::New,
    }
}
