//! Time travel: a slider over the journal, and the loop as it was.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::past::Past;
use crate::core::loops::rounds::round_of;
use crate::tui::action::Context;
use crate::tui::app::events::Tone;
use crate::tui::app::time::{Shown, TimeView};
use crate::tui::app::{App, event_detail, event_word};
use crate::tui::theme::Glyphs;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::detail::pane_title;
use super::gate::Pieces;
use super::journal::{moment, who, word_style};
use super::undo::difference_lines;
use super::{artifacts, card, gate, rail, slots};

/// From this width on gate and slots stand side by side.
const TWO_COLUMNS: u16 = 72;
/// From this width on the moment that is compared with stands beside.
const BOTH: u16 = 132;

/// Draws the tab into an area whose left and right edges are the frame's.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let Some(mut time) = app.detail.time.take() else {
        canvas.layout.pane(Context::Time, indent(area, 1, 1), 0);
        card::note(canvas, indent(area, 1, 1), &[("reading the journal …", theme.muted)]);
        return;
    };
    if let Some(shown) = time.shown.take() {
        let lines = below_slider(app, canvas, area, &time, &shown);
        let view = canvas.layout.view(Context::Time);
        time.scroll.offset = time.scroll.offset.min(lines.saturating_sub(view));
        time.shown = Some(shown);
    }
    app.detail.time = Some(time);
}

/// Draws everything; how many lines the scrolled part has.
fn below_slider(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    time: &TimeView,
    shown: &Shown,
) -> usize {
    let inner = indent(area, 2, 2);
    let mut y = head(app, canvas, inner, time, shown);
    y += rail::draw(canvas, below(inner, y), &shown.data);
    let beside = area.width >= BOTH && area.height > y + 14;
    let middle = if area.width >= TWO_COLUMNS {
        gate_and_slots(app, canvas, below(area, y), shown)
    } else if area.height > y + 10 {
        gate_alone(app, canvas, below(area, y), shown)
    } else {
        0
    };
    let rest = below(area, y + middle);
    match time.mark.filter(|_| beside).or_else(|| shown.against.filter(|_| beside)) {
        Some(_) => sides(app, canvas, rest, time, shown),
        None => changes(app, canvas, rest, time, shown),
    }
}

/// The slider, and the event that the moment is right after.
fn head(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, time: &TimeView, shown: &Shown) -> u16 {
    let theme = canvas.theme;
    let Some(event) = time.past.event(shown.seq) else { return 0 };
    slider(canvas, row(area, 0), time, shown.seq);
    let last = text::number(time.past.last());
    let place = format!("event {} of {last}", text::number(shown.seq));
    let now = shown.seq == time.past.last();
    let place_style = if now { theme.ok } else { theme.accent };
    let left = [
        span(place, place_style),
        span(if now { " (now)  " } else { "  " }, theme.muted),
        span(moment(app.clock, event.at), theme.muted),
        span(format!("  {}", event_word(&event.body)), word_style(theme, Tone::of(&event.body))),
        span(format!("  {}", event_detail(&event.body)), theme.text),
    ];
    canvas.put_both(row(area, 1), &left, &[span(who(&event.by), theme.muted)]);
    2
}

/// A line as wide as the area for the whole journal, with the beginnings of
/// rounds, the marked moment and the one in view.
fn slider(canvas: &mut Canvas<'_, '_>, area: Rect, time: &TimeView, at: u64) {
    let theme = canvas.theme;
    if area.width < 3 {
        return;
    }
    let (line, begin, knob, mark) = match theme.glyphs {
        Glyphs::Unicode => ("━", "┿", "●", "◆"),
        Glyphs::Ascii => ("-", "+", "O", "M"),
    };
    let x_of = |seq: u64| area.x + place(&time.past, seq, area.width);
    let here = x_of(at);
    for x in area.x..area.right() {
        let style = if x <= here { theme.accent } else { theme.muted };
        canvas.cell(x, area.y, line, style);
    }
    for seq in time.past.rounds() {
        let x = x_of(*seq);
        canvas.cell(x, area.y, begin, if x <= here { theme.accent } else { theme.muted });
    }
    if let Some(seq) = time.mark {
        canvas.cell(x_of(seq), area.y, mark, theme.warn);
    }
    canvas.cell(here, area.y, knob, theme.accent);
}

/// The column of an event on a slider.
fn place(past: &Past, seq: u64, wide: u16) -> u16 {
    let last = past.last().max(2) - 1;
    let at = seq.saturating_sub(1).min(last);
    u16::try_from(at.saturating_mul(u64::from(wide - 1)) / last).unwrap_or(0)
}

/// Gate and slots of the moment side by side; how many rows they took.
fn gate_and_slots(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, shown: &Shown) -> u16 {
    let data = &shown.data;
    let left_wide = (area.width * 52 / 100).max(area.width.saturating_sub(62));
    let left = Rect { width: left_wide, ..area };
    let right = Rect { x: area.x + left_wide, width: area.width - left_wide, ..area };
    let gate_lines = gate::lines(canvas, data, left.width.saturating_sub(4));
    let slot_lines = slots::lines(app, canvas, data, right.width.saturating_sub(4));
    let most = (area.height / 3).max(2);
    let high = to_u16(gate_lines.len().max(slot_lines.len()).max(1)).min(most);
    canvas.divider(row(area, 0), &gate::title(app, canvas, data), &[], false);
    let title = pane_title(app, canvas, Context::Slots, "Slots");
    canvas.put(indent(row(right, 0), 1, 2), &[Span::raw(" "), title, Span::raw(" ")]);
    canvas.upright(area.x + left_wide, area.y, area.y + 1 + high, false);
    let body = Rect { height: high, ..below(left, 1) };
    put_lines(canvas, indent(body, 2, 1), &gate_lines);
    put_lines(canvas, Rect { height: high, ..indent(below(right, 1), 2, 2) }, &slot_lines);
    1 + high
}

