//! A turn handed to a worker from the deck: one key out, the result comes back
//! by itself, the gate opens, the operator advances.

use crate::support::Place;

#[test]
fn the_demos_critic_is_dispatched_with_one_key_and_opens_the_gate() {
    let place = Place::empty();
    place.run(&["demo", "--dir", ".", "--no-tui"]);
    let mut deck = place.deck();
    deck.sees("Deliver webhooks").keys("/outbox<Enter>").sees("critiques: 2 of 3").keys("T");
    deck.sees("works as critic");
    // Taken by itself as soon as the worker has ended.
    deck.sees("1 artifact of birch").sees("Nobody looks at how old");
    deck.keys("A")
        .sees("Enter goes there")
        .keys("<Enter>")
        .sees("advanced from critique to revision");
    // It stands among those that have ended, with what it left.
    deck.keys("W").sees("1 ended").sees("It replied: done");
    deck.keys("<Enter>").sees("birch as critic").sees("Nobody looks at how old");
    deck.keys("<Esc>").sees_no("birch as critic").keys("<Esc>").sees_no("1 ended");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn workers_are_found_again_and_leaving_asks_while_one_works() {
    let place = Place::workspace();
    let script = "echo 'thinking aloud'\nsleep 600\n";
    std::fs::write(place.root().join("slow.sh"), script).expect("written");
    let config = "[agents.slow]\ncommand = [\"sh\", \"slow.sh\"]\n";
    std::fs::write(place.root().join(".loopdeck/config.toml"), config).expect("written");
    let id = place.open_loop(&[
        "--kind",
        "ideation",
        "--title",
        "Slowly",
        "--proposal",
        "p",
        "--slot",
        "champion",
        "--slot",
        "critic=slow",
    ]);
    place.run(&["loop", "advance", &id]);

    let mut deck = place.deck();
    // Never approved here: the deck asks, and a yes hands the turn out.
    deck.sees("Slowly").sees("Gate").keys("T").sees("Run sh slow.sh on this machine?").keys("y");
    deck.sees("1 worker").keys("W").sees("thinking aloud");
    deck.keys("<Esc>").sees_no("thinking aloud").keys("q").sees("Leave while a worker is at work?");
    deck.keys("y");
    assert!(deck.ends().success());

    let mut deck = place.deck();
    deck.sees("1 worker").keys("W").sees("works").sees("thinking aloud");
    // Another in its place: the form asks why, and the journal keeps it.
    deck.keys("t").sees("Take over").keys("<Tab>it hangs<C-s>").sees("another worker of slow");
    deck.keys("W").sees("worker 2 of this turn");
    let log = place.run(&["loop", "log", &id, "--json", "--kind", "generation_superseded"]);
    assert!(log.contains("it hangs"), "{log}");
    deck.keys("x").sees("End the work of slow").keys("y").sees("was ended");
    deck.sees_no("1 worker").sees("called off").sees("1 ended");
    deck.keys("<Esc>").sees_no("1 ended").keys("q");
    assert!(deck.ends().success());
}
