//! dream.md, Run 5: what the last three dreams add.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDateTime, Utc};
use serde_json::Value;

use super::insight::{confidence, weight};
use super::types::{Identity, Insight, Support, Warning};

/// One of the last three dreams.
pub struct Earlier {
    pub dream_id: String,
    pub time: DateTime<Utc>,
    pub fingerprint: Option<String>,
    /// none if it can't be read
    pub insights: Vec<Value>,
}

/// The time in a name of exactly the form `dream-YYYYMMDD-HHmmss.json`.
pub fn time_of(name: &str) -> Option<DateTime<Utc>> {
    let stamp = name.strip_prefix("dream-")?.strip_suffix(".json")?;
    let shaped = stamp.len() == 15
        && stamp.bytes().enumerate().all(|(i, byte)| match i {
            8 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !shaped {
        return None;
    }
    NaiveDateTime::parse_from_str(stamp, "%Y%m%d-%H%M%S").ok().map(|t| t.and_utc())
}

/// "one of the last 3 dreams (greatest names; one dated after now is reported and neither latest nor
/// merged)"; "Unreadable earlier dream → no merging with it, warned; it keeps its place among the
/// three." Newest first.
pub fn choose(
    earlier: &[(String, Value)],
    now: DateTime<Utc>,
    warnings: &mut Vec<Warning>,
) -> Vec<Earlier> {
    let mut dreams: Vec<(&String, DateTime<Utc>, &Value)> = earlier
        .iter()
        .filter_map(|(name, content)| time_of(name).map(|time| (name, time, content)))
        .collect();
    dreams.sort_by(|a, b| b.0.cmp(a.0));
    for (name, time, _) in &dreams {
        if *time > now {
            warnings.push(Warning::FutureDream { name: (*name).clone() });
        }
    }
    dreams.retain(|(_, time, _)| *time <= now);
    dreams.truncate(3);

    let mut chosen = Vec::new();
    for (name, time, content) in dreams {
        let insights = content.get("insights").and_then(Value::as_array);
        if insights.is_none() {
            warnings.push(Warning::UnreadableDream { name: name.clone() });
        }
        chosen.push(Earlier {
            dream_id: name.trim_end_matches(".json").to_string(),
            time,
            fingerprint: content
                .get("input_fingerprint")
                .and_then(Value::as_str)
                .map(String::from)
                .filter(|_| insights.is_some()),
            insights: insights.cloned().unwrap_or_default(),
        });
    }
    chosen
}

fn text(insight: &Value, name: &str) -> String {
    insight.get(name).and_then(Value::as_str).unwrap_or_default().to_string()
}

fn list(insight: &Value, name: &str) -> Vec<String> {
    let items = insight.get(name).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(String::from).collect()
}

/// "foreign insights (no `support`…)".
fn is_foreign(insight: &Value) -> bool {
    insight.get("support").is_none_or(Value::is_null)
}

fn identity(insight: &Value) -> Identity {
    Identity {
        r#type: text(insight, "type"),
        kind: text(insight, "kind"),
        direction: text(insight, "direction"),
        domains: list(insight, "domains"),
        phases: list(insight, "phases"),
        skills: list(insight, "skills"),
    }
}

/// "kind from the type: performance with phases = cross_domain, without = temporal; effectiveness =
/// skill_mismatch; anti_pattern = phase_correlation; else pattern; only the fields that its kind
/// fills are compared, direction left out". Lists are compared whatever their order.
fn foreign_is(insight: &Value, own: &Identity) -> bool {
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let r#type = text(insight, "type");
    let domains = sorted(list(insight, "domains")) == sorted(own.domains.clone());
    let phases = sorted(list(insight, "phases")) == sorted(own.phases.clone());
    let skills = sorted(list(insight, "skills")) == sorted(own.skills.clone());
    let kind = match r#type.as_str() {
        "performance" if !list(insight, "phases").is_empty() => "cross_domain",
        "performance" => "temporal",
        "effectiveness" => "skill_mismatch",
        "anti_pattern" => "phase_correlation",
        _ => "pattern",
    };
    let filled = match kind {
        "cross_domain" => domains && phases,
        "skill_mismatch" => domains && skills,
        "phase_correlation" => phases,
        "temporal" => true,
        _ => domains && phases && skills,
    };
    r#type == own.r#type && kind == own.kind && filled
}

/// "union per side of this dream's and those dreams' own support".
fn union(support: &mut Support, other: &Value) {
    let ids = |name: &str| list(other, name);
    match support {
        Support::Sides(sides) => {
            for (domain, side) in sides.iter_mut() {
                side.extend(ids(domain));
            }
        }
        Support::Cases(cases) => cases.extend(ids("cases")),
        Support::Records(records) => records.extend(ids("records")),
    }
}

/// "evidence and confidence again by the kind's rule".
fn evidence(support: &Support) -> usize {
    match support {
        Support::Sides(sides) => sides.values().map(BTreeSet::len).min().unwrap_or(0),
        Support::Cases(cases) => cases.len(),
        Support::Records(records) => records.len(),
    }
}

fn moment(insight: &Value, name: &str) -> Option<DateTime<Utc>> {
    let time = insight.get(name).and_then(Value::as_str)?;
    DateTime::parse_from_rfc3339(time).ok().map(|t| t.with_timezone(&Utc))
}

/// Gives an insight what the last three dreams know of it.
pub fn merge(insight: &mut Insight, chosen: &[Earlier], dream_id: &str, now: DateTime<Utc>) {
    let own = insight.identity_parts.clone();
    let mut all = insight.support.clone();
    let mut first_seen = now;
    let mut seen_in: BTreeSet<String> = BTreeSet::new();
    let mut matched = false;

    for dream in chosen {
        for other in &dream.insights {
            if is_foreign(other) || identity(other) != own {
                continue;
            }
            matched = true;
            union(&mut all, &other["support"]);
            // "`first_seen`, `seen_in` are kept."
            first_seen = first_seen.min(moment(other, "first_seen").unwrap_or(dream.time));
            seen_in.insert(dream.dream_id.clone());
            seen_in.extend(list(other, "seen_in"));
        }
    }
    // "Temporal insights are not merged." What someone else's pattern rests on has no ids, so its
    // evidence is what its file says now.
    if matched && own.kind != "temporal" && !insight.foreign {
        insight.evidence_count = evidence(&all);
    }

    // "Of foreign insights … the newest match's evidence_count is added once, as long as its file is
    // among the three."
    let newest = chosen.iter().find_map(|dream| {
        let found =
            dream.insights.iter().find(|other| is_foreign(other) && foreign_is(other, &own));
        found.map(|other| (dream, other))
    });
    if let Some((dream, other)) = newest {
        if own.kind != "temporal" {
            let count = other.get("evidence_count").and_then(Value::as_u64).unwrap_or(0);
            insight.evidence_count += usize::try_from(count).unwrap_or(0);
        }
        first_seen = first_seen.min(moment(other, "created_at").unwrap_or(dream.time));
        seen_in.insert(dream.dream_id.clone());
    }

    insight.confidence = confidence(insight.evidence_count);
    insight.rank_score = insight.confidence * weight(insight.impact);
    insight.turned_from = turned_from(&own, chosen);
    insight.first_seen = first_seen;
    insight.seen_in = seen_in.into_iter().filter(|id| id != dream_id).collect();
    insight.seen_in.push(dream_id.to_string());
}

/// "An insight whose direction turned is new, and says so": the newest of the three dreams that had
/// it in any direction had it in another one. A pattern's direction is no direction.
fn turned_from(own: &Identity, chosen: &[Earlier]) -> Option<String> {
    if own.kind == "pattern" {
        return None;
    }
    let newest = chosen.iter().find_map(|dream| {
        let others = dream.insights.iter().filter(|other| !is_foreign(other)).map(identity);
        let mut same = others.filter(|other| {
            let turned = Identity { direction: own.direction.clone(), ..other.clone() };
            turned == *own
        });
        same.next()
    })?;
    (newest.direction != own.direction).then_some(newest.direction)
}
