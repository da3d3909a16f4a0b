//! Notes in passing: on the lower edge of the screen, which carries nothing else. Only
//! one that wants to be read and is longer than the edge stands above it.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::app::App;
use crate::tui::app::toast::{Toast, Tone};
use crate::tui::widget::text;

use super::canvas::{Canvas, row, span, to_u16};

/// Rows that a long note takes at most.
const ROWS: usize = 4;

/// Draws the notes, the newest at the right.
pub(super) fn draw(app: &App, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let edge = row(body, body.height.saturating_sub(1));
    // The corners stay.
    let (left, mut right) = (edge.x + 2, edge.right().saturating_sub(2));
    let mut bottom = edge.y;
    let notes = app.toasts.notes();
    let told_now = notes.iter().rev().find_map(|note| note.until);
    for note in notes.iter().rev() {
        let said = text::one_line(&note.text);
        let wide = to_u16(text::width(&said)).saturating_add(4);
        let room = right.saturating_sub(left);
        let newest = right + 2 == edge.right();
        if wide <= room || (newest && note.tone == Tone::Done) {
            let wide = wide.min(room);
            let area = Rect { x: right - wide, width: wide, ..edge };
            on_edge(canvas, area, note, &said);
            right = area.x.saturating_sub(1);
        } else if note.tone != Tone::Done || note.until == told_now {
            // What was done before has been read when something newer was told.
            bottom -= above(canvas, Rect { height: bottom.saturating_sub(body.y), ..body }, note);
        }
    }
}

/// The sign of a note and its style, and the style of its words.
fn look(canvas: &Canvas<'_, '_>, note: &Toast) -> (&'static str, Style, Style) {
    let theme = canvas.theme;
    match note.tone {
        Tone::Done => (theme.symbols.completed, theme.ok, theme.title),
        Tone::Warning => (theme.symbols.warning, theme.warn, theme.warn),
        Tone::Failure => (theme.symbols.unmet, theme.bad, theme.bad),
    }
}

fn on_edge(canvas: &mut Canvas<'_, '_>, area: Rect, note: &Toast, said: &str) {
    let (symbol, style, words) = look(canvas, note);
    canvas.clear(area);
    let inner = Rect { width: area.width.saturating_sub(1), ..area };
    canvas.put(inner, &[span(format!(" {symbol} "), style), span(said.to_owned(), words)]);
}

/// A note of several rows in a frame at the lower right of an area; the rows it took.
fn above(canvas: &mut Canvas<'_, '_>, area: Rect, note: &Toast) -> u16 {
    let wide = (area.width * 3 / 5).clamp(30, 72).min(area.width);
    let (symbol, style, _) = look(canvas, note);
    let lines = text::wrap(&note.text, usize::from(wide.saturating_sub(6)));
    let lines: Vec<&String> = lines.iter().take(ROWS).collect();
    let longest = lines.iter().map(|l| text::width(l)).max().unwrap_or(0);
    let cells = to_u16(longest + 6).min(area.width);
    let height = to_u16(lines.len() + 2);
    if area.height < height {
        return 0;
    }
    let x = area.right().saturating_sub(cells + 1);
    let place = Rect { x, y: area.bottom() - height, width: cells, height };
    canvas.clear(place);
    let inner = canvas.frame_around(place, &[], &[], false);
    for (at, line) in lines.iter().enumerate() {
        let mark = if at == 0 { symbol } else { " " };
        let spans = [span(format!(" {mark} "), style), span((*line).clone(), canvas.theme.text)];
        canvas.put(row(inner, to_u16(at)), &spans);
    }
    height
}
