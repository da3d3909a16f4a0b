//! Runs of small commands that do what commands do wrong.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use regex::Regex;

use super::*;

fn job(dir: &Path, script: &str) -> Job {
    let path = dir.join("script.sh");
    fs::write(&path, script).expect("written");
    Job {
        argv: vec!["sh".to_owned(), path.display().to_string(), "an argument".to_owned()],
        dir: dir.to_owned(),
        environment: Environment::of_process(&[]),
        timeout: Duration::from_secs(60),
        grace: Duration::from_millis(200),
        redactor: Redactor::default(),
        streams: Streams::Apart,
    }
}

fn ran(script: &str, change: impl FnOnce(&mut Job)) -> (Ran, Vec<String>) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut job = job(dir.path(), script);
    change(&mut job);
    let mut lines = Vec::new();
    let ran = run(&job, &Cancel::default(), |said| {
        lines.extend(said.text.split_inclusive('\n').map(str::to_owned));
    });
    (ran, lines)
}

fn is_alive(pid: &str) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().expect("a number"));
    rustix::process::test_kill_process(pid.expect("not 0")).is_ok()
}

/// Waits for something that comes soon; says whether it came.
fn soon(what: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if what() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn status_streams_and_arguments_come_as_they_are() {
    let (ran, lines) = ran("echo \"$1\"; echo wrong >&2; printf 'no end'; exit 3", |_| {});
    assert_eq!(ran.ended, Ended::Exited(Some(3)));
    assert_eq!((ran.stdout.head(), ran.stderr.head()), ("an argument\nno end", "wrong\n"));
    assert_eq!(lines.len(), 3);
    assert_eq!(ran.stdout.last(6), "no end");
}

#[test]
fn two_streams_heard_as_one_keep_their_order() {
    let script = "for n in 1 2 3 4 5 6 7 8 9; do echo out $n; echo err $n >&2; done";
    let (ran, _) = ran(script, |job| job.streams = Streams::Together);
    let expected: String = (1..=9).map(|n| format!("out {n}\nerr {n}\n")).collect();
    assert_eq!(ran.stdout.head(), expected);
    assert_eq!(ran.stderr.total_bytes, 0);
}

#[test]
fn a_missing_program_is_a_result() {
    let (ran, lines) = ran("", |job| job.argv = vec!["./no-such-program".to_owned()]);
    assert!(matches!(&ran.ended, Ended::NotStarted(why) if why.contains("no-such-program")));
    assert!(lines.is_empty());
}

#[test]
fn one_that_takes_too_long_is_ended_with_its_children_even_if_it_does_not_listen() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let script = "trap '' TERM; (trap '' TERM; echo $$ >/dev/null; sleep 600) & echo $! > child; \
                  echo begun; while :; do sleep 600; done";
    let mut job = job(dir.path(), script);
    job.timeout = Duration::from_secs(3);
    let started = Instant::now();
    let ran = run(&job, &Cancel::default(), |_| {});
    assert_eq!(ran.ended, Ended::TimedOut);
    assert_eq!(ran.stdout.head(), "begun\n");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let child = fs::read_to_string(dir.path().join("child")).expect("it had begun");
    assert!(soon(|| !is_alive(&child)), "its child lives on");
}

#[test]
fn grandchildren_on_the_pipe_and_a_closed_pipe_hang_nothing() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let started = Instant::now();
    let job = job(dir.path(), "sleep 600 & echo $! > child; echo done");
    let left = run(&job, &Cancel::default(), |_| {});
    assert_eq!(left.ended, Ended::Exited(Some(0)));
    assert_eq!(left.stdout.head(), "done\n");
    let child = fs::read_to_string(dir.path().join("child")).expect("written");
    let pid = rustix::process::Pid::from_raw(child.trim().parse().expect("a number"));
    let _ = rustix::process::kill_process(pid.expect("not 0"), rustix::process::Signal::KILL);

    let (closed, _) = ran("exec >&- 2>&-; sleep 0.2; exit 7", |_| {});
    assert_eq!(closed.ended, Ended::Exited(Some(7)));
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn endless_output_is_bounded_and_can_be_called_off() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let job = job(dir.path(), "yes 'a line that is said again and again'");
    let cancel = Cancel::default();
    let mut seen = 0;
    let ran = run(&job, &cancel, |said| {
        seen += said.text.len();
        if seen > 2_000_000 {
            cancel.cancel();
        }
    });
    assert_eq!(ran.ended, Ended::Cancelled);
    assert!(ran.stdout.missing_bytes() > 1_000_000);
    assert!(ran.stdout.last(usize::MAX).len() <= 64 * 1024);
    assert!(ran.stdout.head().len() <= 4 * 1024);
}

