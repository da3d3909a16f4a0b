//! One field: its label, its control, what is wrong with it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::tui::theme::Theme;
use crate::tui::widget::text::{number, one_line, truncate_with, width};

use super::super::api::FieldId;
use super::super::field::{Control, Field, Need, Note};
use super::super::input::TextInput;
use super::super::picker::{Arity, Picker, Shape};
use super::super::rows::Rows;
use super::super::state::{Form, Target};
use super::{clamped, lines_of, note_lines, separated, take_bottom, take_top};

/// Rows that the chosen things of a picker take at most.
const CHOSEN_ROWS: usize = 3;

/// Cells from which on the beginning of a note says something.
const NOTE_CELLS: usize = 10;

/// Where a field is drawn.
pub(super) struct Place {
    /// Its position in the form.
    pub position: usize,
    /// Its rows that are in view.
    pub area: Rect,
    /// Columns of the labels.
    pub label: u16,
    /// Whether it has the focus.
    pub focused: bool,
}

/// The rows that a field other than a long text takes, without its notes.
pub(super) fn rows(field: &Field) -> u16 {
    match &field.control {
        Control::Pick(picker) if picker.arity() == Arity::Several => {
            clamped(picker.chosen().len().clamp(1, CHOSEN_ROWS))
        }
        Control::Rows(rows) => clamped(rows.rows().len().max(1)),
        _ => 1,
    }
}

/// The rows that the notes beside a field take.
pub(super) fn notes_height(id: FieldId, notes: &[Note], wide: u16) -> u16 {
    let beside = notes.iter().filter(|n| n.field == Some(id));
    clamped(beside.map(|n| note_lines(n, wide.saturating_sub(2)).len()).sum())
}

/// Draws a field.
pub(super) fn draw(
    form: &Form,
    field: &Field,
    place: &Place,
    notes: &[Note],
    frame: &mut Frame<'_>,
    theme: &Theme,
) {
    form.hits.borrow_mut().push((place.area, Target::Field(place.position)));
    let mut room = place.area;
    let beside: Vec<&Note> = notes.iter().filter(|n| n.field == Some(field.id)).collect();
    let lines = lines_of(&beside, room.width.saturating_sub(2), theme);
    // At least one row stays for the field itself.
    let tall = clamped(lines.len()).min(room.height.saturating_sub(1));
    let below = take_bottom(&mut room, tall);
    let indented = Rect { x: below.x + below.width.min(2), ..below }.intersection(below);
    frame.render_widget(Paragraph::new(lines), indented);
    draw_label(field, place, room, frame, theme);
    if let (Control::Text(input), true) = (&field.control, field.is_multiline()) {
        draw_long_text(form, field, input, place, room, frame, theme);
        return;
    }
    let label = place.label.min(room.width);
    let value = Rect { x: room.x + label, width: room.width - label, ..room };
    if value.is_empty() {
        return;
    }
    match &field.control {
        Control::Text(input) => {
            form.hits.borrow_mut().push((value, Target::Text(place.position)));
            input.draw(frame, value, theme, shows_cursor(form, place));
        }
        Control::Toggle(on) => {
            let (symbol, word) = match on {
                true => (theme.symbols.check_on, "yes"),
                false => (theme.symbols.check_off, "no"),
            };
            frame.render_widget(Paragraph::new(format!("{symbol} {word}")), value);
        }
        Control::Pick(picker) => match picker.shape() {
            Shape::Inline => draw_inline(form, picker, place, value, frame, theme),
            Shape::Drop => draw_chosen(picker, value, frame, theme),
        },
        Control::Rows(rows) => draw_rows(form, rows, place, value, frame, theme),
    }
}

/// Whether the terminal's cursor is shown in a field.
fn shows_cursor(form: &Form, place: &Place) -> bool {
    place.focused && form.question.is_none()
}

