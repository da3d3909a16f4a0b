//! What the program itself never does, read from its source and its settings.

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources with their tests cut off, by path below src/.
fn sources() -> Vec<(String, String)> {
    let (mut todo, mut found): (Vec<PathBuf>, Vec<_>) = (vec![root().join("src")], Vec::new());
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).expect("listed").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_test = name == "tests" || name == "tests.rs" || name.ends_with("_tests.rs");
            if path.is_dir() && !is_test {
                todo.push(path);
            } else if name.ends_with(".rs") && !is_test {
                let text = std::fs::read_to_string(&path).expect("UTF-8");
                let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
                let below = path.strip_prefix(root().join("src")).expect("below").to_owned();
                found.push((below.to_string_lossy().replace('\\', "/"), code));
            }
        }
    }
    found
}

/// Lines of code that hold a word, comments left out.
fn lines_with<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    code.lines().filter(move |line| !line.trim_start().starts_with("//") && line.contains(word))
}

#[test]
fn processes_are_started_in_few_places_and_never_through_a_shell() {
    // Who starts what: git; how a group is ended and how old a process is; commands
    // of agents, verify and sessions; the keeper; the person's own editor and pager.
    let allowed = [
        "runner/git.rs",
        "runner/process.rs",
        "runner/run.rs",
        "runner/worker.rs",
        "runner/worktree.rs",
        "tui/runtime/editor.rs",
        "tui/runtime/pager.rs",
    ];
    let (mut wrong, mut seen) = (Vec::new(), 0);
    // The demo's worker is a script of its own making, a file that `sh` is given.
    for (path, code) in sources().into_iter().filter(|(path, _)| path != "cli/demo/mod.rs") {
        let starts = lines_with(&code, "Command::new(").filter(|line| !line.contains("clap::"));
        for line in starts {
            seen += 1;
            if !allowed.contains(&&*path) {
                wrong.push(format!("{path} starts a process: {}", line.trim()));
            }
        }
        for shell in
            ["\"sh\"", "\"bash\"", "\"zsh\"", "\"cmd\"", "\"powershell\"", "\"pwsh\"", "/bin/sh"]
        {
            wrong.extend(lines_with(&code, shell).map(|line| format!("{path}: {}", line.trim())));
        }
    }
    assert!(seen >= 6, "the test sees where processes are started: {seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_network_is_never_spoken_to() {
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        for word in ["std::net", "tokio::net", "TcpStream", "UdpSocket", "reqwest", "hyper::"] {
            wrong.extend(lines_with(&code, word).map(|line| format!("{path}: {}", line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_is_forbidden() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    assert_eq!(manifest["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    for (path, code) in sources() {
        for word in ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code)"] {
            assert_eq!(lines_with(&code, word).count(), 0, "{path}: {word}");
        }
    }
}

#[test]
fn dependencies_come_from_one_registry_each_with_its_checksum() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    let lock: toml::Table = lock.parse().expect("TOML");
    let packages = lock["package"].as_array().expect("packages");
    let mut sources = std::collections::BTreeSet::new();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let Some(source) = package.get("source").and_then(toml::Value::as_str) else {
            assert_eq!(name, "loopdeck", "only this package has no source");
            continue;
        };
        assert!(source.starts_with("registry+"), "{name} comes from {source}");
        let checksum = package.get("checksum").and_then(toml::Value::as_str).unwrap_or_default();
        assert_eq!(checksum.len(), 64, "{name} has a checksum");
        sources.insert(source);
    }
    assert_eq!(sources.len(), 1, "{sources:?}");
    let deny = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let deny: toml::Table = deny.parse().expect("TOML");
    assert_eq!(deny["sources"]["unknown-registry"].as_str(), Some("deny"));
    assert_eq!(deny["sources"]["unknown-git"].as_str(), Some("deny"));
}
