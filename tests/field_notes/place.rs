//! Folders and names of every sort.

use std::path::Path;

use crate::support::{Place, text};

/// Folders that a workspace may lie in.
fn folders() -> Vec<String> {
    let mut all: Vec<String> = [
        "with spaces and  two",
        "Ünïcödé – 字 – 👩‍👩‍👧",
        "e\u{301} decomposed",
        "quote ' double \" dollar $HOME",
        "-starts-with-a-dash",
        "percent %s %n",
        "line\nfeed",
        ".hidden",
    ]
    .map(str::to_owned)
    .into();
    all.push("n".repeat(255));
    all.push("ß".repeat(127));
    all
}

#[cfg(unix)]
#[test]
fn a_workspace_works_wherever_it_lies() {
    for name in folders() {
        let place = Place::empty();
        let root = place.root().join(&name);
        std::fs::create_dir(&root).unwrap_or_else(|e| panic!("{name:?}: {e}"));
        let run = |args: &[&str]| {
            let mut command = place.command(&[&["--json"], args].concat());
            let output = command.current_dir(&root).output().expect("it runs");
            let said = String::from_utf8(output.stdout).expect("UTF-8");
            let object: serde_json::Value = serde_json::from_str(&said).expect("JSON");
            assert_eq!(object["status"], "ok", "{name:?} {args:?}: {object:#}");
            object["result"].clone()
        };
        run(&["init"]);
        std::fs::write(root.join("check.sh"), "exit 0\n").expect("written");
        let open = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", "sh check.sh"];
        let id = text(&run(&open)["id"]);
        let file = format!("{}.md", "x".repeat(252));
        std::fs::write(root.join(&file), "a text\n").expect("written");
        run(&["loop", "add", &id, "--type", "note", "--ref", &file]);
        run(&["loop", "verify", &id]);
        run(&["memory", "add", "--category", "traps", "--title", "t", "--text", "x"]);
        let session = text(&run(&["session", "start", "--goal", "g"])["session_id"]);
        run(&["session", "run", &session, "--", "sh", "check.sh"]);
        run(&["rewards", "add", "--case", "c", "--phase", "p", "--reward", "0.5"]);
        run(&["loop", "export", &id]);
        run(&["status"]);
        run(&["doctor"]);
        // From another folder, by name.
        let workspace = root.to_string_lossy().into_owned();
        place.json(&["loop", "show", &id, "--workspace", &workspace]).result();
    }
}

/// Names of files and folders below a folder.
fn names_below(root: &Path) -> Vec<String> {
    let (mut todo, mut names) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).expect("listed").flatten() {
            names.push(entry.file_name().to_string_lossy().into_owned());
            if entry.path().is_dir() {
                todo.push(entry.path());
            }
        }
    }
    names
}

/// Field note: `:` in file names on Windows (oh-my-openagent 8456).
#[test]
fn names_of_files_are_good_on_every_system_whatever_they_are_made_from() {
    let place = Place::with_workspace();
    let odd = [
        "a:b*c?d\"e<f>g|h",
        "CON",
        "nul.txt",
        "lpt1",
        "ends with a dot.",
        "Ends With Space ",
        "UPPER",
        "upper",
        "../up",
        "字",
        "é",
        "e\u{301}",
    ];
    let long = "long ".repeat(40);
    for name in odd.iter().copied().chain([long.trim()]) {
        let open = ["loop", "open", "--kind", "ideation", "--title", name, "--proposal", "p"];
        place.json(&[&open[..], &["--request-id", name]].concat()).result();
        let reward = ["rewards", "add", "--case", name, "--domain", name, "--phase", name];
        let more = ["--reward", "0.5", "--skill", name];
        place.json(&[&reward[..], &more[..]].concat()).result();
        let add = ["memory", "add", "--category", "traps", "--title", name, "--text", name];
        place.json(&[&add[..], &["--tag", name]].concat()).result();
        place.json(&["session", "start", "--goal", name]).result();
    }
    let listed = place.json(&["rewards", "list"]).result();
    assert_eq!(listed["total"], odd.len() + 1, "none took another's place");
    let reserved = ["con", "prn", "aux", "nul", "com1", "lpt1"];
    let names = names_below(&place.root());
    assert!(names.len() > 60, "{}", names.len());
    for name in names {
        let lower = name.to_lowercase();
        let stem = lower.split('.').next().unwrap_or_default();
        let bad = name.contains([':', '*', '?', '"', '<', '>', '|', '\\'])
            || name.ends_with(['.', ' '])
            || name.len() > 255
            || reserved.contains(&stem)
            || name.chars().any(char::is_control);
        assert!(!bad, "{name:?} is no good name on every system");
    }
}

/// On a file system that doesn't tell the case of names apart, names that differ
/// in nothing else would be one file.
#[test]
fn names_that_differ_in_case_alone_take_nothing_from_each_other() {
    let place = Place::with_workspace();
    for name in ["Billing", "billing", "BILLING"] {
        let add = ["rewards", "add", "--case", name, "--domain", name, "--phase", "design"];
        place.at("2026-03-01T12:00:00Z", &[&add[..], &["--reward", "0.5"]].concat()).result();
        let open = ["loop", "open", "--kind", "ideation", "--title", name, "--proposal", "p"];
        place.json(&open).result();
        place.json(&["session", "start", "--goal", name]).result();
    }
    assert_eq!(place.json(&["rewards", "list"]).result()["total"], 3);
    let loops = place.json(&["loop", "list"]).result();
    let slugs: std::collections::BTreeSet<String> = loops["loops"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| text(&line["slug"]).to_lowercase())
        .collect();
    assert_eq!(slugs.len(), 3, "{slugs:?}");
    // What lies in one folder differs in more than case. (Records are known by what
    // they say, and one never takes the place of another: their folders may fall
    // together.)
    let mut todo = vec![place.root().join(".loopdeck"), place.root().join(".whetstone")];
    while let Some(folder) = todo.pop() {
        let mut seen = std::collections::BTreeSet::new();
        for entry in std::fs::read_dir(&folder).expect("listed").flatten() {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            assert!(seen.insert(name), "{:?} in {}", entry.file_name(), folder.display());
            if entry.path().is_dir() {
                todo.push(entry.path());
            }
        }
    }
}
