//! The whole path of an ideation loop with keys alone: from an empty folder to
//! a finished plan.

use std::path::Path;

use crate::support::{Deck, Place};

const PROPOSAL: &str = "Move the database hosts to a managed service, one product at a time.";

/// Files an artifact of the type that the phase wants first, with a text.
fn file(deck: &mut Deck, form: &str, tabs: &str, text: &str) {
    deck.keys("a").sees(form);
    deck.keys(tabs).keys(text).keys("<C-s>").sees_no(form);
}

/// Says yes to the preview of an advance.
fn advance(deck: &mut Deck, preview: &str, then: &str) {
    deck.keys("A").sees("goes there").sees(preview).keys("<Enter>").sees(then);
}

#[test]
fn from_an_empty_folder_to_a_plan() {
    let place = Place::empty();
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/decisions");
    place.copy_in(&records, "docs/decisions");
    let mut deck = place.deck();

    // No workspace: the offer to make one.
    deck.sees("There is no workspace in").keys("i");
    deck.sees("This workspace has no loop yet");

    // Twenty real decision records become memory.
    deck.keys("I").sees("Import memory").sees("decisions");
    deck.keys("<Enter>").sees("imports 20 items");
    deck.keys("<C-s>").sees("20 items imported");
    assert_eq!(place.json(&["memory", "list"])["result"]["total"], 20);

    // A loop on a real proposal, with a critic.
    deck.keys("o").sees("stress-test a proposal before it becomes a plan");
    deck.keys("<Enter>Managed databases<Enter>").keys(PROPOSAL);
    deck.keys("<Tab><Enter><Enter><Tab>champion<Enter>critic<C-s>");
    deck.sees_no("Open a loop").sees("Managed databases").sees("proposal");
    let id = place.json(&["loop", "list"])["result"]["loops"][0]["id"].as_str().map(str::to_owned);
    let id = id.expect("one loop");

    // Into critique, where the gate is shut and says why.
    advance(&mut deck, "critique", "advanced from proposal to critique");
    deck.keys("A").sees("critiques: 0 of 3 this round");
    let log = place.json(&["loop", "log", &id]);
    assert!(log.to_string().contains("phase_advance_blocked"), "{log}");

    // Two critiques and a blank one are not three.
    let form = "Add an artifact · critique, round 1";
    file(&mut deck, form, "", "Vendor lock-in: decision 18 chose RDS for cost alone.");
    file(&mut deck, form, "", "No way back once the data has moved.");
    // The form refuses a blank one; a script may still file it.
    deck.keys("a").sees(form).keys("<C-s>").sees("a text is needed").keys("<Esc>").sees_no(form);
    place.json(&["loop", "add", &id, "--type", "critique", "--body", " "]);
    deck.sees("Artifacts 4")
        .keys("A")
        .sees("advance refused")
        .sees("critiques: 2 of 3 this round")
        .sees("1 blank, doesn't count");
    file(&mut deck, form, "", "Nobody owns the migration window.");

    // Revision, and round 2 begins at nothing.
    advance(&mut deck, "revision", "advanced from critique to revision");
    let form = "Add an artifact · revision, round 1";
    file(&mut deck, form, "", "Move one product, keep a replica for a month, name an owner.");
    advance(&mut deck, "critique, round 2", "advanced from revision to critique, round 2");
    deck.sees("0 of 3");

    // Nobody has looked yet: that is not saturation.
    deck.keys("A").sees("advance refused").sees("critiques: 0 of 3 this round");
    deck.keys("t").sees("Give a turn").keys("<C-s>").sees_no("Give a turn");
    deck.keys("c").sees("Complete a turn").keys("<C-s>").sees_no("Complete a turn");
    advance(&mut deck, "synthesis", "advanced from critique to synthesis");

    // A plan must say which critiques it answers: the form proposes all that are
    // open; without them it is refused.
    let form = "Add an artifact · synthesis, after 2 rounds";
    deck.keys("a").sees(form).keys("Move one product at a time; the owner is Ops.");
    deck.keys("<Tab><Tab><Back><Back><Back><C-s>");
    deck.sees("names the critiques that it addresses or waives").sees("▌addresses");
    assert_eq!(place.json(&["loop", "show", &id])["result"]["status"], "open");

    // With real ids the loop is done at once.
    deck.keys("<Enter><Space><Down><Space><Down><Space><Enter>").sees("closes the loop: completed");
    deck.keys("<C-s>").sees_no(form).sees("completed");
    let done = place.json(&["loop", "show", &id]);
    assert_eq!(done["result"]["status"], "completed", "{done}");

    deck.keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
}
