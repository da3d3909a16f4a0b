//! The mouse: click focuses and selects, double click opens, the wheel scrolls.

use crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};

use crate::tui::action::{Action, Context};
use crate::tui::msg::Effect;
use crate::tui::view::Target;

use super::cursor::Step;
use super::overlay::Overlay;
use super::{App, Screen};

/// Within how many milliseconds two clicks are a double click.
const DOUBLE_MS: i64 = 400;
/// How many rows one notch of the wheel scrolls.
const NOTCH: isize = 3;

impl App {
    pub(super) fn on_mouse(&mut self, event: MouseEvent) -> Vec<Effect> {
        self.typed.clear();
        if matches!(self.overlays.last(), Some(Overlay::Form(_))) {
            return self.on_form_event(&Event::Mouse(event), None);
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(event.column, event.row),
            MouseEventKind::ScrollDown => self.wheel(event, NOTCH),
            MouseEventKind::ScrollUp => self.wheel(event, -NOTCH),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, event: MouseEvent, rows: isize) -> Vec<Effect> {
        if !self.overlays.is_empty() {
            return self.step(Step::Rows(rows));
        }
        match self.layout.pane_at(event.column, event.row) {
            Some(pane) => self.step_pane(pane, Step::Rows(rows)),
            None => Vec::new(),
        }
    }

    fn click(&mut self, column: u16, row: u16) -> Vec<Effect> {
        let now = self.clock.uptime;
        let double = self
            .last_click
            .is_some_and(|(c, r, at)| (c, r) == (column, row) && now.since(at) <= DOUBLE_MS);
        self.last_click = Some((column, row, now));
        let Some(target) = self.layout.target_at(column, row) else {
            // Beside what lies over the screen: it closes.
            return match self.overlays.last() {
                Some(_) => self.back(),
                None => Vec::new(),
            };
        };
        match target {
            Target::Row(pane, index) => {
                let mut effects = self.focus(pane);
                effects.extend(self.choose_row(pane, index));
                if double {
                    effects.extend(self.perform(Action::Enter));
                }
                effects
            }
            Target::Pane(pane) => self.focus(pane),
            Target::Tab(tab) => self.show_tab(tab),
            Target::OverlayRow(index) => {
                match self.overlays.last_mut() {
                    Some(Overlay::Help(search) | Overlay::Palette(search)) => {
                        search.cursor.index = index;
                    }
                    Some(Overlay::Found(finding)) => finding.search.cursor.index = index,
                    Some(
                        Overlay::Facets(cursor)
                        | Overlay::CommandLog(cursor)
                        | Overlay::Workers(cursor),
                    ) => {
                        cursor.index = index;
                    }
                    Some(Overlay::Themes(menu)) => menu.cursor.index = index,
                    _ => return Vec::new(),
                }
                self.wear_chosen();
                if double { self.perform(Action::Enter) } else { Vec::new() }
            }
            Target::Overlay => Vec::new(),
            Target::Act(action) => self.perform(action),
        }
    }

    fn focus(&mut self, pane: Context) -> Vec<Effect> {
        self.filtering = false;
        match pane {
            Context::Loops => self.in_detail = false,
            Context::Dreams => self.dreams.in_detail = false,
            Context::DreamDetail => self.dreams.in_detail = true,
            Context::Memory => self.memory.in_text = false,
            Context::MemoryText => self.memory.in_text = true,
            Context::Sessions => self.sessions.pane = super::sessions::Pane::List,
            Context::Attempts => self.sessions.pane = super::sessions::Pane::Attempts,
            Context::Output => self.sessions.pane = super::sessions::Pane::Output,
            Context::Gate
            | Context::Slots
            | Context::Next
            | Context::Artifacts
            | Context::Insights
            | Context::Journal => {
                self.in_detail = true;
                self.detail.pane = pane;
            }
            Context::AllArtifacts | Context::Brief | Context::Coverage | Context::Time => {
                self.in_detail = true;
            }
            _ => {}
        }
        Vec::new()
    }

    fn choose_row(&mut self, pane: Context, index: usize) -> Vec<Effect> {
        let current = match pane {
            Context::Loops => self.loops.cursor.index,
            Context::Dreams => self.dreams.cursor.index,
            Context::DreamDetail => self.dreams.detail.index,
            Context::Insights => self.detail.insights.index,
            Context::Memory => self.memory.cursor.index,
            Context::Events => self.events.cursor.index,
            Context::Sessions => self.sessions.cursor.index,
            Context::Attempts => self.sessions.attempts.index,
            Context::Next => self.detail.next.index,
            Context::Artifacts => self.detail.artifacts.index,
            Context::AllArtifacts => self.detail.all_artifacts.index,
            Context::Journal => self.detail.journal.index,
            Context::Coverage => self.detail.coverage.index,
            _ => return Vec::new(),
        };
        let by = isize::try_from(index).unwrap_or(0) - isize::try_from(current).unwrap_or(0);
        debug_assert!(self.screen == Screen::Loops || !matches!(pane, Context::Loops));
        self.step_pane(pane, Step::Rows(by))
    }
}
