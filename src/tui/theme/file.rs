//! Theme files: TOML, one line a meaning.
//!
//! ```toml
//! glyphs = "unicode"        # or "ascii"
//!
//! [styles]
//! accent = "#5fafff bold"   # a colour, and bold, dim, italic, underlined, reversed
//! base = "white on black"   # the ground
//! ```
//! A colour is one of the terminal's sixteen (`red`, `bright-red`), a number from 0
//! to 255, `#rrggbb`, or `default`.

use std::ops::Range;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Glyphs, Theme, symbols};
use crate::core::settings::Fault;
use crate::core::text::did_you_mean;

/// The themes that come with the program: name and file.
pub const BUILT_IN: [(&str, &str); 7] = [
    ("terminal", include_str!("../../../assets/themes/terminal.toml")),
    ("dark", include_str!("../../../assets/themes/dark.toml")),
    ("light", include_str!("../../../assets/themes/light.toml")),
    ("colour-blind", include_str!("../../../assets/themes/colour-blind.toml")),
    ("high-contrast", include_str!("../../../assets/themes/high-contrast.toml")),
    ("monochrome", include_str!("../../../assets/themes/monochrome.toml")),
    ("ascii", include_str!("../../../assets/themes/ascii.toml")),
];

/// Reads a theme file. What it doesn't style looks as in the default theme; what
/// can't be used is told and left so.
pub fn parse(text: &str) -> (Theme, Vec<Fault>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_default = text == BUILT_IN[0].1;
    let theme = if is_default { Theme::plain() } else { Theme::default() };
    let mut reader = Reader { text, theme, faults: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => reader.file(table.get_ref()),
        Err(error) => reader.fault(error.span().unwrap_or(0..0), error.message().to_owned()),
    }
    (reader.theme, reader.faults)
}

struct Reader<'a> {
    text: &'a str,
    theme: Theme,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, at: Range<usize>, message: String) {
        self.faults.push(Fault::at(self.text, at.start, message));
    }

    fn file(&mut self, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            match &**key.get_ref() {
                "glyphs" => match value.get_ref().as_str() {
                    Some("unicode") => self.glyphs(Glyphs::Unicode),
                    Some("ascii") => self.glyphs(Glyphs::Ascii),
                    _ => self.fault(value.span(), "glyphs is \"unicode\" or \"ascii\"".to_owned()),
                },
                "styles" => match value.get_ref().as_table() {
                    Some(styles) => {
                        for (meaning, style) in styles.iter() {
                            self.style(meaning, style);
                        }
                    }
                    None => {
                        self.fault(value.span(), "styles should be a table [styles]".to_owned())
                    }
                },
                other => {
                    let said = format!("there is no setting {other} in a theme");
                    self.fault(key.span(), said);
                }
            }
        }
    }

    fn glyphs(&mut self, glyphs: Glyphs) {
        self.theme.glyphs = glyphs;
        self.theme.symbols = match glyphs {
            Glyphs::Unicode => &symbols::UNICODE,
            Glyphs::Ascii => &symbols::ASCII,
        };
    }

    fn style(
        &mut self,
        meaning: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let name: &str = meaning.get_ref();
        let read = value.get_ref().as_str().map(style_of);
        match (self.theme.style_mut(name), read) {
            (None, _) => {
                let near = did_you_mean(name, Theme::MEANINGS);
                self.fault(meaning.span(), format!("no style is called {name}{near}"));
            }
            (Some(style), Some(Ok(read))) => *style = read,
            (Some(_), Some(Err(word))) => {
                let said = format!(
                    "{word:?} is no colour (red, bright-red, 0 to 255, #rrggbb, default) and none of on, bold, dim, italic, underlined, reversed"
                );
                self.fault(value.span(), said);
            }
            (Some(_), None) => {
                self.fault(value.span(), format!("{name} should be a text like \"cyan bold\""));
            }
        }
    }
}

/// Reads `cyan on #202020 bold`; the word that means nothing, if there is one.
fn style_of(text: &str) -> Result<Style, String> {
    let mut style = Style::new();
    let mut ground = false;
    for word in text.split_whitespace() {
        let modifier = match word {
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underlined" => Modifier::UNDERLINED,
            "reversed" => Modifier::REVERSED,
            "on" => {
                ground = true;
                continue;
            }
            _ => {
                let colour = colour_of(word).ok_or_else(|| word.to_owned())?;
                style = if ground { style.bg(colour) } else { style.fg(colour) };
                continue;
            }
        };
        style = style.add_modifier(modifier);
    }
    Ok(style)
}