fn draw_label(field: &Field, place: &Place, room: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let (bar, style) = match place.focused {
        true => (theme.symbols.bar, theme.field_focus),
        false => (" ", theme.label),
    };
    let cells = match field.is_multiline() {
        true => usize::from(room.width.saturating_sub(1)),
        false => usize::from(place.label.saturating_sub(2)),
    };
    let label = truncate_with(&field.label, cells, theme.symbols.ellipsis).into_owned();
    let mut spans = vec![Span::styled(bar, theme.field_focus), Span::styled(label, style)];
    if field.need == Need::Required {
        spans.push(Span::styled("*", theme.warn));
    }
    let area = Rect { height: room.height.min(1), ..room };
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

/// A long text: label and counter in a row, the text below them.
fn draw_long_text(
    form: &Form,
    field: &Field,
    input: &TextInput,
    place: &Place,
    mut room: Rect,
    frame: &mut Frame<'_>,
    theme: &Theme,
) {
    let head = take_top(&mut room, 1);
    if let Some(cap) = field.cap {
        let room = usize::from(head.width).saturating_sub(width(&field.label) + 4);
        let (text, over) = counter(input.bytes(), cap, room);
        let style = if over { theme.warn } else { theme.muted };
        frame.render_widget(Paragraph::new(Line::styled(text, style).right_aligned()), head);
    }
    let gutter = Rect { width: room.width.min(2), ..room };
    let style = if place.focused { theme.field_focus } else { theme.muted };
    let pipes = vec![Line::styled(format!(" {}", theme.symbols.pipe), style); gutter.height.into()];
    frame.render_widget(Paragraph::new(pipes), gutter);
    let indent = room.width.min(3);
    let text = Rect { x: room.x + indent, width: room.width - indent, ..room };
    form.hits.borrow_mut().push((text, Target::Text(place.position)));
    input.draw(frame, text, theme, shows_cursor(form, place));
}

/// `3,912 / 4,096; longer goes to a file`, shorter where there is less room;
/// whether the text is over the cap.
fn counter(bytes: usize, cap: usize, room: usize) -> (String, bool) {
    let short = format!("{} / {}", number(bytes as u64), number(cap as u64));
    let over = bytes > cap;
    let long = match over {
        true => format!("{short}; goes to a file"),
        false => format!("{short}; longer goes to a file"),
    };
    (if width(&long) <= room { long } else { short }, over)
}

/// Options side by side; where they don't fit, the chosen one between arrows.
fn draw_inline(
    form: &Form,
    picker: &Picker,
    place: &Place,
    value: Rect,
    frame: &mut Frame<'_>,
    theme: &Theme,
) {
    let cells: usize = picker.options().iter().map(|o| width(&o.label) + 4).sum();
    if cells > usize::from(value.width) + 2 {
        let chosen = picker.options().iter().position(|o| picker.is_chosen(&o.value));
        let label = chosen.map_or("-", |i| picker.options()[i].label.as_str());
        let count = chosen.map_or(0, |i| i + 1);
        let text = format!("< {label} >  {count} of {}", picker.options().len());
        frame.render_widget(Paragraph::new(text), value);
        return;
    }
    let mut spans = Vec::new();
    let mut x = value.x;
    for (i, option) in picker.options().iter().enumerate() {
        let (symbol, style) = match picker.is_chosen(&option.value) {
            true if place.focused => (theme.symbols.dot_full, theme.field_focus),
            true => (theme.symbols.dot_full, theme.title),
            false => (theme.symbols.dot_empty, theme.text),
        };
        let text = format!("{symbol} {}", option.label);
        let area = Rect { x, width: clamped(width(&text)), height: 1, ..value };
        x = x.saturating_add(area.width + 2);
        form.hits.borrow_mut().push((area.intersection(value), Target::Option(place.position, i)));
        spans.push(Span::styled(text, style));
        spans.push(Span::raw("  "));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), value);
}

/// What is chosen, one a row, and how many more.
fn draw_chosen(picker: &Picker, value: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let room = usize::from(value.width).saturating_sub(2);
    let drops = theme.symbols.drops;
    if picker.chosen().is_empty() {
        let none = if picker.options().is_empty() { "nothing to choose from" } else { "-" };
        let text = format!("{none} {drops}");
        frame.render_widget(Paragraph::new(Span::styled(text, theme.muted)), value);
        return;
    }
    let more = picker.chosen().len().saturating_sub(CHOSEN_ROWS);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for chosen in picker.chosen().iter().take(CHOSEN_ROWS) {
        let option = picker.options().iter().find(|o| &o.value == chosen);
        let label = option.map_or(chosen, |o| &o.label);
        let label = one_line(label).into_owned();
        let label = truncate_with(&label, room, theme.symbols.ellipsis).into_owned();
        let left = room.saturating_sub(width(&label) + 2);
        let note = option.map_or("", |o| o.note.as_str());
        let note = separated(note, theme);
        let note = truncate_with(&note, left, theme.symbols.ellipsis).into_owned();
        let note = if width(&note) >= NOTE_CELLS { format!("  {note}") } else { String::new() };
        lines.push(Line::from(vec![Span::raw(label), Span::styled(note, theme.muted)]));
    }
    if let Some(first) = lines.first_mut() {
        first.spans.insert(1, Span::styled(format!(" {drops}"), theme.muted));
    }
    if let Some(last) = lines.last_mut().filter(|_| more > 0) {
        last.spans.truncate(1);
        last.spans.push(Span::styled(format!(" and {more} more"), theme.muted));
    }
    frame.render_widget(Paragraph::new(lines), value);
}

/// A list of lines, the keyed ones with what they are about before them.
fn draw_rows(
    form: &Form,
    rows: &Rows,
    place: &Place,
    value: Rect,
    frame: &mut Frame<'_>,
    theme: &Theme,
) {
    for (i, row) in rows.rows().iter().enumerate().take(value.height.into()) {
        let area = Rect { y: value.y + clamped(i), height: 1, ..value };
        let half = usize::from(area.width / 2);
        let label = truncate_with(&row.label, half, theme.symbols.ellipsis).into_owned();
        let label = if label.is_empty() { label } else { format!("{label}: ") };
        let cells = clamped(width(&label)).min(area.width);
        frame.render_widget(Paragraph::new(Span::styled(label, theme.muted)), area);
        let text = Rect { x: area.x + cells, width: area.width - cells, ..area };
        form.hits.borrow_mut().push((area, Target::Line(place.position, i)));
        let cursor = shows_cursor(form, place) && rows.at() == i;
        row.input.draw(frame, text, theme, cursor);
    }
}
