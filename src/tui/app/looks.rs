//! How the deck looks, and how it calls a person who looks elsewhere.

use crate::tui::msg::{Call, Effect};
use crate::tui::settings::Notify;

use super::App;
use super::cursor::Cursor;
use super::overlay::Overlay;

/// The menu of themes. Each is worn while it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeMenu {
    /// The row.
    pub cursor: Cursor,
    /// The theme that was on before: Esc goes back to it.
    pub before: usize,
}

impl App {
    /// Opens the menu of themes at the one that is on.
    pub(super) fn choose_theme(&mut self) -> Vec<Effect> {
        let before = self.settings.theme;
        let cursor = Cursor { index: before, offset: 0 };
        self.open_overlay(Overlay::Themes(ThemeMenu { cursor, before }));
        Vec::new()
    }

    /// Puts a theme on.
    pub(super) fn wear(&mut self, at: usize) {
        if at < self.settings.themes.len() {
            self.settings.theme = at;
            self.theme = self.settings.theme();
        }
    }

    /// Wears the theme whose row is chosen in the menu.
    pub(super) fn wear_chosen(&mut self) {
        if let Some(Overlay::Themes(menu)) = self.overlays.last() {
            self.wear(menu.cursor.index);
        }
    }

    /// Keeps the theme that is worn, in this workspace; says how to keep it everywhere.
    pub(super) fn keep_theme(&mut self) -> Vec<Effect> {
        self.overlays.pop();
        self.theme_chosen = true;
        if let Some(named) = self.settings.themes.get(self.settings.theme) {
            let said = format!("theme {0}; everywhere: theme = \"{0}\" in deck.toml", named.name);
            self.tell(said);
        }
        Vec::new()
    }

    /// Calls the person, if the terminal has no focus and the settings want it.
    pub(super) fn call(&self, text: impl Into<String>) -> Vec<Effect> {
        let (bell, desktop) = match self.settings.habits.notify {
            Notify::Off => return Vec::new(),
            Notify::Bell => (true, false),
            Notify::Desktop => (false, true),
            Notify::Both => (true, true),
        };
        if self.focused {
            return Vec::new();
        }
        let text = crate::core::text::shown_in_line(&text.into());
        vec![Effect::Call(Call { bell, desktop: desktop.then_some(text) })]
    }
}
