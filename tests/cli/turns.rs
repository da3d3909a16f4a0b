//! Turns that are handed to workers: scripts that the test writes, started by
//! the binary (attempts.md, "How it is tested").

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Place, Run, text};

/// A worker that counts its starts and replies with what `REPLY` makes of the
/// ids that its brief names.
const WORKER: &str = r#"echo started >> "$LOOPDECK_WORKSPACE/starts.txt"
brief=$(cat)
get() { printf '%s\n' "$brief" | sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" | head -n 1; }
turn=$(get turn_id); run=$(get run_id); nonce=$(get nonce)
ids="\"turn_id\":\"$turn\",\"run_id\":\"$run\",\"nonce\":\"$nonce\""
echo "working on $turn"
"#;
/// A reply with one critique.
pub const CRITIQUE: &str = r#"printf '{%s,"artifacts":[{"artifact_type":"critique","body":"It drops the cache of %s."}]}' "$ids" "$run" > "$LOOPDECK_RESULT"
"#;

/// A workspace whose agent `codex` runs a script, and an ideation loop in
/// critique with a slot of it.
pub struct Bench {
    pub place: Place,
    pub id: String,
}

impl Bench {
    pub fn new(script: &str) -> Self {
        Self::with(&format!("{WORKER}{script}"), "")
    }

    pub fn with(script: &str, more: &str) -> Self {
        let place = Place::with_workspace();
        place.file("worker.sh", script);
        let config = format!("[agents.codex]\ncommand = [\"sh\", \"worker.sh\"]\n{more}");
        place.file(".loopdeck/config.toml", config);
        place.json(&["trust", "approve", "sh worker.sh"]).result();
        let opened = place.json(&[
            "loop",
            "open",
            "--kind",
            "ideation",
            "--title",
            "Extract",
            "--proposal",
            "p",
            "--slot",
            "champion",
            "--slot",
            "critic=codex",
        ]);
        let id = text(&opened.result()["id"]);
        place.json(&["loop", "advance", &id]).result();
        Self { place, id }
    }

    pub fn dispatch(&self) -> Run {
        self.place.json(&["turn", "dispatch", &self.id, "--slot", "critic"])
    }

    /// Dispatches at a moment, to be killed at a step.
    fn dispatch_killed_at(&self, step: &str, now: &str) {
        let args = ["turn", "dispatch", &self.id, "--slot", "critic"];
        let mut command = self.place.command(&args);
        command.env("LOOPDECK_TEST_KILL_AT", step).env("LOOPDECK_NOW", now);
        let output = command.output().expect("ran");
        assert_eq!(output.status.code(), None, "killed at {step}: {output:?}");
    }

    pub fn starts(&self) -> usize {
        let path = self.place.root().join("starts.txt");
        std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
    }

    /// Harvests until no worker runs any more.
    pub fn harvest(&self, more: &[&str]) -> Run {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let run = self.place.json(&[&["turn", "harvest", &self.id], more].concat());
            let object = run.object();
            let items = object["result"]["items"].as_array().cloned().unwrap_or_default();
            if !items.iter().any(|item| item["outcome"] == "running") {
                return run;
            }
            assert!(Instant::now() < end, "a worker runs on: {object:#}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn outcome(&self) -> String {
        text(&self.harvest(&[]).result()["items"][0]["outcome"])
    }

    pub fn show(&self) -> Value {
        self.place.json(&["loop", "show", &self.id]).result()
    }

    pub fn worker(&self) -> Value {
        let listed = self.place.json(&["turn", "list"]).result();
        listed["workers"][0].clone()
    }

    fn run_dir(&self) -> PathBuf {
        PathBuf::from(text(&self.worker()["run_dir"]))
    }
}

#[test]
fn a_turn_is_dispatched_and_its_result_harvested_once() {
    let bench = Bench::new(CRITIQUE);
    let dispatched = bench.dispatch().result();
    assert!(text(&dispatched["assignment_id"]).starts_with("asg_"));
    let run = text(&dispatched["run_id"]);
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "critic"]).error("slot_busy", 1);
    let harvested = bench.harvest(&[]).result();
    assert_eq!(harvested["items"][0]["outcome"], "completed", "{harvested:#}");
    let critique = harvested["loop"]["artifacts"].as_array().expect("a list").last().cloned();
    let critique = critique.expect("filed");
    assert_eq!(critique["produced_by"], "agent:codex");
    assert_eq!(critique["turn_id"], dispatched["turn_id"]);
    // Again is a no-op, by loop and by assignment.
    let version = bench.show()["version"].clone();
    assert_eq!(bench.harvest(&[]).result()["items"], serde_json::json!([]));
    // Nothing is left to be ended, and no step is named that would be refused.
    let over = bench.place.json(&["turn", "sweep", "--end", &run]).result();
    assert_eq!(over["ended"], false, "{over:#}");
    let again = bench.place.json(&["turn", "harvest", &text(&dispatched["assignment_id"])]);
    assert_eq!(again.result()["items"][0]["outcome"], "over");
    assert_eq!(bench.show()["version"], version);
    let logs = bench.place.json(&["turn", "logs", &run]).result();
    assert!(text(&logs["stdout"]).starts_with("working on trn_"), "{logs:#}");
    let followed = bench.place.run(&["turn", "logs", &run, "--follow"]);
    assert!(followed.stdout.starts_with("working on trn_"), "{followed:?}");
    assert_eq!(bench.place.json(&["turn", "list"]).result()["total"], 0);
}

