//! The rail: the phases in order, the cycle as a bracket with its round, gates
//! as marks on the edges.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::model::Loop;
use crate::core::loops::protocol::Phase;
use crate::core::loops::rounds::round_of;
use crate::tui::msg::DetailData;
use crate::tui::theme::{Glyphs, Theme};

use super::canvas::{Canvas, below, row, span, spans_width};

/// From this height on a rail may take two rows before phases are folded away.
const ROOMY: u16 = 20;

/// How the edges between phases are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Edges {
    Wide,
    Tight,
}

/// Draws the rail; how many rows it took. Where it does not fit, its edges grow
/// shorter, then what lies behind folds into a number; the present phase and the way
/// ahead keep their names, on two rows where one is too short.
pub(super) fn draw(canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) -> u16 {
    let roomy = area.height > ROOMY;
    // A line of air above, where there is room for it.
    let at = u16::from(roomy);
    let behind = behind(&data.state);
    let theme = canvas.theme;
    let fits = |edges, from| Some(whole(theme, data, edges, from)).filter(|w| w.wide <= area.width);
    let two = |from| two_rows(theme, data, from, area.width).filter(|_| area.height > 4);
    let one = fits(Edges::Wide, 0).or_else(|| fits(Edges::Tight, 0));
    if one.is_none()
        && roomy
        && let Some(rows) = two(0)
    {
        return put_rows(canvas, below(area, at), &rows) + at;
    }
    if let Some(whole) = one.or_else(|| fits(Edges::Tight, behind)) {
        canvas.put(row(area, at), &whole.line);
        let Some((from, to, round)) = whole.bracket else { return at + 1 };
        bracket(canvas, row(area, at + 1), from, to, &round);
        return at + 2;
    }
    if let Some(rows) = two(0).or_else(|| two(behind)) {
        return put_rows(canvas, below(area, at), &rows) + at;
    }
    canvas.put(row(area, 0), &short(theme, data));
    1
}

fn put_rows(canvas: &mut Canvas<'_, '_>, area: Rect, rows: &[Vec<Span<'static>>; 2]) -> u16 {
    for (y, line) in (0..).zip(rows) {
        canvas.put(row(area, y), line);
    }
    2
}

/// How many phases lie behind for good: those before the present one, or before the
/// cycle that it is in.
fn behind(state: &Loop) -> usize {
    let now = state.protocol.position(&state.current_phase).unwrap_or(0);
    if !state.protocol.in_cycle(&state.current_phase) {
        return now;
    }
    state.protocol.phases.iter().position(|p| state.protocol.in_cycle(&p.name)).unwrap_or(now)
}

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

fn phase(theme: &Theme, state: &Loop, (at, phase): (usize, &Phase)) -> Vec<Span<'static>> {
    let name = phase.name.to_string();
    match stand(state, at) {
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
fn edge(theme: &Theme, data: &DetailData, at: usize, edges: Edges) -> Span<'static> {
    let state = &data.state;
    let gated = state.protocol.phases.get(at).is_some_and(|p| p.advance_gate.is_some());
    let (line, tip) = match theme.glyphs {
        Glyphs::Unicode => ("─", "▶"),
        Glyphs::Ascii => ("-", ">"),
    };
    let line = if edges == Edges::Wide { line } else { "" };
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

/// What stands for the phases that are folded away: how many they are.
fn folded(theme: &Theme, data: &DetailData, first: usize) -> Vec<Span<'static>> {
    if first == 0 {
        return Vec::new();
    }
    let done = format!("{} {first}", theme.symbols.completed);
    vec![span(done, theme.ok), edge(theme, data, first - 1, Edges::Tight)]
}

/// The rail in one row, from the phase `first` on.
fn whole(theme: &Theme, data: &DetailData, edges: Edges, first: usize) -> Whole {
    let state = &data.state;
    let protocol = &state.protocol;
    let mut line = folded(theme, data, first);
    let mut bracket = None;
    let mut from = 0;
    let in_cycle = |at: usize| protocol.phases.get(at).is_some_and(|p| protocol.in_cycle(&p.name));
    for (at, each) in protocol.phases.iter().enumerate().skip(first) {
        let inside = in_cycle(at);
        if inside && (at == 0 || !in_cycle(at - 1)) {
            from = spans_width(&line);
            line.push(span(corner(theme, Corner::TopLeft), theme.muted));
            line.push(Span::raw(" "));
        }
        line.extend(phase(theme, state, (at, each)));
        if bracketless(state, first) && stand(state, at) == Stand::Now {
            line.push(span(format!(" ({})", round(state)), theme.muted));
        }
        if inside && !in_cycle(at + 1) {
            line.push(Span::raw(" "));
            line.push(span(corner(theme, Corner::TopRight), theme.muted));
            bracket = Some((from, spans_width(&line)));
        }
        if at + 1 < protocol.phases.len() {
            line.push(edge(theme, data, at, edges));
        }
    }
    let wide = spans_width(&line);
    let bracket = bracket.map(|(from, to)| (from, to, round(state)));
    Whole { line, wide, bracket }
}

/// Whether a rail that begins with a phase has no bracket that would tell the round.
fn bracketless(state: &Loop, first: usize) -> bool {
    let ahead = state.protocol.phases.iter().skip(first);
    state.protocol.iteration.is_some()
        && !ahead.into_iter().any(|p| state.protocol.in_cycle(&p.name))
}

/// The rail from the phase `first` on in two rows, the cycle without its bracket; none
/// where that is not enough.
fn two_rows(
    theme: &Theme,
    data: &DetailData,
    first: usize,
    wide: u16,
) -> Option<[Vec<Span<'static>>; 2]> {
    let state = &data.state;
    let last = state.protocol.phases.len().saturating_sub(1);
    let mut rows = [folded(theme, data, first), vec![Span::raw("  ")]];
    let mut y = 0;
    for (at, each) in state.protocol.phases.iter().enumerate().skip(first) {
        let mut next = phase(theme, state, (at, each));
        if state.protocol.iteration.is_some() && stand(state, at) == Stand::Now {
            next.push(span(format!(" ({})", round(state)), theme.muted));
        }
        if at < last {
            next.push(edge(theme, data, at, Edges::Tight));
        }
        if spans_width(&rows[y]) + spans_width(&next) > wide {
            y += 1;
        }
        let fits = y < 2 && spans_width(&rows[y]) + spans_width(&next) <= wide;
        fits.then(|| rows[y].extend(next))?;
    }
    Some(rows)
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

/// The rail where nothing else fits: the present phase and the next, and how many lie
/// behind and ahead.
fn short(theme: &Theme, data: &DetailData) -> Vec<Span<'static>> {
    let state = &data.state;
    let phases = &state.protocol.phases;
    let now = state.protocol.position(&state.current_phase).unwrap_or(0);
    let mut out = folded(theme, data, now);
    if let Some(present) = phases.get(now) {
        out.extend(phase(theme, state, (now, present)));
    }
    if let Some(next) = phases.get(now + 1) {
        out.push(edge(theme, data, now, Edges::Tight));
        out.extend(phase(theme, state, (now + 1, next)));
    }
    let left = phases.len().saturating_sub(now + 2);
    if left > 0 {
        out.push(span(format!("  +{left}"), theme.muted));
    }
    out
}
