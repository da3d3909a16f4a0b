//! bind: what an implementation carries out.

use super::fixture::*;
use crate::core::loops::binding::{Sequence, Step};
use crate::core::loops::command::{Command, SlotSelector};
use crate::core::loops::evaluate::{self, Detail};
use crate::core::loops::event::Outcome;
use crate::core::loops::protocol::Kind;

fn step(id: &str, plan: &str, lane: Option<&str>, path: &str) -> Step {
    Step {
        id: id.to_owned(),
        plan: plan.to_owned(),
        lane: lane.map(str::to_owned),
        paths: vec![path.to_owned()],
    }
}

fn bind(plans: &[&str], steps: Vec<Step>) -> Command {
    let sequence =
        (!steps.is_empty()).then(|| Sequence { path: "plans/all.toml".to_owned(), steps });
    Command::Bind { plans: plans.iter().map(|p| (*p).to_owned()).collect(), sequence }
}

fn two_lanes() -> Deck {
    let mut deck = Deck::open(Kind::Implementation);
    deck.run(bind(
        &[],
        vec![
            step("routes", "pln_1", Some("api"), "src/api"),
            step("tables", "pln_2", Some("store"), "src/store"),
            step("tests", "pln_1", Some("api"), "tests/api"),
        ],
    ));
    deck
}

#[test]
fn plans_are_tied_to_the_loop_and_its_executor() {
    let mut deck = Deck::open(Kind::Implementation);
    deck.run(bind(&["pln_1"], Vec::new()));
    assert_eq!(deck.at(), ("execute", 0));
    assert!(deck.warnings.is_empty(), "{:?}", deck.warnings);
    assert_eq!(deck.state.linked.plan_ids, ["pln_1"]);
    assert_eq!(deck.state.slots[0].plan_ids, ["pln_1"]);
    assert_eq!(deck.refused(bind(&["pln_2"], Vec::new())).code, "phase_not_reached");
    deck.check();
}

#[test]
fn leaving_without_a_plan_is_warned_about() {
    for command in [bind(&[], Vec::new()), advance()] {
        let mut deck = Deck::open(Kind::Implementation);
        deck.run(command);
        assert_eq!(deck.at(), ("execute", 0));
        assert!(deck.warnings.iter().any(|w| w.contains("nothing is bound")));
    }
    let mut deck = Deck::ideation();
    assert_eq!(deck.refused(bind(&[], Vec::new())).code, "invalid_kind");
}

#[test]
fn each_lane_has_a_slot_of_its_own() {
    let deck = two_lanes();
    let slots: Vec<_> = deck
        .state
        .slots
        .iter()
        .map(|s| (s.lane.as_deref(), s.step_ids.clone(), s.plan_ids.clone(), s.scope_hint.clone()))
        .collect();
    let texts = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let api = ["src/api", "tests/api"];
    assert_eq!(
        slots,
        [
            (Some("api"), texts(&["routes", "tests"]), texts(&["pln_1"]), texts(&api)),
            (Some("store"), texts(&["tables"]), texts(&["pln_2"]), texts(&["src/store"])),
        ]
    );
    assert_eq!(deck.state.linked.sequence_ids, ["plans/all.toml"]);
    deck.check();
}

#[test]
fn the_gate_wants_a_report_from_every_lane() {
    let mut deck = two_lanes();
    deck.add("execute_report", "done");
    deck.advance();
    let report = |deck: &mut Deck, at: usize, says: &str| {
        let slot = deck.state.slots[at].slot_id.to_string();
        deck.run(Command::Turn { slot: SlotSelector::Slot(slot.clone()), input: None });
        deck.add("verify_report", says);
        deck.run(complete(&slot, Outcome::Done));
    };
    report(&mut deck, 0, "passed: api");
    let refusal = deck.refused(advance());
    assert_eq!(refusal.code, "gate_unmet");
    assert!(refusal.message.contains("none from lane store"), "{}", refusal.message);
    report(&mut deck, 1, "failed: store");
    assert!(evaluate::gate(&deck.state, Detail::Counts).is_some_and(|g| g.met));
    assert!(!evaluate::command_green(&deck.state, None), "one lane is red");
    report(&mut deck, 1, "passed: store");
    assert!(evaluate::command_green(&deck.state, None));
    deck.advance();
    assert_eq!(deck.at(), ("handoff_ready", 0));
}
