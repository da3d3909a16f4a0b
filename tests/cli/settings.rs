//! `keys` and `config check`: the person's own files, followed or told.

use serde_json::json;

use crate::support::{Place, text};

#[test]
fn keys_lists_what_holds_the_persons_own_keys_among_them() {
    let place = Place::with_workspace();
    let key = |place: &Place, action: &str| {
        let keys = place.json(&["keys"]).result()["keys"].clone();
        let all = keys.as_array().expect("a list").clone();
        let found = all.iter().find(|row| row["action"] == action).cloned();
        found.unwrap_or_else(|| panic!("{action} in {keys:#}"))["keys"]["gate"].clone()
    };
    assert_eq!(key(&place, "advance"), json!(["A"]));
    place.write_config(
        "keys.toml",
        "[everywhere]\nadvance = [\"ctrl-a\", \"g o\"]\ntop = \"home\"\n",
    );
    assert_eq!(key(&place, "advance"), json!(["ctrl-a", "g o"]));
    let shown = place.run(&["keys"]);
    let line = shown.stdout.lines().find(|line| line.contains(" advance ")).unwrap_or_default();
    assert!(line.contains("^a go"), "{line}");
}

#[test]
fn config_check_tells_every_file_and_line_that_is_not_followed() {
    let place = Place::with_workspace();
    assert_eq!(place.json(&["config", "check"]).result()["problems"], json!([]));
    place.write_config("keys.toml", "[gate]\nadvanc = \"x\"\n");
    place.write_config("deck.toml", "theme = \"darkk\"\n");
    place.write_config("themes/mine.toml", "[styles]\nok = \"greenish\"\n");
    std::fs::write(place.root().join(".loopdeck/config.toml"), "lock_wait_ms = -1\n")
        .expect("written");
    let error = place.json(&["config", "check"]).error("invalid_config", 2);
    let said: Vec<String> = error["details"]["problems"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|problem| text(&problem["message"]))
        .collect();
    assert_eq!(said.len(), 4, "{said:#?}");
    for place in ["keys.toml:2:1:", "deck.toml:1:9:", "mine.toml:2:6:", "config.toml:1:"] {
        assert!(said.iter().any(|message| message.contains(place)), "{place} in {said:#?}");
    }
    let outside = Place::empty();
    assert_eq!(outside.json(&["config", "check"]).result()["problems"], json!([]));
}
