//! Briefs over a large memory: 10,000 items of 40 to 160 words each, a proposal
//! of 4 KB. What must hold: a brief ≤ 30 ms once the index is built.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use loopdeck::core::brief::rank::Ranking;
use loopdeck::core::brief::{DEFAULT_TOP_K, MemoryIndex};
use loopdeck::core::loops::command::Command;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::memory::{Category, MemoryItem};
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{BriefRequest, Engine, InitOptions, OpenRequest, Options, Write};
use loopdeck::store::memory::MemoryStore;
use loopdeck::store::memory::format::{new_file, render};

const ITEMS: usize = 10_000;

/// A small generator of pseudo-random numbers: the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// A word; small numbers come often, as words do.
    fn word(&mut self) -> String {
        let n = self.below(6_000) * self.below(6_000) / 6_000;
        match n % 40 {
            0 => ["缓存失效", "データベース", "сервер", "Déploiement"][(n % 4) as usize].to_owned(),
            1 => format!("load_{n}Balancer"),
            _ => format!("word{n}"),
        }
    }

    fn text(&mut self, words: u64) -> String {
        let mut text = String::new();
        for i in 0..words {
            let end = if i % 13 == 12 { ".\n" } else { " " };
            let _ = write!(text, "{}{end}", self.word());
        }
        text
    }
}

fn items() -> Vec<Arc<MemoryItem>> {
    let mut numbers = Numbers(7);
    (0..ITEMS)
        .map(|i| {
            let category = Category::USER[i % Category::USER.len()];
            let words = 40 + numbers.below(120);
            Arc::new(MemoryItem {
                id: format!("{}{i:08x}", category.id_prefix()).into(),
                category,
                title: numbers.text(5).trim().replace('\n', " "),
                text: numbers.text(words).trim().to_owned(),
                tags: vec![numbers.word()],
                paths: Vec::new(),
                source: None,
                created_at: Timestamp::from_millis(1_700_000_000_000 + i as i64 * 1_000),
            })
        })
        .collect()
}

fn proposal() -> String {
    Numbers(11).text(560)
}

fn write_all(root: &Path, items: &[Arc<MemoryItem>]) {
    for category in Category::USER {
        fs::create_dir_all(root.join(category.as_ref())).expect("made");
    }
    for item in items {
        let path = root.join(item.category.as_ref()).join(format!("{}.md", item.id));
        fs::write(path, render(&new_file((**item).clone(), None))).expect("written");
    }
}

fn index(c: &mut Criterion) {
    let items = items();
    let mut group = c.benchmark_group("index_10000_items");
    group.sample_size(10);
    group.bench_function("build", |b| b.iter(|| MemoryIndex::of(items.iter().cloned())));
    let index = MemoryIndex::of(items.iter().cloned());
    let mut changed = items.clone();
    changed[0] = Arc::new((*items[0]).clone());
    group.bench_function("update_one", |b| b.iter(|| index.updated(changed.iter().cloned())));
    let text = proposal();
    let ranking = Ranking { categories: &Category::USER, top_k: DEFAULT_TOP_K, scope_hints: &[] };
    group.bench_function("rank_4kb_query", |b| b.iter(|| index.rank(black_box(&text), &ranking)));
    group.finish();
}

fn engine(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("temporary folder");
    Engine::init(dir.path(), InitOptions::default()).expect("made");
    let root = dir.path().join(".loopdeck/memory");
    write_all(&root, &items());
    let options = Options { workspace: Some(dir.path().to_owned()), ..Options::default() };
    let engine = Engine::open(options).expect("opened");
    let request = OpenRequest {
        proposal: Some(proposal()),
        ..OpenRequest::new(Kind::Ideation, "A large memory")
    };
    let id = engine.open_loop(&request, &Write::operator()).expect("opened").state.id.clone();
    let to = |phase: &str| Command::Advance {
        to: Some(phase.to_owned()),
        force: false,
        reason: Some("bench".to_owned()),
    };
    let mut group = c.benchmark_group("engine_10000_items");
    group.sample_size(20);
    for phase in ["critique", "revision"] {
        engine.execute(&id, to(phase), &Write::operator()).expect("advanced");
        let brief = engine.brief(&id, &BriefRequest::default()).expect("assembled");
        assert!(brief.items.len() >= 3 * DEFAULT_TOP_K, "{}", brief.items.len());
        group.bench_function(format!("brief_{phase}"), |b| {
            b.iter(|| engine.brief(&id, &BriefRequest::default()).expect("assembled"));
        });
    }
    group.bench_function("read_all_files", |b| {
        b.iter_batched(
            || MemoryStore::new(&root, dir.path().join("quarantine")),
            |store| store.read(),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, index, engine);
criterion_main!(benches);
