//! Styles by meaning and symbols by state.
//!
//! Nothing in the deck names a colour: it asks the theme for what it means.
//! Themes are TOML files ([`file`]); the default uses the terminal's own sixteen
//! colours and `Reset`, so it is readable on dark and light alike. Colour only
//! supports: every state has a symbol of its own, and without colours bold, dim
//! and reverse stay.

mod colour;
mod file;
mod symbols;

use ratatui::style::Style;
use ratatui::symbols::border;

use crate::core::loops::attention::AttentionState;
use crate::core::loops::model::{SlotStatus, Status};

pub use colour::Colours;
pub use file::{BUILT_IN, parse};
pub use symbols::Symbols;

/// Which characters may be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Box drawing and geometric shapes, one cell each.
    #[default]
    Unicode,
    /// ASCII alone, for terminals and locales without UTF-8.
    Ascii,
}

impl Glyphs {
    /// What the environment asks for: a locale that is not UTF-8 turns to ASCII.
    pub fn detect(env: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let utf8 = locale.is_none_or(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        if utf8 || cfg!(windows) { Glyphs::Unicode } else { Glyphs::Ascii }
    }
}

/// The styles and symbols of the deck.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// The ground: what has no colour of its own.
    pub base: Style,
    /// Names of things: loops, panes, artifacts.
    pub title: Style,
    /// Plain text.
    pub text: Style,
    /// What is there for whoever looks for it: ids, ages, borders.
    pub muted: Style,
    /// What the eye is to find: the present phase, the focus.
    pub accent: Style,
    /// Done, met, accepted.
    pub ok: Style,
    /// Wants a look.
    pub warn: Style,
    /// Shut, failed, refused.
    pub bad: Style,
    /// The chosen row of a menu or picker.
    pub selected: Style,
    /// The chosen row of a pane that has the focus, beside its bar.
    pub current: Style,
    /// The chosen row of a pane without the focus.
    pub current_idle: Style,
    /// The border of a pane.
    pub border: Style,
    /// The border of the pane that has the focus.
    pub border_focus: Style,
    /// A key in a hint.
    pub key: Style,
    /// What the key does.
    pub hint: Style,
    /// A key that can't act now, and what it would do.
    pub disabled: Style,
    /// The characters of a text that the filter or a search met.
    pub matched: Style,
    /// A field's name.
    pub label: Style,
    /// The field or button that has the focus.
    pub field_focus: Style,
    /// The bar on top of the screen.
    pub header: Style,
    /// The symbols.
    pub symbols: &'static Symbols,
    /// Whether lines are drawn in ASCII.
    pub glyphs: Glyphs,
}

impl Default for Theme {
    fn default() -> Self {
        Self::named("terminal").unwrap_or_else(Self::plain)
    }
}

impl Theme {
    /// A theme that styles nothing: what a file starts from.
    fn plain() -> Self {
        let plain = Style::new();
        Self {
            base: plain,
            title: plain,
            text: plain,
            muted: plain,
            accent: plain,
            ok: plain,
            warn: plain,
            bad: plain,
            selected: plain,
            current: plain,
            current_idle: plain,
            border: plain,
            border_focus: plain,
            key: plain,
            hint: plain,
            disabled: plain,
            matched: plain,
            label: plain,
            field_focus: plain,
            header: plain,
            symbols: &symbols::UNICODE,
            glyphs: Glyphs::Unicode,
        }
    }

    /// The style of a meaning, by its name in theme files.
    fn style_mut(&mut self, meaning: &str) -> Option<&mut Style> {
        Some(match meaning {
            "base" => &mut self.base,
            "title" => &mut self.title,
            "text" => &mut self.text,
            "muted" => &mut self.muted,
            "accent" => &mut self.accent,
            "ok" => &mut self.ok,
            "warn" => &mut self.warn,
            "bad" => &mut self.bad,
            "selected" => &mut self.selected,
            "current" => &mut self.current,
            "current-idle" => &mut self.current_idle,
            "border" => &mut self.border,
            "border-focus" => &mut self.border_focus,
            "key" => &mut self.key,
            "hint" => &mut self.hint,
            "disabled" => &mut self.disabled,
            "matched" => &mut self.matched,
            "label" => &mut self.label,
            "field-focus" => &mut self.field_focus,
            "header" => &mut self.header,
            _ => return None,
        })
    }

    /// The meanings that a theme file can style.
    pub const MEANINGS: [&'static str; 20] = [
        "base",
        "title",
        "text",
        "muted",
        "accent",
        "ok",
        "warn",
        "bad",
        "selected",
        "current",
        "current-idle",
        "border",
        "border-focus",
        "key",
        "hint",
        "disabled",
        "matched",
        "label",
        "field-focus",
        "header",
    ];

