//! The dream engine against a second reading of dream.md: a slow, obvious reference
//! that shares no code with it, on random trees of records with faults of every kind,
//! limits that are hit exactly, and chains of dreams.

mod reference;

use loopdeck::core::dream::foreign;
use loopdeck::core::dream::marks::Marked;
use loopdeck::core::dream::past::{DreamId, Earlier};
use loopdeck::core::dream::{
    Dreamt, Limits, Mark, Marks, Request, Selection, Settings, Thousandths, WithGraph,
    dream_of_files,
};
use loopdeck::core::time::Timestamp;
use reference::random::{Mode, Scenario, Step};
use reference::{Config, Outcome, Status, differences};
use serde_json::Value;

/// The real dream of a step.
fn real(step: &Step, outcome: &Outcome) -> Dreamt {
    let earlier = Earlier::of(step.earlier.iter().map(|(name, dream)| {
        let mut dream = dream.clone();
        if let Some(fields) = dream.as_object_mut() {
            // How these are written is not settled, and no later dream reads them.
            for name in ["left_out", "near_misses", "skipped"] {
                fields.remove(name);
            }
        }
        let bytes = if dream.is_null() { b"no dream".to_vec() } else { dream.to_string().into() };
        (name.clone(), bytes)
    }));
    let unreadable = step.earlier.iter().filter(|(_, dream)| dream["insights"].is_null()).count();
    let refused = earlier.iter().filter(|one| one.dream.is_err()).count();
    let said: Vec<_> = earlier.iter().filter_map(|one| one.dream.as_ref().err()).collect();
    assert!(refused <= unreadable, "the reference's own files can be read: {said:?}");
    let foreign: Vec<_> = step
        .foreign_patterns
        .iter()
        .flat_map(|file| foreign::read(file.to_string().as_bytes()).0)
        .collect();
    let now = Timestamp::from(step.now);
    let request = Request {
        id: DreamId::parse(&outcome.dream_id),
        settings: settings(&step.config),
        limits: limits(&step.config),
        earlier: &earlier,
        foreign: &foreign,
        marks: marks(&step.config),
        graph: WithGraph::Yes,
        ..Request::at(now)
    };
    dream_of_files(step.files.iter().map(|(path, bytes)| (path.as_str(), bytes)), &request)
}

fn settings(config: &Config) -> Settings {
    let selection = match config.selection {
        reference::Selection::TopReward => Selection::TopReward,
        reference::Selection::Newest => Selection::Newest,
        reference::Selection::All => Selection::All,
    };
    Settings { selection, max_records: config.max_records }
}

fn limits(config: &Config) -> Limits {
    let limits = &config.limits;
    Limits {
        gap: Thousandths::of(limits.gap),
        low: Thousandths::of(limits.low),
        cases: limits.cases,
        impact: Thousandths::of(limits.high),
        confidence: Thousandths::of(limits.confidence),
    }
}

fn marks(config: &Config) -> Marks {
    let marks = config.dismissed.iter().map(|dismissed| Marked {
        identity: dismissed.identity.clone(),
        mark: Mark::Dismissed,
        time: Timestamp::from_millis(0),
        evidence: dismissed.evidence,
    });
    Marks { version: "1.0".to_owned(), marks: marks.collect() }
}

