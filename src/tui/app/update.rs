//! `update`: a message and the state give a new state and effects.

use crossterm::event::{Event, KeyEvent, KeyEventKind};

use crate::tui::action::{Action, Context};
use crate::tui::keymap::{Found, Sequence};
use crate::tui::keys::Chord;
use crate::tui::msg::{Effect, Msg};

use super::cursor::Cursor;
use super::overlay::{Overlay, Search};
use super::{App, Screen};

impl App {
    /// Takes in a message.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let effects = self.take_in(msg);
        self.follow_tour();
        effects
    }

    fn take_in(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => self.on_key(key),
            Msg::Paste(text) => self.on_paste(text),
            Msg::Mouse(event) => self.on_mouse(event),
            Msg::Resize(..) | Msg::HungUp => Vec::new(),
            Msg::Focus(focused) => {
                self.focused = focused;
                Vec::new()
            }
            Msg::Tick => {
                self.toasts.expire(self.clock.uptime);
                let mut effects = self.resolve_overdue();
                effects.extend(self.look_at_workers());
                effects.extend(self.look_for_due_dream());
                effects
            }
            Msg::Answer(answer) => {
                let awaited = self.is_awaited(&answer);
                let mut effects = self.on_answer(answer);
                if awaited {
                    effects.extend(self.hand_on());
                }
                effects
            }
            Msg::DreamPace => Vec::new(),
            Msg::RunOutput => {
                self.on_run_output();
                Vec::new()
            }
            Msg::Changed(change) => self.on_change(change),
            Msg::Edited { purpose, result } => self.on_edited(purpose, result),
        }
    }

    fn on_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        // Some terminals tell of the release too.
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let chord = Chord::of(&key);
        if self.hold_back(&Event::Key(key)) {
            return Vec::new();
        }
        // While an attempt runs, an interrupt is meant for its command.
        if Some(chord) == Chord::parse("ctrl-c") && self.attempt_runs() {
            return self.cancel_run();
        }
        let Some(context) = self.context() else {
            self.typed.clear();
            return self.on_form_event(&Event::Key(key), Some(chord));
        };
        let mut typed = std::mem::take(&mut self.typed);
        typed.push(chord);
        match self.keys().find(context, &typed) {
            Found::Action(action) => {
                let effects = self.perform(action);
                self.begin_to_wait(&effects);
                return effects;
            }
            Found::Prefix => {
                self.typed = typed;
                return Vec::new();
            }
            Found::Nothing if typed.len() > 1 => return self.nothing_follows(&typed),
            Found::Nothing => {}
        }
        if context.takes_text() {
            if chord.is_backspace() {
                return self.edit_line(|line| line.backspace());
            }
            if let Some(c) = chord.typed() {
                return self.edit_line(|line| line.push(c));
            }
        }
        Vec::new()
    }

    /// What is said of keys one after the other that mean nothing; Esc means no.
    fn nothing_follows(&mut self, typed: &[Chord]) -> Vec<Effect> {
        if typed.last().copied() != Chord::parse("esc") {
            self.warn(format!("{} does nothing here", Sequence::of(typed)));
        }
        Vec::new()
    }

    /// A paste is text where text is typed; elsewhere it is nothing, never keys.
    fn on_paste(&mut self, text: String) -> Vec<Effect> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.hold_back(&Event::Paste(text.clone())) {
            return Vec::new();
        }
        match self.context() {
            None => self.on_form_event(&Event::Paste(text), None),
            Some(context) if context.takes_text() => {
                self.edit_line(|line| line.text.push_str(&text.replace('\n', " ")))
            }
            Some(_) => Vec::new(),
        }
    }

    /// Changes the line that is being typed, and what follows from it.
    fn edit_line(&mut self, edit: impl FnOnce(&mut super::finder::Line)) -> Vec<Effect> {
        if let Some(Overlay::Help(search) | Overlay::Palette(search)) = self.overlays.last_mut() {
            edit(&mut search.line);
            search.cursor = Cursor::default();
            return Vec::new();
        }
        if matches!(self.overlays.last(), Some(Overlay::Found(_))) {
            return self.edit_search(edit);
        }
        if !self.filtering {
            return Vec::new();
        }
        let mut line = super::finder::Line { text: self.filter_words().to_owned() };
        edit(&mut line);
        self.set_filter(&line.text)
    }

    /// The words of the filter of the list in view.
    pub fn filter_words(&self) -> &str {
        match self.screen {
            Screen::Loops => self.loops.finder.words(),
            Screen::Dreams => "",
            Screen::Sessions if self.pane_is_output() => &self.sessions.search,
            Screen::Sessions => self.sessions.finder.words(),
            Screen::Memory => self.memory.finder.words(),
            Screen::Journal => self.events.finder.words(),
        }
    }

    pub(super) fn set_filter(&mut self, words: &str) -> Vec<Effect> {
        match self.screen {
            Screen::Loops => {
                self.loops.filter(words, self.clock.now);
                self.follow_choice()
            }
            Screen::Dreams => Vec::new(),
            Screen::Sessions if self.pane_is_output() => {
                self.search_output(words);
                Vec::new()
            }
            Screen::Sessions => {
                self.sessions.filter(words);
                self.follow_session()
            }
            Screen::Memory => {
                self.memory.filter(words);
                Vec::new()
            }
            Screen::Journal => {
                self.events.filter(words);
                Vec::new()
            }
        }
    }

    /// Esc: closes the topmost thing, then the filter, then goes back to the
    /// list. It never quits.
    pub(super) fn back(&mut self) -> Vec<Effect> {
        if let Some(Overlay::Help(search)) = self.overlays.last_mut()
            && search.typing
        {
            *search = Search::default();
            return Vec::new();
        }
        if let Some(overlay) = self.overlays.pop() {
            if let Overlay::Themes(menu) = overlay {
                self.wear(menu.before);
            }
            return Vec::new();
        }
        if self.filtering {
            self.filtering = false;
            return self.set_filter("");
        }
        if self.toasts.dismiss() {
            return Vec::new();
        }
        match self.pane() {
            Context::Start => Vec::new(),
            Context::Loops
            | Context::Memory
            | Context::Events
            | Context::Sessions
            | Context::Output
                if self.has_filter() =>
            {
                self.set_filter("")
            }
            Context::MemoryText => {
                self.memory.in_text = false;
                Vec::new()
            }
            Context::DreamDetail => {
                self.dreams.in_detail = false;
                Vec::new()
            }
            Context::Dreams if self.dreams.supposes() => self.act_on_dreams(Action::PutBack),
            Context::Dreams if self.dreams.wanted.is_some() => {
                self.dreams.wanted = None;
                self.read_dreams()
            }
            Context::Output => {
                self.sessions.pane = super::sessions::Pane::Attempts;
                Vec::new()
            }
            Context::Attempts => {
                self.sessions.pane = super::sessions::Pane::List;
                Vec::new()
            }
            Context::Dreams | Context::Memory | Context::Events | Context::Sessions => {
                self.go_to(Screen::Loops)
            }
            Context::Time => self.leave_time(),
            Context::Loops => {
                self.detail.refused = None;
                Vec::new()
            }
            _ => {
                self.in_detail = false;
                Vec::new()
            }
        }
    }

    fn pane_is_output(&self) -> bool {
        self.sessions.pane == super::sessions::Pane::Output
    }

    /// What to do when a list should show fewer: enter in a filter keeps it.
    pub(super) fn settle_filter(&mut self) {
        self.filtering = false;
        match self.screen {
            Screen::Loops => self.loops.settle(),
            Screen::Dreams => {}
            Screen::Sessions => self.sessions.settle(),
            Screen::Memory => self.memory.settle(),
            Screen::Journal => self.events.settle(),
        }
    }

    /// Does what an action says, or says why it can't.
    pub(crate) fn perform(&mut self, action: Action) -> Vec<Effect> {
        if let Err(reason) = self.available(action) {
            let name = action.spec().name;
            self.warn(format!("{name}: {reason}"));
            return Vec::new();
        }
        self.act(action)
    }
}
