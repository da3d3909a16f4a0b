//! A repository that was cloned: what lies in it is read with care, and nothing of
//! it is run before exactly it was approved (attempts.md, "Workers").

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Place, text};

/// What a command that should not have been run leaves behind.
fn marker(place: &Place) -> PathBuf {
    place.root().join("it-was-run")
}

fn git(root: &Path, args: &[&str]) {
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
        .args(args)
        .current_dir(root)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{done:?}");
}

/// A repository that would like to run `sh evil.sh` wherever a command may stand.
fn hostile() -> Place {
    let place = Place::with_workspace();
    place.file("evil.sh", "touch \"${LOOPDECK_WORKSPACE:-.}/it-was-run\"; touch it-was-run\n");
    place.file(
        ".loopdeck/config.toml",
        "[agents.evil]\ncommand = [\"sh\", \"evil.sh\"]\n\
         [agents.git]\ncommand = [\"sh\", \"evil.sh\", \"{brief_file}\"]\n",
    );
    place.file(
        ".loopdeck/templates/start.md",
        "+++\nkind = \"debug\"\ntitle = \"Fix it\"\nverify = \"sh evil.sh\"\n+++\nIt is broken.\n",
    );
    place
}

#[test]
fn nothing_of_a_repository_is_run_before_exactly_it_was_approved() {
    let place = hostile();
    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
    let slots = ["--slot", "champion", "--slot", "critic=evil"];
    let id = text(&place.json(&[&open[..], &slots[..]].concat()).result()["id"]);
    place.json(&["loop", "advance", &id]).result();
    for command in [
        &["status"][..],
        &["loop", "list"],
        &["loop", "show", &id],
        &["loop", "why", &id],
        &["loop", "brief", &id],
        &["turn", "list"],
        &["turn", "sweep"],
        &["turn", "harvest", &id],
        &["doctor"],
        &["config", "check"],
        &["dream", "status"],
    ] {
        place.json(command);
    }
    place.json(&["turn", "dispatch", &id, "--slot", "critic"]).error("command_not_trusted", 1);
    assert!(!marker(&place).exists());
    // Nearly the same is not the same.
    for other in ["sh evil.sh {brief_file}", "sh ./evil.sh", "sh 'evil.sh '"] {
        place.json(&["trust", "approve", other]).result();
        let refused = place.json(&["turn", "dispatch", &id, "--slot", "critic"]);
        refused.error("command_not_trusted", 1);
    }
    assert!(!marker(&place).exists());
    place.json(&["trust", "approve", "sh evil.sh"]).result();
    place.json(&["turn", "dispatch", &id, "--slot", "critic"]).result();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !marker(&place).exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(marker(&place).exists(), "the test would see it if it were run");
}

#[test]
fn a_command_that_stands_in_a_template_waits_for_an_approval_of_its_own() {
    let place = hostile();
    let run = place.json(&["loop", "open", "--template", "start"]);
    let id = text(&run.result()["id"]);
    let warned = run.object()["warnings"].to_string();
    assert!(warned.contains("loopdeck trust approve 'sh evil.sh'"), "{warned}");
    place.json(&["loop", "verify", &id]).error("command_not_trusted", 1);
    assert!(!marker(&place).exists());
    // Typed by the operator it still stands in a file that came with the repository.
    let open = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", "sh evil.sh"];
    let id = text(&place.json(&open).result()["id"]);
    place.json(&["loop", "verify", &id]).error("command_not_trusted", 1);
    assert!(!marker(&place).exists());
    place.json(&["trust", "approve", "sh evil.sh"]).result();
    place.json(&["loop", "verify", &id]).result();
    assert!(marker(&place).exists());
}

