//! The concept graph: domains, phases, skills and outcomes with what the
//! records say of each (dream.md, "Run", 2).

use serde::Serialize;
use strum::{AsRefStr, Display};

use super::index::Index;
use super::limits::Limits;
use super::number::{Stat, Thousandths, Trend};

/// What a node stands for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, AsRefStr, Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NodeType {
    /// A domain.
    Domain,
    /// A phase.
    Phase,
    /// A skill.
    Skill,
    /// What a skill brought in a phase of a domain.
    Outcome,
}

/// Which node within its type. Identity is (type, id), so that a skill named
/// like a domain stays apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub enum NodeId {
    /// A domain's, phase's or skill's name.
    Name(String),
    /// An outcome's domain, phase and skill.
    Outcome(String, String, String),
}

/// A node's type and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct NodeKey {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: NodeType,
    /// Its id within the type.
    pub id: NodeId,
}

/// What the records that touch a node say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Attributes {
    /// Their mean reward.
    pub avg_reward: Thousandths,
    /// How many.
    pub record_count: usize,
    /// Where it is going.
    pub trend: Trend,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Which one.
    #[serde(flatten)]
    pub key: NodeKey,
    /// What people call it; an outcome's is `{domain}_{phase}_{skill}_outcome`.
    pub label: String,
    /// What the records say.
    pub attributes: Attributes,
}

/// An edge: domain → phase → skill → outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// Where it begins.
    pub from: NodeKey,
    /// Where it leads.
    pub to: NodeKey,
    /// The mean reward of the records that pass over it.
    pub weight: Thousandths,
    /// How many pass over it.
    pub record_count: usize,
}

/// The graph: nodes by type and name, edges likewise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Builds the graph of the kept records.
    pub fn new(index: &Index<'_>, limits: &Limits) -> Self {
        let mut nodes = Vec::new();
        let mut add = |key: NodeKey, label: String, stat: &Stat| {
            nodes.push(Node { key, label, attributes: attributes(stat, limits) });
        };
        for (kind, names, stats) in [
            (NodeType::Domain, &index.domains, &index.by_domain),
            (NodeType::Phase, &index.phases, &index.by_phase),
            (NodeType::Skill, &index.skills, &index.by_skill),
        ] {
            for (name, stat) in names.iter().zip(stats) {
                add(named(kind, name), (*name).to_owned(), stat);
            }
        }
        for (outcome, stat) in index.outcomes.iter().zip(&index.by_outcome) {
            let (domain, phase, skill) = names_of(index, *outcome);
            let label = format!("{domain}_{phase}_{skill}_outcome");
            add(outcome_key(index, *outcome), label, stat);
        }
        Self { nodes, edges: edges(index) }
    }

    /// How many nodes and edges the kept records make, without making them.
    pub fn counts(index: &Index<'_>) -> (usize, usize) {
        let named = index.domains.len() + index.phases.len() + index.skills.len();
        let between = index.domain_phase.keys.len() + index.phase_skill.keys.len();
        (named + index.outcomes.len(), between + index.outcomes.len())
    }
}

fn edges(index: &Index<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut add = |from: NodeKey, to: NodeKey, stat: &Stat| {
        edges.push(Edge { from, to, weight: stat.average(), record_count: stat.count() });
    };
    for ((domain, phase), stat) in index.domain_phase.keys.iter().zip(&index.domain_phase.stats) {
        let from = named(NodeType::Domain, index.domains[*domain as usize]);
        add(from, named(NodeType::Phase, index.phases[*phase as usize]), stat);
    }
    for ((phase, skill), stat) in index.phase_skill.keys.iter().zip(&index.phase_skill.stats) {
        let from = named(NodeType::Phase, index.phases[*phase as usize]);
        add(from, named(NodeType::Skill, index.skills[*skill as usize]), stat);
    }
    for (outcome, stat) in index.outcomes.iter().zip(&index.by_outcome) {
        let from = named(NodeType::Skill, index.skills[outcome.2 as usize]);
        add(from, outcome_key(index, *outcome), stat);
    }
    edges
}

fn attributes(stat: &Stat, limits: &Limits) -> Attributes {
    Attributes {
        avg_reward: stat.average(),
        record_count: stat.count(),
        trend: stat.trend(limits.gap),
    }
}

fn named(kind: NodeType, name: &str) -> NodeKey {
    NodeKey { kind, id: NodeId::Name(name.to_owned()) }
}

fn names_of<'a>(index: &Index<'a>, outcome: (u32, u32, u32)) -> (&'a str, &'a str, &'a str) {
    let (domain, phase, skill) = outcome;
    (index.domains[domain as usize], index.phases[phase as usize], index.skills[skill as usize])
}

fn outcome_key(index: &Index<'_>, outcome: (u32, u32, u32)) -> NodeKey {
    let (domain, phase, skill) = names_of(index, outcome);
    let id = NodeId::Outcome(domain.to_owned(), phase.to_owned(), skill.to_owned());
    NodeKey { kind: NodeType::Outcome, id }
}
