//! A workspace that holds something of every format, and a way back to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::others;
use loopdeck::core::dream::Mark;
use loopdeck::core::loops::command::{
    Command, Content, NewArtifact, NewQuestion, Reply, SlotSelector,
};
use loopdeck::core::loops::event::Outcome;
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::model::Status;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::memory::Category;
use loopdeck::core::session::{ActionType, Amount};
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{
    AttemptDraft, Clock, DreamRequest, Engine, GapDraft, InitOptions, MemoryDraft,
    ObservationDraft, OpenRequest, Options, RewardDraft, SessionDraft, Write,
};
use loopdeck::tui::kept::Kept;

/// What a file is to its readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is the truth: what it cannot say is told.
    Truth,
    /// It follows from something else, and is ignored where it doesn't fit.
    Derived,
    /// Most of it is free text.
    Text,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// One JSON value.
    Json,
    /// A JSON value a line.
    Lines,
    /// TOML.
    Toml,
    /// TOML between fences, then Markdown.
    Markdown,
}

/// A file that is to be damaged.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its format, in a word.
    pub format: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// What it says when it is whole.
    pub bytes: Vec<u8>,
    /// What it is to its readers.
    pub role: Role,
    /// How it is written.
    pub syntax: Syntax,
    /// What it speaks for, first of all: the keys of a reading that may change with it.
    pub keys: Vec<String>,
}

/// The workspace.
pub struct World {
    /// Its root.
    pub root: PathBuf,
    /// The files to damage.
    pub targets: Vec<Target>,
    /// The loop that changes with its damaged files.
    pub damaged: LoopId,
    /// A loop that nobody touches.
    pub other: LoopId,
    /// A loop whose worker's reply nobody has taken.
    pub worked: LoopId,
    /// A file outside of the workspace.
    pub outside: PathBuf,
    clock: Arc<AtomicI64>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    _dir: tempfile::TempDir,
}

/// 2026-03-01T12:00:00Z.
const NOON: i64 = 1_772_366_400_000;

