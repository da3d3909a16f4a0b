//! `dream graph`: the concept graph of the records.

use serde_json::json;

use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Cell, Entry, Page, Tone, plain, span};
use crate::cli::rewards::trend;
use crate::core::dream::graph::{Graph, Node, NodeType};
use crate::core::text::plural;
use crate::engine::Engine;

/// Nodes of a type that are listed.
const LISTED: usize = 40;

/// Shows the concept graph.
pub(super) fn run(call: &Call, engine: &Engine) -> Result<Answer> {
    let graph = engine.dream_graph()?;
    Ok(call.answer(|| json!(graph), |page| show(page, &graph), Vec::new()))
}

/// The nodes by type, with where their edges lead.
pub(super) fn show(page: &mut Page, graph: &Graph) {
    page.blank();
    page.line(plain(format!(
        "{}, {}",
        plural(graph.nodes.len(), "node", "nodes"),
        plural(graph.edges.len(), "edge", "edges")
    )));
    let mut groups = Vec::new();
    for (kind, title) in [
        (NodeType::Domain, "Domains"),
        (NodeType::Phase, "Phases"),
        (NodeType::Skill, "Skills"),
        (NodeType::Outcome, "Outcomes"),
    ] {
        let nodes = graph.nodes.iter().filter(|node| node.key.kind == kind);
        let entries: Vec<Entry> = nodes.take(LISTED).map(|node| row(graph, node).into()).collect();
        groups.push((Some(title), entries));
    }
    page.groups(2, &[4, 0], groups);
}

fn row(graph: &Graph, node: &Node) -> Vec<Cell> {
    let facts = &node.attributes;
    let leads: Vec<&str> = match node.key.kind {
        NodeType::Domain | NodeType::Phase => graph
            .edges
            .iter()
            .filter(|edge| edge.from == node.key)
            .filter_map(|edge| graph.nodes.iter().find(|n| n.key == edge.to))
            .map(|to| to.label.as_str())
            .collect(),
        NodeType::Skill | NodeType::Outcome => Vec::new(),
    };
    let leads = if leads.is_empty() { String::new() } else { format!("→ {}", leads.join(", ")) };
    vec![
        plain(&node.label).into(),
        plain(facts.avg_reward.two_places()).into(),
        span(Tone::Muted, plural(facts.record_count, "record", "records")).into(),
        trend(facts.trend.as_ref()).into(),
        span(Tone::Muted, leads).into(),
    ]
}
