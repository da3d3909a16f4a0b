//! Protocol files and lint (engine.md §3, §6 "open").

use strum::IntoEnumIterator;

use super::fixture::*;
use crate::core::loops::condition::Condition;
use crate::core::loops::lint::{self, PRESETS, lint, parse_protocol};
use crate::core::loops::model::Status;
use crate::core::loops::protocol::{Kind, ReviewMode, Work};
use crate::core::memory::Category;

#[test]
fn the_embedded_protocols_are_faultless() {
    for kind in Kind::iter() {
        let found = lint(kind, &lint::builtin(kind));
        assert_eq!(found.errors, Vec::<String>::new(), "{kind}");
        assert_eq!(found.warnings.len(), usize::from(kind.has_verify()), "{kind}");
    }
    for name in PRESETS {
        let (kind, protocol) = lint::preset(name).expect("exists");
        assert_eq!(lint(kind, &protocol), lint::Lint::default(), "{name}");
        assert_eq!(protocol.preset.as_deref(), Some(name));
    }
    assert!(lint::preset("nothing").is_none());
}

#[test]
fn filters_show_only_what_the_phase_may_see() {
    let ideation = lint::builtin(Kind::Ideation);
    use Category::*;
    let seen = |phase: &str| ideation.phase(phase).expect("exists").categories();
    assert_eq!(seen("proposal"), [Decisions, Constraints, Plans, ProjectVision]);
    assert_eq!(seen("critique"), [Traps, Feedback, RuntimeNotes, CritiqueHistory]);
    assert_eq!(seen("revision"), Category::USER);
    let review = lint::builtin(Kind::Review);
    assert_eq!(review.phase("findings").expect("exists").categories(), Category::USER);
}

fn faults(change: impl Fn(&str) -> String) -> Vec<String> {
    let base = include_str!("../../../../assets/protocols/ideation.toml");
    let changed = change(base);
    assert_ne!(changed, base, "the change took effect");
    match parse_protocol(&changed) {
        Ok((kind, protocol)) => lint(kind, &protocol).errors,
        Err(error) => vec![error],
    }
}

