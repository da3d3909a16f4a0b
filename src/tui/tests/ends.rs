//! Each kind of loop and both presets, driven by one person with keys alone to
//! each end that they can have.

use super::drive::{Deck, folder};
use crate::core::loops::model::Status;
use crate::tui::msg::Msg;

/// A deck on an empty workspace.
fn empty() -> Deck {
    let mut deck = Deck::on(folder(false));
    deck.press(&["i"]);
    deck
}

fn paste(deck: &mut Deck, text: &str) {
    deck.send(Msg::Paste(text.to_owned()));
}

/// Opens a loop of a kind, by a protocol of its own name where one is given.
fn open(kind: &str, protocol: &str) -> Deck {
    let mut deck = empty();
    deck.press(&["o"]);
    deck.write(kind);
    deck.press(&["enter"]);
    deck.write("To the end");
    deck.press(&["enter"]);
    paste(&mut deck, "What it is about.");
    deck.press(&["tab", "enter", "enter"]);
    deck.write(protocol);
    deck.press(if protocol.is_empty() { &["ctrl-s"] } else { &["enter", "ctrl-s"] });
    assert_ne!(deck.app.context(), None, "{}", deck.screen());
    deck
}

fn state(deck: &Deck) -> std::sync::Arc<crate::core::loops::model::Loop> {
    deck.app.detail.data().expect("a loop is in view").state.clone()
}

fn at(deck: &Deck) -> (String, u32) {
    (state(deck).current_phase.to_string(), state(deck).round())
}

#[track_caller]
fn ended(deck: &mut Deck, status: Status) {
    assert_eq!(state(deck).status, status, "{}", deck.screen());
}

/// Files an artifact of the type that is wanted first.
#[track_caller]
fn say(deck: &mut Deck, text: &str) {
    let before = state(deck).artifacts.len();
    deck.press(&["a"]);
    paste(deck, text);
    deck.press(&["ctrl-s"]);
    assert_eq!(state(deck).artifacts.len(), before + 1, "{}", deck.screen());
}

/// Files an artifact of a type that is chosen.
fn say_as(deck: &mut Deck, kind: &str) {
    let labelled = at(deck).0 == "critique";
    deck.press(if labelled { &["a", "shift-tab", "shift-tab"] } else { &["a", "shift-tab"] });
    deck.write(kind);
    deck.press(&["enter", "ctrl-s"]);
    assert_ne!(deck.app.context(), None, "{}", deck.screen());
}

/// Files a verdict: `a` accepts, `r` requests changes.
#[track_caller]
fn judge(deck: &mut Deck, letter: &str) {
    deck.press(&["a"]);
    if at(deck).0 != "verdict" {
        deck.press(&["shift-tab"]);
        deck.write("verdict");
        deck.press(&["enter"]);
    }
    deck.press(&[letter, "tab"]);
    deck.write("for a reason");
    deck.press(&["ctrl-s"]);
    assert_ne!(deck.app.context(), None, "{}", deck.screen());
}

/// Files what a command said, as a person narrates it.
#[track_caller]
fn report(deck: &mut Deck, passed: bool) {
    deck.press(&["a"]);
    assert!(deck.screen().contains("passed"), "{}", deck.screen());
    deck.press(if passed { &["ctrl-s"] } else { &["right", "ctrl-s"] });
    assert_ne!(deck.app.context(), None, "{}", deck.screen());
}

/// Advances, which leads to a phase and round.
#[track_caller]
fn on_to(deck: &mut Deck, phase: &str, round: u32) {
    deck.press(&["A", "enter"]);
    assert_eq!(at(deck), (phase.to_owned(), round), "{}", deck.screen());
}

fn critique_and_revise(deck: &mut Deck, round: u32) {
    for text in ["No order.", "No retry.", "No way back."] {
        say(deck, &format!("{text} {round}"));
    }
    on_to(deck, "revision", round);
    say(deck, "Mended.");
}