/// Settings come with a repository: a variable that they name is handed to what runs
/// there, the operator's own commands too, only once the operator let this workspace.
#[test]
fn a_variable_that_settings_name_is_handed_on_only_where_that_was_approved() {
    let place = hostile();
    place.file("check.sh", "printf %s \"$CLOUD_KEY$LANG\" > seen\n");
    place.file(
        ".loopdeck/config.toml",
        "[verify]\npass_env = [\"CLOUD_KEY\", \"LANG\"]\n\
         [dispatch]\npass_env = [\"CLOUD_KEY\"]\n\
         [agents.mild]\ncommand = [\"sh\", \"check.sh\"]\n",
    );
    let run = |key: &str, args: &[&str]| {
        let mut command = place.command(&[&["--json"], args].concat());
        let output = command.env("CLOUD_KEY", key).env("LANG", "C").output().expect("runs");
        serde_json::from_slice::<Value>(&output.stdout).expect("one object")
    };
    let seen = || fs::read_to_string(place.root().join("seen")).ok();
    let open = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", "sh check.sh"];
    let id = text(&place.json(&open).result()["id"]);
    let session = text(&place.json(&["session", "start", "--goal", "g"]).result()["session_id"]);
    let open = ["loop", "open", "--kind", "ideation", "--title", "i", "--proposal", "p"];
    let slots = ["--slot", "champion", "--slot", "critic=mild"];
    let dispatched = text(&place.json(&[&open[..], &slots[..]].concat()).result()["id"]);
    place.json(&["loop", "advance", &dispatched]).result();
    let ways = [
        &["loop", "verify", &id][..],
        &["session", "run", &session, "--", "sh", "check.sh"],
        &["turn", "dispatch", &dispatched, "--slot", "critic"],
    ];
    for way in ways {
        let refused = run("s3cret", way);
        assert_eq!(refused["error"]["code"], "variable_not_trusted", "{refused:#}");
        assert_eq!(refused["error"]["details"]["variables"], json!(["CLOUD_KEY"]), "{refused:#}");
        assert_eq!(seen(), None);
    }
    // What isn't set can't be handed on, and what everybody gets is no question.
    assert_eq!(run("", ways[0])["status"], "ok");
    assert_eq!(seen().as_deref(), Some("C"));
    // An agent approves nothing.
    let step = ["trust", "approve", "--pass-env", "CLOUD_KEY"];
    place.json(&[&step[..], &["--actor", "agent:mild"]].concat()).error("operator_only", 1);
    assert_eq!(place.json(&step).result()["variables"], json!(["CLOUD_KEY"]));
    let listed = place.json(&["trust", "list"]).result();
    assert_eq!(listed["variables"][0]["name"], "CLOUD_KEY", "{listed:#}");
    for way in ways {
        assert_eq!(run("s3cret", way)["status"], "ok", "{way:?}");
    }
    // Only a name is one, and who only reads approves nothing.
    for none in ["", "a b", "CLOUD_KEY=x"] {
        place.json(&["trust", "approve", "--pass-env", none]).error("invalid_pass_env", 2);
    }
    place
        .json(&["--read-only", "trust", "revoke", "--pass-env", "CLOUD_KEY"])
        .error("read_only", 5);
    place.json(&["trust", "approve"]).error("usage", 2);
    // It is this workspace's alone, and can be taken back.
    let approvals =
        fs::read_to_string(place.root().parent().expect("a folder").join("state/approvals.json"))
            .expect("written");
    assert!(approvals.contains(&*place.root().canonicalize().expect("there").to_string_lossy()));
    place.json(&["trust", "revoke", "--pass-env", "CLOUD_KEY"]).result();
    assert_eq!(run("s3cret", ways[0])["error"]["code"], "variable_not_trusted");
}

#[test]
fn a_loop_that_came_with_the_repository_brings_no_approval() {
    let place = hostile();
    let open = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", "sh check.sh"];
    place.file("check.sh", "exit 0\n");
    let id = text(&place.json(&open).result()["id"]);
    // The journal says that the operator opened it, with another command.
    let path = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let journal = fs::read_to_string(&path).expect("a journal").replace("check.sh", "evil.sh");
    fs::write(&path, journal).expect("written");
    place.json(&["loop", "verify", &id]).error("command_not_trusted", 1);
    assert!(!marker(&place).exists());
}

#[test]
fn approvals_lie_outside_of_every_workspace() {
    let place = hostile();
    let approvals = json!({ "schema_version": 1, "commands": [
        { "command": ["sh", "evil.sh"], "approved_at": "2026-01-01T00:00:00.000Z" },
    ]});
    for name in ["approvals.json", ".loopdeck/approvals.json", ".loopdeck/state/approvals.json"] {
        place.file(name, approvals.to_string());
    }
    let settings =
        "[agents.evil]\ncommand = [\"sh\", \"evil.sh\"]\n[trust]\ncommands = [\"sh evil.sh\"]\n";
    place.file(".loopdeck/config.toml", settings);
    assert_eq!(place.json(&["trust", "list"]).result()["total"], 0);
    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--slot", "champion"];
    let more = ["--slot", "critic=evil", "--proposal", "p"];
    let id = text(&place.json(&[&open[..], &more[..]].concat()).result()["id"]);
    place.json(&["loop", "advance", &id]).result();
    place.json(&["turn", "dispatch", &id, "--slot", "critic"]).error("command_not_trusted", 1);
}

