//! Each kind driven to each end that the verbs allow (engine.md §3, §5).

use super::fixture::*;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::command::{Body, Command};
use crate::core::loops::event::Outcome;
use crate::core::loops::lint;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::{Kind, ReviewMode};

fn review(mode: ReviewMode) -> Deck {
    let mut request = request(Kind::Review, lint::builtin(Kind::Review));
    request.review_mode = Some(mode);
    request.proposal = Some(Body::from("Renames the field."));
    let mut deck = Deck::open_with(request).expect("opens");
    assert_eq!(&*deck.state.artifacts[0].artifact_type, "change_summary");
    deck.advance();
    deck
}

#[test]
fn review_accepted_at_once() {
    let mut deck = review(ReviewMode::Asymmetric);
    deck.add("verdict", "Accepted, well done");
    assert_eq!(deck.state.status, Status::Completed);
}

#[test]
fn review_words_that_only_sound_like_acceptance() {
    let mut deck = review(ReviewMode::Asymmetric);
    for (text, word) in [("LGTM", "lgtm"), ("approved!", "approved"), ("ok", "ok")] {
        deck.add("verdict", text);
        assert!(deck.warnings[0].contains(&format!("{word:?}")), "{:?}", deck.warnings);
        assert_eq!(deck.state.status, Status::Open);
    }
    deck.add("verdict", "acceptedly not");
    assert_eq!(deck.state.status, Status::Open);
    deck.add("verdict", "accepted_");
    assert_eq!(deck.state.status, Status::Open);
}

#[test]
fn review_goes_back_on_request_changes_and_ends_blocked_after_three_rounds() {
    let mut deck = review(ReviewMode::Asymmetric);
    deck.add("finding", "The old name is still in the docs.");
    deck.add("verdict", "request changes: docs");
    deck.advance();
    assert_eq!(deck.at(), ("author_response", 0), "from findings on in the same round");
    deck.add("author_response", "Fixed.");
    deck.advance();
    assert_eq!(deck.at(), ("followup_review", 0));
    deck.advance();
    assert_eq!(deck.at(), ("verdict", 0), "the verdict of findings is answered");
    assert_eq!(deck.refused(advance()).code, "at_last_phase");
    for round in 0..3 {
        assert_eq!(deck.attention().state, AttentionState::Person);
        deck.add("verdict", &format!("not yet {round}"));
        assert_eq!(deck.at(), ("verdict", round));
        deck.advance();
        if round < 2 {
            assert_eq!(deck.at(), ("author_response", round + 1));
            deck.add("author_response", &format!("fix {round}"));
            deck.advance();
            deck.advance();
        }
    }
    assert_eq!(deck.state.status, Status::Blocked, "three rounds without acceptance");
    assert!(deck.state.close.as_ref().is_some_and(|c| c.by_cap));

    deck.run(Command::Reopen { reason: "one more try".to_owned(), rounds: 1 });
    assert_eq!(deck.at(), ("verdict", 2), "where the closing commit came from");
    deck.add("verdict", "accepted after all");
    assert_eq!(deck.state.status, Status::Completed, "success in the last round wins over the cap");
    deck.check();
}

#[test]
fn review_success_in_the_third_round_completes() {
    let mut deck = review(ReviewMode::Asymmetric);
    deck.run(advance_to("followup_review", None));
    for round in 0..2 {
        deck.add("verdict", &format!("no {round}"));
        deck.advance();
        deck.advance();
    }
    assert_eq!(deck.at(), ("followup_review", 2));
    deck.add("verdict", "accepted");
    assert_eq!(deck.state.status, Status::Completed);
}

#[test]
fn reviewers_owe_their_verdict_unless_the_operator_decides() {
    let mut request = request(Kind::Review, lint::builtin(Kind::Review));
    request.slots = vec![
        slot("author", None),
        slot("reviewer", Some("codex")),
        slot("reviewer", Some("claude")),
    ];
    let mut deck = Deck::open_with(request).expect("opens");
    deck.add("change_summary", "x");
    deck.advance();
    deck.try_as("agent:codex", &turn("reviewer")).expect("its own slot");
    deck.try_as("agent:claude", &turn("reviewer")).expect("its own slot");
    deck.add_as("agent:codex", "verdict", "accepted");
    assert_eq!(deck.state.status, Status::Open, "turns are live");
    deck.add_as("agent:stranger", "verdict", "accepted");
    let (first, second) =
        (deck.state.slots[1].slot_id.to_string(), deck.state.slots[2].slot_id.to_string());
    deck.run(complete(&first, Outcome::Done));
    deck.run(complete(&second, Outcome::Done));
    let stop = deck.why().stop.tree.expect("has a stop");
    assert!(stop.conditions[0].text.contains("owes its verdict"), "{}", stop.conditions[0].text);
    deck.run(advance_to("verdict", None));
    deck.add("verdict", "accepted: I have seen enough");
    assert_eq!(deck.state.status, Status::Completed, "the operator decides alone in verdict");
}

