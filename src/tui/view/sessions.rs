//! The sessions screen: the list, and the session that is looked at.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::core::session::{Gap, Session, SessionSummary, Status, Trend};
use crate::core::text::plural;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::app::sessions::Pane;
use crate::tui::theme::{Glyphs, Theme};
use crate::tui::widget::{chart, text};

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::loops::{bar, highlighted};
use super::{SIDE_BY_SIDE, attempts, card};

/// Rows of the course of the gap, its line included.
const CHART: u16 = 5;

/// Draws the screen.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    if area.width < SIDE_BY_SIDE {
        match app.sessions.pane {
            Pane::List => list(app, canvas, area),
            _ if app.sessions.selected().is_none() => list(app, canvas, area),
            _ => detail(app, canvas, area),
        }
        return;
    }
    let left = (area.width * 34 / 100).clamp(36, 60);
    list(app, canvas, Rect { width: left, ..area });
    detail(app, canvas, Rect { x: area.x + left, width: area.width - left, ..area });
}

fn list(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Sessions;
    let style = if focused { theme.accent } else { theme.title };
    let (shown, all) = (app.sessions.visible.len(), app.sessions.all.len());
    let count = if shown == all { format!(" {all}") } else { format!(" {shown} of {all}") };
    let mut title = vec![span("Sessions", style)];
    if app.sessions.loaded && all > 0 {
        title.push(span(count, theme.muted));
    }
    let right = match app.sessions.finder.is_empty() {
        true if !app.sessions.facets.is_empty() => {
            let on: Vec<String> = app.sessions.facets.iter().map(|f| f.label()).collect();
            vec![span(format!("only {}", on.join(", ")), theme.warn)]
        }
        true => vec![span(app.sessions.sort.label(), theme.muted)],
        false => vec![span(format!("/{}", app.sessions.finder.words()), theme.warn)],
    };
    let inner = canvas.frame_around(area, &title, &right, focused);
    if shown == 0 {
        canvas.layout.pane(Context::Sessions, inner, 0);
        empty(app, canvas, inner);
        return;
    }
    let mut cursor = app.sessions.cursor;
    canvas.rows(Context::Sessions, inner, &mut cursor, (shown, 2), |canvas, area, at, chosen| {
        if let Some(line) = app.sessions.row(at) {
            entry(app, canvas, area, line, (chosen, focused));
        }
    });
    app.sessions.cursor = cursor;
}

fn empty(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    if !app.sessions.loaded {
        return;
    }
    if !app.sessions.all.is_empty() {
        let lines = [
            ("no session fits", theme.title),
            ("Esc clears the filter, f the facets", theme.muted),
        ];
        card::note(canvas, area, &lines);
        return;
    }
    card::note(
        canvas,
        area,
        &[
            ("no session yet", theme.title),
            ("", theme.text),
            (
                "A session closes one gap in numbered attempts: tests that fail, errors of a build.",
                theme.text,
            ),
            ("Each attempt runs a command; its output tells how many are left.", theme.text),
            ("", theme.text),
            ("a starts one", theme.text),
        ],
    );
}

fn entry(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    line: &SessionSummary,
    (chosen, focused): (bool, bool),
) {
    let theme = canvas.theme;
    let style = theme.row(chosen, focused, theme.text);
    let (symbol, colour) = status(theme, &line.status);
    let mut left = vec![bar(canvas, chosen, focused), span(format!("{symbol} "), colour)];
    left.extend(highlighted(app, &line.goal, style, theme.matched));
    let age = text::age(app.now(), line.updated_at);
    canvas.put_both(indent(row(area, 0), 0, 1), &left, &[span(age, theme.muted)]);
    let mut below_it = vec![span("    ", theme.text)];
    below_it.extend(wants(theme, line));
    canvas.put(indent(row(area, 1), 0, 1), &below_it);
}

