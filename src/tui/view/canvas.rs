//! Drawing: text that is cut and made safe, frames, dividers, lists. Nothing is
//! ever drawn outside the terminal, whatever its size.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::action::Context;
use crate::tui::app::cursor::Cursor;
use crate::tui::theme::{Glyphs, Theme};
use crate::tui::widget::text;

use super::layout::{Layout, Target};

/// An area with fewer rows than this is too low for a mark on its edge.
const LOW: u16 = 3;

/// What is drawn on, with the theme and the record of where things are.
pub struct Canvas<'c, 'f> {
    /// The frame.
    pub frame: &'c mut Frame<'f>,
    /// Styles and symbols.
    pub theme: &'c Theme,
    /// Where things are.
    pub layout: &'c mut Layout,
}

/// A piece of text with its style.
pub fn span<'a>(text: impl Into<Cow<'a, str>>, style: Style) -> Span<'a> {
    Span::styled(text, style)
}

/// The rectangle without its outermost cells.
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// One row of a rectangle; empty if it has none there.
pub fn row(area: Rect, at: u16) -> Rect {
    let height = u16::from(at < area.height);
    Rect { x: area.x, y: area.y.saturating_add(at), width: area.width, height }
}

/// The rows of a rectangle from one on.
pub fn below(area: Rect, at: u16) -> Rect {
    let at = at.min(area.height);
    Rect { y: area.y.saturating_add(at), height: area.height - at, ..area }
}

/// A rectangle moved in by some columns on the left and the right.
pub fn indent(area: Rect, left: u16, right: u16) -> Rect {
    let taken = left.saturating_add(right).min(area.width);
    Rect { x: area.x + left.min(area.width), width: area.width - taken, ..area }
}

