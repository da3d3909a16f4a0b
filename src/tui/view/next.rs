//! What helps next: the steps that the engine names, each with its key.

use ratatui::layout::Rect;

use crate::tui::action::{Action, Context};
use crate::tui::app::{App, step_action};
use crate::tui::msg::DetailData;

use super::canvas::{Canvas, span};

/// What is said where no step is named: an advance, or nothing.
fn only_advance(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let theme = canvas.theme;
    let key = app.keys().key(Action::Advance, Context::Gate);
    let key = key.map(|key| key.to_string()).unwrap_or_default();
    match &data.why.would {
        Some(would) if !data.state.status.is_closed() => {
            let said = match would.closes {
                Some(status) => format!("advance: the loop is then {status}"),
                None => format!("advance to {}", would.target),
            };
            canvas.put(area, &[span(format!("{key}  "), theme.key), span(said, theme.text)]);
        }
        _ => {
            let said = if data.state.status.is_closed() { "it has ended" } else { "nothing" };
            canvas.put(area, &[span(said, theme.muted)]);
        }
    }
}

/// Draws the steps.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Next;
    let steps = &data.why.next_steps;
    if steps.is_empty() {
        canvas.layout.pane(Context::Next, area, 0);
        only_advance(app, canvas, area, data);
        return;
    }
    let keys = &app.settings.keys;
    let mut cursor = app.detail.next;
    canvas.rows(Context::Next, area, &mut cursor, (steps.len(), 1), |canvas, area, at, chosen| {
        let Some(step) = steps.get(at) else { return };
        let key = step_action(step).and_then(|action| keys.key(action, Context::Gate));
        let key = key.map_or_else(|| theme.symbols.opens.to_owned(), |key| key.to_string());
        let style = if chosen && focused { theme.current } else { theme.text };
        canvas.put(area, &[span(format!("{key}  "), theme.key), span(step.text.clone(), style)]);
        if chosen && focused {
            canvas.cell(area.x.saturating_sub(1), area.y, theme.symbols.bar, theme.current);
        }
    });
    app.detail.next = cursor;
}
