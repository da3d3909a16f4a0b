//! advance, in the order of checks of engine.md §5.

use super::fixture::*;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::command::{Amend, Command};
use crate::core::loops::event::{EventBody, Outcome};
use crate::core::loops::lint;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Kind;

/// Goes from open to round `rounds` in critique, with three critiques a round.
fn in_round(round: u32) -> Deck {
    let mut deck = Deck::ideation();
    deck.advance();
    for n in 1..round {
        for i in 0..3 {
            deck.add("critique", &format!("round {n} point {i}"));
        }
        deck.advance();
        deck.add("revision", &format!("revision {n}"));
        deck.advance();
    }
    deck
}

#[test]
fn the_whole_path_of_an_ideation() {
    let mut deck = Deck::ideation();
    assert_eq!(deck.at(), ("proposal", 0));
    assert_eq!(deck.attention().state, AttentionState::Ready);
    deck.advance();
    assert_eq!(deck.at(), ("critique", 0));

    let refusal = deck.refused(advance());
    assert_eq!(refusal.code, "gate_unmet");
    assert!(refusal.message.contains("= 0 < n=3"), "{}", refusal.message);
    assert_eq!(deck.kinds().last(), Some(&"phase_advance_blocked"));
    assert_eq!(deck.attention().state, AttentionState::Stuck);
    assert_eq!(deck.attention().detail, "critique 0/3");

    let first = deck.add("critique", "It splits the cache.");
    let second = deck.add("critique", "It has no retry path.");
    deck.add("critique", " \u{200b}\n");
    assert_eq!(deck.warnings, ["this critique carries no usable content and will not count"]);
    let refusal = deck.refused(advance());
    assert!(
        refusal.message.contains("= 2 < n=3 (1 of this type carries no usable content)"),
        "{}",
        refusal.message
    );
    let third = deck.add("critique", "Nobody owns it.");
    deck.advance();
    deck.add("revision", "Keep the cache in one place.");
    deck.advance();
    assert_eq!(deck.at(), ("critique", 1));
    let refusal = deck.refused(advance());
    assert_eq!(refusal.code, "gate_unmet", "without a turn absence is not saturation");
    assert!(refusal.message.contains("= 0 < n=3 (3 of this type belong to another round)"));

    deck.turn("critic");
    assert_eq!(deck.refused(advance()).code, "slots_pending");
    deck.done("critic");
    assert!(deck.warnings.is_empty(), "nothing new is a statement here");
    deck.advance();
    assert_eq!(deck.at(), ("synthesis", 1));
    assert!(deck.events.iter().any(|e| matches!(
        &e.body,
        EventBody::PhaseAdvanced { reason, .. } if reason.as_ref() == "saturation"
    )));

    assert_eq!(deck.plan(&[]).unwrap_err().code, "addresses_required");
    let foreign = crate::core::loops::ids::ArtifactId::derive(&[b"x"]);
    assert_eq!(deck.plan(&[&foreign]).unwrap_err().code, "unknown_critique");
    deck.plan(&[&first, &second, &third]).expect("real ids");
    assert_eq!(deck.state.status, Status::Completed);
    assert_eq!(deck.attention().state, AttentionState::Closed);
    deck.check();
}

#[test]
fn polling_a_shut_gate_does_not_grow_the_journal() {
    let mut deck = Deck::ideation();
    deck.advance();
    deck.refused(advance());
    let version = deck.state.version;
    deck.refused(advance());
    assert_eq!(deck.state.version, version);
    deck.add("critique", "one");
    deck.refused(advance());
    assert_eq!(deck.state.version, version + 2, "a new count is a new refusal");
    deck.check();
}

#[test]
fn saturation_wants_somebody_who_looked_and_leaves_nothing_doubtful() {
    let mut deck = in_round(2);
    deck.turn("critic");
    deck.run(complete("critic", Outcome::Failed));
    assert_eq!(deck.refused(advance()).code, "slots_pending", "a failed turn blocks");
    assert_eq!(deck.attention().state, AttentionState::Stuck);
    deck.run(complete("critic", Outcome::Cancelled));
    assert_eq!(deck.refused(advance()).code, "gate_unmet", "a cancelled turn saw nothing");
    deck.turn("critic");
    let blank = deck.add("critique", "");
    deck.done("critic");
    let refusal = deck.refused(advance());
    assert_eq!(refusal.code, "saturation_doubtful");
    assert!(refusal.message.contains(blank.as_str()));
    deck.run(Command::Retract { artifact: blank.to_string(), reason: "slip".to_owned() });
    let typed_as_label = deck.add("coverage_gap", "No plan for retries.");
    assert_eq!(deck.refused(advance()).code, "saturation_doubtful");
    assert_eq!(deck.why().near_misses, ["1 `coverage_gap` would count if typed `critique`"]);
    let id = typed_as_label.to_string();
    deck.run(Command::Retract { artifact: id, reason: "mistyped".to_owned() });
    deck.advance();
    assert_eq!(deck.at(), ("synthesis", 1));
}

