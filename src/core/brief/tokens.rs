//! Text as search terms: Unicode words, case and accents folded, and pairs of
//! characters where a script doesn't part its words (engine.md §8, "Ranking").
//!
//! The same function reads items and queries, so whatever it folds together is
//! found either way:
//!
//! - `Résumé`, `RESUME` and `resume` are one term, `Straße` and `strasse` too;
//! - Chinese, Japanese, Korean, Thai and their kind give every pair of
//!   neighbouring characters, a character that stands alone gives itself;
//! - `load_balancer`, `loadBalancer` and `load-balancer` give `load`,
//!   `balancer` and `loadbalancer`;
//! - what an apostrophe ties on (`cache's`, `l'état`, `don't`) is cut off when
//!   it is a single letter.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Calls `emit` with every term of a text, in order, repetitions included.
pub fn each_token(text: &str, mut emit: impl FnMut(&str)) {
    let mut scan = Scan::default();
    for (start, word) in text.unicode_word_indices() {
        let between = &text[scan.end..start];
        if !between.is_empty() {
            scan.close_pairs(&mut emit);
            if between != "-" {
                scan.close_compound(&mut emit);
            }
        }
        scan.word(word, &mut emit);
        scan.end = start + word.len();
    }
    scan.close_pairs(&mut emit);
    scan.close_compound(&mut emit);
}

/// The terms of a text, in order, repetitions included.
pub fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_token(text, |token| out.push(token.to_owned()));
    out
}

/// What is under way while a text is read from left to right.
#[derive(Default)]
struct Scan {
    /// Where the word before ended, in bytes.
    end: usize,
    /// Neighbouring characters of scripts that don't part their words.
    pairs: String,
    /// The parts of an identifier or hyphenated word, joined.
    compound: String,
    /// How many parts that are.
    parts: usize,
    /// Reused for folding.
    folded: String,
}

impl Scan {
    /// Takes in one word as Unicode delimits it.
    fn word(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        if word.is_ascii() {
            self.close_pairs(emit);
            return self.letters(word, emit);
        }
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let unspaced = is_unspaced(first);
            let end = rest
                .char_indices()
                .find(|(_, c)| is_unspaced(*c) != unspaced && !is_combining_mark(*c))
                .map_or(rest.len(), |(at, _)| at);
            let (piece, after) = rest.split_at(end);
            if unspaced {
                self.close_compound(emit);
                self.pairs.extend(piece.nfkc());
            } else {
                self.close_pairs(emit);
                self.letters(piece, emit);
            }
            rest = after;
        }
    }

    /// Takes in a piece of a script that parts its words.
    fn letters(&mut self, piece: &str, emit: &mut impl FnMut(&str)) {
        let apostrophe = |c: char| matches!(c, '\'' | '\u{2019}' | '\u{02bc}' | '\u{ff07}');
        if !piece.contains(apostrophe) {
            return self.identifier(piece, emit);
        }
        let long = |part: &&str| part.chars().nth(1).is_some();
        let mut any = false;
        for part in piece.split(apostrophe).filter(long) {
            any = true;
            self.identifier(part, emit);
            self.close_compound(emit);
        }
        if !any {
            let joined: String = piece.chars().filter(|c| !apostrophe(*c)).collect();
            self.identifier(&joined, emit);
        }
    }

    /// Takes in a word without apostrophes: its parts, and itself if it has several.
    fn identifier(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        for run in word.split(|c: char| !(c.is_alphanumeric() || c == '_' || is_combining_mark(c)))
        {
            for snake in run.split('_') {
                let mut rest = snake;
                while !rest.is_empty() {
                    let (part, after) = rest.split_at(camel_boundary(rest));
                    self.part(part, emit);
                    rest = after;
                }
            }
            // `a.b` and `1:2` are two words, not one identifier.
            if run.len() != word.len() {
                self.close_compound(emit);
            }
        }
    }

    /// Takes in one part of an identifier.
    fn part(&mut self, part: &str, emit: &mut impl FnMut(&str)) {
        self.folded.clear();
        fold_into(part, &mut self.folded);
        if self.folded.is_empty() {
            return;
        }
        emit(&self.folded);
        self.compound.push_str(&self.folded);
        self.parts += 1;
    }

    fn close_compound(&mut self, emit: &mut impl FnMut(&str)) {
        if self.parts > 1 {
            emit(&self.compound);
        }
        self.compound.clear();
        self.parts = 0;
    }

    fn close_pairs(&mut self, emit: &mut impl FnMut(&str)) {
        let starts: Vec<usize> = self.pairs.char_indices().map(|(at, _)| at).collect();
        match starts.len() {
            0 => return,
            1 => emit(&self.pairs),
            count => {
                for i in 0..count - 1 {
                    let end = starts.get(i + 2).copied().unwrap_or(self.pairs.len());
                    emit(&self.pairs[starts[i]..end]);
                }
            }
        }
        self.pairs.clear();
    }
}