#[test]
fn git_runs_nothing_that_its_settings_name() {
    let place = hostile();
    let root = place.root();
    git(&root, &["init", "-q"]);
    place.file("a.txt", "one\n");
    place.file(".gitattributes", "*.txt diff=evil\n");
    git(&root, &["add", "a.txt", ".gitattributes"]);
    git(&root, &["commit", "-q", "-m", "first"]);
    for (key, value) in [
        ("core.fsmonitor", "sh evil.sh"),
        ("diff.external", "sh evil.sh"),
        ("diff.evil.command", "sh evil.sh"),
        ("diff.evil.textconv", "sh evil.sh"),
        ("core.pager", "sh evil.sh"),
        ("pager.diff", "sh evil.sh"),
    ] {
        git(&root, &["config", key, value]);
    }
    place.file("a.txt", "two\n");
    place.file("check.sh", "exit 0\n");
    let open =
        ["loop", "open", "--kind", "implementation", "--title", "t", "--verify", "sh check.sh"];
    let id = text(&place.json(&[&open[..], &["--proposal", "p"]].concat()).result()["id"]);
    place.json(&["loop", "advance", &id, "--to", "execute", "--force", "--reason", "r"]);
    place.json(&["loop", "verify", &id]).result();
    place.json(&["loop", "why", &id]).result();
    place.json(&["loop", "add", &id, "--type", "file_diff", "--diff"]).result();
    assert!(!marker(&place).exists());
}

/// Files that commands write, each in turn a link to a file outside.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    place.json(&["loop", "pause", &id, "--request-id", "job-1"]).result();
    place.json(&["loop", "resume", &id]).result();
    let add = ["memory", "add", "--category", "traps", "--title", "t", "--text", "x"];
    let item = text(&place.json(&add).result()["id"]);
    let session = text(&place.json(&["session", "start", "--goal", "g"]).result()["session_id"]);
    let reward = ["rewards", "add", "--case", "c", "--phase", "p", "--reward", "0.5"];
    place.json(&reward).result();
    place.json(&["rewards", "stats"]).result();
    let folder = format!(".loopdeck/loops/{id}");
    let names = [
        format!("{folder}/journal.jsonl"),
        format!("{folder}/journal.lock"),
        format!("{folder}/journal.lock.info"),
        format!("{folder}/summary.json"),
        format!("{folder}/snapshot.json"),
        format!("{folder}/conflicts.jsonl"),
        format!(".loopdeck/memory/traps/{item}.md"),
        format!(".whetstone/sessions/{session}.json"),
        ".keysarium/insights/trigger-state.json".to_owned(),
        ".keysarium/memory/_stats/reward-summary.json".to_owned(),
        ".loopdeck/loops/naming.lock".to_owned(),
        ".loopdeck/loops/naming.lock.info".to_owned(),
    ];
    let requests = fs::read_dir(place.root().join(".loopdeck/requests")).expect("requests");
    let requests = requests.flatten().map(|e| e.path());
    let paths =
        names.iter().map(|name| place.root().join(name)).chain(requests.collect::<Vec<_>>());
    for path in paths {
        let before = fs::read(&path).unwrap_or_else(|_| b"mine\n".to_vec());
        let outside = place.root().parent().expect("a folder").join("outside");
        fs::write(&outside, &before).expect("written");
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(&outside, &path).expect("linked");
        for command in [
            &["loop", "pause", &id][..],
            &["loop", "resume", &id],
            &["loop", "pause", &id, "--expect-version", "1"],
            &["loop", "open", "--kind", "ideation", "--title", "n", "--proposal", "p"],
            &["loop", "resume", &id, "--request-id", "job-1"],
            &["memory", "edit", &item, "--title", "other"],
            &["session", "escalate", &session, "--reason", "r"],
            &reward,
            &["rewards", "stats"],
            &["doctor", "--repair"],
        ] {
            place.json(command);
        }
        let after = fs::read(&outside).expect("it is there");
        assert!(after == before, "{} was written through", path.display());
        let _ = fs::remove_file(&path);
        fs::write(&path, &before).expect("written back");
    }
}

