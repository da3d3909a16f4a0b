//! The question that a form asks, over its middle.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::tui::theme::Theme;
use crate::tui::widget::text::{width, wrap};

use super::super::state::{Form, Question};
use super::clamped;

/// Columns that a question takes at most.
const WIDEST: u16 = 64;

/// Draws a question over a form.
pub(super) fn draw(
    form: &Form,
    question: Question,
    frame: &mut Frame<'_>,
    area: Rect,
    theme: &Theme,
) {
    let (text, keys) = words(form, question);
    let wide = area.width.min(WIDEST);
    let cells = usize::from(wide.saturating_sub(4)).max(1);
    let mut lines: Vec<Line<'_>> = wrap(&text, cells).into_iter().map(Line::raw).collect();
    lines.push(Line::default());
    for (key, what) in keys {
        let gap = " ".repeat(4_usize.saturating_sub(width(key)));
        lines.push(Line::from(vec![
            Span::styled(key, theme.key),
            Span::raw(format!("{gap}{what}")),
        ]));
    }
    let tall = clamped(lines.len() + 2).min(area.height);
    let boxed = Rect {
        x: area.x + (area.width - wide) / 2,
        y: area.y + (area.height - tall) / 2,
        width: wide,
        height: tall,
    };
    frame.render_widget(Clear, boxed);
    let block = Block::bordered()
        .border_set(theme.borders())
        .border_style(theme.warn)
        .padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Paragraph::new(lines).block(block), boxed);
}

/// What is asked, and which key says what.
fn words(form: &Form, question: Question) -> (String, Vec<(&'static str, String)>) {
    let (there, here) = form.places().unwrap_or_default();
    match question {
        Question::Drop => (
            "Drop what you wrote?".to_owned(),
            vec![("y", "drop it and leave".to_owned()), ("Esc", "go on writing".to_owned())],
        ),
        Question::Where => (
            format!("The loop moved on from {there} to {here}. Where is this to be filed?"),
            vec![
                ("t", format!("there: {there}")),
                ("h", format!("here: {here}")),
                ("Esc", "go on writing".to_owned()),
            ],
        ),
        Question::GoOn => (
            format!("The loop moved on from {there} to {here} while the form was open. Go on?"),
            vec![("y", format!("yes: {}", form.action())), ("Esc", "back to the form".to_owned())],
        ),
    }
}
