//! What is done on the Dreams screen.

use std::rc::Rc;

use crate::core::dream::limits::{Limit, Limits};
use crate::core::dream::marks::Mark;
use crate::core::dream::what_if::WhatIf;
use crate::engine::{Error, Provenance, SeenInsight};
use crate::tui::action::Action;
use crate::tui::app::cursor::{Cursor, Wrapped};
use crate::tui::app::overlay::Viewed;
use crate::tui::app::{App, Screen};
use crate::tui::msg::{Effect, Request};

use super::{Dreams, DreamsData, Look, Row};

/// By how much a limit is moved at once.
const NOTCH: f64 = 0.05;

impl App {
    /// Asks for all that the screen shows, where it is in view; for the header
    /// only when a dream is due.
    pub(in crate::tui::app) fn read_dreams(&mut self) -> Vec<Effect> {
        self.dreams.stale = true;
        if self.screen == Screen::Dreams {
            return vec![Effect::Ask(Request::Dreams(self.dreams.wanted.clone()))];
        }
        vec![Effect::Ask(Request::DreamStatus)]
    }

    /// Takes in what the screen shows.
    pub(in crate::tui::app) fn on_dreams(
        &mut self,
        result: Result<Box<DreamsData>, Error>,
    ) -> Vec<Effect> {
        match result {
            Ok(data) => self.dreams.set(*data),
            Err(error) => {
                self.dreams.fault = Some(error.clone());
                return self.fail(&error);
            }
        }
        let mut effects = self.read_provenance();
        effects.extend(self.suppose_again());
        effects.extend(self.dream_if_due());
        effects
    }

    /// Takes in when a dream is due.
    pub(in crate::tui::app) fn on_dream_status(
        &mut self,
        result: Result<Box<crate::engine::DreamStatus>, Error>,
    ) -> Vec<Effect> {
        // The header says nothing where it cannot be read; the screen says why.
        self.dreams.status = result.ok().map(|status| *status);
        self.dream_if_due()
    }

    /// Asks for what the chosen insight rests on.
    pub(in crate::tui::app) fn read_provenance(&mut self) -> Vec<Effect> {
        if self.screen != Screen::Dreams {
            return Vec::new();
        }
        let Some(id) = self.dreams.selected().map(|seen| seen.insight.insight_id.clone()) else {
            return Vec::new();
        };
        if self.dreams.provenance.as_ref().is_some_and(|(of, _)| *of == id) || id.is_empty() {
            return Vec::new();
        }
        vec![Effect::Ask(Request::Provenance(id))]
    }

    /// Takes in what an insight rests on.
    pub(in crate::tui::app) fn on_provenance(
        &mut self,
        id: String,
        result: Result<Box<Provenance>, Error>,
    ) {
        self.dreams.provenance = Some((id, result.map(|found| *found)));
    }

    /// Takes in what would be under the supposition.
    pub(in crate::tui::app) fn on_what_if(
        &mut self,
        result: Result<Box<WhatIf>, Error>,
    ) -> Vec<Effect> {
        match result {
            Ok(changed) if self.dreams.supposes() => self.dreams.what_if = Some(*changed),
            Ok(_) => {}
            Err(error) => return self.fail(&error),
        }
        Vec::new()
    }

    /// Shows a record's file.
    pub(in crate::tui::app) fn on_record_file(
        &mut self,
        path: &str,
        result: Result<String, Error>,
    ) -> Vec<Effect> {
        match result {
            Ok(text) => {
                self.view(path, Viewed::Text(Rc::new(Wrapped::new(text))));
                Vec::new()
            }
            Err(error) => self.fail(&error),
        }
    }

