//! What is kept in files: loops, sessions, records, protocols, memory.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use loopdeck::core::dream::{Request, WithGraph, dream_of_files};
use loopdeck::core::loops::Command;
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::lint::{lint, parse_protocol};
use loopdeck::core::loops::model::Loop;
use loopdeck::core::memory::Category;
use loopdeck::core::session::{Session, SessionSummary};
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{
    BriefRequest, Clock, Engine, InitOptions, OpenRequest, Options, Treatment, Write,
};
use loopdeck::store::memory::format::{Named, parse, render};

/// A folder with a workspace; one a thread, used again and again.
pub(crate) struct Place {
    /// Its root.
    pub root: PathBuf,
    _folder: tempfile::TempDir,
}

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Hands out this thread's workspace, without loops.
pub(crate) fn with_place<T>(work: impl FnOnce(&Place) -> T) -> T {
    PLACE.with_borrow_mut(|place| {
        let place = place.get_or_insert_with(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            Engine::init(folder.path(), InitOptions::default()).expect("a workspace");
            Place { root: folder.path().to_owned(), _folder: folder }
        });
        let answer = work(place);
        for name in [".loopdeck/loops", ".loopdeck/requests", ".whetstone", ".loopdeck/quarantine"]
        {
            // What is not there need not go.
            let _ = fs::remove_dir_all(place.root.join(name));
        }
        answer
    })
}

impl Place {
    /// An engine that knows nothing yet.
    pub fn engine(&self) -> Engine {
        let now = || Timestamp::from_millis(1_772_366_400_000);
        Engine::open(Options {
            workspace: Some(self.root.clone()),
            clock: Some(Clock::new(now)),
            seed: Some(7),
            unflushed: true,
            ..Options::default()
        })
        .expect("a workspace")
    }

    fn loop_file(&self, id: &LoopId, name: &str, bytes: &[u8]) {
        let folder = self.root.join(".loopdeck/loops").join(id.as_str());
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(name), bytes).expect("written");
    }
}

fn id() -> LoopId {
    LoopId::parse("lop_00000000000000aa").expect("an id")
}

