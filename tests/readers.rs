//! What real tools print, and what it comes to: every recorded output of
//! `tests/data/readers` against what truly happened (`expected.json`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use loopdeck::core::session::{GoalType, Reading, Session, SessionId, gap_of_reading};
use loopdeck::runner::readers::{Readers, junit_file};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Expected {
    command: String,
    exit_code: i64,
    parser: String,
    failed: u64,
    passed: u64,
    #[serde(default)]
    skipped: Option<u64>,
    #[serde(default)]
    errors: u64,
    gap: u64,
    note: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/readers")
}

fn table() -> BTreeMap<String, Expected> {
    let text = std::fs::read_to_string(folder().join("expected.json")).expect("a table");
    serde_json::from_str(&text).expect("as its README says")
}

fn output(name: &str) -> String {
    let bytes = std::fs::read(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn argv(command: &str) -> Vec<String> {
    shell_words::split(command).unwrap_or_else(|_| vec![command.to_owned()])
}

fn session(parser: &str) -> Session {
    let at = "2026-03-01T12:00:00Z".parse().expect("a time");
    let goal = match parser {
        "missing" => GoalType::EnvironmentReady,
        _ => GoalType::TestsPass,
    };
    Session::new(SessionId::random([1; 16]), "g", goal, at)
}

fn gap(parser: &str, reading: Option<&Reading>, exit_code: i64) -> f64 {
    let gap = gap_of_reading(&session(parser), reading, Some(exit_code)).expect("there is a code");
    gap.current_value.value()
}

/// A result file is read as one, all else as what a command said.
fn read(name: &str, expected: &Expected) -> Option<Reading> {
    if name.ends_with(".xml") {
        return junit_file(&folder().join(name)).ok();
    }
    let mut readers = Readers::of(&argv(&expected.command));
    readers.feed(&output(name));
    readers.finish(Some(expected.exit_code))
}

#[test]
fn every_recorded_output_comes_to_what_truly_happened() {
    let mut wrong = Vec::new();
    for (name, expected) in table() {
        let reading = read(&name, &expected);
        let gap = gap(&expected.parser, reading.as_ref(), expected.exit_code);
        let is_missing = expected.parser == "missing";
        let counts = |r: &Reading| {
            let n = |count: Option<u64>| count.unwrap_or(0);
            let errors = if is_missing { r.missing } else { r.errors };
            (n(r.failed), n(r.passed), n(errors))
        };
        let told = match &reading {
            // Whoever says what is missing: cargo, node, a shell.
            Some(reading) if is_missing => (expected.parser.clone(), counts(reading)),
            Some(reading) => (reading.parser.to_string(), counts(reading)),
            // What names nothing that is known is left to the exit code.
            None => (expected.parser.clone(), (0, 0, 0)),
        };
        let (failed, passed, errors) = (expected.failed, expected.passed, expected.errors);
        let errors = if reading.is_none() { 0 } else { errors };
        let true_counts = (expected.parser.clone(), (failed, passed, errors));
        #[allow(clippy::cast_precision_loss)] // Small counts.
        let true_gap = expected.gap as f64;
        if told != true_counts || gap != true_gap {
            wrong.push(format!(
                "{name} ({}): {told:?} gap {gap}, truly {true_counts:?} gap {true_gap} (exit {}) \
                 [{}] skipped {:?}",
                expected.command, expected.exit_code, expected.note, expected.skipped
            ));
        }
    }
    assert!(wrong.is_empty(), "{} are read wrongly:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_table_and_the_files_are_the_same_and_enough() {
    let table = table();
    let mut by_folder: BTreeMap<String, usize> = BTreeMap::new();
    for folder in std::fs::read_dir(folder()).expect("there").flatten() {
        if !folder.file_type().expect("known").is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).expect("listed").flatten() {
            let tool = folder.file_name().to_string_lossy().into_owned();
            let name = format!("{tool}/{}", file.file_name().to_string_lossy());
            assert!(table.contains_key(&name), "{name} is in the table");
            *by_folder.entry(tool).or_default() += 1;
        }
    }
    assert_eq!(by_folder.values().sum::<usize>(), table.len());
    assert!(by_folder.values().all(|n| *n >= 12), "twelve of each tool: {by_folder:?}");
}

#[test]
fn pieces_of_any_size_come_to_the_same() {
    for (name, expected) in table() {
        let text = output(&name);
        let argv = argv(&expected.command);
        let mut whole = Readers::of(&argv);
        whole.feed(&text);
        let mut lines = Readers::of(&argv);
        text.split_inclusive('\n').for_each(|line| lines.feed(line));
        let code = Some(expected.exit_code);
        assert_eq!(lines.finish(code), whole.finish(code), "{name}");
    }
}
