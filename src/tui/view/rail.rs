//! The rail: the phases in order, the cycle as a bracket with its round, gates
//! as marks on the edges.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::model::Loop;
use crate::core::loops::protocol::Phase;
use crate::core::loops::rounds::round_of;
use crate::tui::msg::DetailData;
use crate::tui::theme::{Glyphs, Theme};
use crate::tui::widget::text;

use super::canvas::{Canvas, row, span, spans_width};

/// Draws the rail; how many rows it took.
pub(super) fn draw(canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) -> u16 {
    let fitting = NAMES
        .iter()
        .map(|most| whole(canvas.theme, data, *most))
        .find(|whole| whole.wide <= area.width);
    if let Some(whole) = fitting {
        // A line of air above, where there is room for it.
        let at = u16::from(area.height > 20);
        canvas.put(row(area, at), &whole.line);
        let Some((from, to, round)) = whole.bracket else { return at + 1 };
        bracket(canvas, row(area, at + 1), from, to, &round);
        return at + 2;
    }
    canvas.put(row(area, 0), &short(canvas.theme, data));
    1
}

/// How many cells the names of phases get, apart from the present one's: as
/// many as they need, or fewer where the rail would not fit.
const NAMES: [usize; 4] = [usize::MAX, 12, 8, 6];

struct Whole {
    line: Vec<Span<'static>>,
    wide: u16,
    bracket: Option<(u16, u16, String)>,
}

/// Where a phase stands to the present one.
#[derive(Clone, Copy, PartialEq)]
enum Stand {
    Done,
    Now,
    ToCome,
}

fn stand(state: &Loop, at: usize) -> Stand {
    let now = state.protocol.position(&state.current_phase).unwrap_or(0);
    match at.cmp(&now) {
        std::cmp::Ordering::Equal if state.status.is_closed() => Stand::Done,
        std::cmp::Ordering::Less => Stand::Done,
        std::cmp::Ordering::Equal => Stand::Now,
        std::cmp::Ordering::Greater => Stand::ToCome,
    }
}

fn phase(
    theme: &Theme,
    state: &Loop,
    (at, phase): (usize, &Phase),
    most: usize,
) -> Vec<Span<'static>> {
    let stand = stand(state, at);
    let most = if stand == Stand::Now { usize::MAX } else { most };
    let name = text::truncate_with(&phase.name, most, theme.symbols.ellipsis).into_owned();
    match stand {
        Stand::Done => {
            vec![span(format!("{} ", theme.symbols.completed), theme.ok), span(name, theme.text)]
        }
        Stand::Now => {
            vec![span(format!("{} ", theme.symbols.open), theme.accent), span(name, theme.accent)]
        }
        Stand::ToCome => vec![
            span(format!("{} ", theme.symbols.dot_empty), theme.muted),
            span(name, theme.muted),
        ],
    }
}

/// The edge behind a phase: an arrow, with a mark where a gate is.
fn edge(theme: &Theme, data: &DetailData, at: usize) -> Span<'static> {
    let state = &data.state;
    let gated = state.protocol.phases.get(at).is_some_and(|p| p.advance_gate.is_some());
    let (line, tip) = match theme.glyphs {
        Glyphs::Unicode => ("─", "▶"),
        Glyphs::Ascii => ("-", ">"),
    };
    match stand(state, at) {
        Stand::Now if gated => {
            let (mark, style) = theme.met(data.why.gate.met);
            span(format!(" {line}{mark}{tip} "), style)
        }
        _ if gated => {
            let mark = if theme.glyphs == Glyphs::Unicode { "◇" } else { "?" };
            span(format!(" {line}{mark}{tip} "), theme.muted)
        }
        _ => span(format!(" {line}{line}{tip} "), theme.muted),
    }
}

