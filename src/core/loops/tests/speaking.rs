//! Artifacts, turns and the verbs around them (engine.md §6, §7).

use super::fixture::*;
use crate::core::loops::attention::attention;
use crate::core::loops::beside;
use crate::core::loops::command::{
    Amend, Body, Command, Content, LinkChange, NewArtifact, SlotSelector,
};
use crate::core::loops::coverage::{CoverState, coverage};
use crate::core::loops::decide::decide;
use crate::core::loops::event::Outcome;
use crate::core::loops::lint;
use crate::core::loops::model::{BodyFile, Loop, Status};
use crate::core::loops::protocol::Kind;
use crate::core::loops::wire;

#[test]
fn types_and_subtypes_are_checked() {
    let mut deck = Deck::ideation();
    for kind in ["", "Critique", "a b", "../x", &"x".repeat(65), "operator_question"] {
        let refusal = deck.refused(Command::AddArtifact(said(kind, "x")));
        assert_eq!(refusal.code, "invalid_type", "{kind:?}");
    }
    let label = |kind: &str, subtype: &str| {
        Command::AddArtifact(NewArtifact { subtype: Some(subtype.to_owned()), ..said(kind, "x") })
    };
    assert_eq!(deck.refused(label("critique", "nonsense")).code, "invalid_subtype");
    assert_eq!(deck.refused(label("revision", "scope_creep")).code, "invalid_subtype");
    deck.run(label("critique", "scope_creep"));
    deck.add("critiques", "near miss");
    deck.advance();
    deck.add("critiques", "near miss");
    let near = "no phase of this loop expects critiques; did you mean critique?";
    assert_eq!(deck.warnings, [near]);
    deck.add("revision", "too early");
    assert_eq!(deck.warnings, ["critique doesn't expect revision: revision does"]);
    deck.add("note", "types are free");
    assert!(deck.warnings.is_empty(), "{:?}", deck.warnings);
    let bodyless = |kind: &str| {
        Command::AddArtifact(NewArtifact {
            artifact_type: kind.to_owned(),
            ..NewArtifact::default()
        })
    };
    assert_eq!(deck.refused(bodyless("critique")).code, "invalid_body");
    deck.run(bodyless("critic_signal"));
}

#[test]
fn the_cap_counts_bytes_and_files_take_the_rest() {
    let mut deck = Deck::ideation();
    deck.add("proposal", &"é".repeat(2048));
    let refusal =
        deck.refused(Command::AddArtifact(said("proposal", &format!("{}x", "é".repeat(2048)))));
    assert_eq!(refusal.code, "body_too_large");
    assert_eq!(refusal.details["byte_count"], 4097);
    assert_eq!(refusal.details["max_bytes"], 4096);
    let in_file = |kind: &str, text: &str| {
        let file = BodyFile {
            reference: "artifacts/abc".to_owned(),
            byte_count: text.len() as u64,
            sha256: "abc".to_owned(),
        };
        Command::AddArtifact(NewArtifact {
            artifact_type: kind.to_owned(),
            content: Content::Body(Body { text: text.to_owned(), file: Some(file) }),
            ..NewArtifact::default()
        })
    };
    let long = format!("accepted: {}\nsecond line", "y".repeat(5000));
    deck.run(in_file("proposal", &long));
    deck.run(in_file("verdict", &long));
    let Some(crate::core::loops::EventBody::ArtifactAdded(added)) =
        deck.events.last().map(|e| &e.body)
    else {
        panic!("an artifact was added")
    };
    let inline = added.body.as_deref().expect("a verdict keeps its first line");
    assert_eq!(inline.chars().count(), 1000);
    assert!(inline.starts_with("accepted: yyy"));
    assert_eq!(
        deck.refused(in_file("verify_report", &format!("passed {long}"))).code,
        "body_too_large"
    );
}

#[test]
fn a_phase_entered_before_may_be_named() {
    let mut deck = Deck::ideation();
    let at = |phase: &str, round: Option<u32>| {
        Command::AddArtifact(NewArtifact {
            phase: Some(phase.to_owned()),
            round,
            ..said("critique", "x")
        })
    };
    assert_eq!(deck.refused(at("critique", None)).code, "phase_not_reached");
    assert_eq!(deck.refused(at("nowhere", None)).code, "unknown_phase");
    deck.advance();
    for i in 0..3 {
        deck.add("critique", &format!("{i}"));
    }
    deck.advance();
    deck.run(at("critique", Some(1)));
    assert_eq!(deck.refused(at("critique", Some(2))).code, "phase_not_reached");
    assert_eq!(deck.refused(at("critique", Some(0))).code, "invalid_round");
    let filed = deck.state.artifacts.last().expect("filed");
    assert!(!filed.late && &*filed.phase == "critique" && filed.iteration == 0);
}