impl World {
    /// Fills a new workspace.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let base = fs::canonicalize(dir.path()).expect("it is there");
        let outside = base.join("outside.txt");
        fs::write(&outside, "outside\n").expect("written");
        let root = base.join("work");
        fs::create_dir(&root).expect("made");
        Engine::init(&root, InitOptions::default()).expect("a workspace");
        let clock = Arc::new(AtomicI64::new(NOON));
        let mut world = Self {
            root,
            targets: Vec::new(),
            damaged: LoopId::derive(&[b"none"]),
            other: LoopId::derive(&[b"none"]),
            worked: LoopId::derive(&[b"none"]),
            outside,
            clock,
            files: BTreeMap::new(),
            _dir: dir,
        };
        world.fill();
        world
    }

    /// An engine that knows nothing yet.
    pub fn engine(&self) -> Engine {
        let clock = Arc::clone(&self.clock);
        let now = move || Timestamp::from_millis(clock.fetch_add(1, Ordering::Relaxed));
        Engine::open(Options {
            clock: Some(Clock::new(now)),
            seed: Some(7),
            unflushed: true,
            ..self.options()
        })
        .expect("a workspace can be opened whatever its files say")
    }

    /// Which workspace, and whose.
    pub fn options(&self) -> Options {
        Options {
            workspace: Some(self.root.clone()),
            user: Some(others::user_dirs(&self.root)),
            ..Options::default()
        }
    }

    fn later(&self) {
        self.clock.fetch_add(3_600_000, Ordering::Relaxed);
    }

    fn fill(&mut self) {
        let engine = self.engine();
        self.own_files();
        others::person(&self.root);
        let (damaged, closed) = (rich_loop(&engine), closed_loop(&engine));
        self.later();
        self.other = plain_loop(&engine, "The one that nobody touches");
        self.damaged = damaged.clone();
        let (worked, run) = others::worked(&engine);
        self.worked = worked.clone();
        let memory = memory(&engine);
        let imported = others::imported(&engine);
        let sessions = sessions(&engine);
        rewards(&engine);
        for _ in 0..2 {
            self.later();
            let request = DreamRequest { force: true, ..DreamRequest::default() };
            engine.dream_run(&request, &|_, _| true).expect("dreamt");
        }
        let latest = engine.dream(None).expect("a dream");
        let insight = latest.insights.first().expect("an insight").insight.insight_id.clone();
        engine.dream_mark(&insight, Some(Mark::Accepted)).expect("marked");
        engine.reward_stats().expect("written");
        drop(engine);
        self.remember();
        let folder = |id: &LoopId| format!(".loopdeck/loops/{id}");
        let (a, c) = (folder(&damaged), folder(&closed));
        let keys = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let of_loop = |id: &LoopId| vec![format!("loop {id}"), format!("body {id}")];
        let (truth, derived, text) = (Role::Truth, Role::Derived, Role::Text);
        self.target(
            "journal",
            format!("{a}/journal.jsonl"),
            truth,
            Syntax::Lines,
            of_loop(&damaged),
        );
        self.target("summary", format!("{a}/summary.json"), derived, Syntax::Json, Vec::new());
        self.target(
            "lock note",
            format!("{a}/journal.lock.info"),
            derived,
            Syntax::Json,
            Vec::new(),
        );
        self.target(
            "snapshot",
            format!("{c}/snapshot.json"),
            derived,
            Syntax::Json,
            of_loop(&closed),
        );
        let body = self.only_in(&format!("{a}/artifacts"));
        self.target("body", body, truth, Syntax::Markdown, vec![format!("body {damaged}")]);
        let request = self.only_in(".loopdeck/requests");
        self.target("request", request, derived, Syntax::Json, Vec::new());
        let item = format!(".loopdeck/memory/traps/{memory}.md");
        self.target("memory", item, text, Syntax::Markdown, vec![format!("memory {memory}")]);
        let session = format!(".whetstone/sessions/{sessions}.json");
        self.target("session", session, truth, Syntax::Json, vec![format!("session {sessions}")]);
        let record = self.a_record();
        let key = vec![format!("record {record}")];
        let path = format!(".keysarium/memory/{record}");
        self.target("record", path, truth, Syntax::Json, key);
        let dream = self.first_in(".keysarium/insights", "dream-");
        let id = dream.rsplit('/').next().expect("a name").trim_end_matches(".json").to_owned();
        self.target("dream", dream, truth, Syntax::Json, vec![format!("dream {id}")]);
        let insights = ".keysarium/insights";
        let state = format!("{insights}/trigger-state.json");
        self.target("trigger", state, truth, Syntax::Json, keys(&["trigger"]));
        self.target(
            "marks",
            format!("{insights}/marks.json"),
            truth,
            Syntax::Json,
            keys(&["marks"]),
        );
        let patterns = ".keysarium/memory/_patterns/domain-patterns.json".to_owned();
        self.target("patterns", patterns, derived, Syntax::Json, Vec::new());
        let stats = ".keysarium/memory/_stats/reward-summary.json".to_owned();
        self.target("reward summary", stats, derived, Syntax::Json, Vec::new());
        let own = ".loopdeck";
        self.target(
            "settings",
            format!("{own}/config.toml"),
            truth,
            Syntax::Toml,
            keys(&["settings"]),
        );
        let file = format!("{own}/protocols/own.toml");
        self.target("protocol", file, truth, Syntax::Toml, keys(&["protocol own"]));
        let file = format!("{own}/profiles/mine.toml");
        self.target("profile", file, truth, Syntax::Toml, keys(&["profile mine"]));
        let file = format!("{own}/templates/start.md");
        self.target("template", file, text, Syntax::Markdown, keys(&["template start"]));
        let item = format!(".loopdeck/memory/decisions/{imported}.md");
        let key = vec![format!("memory {imported}"), "import".to_owned()];
        self.target("imported memory", item, text, Syntax::Markdown, key);
        let lock = format!("{a}/journal.lock");
        self.target("lock", lock, derived, Syntax::Toml, Vec::new());
        let lock = ".loopdeck/loops/naming.lock".to_owned();
        self.target("naming lock", lock, derived, Syntax::Toml, Vec::new());
        self.of_the_run(&folder(&worked), run.as_str());
        self.of_the_person();
    }

    fn of_the_run(&mut self, folder: &str, run: &str) {
        let file = |name: &str| format!("{folder}/runs/{run}/{name}");
        let (truth, derived, text) = (Role::Truth, Role::Derived, Role::Text);
        let (worker, log) = (vec![format!("worker {run}")], vec![format!("log {run}")]);
        let status = file("status.json");
        self.target("worker status", status, truth, Syntax::Json, worker.clone());
        self.target("worker job", file("job.json"), derived, Syntax::Json, Vec::new());
        self.target("worker brief", file("brief.md"), derived, Syntax::Markdown, Vec::new());
        self.target("worker log", file("stdout.log"), text, Syntax::Markdown, log);
        self.target("reply", file("LANE-RESULT.json"), text, Syntax::Json, worker);
    }

    fn of_the_person(&mut self) {
        let dirs = others::user_dirs(&self.root);
        let kept = Kept::of(&dirs.state, &self.root);
        let below = |path: &Path| {
            path.strip_prefix(&self.root).expect("below").to_string_lossy().into_owned()
        };
        let files = [
            ("approvals", below(&dirs.state.join("approvals.json")), Syntax::Json, "approvals"),
            ("place", below(&kept.place), Syntax::Json, "place"),
            ("draft", below(&kept.draft), Syntax::Json, "draft"),
            ("keys", below(&dirs.config.join("keys.toml")), Syntax::Toml, "keys"),
            ("deck settings", below(&dirs.config.join("deck.toml")), Syntax::Toml, "deck"),
            ("theme", below(&dirs.config.join("themes/mine.toml")), Syntax::Toml, "theme mine"),
        ];
        for (format, path, syntax, key) in files {
            let mut keys = vec![key.to_owned()];
            // How a theme is shown depends on the glyphs that are wanted.
            if format == "deck settings" {
                keys.extend(["theme mine".to_owned(), "theme theirs".to_owned()]);
            }
            self.target(format, path, Role::Truth, syntax, keys);
        }
    }

    fn target(
        &mut self,
        format: &'static str,
        path: String,
        role: Role,
        syntax: Syntax,
        keys: Vec<String>,
    ) {
        let path = self.root.join(path);
        let bytes = self.files.get(&path).unwrap_or_else(|| panic!("{} is there", path.display()));
        let bytes = bytes.clone();
        self.targets.push(Target { format, path, bytes, role, syntax, keys });
    }

    /// What a person or a repository puts beside the stores.
    fn own_files(&self) {
        let store = self.root.join(".loopdeck");
        let write = |name: &str, text: &str| {
            let path = store.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("config.toml", SETTINGS);
        for name in ["own", "another"] {
            write(&format!("protocols/{name}.toml"), PROTOCOL);
        }
        for name in ["mine", "theirs"] {
            let text =
                format!("name = \"{name}\"\nfilter = [\"traps\"]\ninstruction = \"Doubt.\"\n");
            write(&format!("profiles/{name}.toml"), &text);
        }
        for name in ["start", "begin"] {
            let text = "+++\nkind = \"ideation\"\ntitle = \"A start\"\n+++\nThe text of it.\n";
            write(&format!("templates/{name}.md"), text);
        }
    }

    fn only_in(&self, folder: &str) -> String {
        self.first_in(folder, "")
    }

    fn first_in(&self, folder: &str, prefix: &str) -> String {
        let folder = self.root.join(folder);
        let mut names =
            self.files.keys().filter(|path| path.parent() == Some(&folder)).filter(|p| {
                let name = p.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with(prefix)
            });
        let path = names.next().unwrap_or_else(|| panic!("a file in {}", folder.display()));
        path.strip_prefix(&self.root).expect("below").to_string_lossy().into_owned()
    }

    fn a_record(&self) -> String {
        let page = self.engine().rewards(&Default::default()).expect("records");
        page.records.last().expect("a record").path.to_string()
    }

    fn remember(&mut self) {
        self.files = files_below(&self.root);
    }

    /// Puts everything back as it was.
    pub fn heal(&self) {
        let now = files_below(&self.root);
        for path in now.keys().filter(|path| !self.files.contains_key(*path)) {
            remove(path);
        }
        for (path, bytes) in &self.files {
            if now.get(path) != Some(bytes) || !path.is_file() {
                remove(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                fs::write(path, bytes).expect("written");
            }
        }
    }

    /// All files as they are.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(&self.root)
    }
}

