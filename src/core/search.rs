//! Ranking of texts that are looked at once: what artifacts say, by BM25.

use std::collections::HashMap;

use super::brief::tokens::{each_token, tokens};

/// How soon a word that comes often counts no more.
const K1: f64 = 1.2;
/// How much a long text is held against it.
const B: f64 = 0.75;

/// Texts that hold at least one of some words, while all texts pass by.
#[derive(Debug)]
pub struct Scan<K> {
    terms: HashMap<String, usize>,
    found: Vec<(K, Vec<u32>, u32)>,
    holding: Vec<u32>,
    texts: u32,
    words: u64,
}

impl<K> Scan<K> {
    /// A scan for some words; none if they hold no term.
    pub fn new(words: &str) -> Option<Self> {
        let mut terms = HashMap::new();
        for term in tokens(words) {
            let next = terms.len();
            terms.entry(term).or_insert(next);
        }
        let holding = vec![0; terms.len()];
        (!terms.is_empty()).then(|| Self { terms, found: Vec::new(), holding, texts: 0, words: 0 })
    }

    /// Looks at a text; `key` is asked for only if it holds one of the words.
    pub fn look(&mut self, text: &str, key: impl FnOnce() -> K) {
        let mut counts = vec![0_u32; self.terms.len()];
        let mut length = 0_u32;
        each_token(text, |token| {
            length += 1;
            if let Some(at) = self.terms.get(token) {
                counts[*at] += 1;
            }
        });
        self.texts += 1;
        self.words += u64::from(length);
        if counts.iter().all(|n| *n == 0) {
            return;
        }
        for (at, count) in counts.iter().enumerate() {
            self.holding[at] += u32::from(*count > 0);
        }
        self.found.push((key(), counts, length));
    }

    /// The texts that were found with their scores, the best first; texts that
    /// hold all words before those that don't.
    pub fn ranked(self) -> Vec<(K, f64)> {
        let texts = f64::from(self.texts.max(1));
        #[allow(clippy::cast_precision_loss)] // A mean of lengths.
        let mean = (self.words as f64 / texts).max(1.0);
        let rarity: Vec<f64> = self
            .holding
            .iter()
            .map(|n| (1.0 + (texts - f64::from(*n) + 0.5) / (f64::from(*n) + 0.5)).ln())
            .collect();
        let mut out: Vec<(bool, f64, K)> = self
            .found
            .into_iter()
            .map(|(key, counts, length)| {
                let weight = K1 * (1.0 - B + B * f64::from(length) / mean);
                let score = counts
                    .iter()
                    .zip(&rarity)
                    .map(|(n, rare)| rare * f64::from(*n) * (K1 + 1.0) / (f64::from(*n) + weight))
                    .sum();
                (counts.iter().all(|n| *n > 0), score, key)
            })
            .collect();
        out.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        out.into_iter().map(|(_, score, key)| (key, score)).collect()
    }
}

/// The piece of a text around the first of some words, in one line, at most
/// about so many characters.
pub fn excerpt(text: &str, words: &str, most: usize) -> String {
    let wanted = tokens(words);
    let line: Vec<&str> = text.split_whitespace().collect();
    let holds = |word: &str| tokens(word).iter().any(|token| wanted.contains(token));
    let hit = line.iter().position(|word| holds(word)).unwrap_or(0);
    let first = hit.saturating_sub(6);
    let mut out = String::new();
    if first > 0 {
        out.push('…');
    }
    for word in &line[first..] {
        if out.chars().count() + word.chars().count() > most && !out.is_empty() {
            out.push('…');
            break;
        }
        if !out.is_empty() && !out.ends_with('…') {
            out.push(' ');
        }
        out.push_str(super::text::first_chars(word, most));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_all_words_come_first_and_rare_words_weigh_more() {
        let mut scan = Scan::new("retry cache").expect("two words");
        for (key, text) in [
            ("none", "nothing of it"),
            ("one", "cache cache cache cache"),
            ("both", "the retry path empties the Cache, among many other things that it does"),
            ("rare", "a retry"),
            ("again", "one more cache"),
        ] {
            scan.look(text, || key);
        }
        let found: Vec<&str> = scan.ranked().into_iter().map(|(key, _)| key).collect();
        assert_eq!(found[0], "both");
        assert_eq!(found[1], "rare");
        assert!(!found.contains(&"none"));
        assert!(Scan::<()>::new(" ,. ").is_none());
    }

    #[test]
    fn an_excerpt_shows_the_word_in_one_short_line() {
        let text = format!("{} the\nRetry path {}", "before ".repeat(40), "after ".repeat(40));
        let cut = excerpt(&text, "retry", 60);
        assert!(cut.contains("the Retry path") && !cut.contains('\n'), "{cut}");
        assert!(cut.starts_with('…') && cut.ends_with('…'), "{cut}");
        assert!(cut.chars().count() <= 70, "{cut}");
    }
}
