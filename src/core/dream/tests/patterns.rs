//! The tracker's patterns and those of other tools.

use super::*;
use crate::core::dream::foreign;

fn categories(dream: &Dream) -> Vec<String> {
    let mut all: Vec<String> =
        of_kind(dream, "pattern").iter().map(|i| i.insight_type.clone()).collect();
    all.sort();
    all
}

#[test]
fn three_records_make_a_bottleneck_but_five_promote_it() {
    let dream =
        dreamt(&[series("d", "p", "s", &[0.2; 4]), series("d", "q", "s", &[0.7; 2])].concat());
    let dream = dream.dream;
    assert_eq!(categories(&dream), Vec::<String>::new(), "a confidence of 0.4");
    let miss = dream.near_misses.iter().find(|m| m.kind == "bottleneck" && m.phases == ["p"]);
    assert_eq!(miss.expect("near").reason, "confidence 0.400 < 0.5");
    let dream = dreamt(&series("d", "p", "s", &[0.2; 5])).dream;
    assert_eq!(categories(&dream), ["bottleneck"]);
    let insight = of_kind(&dream, "pattern")[0];
    assert_eq!(
        insight.description,
        "Phase p is a bottleneck in d (avg 0.20). Give it more time or split it."
    );
    assert_eq!((insight.impact.as_str(), insight.rank_score.0), ("medium", 1000));
    assert_eq!(insight.support.as_ref().expect("ours")["records"].len(), 5);
}

#[test]
fn the_other_patterns_have_their_limits() {
    assert_eq!(categories(&dreamt(&series("d", "p", "s", &[0.9; 5])).dream), Vec::<String>::new());
    assert_eq!(categories(&dreamt(&series("d", "p", "s", &[0.901; 5])).dream), ["excellence"]);
    let up = dreamt(&series("d", "p", "s", &[0.6, 0.6, 0.8, 0.8, 0.8])).dream;
    assert_eq!(categories(&up), ["improving"]);
    let down = dreamt(&series("d", "p", "s", &[0.8, 0.8, 0.6, 0.6, 0.6])).dream;
    assert_eq!(categories(&down), ["degrading"]);
    let rounds = |n: f64| {
        let mut all = series("d", "p", "s", &[0.7; 5]);
        for record in &mut all {
            record["outcome"] = json!({ "iterations": n, "artifacts_created": [] });
        }
        dreamt(&all).dream
    };
    assert_eq!(categories(&rounds(2.0)), Vec::<String>::new());
    let over = rounds(2.4);
    assert_eq!(categories(&over), ["overhead"]);
    let text = &of_kind(&over, "pattern")[0].description;
    assert_eq!(text, "Phase p takes 2.40 rounds on average in d. Sharpen its input.");
}

#[test]
fn a_mismatch_that_an_association_says_already_is_not_said_twice() {
    let mut all = series("d", "p", "s", &[0.3; 5]);
    all.extend(series("e", "q", "s", &[0.8; 5]));
    let dream = dreamt(&all).dream;
    assert_eq!(of_kind(&dream, "skill_mismatch").len(), 1);
    // The bottleneck of p in d stands: no association has both d and p.
    assert_eq!(categories(&dream), ["bottleneck"]);
    // With the gap's limit moved, the mismatch is said as a pattern.
    let limits = Limits { gap: Thousandths(999), ..Limits::default() };
    let dream = dream_of_files(files(&all), &Request { limits, ..Request::at(now()) }).dream;
    assert_eq!(categories(&dream), ["bottleneck", "mismatch"]);
    let mismatch = of_kind(&dream, "pattern").into_iter().find(|i| i.insight_type == "mismatch");
    assert_eq!(
        mismatch.expect("there").description,
        "s underperforms in d (avg 0.30) but not in e (avg 0.80). Use another skill for it in d."
    );
}

fn with_foreign(file: &Value) -> (Dream, Vec<String>) {
    let (foreign, warnings) = foreign::read(file.to_string().as_bytes());
    let records = files(&series("d", "p", "s", &[0.7; 5]));
    let request = Request { foreign: &foreign, ..Request::at(now()) };
    (dream_of_files(records, &request).dream, warnings)
}

#[test]
fn promoted_patterns_need_0_5_and_0_49_is_too_little() {
    let entry = |confidence: f64| {
        json!([{ "pattern_id": "p1", "category": "gap", "description": "They said so.",
                 "confidence": confidence, "evidence_count": 9, "domain": "x",
                 "actionable_advice": "Do something." }])
    };
    assert_eq!(categories(&with_foreign(&entry(0.5)).0), ["gap"]);
    let (dream, _) = with_foreign(&entry(0.49));
    assert_eq!(categories(&dream), Vec::<String>::new());
    assert!(dream.near_misses.iter().any(|m| m.reason == "confidence 0.490 < 0.5"));
    let (dream, _) = with_foreign(&entry(0.5));
    let insight = of_kind(&dream, "pattern")[0];
    assert_eq!(insight.description, "They said so. Do something.");
    assert_eq!((insight.advice.as_str(), insight.direction.as_str()), ("Do something", "p1"));
}

#[test]
fn pattern_files_of_three_forms_are_read_and_bad_entries_are_named() {
    let entry = json!({ "category": "gap", "description": "a", "confidence": 0.9 });
    let plural = json!({ "description": "b", "evidence_count": 8 });
    let file = json!({
        "version": "1", "patterns": [entry, { "category": 3, "description": "x" }, "no"],
        "bottlenecks": [plural], "strategies": [{ "description": "c", "confidence": 2 }],
    });
    let (patterns, warnings) = foreign::read(file.to_string().as_bytes());
    let found: Vec<(&str, f64)> =
        patterns.iter().map(|p| (p.category.as_str(), p.confidence)).collect();
    assert_eq!(found, [("gap", 0.9), ("bottleneck", 0.8)]);
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    let (patterns, warnings) = foreign::read(b"[{\"category\":\"a\",\"description\":\"b\"}]");
    assert_eq!((patterns.len(), warnings.len()), (1, 0));
    assert_eq!(foreign::read(b"{").1.len(), 1);
}

#[test]
fn our_own_patterns_are_never_read_back() {
    let ours = json!({ "patterns": [{ "category": "bottleneck", "description": "old news",
        "confidence": 1.0, "record_ids": ["a"], "domain": "d", "phase": "z" }] });
    let (dream, warnings) = with_foreign(&ours);
    assert_eq!((categories(&dream).len(), warnings.len()), (0, 0));
}

#[test]
fn of_one_identity_the_most_confident_stays() {
    let entry = |confidence: f64, text: &str| json!({ "category": "gap", "description": text, "confidence": confidence, "domain": "x" });
    let file = json!([entry(0.6, "less"), entry(0.8, "more"), entry(0.7, "between")]);
    let (dream, _) = with_foreign(&file);
    let found = of_kind(&dream, "pattern");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].description, "more.");
}
