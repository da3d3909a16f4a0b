//! Text in terminal cells: measuring, cutting, wrapping, and making it safe to draw.
//!
//! Everything that comes from data passes through [`one_line`] or [`block`]
//! before it is drawn: control and escape characters are shown, never sent.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::core::time::Timestamp;

/// How many cells a tab is shown as.
const TAB: &str = "    ";

/// How many terminal cells a text takes.
pub fn width(text: &str) -> usize {
    // "\r\n" is one grapheme of one cell: only what can be drawn is a cell a byte.
    let drawn = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if drawn { text.len() } else { text.graphemes(true).map(cell_width).sum() }
}

/// How many cells one grapheme takes, as ratatui counts it.
fn cell_width(grapheme: &str) -> usize {
    grapheme.width()
}

/// The text if it fits into `max` cells, else its beginning and `…`.
///
/// Cuts between graphemes only; the result is never wider than `max`.
pub fn truncate(text: &str, max: usize) -> Cow<'_, str> {
    truncate_with(text, max, "…")
}

/// [`truncate`] with another mark for what was cut (one cell wide).
pub fn truncate_with<'a>(text: &'a str, max: usize, mark: &str) -> Cow<'a, str> {
    // Looks at no more of a long text than the room shows.
    if split_at_width(text, max).1.is_empty() {
        return Cow::Borrowed(text);
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    let (head, _) = split_at_width(text, max - 1);
    Cow::Owned(format!("{}{mark}", head.trim_end()))
}

/// The longest beginning that takes at most `max` cells, and the rest.
pub fn split_at_width(text: &str, max: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += cell_width(grapheme);
        if used > max {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// The text in exactly `cells` cells: cut, or filled up with spaces behind it.
pub fn pad(text: &str, cells: usize) -> String {
    let cut = truncate(text, cells);
    let gap = cells.saturating_sub(width(&cut));
    format!("{cut}{}", " ".repeat(gap))
}

/// The text in exactly `cells` cells, at the right.
pub fn pad_left(text: &str, cells: usize) -> String {
    let cut = truncate(text, cells);
    let gap = cells.saturating_sub(width(&cut));
    format!("{}{cut}", " ".repeat(gap))
}

/// A text of data as one line that is safe to draw: line ends and tabs become
/// spaces, other control characters are shown as their pictures (`␛`), and
/// characters that would turn the direction of the line are left out.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(needs_care) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\u{2028}' | '\u{2029}' => out.push(' '),
            '\r' => {}
            other => push_safe(&mut out, other),
        }
    }
    Cow::Owned(out)
}

/// A text of data as lines that are safe to draw: line ends stay (`\r\n` and
/// `\r` become `\n`), tabs become four spaces, all else as in [`one_line`].
pub fn block(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && needs_care(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\t' => out.push_str(TAB),
            other => push_safe(&mut out, other),
        }
    }
    Cow::Owned(out)
}

/// Whether a character may not be sent to a terminal as it is.
fn needs_care(c: char) -> bool {
    c.is_control() || turns_direction(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Characters that change the direction of what follows, beyond their own text.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_safe(out: &mut String, c: char) {
    match c as u32 {
        // The control pictures stand in the order of the controls.
        code @ 0x00..=0x1f => out.push(char::from_u32(0x2400 + code).unwrap_or('\u{fffd}')),
        0x7f => out.push('\u{2421}'),
        0x80..=0x9f => out.push('\u{fffd}'),
        _ if turns_direction(c) => {}
        _ => out.push(c),
    }
}

/// A text of data wrapped to `cells` cells, made safe by [`block`]. Words that
/// are longer are broken; empty lines and indents stay.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(1);
    block(text).split('\n').flat_map(|line| wrap_line(line, cells)).collect()
}

/// The same for prose: a paragraph that was wrapped by hand, to more than the room
/// that there is, is wrapped anew instead of twice.
pub fn wrap_prose(text: &str, cells: usize) -> Vec<String> {
    wrap(&joined_paragraphs(&block(text), cells), cells)
}

/// The widest line at which a paragraph still looks wrapped by hand, and by how
/// much its lines may differ.
const BY_HAND: (usize, usize) = (100, 20);

fn joined_paragraphs(text: &str, cells: usize) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut fenced = false;
    for line in text.split('\n') {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced && is_prose(line) {
            paragraph.push(line);
            continue;
        }
        finish_paragraph(&mut paragraph, cells, &mut out);
        out.push(line.to_owned());
    }
    finish_paragraph(&mut paragraph, cells, &mut out);
    out.join("\n")
}

/// Whether a line can be part of a paragraph rather than stand for itself.
fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic() || "\"'(*_`".contains(c))
        && !["* ", "```"].iter().any(|mark| line.starts_with(mark))
}

fn finish_paragraph(paragraph: &mut Vec<&str>, cells: usize, out: &mut Vec<String>) {
    let lines = std::mem::take(paragraph);
    let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let (most, apart) = BY_HAND;
    let full = lines.iter().rev().skip(1).all(|line| width(line) + apart >= widest);
    if lines.len() > 1 && widest > cells && widest <= most && full {
        out.push(lines.join(" "));
    } else {
        out.extend(lines.into_iter().map(str::to_owned));
    }
}

