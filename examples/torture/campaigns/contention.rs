//! Many processes on one workspace at once: command lines, MCP servers and decks
//! in terminals, all writing into the same loop, session and memory.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use loopdeck::engine::{Engine, InitOptions, Options, Severity, Treatment};
use serde_json::{Value, json};
use termlens::{Key, Terminal};

/// Longer than this nobody may wait: the lock's 5 s, and room for a slow machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the program under test is started.
#[derive(Clone)]
pub struct Program {
    pub exe: PathBuf,
    /// What comes before its arguments.
    pub first: Vec<OsString>,
}

/// Who takes part.
#[derive(Clone, Copy)]
pub struct Crowd {
    pub lines: usize,
    pub servers: usize,
    pub decks: usize,
}

/// When it ends: after so many changes each, or at a moment.
#[derive(Clone, Copy)]
pub enum Until {
    Changes(usize),
    Moment(Instant),
}

/// What one took part with.
#[derive(Default)]
struct Share {
    name: String,
    /// The texts that were acknowledged, by where they went.
    notes: Vec<String>,
    items: Vec<String>,
    attempts: Vec<String>,
    waits: Vec<Duration>,
    conflicts: usize,
    replays: usize,
    timeouts: usize,
    faults: Vec<String>,
}

/// What it came to.
#[derive(Default)]
pub struct Contended {
    pub processes: usize,
    pub commits: usize,
    pub conflicts: usize,
    pub replays: usize,
    pub timeouts: usize,
    pub longest: Duration,
    pub usual: Duration,
    /// Changes of each, by name.
    pub shares: BTreeMap<String, usize>,
    pub faults: Vec<String>,
}

/// What all of them work on.
struct Field {
    root: PathBuf,
    home: PathBuf,
    program: Program,
    loop_id: String,
    session_id: String,
    until: Until,
    over: AtomicBool,
}

impl Field {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program.exe);
        command.args(&self.program.first).args(args).current_dir(&self.root);
        command.env_clear().envs(self.env());
        command
    }

    fn env(&self) -> Vec<(&'static str, String)> {
        let home = self.home.display().to_string();
        let mut env: Vec<_> = ["CONFIG", "STATE", "CACHE"]
            .into_iter()
            .zip(["LOOPDECK_CONFIG_DIR", "LOOPDECK_STATE_DIR", "LOOPDECK_CACHE_DIR"])
            .map(|(part, name)| (name, format!("{home}/{}", part.to_lowercase())))
            .collect();
        env.extend([
            ("HOME", home),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
        ]);
        env
    }

    /// Runs a command line; the object that it prints.
    fn json(&self, args: &[&str]) -> Result<Value, String> {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.command(&args).output().map_err(|error| error.to_string())?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            format!("{args:?}: {error}: {:?}: {complaint}", output.status)
        })
    }

    fn goes_on(&self, n: usize) -> bool {
        !self.over.load(Ordering::SeqCst)
            && match self.until {
                Until::Changes(count) => n < count,
                Until::Moment(end) => Instant::now() < end,
            }
    }
}

impl Share {
    /// Notes how long something took, and what its answer was.
    fn took(&mut self, since: Instant, answer: &Result<Value, String>) -> Option<Value> {
        let took = since.elapsed();
        self.waits.push(took);
        if took > PATIENCE {
            self.faults.push(format!("{} waited {took:?}", self.name));
        }
        match answer {
            Err(why) => self.faults.push(format!("{}: {why}", self.name)),
            Ok(object) if object["status"] == "ok" => return Some(object.clone()),
            Ok(object) => match object["error"]["code"].as_str() {
                Some("version_conflict") => self.conflicts += 1,
                Some("lock_timeout") => self.timeouts += 1,
                _ => self.faults.push(format!("{}: {}", self.name, object["error"])),
            },
        }
        None
    }
}

