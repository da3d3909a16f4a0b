//! What counts as text: visible characters, previews, names that are safe in
//! paths, and closeness of words for "did you mean".

use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;

/// Whether a character shows something: not whitespace, not a control
/// character, not default-ignorable (engine.md §4, "Usable content only").
pub fn is_visible(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || is_default_ignorable(c))
}

/// Whether a text has at least one visible character.
pub fn has_visible(text: &str) -> bool {
    text.chars().any(is_visible)
}

/// Unicode's `Default_Ignorable_Code_Point` property: characters that render
/// as nothing (zero-width spaces and joiners, fillers, variation selectors, tags).
fn is_default_ignorable(c: char) -> bool {
    matches!(c as u32,
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

/// A text without the invisible characters around it; what `text_key` is taken of.
pub fn trim_invisible(text: &str) -> &str {
    text.trim_matches(|c| !is_visible(c))
}

/// The lower-case hexadecimal SHA-256 of some bytes.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
    out
}

/// The first `max` characters (Unicode scalar values) of a text.
pub fn first_chars(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The first word of a text as verdicts and reports are read: leading
/// whitespace is skipped, the word ends where no letter, digit or `_` follows.
/// Lower-cased. Empty if the text begins with something else.
pub fn first_word(text: &str) -> String {
    trim_invisible(text)
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// A text as it may be sent to a terminal: control characters and those that
/// reorder text are written out (`␛`, `␀`, `⟨U+202E⟩`); tabs become spaces; line
/// feeds stay. A carriage return before a line feed is dropped.
pub fn shown(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\u{7f}' => out.push('␡'),
            c if (c as u32) < 0x20 => {
                out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'));
            }
            c if is_unsafe(c) => out.push_str(&format!("⟨U+{:04X}⟩", c as u32)),
            c => out.push(c),
        }
    }
    out.into()
}

/// JSON as it may be sent to a terminal: what [`shown`] writes out is escaped, so that
/// it says the same (JSON itself escapes only the first 32 characters).
pub fn shown_json(json: &str) -> std::borrow::Cow<'_, str> {
    let acts = |c: char| !c.is_ascii_control() && is_unsafe(c) || c == '\u{7f}';
    if !json.contains(acts) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match acts(c) {
            true => out.push_str(&format!("\\u{:04x}", c as u32)),
            false => out.push(c),
        }
    }
    out.into()
}

/// Whether a text can name a variable of the environment that somebody means: systems
/// forbid nothing but `=` and NUL, people don't write spaces.
pub fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c == '=' || c.is_whitespace() || is_unsafe(c))
}

/// A text in one line as it may be sent to a terminal: like [`shown`], and any
/// run of whitespace is one space.
pub fn shown_in_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    shown(&words.join(" ")).into_owned()
}

/// Whether a terminal might act on a character rather than show it.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c as u32, 0x061C | 0x200E..=0x200F | 0x2028..=0x202E | 0x2066..=0x2069)
}

/// Reads a value from a text that is only looked at: nothing is allocated for
/// one that is thrown away again.
///
/// # Errors
/// If there is no text, or what `read` says of it.
pub fn with_text<'de, D, T, R>(deserializer: D, read: R) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    R: FnOnce(&str) -> Result<T, String>,
{
    struct Text<R>(R);

    impl<T, R: FnOnce(&str) -> Result<T, String>> serde::de::Visitor<'_> for Text<R> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            (self.0)(text).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Text(read))
}

/// A noun with its indefinite article: `an ideation loop`, `a verdict`.
pub fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// A name that is safe in a path on every file system: lower-case letters and
/// digits of any script joined by single `-`, at most `max` characters, never
/// empty (`fallback` then), never a reserved device name, no leading `.`, `_` or `-`.
pub fn slugify(text: &str, max: usize, fallback: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let mut slug = String::new();
    let mut gap = false;
    let mut count = 0;
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            if gap && !slug.is_empty() {
                if count + 2 > max {
                    break;
                }
                slug.push('-');
                count += 1;
            }
            if count + 1 > max {
                break;
            }
            gap = false;
            slug.push(c);
            count += 1;
        } else {
            gap = true;
        }
    }
    if slug.is_empty() {
        slug.push_str(fallback);
    }
    if is_reserved_name(&slug) {
        slug.push_str("-x");
    }
    slug
}

/// Device names that Windows keeps for itself, whatever the extension.
pub fn is_reserved_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()))
}

/// Characters of the longest word that was mistyped rather than something else altogether.
const LONGEST_WORD: usize = 200;