fn wrap_line(line: &str, cells: usize) -> Vec<String> {
    if width(line) <= cells {
        return vec![line.to_owned()];
    }
    let indent_len = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(indent_len);
    // An indent that would leave no room is given up.
    let indent = if width(indent) * 2 > cells { "" } else { indent };
    let hang = format!("{indent}{}", hanging(rest));
    let hang = if width(&hang) * 2 > cells { indent.to_owned() } else { hang };
    let options = textwrap::Options::new(cells)
        .initial_indent(indent)
        .subsequent_indent(&hang)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    textwrap::wrap(rest, options).into_iter().flat_map(|piece| hard_break(&piece, cells)).collect()
}

/// The room that a list mark takes, so that the lines below it line up.
fn hanging(line: &str) -> &'static str {
    if ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) { "  " } else { "" }
}

/// Breaks between graphemes what is still too wide.
fn hard_break(line: &str, cells: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = line;
    while width(rest) > cells {
        let (head, tail) = split_at_width(rest, cells);
        if head.is_empty() {
            break;
        }
        out.push(head.to_owned());
        rest = tail;
    }
    // What is wider than the whole line (a wide character in one cell) is left out.
    if width(rest) <= cells {
        out.push(rest.to_owned());
    }
    out
}

/// How long ago, in the largest unit that fits: `now`, `4m`, `2h`, `3d`, `5w`, `2y`.
///
/// A moment in the future (a clock that is off) is `now` too.
pub fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.since(then).max(0) / 1_000;
    let (minute, hour, day, week, year) = (60, 3_600, 86_400, 604_800, 31_557_600);
    match seconds {
        s if s < minute => "now".to_owned(),
        s if s < hour => format!("{}m", s / minute),
        s if s < day => format!("{}h", s / hour),
        s if s < 2 * week => format!("{}d", s / day),
        s if s < year => format!("{}w", s / week),
        s => format!("{}y", s / year),
    }
}

/// How long something runs: `12s`, `4m12s`, `2h05m`, `3d04h`.
pub fn duration(millis: i64) -> String {
    let seconds = millis.max(0) / 1_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    if days > 0 {
        format!("{days}d{:02}h", hours % 24)
    } else if hours > 0 {
        format!("{hours}h{:02}m", minutes % 60)
    } else if minutes > 0 {
        format!("{minutes}m{:02}s", seconds % 60)
    } else {
        format!("{seconds}s")
    }
}

/// A number with its thousands apart: `3,912`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cutting_keeps_graphemes_whole_and_says_so() {
        assert_eq!(truncate("abcdef", 6), "abcdef");
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("日本語だ", 5), "日本…");
        assert_eq!(truncate("日本", 1), "…");
        assert_eq!(truncate("x", 0), "");
        assert_eq!(truncate("ends in words here", 9), "ends in…");
        let family = "👨‍👩‍👧abc";
        assert!(width(&truncate(family, 3)) <= 3);
    }

    #[test]
    fn padding_is_exact() {
        assert_eq!(pad("日本", 6), "日本  ");
        assert_eq!(pad("日本語", 4), "日… ");
        assert_eq!(pad_left("7", 3), "  7");
    }

    #[test]
    fn controls_are_shown_not_sent() {
        assert_eq!(one_line("a\x1b[31mb\x07"), "a␛[31mb␇");
        assert_eq!(one_line("a\r\nb\tc"), "a b c");
        assert_eq!(one_line("x\u{202e}y\u{9b}z"), "xy\u{fffd}z");
        assert_eq!(block("a\r\nb\rc\td\x00"), "a\nb\nc    d␀");
        assert!(matches!(block("plain\ntext"), Cow::Borrowed(_)));
    }

    #[test]
    fn wrapping_keeps_lines_indents_and_list_marks() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("- one two three", 9), ["- one two", "  three"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
    }

    #[test]
    fn a_paragraph_wrapped_by_hand_is_wrapped_once() {
        let text =
            "# Head\n\none two three four\nfive six seven\n\n- a b c d e f\n```\nlet a\nlet b";
        let lines = wrap_prose(text, 12);
        let paragraph = ["one two", "three four", "five six", "seven"];
        assert_eq!(lines[2..6], paragraph, "{lines:?}");
        assert_eq!(lines[lines.len() - 3..], ["```", "let a", "let b"]);
        assert_eq!(wrap_prose(text, 40), wrap(text, 40), "what fits stays as it was written");
        assert_eq!(wrap_prose("a: 1\nbcdefghijklmnopqrstuvwxyz", 20).len(), 3, "lines of a kind");
    }

    #[test]
    fn ages_and_durations_are_short() {
        let at = Timestamp::from_millis(1_000_000_000_000);
        let ago = |millis: i64| age(at, at.plus_millis(-millis));
        assert_eq!(ago(30_000), "now");
        assert_eq!(ago(-5_000), "now");
        assert_eq!(ago(240_000), "4m");
        assert_eq!(ago(7_200_000), "2h");
        assert_eq!(ago(3 * 86_400_000), "3d");
        assert_eq!(ago(40 * 86_400_000), "5w");
        assert_eq!(ago(800 * 86_400_000), "2y");
        assert_eq!(duration(252_000), "4m12s");
        assert_eq!(duration(3_900_000), "1h05m");
        assert_eq!(duration(-4), "0s");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(number(912), "912");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            max_shrink_iters: 300,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn nothing_is_ever_wider_than_its_room(text in "\\PC*|[\u{0}-\u{ff}]*", cells in 0_usize..30) {
            prop_assert!(width(&truncate(&text, cells)) <= cells);
            prop_assert_eq!(width(&pad(&one_line(&text), cells)), cells);
            for line in wrap(&text, cells) {
                prop_assert!(width(&line) <= cells.max(1), "{:?}", line);
                prop_assert!(!line.chars().any(char::is_control));
            }
        }
    }
}
