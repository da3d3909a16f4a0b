//! A question is seen and answered with keys.

use crate::support::Place;

#[test]
fn a_question_is_seen_and_answered_with_keys() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "Store", "--proposal", "Move it."]);
    let mut deck = place.deck();
    deck.sees("Store");
    // An agent asks while the deck is open.
    place.json(&[
        "loop",
        "ask",
        &id,
        "--question",
        "Which store?",
        "--evidence",
        "both are in use",
        "--scope",
        "loop",
        "--option",
        "first=The old one",
        "--option",
        "second=The new one",
        "--actor",
        "agent:codex",
    ]);
    // Seen in the header, in the list and over the loop.
    deck.sees("1 question ").sees("asks you");
    deck.sees("agent:codex asks: Which store?").sees("i answers").sees("because both are in use");
    deck.keys("i").sees("Answer ·").sees("agent:codex asks: Which store?");
    deck.keys("s<C-s>").sees_no("Answer ·").sees("answered: second");
    deck.sees_no("asks you");
    let state = place.json(&["loop", "show", &id])["result"].clone();
    assert_eq!(state["status"], "open", "{state}");
    assert_eq!(state["open_questions"].as_array().map(Vec::len), Some(0), "{state}");
    deck.keys("q");
    assert!(deck.ends().success());
}