#[test]
fn a_reviewers_verdict_or_its_being_called_off_completes() {
    let mut request = request(Kind::Review, lint::builtin(Kind::Review));
    request.slots = vec![
        slot("author", None),
        slot("reviewer", Some("codex")),
        slot("reviewer", Some("claude")),
    ];
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    for agent in ["agent:codex", "agent:claude"] {
        deck.try_as(agent, &turn("reviewer")).expect("its own slot");
    }
    deck.add_as("agent:codex", "verdict", "accepted");
    let (first, second) =
        (deck.state.slots[1].slot_id.to_string(), deck.state.slots[2].slot_id.to_string());
    deck.run(complete(&first, Outcome::Done));
    assert_eq!(deck.state.status, Status::Open);
    deck.run(complete(&second, Outcome::Cancelled));
    assert_eq!(deck.state.status, Status::Completed);
}

#[test]
fn symmetric_review_counts_a_clean_turn_only() {
    let mut deck = review(ReviewMode::Symmetric);
    deck.turn("reviewer");
    deck.run(Command::AddArtifact(said("finding", "a leak")));
    let mut slot = deck.state.slots[1].clone();
    assert!(slot.live_turn().is_some());
    deck.add("verdict", "accepted, but see the finding");
    deck.done("reviewer");
    assert_eq!(deck.state.status, Status::Open, "a finding in the same turn");
    deck.advance();
    assert_eq!(deck.at(), ("author_response", 0));
    deck.run(advance_to("followup_review", None));
    deck.turn("reviewer");
    deck.add("verdict", "request changes: the leak");
    deck.done("reviewer");
    deck.advance();
    assert_eq!(deck.at(), ("findings", 1), "symmetric goes back to findings");
    deck.turn("reviewer");
    deck.add("verdict", "accepted");
    assert_eq!(deck.state.status, Status::Open, "counts once the turn has ended");
    deck.done("reviewer");
    assert_eq!(deck.state.status, Status::Completed);
    slot.turns.clear();
}

#[test]
fn research_ends_by_signal_and_never_blocked() {
    let mut deck = Deck::open(Kind::Research);
    assert_eq!(deck.refused(advance()).code, "gate_unmet");
    deck.add("finding", "The index is rebuilt at night.");
    deck.advance();
    deck.add("synthesis", "So far so good.");
    deck.run(Command::AddArtifact(crate::core::loops::command::NewArtifact {
        artifact_type: "critic_signal".to_owned(),
        ..Default::default()
    }));
    deck.advance();
    assert_eq!(deck.at(), ("conclude", 0), "the signal ends the cycle");
    deck.add("synthesis", "The answer.");
    assert_eq!(deck.state.status, Status::Completed);

    let mut deck = Deck::open(Kind::Research);
    for round in 0..3 {
        deck.add("finding", &format!("fact {round}"));
        deck.advance();
        deck.add("synthesis", &format!("view {round}"));
        deck.advance();
    }
    assert_eq!(deck.at(), ("conclude", 3));
    assert_eq!(deck.state.status, Status::Open, "no cap in the stop condition");
    deck.add("synthesis", "The last view stands.");
    assert_eq!(deck.state.status, Status::Completed);
}

#[test]
fn research_signal_leaves_from_any_phase_of_a_later_round() {
    let mut deck = Deck::open(Kind::Research);
    deck.add("finding", "fact");
    deck.advance();
    deck.advance();
    assert_eq!(deck.at(), ("investigate", 1));
    deck.run(Command::AddArtifact(crate::core::loops::command::NewArtifact {
        artifact_type: "critic_signal".to_owned(),
        ..Default::default()
    }));
    deck.advance();
    assert_eq!(deck.at(), ("conclude", 1), "the exit is asked before the gate");
}

#[test]
fn implementation_green_hands_over_and_red_at_the_cap_is_blocked() {
    let mut deck = Deck::open(Kind::Implementation);
    assert!(deck.warnings[0].contains("green will be narrated"));
    assert_eq!(deck.attention().state, AttentionState::Ready, "bind can always be left");
    deck.advance();
    deck.add("execute_report", "done");
    deck.advance();
    assert_eq!(deck.refused(advance()).code, "gate_unmet");
    assert_eq!(
        deck.refused(Command::AddArtifact(said("verify_report", "looks fine"))).code,
        "invalid_body"
    );
    deck.add("verify_report", "failed: two tests");
    deck.add("verify_report", "{\"passed\": true, \"note\": \"after a retry\"}");
    deck.advance();
    assert_eq!(deck.at(), ("handoff_ready", 0), "the latest report is green");
    assert_eq!(deck.attention().state, AttentionState::Person);
    deck.add("handoff", "Merged.");
    assert_eq!(deck.state.status, Status::Completed);

    let mut deck = Deck::open(Kind::Implementation);
    deck.advance();
    for round in 0..3 {
        deck.add("execute_report", &format!("try {round}"));
        deck.advance();
        deck.add("verify_report", &format!("failed {round}"));
        deck.advance();
    }
    assert_eq!(deck.state.status, Status::Blocked);
    assert_eq!(deck.at(), ("handoff_ready", 3));
    deck.run(Command::Reopen { reason: "found it".to_owned(), rounds: 1 });
    assert_eq!(deck.at(), ("verify", 2));
    assert_eq!(deck.state.protocol.max_rounds(), Some(4));
    deck.add("verify_report", "passed now");
    deck.advance();
    assert_eq!(deck.at(), ("handoff_ready", 2));
    deck.add("handoff", "Merged.");
    assert_eq!(deck.state.status, Status::Completed);
    deck.check();
}

