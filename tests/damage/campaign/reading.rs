//! Everything that can be read of a workspace, by name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use loopdeck::core::loops::ids::LoopId;
use loopdeck::engine::{
    BriefRequest, Engine, LogQuery, MemoryQuery, Options, Problem, RewardQuery, Stream,
};
use loopdeck::tui::kept::Kept;
use loopdeck::tui::settings::Settings;

/// What a reading gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What is there, by name, in words that are equal if it is the same.
    pub values: BTreeMap<String, String>,
    /// What was said to be wrong: where and what.
    pub said: Vec<(PathBuf, String)>,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Everything that is listed, once.
    Briefly,
    /// Loops from every side.
    Closely,
}

impl Reading {
    /// Reads everything.
    pub fn of(engine: &Engine, options: &Options, look: Look) -> Self {
        let mut reading = Self::default();
        reading.loops(engine, look);
        reading.memory(engine);
        reading.sessions(engine);
        reading.dreams(engine);
        reading.own(engine);
        reading.workers(engine);
        reading.person(engine, options);
        reading
    }

    fn tell(&mut self, problems: impl IntoIterator<Item = Problem>) {
        let told = problems.into_iter();
        self.said.extend(told.map(|p| (p.path, format!("{}: {}", p.code, p.message))));
    }

    fn note(&mut self, place: &str, said: &str) {
        self.said.push((PathBuf::from(place), said.to_owned()));
    }

    fn put(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.values.insert(key.into(), value.into());
    }

    fn loops(&mut self, engine: &Engine, look: Look) {
        let listing = engine.list().expect("the folder can be listed");
        self.tell(listing.problems);
        for line in &listing.loops {
            let id = &line.id;
            match engine.load(id) {
                Ok(state) => {
                    let text = serde_json::to_string(&*state).expect("JSON");
                    self.put(format!("loop {id}"), text);
                    self.bodies(engine, id);
                    if look == Look::Closely {
                        look_closely(engine, id);
                    }
                }
                Err(error) => self.note(id.as_str(), error.message()),
            }
            let problems = engine.loop_problems(id);
            self.tell(problems);
        }
        if look == Look::Closely {
            let _ = engine.log(&LogQuery::default());
            let _ = engine.search("cache", 10);
        }
    }

    /// The long texts of a loop.
    fn bodies(&mut self, engine: &Engine, id: &LoopId) {
        let state = engine.load(id).expect("loaded before");
        for artifact in state.artifacts.iter().filter(|a| a.body_file.is_some()) {
            match engine.body(id, &artifact.artifact_id) {
                Ok(text) => self.put(format!("body {id}"), text),
                Err(error) => self.note(id.as_str(), error.message()),
            }
        }
    }

    fn memory(&mut self, engine: &Engine) {
        let page = engine.memory(&MemoryQuery::default()).expect("memory can be read");
        self.tell(page.problems);
        for item in page.items {
            self.put(format!("memory {}", item.id), format!("{item:?}"));
        }
        let query = MemoryQuery { words: Some("stale cache".into()), ..MemoryQuery::default() };
        engine.memory(&query).expect("memory can be searched");
        // The mark of an import: whether the same would come again.
        let source = engine.root().join("0001-record.md");
        if let Ok(report) = engine.memory_import(&source, None, true) {
            self.put("import", format!("{:?} {:?}", report.imported.len(), report.skipped));
        }
    }

    fn workers(&mut self, engine: &Engine) {
        let (workers, problems) = engine.workers().expect("workers can be listed");
        self.tell(problems);
        for worker in workers {
            let run = worker.run_id.as_ref().map(ToString::to_string).unwrap_or_default();
            let folder = worker.run_dir.clone().unwrap_or_default();
            self.put(format!("worker {run}"), format!("{worker:?}"));
            match engine.run_log(&folder, Stream::Stdout, 0) {
                Ok(piece) => self.put(format!("log {run}"), piece.text),
                Err(error) => self.note("stdout.log", error.message()),
            }
            let _ = engine.run_tail(&folder, 4_096);
        }
    }