fn whole(theme: &Theme, data: &DetailData, most: usize) -> Whole {
    let state = &data.state;
    let protocol = &state.protocol;
    let mut line = Vec::new();
    let mut bracket = None;
    let mut from = 0;
    let in_cycle = |at: usize| protocol.phases.get(at).is_some_and(|p| protocol.in_cycle(&p.name));
    for (at, each) in protocol.phases.iter().enumerate() {
        let inside = in_cycle(at);
        if inside && (at == 0 || !in_cycle(at - 1)) {
            from = spans_width(&line);
            line.push(span(corner(theme, Corner::TopLeft), theme.muted));
            line.push(Span::raw(" "));
        }
        line.extend(phase(theme, state, (at, each), most));
        if inside && !in_cycle(at + 1) {
            line.push(Span::raw(" "));
            line.push(span(corner(theme, Corner::TopRight), theme.muted));
            bracket = Some((from, spans_width(&line)));
        }
        if at + 1 < protocol.phases.len() {
            line.push(edge(theme, data, at));
        }
    }
    let wide = spans_width(&line);
    let bracket = bracket.map(|(from, to)| (from, to, round(state)));
    Whole { line, wide, bracket }
}

/// The round in words, and whether it was cut short.
fn round(state: &Loop) -> String {
    let short = state.visits.last().is_some_and(|v| v.short);
    let short = if short { ", cut short" } else { "" };
    let before = || round_of(state.iteration_count, state.protocol.max_rounds());
    format!("{}{short}", state.rounds().unwrap_or_else(before))
}

enum Corner {
    TopLeft,
    TopRight,
    BottomLeft,
    BottomRight,
}

fn corner(theme: &Theme, corner: Corner) -> &'static str {
    let set = theme.borders();
    match corner {
        Corner::TopLeft => set.top_left,
        Corner::TopRight => set.top_right,
        Corner::BottomLeft => set.bottom_left,
        Corner::BottomRight => set.bottom_right,
    }
}

/// The lower half of the cycle's bracket, with the way back and the round.
fn bracket(canvas: &mut Canvas<'_, '_>, area: Rect, from: u16, to: u16, round: &str) {
    let theme = canvas.theme;
    let (line, back) = match theme.glyphs {
        Glyphs::Unicode => ("─", "◀"),
        Glyphs::Ascii => ("-", "<"),
    };
    let wide = usize::from(to.saturating_sub(from));
    let label = format!(" {round} ");
    let free = wide.saturating_sub(3 + label.chars().count());
    let (before, after) = (free / 2, free - free / 2);
    let spans = [
        span(corner(theme, Corner::BottomLeft), theme.muted),
        span(back, theme.muted),
        span(line.repeat(before), theme.muted),
        span(label, theme.text),
        span(line.repeat(after), theme.muted),
        span(corner(theme, Corner::BottomRight), theme.muted),
    ];
    canvas.put(super::canvas::indent(area, from, 0), &spans);
}

/// The rail where the whole does not fit: the present phase and its neighbours.
fn short(theme: &Theme, data: &DetailData) -> Vec<Span<'static>> {
    let state = &data.state;
    let phases = &state.protocol.phases;
    let now = state.protocol.position(&state.current_phase).unwrap_or(0);
    let mut out = Vec::new();
    if now > 0 {
        out.push(span(format!("{} {now} ", theme.symbols.completed), theme.ok));
        out.push(edge(theme, data, now - 1));
    }
    if let Some(present) = phases.get(now) {
        out.extend(phase(theme, state, (now, present), usize::MAX));
    }
    if state.protocol.max_rounds().is_some_and(|max| max > 1) {
        out.push(span(format!(" ({})", round(state)), theme.muted));
    }
    if let Some(next) = phases.get(now + 1) {
        out.push(edge(theme, data, now));
        out.extend(phase(theme, state, (now + 1, next), usize::MAX));
    }
    let left = phases.len().saturating_sub(now + 2);
    if left > 0 {
        out.push(span(format!("  +{left}"), theme.muted));
    }
    out
}