/// Removes whatever is there under a name.
pub fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path).expect("removed"),
        Ok(_) => fs::remove_file(path).expect("removed"),
        Err(_) => {}
    }
}

/// Files below a folder with what they hold: a link by where it leads, what is
/// neither file nor link by a word; large ones by their length.
fn files_below(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut todo, mut files) = (vec![root.to_owned()], BTreeMap::new());
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).expect("listed").flatten() {
            let path = entry.path();
            let meta = entry.metadata().expect("it is there");
            let bytes = if meta.is_dir() {
                todo.push(path);
                continue;
            } else if meta.is_symlink() {
                let target = fs::read_link(&path).expect("a link");
                format!("a link to {}", target.display()).into_bytes()
            } else if meta.is_file() {
                fs::read(&path).expect("readable")
            } else {
                b"no file".to_vec()
            };
            files.insert(path, bytes);
        }
    }
    files
}

const PROTOCOL: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/protocols/ideation.toml"));

const SETTINGS: &str = "\
actor = \"agent:somebody\"
lock_wait_ms = 4000
redact = [\"tok_[a-z0-9]+\"]

[brief]
max_chars = 20000
top_k = 5

[verify]
timeout_s = 60
pass_env = [\"DATABASE_URL\"]

[dream]
selection = \"newest\"
max_records = 100

[dispatch]
enabled = true
kinds = [\"review\"]

[agents.script]
command = [\"sh\", \"critic.sh\"]

[grants]
\"agent:somebody\" = [\"force\"]
";

fn add(engine: &Engine, id: &LoopId, kind: &str, body: &str) {
    let new = NewArtifact {
        artifact_type: kind.to_owned(),
        content: Content::Body(body.into()),
        ..NewArtifact::default()
    };
    engine.execute(id, Command::AddArtifact(new), &Write::operator()).expect("filed");
}

fn plain_loop(engine: &Engine, title: &str) -> LoopId {
    let mut request = OpenRequest::new(Kind::Ideation, title);
    request.proposal = Some("Keep the parsed index in memory.".to_owned());
    request.slots = ["champion", "critic"].iter().map(|s| s.parse().expect("a slot")).collect();
    engine.open_loop(&request, &Write::operator()).expect("opened").state.id.clone()
}

/// A loop with an event of most kinds.
fn rich_loop(engine: &Engine) -> LoopId {
    let id = plain_loop(engine, "Cache the parsed index");
    let run =
        |command: Command| engine.execute(&id, command, &Write::operator()).expect("carried out");
    run(Command::Advance { to: None, force: false, reason: None });
    run(Command::Turn { slot: SlotSelector::Role("critic".into()), input: Some("Look.".into()) });
    run(Command::Ask(NewQuestion {
        slot: Some("critic".into()),
        text: "How stale may it be?".into(),
        evidence: vec!["nobody says".into()],
        default: Some("a minute".into()),
        deadline: Some("7d".into()),
        ..NewQuestion::default()
    }));
    let question = engine.load(&id).expect("it").open_questions[0].question_id.to_string();
    run(Command::Answer { question, reply: Reply::Text("An hour.".into()) });
    add(engine, &id, "critique", &"Nobody says who throws it away. ".repeat(200));
    run(Command::CompleteTurn {
        slot: "critic".into(),
        turn: None,
        outcome: Outcome::Done,
        reason: None,
        artifacts: Vec::new(),
        proof: None,
    });
    run(Command::Undo { to: None });
    run(Command::Redo);
    let requested = Write { request_id: Some("job-1".into()), ..Write::operator() };
    engine.execute(&id, Command::Pause { reason: None }, &requested).expect("paused");
    run(Command::Resume);
    run(Command::Rate { phase: "critique".into(), reward: 0.7 });
    id
}

/// A loop that ended, so that it has a snapshot.
fn closed_loop(engine: &Engine) -> LoopId {
    let id = plain_loop(engine, "One that ended");
    add(engine, &id, "note", "For later.");
    let close = Command::Close { status: Status::Cancelled, reason: Some("not now".into()) };
    engine.execute(&id, close, &Write::operator()).expect("closed");
    id
}

fn memory(engine: &Engine) -> String {
    let draft = |title: &str| MemoryDraft {
        category: Some(Category::Traps),
        title: Some(title.to_owned()),
        text: Some("The cache outlived the file.".to_owned()),
        tags: Some(vec!["cache".to_owned()]),
        paths: Some(vec!["src/**".to_owned()]),
        source: Some("a review".to_owned()),
    };
    let first = engine.memory_add(&draft("Stale cache")).expect("stored");
    engine.memory_add(&draft("Another one")).expect("stored");
    first.id.to_string()
}

fn sessions(engine: &Engine) -> String {
    let mut ids = Vec::new();
    for goal in ["all tests pass", "no lint"] {
        let draft = SessionDraft { goal: goal.into(), ..SessionDraft::default() };
        let done = engine.start_session(&draft, &Write::operator()).expect("started");
        let id = done.session.session_id.clone();
        for left in [3_u32, 1] {
            let mut attempt = AttemptDraft::new(ActionType::Test, "run the tests");
            attempt.observation = ObservationDraft {
                raw_text: format!("{left} failed"),
                exit_code: Some(1),
                duration_ms: Some(1_200),
                ..ObservationDraft::default()
            };
            attempt.gap = Some(GapDraft {
                metric_type: None,
                current_value: Amount::from(left),
                target_value: None,
            });
            engine.record_attempt(&id, &attempt, &Write::operator()).expect("recorded");
        }
        ids.push(id.to_string());
    }
    ids.swap_remove(0)
}

fn rewards(engine: &Engine) {
    for n in 0..8 {
        for (domain, reward) in [("billing", 0.9), ("search", 0.3)] {
            let draft = RewardDraft {
                case: format!("case {n}"),
                domain: Some(domain.into()),
                phase: "design".into(),
                skill: Some("sketcher".into()),
                reward,
                iterations: Some(2),
                ..RewardDraft::default()
            };
            engine.reward_add(&draft).expect("stored");
        }
    }
}
