//! The README's five minutes, line by line.

use std::path::Path;

use crate::support::Place;

/// The command lines of a section's fenced blocks.
fn tour() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    let section = readme.split("## Five minutes").nth(1).expect("the tour");
    let section = section.split("\n## ").next().expect("its end");
    section
        .lines()
        .filter(|line| line.starts_with("loopdeck "))
        .map(|line| shell_words::split(line).expect("a command line"))
        .collect()
}

#[test]
fn its_tour_is_true() {
    let place = Place::empty();
    place.file(
        "docs/decisions/0001-one.md",
        "# 1. One\n\n## Status\n\nAccepted\n\n## Decision\n\nOne.\n",
    );
    let lines = tour();
    assert!(lines.len() >= 16, "{lines:?}");
    let mut refused = Vec::new();
    for words in &lines {
        let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let run = place.run(&args);
        if run.status != 0 {
            assert_eq!(run.status, 1, "{words:?}: {run:?}");
            assert!(
                run.stderr.contains("critiques: 0 of 3 this round"),
                "{words:?}: {}",
                run.stderr
            );
            refused.push(words.join(" "));
        }
    }
    assert_eq!(refused, ["loopdeck loop advance cache-the-catalogue"], "only the second advance");
    let coverage = place.json(&["loop", "coverage", "cache-the-catalogue"]).result();
    let ids: Vec<&str> = coverage["critiques"]
        .as_array()
        .expect("critiques")
        .iter()
        .filter_map(|c| c["artifact_id"].as_str())
        .collect();
    let plan = [
        "loop",
        "add",
        "cache-the-catalogue",
        "--type",
        "plan_draft",
        "--body",
        "…",
        "--addresses",
        &ids.join(","),
    ];
    assert_eq!(place.json(&plan).result()["loop"]["status"], "completed");
}