#[test]
fn the_first_round_cannot_be_saturated() {
    let mut deck = Deck::ideation();
    deck.advance();
    deck.turn("critic");
    deck.done("critic");
    assert_eq!(deck.refused(advance()).code, "gate_unmet");
}

#[test]
fn the_cap_leaves_the_cycle_after_three_rounds() {
    let mut deck = in_round(3);
    assert_eq!(deck.at(), ("critique", 2));
    for i in 0..3 {
        deck.add("critique", &format!("last {i}"));
    }
    deck.advance();
    deck.add("revision", "the last one");
    deck.advance();
    assert_eq!(deck.at(), ("synthesis", 3));
    assert_eq!(deck.state.round(), 3, "people see round 3 of 3");
    assert!(deck.kinds().contains(&"max_iterations_reached"));
    deck.check();
}

#[test]
fn a_round_can_be_cut_short_by_exactly_that_word() {
    let mut deck = in_round(2);
    assert_eq!(deck.refused(force("short_round")).code, "nothing_to_cut");
    deck.add("critique", "only one");
    assert!(deck.why().next_steps.iter().any(|s| s.command.contains("short_round")));
    deck.run(force("short_round"));
    assert_eq!(deck.at(), ("revision", 1));
    assert!(deck.state.visits.iter().any(|v| v.short && &*v.phase == "critique"));
    let mut deck = in_round(1);
    deck.run(force("short_round"));
    assert_eq!(deck.at(), ("revision", 0), "in round 1 it is an ordinary reason");
    assert!(!deck.state.visits.iter().any(|v| v.short));
}

