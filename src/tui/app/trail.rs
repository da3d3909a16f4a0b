//! The trail: the loop that this one follows, those that follow it, and the
//! form for the next.

use crate::engine::LoopSummary;
use crate::tui::action::Action;
use crate::tui::form::FormKind;
use crate::tui::msg::{Effect, FormOrder, Request};

use super::App;

impl App {
    /// The loop that the chosen one follows.
    pub fn source(&self) -> Option<&LoopSummary> {
        let source = self.selected_loop()?.source_loop_id.as_ref()?;
        self.loops.all.iter().find(|summary| summary.id == *source)
    }

    /// The loops that follow the chosen one, newest change first.
    pub fn followers(&self) -> Vec<&LoopSummary> {
        let Some(chosen) = self.selected_loop() else { return Vec::new() };
        let follows = |l: &&LoopSummary| l.source_loop_id.as_ref() == Some(&chosen.id);
        self.loops.all.iter().filter(follows).collect()
    }

    /// Goes along the trail.
    pub(super) fn walk_trail(&mut self, action: Action) -> Vec<Effect> {
        let to = match action {
            Action::ToSource => self.source().map(|l| l.id.clone()),
            _ => self.followers().first().map(|l| l.id.clone()),
        };
        let Some(id) = to else { return Vec::new() };
        self.loops.choose(&id, self.clock.now);
        self.follow_choice()
    }

    /// Asks for the form of a new loop, filled in from the one in view.
    pub(super) fn order_follow_up(&mut self) -> Vec<Effect> {
        let order = FormOrder {
            kind: FormKind::NewLoop,
            loop_id: self.loop_id(),
            artifact: None,
            slot: None,
            item: None,
            session: None,
            text: None,
        };
        vec![Effect::Ask(Request::Form(order))]
    }
}
