//! dream.md, Run 7: the dream file.

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::earlier::time_of;
use super::load::in_time_order;
use super::types::{Config, Outcome, Record, Status};

/// "Write `dream-YYYYMMDD-HHmmss.json` (UTC; a taken name moves to the next free second)".
pub fn dream_id_for(earlier: &[(String, Value)], now: DateTime<Utc>) -> String {
    let mut time = now;
    loop {
        let id = time.format("dream-%Y%m%d-%H%M%S").to_string();
        let name = format!("{id}.json");
        if !earlier.iter().any(|(taken, _)| *taken == name) {
            debug_assert!(time_of(&name).is_some());
            return id;
        }
        time += Duration::seconds(1);
    }
}

/// "input_fingerprint (over id, reward, timestamp, case, domain, phase, skill, iterations of the kept
/// records, foreign patterns, config)". The specification leaves the bytes open: only equality counts.
pub fn fingerprint(kept: &[&Record], foreign_patterns: &[Value], config: &Config) -> String {
    let records: Vec<Value> = in_time_order(kept)
        .iter()
        .map(|r| {
            let time = stamp(r.timestamp);
            json!([r.id, r.reward, time, r.case, r.domain, r.phase, r.skill, r.iterations])
        })
        .collect();
    let limits = &config.limits;
    let config = json!([
        format!("{:?}", config.selection),
        config.max_records,
        [limits.gap, limits.low, limits.high, limits.medium, limits.confidence],
        limits.cases
    ]);
    let all = json!([records, foreign_patterns, config]);
    let digest = Sha256::digest(all.to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn stamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Nanos, true)
}

/// The file name and content of a completed dream, with what a later dream reads; `None` otherwise
/// ("Neither writes a file"; "nothing written").
pub fn to_file(outcome: &Outcome, now: DateTime<Utc>) -> Option<(String, Value)> {
    if outcome.status != Status::Completed {
        return None;
    }
    let time = now.to_rfc3339_opts(SecondsFormat::Millis, true);
    let insights: Vec<Value> = outcome
        .insights
        .iter()
        .map(|i| {
            let parts = &i.identity_parts;
            let mut value = json!({
                "insight_id": i.insight_id,
                "type": parts.r#type,
                "description": i.description,
                "confidence": i.confidence,
                "impact": i.impact,
                "rank_score": i.rank_score,
                "evidence_count": i.evidence_count,
                "domains": parts.domains,
                "phases": parts.phases,
                "skills": parts.skills,
                "created_at": time,
                "dream_id": outcome.dream_id,
                "kind": parts.kind,
                "direction": parts.direction,
                "advice": i.advice,
                "support": i.support.to_value(),
                "own_evidence": i.own_evidence,
                "first_seen": i.first_seen.to_rfc3339_opts(SecondsFormat::Millis, true),
                "seen_in": i.seen_in,
                "identity": i.identity,
            });
            if let Some(direction) = &i.turned_from {
                value["turned_from"] = json!(direction);
            }
            value
        })
        .collect();
    let skipped: Vec<Value> = outcome
        .skipped
        .iter()
        .map(|(path, fault)| json!({ "path": path, "reason": fault.code() }))
        .collect();
    let content = json!({
        "version": "1.0",
        "dream_id": outcome.dream_id,
        "status": "completed",
        "trigger_reason": "manual",
        "started_at": time,
        "completed_at": time,
        "records_analyzed": outcome.records_analyzed,
        "concept_graph_nodes": outcome.graph.nodes.len(),
        "concept_graph_edges": outcome.graph.edges.len(),
        "associations_found": outcome.associations.len(),
        "insights": insights,
        "metadata": {
            "domains_covered": outcome.domains_covered,
            "phases_covered": outcome.phases_covered,
            "total_reward_records_in_memory": outcome.valid_records,
        },
        "input_fingerprint": outcome.fingerprint,
        "skipped": skipped,
        "left_out": { "count": outcome.left_out.count, "failures": outcome.left_out.failures },
    });
    Some((format!("{}.json", outcome.dream_id), content))
}
