//! The memory screen: items, and the one that is read.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::memory::MemoryItem;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::app::memory::MemorySort;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span};
use super::loops::{bar, highlighted};
use super::{SIDE_BY_SIDE, card};

/// Draws the screen.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    if area.width < SIDE_BY_SIDE {
        if app.memory.in_text && app.memory.selected().is_some() {
            item(app, canvas, area);
        } else {
            list(app, canvas, area);
        }
        return;
    }
    let left = (area.width * 54 / 100).clamp(48, 100);
    list(app, canvas, Rect { width: left, ..area });
    item(app, canvas, Rect { x: area.x + left, width: area.width - left, ..area });
}

fn list(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Memory;
    let style = if focused { theme.accent } else { theme.title };
    let (shown, all) = (app.memory.visible.len(), app.memory.all.len());
    let count = if shown == all { format!(" {all}") } else { format!(" {shown} of {all}") };
    let title = [span("Memory", style), span(count, theme.muted)];
    let right = right(app, canvas);
    let inner = canvas.frame_around(area, &title, &right, focused);
    if shown == 0 {
        canvas.layout.pane(Context::Memory, inner, 0);
        empty(app, canvas, inner);
        return;
    }
    let mut cursor = app.memory.cursor;
    let by_category = app.memory.sort == MemorySort::Category && app.memory.finder.is_empty();
    canvas.rows(Context::Memory, inner, &mut cursor, (shown, 1), |canvas, area, at, chosen| {
        let Some(item) = app.memory.row(at) else { return };
        let above = at.checked_sub(1).and_then(|at| app.memory.row(at));
        let first = above.is_none_or(|above| above.category != item.category);
        let names_category = !by_category || first || area.y == inner.y;
        entry(app, canvas, area, item, names_category, (chosen, focused));
    });
    app.memory.cursor = cursor;
}

fn right(app: &App, canvas: &Canvas<'_, '_>) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    if !app.memory.finder.is_empty() {
        let words = text::truncate(app.memory.finder.words(), 16).into_owned();
        return vec![span(format!("/{words}"), theme.warn)];
    }
    if !app.memory.categories.is_empty() {
        let names: Vec<String> = app.memory.categories.iter().map(ToString::to_string).collect();
        let names = text::truncate(&names.join(", "), 24).into_owned();
        return vec![span(names, theme.warn)];
    }
    vec![span(app.memory.sort.label(), theme.muted)]
}

fn entry(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    item: &MemoryItem,
    names_category: bool,
    (chosen, focused): (bool, bool),
) {
    let theme = canvas.theme;
    let style = theme.row(chosen, focused, theme.text);
    let category = if names_category { item.category.to_string() } else { String::new() };
    let mut left = vec![
        bar(canvas, chosen, focused),
        span(format!("{}  ", text::pad(&category, 14)), theme.muted),
    ];
    left.extend(highlighted(app, &item.title, style, theme.matched));
    let age = text::age(app.now(), item.created_at);
    canvas.put_both(indent(area, 0, 1), &left, &[span(age, theme.muted)]);
}

fn empty(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    if !app.memory.loaded {
        return;
    }
    if !app.memory.all.is_empty() {
        let lines =
            [("no item fits", theme.title), ("Esc clears the filter, f the facets", theme.muted)];
        card::note(canvas, area, &lines);
        return;
    }
    let importable = app.workspace().map(|w| w.importable.clone()).unwrap_or_default();
    let found = importable
        .iter()
        .map(|path| {
            let root = app.workspace().map(|w| w.root.as_path()).unwrap_or(path);
            path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
        })
        .collect::<Vec<_>>()
        .join(", ");
    let found = if found.is_empty() { String::new() } else { format!("found here: {found}") };
    card::note(
        canvas,
        area,
        &[
            ("no memory yet", theme.title),
            ("", theme.text),
            (
                "Decisions, traps, constraints: what briefs are made of. Without it a critique has no adversary.",
                theme.text,
            ),
            ("", theme.text),
            ("I imports decision records, CLAUDE.md, AGENTS.md, Markdown, JSON", theme.text),
            ("a files an item by hand", theme.text),
            ("", theme.text),
            (&found, theme.muted),
        ],
    );
}

fn item(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::MemoryText;
    let Some(item) = app.memory.selected().cloned() else {
        canvas.frame_around(area, &[], &[], false);
        return;
    };
    let style = if focused { theme.accent } else { theme.title };
    let title = [span(item.title.clone(), style)];
    let inner = canvas.frame_around(area, &title, &[], focused);
    let body = indent(inner, 1, 1);
    let mut y = 0;
    for line in facts(app, &item) {
        canvas.put(row(body, y), &[span(line, theme.muted)]);
        y += 1;
    }
    let text_area = below(body, y + 1);
    let Some(text) = app.memory.text().cloned() else { return };
    let lines = text.lines(usize::from(text_area.width));
    let mut cursor = app.memory.scroll;
    canvas.scrolled(
        Context::MemoryText,
        text_area,
        &mut cursor,
        lines.len(),
        |canvas, area, at| {
            if let Some(line) = lines.get(at) {
                let style = if line.starts_with('#') { theme.title } else { theme.text };
                canvas.put(area, &[span(line.as_str(), style)]);
            }
        },
    );
    app.memory.scroll = cursor;
}

fn facts(app: &App, item: &MemoryItem) -> Vec<String> {
    let age = text::age(app.now(), item.created_at);
    let age = if age == "now" { "just now".to_owned() } else { format!("{age} ago") };
    let mut out = vec![format!("{} · {} · {age}", item.id, item.category)];
    if !item.tags.is_empty() {
        out.push(format!("tags {}", item.tags.join(", ")));
    }
    if !item.paths.is_empty() {
        out.push(format!("about {}", item.paths.join(", ")));
    }
    if let Some(source) = &item.source {
        out.push(format!("from {source}"));
    }
    out
}
