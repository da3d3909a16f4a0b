//! The reference itself, at the traps that dream.md names: one dream at a time.

use chrono::{DateTime, Duration, TimeZone, Utc};
use serde_json::{Value, json};

use super::*;

pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 1, 12, 0, 0).unwrap()
}

/// "id domain phase skill case reward minute" → a file; `minute` counts from a fixed morning.
pub fn file(line: &str) -> (String, Vec<u8>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [id, domain, phase, skill, case, reward, minute] = words[..] else { panic!("{line}") };
    let morning = Utc.with_ymd_and_hms(2026, 2, 1, 8, 0, 0).unwrap();
    let time = morning + Duration::minutes(minute.parse().unwrap());
    let record = json!({
        "id": id, "domain": domain, "phase": phase, "skill_used": skill, "case_slug": case,
        "reward": reward.parse::<f64>().unwrap(), "timestamp": time.to_rfc3339(),
    });
    (format!("{domain}/{case}/{id}.json"), record.to_string().into_bytes())
}

pub fn files(lines: &[&str]) -> Vec<(String, Vec<u8>)> {
    lines.iter().map(|line| file(line)).collect()
}

/// `count` records at one place with the same reward, ids `{prefix}{n}`, one a minute from `minute`.
pub fn many(
    prefix: &str,
    place: &str,
    reward: f64,
    count: usize,
    minute: usize,
) -> Vec<(String, Vec<u8>)> {
    (0..count).map(|n| file(&format!("{prefix}{n:03} {place} {reward} {}", minute + n))).collect()
}

pub fn run(files: &[(String, Vec<u8>)]) -> Outcome {
    dream(files, &[], &[], &Config::default(), now())
}

fn of_kind<'a>(outcome: &'a Outcome, kind: &str) -> Vec<&'a Insight> {
    outcome.insights.iter().filter(|i| i.identity_parts.kind == kind).collect()
}

