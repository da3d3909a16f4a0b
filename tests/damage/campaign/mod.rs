//! Broken files of every format, and what must hold whatever a file says: reading
//! never panics, never hangs and never writes, everything else is there as before,
//! what cannot be used is told with its path by the reading and by the doctor, and a
//! repair loses no byte.
//!
//! Used by `tests/damage` (a sample) and by `examples/torture.rs` (all of it, again
//! and again with other seeds).

pub mod check;
pub mod others;
pub mod reading;
pub mod watch;
pub mod world;
pub mod wounds;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use check::Checker;
use world::{Target, World};
use wounds::{Depth, Wounds};

/// How much is tried, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// A sample, or every byte.
    pub depth: Depth,
    /// What the random parts are derived from.
    pub seed: u64,
    /// When to stop, at the latest.
    pub limit: Duration,
    /// Which formats.
    pub formats: fn(&str) -> bool,
}

impl Plan {
    /// What a test run has time for.
    #[must_use]
    pub fn quick() -> Self {
        Self { depth: Depth::Quick, seed: 1, limit: Duration::from_secs(60), formats: |_| true }
    }

    /// Everything, over and over until the time is up.
    #[must_use]
    pub fn long(seed: u64, limit: Duration) -> Self {
        Self { depth: Depth::Long, seed, limit, formats: |_| true }
    }
}

/// What was tried and what went wrong.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Damaged files that were read, by the format.
    pub files: BTreeMap<String, usize>,
    /// Repairs that were carried out.
    pub repairs: usize,
    /// What did not hold, one sentence each.
    pub failures: Vec<String>,
}

impl Report {
    /// Damaged files in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.files.values().sum()
    }
}

/// Wounds of one file before it is another one's turn.
const TURN: usize = 200;

/// Damages one file after another of a full workspace and looks at what comes of it.
/// All formats take turns, so that a campaign that is ended early looked at each.
pub fn run(plan: Plan) -> Report {
    let started = Instant::now();
    let world = World::new();
    let watch = watch::Watch::start(Duration::from_secs(90));
    let mut checker = Checker::new(&world);
    let targets: Vec<&Target> =
        world.targets.iter().filter(|target| (plan.formats)(target.format)).collect();
    // For each: the seed of this pass, and how many of its wounds were looked at.
    let mut passes = vec![(plan.seed, 0); targets.len()];
    loop {
        for (target, (seed, done)) in targets.iter().zip(&mut passes) {
            if plan.depth == Depth::Quick && *seed != plan.seed {
                continue;
            }
            let mut wounds = Wounds::of(target, plan.depth, *seed);
            let end = (*done + TURN).min(wounds.len());
            let mut turn: Vec<_> = wounds.drain(*done..end).collect();
            if *done == 0 {
                turn.extend(Wounds::huge(target, plan.depth));
            }
            let left = wounds.len() - *done;
            for wound in turn {
                watch.at(&format!("{}: {}", target.path.display(), wound.name));
                checker.check(target, &wound);
                if started.elapsed() > plan.limit || checker.report.failures.len() > 300 {
                    return checker.report;
                }
            }
            (*seed, *done) = match left {
                0 => (seed.wrapping_add(1), 0),
                _ => (*seed, end),
            };
        }
        let all_once = passes.iter().all(|(seed, _)| *seed != plan.seed);
        if plan.depth == Depth::Quick && all_once {
            return checker.report;
        }
    }
}
