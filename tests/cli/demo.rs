//! `loopdeck demo` as a person meets it.

use crate::support::{Place, text};

#[test]
fn the_demo_is_made_once_and_found_again() {
    let place = Place::empty();
    let made = place.json(&["demo", "--no-tui", "--dir", "d"]).result();
    assert_eq!(made["reused"], false);
    assert_eq!(made["loops"].as_array().map(Vec::len), Some(6));
    let again = place.json(&["demo", "--no-tui", "--dir", "d"]).result();
    assert_eq!(again["reused"], true);
    assert_eq!(again["root"], made["root"]);
}

#[test]
fn a_foreign_folder_is_left_alone() {
    let place = Place::empty();
    place.file("mine/notes.txt", "mine");
    place.json(&["demo", "--no-tui", "--dir", "mine"]).error("invalid_dir", 2);
    let left: Vec<_> = std::fs::read_dir(place.root().join("mine"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["notes.txt"]);
}

#[test]
fn a_fresh_demo_says_where_it_is_and_what_to_try_and_that_works() {
    let place = Place::empty();
    let mut command = place.command(&["demo", "--no-tui"]);
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let output = command.env("TMPDIR", temporary.path()).output().expect("it runs");
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = told.lines().map(str::trim).collect();
    let cd = lines.iter().find_map(|l| l.strip_prefix("cd ")).expect("a cd line");
    let tries: Vec<&str> = lines
        .iter()
        .filter_map(|l| l.strip_prefix("loopdeck"))
        .filter_map(|l| l.split("  ").next())
        .collect();
    assert!(tries.len() >= 6, "{told}");
    for line in tries {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = place.command(&words).current_dir(cd).output().expect("it runs");
        assert!(output.status.success(), "loopdeck {line}: {output:?}");
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn every_step_that_the_demo_suggests_is_a_command_that_parses() {
    let place = Place::empty();
    place.json(&["demo", "--no-tui", "--dir", "d"]).result();
    let root = place.root().join("d");
    let root = root.to_str().expect("a path in UTF-8");
    let listed = place.json(&["loop", "list", "--all", "--workspace", root]).result();
    for found in listed["loops"].as_array().expect("loops") {
        let why = place.json(&["loop", "why", &text(&found["id"]), "--workspace", root]).result();
        for step in why["next_steps"].as_array().expect("steps") {
            let command = text(&step["command"]);
            let words = shell_words::split(&command).expect("a command line");
            assert_eq!(words[0], "loopdeck", "{command}");
            let mut args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            args.extend(["--workspace", root]);
            let run = place.run(&args);
            assert!(run.status < 2, "{command}: {run:?}");
        }
    }
}
