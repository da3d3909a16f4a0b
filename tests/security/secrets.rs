//! Secrets are taken out of everything that is captured, before it is kept.

use std::path::{Path, PathBuf};

use crate::support::{Place, text};

const SECRETS: [(&str, &str); 4] = [
    ("DEPLOY_TOKEN", "tok-first-secret"),
    ("api_key", "key-second-secret"),
    ("DB_PASSWORD", "pwd-third-secret"),
    ("MY_SECRET_LINES", "line-fourth-secret\nline-fifth-secret"),
];
const BY_PATTERN: &str = "AKIA0123456789ABCDEF";

/// Files below a folder that hold a word.
fn files_with(root: &Path, words: &[&str]) -> Vec<PathBuf> {
    let (mut todo, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).expect("listed").flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap_or_default();
            let said = String::from_utf8_lossy(&bytes);
            if words.iter().any(|word| said.contains(word)) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn secrets_are_taken_out_of_observations_and_replies() {
    let place = Place::with_workspace();
    let all = format!(
        "{} {} {} line-fourth-secret line-fifth-secret {BY_PATTERN}",
        SECRETS[0].1, SECRETS[1].1, SECRETS[2].1
    );
    let worker = format!(
        "brief=$(cat); get() {{ printf '%s\\n' \"$brief\" | sed -n \"s/.*\\\"$1\\\": \\\"\\([^\\\"]*\\)\\\".*/\\1/p\" | head -n 1; }}\n\
         echo '{all}'; echo '{all}' >&2\n\
         printf '{{\"turn_id\":\"%s\",\"run_id\":\"%s\",\"nonce\":\"%s\",\"artifact_type\":\"critique\",\"body\":\"see {all}\"}}' \
         \"$(get turn_id)\" \"$(get run_id)\" \"$(get nonce)\" > \"$LOOPDECK_RESULT\"\n"
    );
    // The scripts themselves hold the words; they lie outside of what is looked at.
    let outside = place.root().parent().expect("a folder").join("scripts");
    std::fs::create_dir(&outside).expect("made");
    std::fs::write(outside.join("worker.sh"), worker).expect("written");
    std::fs::write(outside.join("say.sh"), format!("echo '{all}'; exit 1\n")).expect("written");
    let settings = "redact = [\"AKIA[0-9A-Z]{16}\"]\n[agents.codex]\ncommand = [\"sh\", \"../scripts/worker.sh\"]\n";
    place.file(".loopdeck/config.toml", settings);
    place.json(&["trust", "approve", "sh ../scripts/worker.sh"]).result();
    let run = |args: &[&str]| place.json_with(&SECRETS, args).result();

    let session = text(&run(&["session", "start", "--goal", "g"])["session_id"]);
    let ran = ["session", "run", &session, "--", "sh", "../scripts/say.sh"];
    let ran = place.run_with(&SECRETS, &ran);
    assert!(ran.status == 0 && !ran.stdout.contains("-secret"), "{ran:?}");
    run(&["session", "record", &session, "--action", "test", "--raw", &all, "--gap", "1"]);

    let open = ["loop", "open", "--kind", "debug", "--title", "v", "--proposal", "p"];
    let verify = ["--verify", "sh ../scripts/say.sh"];
    let id = text(&run(&[&open[..], &verify[..]].concat())["id"]);
    run(&["loop", "verify", &id]);

    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
    let slots = ["--slot", "champion", "--slot", "critic=codex"];
    let id = text(&run(&[&open[..], &slots[..]].concat())["id"]);
    run(&["loop", "advance", &id]);
    run(&["turn", "dispatch", &id, "--slot", "critic"]);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let harvested = run(&["turn", "harvest", &id]);
        if harvested["items"][0]["outcome"] == "completed" {
            break;
        }
        assert!(std::time::Instant::now() < end, "{harvested:#}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let log = run(&["loop", "export", &id]).to_string();
    assert!(log.contains("see [redacted]"), "{log}");

    let words = ["-secret", BY_PATTERN];
    let mut found = files_with(&place.root(), &words);
    // The worker's own file, which it wrote itself, lies in its private folder.
    found.retain(|path| path.file_name().is_some_and(|name| name != "LANE-RESULT.json"));
    assert_eq!(found, Vec::<PathBuf>::new());
    for folder in ["state", "cache"] {
        let folder = place.root().parent().expect("a folder").join(folder);
        if folder.exists() {
            assert_eq!(files_with(&folder, &words), Vec::<PathBuf>::new());
        }
    }
}
