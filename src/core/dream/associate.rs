//! Associations: what the records say of pairs of names, of phases within one
//! case, and of time (dream.md, "Run", 3). Light: names by number.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::{InCase, Index, Pairs};
use super::limits::Limits;
use super::near::{Miss, Nearest, Share};
use super::number::{Stat, Sum, TREND_RECORDS, Thousandths};

/// What an association is about; numbers are those of the [`Index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A phase performs differently in two domains.
    CrossDomain {
        /// The domains, in name order.
        domains: (u32, u32),
        /// The phase.
        phase: u32,
    },
    /// A skill performs differently in two domains.
    SkillMismatch {
        /// The domains, in name order.
        domains: (u32, u32),
        /// The skill.
        skill: u32,
    },
    /// Two phases are low in the same cases.
    PhaseCorrelation {
        /// The phases, in name order.
        phases: (u32, u32),
        /// Whether the second of them comes first in time.
        second_is_earlier: bool,
    },
    /// All records got better or worse.
    Temporal {
        /// Whether they got better.
        improving: bool,
    },
}

/// Something that the records show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Association {
    /// What it is about.
    pub subject: Subject,
    /// How far apart.
    pub gap: Thousandths,
    /// The smaller side, or the cases.
    pub evidence: usize,
    /// The averages of the two sides (older and newer where it is about time).
    pub averages: (Thousandths, Thousandths),
}

/// Finds all associations, in a fixed order, and offers what came near.
pub fn find(index: &Index<'_>, limits: &Limits, near: &mut Nearest) -> Vec<Association> {
    let mut found = Vec::new();
    pairs(index, limits, Side::Phase, &mut found, near);
    pairs(index, limits, Side::Skill, &mut found, near);
    correlations(index, limits, &mut found, near);
    temporal(index, limits, &mut found, near);
    found
}

/// What two domains are compared by.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Phase,
    Skill,
}

impl Side {
    fn kind(self) -> &'static str {
        match self {
            Side::Phase => "cross_domain",
            Side::Skill => "skill_mismatch",
        }
    }
}

/// Per phase or skill, every two domains that have records with it.
fn pairs(
    index: &Index<'_>,
    limits: &Limits,
    side: Side,
    found: &mut Vec<Association>,
    near: &mut Nearest,
) {
    let (table, names) = match side {
        Side::Phase => (&index.domain_phase, &index.phases),
        Side::Skill => (&index.domain_skill, &index.skills),
    };
    for (number, members) in by_second(table, names.len()).iter().enumerate() {
        let number = number as u32;
        let name = || names[number as usize];
        let miss = |domains: &[u32], reason: String| {
            let domains = domains.iter().map(|d| index.domains[*d as usize]);
            let miss = Miss::new(side.kind(), reason).domains(domains);
            if side == Side::Phase { miss.phases([name()]) } else { miss.skills([name()]) }
        };
        if let [(domain, _)] = members[..] {
            near.offer(Share::new(1, 2), || miss(&[domain], "only one domain".to_owned()));
        }
        for (place, (a, left)) in members.iter().enumerate() {
            for (b, right) in &members[place + 1..] {
                let gap = Thousandths::of((left.mean() - right.mean()).abs());
                if gap > limits.gap {
                    let domains = (*a, *b);
                    found.push(Association {
                        subject: match side {
                            Side::Phase => Subject::CrossDomain { domains, phase: number },
                            Side::Skill => Subject::SkillMismatch { domains, skill: number },
                        },
                        gap,
                        evidence: left.count().min(right.count()),
                        averages: (left.average(), right.average()),
                    });
                } else {
                    near.offer(Share::below(gap, limits.gap), || {
                        miss(&[*a, *b], too_small("gap", gap, limits.gap))
                    });
                }
            }
        }
    }
}

/// `gap 0.120 ≤ 0.15`.
pub(super) fn too_small(what: &str, value: Thousandths, limit: Thousandths) -> String {
    format!("{what} {} ≤ {}", value.three_places(), limit.short())
}

