//! Moving: rows, pages, panes, tabs, screens.

use crate::tui::action::Context;
use crate::tui::msg::{Effect, Request};

use super::cursor::{Cursor, Step};
use super::detail::{PANES, Tab};
use super::overlay::{Overlay, Viewed};
use super::{App, Screen, events};

impl App {
    /// Moves in what has the keyboard.
    pub(super) fn step(&mut self, step: Step) -> Vec<Effect> {
        if !self.overlays.is_empty() {
            self.step_overlay(step);
            return Vec::new();
        }
        self.step_pane(self.pane(), step)
    }

    /// Moves in a pane, whether or not it has the keyboard (the wheel does that).
    pub(super) fn step_pane(&mut self, pane: Context, step: Step) -> Vec<Effect> {
        let view = self.layout.view(pane);
        let lines = self.layout.lines(pane);
        match pane {
            Context::Loops => {
                self.loops.step(step, view);
                return self.follow_choice();
            }
            Context::Dreams => {
                self.dreams.step(step, view);
                return self.read_provenance();
            }
            Context::DreamDetail => {
                let len = self.dreams.rows().len();
                self.dreams.detail.step(step, len, view);
            }
            Context::Insights => {
                let len = self.detail.data().map_or(0, |data| data.insights.len());
                self.detail.insights.step(step, len, view);
            }
            Context::Sessions => {
                self.sessions.step(step, view);
                return self.follow_session();
            }
            Context::Attempts => {
                let runs = self.runs_here();
                self.sessions.step_attempts(step, view, runs);
            }
            Context::Output => {
                self.sessions.output.scroll(step, lines, view);
                let at_end = self.sessions.output.offset + view >= lines;
                if let Some(run) = &mut self.run {
                    run.follow = at_end;
                }
            }
            Context::Memory => self.memory.step(step, view),
            Context::MemoryText => self.memory.scroll.scroll(step, lines, view),
            Context::Events => {
                let more = self.events.step(step, view);
                return more
                    .then(|| Effect::Ask(Request::Events(self.events.wanted)))
                    .into_iter()
                    .collect();
            }
            Context::Gate => self.detail.gate.scroll(step, lines, view),
            Context::Slots => self.detail.slots.scroll(step, lines, view),
            Context::Next => self.detail.next.step(step, lines, view),
            Context::Artifacts => {
                let len = self.detail.round_len();
                self.detail.artifacts.step(step, len, view);
                return self.read_chosen_body();
            }
            Context::AllArtifacts => {
                let len = self.detail.data().map_or(0, |data| data.state.artifacts.len());
                self.detail.all_artifacts.step(step, len, view);
                return self.read_chosen_body();
            }
            Context::Journal => {
                let len = self.detail.data().map_or(0, |data| data.log.entries.len());
                self.detail.journal.step(step, len, view);
            }
            Context::Brief => self.detail.brief_scroll.scroll(step, lines, view),
            Context::Coverage => {
                let len = self.detail.data().map_or(0, |data| data.coverage.critiques.len());
                self.detail.coverage.step(step, len, view);
                return self.read_chosen_body();
            }
            Context::Time => self.step_time(step, lines, view),
            _ => {}
        }
        Vec::new()
    }

    fn step_overlay(&mut self, step: Step) {
        let view = self.layout.overlay_view;
        let lines = self.layout.overlay_lines;
        let rows = match self.overlays.last() {
            Some(Overlay::Help(search)) => self.help_rows(search).len(),
            Some(Overlay::Palette(search)) => self.palette_rows(search).len(),
            Some(Overlay::Facets(_)) => self.facet_rows().len(),
            Some(Overlay::Workers(_)) => self.crew.len(),
            Some(Overlay::Themes(_)) => self.settings.themes.len(),
            Some(Overlay::CommandLog(_)) => self.command_log.len(),
            Some(Overlay::Found(finding)) => finding.found.found.len(),
            _ => 0,
        };
        match self.overlays.last_mut() {
            Some(Overlay::Help(search) | Overlay::Palette(search)) => {
                search.cursor.step(step, rows, view);
            }
            Some(
                Overlay::Facets(cursor) | Overlay::CommandLog(cursor) | Overlay::Workers(cursor),
            ) => {
                cursor.step(step, rows, view);
            }
            Some(Overlay::Themes(menu)) => {
                menu.cursor.step(step, rows, view);
                self.wear_chosen();
            }
            Some(Overlay::Found(finding)) => finding.search.cursor.step(step, rows, view),
            Some(Overlay::Undo(preview)) => preview.scroll.scroll(step, lines, view),
            Some(Overlay::Viewer(viewer)) => {
                viewer.scroll.scroll(step, lines, view);
                if let (Viewed::Run, Some(run)) = (&viewer.viewed, &mut self.run) {
                    run.follow = viewer.scroll.offset + view >= lines;
                }
            }
            _ => {}
        }
    }

