//! The sessions screen: the list, the attempts of the chosen one, and what the
//! chosen attempt showed.

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use crate::core::session::{
    Attempt, AttemptId, Observation, Session, SessionId, SessionSummary, Status,
};
use crate::engine::{Error, Problem, SessionListing};

use super::cursor::{Cursor, Step, Wrapped};
use super::finder::Finder;

/// Where the keyboard is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// In the list of sessions.
    #[default]
    List,
    /// In the attempts of the chosen one.
    Attempts,
    /// In what the chosen attempt showed, or what the running one says.
    Output,
}

/// In which order sessions are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionSort {
    /// The newest change first.
    #[default]
    Changed,
    /// What gets nowhere first, then what goes on, what has ended last.
    Attention,
    /// By goal.
    Goal,
}

impl SessionSort {
    /// The next one.
    fn next(self) -> Self {
        match self {
            SessionSort::Changed => SessionSort::Attention,
            SessionSort::Attention => SessionSort::Goal,
            SessionSort::Goal => SessionSort::Changed,
        }
    }

    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            SessionSort::Changed => "newest first",
            SessionSort::Attention => "by attention",
            SessionSort::Goal => "by goal",
        }
    }
}

/// One thing by which sessions are shown or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionFacet {
    /// Only those that get nowhere.
    Stalled,
    /// Only of this status.
    Status(Status),
}

impl SessionFacet {
    /// All facets, as the menu lists them.
    pub fn all() -> Vec<SessionFacet> {
        use Status::{Active, Converged, Escalated, Failed, Pending};
        let known = [Active, Pending, Converged, Escalated, Failed];
        [SessionFacet::Stalled].into_iter().chain(known.map(SessionFacet::Status)).collect()
    }

    /// In words.
    pub fn label(&self) -> String {
        match self {
            SessionFacet::Stalled => "stalled".to_owned(),
            SessionFacet::Status(status) => status.to_string(),
        }
    }

    fn admits(&self, line: &SessionSummary) -> bool {
        match self {
            SessionFacet::Stalled => line.stalled,
            SessionFacet::Status(status) => line.status == *status,
        }
    }
}

/// What gets nowhere comes first, what has ended last; of that what ended badly
/// before the rest.
fn rank(line: &SessionSummary) -> (bool, bool, bool) {
    (line.status.is_final(), !line.stalled, line.status == Status::Converged)
}

/// The sessions and what of them is in view.
#[derive(Debug, Default)]
pub struct Sessions {
    /// All sessions, newest change first.
    pub all: Vec<Arc<SessionSummary>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Whether they have been read yet.
    pub loaded: bool,
    /// What is looked for in the list.
    pub finder: Finder,
    /// The facets that are on: a session that any of them admits is shown.
    pub facets: Vec<SessionFacet>,
    /// The order.
    pub sort: SessionSort,
    /// Positions in `all` of what is in view, in order.
    pub visible: Vec<usize>,
    /// The row and the scroll of the list.
    pub cursor: Cursor,
    /// Where the keyboard is.
    pub pane: Pane,
    /// The chosen session, once it was read.
    pub session: Option<Arc<Session>>,
    /// Why it could not be.
    pub fault: Option<Error>,
    /// The row and the scroll of the attempts, the newest on top.
    pub attempts: Cursor,
    /// Where the output is scrolled to.
    pub output: Cursor,
    /// What is looked for in the output.
    pub search: String,
    chosen: Option<SessionId>,
    text: Option<(AttemptId, Rc<Wrapped>)>,
}

impl Sessions {
    /// Takes in what was read. The choice stays on the same session.
    pub fn set(&mut self, listing: SessionListing) {
        self.all = listing.sessions;
        self.problems = listing.problems;
        self.loaded = true;
        self.arrange();
    }

    /// Takes in the chosen session; another one is none of ours any more.
    pub fn set_session(&mut self, id: &SessionId, read: Result<Arc<Session>, Error>) {
        if self.id() != Some(id) {
            return;
        }
        match read {
            Ok(session) => {
                self.fault = None;
                self.session = Some(session);
            }
            Err(error) => {
                self.session = None;
                self.fault = Some(error);
            }
        }
        self.read_chosen();
    }

    /// The chosen session in the list.
    pub fn selected(&self) -> Option<&Arc<SessionSummary>> {
        self.row(self.cursor.index)
    }

    /// The session of a row.
    pub fn row(&self, row: usize) -> Option<&Arc<SessionSummary>> {
        self.visible.get(row).and_then(|at| self.all.get(*at))
    }

    /// The id of the chosen session.
    pub fn id(&self) -> Option<&SessionId> {
        self.selected().map(|line| &line.session_id)
    }

    /// The chosen session, if it was read and is the chosen one still.
    pub fn open(&self) -> Option<&Arc<Session>> {
        self.session.as_ref().filter(|session| Some(&session.session_id) == self.id())
    }

    /// The attempt of a row; a run that is under way has a row of its own above
    /// all.
    pub fn attempt(&self, row: usize, runs: bool) -> Option<&Attempt> {
        let session = self.open()?;
        let below_top = if runs { row.checked_sub(1)? } else { row };
        let at = session.attempts.len().checked_sub(below_top + 1)?;
        session.attempts.get(at)
    }

