//! Lists over the screen: palette, facets, command log.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::tui::action::Spec;
use crate::tui::app::App;
use crate::tui::app::cursor::Cursor;
use crate::tui::app::finder::Finder;
use crate::tui::app::found::Finding;
use crate::tui::app::overlay::Search;
use crate::tui::app::palette::PaletteRow;
use crate::tui::keymap::KeyMap;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::layout::Target;
use super::overlay::panel;

/// The line in which is typed.
pub(super) fn search_line(canvas: &mut Canvas<'_, '_>, area: Rect, search: &Search, hint: &str) {
    let theme = canvas.theme;
    let area = indent(area, 1, 1);
    let empty = search.line.text.is_empty();
    canvas.put(
        area,
        &[
            span("> ", theme.key),
            span(search.line.text.clone(), theme.title),
            span(" ", theme.selected),
            span(if empty { format!(" {hint}") } else { String::new() }, theme.muted),
        ],
    );
}

/// Draws rows of which one is chosen; `draw` gets the area, the number and
/// whether it is the chosen one.
pub(super) fn rows(
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    cursor: &mut Cursor,
    len: usize,
    mut draw: impl FnMut(&mut Canvas<'_, '_>, Rect, usize, bool),
) {
    let view = usize::from(area.height);
    cursor.show(len, view);
    canvas.layout.overlay_view = view;
    canvas.layout.overlay_lines = len;
    for at in cursor.offset..len.min(cursor.offset + view) {
        let place = row(area, to_u16(at - cursor.offset));
        canvas.layout.target(place, Target::OverlayRow(at));
        draw(canvas, place, at, at == cursor.index);
    }
}

/// The palette: what was typed, and the actions that it finds.
pub(super) fn palette(app: &App, search: &mut Search, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let found = app.palette_rows(search);
    let high = to_u16(found.len().clamp(3, 16)) + 5;
    let inner = panel(canvas, body, (76, high), "Palette", "");
    search_line(canvas, row(inner, 0), search, "what do you want to do?");
    let area = indent(below(inner, 2), 1, 1);
    if found.is_empty() {
        canvas.put(area, &[span("nothing is called so", theme.muted)]);
        return;
    }
    let finder = Finder::new(&search.line.text);
    rows(canvas, area, &mut search.cursor, found.len(), |canvas, area, at, chosen| {
        match found.get(at) {
            Some(PaletteRow::Step(step, action)) => {
                let Some(step) = app.next_steps().get(*step) else { return };
                let mark = canvas.theme.symbols.ready;
                let key = app.keys().any_key_in_words(*action);
                let right = [span("next  ", canvas.theme.muted), span(key, canvas.theme.key)];
                entry(canvas, area, (mark, &step.text), (&finder, &right), (true, chosen));
            }
            Some(PaletteRow::Action(spec, able)) => {
                let right = [match able {
                    Err(reason) => span(reason.clone(), canvas.theme.disabled),
                    Ok(()) => span(app.keys().any_key_in_words(spec.action), canvas.theme.key),
                }];
                entry(canvas, area, (" ", spec.name), (&finder, &right), (able.is_ok(), chosen));
            }
            None => {}
        }
    });
}

