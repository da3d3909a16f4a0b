//! Looking back: the state at any event of a long journal, replay, and a step
//! of the scrubber.
#![allow(missing_docs)] // criterion's macros make undocumented functions.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use loopdeck::core::loops::command::{Command, Content, NewArtifact};
use loopdeck::core::loops::event::Event;
use loopdeck::core::loops::history::{History, Timeline, fold};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::past::Past;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{Clock, Engine, InitOptions, OpenRequest, Options, Write};
use loopdeck::tui::app::time::TimeView;
use tempfile::TempDir;

const NOON: i64 = 1_772_366_400_000;

fn engine(folder: &Path) -> Engine {
    Engine::open(Options {
        workspace: Some(folder.to_path_buf()),
        seed: Some(1),
        unflushed: true,
        clock: Some(Clock::new(|| Timestamp::from_millis(NOON))),
        ..Options::default()
    })
    .expect("an engine")
}

/// A workspace with a loop of so many events.
fn long_loop(count: u64) -> (TempDir, LoopId) {
    let folder = tempfile::tempdir().expect("a folder");
    Engine::init(folder.path(), InitOptions::default()).expect("a workspace");
    let engine = engine(folder.path());
    let request = OpenRequest::new(Kind::Ideation, "A long loop");
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    for n in 1..count {
        let artifact = NewArtifact {
            artifact_type: "proposal".into(),
            content: Content::Body(format!("Thought {n}: what if it were the other way?").into()),
            ..NewArtifact::default()
        };
        engine.execute(&id, Command::AddArtifact(artifact), &Write::operator()).expect("filed");
    }
    (folder, id)
}

/// The events of a loop, as they are read.
fn events(folder: &Path, id: &LoopId) -> Vec<Event> {
    engine(folder).timeline(id).expect("it reads").events().to_vec()
}

/// Reads a loop from its journal alone: every line parsed, its chain checked, and
/// folded.
fn read_whole(folder: &Path, id: &LoopId) {
    let dir = folder.join(".loopdeck/loops").join(id.as_str());
    // Derived, and may be missing.
    let _ = std::fs::remove_file(dir.join("snapshot.json"));
    black_box(engine(folder).load(id).expect("it reads"));
}

/// A place in a journal, another each time.
fn next_place(seed: &mut u64, count: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    1 + (*seed >> 33) % count
}

fn looking_back(c: &mut Criterion) {
    let (folder, id) = long_loop(100_000);
    let long = events(folder.path(), &id);
    let mut group = c.benchmark_group("history");
    group.sample_size(20);
    group.throughput(Throughput::Elements(long.len() as u64));
    group.bench_function("replay_100k", |b| b.iter(|| black_box(fold(&long))));
    group.bench_function("read_and_replay_100k", |b| b.iter(|| read_whole(folder.path(), &id)));
    let timeline = Timeline::of(long).expect("it begins a loop");
    group.throughput(Throughput::Elements(1));
    let mut seed = 7;
    group.bench_function("state_at_random_of_100k", |b| {
        b.iter(|| black_box(timeline.at(next_place(&mut seed, 100_000))));
    });
    drop(timeline);
    let (folder, id) = long_loop(10_000);
    let past = Timeline::of(events(folder.path(), &id)).expect("it begins a loop");
    let id = past.head().id.clone();
    let past = std::sync::Arc::new(Past::new(past, &History::default()));
    let mut view = TimeView::new(id, past);
    let mut seed = 11;
    group.bench_function("scrub_step_at_10k", |b| {
        b.iter(|| view.go(next_place(&mut seed, 10_000)));
    });
    group.finish();
}

criterion_group!(benches, looking_back);
criterion_main!(benches);
