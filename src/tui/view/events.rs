//! The journal screen: what happened in all loops, newest first.

use ratatui::layout::Rect;

use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::widget::text;

use super::canvas::{Canvas, indent, span};
use super::card;
use super::journal::{moment, numbered, who, word_style};
use super::loops::{bar, highlighted};

/// Draws the screen.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let total = text::number(app.events.log.total as u64);
    let len = app.events.visible.len();
    let mut title = vec![span("Journal", theme.accent)];
    if app.events.loaded && app.events.log.total > 0 {
        let shown = text::number(len as u64);
        let count = if app.has_filter() || !app.events.only.is_empty() {
            format!(" {shown} of {total}")
        } else {
            format!(" {total}")
        };
        title.push(span(count, theme.muted));
    }
    let only: Vec<String> = app.events.only.iter().map(|facet| facet.label()).collect();
    let right = if !only.is_empty() {
        vec![span(format!("only {}  (f)", only.join(", ")), theme.warn)]
    } else if app.has_filter() {
        vec![span(format!("/{}", app.events.finder.words()), theme.warn)]
    } else {
        vec![span("newest first", theme.muted)]
    };
    let inner = canvas.frame_around(area, &title, &right, true);
    if len == 0 {
        canvas.layout.pane(Context::Events, inner, 0);
        if app.events.loaded {
            let lines = if app.has_filter() {
                [("no event matches", theme.title), ("Esc clears the filter", theme.muted)]
            } else {
                [("nothing happened yet", theme.title), ("o opens a loop", theme.muted)]
            };
            card::note(canvas, inner, &lines);
        }
        return;
    }
    let title_wide = usize::from(area.width / 4).clamp(14, 40);
    let largest = app.events.largest;
    let mut cursor = app.events.cursor;
    canvas.rows(Context::Events, inner, &mut cursor, (len, 1), |canvas, area, at, chosen| {
        let Some(entry) = app.events.row(at) else { return };
        let style = if chosen { theme.current } else { theme.text };
        let name = text::pad(&text::one_line(&entry.title), title_wide);
        let mut left = vec![
            bar(canvas, chosen, true),
            span(format!("{:<6}  ", moment(app.clock, entry.at)), theme.muted),
        ];
        left.extend(highlighted(app, &name, style, theme.matched));
        left.push(span(format!("  {}", text::pad(&entry.word, 11)), word_style(theme, entry.tone)));
        left.push(span(format!("  {}", entry.detail), theme.text));
        let number = numbered(entry.seq, largest);
        let right = [span(who(&entry.by), theme.muted), span(number, theme.muted)];
        canvas.put_both(indent(area, 0, 1), &left, &right);
    });
    app.events.cursor = cursor;
}
