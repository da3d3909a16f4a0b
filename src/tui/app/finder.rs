//! Fuzzy finding, the same in lists, help and palette.

use std::cell::RefCell;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

thread_local! {
    // A matcher holds tables of some hundred kilobytes: one is enough.
    static MATCHER: RefCell<Option<Matcher>> = const { RefCell::new(None) };
}

fn with_matcher<T>(run: impl FnOnce(&mut Matcher) -> T) -> T {
    MATCHER.with_borrow_mut(|slot| run(slot.get_or_insert_with(|| Matcher::new(Config::DEFAULT))))
}

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    words: String,
    pattern: Pattern,
}

impl Finder {
    /// Looks for some words; each must be met, in any order.
    pub fn new(words: &str) -> Self {
        let pattern = Pattern::parse(words, CaseMatching::Smart, Normalization::Smart);
        Self { words: words.to_owned(), pattern }
    }

    /// The words as they were typed.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.pattern.atoms.is_empty()
    }

    /// How well a text is met; none if it isn't. Everything is met by nothing.
    pub fn score(&self, text: &str) -> Option<u32> {
        if self.is_empty() {
            return Some(0);
        }
        let mut buffer = Vec::new();
        with_matcher(|matcher| self.pattern.score(Utf32Str::new(text, &mut buffer), matcher))
    }

    /// Which characters of a text are met, as ascending positions of characters.
    pub fn positions(&self, text: &str) -> Vec<u32> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut buffer = Vec::new();
        let mut positions = Vec::new();
        with_matcher(|matcher| {
            self.pattern.indices(Utf32Str::new(text, &mut buffer), matcher, &mut positions)
        });
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

/// A line that is being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What was typed.
    pub text: String,
}

impl Line {
    /// Takes in a character.
    pub fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// Takes away the last grapheme.
    pub fn backspace(&mut self) {
        use unicode_segmentation::UnicodeSegmentation;
        if let Some((at, _)) = self.text.grapheme_indices(true).next_back() {
            self.text.truncate(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_order_are_met_whatever_the_script() {
        assert!(Finder::new("exdisp").score("Extract the dispatcher").is_some());
        assert!(Finder::new("кэш").score("Выделить кэш слой").is_some());
        assert!(Finder::new("zzz").score("Extract the dispatcher").is_none());
        assert_eq!(Finder::new("").score("anything"), Some(0));
        assert_eq!(Finder::new("cach").positions("a cache"), [2, 3, 4, 5]);
    }

    #[test]
    fn backspace_takes_a_whole_grapheme() {
        let mut line = Line { text: "ae\u{301}".to_owned() };
        line.backspace();
        assert_eq!(line.text, "a");
        line.backspace();
        line.backspace();
        assert_eq!(line.text, "");
    }
}
