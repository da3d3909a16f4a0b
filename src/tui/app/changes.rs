//! What others changed: only that is read again.

use crate::engine::Change;
use crate::tui::msg::{Effect, Request};

use super::{App, Screen};

impl App {
    pub(super) fn on_change(&mut self, change: Change) -> Vec<Effect> {
        match change {
            Change::Loop(id) => {
                self.detail.forget(&id);
                let in_view = self.detail.id.as_ref() == Some(&id);
                let mut effects = vec![Effect::Ask(Request::List)];
                effects.extend(in_view.then_some(Effect::Ask(Request::Detail(id))));
                effects.extend(self.events_changed());
                effects
            }
            Change::Loops => {
                let mut effects = vec![Effect::Ask(Request::List)];
                effects.extend(self.events_changed());
                effects
            }
            Change::Sessions => {
                let mut effects = Vec::new();
                if self.screen == Screen::Sessions {
                    effects.extend(self.read_sessions());
                }
                if self.linked_session().is_some() {
                    effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
                }
                effects
            }
            Change::Memory => {
                let mut effects = self.memory_changed();
                effects.push(Effect::Ask(Request::Problems));
                effects
            }
            Change::Dreams => {
                let mut effects = self.read_dreams();
                self.detail.brief = None;
                effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
                effects
            }
            Change::Settings => vec![Effect::Ask(Request::List), Effect::Ask(Request::Problems)],
        }
    }

    fn events_changed(&mut self) -> Option<Effect> {
        self.events.stale = true;
        (self.screen == Screen::Journal).then_some(Effect::Ask(Request::Events(self.events.wanted)))
    }

    /// Memory is read again where it is in view, else when it comes into view.
    pub(super) fn memory_changed(&mut self) -> Vec<Effect> {
        self.memory.stale = true;
        self.detail.brief = None;
        if self.screen == Screen::Memory {
            return vec![Effect::Ask(Request::Memory)];
        }
        self.after_detail()
    }
}