/// What was given as it is said back: its beginning, where nobody would read it all.
pub fn echo(given: &str) -> std::borrow::Cow<'_, str> {
    match first_chars(given, LONGEST_WORD) {
        whole if whole.len() == given.len() => whole.into(),
        cut => format!("{cut}…").into(),
    }
}

/// The candidate that is nearest to a mistyped word, if any is near enough to suggest.
/// For a text of more than 200 characters none is: the search would take its length
/// times that of every candidate.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_word = |text: &str| first_chars(text, LONGEST_WORD).len() == text.len();
    if !is_word(word) {
        return None;
    }
    let word = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|c| is_word(c))
        .map(|c| (edit_distance(&word, &c.to_lowercase()), c))
        .filter(|(distance, c)| *distance <= limit && *distance < c.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<&str> = b.graphemes(true).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.graphemes(true).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// `; did you mean advance?`, if a known word is near; else nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// `1 round`, `2 rounds`: a count with its noun.
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_word_is_named() {
        assert_eq!(did_you_mean("advanc", ["advance", "turn"]), "; did you mean advance?");
        assert_eq!(did_you_mean("xyzzy", ["advance", "turn"]), "");
    }

    #[test]
    fn invisible_texts_are_not_usable() {
        for blank in ["", " \n\t", "\u{200b}\u{feff}", "\u{0007}\u{00ad}", "\u{3164}\u{e0061}"] {
            assert!(!has_visible(blank), "{blank:?}");
        }
        for text in ["x", " \u{200b}é", "…", "。"] {
            assert!(has_visible(text), "{text:?}");
        }
    }

    #[test]
    fn first_word_ends_where_no_word_character_follows() {
        assert_eq!(first_word("  Accepted: fine"), "accepted");
        assert_eq!(first_word("accepted_later"), "accepted_later");
        assert_eq!(first_word("acceptedly"), "acceptedly");
        assert_eq!(first_word("**accepted**"), "");
        assert_eq!(first_word("ACCEPTED"), "accepted");
    }

    #[test]
    fn slugs_are_safe_names() {
        assert_eq!(slugify("Extract the dispatcher!", 40, "loop"), "extract-the-dispatcher");
        assert_eq!(slugify("../../etc/passwd", 40, "loop"), "etc-passwd");
        assert_eq!(slugify("…", 40, "loop"), "loop");
        assert_eq!(slugify("NUL", 40, "loop"), "nul-x");
        assert_eq!(slugify("Кэш слой", 40, "loop"), "кэш-слой");
        assert_eq!(slugify("aaaa bbbb", 5, "loop"), "aaaa");
    }

    #[test]
    fn nothing_that_a_terminal_acts_on_is_shown_raw() {
        assert_eq!(shown("a\u{1b}[31mb\u{7}\u{7f}"), "a␛[31mb␇␡");
        assert_eq!(shown("a\r\nb\rc\td"), "a\nb␍c    d");
        assert_eq!(shown("\u{9b}31m \u{202e}x"), "⟨U+009B⟩31m ⟨U+202E⟩x");
        assert!(matches!(shown("plain\nテキスト"), std::borrow::Cow::Borrowed(_)));
        assert_eq!(shown_in_line(" a\n\tb \u{1b} "), "a b ␛");
    }

    #[test]
    fn nearest_suggests_only_what_is_near() {
        assert_eq!(nearest("critiques", ["critique", "proposal"]), Some("critique"));
        assert_eq!(nearest("zebra", ["critique", "proposal"]), None);
    }

    #[test]
    fn a_text_that_is_no_word_is_near_nothing_and_said_back_by_its_beginning() {
        let long = "a".repeat(201);
        assert_eq!(nearest(&long, [&*format!("{long}a")]), None);
        assert_eq!(nearest(&long[1..], [&*long[2..].to_owned()]), Some(&long[2..]));
        assert_eq!(nearest(&long[1..], [&*long]), None);
        assert_eq!(echo(&long), format!("{}…", &long[1..]));
        assert_eq!(echo("advance"), "advance");
    }

    #[test]
    fn what_names_a_variable() {
        assert!(["HOME", "a.b", "ProgramFiles(x86)"].iter().all(|name| is_variable(name)));
        assert!(!["", "A=B", "a b", "A\0", "A\n"].iter().any(|name| is_variable(name)));
    }

    #[test]
    fn first_chars_never_cuts_inside_a_character() {
        assert_eq!(first_chars("日本語", 2), "日本");
        assert_eq!(first_chars("ab", 5), "ab");
    }
}