/// The gate of the moment; how many rows it took.
fn gate_alone(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, shown: &Shown) -> u16 {
    let lines = gate::lines(canvas, &shown.data, area.width.saturating_sub(4));
    let high = to_u16(lines.len().max(1)).min((area.height / 3).max(2));
    canvas.divider(row(area, 0), &gate::title(app, canvas, &shown.data), &[], false);
    put_lines(canvas, Rect { height: high, ..indent(below(area, 1), 2, 2) }, &lines);
    1 + high
}

fn put_lines(canvas: &mut Canvas<'_, '_>, area: Rect, lines: &[Pieces]) {
    for (y, line) in lines.iter().take(usize::from(area.height)).enumerate() {
        canvas.put(row(area, to_u16(y)), line);
    }
}

/// What is compared with what.
fn against(canvas: &Canvas<'_, '_>, time: &TimeView, shown: &Shown) -> Pieces {
    let theme = canvas.theme;
    let (said, style) = match (time.mark, shown.against) {
        (Some(mark), Some(_)) => (format!("Compared with event {mark}"), theme.warn),
        (Some(mark), None) => (format!("Event {mark} is marked"), theme.warn),
        (None, Some(_)) => ("Changed with this event".to_owned(), theme.title),
        (None, None) => ("The beginning".to_owned(), theme.title),
    };
    vec![span(said, style)]
}

/// Positions of the artifacts of the moment's round, newest first.
fn of_round(shown: &Shown) -> Vec<usize> {
    let state = &shown.data.state;
    let artifacts = state.artifacts.iter().enumerate().rev();
    artifacts.filter(|(_, a)| a.iteration == state.iteration_count).map(|(at, _)| at).collect()
}

/// What changed, and the artifacts of the round; how many lines scroll.
fn changes(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    time: &TimeView,
    shown: &Shown,
) -> usize {
    if area.height < 2 {
        canvas.layout.pane(Context::Time, area, 0);
        return 0;
    }
    let focused = app.pane() == Context::Time;
    let title = against(canvas, time, shown);
    canvas.divider(row(area, 0), &title, &[], focused);
    let body = indent(below(area, 1), 2, 2);
    let lines = difference_lines(canvas.theme, &shown.differences, body.width);
    let rows = of_round(shown);
    let artifacts_high = to_u16(rows.len()).min(body.height / 2);
    let list = Rect {
        height: to_u16(lines.len())
            .min(body.height.saturating_sub(artifacts_high + 1))
            .max(1)
            .min(body.height),
        ..body
    };
    scrolled(canvas, list, time, &lines);
    let rest = below(area, 1 + list.height);
    artifacts_of(app, canvas, rest, shown, &rows);
    lines.len()
}

fn scrolled(canvas: &mut Canvas<'_, '_>, area: Rect, time: &TimeView, lines: &[Pieces]) {
    let mut cursor = time.scroll;
    canvas.scrolled(Context::Time, area, &mut cursor, lines.len(), |canvas, area, at| {
        if let Some(line) = lines.get(at) {
            canvas.put(area, line);
        }
    });
}

fn artifacts_of(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, shown: &Shown, rows: &[usize]) {
    let theme = canvas.theme;
    if area.height < 2 {
        return;
    }
    let state = &shown.data.state;
    let round = round_of(state.iteration_count, state.protocol.max_rounds());
    let title = [
        span("Artifacts ", theme.title),
        span(rows.len().to_string(), theme.muted),
        span(format!(" {} {round}", theme.symbols.bullet), theme.text),
    ];
    canvas.divider(row(area, 0), &title, &[], false);
    let body = indent(below(area, 1), 1, 2);
    if rows.is_empty() {
        canvas.put(body, &[span(" nothing in this round yet", theme.muted)]);
        return;
    }
    artifacts::draw_then(app, canvas, body, &shown.data, (rows, &shown.marked));
}

/// On wide terminals: what changed on the left, the artifacts on the right.
fn sides(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    time: &TimeView,
    shown: &Shown,
) -> usize {
    let focused = app.pane() == Context::Time;
    let left_wide = area.width * 48 / 100;
    let right = Rect { x: area.x + left_wide, width: area.width - left_wide, ..area };
    let rows = of_round(shown);
    artifacts_of(app, canvas, right, shown, &rows);
    let title = against(canvas, time, shown);
    let left = Rect { width: left_wide + 1, ..area };
    canvas.divider(row(left, 0), &title, &[], focused);
    canvas.upright(area.x + left_wide, area.y, area.bottom(), false);
    let body = indent(below(left, 1), 2, 2);
    let lines = difference_lines(canvas.theme, &shown.differences, body.width);
    scrolled(canvas, body, time, &lines);
    lines.len()
}
