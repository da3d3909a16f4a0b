//! What an empty deck says: what a loop is, and how to begin.

use ratatui::layout::Rect;

use crate::tui::action::Context;
use crate::tui::app::{App, Start};
use crate::tui::widget::text;

use super::canvas::{Canvas, below, row, span, to_u16};
use super::card;

/// Draws the page outside a workspace, or for one that can't be opened.
pub(super) fn draw(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let inner = canvas.frame_around(area, &[], &[], true);
    canvas.layout.pane(Context::Start, inner, 0);
    let folder = text::one_line(&app.folder.to_string_lossy()).into_owned();
    match &app.start {
        Start::Failed(error) => {
            let message = error.message().to_owned();
            card::note(
                canvas,
                inner,
                &[
                    ("The workspace can't be opened", theme.bad),
                    ("", theme.text),
                    (&message, theme.text),
                    ("", theme.text),
                    ("Enter tries again, q quits", theme.muted),
                ],
            );
        }
        _ => offer(app, canvas, inner, &folder),
    }
}

/// Offers to make a workspace, or the demo.
fn offer(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, folder: &str) {
    let theme = canvas.theme;
    let (area, mut y) = block(area);
    canvas.put(row(area, y), &[span("loopdeck", theme.accent)]);
    y += 2;
    y = explain(canvas, area, y);
    let here = format!("There is no workspace in {folder} or above it.");
    y += canvas.paragraph(below(area, y), &here, theme.muted) + 1;
    let make = ("i", "makes one here: a .loopdeck folder, nothing else");
    let demo = ("d", "opens the demo, a filled workspace to look around in");
    let offers = [Some(make), app.has_demo.then_some(demo)];
    keys(canvas, area, y, offers.into_iter().flatten());
}

/// The column in the middle in which a page is written, and its first row.
fn block(area: Rect) -> (Rect, u16) {
    let wide = area.width.saturating_sub(6).min(70);
    let x = area.x + (area.width - wide) / 2;
    (Rect { x, width: wide, ..area }, area.height / 6)
}

/// Says what a loop is; the row after it and a gap.
fn explain(canvas: &mut Canvas<'_, '_>, area: Rect, mut y: u16) -> u16 {
    let style = canvas.theme.text;
    for line in what_a_loop_is() {
        y += canvas.paragraph(below(area, y), line, style);
    }
    y + 1
}

/// Lists keys and what they do; the row after them.
fn keys<'a>(
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    mut y: u16,
    keys: impl Iterator<Item = (&'a str, &'a str)>,
) -> u16 {
    let theme = canvas.theme;
    for (key, what) in keys {
        canvas.put(row(area, y), &[span(format!("  {key}  "), theme.key), span(what, theme.text)]);
        y += 1;
    }
    y
}

fn what_a_loop_is() -> [&'static str; 3] {
    [
        "- A loop is one thread of work that goes through phases: propose, criticise, revise, conclude.",
        "- A gate keeps a phase shut until what it asks for is there, and says what is missing.",
        "- Everything is kept in a journal, so you can always see how it came to be.",
    ]
}

/// Teaches a workspace without loops.
pub(super) fn teach(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let (area, mut y) = block(area);
    canvas.put(row(area, y), &[span("This workspace has no loop yet", theme.title)]);
    y = explain(canvas, area, y + 2);
    let known = [
        ("o", "opens the first loop"),
        ("I", "imports memory: decision records, CLAUDE.md, AGENTS.md"),
        ("?", "lists every key"),
    ];
    y = keys(canvas, area, y, known.into_iter()) + 1;
    canvas.put(
        row(area, y),
        &[
            span("To look around first, run ", theme.muted),
            span("loopdeck demo", theme.text),
            span(" in a shell.", theme.muted),
        ],
    );
    let importable = app.workspace().map(|w| w.importable.as_slice()).unwrap_or_default();
    if !importable.is_empty() {
        y += 2;
        canvas.put(row(area, y), &[span("Found here, to import:", theme.muted)]);
        for (at, path) in importable.iter().take(5).enumerate() {
            let root = app.workspace().map(|w| w.root.as_path()).unwrap_or(path);
            let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
            canvas.put(row(area, y + 1 + to_u16(at)), &[span(format!("  {path}"), theme.text)]);
        }
    }
}
