//! Random pattern files and earlier dreams that someone else wrote.

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::arithmetic::natural;
use super::random::{Mode, Rng};
use super::random_record::World;

/// Zero to two pattern files in any of the three layouts.
pub fn foreign_patterns(rng: &mut Rng, world: &World, mode: Mode) -> Vec<Value> {
    let mut files = Vec::new();
    let first = rng.below(2);
    for file in 0..rng.between(0, 2) {
        let mut entries = Vec::new();
        for _ in 0..rng.between(0, 5) {
            entries.push(entry(rng, world, mode, first + file));
        }
        files.push(match rng.below(3) {
            0 => Value::Array(entries),
            1 => json!({ "version": "1.0", "generated_at": "2026-02-01T00:00:00Z", "patterns": entries }),
            _ => {
                let later = entries.split_off(entries.len() / 2);
                json!({ "version": "1.0", "bottlenecks": entries, "insights": later })
            }
        });
    }
    files
}

fn entry(rng: &mut Rng, world: &World, mode: Mode, file: usize) -> Value {
    let wild = mode == Mode::Wild;
    // Up to 10, so that a greater evidence is a greater confidence.
    let evidence = rng.between(1, if wild { 12 } else { 10 });
    // Categories that the tracker has not, and that no other file has.
    let mut category = format!("{}-{file}", rng.pick(&["custom", "habit"]));
    if wild && rng.chance(60) {
        category = rng.pick(&["bottleneck", "excellence", "custom"]).to_string();
    }
    let domain = rng.pick(&world.domains).clone();
    let phase = rng.chance(60).then(|| rng.pick(&world.phases).clone());
    let skill = rng.chance(30).then(|| rng.pick(&world.skills).clone());
    // Two entries with the same id or the same parts differ in nothing but their evidence.
    let id = format!("{category} {domain} {phase:?} {skill:?}");
    let mut entry = json!({
        "category": category,
        "description": format!("Someone saw {}", id.replace('"', "")),
        "confidence": (evidence as f64 / 10.0).min(1.0),
        "evidence_count": evidence,
        "domain": domain,
        "actionable_advice": "Look at it again",
        "detected_at": "2026-02-01T00:00:00Z",
    });
    if let Some(phase) = phase {
        entry["phase"] = json!(phase);
    }
    if let Some(skill) = skill {
        entry["skill"] = json!(skill);
    }
    // Within a file all have an id or none has.
    if file % 2 == 1 {
        entry["pattern_id"] = json!(id);
    }
    if wild && rng.chance(50) {
        entry["pattern_id"] = json!(format!("p-{}", rng.between(1, 3)));
    }
    match rng.below(10) {
        0 => entry["record_ids"] = json!(["r-00001"]),
        1 => entry["category"] = json!(5),
        2 => return json!("a word"),
        3 if wild => entry["confidence"] = json!(0.9),
        4 if wild => entry["record_ids"] = json!([]),
        5 if wild => entry["evidence_count"] = json!("7"),
        6 if wild => entry["domain"] = Value::Null,
        7 if wild => drop(entry.as_object_mut().map(|e| e.shift_remove("category"))),
        _ => {}
    }
    entry
}

/// Earlier dream files: foreign ones, one that can't be read, one from the future, wrong names.
pub fn earlier_dreams(
    rng: &mut Rng,
    world: &World,
    mode: Mode,
    now: DateTime<Utc>,
) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for back in 1..=rng.between(1, 4) {
        let time = now - Duration::hours(back as i64 * 7);
        let name = time.format("dream-%Y%m%d-%H%M%S.json").to_string();
        let content = match rng.below(6) {
            0 => Value::Null,
            1 if mode == Mode::Wild => json!({ "insights": "none" }),
            _ => foreign_dream(rng, world, mode, time),
        };
        found.push((name, content));
    }
    if rng.chance(30) {
        let time = now + Duration::hours(rng.between(1, 100) as i64);
        let name = time.format("dream-%Y%m%d-%H%M%S.json").to_string();
        found.push((name, foreign_dream(rng, world, mode, time)));
    }
    if rng.chance(20) {
        let name = rng.pick(&[
            "dream-20260301-110000 (1).json",
            "dream-latest.json",
            "trigger-state.json",
        ]);
        found.push((name.to_string(), foreign_dream(rng, world, mode, now)));
    }
    // A folder is listed in any order.
    for at in 0..found.len() {
        let other = rng.below(found.len());
        found.swap(at, other);
    }
    found
}

fn foreign_dream(rng: &mut Rng, world: &World, mode: Mode, time: DateTime<Utc>) -> Value {
    let created = time.to_rfc3339_opts(SecondsFormat::Secs, true);
    let mut insights: Vec<Value> = Vec::new();
    // At most one of a kind, so that "the newest match" is one.
    for kind in ["cross_domain", "skill_mismatch", "phase_correlation", "temporal", "bottleneck"] {
        // Whether a temporal one adds anything is left open.
        if !rng.chance(60) || (kind == "temporal" && mode == Mode::Settled) {
            continue;
        }
        let r#type = match kind {
            "cross_domain" | "temporal" => "performance",
            "skill_mismatch" => "effectiveness",
            "phase_correlation" => "anti_pattern",
            other => other,
        };
        let domains = two(rng, mode, &world.domains);
        let phases = two(rng, mode, &world.phases);
        let one_phase = json!([rng.pick(&world.phases)]);
        let one_skill = json!([rng.pick(&world.skills)]);
        let evidence = rng.between(1, 9);
        // Fields that a kind does not fill are filled as well: they are not compared.
        let (domains, phases, skills) = match kind {
            "cross_domain" => (json!(domains), one_phase, one_skill),
            "skill_mismatch" => (json!(domains), one_phase, one_skill),
            "phase_correlation" => (json!(domains), json!(phases), json!([])),
            "temporal" => (json!([]), json!([]), json!([])),
            _ => (json!([rng.pick(&world.domains)]), one_phase, json!([])),
        };
        insights.push(json!({
            "insight_id": "x-001", "type": r#type, "description": "Something differs.",
            "confidence": 0.5, "impact": "high", "rank_score": 1.5, "evidence_count": evidence,
            "domains": domains, "phases": phases, "skills": skills, "created_at": created,
        }));
    }
    json!({ "version": "1.0", "status": "completed", "completed_at": created, "insights": insights })
}

/// Two names (or one, if there is but one) in name order; in the wild in any order.
fn two(rng: &mut Rng, mode: Mode, names: &[String]) -> Vec<String> {
    let mut rest = names.to_vec();
    while rest.len() > 2 {
        let gone = rng.below(rest.len());
        rest.remove(gone);
    }
    rest.sort_by(|a, b| natural(a, b));
    if mode == Mode::Wild && rng.chance(50) {
        rest.reverse();
    }
    rest
}