#[cfg(unix)]
#[test]
fn what_only_the_worker_may_know_is_its_alone_and_no_secret_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let script = format!("{WORKER}echo \"key $MY_TOKEN, other $OTHER_SECRET\"\nsleep 30\n");
    let bench = Bench::with(&script, "[dispatch]\npass_env = [\"MY_TOKEN\"]\n");
    bench.place.json(&["trust", "approve", "--pass-env", "MY_TOKEN"]).result();
    let mut command = bench.place.command(&["turn", "dispatch", &bench.id, "--slot", "critic"]);
    command.env("MY_TOKEN", "hunter22").env("OTHER_SECRET", "swordfish");
    assert!(command.output().expect("ran").status.success());
    let dir = bench.run_dir();
    let mode = |name: &str| dir.join(name).metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("brief.md"), mode("job.json")), (0o600, 0o600));
    let brief = std::fs::read_to_string(dir.join("brief.md")).expect("readable");
    let nonce = brief.lines().find_map(|l| l.trim().strip_prefix("\"nonce\": \"")).expect("told");
    let nonce = nonce.trim_end_matches(['"', ',']);
    let journal = bench.place.root().join(format!(".loopdeck/loops/{}/journal.jsonl", bench.id));
    assert!(!std::fs::read_to_string(journal).expect("readable").contains(nonce));
    let end = Instant::now() + Duration::from_secs(10);
    let said = loop {
        let said = std::fs::read_to_string(dir.join("stdout.log")).unwrap_or_default();
        if said.contains("other") || Instant::now() > end {
            break said;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(said.contains("key [redacted], other \n"), "{said}");
    // Calling the turn off ends its worker.
    assert_eq!(bench.worker()["process"], "alive");
    let pid = bench.worker()["pid"].clone();
    let cancel = ["loop", "complete", &bench.id, "--slot", "critic", "--outcome", "cancelled"];
    bench.place.json(&cancel).result();
    assert!(!std::path::Path::new(&format!("/proc/{pid}/cwd")).exists());
}

#[test]
fn killed_at_any_step_a_worker_is_started_at_most_once_and_its_result_is_found() {
    let (now, later) = ("2036-03-01T12:00:00Z", "2036-03-01T12:03:00Z");
    for step in ["reserve", "commit", "arm", "bind", "cross", "spawn", "spawned"] {
        let bench = Bench::new(CRITIQUE);
        bench.dispatch_killed_at(step, now);
        let again = ["turn", "dispatch", &bench.id, "--slot", "critic"];
        match step {
            "reserve" | "commit" => drop(bench.place.at(now, &again).result()),
            // Who armed it is dead: nobody can cross that launch any more.
            "arm" => {
                let next = bench.place.at(now, &again).result();
                assert_eq!(next["worker"]["generation"], 1, "{step}");
            }
            "bind" => {
                let swept = bench.place.at(now, &["turn", "sweep"]).result();
                assert_eq!(swept["revoked"], 1, "{step}");
                let next = bench.place.at(now, &again).result();
                assert_eq!(next["worker"]["generation"], 1, "{step}");
            }
            "cross" => {
                let busy = bench.place.at(now, &again).error("slot_busy", 1);
                let until = "may still come until 2036-03-01T12:02:00";
                assert!(text(&busy["message"]).contains(until), "{busy:#}");
                let busy = bench.place.at(later, &again).error("slot_busy", 1);
                assert!(text(&busy["message"]).contains("nobody knows whether"), "{busy:#}");
                let step = text(&busy["next_steps"][0]["command"]);
                assert!(step.contains("turn takeover"), "{busy:#}");
                let why = bench.place.at(later, &["loop", "why", &bench.id]).result();
                assert_eq!(text(&why["next_steps"][0]["command"]), step);
                let listed = bench.place.at(later, &["turn", "list"]).result();
                assert_eq!(listed["workers"][0]["status"], "launch_attempted_unknown");
                let swept = bench.place.at(later, &["turn", "sweep"]).result();
                assert_eq!(swept["adrift"].as_array().map(Vec::len), Some(1));
                assert_eq!(bench.outcome(), "unknown");
                assert_eq!(bench.starts(), 0, "never started again");
                let take = ["turn", "takeover", &bench.id, "--slot", "critic", "--cause", "died"];
                bench.place.at(later, &take).result();
            }
            _ => drop(bench.place.at(later, &again).error("slot_busy", 1)),
        }
        assert_eq!(bench.outcome(), "completed", "{step}");
        assert_eq!(bench.starts(), 1, "{step}");
    }
}

#[test]
fn replies_that_are_none_are_refused_said_and_kept() {
    let big = r#"head -c 1100000 /dev/zero | tr '\0' ' ' > "$LOOPDECK_RESULT""#;
    let cases = [
        ("not json", r#"echo 'all fine' > "$LOOPDECK_RESULT""#),
        ("partial", r#"printf '{%s,"artifacts":[{"artif' "$ids" > "$LOOPDECK_RESULT""#),
        ("oversized", big),
        ("link", r#"echo x > real; ln -s "$PWD/real" "$LOOPDECK_RESULT""#),
        (
            "forged nonce",
            r#"printf '{"turn_id":"%s","run_id":"%s","nonce":"guess","artifact_type":"critique","body":"b"}' "$turn" "$run" > "$LOOPDECK_RESULT""#,
        ),
        (
            "an id with a slash",
            r#"printf '{"turn_id":"trn_/../../x","run_id":"%s","nonce":"%s","artifact_type":"critique","body":"b"}' "$run" "$nonce" > "$LOOPDECK_RESULT""#,
        ),
        ("a list", r#"echo '[]' > "$LOOPDECK_RESULT""#),
        (
            "a ref into the store",
            r#"printf '{%s,"artifacts":[{"artifact_type":"critique","ref":".loopdeck/config.toml"}]}' "$ids" > "$LOOPDECK_RESULT""#,
        ),
        (
            "a path with ..",
            r#"printf '{%s,"artifacts":[{"artifact_type":"critique","ref":"../../etc/passwd"}]}' "$ids" > "$LOOPDECK_RESULT""#,
        ),
    ];
    for (name, script) in cases {
        let bench = Bench::new(&format!("{script}\n"));
        bench.dispatch().result();
        let before = bench.show();
        let refused = bench.harvest(&[]).error("stale_evidence", 1);
        let kept = PathBuf::from(text(&refused["details"]["kept"]));
        assert!(kept.symlink_metadata().is_ok(), "{name}: kept as {}", kept.display());
        assert!(kept.to_string_lossy().contains("quarantine"), "{name}");
        let after = bench.show();
        assert_eq!(after["artifacts"], before["artifacts"], "{name}");
        assert_eq!(after["slots"][1]["turns"][0]["state"], "working", "{name}");
        assert_eq!(after["current_phase"], "critique", "{name}");
        // Once more, the reason is still the same, and there is a way on.
        let again = bench.harvest(&[]).error("stale_evidence", 1);
        assert_eq!(again["details"]["reason"], refused["details"]["reason"], "{name}");
        let steps = again["next_steps"].to_string();
        assert!(steps.contains("loop complete") && steps.contains("turn takeover"), "{steps}");
        let log = bench.place.json(&["loop", "log", &bench.id, "--kind", "evidence_rejected"]);
        assert_eq!(log.result()["total"], 1, "{name}");
    }
}

#[test]
fn a_reply_in_another_loops_run_changes_neither() {
    let bench = Bench::new("sleep 30\n");
    bench.dispatch().result();
    let other = bench.run_dir();
    let script = format!(
        "{WORKER}printf '{{%s,\"artifact_type\":\"critique\",\"body\":\"b\"}}' \"$ids\" > '{}/LANE-RESULT.json'\n",
        other.display()
    );
    bench.place.file("worker.sh", script);
    let opened = bench.place.json(&[
        "loop",
        "open",
        "--kind",
        "ideation",
        "--title",
        "Other",
        "--proposal",
        "p",
        "--slot",
        "champion",
        "--slot",
        "critic=codex",
    ]);
    let second = text(&opened.result()["id"]);
    bench.place.json(&["loop", "advance", &second]).result();
    bench.place.json(&["turn", "dispatch", &second, "--slot", "critic"]).result();
    let end = Instant::now() + Duration::from_secs(10);
    while !other.join("LANE-RESULT.json").exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = text(
        &bench.place.json(&["turn", "list"]).result()["workers"]
            .as_array()
            .and_then(|all| all.iter().find(|w| w["loop_id"] == bench.id.as_str()))
            .map(|w| w["pid"].to_string().into())
            .expect("it works"),
    );
    let killed =
        std::process::Command::new("kill").args(["-s", "KILL", "--", &format!("-{pid}")]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    bench.harvest(&[]).error("stale_evidence", 1);
    assert_eq!(bench.show()["artifacts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_worker_that_fails_after_its_reply_contradicts_itself() {
    let bench = Bench::new(&format!("{CRITIQUE}exit 3\n"));
    bench.dispatch().result();
    let refused = bench.harvest(&[]).error("turn_contradiction", 1);
    assert!(text(&refused["message"]).contains("status 3"), "{refused:#}");
    assert_eq!(bench.show()["attention"], "stuck");
    let version = bench.show()["version"].clone();
    bench.harvest(&[]).error("turn_contradiction", 1);
    assert_eq!(bench.show()["version"], version);
    let complete =
        ["loop", "complete", &bench.id, "--slot", "critic", "--type", "critique", "--body", "mine"];
    bench.place.json(&complete).result();
    bench.harvest(&[]).error("stale_evidence", 1);
    assert_eq!(bench.show()["artifacts"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_worker_that_cannot_start_or_says_nothing_fails_its_turn() {
    let bench = Bench::new("exit 4\n");
    bench.dispatch().result();
    let harvested = bench.harvest(&[]).result();
    assert_eq!(harvested["items"][0]["outcome"], "failed");
    assert!(text(&harvested["items"][0]["text"]).contains("status 4 without a reply"));
    bench.place.file(".loopdeck/config.toml", "[agents.codex]\ncommand = [\"./no-such\"]\n");
    let untrusted = bench.dispatch().error("command_not_trusted", 1);
    let step = text(&untrusted["next_steps"][0]["command"]);
    let words = shell_words::split(&step).expect("words");
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    bench.place.json(&words).result();
    bench.dispatch().error("spawn_failed", 1);
    let turns = bench.show()["slots"][1]["turns"].clone();
    assert_eq!((&turns[1]["n"], &turns[1]["state"]), (&1.into(), &"failed".into()));
}

#[test]
fn who_may_not_be_dispatched_is_said_before_anything_moves() {
    let bench = Bench::new(CRITIQUE);
    let version = bench.show()["version"].clone();
    let try_ = |args: &[&str], code, status| {
        bench.place.json(&[&["turn", "dispatch", &bench.id], args].concat()).error(code, status);
    };
    try_(&["--slot", "champion"], "agent_not_found", 3);
    try_(&["--slot", "champion", "--agent", "nobody"], "agent_not_found", 3);
    let nobody = ["turn", "dispatch", &bench.id, "--slot", "champion", "--agent", "nobody"];
    let refused = bench.place.json(&nobody).error("agent_not_found", 3);
    assert!(text(&refused["message"]).contains("\"nobody\". Write one"), "{refused:#}");
    let steps = refused["next_steps"].to_string();
    assert!(steps.contains("--agent codex") && steps.contains("loop turn"), "{steps}");
    try_(&["--slot", "critic", "--agent", "claude"], "not_slot_owner", 1);
    try_(&["--slot", "critic", "--actor", "agent:x"], "not_slot_owner", 1);
    bench.place.file(
        ".loopdeck/config.toml",
        "[agents.codex]\ncommand = [\"sh\", \"worker.sh\"]\n[dispatch]\nkinds = [\"review\"]\n",
    );
    try_(&["--slot", "critic"], "not_dispatchable", 1);
    assert_eq!(bench.show()["version"], version);
    let fresh = text(
        &bench
            .place
            .json(&["loop", "open", "--kind", "review", "--title", "R", "--slot", "author=codex"])
            .result()["id"],
    );
    bench
        .place
        .json(&["turn", "dispatch", &fresh, "--slot", "author"])
        .error("not_dispatchable", 1);
}

#[test]
fn two_critics_work_in_parallel_each_with_its_own_result() {
    let bench = Bench::new(CRITIQUE);
    let add = ["loop", "amend", &bench.id, "--add-slot", "critic=claude"];
    bench.place.json(&add).result();
    let config = "[agents.codex]\ncommand = [\"sh\", \"worker.sh\"]\n[agents.claude]\ncommand = [\"sh\", \"worker.sh\"]\n";
    bench.place.file(".loopdeck/config.toml", config);
    let slots = bench.show()["slots"].clone();
    let runs: Vec<String> = [1, 2]
        .iter()
        .map(|n| {
            let slot = text(&slots[*n]["slot_id"]);
            let run = bench.place.json(&["turn", "dispatch", &bench.id, "--slot", &slot]).result();
            text(&run["run_id"])
        })
        .collect();
    bench.harvest(&[]);
    let state = bench.show();
    let artifacts = state["artifacts"].as_array().expect("a list");
    for (run, agent) in runs.iter().zip(["agent:codex", "agent:claude"]) {
        let own = artifacts.iter().find(|a| text(&a["preview"]).contains(run)).expect("filed");
        assert_eq!(own["produced_by"], agent);
    }
    assert_eq!(bench.starts(), 2);
}

/// A git repository around a review whose author and reviewer are scripts.
fn review(author: &str, reviewer: &str) -> Bench {
    let place = Place::with_workspace();
    place.file("author.sh", format!("{WORKER}{author}"));
    place.file("reviewer.sh", format!("{WORKER}{reviewer}"));
    place.file("code.txt", "one\n");
    place.file(".gitignore", "starts.txt\n");
    place.file(
        ".loopdeck/config.toml",
        "[agents.claude]\ncommand = [\"sh\", \"author.sh\"]\n[agents.codex]\ncommand = [\"sh\", \"reviewer.sh\"]\n",
    );
    for script in ["sh author.sh", "sh reviewer.sh"] {
        place.json(&["trust", "approve", script]).result();
    }
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-qm", "first"]);
    let opened = place.json(&[
        "loop",
        "open",
        "--kind",
        "review",
        "--title",
        "R",
        "--proposal",
        "A change.",
        "--slot",
        "author=claude",
        "--slot",
        "reviewer=codex",
    ]);
    let id = text(&opened.result()["id"]);
    place.json(&["loop", "advance", &id]).result();
    Bench { place, id }
}

fn git(place: &Place, args: &[&str]) -> String {
    let identity = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
    let output = std::process::Command::new("git")
        .current_dir(place.root())
        .args(identity)
        .args(args)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const RESPOND: &str = r#"echo "$run" >> code.txt
printf '{%s,"artifacts":[{"artifact_type":"author_response","body":"Fixed."}]}' "$ids" > LANE-RESULT.json
"#;
/// Asks for changes until the file has three lines.
const REVIEW: &str = r#"if [ "$(wc -l < code.txt)" -ge 3 ]; then v=approve; else v=request_changes; fi
printf '{%s,"review_verdict":"%s","review_summary":"I looked."}' "$ids" "$v" > "$LOOPDECK_RESULT"
"#;

#[test]
fn a_review_goes_on_by_itself_until_it_is_approved() {
    let bench = review(RESPOND, REVIEW);
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "reviewer"]).result();
    let mut phases = Vec::new();
    for _ in 0..8 {
        let harvested = bench.harvest(&["--integrate", "--continue"]).result();
        assert_eq!(harvested["items"][0]["outcome"], "completed", "{harvested:#}");
        if harvested["loop"]["status"] != "open" {
            break;
        }
        phases.push(text(&harvested["next"]["phase"]));
    }
    assert_eq!(
        phases,
        ["author_response", "followup_review", "author_response", "followup_review"]
    );
    let state = bench.show();
    assert_eq!((&state["status"], &state["round"]), (&"completed".into(), &2.into()));
    // Each round's work is merged, from one work tree.
    let code = std::fs::read_to_string(bench.place.root().join("code.txt")).expect("there");
    assert_eq!(code.lines().count(), 3);
    assert_eq!(git(&bench.place, &["worktree", "list"]).lines().count(), 2);
    assert_eq!(git(&bench.place, &["status", "--porcelain", "-uno"]), "");
    assert!(!bench.place.root().join("LANE-RESULT.json").exists());
}

#[test]
fn what_a_worker_changed_is_merged_whole_or_not_at_all() {
    let bench = review(RESPOND, REVIEW);
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "reviewer"]).result();
    bench.harvest(&[]).result();
    bench.place.json(&["loop", "advance", &bench.id]).result();
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "author"]).result();
    let waits = bench.harvest(&[]).result();
    assert_eq!(waits["items"][0]["outcome"], "needs_integrate");
    assert_eq!(bench.show()["slots"][0]["turns"][0]["state"], "working");
    bench.place.file("code.txt", "mine\n");
    let dirty = bench.harvest(&["--integrate"]).error("workspace_dirty", 1);
    assert_eq!(dirty["details"]["files"][0], "code.txt");
    git(&bench.place, &["commit", "-qam", "mine"]);
    let head = git(&bench.place, &["rev-parse", "HEAD"]);
    let conflict = bench.harvest(&["--integrate"]).error("merge_conflict", 1);
    assert_eq!(conflict["details"]["files"][0], "code.txt");
    assert_eq!(git(&bench.place, &["rev-parse", "HEAD"]), head);
    assert_eq!(git(&bench.place, &["status", "--porcelain", "-uno"]), "");
    // Merged by hand, the result is taken.
    let branch = text(&conflict["details"]["branch"]);
    git(&bench.place, &["merge", "-q", "-s", "ours", "--no-edit", &branch]);
    assert_eq!(bench.harvest(&["--integrate"]).result()["items"][0]["outcome"], "completed");
}

#[test]
fn a_file_that_git_does_not_know_is_not_written_over() {
    let bench = review(&format!("echo theirs > notes.txt\n{RESPOND}"), REVIEW);
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "reviewer"]).result();
    bench.harvest(&[]).result();
    bench.place.json(&["loop", "advance", &bench.id]).result();
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "author"]).result();
    bench.harvest(&[]).result();
    bench.place.file("notes.txt", "mine\n");
    let dirty = bench.harvest(&["--integrate"]).error("workspace_dirty", 1);
    assert_eq!(dirty["details"]["files"], serde_json::json!(["notes.txt"]), "{dirty:#}");
    let notes = bench.place.root().join("notes.txt");
    assert_eq!(std::fs::read_to_string(&notes).expect("there"), "mine\n");
    std::fs::remove_file(&notes).expect("moved away");
    let taken = bench.harvest(&["--integrate"]).result();
    assert_eq!(taken["items"][0]["outcome"], "completed", "{taken:#}");
    assert_eq!(std::fs::read_to_string(&notes).expect("merged"), "theirs\n");
}

#[test]
fn a_worker_that_changes_another_loops_files_is_not_merged() {
    let author = format!(
        "mkdir -p .loopdeck/loops/lop_x && echo x > .loopdeck/loops/lop_x/journal.jsonl && git add -f .loopdeck/loops\n{RESPOND}"
    );
    let bench = review(&author, REVIEW);
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "reviewer"]).result();
    bench.harvest(&[]).result();
    bench.place.json(&["loop", "advance", &bench.id]).result();
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "author"]).result();
    let refused = bench.harvest(&["--integrate"]).error("store_touched", 1);
    assert!(text(&refused["message"]).contains("lop_x"), "{refused:#}");
    assert!(!bench.place.root().join(".loopdeck/loops/lop_x").exists());
    assert_eq!(
        std::fs::read_to_string(bench.place.root().join("code.txt")).expect("there"),
        "one\n"
    );
}

