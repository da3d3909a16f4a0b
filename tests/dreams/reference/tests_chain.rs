//! The reference itself over several dreams, and over random scenarios.

use chrono::Duration;
use serde_json::{Value, json};

use super::random::{Mode, Scenario};
use super::tests::{file, many, now, run};
use super::*;

/// Dreams over each list in turn, an hour apart; every dream finds the files of the ones before.
fn chain(lists: &[Vec<(String, Vec<u8>)>]) -> (Vec<Outcome>, Vec<(String, Value)>) {
    let mut earlier = Vec::new();
    let mut outcomes = Vec::new();
    for (hour, files) in lists.iter().enumerate() {
        let at = now() + Duration::hours(hour as i64);
        let outcome = dream(files, &earlier, &[], &Config::default(), at);
        earlier.extend(to_file(&outcome, at));
        outcomes.push(outcome);
    }
    (outcomes, earlier)
}

fn gap(weak: usize, from: usize) -> Vec<(String, Vec<u8>)> {
    let mut files = many(&format!("a{from}"), "banking p s c", 0.2, weak, from);
    files.extend(many(&format!("b{from}"), "retail p t c", 0.9, weak, from));
    files
}

fn cross(outcome: &Outcome) -> &Insight {
    outcome.insights.iter().find(|i| i.identity_parts.kind == "cross_domain").unwrap()
}

#[test]
fn what_was_seen_twice_counts_once() {
    let mut more = gap(3, 0);
    more.extend(gap(1, 50));
    let (outcomes, _) = chain(&[gap(3, 0), more]);
    let insight = cross(&outcomes[1]);
    assert_eq!((insight.evidence_count, insight.own_evidence), (4, 4));
    assert_eq!(insight.seen_in, ["dream-20260301-120000", "dream-20260301-130000"]);
    assert_eq!(insight.first_seen, now());
}

#[test]
fn what_is_gone_counts_while_a_dream_that_saw_it_is_among_the_three() {
    // Six a side in the first dream only, then three others a side each time.
    let (outcomes, _) = chain(&[gap(6, 0), gap(3, 50), gap(3, 60), gap(3, 70), gap(3, 80)]);
    let counts: Vec<usize> = outcomes.iter().map(|o| cross(o).evidence_count).collect();
    assert_eq!(counts, [6, 9, 12, 15, 12]);
    assert_eq!(cross(&outcomes[3]).confidence, 1.0);
    assert_eq!(cross(&outcomes[4]).seen_in.len(), 5, "seen_in is kept beyond the three");
}

#[test]
fn the_smaller_side_is_taken_after_the_union() {
    // First 5 : 3, then 3 : 5 of others: 8 : 8.
    let sides = |a: usize, b: usize, from: usize| {
        let mut files = many(&format!("a{from}"), "banking p s c", 0.2, a, from);
        files.extend(many(&format!("b{from}"), "retail p t c", 0.9, b, from));
        files
    };
    let (outcomes, _) = chain(&[sides(5, 3, 0), sides(3, 5, 50)]);
    assert_eq!((cross(&outcomes[1]).own_evidence, cross(&outcomes[1]).evidence_count), (3, 8));
}

#[test]
fn correlations_unite_cases() {
    let low = |cases: std::ops::Range<usize>| {
        let mut files = Vec::new();
        for case in cases {
            files.extend(many(&format!("x{case}"), &format!("d p s case{case}"), 0.4, 1, case));
            files.extend(many(&format!("y{case}"), &format!("d q s case{case}"), 0.4, 1, case + 1));
        }
        files
    };
    let (outcomes, _) = chain(&[low(0..4), low(3..6)]);
    let insight =
        outcomes[1].insights.iter().find(|i| i.identity_parts.kind == "phase_correlation");
    assert_eq!((insight.unwrap().own_evidence, insight.unwrap().evidence_count), (3, 6));
}

#[test]
fn a_failing_input_gets_smaller() {
    let step = Scenario::new(3, Mode::Settled).steps.remove(0);
    let smallest = step.smallest(|step| step.dream().valid_records > 1);
    assert!(step.files.len() > 2 && smallest.files.len() == 2 && smallest.earlier.is_empty());
}

#[test]
fn temporal_insights_are_not_merged() {
    let halves = |from: usize| {
        let mut files = many(&format!("a{from}"), "d p s c", 0.5, 3, from);
        files.extend(many(&format!("b{from}"), "d p s c", 0.8, 3, from + 10));
        files
    };
    let (outcomes, _) = chain(&[halves(0), halves(50)]);
    let insight = outcomes[1].insights.iter().find(|i| i.identity_parts.kind == "temporal");
    assert_eq!(insight.unwrap().evidence_count, 3);
}

#[test]
fn a_turned_insight_is_new_and_says_so() {
    let mut turned = many("c", "banking p s c", 0.9, 4, 0);
    turned.extend(many("d", "retail p t c", 0.2, 4, 0));
    let (outcomes, _) = chain(&[gap(3, 0), turned]);
    let insight = cross(&outcomes[1]);
    assert_eq!(insight.turned_from.as_deref(), Some("banking"));
    assert_eq!((insight.evidence_count, insight.seen_in.len()), (4, 1));
    assert_ne!(insight.identity, cross(&outcomes[0]).identity);
}

