//! Time travel: the loop at any moment of its past. Looking never writes.

use std::collections::HashSet;
use std::sync::Arc;

use crate::core::loops::diff::{Difference, diff, in_words};
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::past::Past;
use crate::engine::{Error, Log};
use crate::tui::action::Action;
use crate::tui::msg::{DetailData, Effect, Request};

use super::App;
use super::cursor::{Cursor, Step};
use super::detail::Tab;
use super::overlay::Overlay;
use super::undo::fork_question;

/// What is shown of a moment.
#[derive(Debug)]
pub struct Shown {
    /// The event that the moment is right after.
    pub seq: u64,
    /// The moment that it is compared with; none at the very first event.
    pub against: Option<u64>,
    /// The loop as it was.
    pub data: DetailData,
    /// What is different.
    pub differences: Vec<Difference>,
    /// The artifacts that came or stand differently.
    pub marked: HashSet<ArtifactId>,
}

/// A loop's past, and where in it the look is.
#[derive(Debug)]
pub struct TimeView {
    /// Of which loop.
    pub loop_id: LoopId,
    /// The past.
    pub past: Arc<Past>,
    /// The moment that was marked, to compare others with.
    pub mark: Option<u64>,
    /// What is shown.
    pub shown: Option<Shown>,
    /// Where the differences and artifacts are scrolled to.
    pub scroll: Cursor,
}

impl TimeView {
    /// A look at the newest moment.
    pub fn new(loop_id: LoopId, past: Arc<Past>) -> Self {
        let mut view = Self { loop_id, past, mark: None, shown: None, scroll: Cursor::default() };
        view.go(view.past.last());
        view
    }

    /// The event that the look is right after.
    pub fn at(&self) -> u64 {
        self.shown.as_ref().map_or_else(|| self.past.last(), |shown| shown.seq)
    }

    /// Whether the look is at the present.
    pub fn is_now(&self) -> bool {
        self.at() == self.past.last()
    }

    /// Looks at the moment right after an event.
    pub fn go(&mut self, seq: u64) {
        let before = self.past.step(seq, -1);
        let against = self.mark.unwrap_or(before);
        let against = (against != seq).then_some(against);
        if self.shown.as_ref().is_some_and(|s| s.seq == seq && s.against == against) {
            return;
        }
        self.scroll = Cursor::default();
        let Some(moment) = self.past.moment(seq) else { return };
        let other = against.and_then(|seq| self.past.timeline().at(seq));
        let change = other.as_ref().map(|other| diff(other, &moment.state));
        let marked = change
            .iter()
            .flat_map(|c| c.added.iter().chain(c.changed.iter().map(|c| &c.artifact_id)))
            .cloned()
            .collect();
        let differences = match (&change, &other) {
            (Some(change), Some(other)) => in_words(change, other, &moment.state),
            _ => Vec::new(),
        };
        let data = DetailData {
            insights: Vec::new(),
            state: Arc::new(moment.state),
            why: moment.why,
            coverage: moment.coverage,
            log: Log::default(),
            problems: Vec::new(),
            offers: Vec::new(),
            session: None,
        };
        self.shown = Some(Shown { seq, against, data, differences, marked });
    }

    /// Takes in a longer past. The look stays where it is, unless it was at the
    /// present: then it stays there.
    fn renew(&mut self, past: Arc<Past>) {
        let seq = if self.is_now() { past.last() } else { self.at() };
        self.past = past;
        self.shown = None;
        self.go(seq);
    }
}

impl App {
    /// Asks for the past of the loop in view, if it is not at hand.
    pub(super) fn read_past(&mut self) -> Vec<Effect> {
        let Some(data) = self.detail.data() else { return Vec::new() };
        let (id, version) = (&data.state.id, data.state.version);
        let fresh = self
            .detail
            .time
            .as_ref()
            .is_some_and(|time| time.loop_id == *id && time.past.last() >= version);
        if fresh { Vec::new() } else { vec![Effect::Ask(Request::Past(id.clone()))] }
    }

    pub(super) fn on_past(&mut self, id: &LoopId, result: Result<Arc<Past>, Error>) {
        if self.detail.id.as_ref() != Some(id) {
            return;
        }
        match (result, &mut self.detail.time) {
            (Ok(past), Some(time)) if time.loop_id == *id => time.renew(past),
            (Ok(past), time) => *time = Some(TimeView::new(id.clone(), past)),
            (Err(error), _) => {
                self.fail(&error);
            }
        }
    }

    /// Moves in time: the ends; rows scroll what is shown of the moment.
    pub(super) fn step_time(&mut self, step: Step, lines: usize, view: usize) {
        let Some(time) = &mut self.detail.time else { return };
        match step {
            Step::First => time.go(time.past.step(0, 0)),
            Step::Last => time.go(time.past.last()),
            other => time.scroll.scroll(other, lines, view),
        }
    }

    /// What the keys of time travel do.
    pub(super) fn travel(&mut self, action: Action) -> Vec<Effect> {
        if action == Action::TimeTravel {
            return self.show_tab(Tab::Time);
        }
        let said = {
            let Some(time) = &mut self.detail.time else { return Vec::new() };
            let at = time.at();
            match action {
                Action::MomentBefore => time.go(time.past.step(at, -1)),
                Action::MomentAfter => time.go(time.past.step(at, 1)),
                Action::RoundBefore => time.go(time.past.round(at, false)),
                Action::RoundAfter => time.go(time.past.round(at, true)),
                _ => {}
            }
            if action == Action::MarkMoment {
                time.mark = if time.mark.is_some() { None } else { Some(at) };
                time.go(at);
                Some(match time.mark {
                    Some(seq) => format!("every moment is compared with event {seq}; d ends that"),
                    None => "every moment is compared with the one before again".to_owned(),
                })
            } else {
                None
            }
        };
        if let Some(said) = said {
            self.tell(said);
        }
        Vec::new()
    }

    /// Esc in time travel: the mark goes, then the look goes back to now, then
    /// the keyboard to the list.
    pub(super) fn leave_time(&mut self) -> Vec<Effect> {
        match &mut self.detail.time {
            Some(time) if time.mark.is_some() => {
                time.mark = None;
                time.go(time.at());
            }
            Some(time) if !time.is_now() => time.go(time.past.last()),
            _ => self.in_detail = false,
        }
        Vec::new()
    }

    /// Asks whether a new loop is to begin at the moment in view.
    pub(super) fn ask_to_fork_then(&mut self) -> Option<Vec<Effect>> {
        let time = self.detail.time.as_ref().filter(|_| self.detail.tab == Tab::Time)?;
        let at = time.past.end_of_commit(time.at());
        let title = time.past.timeline().head().title.clone();
        let mut confirm = fork_question(time.loop_id.clone(), &title, at);
        if at != time.at() {
            let more = format!(" Event {} is part of a change that ends with {at}.", time.at());
            confirm.consequence.push_str(&more);
        }
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Some(Vec::new())
    }
}
