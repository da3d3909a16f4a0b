//! The picture of a form. Draws inside the rectangle that it is given, of any
//! size, and notes for the mouse what stands where.

mod list;
mod question;
mod row;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::tui::theme::Theme;
use crate::tui::widget::text::{truncate_with, width, wrap};

use super::field::{Control, Grade, Note};
use super::state::{Form, Target};

/// Columns that a form takes at most: longer lines are hard to read.
const WIDEST: u16 = 110;
/// Rows that a form with a long text takes at most.
const TALLEST: u16 = 44;
/// Rows that a long text has at least, its label included.
const TEXT_ROWS: u16 = 4;
/// Lines that a note takes at most.
const NOTE_LINES: usize = 3;

impl Form {
    /// Draws the form into a rectangle.
    pub fn render(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        self.hits.borrow_mut().clear();
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let boxed = self.boxed(area);
        frame.render_widget(Clear, boxed);
        let block = self.frame_block(boxed, theme);
        let inner = block.inner(boxed);
        frame.render_widget(block, boxed);
        if !inner.is_empty() {
            self.draw_inside(frame, inner, theme);
        }
        if let Some(question) = self.question {
            question::draw(self, question, frame, boxed, theme);
        }
    }

    /// The rectangle that the form takes of the one that it may take.
    fn boxed(&self, area: Rect) -> Rect {
        let wide = area.width.min(WIDEST);
        let inside = wide.saturating_sub(2);
        let tall = if self.fields.0.iter().any(|f| f.visible && f.is_multiline()) {
            TALLEST
        } else {
            self.natural_height(inside).saturating_add(2)
        };
        let tall = tall.max(self.open_list_height(inside).saturating_add(4));
        let tall = tall.min(area.height);
        Rect {
            x: area.x + (area.width - wide) / 2,
            y: area.y + (area.height - tall) / 3,
            width: wide,
            height: tall,
        }
    }

    /// Rows that the dropped list takes; 0 if none is open.
    fn open_list_height(&self, wide: u16) -> u16 {
        let open = self.fields.0.iter().find_map(|f| match &f.control {
            Control::Pick(picker) if picker.opened().is_some() => Some(picker),
            _ => None,
        });
        open.map_or(0, |picker| list::height(picker, wide))
    }

    /// Rows that everything takes when nothing is left out.
    fn natural_height(&self, wide: u16) -> u16 {
        let notes = self.notes();
        let lines =
            |notes: &[&Note]| notes.iter().map(|n| note_lines(n, wide).len()).sum::<usize>();
        let facts = self.facts();
        let facts: Vec<&Note> = facts.iter().collect();
        let general: Vec<&Note> = notes.iter().filter(|n| n.field.is_none()).collect();
        let fields: u16 = self.heights(&notes, wide).iter().sum();
        // The button, the help, and a row to set each part apart.
        let rest = lines(&facts) + usize::from(!facts.is_empty()) + lines(&general) + 4;
        fields.saturating_add(clamped(rest))
    }

