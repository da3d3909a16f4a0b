//! Seed steps 1345 to 1348 at the engine's door: what the three tools do, on a
//! real folder. That they are registered and what their schemas say is tested
//! where they are served.

mod integration;
mod record;
#[cfg(unix)]
mod runs;
mod start;
mod state;

use std::path::Path;
use std::sync::Arc;

use crate::core::session::{
    ActionType, Amount, GoalType, MetricType, Outcome, Session, SessionId, Status, Trend,
};
use crate::engine::{
    AttemptDone, AttemptDraft, Cancel, Clock, Engine, GapDraft, InitOptions, ObservationDraft,
    Options, Result, RunDraft, SessionDraft, Write,
};

struct Deck {
    dir: tempfile::TempDir,
    engine: Engine,
}

impl Deck {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        Engine::init(dir.path(), InitOptions::default()).expect("made");
        let engine = open(dir.path(), None);
        Self { dir, engine }
    }

    fn start(&self, goal_type: Option<GoalType>, max_attempts: Option<u32>) -> SessionId {
        let draft = SessionDraft {
            goal: "all tests pass".into(),
            goal_type,
            max_attempts,
            ..SessionDraft::default()
        };
        let done = self.engine.start_session(&draft, &Write::operator()).expect("started");
        done.session.session_id.clone()
    }

    fn record(&self, id: &SessionId, failures: u32) -> Result<AttemptDone> {
        self.engine.record_attempt(id, &told(failures), &Write::operator())
    }

    fn load(&self, id: &SessionId) -> Arc<Session> {
        self.engine.session(id).expect("there")
    }

    /// What another program sees.
    fn on_disk(&self, id: &SessionId) -> serde_json::Value {
        let path = self.dir.path().join(format!(".whetstone/sessions/{id}.json"));
        serde_json::from_slice(&std::fs::read(path).expect("there")).expect("JSON")
    }

    #[cfg(unix)]
    fn run(&self, id: &SessionId, script: &str) -> Result<AttemptDone> {
        self.run_with(id, script, &Cancel::default(), |_| {})
    }

    #[cfg(unix)]
    fn run_with(
        &self,
        id: &SessionId,
        script: &str,
        cancel: &Cancel,
        change: impl FnOnce(&mut RunDraft),
    ) -> Result<AttemptDone> {
        let path = self.dir.path().join("script.sh");
        std::fs::write(&path, script).expect("written");
        let argv = vec!["sh".to_owned(), path.display().to_string()];
        let mut draft = RunDraft { argv, ..RunDraft::default() };
        change(&mut draft);
        self.engine.run_attempt(id, &draft, &Write::operator(), cancel, |_| {})
    }
}

fn open(dir: &Path, clock: Option<Clock>) -> Engine {
    let workspace = Some(dir.to_owned());
    let options = Options { workspace, unflushed: true, clock, ..Options::default() };
    Engine::open(options).expect("opened")
}

fn told(failures: u32) -> AttemptDraft {
    AttemptDraft {
        outcome: Some(Outcome::Failure),
        gap: Some(GapDraft {
            metric_type: None,
            current_value: Amount::from(failures),
            target_value: None,
        }),
        ..AttemptDraft::new(ActionType::Test, "cargo test")
    }
}

fn request(id: &str) -> Write {
    Write { request_id: Some(id.to_owned()), ..Write::operator() }
}

/// Runs something twice, each time in a new workspace with the same clock and
/// chance, and checks that both say the same.
fn same_every_time(run: impl Fn(&Engine) -> String) -> String {
    let once = || {
        let dir = tempfile::tempdir().expect("temporary folder");
        Engine::init(dir.path(), InitOptions::default()).expect("made");
        let at = "2026-03-01T12:00:00Z".parse().expect("a time");
        let options = Options {
            workspace: Some(dir.path().to_owned()),
            clock: Some(Clock::new(move || at)),
            seed: Some(7),
            unflushed: true,
            ..Options::default()
        };
        run(&Engine::open(options).expect("opened"))
    };
    let first = once();
    assert_eq!(first, once());
    first
}

fn draft(goal: &str) -> SessionDraft {
    SessionDraft { goal: goal.into(), ..SessionDraft::default() }
}
