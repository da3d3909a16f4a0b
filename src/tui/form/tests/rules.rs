//! Forms and the loop's own rules together: what a preview by `decide` makes a
//! form say.

use std::sync::Arc;

use crate::core::loops::Loop;
use crate::core::loops::command::Ctx;
use crate::core::loops::coverage::coverage;
use crate::core::loops::decide::decide;
use crate::core::loops::explain::why;
use crate::core::loops::model::Actor;
use crate::core::time::Timestamp;

use super::super::{Form, FormContext, FormEvent, FormKind, Preview, Submission};
use super::fixture::{context, ideation, picture, press, with_turn};

fn ctx() -> Ctx {
    Ctx {
        now: Timestamp::from_millis(1_770_000_100_000),
        actor: Actor::Operator,
        grants: Default::default(),
        entropy: [7; 32],
        workspace_digest: None,
        known_cites: Default::default(),
        history: None,
    }
}

/// What is known of a loop by the rules.
fn known(state: Loop) -> FormContext {
    FormContext {
        why: Some(why(&state, &ctx())),
        coverage: Some(coverage(&state)),
        ..context(state)
    }
}

/// A form after some keys, with the preview that the rules give.
fn previewed(kind: FormKind, state: Loop, keys: &str) -> Form {
    let mut form = Form::new(kind, known(state.clone()));
    let event = if keys.is_empty() { form.begin() } else { press(&mut form, keys) };
    match event {
        FormEvent::PreviewWanted { ticket, submission: Submission::Execute { command, .. } } => {
            form.previewed(ticket, Preview::Command(Ok(decide(&state, &command, &ctx()))));
        }
        other => panic!("no preview wanted but {other:?}"),
    }
    form
}

fn shows(form: &Form, text: &str) -> bool {
    picture(form, 110, 40).contains(text)
}

#[test]
fn a_plan_without_critiques_is_refused_beside_the_field() {
    let form = previewed(FormKind::Artifact, ideation("synthesis"), "P<Tab><Tab><Back><Back>");
    let picture = picture(&form, 110, 40);
    let lines: Vec<&str> = picture.lines().collect();
    let field = lines.iter().position(|l| l.contains("addresses ")).expect("the field");
    assert!(lines[field + 1].contains('✗'), "{picture}");
}

#[test]
fn a_plan_starts_from_the_critiques_that_are_open() {
    let form = previewed(FormKind::Artifact, ideation("synthesis"), "P");
    assert!(shows(&form, "closes the loop: completed"), "{}", picture(&form, 110, 40));
    assert!(!shows(&form, "critique open"), "{}", picture(&form, 110, 40));
}

#[test]
fn a_plan_that_leaves_a_critique_open_says_so_before_it_closes_the_loop() {
    let keys = "Plan<Tab><Tab><Enter><Space><Enter>";
    let form = previewed(FormKind::Artifact, ideation("synthesis"), keys);
    let said = "closes the loop: completed; 1 critique open";
    assert!(shows(&form, said), "{}", picture(&form, 110, 40));
}

#[test]
fn the_pictures_with_the_real_rules() {
    let keys = "P<Tab><Tab><Back><Back>";
    let refused = previewed(FormKind::Artifact, ideation("synthesis"), keys);
    insta::assert_snapshot!("plan_refused_by_the_rules", picture(&refused, 80, 24));
    let shut = previewed(FormKind::Advance, ideation("critique"), "");
    insta::assert_snapshot!("gate_shut_by_the_rules", picture(&shut, 80, 24));
    let goes = previewed(FormKind::Advance, ideation("revision"), "");
    insta::assert_snapshot!("next_round_by_the_rules", picture(&goes, 80, 24));
}

#[test]
fn advance_says_where_to_or_what_is_missing() {
    let form = previewed(FormKind::Advance, ideation("critique"), "");
    assert!(shows(&form, "= 2 < n=3"), "{}", picture(&form, 110, 40));
    let form = previewed(FormKind::Advance, ideation("revision"), "");
    assert!(shows(&form, "round 2"), "{}", picture(&form, 110, 40));
}

#[test]
fn a_turn_that_ends_with_nothing_says_what_that_means() {
    let form = previewed(FormKind::Complete, with_turn(ideation("critique")), "");
    assert!(shows(&form, "it says \"nothing new\""), "{}", picture(&form, 110, 40));
}

#[test]
fn closing_by_hand_says_what_is_unmet() {
    let form = Form::new(FormKind::Close, known(ideation("critique")));
    assert!(shows(&form, "plan_draft"));
    assert!(shows(&form, "2 critiques open"));
}

#[test]
fn what_is_refused_by_the_rules_can_still_be_tried() {
    let mut form = previewed(FormKind::Advance, ideation("critique"), "");
    assert!(matches!(press(&mut form, "<Enter>"), FormEvent::Submit(_)));
}

#[test]
fn a_newer_state_brings_its_own_coverage() {
    let mut form = Form::new(FormKind::Close, known(ideation("critique")));
    let mut state = ideation("critique");
    state.artifacts.truncate(2);
    state.index = crate::core::loops::index::Index::of(&state.artifacts);
    state.version += 1;
    form.moved(Arc::new(state));
    assert!(shows(&form, "1 critique open"));
}
