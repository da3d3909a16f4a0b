//! The rules of dreams, by the traps that dream.md names and by properties.

mod associations;
mod evidence;
mod loading;
mod patterns;
mod properties;

use serde_json::{Value, json};

use super::*;
use crate::core::time::Timestamp;

/// The moment that counts as now.
pub(super) fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().expect("valid")
}

/// A record: its minute orders it in time.
pub(super) fn record(
    id: &str,
    domain: &str,
    case: &str,
    phase: &str,
    skill: &str,
    reward: f64,
    minute: u32,
) -> Value {
    json!({
        "id": id, "version": "1.1",
        "timestamp": format!("2026-02-01T{:02}:{:02}:00Z", minute / 60, minute % 60),
        "case_slug": case, "domain": domain, "phase": phase, "skill_used": skill,
        "reward": reward,
    })
}

/// Records with a path each.
pub(super) fn files(records: &[Value]) -> Vec<(String, Vec<u8>)> {
    let file = |(n, record): (usize, &Value)| {
        (format!("any/{n:04}.json"), record.to_string().into_bytes())
    };
    records.iter().enumerate().map(file).collect()
}

/// A series of records of one domain, phase and skill, each a case of its own.
pub(super) fn series(domain: &str, phase: &str, skill: &str, rewards: &[f64]) -> Vec<Value> {
    let one = |(n, reward): (usize, &f64)| {
        let id = format!("{domain}.{phase}.{skill}.{n}");
        record(&id, domain, &format!("{domain}-{n}"), phase, skill, *reward, n as u32)
    };
    rewards.iter().enumerate().map(one).collect()
}

/// Dreams from records alone.
pub(super) fn dreamt(records: &[Value]) -> Dreamt {
    dream_of_files(files(records), &Request { graph: WithGraph::Yes, ..Request::at(now()) })
}

/// The insights of a kind.
pub(super) fn of_kind<'a>(dream: &'a Dream, kind: &str) -> Vec<&'a Insight> {
    dream.insights.iter().filter(|insight| insight.kind == kind).collect()
}
