//! The attempts of a session, and what the chosen one showed or the running one
//! says.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::session::{Attempt, NO_EXIT_CODE, Observation, Outcome, Reading, Session};
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::app::sessions::Pane;
use crate::tui::theme::Theme;
use crate::tui::widget::text;

use super::SIDE_BY_SIDE;
use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::detail::pane_title;
use super::sessions::trend_style;

/// Draws both below one another into an area whose left and right edges are the
/// frame's; where there is little room, the one that has the keyboard.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, session: &Session) {
    if area.height < 4 {
        return;
    }
    let narrow = canvas.frame.area().width < SIDE_BY_SIDE && area.height < 16;
    if narrow {
        match app.sessions.pane {
            Pane::Output => output(app, canvas, area),
            _ => list(app, canvas, area, session),
        }
        return;
    }
    let rows = to_u16(session.attempts.len() + usize::from(app.runs_here())).max(1);
    let most = (area.height * 2 / 5).max(4);
    let high = (rows + 1).clamp(3, most);
    list(app, canvas, Rect { height: high, ..area }, session);
    output(app, canvas, below(area, high));
}

fn list(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, session: &Session) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Attempts;
    let runs = app.runs_here();
    let total = session.attempts.len();
    let title = [
        pane_title(app, canvas, Context::Attempts, "Attempts"),
        span(format!(" {total} of {}", session.max_attempts), theme.muted),
    ];
    canvas.divider(row(area, 0), &title, &[], focused);
    let inner = indent(below(area, 1), 1, 1);
    let rows = total + usize::from(runs);
    if rows == 0 {
        canvas.layout.pane(Context::Attempts, inner, 0);
        let said = "none yet: R runs a command, r records what was done elsewhere";
        canvas.put(indent(row(inner, 0), 1, 1), &[span(said, theme.muted)]);
        return;
    }
    let mut cursor = app.sessions.attempts;
    canvas.rows(Context::Attempts, inner, &mut cursor, (rows, 1), |canvas, area, at, chosen| {
        if runs && at == 0 {
            running(app, canvas, area, (chosen, focused));
        } else if let Some(attempt) = app.sessions.attempt(at, runs) {
            let number = total + usize::from(runs) - at;
            entry(app, canvas, area, (number, attempt), (chosen, focused));
        }
    });
    app.sessions.attempts = cursor;
}

fn running(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, chosen: (bool, bool)) {
    let theme = canvas.theme;
    let Some(run) = &app.run else { return };
    let seconds = run.seconds(app.clock.uptime);
    let left = [
        super::loops::bar(canvas, chosen.0, chosen.1),
        span(format!("{} running ", theme.symbols.working), theme.accent),
        span(run.command.clone(), theme.text),
    ];
    let clock = format!("{}:{:02}  x ends it", seconds / 60, seconds % 60);
    canvas.put_both(indent(area, 0, 1), &left, &[span(clock, theme.accent)]);
}

fn entry(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    (number, attempt): (usize, &Attempt),
    (chosen, focused): (bool, bool),
) {
    let theme = canvas.theme;
    let style = theme.row(chosen, focused, theme.text);
    let (symbol, colour) = outcome(theme, &attempt.outcome);
    let left = [
        super::loops::bar(canvas, chosen, focused),
        span(format!("{number:>3}  "), theme.muted),
        span(format!("{symbol} {}", text::pad(attempt.outcome.as_str(), 8)), colour),
        span(format!("{}  ", text::pad(attempt.action_type.as_str(), 8)), theme.muted),
        span(attempt.action_description.clone(), style),
    ];
    let mut right: Vec<Span<'static>> = Vec::new();
    let measured = app.sessions.open().and_then(|session| {
        session.gap_history.iter().rfind(|e| e.attempt_id.as_ref() == Some(&attempt.attempt_id))
    });
    if let Some(entry) = measured {
        let style = entry.trend.as_ref().map_or(theme.text, |trend| trend_style(theme, trend));
        right.push(span(format!("{}  ", entry.current_value), style));
    }
    let took = i64::try_from(attempt.duration_ms()).unwrap_or(i64::MAX);
    right.push(span(text::pad_left(&lasted(took), 7), theme.muted));
    let age = text::age(app.now(), attempt.completed_at);
    right.push(span(text::pad_left(&age, 9), theme.muted));
    canvas.put_both(indent(area, 0, 1), &left, &right);
}

fn lasted(millis: i64) -> String {
    if millis < 60_000 {
        return format!("{}.{} s", millis / 1_000, millis % 1_000 / 100);
    }
    text::duration(millis)
}

