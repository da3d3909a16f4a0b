//! What a workspace holds besides its stores: the person's own files, and what is
//! kept of a worker.

use std::fs;
use std::path::Path;

use loopdeck::core::loops::attempt::{AttemptCommand, Process};
use loopdeck::core::loops::command::Command;
use loopdeck::core::loops::ids::{LoopId, RunId, TurnId};
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::memory::Category;
use loopdeck::core::text::sha256_hex;
use loopdeck::engine::{Engine, OpenRequest, UserDirs, Write};
use loopdeck::runner::process;
use loopdeck::tui::kept::Kept;

/// What the worker signs with.
const NONCE: &str = "0f1e2d3c";

/// The folders of the person's own files: below the root, so that they are healed
/// with the rest and a reading that writes there is seen.
pub fn user_dirs(root: &Path) -> UserDirs {
    let own = root.join("own");
    UserDirs { config: own.join("config"), state: own.join("state"), cache: own.join("cache") }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// Settings, approvals, a place and a draft.
pub fn person(root: &Path) {
    let dirs = user_dirs(root);
    let keys = "[gate]\nadvance = [\"+\", \"ctrl-y\"]\n\n[memory]\ntop = \"home\"\n";
    write(&dirs.config.join("keys.toml"), keys);
    let deck = "theme = \"mine\"\nglyphs = \"unicode\"\nmouse = \"off\"\nnotify = \"both\"\n";
    write(&dirs.config.join("deck.toml"), deck);
    let theme = "[styles]\nok = \"#00ff00 bold\"\ntitle = \"cyan\"\nmuted = \"8 italic\"\n";
    for name in ["mine", "theirs"] {
        write(&dirs.config.join(format!("themes/{name}.toml")), theme);
    }
    let approvals = r#"{
  "schema_version": 1,
  "commands": [
    { "command": ["cargo", "test"], "approved_at": "2026-02-01T08:00:00.000Z" },
    { "command": ["make", "check"], "approved_at": "2026-02-02T08:00:00.000Z" }
  ]
}
"#;
    write(&dirs.state.join("approvals.json"), approvals);
    let kept = Kept::of(&dirs.state, root);
    let place = r#"{"screen":"memory","loop_id":null,"in_detail":true,"tab":"overview",
"pane":"gate","filter":"cache","sort":"age","theme":"mine"}
"#;
    write(&kept.place, place);
    let draft = r#"{"form":"new_loop","phase":"critique","iteration":1,
"fields":{"title":"Half a thought","goal":"Not to lose it"}}
"#;
    write(&kept.draft, draft);
    let kept = kept.read_draft().expect("a draft");
    assert!(kept.is_some_and(|draft| draft.fields.len() == 2));
}

/// A loop whose worker has ended and left its reply, which nobody has taken yet.
pub fn worked(engine: &Engine) -> (LoopId, RunId) {
    let mut request = OpenRequest::new(Kind::Ideation, "One that a worker works on");
    request.proposal = Some("Keep the parsed index in memory.".to_owned());
    request.slots =
        ["champion", "critic=codex"].iter().map(|s| s.parse().expect("a slot")).collect();
    let id = engine.open_loop(&request, &Write::operator()).expect("opened").state.id.clone();
    let run = |command| engine.execute(&id, command, &Write::operator()).expect("carried out");
    run(Command::Advance { to: None, force: false, reason: None });
    let step = |step| run(Command::Attempt(step));
    let reserved = step(AttemptCommand::Reserve { slot: "critic".into(), agent: None });
    let turn = reserved.made.turn_id.expect("a turn");
    step(AttemptCommand::Commit { turn: turn.clone() });
    step(AttemptCommand::Arm {
        turn: turn.clone(),
        nonce_sha256: sha256_hex(NONCE.as_bytes()),
        lease_ms: 120_000,
        worktree: None,
        launcher: None,
    });
    step(AttemptCommand::Cross { turn: turn.clone(), epoch: 0, nonce: NONCE.into() });
    // Of this machine, and over: another process has the number now.
    let own = process::of_pid(std::process::id());
    let gone = Process { start_time: format!("{}0", own.start_time), ..own };
    step(AttemptCommand::Spawned { turn: turn.clone(), epoch: 0, process: gone.clone() });
    let run = RunId::of(&turn, 0);
    let folder = engine.root().join(format!(".loopdeck/loops/{id}/runs/{run}"));
    left_behind(&folder, &turn, &run, &gone);
    (id, run)
}

/// The files of the run.
fn left_behind(folder: &Path, turn: &TurnId, run: &RunId, process: &Process) {
    let text = serde_json::json!({
        "process": process, "ended": {"code": 0, "duration_ms": 1_500},
    });
    write(&folder.join("status.json"), &text.to_string());
    let text = serde_json::json!({
        "argv": ["sh", "critic.sh"], "dir": folder, "stdin": null, "redact": ["tok_[a-z]+"],
    });
    write(&folder.join("job.json"), &text.to_string());
    write(&folder.join("brief.md"), "# Look at it\n\nAnd say what you see.\n");
    write(&folder.join("stdout.log"), "reading\nthinking\nwriting\n");
    write(&folder.join("stderr.log"), "a warning\n");
    let reply = serde_json::json!({
        "turn_id": turn, "run_id": run, "nonce": NONCE, "outcome": "done", "summary": "one",
        "artifacts": [{
            "artifact_type": "critique", "body": "It drops the cache.",
            "subtype": "coverage_gap", "addresses_critique": [], "waives": {}, "cites": [],
        }],
    });
    let text = serde_json::to_string_pretty(&reply).expect("JSON") + "\n";
    write(&folder.join("LANE-RESULT.json"), &text);
}

/// An item that an import brought, with the mark by which it is known again.
pub fn imported(engine: &Engine) -> String {
    let source = engine.root().join("0001-record.md");
    let text = "# 1. Keep the index\n\nStatus: accepted\n\n## Context\n\nIt is slow.\n\n\
                ## Decision\n\nKeep it.\n";
    write(&source, text);
    let report = engine.memory_import(&source, None, false).expect("imported");
    let again = engine.memory_import(&source, None, false).expect("looked at");
    assert!(again.imported.is_empty(), "it is known again");
    let item = report.imported.first().expect("an item");
    assert_eq!(item.category, Category::Decisions);
    item.id.to_string()
}