#[test]
fn debug_runs_from_repro_to_handoff() {
    let mut deck = Deck::open(Kind::Debug);
    let refusal = deck.refused(advance());
    assert!(refusal.message.contains("no artifact of type \"repro\" in phase \"reproduce\""));
    assert!(refusal.next_steps[0].command.contains("--type repro"));
    deck.add("repro", "cargo test -- flaky");
    deck.advance();
    deck.add("hypothesis", "a race");
    deck.advance();
    deck.add("isolation_report", "only with two threads");
    deck.advance();
    deck.add("fix_report", "a lock");
    deck.add("verify_report", "passed 100 times");
    deck.advance();
    assert_eq!(deck.at(), ("handoff", 0));
    deck.add("handoff", "see the commit");
    assert_eq!(deck.state.status, Status::Completed);

    let mut deck = Deck::open(Kind::Debug);
    deck.add("repro", "x");
    deck.advance();
    for round in 0..3 {
        deck.advance();
        deck.advance();
        deck.add("verify_report", &format!("failed {round}"));
        deck.advance();
    }
    assert_eq!(deck.state.status, Status::Blocked);
}

#[test]
fn reframe_stands_between_the_cycle_and_the_synthesis() {
    let (kind, protocol) = lint::preset("ideation+reframe").expect("exists");
    let mut deck = Deck::open_with(request(kind, protocol)).expect("opens");
    deck.add("proposal", "x");
    deck.advance();
    for i in 0..3 {
        deck.add("critique", &format!("{i}"));
    }
    deck.advance();
    deck.add("revision", "r");
    deck.advance();
    deck.run(Command::Turn {
        slot: crate::core::loops::command::SlotSelector::Role("critic".to_owned()),
        input: None,
    });
    deck.done("champion");
    deck.advance();
    assert_eq!(deck.at(), ("reframe", 1));
    deck.add("reframing", "a simpler question");
    deck.advance();
    let id = deck.state.artifacts[1].artifact_id.clone();
    deck.plan(&[&id]).expect("addressed");
    assert_eq!(deck.state.status, Status::Completed);
}

#[test]
fn every_kind_can_be_ended_by_hand_and_reopened_where_it_stood() {
    for kind in [Kind::Ideation, Kind::Review, Kind::Research, Kind::Implementation, Kind::Debug] {
        for status in [Status::Completed, Status::Cancelled, Status::Blocked] {
            let mut deck = Deck::open(kind);
            let at = deck.state.current_phase.clone();
            deck.run(Command::Close { status, reason: Some("enough".to_owned()) });
            assert_eq!(deck.state.status, status);
            deck.run(Command::Reopen { reason: "not enough".to_owned(), rounds: 1 });
            assert_eq!((deck.state.status, &deck.state.current_phase), (Status::Open, &at));
            deck.check();
        }
    }
}

#[test]
fn a_completed_loop_reopens_without_closing_again() {
    let mut deck = review(ReviewMode::Asymmetric);
    deck.add("verdict", "accepted");
    deck.run(Command::Reopen { reason: "missed something".to_owned(), rounds: 1 });
    assert_eq!((deck.state.status, deck.at()), (Status::Open, ("findings", 0)));
    deck.add("finding", "this");
    assert_eq!(deck.state.status, Status::Open, "the old verdict counts no more for the stop");
    let mut deck = Deck::ideation();
    deck.run(Command::Close { status: Status::Cancelled, reason: Some("x".to_owned()) });
    let stop_now = Command::Reopen { reason: "y".to_owned(), rounds: 0 };
    assert_eq!(deck.refused(stop_now).code, "invalid_rounds");
}

#[test]
fn a_result_for_a_closed_loop_is_kept_as_late() {
    let mut deck = review(ReviewMode::Asymmetric);
    deck.turn("reviewer");
    deck.run(Command::Close { status: Status::Cancelled, reason: Some("moot".to_owned()) });
    deck.run(Command::CompleteTurn {
        slot: "reviewer".to_owned(),
        turn: None,
        outcome: Outcome::Done,
        reason: None,
        artifacts: vec![said("verdict", "accepted")],
        proof: None,
    });
    assert_eq!(deck.state.status, Status::Cancelled);
    assert!(deck.state.artifacts.last().is_some_and(|a| a.late && !a.counts()));
    deck.check();
}

#[test]
fn research_says_beforehand_that_a_round_without_a_signal_starts_another() {
    let mut deck = Deck::open(Kind::Research);
    deck.add("finding", "one");
    deck.advance();
    deck.add("synthesis", "so far");
    let preview = deck.decide_as("operator", &advance());
    assert_eq!(preview.warnings, ["no critic_signal: starts round 2"]);
    deck.add("critic_signal", "");
    assert!(deck.decide_as("operator", &advance()).warnings.is_empty());
}
