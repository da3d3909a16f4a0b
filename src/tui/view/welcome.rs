//! What an empty deck says: what a loop is, and how to begin.

use ratatui::layout::Rect;

use crate::tui::action::Context;
use crate::tui::app::{App, Start};
use crate::tui::widget::text;

use super::canvas::{Canvas, row, span, to_u16};
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
        _ => {
            let what = what_a_loop_is();
            let here = format!("There is no workspace in {folder} or above it.");
            let mut lines = vec![("loopdeck", theme.accent), ("", theme.text)];
            lines.extend(what.iter().map(|line| (*line, theme.text)));
            lines.push(("", theme.text));
            lines.push((here.as_str(), theme.muted));
            lines.push(("", theme.text));
            lines.push((
                "i or Enter   makes one here: a .loopdeck folder, nothing else",
                theme.title,
            ));
            if app.has_demo {
                lines.push((
                    "d   opens the demo, a filled workspace to look around in",
                    theme.title,
                ));
            }
            card::note(canvas, inner, &lines);
        }
    }
}

fn what_a_loop_is() -> [&'static str; 3] {
    [
        "A loop is one thread of work that goes through phases: propose, criticise, revise, conclude.",
        "A gate keeps a phase shut until what it asks for is there, and says what is missing.",
        "Everything is kept in a journal, so you can always see how it came to be.",
    ]
}

/// Teaches a workspace without loops.
pub(super) fn teach(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let wide = area.width.saturating_sub(6).min(72);
    let left = area.x + (area.width - wide) / 2;
    let area = Rect { x: left, width: wide, ..area };
    let mut y = area.height / 6;
    canvas.put(row(area, y), &[span("This workspace has no loop yet", theme.title)]);
    y += 2;
    for line in what_a_loop_is() {
        for piece in text::wrap(line, usize::from(wide)) {
            canvas.put(row(area, y), &[span(piece, theme.text)]);
            y += 1;
        }
    }
    y += 1;
    let demo = "loopdeck demo";
    let keys = [
        ("o", "opens the first loop"),
        ("I", "imports memory: decision records, CLAUDE.md, AGENTS.md"),
        ("?", "lists every key"),
    ];
    for (key, what) in keys {
        canvas.put(row(area, y), &[span(format!("  {key}  "), theme.key), span(what, theme.text)]);
        y += 1;
    }
    y += 1;
    canvas.put(
        row(area, y),
        &[
            span("To look around first, run ", theme.muted),
            span(demo, theme.text),
            span(" in a shell.", theme.muted),
        ],
    );
    let importable = app.workspace().map(|w| w.importable.as_slice()).unwrap_or_default();
    if !importable.is_empty() {
        y += 2;
        canvas.put(row(area, y), &[span("Found here, to import:", theme.muted)]);
        for (at, path) in importable.iter().take(5).enumerate() {
            let path = path.to_string_lossy().into_owned();
            canvas.put(row(area, y + 1 + to_u16(at)), &[span(format!("  {path}"), theme.text)]);
        }
    }
}