/// Lets a crowd loose on a new workspace, and checks what stands in the end.
pub fn contend(program: &Program, crowd: Crowd, until: Until) -> Contended {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("there");
    let root = top.join("work");
    std::fs::create_dir_all(&root).expect("made");
    Engine::init(&root, InitOptions::default()).expect("made");
    let mut field = Field {
        root,
        home: top.join("home"),
        program: program.clone(),
        loop_id: String::new(),
        session_id: String::new(),
        until,
        over: AtomicBool::new(false),
    };
    let opened = field.json(&[
        "loop",
        "open",
        "--kind",
        "ideation",
        "--title",
        "Contended",
        "--proposal",
        "Do it.",
    ]);
    field.loop_id = text(&opened.expect("opened")["result"]["id"]);
    // The deck's form files critiques then.
    field.json(&["loop", "advance", &field.loop_id]).expect("advanced");
    let started =
        field.json(&["session", "start", "--goal", "All at once", "--max-attempts", "1000000"]);
    field.session_id = text(&started.expect("started")["result"]["session_id"]);
    let mut shares = Vec::new();
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        let field = &field;
        for n in 0..crowd.lines {
            running.push(scope.spawn(move || command_lines(field, &format!("line {n}"))));
        }
        for n in 0..crowd.servers {
            running.push(scope.spawn(move || server(field, &format!("server {n}"))));
        }
        for n in 0..crowd.decks {
            running.push(scope.spawn(move || deck(field, &format!("deck {n}"))));
        }
        for one in running {
            match one.join() {
                Ok(share) => shares.push(share),
                Err(_) => shares.push(Share {
                    faults: vec!["a participant panicked".to_owned()],
                    ..Share::default()
                }),
            }
        }
    });
    let mut contended = add_up(shares.as_slice());
    contended.processes = crowd.lines + crowd.servers + crowd.decks;
    check(&field, &shares, &mut contended);
    contended
}

fn text(value: &Value) -> String {
    value.as_str().map(str::to_owned).unwrap_or_else(|| panic!("no text: {value}"))
}

/// One process after the other, as scripts do: plain, repeated, and only on the
/// version that was seen.
fn command_lines(field: &Field, name: &str) -> Share {
    let mut share = Share { name: name.to_owned(), ..Share::default() };
    let id = field.loop_id.as_str();
    let mut n = 0;
    while field.goes_on(n) {
        let body = format!("{name} says {n}.");
        let add = ["loop", "add", id, "--type", "note", "--body", &body];
        match n % 5 {
            0 | 1 => {
                let since = Instant::now();
                if share.took(since, &field.json(&add)).is_some() {
                    share.notes.push(body);
                }
            }
            2 => {
                let request = format!("{name}-{n}");
                let add = [&add[..], &["--request-id", &request]].concat();
                let first = share.took(Instant::now(), &field.json(&add));
                let again = share.took(Instant::now(), &field.json(&add));
                if let (Some(first), Some(again)) = (&first, &again) {
                    let ids = |o: &Value| o["result"]["artifact_ids"].clone();
                    if again["result"]["replayed"] != true || ids(first) != ids(again) {
                        let said = (ids(first), ids(again), &again["result"]["replayed"]);
                        share.faults.push(format!("{name}: a repeat got {said:?}"));
                    }
                    share.replays += 1;
                }
                if first.or(again).is_some() {
                    share.notes.push(body);
                }
            }
            3 => {
                for _ in 0..100 {
                    let seen = field.json(&["loop", "show", id]);
                    let Ok(seen) = seen else { continue };
                    let version = seen["result"]["version"].to_string();
                    let add = [&add[..], &["--expect-version", &version]].concat();
                    if share.took(Instant::now(), &field.json(&add)).is_some() {
                        share.notes.push(body);
                        break;
                    }
                }
            }
            _ if n % 2 == 0 => {
                let add = ["memory", "add", "--category", "decisions", "--title", "T"];
                let add = [&add[..], &["--text", &body]].concat();
                if share.took(Instant::now(), &field.json(&add)).is_some() {
                    share.items.push(body);
                }
            }
            _ => {
                let session = field.session_id.as_str();
                let record = ["session", "record", session, "--action-type", "test"];
                let record = [&record[..], &["--outcome", "failure", "--description", &body]];
                if share.took(Instant::now(), &field.json(&record.concat())).is_some() {
                    share.attempts.push(body);
                }
            }
        }
        n += 1;
    }
    share
}

