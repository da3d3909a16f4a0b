//! The loop in view: its tabs and panes, and what was read of it.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use strum::{EnumString, IntoStaticStr};

use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Artifact;
use crate::engine::{Brief, Error, Reading};
use crate::tui::action::Context;
use crate::tui::msg::DetailData;

use super::cursor::{Cursor, Wrapped};
use super::time::TimeView;

/// How many loops are kept at hand, so that going back to one shows it at once.
const KEPT: usize = 8;
/// How many bodies are kept at hand.
const BODIES: usize = 16;

/// A tab of the detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Tab {
    /// Rail, gate, slots, next, artifacts, journal.
    #[default]
    Overview,
    /// All artifacts, with what the chosen one says.
    Artifacts,
    /// What the slot would read.
    Brief,
    /// Critiques and what answers them.
    Coverage,
    /// The loop at any moment of its past.
    Time,
}

impl Tab {
    /// All of them, in order.
    pub const ALL: [Tab; 5] = [Tab::Overview, Tab::Artifacts, Tab::Brief, Tab::Coverage, Tab::Time];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Tab::Overview => "Overview",
            Tab::Artifacts => "Artifacts",
            Tab::Brief => "Brief",
            Tab::Coverage => "Coverage",
            Tab::Time => "Time travel",
        }
    }

    /// The next tab, or the one before, round and round.
    pub fn turn(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        let step = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(at + step) % Self::ALL.len()]
    }
}

/// The panes of the overview, in the order of Tab.
pub const PANES: [Context; 6] = [
    Context::Gate,
    Context::Slots,
    Context::Next,
    Context::Artifacts,
    Context::Insights,
    Context::Journal,
];

/// A refusal that is shown where it happened, until something else happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Which loop.
    pub loop_id: LoopId,
    /// What was asked, as the command line calls it.
    pub verb: &'static str,
    /// Why not, and what helps.
    pub error: Error,
}

/// The brief that was read last.
#[derive(Debug)]
pub struct BriefView {
    /// Of which loop.
    pub loop_id: LoopId,
    /// Of which version of it.
    pub version: u64,
    /// It, or why there is none.
    pub result: Result<Box<Brief>, Error>,
    /// Its text.
    pub text: Wrapped,
}

/// A body that was read.
#[derive(Debug)]
struct Body {
    of: ArtifactId,
    /// What is read of it, or why it can't be.
    shown: Result<Rc<Wrapped>, Error>,
    /// What is filed, where that is something else than what is read.
    filed: Option<String>,
}

/// The loop in view.
#[derive(Debug)]
pub struct Detail {
    /// Which loop is to be in view.
    pub id: Option<LoopId>,
    /// Why it can't be read.
    pub fault: Option<Error>,
    /// The tab.
    pub tab: Tab,
    /// The pane of the overview that has the focus.
    pub pane: Context,
    /// The round whose artifacts are listed, 0-based; absent = the present one.
    pub round: Option<u32>,
    /// Where the gate is scrolled to.
    pub gate: Cursor,
    /// Where the slots are scrolled to.
    pub slots: Cursor,
    /// The chosen next step.
    pub next: Cursor,
    /// The chosen artifact of the round.
    pub artifacts: Cursor,
    /// The chosen artifact of all.
    pub all_artifacts: Cursor,
    /// The chosen event, counted from the newest.
    pub journal: Cursor,
    /// The chosen dream insight.
    pub insights: Cursor,
    /// Where the brief is scrolled to.
    pub brief_scroll: Cursor,
    /// A refusal that is still news.
    pub refused: Option<Refused>,
    /// The brief that was read last.
    pub brief: Option<BriefView>,
    /// The chosen critique of the coverage.
    pub coverage: Cursor,
    /// The artifact to choose as soon as it is there: what the person has filed.
    pub choose: Option<ArtifactId>,
    /// The past that was read last.
    pub time: Option<TimeView>,
    /// Positions of the artifacts of the chosen round, oldest first.
    rows: Vec<usize>,
    recent: VecDeque<Arc<DetailData>>,
    bodies: VecDeque<Body>,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            id: None,
            fault: None,
            tab: Tab::default(),
            pane: Context::Gate,
            round: None,
            gate: Cursor::default(),
            slots: Cursor::default(),
            next: Cursor::default(),
            artifacts: Cursor::default(),
            all_artifacts: Cursor::default(),
            journal: Cursor::default(),
            insights: Cursor::default(),
            brief_scroll: Cursor::default(),
            refused: None,
            brief: None,
            coverage: Cursor::default(),
            choose: None,
            time: None,
            rows: Vec::new(),
            recent: VecDeque::new(),
            bodies: VecDeque::new(),
        }
    }
}

