//! The newest events of a loop, newest first.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::core::time::Timestamp;
use crate::tui::action::Context;
use crate::tui::app::events::Tone;
use crate::tui::app::{App, event_detail, event_word};
use crate::tui::msg::{DetailData, ScreenClock};
use crate::tui::theme::Theme;
use crate::tui::widget::text;

use super::canvas::{Canvas, span};
use super::gate::Pieces;
use super::loops::bar;

/// How many events there are, where not all were read.
pub(super) fn extent(canvas: &Canvas<'_, '_>, data: &DetailData) -> Pieces {
    let word = if data.log.total == 1 { "event" } else { "events" };
    let count = text::number(data.log.total as u64);
    vec![span(format!("{count} {word}"), canvas.theme.muted)]
}

/// Draws the events.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let focused = app.pane() == Context::Journal;
    let entries = &data.log.entries;
    let len = entries.len();
    let theme = canvas.theme;
    if len == 0 {
        canvas.layout.pane(Context::Journal, area, 0);
        canvas.put(area, &[span(" nothing happened yet", theme.muted)]);
        return;
    }
    let largest = entries.last().map_or(0, |entry| entry.event.seq);
    let mut cursor = app.detail.journal;
    canvas.rows(Context::Journal, area, &mut cursor, (len, 1), |canvas, area, at, chosen| {
        let Some(entry) = entries.get(len - 1 - at) else { return };
        let event = &entry.event;
        let style = if chosen && focused { theme.current } else { theme.text };
        let left = [
            bar(canvas, chosen && focused, focused),
            span(format!("{:<6}", moment(app.clock, event.at)), theme.muted),
            span(
                format!("  {}", text::pad(event_word(&event.body), 10)),
                word_style(theme, Tone::of(&event.body)),
            ),
            span(format!("  {}", event_detail(&event.body)), style),
        ];
        let number = numbered(event.seq, largest);
        let right = [span(who(&event.by), theme.muted), span(number, theme.muted)];
        canvas.put_both(area, &left, &right);
    });
    app.detail.journal = cursor;
}

/// An event's number at the end of its row, as wide as the largest that stands below
/// or above it.
pub(super) fn numbered(seq: u64, largest: u64) -> String {
    let width = largest.to_string().len() + 1;
    format!("  {:>width$}", format!("#{seq}"))
}

/// Who did it, where it wasn't the person at the terminal.
pub(super) fn who(actor: &crate::core::loops::model::Actor) -> String {
    match actor.agent() {
        Some(agent) => agent.to_string(),
        None => String::new(),
    }
}

/// The style of an event's word.
pub(super) fn word_style(theme: &Theme, tone: Tone) -> Style {
    match tone {
        Tone::Refused => theme.bad,
        Tone::Doubtful => theme.warn,
        Tone::Onward => theme.ok,
        Tone::Plain => theme.text,
    }
}

/// When it was: the time of day today, else the day.
pub(super) fn moment(clock: ScreenClock, at: Timestamp) -> String {
    let (local, today) = (clock.zone.at(at), clock.zone.at(clock.now));
    if local.date() == today.date() {
        local.format("%H:%M").to_string()
    } else {
        local.format("%b %d").to_string()
    }
}