/// An MCP server, spoken to line by line.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    fn start(field: &Field) -> std::io::Result<Self> {
        let mut child = field
            .command(&["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (stdin, stdout) = (stdin.expect("piped"), stdout.expect("piped"));
        let mut server = Self { child, stdin, stdout: BufReader::new(stdout), asked: 0 };
        server.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "torture", "version": "0"},
            }),
        )?;
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(server.stdin, "{told}")?;
        Ok(server)
    }

    fn ask(&mut self, method: &str, params: Value) -> std::io::Result<Value> {
        self.asked += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.stdin, "{request}")?;
        self.stdin.flush()?;
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line)? == 0 {
                return Err(std::io::Error::other("the server ended"));
            }
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == self.asked {
                return Ok(answer);
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("tools/call", params).map_err(|error| error.to_string())?;
        Ok(answer["result"]["structuredContent"].clone())
    }
}

fn server(field: &Field, name: &str) -> Share {
    let mut share = Share { name: name.to_owned(), ..Share::default() };
    let mut server = match Server::start(field) {
        Ok(server) => server,
        Err(error) => {
            share.faults.push(format!("{name} did not start: {error}"));
            return share;
        }
    };
    let mut n = 0;
    while field.goes_on(n) {
        let body = format!("{name} says {n}.");
        let mut arguments = json!({
            "intent": "add_artifact", "loop_id": field.loop_id, "type": "note", "body": body,
        });
        let repeats = n % 4 == 0;
        if repeats {
            arguments["request_id"] = format!("{name}-{n}").into();
        }
        let since = Instant::now();
        let answer = server.call("bclaw_loop", arguments.clone());
        if share.took(since, &answer).is_some() {
            share.notes.push(body);
            if repeats {
                let again = server.call("bclaw_loop", arguments);
                share.took(Instant::now(), &again);
                share.replays += 1;
            }
        }
        n += 1;
    }
    drop(server.stdin);
    if !ends(&mut server.child) {
        share.faults.push(format!("{name} did not end with its input"));
    }
    share
}

