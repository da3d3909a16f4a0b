//! The menu of themes, and the list of keys that may follow a prefix.

use ratatui::layout::Rect;

use crate::tui::app::App;
use crate::tui::app::looks::ThemeMenu;
use crate::tui::keymap::Sequence;
use crate::tui::widget::text;

use super::canvas::{Canvas, indent, row, span, to_u16};
use super::layout::Target;
use super::menu::rows;
use super::overlay::panel;

/// The themes; the chosen one is worn by the whole screen.
pub(super) fn themes(app: &App, menu: &mut ThemeMenu, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let theme = canvas.theme;
    let themes = &app.settings.themes;
    let inner = panel(canvas, body, (44, to_u16(themes.len()) + 2), "Theme", "");
    let area = indent(inner, 1, 1);
    rows(canvas, area, &mut menu.cursor, themes.len(), |canvas, area, at, chosen| {
        let Some(named) = themes.get(at) else { return };
        let style = if chosen { theme.current } else { theme.text };
        let bar = if chosen { theme.symbols.bar } else { " " };
        let was = if at == menu.before { "as it was" } else { "" };
        canvas.put_both(
            area,
            &[span(bar, theme.current), span(format!(" {}", named.name), style)],
            &[span(was, theme.muted)],
        );
    });
}

/// What may follow the keys that were pressed so far, at the lower left.
pub(super) fn followers(app: &App, canvas: &mut Canvas<'_, '_>, body: Rect) {
    let Some(context) = app.context().filter(|_| !app.typed.is_empty()) else { return };
    let theme = canvas.theme;
    let follow = app.keys().followers(context, &app.typed);
    let widest = follow.iter().map(|(_, action)| text::width(action.spec().name)).max();
    let keys = follow.iter().map(|(keys, _)| text::width(&keys.to_string())).max().unwrap_or(1);
    let room = usize::from(body.height.saturating_sub(2)).max(1);
    // Two columns, before anything is left out.
    let columns = if follow.len() > room { 2 } else { 1 };
    let lines = follow.len().div_ceil(columns).min(room);
    let column = to_u16(widest.unwrap_or(0) + keys + 6).clamp(22, 62);
    let wide = (column * to_u16(columns) + 2).min(body.width);
    let column = wide.saturating_sub(2) / to_u16(columns);
    let high = to_u16(lines) + 2;
    let area = Rect { x: body.x, y: body.bottom().saturating_sub(high), width: wide, height: high };
    canvas.clear(area);
    canvas.layout.begin_overlay(area);
    let title = Sequence::of(&app.typed).to_string();
    let inner =
        canvas.frame_around(area, &[span(title, theme.key)], &[span("then", theme.muted)], true);
    for (at, (sequence, action)) in follow.iter().take(lines * columns).enumerate() {
        let able = app.available(*action).is_ok();
        let (key_style, style) =
            if able { (theme.key, theme.text) } else { (theme.disabled, theme.disabled) };
        let x = inner.x + to_u16(at / lines) * column;
        let area = indent(row(Rect { x, width: column, ..inner }, to_u16(at % lines)), 1, 1);
        let pieces = [
            span(text::pad(&sequence.to_string(), keys + 2), key_style),
            span(action.spec().name, style),
        ];
        canvas.put(area, &pieces);
        canvas.layout.target(area, Target::Act(*action));
    }
}