/// Where the real dream of a step differs from the reference's, in words; and how many
/// insights were compared.
fn compare(step: &Step) -> (Vec<String>, usize) {
    let mut step = step.clone();
    // The first is no limit that the engine lets anybody move; whether a trend goes by
    // a gap that was moved, dream.md leaves open.
    step.config.limits.medium = 0.15;
    step.config.limits.gap = 0.15;
    let dismissed = std::mem::take(&mut step.config.dismissed);
    let all = if dismissed.is_empty() { Vec::new() } else { step.dream().insights };
    // How the identity of a pattern is made is not settled.
    let is_pattern = |identity: &String| {
        all.iter().any(|one| one.identity == *identity && one.identity_parts.kind == "pattern")
    };
    step.config.dismissed =
        dismissed.into_iter().filter(|mark| !is_pattern(&mark.identity)).collect();
    let outcome = step.dream();
    // Whether the input is the last dream's is asked by fingerprint, and theirs differ.
    if outcome.status == Status::UnchangedInput {
        return (Vec::new(), 0);
    }
    let dreamt = real(&step, &outcome);
    let file: Value = serde_json::from_slice(&dreamt.dream.to_bytes()).expect("a dream is JSON");
    let mut found = differences(&outcome, &file);
    if outcome.status == Status::Completed {
        graph(&mut found, &outcome, &dreamt);
    }
    if dreamt.dream.expired != outcome.expired.len() && outcome.status != Status::NoData {
        let (ours, theirs) = (outcome.expired.len(), dreamt.dream.expired);
        found.push(format!("expired: reference {ours}, real {theirs}"));
    }
    (found, outcome.insights.len())
}

/// Every node and edge with its figures.
fn graph(found: &mut Vec<String>, outcome: &Outcome, dreamt: &Dreamt) {
    let real = serde_json::to_value(dreamt.graph.as_ref().expect("it was wanted")).expect("JSON");
    let thousandths = |value: f64| Thousandths::of(value).0;
    let mut ours: Vec<String> = outcome
        .graph
        .nodes
        .iter()
        .map(|node| {
            let mean = thousandths(node.avg_reward);
            let trend = node.trend.code();
            format!("{} {} {mean} {} {trend}", node.key.kind, node.label, node.record_count)
        })
        .collect();
    let mut theirs: Vec<String> = real["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|node| {
            let node_is = &node["attributes"];
            let mean = thousandths(node_is["avg_reward"].as_f64().unwrap_or(-1.0));
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!(
                "{} {} {mean} {} {}",
                text(&node["type"]),
                text(&node["label"]),
                node_is["record_count"],
                text(&node_is["trend"])
            )
        })
        .collect();
    ours.sort();
    theirs.sort();
    if ours != theirs {
        found.push(format!("nodes: reference {ours:?}, real {theirs:?}"));
    }
    let weights = |list: Vec<(f64, u64)>| {
        let mut list: Vec<(i64, u64)> =
            list.into_iter().map(|(weight, count)| (thousandths(weight), count)).collect();
        list.sort_unstable();
        list
    };
    let ours = weights(
        outcome.graph.edges.iter().map(|edge| (edge.weight, edge.record_count as u64)).collect(),
    );
    let edges = real["edges"].as_array().into_iter().flatten();
    let theirs = weights(
        edges
            .map(|edge| {
                let weight = edge["weight"].as_f64().unwrap_or(-1.0);
                (weight, edge["record_count"].as_u64().unwrap_or(0))
            })
            .collect(),
    );
    if ours != theirs {
        found.push(format!("edges: reference {ours:?}, real {theirs:?}"));
    }
}

/// The trees and insights on which both agree.
fn agree_on(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut steps, mut insights) = (0, 0);
    for seed in seeds {
        for (at, step) in Scenario::new(seed, Mode::Settled).steps.iter().enumerate() {
            let (found, compared) = compare(step);
            if !found.is_empty() {
                let smallest = step.smallest(|step| !compare(step).0.is_empty());
                panic!(
                    "seed {seed}, step {at}:\n{}\n\nsmallest:\n{}\n{}",
                    found.join("\n"),
                    compare(&smallest).0.join("\n"),
                    smallest.listing()
                );
            }
            steps += 1;
            insights += compared;
        }
    }
    (steps, insights)
}

#[test]
fn the_engine_agrees_with_the_reference_on_random_trees() {
    let (steps, insights) = agree_on(0..500);
    assert!(steps >= 1_000, "{steps} trees");
    assert!(insights >= 1_000, "{insights} insights were compared");
}

#[test]
fn and_on_as_many_others() {
    let (steps, insights) = agree_on(500..1_000);
    assert!(steps >= 1_000, "{steps} trees");
    assert!(insights >= 1_000, "{insights} insights were compared");
}