fn ends(child: &mut Child) -> bool {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if child.try_wait().is_ok_and(|status| status.is_some()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// A deck in a terminal, worked by keys.
fn deck(field: &Field, name: &str) -> Share {
    let mut share = Share { name: name.to_owned(), ..Share::default() };
    if let Err(why) = work_the_deck(field, &mut share) {
        share.faults.push(format!("{name}: {why}"));
    }
    share
}

fn work_the_deck(field: &Field, share: &mut Share) -> Result<(), String> {
    let said = |error: termlens::Error| error.to_string();
    let mut terminal = Terminal::builder()
        .args(&field.program.first)
        .size(120, 36)
        .timeout(PATIENCE)
        .env_clear()
        .envs(field.env())
        .current_dir(&field.root)
        .spawn(&field.program.exe)
        .map_err(said)?;
    terminal.wait_until(|screen| screen.contains("Contended")).map_err(said)?;
    let mut n = 0;
    while field.goes_on(n) {
        let body = format!("{} says {n}.", share.name);
        let since = Instant::now();
        terminal.send(Key::Char('a')).map_err(said)?;
        terminal.wait_until(|screen| screen.contains("Add an artifact")).map_err(said)?;
        for c in body.chars() {
            terminal.send(Key::Char(c)).map_err(said)?;
        }
        terminal.wait_until(|screen| screen.contains(&body)).map_err(said)?;
        // Others were quicker: the form stays, and is sent again.
        let mut refused = String::new();
        loop {
            terminal.send(Key::Ctrl('s')).map_err(said)?;
            let before = refused.clone();
            terminal
                .wait_until(|screen| {
                    refused = refusal(screen);
                    !screen.contains("Add an artifact") || refused != before
                })
                .map_err(said)?;
            if !terminal.screen().contains("Add an artifact") {
                break;
            }
            match refused.contains(GAVE_UP) {
                true => share.timeouts += 1,
                false => share.conflicts += 1,
            }
        }
        share.waits.push(since.elapsed());
        share.notes.push(body);
        n += 1;
    }
    terminal.send(Key::Char('q')).map_err(said)?;
    let status = terminal.wait_exit().map_err(said)?;
    if status.success() { Ok(()) } else { Err("it ended with a failure".to_owned()) }
}

/// What a form says when a lock was held by others for too long.
const GAVE_UP: &str = "gave up after";

/// What a form says of a version that it didn't see, or of others that held the lock.
fn refusal(screen: &termlens::Screen) -> String {
    let rows = (0..screen.rows()).map(|row| screen.row_text(row));
    rows.filter(|row| row.contains("the loop is at version") || row.contains(GAVE_UP)).collect()
}

fn add_up(shares: &[Share]) -> Contended {
    let mut all = Contended::default();
    let mut waits: Vec<Duration> = shares.iter().flat_map(|s| s.waits.iter().copied()).collect();
    waits.sort();
    all.longest = waits.last().copied().unwrap_or_default();
    all.usual = waits.get(waits.len() / 2).copied().unwrap_or_default();
    for share in shares {
        let count = share.notes.len() + share.items.len() + share.attempts.len();
        all.commits += count;
        all.conflicts += share.conflicts;
        all.replays += share.replays;
        all.timeouts += share.timeouts;
        all.faults.extend(share.faults.iter().cloned());
        all.shares.insert(share.name.clone(), count);
    }
    // Among those who do the same nobody gets less than a quarter of the mean.
    for kind in ["line", "server", "deck"] {
        let of: Vec<_> = all.shares.iter().filter(|(name, _)| name.starts_with(kind)).collect();
        let mean = of.iter().map(|(_, count)| **count).sum::<usize>() / of.len().max(1);
        for (name, count) in &of {
            if **count * 4 < mean {
                all.faults.push(format!("{name} starved: {count} of a mean of {mean}"));
            }
        }
    }
    all
}

/// Everything that was acknowledged is there once.
fn check(field: &Field, shares: &[Share], all: &mut Contended) {
    let engine = open(&field.root);
    let id = loopdeck::core::loops::ids::LoopId::parse(&field.loop_id).expect("an id");
    let state = engine.load(&id).expect("readable");
    let mut filed = count(state.artifacts.iter().map(|a| a.preview.to_string()));
    let memory = engine.memory(&Default::default()).expect("readable").items;
    let mut items = count(memory.iter().map(|item| item.text.trim().to_string()));
    let session = engine.resolve_session(&field.session_id).expect("there");
    let session = engine.session(&session).expect("readable");
    let mut attempts = count(session.attempts.iter().map(|a| a.action_description.clone()));
    for share in shares {
        let places = [
            (&share.notes, &mut filed),
            (&share.items, &mut items),
            (&share.attempts, &mut attempts),
        ];
        for (told, there) in places {
            for text in told {
                let times = there.remove(text).unwrap_or(0);
                if times != 1 {
                    all.faults.push(format!("“{text}” is there {times} times"));
                }
            }
        }
    }
    let of_ours = |text: &&String| text.contains(" says ");
    for text in filed.keys().chain(items.keys()).chain(attempts.keys()).filter(of_ours) {
        // A deck that was told of no answer, or a lost answer: none here.
        all.faults.push(format!("“{text}” is there and was not acknowledged"));
    }
    let found = engine.doctor(Treatment::default(), &[]).expect("readable").findings;
    for finding in found.iter().filter(|finding| finding.severity != Severity::Info) {
        all.faults.push(format!("doctor: {}", finding.message));
    }
}

fn count(texts: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

fn open(root: &Path) -> Engine {
    Engine::open(Options { workspace: Some(root.to_owned()), ..Options::default() })
        .expect("a workspace")
}
