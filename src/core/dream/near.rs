//! What came near: rules that failed, closest first, so that "no insights"
//! always has a reason (dream.md, "Looking").

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::number::{Thousandths, natural};

/// Near misses that are kept.
pub const KEPT: usize = 20;

/// The missing share of a limit, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    missing: u64,
    limit: u64,
}

impl Share {
    /// `missing` of `limit`; of a limit of 0 nothing is ever missing.
    pub fn new(missing: usize, limit: usize) -> Self {
        Self { missing: missing as u64, limit: (limit as u64).max(1) }
    }

    /// A value that is not above a limit.
    pub fn below(value: Thousandths, limit: Thousandths) -> Self {
        Self::new(distance(limit, value), distance(limit, Thousandths(0)))
    }

    /// A value that is not below a limit.
    pub fn above(value: Thousandths, limit: Thousandths) -> Self {
        Self::new(distance(value, limit), distance(limit, Thousandths(0)))
    }

    /// In thousandths, for people.
    pub fn shown(self) -> Thousandths {
        Thousandths::of(self.missing as f64 / self.limit as f64)
    }
}

fn distance(greater: Thousandths, less: Thousandths) -> usize {
    usize::try_from(greater.0 - less.0).unwrap_or(0)
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> Ordering {
        let cross = |a: u64, b: u64| u128::from(a) * u128::from(b);
        cross(self.missing, other.limit).cmp(&cross(other.missing, self.limit))
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A rule that failed, and by how much.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Miss {
    /// The kind of association, the category of pattern, or `records`.
    pub kind: String,
    /// The domains that it is about.
    pub domains: Vec<String>,
    /// The phases that it is about.
    pub phases: Vec<String>,
    /// The skills that it is about.
    pub skills: Vec<String>,
    /// `gap 0.120 ≤ 0.15`, `2 of 3 cases`, `only one domain`, …
    pub reason: String,
    /// The missing share of the limit.
    pub missing: Thousandths,
}

impl Miss {
    /// Of a kind, for a reason.
    pub fn new(kind: &str, reason: String) -> Self {
        Self { kind: kind.to_owned(), reason, ..Self::default() }
    }

    /// About domains.
    #[must_use]
    pub fn domains<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.domains = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// About phases.
    #[must_use]
    pub fn phases<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.phases = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// About skills.
    #[must_use]
    pub fn skills<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.skills = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// What it is about, in a line: `phase-2 in banking, retail`.
    pub fn about(&self) -> String {
        let subject: Vec<&str> =
            self.phases.iter().chain(&self.skills).map(String::as_str).collect();
        match (subject.is_empty(), self.domains.is_empty()) {
            (true, true) => "all records".to_owned(),
            (true, false) => self.domains.join(", "),
            (false, true) => subject.join(", "),
            (false, false) => format!("{} in {}", subject.join(", "), self.domains.join(", ")),
        }
    }

    fn by_names(&self, other: &Self) -> Ordering {
        let lists = |a: &[String], b: &[String]| {
            let pairs = a.iter().zip(b).map(|(x, y)| natural(x, y));
            pairs.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
        };
        lists(&self.domains, &other.domains)
            .then_with(|| lists(&self.phases, &other.phases))
            .then_with(|| lists(&self.skills, &other.skills))
            .then_with(|| self.kind.cmp(&other.kind))
            .then_with(|| self.reason.cmp(&other.reason))
    }
}

/// The closest ones, and how many there were in all.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    kept: Vec<(Share, Miss)>,
    offered: usize,
}

impl Nearest {
    /// Offers one; it is made only if it may be among the closest.
    pub fn offer(&mut self, share: Share, miss: impl FnOnce() -> Miss) {
        self.offered += 1;
        if self.kept.len() == KEPT && self.kept.last().is_some_and(|(last, _)| share > *last) {
            return;
        }
        let miss = Miss { missing: share.shown(), ..miss() };
        let place = self
            .kept
            .partition_point(|(s, m)| s.cmp(&share).then_with(|| m.by_names(&miss)).is_lt());
        self.kept.insert(place, (share, miss));
        self.kept.truncate(KEPT);
    }

    /// The closest ones, closest first, and how many are not among them.
    pub fn into_parts(self) -> (Vec<Miss>, usize) {
        let rest = self.offered - self.kept.len();
        (self.kept.into_iter().map(|(_, miss)| miss).collect(), rest)
    }
}