    fn frame_block(&self, area: Rect, theme: &Theme) -> Block<'static> {
        let room = usize::from(area.width.saturating_sub(4));
        let title = separated(&self.title(), theme);
        let title = truncate_with(&title, room, theme.symbols.ellipsis).into_owned();
        Block::bordered()
            .border_set(theme.borders())
            .border_style(theme.border_focus)
            .title(Span::styled(format!(" {title} "), theme.title))
            .title_bottom(self.footer(room, theme))
    }

    /// The keys, as many as fit.
    fn footer(&self, room: usize, theme: &Theme) -> Line<'static> {
        let keys: [(&str, &str); 4] =
            [("Ctrl-s", self.action()), ("Tab", "next"), ("Esc", "leave"), ("Ctrl-o", "editor")];
        let editable = self.fields.0.iter().any(|f| f.visible && f.is_multiline());
        let mut spans = vec![Span::raw(" ")];
        let mut used = 1;
        for (key, what) in keys.iter().take(if editable { keys.len() } else { 3 }) {
            let cells = width(key) + width(what) + 3;
            if used + cells > room + 2 {
                break;
            }
            used += cells;
            spans.push(Span::styled((*key).to_owned(), theme.key));
            spans.push(Span::styled(format!(" {what}  "), theme.hint));
        }
        if let Some(last) = spans.last_mut() {
            let text = last.content.trim_end().to_owned();
            last.content = format!("{text} ").into();
        }
        Line::from(spans)
    }

    fn draw_inside(&self, frame: &mut Frame<'_>, inner: Rect, theme: &Theme) {
        let notes = self.notes();
        let general: Vec<&Note> = notes.iter().filter(|n| n.field.is_none()).collect();
        let said = lines_of(&general, inner.width, theme);
        let facts = self.facts();
        let facts: Vec<&Note> = facts.iter().collect();
        let known = lines_of(&facts, inner.width, theme);
        let least: u16 =
            self.heights(&notes, inner.width).iter().fold(0, |a, b| a.saturating_add(*b));
        let mut gaps = Gaps::new(inner, least, said.len() + known.len());
        // From the bottom: help, what is said of the whole, the button; from
        // the top: what is known; the rest is for the fields.
        let mut room = inner;
        if room.height >= 6 {
            self.draw_help(frame, take_bottom(&mut room, 1), theme);
            take_bottom(&mut room, gaps.next());
        }
        // At least a third of the room; more where the fields leave it.
        let left = room.height.saturating_sub(least.saturating_add(clamped(known.len())) + 1);
        let tall = clamped(said.len()).min(left.max(room.height / 3));
        frame.render_widget(Paragraph::new(said), take_bottom(&mut room, tall));
        if room.height >= 3 {
            self.draw_button(frame, take_bottom(&mut room, 1), theme);
            take_bottom(&mut room, gaps.next());
        }
        let tall = clamped(known.len()).min(room.height / 2);
        frame.render_widget(Paragraph::new(known), take_top(&mut room, tall));
        if tall > 0 {
            take_top(&mut room, gaps.next());
        }
        self.draw_fields(frame, room, inner, &notes, theme);
    }

    fn draw_help(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let text = match self.fields.0.get(self.focus) {
            Some(field) => field.help.as_str(),
            None if self.busy => "",
            None => "Enter submits; Shift-Tab goes back to the fields",
        };
        let text = truncate_with(text, usize::from(area.width), theme.symbols.ellipsis);
        frame.render_widget(Paragraph::new(Span::styled(text, theme.muted)), area);
    }

    fn draw_button(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let word = if self.busy { "working" } else { self.action() };
        let text = format!("[ {word} ]");
        let cells = clamped(width(&text));
        let focused = self.focus >= self.fields.0.len();
        let style = if focused { theme.selected } else { theme.text };
        let bar = if focused { theme.symbols.bar } else { " " };
        let line =
            Line::from(vec![Span::styled(bar, theme.field_focus), Span::styled(text, style)]);
        frame.render_widget(Paragraph::new(line), area);
        let button = Rect { x: area.x + 1, width: cells, ..area }.intersection(area);
        self.hits.borrow_mut().push((button, Target::Button));
    }

    /// The rows that each field takes at least, notes included; 0 out of sight.
    fn heights(&self, notes: &[Note], wide: u16) -> Vec<u16> {
        let fields = self.fields.0.iter();
        fields
            .map(|field| match (field.visible, field.is_multiline()) {
                (false, _) => 0,
                (true, true) => TEXT_ROWS + row::notes_height(field.id, notes, wide),
                (true, false) => row::rows(field) + row::notes_height(field.id, notes, wide),
            })
            .collect()
    }

    fn draw_fields(
        &self,
        frame: &mut Frame<'_>,
        room: Rect,
        inner: Rect,
        notes: &[Note],
        theme: &Theme,
    ) {
        let mut heights = self.heights(notes, room.width);
        self.share_out(&mut heights, room.height);
        let label = self.label_width(room.width);
        let scroll = self.scrolled(&heights, room.height);
        let mut top = 0_u16;
        let mut list_at = None;
        for (position, field) in self.fields.0.iter().enumerate() {
            let tall = heights[position];
            if let Some(area) = part_in_view(room, top, tall, scroll) {
                let place = row::Place { position, area, label, focused: position == self.focus };
                row::draw(self, field, &place, notes, frame, theme);
                if place.focused {
                    list_at = Some(area.y);
                }
            }
            top = top.saturating_add(tall);
        }
        self.draw_more(frame, room, scroll, top, theme);
        let open = self.fields.0.get(self.focus).and_then(|f| match &f.control {
            Control::Pick(picker) if picker.opened().is_some() => Some((f, picker)),
            _ => None,
        });
        if let (Some((field, picker)), Some(at)) = (open, list_at) {
            let area = list_room(inner, at, list::height(picker, inner.width));
            list::draw(self, field, picker, frame, area, theme);
        }
    }

    /// Gives the rows that are left to the long texts, first to the one with the focus.
    fn share_out(&self, heights: &mut [u16], room: u16) {
        let used: u16 = heights.iter().fold(0, |sum, h| sum.saturating_add(*h));
        let left = room.saturating_sub(used);
        let long = |i: &usize| self.fields.0[*i].visible && self.fields.0[*i].is_multiline();
        let texts: Vec<usize> = (0..heights.len()).filter(long).collect();
        let focused = texts.iter().find(|i| **i == self.focus).or(texts.first());
        if let Some(position) = focused {
            heights[*position] = heights[*position].saturating_add(left);
        }
    }

    /// Columns of the labels, the mark of the focus and of what is needed included.
    fn label_width(&self, wide: u16) -> u16 {
        let labels = self.fields.0.iter().filter(|f| f.visible).map(|f| width(&f.label));
        clamped(labels.max().unwrap_or(0) + 3).min(wide / 2)
    }

    /// How many rows are scrolled out of view, so that the focus is in view.
    fn scrolled(&self, heights: &[u16], room: u16) -> u16 {
        let sum = |range: &[u16]| range.iter().fold(0_u16, |sum, h| sum.saturating_add(*h));
        let total = sum(heights);
        let focus = self.focus.min(heights.len());
        let (top, tall) = match heights.get(focus) {
            Some(tall) => (sum(&heights[..focus]), *tall),
            None => (total, 0),
        };
        let bottom = top.saturating_add(tall.min(room));
        let mut scroll = self.scroll.get().min(total.saturating_sub(room));
        scroll = scroll.max(bottom.saturating_sub(room)).min(top);
        self.scroll.set(scroll);
        scroll
    }

    /// Marks at the right edge that there is more above or below.
    fn draw_more(&self, frame: &mut Frame<'_>, room: Rect, scroll: u16, total: u16, theme: &Theme) {
        if room.height < 2 || room.width == 0 {
            return;
        }
        let x = room.right() - 1;
        let mut mark = |y: u16, symbol: &str| {
            frame.buffer_mut().set_stringn(x, y, symbol, 1, theme.accent);
        };
        if scroll > 0 {
            mark(room.y, theme.symbols.up);
        }
        if total > scroll.saturating_add(room.height) {
            mark(room.bottom() - 1, theme.symbols.down);
        }
    }
}

