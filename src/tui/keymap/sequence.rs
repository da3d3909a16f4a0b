//! One key, or several that are pressed one after the other.

use std::fmt;

use crate::tui::keys::Chord;

/// How many keys a sequence may have.
const LONGEST: usize = 3;

/// Keys that are pressed one after the other; most have one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sequence(Vec<Chord>);

impl Sequence {
    /// Reads `a`, `ctrl-d`, or `, w`: keys as [`Chord::parse`] reads them, with
    /// spaces between, at most three.
    pub fn parse(text: &str) -> Option<Self> {
        let chords: Option<Vec<Chord>> = text.split_whitespace().map(Chord::parse).collect();
        chords.filter(|chords| (1..=LONGEST).contains(&chords.len())).map(Self)
    }

    /// These keys, one after the other.
    pub fn of(chords: &[Chord]) -> Self {
        Self(chords.to_vec())
    }

    /// Its keys, one after the other.
    pub fn chords(&self) -> &[Chord] {
        &self.0
    }

    /// Whether it begins with these keys and goes on after them.
    pub fn goes_on_from(&self, typed: &[Chord]) -> bool {
        self.0.len() > typed.len() && self.0.starts_with(typed)
    }

    /// Whether one of two sequences begins with the other: then the longer could
    /// never be typed.
    pub fn hides(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }

    /// As `keys.toml` writes it.
    pub fn written(&self) -> String {
        let keys: Vec<String> = self.0.iter().map(|chord| chord.written()).collect();
        keys.join(" ")
    }

    /// What is left of it after some keys.
    pub fn after(&self, typed: &[Chord]) -> Self {
        Self(self.0.iter().skip(typed.len()).copied().collect())
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_cell_each = self.0.iter().all(|chord| chord.to_string().chars().count() == 1);
        for (at, chord) in self.0.iter().enumerate() {
            if at > 0 && !one_cell_each {
                f.write_str(" ")?;
            }
            write!(f, "{chord}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(text: &str) -> Sequence {
        Sequence::parse(text).expect("keys")
    }

    #[test]
    fn keys_follow_one_another() {
        assert_eq!(sequence("g g").to_string(), "gg");
        assert_eq!(sequence("ctrl-x s").to_string(), "^x s");
        assert_eq!(Sequence::parse(""), None);
        assert_eq!(Sequence::parse("a b c d"), None);
        assert_eq!(Sequence::parse("a nonsense"), None);
    }

    #[test]
    fn a_beginning_hides_what_goes_on_from_it() {
        let (g, gg, gx) = (sequence("g"), sequence("g g"), sequence("g x"));
        assert!(g.hides(&gg) && gg.hides(&g) && g.hides(&g));
        assert!(!gg.hides(&gx));
        assert!(gg.goes_on_from(g.chords()) && !gg.goes_on_from(gg.chords()));
        assert_eq!(gx.after(g.chords()), sequence("x"));
    }
}
