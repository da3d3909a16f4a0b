//! What an undo would take back, and differences between two moments.

use ratatui::layout::Rect;

use crate::core::loops::diff::{Difference, Mark};
use crate::core::text::plural;
use crate::tui::app::events::Tone;
use crate::tui::app::overlay::UndoPreview;
use crate::tui::app::{App, event_detail, event_word};
use crate::tui::theme::Theme;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::gate::Pieces;
use super::journal::{moment, who, word_style};
use super::overlay::panel;

/// Cells of the column that names the field or the type.
const WHAT: usize = 28;

/// A line for each difference.
pub(super) fn difference_lines(theme: &Theme, all: &[Difference], wide: u16) -> Vec<Pieces> {
    if all.is_empty() {
        return vec![vec![span("nothing is different", theme.muted)]];
    }
    let widest = all.iter().map(|d| text::width(&d.what)).max().unwrap_or(0);
    let column = widest.min(WHAT).min(usize::from(wide) / 3);
    let line = |one: &Difference| {
        let (mark, style) = match one.mark {
            Mark::Changed => ("~", theme.warn),
            Mark::Added => ("+", theme.ok),
            Mark::Removed => ("-", theme.bad),
        };
        vec![
            span(format!("{mark} "), style),
            span(text::pad(&one.what, column), theme.text),
            span(format!("  {}", one.text), theme.text),
        ]
    };
    all.iter().map(line).collect()
}

/// Draws the preview of an undo.
pub(super) fn preview(
    app: &App,
    preview: &mut UndoPreview,
    canvas: &mut Canvas<'_, '_>,
    body: Rect,
) {
    let theme = canvas.theme;
    let wide = 96.min(body.width.saturating_sub(8));
    let lines = lines(app, preview, theme, wide);
    let high = (to_u16(lines.len()) + 5).max(9);
    let inner = panel(canvas, body, (100, high), "Undo", &preview.title);
    let area = indent(inner, 2, 2);
    let list = Rect { height: area.height.saturating_sub(2), ..area };
    let view = usize::from(list.height);
    canvas.layout.overlay_view = view;
    canvas.layout.overlay_lines = lines.len();
    let first = preview.scroll.offset.min(lines.len().saturating_sub(view));
    preview.scroll.offset = first;
    for (y, line) in lines.iter().skip(first).take(view).enumerate() {
        canvas.put(row(list, to_u16(y)), line);
    }
    let mut keys = vec![
        span("Enter", theme.key),
        span(" takes it back   ", theme.text),
        span("Esc", theme.key),
        span(" leaves it", theme.text),
    ];
    if lines.len() > view {
        keys.push(span(format!("   j k scroll: {} lines", lines.len()), theme.muted));
    }
    canvas.put(row(below(area, list.height), 1), &keys);
}

fn lines(app: &App, preview: &UndoPreview, theme: &Theme, wide: u16) -> Vec<Pieces> {
    let look = &preview.look;
    let mut out: Vec<Pieces> = vec![Vec::new()];
    if let Some(warning) = &look.warning {
        let said = format!("{} {warning}", theme.symbols.warning);
        let said = text::wrap(&said, usize::from(wide));
        out.extend(said.into_iter().map(|line| vec![span(line, theme.warn)]));
        out.push(Vec::new());
    }
    let count = plural(look.events.len(), "event", "events");
    let said = format!("back to event {}: {count} would count no more", look.back_to);
    out.push(vec![span(said, theme.title)]);
    for event in look.events.iter().rev() {
        out.push(vec![
            span(format!("  {:<6}", moment(app.clock, event.at)), theme.muted),
            span(
                format!("  {}", text::pad(event_word(&event.body), 10)),
                word_style(theme, Tone::of(&event.body)),
            ),
            span(format!("  {}", event_detail(&event.body)), theme.text),
            span(format!("  {}", who(&event.by)), theme.muted),
        ]);
    }
    out.push(Vec::new());
    out.push(vec![span("what would be different", theme.title)]);
    for mut line in difference_lines(theme, &look.differences, wide) {
        line.insert(0, span("  ", theme.text));
        out.push(line);
    }
    out
}