/// What a session stands at, in a line.
fn wants(theme: &Theme, line: &SessionSummary) -> Vec<Span<'static>> {
    let gap = line.gap.as_ref().map(Gap::in_words);
    let used = format!("{}/{}", line.attempts, line.max_attempts);
    let bullet = || span(format!(" {} ", theme.symbols.bullet), theme.muted);
    let (_, colour) = status(theme, &line.status);
    let mut out = Vec::new();
    match &line.status {
        Status::Active | Status::Pending => {}
        other => out.extend([span(other.to_string(), colour), bullet()]),
    }
    out.push(span(gap.unwrap_or_else(|| "nothing measured".to_owned()), theme.text));
    if line.stalled {
        out.extend([bullet(), span("stalled", theme.warn)]);
    } else if let Some(trend) = line.gap.as_ref().and_then(|gap| gap.trend.as_ref())
        && !line.status.is_final()
    {
        out.extend([bullet(), span(trend.to_string(), trend_style(theme, trend))]);
    }
    out.extend([bullet(), span(used, theme.muted)]);
    out
}

/// The symbol and style of a status.
pub(super) fn status(theme: &Theme, status: &Status) -> (&'static str, Style) {
    let symbols = theme.symbols;
    match status {
        Status::Pending => (symbols.dot_empty, theme.muted),
        Status::Active => (symbols.open, theme.accent),
        Status::Converged => (symbols.completed, theme.ok),
        Status::Escalated => (symbols.blocked, theme.warn),
        Status::Failed => (symbols.unmet, theme.bad),
        _ => (symbols.person, theme.warn),
    }
}

/// The style of a trend.
pub(super) fn trend_style(theme: &Theme, trend: &Trend) -> Style {
    match trend {
        Trend::Improving => theme.ok,
        Trend::Stagnant => theme.warn,
        Trend::Worsening => theme.bad,
        _ => theme.muted,
    }
}

fn detail(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.sessions.pane != Pane::List;
    let Some(line) = app.sessions.selected().cloned() else {
        let inner = canvas.frame_around(area, &[], &[], false);
        if app.sessions.loaded {
            let lines = [("no session is chosen", theme.title), ("a starts one", theme.muted)];
            card::note(canvas, inner, &lines);
        }
        return;
    };
    let style = if focused { theme.accent } else { theme.title };
    let short = crate::core::text::first_chars(line.session_id.as_str(), 8).to_owned();
    let title = [span(line.goal.clone(), style)];
    let inner = canvas.frame_around(area, &title, &[span(short, theme.muted)], focused);
    if let Some(fault) = &app.sessions.fault {
        let message = fault.message().to_owned();
        let lines = [("this session can't be read", theme.bad), (&message, theme.text)];
        card::note(canvas, inner, &lines);
        return;
    }
    let Some(session) = app.sessions.open().cloned() else { return };
    let used = head(app, canvas, indent(inner, 1, 1), &session);
    let edge = Rect { x: area.x, width: area.width, ..below(inner, used) };
    attempts::draw(app, canvas, edge, &session);
}

/// Where the session stands: status, gap with its course, warnings. Gives the
/// rows that it took.
fn head(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, session: &Session) -> u16 {
    let theme = canvas.theme;
    let (symbol, colour) = status(theme, &session.status);
    let mut first = vec![
        span(format!("{symbol} {}", session.status), colour),
        span(format!("  {}", session.goal_type.in_words()), theme.muted),
    ];
    let left = match session.status.is_final() {
        true => format!("{} of {} attempts", session.attempts.len(), session.max_attempts),
        false => plural(session.attempts_left(), "attempt left", "attempts left"),
    };
    if let Some(previous) = &session.previous {
        let short = crate::core::text::first_chars(previous.as_str(), 8);
        first.push(span(format!("  continues {short}"), theme.muted));
    }
    canvas.put_both(row(area, 0), &first, &[span(left, theme.text)]);
    let mut used = 1;
    canvas.put(row(area, used), &gap_line(theme, session));
    used += 1;
    if session.is_stalled() {
        let without = session.without_improvement();
        let said = format!(
            "{} stalled: {without} attempts without improvement; try something else, or C gives it up",
            theme.symbols.warning
        );
        canvas.put(row(area, used), &[span(said, theme.warn)]);
        used += 1;
    }
    if let Some(last) = session.transitions.last().filter(|_| session.status.is_final()) {
        canvas.put(row(area, used), &[span(last.cause.clone(), theme.muted)]);
        used += 1;
    }
    let _ = app;
    if area.height >= 22 && session.gap_history.len() > 1 {
        used += course(canvas, below(area, used), session);
    }
    used
}

