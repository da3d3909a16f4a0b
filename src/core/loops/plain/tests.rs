use super::*;
use crate::core::loops::evaluate::{Detail, Evaluator, Purpose};
use crate::core::loops::tests::fixture::Deck;

#[test]
fn every_form_of_a_reason_becomes_a_sentence() {
    let count = "min_artifacts_by_type unmet: phase-scope count of type \"critique\" = 2 < n=3";
    let table = [
        (count.to_owned(), "critiques: 2 of 3 this round; 1 more is needed"),
        (
            format!(
                "{count} (1 of this type carries no usable content) \
                 (3 of this type belong to another round) (1 duplicate) (1 narrated)"
            ),
            "critiques: 2 of 3 this round (not counted: 1 blank, 3 from another round, \
             1 duplicate, 1 narrated); 1 more is needed",
        ),
        (
            "min_artifacts_by_type unmet: loop-scope count of type \"plan_draft\" = 0 < n=1".into(),
            "plan draft: 0 of 1 in the whole loop; 1 more is needed",
        ),
        (
            "min_artifacts_by_type unmet: phase-scope count of type \"verify_report\" = 2 >= n=1 \
             (none from lane ui)"
                .into(),
            "verify report: 2 this round, 1 needed; none from lane ui yet",
        ),
        (
            "min_artifacts_by_type: phase-scope count of type \"hypothesis\" = 2 >= n=2".into(),
            "hypotheses: 2 of 2 this round",
        ),
        (
            "artifact_produced unmet: no artifact of type \"repro\" in phase \"reproduce\"".into(),
            "no repro in reproduce yet",
        ),
        (
            "artifact_produced: phase \"fix\" has an artifact of type \"fix_report\"".into(),
            "fix has a fix report",
        ),
        (
            "phase_reached unmet: current phase is \"fix\", expected \"handoff\"".into(),
            "the phase handoff is not reached yet",
        ),
        ("phase_reached: current phase is \"fix\"".into(), "the phase fix is reached"),
        (
            "reviewer_green unmet: no accepted verdict in round 2".into(),
            "no accepted verdict in round 2",
        ),
        ("reviewer_green: accepted in round 2".into(), "the reviewers accepted in round 2"),
        ("max_iterations unmet: 1 of 3 rounds finished".into(), "1 of 3 rounds finished"),
        ("no_open_questions unmet: 2 questions still open".into(), "2 questions still open"),
        ("no_open_questions: none open".into(), "no question is open"),
        ("manual: closes only by hand".into(), "closes only by hand"),
        ("any of".into(), "one of these"),
        (
            "the turn of critic (codex) is not finished".into(),
            "the turn of critic (codex) is not finished",
        ),
        ("of another: make".into(), "of another: make"),
    ];
    for (text, plain) in table {
        assert_eq!(reason(&text), plain);
    }
    assert_eq!(reasons(&[count]), "critiques: 2 of 3 this round; 1 more opens the gate");
    assert_eq!(skipped(&[count]), "critiques: 2 of 3 this round; 1 was missing");
    assert_eq!(
        journaled(&format!("{count}\nmanual: closes only by hand")),
        "critiques: 2 of 3 this round; 1 more is needed; closes only by hand"
    );
}

/// Whatever the evaluator says has one of the forms: its own names never reach people.
#[test]
fn no_condition_is_told_by_its_name() {
    let name = |text: &str| text.into();
    let conditions = [
        Condition::PhaseReached { phase: name("critique") },
        Condition::PhaseReached { phase: name("proposal") },
        Condition::ReviewerGreen,
        Condition::MaxIterations { n: 0 },
        Condition::MinIterations { n: 2 },
        Condition::ArtifactProduced { phase: name("proposal"), artifact_type: name("proposal") },
        Condition::ArtifactProduced { phase: name("critique"), artifact_type: name("critique") },
        Condition::MinArtifactsByType {
            artifact_type: name("critique"),
            n: 3,
            scope: Scope::Phase,
        },
        Condition::MinArtifactsByType { artifact_type: name("proposal"), n: 1, scope: Scope::Loop },
        Condition::NoOpenQuestions,
        Condition::Manual,
    ];
    let deck = Deck::ideation();
    for condition in &conditions {
        let told = Evaluator::new(&deck.state, Purpose::Gate, Detail::Full).node(condition);
        let plain = node(&told, true);
        assert!(!plain.contains(condition.kind()), "{plain}");
        assert!(!plain.contains(" unmet") && !plain.contains("n="), "{plain}");
        assert_ne!(plain, told.text);
    }
}

#[test]
fn a_refusal_keeps_its_sentence_and_loses_the_evaluators_words() {
    let unmet = "min_artifacts_by_type unmet: phase-scope count of type \"critique\" = 0 < n=3";
    let message = format!("the gate of \"critique\" is shut: {unmet}");
    let details = serde_json::json!({ "unmet": [unmet] });
    let details = details.as_object().expect("an object");
    assert_eq!(
        refusal("gate_unmet", &message, details),
        "the gate of \"critique\" is shut: critiques: 0 of 3 this round; 3 more open the gate"
    );
    assert_eq!(refusal("paused", "it is paused", details), "it is paused");
    let stop = "manual: closes only by hand";
    let details = serde_json::json!({ "stop": stop });
    let message = format!("it is the last phase. What would close the loop: {stop}");
    let said = refusal("at_last_phase", &message, details.as_object().expect("an object"));
    assert_eq!(said, "it is the last phase. What would close the loop: closes only by hand");
}

#[test]
fn several_of_a_type_have_an_english_name() {
    let table = [
        ("critique", "critiques"),
        ("synthesis", "syntheses"),
        ("change_summary", "change summaries"),
        ("changes_applied", "changes applied"),
        ("signals_report", "signals reports"),
        ("survey", "surveys"),
    ];
    for (one, several) in table {
        assert_eq!(many(one), several);
    }
}

#[test]
fn ties_and_amendments_say_what_changed() {
    let ties = Linked { plan_ids: vec!["pln_1".into()], ..Linked::default() };
    assert_eq!(linked(&ties), "to plan pln_1");
    assert_eq!(linked(&Linked::default()), "to nothing any more");
    let before = AmendedFields { max_rounds: Some(3), ..AmendedFields::default() };
    let after = AmendedFields {
        title: Some("New".into()),
        max_rounds: Some(5),
        linked: Some(Linked { session_id: Some("iter_1".into()), ..Linked::default() }),
        ..AmendedFields::default()
    };
    assert_eq!(amended(&before, &after), "title, rounds 3 → 5, ties to session iter_1");
}
