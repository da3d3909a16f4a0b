//! `loopdeck demo`: a filled workspace to try things on.
//!
//! The project, its memory and its loops are invented and stand under
//! assets/demo. The loops are a [`script`] that is [`play`]ed through the real
//! engine, so that its files are always of the present format.

mod play;
mod script;

use std::path::{Path, PathBuf};

use clap::Args;
use include_dir::{Dir, include_dir};
use serde_json::json;

use super::call::{Answer, Call, say};

use super::Outcome;
use super::deck::{self, Begin};
use super::errors::{Fault, Result};
use super::page::{Page, Tone, gap, plain, span};
use crate::core::loops::model::Actor;
use crate::core::time::Timestamp;
use crate::engine::{Engine, InitOptions, LoopSummary, Options};

/// What the demo is made from.
static ASSETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/demo");

/// The moment that the times in the memory items are told from.
const TOLD_AT: &str = "2026-03-02T12:00:00.000Z";

/// The folder of the workspace in a fresh temporary folder; its name is the project's.
const PROJECT: &str = "parcelboard";

/// A file that says: this workspace is a demo, and complete.
const MARKER: &str = ".loopdeck/demo";

/// The agent of the demo that has a command.
const WORKER: &str = "birch";

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where (default: a new temporary folder); an empty folder, or a demo made before
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Make it and say what to try, without the deck
    #[arg(long)]
    no_tui: bool,
    /// Begin with a tour: thirteen steps, two minutes
    #[arg(long, conflicts_with = "no_tui")]
    tour: bool,
}

/// A demo on disk.
struct Demo {
    root: PathBuf,
    reused: bool,
    loops: Vec<LoopSummary>,
}

/// Makes the demo, or finds it again, and opens the deck on it.
pub fn run(call: &Call, args: &DemoArgs) -> Result<Outcome> {
    call.refuse_conditions()?;
    let (root, reused) = match &args.dir {
        Some(dir) if dir.join(MARKER).is_file() => (dir.clone(), true),
        _ if call.read_only => {
            return Err(Fault::new("read_only", "--read-only forbids making a demo"));
        }
        Some(dir) => (make_in(dir)?, false),
        None => (make_fresh()?, false),
    };
    let options =
        Options { workspace: Some(root), read_only: call.read_only, ..Options::default() };
    let engine = Engine::open(options.clone())?;
    let wants_deck = !args.no_tui && !call.globals.json;
    if wants_deck && deck::can_draw() {
        let begin = if args.tour { Begin::WithTour } else { Begin::AsItWas };
        let outcome = deck::open(options, begin)?;
        say(&format!("the demo stays in {}", engine.root().display()));
        return Ok(outcome);
    }
    if wants_deck && deck::on_terminal() {
        say("this terminal can't be drawn on (TERM=dumb), so here is the deck in lines");
        let root = engine.root().to_owned();
        let outcome = super::plain::run_in(call, engine)?;
        say(&format!("the demo stays in {}", root.display()));
        return Ok(outcome);
    }
    if wants_deck {
        say("this is no terminal, so the demo is made but the deck is not opened");
    }
    let demo = Demo { root: engine.root().to_owned(), reused, loops: engine.list()?.loops };
    Ok(Outcome::Answer(told(call, &demo)))
}

/// Makes the demo in a new temporary folder, which stays; its root.
///
/// # Errors
/// `io`.
pub fn make_fresh() -> Result<PathBuf> {
    let folder = tempfile::Builder::new()
        .prefix("loopdeck-demo-")
        .tempdir()
        .map_err(|e| Fault::new("io", format!("no temporary folder can be made: {e}")))?;
    make_in(&folder.keep().join(PROJECT))
}

/// Makes the demo in an empty folder or a new one.
fn make_in(dir: &Path) -> Result<PathBuf> {
    if is_taken(dir)? {
        return Err(Fault::new(
            "invalid_dir",
            format!("{} is not empty and no demo: name an empty folder", dir.display()),
        )
        .step("let it choose a temporary folder", "loopdeck demo"));
    }
    create(dir)?;
    make(dir)?;
    approve(dir)?;
    Ok(dir.to_owned())
}

fn is_taken(dir: &Path) -> Result<bool> {
    match std::fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("read", dir, &error)),
    }
}

fn create(dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir).map_err(|e| failed("made", dir, &e))
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::new("io", format!("{} cannot be {what}: {error}", path.display()))
}

/// Fills an empty folder.
fn make(root: &Path) -> Result<()> {
    for (path, text) in files("project") {
        write(&root.join(path), text)?;
    }
    Engine::init(root, InitOptions::default())?;
    let engine = Engine::open(Options { workspace: Some(root.into()), ..Options::default() })?;
    let now = engine.now();
    for (path, text) in files("memory") {
        let path = root.join(".loopdeck/memory").join(path);
        write(&path, &moved_to(text, now)?)?;
    }
    let earned = script::read_rewards(text_of("rewards.toml"))?;
    let stories = script::read(text_of("loops.toml"))?;
    let sessions = script::read_sessions(text_of("sessions.toml"))?;
    play::all(root, &earned, &stories, &sessions, now)?;
    hire(root)?;
    write(&root.join(MARKER), "This workspace was made by `loopdeck demo`.\n")
}

