//! Broken files: a sentence with the place, nothing lost, the rest still works.

use crate::support::{Place, text};

/// The warnings of a command that went through, as one text.
fn warnings(place: &Place, args: &[&str]) -> String {
    let run = place.json(args);
    run.result();
    run.object()["warnings"].to_string()
}

#[test]
fn broken_settings_protocols_and_items_are_named_by_line_and_left_alone() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let broken = [
        (".loopdeck/config.toml", "[brief\n"),
        (".loopdeck/protocols/own.toml", "kind =\n"),
        (".loopdeck/memory/traps/trp_00000001.md", "+++\ntags = [\n+++\ntext\n"),
    ];
    for (name, content) in broken {
        place.file(name, content);
    }
    let told = warnings(&place, &["status"]) + &warnings(&place, &["memory", "list"]);
    for name in ["config.toml:1", "own.toml", "trp_00000001.md:2"] {
        assert!(told.contains(name), "{name}: {told}");
    }
    let spoken = place.run(&["status"]);
    assert!(spoken.stderr.contains("warning: ") && spoken.stderr.contains("config.toml:1"));
    let add = ["memory", "add", "--category", "traps", "--title", "t", "--text", "x"];
    place.json(&add).result();
    assert_eq!(place.json(&["memory", "list"]).result()["total"], 1, "one bad file hides no other");
    place.add(&id, "critique", "still works");
    for (name, content) in broken {
        let kept = std::fs::read_to_string(place.root().join(name)).expect("the file");
        assert_eq!(kept, content, "{name}");
    }
}

#[test]
fn an_interrupted_write_is_set_aside_and_nothing_else_is_lost() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let folder = place.root().join(".loopdeck/loops").join(&id);
    let journal = folder.join("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).expect("a journal");
    std::fs::write(&journal, format!("{whole}{{\"v\":1,\"first_s")).expect("a journal");
    assert_eq!(place.json(&["loop", "show", &id]).result()["version"], 3);
    let run = place.json(&["loop", "add", &id, "--type", "critique", "--body", "next"]);
    assert_eq!(run.result()["loop"]["version"], 4);
    assert!(run.object()["warnings"].to_string().contains("journal.tail-"), "{run:?}");
    let after = std::fs::read_to_string(&journal).expect("a journal");
    assert!(after.starts_with(&whole) && after.lines().count() == whole.lines().count() + 1);
}

#[test]
fn a_damaged_line_stops_one_loop_there_and_no_other() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let other = place.ideation();
    let journal = place.root().join(".loopdeck/loops").join(&id).join("journal.jsonl");
    let mut lines: Vec<String> =
        std::fs::read_to_string(&journal).expect("a journal").lines().map(Into::into).collect();
    let last = lines.len() - 1;
    lines[last] = "{broken".to_owned();
    std::fs::write(&journal, lines.join("\n") + "\n").expect("a journal");
    let shown = place.json(&["loop", "show", &id]);
    assert_eq!(shown.result()["current_phase"], "proposal", "at the last good commit");
    let told = shown.object()["warnings"].to_string();
    assert!(told.contains(&format!("line {}", last + 1)), "{told}");
    let error = place.json(&["loop", "advance", &id]).error("damaged", 5);
    assert!(text(&error["message"]).contains("journal.jsonl"), "{error:#}");
    // What is said to help runs: nothing of it changes the damaged loop.
    let steps = place.json(&["loop", "why", &id]).result()["next_steps"].clone();
    let commands: Vec<String> =
        steps.as_array().expect("steps").iter().map(|step| text(&step["command"])).collect();
    assert_eq!(commands[0], "loopdeck doctor");
    assert_eq!(commands[1], format!("loopdeck loop fork {id} --at 2"));
    let fork: Vec<&str> = commands[1].split(' ').skip(1).collect();
    let forked = place.json(&fork).result();
    assert_eq!(forked["current_phase"], "proposal", "{forked:#}");
    place.json(&["loop", "advance", &other]).result();
}
