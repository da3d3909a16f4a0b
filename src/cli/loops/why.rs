//! `loopdeck loop why`: why the gate is shut, and what would open it.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;

use super::reply::would_line;
use super::{show, view};
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::memory::problems;
use crate::cli::page::{Page, Span, Tone, gap, plain, span};
use crate::core::loops::explain::{Evaluated, Node, Why};
use crate::core::loops::model::Loop;
use crate::core::loops::plain as plainly;
use crate::core::loops::refusal::NextStep;

/// Dots are drawn for at most this many things that are counted.
const DOTS: u32 = 12;

/// Arguments of `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The loop
    id: String,
}

/// Explains where a loop stands.
pub fn run(call: &Call, args: &WhyArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let why = engine.why(&id)?;
    let state = engine.load(&id)?;
    let (now, wants) = (engine.now(), engine.attention(&state));
    let text = |page: &mut Page| {
        show::head(page, &state, &wants, now);
        gate(page, &state, &why);
        policy(page, &why);
        if let Some(exit) = &why.exit {
            verdict(page, "Green", exit.met, "yes: advance leaves the cycle", "no");
            node(page, exit, (2, false));
        }
        stop(page, &why);
        misses(page, &why);
        outcome(page, &state, &why);
        if !why.next_steps.is_empty() {
            page.heading("What helps");
            steps(page, &why.next_steps);
        }
    };
    Ok(call.answer(|| json!(why), text, problems(&engine.loop_problems(&id))))
}

/// The gate of the present phase with its tree.
pub fn gate(page: &mut Page, state: &Loop, why: &Why) {
    match &why.gate.tree {
        None => {
            page.blank();
            page.line(vec![
                span(Tone::Title, "Gate"),
                gap(2),
                span(Tone::Muted, format!("none: {} may be left at any time", state.current_phase)),
            ]);
        }
        Some(tree) => {
            verdict(page, "Gate", why.gate.met, "open", "shut");
            node(page, tree, (2, true));
        }
    }
}

fn verdict(page: &mut Page, what: &str, met: bool, yes: &str, no: &str) {
    page.blank();
    let (tone, word) = if met { (Tone::Good, yes) } else { (Tone::Bad, no) };
    page.line(vec![span(Tone::Title, what), gap(2), span(tone, word)]);
}

/// A condition, what it ignored, and its parts; how far it is indented, and whether it
/// is a whole gate.
fn node(page: &mut Page, node_: &Node, (indent, whole_gate): (usize, bool)) {
    let (tone, mark) = if node_.met { (Tone::Good, "✓") } else { (Tone::Bad, "✗") };
    let mut line = vec![gap(indent), span(tone, mark), gap(1)];
    line.extend(dots(node_));
    page.hanging(line, Tone::Plain, &plainly::node(node_, whole_gate));
    for (why, ids) in ignored(node_) {
        let names: Vec<_> = ids.iter().take(4).map(|id| view::short(id)).collect();
        let rest = if ids.len() > 4 { ", …" } else { "" };
        let verb = if ids.len() == 1 { "doesn't" } else { "don't" };
        let text =
            format!("· {} {} {verb} count: {}{rest}", ids.len(), because(why), names.join(", "));
        page.line(vec![gap(indent + 2), span(Tone::Muted, text)]);
    }
    for part in &node_.conditions {
        node(page, part, (indent + 2, false));
    }
}

/// Dots for what was counted of what is needed.
fn dots(node_: &Node) -> Vec<Span> {
    let (Some(counted), Some(needed)) = (node_.counted, node_.needed) else {
        return Vec::new();
    };
    if needed > DOTS {
        return vec![span(Tone::Strong, format!("{counted} of {needed}")), gap(2)];
    }
    let full = "●".repeat(counted.min(needed) as usize);
    let empty = "○".repeat(needed.saturating_sub(counted) as usize);
    vec![span(Tone::Strong, full), span(Tone::Muted, empty), gap(2)]
}

/// A reason for not being counted, in words.
fn because(why: &str) -> String {
    match why {
        "other_round" => "of another round".to_owned(),
        "other_phase" => "of another phase".to_owned(),
        "other_type" => "of another type".to_owned(),
        "stale_workspace" => "on files that changed since".to_owned(),
        other => view::words(other),
    }
}

/// What a leaf didn't count, by the reason.
fn ignored(node_: &Node) -> BTreeMap<&str, Vec<&str>> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ignored in &node_.ignored {
        by_reason.entry(&ignored.why).or_default().push(ignored.artifact_id.as_str());
    }
    by_reason
}

fn policy(page: &mut Page, why: &Why) {
    let title = format!("Slots ({})", why.slots.policy);
    verdict(page, &title, why.slots.met, "nothing to wait for", "waiting");
    for waiting in &why.slots.waiting {
        page.hanging(vec![gap(2), span(Tone::Bad, "✗"), gap(1)], Tone::Plain, &waiting.text);
    }
}

fn stop(page: &mut Page, why: &Why) {
    let Evaluated { met, tree: Some(tree) } = &why.stop else {
        page.blank();
        return page.line(vec![
            span(Tone::Title, "End"),
            gap(2),
            span(Tone::Muted, "only by hand"),
        ]);
    };
    verdict(page, "End", *met, "reached", "not yet");
    node(page, tree, (2, false));
}

fn misses(page: &mut Page, why: &Why) {
    if why.near_misses.is_empty() {
        return;
    }
    page.heading("Near misses");
    for miss in &why.near_misses {
        page.hanging(vec![gap(2), span(Tone::Warn, "≈"), gap(1)], Tone::Plain, miss);
    }
}

fn outcome(page: &mut Page, state: &Loop, why: &Why) {
    page.heading("Advance would");
    if let Some(would) = &why.would {
        page.line(vec![gap(2), span(Tone::Good, "▶"), gap(1), plain(would_line(state, would))]);
    } else if let Some(refusal) = &why.refusal {
        let code = span(Tone::Muted, format!("({})", refusal.code));
        page.line(vec![gap(2), span(Tone::Bad, "✗"), gap(1), plain("be refused"), gap(1), code]);
        // The gate's own refusal stands above, leaf by leaf.
        if refusal.code != "gate_unmet" {
            page.prose(4, Tone::Plain, &refusal.said());
        }
    }
}

/// Steps with their command lines, aligned where there is room.
pub fn steps(page: &mut Page, steps: &[NextStep]) {
    for step in steps {
        page.line(vec![gap(2), plain(&step.text)]);
        page.line(vec![gap(4), span(Tone::Command, &step.command)]);
    }
}
