//! The kept records grouped once: names in natural order by number, and the
//! statistics of every group that the rules ask for.

use std::collections::HashMap;

use super::memory::{Memory, Row};
use super::number::{Stat, Sum, natural, stats};

/// One kept record: names by number in the [`Index`].
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The domain, in natural order.
    pub domain: u32,
    /// The phase, in natural order.
    pub phase: u32,
    /// The skill, in natural order.
    pub skill: u32,
    /// The case's slug, in the order of [`Index::cases`].
    pub case: u32,
    /// The outcome: which domain, phase and skill.
    pub outcome: u32,
    /// From 0 to 1.
    pub reward: f64,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// Pairs of names with the statistics of the records that bear both.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The pairs, in order.
    pub keys: Vec<(u32, u32)>,
    /// The pair of each outcome.
    pub of_outcome: Vec<u32>,
    /// What is known of each pair.
    pub stats: Vec<Stat>,
}

/// The kept records, grouped.
#[derive(Clone, Debug)]
pub struct Index<'a> {
    /// In (timestamp, id) order.
    pub rows: &'a [&'a Row],
    /// The same, by number.
    pub entries: Vec<Entry>,
    /// Domains in natural order.
    pub domains: Vec<&'a str>,
    /// Phases in natural order.
    pub phases: Vec<&'a str>,
    /// Skills in natural order.
    pub skills: Vec<&'a str>,
    /// Case slugs in natural order.
    pub cases: Vec<&'a str>,
    /// (domain, phase, skill), in order.
    pub outcomes: Vec<(u32, u32, u32)>,
    /// Of each domain.
    pub by_domain: Vec<Stat>,
    /// Of each phase.
    pub by_phase: Vec<Stat>,
    /// Of each skill.
    pub by_skill: Vec<Stat>,
    /// Of each outcome.
    pub by_outcome: Vec<Stat>,
    /// (domain, phase).
    pub domain_phase: Pairs,
    /// (phase, skill).
    pub phase_skill: Pairs,
    /// (domain, skill).
    pub domain_skill: Pairs,
    /// Rounds per (domain, phase), of the records that name them.
    pub iterations: Vec<Sum>,
    /// Of all records.
    pub whole: Stat,
}

/// Numbers by name order in place of those by first sight: a table by the
/// latter, since every record asks it.
struct Order<'a> {
    names: Vec<&'a str>,
    of: Vec<u32>,
}

impl<'a> Order<'a> {
    fn of(memory: &'a Memory, numbers: impl Iterator<Item = u32>) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let mut of = vec![UNSEEN; memory.names.len()];
        let mut seen: Vec<(&str, u32)> = Vec::new();
        for number in numbers {
            if std::mem::replace(&mut of[number as usize], 0) == UNSEEN {
                seen.push((&**memory.names.text(number), number));
            }
        }
        seen.sort_unstable_by(|a, b| natural(a.0, b.0));
        for (place, (_, number)) in seen.iter().enumerate() {
            of[*number as usize] = place as u32;
        }
        Self { names: seen.into_iter().map(|(name, _)| name).collect(), of }
    }
}

impl Pairs {
    fn new(
        outcomes: &[(u32, u32, u32)],
        entries: &[Entry],
        pair: impl Fn(&(u32, u32, u32)) -> (u32, u32),
    ) -> Self {
        let mut keys: Vec<(u32, u32)> = outcomes.iter().map(&pair).collect();
        keys.sort_unstable();
        keys.dedup();
        let place = |key: (u32, u32)| keys.binary_search(&key).unwrap_or_default() as u32;
        let of_outcome: Vec<u32> = outcomes.iter().map(|outcome| place(pair(outcome))).collect();
        let groups = entries.iter().map(|e| (of_outcome[e.outcome as usize], e.reward));
        let stats = stats(keys.len(), groups);
        Self { keys, of_outcome, stats }
    }

    /// The statistics of a pair, if any record has it.
    pub fn get(&self, key: (u32, u32)) -> Option<&Stat> {
        self.keys.binary_search(&key).ok().map(|place| &self.stats[place])
    }
}

impl<'a> Index<'a> {
    /// Groups rows that are in (timestamp, id) order.
    pub fn new(memory: &'a Memory, rows: &'a [&'a Row]) -> Self {
        let domains = Order::of(memory, rows.iter().map(|row| row.domain));
        let phases = Order::of(memory, rows.iter().map(|row| row.phase));
        let skills = Order::of(memory, rows.iter().map(|row| row.skill));
        let cases = Order::of(memory, rows.iter().map(|row| row.case));
        let mut numbers: HashMap<(u32, u32, u32), u32> = HashMap::new();
        let mut outcomes = Vec::new();
        let mut entries: Vec<Entry> = Vec::with_capacity(rows.len());
        for row in rows {
            let key = (
                domains.of[row.domain as usize],
                phases.of[row.phase as usize],
                skills.of[row.skill as usize],
            );
            let outcome = *numbers.entry(key).or_insert_with(|| {
                outcomes.push(key);
                outcomes.len() as u32 - 1
            });
            entries.push(Entry {
                domain: key.0,
                phase: key.1,
                skill: key.2,
                case: cases.of[row.case as usize],
                outcome,
                reward: row.reward,
                at: row.at.timestamp_millis(),
            });
        }
        let seen = outcomes.clone();
        outcomes.sort_unstable();
        let place: Vec<u32> =
            seen.iter().map(|key| outcomes.binary_search(key).unwrap_or_default() as u32).collect();
        for entry in &mut entries {
            entry.outcome = place[entry.outcome as usize];
        }
        let domain_phase = Pairs::new(&outcomes, &entries, |(d, p, _)| (*d, *p));
        let mut iterations = vec![Sum::default(); domain_phase.keys.len()];
        for (entry, row) in entries.iter().zip(rows) {
            if let Some(rounds) = row.iterations {
                iterations[domain_phase.of_outcome[entry.outcome as usize] as usize].add(rounds);
            }
        }
        let all = |key: fn(&Entry) -> u32, groups: usize| {
            stats(groups, entries.iter().map(move |e| (key(e), e.reward)))
        };
        Self {
            by_domain: all(|e| e.domain, domains.names.len()),
            by_phase: all(|e| e.phase, phases.names.len()),
            by_skill: all(|e| e.skill, skills.names.len()),
            by_outcome: all(|e| e.outcome, outcomes.len()),
            whole: all(|_| 0, 1)[0],
            phase_skill: Pairs::new(&outcomes, &entries, |(_, p, s)| (*p, *s)),
            domain_skill: Pairs::new(&outcomes, &entries, |(d, _, s)| (*d, *s)),
            domains: domains.names,
            phases: phases.names,
            skills: skills.names,
            cases: cases.names,
            rows,
            entries,
            outcomes,
            domain_phase,
            iterations,
        }
    }

    /// The ids of the records for which something holds, in bytewise order.
    pub fn ids(&self, holds: impl Fn(&Entry) -> bool) -> Vec<std::sync::Arc<str>> {
        let chosen = self.entries.iter().zip(self.rows).filter(|(entry, _)| holds(entry));
        let mut ids: Vec<_> = chosen.map(|(_, row)| std::sync::Arc::clone(&row.id)).collect();
        ids.sort_unstable();
        ids
    }
}
