//! How many colours a terminal has, and the nearest of them.

use ratatui::style::{Color, Style};

/// Which colours may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// None (`NO_COLOR`, `TERM=dumb`): bold, dim and reverse stay.
    Off,
    /// The terminal's own sixteen.
    #[default]
    Ansi,
    /// The 256 of most terminals.
    Indexed,
    /// Any.
    True,
}

impl Colours {
    /// What the environment tells: `NO_COLOR`, `TERM` and `COLORTERM`.
    pub fn detect(env: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        if set("NO_COLOR").is_some() || term == "dumb" {
            return Colours::Off;
        }
        match set("COLORTERM").as_deref() {
            Some("truecolor" | "24bit") => Colours::True,
            _ if term.contains("256color") || term.contains("direct") => Colours::Indexed,
            _ => Colours::Ansi,
        }
    }

    /// A style with the nearest colours that there are.
    pub fn fit(self, style: Style) -> Style {
        let fit = |colour: Color| self.nearest(colour);
        Style { fg: style.fg.and_then(fit), bg: style.bg.and_then(fit), ..style }
    }

    fn nearest(self, colour: Color) -> Option<Color> {
        match (self, colour) {
            (Colours::Off, _) => None,
            (Colours::Indexed, Color::Rgb(r, g, b)) => Some(Color::Indexed(index_of((r, g, b)))),
            (Colours::Ansi, Color::Rgb(r, g, b)) => Some(sixteen((r, g, b))),
            (Colours::Ansi, Color::Indexed(at)) if at >= 16 => Some(sixteen(rgb_of(at))),
            _ => Some(colour),
        }
    }
}

type Rgb = (u8, u8, u8);

/// The steps of the 6 × 6 × 6 cube of the 256 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The terminal's sixteen, with the values that most terminals give them.
const SIXTEEN: [(Color, Rgb); 16] = [
    (Color::Black, (0, 0, 0)),
    (Color::Red, (205, 0, 0)),
    (Color::Green, (0, 205, 0)),
    (Color::Yellow, (205, 205, 0)),
    (Color::Blue, (0, 0, 238)),
    (Color::Magenta, (205, 0, 205)),
    (Color::Cyan, (0, 205, 205)),
    (Color::Gray, (229, 229, 229)),
    (Color::DarkGray, (127, 127, 127)),
    (Color::LightRed, (255, 0, 0)),
    (Color::LightGreen, (0, 255, 0)),
    (Color::LightYellow, (255, 255, 0)),
    (Color::LightBlue, (92, 92, 255)),
    (Color::LightMagenta, (255, 0, 255)),
    (Color::LightCyan, (0, 255, 255)),
    (Color::White, (255, 255, 255)),
];

fn distance(a: Rgb, b: Rgb) -> u32 {
    let square = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}

fn sixteen(rgb: Rgb) -> Color {
    let nearest = SIXTEEN.iter().min_by_key(|(_, known)| distance(*known, rgb));
    nearest.map_or(Color::Reset, |(colour, _)| *colour)
}

/// The red, green and blue of one of the 240 fixed colours.
fn rgb_of(at: u8) -> Rgb {
    if at >= 232 {
        let grey = 8 + (at - 232) * 10;
        return (grey, grey, grey);
    }
    let at = usize::from(at.saturating_sub(16));
    (STEPS[at / 36 % 6], STEPS[at / 6 % 6], STEPS[at % 6])
}

fn index_of(rgb: Rgb) -> u8 {
    (16..=255u8).min_by_key(|at| distance(rgb_of(*at), rgb)).unwrap_or(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_the_nearest_colour_that_it_has() {
        let teal = Style::new().fg(Color::Rgb(0, 210, 200)).bg(Color::Rgb(8, 8, 8));
        assert_eq!(Colours::True.fit(teal), teal);
        assert_eq!(Colours::Ansi.fit(teal).fg, Some(Color::Cyan));
        assert_eq!(Colours::Indexed.fit(teal).bg, Some(Color::Indexed(232)));
        assert_eq!(Colours::Off.fit(teal), Style::new());
        assert_eq!(
            Colours::Ansi.fit(Style::new().fg(Color::Indexed(196))).fg,
            Some(Color::LightRed)
        );
        assert_eq!(Colours::Ansi.fit(Style::new().fg(Color::Red)).fg, Some(Color::Red));
    }

    #[test]
    fn every_fixed_colour_is_its_own_nearest() {
        for at in 16..=255u8 {
            assert_eq!(rgb_of(index_of(rgb_of(at))), rgb_of(at), "{at}");
        }
    }

    #[test]
    fn the_environment_says_how_many_there_are() {
        let with = |pairs: &[(&str, &str)]| {
            Colours::detect(|name| {
                pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
            })
        };
        assert_eq!(with(&[("TERM", "xterm")]), Colours::Ansi);
        assert_eq!(with(&[("TERM", "screen-256color")]), Colours::Indexed);
        assert_eq!(with(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), Colours::True);
        assert_eq!(with(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]), Colours::Off);
        assert_eq!(with(&[("NO_COLOR", "1"), ("COLORTERM", "24bit")]), Colours::Off);
    }
}
