//! Dreams: ten thousand files end to end, the graph and associations of a
//! hundred thousand records, and a million of them with `selection = "all"`.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use loopdeck::core::dream::associate;
use loopdeck::core::dream::graph::Graph;
use loopdeck::core::dream::index::Index;
use loopdeck::core::dream::near::Nearest;
use loopdeck::core::dream::select::select;
use loopdeck::core::dream::{
    Limits, Memory, Request, Selection, Settings, WithGraph, Without, dream,
};
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{DreamRequest, Engine, InitOptions, Options};

const DOMAINS: u64 = 12;
const PHASES: u64 = 8;
const SKILLS: u64 = 10;

/// A number that looks like chance and is the same in every run.
fn mixed(n: u64) -> u64 {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 31;
    x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
}

/// The path and the text of a record.
fn record(n: u64) -> (String, String) {
    let x = mixed(n);
    let (domain, phase, skill) = (x % DOMAINS, x / 16 % PHASES, x / 256 % SKILLS);
    let case = n / 4;
    let reward = (x / 4096 % 101) as f64 / 100.0;
    let (day, minute) = (1 + n % 28, n / 28 % 1440);
    let at = format!("2026-02-{day:02}T{:02}:{:02}:00Z", minute / 60, minute % 60);
    let path = format!("domain-{domain}/case-{case}/phase-{phase}_{n}.json");
    let text = format!(
        r#"{{"id":"rwd_{n:08x}","version":"1.1","timestamp":"{at}","case_slug":"case-{case}",
  "domain":"domain-{domain}","phase":"phase-{phase}","phase_name":"Phase {phase}",
  "skill_used":"skill-{skill}","reward":{reward},"reward_label":"good",
  "reward_reason":"as it was seen at the end of the phase","context":{{"loop_id":"x"}},
  "outcome":{{"artifacts_created":["a","b"],"iterations":{}}},"usage_count":0}}"#,
        1 + x % 3
    );
    (path, text)
}

fn memory(count: u64) -> Memory {
    Memory::of((0..count).map(record))
}

fn request() -> Request<'static> {
    let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
    let settings = Settings { selection: Selection::All, ..Settings::default() };
    Request { settings, graph: WithGraph::Yes, ..Request::at(now) }
}

fn fill(root: &Path, count: u64) {
    for (path, text) in (0..count).map(record) {
        let file = root.join(".keysarium/memory").join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
}

fn files(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    Engine::init(folder.path(), InitOptions::default()).expect("a workspace");
    fill(folder.path(), 10_000);
    let options = Options { workspace: Some(folder.path().to_owned()), ..Options::default() };
    let engine = Engine::open(options).expect("opened");
    let run = DreamRequest { force: true, ..DreamRequest::default() };
    let mut group = c.benchmark_group("dream");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    group.bench_function("10,000 files, end to end (limit 500 ms)", |b| {
        b.iter(|| black_box(engine.dream_run(&run, &|_, _| true).expect("dreamt")));
    });
    group.finish();
}

fn graph(c: &mut Criterion) {
    let memory = memory(100_000);
    let limits = Limits::default();
    let now = request().now.to_utc();
    let kept = select(&memory, request().settings, &limits, &Without::default(), now);
    let mut group = c.benchmark_group("graph and associations");
    group.sample_size(10);
    group.bench_function("100,000 records in memory (limit 150 ms)", |b| {
        b.iter(|| {
            let index = Index::new(&memory, &kept.rows);
            let graph = Graph::new(&index, &limits);
            let found = associate::find(&index, &limits, &mut Nearest::default());
            black_box((graph, found))
        });
    });
    group.finish();
}

fn records(c: &mut Criterion) {
    let mut group = c.benchmark_group("dream of records in memory, selection all");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for (count, name) in
        [(100_000, "100,000"), (300_000, "300,000"), (1_000_000, "1,000,000 (ten times the first)")]
    {
        let memory = memory(count);
        group.bench_function(name, |b| b.iter(|| black_box(dream(&memory, &request()))));
    }
    group.finish();
}

criterion_group!(benches, files, graph, records);
criterion_main!(benches);
