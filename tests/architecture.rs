//! Holds the shape of the code: which room may know which, how long a file
//! may be, and that the README's commands exist (docs/architecture.md).

use std::path::{Path, PathBuf};

/// A file under src/ with its path below src/ and its text.
struct Source {
    path: String,
    text: String,
}

fn sources() -> Vec<Source> {
    fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).expect("a folder").map(|e| e.expect("an entry")) {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths
        .into_iter()
        .map(|path| Source {
            text: std::fs::read_to_string(&path).expect("UTF-8"),
            path: path.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/"),
        })
        .collect()
}

/// The rooms that a file names: `crate::engine`, or several in braces.
fn rooms_named(text: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => rest.split([':', ';', ',', ' ', ')', '\n']).next().unwrap_or_default(),
        };
        rooms
            .extend(names.split(',').map(|n| n.trim().split("::").next().unwrap_or("").to_owned()));
    }
    rooms
}

#[test]
fn arrows_between_rooms_point_one_way() {
    // core <- store, runner <- engine <- tui, mcp, cli.
    // The seam stands where std::fs would.
    let allowed: [(&str, &[&str]); 8] = [
        ("core", &["core"]),
        ("seam", &["seam"]),
        ("store", &["core", "store", "seam"]),
        ("runner", &["core", "runner", "seam"]),
        ("engine", &["core", "store", "runner", "engine", "seam"]),
        ("tui", &["core", "engine", "tui"]),
        ("mcp", &["core", "engine", "mcp"]),
        ("cli", &["core", "engine", "tui", "mcp", "cli"]),
    ];
    let mut wrong = Vec::new();
    let mut seen = 0;
    for source in sources() {
        let Some((room, may)) = allowed.iter().find(|(room, _)| {
            source.path.strip_prefix(room).is_some_and(|rest| rest.starts_with('/'))
        }) else {
            continue;
        };
        for named in rooms_named(&source.text) {
            seen += 1;
            if !may.contains(&named.as_str()) {
                wrong.push(format!("{} ({room}) names crate::{named}", source.path));
            }
        }
    }
    assert!(seen > 100, "the test sees the imports: {seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_core_knows_no_disk_no_clock_no_thread_and_no_terminal() {
    let forbidden = [
        "std::fs",
        "std::io",
        "std::thread",
        "std::env",
        "std::net",
        "std::process",
        "SystemTime",
        "Instant::now",
        "Utc::now",
        "Local::now",
        "crossterm",
        "ratatui",
        "println!",
    ];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| s.path.starts_with("core/")) {
        for word in forbidden.iter().filter(|word| source.text.contains(**word)) {
            wrong.push(format!("{} uses {word}", source.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_and_processes_are_reached_through_the_seam() {
    let mut wrong = Vec::new();
    let (mut seen, mut spawns) = (0, 0);
    let rooms = ["store/", "runner/", "engine/"];
    let is_test = |path: &str| path.contains("tests");
    for source in sources().iter().filter(|s| rooms.iter().any(|room| s.path.starts_with(room))) {
        if is_test(&source.path) {
            continue;
        }
        let code = without_tests(&source.text);
        seen += usize::from(code.contains("seam::"));
        if code.contains("std::fs") {
            wrong.push(format!(
                "{} uses std::fs: crate::seam::fs is the same, for users",
                source.path
            ));
        }
        let starts = [".spawn()", ".output()", ".status()"];
        let starts: usize = starts.iter().map(|how| code.matches(how).count()).sum();
        spawns += starts;
        if code.contains("Command::new(") && starts > code.matches("pass(Op::Spawn").count() {
            // What asks another system's tools is out of reach of these tests.
            if source.path != "runner/process.rs" {
                wrong.push(format!("{} starts a process past the seam", source.path));
            }
        }
    }
    assert!(seen > 40 && spawns > 5, "the test sees the files: {seen}, {spawns}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn users_get_no_seam() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("there");
    let features = manifest.split("[features]").nth(1).expect("there are features");
    let features = features.split("\n[").next().expect("a first part").trim();
    assert_eq!(features, "faults = []", "no default feature turns it on");
    // All that knows of faults is behind the one feature.
    for source in sources() {
        let is_gate = source.path == "seam/mod.rs";
        let behind = source.path.starts_with("seam/faults/");
        let knows = ["LOOPDECK_FAULT", "feature = \"faults\"", "inject("];
        for word in knows.iter().filter(|word| source.text.contains(**word)) {
            assert!(is_gate || behind, "{} knows of {word}", source.path);
        }
    }
    let gate = sources().into_iter().find(|s| s.path == "seam/mod.rs").expect("there").text;
    assert!(gate.contains("#[cfg(feature = \"faults\")]\nmod faults;"));
    assert!(gate.contains("#[cfg(not(feature = \"faults\"))]\npub use std::fs;"));
}

#[test]
fn files_stay_short_enough_to_be_read_at_once() {
    const LINES: usize = 480;
    // What may be longer, and how long: tables, and types with documented fields.
    let longer = [("tui/app/act.rs", 560)];
    let bound = |path: &str| longer.iter().find(|(p, _)| *p == path).map_or(LINES, |(_, n)| *n);
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|s| !s.path.contains("tests"))
        .map(|s| (s.path.as_str(), code_lines(&s.text)))
        .filter(|(path, lines)| *lines > bound(path))
        .map(|(path, lines)| format!("{path} has {lines} lines"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines of a file without its tests.
fn code_lines(text: &str) -> usize {
    without_tests(text).lines().count()
}

fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}
