//! Associations, the graph, and what came near.

use super::*;
use crate::core::dream::graph::{NodeId, NodeType};

/// Two domains with a phase each, at these averages.
fn two(a: f64, b: f64) -> Vec<Value> {
    let mut all = series("alpha", "phase-1", "one", &[a; 3]);
    all.extend(series("beta", "phase-1", "two", &[b; 3]));
    all
}

#[test]
fn a_gap_of_exactly_0_15_is_no_association() {
    let dream = dreamt(&two(0.85, 0.70)).dream;
    assert!(of_kind(&dream, "cross_domain").is_empty());
    let miss = dream.near_misses.iter().find(|m| m.kind == "cross_domain").expect("near");
    assert_eq!(miss.reason, "gap 0.150 ≤ 0.15");
    assert_eq!(of_kind(&dreamt(&two(0.851, 0.70)).dream, "cross_domain").len(), 1);
}

#[test]
fn impact_has_its_borders_at_0_3_and_0_15() {
    let impact = |a: f64, b: f64| {
        let dream = dreamt(&two(a, b)).dream;
        of_kind(&dream, "cross_domain")[0].impact.clone()
    };
    assert_eq!(impact(0.9, 0.6), "medium", "0.3 is not above 0.3");
    assert_eq!(impact(0.901, 0.6), "high");
    assert_eq!(impact(0.751, 0.6), "medium");
    // Only correlations can have a smaller gap.
    let low = |reward: f64| {
        let mut all = series("d", "phase-1", "s", &[reward; 3]);
        all.extend(series("d", "phase-2", "s", &[reward; 3]));
        let dream = dreamt(&all).dream;
        of_kind(&dream, "phase_correlation")[0].impact.clone()
    };
    assert_eq!(low(0.36), "low");
    assert_eq!(low(0.35), "medium", "0.15 is enough for medium");
}

#[test]
fn a_phase_in_two_domains_is_worded_with_its_averages() {
    let dream = dreamt(&two(0.655, 0.3)).dream;
    let insight = of_kind(&dream, "cross_domain")[0];
    assert_eq!(
        insight.description,
        "Phase phase-1 performs differently in alpha (avg 0.66) vs beta (avg 0.30). \
         Consider adjusting time budget for phase-1 in beta."
    );
    assert_eq!(insight.direction, "beta");
    let said = "Phase phase-1 does worse in beta (avg 0.30) than in alpha (avg 0.66).";
    assert_eq!(insight.said(), said);
    // One of another tool says no direction; one that points nowhere keeps its words.
    let foreign = Insight { direction: String::new(), ..insight.clone() };
    assert_eq!(foreign.said(), said);
    let other = Insight { direction: "gamma".to_owned(), ..insight.clone() };
    assert_eq!(other.said(), other.finding());
    let up = dreamt(&two(0.3, 0.655)).dream;
    let said = of_kind(&up, "cross_domain")[0].said().into_owned();
    assert_eq!(said, "Phase phase-1 does worse in alpha (avg 0.30) than in beta (avg 0.66).");
    assert!(insight.finding().ends_with("beta (avg 0.30)."), "{}", insight.finding());
    assert_eq!((insight.evidence_count, insight.confidence.0), (3, 300));
    assert_eq!(insight.rank_score.0, 900);
    let support = insight.support.as_ref().expect("ours");
    assert_eq!(support["alpha"].len(), 3);
}