/// The names of the terminal's sixteen.
const NAMES: [(&str, Color); 17] = [
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

fn colour_of(word: &str) -> Option<Color> {
    if let Some((_, colour)) = NAMES.iter().find(|(name, _)| *name == word) {
        return Some(*colour);
    }
    if let Some(hex) = word.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.is_ascii()) {
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
        return Some(Color::Rgb(part(0)?, part(2)?, part(4)?));
    }
    word.parse::<u8>().ok().map(Color::Indexed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_of_ours_is_sound_and_styles_every_meaning_that_it_needs() {
        for (name, text) in BUILT_IN {
            let (theme, faults) = parse(text);
            assert_eq!(faults, [], "{name}");
            assert_ne!(theme.ok, theme.bad, "{name}");
            assert_ne!(theme.text, theme.muted, "{name}");
            assert_ne!(theme.current, theme.text, "{name}");
            assert_ne!(theme.border, theme.border_focus, "{name}");
        }
    }

    /// How well a colour can be read on another: the contrast ratio of WCAG 2.1,
    /// from 1 to 21.
    fn contrast(one: Color, other: Color) -> f64 {
        let light = |colour: Color| {
            let (r, g, b) = match colour {
                Color::Rgb(r, g, b) => (r, g, b),
                other => panic!("{other:?} has no values of its own"),
            };
            let part = |value: u8| {
                let share = f64::from(value) / 255.0;
                if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
        };
        let (a, b) = (light(one), light(other));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn themes_with_a_ground_of_their_own_can_be_read_on_it() {
        for name in ["dark", "light"] {
            let theme = Theme::named(name).expect("it is built in");
            let ground = theme.base.bg.expect("it has a ground");
            let mut all = vec![("base", theme.base)];
            all.extend([("muted", theme.muted), ("accent", theme.accent), ("ok", theme.ok)]);
            all.extend([("warn", theme.warn), ("bad", theme.bad), ("title", theme.title)]);
            for (meaning, style) in all {
                let ratio = contrast(style.fg.expect("a colour"), ground);
                assert!(ratio >= 4.5, "{name} {meaning}: {ratio:.2}");
            }
            // What can't act now is only to be seen.
            let ratio = contrast(theme.disabled.fg.expect("a colour"), ground);
            assert!(ratio >= 3.0, "{name} disabled: {ratio:.2}");
            let chosen = theme.selected;
            assert!(contrast(chosen.fg.expect("a colour"), chosen.bg.expect("one")) >= 4.5);
        }
    }

    #[test]
    fn a_style_is_read_word_by_word() {
        let style = style_of("bright-red on #102030 bold underlined");
        let wanted = Style::new()
            .fg(Color::LightRed)
            .bg(Color::Rgb(16, 32, 48))
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        assert_eq!(style, Ok(wanted));
        assert_eq!(style_of("214"), Ok(Style::new().fg(Color::Indexed(214))));
        assert_eq!(style_of("redd bold"), Err("redd".to_owned()));
        assert_eq!(style_of("#12345"), Err("#12345".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_the_rest_is_followed() {
        let text = "glyphs = \"emoji\"\n[styles]\nacent = \"red\"\nok = \"greenish\"\nbad = \"blue\"\nwarn = 3\n";
        let (theme, faults) = parse(text);
        let said: Vec<String> =
            faults.iter().map(|f| format!("{}:{}: {}", f.line, f.column, f.message)).collect();
        let starts = [
            "1:10: glyphs is",
            "3:1: no style is called acent; did you mean accent?",
            "4:6: \"greenish\" is no colour",
            "6:8: warn should be",
        ];
        assert_eq!(said.len(), starts.len(), "{said:#?}");
        for start in starts {
            assert!(said.iter().any(|s| s.starts_with(start)), "{start} in {said:#?}");
        }
        assert_eq!(theme.bad, Style::new().fg(Color::Blue));
        assert_eq!(theme.ok, Theme::default().ok);
    }
}