impl Detail {
    /// What was read of the loop in view, if it was.
    pub fn data(&self) -> Option<&Arc<DetailData>> {
        let id = self.id.as_ref()?;
        self.recent.iter().find(|data| data.state.id == *id)
    }

    /// Puts a loop in view; whether it is another than before.
    pub fn show(&mut self, id: Option<LoopId>) -> bool {
        if self.id == id {
            return false;
        }
        let brief_of_it = self.brief.as_ref().is_some_and(|b| Some(&b.loop_id) == id.as_ref());
        self.id = id;
        self.fault = None;
        self.round = None;
        for cursor in [
            &mut self.gate,
            &mut self.slots,
            &mut self.next,
            &mut self.artifacts,
            &mut self.all_artifacts,
            &mut self.journal,
            &mut self.brief_scroll,
            &mut self.coverage,
        ] {
            *cursor = Cursor::default();
        }
        if !brief_of_it {
            self.brief = None;
        }
        if self.time.as_ref().is_some_and(|time| Some(&time.loop_id) != self.id.as_ref()) {
            self.time = None;
        }
        self.list_round();
        self.choose_newest();
        true
    }

    /// Takes in what was read of a loop. What is chosen stays chosen.
    pub fn set(&mut self, data: DetailData) {
        let id = data.state.id.clone();
        let fresh = self.data().is_none_or(|old| old.state.id != id);
        let artifact = self.chosen_in(Context::Artifacts).map(|a| a.artifact_id.clone());
        let of_all = self.chosen_in(Context::AllArtifacts).map(|a| a.artifact_id.clone());
        let event = self.chosen_event_seq();
        self.recent.retain(|old| old.state.id != id);
        self.recent.push_front(Arc::new(data));
        self.recent.truncate(KEPT);
        if self.id.as_ref() != Some(&id) {
            return;
        }
        self.fault = None;
        self.list_round();
        if fresh {
            self.choose_newest();
        } else {
            self.keep_choice(artifact, of_all, event);
        }
        self.choose_filed();
    }

    /// Chooses what the person has filed, once it is there.
    fn choose_filed(&mut self) {
        let Some(data) = self.data().cloned() else { return };
        let state = &data.state;
        let Some(at) = self.choose.as_ref().and_then(|id| state.index.position(id.as_str())) else {
            return;
        };
        self.choose = None;
        self.all_artifacts.index = state.artifacts.len().saturating_sub(at + 1);
        let round = state.artifacts.get(at).map(|artifact| artifact.iteration);
        self.round = round.filter(|round| *round != state.last_round());
        self.list_round();
        self.artifacts.index = self.rows.iter().position(|row| *row == at).unwrap_or(0);
    }

    fn keep_choice(
        &mut self,
        artifact: Option<ArtifactId>,
        of_all: Option<ArtifactId>,
        event: Option<u64>,
    ) {
        let Some(data) = self.data().cloned() else { return };
        let state = &data.state;
        let of_row = |at: &usize| state.artifacts.get(*at).map(|a| &a.artifact_id);
        match artifact.and_then(|id| self.rows.iter().position(|at| of_row(at) == Some(&id))) {
            Some(row) => self.artifacts.index = row,
            None => self.artifacts.index = 0,
        }
        if let Some(row) = of_all.and_then(|id| state.index.position(id.as_str())) {
            self.all_artifacts.index = state.artifacts.len().saturating_sub(row + 1);
        }
        // The newest event stays chosen while it is the newest; another stays itself.
        if self.journal.index > 0 {
            let newest_first = data.log.entries.iter().rev();
            let row =
                event.and_then(|seq| newest_first.into_iter().position(|e| e.event.seq == seq));
            self.journal.index = row.unwrap_or(self.journal.index);
        }
    }

    /// Forgets what was read of a loop that somebody changed.
    pub fn forget(&mut self, id: &LoopId) {
        if self.id.as_ref() != Some(id) {
            self.recent.retain(|data| data.state.id != *id);
        }
    }