/// The symbol and style of an outcome.
fn outcome(theme: &Theme, outcome: &Outcome) -> (&'static str, ratatui::style::Style) {
    let symbols = theme.symbols;
    match outcome {
        Outcome::Success => (symbols.met, theme.ok),
        Outcome::Partial => (symbols.dot_half, theme.warn),
        Outcome::Failure => (symbols.unmet, theme.bad),
        Outcome::Error => (symbols.warning, theme.bad),
        _ => (symbols.person, theme.muted),
    }
}

fn output(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Output;
    let live = app.runs_here() && app.sessions.attempts.index == 0;
    let name = if live { "Output as it comes" } else { "Output" };
    let title = [pane_title(app, canvas, Context::Output, name)];
    let right = if app.sessions.search.is_empty() {
        let follows = live && app.run.as_ref().is_some_and(|run| run.follow);
        vec![span(if follows { "follows" } else { "" }, theme.muted)]
    } else {
        vec![span(format!("/{}  n N", app.sessions.search), theme.warn)]
    };
    canvas.divider(row(area, 0), &title, &right, focused);
    let inner = indent(below(area, 1), 2, 2);
    if live {
        said_live(app, canvas, inner);
    } else {
        said(app, canvas, inner);
    }
}

fn said_live(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let Some(run) = &app.run else { return };
    let mut cursor = app.sessions.output;
    let len = run.lines.len();
    if run.follow {
        cursor.offset = len.saturating_sub(usize::from(area.height));
    }
    canvas.scrolled(Context::Output, area, &mut cursor, len, |canvas, area, at| {
        if let Some(line) = run.lines.get(at) {
            line_of(app, canvas, area, line);
        }
    });
    app.sessions.output = cursor;
}

fn said(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let runs = app.runs_here();
    let facts = match app.sessions.seen(runs) {
        Some((_, Some(seen))) => facts(seen),
        Some((attempt, None)) => vec![format!("{} without an observation", attempt.action_type)],
        None => Vec::new(),
    };
    for (y, fact) in facts.iter().enumerate() {
        canvas.put(row(area, to_u16(y)), &[span(fact.clone(), theme.muted)]);
    }
    let area = below(area, to_u16(facts.len()));
    let Some(wrapped) = app.sessions.text().cloned() else {
        canvas.layout.pane(Context::Output, area, 0);
        return;
    };
    let lines = wrapped.lines(usize::from(area.width).max(1));
    let mut cursor = app.sessions.output;
    canvas.scrolled(Context::Output, area, &mut cursor, lines.len(), |canvas, area, at| {
        if let Some(line) = lines.get(at) {
            line_of(app, canvas, area, line);
        }
    });
    app.sessions.output = cursor;
}

/// What is known of an observation, in lines.
fn facts(seen: &Observation) -> Vec<String> {
    let exit = match seen.exit_code {
        NO_EXIT_CODE => "no exit status".to_owned(),
        code => format!("exit status {code}"),
    };
    let bytes = text::number(seen.original_bytes);
    let size = if seen.truncated {
        format!("{bytes} bytes, head and tail kept")
    } else {
        format!("{bytes} bytes")
    };
    let data = seen.structured_data.value();
    let read = Reading::of_structured(&data).map(|reading| reading.in_words());
    let flags = ["interrupted", "timed_out", "not_started", "signalled"];
    let flag = flags.iter().find(|flag| data[**flag] == true).map(|flag| flag.replace('_', " "));
    let fallback =
        (data["fallback"] == "exit_code").then(|| "not recognised: by the exit status".to_owned());
    let mut parts = vec![exit, size];
    parts.extend(flag);
    parts.extend(read.or(fallback));
    vec![parts.join(" · ")]
}

/// A line of output; what is looked for stands out.
fn line_of(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, line: &str) {
    let theme = canvas.theme;
    let words = app.sessions.search.to_lowercase();
    let shown = text::one_line(line);
    let folded = shown.to_lowercase();
    // Case folding may change lengths: then the whole line stands out.
    let found = if words.is_empty() { None } else { folded.find(&words) };
    let spans = match found {
        None => vec![span(shown.into_owned(), theme.text)],
        Some(at)
            if folded.len() == shown.len()
                && shown.is_char_boundary(at)
                && shown.is_char_boundary(at + words.len()) =>
        {
            let (before, rest) = shown.split_at(at);
            let (met, after) = rest.split_at(words.len());
            vec![
                span(before.to_owned(), theme.text),
                span(met.to_owned(), theme.matched),
                span(after.to_owned(), theme.text),
            ]
        }
        Some(_) => vec![span(shown.into_owned(), theme.matched)],
    };
    canvas.put(area, &spans);
}
