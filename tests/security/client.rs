//! An MCP client that means harm (docs/security.md, "A hostile client").

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Place, text};

/// Sends messages to a server of their own and gives its answers.
fn ask(place: &Place, calls: &[(&str, Value)]) -> Vec<Value> {
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "operator", "version": "1"}}})
        .to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
    ];
    for (nth, (name, arguments)) in calls.iter().enumerate() {
        let params = json!({ "name": name, "arguments": arguments });
        let call =
            json!({"jsonrpc": "2.0", "id": nth + 1, "method": "tools/call", "params": params});
        lines.push(call.to_string());
    }
    let mut answers = Vec::new();
    // One after the other: the calls build on each other.
    let own = place.command(&["mcp"]);
    let mut command = std::process::Command::new(own.get_program());
    command.current_dir(place.root()).args(own.get_args());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    for line in lines {
        use std::io::{BufRead as _, Write as _};
        writeln!(input, "{line}").expect("sent");
        if line.contains("\"id\":") {
            let mut answer = String::new();
            output.read_line(&mut answer).expect("an answer");
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            answers.push(answer["result"]["structuredContent"].clone());
        }
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
    answers.remove(0);
    answers
}

#[test]
fn an_agent_runs_no_command_of_its_own_and_approves_none() {
    let place = Place::with_workspace();
    place.file("evil.sh", "touch it-was-run\n");
    let open = json!({"intent": "open", "kind": "debug", "title": "t", "proposal": "p",
        "verify": "sh evil.sh", "allow_orphan": true});
    let answers = ask(&place, &[("bclaw_loop", open)]);
    assert_eq!(answers[0]["status"], "ok", "{:#}", answers[0]);
    let id = text(&place.json(&["loop", "list"]).result()["loops"][0]["id"]);
    let answers = ask(
        &place,
        &[
            ("bclaw_loop", json!({"intent": "verify", "loop_id": id})),
            ("bclaw_loop", json!({"intent": "amend", "loop_id": id, "verify": "sh evil.sh"})),
            ("bclaw_loop", json!({"intent": "approve", "command": ["sh", "evil.sh"]})),
            ("trust_approve", json!({"command": ["sh", "evil.sh"]})),
            ("bclaw_loop", json!({"intent": "verify", "loop_id": id, "actor": "operator"})),
        ],
    );
    for answer in &answers {
        assert_ne!(answer["status"], "ok", "{answer:#}");
    }
    assert!(answers[0].to_string().contains("command_not_trusted"), "{:#}", answers[0]);
    assert!(!place.root().join("it-was-run").exists());
    assert_eq!(place.json(&["trust", "list"]).result()["total"], 0);
}

#[test]
fn a_client_that_calls_itself_operator_is_an_agent_all_the_same() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let force = json!({"intent": "advance", "loop_id": id, "force": true, "reason": "r"});
    let answers = ask(
        &place,
        &[
            ("bclaw_loop", force),
            ("bclaw_loop", json!({"intent": "pause", "loop_id": id})),
            ("bclaw_loop", json!({"intent": "undo", "loop_id": id, "to": 1})),
        ],
    );
    assert!(answers[0].to_string().contains("operator_only"), "{:#}", answers[0]);
    let log = place.json(&["loop", "log", &id]).result();
    let events = log["events"].as_array().expect("a list");
    let paused = events.iter().find(|event| event["kind"] == "paused").expect("it paused");
    assert_eq!(paused["by"], "agent:operator");
}

#[test]
fn a_client_sees_nothing_outside_of_the_workspace() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let secret = place.root().parent().expect("a folder").join("secret.txt");
    std::fs::write(&secret, "swordfish\n").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, place.root().join("link.txt")).expect("linked");
    let absolute = secret.to_string_lossy().into_owned();
    let mut calls = Vec::new();
    for path in ["../secret.txt", &absolute, "link.txt", "a/../../secret.txt", "/etc/passwd"] {
        calls.push((
            "bclaw_loop",
            json!({"intent": "add_artifact", "loop_id": id, "artifact_type": "note", "ref": path}),
        ));
        calls.push((
            "bclaw_loop",
            json!({"intent": "add_artifact", "loop_id": id,
                "artifact": {"artifact_type": "note", "ref": path}}),
        ));
        calls.push((
            "bclaw_loop",
            json!({"intent": "open", "kind": "ideation", "title": "t", "allow_orphan": true,
                "protocol": path}),
        ));
        calls.push(("bclaw_loop", json!({"intent": "bind", "loop_id": id, "sequences": [path]})));
    }
    for (call, answer) in calls.iter().zip(ask(&place, &calls)) {
        assert_ne!(answer["status"], "ok", "{call:?}: {answer:#}");
        assert!(!answer.to_string().contains("swordfish"), "{call:?}: {answer:#}");
    }
}
