//! How long a frame takes to build, and a key to become a frame: with 5,000
//! loops in the list and a loop of 50,000 events in view.
#![allow(missing_docs)] // criterion's macros make undocumented functions.

mod opened;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use loopdeck::core::loops::command::{Command, Content, NewArtifact};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{
    Clock, Engine, InitOptions, Listing, LogQuery, OpenRequest, Options, Write,
};
use loopdeck::tui::app::App;
use loopdeck::tui::msg::{Answer, DetailData, Msg};
use loopdeck::tui::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use opened::deck_at;

const LOOPS: usize = 5_000;
const EVENTS: usize = 50_000;
const NOON: i64 = 1_772_366_400_000;

fn engine(folder: &std::path::Path) -> Engine {
    Engine::init(folder, InitOptions::default()).expect("a workspace");
    Engine::open(Options {
        workspace: Some(folder.to_path_buf()),
        seed: Some(1),
        unflushed: true,
        clock: Some(Clock::new(|| Timestamp::from_millis(NOON))),
        ..Options::default()
    })
    .expect("an engine")
}

/// A loop of 50,000 events.
fn long_loop(engine: &Engine) -> LoopId {
    let request = OpenRequest::new(Kind::Ideation, "A loop of fifty thousand events");
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    for n in 0..EVENTS {
        let artifact = NewArtifact {
            artifact_type: "proposal".into(),
            content: Content::Body(format!("Thought {n}: what if it were the other way?").into()),
            ..NewArtifact::default()
        };
        engine.execute(&id, Command::AddArtifact(artifact), &Write::operator()).expect("filed");
    }
    id
}

fn detail(engine: &Engine, id: &LoopId) -> DetailData {
    let query = LogQuery { loop_id: Some(id.clone()), limit: Some(400), ..LogQuery::default() };
    DetailData {
        insights: engine.insights_of(id).expect("read"),
        state: engine.load(id).expect("it loads"),
        why: engine.why(id).expect("it explains"),
        coverage: engine.coverage(id).expect("it counts"),
        log: engine.log(&query).expect("it reads"),
        problems: Vec::new(),
        offers: Vec::new(),
        session: None,
    }
}

/// The listing with the long loop on top and others like it below.
fn listing(engine: &Engine) -> Listing {
    let mut listing = engine.list().expect("it lists");
    let first = listing.loops[0].clone();
    for n in 1..LOOPS {
        let mut other = first.clone();
        other.id = LoopId::derive(&[&n.to_be_bytes()]);
        other.title = format!("Loop {n}: extract the dispatcher into its own package");
        other.updated_at = first.updated_at.plus_millis(-60_000 * i64::try_from(n).unwrap_or(0));
        listing.loops.push(other);
    }
    listing
}

fn deck(engine: &Engine, listing: &Listing, id: &LoopId) -> App {
    let mut app = deck_at(NOON);
    app.update(Msg::Answer(Answer::Listing(Ok(listing.clone()))));
    let data = detail(engine, id);
    app.update(Msg::Answer(Answer::Detail(id.clone(), Ok(Box::new(data)))));
    app
}

fn key(app: &mut App, c: char) {
    app.update(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
}

fn frames(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = engine(folder.path());
    let id = long_loop(&engine);
    let listing = listing(&engine);
    let mut group = criterion.benchmark_group("deck");
    group.sample_size(30).measurement_time(Duration::from_secs(2));
    for (columns, rows) in [(120, 40), (200, 60)] {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a screen");
        let size = format!("{columns}x{rows}");
        let mut app = deck(&engine, &listing, &id);
        group.bench_function(BenchmarkId::new("frame", &size), |bencher| {
            bencher.iter(|| {
                terminal.draw(|frame| view::draw(black_box(&mut app), frame)).expect("a frame");
            });
        });
        // To and fro in the list, so that loop and detail change with each key.
        let mut app = deck(&engine, &listing, &id);
        let mut down = false;
        group.bench_function(BenchmarkId::new("key in list to frame", &size), |bencher| {
            bencher.iter(|| {
                down = !down;
                key(&mut app, if down { 'j' } else { 'k' });
                terminal.draw(|frame| view::draw(&mut app, frame)).expect("a frame");
            });
        });
        // To and fro in the artifacts of the long loop.
        let mut app = deck(&engine, &listing, &id);
        for _ in 0..4 {
            app.update(Msg::Key(KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE)));
        }
        group.bench_function(BenchmarkId::new("key in artifacts to frame", &size), |bencher| {
            bencher.iter(|| {
                down = !down;
                key(&mut app, if down { 'k' } else { 'j' });
                terminal.draw(|frame| view::draw(&mut app, frame)).expect("a frame");
            });
        });
    }
    group.finish();
    percentiles(&engine, &listing, &id);
}

/// The 50th and the 95th of 2,000 keys of all sorts, as issues ask for them.
fn percentiles(engine: &Engine, listing: &Listing, id: &LoopId) {
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
    let mut app = deck(engine, listing, id);
    let keys: Vec<char> = "jjkjw/dispk12?jGgsn".chars().collect();
    let mut took: Vec<Duration> = Vec::new();
    for at in 0..2_000 {
        let before = Instant::now();
        key(&mut app, keys[at % keys.len()]);
        terminal.draw(|frame| view::draw(&mut app, frame)).expect("a frame");
        took.push(before.elapsed());
        if at % keys.len() == keys.len() - 1 {
            for _ in 0..4 {
                app.update(Msg::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
            }
        }
    }
    took.sort_unstable();
    let (half, most, all) = (took[1_000], took[1_900], took[1_999]);
    println!("key to frame, 200x60: p50 {half:?}, p95 {most:?}, at most {all:?}");
}

criterion_group!(benches, frames);
criterion_main!(benches);