#[test]
fn lint_names_each_fault() {
    let cases: [(&str, &str, &str); 12] = [
        (
            r#"cycle = ["critique", "revision"]"#,
            r#"cycle = ["critique", "revisoin"]"#,
            "did you mean revision?",
        ),
        (
            r#"cycle = ["critique", "revision"]"#,
            r#"cycle = ["revision", "critique"]"#,
            "contiguous",
        ),
        (
            r#"cycle = ["critique", "revision"]"#,
            r#"cycle = ["revision", "synthesis"]"#,
            "no phase follows",
        ),
        ("max_iterations = 3", "max_iterations = 0", "at least 1"),
        ("n = 3", "n = 0", "n < 1"),
        (r#"name = "revision""#, r#"name = "critique""#, "two phases"),
        (r#"context_filter = ["*"]"#, "context_filter = []", "is empty"),
        (
            r#"context_filter = ["*"]"#,
            r#"context_filter = ["rumours"]"#,
            "unknown context category",
        ),
        (
            r#"exit_when = "no_new_critique_artifacts""#,
            r#"exit_when = "boredom""#,
            "unknown variant `boredom`",
        ),
        (
            r#"advance_gate = { kind = "min_artifacts_by_type", type = "critique", n = 3, scope = "phase" }"#,
            r#"advance_gate = { kind = "artifact_produced", phase = "synthesis", type = "plan_draft" }"#,
            "later phase",
        ),
        (
            r#"advance_gate = { kind = "min_artifacts_by_type", type = "critique", n = 3, scope = "phase" }"#,
            r#"advance_gate = { kind = "all", conditions = [{ kind = "manual" }, { kind = "no_open_questions" }] }"#,
            "can never hold",
        ),
        (r#"phase = "synthesis""#, r#"phase = "sinthesis""#, "did you mean synthesis?"),
    ];
    for (from, to, expected) in cases {
        let found = faults(|base| base.replacen(from, to, 1)).join("; ");
        assert!(found.contains(expected), "{to}: {found}");
    }
}

#[test]
fn a_fault_in_the_file_is_told_with_its_place() {
    let error = parse_protocol("kind = \"ideation\"\nphases = 3\n").expect_err("faulty");
    assert!(error.starts_with("line 2, column 10: "), "{error}");
    let error =
        parse_protocol("kind = \"ideation\"\ncolour = 1\nphases = []\n").expect_err("faulty");
    assert!(error.starts_with("line 2, column 1: unknown field `colour`"), "{error}");
}

#[test]
fn lint_warns_of_what_may_be_meant_otherwise() {
    let mut protocol = lint::builtin(Kind::Ideation);
    protocol.stop_condition = Some(Condition::All {
        conditions: vec![
            Condition::MaxIterations { n: 2 },
            Condition::ArtifactProduced { phase: "synthesis".into(), artifact_type: "poem".into() },
        ],
    });
    let found = lint(Kind::Ideation, &protocol);
    assert!(found.errors.is_empty());
    assert!(found.warnings.iter().any(|w| w.contains("can only end blocked")));
    assert!(found.warnings.iter().any(|w| w.contains("\"poem\", which no phase")));
    protocol.stop_condition =
        Some(Condition::Any { conditions: vec![Condition::Manual, Condition::ReviewerGreen] });
    let found = lint(Kind::Ideation, &protocol);
    assert!(found.warnings.iter().any(|w| w.contains("manual can never hold")));
}

#[test]
fn open_refuses_what_cannot_be_meant() {
    let base = || request(Kind::Ideation, lint::builtin(Kind::Ideation));
    let code = |request| match Deck::open_with(request) {
        Err(refusal) => refusal.code,
        Ok(_) => "opened",
    };
    for title in ["", "  ", "two\nlines", "\u{200b}", &"x".repeat(201)] {
        let mut request = base();
        request.title = title.to_owned();
        assert_eq!(code(request), "invalid_title", "{title:?}");
    }
    let mut request = base();
    request.verify = Some(vec!["true".to_owned()]);
    assert_eq!(code(request), "invalid_verify");
    let mut request = base();
    request.review_mode = Some(ReviewMode::Symmetric);
    assert_eq!(code(request), "invalid_mode");
    let mut request = base();
    request.stop = Some(Condition::PhaseReached { phase: "proposal".into() });
    assert_eq!(code(request), "stop_already_true");
    let mut request = base();
    request.stop = Some(Condition::PhaseReached { phase: "heaven".into() });
    assert_eq!(code(request), "invalid_protocol");
    let mut request = base();
    request.gates = vec![("heaven".to_owned(), None)];
    assert_eq!(code(request), "unknown_phase");
    let mut request = base();
    request.slots = vec![slot("a role", None)];
    assert_eq!(code(request), "invalid_slot");
}

#[test]
fn gates_and_stop_of_ones_own() {
    let mut request = request(Kind::Ideation, lint::builtin(Kind::Ideation));
    request.gates = vec![("critique".to_owned(), None)];
    request.stop = Some(Condition::MinArtifactsByType {
        artifact_type: "critique".into(),
        n: 2,
        scope: crate::core::loops::condition::Scope::Loop,
    });
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    deck.advance();
    assert_eq!(deck.at(), ("revision", 0), "the gate was taken away");
    let mut early = said("critique", "one");
    early.phase = Some("critique".to_owned());
    deck.run(crate::core::loops::Command::AddArtifact(early));
    deck.add("critique", "two");
    assert_eq!(deck.state.status, Status::Completed, "counts over all phases");
}

#[test]
fn slots_of_an_agent_that_names_none_are_its_own() {
    let deck = Deck::open_as("agent:codex", request(Kind::Review, lint::builtin(Kind::Review)))
        .expect("opens");
    assert!(deck.state.slots.iter().all(|s| s.agent.as_deref() == Some("codex")));
    let deck = Deck::open(Kind::Review);
    assert_eq!(
        deck.state.slots.iter().map(|s| &*s.role).collect::<Vec<_>>(),
        ["author", "reviewer"]
    );
    assert_eq!(deck.state.protocol.review_mode, Some(ReviewMode::Asymmetric));
}

#[test]
fn symmetric_reviewers_may_write() {
    let mut request = request(Kind::Review, lint::builtin(Kind::Review));
    request.review_mode = Some(ReviewMode::Symmetric);
    let deck = Deck::open_with(request).expect("opens");
    assert_eq!(deck.state.protocol.phase("findings").map(|p| p.work), Some(Work::Write));
}
