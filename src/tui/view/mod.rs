//! The picture: each part draws itself into the rectangle that it is given.

mod artifacts;
mod attempts;
mod brief;
mod canvas;
mod card;
mod coverage;
mod detail;
mod dreams;
mod events;
mod gate;
mod journal;
mod layout;
mod looks;
mod loops;
mod memory;
mod menu;
mod next;
mod overlay;
mod overview;
mod rail;
mod rounds;
mod run;
mod sessions;
mod shell;
mod slots;
mod time;
mod toasts;
mod tour;
mod undo;
mod welcome;
mod why;
mod workers;

pub use layout::{Layout, Target};

use ratatui::Frame;
use ratatui::layout::Rect;

use super::app::overlay::Overlay;
use super::app::{App, Screen, Start};
use canvas::Canvas;

/// The least size in which everything is usable: columns and rows.
pub const LEAST: (u16, u16) = (60, 18);
/// From this width on list and detail stand side by side.
pub const SIDE_BY_SIDE: u16 = 100;

/// Draws the deck.
pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let theme = app.theme.clone();
    let mut layout = Layout::default();
    let area = frame.area();
    let mut canvas = Canvas { frame, theme: &theme, layout: &mut layout };
    if area.width < LEAST.0 || area.height < LEAST.1 {
        card::too_small(&mut canvas, area);
    } else {
        draw_deck(app, &mut canvas, area);
    }
    theme.ground(canvas.frame.buffer_mut());
    app.layout = layout;
}

fn draw_deck(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    shell::header(app, canvas, canvas::row(area, 0));
    let footer = canvas::row(area, area.height - 1);
    let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
    let strip = tour::rows(app, body.width);
    let tour_area = Rect { y: body.bottom() - strip, height: strip, ..body };
    let body = Rect { height: body.height - strip, ..body };
    match app.start {
        Start::Ready(_) => match app.screen {
            Screen::Loops => draw_loops(app, canvas, body),
            Screen::Dreams => dreams::draw(app, canvas, body),
            Screen::Sessions => sessions::draw(app, canvas, body),
            Screen::Memory => memory::draw(app, canvas, body),
            Screen::Journal => events::draw(app, canvas, body),
        },
        Start::Opening => draw_loops(app, canvas, body),
        Start::NoWorkspace(_) | Start::Failed(_) => welcome::draw(app, canvas, body),
    }
    toasts::draw(app, canvas, body);
    shell::footer(app, canvas, footer);
    tour::point(app, canvas);
    draw_overlays(app, canvas, body, footer);
    tour::strip(app, canvas, tour_area);
    looks::followers(app, canvas, body);
}

fn draw_loops(app: &mut App, canvas: &mut Canvas<'_, '_>, body: Rect) {
    if body.width < SIDE_BY_SIDE {
        if app.in_detail && app.selected_loop().is_some() {
            detail::draw(app, canvas, body);
        } else {
            loops::draw(app, canvas, body);
        }
        return;
    }
    let list = (body.width * 32 / 100).clamp(30, 48);
    loops::draw(app, canvas, Rect { width: list, ..body });
    let rest = Rect { x: body.x + list, width: body.width - list, ..body };
    detail::draw(app, canvas, rest);
}

fn draw_overlays(app: &mut App, canvas: &mut Canvas<'_, '_>, body: Rect, footer: Rect) {
    // Only the topmost is drawn whole: what lies under it is under the screen's shade.
    let Some(mut top) = app.overlays.pop() else { return };
    if let Overlay::Form(form) = &mut top {
        let area = if app.tour.is_some() { body } else { body.union(footer) };
        overlay::form(form, canvas, area);
    } else {
        overlay::draw(app, &mut top, canvas, body);
    }
    app.overlays.push(top);
}
