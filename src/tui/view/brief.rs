//! What the slot would read, with the memory items ranked beside it.

use ratatui::layout::Rect;

use crate::engine::{Brief, RankedItem};
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span};
use super::card;

/// From this width on the ranked items stand beside the text.
const BESIDE: u16 = 90;

/// Draws the tab into an area whose left and right edges are the frame's.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Brief;
    let Some(view) = app.detail.brief.as_ref() else {
        canvas.divider(row(area, 0), &[], &[], focused);
        canvas.layout.pane(Context::Brief, below(area, 1), 0);
        card::note(canvas, below(area, 1), &[("the brief is being put together …", theme.muted)]);
        return;
    };
    let brief = match &view.result {
        Ok(brief) => brief,
        Err(error) => {
            canvas.divider(row(area, 0), &[], &[], focused);
            canvas.layout.pane(Context::Brief, below(area, 1), 0);
            card::note(
                canvas,
                below(area, 1),
                &[("there is no brief", theme.bad), (error.message(), theme.text)],
            );
            return;
        }
    };
    let facts = facts(brief);
    canvas.divider(row(area, 0), &[span(facts, theme.muted)], &[], focused);
    let mut body = below(area, 1);
    for warning in &brief.warnings {
        let said = format!("{} {warning}", theme.symbols.warning);
        let used = canvas.paragraph(indent(body, 2, 2), &said, theme.warn);
        body = below(body, used);
    }
    let side = if area.width >= BESIDE { (area.width / 3).clamp(34, 56) } else { 0 };
    let text_area = Rect { width: area.width - side, ..body };
    let lines = view.text.lines(usize::from(text_area.width.saturating_sub(4)));
    let mut cursor = app.detail.brief_scroll;
    let place = indent(text_area, 2, 2);
    canvas.scrolled(Context::Brief, place, &mut cursor, lines.len(), |canvas, area, at| {
        if let Some(line) = lines.get(at) {
            let style = heading_style(canvas, line);
            canvas.put(area, &[span(line.as_str(), style)]);
        }
    });
    if side > 0 {
        let x = area.x + text_area.width;
        canvas.upright(x, area.y, area.bottom(), false);
        let side_area = Rect { x, width: side, ..body };
        items(canvas, indent(side_area, 2, 2), brief);
    }
    app.detail.brief_scroll = cursor;
}

fn facts(brief: &Brief) -> String {
    let mut out = format!("{} characters", text::number(brief.chars as u64));
    out.push_str(&format!(" · {} memory items", brief.included_items));
    if brief.dropped_items > 0 {
        out.push_str(&format!(" · {} dropped by the cap", brief.dropped_items));
    }
    out
}

fn heading_style(canvas: &Canvas<'_, '_>, line: &str) -> ratatui::style::Style {
    match line {
        l if l.starts_with("# ") || l.starts_with("## ") => canvas.theme.accent,
        l if l.starts_with("### ") => canvas.theme.title,
        _ => canvas.theme.text,
    }
}

/// The memory items, by category and rank: score, title, what matched.
fn items(canvas: &mut Canvas<'_, '_>, area: Rect, brief: &Brief) {
    let theme = canvas.theme;
    if brief.items.is_empty() {
        canvas.paragraph(area, "no memory item is in it", theme.muted);
        return;
    }
    let mut y = 0;
    let mut category = None;
    for item in &brief.items {
        if category != Some(item.category) {
            category = Some(item.category);
            if y > 0 {
                y += 1;
            }
            canvas.put(row(area, y), &[span(item.category.to_string(), theme.title)]);
            y += 1;
        }
        if y >= area.height {
            return;
        }
        ranked(canvas, row(area, y), item);
        y += 1;
        if !item.matched_terms.is_empty() && y < area.height {
            let terms = item.matched_terms.join(" ");
            canvas.put(indent(row(area, y), 7, 0), &[span(terms, theme.muted)]);
            y += 1;
        }
    }
}

fn ranked(canvas: &mut Canvas<'_, '_>, area: Rect, item: &RankedItem) {
    let theme = canvas.theme;
    let score = if item.score > 0.0 { format!("{:>5.1}", item.score) } else { "  new".to_owned() };
    let (mark, style) = if item.included {
        (theme.symbols.bullet, theme.text)
    } else {
        (theme.symbols.cancelled, theme.muted)
    };
    let title = if item.title.is_empty() { item.id.to_string() } else { item.title.clone() };
    canvas.put(
        area,
        &[span(score, theme.muted), span(format!(" {mark} "), style), span(title, style)],
    );
}