    /// Goes to the next pane, or to the one before, round and round.
    pub(super) fn turn_pane(&mut self, forward: bool) -> Vec<Effect> {
        match self.screen {
            Screen::Dreams => self.dreams.in_detail = !self.dreams.in_detail,
            Screen::Sessions => {
                use super::sessions::Pane;
                let stops = [Pane::List, Pane::Attempts, Pane::Output];
                let at = stops.iter().position(|pane| *pane == self.sessions.pane).unwrap_or(0);
                let next = if forward { at + 1 } else { at + stops.len() - 1 };
                self.sessions.pane = stops[next % stops.len()];
                return Vec::new();
            }
            Screen::Memory => self.memory.in_text = !self.memory.in_text,
            Screen::Journal => {}
            Screen::Loops if self.selected_loop().is_none() => {}
            Screen::Loops if self.detail.tab != Tab::Overview => self.in_detail = !self.in_detail,
            Screen::Loops => {
                // A pane without content is not shown, and not a stop.
                let bare = self.detail.data().is_none_or(|data| data.insights.is_empty());
                let panes: Vec<Context> =
                    PANES.into_iter().filter(|p| !bare || *p != Context::Insights).collect();
                let stops = panes.len() + 1;
                let at = if self.in_detail {
                    1 + panes.iter().position(|p| *p == self.detail.pane).unwrap_or(0)
                } else {
                    0
                };
                let next = if forward { (at + 1) % stops } else { (at + stops - 1) % stops };
                self.in_detail = next > 0;
                if next > 0 {
                    self.detail.pane = panes[next - 1];
                }
            }
        }
        self.read_chosen_body()
    }

    /// Shows a screen and asks for what it needs.
    pub(super) fn go_to(&mut self, screen: Screen) -> Vec<Effect> {
        if self.screen == Screen::Journal {
            self.events.let_go();
        }
        self.screen = screen;
        self.filtering = false;
        match screen {
            Screen::Loops => self.follow_choice(),
            Screen::Dreams if self.dreams.data.is_none() || self.dreams.stale => {
                vec![Effect::Ask(Request::Dreams(self.dreams.wanted.clone()))]
            }
            Screen::Sessions => self.read_sessions(),
            Screen::Memory if !self.memory.loaded || self.memory.stale => {
                vec![Effect::Ask(Request::Memory)]
            }
            Screen::Journal if !self.events.loaded || self.events.stale => {
                self.events.wanted = self.events.wanted.max(events::PAGE);
                vec![Effect::Ask(Request::Events(self.events.wanted))]
            }
            _ => Vec::new(),
        }
    }

    /// Shows another tab of the detail.
    pub(super) fn show_tab(&mut self, tab: Tab) -> Vec<Effect> {
        self.detail.tab = tab;
        self.in_detail = true;
        self.after_detail()
    }

    /// The detail follows the choice of the list.
    pub(super) fn follow_choice(&mut self) -> Vec<Effect> {
        let id = self.loop_id();
        if !self.detail.show(id.clone()) && self.detail.data().is_some() {
            return Vec::new();
        }
        let mut effects: Vec<Effect> =
            id.map(|id| Effect::Ask(Request::Detail(id))).into_iter().collect();
        if self.detail.data().is_some() {
            effects.extend(self.after_detail());
        }
        effects
    }

    /// Asks for what the tab in view needs beyond the loop itself.
    pub(super) fn after_detail(&mut self) -> Vec<Effect> {
        match self.detail.tab {
            Tab::Brief => self.read_brief(),
            Tab::Time => self.read_past(),
            _ => self.read_chosen_body(),
        }
    }

    fn read_brief(&mut self) -> Vec<Effect> {
        match self.detail.data() {
            Some(data) if !self.detail.brief_is_fresh() => {
                vec![Effect::Ask(Request::Brief(data.state.id.clone()))]
            }
            _ => Vec::new(),
        }
    }

    /// Asks for the body of the chosen artifact: its text stands beside the list
    /// where there is room for it, and opens without waiting where there is none.
    pub(super) fn read_chosen_body(&mut self) -> Vec<Effect> {
        let pane = match self.detail.tab {
            Tab::Overview => Context::Artifacts,
            Tab::Artifacts => Context::AllArtifacts,
            Tab::Coverage => Context::Coverage,
            Tab::Brief | Tab::Time => return Vec::new(),
        };
        let Some(loop_id) = self.detail.id.clone() else { return Vec::new() };
        match self.detail.chosen_in(pane) {
            Some(artifact) if self.detail.body(&artifact.artifact_id).is_none() => {
                vec![Effect::Ask(Request::Body(loop_id, artifact.artifact_id.clone()))]
            }
            _ => Vec::new(),
        }
    }

    /// Scrolls back to the beginning of what the brief tab shows.
    pub(super) fn rewind_brief(&mut self) {
        self.detail.brief_scroll = Cursor::default();
    }
}
