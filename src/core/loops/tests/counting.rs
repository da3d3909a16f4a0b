//! What counts, and what is said about what doesn't (engine.md §4).

use super::fixture::*;
use crate::core::loops::command::{Command, SupersedeWith};
use crate::core::loops::condition::{Condition, Scope};
use crate::core::loops::evaluate::{Detail, Evaluator, Purpose, unmet_reasons};
use crate::core::loops::lint;
use crate::core::loops::protocol::Kind;

fn critique_round() -> Deck {
    let mut deck = Deck::ideation();
    deck.advance();
    deck
}

fn reasons(deck: &Deck, condition: &Condition) -> Vec<String> {
    unmet_reasons(&Evaluator::new(&deck.state, Purpose::Gate, Detail::Full).node(condition))
}

#[test]
fn remarks_stand_in_their_order() {
    let mut deck = critique_round();
    for i in 0..3 {
        deck.add("critique", &format!("one {i}"));
    }
    deck.advance();
    deck.add("revision", "r");
    deck.advance();
    deck.add("critique", "same");
    deck.add("critique", " same\n");
    assert_eq!(deck.warnings, ["the same critique was filed before in this round: it counts once"]);
    deck.add("critique", "");
    deck.add("critique", "\t");
    let expected = "min_artifacts_by_type unmet: phase-scope count of type \"critique\" = 1 < n=3 \
                    (2 of this type carry no usable content) \
                    (3 of this type belong to another round) (1 duplicate)";
    assert_eq!(reasons(&deck, &critiques(3)), [expected]);
    let why = deck.why();
    let tree = why.gate.tree.expect("has a gate");
    let mut ignored: Vec<&str> = tree.ignored.iter().map(|i| i.why.as_str()).collect();
    ignored.sort_unstable();
    assert_eq!(
        ignored,
        ["blank", "blank", "duplicate", "other_round", "other_round", "other_round"]
    );
    assert_eq!(tree.counts.len(), 1);
    assert_eq!((tree.counted, tree.needed), (Some(1), Some(3)));
    let repeats = deck.state.artifacts.iter().filter(|a| deck.state.repeats(a));
    assert_eq!(repeats.map(|a| &*a.preview).collect::<Vec<_>>(), ["same"], "the second one");
}

#[test]
fn the_same_words_of_two_producers_count_twice() {
    let mut deck = critique_round();
    deck.add("critique", "same");
    deck.add_as("agent:codex", "critique", "same");
    let scope = Condition::MinArtifactsByType {
        artifact_type: "critique".into(),
        n: 2,
        scope: Scope::Loop,
    };
    assert!(reasons(&deck, &scope).is_empty());
}

#[test]
fn retracted_and_superseded_ones_count_no_more() {
    let mut deck = critique_round();
    let first = deck.add("critique", "one");
    let blank = deck.add("critique", "");
    deck.run(Command::Retract { artifact: first.to_string(), reason: "wrong".to_owned() });
    assert!(reasons(&deck, &critiques(1))[0].contains("= 0 < n=1"));
    let version = deck.state.version;
    deck.run(Command::Retract { artifact: first.to_string(), reason: "wrong".to_owned() });
    assert_eq!(deck.state.version, version, "twice is once");
    let fixed = Command::Supersede {
        artifact: blank.to_string(),
        new: SupersedeWith {
            content: said("critique", "now with words").content,
            ..SupersedeWith::default()
        },
    };
    let made = deck.run(fixed.clone()).made.artifact_ids;
    assert!(reasons(&deck, &critiques(1)).is_empty());
    assert_eq!(deck.run(fixed).made.artifact_ids, made, "twice gives the same answer");
    assert_eq!(deck.state.newest_version(blank.as_str()).map(|a| &a.artifact_id), made.first());
    deck.check();
}

#[test]
fn every_unmet_leaf_says_what_was_counted() {
    let deck = critique_round();
    let produced = |phase: &str, kind: &str| Condition::ArtifactProduced {
        phase: phase.into(),
        artifact_type: kind.into(),
    };
    let any = Condition::Any {
        conditions: vec![
            produced("synthesis", "plan_draft"),
            Condition::PhaseReached { phase: "synthesis".into() },
            Condition::ReviewerGreen,
            Condition::MaxIterations { n: 3 },
            Condition::MinIterations { n: 1 },
            Condition::Manual,
        ],
    };
    let expected = [
        "artifact_produced unmet: no artifact of type \"plan_draft\" in phase \"synthesis\"",
        "phase_reached unmet: current phase is \"critique\", expected \"synthesis\"",
        "reviewer_green unmet: no accepted verdict in round 1",
        "max_iterations unmet: 0 of 3 rounds finished",
        "min_iterations unmet: 0 of 1 round finished",
        "manual: closes only by hand",
    ];
    assert_eq!(reasons(&deck, &any), expected);
    let all = Condition::All { conditions: vec![Condition::NoOpenQuestions, Condition::Manual] };
    assert_eq!(reasons(&deck, &all), ["manual: closes only by hand"], "only what fails");
}

#[test]
fn the_wire_form_is_the_one_of_the_design() {
    let text = r#"{"kind":"any","conditions":[{"kind":"min_artifacts_by_type","type":"critique","n":3,"scope":"phase"},{"kind":"artifact_produced","phase":"synthesis","type":"plan_draft"},{"kind":"phase_reached","phase":"x"},{"kind":"max_iterations","n":3},{"kind":"manual"},{"kind":"reviewer_green"},{"kind":"no_open_questions"},{"kind":"min_iterations","n":1}]}"#;
    let condition: Condition = serde_json::from_str(text).expect("reads");
    assert_eq!(serde_json::to_string(&condition).expect("writes"), text);
    let short: Condition =
        serde_json::from_str(r#"{"kind":"min_artifacts_by_type","type":"a","n":1}"#)
            .expect("reads");
    assert!(matches!(short, Condition::MinArtifactsByType { scope: Scope::Phase, .. }));
    assert!(serde_json::from_str::<Condition>(r#"{"kind":"sometimes"}"#).is_err());
}

#[test]
fn a_narrated_report_opens_nothing_where_a_command_is_set() {
    let mut request = request(Kind::Implementation, lint::builtin(Kind::Implementation));
    request.verify = Some(vec!["true".to_owned()]);
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    deck.add("execute_report", "done");
    deck.advance();
    deck.add("verify_report", "passed: all tests");
    assert!(deck.warnings[0].contains("narrated"));
    let refusal = deck.refused(advance());
    assert!(refusal.message.contains("= 0 < n=1 (1 narrated)"), "{}", refusal.message);
}

#[test]
fn the_counts_kept_by_the_fold_are_those_of_a_recount() {
    let mut deck = critique_round();
    for i in 0..40 {
        let body = ["a", "b", "", "a "][i % 4].repeat(1 + i % 3);
        let id = deck.add(if i % 5 == 0 { "finding" } else { "critique" }, &body);
        if i % 7 == 0 {
            deck.run(Command::Retract { artifact: id.to_string(), reason: "r".to_owned() });
        }
    }
    let index = crate::core::loops::index::Index::of(&deck.state.artifacts);
    assert_eq!(index, deck.state.index);
}
