//! Lines as people read them: without colours, and small things to find in
//! them.

use std::borrow::Cow;

/// The beginning of a line, cut between characters.
pub(super) fn beginning(line: &str, max_bytes: usize) -> &str {
    let mut at = line.len().min(max_bytes);
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    &line[..at]
}

/// Cells from which on a line is taken for several that a terminal was filled
/// up with.
const WIDE: usize = 300;
/// Blanks that part such lines.
const PARTED_BY: &str = "        ";

/// The row that a line draws, if it is one without colours: nearly all are.
pub(super) fn single(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let plain = line.len() < WIDE && memchr::memchr2(0x1b, b'\r', line.as_bytes()).is_none();
    plain.then_some(line)
}

/// The rows that a line of bytes draws, as a person would read them: without
/// colours, each thing that was drawn over another one for itself.
pub(super) fn rows(line: &str) -> Vec<Cow<'_, str>> {
    if let Some(row) = single(line) {
        return vec![row.into()];
    }
    let line = line.trim_end_matches(['\n', '\r']);
    let mut rows = Vec::new();
    for part in line.split('\r') {
        let mut row = String::with_capacity(part.len());
        let mut rest = part;
        while let Some(at) = rest.find('\u{1b}') {
            row.push_str(&rest[..at]);
            let after = after_sequence(&rest[at + 1..]);
            let sequence = &rest[at..rest.len() - after.len()];
            if moves(sequence) {
                take(&mut rows, std::mem::take(&mut row));
            }
            rest = after;
        }
        row.push_str(rest);
        take(&mut rows, row);
    }
    rows
}

/// Whether a sequence moves the cursor or wipes a row out: what follows is
/// another row. What only clears the rest of a row, as compilers do behind each
/// colour, is none.
fn moves(sequence: &str) -> bool {
    let Some(command) = sequence.strip_prefix("\u{1b}[") else { return false };
    command.ends_with(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'd', 'f']) || command == "2K"
}

/// Takes a row in; a very wide one is several.
fn take(rows: &mut Vec<Cow<'_, str>>, row: String) {
    if row.len() >= WIDE && !row.starts_with(['{', '[']) {
        let parts = row.split(PARTED_BY).map(str::trim).filter(|part| !part.is_empty());
        rows.extend(parts.map(|part| Cow::Owned(part.to_owned())));
    } else if !row.trim().is_empty() {
        rows.push(row.into());
    }
}

/// A text of one row without colours.
pub(super) fn plain(line: &str) -> String {
    rows(line).concat()
}

/// What follows a control sequence of which the escape is gone already.
fn after_sequence(text: &str) -> &str {
    let mut chars = text.char_indices();
    match chars.next() {
        // CSI: parameters, then one letter.
        Some((_, '[')) => match chars.find(|(_, c)| ('\u{40}'..='\u{7e}').contains(c)) {
            Some((at, c)) => &text[at + c.len_utf8()..],
            None => "",
        },
        // OSC (links, titles): up to a bell, or an escape and a backslash.
        Some((_, ']')) => match text.find(['\u{7}', '\u{1b}']) {
            Some(at) if text[at..].starts_with('\u{7}') => &text[at + 1..],
            Some(at) => text[at + 1..].strip_prefix('\\').unwrap_or(&text[at + 1..]),
            None => "",
        },
        // Others have one letter, some with one more before it.
        Some((_, '(' | ')')) => chars.next().map_or("", |(at, c)| &text[at + c.len_utf8()..]),
        Some((_, c)) => &text[c.len_utf8()..],
        None => "",
    }
}

/// The whole number that stands right before a word, as in `3 failed`.
pub(super) fn number_before(text: &str, word: &str) -> Option<u64> {
    text.match_indices(word).find_map(|(at, _)| {
        let after = text[at + word.len()..].chars().next();
        if after.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let before = text[..at].strip_suffix(' ')?;
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let start = before.len() - digits;
        let left = before[..start].chars().next_back();
        // `test_3 failed` and `1.3 failed` are no counts.
        if left.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-')) {
            return None;
        }
        before[start..].parse().ok()
    })
}

/// The whole number that a text begins with.
pub(super) fn number_at_start(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Whether a text is a place in a file, `path:line` or `path:line:column`, and
/// what the path is. Windows drives have a colon of their own.
pub(super) fn place(text: &str) -> Option<&str> {
    let mut rest = text.trim_end_matches(':');
    let mut numbers = 0;
    while let Some((before, number)) = rest.rsplit_once(':') {
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        numbers += 1;
        rest = before;
    }
    let is_path = !rest.is_empty() && !rest.starts_with(' ') && rest.len() < 512;
    (numbers > 0 && is_path).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_links_and_overwritten_parts_are_taken_out() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m and \u{1b}[1;38;5;9mbold\r\n"), "red and bold");
        assert_eq!(rows("10%\r20%\r\u{1b}[Kdone"), ["10%", "20%", "done"]);
        assert_eq!(plain("\u{1b}]8;;file:///x\u{1b}\\link\u{1b}]8;;\u{7} x\u{1b}(B!"), "link x!");
        assert_eq!(plain("cut \u{1b}[3"), "cut ");
        assert!(matches!(rows("plain 日本")[0], Cow::Borrowed("plain 日本")));
        let filled = format!("one{}two{}", " ".repeat(200), " ".repeat(200));
        assert_eq!(rows(&format!("{filled}\r")), ["one", "two"]);
    }

    #[test]
    fn numbers_are_counts_only_where_they_stand_alone() {
        assert_eq!(number_before("= 3 failed, 12 passed =", "passed"), Some(12));
        assert_eq!(number_before("test_3 failed", "failed"), None);
        assert_eq!(number_before("test 3 failed_again, 4 failed", "failed"), Some(4));
        assert_eq!(number_before("none failed", "failed"), None);
    }

    #[test]
    fn places_are_paths_with_numbers() {
        assert_eq!(place("src/a.c:3:5"), Some("src/a.c"));
        assert_eq!(place("C:\\x\\a.c:3"), Some("C:\\x\\a.c"));
        assert_eq!(place("a.c"), None);
        assert_eq!(place(":3:5"), None);
    }
}