/// The agent that works in the demo, and the command that it is: by its whole
/// path, so that approving it approves nothing of any other workspace.
fn worker(root: &Path) -> Result<(PathBuf, Vec<String>)> {
    let root = std::fs::canonicalize(root).map_err(|e| failed("found", root, &e))?;
    let path = root.join(".loopdeck/agents").join(WORKER);
    let argv = vec!["sh".to_owned(), path.to_string_lossy().into_owned()];
    Ok((path, argv))
}

/// Gives one of the demo's agents a command: a script that needs no network.
fn hire(root: &Path) -> Result<()> {
    let (path, argv) = worker(root)?;
    write(&path, text_of("agent"))?;
    let config = root.join(".loopdeck/config.toml");
    let before = std::fs::read_to_string(&config).unwrap_or_default();
    let command = toml::Value::from(argv);
    write(&config, &format!("{before}\n[agents.{WORKER}]\ncommand = {command}\n"))
}

/// Whoever makes the demo wants its worker to work.
fn approve(root: &Path) -> Result<()> {
    let (_, argv) = worker(root)?;
    let now = Engine::clock(&Options::default())?;
    Ok(Engine::approve_command(&argv, &Actor::Operator, now).map(drop)?)
}

/// The files below a folder of the assets, by their paths below it.
fn files(folder: &str) -> Vec<(PathBuf, &'static str)> {
    fn collect(dir: &'static Dir<'static>, out: &mut Vec<(PathBuf, &'static str)>) {
        let texts = dir.files().filter_map(|f| Some((f.path().to_owned(), f.contents_utf8()?)));
        out.extend(texts);
        dir.dirs().for_each(|dir| collect(dir, out));
    }
    let mut found = Vec::new();
    if let Some(dir) = ASSETS.get_dir(folder) {
        collect(dir, &mut found);
    }
    let below = |path: PathBuf| path.strip_prefix(folder).map_or(path.clone(), Path::to_owned);
    found.into_iter().map(|(path, text)| (below(path), text)).collect()
}

fn text_of(file: &str) -> &'static str {
    ASSETS.get_file(file).and_then(|f| f.contents_utf8()).unwrap_or_default()
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        create(folder)?;
    }
    std::fs::write(path, text).map_err(|e| failed("written", path, &e))
}

/// A memory item whose time is as long ago as when it was told.
fn moved_to(item: &str, now: Timestamp) -> Result<String> {
    const KEY: &str = "created_at = \"";
    let broken = || Fault::new("damaged", "a memory item of the demo has no readable time");
    let start = item.find(KEY).map(|at| at + KEY.len()).ok_or_else(broken)?;
    let end = item[start..].find('"').map(|at| start + at).ok_or_else(broken)?;
    let told: Timestamp = TOLD_AT.parse().map_err(|_| broken())?;
    let at: Timestamp = item[start..end].parse().map_err(|_| broken())?;
    let moved = now.plus_millis(-told.since(at));
    Ok(format!("{}{moved}{}", &item[..start], &item[end..]))
}

/// What to try, with the loop that it is best tried on.
const TRY: [(&str, &str, Option<&str>); 8] = [
    ("loopdeck", "the deck", None),
    ("loopdeck status", "the same in a page of plain text", None),
    ("loopdeck loop why", "why a gate is shut, and what opens it", Some("outbox")),
    ("loopdeck loop brief", "what a critic reads: traps and feedback that bite", Some("outbox")),
    ("loopdeck loop show", "a review that waits for your verdict", Some("tracking-page")),
    ("loopdeck turn list", "agents at work: T in the deck hands a turn to one", None),
    ("loopdeck dream insights", "what dreams found in the rewards", None),
    ("loopdeck memory search retry", "what the project remembers", None),
];

fn told(call: &Call, demo: &Demo) -> Answer {
    let result = || {
        let loops: Vec<_> =
            demo.loops.iter().map(|l| json!({"id": l.id, "slug": l.slug})).collect();
        json!({"root": demo.root, "reused": demo.reused, "loops": loops})
    };
    call.answer(result, |page| page_of(page, demo), Vec::new())
}

fn page_of(page: &mut Page, demo: &Demo) {
    let verb = if demo.reused { "found" } else { "made" };
    let line = "a demo: parcelboard, which tracks parcels for small couriers (all of it invented)";
    page.line(vec![span(Tone::Good, verb), gap(1), plain(line)]);
    page.line(vec![gap(2), plain(demo.root.display().to_string())]);
    page.heading("Try there");
    let cd = format!("cd {}", demo.root.display());
    page.line(vec![gap(2), span(Tone::Command, cd)]);
    // A command is there to be copied: what it does stands below it, never in its way.
    for (command, what, on) in TRY {
        let slug = on.and_then(|word| demo.loops.iter().find(|l| l.slug.contains(word)));
        let command = match slug {
            Some(found) => format!("{command} {}", found.slug),
            None => command.to_owned(),
        };
        page.line(vec![gap(2), span(Tone::Command, command)]);
        page.line(vec![gap(6), span(Tone::Muted, what)]);
    }
}

#[cfg(test)]
mod tests;
