//! bind, through the binary.

use serde_json::json;

use crate::support::{Place, text};

fn implementation(place: &Place) -> String {
    let open = ["loop", "open", "--kind", "implementation", "--title", "Outbox"];
    text(&place.json(&open).result()["id"])
}

#[test]
fn plans_and_sequences_are_looked_up_and_shared_among_lanes() {
    let place = Place::with_workspace();
    let add = ["memory", "add", "--category", "plans", "--title", "Outbox", "--text", "Steps."];
    let plan = text(&place.json(&add).result()["id"]);
    place.file("plans/store.md", "Tables first.");
    let id = implementation(&place);
    place.json(&["loop", "bind", &id, "--plan", "pln_ffffffff"]).error("item_not_found", 3);
    place.json(&["loop", "bind", &id, "--plan", "art_ffffffffffff"]).error("unknown_artifact", 3);
    place.json(&["loop", "bind", &id, "--plan", "nowhere.md"]).error("io", 5);
    let sequence = format!(
        "[[steps]]\nplan = \"{plan}\"\nlane = \"api\"\npaths = [\"src/api\"]\n\
         [[steps]]\nplan = \"plans/store.md\"\nlane = \"store\"\n"
    );
    place.file("plans/all.toml", sequence);
    place.file("plans/wrong.toml", "[[steps]]\nlane = \"api\"\n");
    let wrong = ["loop", "bind", &id, "--sequence", "plans/wrong.toml"];
    place.json(&wrong).error("invalid_sequence", 2);
    let bound = place.json(&["loop", "bind", &id, "--sequence", "plans/all.toml"]).result();
    assert_eq!(bound["current_phase"], "execute");
    assert_eq!(bound["linked"]["plan_ids"], json!([plan, "plans/store.md"]));
    assert_eq!(bound["slots"].as_array().map(Vec::len), Some(2));
    assert_eq!(bound["slots"][0]["scope_hint"], json!(["src/api"]));
    assert_eq!(bound["slots"][1]["lane"], "store");
}