#[test]
fn turns_belong_to_slots_and_those_who_hold_them() {
    let mut request = request(Kind::Ideation, lint::builtin(Kind::Ideation));
    request.slots =
        vec![slot("champion", None), slot("critic", Some("codex")), slot("critic", None)];
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    let (own, shared) =
        (deck.state.slots[1].slot_id.to_string(), deck.state.slots[2].slot_id.to_string());
    let on = |slot: &str| Command::Turn { slot: SlotSelector::Slot(slot.to_owned()), input: None };
    assert_eq!(deck.refused_as("agent:claude", on(&own)).code, "not_slot_owner");
    assert_eq!(deck.refused(on("zzzz")).code, "slot_not_found");
    assert_eq!(deck.refused(on("critic")).code, "ambiguous_id");
    assert_eq!(deck.refused(turn("janitor")).code, "no_such_role");
    let made = deck.try_as("agent:claude", &turn("critic")).expect("takes the unclaimed one").made;
    assert_eq!(made.slot_id.map(|s| s.to_string()), Some(shared.clone()));
    assert_eq!(deck.refused_as("agent:other", turn("critic")).code, "not_slot_owner");
    let made = deck.try_as("agent:codex", &turn("critic")).expect("takes its own").made;
    assert_eq!(made.slot_id.map(|s| s.to_string()), Some(own.clone()));
    assert_eq!(deck.refused(on(&own[..9])).code, "slot_busy");

    let id = deck.add_as("agent:codex", "critique", "from its turn");
    let filed = deck.state.artifact(id.as_str()).expect("filed");
    assert_eq!(filed.slot_id.as_ref().map(|s| s.to_string()), Some(own.clone()));
    assert!(filed.turn_id.is_some());
    let id = deck.add("critique", "the operator has no turn here");
    assert!(deck.state.artifact(id.as_str()).expect("filed").turn_id.is_none());

    assert_eq!(
        deck.refused_as("agent:codex", complete(&shared, Outcome::Done)).code,
        "not_slot_owner"
    );
    let failed = Command::CompleteTurn {
        slot: own.clone(),
        turn: None,
        outcome: Outcome::Failed,
        reason: None,
        artifacts: Vec::new(),
        proof: None,
    };
    assert_eq!(deck.refused_as("agent:codex", failed).code, "reason_required");
    deck.try_as("agent:claude", &complete(&shared, Outcome::Done)).expect("whoever took it");
    deck.run(complete(&own, Outcome::Done));
    deck.check();
}

#[test]
fn a_second_turn_in_the_same_round_has_its_own_id() {
    let mut deck = Deck::ideation();
    deck.advance();
    let first = deck.run(turn("critic")).made.turn_id;
    deck.done("critic");
    let second = deck.run(turn("critic")).made.turn_id;
    assert_ne!(first, second);
    assert_eq!(deck.state.slots[1].turns[1].n, 1);
}

#[test]
fn an_empty_turn_is_a_warning_where_it_says_nothing() {
    let mut deck = Deck::ideation();
    deck.turn("champion");
    deck.done("champion");
    assert_eq!(deck.warnings, ["the turn of champion ended with nothing filed"]);
    assert!(deck.state.slots[0].turns[0].empty);
    deck.turn("champion");
    deck.add("proposal", "another");
    deck.done("champion");
    assert!(deck.warnings.is_empty());
}

#[test]
fn coverage_follows_answers_waivers_and_newest_versions() {
    let mut deck = Deck::ideation();
    deck.advance();
    let ids: Vec<_> = (0..4).map(|i| deck.add("critique", &format!("point {i}"))).collect();
    deck.advance();
    let newer = deck
        .run(Command::Supersede {
            artifact: ids[0].to_string(),
            new: crate::core::loops::command::SupersedeWith {
                content: said("critique", "point 0, clearer").content,
                ..Default::default()
            },
        })
        .made
        .artifact_ids[0]
        .clone();
    let mut revision = said("revision", "answers");
    revision.addresses = vec![ids[0].to_string()];
    revision.waives = [(ids[1].to_string(), "out of scope".to_owned())].into();
    deck.run(Command::AddArtifact(revision));
    deck.run(Command::Waive { artifact: ids[2].to_string(), reason: "later".to_owned() });
    let matrix = coverage(&deck.state);
    assert_eq!((matrix.total, matrix.open), (4, 1));
    let state = |id: &crate::core::loops::ids::ArtifactId| {
        matrix.critiques.iter().find(|c| c.artifact_id == *id).map(|c| c.state)
    };
    assert_eq!(state(&newer), Some(CoverState::Addressed));
    assert_eq!(state(&ids[1]), Some(CoverState::Waived));
    assert_eq!(state(&ids[2]), Some(CoverState::Waived));
    assert_eq!(state(&ids[3]), Some(CoverState::Open));
    assert_eq!(
        deck.refused(Command::Waive { artifact: "art_ffff".to_owned(), reason: "x".to_owned() })
            .code,
        "unknown_critique"
    );
    let waive = Command::Waive { artifact: ids[3].to_string(), reason: " ".to_owned() };
    assert_eq!(deck.refused(waive).code, "reason_required");
}