fn types(outcome: &Outcome) -> Vec<&str> {
    outcome.insights.iter().map(|i| i.identity_parts.r#type.as_str()).collect()
}

#[test]
fn thousandths_round_twice_half_away_from_zero() {
    assert_eq!(thousandths(0.85 - 0.70), 150);
    assert_eq!(thousandths(0.0005), 1);
    assert_eq!(thousandths(-0.0005), -1);
    assert_eq!(thousandths(0.000_499_9), 1, "500 millionths after the first rounding");
    assert_eq!(thousandths(0.000_499_4), 0);
    assert_eq!(thousandths(0.4995), 500);
    assert_eq!(
        (show2(0.845), show2(0.8449), show2(1.0), show2(0.005)),
        ("0.85".into(), "0.85".into(), "1.00".into(), "0.01".into())
    );
    assert_eq!(show3(120), "0.120");
}

#[test]
fn natural_order_compares_digits_as_whole_numbers() {
    let mut names = [
        "phase-10",
        "phase-2.10",
        "phase-2",
        "phase-2.5",
        "Phase-3",
        "phase-",
        "phase-99999999999999999999999",
    ];
    names.sort_by(|a, b| natural(a, b));
    assert_eq!(
        names,
        [
            "Phase-3",
            "phase-",
            "phase-2",
            "phase-2.5",
            "phase-2.10",
            "phase-10",
            "phase-99999999999999999999999"
        ]
    );
}

#[test]
fn a_gap_of_exactly_the_limit_is_none() {
    let at = |a: f64, b: f64| {
        let mut files = many("a", "banking p s c", a, 3, 0);
        files.extend(many("b", "retail p s c", b, 3, 0));
        run(&files)
    };
    let outcome = at(0.70, 0.85);
    assert!(
        of_kind(&outcome, "cross_domain").is_empty()
            && of_kind(&outcome, "skill_mismatch").is_empty()
    );
    let miss = &outcome.near_misses[0];
    assert_eq!((miss.reason.as_str(), miss.missing), ("gap 0.150 ≤ 0.15", (0, 150)));
    // Of the difference, not of each average: 0.1504 is 150, 0.1505 is 151.
    assert!(of_kind(&at(0.7, 0.8504), "cross_domain").is_empty());
    let outcome = at(0.7, 0.8505);
    let insight = of_kind(&outcome, "cross_domain")[0];
    assert_eq!(
        insight.description,
        "Phase p performs differently in banking (avg 0.70) vs retail (avg 0.85). Consider adjusting time budget for p in banking."
    );
    assert_eq!((insight.impact, insight.evidence_count, insight.confidence), ("medium", 3, 0.3));
    assert_eq!(of_kind(&at(0.5, 0.8), "cross_domain")[0].impact, "medium", "0.3 is not > 0.3");
    assert_eq!(of_kind(&at(0.5, 0.801), "cross_domain")[0].impact, "high");
}

#[test]
fn the_newer_half_of_an_odd_number_is_the_larger() {
    // Older: 0.2, 0.2; newer: 0.2, 0.6, 0.6. With the middle one in the older half it would be 0.4.
    let outcome = run(&files(&[
        "a d p s c 0.2 0",
        "b d p s c 0.2 1",
        "c d p s c 0.2 2",
        "d d p s c 0.6 3",
        "e d p s c 0.6 4",
    ]));
    let insight = of_kind(&outcome, "temporal")[0];
    assert_eq!((insight.evidence_count, insight.impact), (2, "medium"));
    assert_eq!(thousandths(outcome.associations.last().unwrap().gap), 267);
    assert_eq!(
        insight.description,
        "Overall system performance is improving. Current approach is working well."
    );
    // Equal timestamps go by id.
    let outcome = run(&files(&[
        "e d p s c 0.2 0",
        "d d p s c 0.2 0",
        "c d p s c 0.6 0",
        "b d p s c 0.6 0",
        "a d p s c 0.6 0",
    ]));
    assert_eq!(of_kind(&outcome, "temporal")[0].identity_parts.direction, "degrading");
}

#[test]
fn three_records_have_no_trend_and_four_have() {
    let trend = |count: usize| {
        let mut files = many("a", "d p s c", 0.2, 2, 0);
        files.extend(many("b", "d p s c", 0.9, count - 2, 10));
        files.extend(many("z", "other q t c", 0.5, 5, 20));
        let node = |n: &&Node| n.key.kind == "phase" && n.key.id == ["p"];
        run(&files).graph.nodes.iter().find(node).unwrap().trend
    };
    assert_eq!((trend(3), trend(4)), (Trend::InsufficientData, Trend::Improving));
}

#[test]
fn patterns_need_three_records_and_are_promoted_from_five() {
    let at = |count: usize| {
        let mut files = many("a", "d p s c", 0.4, count, 0);
        files.extend(many("z", "d q t c", 0.5, 6, 0));
        run(&files)
    };
    assert_eq!(types(&at(5)), ["bottleneck"]);
    let unsure = |o: &Outcome| {
        o.all_near_misses
            .iter()
            .any(|m| m.reason == "confidence 0.40 < 0.5" && m.category == "bottleneck")
    };
    assert!(types(&at(4)).is_empty() && unsure(&at(4)));
    let outcome = at(2);
    let few =
        outcome.all_near_misses.iter().find(|m| m.category == "bottleneck" && m.phases == ["p"]);
    assert_eq!(few.unwrap().missing, (1, 3));
    // 0.4996 is 500, no bottleneck.
    let mut files = many("a", "d p s c", 0.4996, 6, 0);
    files.extend(many("b", "d q t c", 0.9004, 6, 0));
    assert!(types(&run(&files)).is_empty());
}

#[test]
fn a_pattern_that_an_association_says_is_not_said_twice() {
    let mut files = many("a", "d p s c", 0.4, 6, 0);
    files.extend(many("b", "e p t c", 0.6, 6, 0));
    let outcome = run(&files);
    assert_eq!(types(&outcome), ["performance"], "the bottleneck in d is said by the gap in p");
    files.extend(many("c", "d q s c", 0.4, 6, 0));
    // Equal scores and evidence: by identity, "bottleneck" < "performance".
    assert_eq!(types(&run(&files)), ["bottleneck", "performance"], "q is said by nothing");
}

#[test]
fn mismatch_and_overhead() {
    let mut files = many("a", "d p s c", 0.4, 5, 0);
    files.extend(many("b", "e q s c", 0.75, 3, 0));
    let outcome = run(&files);
    // The mismatch is said by the skill's association, the bottleneck in p is not.
    assert_eq!(types(&outcome), ["bottleneck", "effectiveness"]);
    assert_eq!(outcome.insights[1].advice, "Consider using alternative skill/approach for s in d");
    for (index, (_, bytes)) in files.iter_mut().enumerate() {
        let mut record: Value = serde_json::from_slice(bytes).unwrap();
        record["reward"] = json!(0.6);
        record["outcome"] = json!({ "iterations": if index == 0 { 3 } else { 2 } });
        *bytes = record.to_string().into_bytes();
    }
    let outcome = run(&files);
    assert_eq!(types(&outcome), ["overhead"]);
    assert_eq!(outcome.insights[0].title, "Phase p takes 2.20 rounds on average in d");
}

#[test]
fn correlation_counts_cases_and_knows_the_earlier_phase() {
    let lines = |cases: &[(&str, &str)]| {
        let mut all = Vec::new();
        for (n, (domain, case)) in cases.iter().enumerate() {
            all.extend(files(&[
                &format!("x{n} {domain} phase-10 s {case} 0.4 {n}"),
                &format!("y{n} {domain} phase-2 s {case} 0.3 {}", n + 1),
            ]));
        }
        all
    };
    // The same case in two domains is two cases.
    let outcome = run(&lines(&[("d", "one"), ("d", "two"), ("e", "one")]));
    let insight = of_kind(&outcome, "phase_correlation")[0];
    assert_eq!(
        insight.title,
        "Low performance in phase-10 correlates with low performance in phase-2"
    );
    assert_eq!(insight.advice, "Improving phase-10 may improve phase-2 outcomes");
    assert_eq!((insight.impact, insight.evidence_count), ("medium", 3));
    assert_eq!(insight.identity_parts.phases, ["phase-2", "phase-10"]);
    let outcome = run(&lines(&[("d", "one"), ("d", "two"), ("d", "one")]));
    assert!(outcome.near_misses.iter().any(|m| m.reason == "2 of 3 cases"));
    // A phase's reward in a case is the mean of its records there; 0.5 is not low.
    let mut files = lines(&[("d", "one"), ("d", "two"), ("e", "one")]);
    files.push(file("more d phase-10 s one 0.6 50"));
    assert!(of_kind(&run(&files), "phase_correlation").is_empty());
}

#[test]
fn equal_mean_times_go_by_natural_order() {
    let mut all = Vec::new();
    for n in 0..3 {
        // phase-10 at 0 and 2, phase-2 at 1: the same mean.
        all.extend(files(&[
            &format!("x{n} d phase-10 s case{n} 0.4 0"),
            &format!("y{n} d phase-10 s case{n} 0.4 2"),
            &format!("z{n} d phase-2 s case{n} 0.3 1"),
        ]));
    }
    assert_eq!(of_kind(&run(&all), "phase_correlation")[0].identity_parts.direction, "phase-2");
}

#[test]
fn a_skill_named_like_a_domain_stays_apart() {
    let outcome = run(&many("a", "d d d c", 0.5, 5, 0));
    let labels: Vec<&str> = outcome.graph.nodes.iter().map(|n| n.label.as_str()).collect();
    assert_eq!(labels, ["d", "d_d_d_outcome", "d", "d"]);
    assert_eq!(outcome.graph.edges.len(), 3);
    // Names with underscores don't run into each other.
    let mut files = many("a", "a_b p s c", 0.5, 5, 0);
    files.extend(many("b", "a b_p s c", 0.5, 5, 0));
    let outcomes = run(&files).graph.nodes.into_iter().filter(|n| n.key.kind == "outcome");
    assert_eq!(outcomes.count(), 2);
}

#[test]
fn identity_is_a_hash_of_the_parts() {
    let mut files = many("a", "banking p s c", 0.2, 3, 0);
    files.extend(many("b", "retail p t c", 0.9, 3, 0));
    let outcome = run(&files);
    let array = r#"["performance","cross_domain","banking",["banking","retail"],["p"],[]]"#;
    use sha2::{Digest, Sha256};
    let hash: String = Sha256::digest(array).iter().take(8).map(|b| format!("{b:02x}")).collect();
    assert_eq!(of_kind(&outcome, "cross_domain")[0].identity, hash);
    assert_eq!(outcome.insights[0].insight_id, "dream-20260301-120000-001");
}
