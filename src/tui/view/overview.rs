//! The overview: rail, gate, slots, next, artifacts, journal. Where the room
//! ends, the pane with the focus stays and the lower ones fold away.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::core::loops::model::Status;
use crate::core::loops::spent;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::msg::DetailData;
use crate::tui::theme::Glyphs;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::detail::pane_title;
use super::{artifacts, gate, journal, next, rail, slots};

/// From this width on gate and slots stand side by side.
const TWO_COLUMNS: u16 = 72;
/// From this height on the time in each phase is told.
const SPENT: u16 = 26;
/// From this width on the chosen artifact's text stands beside the lists.
const READING: u16 = 132;

/// Draws the overview into an area whose left and right edges are the frame's.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let inner = indent(area, 1, 1);
    let mut used = rail::draw(canvas, indent(inner, 1, 1), data);
    if let Some(said) = super::sessions::of_loop(app, canvas.theme) {
        canvas.put(indent(row(below(inner, used), 0), 1, 1), &said);
        used += 1;
    }
    used += notices(app, canvas, below(inner, used), data);
    let rest = below(area, used);
    if area.width >= TWO_COLUMNS {
        two_columns(app, canvas, rest, data);
    } else {
        one_column(app, canvas, rest, data);
    }
}

/// What stands between rail and gate: a refusal that is still news, why the
/// loop is held or ended, what is wrong with its files.
fn notices(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) -> u16 {
    let theme = canvas.theme;
    let area = indent(area, 1, 1);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let state = &data.state;
    lines.extend(trail(app).map(|said| (said, theme.muted)));
    if let Some(refused) = app.detail.refused.as_ref().filter(|r| r.loop_id == state.id) {
        let said = format!("{} {} refused: ", theme.symbols.unmet, refused.verb);
        lines.push((format!("{said}{}", refused.error.0.said()), theme.bad));
        for step in refused.error.next_steps().iter().take(2) {
            lines.push((format!("  {} {}", theme.symbols.opens, step.text), theme.text));
        }
    }
    if state.status == Status::Paused && state.holding_question().is_none() {
        let why = state.pause_reason.as_deref().unwrap_or("without a reason");
        let text = format!("{} paused: {why}  (p resumes)", theme.symbols.paused);
        lines.push((text, theme.warn));
    }
    if let Some(close) = &state.close {
        let (symbol, style) = theme.status(close.status);
        let how = match (&close.reason, close.by_cap) {
            (Some(reason), _) => format!(": {reason}"),
            (None, true) => ": the round cap was reached".to_owned(),
            (None, false) => String::new(),
        };
        lines.push((format!("{symbol} {}{how}", close.status), style));
    }
    if area.height >= SPENT && state.visits.len() > 1 {
        lines.push((spent::in_words(state, app.now()), theme.muted));
    }
    for problem in &data.problems {
        lines.push((format!("{} {}", theme.symbols.warning, problem.message), theme.warn));
    }
    let wide = usize::from(area.width);
    let pieces = lines.iter().flat_map(|(line, style)| {
        text::wrap(line, wide).into_iter().take(3).map(|piece| (piece, *style))
    });
    let pieces: Vec<_> = pieces.collect();
    let room = usize::from(area.height / 3).min(pieces.len());
    for (y, (piece, style)) in pieces.iter().take(room).enumerate() {
        // Where the room ends before the words do, that is seen.
        let goes_on = y + 1 == room && room < pieces.len();
        let mark = if goes_on { theme.symbols.ellipsis } else { "" };
        let cut = text::truncate_with(piece, wide.saturating_sub(mark.len().min(1)), "");
        canvas.put(row(area, to_u16(y)), &[span(format!("{cut}{mark}"), *style)]);
    }
    to_u16(room)
}

/// The loop that this one follows and those that follow it, with their keys.
fn trail(app: &App) -> Option<String> {
    let source = app.source().map(|l| format!("follows \"{}\" ( goes there", l.title));
    let followers = app.followers();
    let follower = followers.first().map(|l| {
        let more = match followers.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        format!("followed by {} \"{}\"{more} ) goes there", l.kind, l.title)
    });
    let parts: Vec<String> = source.into_iter().chain(follower).collect();
    (!parts.is_empty()).then(|| parts.join("   "))
}

