//! A dream by key, an insight opened to its record's file, and what would be
//! without a case of it.

use crate::support::Place;

#[test]
fn d_dreams_and_an_insight_opens_down_to_its_records_file() {
    let place = Place::workspace();
    for n in 0..6 {
        for (domain, skill, reward) in [("banking", "codex", "0.2"), ("retail", "claude", "0.9")] {
            let case = format!("{domain}-{n}");
            place.run(&[
                "rewards",
                "add",
                "--case",
                &case,
                "--domain",
                domain,
                "--phase",
                "critique",
                "--skill",
                skill,
                "--reward",
                reward,
                "--reason",
                "as it was",
            ]);
        }
    }
    let mut deck = place.deck();
    deck.sees("dream due").keys("2").sees("no dream yet").sees("12 records are there");
    deck.keys("D").sees("Dreamt from 12 records").sees("does worse in banking");
    deck.sees("6 records, average 0.20");
    // The first record is chosen; its file is shown.
    deck.keys("<Enter>").sees("leave out").keys("<Enter>").sees("\"reward_reason\": \"as it was\"");
    deck.keys("<Esc>").sees_no("reward_reason");
    deck.keys("d").sees("without domain banking").sees("falls");
    deck.keys("0").sees_no("supposed");
    deck.keys("x").sees("dismissed").sees("no insights");
    deck.keys("q");
    assert!(deck.ends().success());
    let dreams = place.json(&["dream", "list"]);
    assert_eq!(dreams["result"]["total"], 1, "{dreams}");
}