/// Where the first part of a `camelCase` or `HTTPServer` word ends, in bytes.
fn camel_boundary(word: &str) -> usize {
    let mut chars = word.char_indices().peekable();
    let mut previous = ' ';
    while let Some((at, c)) = chars.next() {
        if previous.is_lowercase() && c.is_uppercase() {
            return at;
        }
        let next_is_lower = chars.peek().is_some_and(|(_, n)| n.is_lowercase());
        let acronym_ends = previous.is_uppercase() && c.is_uppercase();
        // One capital before a small one is no part of its own: `IPv6`, `APIs`.
        let tail_is_word =
            || word[at..].chars().skip(1).take_while(|n| n.is_lowercase()).count() > 1;
        if acronym_ends && next_is_lower && tail_is_word() {
            return at;
        }
        previous = c;
    }
    word.len()
}

/// Appends a text with case and accents folded.
fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    let folded = text.nfkd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase);
    for c in folded.nfc() {
        match spelled_out(c) {
            Some(spelling) => out.push_str(spelling),
            // Lower-casing can bring an accent of its own (`İ`).
            None if is_accent(c) => {}
            None => out.push(c),
        }
    }
}

/// Letters that no decomposition reduces, as they are typed without them.
fn spelled_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}

/// Marks that a word may be written without. Vowel signs and the like of Indic
/// and other scripts are letters to their readers and stay.
fn is_accent(c: char) -> bool {
    matches!(c as u32,
        0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F
        // Hebrew points, Arabic vowel signs and the stretching line.
        | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x0640 | 0x064B..=0x065F | 0x0670)
}

/// Whether a character belongs to a script whose words are not parted by spaces
/// (or, in Korean, carry their particles): Han, Kana, Bopomofo, Hangul, Thai,
/// Lao, Myanmar, Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF
        | 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF
        | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x3038..=0x303B
        | 0x3041..=0x312F | 0x31A0..=0x31BF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x1B000..=0x1B16F | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokens(text), expected, "{text:?}");
    }

    #[test]
    fn words_lose_case_and_accents() {
        check("Résumé RESUME résume\u{301}", &["resume", "resume", "resume"]);
        check("Straße ÆSIR İstanbul Łódź", &["strasse", "aesir", "istanbul", "lodz"]);
        check("Кэш Ёлка", &["кэш", "елка"]);
        check("ΛΌΓΟΣ λόγος", &["λογοσ", "λογοσ"]);
        check("ﬁle Ａpple", &["file", "apple"]);
    }

    #[test]
    fn marks_that_are_letters_stay() {
        check("हिन्दी", &["हिन्दी"]);
        check("が", &["が"]);
        check("か\u{3099}", &["が"]);
        check("שָׁלוֹם", &["שלום"]);
    }

    #[test]
    fn unspaced_scripts_give_pairs() {
        check("缓存失效", &["缓存", "存失", "失效"]);
        check("水", &["水"]);
        check("水, 火", &["水", "火"]);
        check(
            "Redisキャッシュを使う",
            &["redis", "キャ", "ャッ", "ッシ", "シュ", "ュを", "を使", "使う"],
        );
        check("캐시 무효화", &["캐시", "무효", "효화"]);
        check("ｶﾞｽ", &["ガス"]);
        check("API설계", &["api", "설계"]);
        assert!(tokens("ฐานข้อมูล").len() > 3);
    }

    #[test]
    fn identifiers_give_parts_and_whole() {
        for spelling in ["load_balancer", "loadBalancer", "LoadBalancer", "load-balancer"] {
            check(spelling, &["load", "balancer", "loadbalancer"]);
        }
        check("HTTPServer", &["http", "server", "httpserver"]);
        check("IPv6 APIs sha256", &["ipv6", "apis", "sha256"]);
        check("src/core/brief.rs", &["src", "core", "brief", "rs"]);
        check("e-mail", &["e", "mail", "email"]);
        check("a - b", &["a", "b"]);
        check("__init__", &["init"]);
        check("v1.5.3", &["v1", "5", "3"]);
    }

    #[test]
    fn apostrophes_cut_single_letters() {
        check("cache's don't l'état qu’il", &["cache", "don", "etat", "qu", "il"]);
        check("o'o", &["oo"]);
    }

    #[test]
    fn nothing_gives_nothing() {
        check("", &[]);
        check(" …—\u{200b}\u{301} ''", &[]);
    }

    proptest! {
        #[test]
        fn terms_are_never_empty(text in "\\PC{0,80}") {
            for token in tokens(&text) {
                prop_assert!(!token.is_empty());
            }
        }

        #[test]
        fn composition_changes_nothing(text in "[a-zàéñõüçйёв ]{0,40}") {
            let apart: String = text.nfd().collect();
            prop_assert_eq!(tokens(&text), tokens(&apart));
        }
    }
}