#[test]
fn an_ideation_by_its_cap_and_by_hand() {
    let mut deck = open("ideation", "");
    on_to(&mut deck, "critique", 1);
    critique_and_revise(&mut deck, 1);
    on_to(&mut deck, "critique", 2);
    critique_and_revise(&mut deck, 2);
    on_to(&mut deck, "critique", 3);
    critique_and_revise(&mut deck, 3);
    on_to(&mut deck, "synthesis", 3);
    assert!(deck.screen().contains("after 3 rounds (cap)"), "{}", deck.screen());
    say(&mut deck, "The plan.");
    ended(&mut deck, Status::Completed);

    for (keys, status) in [(&["c", "c"][..], Status::Cancelled), (&["b"], Status::Blocked)] {
        let mut deck = open("ideation", "");
        deck.press(&["C"]);
        deck.press(keys);
        deck.press(&["tab"]);
        deck.write("nobody has the time");
        deck.press(&["ctrl-s"]);
        ended(&mut deck, status);
    }
}

#[test]
fn an_ideation_whose_second_round_is_cut_short() {
    let mut deck = open("ideation", "");
    on_to(&mut deck, "critique", 1);
    critique_and_revise(&mut deck, 1);
    on_to(&mut deck, "critique", 2);
    say(&mut deck, "Only one more.");
    deck.press(&["X"]);
    deck.write("short_round");
    deck.press(&["ctrl-s"]);
    assert_eq!(at(&deck), ("revision".to_owned(), 2), "{}", deck.screen());
}

#[test]
fn a_reframed_ideation() {
    let mut deck = open("ideation", "reframe");
    on_to(&mut deck, "critique", 1);
    critique_and_revise(&mut deck, 1);
    on_to(&mut deck, "critique", 2);
    deck.press(&["t", "ctrl-s", "c", "ctrl-s"]);
    on_to(&mut deck, "reframe", 2);
    say(&mut deck, "What it is really about.");
    on_to(&mut deck, "synthesis", 2);
    say(&mut deck, "The plan.");
    ended(&mut deck, Status::Completed);
}

#[test]
fn a_review_that_is_accepted_at_once() {
    let mut deck = open("review", "");
    on_to(&mut deck, "findings", 1);
    judge(&mut deck, "a");
    ended(&mut deck, Status::Completed);
}

/// A review in which changes are requested twice: in round three.
fn third_round() -> Deck {
    let mut deck = open("review", "");
    on_to(&mut deck, "findings", 1);
    say(&mut deck, "It has no owner.");
    judge(&mut deck, "r");
    on_to(&mut deck, "author_response", 1);
    for round in 1..3 {
        say(&mut deck, "It has one.");
        on_to(&mut deck, "followup_review", round);
        judge(&mut deck, "r");
        on_to(&mut deck, "author_response", round + 1);
    }
    say(&mut deck, "It has one indeed.");
    on_to(&mut deck, "followup_review", 3);
    deck
}

#[test]
fn a_review_that_is_accepted_in_its_third_round() {
    let mut deck = third_round();
    on_to(&mut deck, "verdict", 3);
    judge(&mut deck, "a");
    ended(&mut deck, Status::Completed);
}

#[test]
fn a_review_that_is_sent_back_in_its_third_round() {
    let mut deck = third_round();
    judge(&mut deck, "r");
    deck.press(&["A"]);
    assert!(deck.screen().contains("closes the loop: blocked"), "{}", deck.screen());
    deck.press(&["enter"]);
    ended(&mut deck, Status::Blocked);
}

#[test]
fn research_that_somebody_calls_enough() {
    let mut deck = open("research", "");
    say(&mut deck, "Both fit.");
    on_to(&mut deck, "synthesize", 1);
    say(&mut deck, "Take the first.");
    deck.press(&["A"]);
    assert!(deck.screen().contains("no critic_signal: starts round 2"), "{}", deck.screen());
    deck.press(&["esc"]);
    say_as(&mut deck, "critic_signal");
    on_to(&mut deck, "conclude", 1);
    say(&mut deck, "The first.");
    ended(&mut deck, Status::Completed);
}

#[test]
fn research_that_goes_to_its_cap() {
    let mut deck = open("research", "");
    for round in 1..=3 {
        say(&mut deck, &format!("Finding {round}"));
        on_to(&mut deck, "synthesize", round);
        say(&mut deck, &format!("So far {round}"));
        let next = if round < 3 { ("investigate", round + 1) } else { ("conclude", 3) };
        on_to(&mut deck, next.0, next.1);
    }
    say(&mut deck, "As far as it goes.");
    ended(&mut deck, Status::Completed);
}

