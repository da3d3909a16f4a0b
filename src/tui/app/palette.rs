//! The palette: what would help the chosen loop on, then every action by name.

use crate::core::loops::refusal::NextStep;
use crate::tui::action::{Action, Spec, actions};
use crate::tui::msg::Effect;

use super::finder::Finder;
use super::open::step_action;
use super::overlay::{Overlay, Search};
use super::{App, Screen};

/// A row of the palette.
#[derive(Clone, Debug)]
pub enum PaletteRow {
    /// A step of Next, by its place there, and the action that takes it.
    Step(usize, Action),
    /// An action, and why it can't act now if it can't.
    Action(&'static Spec, Result<(), String>),
}

impl App {
    /// The steps of Next that a key takes, while their loop is in view.
    fn steps_to_take(&self) -> impl Iterator<Item = (usize, &NextStep, Action)> {
        let steps = if self.screen == Screen::Loops { self.next_steps() } else { &[] };
        let taken = steps.iter().enumerate();
        taken
            .filter_map(|(at, step)| step_action(step).map(|action| (at, step, action)))
            .filter(|(_, _, action)| self.available(*action).is_ok())
    }

    /// The rows of the palette for what was typed: the best match first, those that
    /// can't act now last. Where nothing tells them apart, what would help the chosen
    /// loop on stands on top.
    pub fn palette_rows(&self, search: &Search) -> Vec<PaletteRow> {
        let finder = Finder::new(&search.line.text);
        let score = |name: &str, help: &str| {
            let by_name = finder.score(name).map(|score| score.saturating_mul(2));
            by_name.max(finder.score(help))
        };
        let steps = self.steps_to_take().filter_map(|(at, step, action)| {
            score(&step.text, "").map(|score| (score, PaletteRow::Step(at, action)))
        });
        let listed = actions().filter(|spec| spec.in_palette).filter_map(|spec| {
            let row = || PaletteRow::Action(spec, self.available(spec.action));
            score(spec.name, spec.help).map(|score| (score, row()))
        });
        let mut rows: Vec<_> = steps.chain(listed).collect();
        let unable = |row: &PaletteRow| matches!(row, PaletteRow::Action(_, Err(_)));
        rows.sort_by_key(|(score, row)| (unable(row), std::cmp::Reverse(*score)));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Runs the chosen row of help or palette.
    pub(super) fn run_searched(&mut self) -> Vec<Effect> {
        let row = match self.overlays.last() {
            Some(Overlay::Help(search)) => {
                let spec = self.help_rows(search).get(search.cursor.index).copied();
                spec.map(|spec| PaletteRow::Action(spec, Ok(())))
            }
            Some(Overlay::Palette(search)) => {
                self.palette_rows(search).into_iter().nth(search.cursor.index)
            }
            _ => None,
        };
        let Some(row) = row else { return Vec::new() };
        self.overlays.pop();
        match row {
            PaletteRow::Step(at, _) => self.take_step(at),
            PaletteRow::Action(spec, _) => self.perform(spec.action),
        }
    }
}
