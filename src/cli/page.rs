//! How text for people is laid out: tones, aligned columns, wrapping, all
//! measured in terminal cells. Whatever comes from data passes
//! [`shown`], so that a terminal never acts on it.

use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::core::text::{shown, shown_in_line};

/// Prose is wrapped at this many cells at most, however wide the terminal is.
const PROSE_WIDTH: usize = 100;

/// Cells that a column is padded to at most where the page has no width.
const PADDED: usize = 100;
/// What a column that gives way keeps, in cells: at first, and where that is not enough.
const NARROW: [usize; 2] = [18, 6];

/// What a piece of text means; the colour follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Ordinary text.
    Plain,
    /// A heading.
    Title,
    /// Something to look at first.
    Strong,
    /// Secondary.
    Muted,
    /// Met, done.
    Good,
    /// Unmet, refused, failed.
    Bad,
    /// Waits, held, doubtful.
    Warn,
    /// A command that can be run.
    Command,
}

impl Tone {
    /// The terminal's own sixteen colours, readable on dark and light.
    fn code(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Title | Tone::Strong => "1",
            Tone::Muted => "2",
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Warn => "33",
            Tone::Command => "36",
        }
    }
}

/// A text with its tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    tone: Tone,
    text: String,
}

impl Span {
    /// The span with blanks before and behind it.
    #[must_use]
    pub fn padded(mut self, before: &str, after: &str) -> Self {
        self.text = format!("{before}{}{after}", self.text);
        self
    }
}

/// A text in one line with a tone. Control characters in it are shown.
pub fn span(tone: Tone, text: impl AsRef<str>) -> Span {
    Span { tone, text: shown_in_line(text.as_ref()) }
}

/// A plain text in one line.
pub fn plain(text: impl AsRef<str>) -> Span {
    span(Tone::Plain, text)
}

/// Blank cells between two spans.
pub fn gap(cells: usize) -> Span {
    Span { tone: Tone::Plain, text: " ".repeat(cells) }
}

/// A cell of a table: some spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell(Vec<Span>);

impl Cell {
    fn width(&self) -> usize {
        self.0.iter().map(|s| s.text.width()).sum()
    }
}

impl From<Span> for Cell {
    fn from(span: Span) -> Self {
        Self(vec![span])
    }
}

impl From<Vec<Span>> for Cell {
    fn from(spans: Vec<Span>) -> Self {
        Self(spans)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        plain(text).into()
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        plain(text).into()
    }
}

/// A row of a table and the lines below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The aligned columns.
    pub columns: Vec<Cell>,
    /// Lines outside the columns.
    pub below: Vec<Cell>,
}

impl From<Vec<Cell>> for Entry {
    fn from(columns: Vec<Cell>) -> Self {
        Self { columns, below: Vec::new() }
    }
}

/// Where text for people goes before it is written out in one piece.
#[derive(Clone, Debug)]
pub struct Page {
    out: String,
    width: Option<usize>,
    paint: bool,
}

impl Page {
    /// An empty page for a terminal of a width, or for no terminal (`None`:
    /// tables are as wide as they need). `paint` allows colour.
    pub fn new(width: Option<usize>, paint: bool) -> Self {
        Self { out: String::new(), width, paint }
    }

    /// What was laid out.
    pub fn into_text(self) -> String {
        self.out
    }

    /// The cells that a table may take; none outside a terminal.
    fn table_width(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }

    fn prose_width(&self) -> usize {
        self.width.unwrap_or(PROSE_WIDTH).clamp(20, PROSE_WIDTH)
    }

    /// An empty line; never two together, none at the top.
    pub fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A heading over what follows.
    pub fn heading(&mut self, text: &str) {
        self.blank();
        self.line(vec![span(Tone::Title, text)]);
    }

    /// A line of spans.
    pub fn line(&mut self, cell: impl Into<Cell>) {
        let cell = cell.into();
        self.push_spans(&cell.0, usize::MAX);
        self.end_line();
    }

    /// A line with one part at the left and one at the right edge; where both
    /// don't fit, or there is no edge, two spaces between them.
    pub fn edges(&mut self, left: impl Into<Cell>, right: impl Into<Cell>) {
        let (left, right) = (left.into(), right.into());
        let edge = self.width.unwrap_or(PROSE_WIDTH).min(PROSE_WIDTH + 20);
        let room = edge.saturating_sub(right.width() + 2);
        let cut = if self.width.is_some() { room.max(20) } else { usize::MAX };
        self.push_spans(&left.0, cut);
        let used = left.width().min(cut);
        let between = edge.saturating_sub(used + right.width()).max(2);
        self.out.push_str(&" ".repeat(between));
        self.push_spans(&right.0, usize::MAX);
        self.end_line();
    }

    /// Prose, wrapped and indented; line breaks in it stay.
    pub fn prose(&mut self, indent: usize, tone: Tone, text: &str) {
        let text = shown(text);
        let options = textwrap::Options::new(self.prose_width().saturating_sub(indent).max(20))
            .break_words(true);
        for paragraph in text.lines() {
            let wrapped = textwrap::wrap(paragraph, &options);
            if wrapped.is_empty() {
                self.out.push('\n');
            }
            for line in wrapped {
                self.out.push_str(&" ".repeat(indent));
                self.paint(tone, line.trim_end());
                self.end_line();
            }
        }
    }