#[test]
fn a_skill_named_like_a_domain_stays_apart() {
    let mut all = series("same", "p", "same", &[0.5; 3]);
    all.extend(series("other", "p", "same", &[0.9; 3]));
    let dreamt = dreamt(&all);
    let graph = dreamt.graph.expect("wanted");
    let same = |kind| {
        let id = NodeId::Name("same".to_owned());
        graph.nodes.iter().find(|n| n.key.kind == kind && n.key.id == id).expect("there")
    };
    assert_eq!(same(NodeType::Domain).attributes.record_count, 3);
    assert_eq!(same(NodeType::Skill).attributes.record_count, 6);
    assert_eq!(dreamt.dream.concept_graph_nodes, graph.nodes.len());
    assert_eq!(dreamt.dream.concept_graph_edges, graph.edges.len());
    let outcome = graph.nodes.iter().find(|n| n.label == "same_p_same_outcome").expect("there");
    assert_eq!(outcome.key.kind, NodeType::Outcome);
    let skill = of_kind(&dreamt.dream, "skill_mismatch")[0];
    assert_eq!(
        skill.description,
        "same performs differently in other vs same. Consider using alternative \
         skill/approach for same in same."
    );
    assert_eq!(skill.said(), "same does worse in same than in other.");
}

#[test]
fn outcomes_whose_labels_collide_stay_apart() {
    let mut all = series("a_b", "c", "s", &[0.5; 3]);
    all.extend(series("a", "b_c", "s", &[0.5; 3]));
    let graph = dreamt(&all).graph.expect("wanted");
    let outcomes: Vec<_> = graph.nodes.iter().filter(|n| n.key.kind == NodeType::Outcome).collect();
    assert_eq!(outcomes.len(), 2);
    assert_eq!(outcomes[0].label, outcomes[1].label);
}

#[test]
fn phase_2_and_phase_2_5_and_phase_10_are_three_phases_in_this_order() {
    let mut all = Vec::new();
    for phase in ["phase-10", "phase-2.5", "phase-2"] {
        all.extend(series("d", phase, "s", &[0.5; 2]));
    }
    let dream = dreamt(&all).dream;
    assert_eq!(dream.metadata.phases_covered, ["phase-2", "phase-2.5", "phase-10"]);
}

/// Cases in which two phases have these rewards, the second phase first in time.
fn correlated(cases: u32, x: f64, y: f64) -> Vec<Value> {
    (0..cases)
        .flat_map(|n| {
            let case = format!("case-{n}");
            [
                record(&format!("x{n}"), "d", &case, "phase-1", "s", x, 30 + n),
                record(&format!("y{n}"), "d", &case, "phase-2", "s", y, n),
            ]
        })
        .collect()
}

#[test]
fn three_cases_make_a_correlation_and_two_come_near() {
    let dream = dreamt(&correlated(3, 0.4, 0.2)).dream;
    let insight = of_kind(&dream, "phase_correlation")[0];
    assert_eq!(
        insight.description,
        "Low performance in phase-2 correlates with low performance in phase-1. \
         Improving phase-2 may improve phase-1 outcomes."
    );
    assert_eq!((insight.direction.as_str(), insight.impact.as_str()), ("phase-2", "medium"));
    assert_eq!(insight.phases, ["phase-1", "phase-2"]);
    assert_eq!(insight.support.as_ref().expect("ours")["cases"].len(), 3);
    let mut all = correlated(2, 0.4, 0.2);
    all.extend(series("e", "phase-3", "s", &[0.9]));
    let dream = dreamt(&all).dream;
    assert!(of_kind(&dream, "phase_correlation").is_empty());
    let miss = dream.near_misses.iter().find(|m| m.kind == "phase_correlation").expect("near");
    assert_eq!(miss.reason, "2 of 3 cases");
}

#[test]
fn within_a_case_a_phase_counts_with_its_mean_and_cases_of_two_domains_are_two() {
    // Each of three cases has phase-1 at 0.3 and 0.7: a mean of 0.5 is not low.
    let mut all = correlated(3, 0.3, 0.2);
    for n in 0..3 {
        let case = format!("case-{n}");
        all.push(record(&format!("z{n}"), "d", &case, "phase-1", "s", 0.7, 50));
    }
    assert!(of_kind(&dreamt(&all).dream, "phase_correlation").is_empty());
    // The same slug in two domains: two cases.
    let both: Vec<Value> = ["d", "e", "f"]
        .iter()
        .flat_map(|domain| {
            ["phase-1", "phase-2"]
                .map(|p| record(&format!("{domain}{p}"), domain, "same", p, "s", 0.1, 0))
        })
        .collect();
    let dream = dreamt(&both).dream;
    let insight = of_kind(&dream, "phase_correlation")[0];
    assert_eq!(insight.evidence_count, 3);
    assert_eq!(insight.direction, "phase-1", "a tie in time goes by name");
}