#[test]
fn an_implementation_that_gets_green_in_its_last_round() {
    let mut deck = open("implementation", "");
    on_to(&mut deck, "execute", 1);
    for round in 1..=3 {
        say(&mut deck, &format!("Done {round}"));
        on_to(&mut deck, "verify", round);
        report(&mut deck, round == 3);
        let next = if round < 3 { ("execute", round + 1) } else { ("handoff_ready", 3) };
        on_to(&mut deck, next.0, next.1);
    }
    say(&mut deck, "Yours.");
    ended(&mut deck, Status::Completed);
}

#[test]
fn an_implementation_that_stays_red_offers_to_look_for_the_cause() {
    let mut deck = open("implementation", "");
    on_to(&mut deck, "execute", 1);
    for round in 1..=3 {
        say(&mut deck, &format!("Done {round}"));
        on_to(&mut deck, "verify", round);
        report(&mut deck, false);
        deck.press(&["A", "enter"]);
    }
    ended(&mut deck, Status::Blocked);
    let red = state(&deck).id.clone();
    deck.press(&["O"]);
    assert!(deck.screen().contains("debug"), "{}", deck.screen());
    deck.press(&["ctrl-s"]);
    let follower = state(&deck);
    assert_eq!(follower.kind.as_ref(), "debug", "{}", deck.screen());
    assert_eq!(follower.linked.source_loop_id.as_ref(), Some(&red));
}

#[test]
fn the_repro_form_sets_the_command_and_the_loop_keeps_it() {
    let mut deck = open("debug", "");
    deck.press(&["a"]);
    paste(&mut deck, "Run it twice.");
    deck.press(&["tab", "tab"]);
    deck.write("sh check.sh");
    deck.press(&["ctrl-s"]);
    let verify = state(&deck).protocol.verify.clone();
    assert_eq!(verify, Some(vec!["sh".to_owned(), "check.sh".to_owned()]), "{}", deck.screen());
    assert_eq!(state(&deck).artifacts.len(), 2);
    let logged = deck.app.command_log.last().expect("it is in the command log");
    assert!(logged.command.contains("--verify 'sh check.sh' && loopdeck loop add"), "{logged:?}");
}

/// A fault that was reproduced: in its first hypothesis.
fn reproduced() -> Deck {
    let mut deck = open("debug", "");
    say(&mut deck, "Run it twice.");
    on_to(&mut deck, "hypothesize", 1);
    deck
}

fn try_a_fix(deck: &mut Deck, round: u32, passed: bool) {
    say(deck, &format!("It may be the cache {round}"));
    on_to(deck, "isolate", round);
    say(deck, &format!("It is {round}"));
    on_to(deck, "fix", round);
    report(deck, passed);
}

#[test]
fn a_fault_that_is_found_in_the_second_round() {
    let mut deck = reproduced();
    try_a_fix(&mut deck, 1, false);
    on_to(&mut deck, "hypothesize", 2);
    try_a_fix(&mut deck, 2, true);
    on_to(&mut deck, "handoff", 2);
    say(&mut deck, "Mended.");
    ended(&mut deck, Status::Completed);
}

#[test]
fn a_fault_that_is_not_found() {
    let mut deck = reproduced();
    for round in 1..=3 {
        try_a_fix(&mut deck, round, false);
        deck.press(&["A", "enter"]);
    }
    ended(&mut deck, Status::Blocked);
}

#[test]
fn a_bootstrap_that_is_changed_once_and_then_approved() {
    let mut deck = open("ideation", "bootstrap");
    say(&mut deck, "What there is.");
    on_to(&mut deck, "propose", 1);
    say(&mut deck, "The draft.");
    on_to(&mut deck, "clarify", 1);
    on_to(&mut deck, "review_draft", 1);
    deck.press(&["i"]);
    deck.write("ch");
    deck.press(&["ctrl-s"]);
    assert_eq!(at(&deck).0, "propose", "{}", deck.screen());
    say(&mut deck, "The draft, mended.");
    deck.press(&["A", "enter", "A", "enter"]);
    assert_eq!(at(&deck).0, "review_draft", "{}", deck.screen());
    deck.press(&["i"]);
    deck.write("ap");
    deck.press(&["ctrl-s", "A", "enter"]);
    assert_eq!(at(&deck).0, "converge", "{}", deck.screen());
    say(&mut deck, "The last word.");
    ended(&mut deck, Status::Completed);
}
