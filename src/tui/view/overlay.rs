//! What lies over the screen.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::style::Style;

use crate::tui::action::{Group, Spec, actions};
use crate::tui::app::App;
use crate::tui::app::overlay::{AdvancePreview, Confirm, Overlay, Search, Viewed, Viewer};
use crate::tui::form::Form;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::layout::Target;
use super::menu;
use super::{artifacts, gate, looks, rounds, run, undo, why, workers};

/// Draws what is on top.
pub(super) fn draw(app: &mut App, overlay: &mut Overlay, canvas: &mut Canvas<'_, '_>, body: Rect) {
    canvas.paint(body, Style::new().add_modifier(Modifier::DIM));
    match overlay {
        Overlay::Help(search) => help(app, search, canvas, body),
        Overlay::Palette(search) => menu::palette(app, search, canvas, body),
        Overlay::Viewer(viewer) => view(app, viewer, canvas, body),
        Overlay::Preview(preview) => advance(preview, canvas, body),
        Overlay::Found(finding) => menu::found(finding, canvas, body),
        Overlay::Undo(preview) => undo::preview(app, preview, canvas, body),
        Overlay::Confirm(confirm) => question(confirm, canvas, body),
        Overlay::Facets(cursor) => menu::facets(app, cursor, canvas, body),
        Overlay::Workers(cursor) => workers::draw(app, cursor, canvas, body),
        Overlay::Themes(menu) => looks::themes(app, menu, canvas, body),
        Overlay::CommandLog(cursor) => menu::command_log(app, cursor, canvas, body),
        Overlay::Form(_) => {}
    }
}

/// Draws a form; it has the whole screen to place itself in.
pub(super) fn form(form: &mut Form, canvas: &mut Canvas<'_, '_>, area: Rect) {
    canvas.paint(area, Style::new().add_modifier(Modifier::DIM));
    canvas.layout.begin_overlay(area);
    let theme = canvas.theme;
    form.render(canvas.frame, area, theme);
}

/// A frame in the middle of an area, emptied; what is inside.
pub(super) fn panel(
    canvas: &mut Canvas<'_, '_>,
    body: Rect,
    (wide, high): (u16, u16),
    title: &str,
    right: &str,
) -> Rect {
    let wide = wide.min(body.width.saturating_sub(4));
    let high = high.min(body.height.saturating_sub(2));
    let area = Rect {
        x: body.x + (body.width - wide) / 2,
        y: body.y + (body.height - high) / 3,
        width: wide,
        height: high,
    };
    canvas.clear(area);
    canvas.layout.begin_overlay(area);
    let theme = canvas.theme;
    canvas.frame_around(area, &[span(title, theme.accent)], &[span(right, theme.muted)], true)
}

fn help(app: &App, search: &mut Search, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let rows = app.help_rows(search);
    let right = format!("{} of {}", rows.len(), actions().count());
    let inner = panel(canvas, body, (92, body.height), "Help: every action and its keys", &right);
    if search.typing {
        menu::search_line(canvas, row(inner, 0), search, "words of what it does");
    } else {
        let hint = [span("/", theme.key), span(" searches", theme.muted)];
        canvas.put(indent(row(inner, 0), 1, 1), &hint);
    }
    let rest = indent(below(inner, 2), 1, 1);
    // What a row may have cut is said in full below.
    let list = Rect { height: rest.height.saturating_sub(3), ..rest };
    let headed = search.line.text.is_empty();
    let chosen = search.cursor.index.min(rows.len().saturating_sub(1));
    let lines = help_lines(&rows, headed);
    let at = lines.iter().position(|l| matches!(l, HelpLine::Row(i) if *i == chosen)).unwrap_or(0);
    if let Some(spec) = rows.get(chosen) {
        let said = below(rest, list.height + 1);
        canvas.paragraph(said, spec.help, theme.text);
    }
    let mut scroll = crate::tui::app::cursor::Cursor { index: at, offset: search.cursor.offset };
    scroll.show(lines.len(), usize::from(list.height));
    search.cursor.offset = scroll.offset;
    canvas.layout.overlay_view = usize::from(list.height);
    canvas.layout.overlay_lines = lines.len();
    for (y, line) in lines.iter().skip(scroll.offset).take(usize::from(list.height)).enumerate() {
        let area = row(list, to_u16(y));
        match line {
            HelpLine::Gap => {}
            HelpLine::Heading(group) => {
                let name: &str = (*group).into();
                canvas.put(area, &[span(name, theme.title)]);
            }
            HelpLine::Row(at) => {
                if let Some(spec) = rows.get(*at) {
                    canvas.layout.target(area, Target::OverlayRow(*at));
                    help_row(app, canvas, area, spec, *at == chosen);
                }
            }
        }
    }
}

enum HelpLine {
    Gap,
    Heading(Group),
    Row(usize),
}

