//! The tracker's patterns: what the records of one phase or skill in one domain
//! show by themselves (dream.md, "The tracker").

use strum::{AsRefStr, Display, IntoStaticStr};

use super::associate::too_small;
use super::identity::{Core, Identity, Kind, Two};
use super::index::Index;
use super::limits::Limits;
use super::memory::Row;
use super::near::{Miss, Nearest, Share};
use super::number::{Stat, TREND_RECORDS, Thousandths, Trend};

/// Records that a pattern needs on each side.
pub const PATTERN_RECORDS: usize = 3;
/// An average above this is excellent.
const EXCELLENT: Thousandths = Thousandths(900);
/// A skill is fine elsewhere above this.
const FINE: Thousandths = Thousandths(700);
/// Rounds above this are too many.
const ROUNDS: Thousandths = Thousandths(2000);

/// What a pattern is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsRefStr, Display, IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    /// A phase's average is low.
    Bottleneck,
    /// A phase's average is excellent.
    Excellence,
    /// A skill is low here and fine elsewhere.
    Mismatch,
    /// A phase gets better.
    Improving,
    /// A phase gets worse.
    Degrading,
    /// A phase takes many rounds.
    Overhead,
}

/// A pattern, names by number in the [`Index`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// What it is.
    pub category: Category,
    /// Where.
    pub domain: u32,
    /// Of which phase; a mismatch has none.
    pub phase: Option<u32>,
    /// Of which skill; only a mismatch has one.
    pub skill: Option<u32>,
    /// How many records say so.
    pub evidence: usize,
    /// Their average, or their rounds.
    pub average: Thousandths,
    /// Where it is fine, with the average there.
    pub elsewhere: Option<(u32, Thousandths)>,
}

impl Found {
    /// The confidence: a tenth a record, at most 1.
    pub fn confidence(&self) -> f64 {
        confidence(self.evidence)
    }

    /// What it says.
    pub fn text(&self, index: &Index<'_>) -> String {
        let domain = index.domains[self.domain as usize];
        let phase = self.phase.map_or("", |phase| index.phases[phase as usize]);
        let average = self.average.two_places();
        match self.category {
            Category::Bottleneck => {
                format!("Phase {phase} is a bottleneck in {domain} (avg {average})")
            }
            Category::Excellence => format!("Phase {phase} excels in {domain} (avg {average})"),
            Category::Mismatch => {
                let skill = self.skill.map_or("", |skill| index.skills[skill as usize]);
                let (other, fine) = self.elsewhere.unwrap_or((self.domain, self.average));
                format!(
                    "{skill} underperforms in {domain} (avg {average}) but not in {} (avg {})",
                    index.domains[other as usize],
                    fine.two_places()
                )
            }
            Category::Improving => format!("Phase {phase} is improving in {domain}"),
            Category::Degrading => format!("Phase {phase} is degrading in {domain}"),
            Category::Overhead => {
                format!("Phase {phase} takes {average} rounds on average in {domain}")
            }
        }
    }

    /// What to do.
    pub fn advice(&self, index: &Index<'_>) -> String {
        match self.category {
            Category::Bottleneck => "Give it more time or split it".to_owned(),
            Category::Excellence => "Reuse what works there".to_owned(),
            Category::Mismatch => {
                format!("Use another skill for it in {}", index.domains[self.domain as usize])
            }
            Category::Improving => "Keep the current approach".to_owned(),
            Category::Degrading => "Review recent changes to it".to_owned(),
            Category::Overhead => "Sharpen its input".to_owned(),
        }
    }

    /// What makes it the one it is.
    pub fn identity<'a>(&self, index: &Index<'a>) -> Identity<'a> {
        let core = Core {
            insight_type: self.category.into(),
            kind: Kind::Pattern.into(),
            domains: Two::one(Some(index.domains[self.domain as usize])),
            phases: Two::one(self.phase.map(|phase| index.phases[phase as usize])),
            skills: Two::one(self.skill.map(|skill| index.skills[skill as usize])),
        };
        Identity { core, direction: "" }
    }

    /// Whether records of a (domain, phase, skill) are among those that say so.
    pub fn is_about(&self, (domain, phase, skill): (u32, u32, u32)) -> bool {
        self.domain == domain
            && self.phase.is_none_or(|of| of == phase)
            && self.skill.is_none_or(|of| of == skill)
    }

    /// Whether a record that it is about says anything of it: of rounds only one
    /// that counts them does.
    pub fn is_told_by(&self, row: &Row) -> bool {
        self.category != Category::Overhead || row.iterations.is_some()
    }
}

/// `min(1, evidence / 10)`.
pub fn confidence(evidence: usize) -> f64 {
    (evidence as f64 / 10.0).min(1.0)
}

/// Finds all patterns, in a fixed order, and offers what came near.
pub fn find(index: &Index<'_>, limits: &Limits, near: &mut Nearest) -> Vec<Found> {
    let mut found = Vec::new();
    let table = &index.domain_phase;
    for (place, ((domain, phase), stat)) in table.keys.iter().zip(&table.stats).enumerate() {
        let mut scan = Scan { index, domain: *domain, phase: *phase, found: &mut found, near };
        scan.level(Category::Bottleneck, stat, stat.average() < limits.low, || {
            let share = Share::above(stat.average(), limits.low);
            (share, too_great("average", stat.average(), limits.low))
        });
        scan.level(Category::Excellence, stat, stat.average() > EXCELLENT, || {
            let share = Share::below(stat.average(), EXCELLENT);
            (share, too_small("average", stat.average(), EXCELLENT))
        });
        scan.trend(stat, limits);
        scan.rounds(place);
    }
    mismatches(index, limits, &mut found, near);
    found
}

