//! The documentation says what is so: every command line in it parses.

use std::path::Path;

use clap::CommandFactory;
use loopdeck::cli::args::Cli;
use loopdeck::core::loops::EventBody;

const PAGES: [&str; 4] = ["README.md", "docs/guide.md", "docs/formats.md", "docs/agents.md"];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The command lines in the fenced blocks of a page that name no language, as
/// words; a line that ends in a backslash goes on in the next one.
fn command_lines(text: &str) -> Vec<Vec<String>> {
    let mut fence = None;
    let mut lines = Vec::new();
    let joined = text.replace("\\\n", " ");
    for line in joined.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
        } else if fence == Some("") {
            let line = line.trim().trim_start_matches("$ ");
            let line = line.split("  #").next().unwrap_or(line);
            let line = line.rsplit(" | ").next().unwrap_or(line);
            if line == "loopdeck" || line.starts_with("loopdeck ") {
                lines.push(shell_words::split(line).unwrap_or_else(|e| panic!("{line}: {e}")));
            }
        }
    }
    lines
}

#[test]
fn every_command_line_in_the_documentation_parses() {
    let mut seen = 0;
    for name in PAGES {
        for words in command_lines(&page(name)) {
            seen += 1;
            let outcome = Cli::command().try_get_matches_from(&words);
            if let Err(error) = outcome {
                let fine = matches!(
                    error.kind(),
                    clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion
                );
                assert!(fine, "{name}: {}\n{error}", words.join(" "));
            }
        }
    }
    assert!(seen >= 40, "the pages show commands: {seen}");
}

#[test]
fn the_guide_shows_every_verb() {
    let guide = page("docs/guide.md");
    let mut missing = Vec::new();
    for noun in Cli::command().get_subcommands().filter(|noun| !noun.is_hide_set()) {
        let verbs: Vec<_> = noun.get_subcommands().map(|v| v.get_name().to_owned()).collect();
        if verbs.is_empty() {
            missing.push(format!("loopdeck {}", noun.get_name()));
        }
        missing.extend(verbs.iter().map(|v| format!("loopdeck {} {v}", noun.get_name())));
    }
    missing.retain(|command| !guide.contains(command.as_str()));
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_code_is_documented() {
    let formats = page("docs/formats.md");
    let missing: Vec<_> = loopdeck::cli::errors::codes()
        .filter(|code| !formats.contains(&format!("`{code}`")))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_event_is_documented() {
    let formats = page("docs/formats.md");
    let missing: Vec<_> = <EventBody as strum::VariantNames>::VARIANTS
        .iter()
        .filter(|kind| **kind != "unknown" && !formats.contains(&format!("| `{kind}` |")))
        .collect();
    assert_eq!(missing, Vec::<&&str>::new());
}

#[test]
fn every_setting_is_documented() {
    let formats = page("docs/formats.md");
    let settings = page("assets/config.toml");
    let mut section = String::new();
    let mut missing = Vec::new();
    for line in settings.lines().filter_map(|l| l.strip_prefix("# ")) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = format!("{name}.");
        } else if let Some((key, _)) = line.split_once(" = ")
            && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            && section != "grants."
            && !formats.contains(&format!("`{section}{key}`"))
        {
            missing.push(format!("{section}{key}"));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_dependency_is_defended() {
    let manifest: toml::Table = page("Cargo.toml").parse().expect("a manifest");
    let documented = page("docs/dependencies.md");
    let mut tables = vec![&manifest["dependencies"], &manifest["dev-dependencies"]];
    if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().filter_map(|target| target.get("dependencies")));
    }
    let missing: Vec<_> = tables
        .into_iter()
        .filter_map(toml::Value::as_table)
        .flat_map(|table| table.iter())
        .map(|(name, spec)| spec.get("package").and_then(toml::Value::as_str).unwrap_or(name))
        // The package names itself, to turn its seam on for its own tests.
        .filter(|name| *name != env!("CARGO_PKG_NAME") && !documented.contains(*name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// Tests that the seed of the sessions' format lists for its steps 1339 to 1348.
const STEPS: [(u32, usize); 10] = [
    (1339, 12),
    (1340, 10),
    (1341, 10),
    (1342, 10),
    (1343, 10),
    (1344, 10),
    (1345, 8),
    (1346, 8),
    (1347, 8),
    (1348, 8),
];

#[test]
fn every_test_of_the_sessions_seed_is_there_by_name() {
    let table = page("docs/session-tests.md");
    let mut counts = std::collections::BTreeMap::new();
    let mut step = 0;
    for line in table.lines() {
        if let Some(rest) = line.strip_prefix("## Step ") {
            let number = rest.split(':').next().unwrap_or_default();
            step = number.parse().unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [_, function, file] = cells[..] else { continue };
        let Some(function) = function.strip_prefix('`').and_then(|f| f.strip_suffix('`')) else {
            continue;
        };
        let text = page(file);
        let head = format!("fn {function}()");
        let at = text.find(&head).unwrap_or_else(|| panic!("{function} is not in {file}"));
        assert!(text[..at].trim_end().ends_with("#[test]"), "{function} in {file} is a test");
        *counts.entry(step).or_insert(0) += 1;
    }
    assert_eq!(counts.into_iter().collect::<Vec<(u32, usize)>>(), STEPS);
}

#[test]
fn every_code_that_is_listed_is_given_somewhere() {
    let formats = page("docs/formats.md");
    let from = formats.find("**1, refused by a rule**").expect("the list of codes");
    let mut source = String::new();
    let mut todo = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(&path).expect("listed").flatten().map(|e| e.path()));
        } else {
            source.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
        }
    }
    let codes: Vec<&str> = formats[from..].split('`').skip(1).step_by(2).collect();
    assert!(codes.len() > 60, "the codes are found: {}", codes.len());
    let is_made = |code: &str| source.contains(&format!("\"{code}\""));
    // `invalid_` and the name of a flag is put together.
    let missing: Vec<&&str> =
        codes.iter().filter(|code| !is_made(code) && !code.starts_with("invalid_")).collect();
    assert!(missing.is_empty(), "no command gives these codes: {missing:?}");
}
