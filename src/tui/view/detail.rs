//! The loop in view: its title, tabs, and what the tab shows.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::attention::AttentionState;
use crate::core::loops::model::{Actor, Loop, Question};
use crate::engine::LoopSummary;
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::detail::Tab;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, spans_width};
use super::layout::Target;
use super::shell::loud;
use super::{artifacts, brief, card, coverage, overview, time, welcome};

/// Draws the loop in view.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.in_detail;
    let Some(summary) = app.selected_loop().cloned() else {
        let inner = canvas.frame_around(area, &[], &[], false);
        nothing_chosen(app, canvas, inner);
        return;
    };
    let style = if focused { theme.accent } else { theme.title };
    let title = [span(summary.title.clone(), style)];
    let inner = canvas.frame_around(area, &title, &[], focused);
    tabs(app, canvas, row(inner, 0), &summary);
    let rest = below(inner, 1);
    if let Some(fault) = &app.detail.fault {
        let message = fault.message().to_owned();
        card::note(canvas, rest, &[("this loop can't be read", theme.bad), (&message, theme.text)]);
        return;
    }
    let Some(data) = app.detail.data().cloned() else { return };
    let rest = below(rest, question_banner(app, canvas, rest, &data.state));
    // The frame's own edges are needed where dividers join them.
    let rest = Rect { x: area.x, width: area.width, ..rest };
    match app.detail.tab {
        Tab::Overview => overview::draw(app, canvas, rest, &data),
        Tab::Artifacts => artifacts::draw_all(app, canvas, rest, &data),
        Tab::Brief => brief::draw(app, canvas, rest),
        Tab::Coverage => coverage::draw(app, canvas, rest, &data),
        Tab::Time => time::draw(app, canvas, rest),
    }
}

/// A question that waits, over all else that is said of the loop. Gives the
/// rows that it took.
fn question_banner(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, state: &Loop) -> u16 {
    let theme = canvas.theme;
    let Some(question) = state.holding_question().or(state.open_questions.first()) else {
        return 0;
    };
    if area.height < 3 {
        return 0;
    }
    let (symbol, style) = theme.attention(AttentionState::Person);
    let key = app.keys().any_key_in_words(Action::Answer);
    let more = match state.open_questions.len() {
        0 | 1 => String::new(),
        n => format!("  (1 of {n})"),
    };
    let until = question.deadline.map(|at| format!("  {}", left(at.since(app.now()))));
    let right = format!("{more}{}  {key} answers ", until.unwrap_or_default());
    let asker = match &question.asked_by {
        Actor::Operator => "you asked".to_owned(),
        other => format!("{other} asks"),
    };
    let left = format!(" {symbol} {asker}: {}", text::one_line(&question.text));
    let loud = loud(style);
    let fill = " ".repeat(usize::from(area.width));
    canvas.put(row(area, 0), &[span(fill, loud)]);
    canvas.put_both(row(area, 0), &[span(left, loud)], &[span(right, loud)]);
    let mut used = 1;
    let lines = question.evidence.iter().map(|line| format!("because {}", text::one_line(line)));
    for line in lines.take(2).chain(offered(question)) {
        if used < area.height / 3 {
            let shown = text::truncate(&line, usize::from(area.width.saturating_sub(4)));
            canvas.put(indent(row(area, used), 3, 1), &[span(shown.into_owned(), theme.text)]);
            used += 1;
        }
    }
    used
}

/// The answers that a question offers, in a line.
fn offered(question: &Question) -> Option<String> {
    let labels: Vec<String> = question
        .options
        .iter()
        .map(|o| if o.id == o.label { o.id.clone() } else { format!("{}: {}", o.id, o.label) })
        .collect();
    (!labels.is_empty()).then(|| labels.join("  |  "))
}

/// The time that is left of a question's, in its largest units.
fn left(millis: i64) -> String {
    let seconds = millis.div_euclid(1_000);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match seconds {
        ..=0 => "overdue".to_owned(),
        86_400.. => format!("{days}d {hours}h left"),
        3_600.. => format!("{hours}h {minutes}m left"),
        _ => format!("{minutes}m {}s left", seconds % 60),
    }
}

fn nothing_chosen(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    if !app.loops.loaded {
        card::note(canvas, area, &[("reading the workspace …", theme.muted)]);
    } else if app.loops.all.is_empty() {
        welcome::teach(app, canvas, area);
    } else {
        card::note(canvas, area, &[("no loop is chosen", theme.muted)]);
    }
}

fn tabs(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, summary: &LoopSummary) {
    let theme = canvas.theme;
    let area = indent(area, 1, 1);
    let mut x = 0;
    for tab in Tab::ALL {
        let on = app.detail.tab == tab;
        let style = if on { theme.accent.patch(underlined()) } else { theme.muted };
        let spans = [span(tab.label(), style), Span::raw("   ")];
        let cells = spans_width(&spans);
        if x + cells > area.width {
            break;
        }
        let at = Rect { x: area.x + x, width: cells, ..area };
        canvas.put(at, &spans);
        canvas.layout.target(at, Target::Tab(tab));
        x += cells;
    }
    let (symbol, style) = theme.status(summary.status);
    let dot = format!(" {} ", theme.symbols.bullet);
    let right = [
        span(summary.kind.to_string(), theme.text),
        span(dot.clone(), theme.muted),
        span(format!("{symbol} {}", summary.status), style),
        span(dot, theme.muted),
        span(format!("v{}", summary.version), theme.muted),
    ];
    let room = Rect { x: area.x + x, width: area.width.saturating_sub(x), ..area };
    canvas.put_right(room, &right);
}

fn underlined() -> ratatui::style::Style {
    ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::UNDERLINED)
}

/// The title of a pane: `accent` where the keyboard is.
pub(super) fn pane_title(
    app: &App,
    canvas: &Canvas<'_, '_>,
    pane: Context,
    title: &str,
) -> Span<'static> {
    let focused = app.pane() == pane;
    let style = if focused { canvas.theme.accent } else { canvas.theme.title };
    span(title.to_owned(), style)
}