    /// What the attempt of the chosen row showed.
    pub fn seen(&self, runs: bool) -> Option<(&Attempt, Option<&Observation>)> {
        let session = self.open()?;
        let attempt = self.attempt(self.attempts.index, runs)?;
        Some((attempt, session.observation_of(attempt)))
    }

    /// What that attempt's output said, wrapped once a width.
    pub fn text(&self) -> Option<&Rc<Wrapped>> {
        self.text.as_ref().map(|(_, text)| text)
    }

    /// Moves the choice in the list; whether another session is chosen now.
    pub fn step(&mut self, step: Step, view: usize) -> bool {
        self.cursor.step(step, self.visible.len(), view);
        self.follow()
    }

    /// Moves the choice in the attempts.
    pub fn step_attempts(&mut self, step: Step, view: usize, runs: bool) {
        let rows = self.open().map_or(0, |session| session.attempts.len()) + usize::from(runs);
        self.attempts.step(step, rows, view);
        self.read_chosen_of(runs);
    }

    /// Chooses a session by its id.
    pub fn choose(&mut self, id: &SessionId) {
        self.chosen = Some(id.clone());
        self.finder = Finder::default();
        self.facets.clear();
        self.arrange();
    }

    /// Takes another order.
    pub fn sort_next(&mut self) {
        self.sort = self.sort.next();
        self.arrange();
    }

    /// Turns a facet on or off; whether another session is chosen now.
    pub fn toggle(&mut self, facet: SessionFacet) -> bool {
        match self.facets.iter().position(|other| *other == facet) {
            Some(at) => drop(self.facets.remove(at)),
            None => self.facets.push(facet),
        }
        self.arrange();
        self.follow()
    }

    /// How many sessions a facet would show.
    pub fn count(&self, facet: &SessionFacet) -> usize {
        self.all.iter().filter(|line| facet.admits(line)).count()
    }

    /// Looks for some words in the list.
    pub fn filter(&mut self, words: &str) {
        self.finder = Finder::new(words);
        self.arrange();
    }

    /// Keeps the choice that a filter led to.
    pub fn settle(&mut self) {
        self.chosen = self.id().cloned();
    }

    /// The newest attempt is looked at from here on.
    pub fn to_newest(&mut self) {
        self.attempts = Cursor::default();
        self.output = Cursor::default();
        self.text = None;
        self.read_chosen();
    }

    fn arrange(&mut self) {
        let admits = |line: &SessionSummary| {
            self.facets.is_empty() || self.facets.iter().any(|facet| facet.admits(line))
        };
        let admitted = self.all.iter().enumerate().filter(|(_, line)| admits(line));
        let scored = admitted.filter_map(|(at, line)| {
            let score = match self.finder.is_empty() {
                true => 0,
                false => {
                    let wider = format!("{} {} {}", line.session_id, line.status, line.goal_type);
                    self.finder
                        .score(&line.goal)
                        .map(|s| s.saturating_mul(2))
                        .max(self.finder.score(&wider))?
                }
            };
            Some((at, score))
        });
        let mut rows: Vec<(usize, u32)> = scored.collect();
        // All are there by their newest change.
        match self.sort {
            _ if !self.finder.is_empty() => {
                rows.sort_by_key(|(at, score)| (Reverse(*score), *at));
            }
            SessionSort::Changed => {}
            SessionSort::Attention => rows.sort_by_key(|(at, _)| (rank(&self.all[*at]), *at)),
            SessionSort::Goal => {
                rows.sort_by_cached_key(|(at, _)| self.all[*at].goal.to_lowercase());
            }
        }
        self.visible = rows.into_iter().map(|(at, _)| at).collect();
        let chosen = self.chosen.as_ref();
        let row = chosen
            .and_then(|id| self.visible.iter().position(|at| self.all[*at].session_id == *id));
        match row {
            Some(row) => {
                let above = self.cursor.index.saturating_sub(self.cursor.offset);
                self.cursor = Cursor { index: row, offset: row.saturating_sub(above) };
            }
            None if self.finder.is_empty() => {
                self.cursor.index = self.cursor.index.min(self.visible.len().saturating_sub(1));
                self.chosen = self.id().cloned();
            }
            None => self.cursor = Cursor::default(),
        }
    }

    /// Whether another session is chosen than the one that was read.
    fn follow(&mut self) -> bool {
        self.chosen = self.id().cloned();
        if self.open().is_some() {
            return false;
        }
        self.session = None;
        self.fault = None;
        self.to_newest();
        true
    }

    fn read_chosen(&mut self) {
        self.read_chosen_of(false);
    }

    /// Takes the text of the chosen attempt in hand.
    pub fn read_chosen_of(&mut self, runs: bool) {
        let seen = self.seen(runs);
        let Some((attempt, seen)) = seen else {
            self.text = None;
            return;
        };
        if self.text.as_ref().is_some_and(|(of, _)| *of == attempt.attempt_id) {
            return;
        }
        let said = seen.map_or("", |seen| seen.raw_text.as_str());
        let text = (attempt.attempt_id.clone(), Rc::new(Wrapped::new(said)));
        self.text = Some(text);
        self.output = Cursor::default();
    }
}
