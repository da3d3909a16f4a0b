//! Nothing that comes from files, agents or tools is sent to the terminal as it is.

use crate::support::{Place, text};

/// A title, a clipboard write, a cleared screen, and text that reads backwards.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}31m\u{202e}";

/// What a terminal might act on.
fn is_weapon(c: char) -> bool {
    (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c)
}

#[track_caller]
fn is_harmless(what: &str, text: &str) {
    let found: Vec<char> = text.chars().filter(|c| is_weapon(*c)).collect();
    assert!(found.is_empty(), "{what} sends {found:?}: {text:?}");
}

/// A workspace of which everything that has a text holds weapons.
fn armed() -> (Place, String) {
    let place = Place::with_workspace();
    let toml = EVIL.chars().map(|c| format!("\\u{:04x}", c as u32)).collect::<String>();
    let loop_of = |title: &str| {
        let args = ["loop", "open", "--kind", "ideation", "--title", title, "--proposal", EVIL];
        place.json(&args).result()["id"].as_str().expect("an id").to_owned()
    };
    let id = loop_of("A title of nothing");
    // No verb takes such a title; a journal that came with a repository may hold it.
    let journal = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let written = std::fs::read_to_string(&journal).expect("a journal");
    std::fs::write(&journal, written.replace("A title of nothing", &format!("A title {toml}")))
        .expect("written");
    place.json(&["loop", "advance", &id]).result();
    place.add(&id, "critique", &format!("A critique {EVIL}"));
    let ask = ["loop", "ask", &id, "--scope", "loop", "--question", EVIL, "--evidence", EVIL];
    let _ = place.json(&ask);
    place.file(
        ".loopdeck/memory/traps/trp_00000001.md",
        format!("+++\ntitle = \"{toml}\"\ntags = [\"{toml}\"]\nsource = \"{toml}\"\n+++\n{EVIL}\n"),
    );
    let goal = ["session", "start", "--goal", "A goal of nothing"];
    let session = place.json(&goal).result()["session_id"].as_str().expect("an id").to_owned();
    let path = place.root().join(format!(".whetstone/sessions/{session}.json"));
    let written = std::fs::read_to_string(&path).expect("a session");
    std::fs::write(&path, written.replace("of nothing", &toml)).expect("written");
    for n in 0..6 {
        let record = serde_json::json!({
            "id": format!("r{n}{EVIL}"), "version": "1.1", "case_slug": format!("c{n}{EVIL}"),
            "timestamp": format!("2026-02-0{}T10:00:00.000Z", n + 1),
            "domain": format!("{}{EVIL}", n % 2), "phase": format!("p{EVIL}"),
            "skill_used": format!("s{EVIL}"), "reward": if n % 2 == 0 { 0.9 } else { 0.2 },
        });
        let path = format!(".keysarium/memory/d/c/p_{n}.json");
        place.file(&path, record.to_string());
    }
    place.file(
        ".loopdeck/config.toml",
        format!("\"{toml}\" = 1\n[agents.\"{toml}\"]\ncommand = [\"{toml}\"]\n"),
    );
    let evil_name = EVIL.replace('/', "_");
    let broken = format!("kind = \"{toml}\"\n");
    place.file(&format!(".loopdeck/protocols/p{evil_name}.toml"), &broken);
    place.file(&format!(".loopdeck/profiles/p{evil_name}.toml"), &broken);
    place.file(&format!(".loopdeck/templates/t{evil_name}.md"), format!("+++\n{broken}+++\n"));
    place.file(&format!(".loopdeck/memory/traps/m{evil_name}.md"), &broken);
    place.file(&format!(".loopdeck/memory/x{evil_name}/y.md"), &broken);
    place.file(&format!(".loopdeck/loops/l{evil_name}/journal.jsonl"), &broken);
    place.file(&format!(".keysarium/memory/d/r{evil_name}.json"), &broken);
    (place, id)
}

#[cfg(unix)]
#[test]
fn nothing_from_files_reaches_the_terminal_as_it_is() {
    let (place, id) = armed();
    let _ = place.run(&["dream", "run"]);
    let commands: [&[&str]; 38] = [
        &["status"],
        &["status", "--short"],
        &["loop", "list", "--all"],
        &["loop", "show", &id],
        &["loop", "show", &id, "--artifact", "1"],
        &["loop", "why", &id],
        &["loop", "log", &id],
        &["loop", "brief", &id],
        &["loop", "coverage", &id],
        &["loop", "rounds", &id],
        &["loop", "export", &id],
        &["loop", "diff", &id, "1", "2"],
        &["loop", "search", "critique"],
        &["loop", "pause", &id],
        &["loop", "resume", &id],
        &["loop", "undo", &id, "--dry-run"],
        &["loop", "advance", &id, "--to", EVIL],
        &["loop", "show", EVIL],
        &["loop", "open", "--kind", "ideation", "--title", "t", "--template", EVIL],
        &["loop", "open", "--kind", "ideation", "--title", "t", "--preset", EVIL],
        &["turn", "list"],
        &["turn", "dispatch", &id, "--slot", EVIL],
        &["memory", "list"],
        &["memory", "show", "trp_00000001"],
        &["memory", "search", "title"],
        &["session", "list"],
        &["rewards", "list"],
        &["rewards", "stats"],
        &["dream", "status"],
        &["dream", "run", "--force"],
        &["dream", "insights"],
        &["dream", "graph"],
        &["doctor"],
        &["doctor", "--repair"],
        &["config", "check"],
        &["trust", "list"],
        &["paths"],
        &[EVIL],
    ];
    let mut seen = String::new();
    for command in commands {
        let run = place.run(command);
        let what = command.join(" ");
        // An export is a file in the making, for a pipe: it holds what was written.
        if command[1..].first() != Some(&"export") && command[1..].first() != Some(&"brief") {
            is_harmless(&what, &run.stdout);
        }
        is_harmless(&what, &run.stderr);
        assert!(run.status < 6, "{what}: {run:?}");
        seen += &run.stdout;
        seen += &run.stderr;
    }
    // The weapons came so far, written out.
    for armed in ["A title ␛", "A goal ␛", "A critique ␛", "p␛]0;owned", "m␛]0;owned"] {
        assert!(seen.contains(armed), "{armed} is shown");
    }
}

/// A terminal acts on U+009B as on ESC [, and shows text backwards after U+202E; JSON
/// escapes neither by itself.
#[test]
fn nothing_in_json_is_a_command_to_a_terminal_either() {
    let place = Place::with_workspace();
    let said = "a \u{9b}31m text \u{202e}that reads\u{2066} backwards\u{61c}\u{7f}";
    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", said];
    let id = text(&place.json(&open).result()["id"]);
    let ways = [&["loop", "log", &id, "--json"][..], &["loop", "export", &id, "--json"]];
    for way in ways {
        let output = place.command(way).output().expect("runs");
        let json = std::str::from_utf8(&output.stdout).expect("text");
        let acts = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2066}\u{61c}".contains(c);
        assert!(!json.contains(acts), "{json:?}");
        let object: serde_json::Value = serde_json::from_str(json).expect("one object");
        assert!(object.to_string().contains(said), "it says the same: {object:#}");
    }
}
