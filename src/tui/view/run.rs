//! The output of a verify command, and the lines of a diff.

use ratatui::text::Span;

use crate::tui::app::App;
use crate::tui::theme::Theme;
use crate::tui::widget::text::one_line;

use super::canvas::span;
use super::gate::Pieces;

/// What the command has said, under a line that says how it goes.
pub(super) fn lines(app: &App, theme: &Theme) -> Vec<Pieces> {
    let Some(run) = &app.run else { return Vec::new() };
    let output = run.lines.iter().map(|line| vec![span(one_line(line).into_owned(), theme.text)]);
    let mut out: Vec<Pieces> = vec![vec![span(run.command.clone(), theme.title)], Vec::new()];
    out.extend(output);
    out.push(Vec::new());
    out.push(vec![match &run.ended {
        None => {
            let seconds = run.seconds(app.clock.uptime);
            let clock = format!("{}:{:02}", seconds / 60, seconds % 60);
            span(format!("running {clock}   x ends it, Esc hides it"), theme.accent)
        }
        Some((text, true)) => span(text.clone(), theme.ok),
        Some((text, false)) => span(text.clone(), theme.bad),
    }]);
    out
}

/// A line of a diff: what came, what went, and where.
pub(super) fn diff_line(line: &str, theme: &Theme) -> Span<'static> {
    let style = match line {
        _ if line.starts_with("+++") || line.starts_with("---") => theme.title,
        _ if line.starts_with('+') => theme.ok,
        _ if line.starts_with('-') => theme.bad,
        _ if line.starts_with("@@") => theme.accent,
        _ if line.starts_with("diff ") => theme.title,
        _ => theme.text,
    };
    span(line.to_owned(), style)
}