fn too_great(what: &str, value: Thousandths, limit: Thousandths) -> String {
    format!("{what} {} ≥ {}", value.three_places(), limit.short())
}

/// The rules on one phase of one domain.
struct Scan<'s, 'a> {
    index: &'s Index<'a>,
    domain: u32,
    phase: u32,
    found: &'s mut Vec<Found>,
    near: &'s mut Nearest,
}

impl Scan<'_, '_> {
    fn add(&mut self, category: Category, evidence: usize, average: Thousandths) {
        let (domain, phase) = (self.domain, Some(self.phase));
        let elsewhere = None;
        let found = Found { category, domain, phase, skill: None, evidence, average, elsewhere };
        self.found.push(found);
    }

    fn miss(&mut self, kind: &str, share: Share, reason: String) {
        let index = self.index;
        let (domain, phase) = (self.domain as usize, self.phase as usize);
        self.near.offer(share, || {
            Miss::new(kind, reason).domains([index.domains[domain]]).phases([index.phases[phase]])
        });
    }

    fn too_few(&mut self, kind: &str, count: usize, needed: usize) {
        let share = Share::new(needed - count, needed);
        self.miss(kind, share, format!("{count} of {needed} records"));
    }

    /// A rule on the average.
    fn level(
        &mut self,
        category: Category,
        stat: &Stat,
        holds: bool,
        near: impl FnOnce() -> (Share, String),
    ) {
        let count = stat.count();
        match (holds, count >= PATTERN_RECORDS) {
            (true, true) => self.add(category, count, stat.average()),
            (true, false) => self.too_few(category.as_ref(), count, PATTERN_RECORDS),
            (false, true) => {
                let (share, reason) = near();
                self.miss(category.as_ref(), share, reason);
            }
            // Neither the records nor the average: not near.
            (false, false) => {}
        }
    }

    fn trend(&mut self, stat: &Stat, limits: &Limits) {
        let (count, change) = (stat.count(), stat.change());
        let category = match stat.trend(limits.gap) {
            Trend::Improving => Category::Improving,
            Trend::Degrading => Category::Degrading,
            Trend::InsufficientData if count == TREND_RECORDS - 1 => {
                return self.too_few("trend", count, TREND_RECORDS);
            }
            Trend::InsufficientData => return,
            Trend::Stable => {
                let gap = Thousandths(change.0.abs());
                let kind = if change.0 < 0 { Category::Degrading } else { Category::Improving };
                let reason = too_small("change", gap, limits.gap);
                return self.miss(kind.as_ref(), Share::below(gap, limits.gap), reason);
            }
        };
        self.add(category, count, change);
    }

    fn rounds(&mut self, place: usize) {
        let rounds = self.index.iterations[place];
        let mean = Thousandths::of(rounds.mean());
        match (mean > ROUNDS, rounds.count) {
            (true, count) if count >= PATTERN_RECORDS => self.add(Category::Overhead, count, mean),
            (true, count) => self.too_few(Category::Overhead.as_ref(), count, PATTERN_RECORDS),
            (false, count) if count >= PATTERN_RECORDS => {
                let reason = too_small("rounds", mean, ROUNDS);
                self.miss(Category::Overhead.as_ref(), Share::below(mean, ROUNDS), reason);
            }
            (false, _) => {}
        }
    }
}

/// Per skill and domain: low here, fine in the domain where it does best.
fn mismatches(index: &Index<'_>, limits: &Limits, found: &mut Vec<Found>, near: &mut Nearest) {
    let table = &index.domain_skill;
    let mut by_skill: Vec<Vec<(u32, &Stat)>> = vec![Vec::new(); index.skills.len()];
    for ((domain, skill), stat) in table.keys.iter().zip(&table.stats) {
        if stat.count() >= PATTERN_RECORDS {
            by_skill[*skill as usize].push((*domain, stat));
        }
    }
    for (skill, domains) in by_skill.iter().enumerate() {
        // The best, and of equals the first in name order.
        let best = |but: u32| {
            let others = domains.iter().filter(|(domain, _)| *domain != but);
            others.copied().max_by(|a, b| a.1.average().cmp(&b.1.average()).then(b.0.cmp(&a.0)))
        };
        for (domain, stat) in domains {
            let Some((other, fine)) = best(*domain) else { continue };
            let (here, there) = (stat.average(), fine.average());
            let miss = |reason: String| {
                Miss::new(Category::Mismatch.as_ref(), reason)
                    .domains([*domain, other].map(|d| index.domains[d as usize]))
                    .skills([index.skills[skill]])
            };
            match (here < limits.low, there > FINE) {
                (true, true) => found.push(Found {
                    category: Category::Mismatch,
                    domain: *domain,
                    phase: None,
                    skill: Some(skill as u32),
                    evidence: stat.count(),
                    average: here,
                    elsewhere: Some((other, there)),
                }),
                (true, false) => near
                    .offer(Share::below(there, FINE), || miss(too_small("elsewhere", there, FINE))),
                (false, true) => near.offer(Share::above(here, limits.low), || {
                    miss(too_great("average", here, limits.low))
                }),
                (false, false) => {}
            }
        }
    }
}
