//! The whole way of an ideation loop, from an empty folder to a finished plan.

use serde_json::{Value, json};

use crate::support::{Place, decisions, text};

#[test]
fn from_an_empty_folder_to_a_finished_plan() {
    let place = Place::empty();
    let made = place.json(&["init"]).result();
    assert_eq!(made["created"], true);
    import_twenty_records(&place);
    let id = place.ideation();

    assert_eq!(place.json(&["loop", "advance", &id]).result()["current_phase"], "critique");
    refused_at_the_gate(&place, &id);
    let first = two_critiques_and_a_blank_one(&place, &id);
    second_round(&place, &id, &first);
    saturation(&place, &id);
    plan(&place, &id, &first);
}

fn import_twenty_records(place: &Place) {
    let folder = decisions();
    let folder = folder.to_str().expect("a path in UTF-8");
    let report = place.json(&["memory", "import", folder]).result();
    assert_eq!(report["imported"].as_array().map(Vec::len), Some(20), "{report:#}");
    let all = place.json(&["memory", "list", "--category", "decisions"]).result();
    assert_eq!(all["total"], 20);
    let again = place.json(&["memory", "import", folder]).result();
    assert_eq!(again["imported"], json!([]), "importing twice adds nothing twice");
    assert!(again["skipped"].as_array().is_some_and(|s| s.len() >= 20), "{again:#}");
}

fn refused_at_the_gate(place: &Place, id: &str) {
    let refused = place.json(&["loop", "advance", id]);
    let error = refused.error("gate_unmet", 1);
    assert!(text(&error["message"]).contains("= 0 < n=3"), "{error:#}");
    let spoken = place.run(&["loop", "advance", id]);
    assert_eq!(spoken.status, 1);
    let plain = "critiques: 0 of 3 this round; 3 more open the gate";
    assert!(spoken.stderr.contains(plain), "{}", spoken.stderr);
    let why = place.run(&["loop", "why", id]).stdout;
    assert!(why.contains(plain) && !why.contains(" unmet"), "{why}");
    let log = place.run(&["loop", "log", id]).stdout;
    assert!(log.contains("gate shut in critique: critiques: 0 of 3 this round"), "{log}");
    assert!(spoken.stderr.contains("loopdeck loop add"), "says what to do: {}", spoken.stderr);
    assert_eq!(spoken.stdout, "");

    let log = place.json(&["loop", "log", id, "--kind", "phase_advance_blocked"]).result();
    assert_eq!(log["total"], 1, "polling doesn't grow the journal");
    let event = &log["events"][0];
    assert_eq!(event["kind"], "phase_advance_blocked");
    assert!(text(&event["gate_reason"]).contains("= 0 < n=3"), "{event:#}");
}

/// Gives the ids of the three critiques that count.
fn two_critiques_and_a_blank_one(place: &Place, id: &str) -> Vec<String> {
    let mut critiques = vec![
        place.add(id, "critique", "Splitting drops the shared cache."),
        place.add(id, "critique", "Nothing says what becomes of the retry path."),
    ];
    place.add(id, "critique", " \t\n");
    let error = place.json(&["loop", "advance", id]).error("gate_unmet", 1);
    let message = text(&error["message"]);
    assert!(message.contains("= 2 < n=3"), "{message}");
    assert!(message.contains("(1 of this type carries no usable content)"), "{message}");
    critiques.push(place.add(id, "critique", "The name says less than the old one."));
    assert_eq!(place.json(&["loop", "advance", id]).result()["current_phase"], "revision");
    critiques
}

fn second_round(place: &Place, id: &str, critiques: &[String]) {
    let addresses = critiques.join(",");
    place
        .json(&[
            "loop",
            "add",
            id,
            "--type",
            "revision",
            "--body",
            "The cache moves too.",
            "--addresses",
            &addresses,
        ])
        .result();
    let state = place.json(&["loop", "advance", id]).result();
    assert_eq!((&state["current_phase"], &state["round"]), (&json!("critique"), &json!(2)));
    let why = place.json(&["loop", "why", id]).result();
    assert_eq!(why["gate"]["met"], false);
    assert_eq!(why["gate"]["tree"]["counted"], 0, "round 2 starts at 0 again");
    assert_eq!(why["gate"]["tree"]["needed"], 3);
}

fn saturation(place: &Place, id: &str) {
    place.json(&["loop", "advance", id]).error("gate_unmet", 1);
    let turn = place.json(&["loop", "turn", id, "--role", "champion"]).result();
    let slot = text(&turn["slot_id"]);
    assert!(text(&turn["turn_id"]).starts_with("trn_"));
    place.json(&["loop", "advance", id]).error("slots_pending", 1);
    place.json(&["loop", "complete", id, "--slot", &slot]).result();

    let would = place.json(&["loop", "advance", id, "--dry-run"]).result();
    assert_eq!(
        would,
        json!({"would": {
            "target": "synthesis", "iteration": 1, "reason": "saturation", "closes": null,
        }})
    );
    assert_eq!(place.json(&["loop", "advance", id]).result()["current_phase"], "synthesis");
}

fn plan(place: &Place, id: &str, critiques: &[String]) {
    let plan = ["loop", "add", id, "--type", "plan_draft", "--body", "1. Move it."];
    place.json(&plan).error("addresses_required", 1);
    place
        .json(&[&plan[..], &["--addresses", "art_000000000000"]].concat())
        .error("unknown_critique", 3);
    let dry = [&plan[..], &["--addresses", &critiques[0], "--dry-run"]].concat();
    assert_eq!(place.json(&dry).result()["would"]["closes"], "completed");
    let addresses = critiques.join(",");
    let added = place.json(&[&plan[..], &["--addresses", &addresses]].concat()).result();
    let closed: &Value = &added["loop"];
    assert_eq!(closed["status"], "completed");
    assert_eq!(closed["artifacts"].as_array().map(Vec::len), Some(7), "{closed:#}");
    assert!(text(&added["artifact_id"]).starts_with("art_"));

    let coverage = place.json(&["loop", "coverage", id]).result();
    assert_eq!((&coverage["total"], &coverage["open"]), (&json!(3), &json!(0)), "{coverage:#}");
    place.json(&["loop", "advance", id]).error("already_closed", 1);
}

#[test]
fn a_brief_in_critique_holds_the_adversary_and_in_proposal_the_rest() {
    let place = Place::with_workspace();
    for (category, title) in
        [("traps", "Trap of the dispatcher"), ("decisions", "Dispatcher stays")]
    {
        place
            .json(&[
                "memory",
                "add",
                "--category",
                category,
                "--title",
                title,
                "--text",
                "dispatcher",
            ])
            .result();
    }
    let id = place.ideation();
    let brief = |place: &Place| place.json(&["loop", "brief", &id, "--max-chars", "4000"]).result();
    let before = brief(&place);
    assert_eq!(before["categories_used"], json!(["decisions"]), "{before:#}");
    place.json(&["loop", "advance", &id]).result();
    let after = brief(&place);
    assert_eq!(after["categories_used"], json!(["traps"]), "{after:#}");
    assert!(text(&after["text"]).contains("Trap of the dispatcher"));
    assert_eq!(after["chars"], text(&after["text"]).chars().count());
    place.json(&["loop", "brief", &id, "--max-chars", "3999"]).error("invalid_max_chars", 2);
    let read = place.run(&["loop", "brief", &id]);
    assert!(read.stdout.starts_with("# ideation_loop brief\n"), "{}", read.stdout);
}
