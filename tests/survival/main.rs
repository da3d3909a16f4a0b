//! Nothing that was acknowledged is lost, nothing is there by half, and the next
//! start is clean: whatever fails, and wherever the process or the power ends
//! (store.md). `examples/torture` does the same for as long as one likes.
#![cfg(unix)]

#[path = "../../examples/torture/campaigns/mod.rs"]
mod campaigns;
mod named;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use campaigns::contention::{Crowd, Program, Until, contend};
use campaigns::faults::{self, Account, Bound};
use campaigns::{disk, processes};

fn keeper() -> Vec<PathBuf> {
    vec![PathBuf::from(env!("CARGO_BIN_EXE_loopdeck")), "__keep-worker".into()]
}

fn program() -> Program {
    Program { exe: env!("CARGO_BIN_EXE_loopdeck").into(), first: Vec::new() }
}

/// Runs an ignored test of this program in a process of its own, away from the
/// user's settings.
fn apart(test: &str) {
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    succeeds(&mut command);
}

fn succeeds(command: &mut Command) {
    let own = tempfile::tempdir().expect("a folder");
    for name in ["CONFIG", "STATE", "CACHE"] {
        command.env(format!("LOOPDECK_{name}_DIR"), own.path().join(name.to_lowercase()));
    }
    let output = command.output().expect("ran");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
}

#[test]
fn whatever_fails_nothing_is_lost() {
    apart("disturb_a_sample");
}

#[test]
#[ignore = "the part of another process"]
fn disturb_a_sample() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let seed = number("SEED", 1);
    let steps = usize::try_from(number("STEPS", 40)).expect("few");
    let sample = usize::try_from(number("SAMPLE", 400)).expect("few");
    let mut work = faults::record(seed, steps, &keeper());
    if let Ok(only) = std::env::var("ONLY") {
        work.recorded.retain(|recorded| recorded.step.name() == only);
    }
    let mut account = Account::default();
    let bound = match number("MINUTES", 0) {
        0 => Bound::Sample(sample),
        minutes => Bound::Until(Instant::now() + Duration::from_secs(minutes * 60)),
    };
    faults::campaign(&work, bound, &mut account);
    println!("points {:?}", account.points);
    println!("runs {:#?}", account.runs);
    println!("uncertain {:#?}", account.uncertain);
    println!("{} done, {} refused", account.acknowledged, account.refused);
    assert!(account.total() >= sample && account.acknowledged > 0 && account.refused > 0);
    assert!(account.faults.is_empty(), "{}: {:#?}", account.faults.len(), account.faults);
}

#[test]
fn command_lines_that_are_killed_lose_nothing() {
    apart("kill_a_sample");
}

#[test]
#[ignore = "the part of another process"]
fn kill_a_sample() {
    let mut account = Account::default();
    processes::campaign(&program(), 23, &mut account);
    assert!(account.faults.is_empty(), "{:#?}", account.faults);
    assert!(account.total() > 60, "{:?}", account.runs);
}

#[test]
fn a_limit_on_the_size_of_files_loses_nothing() {
    apart("limit_the_size_of_files");
}

#[test]
#[ignore = "the part of another process"]
fn limit_the_size_of_files() {
    let mut account = Account::default();
    disk::limited(&program(), &mut account);
    assert!(account.faults.is_empty(), "{:#?}", account.faults);
    assert!(account.acknowledged > 0 && account.refused > 0);
}

#[test]
fn a_disk_that_is_full_or_read_only_loses_nothing() {
    let (_folder, mount) = disk::place();
    let own = std::env::current_exe().expect("known");
    let args = ["--exact", "fill_a_disk", "--ignored", "--nocapture", "--test-threads=1"];
    let args = args.map(std::ffi::OsStr::new);
    match disk::on_a_small_disk(&mount, &own, &args) {
        Err(why) => println!("skipped, no small disk can be mounted here: {why}"),
        Ok(mut command) => succeeds(command.env("SMALL_DISK", mount)),
    }
}

#[test]
#[ignore = "the part of another process"]
fn fill_a_disk() {
    let disk = PathBuf::from(std::env::var_os("SMALL_DISK").expect("said by the parent"));
    let work = faults::record(3, 40, &[]);
    let mut account = Account::default();
    disk::campaign(&work, &disk, &mut account);
    assert!(account.faults.is_empty(), "{:#?}", account.faults);
    assert!(account.acknowledged > 0 && account.refused > 0);
}

#[test]
fn seven_processes_of_three_kinds_lose_nothing_and_keep_nobody_waiting() {
    let crowd = Crowd { lines: 4, servers: 2, decks: 1 };
    let all = contend(&program(), crowd, Until::Changes(10));
    assert!(all.faults.is_empty(), "{:#?}", all.faults);
    assert!(all.commits >= 60 && all.replays >= 8, "{} {}", all.commits, all.replays);
    assert_eq!((all.processes, all.timeouts), (7, 0));
}
