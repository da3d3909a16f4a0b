//! A session of ten thousand attempts: reading it, drawing it, a key in it.
#![allow(missing_docs)] // criterion's macros make undocumented functions.

mod opened;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use loopdeck::core::session::{
    self, ActionType, Attempt, AttemptId, GoalType, MetricType, NewAttempt, NewGap, Observation,
    ObservationId, Outcome, Session, SessionId, Source,
};
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{Engine, InitOptions, Options, SessionListing};
use loopdeck::tui::app::App;
use loopdeck::tui::msg::{Answer, Msg};
use loopdeck::tui::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use opened::deck_at;

const ATTEMPTS: u32 = 10_000;
const NOON: i64 = 1_772_366_400_000;

/// What a test run with some failures says: about 1 KiB.
fn output(failing: u64) -> String {
    let lines = (0..18).map(|n| format!("test parser::case_{n:03}::reads_what_it_wrote ... ok\n"));
    let last = format!("test result: FAILED. 18 passed; {failing} failed; 0 ignored\n");
    lines.chain([last]).collect()
}

/// A session with one attempt left, its gap going to and fro.
fn long_session() -> Session {
    let id = SessionId::derive(&[b"bench"]);
    let at = |n: u32| Timestamp::from_millis(NOON - i64::from(ATTEMPTS - n) * 60_000);
    let mut session = Session::new(id.clone(), "all tests pass", GoalType::TestsPass, at(0));
    session.max_attempts = ATTEMPTS + 1;
    for n in 0..ATTEMPTS {
        let failing = u64::from(3 + n * 7 % 41);
        let attempt_id = AttemptId::derive(&[&n.to_be_bytes()]);
        let seen = ObservationId::derive(&[&n.to_be_bytes()]);
        let mut attempt = Attempt::new(attempt_id, id.clone(), at(n));
        attempt.action_type = ActionType::Test;
        attempt.action_description = format!("cargo test, change {n}");
        attempt.outcome = Outcome::Failure;
        attempt.observation_id = Some(seen.clone());
        let mut observation = Observation::new(seen, Source::ProcessStdout, &output(failing));
        observation.exit_code = 101;
        let gap = Some(NewGap::to_zero(MetricType::TestFailureCount, failing));
        let new = NewAttempt { attempt, observation: Some(observation), gap };
        session::record(&mut session, new, at(n)).expect("recorded");
    }
    session
}

fn engine(folder: &std::path::Path) -> Engine {
    let options = Options { workspace: Some(folder.to_owned()), ..Options::default() };
    Engine::open(options).expect("opened")
}

/// The deck on the sessions screen, nothing read yet.
fn deck() -> App {
    let mut app = deck_at(NOON);
    key(&mut app, KeyCode::Char('3'));
    app
}

fn key(app: &mut App, code: KeyCode) {
    app.update(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
}

fn shown(listing: &SessionListing, session: &Arc<Session>) -> App {
    let mut app = deck();
    app.update(Msg::Answer(Answer::Sessions(Ok(listing.clone()))));
    let id = session.session_id.clone();
    app.update(Msg::Answer(Answer::Session(id, Ok(Arc::clone(session)))));
    app
}

fn sessions(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    Engine::init(folder.path(), InitOptions::default()).expect("a workspace");
    let written = long_session();
    let file = folder.path().join(format!(".whetstone/sessions/{}.json", written.session_id));
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    let text = serde_json::to_string_pretty(&written).expect("JSON");
    println!("{ATTEMPTS} attempts, a file of {} KiB", text.len() / 1024);
    std::fs::write(&file, text).expect("written");

    let mut group = criterion.benchmark_group("a session of 10,000 attempts");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    group.bench_function("read for the list, by the worker", |bencher| {
        bencher.iter_with_setup(|| engine(folder.path()), |engine| engine.sessions());
    });
    group.bench_function("read whole, by the worker", |bencher| {
        bencher.iter_with_setup(
            || engine(folder.path()),
            |engine| engine.session(&written.session_id).expect("read"),
        );
    });

    let engine = engine(folder.path());
    let listing = engine.sessions().expect("listed");
    let session = engine.session(&written.session_id).expect("read");
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
    group.bench_function("its answer to the first frame (limit 16 ms)", |bencher| {
        bencher.iter_with_setup(
            || {
                let mut app = deck();
                app.update(Msg::Answer(Answer::Sessions(Ok(listing.clone()))));
                app
            },
            |mut app| {
                let id = session.session_id.clone();
                app.update(Msg::Answer(Answer::Session(id, Ok(Arc::clone(&session)))));
                terminal.draw(|frame| view::draw(&mut app, frame)).expect("a frame");
                app
            },
        );
    });
    let mut app = shown(&listing, &session);
    group.bench_function("a frame (limit 16 ms)", |bencher| {
        bencher.iter(|| {
            terminal.draw(|frame| view::draw(black_box(&mut app), frame)).expect("a frame");
        });
    });
    // At the oldest attempt, which is the farthest from where a search begins.
    for (name, to) in [("newest", KeyCode::Char('g')), ("oldest", KeyCode::Char('G'))] {
        key(&mut app, KeyCode::Tab);
        key(&mut app, to);
        let mut down = false;
        group.bench_function(
            format!("a key in the {name} attempts to a frame (16 ms)"),
            |bencher| {
                bencher.iter(|| {
                    down = !down;
                    key(&mut app, KeyCode::Char(if down { 'k' } else { 'j' }));
                    terminal.draw(|frame| view::draw(&mut app, frame)).expect("a frame");
                });
            },
        );
        key(&mut app, KeyCode::BackTab);
    }
    group.finish();
}

criterion_group!(benches, sessions);
criterion_main!(benches);