fn help_lines(rows: &[&'static Spec], headed: bool) -> Vec<HelpLine> {
    let mut out = Vec::new();
    let mut group = None;
    for (at, spec) in rows.iter().enumerate() {
        if headed && group != Some(spec.group) {
            if group.is_some() {
                out.push(HelpLine::Gap);
            }
            out.push(HelpLine::Heading(spec.group));
            group = Some(spec.group);
        }
        out.push(HelpLine::Row(at));
    }
    out
}

fn help_row(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, spec: &'static Spec, on: bool) {
    let theme = canvas.theme;
    let able = app.available(spec.action);
    let keys = menu::keys_in_words(app.keys(), spec);
    let style = if on { theme.current } else { theme.text };
    let bar = if on { theme.symbols.bar } else { " " };
    let help = match &able {
        Ok(()) => span(spec.help, style),
        Err(reason) => span(format!("{} Not now: {reason}.", spec.help), theme.disabled),
    };
    canvas.put(
        area,
        &[
            span(bar, theme.current),
            span(text::pad(&keys, 17), if able.is_ok() { theme.key } else { theme.disabled }),
            help,
        ],
    );
}

fn view(app: &mut App, viewer: &mut Viewer, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let inner = panel(canvas, body, (110, body.height), &viewer.title, "");
    let area = indent(inner, 2, 2);
    let lines = viewed_lines(app, viewer, canvas, area.width);
    canvas.layout.overlay_view = usize::from(area.height);
    canvas.layout.overlay_lines = lines.len();
    let last = lines.len().saturating_sub(usize::from(area.height));
    if matches!(viewer.viewed, Viewed::Run) && app.run.as_ref().is_some_and(|run| run.follow) {
        viewer.scroll.offset = last;
    }
    viewer.scroll.offset = viewer.scroll.offset.min(last);
    let shown = lines.iter().skip(viewer.scroll.offset).take(usize::from(area.height));
    for (y, line) in shown.enumerate() {
        canvas.put(row(area, to_u16(y)), line);
    }
    if last > 0 {
        let place = format!(
            " {}-{} of {} ",
            viewer.scroll.offset + 1,
            (viewer.scroll.offset + usize::from(area.height)).min(lines.len()),
            lines.len()
        );
        let edge = Rect { y: inner.bottom(), height: 1, ..inner };
        canvas.put_right(indent(edge, 1, 1), &[span(place, theme.muted)]);
    }
}

fn viewed_lines(
    app: &App,
    viewer: &Viewer,
    canvas: &Canvas<'_, '_>,
    wide: u16,
) -> Vec<gate::Pieces> {
    let theme = canvas.theme;
    let plain = |lines: &[String]| -> Vec<gate::Pieces> {
        lines.iter().map(|line| vec![span(line.clone(), theme.text)]).collect()
    };
    match &viewer.viewed {
        Viewed::Why => why::lines(app, canvas, wide),
        Viewed::Run => run::lines(app, theme),
        Viewed::Rounds => rounds::lines(app, canvas, wide),
        Viewed::Text(text) => plain(&text.lines(usize::from(wide))),
        Viewed::Artifact(_, id) => {
            let head = app.detail.data().and_then(|data| data.state.artifact(id.as_str()).cloned());
            let is_diff = head.as_ref().is_some_and(|a| &*a.artifact_type == "file_diff");
            let mut out = head.map(|a| artifacts::facts(app, canvas, &a)).unwrap_or_default();
            match app.detail.body(id) {
                Some(Ok(text)) if is_diff => {
                    let lines = text.lines(usize::from(wide));
                    out.extend(lines.iter().map(|line| vec![run::diff_line(line, theme)]));
                }
                Some(Ok(text)) => out.extend(plain(&text.lines(usize::from(wide)))),
                Some(Err(error)) => {
                    let lines = text::wrap(error.message(), usize::from(wide));
                    out.extend(lines.into_iter().map(|line| vec![span(line, theme.bad)]));
                }
                None => out.push(vec![span("reading …", theme.muted)]),
            }
            out
        }
    }
}

fn advance(preview: &AdvancePreview, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let wraps: usize = preview.warnings.iter().map(|w| text::wrap(w, 58).len()).sum();
    let high = 9 + to_u16(wraps) + u16::from(preview.moved);
    let inner = panel(canvas, body, (66, high), "Advance", &preview.title);
    let area = indent(inner, 2, 2);
    let would = &preview.would;
    let mut y = 1;
    if preview.moved {
        canvas.put(row(area, 0), &[span("the loop has moved since you looked", theme.warn)]);
    }
    let arrow = format!(" {} ", theme.symbols.arrow);
    let rounds = preview.rounds.as_ref().map(|r| format!(", {r}")).unwrap_or_default();
    let goes = [
        span(preview.from.clone(), theme.text),
        span(arrow, theme.muted),
        span(would.target.clone(), theme.accent),
        span(rounds, theme.text),
    ];
    canvas.put(row(area, y), &goes);
    y += 1;
    let why = gate::because(&would.reason).trim_start_matches(": ");
    if !why.is_empty() {
        y += canvas.paragraph(below(area, y), why, theme.muted);
    }
    if let Some(status) = would.closes {
        let (symbol, style) = theme.status(status);
        canvas.put(row(area, y), &[span(format!("{symbol} closes the loop: {status}"), style)]);
        y += 1;
    }
    for warning in &preview.warnings {
        let said = format!("{} {warning}", theme.symbols.warning);
        y += canvas.paragraph(below(area, y), &said, theme.warn);
    }
    let keys = [
        span("Enter", theme.key),
        span(" goes there   ", theme.text),
        span("Esc", theme.key),
        span(" stays", theme.text),
    ];
    canvas.put(row(area, area.height.saturating_sub(2).max(y)), &keys);
}

fn question(confirm: &Confirm, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let inner = panel(canvas, body, (66, 9), "Sure?", "");
    let area = indent(inner, 2, 2);
    let mut y = 1;
    y += canvas.paragraph(below(area, y), &confirm.question, theme.title);
    canvas.paragraph(below(area, y), &confirm.consequence, theme.text);
    let keys = [
        span("y", theme.key),
        span(" yes   ", theme.text),
        span("Esc", theme.key),
        span(" no", theme.text),
    ];
    canvas.put(row(area, area.height.saturating_sub(2)), &keys);
}