fn foreign(name: &str, evidence: u64) -> (String, Value) {
    let insight = json!({
        "type": "performance", "description": "?", "evidence_count": evidence, "domains": ["banking", "retail"],
        "phases": ["p"], "skills": ["whatever"], "created_at": "2026-02-20T00:00:00Z",
    });
    (name.into(), json!({ "insights": [insight] }))
}

#[test]
fn the_newest_foreign_match_is_added_once() {
    let earlier =
        [foreign("dream-20260201-000000.json", 5), foreign("dream-20260202-000000.json", 2)];
    let outcome = dream(&gap(3, 0), &earlier, &[], &Config::default(), now());
    assert_eq!((cross(&outcome).evidence_count, cross(&outcome).own_evidence), (5, 3));
    // It is not added again by way of our own dream, and not once it is not among the three.
    let (name, own) = to_file(&outcome, now()).unwrap();
    let mut earlier = vec![earlier[1].clone(), (name, own.clone())];
    let config = Config { force: true, ..Config::default() };
    let later = now() + Duration::hours(9);
    assert_eq!(cross(&dream(&gap(3, 0), &earlier, &[], &config, later)).evidence_count, 5);
    earlier.push(("dream-20260301-130000.json".into(), own.clone()));
    earlier.push(("dream-20260301-140000.json".into(), own));
    assert_eq!(cross(&dream(&gap(3, 0), &earlier, &[], &config, later)).evidence_count, 3);
}

#[test]
fn a_dream_from_the_future_is_neither_latest_nor_merged() {
    let earlier =
        [foreign("dream-20260302-000000.json", 5), foreign("dream-20260301-120000.json", 1)];
    let outcome = dream(&gap(3, 0), &earlier, &[], &Config::default(), now());
    assert_eq!(cross(&outcome).evidence_count, 4);
    assert_eq!(outcome.dream_id, "dream-20260301-120001", "a taken name moves on");
    assert_eq!(outcome.warnings, [Warning::FutureDream { name: earlier[0].0.clone() }]);
}

#[test]
fn an_unreadable_dream_keeps_its_place() {
    let bad = |day: u32| (format!("dream-202602{day:02}-000000.json"), Value::Null);
    let earlier = [foreign("dream-20260201-000000.json", 5), bad(2), bad(3), bad(4)];
    let outcome = dream(&gap(3, 0), &earlier[..3], &[], &Config::default(), now());
    assert_eq!((cross(&outcome).evidence_count, outcome.warnings.len()), (8, 2));
    let outcome = dream(&gap(3, 0), &earlier, &[], &Config::default(), now());
    assert_eq!((cross(&outcome).evidence_count, outcome.warnings.len()), (3, 3));
    // A name that is not exactly of the form is no dream.
    let odd =
        [foreign("dream-20260201-000000.json.bak", 5), foreign("dream-20260201-0000000.json", 5)];
    assert_eq!(cross(&dream(&gap(3, 0), &odd, &[], &Config::default(), now())).evidence_count, 3);
}

#[test]
fn unchanged_input_and_force() {
    let (outcomes, earlier) = chain(&[gap(3, 0), gap(3, 0)]);
    assert_eq!(outcomes[1].status, Status::UnchangedInput);
    let config = Config { force: true, ..Config::default() };
    assert_eq!(dream(&gap(3, 0), &earlier, &[], &config, now()).status, Status::Completed);
}

#[test]
fn a_dismissed_insight_comes_back_at_twice_its_own_evidence() {
    let identity = cross(&run(&gap(3, 0))).identity.clone();
    let config =
        Config { dismissed: vec![Dismissed { identity, evidence: 2 }], ..Config::default() };
    let there = |size: usize| {
        let outcome = dream(&gap(size, 0), &[], &[], &config, now());
        outcome.insights.iter().any(|i| i.identity_parts.kind == "cross_domain")
    };
    assert_eq!((there(3), there(4)), (false, true));
}

#[test]
fn foreign_patterns() {
    let entry = |id: &str, evidence: usize| {
        json!({
            "pattern_id": id, "category": "habit", "description": "Seen", "evidence_count": evidence,
            "domain": "d", "actionable_advice": "Act",
        })
    };
    let mut ours = entry("ours", 9);
    ours["record_ids"] = json!(["r"]);
    let list = json!([entry("a", 5), entry("a", 8), entry("b", 4), ours, 3]);
    let records = many("a", "d p s c", 0.6, 5, 0);
    for content in
        [list.clone(), json!({ "patterns": list }), json!({ "version": "1", "habits": list })]
    {
        let outcome = dream(&records, &[], &[content], &Config::default(), now());
        let found: Vec<(&str, usize)> =
            outcome.insights.iter().map(|i| (i.description.as_str(), i.evidence_count)).collect();
        assert_eq!(found, [("Seen. Act.", 8)]);
        assert_eq!(outcome.warnings, [Warning::BadPattern { file: 0, entry: 4 }]);
    }
}

