//! Verify and trust: commands that the test writes, run by the binary.

use crate::support::Place;

fn opened(place: &Place, command: &str) -> String {
    let args = ["loop", "open", "--kind", "implementation", "--title", "t", "--verify", command];
    let id = place.json(&args).result()["id"].as_str().expect("an id").to_owned();
    for _ in 0..2 {
        place.json(&["loop", "advance", &id]).result();
    }
    id
}

#[test]
fn green_leads_to_the_handoff_and_completes() {
    let place = Place::with_workspace();
    place.file("check.sh", "echo \"checked $1\"; echo aside >&2\n");
    let id = opened(&place, "sh check.sh 'two words'");
    let shown = place.run(&["loop", "verify", &id]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.stderr.contains("checked two words\n") && shown.stderr.contains("aside\n"));
    assert!(shown.stderr.contains("is green"), "{}", shown.stderr);
    let ran = place.json(&["loop", "verify", &id]).result();
    let report = ran["artifact_ids"][0].as_str().expect("an id").to_owned();
    let shown = place.json(&["loop", "show", &id, "--artifact", &report]).result();
    let artifact = &shown["artifact"];
    assert_eq!(artifact["produced_by"], "engine");
    let body: serde_json::Value =
        serde_json::from_str(artifact["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!((&body["passed"], &body["exit_code"]), (&true.into(), &0.into()));
    assert_eq!(body["stdout_tail"], "checked two words\n");
    assert_eq!(place.json(&["loop", "advance", &id]).result()["current_phase"], "handoff_ready");
    let ended = place.json(&["loop", "add", &id, "--type", "handoff", "--body", "h"]).result();
    assert_eq!(ended["loop"]["status"], "completed");
    place.json(&["loop", "verify", &id]).error("already_closed", 1);
}

#[test]
fn red_is_an_answer_and_ends_blocked_at_the_cap() {
    let place = Place::with_workspace();
    let id = opened(&place, "./not-there");
    for _ in 0..3 {
        let ran = place.json(&["loop", "verify", &id]);
        ran.result();
        place.json(&["loop", "advance", &id]).result();
        place.run(&["loop", "advance", &id]);
    }
    assert_eq!(place.json(&["loop", "show", &id]).result()["status"], "blocked");
}

#[test]
fn a_command_of_an_agent_runs_once_it_is_approved() {
    let place = Place::with_workspace();
    let command = "sh -c 'exit 0'";
    let args = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", command];
    let opened = place.json(&[&args[..], &["--actor", "agent:codex"]].concat()).result();
    let id = opened["id"].as_str().expect("an id");
    let refused = place.json(&["loop", "verify", id]).error("command_not_trusted", 1);
    let step = refused["next_steps"][0]["command"].as_str().expect("a step");
    let words = shell_words::split(step).expect("words");
    let words: Vec<&str> = words.iter().map(String::as_str).skip(1).collect();
    place.json(&[&words[..], &["--actor", "agent:codex"]].concat()).error("operator_only", 1);
    assert_eq!(place.json(&words).result()["approved"], true);
    assert_eq!(place.json(&["trust"]).result()["total"], 1);
    let ran = place.json(&["loop", "verify", id, "--request-id", "r1"]).result();
    let again = place.json(&["loop", "verify", id, "--request-id", "r1"]).result();
    assert_eq!((&again["artifact_ids"], &again["replayed"]), (&ran["artifact_ids"], &true.into()));
    place.json(&["trust", "revoke", command]).result();
    place.json(&["loop", "verify", id]).error("command_not_trusted", 1);
    place.json(&["loop", "amend", id, "--verify", "none"]).result();
    place.json(&["loop", "verify", id]).error("verify_unconfigured", 1);
    place.json(&["loop", "amend", id, "--verify", "'"]).error("invalid_verify", 2);
}

#[test]
fn secrets_never_reach_the_journal_and_files_that_changed_are_said() {
    let place = Place::with_workspace();
    place.file("check.sh", "echo \"the word is $DEPLOY_TOKEN or s3cret-value\"\n");
    place.file(".loopdeck/config.toml", "[verify]\npass_env = [\"DEPLOY_TOKEN\"]\n");
    let git = |args: &[&str]| {
        let base = ["-c", "user.name=n", "-c", "user.email=e@example.org"];
        let done = std::process::Command::new("git")
            .args(base)
            .args(args)
            .current_dir(place.root())
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "check.sh"]);
    git(&["commit", "-q", "-m", "first"]);
    let id = opened(&place, "sh check.sh");
    place.json(&["trust", "approve", "--pass-env", "DEPLOY_TOKEN"]).result();
    let mut command = place.command(&["loop", "verify", &id]);
    let output = command.env("DEPLOY_TOKEN", "s3cret-value").output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the word is [redacted] or [redacted]"), "{said}");
    let journal = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let text = std::fs::read_to_string(journal).expect("a journal");
    assert!(text.contains("[redacted]") && !text.contains("s3cret-value"));

    let would = || place.json(&["loop", "advance", &id, "--dry-run"]).result()["would"].clone();
    assert_eq!(would()["target"], "handoff_ready");
    place.file("check.sh", "exit 1\n");
    assert_eq!(would()["target"], "execute");
    let why = place.json(&["loop", "why", &id]).result();
    assert_eq!(why["near_misses"][0], "files changed since: verify again");
    assert_eq!(why["exit"]["ignored"][0]["why"], "stale_workspace");
    let added = place.json(&["loop", "add", &id, "--type", "file_diff", "--diff"]).result();
    let diff = added["artifact_id"].as_str().expect("an id");
    let shown = place.json(&["loop", "show", &id, "--artifact", diff]).result();
    assert!(shown["artifact"]["body"].as_str().is_some_and(|b| b.contains("\n+exit 1\n")));
    place
        .json(&["loop", "add", &id, "--type", "file_diff", "--diff", "no..where"])
        .error("invalid_diff", 2);
}