#[test]
fn the_whole_turns_when_the_halves_differ() {
    let of = |rewards: &[f64]| dreamt(&series("d", "p", "s", rewards)).dream;
    let up = of(&[0.5, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9]);
    let insight = of_kind(&up, "temporal")[0];
    assert_eq!(
        insight.description,
        "Overall system performance is improving. Current approach is working well."
    );
    assert_eq!((insight.evidence_count, insight.direction.as_str()), (3, "improving"));
    assert!(insight.domains.is_empty());
    let down = of(&[0.9, 0.9, 0.9, 0.5, 0.5, 0.5]);
    assert_eq!(
        of_kind(&down, "temporal")[0].description,
        "Overall system performance is degrading -- investigate. Review recent changes to \
         pipeline configuration."
    );
    let flat = of(&[0.5, 0.5, 0.5, 0.65, 0.65, 0.65]);
    assert!(of_kind(&flat, "temporal").is_empty());
    assert!(flat.near_misses.iter().any(|m| m.reason == "change 0.150 ≤ 0.15"));
}

#[test]
fn no_insights_always_says_why() {
    let dream = dreamt(&series("d", "p", "s", &[0.7; 6])).dream;
    assert!(dream.insights.is_empty());
    let reasons: Vec<&str> = dream.near_misses.iter().map(|m| m.reason.as_str()).collect();
    assert!(reasons.contains(&"only one domain"), "{reasons:?}");
    assert!(reasons.contains(&"average 0.700 ≥ 0.5"), "{reasons:?}");
}

#[test]
fn near_misses_are_closest_first_and_twenty_with_the_rest_counted() {
    let mut all = Vec::new();
    for (n, domain) in ["a", "b", "c", "d", "e", "f", "g", "h"].iter().enumerate() {
        all.extend(series(domain, "p", "s", &[0.6 + n as f64 / 50.0; 3]));
    }
    let dream = dreamt(&all).dream;
    assert_eq!(dream.near_misses.len(), 20);
    assert!(dream.near_misses_more > 0);
    let missing: Vec<i64> = dream.near_misses.iter().map(|m| m.missing.0).collect();
    assert!(missing.is_sorted(), "{missing:?}");
    let pair = dream.near_misses.iter().find(|m| m.kind == "cross_domain").expect("near");
    assert_eq!(pair.domains, ["a", "h"]);
}

#[test]
fn twenty_insights_are_kept_in_order_of_rank() {
    let mut all = Vec::new();
    for n in 0..12 {
        let reward = f64::from(n) / 12.0;
        all.extend(series(&format!("d{n}"), "p", &format!("s{n}"), &[reward; 3]));
    }
    let dream = dreamt(&all).dream;
    assert_eq!(dream.insights.len(), 20);
    let ranks: Vec<i64> = dream.insights.iter().map(|i| -i.rank_score.0).collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    assert_eq!(dream.insights[0].insight_id, "dream-20260301-120000-001");
    assert_eq!(dream.insights[19].insight_id, "dream-20260301-120000-020");
    // Of equal rank and evidence the identity decides, bytewise.
    let high: Vec<_> = dream.insights.iter().filter(|i| i.rank_score.0 == 900).collect();
    let names: Vec<_> = high.iter().map(|i| (i.direction.clone(), i.domains.clone())).collect();
    assert!(names.is_sorted(), "{names:?}");
}
