//! The workers: who works on what, for how long, and what they say.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::attempt::AttemptStatus;
use crate::engine::{Worker, WorkerLife};
use crate::tui::app::App;
use crate::tui::app::cursor::Cursor;
use crate::tui::theme::Theme;
use crate::tui::widget::text::{self, one_line};

use super::canvas::{Canvas, indent, row, span, to_u16};
use super::menu;
use super::overlay::panel;

/// Columns of the list.
const WIDE: u16 = 110;
/// Rows of the frame where nobody works.
const EMPTY: u16 = 6;
/// Columns of a time.
const CLOCK: usize = 8;
/// Rows of output that are shown at most.
const TAIL: u16 = 12;

/// Draws the list, and under it what the chosen worker said.
pub(super) fn draw(app: &App, cursor: &mut Cursor, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let crew = &app.crew;
    let list = to_u16(crew.len().clamp(1, 10));
    let high = if crew.is_empty() { EMPTY } else { list + TAIL + 6 };
    let ended = match crew.ended.len() {
        0 => String::new(),
        n => format!("{n} ended"),
    };
    let inner = panel(canvas, body, (WIDE, high), "Workers", &ended);
    let inner = indent(inner, 1, 1);
    if crew.is_empty() {
        let key = app.keys().any_key_in_words(crate::tui::action::Action::Dispatch);
        canvas.put(row(inner, 0), &[span("No turn is handed to a worker.", theme.text)]);
        let how = format!("{key} on a loop hands one out, where its slot's agent has a command.");
        canvas.put(row(inner, 1), &[span(how, theme.muted)]);
        return;
    }
    let high = list.min(inner.height.saturating_sub(4));
    let area = Rect { height: high, ..inner };
    menu::rows(canvas, area, cursor, crew.len(), |canvas, area, at, chosen| {
        let Some((worker, _)) = crew.get(at) else { return };
        let over = at >= crew.rows.len();
        let style = match chosen {
            true => theme.current,
            false if over => theme.muted,
            false => theme.text,
        };
        let bar = if chosen { theme.symbols.bar } else { " " };
        let (words, tone) = if over { ending(worker, theme) } else { standing(worker, theme) };
        let when = if over { age(app, worker, theme) } else { clock(app, worker, theme) };
        let left = [
            span(bar, theme.current),
            span(format!(" {:<10} ", worker.agent), style),
            span(format!("{:<10} ", worker.role), theme.muted),
            span(one_line(&worker.title).into_owned(), style),
        ];
        canvas.put_both(area, &left, &[span(words, tone), when]);
    });
    if let Some((worker, lines)) = crew.get(cursor.index) {
        let rest =
            Rect { y: inner.y + high + 1, height: inner.height.saturating_sub(high + 1), ..inner };
        chosen_one(app, cursor.index, (worker, lines), canvas, rest);
    }
}

fn chosen_one(
    app: &App,
    at: usize,
    (worker, lines): (&Worker, &[String]),
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
) {
    let theme = canvas.theme;
    let mut about = format!("{}, round {}", worker.phase, worker.round);
    if let Some(before) = worker.generation.filter(|before| *before > 0) {
        about.push_str(&format!(" · worker {} of this turn", before + 1));
    }
    if worker.process == WorkerLife::None
        && let Some(lease) = worker.lease_until
    {
        let left = lease.since(app.now()).max(0) / 1_000;
        about.push_str(&format!(" · lease {left}s"));
    }
    let over = at >= app.crew.rows.len();
    if let Some(pid) = worker.pid.filter(|_| !over) {
        about.push_str(&format!(" · process {pid}"));
    }
    if let (Some(why), WorkerLife::Alive) = (&worker.shut_out, worker.process) {
        about.push_str(&format!(" · runs on, but is shut out: {why}"));
    }
    // Of one that was called off that is the cause, and how its process ended follows.
    let ill = match worker.status {
        AttemptStatus::Cancelled => worker.shut_out.as_ref(),
        _ => worker.failure.as_ref().or(worker.turned_away.as_ref()).or(worker.shut_out.as_ref()),
    };
    if let Some(ill) = ill.filter(|_| over) {
        about.push_str(&format!(" · {ill}"));
    }
    if worker.taken_back {
        about.push_str(" · its result was taken, and that was undone");
    }
    if worker.worktree.is_some() {
        about.push_str(" · in a work tree");
    }
    canvas.put(row(area, 0), &[span(about, theme.muted)]);
    let room = usize::from(area.height.saturating_sub(2));
    let from = lines.len().saturating_sub(room);
    if lines.is_empty() {
        let said = if over { "It left nothing to read." } else { "It has said nothing yet." };
        canvas.put(row(area, 2), &[span(said, theme.muted)]);
    }
    for (at, line) in lines[from..].iter().enumerate() {
        let shown = one_line(line).into_owned();
        canvas.put(row(area, to_u16(at) + 2), &[span(shown, theme.text)]);
    }
}

/// Where a worker stands, in words.
fn standing(worker: &Worker, theme: &Theme) -> (String, ratatui::style::Style) {
    if worker.contradiction.is_some() {
        return ("contradiction".to_owned(), theme.bad);
    }
    if worker.turned_away.is_some() {
        return ("reply turned away".to_owned(), theme.bad);
    }
    if worker.shut_out.is_some() && worker.process == WorkerLife::Alive {
        return ("shut out".to_owned(), theme.warn);
    }
    if worker.taken_back {
        return ("due again".to_owned(), theme.warn);
    }
    match (worker.status, worker.process) {
        (AttemptStatus::LaunchAttemptedUnknown, _) => ("launch unknown".to_owned(), theme.bad),
        (status, WorkerLife::Ended) if !status.has_ended() => match &worker.failure {
            Some(_) => ("ended, failed".to_owned(), theme.bad),
            None if worker.writes => ("ended, to be merged".to_owned(), theme.warn),
            None => ("ended".to_owned(), theme.warn),
        },
        (_, WorkerLife::Alive) => ("works".to_owned(), theme.ok),
        (AttemptStatus::Reserved, _) => ("to be handed out".to_owned(), theme.warn),
        (status, _) => (status.to_string().replace('_', " "), theme.muted),
    }
}

/// How an ended worker ended, in words.
fn ending(worker: &Worker, theme: &Theme) -> (String, ratatui::style::Style) {
    let (word, style) = match worker.status {
        AttemptStatus::Completed => ("result taken", theme.ok),
        AttemptStatus::Cancelled => ("called off", theme.muted),
        _ if worker.shut_out.is_some() => ("shut out", theme.warn),
        _ if worker.failure.is_some() => ("failed", theme.bad),
        AttemptStatus::Failed => ("failed", theme.bad),
        _ => ("ended", theme.muted),
    };
    (word.to_owned(), style)
}

/// How long ago it was started.
fn age(app: &App, worker: &Worker, theme: &Theme) -> Span<'static> {
    let text = worker.started_at.map_or_else(String::new, |at| text::age(app.now(), at));
    span(format!("{text:>CLOCK$}"), theme.muted)
}

fn clock(app: &App, worker: &Worker, theme: &Theme) -> Span<'static> {
    let seconds = worker.started_at.map(|at| app.now().since(at).max(0) / 1_000);
    let text = seconds.map_or_else(String::new, |s| format!("{:>3}:{:02}", s / 60, s % 60));
    span(format!("{text:>CLOCK$}"), theme.muted)
}