#[test]
fn a_duplicate_is_covered_with_what_it_repeats_and_steps_name_what_is_open() {
    let mut deck = Deck::ideation();
    deck.advance();
    let first = deck.add("critique", "the same");
    let again = deck.add("critique", "the same");
    let other = deck.add("critique", "another");
    let step = crate::core::loops::steps::add_plan(&deck.state);
    assert!(step.ends_with(&format!("--addresses {first},{other}")), "{step}");
    let mut revision = said("revision", "answers");
    revision.addresses = vec![again.to_string()];
    deck.run(Command::AddArtifact(revision));
    let matrix = coverage(&deck.state);
    assert_eq!((matrix.total, matrix.open), (2, 1));
    assert_eq!(matrix.critiques[0].state, CoverState::Addressed);
    let step = crate::core::loops::steps::add_plan(&deck.state);
    assert!(step.ends_with(&format!("--addresses {other}")), "{step}");
}

#[test]
fn required_coverage_wants_every_critique_settled() {
    let mut protocol = lint::builtin(Kind::Ideation);
    protocol.require_coverage = true;
    protocol.phases[1].advance_gate = None;
    let mut deck = Deck::open_with(request(Kind::Ideation, protocol)).expect("opens");
    deck.advance();
    let ids: Vec<_> = (0..2).map(|i| deck.add("critique", &format!("{i}"))).collect();
    deck.advance();
    deck.run(advance_to("synthesis", None));
    assert_eq!(deck.plan(&[&ids[0]]).unwrap_err().code, "coverage_required");
    deck.plan(&[&ids[0], &ids[1]]).expect("all settled");
    assert_eq!(deck.state.status, Status::Completed);
}

#[test]
fn without_critiques_a_plan_needs_no_ids_but_says_so() {
    let mut protocol = lint::builtin(Kind::Ideation);
    protocol.phases[1].advance_gate = None;
    let mut deck = Deck::open_with(request(Kind::Ideation, protocol)).expect("opens");
    deck.run(advance_to("synthesis", None));
    deck.plan(&[]).expect("none needed");
    assert!(deck.warnings[0].starts_with("nothing was criticised"));
}

#[test]
fn agents_take_back_their_own_while_their_phase_lasts() {
    let mut deck = Deck::ideation();
    deck.advance();
    let own = deck.add_as("agent:codex", "critique", "mine");
    let other = deck.add("critique", "the operator's");
    let retract = |id: &crate::core::loops::ids::ArtifactId| Command::Retract {
        artifact: id.to_string(),
        reason: "wrong".to_owned(),
    };
    assert_eq!(deck.refused_as("agent:codex", retract(&other)).code, "operator_only");
    deck.try_as("agent:codex", &retract(&own)).expect("its own");
    let late = deck.add_as("agent:codex", "critique", "mine too");
    deck.run(force("go on"));
    assert_eq!(deck.refused_as("agent:codex", retract(&late)).code, "operator_only");
    deck.run(retract(&late));
    assert_eq!(
        deck.refused(retract(&crate::core::loops::ids::ArtifactId::derive(&[b"no"]))).code,
        "unknown_artifact"
    );
}

