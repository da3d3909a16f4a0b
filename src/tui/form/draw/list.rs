//! The list that drops down from a choice: filter, options, what is known of
//! the highlighted one.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::tui::theme::Theme;
use crate::tui::widget::text::{pad, truncate_with, width, wrap};

use super::super::field::Field;
use super::super::picker::{Arity, Open, Picker};
use super::super::state::{Form, Target};
use super::{clamped, separated, take_bottom, take_top};

/// Columns from which on the detail stands beside the list.
const SIDE_BY_SIDE: u16 = 84;

/// Rows of options that a list shows at most.
const MOST_ROWS: usize = 16;
/// Rows that the detail takes at most, below or beside.
const DETAIL_ROWS: usize = 8;

/// The rows that the dropped list of a picker would like to have. Follows from
/// the options, not from the filter, so that it doesn't jump while one types.
pub(super) fn height(picker: &Picker, wide: u16) -> u16 {
    let inside = wide.saturating_sub(2);
    let options = picker.options().len().clamp(1, MOST_ROWS);
    let detail = match (has_detail(picker), inside >= SIDE_BY_SIDE) {
        (false, _) => 0,
        (true, side) => {
            let cells = if side { inside * 2 / 5 } else { inside };
            let most = picker.options().iter().take(MOST_ROWS);
            let lines = most.map(|o| detail_lines(&o.detail, cells.into()).len());
            lines.max().unwrap_or(0).min(DETAIL_ROWS)
        }
    };
    let rows = if inside >= SIDE_BY_SIDE { options.max(detail) } else { options + detail };
    // Border, filter, and a row for a text of one's own.
    clamped(rows + 4)
}

fn has_detail(picker: &Picker) -> bool {
    picker.options().iter().any(|o| !o.detail.is_empty())
}

fn detail_lines(paragraphs: &[String], cells: usize) -> Vec<String> {
    let said = paragraphs.iter().filter(|p| !p.is_empty());
    said.flat_map(|p| wrap(p, cells.saturating_sub(1))).collect()
}

/// Draws the dropped list of a picker.
pub(super) fn draw(
    form: &Form,
    field: &Field,
    picker: &Picker,
    frame: &mut Frame<'_>,
    area: Rect,
    theme: &Theme,
) {
    let Some(open) = picker.opened() else { return };
    frame.render_widget(Clear, area);
    let keys = match picker.arity() {
        Arity::One => " Enter takes  Esc closes  type to filter ",
        Arity::Several => " Space marks  Enter takes  Esc closes ",
    };
    let block = Block::bordered()
        .border_set(theme.borders())
        .border_style(theme.border_focus)
        .title(format!(" {} ", field.label))
        .title_bottom(Span::styled(keys, theme.hint));
    let mut room = block.inner(area);
    frame.render_widget(block, area);
    if room.is_empty() {
        return;
    }
    // What the list hides is not to be clicked.
    form.hits.borrow_mut().push((area, Target::Field(form.focus)));
    draw_filter(open, picker, take_top(&mut room, 1), frame, theme);
    if let Some(detail) = detail_room(&mut room, picker) {
        draw_detail(picker, open, detail, frame, theme);
    }
    draw_options(form, picker, open, room, frame, theme);
}

fn draw_filter(open: &Open, picker: &Picker, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let count = format!("{} of {}", open.matches.len(), picker.options().len());
    let cells = clamped(width(&count));
    if area.width > cells + 12 {
        let right = Rect { x: area.right() - cells, width: cells, ..area };
        frame.render_widget(Paragraph::new(Span::styled(count, theme.muted)), right);
    }
    let mark = Rect { width: area.width.min(2), ..area };
    frame.render_widget(Paragraph::new(Span::styled("/ ", theme.key)), mark);
    let text = Rect {
        x: area.x + mark.width,
        width: area.width.saturating_sub(mark.width + cells + 1),
        ..area
    };
    open.filter.draw(frame, text, theme, true);
}

/// Takes the room for the detail: beside the list where it is wide, else below it.
fn detail_room(room: &mut Rect, picker: &Picker) -> Option<Rect> {
    if !has_detail(picker) {
        return None;
    }
    if room.width >= SIDE_BY_SIDE {
        let wide = room.width * 2 / 5;
        room.width -= wide;
        return Some(Rect { x: room.right() + 1, width: wide - 1, ..*room });
    }
    let rows = clamped(picker.rows());
    let spare = room.height.saturating_sub(rows);
    let tall = spare.max(room.height / 3).min(room.height.saturating_sub(3));
    (tall > 1).then(|| take_bottom(room, tall))
}

fn draw_detail(picker: &Picker, open: &Open, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(option) = picker.option_at(open.row) else { return };
    let lines = detail_lines(&option.detail, area.width.into());
    let lines: Vec<Line<'_>> = lines.into_iter().map(|l| Line::styled(l, theme.muted)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_options(
    form: &Form,
    picker: &Picker,
    open: &Open,
    room: Rect,
    frame: &mut Frame<'_>,
    theme: &Theme,
) {
    let tall = usize::from(room.height);
    if picker.rows() == 0 {
        frame.render_widget(Paragraph::new(Span::styled("nothing matches", theme.muted)), room);
        return;
    }
    // The highlighted row stays in view, with one more below it where there is room.
    let last = picker.rows().saturating_sub(tall);
    let first = (open.row + 2).saturating_sub(tall).min(last);
    let names = (first..picker.rows()).take(tall).filter_map(|r| picker.option_at(r));
    let column = names.map(|o| width(&o.label)).max().unwrap_or(0);
    let column = column.min(usize::from(room.width) / 2);
    for (i, row) in (first..picker.rows()).take(tall).enumerate() {
        let area = Rect { y: room.y + clamped(i), height: 1, ..room };
        let line = option_line(picker, row, column, usize::from(area.width), theme);
        let style = if row == open.row { theme.selected } else { theme.text };
        frame.render_widget(Paragraph::new(line).style(style), area);
        form.hits.borrow_mut().push((area, Target::ListRow(row)));
    }
}

fn option_line(
    picker: &Picker,
    row: usize,
    column: usize,
    room: usize,
    theme: &Theme,
) -> Line<'static> {
    let Some(option) = picker.option_at(row) else {
        let text = picker.free_text().unwrap_or_default();
        let text = format!("  use \"{text}\"");
        return Line::raw(truncate_with(&text, room, theme.symbols.ellipsis).into_owned());
    };
    let mark = match (picker.arity(), picker.is_chosen(&option.value)) {
        (Arity::Several, true) => theme.symbols.check_on,
        (Arity::Several, false) => theme.symbols.check_off,
        (Arity::One, true) => theme.symbols.dot_full,
        (Arity::One, false) => " ",
    };
    // A long label takes what the note leaves of the line.
    let noted = width(&option.note).min(room / 2);
    let label = column.max(room.saturating_sub(noted + 5).min(width(&option.label)));
    let label = pad(&option.label, label.min(room.saturating_sub(3)));
    let left = room.saturating_sub(width(&label) + 5);
    let note = separated(&option.note, theme);
    let note = truncate_with(&note, left, theme.symbols.ellipsis).into_owned();
    Line::from(vec![Span::raw(format!("{mark} {label}  ")), Span::styled(note, theme.muted)])
}