/// How many cells some pieces take.
pub fn spans_width(spans: &[Span<'_>]) -> u16 {
    let cells = spans.iter().map(|s| text::width(&text::one_line(&s.content))).sum::<usize>();
    u16::try_from(cells).unwrap_or(u16::MAX)
}

impl Canvas<'_, '_> {
    /// Writes pieces of text into the first row of an area, cut with `…` where
    /// the room ends; the cells that were used.
    pub fn put(&mut self, area: Rect, spans: &[Span<'_>]) -> u16 {
        let area = area.intersection(self.frame.area());
        if area.is_empty() {
            return 0;
        }
        let mark = self.theme.symbols.ellipsis;
        let mut used = 0_u16;
        let mut rest = spans.iter().filter(|s| !s.content.is_empty()).peekable();
        while let Some(piece) = rest.next() {
            let room = area.width - used;
            if room == 0 {
                break;
            }
            let safe = self.drawable(&piece.content);
            let mut cut = text::truncate_with(&safe, usize::from(room), mark);
            // The mark is needed too where only the next piece finds no room.
            let full = text::width(&cut) == usize::from(room);
            let mut ends = cut.len() != safe.len();
            if full && !ends && rest.peek().is_some() {
                let longer = format!("{safe} ");
                cut = text::truncate_with(&longer, usize::from(room), mark).into_owned().into();
                ends = true;
            }
            let (x, _) = self.frame.buffer_mut().set_stringn(
                area.x + used,
                area.y,
                &cut,
                usize::from(room),
                piece.style,
            );
            used = x.saturating_sub(area.x).min(area.width);
            if ends {
                break;
            }
        }
        used
    }

    /// A text as one line that this terminal can draw.
    fn drawable<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let safe = text::one_line(text);
        if self.theme.glyphs == Glyphs::Unicode || safe.is_ascii() {
            return safe;
        }
        let plain = |c| match c {
            '→' => Some('>'),
            '…' => Some('~'),
            '·' => Some('-'),
            '×' => Some('x'),
            _ => None,
        };
        safe.chars().map(|c| plain(c).unwrap_or(c)).collect::<String>().into()
    }

    /// Writes pieces at the right end of the first row of an area, if they fit.
    pub fn put_right(&mut self, area: Rect, spans: &[Span<'_>]) -> u16 {
        let wide = spans_width(spans);
        if wide == 0 || wide > area.width {
            return 0;
        }
        let at = Rect { x: area.x + area.width - wide, width: wide, ..area };
        self.put(at, spans)
    }

    /// Writes on the left, and on the right what still finds room.
    pub fn put_both(&mut self, area: Rect, left: &[Span<'_>], right: &[Span<'_>]) {
        let wide = spans_width(right);
        let gap = 2;
        if wide > 0 && area.width > wide + gap + 8 {
            self.put_right(area, right);
            self.put(Rect { width: area.width - wide - gap, ..area }, left);
        } else {
            self.put(area, left);
        }
    }

    /// Styles the cells of an area, whatever stands in them.
    pub fn paint(&mut self, area: Rect, style: Style) {
        let area = area.intersection(self.frame.area());
        self.frame.buffer_mut().set_style(area, style);
    }

    /// Empties the cells of an area.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.frame.area());
        self.frame.render_widget(ratatui::widgets::Clear, area);
    }

    /// Repeats a symbol along a row.
    fn rule(&mut self, area: Rect, symbol: &str, style: Style) {
        let area = area.intersection(self.frame.area());
        for x in area.left()..area.right() {
            self.cell(x, area.y, symbol, style);
        }
    }

    /// Sets one cell.
    pub fn cell(&mut self, x: u16, y: u16, symbol: &str, style: Style) {
        if let Some(cell) = self.frame.buffer_mut().cell_mut(Position { x, y }) {
            cell.set_symbol(symbol);
            cell.set_style(style);
        }
    }

    /// Draws a frame with a title on its upper edge, and more at the right of it.
    /// What is inside.
    pub fn frame_around(
        &mut self,
        area: Rect,
        title: &[Span<'_>],
        right: &[Span<'_>],
        focused: bool,
    ) -> Rect {
        let style = if focused { self.theme.border_focus } else { self.theme.border };
        let set = self.theme.borders();
        if area.width < 2 || area.height < 2 {
            return Rect { width: 0, height: 0, ..area };
        }
        let (left, top) = (area.x, area.y);
        let (far, bottom) = (area.right() - 1, area.bottom() - 1);
        self.rule(row(area, 0), set.horizontal_top, style);
        self.rule(row(area, area.height - 1), set.horizontal_bottom, style);
        for y in top..=bottom {
            self.cell(left, y, set.vertical_left, style);
            self.cell(far, y, set.vertical_right, style);
        }
        self.cell(left, top, set.top_left, style);
        self.cell(far, top, set.top_right, style);
        self.cell(left, bottom, set.bottom_left, style);
        self.cell(far, bottom, set.bottom_right, style);
        self.title_on(row(area, 0), title, right);
        inside(area)
    }

    /// Draws a line across a frame with a title on it, joined to both sides.
    pub fn divider(&mut self, area: Rect, title: &[Span<'_>], right: &[Span<'_>], focused: bool) {
        let style = if focused { self.theme.border_focus } else { self.theme.border };
        let (left, far) = match self.theme.glyphs {
            Glyphs::Unicode => ("├", "┤"),
            Glyphs::Ascii => ("+", "+"),
        };
        self.rule(area, self.theme.symbols.line, style);
        if area.width > 1 {
            self.cell(area.x, area.y, left, style);
            self.cell(area.right() - 1, area.y, far, style);
        }
        self.title_on(area, title, right);
    }

    /// Draws a line down between two panes, joined to what is above and below.
    pub fn upright(&mut self, x: u16, top: u16, bottom: u16, foot: bool) {
        let style = self.theme.border;
        let (head, end) = match self.theme.glyphs {
            Glyphs::Unicode => ("┬", "┴"),
            Glyphs::Ascii => ("+", "+"),
        };
        self.cell(x, top, head, style);
        for y in top + 1..bottom {
            self.cell(x, y, self.theme.symbols.pipe, style);
        }
        if foot {
            self.cell(x, bottom, end, style);
        }
    }

    /// Writes a title and what stands at the right of it on an edge.
    fn title_on(&mut self, edge: Rect, title: &[Span<'_>], right: &[Span<'_>]) {
        let room = indent(edge, 2, 2);
        let right_wide = spans_width(right);
        let shows_right = right_wide > 0 && room.width > right_wide.saturating_add(12);
        if shows_right {
            let mut padded = vec![Span::raw(" ")];
            padded.extend(right.iter().cloned());
            padded.push(Span::raw(" "));
            self.put_right(Rect { width: room.width + 1, ..room }, &padded);
        }
        if spans_width(title) == 0 || room.width < 4 {
            return;
        }
        let taken = if shows_right { right_wide + 3 } else { 0 };
        let room = Rect { x: room.x - 1, width: (room.width + 1).saturating_sub(taken), ..room };
        self.put(Rect { width: 1.min(room.width), ..room }, &[Span::raw(" ")]);
        let used = self.put(indent(room, 1, 1), title);
        self.put(Rect { x: room.x + 1 + used, width: 1, ..room }, &[Span::raw(" ")]);
    }

    /// Records a pane that scrolls a text, and draws the lines of it that are in
    /// view; `draw` gets the row and the number of the line.
    pub fn scrolled(
        &mut self,
        pane: Context,
        area: Rect,
        cursor: &mut Cursor,
        lines: usize,
        mut draw: impl FnMut(&mut Self, Rect, usize),
    ) {
        let view = usize::from(area.height);
        cursor.offset = cursor.offset.min(lines.saturating_sub(view));
        self.layout.pane(pane, area, lines);
        let last = lines.min(cursor.offset + view);
        for line in cursor.offset..last {
            let room = self.beside_more(area, to_u16(line - cursor.offset), (last, lines));
            draw(self, room, line);
        }
        self.scroll_mark(area, cursor.offset, lines.saturating_sub(view));
    }

    /// Records a pane with rows that are chosen, and draws those in view; `draw`
    /// gets the area of the row, its number and whether it is the chosen one.
    pub fn rows(
        &mut self,
        pane: Context,
        area: Rect,
        cursor: &mut Cursor,
        (len, height): (usize, u16),
        mut draw: impl FnMut(&mut Self, Rect, usize, bool),
    ) {
        let view = usize::from((area.height / height.max(1)).max(1));
        cursor.show(len, view);
        self.layout.pane_of_rows(pane, area, len, view);
        let last = len.min(cursor.offset + view);
        for at in cursor.offset..last {
            let y = to_u16(at - cursor.offset).saturating_mul(height);
            let room = below(area, y);
            let mut room = Rect { height: height.min(room.height), ..room };
            if height == 1 {
                room = self.beside_more(area, y, (last, len));
            }
            self.layout.target(room, Target::Row(pane, at));
            draw(self, room, at, at == cursor.index);
        }
        self.scroll_mark(area, cursor.offset, len.saturating_sub(view));
    }

    /// The row `y` of an area that is too low for a mark on its edge: in its last row it
    /// is said how many more rows there are below, `last` of `len` being in view.
    fn beside_more(&mut self, area: Rect, y: u16, (last, len): (usize, usize)) -> Rect {
        let line = row(area, y);
        let more = len.saturating_sub(last);
        if area.height >= LOW || y + 1 < area.height || more == 0 {
            return line;
        }
        let mark = format!("{} {more} more", self.theme.symbols.ellipsis);
        let wide = self.put_right(line, &[span(mark, self.theme.muted)]);
        Rect { width: line.width.saturating_sub(wide + u16::from(wide > 0)), ..line }
    }

    /// Where in a long list the view is: a mark on the right edge of the frame.
    /// `last` is the first row in view once the end is reached; 0 if all is in view.
    fn scroll_mark(&mut self, area: Rect, offset: usize, last: usize) {
        let view = usize::from(area.height);
        if view < usize::from(LOW) || last == 0 || offset > last {
            return;
        }
        let y = area.y + to_u16((offset * (view - 1)) / last).min(area.height - 1);
        // On the frame's edge, which stands one cell or two beside the text.
        let edge = self.theme.borders().vertical_right;
        let beside = (area.right()..=area.right().saturating_add(1)).find(|x| {
            let at = Position { x: *x, y };
            self.frame.buffer_mut().cell(at).is_some_and(|cell| cell.symbol() == edge)
        });
        let (symbol, style) = (self.theme.symbols.thumb, self.theme.muted);
        self.cell(beside.unwrap_or(area.right()), y, symbol, style);
    }

    /// Writes a text over several rows, wrapped; how many rows it took.
    pub fn paragraph(&mut self, area: Rect, words: &str, style: Style) -> u16 {
        let mut used = 0;
        for line in text::wrap(words, usize::from(area.width)) {
            if used >= area.height {
                break;
            }
            self.put(row(area, used), &[span(line, style)]);
            used += 1;
        }
        used
    }
}

/// A number of cells; what no terminal has becomes the largest.
pub fn to_u16(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}
