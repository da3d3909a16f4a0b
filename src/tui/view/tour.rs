//! The tour: a strip under the screen, and a mark on the pane that it points at.

use ratatui::layout::Rect;

use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::widget::text;

use super::canvas::{Canvas, indent, row, span, to_u16};
use super::layout::Target;

/// Rows of words that the strip holds at least and at most.
const WORDS: (u16, u16) = (2, 4);

/// Rows that the strip takes at a width: all that the tour says is read.
pub(super) fn rows(app: &App, wide: u16) -> u16 {
    let Some(says) = app.tour_says() else { return 0 };
    let lines = text::wrap(&says, usize::from(wide.saturating_sub(4))).len();
    to_u16(lines).clamp(WORDS.0, WORDS.1) + 2
}

/// The strip: what the tour says, how far it is, how to leave it.
pub(super) fn strip(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let (Some(tour), Some(says)) = (app.tour, app.tour_says()) else { return };
    let theme = canvas.theme;
    let (at, of) = tour.place();
    let leave = app.keys().any_key_in_words(Action::Tour);
    let right = [
        span(format!("{at} of {of}   "), theme.muted),
        span(leave, theme.key),
        span(" ends it", theme.hint),
    ];
    canvas.clear(area);
    let inner = canvas.frame_around(area, &[span("Tour", theme.accent)], &right, true);
    canvas.layout.target(area, Target::Overlay);
    let inner = indent(inner, 1, 1);
    let lines = text::wrap(&says, usize::from(inner.width));
    for (y, line) in lines.into_iter().take(usize::from(inner.height)).enumerate() {
        canvas.put(row(inner, to_u16(y)), &[span(line, theme.text)]);
    }
}

/// The pane that the tour points at, if it does.
pub(super) fn points_at(app: &App) -> Option<Context> {
    app.tour.and_then(|tour| tour.step())?.points_at
}

/// Marks the pane that the tour points at, on the edge above it.
pub(super) fn point(app: &App, canvas: &mut Canvas<'_, '_>) {
    let pointed = points_at(app).filter(|_| app.overlays.is_empty());
    let Some(area) = pointed.and_then(|pane| canvas.layout.area(pane)) else { return };
    let theme = canvas.theme;
    let mark = format!(" look here {} ", theme.symbols.down);
    let wide = to_u16(text::width(&mark)).min(area.width);
    let edge = Rect {
        x: area.right().saturating_sub(wide),
        y: area.y.saturating_sub(1),
        width: wide,
        height: 1,
    };
    canvas.put(edge, &[span(mark, theme.selected)]);
}