    /// A text that is wrapped beside what stands before it. Outside a terminal it
    /// stays in one line, so that it can be searched.
    pub fn hanging(&mut self, before: Vec<Span>, tone: Tone, text: &str) {
        let before = Cell::from(before);
        let indent = before.width();
        let room = self.prose_width().saturating_sub(indent).max(20);
        let text = shown_in_line(text);
        self.push_spans(&before.0, usize::MAX);
        let room = self.width.map_or(usize::MAX, |_| room);
        for (index, line) in textwrap::wrap(&text, room).iter().enumerate() {
            if index > 0 {
                self.end_line();
                self.out.push_str(&" ".repeat(indent));
            }
            self.paint(tone, line);
        }
        self.end_line();
    }

    /// A text as it is, control characters shown; ends with a line feed.
    pub fn verbatim(&mut self, text: &str) {
        self.out.push_str(&shown(text));
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Rows of aligned columns. The columns `flex` give way, in this order, where
    /// the page is too narrow.
    pub fn table(&mut self, indent: usize, flex: &[usize], rows: Vec<Vec<Cell>>) {
        let entries = rows.into_iter().map(Entry::from).collect();
        self.groups(indent, flex, vec![(None, entries)]);
    }

    /// Groups of rows under headings, aligned over all groups; lines below a row
    /// stand outside the columns.
    pub fn groups(
        &mut self,
        indent: usize,
        flex: &[usize],
        groups: Vec<(Option<&str>, Vec<Entry>)>,
    ) {
        let rows = groups.iter().flat_map(|(_, entries)| entries).map(|e| &e.columns);
        let widths = self.widths(indent, flex, rows);
        for (title, entries) in groups {
            if let Some(title) = title {
                self.heading(title);
            }
            for entry in entries {
                self.row(indent, &widths, &entry.columns);
                for line in entry.below {
                    self.cut_line(line);
                }
            }
        }
    }

    fn widths<'a>(
        &self,
        indent: usize,
        flex: &[usize],
        rows: impl Iterator<Item = &'a Vec<Cell>>,
    ) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for row in rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let gaps = 2 * widths.iter().filter(|w| **w > 0).count().saturating_sub(1);
        let whole = indent + gaps + widths.iter().sum::<usize>();
        let mut over = whole.saturating_sub(self.table_width());
        for kept in NARROW {
            for column in flex {
                if let Some(width) = widths.get_mut(*column) {
                    let gives = over.min(width.saturating_sub(kept));
                    *width -= gives;
                    over -= gives;
                }
            }
        }
        widths
    }

    /// A line that is cut where the page ends.
    fn cut_line(&mut self, cell: Cell) {
        self.push_spans(&cell.0, self.table_width());
        self.end_line();
    }

    fn row(&mut self, indent: usize, widths: &[usize], row: &[Cell]) {
        let start = self.out.len();
        self.out.push_str(&" ".repeat(indent));
        // Outside a terminal nothing is cut; one absurd name must not push all rows.
        let padded = if self.width.is_some() { usize::MAX } else { PADDED };
        let mut owed = 0;
        for (cell, width) in row.iter().zip(widths).filter(|(_, w)| **w > 0) {
            if cell.width() > 0 {
                self.out.push_str(&" ".repeat(owed));
                owed = 0;
                self.push_spans(&cell.0, *width);
            }
            owed += (*width).min(padded).saturating_sub(cell.width()) + 2;
        }
        if self.out[start..].trim().is_empty() {
            self.out.truncate(start);
        }
        self.end_line();
    }

    /// Writes spans, cut with `…` where they pass `max` cells.
    fn push_spans(&mut self, spans: &[Span], max: usize) {
        let whole: usize = spans.iter().map(|s| s.text.width()).sum();
        let mut room = if whole <= max { usize::MAX } else { max.saturating_sub(1) };
        for span in spans {
            let cut = cut(&span.text, room);
            let ended = cut.len() < span.text.len();
            room = room.saturating_sub(cut.width());
            self.paint(span.tone, cut);
            if ended {
                self.paint(span.tone, "…");
                return;
            }
        }
    }

    fn paint(&mut self, tone: Tone, text: &str) {
        let code = tone.code();
        if self.paint && !code.is_empty() && !text.is_empty() {
            let _ = write!(self.out, "\u{1b}[{code}m{text}\u{1b}[0m");
        } else {
            self.out.push_str(text);
        }
    }

    fn end_line(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        self.out.push('\n');
    }
}

/// The beginning of a text that fits into so many cells, never cut inside a
/// character as people see it.
fn cut(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width();
        if used > cells {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<Cell>> {
        vec![
            vec!["●".into(), "A long title that goes on".into(), "critique".into()],
            vec!["✓".into(), "日本語".into(), "done".into()],
        ]
    }

    #[test]
    fn columns_align_in_cells_not_in_characters() {
        let mut page = Page::new(None, false);
        page.table(2, &[1], rows());
        assert_eq!(
            page.into_text(),
            "  ●  A long title that goes on  critique\n  ✓  日本語                     done\n"
        );
    }

    #[test]
    fn the_flexible_column_gives_way() {
        let mut page = Page::new(Some(33), false);
        page.table(2, &[1], rows());
        let text = page.into_text();
        assert!(text.lines().all(|l| l.width() <= 33), "{text}");
        assert!(text.contains("A long title that…"), "{text}");
    }

    #[test]
    fn colour_stands_only_around_text_and_data_cannot_bring_its_own() {
        let mut page = Page::new(None, true);
        page.line(vec![span(Tone::Bad, "no\u{1b}[2J"), gap(1), plain("x")]);
        assert_eq!(page.into_text(), "\u{1b}[31mno␛[2J\u{1b}[0m x\n");
    }

    #[test]
    fn prose_wraps_with_its_indent_and_keeps_paragraphs() {
        let mut page = Page::new(Some(24), false);
        page.prose(2, Tone::Plain, "one two three four five six\n\nseven");
        assert_eq!(page.into_text(), "  one two three four\n  five six\n\n  seven\n");
    }
}