/// Everything that can be asked of a loop.
fn look(engine: &Engine, id: &LoopId) {
    engine.list().expect("the folder can be listed");
    let Ok(state) = engine.load(id) else { return };
    for artifact in state.artifacts.iter().take(8) {
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
    let json = serde_json::to_string(&*state).expect("a loop is JSON");
    let again: Loop = serde_json::from_str(&json).expect("a loop's JSON is a loop");
    assert_eq!(serde_json::to_string(&again).expect("JSON"), json);
}

/// A journal, whatever it says: it is read, looked at from all sides, and worked on.
pub fn journal(bytes: &[u8]) {
    with_place(|place| {
        place.loop_file(&id(), "journal.jsonl", bytes);
        let engine = place.engine();
        look(&engine, &id());
        engine.doctor(Treatment::default(), &[]).expect("the doctor looks");
        let Ok(before) = engine.load(&id()) else { return };
        for command in [
            Command::Pause { reason: None },
            Command::Advance { to: None, force: true, reason: Some("so".into()) },
            Command::Undo { to: None },
        ] {
            let Ok(done) = engine.execute(&id(), command, &Write::operator()) else { continue };
            assert!(done.state.version >= before.version, "a version never goes back");
            let own = engine.load(&id()).expect("what was written is read");
            let anew = place.engine().load(&id()).expect("what was written is read");
            assert!(*anew == *own, "another reader sees the same");
        }
    });
}

/// A snapshot beside the journal that the seeds bring: believed or not, nothing fails.
pub fn snapshot(bytes: &[u8]) {
    const JOURNAL: &[u8] = include_bytes!("../seeds/journal/whole.jsonl");
    with_place(|place| {
        place.loop_file(&id(), "journal.jsonl", JOURNAL);
        place.loop_file(&id(), "snapshot.json", bytes);
        look(&place.engine(), &id());
        if let Ok(state) = serde_json::from_slice::<Loop>(bytes) {
            serde_json::to_string(&state).expect("a loop is JSON");
        }
    });
}

/// A session file: what is read can be written, and is then the same.
pub fn session(bytes: &[u8]) {
    let _ = serde_json::from_slice::<SessionSummary>(bytes);
    let Ok(session) = serde_json::from_slice::<Session>(bytes) else { return };
    let text = loopdeck::store::sidecar::render(&session);
    let again: Session = serde_json::from_str(&text).expect("a session is read back");
    assert_eq!(loopdeck::store::sidecar::render(&again), text);
    let _ = (session.check(), session.is_stalled(), session.attempts_left());
    with_place(|place| {
        let folder = place.root.join(".whetstone/sessions");
        fs::create_dir_all(&folder).expect("made");
        let name = format!("{}.json", session.session_id);
        if name.contains(['/', '\\', '\0']) || fs::write(folder.join(name), bytes).is_err() {
            return;
        }
        let engine = place.engine();
        engine.sessions().expect("listed");
        let _ = engine.session(&session.session_id);
        let _ = engine.escalate_session(&session.session_id, "enough", &Write::operator());
    });
}

/// Reward records, parted by a line of dashes: read one by one and dreamt from.
pub fn record(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for file in text.split("\n---\n") {
        let _ = loopdeck::core::dream::record::read(file.as_bytes());
    }
    let _ = loopdeck::core::dream::record::read(bytes);
    let _ = loopdeck::core::dream::foreign::read(bytes);
    let _ = loopdeck::core::dream::Marks::parse(bytes);
    let _ = loopdeck::core::dream::trigger::State::parse(bytes);
    let files = text.split("\n---\n").enumerate();
    let files: Vec<_> = files.map(|(n, file)| (format!("d/c/p_{n}.json"), file)).collect();
    let now = Timestamp::from_millis(1_772_366_400_000);
    let request = Request { graph: WithGraph::Yes, ..Request::at(now) };
    let dreamt = dream_of_files(files, &request);
    let bytes = dreamt.dream.to_bytes();
    let again = loopdeck::core::dream::Dream::parse(&bytes).expect("a dream is read back");
    assert_eq!(again.to_bytes(), bytes);
}

/// A protocol file: refused, or a loop that runs by it can be opened and driven.
pub fn protocol(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok((kind, protocol)) = parse_protocol(text) else { return };
    let _ = lint(kind, &protocol);
    with_place(|place| {
        let path = place.root.join("fuzzed.toml");
        fs::write(&path, bytes).expect("written");
        let engine = place.engine();
        let mut request = OpenRequest::new(kind, "By a protocol from outside");
        request.protocol_file = Some(path);
        let Ok(done) = engine.open_loop(&request, &Write::operator()) else { return };
        let id = done.state.id.clone();
        for _ in 0..6 {
            let reason = Some("so".to_owned());
            let advance = Command::Advance { to: None, force: true, reason };
            let _ = engine.execute(&id, advance, &Write::operator());
            look(&engine, &id);
        }
    });
}

/// A memory item: what is read can be written, and says the same then.
pub fn memory(bytes: &[u8]) {
    let named = Named {
        id: "trp_00000001",
        category: Category::Traps,
        changed_at: Timestamp::from_millis(0),
    };
    match parse(bytes, &named) {
        Ok(file) => {
            let again = parse(render(&file).as_bytes(), &named).expect("it is read back");
            assert_eq!(again.item, file.item);
            assert_eq!(again.unknown, file.unknown);
        }
        Err(flaw) => assert!(flaw.line > 0 && flaw.column > 0, "{flaw:?}"),
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = loopdeck::core::loops::template::parse("fuzzed", &text);
    let _ = loopdeck::core::brief::profile::Profile::parse("fuzzed", &text);
    let _ = loopdeck::store::config::parse(&text);
}