#[test]
fn absurd_numbers_in_a_protocol_are_refused_or_harmless() {
    let built_in = include_str!("../../assets/protocols/ideation.toml");
    for number in ["0", "-1", "4294967295", "4294967296", "18446744073709551615", "1e9", "nan"] {
        let place = Place::with_workspace();
        let numbered: String = built_in
            .lines()
            .map(|line| match line.split_once(" = ") {
                Some((key, value)) if value.trim().parse::<u32>().is_ok() => {
                    format!("{key} = {number}\n")
                }
                _ => format!("{line}\n"),
            })
            .collect();
        assert_ne!(numbered, built_in, "there are numbers in it");
        let path = place.file("absurd.toml", numbered);
        let path = path.to_string_lossy();
        let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
        let run = place.json(&[&open[..], &["--protocol", &path]].concat());
        let object = run.object();
        if object["status"] == "error" {
            assert_eq!(object["error"]["code"], "invalid_protocol", "{number}: {object:#}");
            continue;
        }
        let id = text(&object["result"]["id"]);
        for _ in 0..8 {
            let force = ["loop", "advance", &id, "--force", "--reason", "r"];
            let run = place.json(&force);
            assert!([0, 1].contains(&run.status), "{number}: {run:?}");
        }
        for verb in ["show", "why", "log", "brief", "rounds", "coverage"] {
            assert_eq!(place.json(&["loop", verb, &id]).status, 0, "{number}: {verb}");
        }
        let amended = place.json(&["loop", "amend", &id, "--max-rounds", "4294967295"]);
        assert!(amended.status < 3, "{amended:?}");
        let reopened =
            place.json(&["loop", "reopen", &id, "--reason", "r", "--rounds", "4294967295"]);
        assert!(reopened.status < 3, "{reopened:?}");
        assert_eq!(place.json(&["loop", "why", &id]).status, 0);
    }
}

#[test]
fn names_from_outside_never_leave_their_folder() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let above = place.root().parent().expect("a folder").to_owned();
    fs::write(above.join("secret.toml"), "kind = \"ideation\"\n").expect("written");
    fs::write(above.join("secret.md"), "a secret\n").expect("written");
    fs::write(above.join("secret.json"), "{\"session_id\":\"x\"}").expect("written");
    let listed = || {
        let mut names: Vec<String> = fs::read_dir(&above)
            .expect("listed")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .filter(|name| !["config", "state", "cache"].contains(&&**name))
            .collect();
        names.sort();
        names
    };
    let before = listed();
    for name in ["../../secret", "../secret", "/etc/passwd", "..", "CON", "a/../../../secret", "."]
    {
        for command in [
            &["loop", "open", "--kind", "ideation", "--title", "t", "--preset", name][..],
            &["loop", "open", "--kind", "ideation", "--title", "t", "--template", name],
            &["loop", "open", "--kind", "ideation", "--title", "t", "--session", name],
            &["loop", "show", name],
            &["memory", "show", name],
            &["memory", "rm", name],
            &["session", "show", name],
            &["session", "escalate", name, "--reason", "r"],
            &["turn", "logs", name],
            &["turn", "harvest", name],
            &["dream", "insights", name],
        ] {
            let object = place.json(command).object();
            assert_eq!(object["status"], "error", "{command:?}: {object:#}");
            assert!(!object.to_string().contains("a secret"), "{command:?}");
        }
        // Names that become paths are made plain first.
        let reward = ["rewards", "add", "--case", name, "--domain", name, "--phase", name];
        place.json(&[&reward[..], &["--reward", "0.5"]].concat());
        place.json(&["loop", "pause", &id, "--request-id", name]);
        place.json(&["loop", "resume", &id]);
    }
    assert_eq!(listed(), before);
    let refused = place.json(&["loop", "add", &id, "--type", "note", "--ref", "../secret.md"]);
    refused.error("invalid_ref", 2);
    let inside = |value: &Value| text(&value["path"]).split('/').all(|part| !part.starts_with('.'));
    let records = place.json(&["rewards", "list"]).result();
    assert!(records["records"].as_array().expect("a list").iter().all(inside), "{records:#}");
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_neither_read_to_its_end_nor_waited_for() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let store = place.root().join(".loopdeck");
    for name in
        ["protocols/a.toml", "profiles/a.toml", "templates/a.md", "memory/traps/trp_00000001.md"]
    {
        let path = store.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::os::unix::fs::symlink("/dev/zero", path).expect("linked");
    }
    let started = std::time::Instant::now();
    let told = place.json(&["status"]).object()["warnings"].to_string();
    assert!(told.contains("no regular file"), "{told}");
    assert_eq!(place.json(&["loop", "why", &id]).status, 0);
    assert_eq!(place.json(&["doctor"]).object()["status"], "error");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