#[test]
fn force_and_targets_need_reasons_and_leave_traces() {
    let mut deck = Deck::ideation();
    deck.advance();
    assert_eq!(deck.refused(force(" ")).code, "reason_required");
    assert_eq!(deck.refused(advance_to("synthesis", None)).code, "reason_required");
    assert_eq!(deck.refused(advance_to("nowhere", None)).code, "unknown_phase");
    deck.run(advance_to("synthesis", Some("no time")));
    assert_eq!(deck.at(), ("synthesis", 0), "a later target keeps the round");
    assert!(deck.kinds().contains(&"gate_skipped"));
    deck.run(advance_to("critique", None));
    assert_eq!(deck.at(), ("critique", 1), "an earlier target begins a round");
    deck.run(force("enough"));
    assert_eq!(deck.at(), ("revision", 1));
    let reasons: Vec<_> = deck
        .events
        .iter()
        .filter_map(|e| match &e.body {
            EventBody::PhaseAdvanced { reason, .. } => Some(reason.as_ref()),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, ["linear", "explicit", "explicit", "force"]);
}

#[test]
fn going_back_over_the_cap_would_close() {
    let mut deck = Deck::open(Kind::Review);
    deck.add("change_summary", "It renames a field.");
    deck.advance();
    deck.run(advance_to("findings", None));
    deck.run(advance_to("findings", None));
    assert_eq!(deck.at(), ("findings", 2));
    let refusal = deck.refused(advance_to("findings", None));
    assert_eq!(refusal.code, "would_close");
    deck.run(Command::Amend(Amend { max_rounds: Some(4), ..Amend::default() }));
    deck.run(advance_to("findings", None));
    assert_eq!(deck.at(), ("findings", 3));
    let mut forced = deck;
    forced.run(Command::Advance {
        to: Some("findings".to_owned()),
        force: true,
        reason: Some("let it close".to_owned()),
    });
    assert_eq!(forced.state.status, Status::Blocked);
}

#[test]
fn entering_a_phase_supersedes_live_turns_and_late_results_count_nowhere() {
    let mut deck = in_round(1);
    deck.turn("critic");
    for i in 0..3 {
        deck.add("critique", &format!("point {i}"));
    }
    assert_eq!(deck.refused(advance()).code, "slots_pending");
    deck.run(force("the critic is away"));
    assert_eq!(deck.at(), ("revision", 0));
    let slot = &deck.state.slots[1];
    assert!(slot.live_turn().is_none());
    deck.run(Command::CompleteTurn {
        slot: "critic".to_owned(),
        turn: None,
        outcome: Outcome::Done,
        reason: None,
        artifacts: vec![said("critique", "too late")],
        proof: None,
    });
    let late = deck.state.artifacts.last().expect("filed");
    assert!(late.late && &*late.phase == "critique");
    assert_eq!(deck.refused(complete("critic", Outcome::Done)).code, "no_turn");
    deck.check();
}

#[test]
fn any_policy_waits_for_one() {
    let mut protocol = lint::builtin(Kind::Ideation);
    protocol.phases[1].advance_when = crate::core::loops::protocol::AdvanceWhen::Any;
    protocol.phases[1].advance_gate = None;
    let mut request = request(Kind::Ideation, protocol);
    request.slots = vec![slot("critic", Some("a")), slot("critic", Some("b"))];
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    deck.turn("critic");
    deck.turn("critic");
    assert_eq!(deck.refused(advance()).code, "slots_pending");
    assert_eq!(deck.refused(turn("critic")).code, "slot_busy");
    let first = deck.state.slots[0].slot_id.to_string();
    deck.add("critique", "one");
    deck.run(complete(&first, Outcome::Done));
    deck.advance();
    assert_eq!(deck.at(), ("revision", 0));
}

#[test]
fn status_decides_before_look_ups() {
    let mut deck = Deck::ideation();
    deck.run(Command::Pause { reason: Some("waiting for the budget".to_owned()) });
    let refusal = deck.refused(advance_to("nowhere", None));
    assert_eq!(refusal.code, "paused");
    assert!(refusal.message.contains("waiting for the budget"));
    assert_eq!(deck.attention().state, AttentionState::Paused);
    assert_eq!(deck.refused(Command::Pause { reason: None }).code, "paused");
    deck.run(Command::Resume);
    assert_eq!(deck.refused(Command::Resume).code, "not_paused");
    let close = |status| Command::Close { status, reason: None };
    assert_eq!(deck.refused(close(Status::Cancelled)).code, "reason_required");
    assert_eq!(deck.refused(close(Status::Open)).code, "invalid_status");
    deck.run(close(Status::Completed));
    assert!(deck.state.close.as_ref().is_some_and(|c| c.stop_unmet));
    assert_eq!(deck.refused(advance_to("nowhere", None)).code, "already_closed");
    assert_eq!(deck.refused(Command::AddArtifact(said("critique", "x"))).code, "already_closed");
    let refusal = deck.refused(complete("champion", Outcome::Done));
    assert_eq!(refusal.code, "no_turn");
    assert!(refusal.next_steps[0].command.contains("loop reopen"), "a step that runs");
}

#[test]
fn an_agent_leaps_over_no_gate_however_open_its_own_is() {
    let mut deck = Deck::ideation();
    // The proposal has no gate of its own; the critique behind it has.
    let leap = advance_to("synthesis", Some("skip"));
    assert_eq!(deck.refused_as("agent:codex", leap.clone()).code, "operator_only");
    let mut granted = ctx("agent:codex", 9);
    granted.grants.0.insert("a target past a shut gate".to_owned());
    let decision = crate::core::loops::decide::decide(&deck.state, &leap, &granted);
    assert!(decision.refusal.is_none(), "{:?}", decision.refusal);
    let next = crate::core::loops::decide::decide(
        &deck.state,
        &advance_to("critique", Some("on")),
        &ctx("agent:codex", 9),
    );
    assert!(next.refusal.is_none(), "the next phase leaps over nothing: {:?}", next.refusal);
    deck.run(leap);
    assert_eq!(&*deck.state.current_phase, "synthesis", "the operator may");
}

#[test]
fn what_is_the_operators_alone_is_refused_to_agents() {
    let mut deck = Deck::ideation();
    deck.advance();
    for command in [
        force("now"),
        advance_to("synthesis", Some("now")),
        Command::Amend(Amend { title: Some("x".to_owned()), ..Amend::default() }),
        Command::Close { status: Status::Completed, reason: None },
        Command::Reopen { reason: "x".to_owned(), rounds: 1 },
    ] {
        assert_eq!(
            deck.refused_as("agent:codex", command.clone()).code,
            "operator_only",
            "{command:?}"
        );
    }
    let mut granted = ctx("agent:codex", 9);
    granted.grants.0.insert("force".to_owned());
    let decision = crate::core::loops::decide::decide(&deck.state, &force("now"), &granted);
    assert!(decision.refusal.is_none());
}