#[test]
fn amend_changes_the_head_and_nothing_else() {
    let mut deck = Deck::ideation();
    assert_eq!(deck.refused(Command::Amend(Amend::default())).code, "usage");
    deck.run(Command::Amend(Amend {
        title: Some("A better title".to_owned()),
        goal: Some("fewer moving parts".to_owned()),
        domain: Some("build".to_owned()),
        add_slots: vec![slot("critic", Some("codex"))],
        assign: vec![("champion".to_owned(), Some("claude".to_owned()))],
        ..Amend::default()
    }));
    assert_eq!(deck.state.slug, "extract-the-dispatcher", "its handle stays");
    assert_eq!(deck.state.goal.as_deref(), Some("fewer moving parts"));
    assert_eq!(deck.state.slots.len(), 3);
    assert_eq!(deck.state.slots[0].agent.as_deref(), Some("claude"));
    let change = |amend| Command::Amend(amend);
    deck.run(change(Amend { goal: Some(String::new()), ..Amend::default() }));
    assert_eq!(deck.state.goal, None);
    let lower = deck.refused(change(Amend { max_rounds: Some(3), ..Amend::default() }));
    assert_eq!(lower.code, "invalid_max_rounds");
    deck.turn("champion");
    let busy = change(Amend { remove_slots: vec!["champion".to_owned()], ..Amend::default() });
    assert_eq!(deck.refused(busy).code, "slot_busy");
    let verify = change(Amend { verify: Some(None), ..Amend::default() });
    assert_eq!(deck.refused(verify).code, "invalid_verify");
    deck.check();
}

#[test]
fn links_are_added_and_taken_away() {
    let mut deck = Deck::ideation();
    let plans = |remove| {
        Command::Link(LinkChange {
            plans: vec!["pln_00112233".to_owned()],
            remove,
            ..LinkChange::default()
        })
    };
    deck.run(plans(false));
    let version = deck.state.version;
    deck.run(plans(false));
    assert_eq!(deck.state.version, version, "twice is once");
    assert_eq!(deck.state.linked.plan_ids, ["pln_00112233"]);
    deck.run(plans(true));
    assert!(deck.state.linked.plan_ids.is_empty());
    let itself = LinkChange { source: Some(deck.state.id.clone()), ..LinkChange::default() };
    assert_eq!(deck.refused(Command::Link(itself)).code, "invalid_source");
    assert_eq!(deck.refused(Command::Link(LinkChange::default())).code, "usage");
}

#[test]
fn unknown_cites_are_kept_and_marked() {
    let deck = Deck::ideation();
    let mut context = ctx("operator", 1);
    context.known_cites.insert("trp_00000001".into());
    let mut new = said("proposal", "x");
    new.cites =
        vec!["trp_00000001".to_owned(), "trp_ffffffff".to_owned(), "trp_00000001".to_owned()];
    let decision =
        crate::core::loops::decide::decide(&deck.state, &Command::AddArtifact(new), &context);
    assert_eq!(decision.warnings, ["cited, but not found: trp_ffffffff"]);
    let Some(crate::core::loops::EventBody::ArtifactAdded(added)) = decision.events.first() else {
        panic!("an artifact was added")
    };
    assert_eq!(added.artifact.cites.len(), 2);
    assert_eq!(added.artifact.dangling, ["trp_ffffffff".into()]);
}

#[test]
fn the_json_of_a_loop_holds_no_bodies_and_no_books() {
    let mut deck = Deck::ideation();
    deck.advance();
    deck.add("critique", &format!("{}SECRET-TAIL", "x".repeat(300)));
    let json = wire::to_json(&deck.state, &attention(&deck.state, deck.state.updated_at));
    let text = json.to_string();
    assert!(!text.contains("SECRET-TAIL") && !text.contains("ledger"));
    assert_eq!(json["round"], 1);
    assert_eq!(json["attention"], "work");
    assert_eq!(json["attention_detail"], "critique 1/3");
    assert_eq!(json["id"], deck.state.id.as_str());
    assert_eq!(json["artifacts"][1]["preview"].as_str().map(str::len), Some(200));
}

/// What a person wrote on a version that has passed is carried out if it comes to the
/// same on the present one (engine: `execute_beside`).
#[test]
fn what_only_adds_comes_to_the_same_until_the_loop_went_on() {
    let mut deck = super::attempts::critics();
    let then = deck.state.clone();
    let command = Command::AddArtifact(said("critique", "It drops the cache."));
    assert!(beside::adds(&command) && !beside::adds(&Command::Undo { to: None }));
    let same = |now: &Loop| {
        let ctx = ctx("operator", 9);
        let decision = decide(now, &command, &ctx);
        assert_eq!(decision.refusal, None);
        beside::comes_to_the_same(&then, now, &command, &ctx, &decision)
    };
    assert!(same(&then));
    deck.run(command.clone());
    assert!(same(&deck.state), "others added: nothing else came of it");
    deck.run(force("on"));
    assert!(!same(&deck.state), "it would land in another phase");
}
