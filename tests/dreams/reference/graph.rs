//! dream.md, Run 2.

use super::arithmetic::{mean, trend};
use super::types::{Edge, Graph, Node, NodeKey, Record};

/// The four nodes that a record touches, in the order domain → phase → skill → outcome.
fn touched(record: &Record) -> [NodeKey; 4] {
    let one = |kind, id: &String| NodeKey { kind, id: vec![id.clone()] };
    [
        one("domain", &record.domain),
        one("phase", &record.phase),
        one("skill", &record.skill),
        // "an outcome's is (domain, phase, skill)".
        NodeKey {
            kind: "outcome",
            id: vec![record.domain.clone(), record.phase.clone(), record.skill.clone()],
        },
    ]
}

/// "with `{domain}_{phase}_{skill}_outcome` as its label".
fn label(key: &NodeKey) -> String {
    if key.kind == "outcome" { format!("{}_outcome", key.id.join("_")) } else { key.id[0].clone() }
}

/// "Node: avg_reward, record_count, trend. Edge: mean weight, record_count."
pub fn build(kept: &[&Record]) -> Graph {
    let touching: Vec<(&Record, [NodeKey; 4])> = kept.iter().map(|r| (*r, touched(r))).collect();
    let mut keys: Vec<NodeKey> = Vec::new();
    let mut arrows: Vec<(NodeKey, NodeKey)> = Vec::new();
    for (_, path) in &touching {
        arrows.extend(path.windows(2).map(|two| (two[0].clone(), two[1].clone())));
        keys.extend(path.clone());
    }
    keys.sort();
    keys.dedup();
    arrows.sort();
    arrows.dedup();

    let through = |on_it: &dyn Fn(&[NodeKey; 4]) -> bool| -> Vec<&Record> {
        touching.iter().filter(|(_, path)| on_it(path)).map(|(record, _)| *record).collect()
    };
    let nodes = keys.into_iter().map(|key| {
        let records = through(&|path| path.contains(&key));
        Node {
            label: label(&key),
            avg_reward: mean(&records),
            record_count: records.len(),
            trend: trend(&records),
            key,
        }
    });
    let edges = arrows.into_iter().map(|(from, to)| {
        let records = through(&|path| path.windows(2).any(|two| two[0] == from && two[1] == to));
        Edge { from, to, weight: mean(&records), record_count: records.len() }
    });
    Graph { nodes: nodes.collect(), edges: edges.collect() }
}
