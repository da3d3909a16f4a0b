//! A worker that means harm: it runs as the operator's own user, so what is held is
//! that its words are taken for no more than they are, and that it can't stop the
//! others (docs/security.md, "A hostile worker").

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::{Place, text};

/// A workspace with a worker that runs a script, handed a turn of a loop.
fn handed_out(script: &str) -> (Place, String, PathBuf) {
    let place = Place::with_workspace();
    place.file("worker.sh", script);
    place.file(".loopdeck/config.toml", "[agents.codex]\ncommand = [\"sh\", \"worker.sh\"]\n");
    place.json(&["trust", "approve", "sh worker.sh"]).result();
    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
    let slots = ["--slot", "champion", "--slot", "critic=codex"];
    let id = text(&place.json(&[&open[..], &slots[..]].concat()).result()["id"]);
    place.json(&["loop", "advance", &id]).result();
    place.json(&["turn", "dispatch", &id, "--slot", "critic"]).result();
    let worker = place.json(&["turn", "list"]).result()["workers"][0].clone();
    let folder = PathBuf::from(text(&worker["run_dir"]));
    (place, id, folder)
}

fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !there() {
        assert!(Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_where_its_files_belong_stop_nobody() {
    let script = "cd \"$(dirname \"$LOOPDECK_RESULT\")\"\n\
        rm -f stdout.log stderr.log status.json\n\
        mkfifo stdout.log stderr.log status.json LANE-RESULT.json\n\
        touch done; sleep 60\n";
    let (place, id, folder) = handed_out(script);
    wait_for("the pipes", || folder.join("done").exists());
    let started = Instant::now();
    let listed = place.json(&["turn", "list"]).result();
    let run = text(&listed["workers"][0]["run_id"]);
    place.json(&["turn", "logs", &run]);
    place.json(&["turn", "harvest", &id]);
    place.json(&["status"]).result();
    place.json(&["loop", "show", &id]).result();
    place.json(&["doctor"]);
    let cancel = ["loop", "complete", &id, "--slot", "critic", "--outcome", "cancelled"];
    place.json(&cancel).result();
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_hides_it_from_nobody() {
    let script = "printf '\\377(\\200) ' > /proc/self/comm; touch done; exec sleep 60\n";
    let script = script.replace("exec sleep 60", "while :; do sleep 1; done");
    let (place, id, folder) = handed_out(&script);
    let here = place.root().join("done");
    wait_for("its new name", || here.exists() || folder.join("done").exists());
    let worker = place.json(&["turn", "list"]).result()["workers"][0].clone();
    assert_eq!(worker["process"], "alive", "{worker:#}");
    let cancel = ["loop", "complete", &id, "--slot", "critic", "--outcome", "cancelled"];
    place.json(&cancel).result();
    let pid = worker["pid"].clone();
    wait_for("its end", || !Path::new(&format!("/proc/{pid}/cwd")).exists());
}

#[test]
fn what_it_prints_is_no_command_to_the_terminal() {
    let script = "printf 'a \\033]0;owned\\007 b \\033[2J c\\n'; touch done; sleep 60\n";
    let (place, id, folder) = handed_out(script);
    wait_for("its words", || {
        fs::read_to_string(folder.join("stdout.log")).is_ok_and(|said| said.contains(" c"))
    });
    let run = text(&place.json(&["turn", "list"]).result()["workers"][0]["run_id"]);
    let said = place.run(&["turn", "logs", &run]).stdout;
    assert!(said.contains("owned") && !said.contains(['\u{1b}', '\u{7}']), "{said:?}");
    let cancel = ["loop", "complete", &id, "--slot", "critic", "--outcome", "cancelled"];
    place.json(&cancel).result();
}

#[cfg(unix)]
#[test]
fn a_reply_that_is_a_link_brings_nothing_of_where_it_leads() {
    let script = "ln -s /etc/passwd \"$LOOPDECK_RESULT\"\n";
    let (place, id, _) = handed_out(script);
    let mut last = String::new();
    wait_for("the end", || {
        last = place.json(&["turn", "harvest", &id]).object().to_string();
        !last.contains("\"running\"")
    });
    let journal = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let journal = fs::read_to_string(journal).expect("a journal");
    assert!(!journal.contains("root:"), "{journal}");
    assert!(!last.contains("root:"), "{last}");
    assert!(last.contains("link"), "{last}");
}

#[cfg(unix)]
#[test]
fn files_that_may_hold_secrets_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (place, id, folder) = handed_out("echo said; echo err >&2; sleep 60\n");
    wait_for("its words", || folder.join("stdout.log").metadata().is_ok_and(|m| m.len() > 0));
    let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["brief.md", "job.json", "stdout.log", "stderr.log"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    let approvals = place.root().parent().expect("a folder").join("state/approvals.json");
    assert_eq!(mode(&approvals), 0o600, "who may run what is nobody else's to read or write");
    let cancel = ["loop", "complete", &id, "--slot", "critic", "--outcome", "cancelled"];
    place.json(&cancel).result();
}
