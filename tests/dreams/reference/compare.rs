//! Says where a dream as the real engine writes it differs from what the reference found.

use std::collections::BTreeSet;

use serde_json::Value;

use super::arithmetic::thousandths;
use super::types::{Insight, Outcome, Status, Support};

/// Differences in what dream.md fixes, in words; empty if there are none. Figures are compared on
/// thousandths, lists of ids as sets. Left out, since dream.md leaves them open: the hash and the
/// words of patterns, the support of temporal insights, `first_seen`, `seen_in`, `turned_from`,
/// near misses, the fingerprint.
pub fn differences(outcome: &Outcome, real: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let status = match outcome.status {
        Status::Completed => "completed",
        Status::NoData => "no_data",
        Status::InsufficientData => "insufficient_data",
        Status::UnchangedInput => "unchanged_input",
    };
    check(&mut found, "status", status, real["status"].as_str().unwrap_or("nothing"));
    let skipped: BTreeSet<(String, String)> =
        outcome.skipped.iter().map(|(p, f)| (p.clone(), f.code().to_string())).collect();
    let entries = real["skipped"].as_array().into_iter().flatten();
    let theirs: BTreeSet<(String, String)> =
        entries.map(|s| (text(&s["path"]), text(&s["reason"]))).collect();
    check(&mut found, "skipped", skipped, theirs);
    if outcome.status != Status::Completed {
        return found;
    }

    check(&mut found, "dream_id", outcome.dream_id.clone(), text(&real["dream_id"]));
    for (name, ours) in [
        ("records_analyzed", outcome.records_analyzed),
        ("concept_graph_nodes", outcome.graph.nodes.len()),
        ("concept_graph_edges", outcome.graph.edges.len()),
        ("associations_found", outcome.associations.len()),
    ] {
        check(&mut found, name, Some(ours as u64), real[name].as_u64());
    }
    let theirs: Vec<&Value> = real["insights"].as_array().into_iter().flatten().collect();
    check(&mut found, "number of insights", outcome.insights.len(), theirs.len());
    for (ours, theirs) in outcome.insights.iter().zip(theirs) {
        insight(&mut found, ours, theirs);
    }
    found
}

fn insight(found: &mut Vec<String>, ours: &Insight, theirs: &Value) {
    let parts = &ours.identity_parts;
    let before = found.len();
    check(found, "insight_id", ours.insight_id.clone(), text(&theirs["insight_id"]));
    check(found, "type", parts.r#type.clone(), text(&theirs["type"]));
    check(found, "kind", parts.kind.clone(), text(&theirs["kind"]));
    check(found, "domains", parts.domains.clone(), list(&theirs["domains"]));
    check(found, "phases", parts.phases.clone(), list(&theirs["phases"]));
    check(found, "skills", parts.skills.clone(), list(&theirs["skills"]));
    check(found, "impact", ours.impact.to_string(), text(&theirs["impact"]));
    for (name, value) in [("confidence", ours.confidence), ("rank_score", ours.rank_score)] {
        check(found, name, Some(thousandths(value)), theirs[name].as_f64().map(thousandths));
    }
    for (name, value) in
        [("evidence_count", ours.evidence_count), ("own_evidence", ours.own_evidence)]
    {
        check(found, name, Some(value as u64), theirs[name].as_u64());
    }
    if parts.kind != "pattern" {
        check(found, "direction", parts.direction.clone(), text(&theirs["direction"]));
        check(found, "identity", ours.identity.clone(), text(&theirs["identity"]));
        check(found, "description", ours.description.clone(), text(&theirs["description"]));
        check(found, "advice", ours.advice.clone(), text(&theirs["advice"]));
    }
    if parts.kind != "temporal" {
        support(found, &ours.support, &theirs["support"]);
    }
    for line in &mut found[before..] {
        *line = format!("{} {}: {line}", ours.insight_id, ours.title);
    }
}

fn support(found: &mut Vec<String>, ours: &Support, theirs: &Value) {
    let set = |name: &str| list(&theirs[name]).into_iter().collect::<BTreeSet<_>>();
    match ours {
        Support::Sides(sides) => {
            for (domain, ids) in sides {
                check(found, "support", ids.clone(), set(domain));
            }
        }
        Support::Cases(cases) => check(found, "support", cases.clone(), set("cases")),
        Support::Records(ids) => check(found, "support", ids.clone(), set("records")),
    }
}

fn check<T: PartialEq + std::fmt::Debug>(found: &mut Vec<String>, name: &str, ours: T, theirs: T) {
    if ours != theirs {
        found.push(format!("{name}: reference {ours:?}, real {theirs:?}"));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(String::from).collect()
}