/// The gap in words, its trend, and its course in small.
fn gap_line(theme: &Theme, session: &Session) -> Vec<Span<'static>> {
    let Some(gap) = &session.gap else {
        return vec![span("no gap measured yet: R runs a command that tells it", theme.muted)];
    };
    let style = if gap.converged { theme.ok } else { theme.title };
    let mut out = vec![span("gap ", theme.muted), span(gap.in_words(), style)];
    if let Some(trend) = &gap.trend {
        out.push(span(format!("  {trend}"), trend_style(theme, trend)));
    }
    let deltas: Vec<f64> = session.gap_history.iter().map(|entry| entry.delta.value()).collect();
    if deltas.len() > 1 {
        out.push(span(format!("  {}", small(theme, &deltas, 24)), theme.accent));
    }
    out
}

/// A course in one row.
pub(super) fn small(theme: &Theme, deltas: &[f64], wide: usize) -> String {
    chart::line(deltas, wide, theme.glyphs == Glyphs::Ascii)
}

/// The course of the gap over the line of its target.
fn course(canvas: &mut Canvas<'_, '_>, area: Rect, session: &Session) -> u16 {
    let theme = canvas.theme;
    let ascii = theme.glyphs == Glyphs::Ascii;
    let metric = session.gap.as_ref().map(|gap| &gap.metric_type);
    let same = session.gap_history.iter().filter(|entry| Some(&entry.metric_type) == metric);
    let deltas: Vec<f64> = same.clone().map(|entry| entry.delta.value()).collect();
    let label = 10_u16.min(area.width / 4);
    let wide = area.width.saturating_sub(label + 1);
    let most = same.clone().max_by(|a, b| a.delta.cmp_size(&b.delta));
    let target = session.gap.as_ref().map(|gap| format!("target {}", gap.target_value));
    // Few values stand apart, so that each is seen.
    let step = (usize::from(wide) / deltas.len().max(1)).clamp(1, 3);
    let rows = chart::columns(&deltas, usize::from(wide) / step, usize::from(CHART));
    for (y, cells) in rows.iter().enumerate() {
        let at = row(area, to_u16(y));
        let said = match y {
            0 => most.map(|entry| entry.current_value.to_string()).unwrap_or_default(),
            y if y + 1 == rows.len() => target.clone().unwrap_or_default(),
            _ => String::new(),
        };
        canvas.put(
            Rect { width: label, ..at },
            &[span(text::pad_left(&said, usize::from(label)), theme.muted)],
        );
        let is_line = y + 1 == rows.len();
        let mut drawn = String::new();
        for cell in cells {
            let glyph = chart::glyph(*cell, ascii);
            let gap = if is_line { glyph } else { " " };
            drawn.push_str(glyph);
            (1..step).for_each(|_| drawn.push_str(gap));
        }
        let style = if is_line { theme.muted } else { theme.accent };
        canvas.put(indent(at, label + 1, 0), &[span(drawn, style)]);
    }
    CHART
}

/// A line about the session of a loop, or the offer of one.
pub(super) fn of_loop(app: &App, theme: &Theme) -> Option<Vec<Span<'static>>> {
    if let Some(session) = app.linked_session() {
        let (symbol, colour) = status(theme, &session.status);
        let mut out = vec![span(format!("{symbol} session "), colour)];
        out.extend(gap_line(theme, session));
        let left = match session.status.is_final() {
            true => session.status.to_string(),
            false => plural(session.attempts_left(), "attempt left", "attempts left"),
        };
        out.push(span(format!("  {left}   S shows it"), theme.muted));
        if session.is_stalled() {
            out.push(span("  stalled", theme.warn));
        }
        return Some(out);
    }
    let linked = app.detail.data().is_some_and(|data| data.state.linked.session_id.is_some());
    if linked {
        return Some(vec![span("the linked session can't be read", theme.warn)]);
    }
    let offer = "no session counts its attempts yet: r or R starts one";
    app.offers_session().then(|| vec![span(offer, theme.muted)])
}