    /// What belongs to the person and to no workspace.
    fn person(&mut self, engine: &Engine, options: &Options) {
        match engine.approvals() {
            Ok(all) => self.put("approvals", format!("{all:?}")),
            Err(error) => self.note("approvals.json", error.message()),
        }
        let settings = Settings::load(options, |_| None);
        let keys: Vec<_> =
            settings.keys.bindings().iter().map(|binding| format!("{binding:?}")).collect();
        self.put("keys", keys.join("\n"));
        let habits = &settings.habits;
        let theme = habits.theme.as_ref().map(|(name, _)| name);
        let (glyphs, mouse, notify) = (habits.glyphs, habits.mouse, habits.notify);
        self.put("deck", format!("{theme:?} {glyphs:?} {mouse:?} {notify:?} {}", habits.still));
        for named in &settings.themes {
            self.put(format!("theme {}", named.name), format!("{:?}", named.theme));
        }
        let paths = Engine::paths(options);
        let kept = Kept::of(&paths.state, engine.root());
        match kept.read_place() {
            Ok(Some(place)) => self.put("place", format!("{place:?}")),
            Ok(None) => {}
            Err(problem) => self.tell([problem]),
        }
        match kept.read_draft() {
            Ok(Some(draft)) => self.put("draft", format!("{draft:?}")),
            Ok(None) => {}
            Err(problem) => self.tell([problem]),
        }
        self.tell(settings.problems);
    }

    fn sessions(&mut self, engine: &Engine) {
        let listing = engine.sessions().expect("sessions can be listed");
        self.tell(listing.problems);
        for line in listing.sessions {
            match engine.session(&line.session_id) {
                Ok(session) => {
                    let text = serde_json::to_string(&*session).expect("JSON");
                    self.put(format!("session {}", line.session_id), text);
                }
                Err(error) => self.note(line.session_id.as_str(), error.message()),
            }
        }
    }

    fn dreams(&mut self, engine: &Engine) {
        let page = engine.rewards(&RewardQuery::default()).expect("records can be listed");
        for record in page.records {
            self.put(format!("record {}", record.path), format!("{record:?}"));
        }
        for skipped in page.skipped {
            let said = format!("{} {}", skipped.reason, skipped.detail);
            self.note(&skipped.path, &said);
        }
        for line in engine.dreams().expect("dreams can be listed") {
            let id = line.dream_id.to_string();
            match (line.problem, engine.dream(Some(&id))) {
                (None, Ok(view)) => {
                    self.put(format!("dream {id}"), format!("{:?}", view.dream));
                    let marks: Vec<_> =
                        view.insights.iter().filter_map(|i| Some((i.rank, i.mark?))).collect();
                    if !marks.is_empty() {
                        self.put("marks", format!("{marks:?}"));
                    }
                    self.tell(view.problems);
                }
                (Some(why), _) => self.note(&format!("{id}.json"), &why),
                (None, Err(error)) => self.note(&id, error.message()),
            }
        }
        match engine.dream_status() {
            Ok(status) => {
                for said in &status.warnings {
                    self.note("trigger-state.json", said);
                }
                if status.warnings.is_empty() {
                    self.put("trigger", format!("{:?}", status.state));
                }
            }
            Err(error) => self.note("trigger-state.json", error.message()),
        }
        let _ = engine.dream_graph();
        let _ = engine.dream_diff(None, None);
    }

    fn own(&mut self, engine: &Engine) {
        for one in engine.protocols().0 {
            self.put(format!("protocol {}", one.name), format!("{:?}", one.phases));
        }
        for one in engine.profiles().0 {
            self.put(format!("profile {}", one.name), format!("{one:?}"));
        }
        for one in engine.templates().0 {
            self.put(format!("template {}", one.name), format!("{one:?}"));
        }
        self.tell(engine.problems());
        let settings = format!("{:?} {:?}", engine.default_actor(), engine.agents());
        self.put("settings", settings);
    }
}

/// All ways of looking at one loop: what they answer is theirs, that they answer is
/// looked at here.
fn look_closely(engine: &Engine, id: &LoopId) {
    let state = engine.load(id).expect("loaded before");
    for artifact in state.artifacts.iter().rev().take(3) {
        let _ = engine.body(id, &artifact.artifact_id);
    }
    let _ = engine.why(id);
    let _ = engine.coverage(id);
    let _ = engine.brief(id, &BriefRequest::default());
    let _ = engine.export(id);
    let _ = engine.timeline(id);
    let _ = engine.past(id);
    let _ = engine.dispatch_offers(id);
    let _ = engine.follow_up(id);
    let _ = engine.state_at(id, 3);
    let _ = engine.insights_of(id);
}
