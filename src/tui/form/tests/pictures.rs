//! The main forms at the four sizes.

use super::super::{Form, FormKind, Preview};
use super::fixture::{context, ideation, picture, press, with_turn};
use crate::core::loops::refusal::{Decision, Refusal};

const SIZES: [(u16, u16); 4] = [(60, 18), (80, 24), (120, 36), (200, 60)];

fn at_all_sizes(name: &str, form: &Form) {
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), picture(form, width, height));
    }
}

#[test]
fn new_loop() {
    let mut form = Form::new(FormKind::NewLoop, context(ideation("critique")));
    at_all_sizes("kinds", &form);
    press(&mut form, "<Enter>Extract the dispatcher<Enter>It grew too large.<Enter>Split it.");
    at_all_sizes("new_loop", &form);
}

#[test]
fn artifact() {
    let form = Form::new(FormKind::Artifact, context(ideation("critique")));
    at_all_sizes("critique_blank", &form);
    let mut form = Form::new(FormKind::Artifact, context(ideation("synthesis")));
    press(&mut form, "Split it in two steps.<Tab>cache<Enter>retry<Enter>cache<Enter>");
    at_all_sizes("plan_draft", &form);
    press(&mut form, "later<Tab><S-Tab><S-Tab><Enter>");
    at_all_sizes("plan_waives_list", &form);
}

#[test]
fn advance_refused() {
    let mut on = context(ideation("critique"));
    let refusal = Refusal::new("gate_unmet", "The gate of critique is shut: critique = 2 < n=3.")
        .step("add 1 critique", "loopdeck loop add …");
    on.preview =
        Some(Preview::Command(Ok(Decision { refusal: Some(refusal), ..Decision::default() })));
    at_all_sizes("advance_refused", &Form::new(FormKind::Advance, on));
}

#[test]
fn complete() {
    let form = Form::new(FormKind::Complete, context(with_turn(ideation("critique"))));
    at_all_sizes("complete", &form);
}

#[test]
fn question() {
    let mut form = Form::new(FormKind::Pause, context(ideation("critique")));
    press(&mut form, "waits<Esc>");
    insta::assert_snapshot!(picture(&form, 60, 18));
}