#[test]
fn a_worker_brings_nothing_into_a_store_by_another_name_or_place() {
    for (author, named) in [
        ("mkdir -p .LoopDeck/memory/traps && echo x > .LoopDeck/memory/traps/trp_1.md", "trp_1.md"),
        ("mkdir -p data/rewards && echo x > data/rewards/r.json", "data/rewards/r.json"),
        ("mkdir -p elsewhere && echo x > elsewhere/x && ln -s elsewhere data", "data"),
        ("ln -s elsewhere .keysarium", ".keysarium"),
    ] {
        let bench = review(&format!("{author}\ngit add -Af .\n{RESPOND}"), REVIEW);
        let config = bench.place.root().join(".loopdeck/config.toml");
        let settings = std::fs::read_to_string(&config).expect("settings");
        let moved = format!("{settings}\n[stores]\nrewards = \"data/rewards\"\n");
        std::fs::write(&config, moved).expect("written");
        bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "reviewer"]).result();
        bench.harvest(&[]).result();
        bench.place.json(&["loop", "advance", &bench.id]).result();
        bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "author"]).result();
        let refused = bench.harvest(&["--integrate"]).error("store_touched", 1);
        assert!(text(&refused["message"]).contains(named), "{author}: {refused:#}");
    }
}

/// An author's turn that is dispatched in a review.
fn author_at_work(author: &str) -> Bench {
    let bench = review(author, REVIEW);
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "reviewer"]).result();
    bench.harvest(&[]).result();
    bench.place.json(&["loop", "advance", &bench.id]).result();
    bench.place.json(&["turn", "dispatch", &bench.id, "--slot", "author"]).result();
    bench
}

