//! Command lines that really die: the process kills itself at each point in turn.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::contention::Program;
use super::faults::{Account, Recorded, Work};
use super::judge::{Told, judge};
use super::recover;
use super::steps::Step;
use super::world::{self, Tree};

/// The commands, each on what the ones before left. `LOOP` is the loop.
const LINES: [&[&str]; 16] = [
    &["init"],
    &[
        "loop",
        "open",
        "--kind",
        "ideation",
        "--title",
        "T",
        "--proposal",
        "p",
        "--request-id",
        "r1",
    ],
    &["loop", "add", "LOOP", "--type", "note", "--body", "short", "--request-id", "r2"],
    &["loop", "add", "LOOP", "--type", "note", "--body", "LONG", "--request-id", "r3"],
    &["loop", "advance", "LOOP", "--request-id", "r4"],
    &["loop", "undo", "LOOP", "--request-id", "r5"],
    &["loop", "redo", "LOOP", "--request-id", "r6"],
    &["memory", "add", "--category", "traps", "--title", "T", "--text", "Mind the gap."],
    &["session", "start", "--goal", "G", "--request-id", "r7"],
    &["rewards", "add", "--case", "a", "--phase", "critique", "--reward", "0.1"],
    &["rewards", "add", "--case", "b", "--phase", "critique", "--reward", "0.9"],
    &["rewards", "add", "--case", "c", "--phase", "critique", "--reward", "0.2"],
    &["rewards", "add", "--case", "d", "--phase", "critique", "--reward", "0.8"],
    &["rewards", "add", "--case", "e", "--phase", "critique", "--reward", "0.7"],
    &["dream", "run", "--force"],
    &["loop", "close", "LOOP", "--status", "cancelled", "--reason", "enough", "--request-id", "r8"],
];

struct Line {
    args: Vec<String>,
    recorded: Recorded,
    points: u64,
}

/// Kills command lines at each point, or at every `stride`th.
pub fn campaign(program: &Program, stride: u64, account: &mut Account) {
    let folder = world::folder();
    let root = folder.path().canonicalize().expect("there");
    let trace = root.with_extension("trace");
    let work = Work { keeper: Vec::new(), recorded: Vec::new() };
    let mut lines: Vec<Line> = Vec::new();
    let mut id = String::new();
    for (n, args) in LINES.iter().enumerate() {
        let args: Vec<String> = args.iter().map(|word| filled(word, &id)).collect();
        let before = Tree::of(&root);
        let _ = std::fs::remove_file(&trace);
        let run = |command: &mut Command| command.output().expect("ran");
        let output = run(command(program, &root, n, &args).env("LOOPDECK_FAULT_TRACE", &trace));
        if !output.status.success() {
            account.faults.push(format!("{args:?}, undisturbed: {}", said(&output)));
            return;
        }
        if n == 1 {
            let engine = world::open(&root, n, &[]).expect("opened");
            id = engine.list().expect("listed").loops[0].id.to_string();
        }
        let traced = std::fs::read_to_string(&trace).unwrap_or_default();
        let points = traced.lines().count() as u64;
        let step = if n == 0 { Step::Init } else { Step::Line };
        let recorded = Recorded { n, step, before, after: Tree::of(&root), came: Ok(()) };
        lines.push(Line { args, recorded, points });
    }
    let _ = std::fs::remove_file(&trace);
    for line in &lines {
        let name = line.args[..2.min(line.args.len())].join(" ");
        for at in (1..=line.points).step_by(usize::try_from(stride).expect("small")) {
            for how in ["die", "torn-die"] {
                let mut judged = killed(program, &work, line, &format!("{at}:{how}"));
                judged.name(|fault| format!("loopdeck {name}, {how} at point {at}: {fault}"));
                account.take_as(&format!("a process that ends ({how})"), judged);
            }
        }
    }
}

fn filled(word: &str, id: &str) -> String {
    match word {
        "LOOP" => id.to_owned(),
        "LONG" => "x".repeat(6_000),
        word => word.to_owned(),
    }
}

fn command(program: &Program, root: &Path, n: usize, args: &[String]) -> Command {
    let mut command = Command::new(&program.exe);
    command
        .args(&program.first)
        .args(args)
        .current_dir(root)
        .env("LOOPDECK_NOW", world::moment(n).to_string())
        .env("LOOPDECK_SEED", "7");
    command
}

fn killed(program: &Program, work: &Work, line: &Line, plan: &str) -> super::judge::Judged {
    let folder = world::folder();
    let root: PathBuf = folder.path().canonicalize().expect("there");
    let recorded = &line.recorded;
    recorded.before.put(&root);
    let again = || command(program, &root, recorded.n, &line.args);
    let output = again().env("LOOPDECK_FAULT", plan).output().expect("ran");
    // What comes after the last point is done without it.
    let told = match output.status.success() {
        true => Told::Done(Vec::new()),
        false => Told::Nothing,
    };
    let mut judged = judge(recorded, &Tree::of(&root), &told);
    if !output.status.success() && output.status.code().is_some() {
        judged.fault(format!("it was to be killed and ended otherwise: {}", said(&output)));
    }
    let done = Tree::of(&root).counting() == recorded.after.counting();
    if !done || line.args.iter().any(|word| word == "--request-id") {
        let output = again().output().expect("ran");
        if !output.status.success() {
            judged.fault(format!("asked again: {}", said(&output)));
        }
        let owing = Told::Done(vec!["something may be owed still".to_owned()]);
        let twice = judge(recorded, &Tree::of(&root), &owing);
        judged.faults.extend(twice.faults.into_iter().map(|fault| format!("asked again: {fault}")));
    }
    recover::recover(work, recorded, None, &root, &mut judged);
    judged
}

fn said(output: &Output) -> String {
    format!("{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr))
}
