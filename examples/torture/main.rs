//! The long campaigns:
//! `cargo run --release --example torture -- --minutes N [--seed S] [--only PART]`.
//!
//! Prints what was tried and what was lost: nothing. Exit status 1 if something
//! was. The program under test is this program itself, started again.

mod campaigns;
#[path = "../../tests/damage/campaign/mod.rs"]
#[allow(dead_code)] // Its short form is for `tests/damage`.
mod damage;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};

use campaigns::contention::{Contended, Crowd, Program, Until};
use campaigns::faults::{Account, Bound};
use campaigns::{disk, processes};

/// The first argument of this program as the program under test.
const AS_LOOPDECK: &str = "--as-loopdeck";
/// The first argument of this program that keeps a worker.
const KEEP_WORKER: &str = "__keep-worker";
/// The first argument of this program on a small disk; the folder comes next.
const ON_A_SMALL_DISK: &str = "__on-a-small-disk";
/// Set where the user's own settings are out of reach.
const APART: &str = "LOOPDECK_TORTURE_APART";

/// Makes everything fail, in turn and all at once, and looks at what is lost.
#[derive(Parser)]
struct Args {
    /// For how long, in all.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// What the random work follows from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One campaign alone.
    #[arg(long)]
    only: Option<Part>,
    /// Processes that contend.
    #[arg(long, default_value_t = 16)]
    processes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Faults,
    Contention,
    Damage,
}

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let own = args.next().unwrap_or_default();
    let first = args.next();
    if first.as_deref() == Some(KEEP_WORKER.as_ref()) {
        return loopdeck::cli::run([own, KEEP_WORKER.into()].into_iter().chain(args));
    }
    if first.as_deref() == Some(AS_LOOPDECK.as_ref()) {
        return loopdeck::cli::run(std::iter::once(own).chain(args));
    }
    if std::env::var_os(APART).is_none() {
        return apart(first.into_iter().chain(args));
    }
    if first.as_deref() == Some(ON_A_SMALL_DISK.as_ref()) {
        return small_disk(args.next().unwrap_or_default().as_ref());
    }
    torture(&Args::parse())
}

/// Starts this program once more, away from the user's settings.
fn apart(args: impl Iterator<Item = OsString>) -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command.args(args).env(APART, "1").env_remove("LOOPDECK_WORKSPACE");
    for name in ["CONFIG", "STATE", "CACHE"] {
        command.env(format!("LOOPDECK_{name}_DIR"), folder.path().join(name.to_lowercase()));
    }
    let status = command.status().expect("started");
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into()
}

fn torture(args: &Args) -> ExitCode {
    let own = std::env::current_exe().expect("known");
    let all = Duration::from_secs(args.minutes * 60);
    let share = if args.only.is_some() { all } else { all / 3 };
    let runs = |part| args.only.is_none_or(|only| only == part);
    let program = Program { exe: own.clone(), first: vec![AS_LOOPDECK.into()] };
    let mut lost = Vec::new();
    if runs(Part::Faults) {
        let end = Instant::now() + share;
        let (mut account, mut seed, mut works) = (Account::default(), args.seed, 0);
        lost.extend(small_disk_apart(&own));
        disk::limited(&program, &mut account);
        processes::campaign(&program, 1, &mut account);
        while Instant::now() < end {
            let work = campaigns::faults::record(seed, 40, &[own.clone(), KEEP_WORKER.into()]);
            campaigns::faults::campaign(&work, Bound::Until(end), &mut account);
            (seed, works) = (seed + 1, works + 1);
        }
        tell_faults(&account, works);
        lost.extend(account.faults);
    }
    if runs(Part::Contention) {
        let decks = args.processes.div_ceil(8);
        let servers = args.processes.saturating_sub(decks) / 2;
        let lines = args.processes.saturating_sub(decks + servers);
        let crowd = Crowd { lines, servers, decks };
        let until = Until::Moment(Instant::now() + share);
        let contended = campaigns::contention::contend(&program, crowd, until);
        tell_contention(&contended);
        lost.extend(contended.faults);
    }
    if runs(Part::Damage) {
        let report = damage::run(damage::Plan::long(args.seed, share));
        tell_damage(&report);
        lost.extend(report.failures);
    }
    if lost.is_empty() {
        println!("\nlost: nothing");
        return ExitCode::SUCCESS;
    }
    println!("\nlost or wrong: {}", lost.len());
    for fault in lost.iter().take(100) {
        println!("  {fault}");
    }
    ExitCode::FAILURE
}

/// Runs the part on a small disk, where the machine permits one.
fn small_disk_apart(own: &Path) -> Vec<String> {
    let (_folder, mount) = disk::place();
    let args = [ON_A_SMALL_DISK.as_ref(), mount.as_os_str()];
    match disk::on_a_small_disk(&mount, own, &args) {
        Err(why) => {
            println!("Small disk: skipped, none can be mounted here: {why}\n");
            Vec::new()
        }
        Ok(mut command) => match command.status() {
            Ok(status) if status.success() => Vec::new(),
            other => vec![format!("the part on a small disk, above: {other:?}")],
        },
    }
}

fn small_disk(mount: &Path) -> ExitCode {
    let work = campaigns::faults::record(3, 60, &[]);
    let mut account = Account::default();
    disk::campaign(&work, mount, &mut account);
    println!("Small disk of 4 MiB: {} runs", account.total());
    for (what, count) in &account.runs {
        println!("    {count:8} {what}");
    }
    let (done, refused) = (account.acknowledged, account.refused);
    println!("  {done} told to be done and there; {refused} refused\n");
    for fault in &account.faults {
        println!("  {fault}");
    }
    if account.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell_damage(report: &damage::Report) {
    println!("\nDamage: {} damaged files read, {} repairs", report.total(), report.repairs);
    for (format, count) in &report.files {
        println!("    {count:8} {format}");
    }
}

fn tell_faults(account: &Account, works: usize) {
    println!("Faults: {} runs over {works} works", account.total());
    println!("  points that the steps pass (cold and warm):");
    for (op, count) in &account.points {
        println!("    {count:8} {op}");
    }
    println!("  what was done to them:");
    for (what, count) in &account.runs {
        println!("    {count:8} {what}");
    }
    println!(
        "  {} steps were told to be done and are there; {} failed and left all as it was",
        account.acknowledged, account.refused
    );
    if !account.uncertain.is_empty() {
        println!("  told as failed, and there all the same:");
        for (what, count) in &account.uncertain {
            println!("    {count:8} {what}");
        }
    }
}

fn tell_contention(contended: &Contended) {
    println!("\nContention: {} processes", contended.processes);
    println!("  {:8} changes acknowledged, each there once", contended.commits);
    println!("  {:8} version conflicts refused and tried again", contended.conflicts);
    println!("  {:8} requests repeated, each answered as the first time", contended.replays);
    println!("  {:8} waits for a lock given up after 5 s", contended.timeouts);
    println!("  a change took {:?} (median), {:?} at most", contended.usual, contended.longest);
    for (name, count) in &contended.shares {
        println!("  {count:8} by {name}");
    }
}
