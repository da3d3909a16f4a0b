//! Why a loop stands where it stands, in full.

use crate::core::loops::condition::Condition;
use crate::core::loops::explain::{Evaluated, Node};
use crate::core::loops::plain;
use crate::core::loops::rounds::rounds_at;
use crate::tui::action::Context;
use crate::tui::app::{App, step_action};

use super::canvas::{Canvas, span};
use super::gate::{self, Pieces};

/// All lines of the explanation at a width.
pub(super) fn lines(app: &App, canvas: &Canvas<'_, '_>, wide: u16) -> Vec<Pieces> {
    let theme = canvas.theme;
    let Some(data) = app.detail.data() else { return Vec::new() };
    let why = &data.why;
    let mut out = Vec::new();
    let place = match rounds_at(&data.state.protocol, &why.phase, why.iteration) {
        Some(rounds) => format!("{}, {rounds}", why.phase),
        None => why.phase.to_string(),
    };
    out.push(vec![span(place, theme.muted)]);
    // What to do comes before all that explains it.
    steps(app, canvas, &mut out);
    let gate = data.state.phase().and_then(|phase| phase.advance_gate.as_ref());
    condition(canvas, "Gate", &why.gate, gate, wide, &mut out);
    heading(canvas, "Slots", why.slots.met, &mut out);
    if why.slots.waiting.is_empty() {
        out.push(vec![span("  nothing to wait for", theme.muted)]);
    }
    for waiting in &why.slots.waiting {
        out.push(vec![span(format!("  {}", waiting.text), theme.text)]);
    }
    let stop = data.state.protocol.stop_condition.as_ref();
    condition(canvas, "Ends when", &why.stop, stop, wide, &mut out);
    if !why.near_misses.is_empty() {
        out.push(Vec::new());
        out.push(vec![span("Near misses", theme.title)]);
        for miss in &why.near_misses {
            out.push(vec![span(format!("  {miss}"), theme.text)]);
        }
    }
    out.push(Vec::new());
    out.push(vec![span("Advance", theme.title)]);
    match (&why.would, &why.refusal) {
        (Some(would), _) => {
            out.push(vec![span(
                format!("  {}", gate::would_in_words(&data.state, would)),
                theme.ok,
            )]);
        }
        // Why its gate is shut was said above.
        (None, Some(refusal)) if refusal.code == "gate_unmet" => {
            out.push(vec![span("  not yet: the gate is shut", theme.bad)]);
        }
        (None, Some(refusal)) => {
            out.push(vec![span(format!("  {}", refusal.said()), theme.bad)]);
        }
        (None, None) => out.push(vec![span("  nothing", theme.muted)]),
    }
    wrap_all(out, wide)
}

fn heading(canvas: &Canvas<'_, '_>, name: &str, met: bool, out: &mut Vec<Pieces>) {
    let (mark, style) = canvas.theme.met(met);
    out.push(Vec::new());
    out.push(vec![span(format!("{name} "), canvas.theme.title), span(mark, style)]);
}

fn condition(
    canvas: &Canvas<'_, '_>,
    name: &str,
    evaluated: &Evaluated,
    condition: Option<&Condition>,
    wide: u16,
    out: &mut Vec<Pieces>,
) {
    heading(canvas, name, evaluated.met, out);
    match &evaluated.tree {
        None => out.push(vec![span("  nothing has to hold", canvas.theme.muted)]),
        Some(tree) => {
            gate::node(canvas.theme, tree, condition, 1, wide, out);
            reasons(canvas, tree, name == "Gate", out);
        }
    }
}

/// The reasons as the evaluator gives them, and which artifacts count.
fn reasons(canvas: &Canvas<'_, '_>, node: &Node, whole_gate: bool, out: &mut Vec<Pieces>) {
    let theme = canvas.theme;
    if node.conditions.is_empty() {
        out.push(vec![span(format!("    {}", plain::node(node, whole_gate)), theme.muted)]);
    }
    if !node.counts.is_empty() {
        let ids: Vec<&str> = node.counts.iter().map(|id| id.as_str()).collect();
        out.push(vec![span(format!("    counts: {}", ids.join(", ")), theme.muted)]);
    }
    for ignored in &node.ignored {
        let said = format!("    {}: {}", ignored.artifact_id, ignored.why.replace('_', " "));
        out.push(vec![span(said, theme.muted)]);
    }
    for child in &node.conditions {
        reasons(canvas, child, false, out);
    }
}

fn steps(app: &App, canvas: &Canvas<'_, '_>, out: &mut Vec<Pieces>) {
    let theme = canvas.theme;
    if app.next_steps().is_empty() {
        return;
    }
    out.push(Vec::new());
    out.push(vec![span("What helps", theme.title)]);
    for step in app.next_steps() {
        let key = step_action(step).and_then(|action| app.keys().key(action, Context::Gate));
        let key = key.map_or_else(|| theme.symbols.opens.to_owned(), |key| key.to_string());
        out.push(vec![span(format!("  {key} "), theme.key), span(step.text.clone(), theme.text)]);
        out.push(vec![span(format!("      {}", step.command), theme.muted)]);
    }
}

/// Wraps what is too wide, with the style of its last piece.
fn wrap_all(lines: Vec<Pieces>, wide: u16) -> Vec<Pieces> {
    let mut out = Vec::new();
    for line in lines {
        if super::canvas::spans_width(&line) <= wide {
            out.push(line);
            continue;
        }
        let style = line.last().map(|piece| piece.style).unwrap_or_default();
        let whole: String = line.iter().map(|piece| piece.content.as_ref()).collect();
        let wrapped = crate::tui::widget::text::wrap(&whole, usize::from(wide));
        out.extend(wrapped.into_iter().map(|piece| vec![span(piece, style)]));
    }
    out
}
