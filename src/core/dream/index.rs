//! The kept records grouped once: names in natural order by number, and the
//! statistics of every group that the rules ask for.

use std::collections::HashMap;
use std::sync::Arc;

use super::memory::{Memory, Row};
use super::number::{Stat, Sum, natural, stats};
use super::select::by_text;

/// One kept record: names by number in the [`Index`], so that the rules never
/// look at the rows, which are scattered.
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
    /// Case slugs in the order in which the records bring them.
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
    /// Of each phase of every case, those of one case next to one another and in
    /// natural order.
    pub in_cases: Vec<InCase>,
    /// The records of each outcome.
    of_outcome: Groups,
}

/// What the records of one phase within one case come to.
#[derive(Clone, Copy, Debug)]
pub struct InCase {
    /// The domain, of which the case is one with its slug.
    pub domain: u32,
    /// The case's slug.
    pub case: u32,
    /// The phase.
    pub phase: u32,
    /// Their rewards.
    pub rewards: Sum,
    /// When they were, in milliseconds since 1970, summed.
    pub at: i128,
}

/// Numbers in place of those that the names have in the [`Memory`].
struct Order<'a> {
    names: Vec<&'a str>,
    of: Vec<u32>,
}

impl<'a> Order<'a> {
    const UNSEEN: u32 = u32::MAX;

    fn new(memory: &Memory) -> Self {
        Self { names: Vec::new(), of: vec![Self::UNSEEN; memory.names.len()] }
    }

    /// The number of a name, by first sight.
    fn number(&mut self, memory: &'a Memory, name: u32) -> u32 {
        let number = &mut self.of[name as usize];
        if *number == Self::UNSEEN {
            *number = self.names.len() as u32;
            self.names.push(memory.names.text(name));
        }
        *number
    }

    /// The names in natural order, and the place there of each number.
    fn in_natural_order(self) -> (Vec<&'a str>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_unstable_by(|a, b| natural(self.names[*a as usize], self.names[*b as usize]));
        let mut place = vec![0; order.len()];
        for (at, number) in order.iter().enumerate() {
            place[*number as usize] = at as u32;
        }
        (order.into_iter().map(|number| self.names[number as usize]).collect(), place)
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
        let mut orders: [Order<'a>; 4] = std::array::from_fn(|_| Order::new(memory));
        let mut numbers: HashMap<(u32, u32, u32), u32> = HashMap::new();
        let mut outcomes = Vec::new();
        let mut entries: Vec<Entry> = Vec::with_capacity(rows.len());
        for row in rows {
            let [domains, phases, skills, cases] = &mut orders;
            let key = (
                domains.number(memory, row.domain),
                phases.number(memory, row.phase),
                skills.number(memory, row.skill),
            );
            let outcome = *numbers.entry(key).or_insert_with(|| {
                outcomes.push(key);
                outcomes.len() as u32 - 1
            });
            entries.push(Entry {
                domain: key.0,
                phase: key.1,
                skill: key.2,
                case: cases.number(memory, row.case),
                outcome,
                reward: row.reward,
                at: row.at.timestamp_millis(),
            });
        }
        let [domains, phases, skills, cases] = orders;
        let (domains, domain_of) = domains.in_natural_order();
        let (phases, phase_of) = phases.in_natural_order();
        let (skills, skill_of) = skills.in_natural_order();
        for (domain, phase, skill) in &mut outcomes {
            *domain = domain_of[*domain as usize];
            *phase = phase_of[*phase as usize];
            *skill = skill_of[*skill as usize];
        }
        let seen = outcomes.clone();
        outcomes.sort_unstable();
        let place: Vec<u32> =
            seen.iter().map(|key| outcomes.binary_search(key).unwrap_or_default() as u32).collect();
        for entry in &mut entries {
            entry.outcome = place[entry.outcome as usize];
            (entry.domain, entry.phase, entry.skill) = outcomes[entry.outcome as usize];
        }
        let in_cases = in_cases(&entries, cases.names.len());
        let of_outcome = Groups::new(entries.iter().map(|e| e.outcome), outcomes.len());
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
            by_domain: all(|e| e.domain, domains.len()),
            by_phase: all(|e| e.phase, phases.len()),
            by_skill: all(|e| e.skill, skills.len()),
            by_outcome: all(|e| e.outcome, outcomes.len()),
            whole: all(|_| 0, 1)[0],
            phase_skill: Pairs::new(&outcomes, &entries, |(_, p, s)| (*p, *s)),
            domain_skill: Pairs::new(&outcomes, &entries, |(d, _, s)| (*d, *s)),
            domains,
            phases,
            skills,
            cases: cases.names,
            rows,
            entries,
            outcomes,
            domain_phase,
            iterations,
            in_cases,
            of_outcome,
        }
    }

    /// The ids, in bytewise order, of the records with one of the outcomes
    /// (domain, phase, skill) for which something holds, and that fit besides.
    pub fn ids(
        &self,
        holds: impl Fn(&(u32, u32, u32)) -> bool,
        fits: impl Fn(&Row) -> bool,
    ) -> Vec<Arc<str>> {
        let outcomes = self.outcomes.iter().enumerate().filter(|(_, outcome)| holds(outcome));
        let places = outcomes.flat_map(|(outcome, _)| self.of_outcome.of(outcome));
        let rows = places.map(|place| self.rows[*place as usize]).filter(|row| fits(row));
        by_text(rows.map(|row| (&*row.id, Arc::clone(&row.id))))
    }
}

/// Places by group, those of one group next to one another and in order.
#[derive(Clone, Debug)]
struct Groups {
    /// Where each group begins; one more where the last one ends.
    from: Vec<usize>,
    places: Vec<u32>,
}

impl Groups {
    fn new(groups: impl Iterator<Item = u32> + Clone, count: usize) -> Self {
        let mut from = vec![0; count + 1];
        for group in groups.clone() {
            from[group as usize + 1] += 1;
        }
        for group in 0..count {
            from[group + 1] += from[group];
        }
        let mut next = from.clone();
        let mut places = vec![0; from[count]];
        for (place, group) in groups.enumerate() {
            let at = &mut next[group as usize];
            places[*at] = place as u32;
            *at += 1;
        }
        Self { from, places }
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.places[self.from[group]..self.from[group + 1]]
    }
}

/// The phases of every case (domain, slug), those of one next to one another, in
/// natural order.
fn in_cases(entries: &[Entry], cases: usize) -> Vec<InCase> {
    let slugs = Groups::new(entries.iter().map(|entry| entry.case), cases);
    let mut found: Vec<InCase> = Vec::new();
    let mut here: Vec<(u32, u32, u32)> = Vec::new();
    for slug in 0..cases {
        here.clear();
        here.extend(slugs.of(slug).iter().map(|place| {
            let entry = &entries[*place as usize];
            (entry.domain, entry.phase, *place)
        }));
        // By time within a phase, for places are.
        here.sort_unstable();
        for one in here.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (domain, phase, _) = one[0];
            let (mut rewards, mut at) = (Sum::default(), 0);
            for (.., place) in one {
                let entry = &entries[*place as usize];
                rewards.add(entry.reward);
                at += i128::from(entry.at);
            }
            found.push(InCase { domain, case: slug as u32, phase, rewards, at });
        }
    }
    found
}