/// A row: its mark and name, what was found in it, what stands at its right, whether it
/// can act and is the chosen one.
fn entry(
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    (mark, name): (&str, &str),
    (finder, right): (&Finder, &[Span<'_>]),
    (able, chosen): (bool, bool),
) {
    let theme = canvas.theme;
    let style = match (able, chosen) {
        (false, _) => theme.disabled,
        (true, true) => theme.current,
        (true, false) => theme.text,
    };
    let bar = if chosen { theme.symbols.bar } else { " " };
    let mut left = vec![span(bar, theme.current), span(format!("{mark} "), theme.accent)];
    let positions = finder.positions(name);
    for (at, c) in name.chars().enumerate() {
        let met = u32::try_from(at).is_ok_and(|at| positions.binary_search(&at).is_ok());
        left.push(span(c.to_string(), if met && able { theme.matched } else { style }));
    }
    canvas.put_both(area, &left, right);
}

/// The keys of an action, as the help lists them.
pub(super) fn keys_in_words(keys: &KeyMap, spec: &Spec) -> String {
    let shown: Vec<String> =
        keys.keys(spec.action).iter().take(3).map(ToString::to_string).collect();
    if shown.is_empty() { ":".to_owned() } else { shown.join(" ") }
}

/// What is shown and what is left out.
pub(super) fn facets(app: &App, cursor: &mut Cursor, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let facets = app.facet_rows();
    let high = to_u16(facets.len()) + 2;
    let inner = panel(canvas, body, (52, high), "Show only", "");
    let area = indent(inner, 1, 1);
    rows(canvas, area, cursor, facets.len(), |canvas, area, at, chosen| {
        let Some(facet) = facets.get(at) else { return };
        let (mark, mark_style) = if facet.on {
            (theme.symbols.check_on, theme.accent)
        } else {
            (theme.symbols.check_off, theme.muted)
        };
        let style = if chosen { theme.current } else { theme.text };
        let bar = if chosen { theme.symbols.bar } else { " " };
        canvas.put_both(
            area,
            &[
                span(bar, theme.current),
                span(format!(" {mark} "), mark_style),
                span(facet.label.clone(), style),
            ],
            &[span(facet.count.to_string(), theme.muted)],
        );
    });
}

/// The command lines that would have done what was done here.
pub(super) fn command_log(app: &App, cursor: &mut Cursor, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let len = app.command_log.len();
    let high = to_u16(len.clamp(4, 24)) + 2;
    let title = "What you did here, as command lines";
    let inner = panel(canvas, body, (110, high), title, "");
    let area = indent(inner, 1, 1);
    if len == 0 {
        let said = "Nothing yet. Every change that you make here is shown as the command line that would have made it.";
        canvas.paragraph(area, said, theme.muted);
        return;
    }
    rows(canvas, area, cursor, len, |canvas, area, at, chosen| {
        let Some(logged) = app.command_log.get(at) else { return };
        let style = if chosen { theme.current } else { theme.text };
        let bar = if chosen { theme.symbols.bar } else { " " };
        let (mark, mark_style) = theme.met(logged.refused.is_none());
        let right = logged.refused.unwrap_or_default();
        canvas.put_both(
            area,
            &[
                span(bar, theme.current),
                span(format!("{mark} "), mark_style),
                span(text::one_line(&logged.command).into_owned(), style),
            ],
            &[span(right, theme.bad)],
        );
    });
}

/// What a search over artifacts found.
pub(super) fn found(finding: &mut Finding, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let len = finding.found.found.len();
    let total = finding.found.total;
    let right = if total > 0 { format!("{len} of {total}") } else { String::new() };
    let inner = panel(canvas, body, (110, body.height), "Search what artifacts say", &right);
    search_line(canvas, row(inner, 0), &finding.search, "words");
    let area = indent(below(inner, 2), 1, 1);
    if len == 0 {
        let typed = !finding.search.line.text.trim().is_empty();
        let said = match (typed, finding.waits) {
            (false, _) => "type what an artifact of any loop may say",
            (true, true) => "looking …",
            (true, false) => "no artifact says that",
        };
        canvas.put(area, &[span(said, theme.muted)]);
        return;
    }
    let list = &finding.found.found;
    rows(canvas, area, &mut finding.search.cursor, len, |canvas, area, at, chosen| {
        let Some(one) = list.get(at) else { return };
        let style = if chosen { theme.current } else { theme.text };
        let bar = if chosen { theme.symbols.bar } else { " " };
        let kind = text::pad(&one.artifact_type, 13);
        let title = text::truncate(&one.title, usize::from(area.width) / 3).into_owned();
        canvas.put_both(
            area,
            &[
                span(bar, theme.current),
                span(format!(" {kind} "), theme.muted),
                span(one.excerpt.clone(), style),
            ],
            &[span(title, theme.muted)],
        );
    });
}