/// The first names and statistics of a table of pairs, by second name.
fn by_second(table: &Pairs, seconds: usize) -> Vec<Vec<(u32, &Stat)>> {
    let mut lists = vec![Vec::new(); seconds];
    for ((first, second), stat) in table.keys.iter().zip(&table.stats) {
        lists[*second as usize].push((*first, stat));
    }
    lists
}

/// What is gathered of two phases that are low in the same cases.
#[derive(Clone, Copy, Debug, Default)]
struct Together {
    cases: usize,
    low: Sum,
    /// How much later the second one's mean time is, summed over the cases, in
    /// milliseconds. Of whole numbers, so that equal times are equal.
    later: f64,
}

fn correlations(
    index: &Index<'_>,
    limits: &Limits,
    found: &mut Vec<Association>,
    near: &mut Nearest,
) {
    let mut together: BTreeMap<(u32, u32), Together> = BTreeMap::new();
    let mut low: Vec<&InCase> = Vec::new();
    for case in cases(index) {
        low.clear();
        low.extend(case.iter().filter(|phase| is_low(phase, limits)));
        for (place, first) in low.iter().enumerate() {
            for second in &low[place + 1..] {
                let of = together.entry((first.phase, second.phase)).or_default();
                of.cases += 1;
                of.low.add(first.rewards.mean());
                of.low.add(second.rewards.mean());
                of.later += later_by(first, second);
            }
        }
    }
    for (phases, of) in together {
        if of.cases < limits.cases {
            near.offer(Share::new(limits.cases - of.cases, limits.cases), || {
                let names = [phases.0, phases.1].map(|p| index.phases[p as usize]);
                let reason = format!("{} of {} cases", of.cases, limits.cases);
                Miss::new("phase_correlation", reason).phases(names)
            });
            continue;
        }
        let average = Thousandths::of(of.low.mean());
        found.push(Association {
            subject: Subject::PhaseCorrelation {
                phases,
                second_is_earlier: Thousandths::of(of.later / of.cases as f64).0 < 0,
            },
            gap: Thousandths::of(limits.low.to_f64() - of.low.mean()),
            evidence: of.cases,
            averages: (average, average),
        });
    }
}

fn later_by(first: &InCase, second: &InCase) -> f64 {
    let (n, m) = (first.rewards.count as i128, second.rewards.count as i128);
    (second.at * n - first.at * m) as f64 / (n * m) as f64
}

/// The phases of each case (domain, slug).
fn cases<'i>(index: &'i Index<'_>) -> impl Iterator<Item = &'i [InCase]> {
    index.in_cases.chunk_by(|a, b| (a.domain, a.case) == (b.domain, b.case))
}

fn is_low(phase: &InCase, limits: &Limits) -> bool {
    Thousandths::of(phase.rewards.mean()) < limits.low
}

/// The cases, as `domain/case_slug`, in which both phases are low.
pub fn cases_of(index: &Index<'_>, limits: &Limits, phases: (u32, u32)) -> Vec<Arc<str>> {
    let both = cases(index).filter(|case| {
        let low = |phase| case.iter().any(|one| one.phase == phase && is_low(one, limits));
        low(phases.0) && low(phases.1)
    });
    let named = both.map(|case| {
        let (domain, slug) = (case[0].domain, case[0].case);
        let (domain, slug) = (index.domains[domain as usize], index.cases[slug as usize]);
        Arc::<str>::from(format!("{domain}/{slug}"))
    });
    let mut named: Vec<Arc<str>> = named.collect();
    named.sort_unstable();
    named
}

fn temporal(index: &Index<'_>, limits: &Limits, found: &mut Vec<Association>, near: &mut Nearest) {
    let whole = &index.whole;
    if whole.count() < TREND_RECORDS {
        return;
    }
    let change = whole.change();
    let gap = Thousandths(change.0.abs());
    if gap > limits.gap {
        found.push(Association {
            subject: Subject::Temporal { improving: change.0 > 0 },
            gap,
            evidence: whole.older.count.min(whole.newer.count),
            averages: (Thousandths::of(whole.older.mean()), Thousandths::of(whole.newer.mean())),
        });
    } else {
        near.offer(Share::below(gap, limits.gap), || {
            Miss::new("temporal", too_small("change", gap, limits.gap))
        });
    }
}
