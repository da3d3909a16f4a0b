//! Styles by meaning and symbols by state.
//!
//! Nothing in the deck names a colour: it asks the theme for what it means.
//! The default uses the terminal's own sixteen colours and `Reset`, so it is
//! readable on dark and light alike. Colour only supports: every state has a
//! symbol of its own, and without colours bold, dim and reverse stay.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use crate::core::loops::attention::AttentionState;
use crate::core::loops::model::{SlotStatus, Status};

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// The terminal's own sixteen.
    #[default]
    Ansi,
    /// None (`NO_COLOR`): bold, dim and reverse stay.
    Off,
}

/// Which characters may be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Box drawing and geometric shapes, one cell each.
    #[default]
    Unicode,
    /// ASCII alone, for terminals and locales without UTF-8.
    Ascii,
}

/// The styles and symbols of the deck.
#[derive(Clone, Debug)]
pub struct Theme {
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
        Self::new(Colours::Ansi, Glyphs::Unicode)
    }
}

impl Theme {
    /// A theme with or without colours, in Unicode or ASCII.
    pub fn new(colours: Colours, glyphs: Glyphs) -> Self {
        let paint = |colour: Color| match colours {
            Colours::Ansi => Style::new().fg(colour),
            Colours::Off => Style::new(),
        };
        let plain = Style::new();
        Self {
            title: plain.add_modifier(Modifier::BOLD),
            text: plain,
            muted: plain.add_modifier(Modifier::DIM),
            accent: paint(Color::Cyan).add_modifier(Modifier::BOLD),
            ok: paint(Color::Green),
            warn: paint(Color::Yellow),
            bad: paint(Color::Red).add_modifier(Modifier::BOLD),
            selected: plain.add_modifier(Modifier::REVERSED),
            current: paint(Color::Cyan).add_modifier(Modifier::BOLD),
            current_idle: plain.add_modifier(Modifier::BOLD),
            border: plain.add_modifier(Modifier::DIM),
            border_focus: paint(Color::Cyan),
            key: paint(Color::Cyan).add_modifier(Modifier::BOLD),
            hint: plain,
            disabled: plain.add_modifier(Modifier::DIM),
            matched: paint(Color::Yellow).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            label: plain.add_modifier(Modifier::DIM),
            field_focus: paint(Color::Cyan).add_modifier(Modifier::BOLD),
            header: plain.add_modifier(Modifier::BOLD),
            symbols: match glyphs {
                Glyphs::Unicode => &UNICODE,
                Glyphs::Ascii => &ASCII,
            },
            glyphs,
        }
    }

    /// The theme that the environment asks for: `NO_COLOR` or `TERM=dumb` turns
    /// colours off; a locale that is not UTF-8 turns to ASCII.
    pub fn detect(env: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let colours = if set("NO_COLOR").is_some() || dumb { Colours::Off } else { Colours::Ansi };
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let utf8 = locale.is_none_or(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let glyphs = if utf8 || cfg!(windows) { Glyphs::Unicode } else { Glyphs::Ascii };
        Self::new(colours, glyphs)
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

/// The symbols, one for every state. Each is one cell wide unless said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// An open loop.
    pub open: &'static str,
    /// A loop that is held.
    pub paused: &'static str,
    /// A loop, phase or turn that ended well.
    pub completed: &'static str,
    /// A loop that ended without what it was for.
    pub blocked: &'static str,
    /// Given up or called off.
    pub cancelled: &'static str,
    /// A person is asked.
    pub person: &'static str,
    /// Somebody works.
    pub working: &'static str,
    /// It can go on.
    pub ready: &'static str,
    /// A condition that holds.
    pub met: &'static str,
    /// A condition that does not hold.
    pub unmet: &'static str,
    /// One that counts.
    pub dot_full: &'static str,
    /// Given, not begun.
    pub dot_half: &'static str,
    /// One that is missing.
    pub dot_empty: &'static str,
    /// Wants a look.
    pub warning: &'static str,
    /// A separator of words.
    pub bullet: &'static str,
    /// Where the text was cut.
    pub ellipsis: &'static str,
    /// Beside the chosen row.
    pub bar: &'static str,
    /// Beside a row that opens.
    pub opens: &'static str,
    /// Behind a choice that drops down.
    pub drops: &'static str,
    /// More above.
    pub up: &'static str,
    /// More below.
    pub down: &'static str,
    /// From one phase to the next; three cells.
    pub arrow: &'static str,
    /// To and fro in the cycle.
    pub cycle: &'static str,
    /// A field that is chosen.
    pub check_on: &'static str,
    /// A field that is not.
    pub check_off: &'static str,
    /// A line across.
    pub line: &'static str,
    /// A line down.
    pub pipe: &'static str,
    /// The part of a scroll bar that is in view.
    pub thumb: &'static str,
}

static UNICODE: Symbols = Symbols {
    open: "●",
    paused: "◌",
    completed: "✓",
    blocked: "■",
    cancelled: "×",
    person: "?",
    working: "◐",
    ready: "▸",
    met: "✓",
    unmet: "✗",
    dot_full: "●",
    dot_half: "◔",
    dot_empty: "○",
    warning: "!",
    bullet: "·",
    ellipsis: "…",
    bar: "▌",
    opens: "▸",
    drops: "▾",
    up: "↑",
    down: "↓",
    arrow: "──▶",
    cycle: "⇄",
    check_on: "■",
    check_off: "□",
    line: "─",
    pipe: "│",
    thumb: "┃",
};

static ASCII: Symbols = Symbols {
    open: "o",
    paused: "=",
    completed: "v",
    blocked: "#",
    cancelled: "x",
    person: "?",
    working: "%",
    ready: ">",
    met: "+",
    unmet: "x",
    dot_full: "*",
    dot_half: "-",
    dot_empty: ".",
    warning: "!",
    bullet: "-",
    ellipsis: "~",
    bar: "|",
    opens: ">",
    drops: "v",
    up: "^",
    down: "v",
    arrow: "-->",
    cycle: "/",
    check_on: "#",
    check_off: "_",
    line: "-",
    pipe: "|",
    thumb: "#",
};

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;
    use unicode_width::UnicodeWidthStr;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
    }

    #[test]
    fn no_color_keeps_bold_dim_and_reverse_but_no_colour() {
        let theme = Theme::detect(env(&[("NO_COLOR", "1"), ("LANG", "C.UTF-8")]));
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
        let theme = Theme::detect(env(&[("NO_COLOR", ""), ("LC_ALL", "C")]));
        assert!(theme.accent.fg.is_some());
        assert_eq!(theme.glyphs, Glyphs::Ascii);
        assert_eq!(Theme::detect(env(&[])).glyphs, Glyphs::Unicode);
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
