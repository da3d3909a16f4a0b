//! What a commit costs, beside a bare append and flush of the same bytes in the
//! same run, with little and with much in the journal; and what a list of many
//! loops costs.
//!
//! `cargo bench --bench commit`. Set `LOOPDECK_BENCH_DIR` to measure another
//! disk than that of the target folder.

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::Criterion;
use loopdeck::core::loops::EventBody;
use loopdeck::core::loops::command::{Command, Content, NewArtifact};
use loopdeck::core::loops::event::ArtifactAdded;
use loopdeck::core::loops::ids::{ArtifactId, LoopId};
use loopdeck::core::loops::model::{Actor, Artifact};
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::text::sha256_hex;
use loopdeck::core::time::Timestamp;
use loopdeck::engine::{Engine, InitOptions, OpenRequest, Options, Write};
use loopdeck::store::Flush;
use loopdeck::store::journal::{Draft, Journal, Position, scan};

/// Commits a measurement; both sides take turns, so that a busy disk strikes both.
const ROUNDS: usize = 600;

fn main() {
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    let place = std::env::var_os("LOOPDECK_BENCH_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    for events in [10, 100_000] {
        commits(&place, events);
    }
    list(&mut criterion, &place);
    criterion.final_summary();
}

/// Measures commits on a loop with so many events, and prints the medians.
fn commits(place: &Path, events: u64) {
    let dir = tempfile::tempdir_in(place).expect("temporary folder");
    let engine = workspace(dir.path());
    let id = engine.open_loop(&request(0), &Write::operator()).expect("opened").state.id.clone();
    let journal = dir.path().join(".loopdeck/loops").join(id.as_str()).join("journal.jsonl");
    grow(&journal, events);
    let engine = workspace(dir.path());
    let started = Instant::now();
    engine.load(&id).expect("readable");
    let first_load = started.elapsed();
    // The first commit reads and opens what the later ones find open.
    engine.execute(&id, note(0), &Write::operator()).expect("carried out");

    let bare_path = dir.path().join("bare");
    let mut bare = OpenOptions::new().create(true).append(true).open(&bare_path).expect("opened");
    let (mut engine_times, mut bare_times) = (Vec::new(), Vec::new());
    let mut length = fs::metadata(&journal).expect("there").len();
    for round in 1..=ROUNDS {
        let command = note(round);
        let write = Write::operator();
        let started = Instant::now();
        black_box(engine.execute(&id, command, &write).expect("carried out"));
        engine_times.push(started.elapsed());
        let bytes = last_bytes(&journal, &mut length);
        let started = Instant::now();
        bare.write_all(&bytes).and_then(|()| bare.sync_data()).expect("written");
        bare_times.push(started.elapsed());
    }
    let (engine_median, bare_median) = (median(engine_times), median(bare_times));
    println!(
        "commit at {events} events: engine {engine_median:?}, bare append + flush {bare_median:?}, \
         ratio {:.2} (median of {ROUNDS}); first load {first_load:?}",
        engine_median.as_secs_f64() / bare_median.as_secs_f64()
    );
}

/// The bytes that a file has grown by.
fn last_bytes(path: &Path, length: &mut u64) -> Vec<u8> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path).expect("opened");
    file.seek(SeekFrom::Start(*length)).expect("there");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("readable");
    *length += bytes.len() as u64;
    bytes
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn workspace(root: &Path) -> Engine {
    Engine::init(root, InitOptions::default()).expect("made");
    Engine::open(Options { workspace: Some(root.to_owned()), ..Options::default() })
        .expect("a workspace")
}

fn request(n: usize) -> OpenRequest {
    let mut request = OpenRequest::new(Kind::Ideation, format!("Loop number {n}"));
    request.proposal = Some("Keep the parsed index in memory.".to_owned());
    request
}

fn text(n: usize) -> String {
    format!("{n}: {}", "A note of some length, as people write them. ".repeat(8))
}

fn note(n: usize) -> Command {
    Command::AddArtifact(NewArtifact {
        artifact_type: "note".to_owned(),
        content: Content::Body(text(n).into()),
        ..NewArtifact::default()
    })
}

/// Lets a journal grow to a number of events without waiting for the disk.
fn grow(path: &Path, events: u64) {
    let mut end = Position::default();
    let file = loopdeck::seam::fs::File::open(path).expect("opened");
    let scanned = scan(&file, path, &end, |_| {}).expect("readable");
    end = scanned.end;
    let mut journal = Journal::open(path, Flush::No).expect("opened");
    while end.seq < events {
        let body = text(usize::try_from(end.seq).expect("small"));
        let artifact = artifact(&end, &body);
        let event = EventBody::ArtifactAdded(ArtifactAdded { artifact, body: Some(body) });
        let at = end.at.expect("there is a first commit").plus_millis(1);
        let draft = Draft { at, by: &Actor::Operator, request: None, events: &[event] };
        (end, _) = journal.append(&end, &draft).expect("appended");
    }
}

fn artifact(end: &Position, body: &str) -> Arc<Artifact> {
    Arc::new(Artifact {
        artifact_id: ArtifactId::derive(&[&end.seq.to_be_bytes()]),
        phase: "proposal".into(),
        artifact_type: "note".into(),
        subtype: None,
        iteration: 0,
        produced_by: Actor::Operator,
        slot_id: None,
        turn_id: None,
        produced_at: Timestamp::from_millis(0),
        seq: end.seq + 1,
        usable: true,
        late: false,
        byte_count: body.len() as u64,
        preview: body.chars().take(200).collect(),
        sha256: sha256_hex(body.as_bytes()),
        text_key: sha256_hex(body.as_bytes()).into(),
        addresses_critique: Vec::new(),
        waives: std::collections::BTreeMap::new(),
        cites: Vec::new(),
        dangling: Vec::new(),
        file: None,
        object: None,
        body_file: None,
        source: None,
        origin: None,
        verdict: None,
        reviewer_standing: false,
        report: None,
        supersedes: None,
        superseded_by: None,
        retracted: None,
    })
}

/// The list of a thousand loops: by a new engine, and again by the same one.
fn list(criterion: &mut Criterion, place: &Path) {
    const LOOPS: usize = 1_000;
    let dir = tempfile::tempdir_in(place).expect("temporary folder");
    Engine::init(dir.path(), InitOptions::default()).expect("made");
    let options = || Options { workspace: Some(dir.path().to_owned()), ..Options::default() };
    let maker = Engine::open(Options { unflushed: true, ..options() }).expect("a workspace");
    let mut ids: Vec<LoopId> = Vec::new();
    for n in 0..LOOPS {
        let done = maker.open_loop(&request(n), &Write::operator()).expect("opened");
        ids.push(done.state.id.clone());
    }
    drop(maker);
    let mut group = criterion.benchmark_group("list of 1000 loops");
    group.bench_function("by a new engine", |bencher| {
        bencher.iter(|| {
            let engine = Engine::open(options()).expect("a workspace");
            assert_eq!(engine.list().expect("readable").loops.len(), LOOPS);
        });
    });
    let engine = Engine::open(options()).expect("a workspace");
    group.bench_function("again", |bencher| {
        bencher.iter(|| assert_eq!(engine.list().expect("readable").loops.len(), LOOPS));
    });
    group.finish();
}
