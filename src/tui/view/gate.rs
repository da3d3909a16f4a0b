//! The gate: its tree with dots, the reasons for what doesn't count, whom it
//! waits for, and what advance would do.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::condition::Condition;
use crate::core::loops::explain::{Ignored, Node};
use crate::core::loops::green::red_words;
use crate::core::loops::model::Loop;
use crate::core::loops::plain;
use crate::core::loops::refusal::Would;
use crate::core::loops::rounds::rounds_at;
use crate::core::text::plural;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::msg::DetailData;
use crate::tui::theme::Theme;
use crate::tui::widget::text;

use super::canvas::{Canvas, span};
use super::detail::pane_title;

/// More than this many are told as numbers, not dots.
const MOST_DOTS: u32 = 10;

/// A line made of pieces.
pub(super) type Pieces = Vec<Span<'static>>;

/// The title, with the state of the gate.
pub(super) fn title(app: &App, canvas: &Canvas<'_, '_>, data: &DetailData) -> Pieces {
    let theme = canvas.theme;
    let name = pane_title(app, canvas, Context::Gate, "Gate ");
    let slots_wait = !data.why.slots.met;
    let (word, style) = match &data.why.gate.tree {
        _ if data.state.status.is_closed() => ("passed", theme.muted),
        Some(_) if !data.why.gate.met => ("shut", theme.bad),
        _ if slots_wait => ("waits for a turn", theme.warn),
        Some(_) => ("open", theme.ok),
        None => ("none here", theme.muted),
    };
    vec![name, span(word, style)]
}

/// All that the pane says, one line a row, wrapped to a width.
pub(super) fn lines(canvas: &Canvas<'_, '_>, data: &DetailData, wide: u16) -> Vec<Pieces> {
    let theme = canvas.theme;
    let mut out = Vec::new();
    let condition = data.state.phase().and_then(|phase| phase.advance_gate.as_ref());
    if let Some(tree) = &data.why.gate.tree {
        node(theme, tree, condition, 0, wide, &mut out);
    }
    for waiting in &data.why.slots.waiting {
        wrapped(theme.symbols.unmet, theme.bad, &waiting.text, theme.text, 0, wide, &mut out);
    }
    for miss in &data.why.near_misses {
        wrapped(theme.symbols.warning, theme.warn, miss, theme.text, 0, wide, &mut out);
    }
    what_if(theme, data, wide, &mut out);
    out
}

/// What advance would do, and what ends the loop.
fn what_if(theme: &Theme, data: &DetailData, wide: u16, out: &mut Vec<Pieces>) {
    let why = &data.why;
    if !data.state.status.is_closed() {
        let said = match (&why.would, &why.refusal) {
            (Some(would), _) => Some((would_in_words(&data.state, would), theme.ok)),
            (None, Some(refusal)) if told_already(refusal.code) => None,
            (None, Some(refusal)) => Some((refusal.said().into_owned(), theme.warn)),
            (None, None) => None,
        };
        if let Some((said, style)) = said {
            wrapped(theme.symbols.ready, style, &said, style, 0, wide, out);
        }
    }
    if let Some(stop) = &data.state.protocol.stop_condition {
        let said = format!("the loop ends with {}", plain::condition(stop));
        wrapped(theme.symbols.bullet, theme.muted, &said, theme.muted, 0, wide, out);
    }
}

/// Refusals whose reason the tree shows already.
fn told_already(code: &str) -> bool {
    matches!(code, "gate_unmet" | "slots_pending")
}

/// Where an advance goes, in words.
pub(super) fn would_in_words(state: &Loop, would: &Would) -> String {
    match &would.closes {
        Some(status) => format!("advance would close the loop: {status}"),
        None => {
            let red = would.reason == "next_round" && red_words(state).is_some();
            let why = if red { ": the command is red" } else { because(&would.reason) };
            let rounds = rounds_at(&state.protocol, &would.target, would.iteration);
            let rounds = rounds.map(|rounds| format!(", {rounds}")).unwrap_or_default();
            format!("advance would go to {}{rounds}{why}", would.target)
        }
    }
}

/// Why it goes there, where that is not plain.
pub(super) fn because(reason: &str) -> &'static str {
    match reason {
        "next_round" => ": the next round",
        "saturation" => ": somebody looked and found nothing new",
        "exit_critic_signal" => ": a critic_signal ends the rounds",
        "exit_command_green" => ": the command is green",
        "exit_no_new_critique" => ": the round brought no critique",
        "max_iterations" => ": the last round is over",
        "request_changes" => ": a verdict asks for changes",
        _ => "",
    }
}