/// The empty rows that are left to set the parts of a form apart.
struct Gaps(u16);

impl Gaps {
    fn new(inner: Rect, fields: u16, lines: usize) -> Self {
        let parts = fields.saturating_add(clamped(lines)).saturating_add(2);
        Self(inner.height.saturating_sub(parts))
    }

    /// One row, as long as there are some.
    fn next(&mut self) -> u16 {
        let row = self.0.min(1);
        self.0 -= row;
        row
    }
}

/// The rectangle of a list of some height that drops down: below its field if
/// it fits there, else as far down as the form reaches.
fn list_room(inner: Rect, at: u16, tall: u16) -> Rect {
    let tall = tall.min(inner.height);
    let y = (at + 1).min(inner.bottom() - tall);
    Rect { y, height: tall, ..inner }
}

/// The part of a field's rows that is in view.
fn part_in_view(room: Rect, top: u16, tall: u16, scroll: u16) -> Option<Rect> {
    let end = scroll.saturating_add(room.height);
    let bottom = top.saturating_add(tall);
    let (first, last) = (top.max(scroll), bottom.min(end));
    (first < last).then(|| Rect { y: room.y + (first - scroll), height: last - first, ..room })
}

fn take_bottom(room: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(room.height);
    room.height -= rows;
    Rect { y: room.bottom(), height: rows, ..*room }
}

fn take_top(room: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(room.height);
    let top = Rect { height: rows, ..*room };
    room.y += rows;
    room.height -= rows;
    top
}

fn clamped(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The symbol and style of a note.
fn mark(grade: Grade, theme: &Theme) -> (&'static str, Style) {
    match grade {
        Grade::Blocks | Grade::Refused => (theme.symbols.unmet, theme.bad),
        Grade::Warns => (theme.symbols.warning, theme.warn),
        Grade::Tells => (theme.symbols.bullet, theme.text),
        Grade::Step => (theme.symbols.ready, theme.ok),
    }
}

/// A text with its separators as the theme draws them.
fn separated(text: &str, theme: &Theme) -> String {
    text.replace('·', theme.symbols.bullet)
}

/// The lines of a note, without its symbol.
fn note_lines(note: &Note, wide: u16) -> Vec<String> {
    let mut lines = wrap(&note.text, usize::from(wide.saturating_sub(2).max(1)));
    if lines.len() > NOTE_LINES {
        lines.truncate(NOTE_LINES);
        if let Some(last) = lines.last_mut() {
            last.push_str("...");
        }
    }
    lines
}

/// The lines of some notes, with their symbols.
fn lines_of(notes: &[&Note], wide: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for note in notes {
        let (symbol, style) = mark(note.grade, theme);
        for (i, text) in note_lines(note, wide).into_iter().enumerate() {
            let symbol = if i == 0 { symbol } else { " " };
            let said = if note.grade == Grade::Tells { theme.text } else { style };
            out.push(Line::from(vec![
                Span::styled(format!("{symbol} "), style),
                Span::styled(text, said),
            ]));
        }
    }
    out
}
