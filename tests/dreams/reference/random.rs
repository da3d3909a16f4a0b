//! Random memory folders from a seed: few names, rewards that hit limits exactly, every fault, and
//! chains of dreams. The same seed always gives the same scenario.

use chrono::{DateTime, Duration, TimeZone, Utc};
use serde_json::Value;

use super::types::{Config, Dismissed, Outcome, Selection};
use super::{dream, to_file};

pub use super::random_others::{earlier_dreams, foreign_patterns};
pub use super::random_record::{Factory, World};

/// How far a scenario may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only what dream.md settles.
    Settled,
    /// Also what it leaves open: blank ids, two spellings that differ, odd timestamps, "1" and "01",
    /// records without iterations, patterns of others that clash with ours.
    Wild,
}

/// A small xorshift generator; not for anything but tests.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Any seed will do, also 0.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
        if rng.0 == 0 {
            rng.0 = 1;
        }
        for _ in 0..8 {
            rng.bits();
        }
        rng
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// A number from 0 to `n` − 1; `n` ≥ 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Some of a list, at least one, in the list's order.
    pub fn some<T: Clone>(&mut self, list: &[T], most: usize) -> Vec<T> {
        let mut rest = list.to_vec();
        let keep = self.between(1, most.min(list.len()));
        while rest.len() > keep {
            let gone = self.below(rest.len());
            rest.remove(gone);
        }
        rest
    }
}

/// All that one dream is given.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Step {
    pub files: Vec<(String, Vec<u8>)>,
    /// Later steps hold the dream files that this reference made of the earlier ones.
    pub earlier: Vec<(String, Value)>,
    pub foreign_patterns: Vec<Value>,
    pub config: Config,
    pub now: DateTime<Utc>,
}

impl Step {
    /// What the reference says.
    pub fn dream(&self) -> Outcome {
        dream(&self.files, &self.earlier, &self.foreign_patterns, &self.config, self.now)
    }

    /// A smaller input that still `fails`: files, earlier dreams and patterns go one by one while it
    /// does. Slow, and only for the message of a test that has failed.
    pub fn smallest(&self, fails: impl Fn(&Step) -> bool) -> Step {
        let mut best = self.clone();
        loop {
            let before = best.clone();
            for at in (0..best.files.len()).rev() {
                try_without(&mut best, &fails, |step| drop(step.files.remove(at)));
            }
            for at in (0..best.earlier.len()).rev() {
                try_without(&mut best, &fails, |step| drop(step.earlier.remove(at)));
            }
            for at in (0..best.foreign_patterns.len()).rev() {
                try_without(&mut best, &fails, |step| drop(step.foreign_patterns.remove(at)));
            }
            let size = |s: &Step| s.files.len() + s.earlier.len() + s.foreign_patterns.len();
            if size(&best) == size(&before) {
                return best;
            }
        }
    }

    /// The input in readable form, for a failing test's message.
    pub fn listing(&self) -> String {
        let mut text = format!("now {}\n{:?}\n", self.now.to_rfc3339(), self.config);
        for (path, bytes) in &self.files {
            text += &format!("{path}: {}\n", String::from_utf8_lossy(bytes).replace('\n', " "));
        }
        for (name, content) in &self.earlier {
            text += &format!("earlier {name}: {content}\n");
        }
        for content in &self.foreign_patterns {
            text += &format!("patterns: {content}\n");
        }
        text
    }
}

fn try_without(best: &mut Step, fails: &impl Fn(&Step) -> bool, remove: impl Fn(&mut Step)) {
    let mut smaller = best.clone();
    remove(&mut smaller);
    if fails(&smaller) {
        *best = smaller;
    }
}

/// One to four dreams in sequence, with records added, changed and removed in between.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Scenario {
    pub seed: u64,
    pub steps: Vec<Step>,
}