/// A line with a mark, wrapped under itself.
#[allow(clippy::too_many_arguments)] // A mark and a text, each with its style, and where.
fn wrapped(
    mark: &str,
    mark_style: ratatui::style::Style,
    said: &str,
    style: ratatui::style::Style,
    depth: u16,
    wide: u16,
    out: &mut Vec<Pieces>,
) {
    let indent = usize::from(depth) * 2;
    let room = usize::from(wide).saturating_sub(indent + 2).max(8);
    for (at, line) in text::wrap(said, room).into_iter().enumerate() {
        let head = if at == 0 { format!("{mark} ") } else { "  ".to_owned() };
        out.push(vec![span(" ".repeat(indent), style), span(head, mark_style), span(line, style)]);
    }
}

/// A condition and what was counted for it, with its parts below.
pub(super) fn node(
    theme: &Theme,
    node_: &Node,
    condition: Option<&Condition>,
    depth: u16,
    wide: u16,
    out: &mut Vec<Pieces>,
) {
    let (mark, style) = theme.met(node_.met);
    let said = condition.map_or_else(|| plain::reason(&node_.text), plain::condition);
    let text_style = if node_.met { theme.muted } else { theme.text };
    let mut line = vec![
        span("  ".repeat(usize::from(depth)), theme.text),
        span(format!("{mark} "), style),
        span(said, text_style),
    ];
    line.extend(dots(theme, node_));
    out.push(line);
    if !node_.met
        && node_.conditions.is_empty()
        && node_.needed.is_none()
        && node_.text.contains(" unmet: ")
    {
        wrapped(" ", theme.muted, &plain::reason(&node_.text), theme.muted, depth + 1, wide, out);
    }
    for (count, why) in grouped(&node_.ignored) {
        let said = not_counted(count, &why);
        wrapped(theme.symbols.bullet, theme.muted, &said, theme.muted, depth + 1, wide, out);
    }
    let children = condition.map(Condition::children).unwrap_or_default();
    for (at, child) in node_.conditions.iter().enumerate() {
        node(theme, child, children.get(at), depth + 1, wide, out);
    }
}

/// Counted and needed, as dots while they can be told at a glance.
fn dots(theme: &Theme, node: &Node) -> Pieces {
    let (Some(counted), Some(needed)) = (node.counted, node.needed) else { return Vec::new() };
    let full = if node.met { theme.ok } else { theme.accent };
    if needed == 0 || needed > MOST_DOTS {
        return vec![span(format!("  {counted} of {needed}"), full)];
    }
    let got = counted.min(needed) as usize;
    let missing = needed as usize - got;
    vec![
        span(format!("  {}", theme.symbols.dot_full.repeat(got)), full),
        span(theme.symbols.dot_empty.repeat(missing), theme.muted),
        span(format!("  {counted} of {needed}"), theme.muted),
    ]
}

/// What was looked at and not counted, by reason, in the order of first sight.
fn grouped(ignored: &[Ignored]) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for each in ignored {
        match out.iter_mut().find(|(_, why)| *why == each.why) {
            Some((count, _)) => *count += 1,
            None => out.push((1, each.why.clone())),
        }
    }
    out
}

fn not_counted(count: usize, why: &str) -> String {
    let verb = if count == 1 { "doesn't" } else { "don't" };
    let what = match why {
        "blank" => "blank".to_owned(),
        "duplicate" => plural(count, "duplicate", "duplicates"),
        "other_round" => "from another round".to_owned(),
        "other_phase" => "in another phase".to_owned(),
        "other_type" => "of another type".to_owned(),
        "narrated" => "narrated, not run".to_owned(),
        "stale_workspace" => "from before the files changed".to_owned(),
        other => other.replace('_', " "),
    };
    match why {
        "duplicate" => format!("{what}, {verb} count"),
        _ => format!("{count} {what}, {verb} count"),
    }
}

/// Draws the lines of the pane.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, lines: &[Pieces]) {
    let mut cursor = app.detail.gate;
    if lines.is_empty() {
        let theme = canvas.theme;
        canvas.layout.pane(Context::Gate, area, 0);
        canvas.put(area, &[span("nothing has to hold here", theme.muted)]);
        return;
    }
    canvas.scrolled(Context::Gate, area, &mut cursor, lines.len(), |canvas, area, at| {
        if let Some(line) = lines.get(at) {
            canvas.put(area, line);
        }
    });
    app.detail.gate = cursor;
}