/// Waits until the worker that is listed first has ended.
fn wait_for_the_end(bench: &Bench) {
    let end = Instant::now() + Duration::from_secs(20);
    while bench.worker()["process"] != "ended" {
        assert!(Instant::now() < end, "{:#}", bench.worker());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_a_worker_changed_for_a_closed_loop_is_not_merged() {
    let bench = author_at_work(RESPOND);
    wait_for_the_end(&bench);
    let line = bench.place.json(&["loop", "list"]).result()["loops"][0].clone();
    assert_eq!(line["attention_detail"], "claude has ended as author: harvest it");
    // Every place says so, with the step.
    let shown = bench.show();
    assert_eq!(shown["attention_detail"], line["attention_detail"], "{shown:#}");
    assert!(text(&shown["next_step"]["command"]).contains("turn harvest"), "{shown:#}");
    for verb in ["show", "why"] {
        let page = bench.place.run(&["loop", verb, &bench.id]).stdout;
        assert!(page.contains("claude has ended as author: harvest it"), "{page}");
        assert!(!page.contains("works as"), "{page}");
    }
    let head = git(&bench.place, &["rev-parse", "HEAD"]);
    let close = ["loop", "close", &bench.id, "--status", "cancelled", "--reason", "x"];
    bench.place.json(&close).result();
    let taken = bench.harvest(&["--integrate"]).result();
    assert_eq!(taken["items"][0]["outcome"], "late", "{taken:#}");
    assert!(text(&taken["items"][0]["text"]).contains("not merged"), "{taken:#}");
    assert_eq!(git(&bench.place, &["rev-parse", "HEAD"]), head);
    assert_eq!(bench.place.json(&["turn", "list"]).result()["total"], 0);
}

/// Between the look and the end of the merge no lock is held that would keep others from
/// closing the loop: git's own work may take long.
#[test]
fn a_loop_that_is_closed_while_changes_are_merged_says_that_they_are() {
    let bench = author_at_work(RESPOND);
    wait_for_the_end(&bench);
    let root = bench.place.root();
    let above = root.parent().expect("a folder");
    // What git runs when it writes the merged file: somebody who closes the loop.
    let script = format!(
        "cat\nexport LOOPDECK_CONFIG_DIR={0}/config LOOPDECK_STATE_DIR={0}/state \
         LOOPDECK_CACHE_DIR={0}/cache\ncd {0}/work && '{1}' loop close {2} --status cancelled \
         --reason enough > {0}/closed 2>&1\n",
        above.display(),
        env!("CARGO_BIN_EXE_loopdeck"),
        bench.id
    );
    std::fs::write(above.join("close.sh"), script).expect("written");
    let smudge = format!("sh {}", above.join("close.sh").display());
    git(&bench.place, &["config", "filter.closing.smudge", &smudge]);
    git(&bench.place, &["config", "filter.closing.clean", "cat"]);
    let info = root.join(".git/info");
    std::fs::create_dir_all(&info).expect("made");
    std::fs::write(info.join("attributes"), "code.txt filter=closing\n").expect("written");
    let taken = bench.harvest(&["--integrate"]).result();
    let closed = std::fs::read_to_string(above.join("closed")).expect("it was merged");
    assert_eq!(bench.show()["status"], "cancelled", "{closed}");
    let item = &taken["items"][0];
    assert_eq!(item["outcome"], "late", "{taken:#}");
    let said = text(&item["text"]);
    assert!(said.contains("was being merged and is"), "{said}");
    let code = std::fs::read_to_string(root.join("code.txt")).expect("there");
    assert_eq!(code.lines().count(), 2, "{code}");
}

#[test]
fn a_worker_that_removes_git_from_its_work_tree_loses_nothing() {
    let bench = author_at_work(&format!("rm -rf .git\n{RESPOND}"));
    let taken = bench.harvest(&["--integrate"]).result();
    assert_eq!(taken["items"][0]["outcome"], "completed", "{taken:#}");
    let code = std::fs::read_to_string(bench.place.root().join("code.txt")).expect("there");
    assert_eq!(code.lines().count(), 2, "merged: {code}");

    let bench = author_at_work(&format!("rm -rf .git\ngit init -q\n{RESPOND}"));
    let refused = bench.harvest(&["--integrate"]).error("store_touched", 1);
    assert!(text(&refused["next_steps"][0]["command"]).contains("takeover"), "{refused:#}");
    let take = ["turn", "takeover", &bench.id, "--slot", "author", "--cause", "no git"];
    bench.place.json(&take).result();
}

#[test]
fn a_worker_whose_keeper_was_killed_is_not_said_to_have_been_killed() {
    let bench = Bench::new(&format!(
        "echo $PPID > \"$LOOPDECK_WORKSPACE/keeper\"\nwhile [ ! -e \"$LOOPDECK_WORKSPACE/go\" ]; do sleep 0.02; done\n{CRITIQUE}"
    ));
    bench.dispatch().result();
    let path = bench.place.root().join("keeper");
    let end = Instant::now() + Duration::from_secs(10);
    let keeper = loop {
        let said = std::fs::read_to_string(&path).unwrap_or_default();
        if said.ends_with('\n') {
            break said.trim().to_owned();
        }
        assert!(Instant::now() < end, "it works");
        std::thread::sleep(Duration::from_millis(10));
    };
    let killed = std::process::Command::new("kill").args(["-s", "KILL", &keeper]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    bench.place.file("go", "");
    let refused = bench.harvest(&[]).error("turn_contradiction", 1);
    let message = text(&refused["message"]);
    assert!(message.contains("how its worker ended is not known"), "{message}");
    assert!(!message.contains("killed"), "{message}");
}

/// The fenced block of a language that holds a text, in docs/agents.md.
fn example(language: &str, holding: &str) -> String {
    let page = include_str!("../../docs/agents.md");
    let fence = format!("```{language}\n");
    let blocks = page.split(&*fence).skip(1).filter_map(|rest| rest.split("```").next());
    blocks.into_iter().find(|block| block.contains(holding)).expect("an example").to_owned()
}

#[test]
fn the_worked_example_of_the_documentation_works() {
    let place = Place::with_workspace();
    place.file("agents/critic.sh", example("sh", "brief=$(cat)"));
    let agents = example("toml", "[agents.script]");
    let own = agents.split("\n\n").find(|part| part.contains("[agents.script]")).expect("there");
    place.file(".loopdeck/config.toml", own);
    let lines = example("", "loop open --kind ideation");
    for line in lines.lines().filter(|line| !line.contains("why")) {
        let words = shell_words::split(line).expect("words");
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let run = place.json(&words);
            let running = run.stdout.contains("\"outcome\":\"running\"");
            assert_eq!(run.status, 0, "{line}: {run:?}");
            if !running {
                break;
            }
            assert!(Instant::now() < end, "{line}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let state = place.json(&["loop", "show", "cache-the-index"]).result();
    let last = state["artifacts"].as_array().and_then(|all| all.last()).cloned().expect("filed");
    assert_eq!((&last["type"], &last["produced_by"]), (&"critique".into(), &"agent:script".into()));
}
