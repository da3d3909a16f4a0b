//! What others do while the deck is open.

use std::time::{Duration, Instant};

use crate::support::{Deck, Place};

/// The text of the row that is chosen in the list.
fn chosen(deck: &Deck) -> String {
    let screen = deck.screen();
    let row = (0..screen.rows()).map(|r| screen.row_text(r)).find(|t| t.contains("▌"));
    row.unwrap_or_default()
}

#[test]
fn another_process_advances_a_loop_and_the_deck_shows_it() {
    let place = Place::workspace();
    let open = |title: &str| {
        place.open_loop(&["--kind", "ideation", "--title", title, "--proposal", "Do it."])
    };
    let first = open("The first one");
    open("The second one");
    open("The third one");

    let mut deck = place.deck();
    deck.sees("The first one").sees("The third one").keys("j");
    deck.until("the second one chosen", |screen| {
        (0..screen.rows()).any(|r| {
            let text = screen.row_text(r);
            text.contains("▌") && text.contains("The second one")
        })
    });

    place.run(&["loop", "advance", &first]);
    let since = Instant::now();
    deck.sees("critique");
    let took = since.elapsed();
    assert!(took < Duration::from_secs(1), "shown after {took:?}");
    assert!(chosen(&deck).contains("The second one"), "{}", deck.screen());

    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_loop_that_moves_on_under_a_form_is_said() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "T", "--proposal", "Do it."]);
    place.run(&["loop", "advance", &id]);

    let mut deck = place.deck();
    deck.sees("critique").keys("a").sees("Add an artifact · critique, round 1 of 3");
    deck.keys("A late thought").sees("A late thought");
    place.run(&["loop", "advance", &id, "--to", "revision", "--reason", "time is short"]);
    deck.sees("The loop moved on to revision, round 1 of 3 while you wrote.");
    deck.keys("<C-s>").sees("Where is this to be filed?");
    deck.keys("t").sees_no("Add an artifact");
    let shown = place.json(&["loop", "show", &id]);
    let filed = shown["result"]["artifacts"].as_array().expect("artifacts").last().cloned();
    let filed = filed.expect("filed");
    assert_eq!((&filed["phase"], &filed["type"]), (&"critique".into(), &"critique".into()));

    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn the_demo_is_a_living_deck() {
    let place = Place::empty();
    let mut deck = place.start(&["demo"], (120, 36), &[]);
    deck.sees("stuck").sees("paused").sees("blocked").sees("completed").keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
    assert!(deck.screen().contains("the demo stays in"), "{}", deck.screen());
}

#[test]
fn read_only_shows_everything_and_changes_nothing() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "Kept", "--proposal", "Do it."]);
    let before = place.run(&["loop", "log", &id]);
    let mut deck = place.start(&["--read-only"], (120, 36), &[]);
    deck.sees("Kept").keys("a").sees("read-only").keys("A").keys("o");
    deck.keys("w").sees("Why it stands here").keys("<Esc>").sees_no("Why it stands here");
    deck.keys("q");
    assert!(deck.ends().success());
    assert_eq!(place.run(&["loop", "log", &id]), before);
}