impl Scenario {
    /// The scenario of a seed.
    pub fn new(seed: u64, mode: Mode) -> Scenario {
        let mut rng = Rng::new(seed);
        let mut now = Utc.with_ymd_and_hms(2026, 3, 1, 12, 0, 0).unwrap();
        let world = World::new(&mut rng, mode);
        let mut factory = Factory::new(world, mode, now);

        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        let count = match rng.below(100) {
            0..=14 => rng.between(0, 8),
            15..=18 => rng.between(190, 260),
            _ => rng.between(5, 60),
        };
        let clean = rng.chance(30);
        for _ in 0..count {
            files.push(factory.record(&mut rng));
        }
        if !clean {
            factory.spoil(&mut rng, &mut files);
        }

        let mut earlier = Vec::new();
        if rng.chance(40) {
            earlier = earlier_dreams(&mut rng, &factory.world, mode, now);
        }
        let mut patterns = Vec::new();
        if rng.chance(40) {
            patterns = foreign_patterns(&mut rng, &factory.world, mode);
        }
        let mut config = config(&mut rng, mode);

        let mut steps: Vec<Step> = Vec::new();
        for round in 0..rng.between(1, 4) {
            if round > 0 {
                now = later(&mut rng, now);
                change(&mut rng, &mut factory, &mut files);
                config.force = rng.chance(30);
            }
            let step = Step {
                files: files.clone(),
                earlier: earlier.clone(),
                foreign_patterns: patterns.clone(),
                config: config.clone(),
                now,
            };
            let outcome = step.dream();
            if let Some(file) = to_file(&outcome, now) {
                earlier.push(file);
            }
            if rng.chance(20) && !outcome.insights.is_empty() {
                let one = rng.pick(&outcome.insights);
                let evidence = if rng.chance(50) { one.own_evidence } else { one.own_evidence / 2 };
                config.dismissed.push(Dismissed { identity: one.identity.clone(), evidence });
            }
            steps.push(step);
        }
        Scenario { seed, steps }
    }
}

/// The clock goes on, stands still (a taken name), and sometimes goes back.
fn later(rng: &mut Rng, now: DateTime<Utc>) -> DateTime<Utc> {
    match rng.below(10) {
        0 => now,
        1 => now + Duration::seconds(1),
        2 => now - Duration::minutes(30),
        3..=6 => now + Duration::minutes(rng.between(1, 600) as i64),
        _ => now + Duration::days(rng.between(1, 5) as i64),
    }
}

/// Records go, come, and get another reward in the same file.
fn change(rng: &mut Rng, factory: &mut Factory, files: &mut Vec<(String, Vec<u8>)>) {
    if rng.chance(20) {
        return;
    }
    if rng.chance(50) {
        let share = rng.between(0, 60);
        let mut kept = Vec::new();
        for file in files.drain(..) {
            if !rng.chance(share) {
                kept.push(file);
            }
        }
        *files = kept;
    }
    if rng.chance(30) {
        // Something happens to a place: its level turns.
        factory.world.turn(rng);
    }
    for _ in 0..rng.between(0, 20) {
        files.push(factory.record(rng));
    }
    for _ in 0..rng.between(0, 3) {
        if !files.is_empty() {
            let at = rng.below(files.len());
            let (_, bytes) = factory.record(rng);
            files[at].1 = bytes;
        }
    }
}

fn config(rng: &mut Rng, mode: Mode) -> Config {
    let mut config = Config::default();
    match rng.below(10) {
        0 => config.selection = Selection::Newest,
        1 => config.selection = Selection::All,
        _ => {}
    }
    if rng.chance(20) {
        config.max_records = rng.between(5, 40);
    }
    if rng.chance(15) {
        config.limits.gap = *rng.pick(&[0.05, 0.1, 0.15, 0.2]);
        config.limits.cases = rng.between(1, 4);
        config.limits.high = *rng.pick(&[0.2, 0.3, 0.5]);
        config.limits.medium = *rng.pick(&[0.1, 0.15, 0.2]);
    }
    if mode == Mode::Wild && rng.chance(15) {
        config.limits.gap = *rng.pick(&[0.05, 0.15, 0.35]);
        config.limits.low = *rng.pick(&[0.3, 0.5, 0.7]);
        config.limits.confidence = *rng.pick(&[0.3, 0.5, 0.8]);
    }
    config
}