fn two_columns(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    // The left column is wider: conditions are sentences.
    let left_wide = (area.width * 52 / 100).max(area.width.saturating_sub(62));
    let left = Rect { width: left_wide, ..area };
    let right = Rect { x: area.x + left_wide, width: area.width - left_wide, ..area };
    let gate_lines = gate::lines(canvas, data, left.width.saturating_sub(4));
    let slot_lines = slots::lines(app, canvas, data, right.width.saturating_sub(4));
    let next_len = to_u16(app.next_steps().len().max(1));
    let wanted = to_u16(gate_lines.len()).max(to_u16(slot_lines.len()) + 1 + next_len);
    let most = (area.height / 2).max(5).min(area.height.saturating_sub(1));
    let middle = wanted.clamp(4.min(most), most);
    let slots_high = to_u16(slot_lines.len()).min(middle.saturating_sub(1 + next_len.min(2)));
    let top = row(area, 0);
    canvas.divider(top, &gate::title(app, canvas, data), &[], app.pane() == Context::Gate);
    canvas.title_at(right, &[pane_title(app, canvas, Context::Slots, "Slots")]);
    let body = below(left, 1);
    let body = Rect { height: middle.min(body.height), ..body };
    gate::draw(app, canvas, indent(body, 2, 1), &gate_lines);
    slots::draw(
        app,
        canvas,
        Rect { height: slots_high, ..indent(below(right, 1), 2, 2) },
        &slot_lines,
    );
    let next_at = 1 + slots_high;
    let upright = area.x + left_wide;
    let lower = area.y + 1 + middle;
    canvas.upright(upright, area.y, lower, false);
    let next_area = below(right, next_at);
    canvas.half_divider(
        row(next_area, 0),
        &[pane_title(app, canvas, Context::Next, "Next")],
        app.pane() == Context::Next,
    );
    let next_rows = middle.saturating_sub(slots_high + 1);
    next::draw(app, canvas, Rect { height: next_rows, ..indent(below(next_area, 1), 2, 2) }, data);
    lower_half(app, canvas, below(area, 1 + middle), data, Some(upright));
}

/// Artifacts and journal, and on wide terminals the chosen artifact's text.
fn lower_half(
    app: &mut App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    data: &DetailData,
    upright: Option<u16>,
) {
    if area.height < 2 {
        return;
    }
    let reading = area.width >= READING && area.height >= 8 && upright.is_some();
    // Beside the lists, the line that parts gate and slots goes on down.
    let parted = upright.filter(|_| reading);
    let lists = match parted {
        Some(x) => Rect { width: x + 1 - area.x, ..area },
        None => area,
    };
    if let Some(x) = parted {
        let rest = Rect { x, width: area.right().saturating_sub(x), ..area };
        artifacts::draw_reading(app, canvas, rest, Context::Artifacts);
    }
    let mut wants = vec![
        (
            Context::Artifacts,
            to_u16(app.detail.round_len()).clamp(3, (lists.height * 6 / 10).max(3)),
        ),
        (Context::Insights, to_u16(data.insights.len()).min(4)),
        (Context::Journal, 200),
    ];
    let mut order = match app.pane() {
        Context::Journal => vec![Context::Journal, Context::Artifacts, Context::Insights],
        Context::Insights => vec![Context::Insights, Context::Artifacts, Context::Journal],
        _ => vec![Context::Artifacts, Context::Insights, Context::Journal],
    };
    if data.insights.is_empty() {
        wants.retain(|(pane, _)| *pane != Context::Insights);
        order.retain(|pane| *pane != Context::Insights);
    }
    let mut first = true;
    for (pane, area) in allot(lists, &wants, &order) {
        section(app, canvas, area, pane, data);
        if let Some(x) = upright.filter(|_| first) {
            canvas.joint(x, area.y, reading);
        }
        first = false;
    }
}

fn one_column(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let wide = area.width.saturating_sub(4);
    let gate_len = to_u16(gate::lines(canvas, data, wide).len());
    let slots_len = to_u16(slots::lines(app, canvas, data, wide).len());
    let wants = [
        (Context::Gate, gate_len.max(1)),
        (Context::Next, to_u16(app.next_steps().len().max(1))),
        (Context::Slots, slots_len.max(1)),
        (Context::Artifacts, to_u16(app.detail.round_len()).max(2)),
        (Context::Insights, to_u16(data.insights.len()).clamp(1, 4)),
        (Context::Journal, 200),
    ];
    // What the tour points at has to be seen, whatever has the keyboard.
    let pointed = super::tour::points_at(app).filter(|pane| wants.iter().any(|(p, _)| p == pane));
    let mut order: Vec<Context> = pointed.into_iter().chain([app.pane()]).collect();
    order.dedup();
    let mut usual = vec![
        Context::Gate,
        Context::Next,
        Context::Artifacts,
        Context::Insights,
        Context::Slots,
        Context::Journal,
    ];
    if data.insights.is_empty() {
        usual.retain(|pane| *pane != Context::Insights);
    }
    let rest: Vec<_> = usual.iter().copied().filter(|pane| !order.contains(pane)).collect();
    order.extend(rest);
    order.retain(|pane| usual.contains(pane));
    for (pane, area) in allot(area, &wants, &order) {
        section(app, canvas, area, pane, data);
    }
}

