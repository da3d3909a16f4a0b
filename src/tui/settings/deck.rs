//! `deck.toml`: theme, mouse, motion, and what is told while the terminal has no
//! focus.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Fault;
use crate::core::text::did_you_mean;
use crate::tui::theme::Glyphs;

/// Whether the mouse is the deck's at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mouse {
    /// The deck's.
    #[default]
    On,
    /// The terminal's, for selecting text; `m` takes it.
    Off,
}

/// How the deck calls when it is needed and its terminal has no focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notify {
    /// Not at all.
    Off,
    /// The bell.
    #[default]
    Bell,
    /// A notification of the desktop, from terminals that know OSC 9.
    Desktop,
    /// Both.
    Both,
}

/// What `deck.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// The theme that is wanted, and at which byte the file says so.
    pub theme: Option<(String, usize)>,
    /// The characters; absent = as the locale says.
    pub glyphs: Option<Glyphs>,
    /// The mouse.
    pub mouse: Mouse,
    /// Whether nothing moves by itself but once a minute.
    pub still: bool,
    /// How the deck calls.
    pub notify: Notify,
}

const KNOWN: [&str; 5] = ["glyphs", "motion", "mouse", "notify", "theme"];

/// Reads the file; what can't be used is told, and the default holds.
pub(super) fn parse(text: &str) -> (Habits, Vec<Fault>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, habits: Habits::default(), faults: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => {
            for (key, value) in table.get_ref().iter() {
                reader.line(key, value);
            }
        }
        Err(error) => {
            let said = format!("{}; the defaults hold", error.message());
            reader.fault(error.span().unwrap_or(0..0), said);
        }
    }
    (reader.habits, reader.faults)
}

struct Reader<'a> {
    text: &'a str,
    habits: Habits,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, at: Range<usize>, message: String) {
        self.faults.push(Fault::at(self.text, at.start, message));
    }

    fn line(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) {
        match &**key.get_ref() {
            "theme" => match value.get_ref().as_str() {
                Some(name) => self.habits.theme = Some((name.to_owned(), value.span().start)),
                None => self.fault(value.span(), "theme should be the name of a theme".to_owned()),
            },
            "glyphs" => {
                let choices = [("unicode", Glyphs::Unicode), ("ascii", Glyphs::Ascii)];
                self.habits.glyphs = self.choice("glyphs", value, &choices);
            }
            "mouse" => {
                let choices = [("on", Mouse::On), ("off", Mouse::Off)];
                self.habits.mouse = self.choice("mouse", value, &choices).unwrap_or_default();
            }
            "motion" => {
                let choices = [("on", false), ("off", true)];
                self.habits.still = self.choice("motion", value, &choices).unwrap_or_default();
            }
            "notify" => {
                let choices = [
                    ("off", Notify::Off),
                    ("bell", Notify::Bell),
                    ("desktop", Notify::Desktop),
                    ("both", Notify::Both),
                ];
                self.habits.notify = self.choice("notify", value, &choices).unwrap_or_default();
            }
            other => {
                let near = did_you_mean(other, KNOWN);
                self.fault(key.span(), format!("there is no setting {other}{near}"));
            }
        }
    }

    fn choice<T: Copy>(
        &mut self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let word = value.get_ref().as_str();
        let found = choices.iter().find(|(known, _)| Some(*known) == word);
        if found.is_none() {
            let known: Vec<String> =
                choices.iter().map(|(known, _)| format!("{known:?}")).collect();
            let said = format!("{name} is one of {}; the default holds", known.join(", "));
            self.fault(value.span(), said);
        }
        found.map(|(_, choice)| *choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read() {
        let (habits, faults) = parse(
            "\u{feff}theme = \"light\"\r\nglyphs = \"ascii\"\r\nmouse = \"off\"\r\nmotion = \"off\"\r\nnotify = \"both\"\r\n",
        );
        assert_eq!(faults, []);
        let wanted = Habits {
            theme: Some(("light".to_owned(), 8)),
            glyphs: Some(Glyphs::Ascii),
            mouse: Mouse::Off,
            still: true,
            notify: Notify::Both,
        };
        assert_eq!(habits, wanted);
        assert_eq!(parse(""), (Habits::default(), Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_told_and_the_default_holds() {
        let (habits, faults) = parse("mose = \"off\"\nnotify = true\nmotion = \"slow\"\n");
        let said: Vec<String> =
            faults.iter().map(|f| format!("{}:{}: {}", f.line, f.column, f.message)).collect();
        assert!(said[0].starts_with("1:1: there is no setting mose; did you mean mouse?"));
        assert!(said[1].starts_with("2:10: notify is one of \"off\", \"bell\""), "{said:?}");
        assert!(said[2].starts_with("3:10: motion is one of"), "{said:?}");
        assert_eq!(habits, Habits::default());
        assert_eq!(parse("theme = [\n").0, Habits::default());
    }
}