    /// What an action of the screen does.
    pub(in crate::tui::app) fn act_on_dreams(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        match action {
            A::DreamNow => self.dream_now(),
            A::AcceptInsight => self.mark(Mark::Accepted),
            A::SnoozeInsight => self.mark(Mark::Snoozed),
            A::DismissInsight => self.mark(Mark::Dismissed),
            A::ShowHidden => {
                self.dreams.show_hidden = !self.dreams.show_hidden;
                let said = if self.dreams.show_hidden { "listed too" } else { "left out" };
                self.tell(format!("dismissed and snoozed insights are {said}"));
                self.read_provenance()
            }
            A::LeaveOutRecord | A::LeaveOutCase | A::LeaveOutDomain => self.leave_out(action),
            A::NextLimit => {
                self.dreams.limit = Some(next_limit(self.dreams.limit));
                Vec::new()
            }
            A::LimitUp => self.move_limit(1.0),
            A::LimitDown => self.move_limit(-1.0),
            A::PutBack => {
                self.dreams.supposition = Default::default();
                self.dreams.what_if = None;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn mark(&mut self, mark: Mark) -> Vec<Effect> {
        let Some(seen) = self.dreams.selected() else { return Vec::new() };
        // The same again takes it away.
        let mark = (seen.mark != Some(mark)).then_some(mark);
        let id = seen.insight.insight_id.clone();
        self.pending += 1;
        vec![Effect::Ask(Request::MarkInsight { id, mark })]
    }

    /// Takes in that an insight was marked.
    pub(in crate::tui::app) fn on_marked(&mut self, seen: &SeenInsight) -> Vec<Effect> {
        let key = self.keys().any_key_in_words(Action::ShowHidden);
        let said = match (seen.mark, seen.hidden) {
            (None, _) => "the mark is taken away".to_owned(),
            (Some(mark), false) => mark.to_string(),
            (Some(mark), true) => format!("{mark}: out of sight, {key} lists it too"),
        };
        self.tell(said);
        self.detail.brief = None;
        let mut effects = self.read_dreams();
        effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
        effects
    }

    fn leave_out(&mut self, action: Action) -> Vec<Effect> {
        let Some(record) = self.dreams.record().cloned() else { return Vec::new() };
        let without = &mut self.dreams.supposition.without;
        fn toggle<T: Ord>(set: &mut std::collections::BTreeSet<T>, value: T) {
            if !set.remove(&value) {
                set.insert(value);
            }
        }
        match action {
            Action::LeaveOutCase => toggle(
                &mut without.cases,
                (record.domain.to_string(), record.case_slug.to_string()),
            ),
            Action::LeaveOutDomain => toggle(&mut without.domains, record.domain.to_string()),
            _ => toggle(&mut without.records, record.id.to_string()),
        }
        self.suppose_again()
    }

    fn move_limit(&mut self, by: f64) -> Vec<Effect> {
        let limit = self.dreams.limit.unwrap_or(Limit::Gap);
        self.dreams.limit = Some(limit);
        let limits = &mut self.dreams.supposition.limits;
        let moved = moved(limits, limit, by);
        // At an end of its range a limit stays where it is.
        let _ = limits.set(limit, moved);
        self.suppose_again()
    }

    /// Asks what would be under the supposition.
    fn suppose_again(&mut self) -> Vec<Effect> {
        if !self.dreams.supposes() {
            self.dreams.what_if = None;
            return Vec::new();
        }
        vec![Effect::Ask(Request::WhatIf(self.dreams.supposition.clone()))]
    }

    /// Shows another list of the screen.
    pub(in crate::tui::app) fn turn_look(&mut self, forward: bool) -> Vec<Effect> {
        let look = self.dreams.look.turned(forward);
        self.show_look(look)
    }

    /// Shows a list of the screen.
    pub(in crate::tui::app) fn show_look(&mut self, look: Look) -> Vec<Effect> {
        self.dreams.look = look;
        self.dreams.cursor = Cursor::default();
        self.dreams.detail = Cursor::default();
        self.dreams.in_detail = false;
        self.read_provenance()
    }

    /// Enter in the list.
    pub(in crate::tui::app) fn enter_dreams(&mut self) -> Vec<Effect> {
        match self.dreams.look {
            Look::Past => {
                let id = self.dreams.past().map(|line| line.dream_id.to_string());
                self.dreams.wanted = id;
                let mut effects = self.show_look(Look::Insights);
                effects.push(Effect::Ask(Request::Dreams(self.dreams.wanted.clone())));
                effects
            }
            Look::Near => Vec::new(),
            Look::Insights | Look::Graph => {
                self.dreams.in_detail = !self.dreams.is_empty();
                self.first_record();
                self.read_provenance()
            }
        }
    }

    /// Enter in the detail: a record's file, or along an edge.
    pub(in crate::tui::app) fn enter_dream_detail(&mut self) -> Vec<Effect> {
        match self.dreams.row() {
            Some(Row::Record(record)) => {
                vec![Effect::Ask(Request::RecordFile(record.path.to_string()))]
            }
            Some(Row::Edge(_, key)) => {
                let key = key.clone();
                self.dreams.walk_to(&key);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The choice stands on the first record, not on the head of its side.
    fn first_record(&mut self) {
        let rows = self.dreams.rows();
        let first = rows.iter().position(|row| matches!(row, Row::Record(_) | Row::Edge(..)));
        if let Some(first) = first.filter(|_| self.dreams.detail.index == 0) {
            self.dreams.detail.index = first;
        }
    }

    /// Goes to an insight of the latest dream.
    pub(in crate::tui::app) fn open_insight(&mut self, id: &str) -> Vec<Effect> {
        self.dreams.wanted = None;
        self.dreams.look = Look::Insights;
        self.dreams.choose = Some(id.to_owned());
        self.dreams.in_detail = true;
        self.dreams.stale = true;
        self.go_to(Screen::Dreams)
    }
}

fn next_limit(limit: Option<Limit>) -> Limit {
    match limit {
        None | Some(Limit::Confidence) => Limit::Gap,
        Some(Limit::Gap) => Limit::Low,
        Some(Limit::Low) => Limit::Cases,
        Some(Limit::Cases) => Limit::Impact,
        Some(Limit::Impact) => Limit::Confidence,
    }
}

fn moved(limits: &Limits, limit: Limit, by: f64) -> f64 {
    let now = limits.shown(limit).parse::<f64>().unwrap_or_default();
    match limit {
        Limit::Cases => (now + by).max(1.0),
        _ => (now + by * NOTCH).clamp(0.0, 1.0),
    }
}

impl Dreams {
    /// What is supposed, in words; empty if nothing is.
    pub fn supposed_in_words(&self) -> Vec<String> {
        let without = &self.supposition.without;
        let mut said: Vec<String> = Vec::new();
        said.extend(without.domains.iter().map(|domain| format!("without domain {domain}")));
        said.extend(without.cases.iter().map(|(_, case)| format!("without case {case}")));
        said.extend(without.records.iter().map(|id| format!("without record {id}")));
        let usual = Limits::default();
        let limits = &self.supposition.limits;
        for limit in [Limit::Gap, Limit::Low, Limit::Cases, Limit::Impact, Limit::Confidence] {
            if limits.shown(limit) != usual.shown(limit) {
                said.push(format!(
                    "{limit} {} instead of {}",
                    limits.shown(limit),
                    usual.shown(limit)
                ));
            }
        }
        said
    }

    /// Whether a record is left out by the supposition.
    pub fn is_left_out(&self, record: &crate::engine::RewardRecord) -> bool {
        let without = &self.supposition.without;
        without.records.contains(&*record.id)
            || without.domains.contains(&*record.domain)
            || without.cases.contains(&(record.domain.to_string(), record.case_slug.to_string()))
    }
}