    /// Forgets everything that was read.
    pub fn forget_all(&mut self) {
        self.recent.clear();
        self.bodies.clear();
        self.brief = None;
        self.time = None;
        self.list_round();
    }

    /// The round whose artifacts are listed, 0-based.
    pub fn round_shown(&self) -> u32 {
        let present = self.data().map_or(0, |data| data.state.last_round());
        self.round.unwrap_or(present)
    }

    /// Lists the artifacts of the round before or after.
    pub fn turn_round(&mut self, forward: bool) {
        let Some(present) = self.data().map(|data| data.state.last_round()) else { return };
        let now = self.round_shown();
        let next = if forward { (now + 1).min(present) } else { now.saturating_sub(1) };
        self.round = (next != present).then_some(next);
        self.list_round();
        self.artifacts = Cursor::default();
        self.choose_newest();
    }

    fn list_round(&mut self) {
        let round = self.round_shown();
        let rows = self.data().map(|data| {
            let artifacts = data.state.artifacts.iter().enumerate().rev();
            artifacts.filter(|(_, a)| a.iteration == round).map(|(at, _)| at).collect()
        });
        self.rows = rows.unwrap_or_default();
    }

    fn choose_newest(&mut self) {
        self.artifacts.index = 0;
    }

    /// How many artifacts the chosen round has.
    pub fn round_len(&self) -> usize {
        self.rows.len()
    }

    /// An artifact of the chosen round by row, newest first.
    pub fn round_row(&self, row: usize) -> Option<&Arc<Artifact>> {
        self.data()?.state.artifacts.get(*self.rows.get(row)?)
    }

    /// An artifact of all by row, newest first.
    pub fn all_row(&self, row: usize) -> Option<&Arc<Artifact>> {
        let artifacts = &self.data()?.state.artifacts;
        artifacts.get(artifacts.len().checked_sub(row + 1)?)
    }

    /// The artifact that is chosen in a pane.
    pub fn chosen_in(&self, pane: Context) -> Option<&Arc<Artifact>> {
        match pane {
            Context::Artifacts => self.round_row(self.artifacts.index),
            Context::AllArtifacts => self.all_row(self.all_artifacts.index),
            Context::Coverage => {
                let data = self.data()?;
                let row = data.coverage.critiques.get(self.coverage.index)?;
                data.state.artifact(row.artifact_id.as_str())
            }
            _ => None,
        }
    }

    fn chosen_event_seq(&self) -> Option<u64> {
        let entries = &self.data()?.log.entries;
        let at = entries.len().checked_sub(self.journal.index + 1)?;
        entries.get(at).map(|entry| entry.event.seq)
    }

    /// A body that was read, as people read it, or why it can't be.
    pub fn body(&self, id: &ArtifactId) -> Option<&Result<Rc<Wrapped>, Error>> {
        self.bodies.iter().find(|body| body.of == *id).map(|body| &body.shown)
    }

    /// A body as it is filed: what a new version begins with.
    pub fn filed(&self, id: &ArtifactId) -> Option<&str> {
        let body = self.bodies.iter().find(|body| body.of == *id)?;
        match (&body.filed, &body.shown) {
            (Some(filed), _) => Some(filed),
            (None, Ok(shown)) => Some(shown.text()),
            (None, Err(_)) => None,
        }
    }

    /// Keeps a body.
    pub fn set_body(&mut self, id: ArtifactId, read: Result<Reading, Error>) {
        self.bodies.retain(|body| body.of != id);
        let (shown, filed) = match read {
            Ok(Reading { body, page: Some(page) }) => (Ok(page), Some(body)),
            Ok(Reading { body, page: None }) => (Ok(body), None),
            Err(error) => (Err(error), None),
        };
        let shown = shown.map(|text| Rc::new(Wrapped::prose(text)));
        self.bodies.push_front(Body { of: id, shown, filed });
        self.bodies.truncate(BODIES);
    }

    /// Whether the brief in hand is that of the loop as it is now.
    pub fn brief_is_fresh(&self) -> bool {
        let Some(data) = self.data() else { return false };
        self.brief
            .as_ref()
            .is_some_and(|b| b.loop_id == data.state.id && b.version == data.state.version)
    }
}
