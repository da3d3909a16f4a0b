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

fn keeper() -> Vec<PathBuf> {
    vec![PathBuf::from(env!("CARGO_BIN_EXE_loopdeck")), "__keep-worker".into()]
}

/// Runs an ignored test of this program in a process of its own, away from the
/// user's settings.
fn apart(test: &str) {
    let own = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
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
fn seven_processes_of_three_kinds_lose_nothing_and_keep_nobody_waiting() {
    let program = Program { exe: env!("CARGO_BIN_EXE_loopdeck").into(), first: Vec::new() };
    let crowd = Crowd { lines: 4, servers: 2, decks: 1 };
    let all = contend(&program, crowd, Until::Changes(10));
    assert!(all.faults.is_empty(), "{:#?}", all.faults);
    assert!(all.commits >= 60 && all.replays >= 8, "{} {}", all.commits, all.replays);
    assert_eq!((all.processes, all.timeouts), (7, 0));
}