#[test]
fn what_is_no_utf_8_and_one_long_line_are_taken_in() {
    let (ran, lines) = ran("printf 'a\\377b\\n'; head -c 100000 /dev/zero | tr '\\0' x", |_| {});
    assert_eq!(lines[0], "a\u{fffd}b\n");
    assert_eq!(ran.stdout.total_bytes, "a\u{fffd}b\n".len() as u64 + 100_000);
}

#[test]
fn secrets_are_replaced_also_where_a_long_line_is_cut() {
    let vars = [("API_TOKEN".into(), "hunter2".into()), ("SHORT_KEY".into(), "1".into())];
    let patterns = [Regex::new("card [0-9]+").expect("valid")];
    let redactor = Redactor::new(vars, &patterns);
    let script = "echo 'hunter2 and card 4711 are 1 thing'; \
                  for n in $(seq 1 9000); do printf 'hunter2'; done";
    let (ran, _) = ran(script, |job| job.redactor = redactor);
    let said = ran.stdout.head().to_owned() + &ran.stdout.last(usize::MAX);
    assert!(said.starts_with("[redacted] and [redacted] are 1 thing\n"), "{said}");
    assert!(!said.contains("hunter2"), "a secret was kept");
}

#[test]
fn the_environment_is_what_is_listed() {
    let environment = Environment::of_process(&[]).with("LOOPDECK_TEST_VALUE", "7");
    assert!(environment.vars.iter().any(|(name, _)| name == "PATH"));
    assert!(!environment.vars.iter().any(|(name, _)| name == "CARGO_REGISTRY_TOKEN"));
    let (ran, _) = ran("env", |job| job.environment = environment);
    assert!(ran.stdout.head().contains("LOOPDECK_TEST_VALUE=7\n"));
    assert!(!ran.stdout.head().contains("CARGO_MANIFEST_LINKS_TOKEN"));
}

fn git(dir: &Path, arguments: &[&str]) {
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
        .args(arguments)
        .current_dir(dir)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_digest_follows_what_git_sees_but_for_what_is_left_out() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let (root, store) = (dir.path(), dir.path().join(".loopdeck"));
    let digest = || git::digest(root, std::slice::from_ref(&store));
    assert_eq!(digest(), None, "outside git");
    git(root, &["init", "-q"]);
    fs::create_dir(&store).expect("made");
    fs::write(root.join(".gitignore"), "target\n").expect("written");
    fs::write(root.join("a"), "1\n").expect("written");
    let unborn = digest().expect("a repository");
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "first"]);
    let first = digest().expect("a repository");
    assert_ne!(unborn, first);
    fs::write(root.join("target"), "ignored").expect("written");
    fs::write(store.join("x"), "ours").expect("written");
    assert_eq!(digest().as_ref(), Some(&first));
    fs::write(root.join("a"), "2\n").expect("written");
    let changed = digest().expect("a repository");
    assert_ne!(changed, first);
    let diff = git::diff(root, None, std::slice::from_ref(&store)).expect("a diff");
    assert!(diff.contains("-1\n+2\n"), "{diff}");
    assert!(git::diff(root, Some("--output=x"), &[]).is_err());
    fs::write(root.join("a"), "1\n").expect("written");
    assert_eq!(digest().as_ref(), Some(&first), "back as it was");
    fs::write(root.join("new"), "untracked").expect("written");
    assert_ne!(digest(), Some(first));
}
