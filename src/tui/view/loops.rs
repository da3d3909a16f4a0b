//! The list of loops: two lines each, what it is and what it wants.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::core::loops::attention::AttentionState;
use crate::engine::LoopSummary;
use crate::tui::action::Context;
use crate::tui::app::{App, Start};
use crate::tui::widget::text;

use super::canvas::{Canvas, indent, row, span};
use super::{card, welcome};

/// Draws the list.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let focused = app.pane() == Context::Loops;
    let title = title(app, canvas);
    let right = right(app, canvas);
    let inner = canvas.frame_around(area, &title, &right, focused);
    if app.loops.visible.is_empty() {
        canvas.layout.pane(Context::Loops, inner, 0);
        empty(app, canvas, inner);
        return;
    }
    let list = if app.loops.folded > 0 && inner.height > 8 {
        folded_note(app, canvas, row(inner, inner.height - 1));
        Rect { height: inner.height - 1, ..inner }
    } else {
        inner
    };
    let mut cursor = app.loops.cursor;
    let len = app.loops.visible.len();
    canvas.rows(Context::Loops, list, &mut cursor, (len, 2), |canvas, area, at, chosen| {
        if let Some(summary) = app.loops.row(at) {
            entry(app, canvas, area, summary, chosen, focused);
        }
    });
    app.loops.cursor = cursor;
}

fn title(app: &App, canvas: &Canvas<'_, '_>) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Loops;
    let style = if focused { theme.accent } else { theme.title };
    let mut out = vec![span("Loops", style)];
    let (shown, all) = (app.loops.visible.len(), app.loops.all.len());
    if app.loops.loaded {
        let narrowed = !app.loops.finder.is_empty() || !app.loops.facets.is_empty();
        let count = if narrowed { format!(" {shown} of {all}") } else { format!(" {shown}") };
        out.push(span(count, theme.muted));
    }
    out
}

fn right(app: &App, canvas: &Canvas<'_, '_>) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    if !app.loops.finder.is_empty() {
        let words = text::truncate(app.loops.finder.words(), 16).into_owned();
        return vec![span(format!("/{words}"), theme.warn)];
    }
    if !app.loops.facets.is_empty() {
        let names: Vec<String> = app.loops.facets.iter().map(|facet| facet.label()).collect();
        let names = text::truncate(&names.join(", "), 16).into_owned();
        return vec![span(names, theme.warn)];
    }
    Vec::new()
}

fn folded_note(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let note = format!("{} folded away", app.loops.folded);
    let theme = canvas.theme;
    let spans = [
        span(format!(" {} {note}  ", theme.symbols.bullet), theme.muted),
        span("f", theme.key),
        span(" shows", theme.muted),
    ];
    canvas.put(area, &spans);
}

/// One loop: its state and title; its phase, round and what it wants.
fn entry(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    summary: &LoopSummary,
    chosen: bool,
    focused: bool,
) {
    let theme = canvas.theme;
    let bar = bar(canvas, chosen, focused);
    let closed = summary.status.is_closed();
    let plain = if closed { theme.muted } else { theme.text };
    let title_style = theme.row(chosen, focused, plain);
    let (symbol, symbol_style) = theme.status(summary.status);
    let mut first = vec![bar.clone(), span(format!("{symbol} "), symbol_style)];
    first.extend(highlighted(app, &summary.title, title_style, theme.matched));
    let age = text::age(app.now(), summary.updated_at);
    canvas.put_both(indent(row(area, 0), 0, 1), &first, &[span(age, theme.muted)]);
    let mut second = vec![bar, span("  ", theme.text)];
    second.extend(wants(canvas, summary));
    canvas.put(indent(row(area, 1), 0, 1), &second);
}

/// The bar beside the chosen row.
pub(super) fn bar(canvas: &Canvas<'_, '_>, chosen: bool, focused: bool) -> Span<'static> {
    let theme = canvas.theme;
    let style = if focused { theme.current } else { theme.muted };
    if chosen { span(theme.symbols.bar, style) } else { span(" ", theme.text) }
}

/// A text with the characters that the filter met.
pub(super) fn highlighted<'a>(
    app: &App,
    words: &'a str,
    plain: Style,
    matched: Style,
) -> Vec<Span<'a>> {
    let finder = match app.screen {
        crate::tui::app::Screen::Dreams => return vec![span(words, plain)],
        crate::tui::app::Screen::Loops => &app.loops.finder,
        crate::tui::app::Screen::Sessions => &app.sessions.finder,
        crate::tui::app::Screen::Memory => &app.memory.finder,
        crate::tui::app::Screen::Journal => &app.events.finder,
    };
    let positions = finder.positions(words);
    if positions.is_empty() {
        return vec![span(words, plain)];
    }
    let mut out: Vec<Span<'a>> = Vec::new();
    let mut run = String::new();
    let mut run_met = false;
    for (at, c) in words.chars().enumerate() {
        let met = u32::try_from(at).is_ok_and(|at| positions.binary_search(&at).is_ok());
        if met != run_met && !run.is_empty() {
            let style = if run_met { matched } else { plain };
            out.push(span(std::mem::take(&mut run), style));
        }
        run_met = met;
        run.push(c);
    }
    out.push(span(run, if run_met { matched } else { plain }));
    out
}

fn wants(canvas: &Canvas<'_, '_>, summary: &LoopSummary) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    if let Some(why) = &summary.read_only {
        let symbol = theme.symbols.warning;
        return vec![span(format!("{symbol} {why}"), theme.bad)];
    }
    if summary.status.is_closed() {
        return vec![span(format!("{} {}", summary.kind, summary.status), theme.muted)];
    }
    let (symbol, style) = theme.attention(summary.attention);
    let style = if summary.questions > 0 { super::shell::loud(style) } else { style };
    let word = match summary.attention {
        AttentionState::Person if summary.questions > 0 => "asks you".to_owned(),
        AttentionState::Person => "yours".to_owned(),
        AttentionState::Paused => "paused".to_owned(),
        AttentionState::Stuck => "stuck".to_owned(),
        AttentionState::Worker => "at work".to_owned(),
        AttentionState::Ready => "ready".to_owned(),
        AttentionState::Closed | AttentionState::Work => summary.attention_detail.clone(),
    };
    vec![
        span(format!("{symbol} {word}"), style),
        span(format!("  {}", summary.place()), theme.muted),
    ]
}

fn empty(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    if !app.loops.loaded || matches!(app.start, Start::Opening) {
        return;
    }
    if app.loops.all.is_empty() {
        if area.width < 44 {
            card::note(
                canvas,
                area,
                &[
                    ("no loop yet", theme.title),
                    ("", theme.text),
                    ("o opens the first one", theme.text),
                ],
            );
        } else {
            welcome::teach(app, canvas, area);
        }
        return;
    }
    let lines: &[(&str, Style)] = if app.has_filter() {
        &[("no loop matches the filter", theme.title), ("Esc clears it", theme.muted)]
    } else if app.loops.folded > 0 && app.loops.facets.is_empty() {
        &[
            ("all loops closed more than 14 days ago", theme.title),
            ("f shows them, o opens a new one", theme.muted),
        ]
    } else {
        &[("no loop fits the facets", theme.title), ("f changes them", theme.muted)]
    };
    card::note(canvas, area, lines);
}