    /// A theme that comes with the program.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(parse(text).0)
    }

    /// The default theme with or without colours, in Unicode or ASCII.
    pub fn new(colours: Colours, glyphs: Glyphs) -> Self {
        Self::default().shown_with(colours, glyphs)
    }

    /// The theme as a terminal can show it: fewer colours where it has fewer, and
    /// ASCII where that is asked for.
    pub fn shown_with(mut self, colours: Colours, glyphs: Glyphs) -> Self {
        for meaning in Self::MEANINGS {
            if let Some(style) = self.style_mut(meaning) {
                *style = colours.fit(*style);
            }
        }
        if glyphs == Glyphs::Ascii {
            self.glyphs = glyphs;
            self.symbols = &symbols::ASCII;
        }
        self
    }

    /// Gives every cell that has no colour of its own those of the ground.
    pub fn ground(&self, buffer: &mut ratatui::buffer::Buffer) {
        use ratatui::style::Color;
        if self.base == Style::new() {
            return;
        }
        for cell in &mut buffer.content {
            if let Some(fg) = self.base.fg.filter(|_| cell.fg == Color::Reset) {
                cell.fg = fg;
            }
            if let Some(bg) = self.base.bg.filter(|_| cell.bg == Color::Reset) {
                cell.bg = bg;
            }
        }
    }

    /// The lines around panes.
    pub fn borders(&self) -> border::Set<'static> {
        match self.glyphs {
            Glyphs::Unicode => border::ROUNDED,
            Glyphs::Ascii => border::Set {
                top_left: "+",
                top_right: "+",
                bottom_left: "+",
                bottom_right: "+",
                vertical_left: "|",
                vertical_right: "|",
                horizontal_top: "-",
                horizontal_bottom: "-",
            },
        }
    }

    /// The style of a row of a pane: chosen or not, in the pane with the focus or
    /// not; `plain` where it is not chosen.
    pub fn row(&self, chosen: bool, focused: bool, plain: Style) -> Style {
        match (chosen, focused) {
            (true, true) => self.current,
            (true, false) => self.current_idle,
            (false, _) => plain,
        }
    }

    /// The symbol and style of a loop's status.
    pub fn status(&self, status: Status) -> (&'static str, Style) {
        match status {
            Status::Open => (self.symbols.open, self.accent),
            Status::Paused => (self.symbols.paused, self.warn),
            Status::Completed => (self.symbols.completed, self.ok),
            Status::Blocked => (self.symbols.blocked, self.bad),
            Status::Cancelled => (self.symbols.cancelled, self.muted),
        }
    }

    /// The symbol and style of what a loop wants.
    pub fn attention(&self, state: AttentionState) -> (&'static str, Style) {
        match state {
            AttentionState::Closed => (self.symbols.completed, self.muted),
            AttentionState::Person => (self.symbols.person, self.warn),
            AttentionState::Paused => (self.symbols.paused, self.warn),
            AttentionState::Stuck => (self.symbols.unmet, self.bad),
            AttentionState::Worker => (self.symbols.working, self.text),
            AttentionState::Ready => (self.symbols.ready, self.ok),
            AttentionState::Work => (self.symbols.bullet, self.text),
        }
    }

    /// The symbol and style of where a slot stands.
    pub fn slot(&self, status: SlotStatus) -> (&'static str, Style) {
        match status {
            SlotStatus::Open => (self.symbols.dot_empty, self.muted),
            SlotStatus::Assigned => (self.symbols.dot_half, self.text),
            SlotStatus::Working => (self.symbols.working, self.accent),
            SlotStatus::WaitingInput => (self.symbols.person, self.warn),
            SlotStatus::Done => (self.symbols.completed, self.ok),
            SlotStatus::Failed => (self.symbols.unmet, self.bad),
            SlotStatus::Cancelled => (self.symbols.cancelled, self.muted),
        }
    }

    /// The symbol and style of a condition that holds or doesn't.
    pub fn met(&self, met: bool) -> (&'static str, Style) {
        if met { (self.symbols.met, self.ok) } else { (self.symbols.unmet, self.bad) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Modifier;
    use strum::IntoEnumIterator;
    use unicode_width::UnicodeWidthStr;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
    }

    fn detect(pairs: &[(&str, &str)]) -> Theme {
        Theme::new(Colours::detect(env(pairs)), Glyphs::detect(env(pairs)))
    }

    #[test]
    fn no_color_keeps_bold_dim_and_reverse_but_no_colour() {
        let theme = detect(&[("NO_COLOR", "1"), ("LANG", "C.UTF-8")]);
        for style in [theme.accent, theme.ok, theme.warn, theme.bad, theme.border_focus] {
            assert_eq!(style.fg, None);
            assert_eq!(style.bg, None);
        }
        assert!(theme.accent.add_modifier.contains(Modifier::BOLD));
        assert!(theme.selected.add_modifier.contains(Modifier::REVERSED));
        assert_eq!(theme.glyphs, Glyphs::Unicode);
    }

    #[test]
    fn an_empty_no_color_is_none_and_a_plain_locale_means_ascii() {
        let theme = detect(&[("NO_COLOR", ""), ("LC_ALL", "C")]);
        assert!(theme.accent.fg.is_some());
        assert_eq!(theme.glyphs, Glyphs::Ascii);
        assert_eq!(detect(&[]).glyphs, Glyphs::Unicode);
    }

    #[test]
    fn every_status_has_a_symbol_of_its_own_in_both_sets() {
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            let theme = Theme::new(Colours::Off, glyphs);
            let symbols: Vec<&str> = Status::iter().map(|s| theme.status(s).0).collect();
            let mut different = symbols.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), symbols.len(), "{symbols:?}");
            assert!(symbols.iter().all(|s| s.width() == 1));
            assert_eq!(theme.symbols.arrow.width(), 3);
            assert_ne!(theme.met(true).0, theme.met(false).0);
        }
    }

    #[test]
    fn the_ascii_set_is_ascii() {
        let theme = Theme::new(Colours::Ansi, Glyphs::Ascii);
        assert!(format!("{:?}{:?}", theme.symbols, theme.borders()).is_ascii());
    }
}
