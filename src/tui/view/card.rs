//! Cards in the middle of a pane: what is missing, and what would fill it.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::widget::text;

use super::LEAST;
use super::canvas::{Canvas, row, span, spans_width, to_u16};

/// Says which size is needed, in whatever room there is.
pub(super) fn too_small(canvas: &mut Canvas<'_, '_>, area: Rect) {
    let lines = [
        format!("loopdeck needs {} × {}", LEAST.0, LEAST.1),
        format!("here are {} × {}", area.width, area.height),
    ];
    let top = area.height.saturating_sub(2) / 2;
    for (at, line) in lines.iter().enumerate() {
        let style = if at == 0 { canvas.theme.title } else { canvas.theme.muted };
        centred(canvas, row(area, top + to_u16(at)), &[span(line.as_str(), style)]);
    }
}

/// Writes pieces in the middle of a row.
pub(super) fn centred(canvas: &mut Canvas<'_, '_>, area: Rect, spans: &[Span<'_>]) {
    let gap = area.width.saturating_sub(spans_width(spans)) / 2;
    canvas.put(Rect { x: area.x + gap, width: area.width - gap, ..area }, spans);
}

/// Writes lines in the middle of an area, each wrapped to its width.
pub(super) fn note(canvas: &mut Canvas<'_, '_>, area: Rect, lines: &[(&str, Style)]) {
    let room = usize::from(area.width.saturating_sub(4)).max(1);
    let wrapped: Vec<(String, Style)> = lines
        .iter()
        .flat_map(|(line, style)| {
            text::wrap(line, room.min(64)).into_iter().map(|piece| (piece, *style))
        })
        .collect();
    let top = area.height.saturating_sub(to_u16(wrapped.len())) / 3;
    for (at, (line, style)) in wrapped.iter().enumerate() {
        let at = top.saturating_add(to_u16(at));
        if at < area.height {
            centred(canvas, row(area, at), &[span(line.as_str(), *style)]);
        }
    }
}
