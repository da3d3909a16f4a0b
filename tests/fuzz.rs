//! The fuzz targets as plain tests: each on its seeds, and on changes of them that
//! are the same in every run. libFuzzer itself needs a nightly compiler (fuzz/README.md).

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use targets::{TARGETS, Target, run};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// The seeds of a target, in order.
fn seeds(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let listed = std::fs::read_dir(folder("seeds").join(name)).expect("seeds");
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a seed"))).collect()
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).expect("it is below the bound")
    }
}

/// Pieces that formats make something of.
const WORDS: [&[u8]; 28] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b":",
    b",",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"-1",
    b"18446744073709551615",
    b"1e400",
    b"null",
    b"true",
    b"+++\n",
    b"<<<<<<< HEAD\n",
    b"\x1b[2J",
    "\u{202e}é👩".as_bytes(),
    b"[[a]]\n",
    b"= ",
    b"_",
    b"0",
];

/// A seed with a few changes.
fn changed(seed: &[u8], others: &[(PathBuf, Vec<u8>)], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => bytes.truncate(at),
            2 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + random.below(200)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let (_, other) = &others[random.below(others.len())];
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            5 => {
                let end = (at + random.below(12)).min(bytes.len());
                bytes.splice(at..end, WORDS[random.below(WORDS.len())].iter().copied());
            }
            _ => {
                bytes.splice(at..at, WORDS[random.below(WORDS.len())].iter().copied());
            }
        }
    }
    bytes.truncate(64 * 1024);
    bytes
}

/// Runs a target on its seeds and on changes of them, until the time or the number
/// is reached; how often it ran. What fails is kept, and named.
fn campaign((name, target): Target, most: usize, limit: Duration, seed: u64) -> usize {
    let seeds = seeds(name);
    assert!(seeds.len() >= 2, "{name} has seeds");
    let started = Instant::now();
    let mut ran = 0;
    let mut one = |bytes: &[u8]| {
        ran += 1;
        if let Err(panic) = std::panic::catch_unwind(|| target(bytes)) {
            let path = std::env::temp_dir().join(format!("loopdeck-fuzz-{name}"));
            std::fs::write(&path, bytes).expect("the failing input is kept");
            eprintln!("{name} fails on the {} bytes in {}", bytes.len(), path.display());
            std::panic::resume_unwind(panic);
        }
    };
    for (_, bytes) in &seeds {
        one(bytes);
    }
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for nth in 0..most {
        if started.elapsed() > limit {
            break;
        }
        one(&changed(&seeds[nth % seeds.len()].1, &seeds, &mut random));
    }
    ran
}

/// One test a target, so that a failure names it and they run side by side.
macro_rules! targets {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            let name = stringify!($name);
            let target = TARGETS.iter().find(|(own, _)| *own == name).expect("it is one");
            let ran = campaign(*target, 80, Duration::from_millis(1_500), 1);
            assert!(ran >= 2, "{name} ran {ran} times");
        })*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

targets!(
    journal,
    snapshot,
    session,
    record,
    protocol,
    memory,
    lane_result,
    mcp,
    readers,
    keymap,
    input
);

#[test]
fn every_target_is_built_seeded_and_tested() {
    let names: BTreeSet<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, TESTED.iter().copied().collect());
    let manifest = std::fs::read_to_string(folder("Cargo.toml")).expect("a manifest");
    for name in &names {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is built");
        let text = std::fs::read_to_string(folder("fuzz_targets").join(format!("{name}.rs")));
        assert!(text.expect("a target").contains(&format!("run(\"{name}\"")), "{name}");
        for (path, bytes) in seeds(name) {
            assert!(bytes.len() < 20_000, "{} is small", path.display());
            run(name, &bytes);
        }
    }
}

/// Minutes of changes without libFuzzer: `LOOPDECK_FUZZ_SECONDS=60 cargo test --test
/// fuzz -- --ignored --nocapture`, the seconds for each target.
#[test]
#[ignore = "takes minutes"]
fn for_long() {
    let told = std::env::var("LOOPDECK_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let limit = Duration::from_secs(told.unwrap_or(10));
    let seed = std::process::id().into();
    for target in TARGETS {
        let ran = campaign(target, usize::MAX, limit, seed);
        println!("{}: {ran} executions in {limit:?}, seed {seed}", target.0);
    }
}