/// A pane under its divider.
fn section(
    app: &mut App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    pane: Context,
    data: &DetailData,
) {
    let focused = app.pane() == pane;
    let body = indent(below(area, 1), 2, 2);
    let head = row(area, 0);
    match pane {
        Context::Gate => {
            canvas.divider(head, &gate::title(app, canvas, data), &[], focused);
            let lines = gate::lines(canvas, data, body.width);
            gate::draw(app, canvas, body, &lines);
        }
        Context::Slots => {
            canvas.divider(head, &[pane_title(app, canvas, pane, "Slots")], &[], focused);
            let lines = slots::lines(app, canvas, data, body.width);
            slots::draw(app, canvas, body, &lines);
        }
        Context::Next => {
            canvas.divider(head, &[pane_title(app, canvas, pane, "Next")], &[], focused);
            next::draw(app, canvas, body, data);
        }
        Context::Artifacts => {
            let title = artifacts::title(app, canvas, data);
            canvas.divider(head, &title, &[], focused);
            artifacts::draw_round(app, canvas, indent(below(area, 1), 1, 2), data);
        }
        Context::Insights => {
            let title = [
                pane_title(app, canvas, pane, "Insights"),
                span(format!(" {}", data.insights.len()), canvas.theme.muted),
            ];
            canvas.divider(head, &title, &[], focused);
            insights(app, canvas, indent(below(area, 1), 1, 2), data);
        }
        _ => {
            let right = journal::extent(canvas, data);
            canvas.divider(head, &[pane_title(app, canvas, pane, "Journal")], &right, focused);
            journal::draw(app, canvas, indent(below(area, 1), 1, 2), data);
        }
    }
}

/// The dream insights that the loop's brief is confronted with, one a line.
fn insights(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let focused = app.pane() == Context::Insights;
    let mut cursor = app.detail.insights;
    let shape = (data.insights.len(), 1);
    canvas.rows(Context::Insights, area, &mut cursor, shape, |canvas, area, at, chosen| {
        let Some(seen) = data.insights.get(at) else { return };
        let theme = canvas.theme;
        let style = if chosen && focused { theme.current } else { theme.text };
        let (symbol, tone) = super::dreams::change_mark(theme, seen.change);
        let left = [
            super::loops::bar(canvas, chosen && focused, focused),
            span(format!("{symbol} "), tone),
            span(seen.insight.said().into_owned(), style),
        ];
        let right = format!("{} {}", seen.insight.confidence.two_places(), seen.insight.impact);
        canvas.put_both(area, &left, &[span(right, theme.muted)]);
    });
    app.detail.insights = cursor;
}

/// Shares the rows of an area among panes: each that finds room gets a divider
/// and two rows, in the order of importance; then they grow to what they want;
/// what is left goes to the last one. In the order of `wants`.
fn allot(area: Rect, wants: &[(Context, u16)], order: &[Context]) -> Vec<(Context, Rect)> {
    let want = |pane: Context| wants.iter().find(|(p, _)| *p == pane).map_or(1, |(_, w)| *w);
    let mut rows: Vec<(Context, u16)> = Vec::new();
    let mut room = area.height;
    for pane in order {
        let least = 1 + want(*pane).clamp(1, 2);
        if room >= least {
            rows.push((*pane, least));
            room -= least;
        } else if room >= 2 && rows.is_empty() {
            rows.push((*pane, room));
            room = 0;
        }
    }
    for (pane, height) in &mut rows {
        let more = (want(*pane) + 1).saturating_sub(*height).min(room);
        *height += more;
        room -= more;
    }
    if let Some((_, height)) = rows.last_mut() {
        *height += room;
    }
    let mut y = area.y;
    let mut out = Vec::new();
    for (pane, _) in wants {
        if let Some((_, height)) = rows.iter().find(|(p, _)| p == pane) {
            out.push((*pane, Rect { y, height: *height, ..area }));
            y += height;
        }
    }
    out
}

impl Canvas<'_, '_> {
    /// Writes a title on an edge that is drawn already.
    fn title_at(&mut self, edge: Rect, title: &[Span<'_>]) {
        let at = row(edge, 0);
        let pad = [Span::raw(" ")];
        self.put(Rect { x: at.x + 1, width: 1, ..at }, &pad);
        let used = self.put(indent(at, 2, 3), title);
        self.put(Rect { x: at.x + 2 + used, width: 1, ..at }, &pad);
    }

    /// A divider from an upright to the frame's right edge.
    fn half_divider(&mut self, area: Rect, title: &[Span<'_>], focused: bool) {
        self.divider(area, title, &[], focused);
    }

    /// Where an upright meets the divider below it: it ends there, or goes on.
    fn joint(&mut self, x: u16, y: u16, goes_on: bool) {
        let symbol = match (self.theme.glyphs, goes_on) {
            (Glyphs::Unicode, true) => "┼",
            (Glyphs::Unicode, false) => "┴",
            (Glyphs::Ascii, _) => "+",
        };
        self.cell(x, y, symbol, self.theme.border);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_shared_without_a_gap_and_never_more_than_there_are() {
        let wants = [(Context::Gate, 4), (Context::Next, 2), (Context::Journal, 200)];
        let order = [Context::Journal, Context::Gate, Context::Next];
        for height in 0..40 {
            let area = Rect { x: 0, y: 3, width: 10, height };
            let shared = allot(area, &wants, &order);
            let sum: u16 = shared.iter().map(|(_, a)| a.height).sum();
            assert!(sum == height || (sum == 0 && height < 2), "{height}: {shared:?}");
            let mut y = 3;
            for (_, area) in shared {
                assert_eq!(area.y, y);
                assert!(area.height >= 2);
                y += area.height;
            }
        }
    }
}
