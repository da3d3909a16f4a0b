//! The slots: who plays which role, and where their turns stand.

use ratatui::layout::Rect;

use crate::core::loops::model::{Actor, Slot, SlotStatus};
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::msg::DetailData;
use crate::tui::widget::text;

use super::canvas::{Canvas, span};
use super::gate::Pieces;

/// One line a slot, one more for a live turn.
pub(super) fn lines(
    app: &App,
    canvas: &Canvas<'_, '_>,
    data: &DetailData,
    wide: u16,
) -> Vec<Pieces> {
    let widest = |f: &dyn Fn(&Slot) -> usize, most: usize| {
        data.state.slots.iter().map(f).max().unwrap_or(0).min(most)
    };
    let role_wide = widest(&|s| text::width(&s.role), 14);
    let who_wide = widest(&|s| text::width(&who(s)), 12);
    let mut out = Vec::new();
    for slot in &data.state.slots {
        out.push(line(app, canvas, slot, (role_wide, who_wide)));
    }
    debug_assert!(wide == 0 || !out.is_empty() || data.state.slots.is_empty());
    out
}

fn who(slot: &Slot) -> String {
    match (&slot.agent, &slot.claimed_by) {
        (Some(agent), _) => agent.to_string(),
        (None, Some(Actor::Operator)) => "you".to_owned(),
        (None, Some(actor)) => actor.agent().map_or(actor.to_string(), ToString::to_string),
        (None, None) => "anyone".to_owned(),
    }
}

fn line(
    app: &App,
    canvas: &Canvas<'_, '_>,
    slot: &Slot,
    (role_wide, who_wide): (usize, usize),
) -> Pieces {
    let theme = canvas.theme;
    let (symbol, style) = theme.slot(slot.status);
    let word = match slot.status {
        SlotStatus::Open => "no turn yet".to_owned(),
        other => crate::tui::app::told_words(other.as_ref()),
    };
    let mut out = vec![
        span(format!("{symbol} "), style),
        span(text::pad(&slot.role, role_wide), theme.text),
        span(format!("  {}", text::pad(&who(slot), who_wide)), theme.muted),
        span(format!("  {word}"), style),
    ];
    if let Some(turn) = slot.live_turn() {
        let runs = text::duration(app.now().since(turn.started_at));
        out.push(span(format!("  {runs}"), theme.text));
    } else if let Some(turn) = slot.turns.last().filter(|_| slot.status != SlotStatus::Open) {
        if turn.empty {
            out.push(span("  nothing new", theme.muted));
        }
        if let Some(reason) = &turn.reason {
            out.push(span(format!("  {reason}"), theme.muted));
        }
    }
    out
}

/// Draws the lines of the pane.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, lines: &[Pieces]) {
    let mut cursor = app.detail.slots;
    if lines.is_empty() {
        let theme = canvas.theme;
        canvas.layout.pane(Context::Slots, area, 0);
        canvas.put(area, &[span("no slot", theme.muted)]);
        return;
    }
    canvas.scrolled(Context::Slots, area, &mut cursor, lines.len(), |canvas, area, at| {
        if let Some(line) = lines.get(at) {
            canvas.put(area, line);
        }
    });
    app.detail.slots = cursor;
}