#[test]
fn at_most_twenty_ranked() {
    let mut files = Vec::new();
    for phase in 0..30 {
        files.extend(many(
            &format!("a{phase:02}-"),
            &format!("d p{phase} s c"),
            0.3,
            5 + phase % 2,
            0,
        ));
    }
    let outcome = run(&files);
    let counts: Vec<usize> = outcome.insights.iter().map(|i| i.evidence_count).collect();
    assert_eq!(counts, [vec![6; 15], vec![5; 5]].concat());
    // Part by part bytewise: p1 < p11 < p13, not in natural order.
    assert_eq!(outcome.insights[1].identity_parts.phases, ["p11"]);
    assert_eq!(outcome.insights[19].insight_id, "dream-20260301-120000-020");
    assert_eq!(file("a d p s c 0.1 0").0, "d/c/a.json");
}

#[test]
fn random_scenarios_hold_together_and_reach_everything() {
    let mut seen: std::collections::BTreeMap<String, usize> = Default::default();
    let mut see = |what: String| *seen.entry(what).or_default() += 1;
    for seed in 0..150 {
        let mode = if seed % 4 == 0 { Mode::Wild } else { Mode::Settled };
        for step in Scenario::new(seed, mode).steps {
            let outcome = step.dream();
            // The order in which a folder is listed changes nothing.
            let mut other = step.clone();
            other.files.reverse();
            other.earlier.reverse();
            assert_eq!(outcome, other.dream(), "seed {seed}\n{}", step.listing());
            see(format!("{:?}", outcome.status));
            if let Some((_, mut file)) = to_file(&outcome, step.now) {
                assert_eq!(differences(&outcome, &file), [""; 0]);
                if !outcome.insights.is_empty() {
                    file["insights"][0]["own_evidence"] = json!(0);
                    assert_eq!(differences(&outcome, &file).len(), 1);
                }
            }
            assert!(outcome.insights.len() <= 20);
            for (_, fault) in &outcome.skipped {
                see(fault.code().into());
            }
            for warning in &outcome.warnings {
                see(format!("{warning:?}").split(' ').next().unwrap().into());
            }
            for pair in outcome.insights.windows(2) {
                assert!(thousandths(pair[0].rank_score) >= thousandths(pair[1].rank_score));
                assert_ne!(pair[0].identity, pair[1].identity);
            }
            for i in &outcome.insights {
                see(format!("{} {}", i.identity_parts.kind, i.impact));
                see(format!("type {}", i.identity_parts.r#type));
                for (name, yes) in [
                    ("merged", i.evidence_count > i.own_evidence),
                    ("turned", i.turned_from.is_some()),
                    ("foreign", i.foreign),
                ] {
                    if yes {
                        see(name.into());
                    }
                }
                assert!(i.evidence_count >= i.own_evidence && (0.0..=1.0).contains(&i.confidence));
            }
            for m in &outcome.all_near_misses {
                see(format!("miss {}", m.kind));
                if m.missing.0 == 0 && m.kind != "pattern" {
                    see("exactly at a limit".into());
                }
            }
            for (yes, name) in
                [
                    (outcome.left_out.count > 0, "left out"),
                    (outcome.left_out.failures > 0, "failures left out"),
                    (!outcome.expired.is_empty(), "expired"),
                    (outcome.insights.len() == 20, "twenty insights"),
                    (
                        outcome.insights.iter().all(|i| {
                            !step.config.dismissed.iter().any(|d| d.identity == i.identity)
                        }) && !step.config.dismissed.is_empty(),
                        "dismissed",
                    ),
                ]
            {
                if yes {
                    see(name.into());
                }
            }
        }
    }
    println!("{seen:#?}");
    for what in [
        "Completed",
        "InsufficientData",
        "UnchangedInput",
        "parse_error",
        "not_an_object",
        "missing_field",
        "wrong_type",
        "reward_not_number",
        "reward_out_of_range",
        "bad_timestamp",
        "duplicate_id",
        "FutureRecords",
        "UnreadableExpiry",
        "BadPattern",
        "FutureDream",
        "UnreadableDream",
        "cross_domain high",
        "cross_domain medium",
        "skill_mismatch high",
        "skill_mismatch medium",
        "phase_correlation high",
        "phase_correlation medium",
        "phase_correlation low",
        "temporal high",
        "temporal medium",
        "pattern medium",
        "type bottleneck",
        "type excellence",
        "type improving",
        "type degrading",
        "type overhead",
        "merged",
        "turned",
        "foreign",
        "miss temporal",
        "miss cross_domain",
        "miss phase_correlation",
        "miss pattern",
        "exactly at a limit",
        "left out",
        "failures left out",
        "expired",
        "dismissed",
    ] {
        assert!(seen.contains_key(what), "never happened: {what}");
    }
}
