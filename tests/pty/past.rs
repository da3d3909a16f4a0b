//! A mistake is harmless: undone and redone, looked back at, gone on from in a
//! loop of its own.

use crate::support::{Deck, Place};

/// A loop in critique with one critique, and a deck that shows it.
fn in_critique(place: &Place) -> (String, Deck) {
    let id = place.open_loop(&["--kind", "ideation", "--title", "Past", "--proposal", "Do it."]);
    place.run(&["loop", "advance", &id]);
    place.run(&["loop", "add", &id, "--type", "critique", "--body", "A hasty word."]);
    let mut deck = place.deck();
    deck.sees("Past").sees("A hasty word.");
    (id, deck)
}

fn artifacts(place: &Place, id: &str) -> usize {
    let shown = place.json(&["loop", "show", id]);
    shown["result"]["artifacts"].as_array().map_or(0, Vec::len)
}

#[test]
fn what_was_hasty_is_undone_and_redone() {
    let place = Place::workspace();
    let (id, mut deck) = in_critique(&place);
    deck.keys("u").sees("takes it back").sees("what would be different");
    deck.keys("<Esc>").sees_no("takes it back");
    assert_eq!(artifacts(&place, &id), 2, "looking changed nothing");
    deck.keys("u").sees("takes it back");
    deck.keys("<Enter>").sees_no("takes it back").sees("U redoes");
    assert_eq!(artifacts(&place, &id), 1);
    deck.keys("U").sees("u undoes");
    assert_eq!(artifacts(&place, &id), 2);
    deck.keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
}

#[test]
fn the_past_is_gone_through_and_gone_on_from() {
    let place = Place::workspace();
    let (id, mut deck) = in_critique(&place);
    deck.keys("z").sees("event 4 of 4").sees("A hasty word.");
    deck.keys("<Left>").sees("event 3 of 4").keys("<Left>").sees("event 2 of 4");
    deck.keys("<Right>").sees("event 3 of 4").keys("d").keys("G").sees("Compared with event 3");
    deck.sees("event 4 of 4");
    assert_eq!(place.json(&["loop", "show", &id])["result"]["version"], 4, "looking wrote nothing");
    deck.keys("g").sees("event 1 of 4").keys("l").sees("event 2 of 4");
    deck.keys("F").sees("Sure?").keys("y").sees("2 open");
    let listed = place.json(&["loop", "list"])["result"].clone();
    let loops = listed["loops"].as_array().expect("loops");
    let fork = loops.iter().find(|l| l["id"] != id.as_str()).expect("a second loop");
    assert_eq!(
        (&fork["source_loop_id"], &fork["phase"]),
        (&id.as_str().into(), &"proposal".into())
    );
    assert_eq!(
        place.json(&["loop", "show", &id])["result"]["version"],
        4,
        "the source is as it was"
    );
    deck.keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
}

/// On the day that the clocks of Berlin went forward: each moment by the clock that
/// held then, not by the one that holds now.
#[test]
fn the_journal_tells_old_moments_by_the_clock_that_held_then() {
    let place = Place::workspace();
    let open = ["loop", "open", "--kind", "ideation", "--title", "Early", "--proposal", "p"];
    let id = place.at("2026-03-29T00:59:00Z", &open)["id"].as_str().expect("an id").to_owned();
    place.at("2026-03-29T01:01:00Z", &["loop", "pause", &id]);
    let env = [("TZ", "CET-1CEST,M3.5.0,M10.5.0/3"), ("LOOPDECK_NOW", "2026-03-29T10:00:00Z")];
    let mut deck = place.deck_with(120, 36, &env);
    deck.sees("Early").sees("03:01").sees("01:59");
    deck.keys("q");
    assert!(deck.ends().success());
}
