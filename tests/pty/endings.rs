//! However the deck ends, the terminal is as it was before.

use std::time::Duration;

use crate::support::{Deck, Place, Signal};

fn running(place: &Place) -> Deck {
    let mut deck = place.deck();
    deck.sees("This workspace has no loop yet");
    assert!(deck.screen().alternate_screen());
    assert!(deck.screen().bracketed_paste());
    deck
}

#[test]
fn q_quits_and_says_so() {
    let place = Place::workspace();
    let mut deck = running(&place);
    deck.keys("q");
    assert_eq!(deck.ends().code(), Some(0));
    deck.left_clean();
}

#[test]
fn a_signal_ends_it_with_the_status_that_shells_know() {
    for (signal, status) in [(Signal::Term, 143), (Signal::Hup, 129), (Signal::Int, 130)] {
        let place = Place::workspace();
        let mut deck = running(&place);
        deck.signal(signal);
        assert_eq!(deck.ends().code(), Some(status), "{signal:?}");
        deck.left_clean();
    }
}

#[test]
fn a_panic_gives_the_terminal_back_and_says_where_its_report_is() {
    if !cfg!(debug_assertions) {
        // Only debug builds can be asked to panic.
        return;
    }
    let place = Place::workspace();
    let mut deck = place.deck_with(120, 36, &[("LOOPDECK_TEST_PANIC", "1")]);
    deck.sees("This workspace has no loop yet").keys("<F12>");
    assert_eq!(deck.ends().code(), Some(101));
    deck.left_clean();
    assert!(deck.screen().contains("a fault in the program ended the deck"), "{}", deck.screen());
}

#[test]
fn what_was_being_written_is_offered_again() {
    let place = Place::workspace();
    let mut deck = running(&place);
    deck.keys("o").sees("Use instead:").keys("<Enter>Half a thought<Enter>and its reasons");
    deck.sees("and its reasons").signal(Signal::Term);
    assert_eq!(deck.ends().code(), Some(143));

    let mut deck = place.deck();
    deck.sees("what you had written before").sees("Half a thought").sees("and its reasons");
    deck.keys("<C-s>").sees_no("Open a loop").sees("Half a thought");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let place = Place::workspace();
    let mut deck = running(&place);
    deck.stays_still(Duration::from_secs(1));
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_terminal_that_goes_away_ends_it() {
    let place = Place::workspace();
    let status = place.hang_up("This workspace has no loop yet");
    assert_eq!(status, 129);
}

#[test]
fn a_terminal_that_only_prints_gets_the_deck_in_lines() {
    let place = Place::workspace();
    place.open_loop(&["--kind", "ideation", "--title", "Plainly", "--proposal", "Do it."]);
    let mut deck = place.deck_with(80, 24, &[("TERM", "dumb")]);
    deck.sees("here is the deck in lines").sees("1. Plainly").keys("1<Enter>").sees("[Plainly] >");
    deck.keys("q<Enter>");
    assert!(deck.ends().success());
}

#[test]
fn on_such_a_terminal_the_demo_opens_in_lines_too() {
    let place = Place::workspace();
    let mut deck = place.start(&["demo"], (80, 24), &[("TERM", "dumb")]);
    deck.sees("here is the deck in lines").sees("1. ").keys("q<Enter>");
    assert!(deck.ends().success());
}
