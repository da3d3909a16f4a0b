//! Keys that are typed while something is read that will lie over the screen:
//! they were meant for it, never for the pane behind.

use crossterm::event::Event;

use crate::tui::msg::{Answer, Effect, Msg, Request};

use super::App;
use super::overlay::Overlay;

/// Keys and pastes that are kept at most.
const KEPT: usize = 256;

/// What is awaited.
#[derive(Debug)]
pub(super) enum Waits {
    /// A form: what is typed goes into it.
    Form(Vec<Event>),
    /// A preview: what is typed is dropped, for a yes is to be given to what was
    /// seen.
    Preview,
}

impl App {
    /// Remembers what a key asked for.
    pub(super) fn begin_to_wait(&mut self, effects: &[Effect]) {
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Ask(Request::Form(_)) => Some(Waits::Form(Vec::new())),
            Effect::Ask(Request::PreviewAdvance(..) | Request::PreviewUndo { .. }) => {
                Some(Waits::Preview)
            }
            _ => None,
        });
        if asked.is_some() {
            self.waits = asked;
        }
    }

    /// Takes a key or a paste if something is awaited; whether it was taken.
    pub(super) fn hold_back(&mut self, event: &Event) -> bool {
        match &mut self.waits {
            Some(Waits::Form(kept)) => {
                if kept.len() < KEPT {
                    kept.push(event.clone());
                }
                true
            }
            Some(Waits::Preview) => true,
            None => false,
        }
    }

    /// Whether an answer is what was awaited.
    pub(super) fn is_awaited(&self, answer: &Answer) -> bool {
        match self.waits {
            Some(Waits::Form(_)) => matches!(answer, Answer::Form(..)),
            Some(Waits::Preview) => matches!(answer, Answer::Advance(..) | Answer::Undo(..)),
            None => false,
        }
    }

    /// What was awaited is there: what was typed meanwhile goes into the form;
    /// where none came of it, it is dropped.
    pub(super) fn hand_on(&mut self) -> Vec<Effect> {
        let Some(Waits::Form(kept)) = self.waits.take() else { return Vec::new() };
        let mut effects = Vec::new();
        for event in kept {
            if !matches!(self.overlays.last(), Some(Overlay::Form(_))) {
                break;
            }
            effects.extend(match event {
                Event::Key(key) => self.update(Msg::Key(key)),
                Event::Paste(text) => self.update(Msg::Paste(text)),
                _ => Vec::new(),
            });
        }
        effects
    }
}
