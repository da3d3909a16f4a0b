//! From associations and patterns to ranked insights: identity, evidence over
//! up to three dreams, rank (dream.md, "Run", 4 to 6).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::associate::{Association, Subject, cases_of};
use super::file::{Insight, Support};
use super::foreign::ForeignPattern;
use super::identity::{Core, Identity, Kind, Two};
use super::index::Index;
use super::limits::Limits;
use super::marks::Marks;
use super::near::{Miss, Nearest, Share};
use super::number::Thousandths;
use super::past::Past;
use super::tracker::{Found, confidence};
use super::words::{advice, text};

/// Insights that a dream keeps.
pub const KEPT: usize = 20;
/// A gap of at least this has a medium impact.
const MEDIUM: Thousandths = Thousandths(150);
/// The side under which records stand that have no other.
const RECORDS: &str = "records";
/// The side under which cases stand.
const CASES: &str = "cases";

/// How much an insight matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impact {
    /// A gap above the limit of impact.
    High,
    /// A gap of at least 0.15; patterns.
    Medium,
    /// Less.
    Low,
}

impl Impact {
    /// By a gap: high > 0.3, medium ≥ 0.15, else low.
    fn of(gap: Thousandths, limits: &Limits) -> Self {
        match () {
            () if gap > limits.impact => Impact::High,
            () if gap >= MEDIUM => Impact::Medium,
            () => Impact::Low,
        }
    }

    fn weight(self) -> f64 {
        match self {
            Impact::High => 3.0,
            Impact::Medium => 2.0,
            Impact::Low => 1.0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Impact::High => "high",
            Impact::Medium => "medium",
            Impact::Low => "low",
        }
    }
}

/// Where an insight may come from.
#[derive(Clone, Copy)]
enum Source<'s> {
    Association(&'s Association),
    Pattern(&'s Found),
    Foreign(&'s ForeignPattern),
}

/// What may become an insight. Light: made for every association there is.
struct Candidate<'s> {
    source: Source<'s>,
    identity: Identity<'s>,
    own: usize,
    evidence: usize,
    confidence: f64,
    impact: Impact,
    rank: Thousandths,
}

/// What a dream makes of what it found.
pub(super) struct Maker<'s> {
    pub index: &'s Index<'s>,
    pub limits: &'s Limits,
    pub past: &'s Past<'s>,
    pub marks: &'s Marks,
}

impl<'s> Maker<'s> {
    /// The best insights, in order of rank, without what a dream adds of itself.
    pub fn insights(
        &self,
        associations: &'s [Association],
        patterns: &'s [Found],
        foreign: &'s [ForeignPattern],
        near: &mut Nearest,
    ) -> Vec<Insight> {
        let mut candidates: Vec<Candidate<'s>> =
            associations.iter().map(|found| self.of_association(found)).collect();
        candidates.extend(self.promoted(associations, patterns, foreign, near));
        let seen = Seen::of(self.past);
        for candidate in &mut candidates {
            self.merge(candidate, &seen);
        }
        candidates.sort_by(|a, b| {
            let by_worth = b.rank.cmp(&a.rank).then(b.evidence.cmp(&a.evidence));
            by_worth.then_with(|| a.identity.order(&b.identity))
        });
        let marks = self.marks;
        let is_dismissed = |candidate: &Candidate<'_>| {
            !marks.marks.is_empty() && marks.is_dismissed(&candidate.identity.hash(), candidate.own)
        };
        let kept = candidates.into_iter().filter(|candidate| !is_dismissed(candidate)).take(KEPT);
        kept.map(|candidate| self.insight(&candidate, &seen)).collect()
    }

    fn of_association(&self, found: &'s Association) -> Candidate<'s> {
        let impact = Impact::of(found.gap, self.limits);
        let identity = self.identity_of(found);
        let certainty = confidence(found.evidence);
        candidate(Source::Association(found), identity, found.evidence, certainty, impact)
    }

    fn identity_of(&self, found: &Association) -> Identity<'s> {
        let index = self.index;
        let none = Two::default();
        let domain = |number: u32| index.domains[number as usize];
        let phase = |number: u32| index.phases[number as usize];
        let weaker = |domains: (u32, u32)| {
            domain(if found.averages.0 < found.averages.1 { domains.0 } else { domains.1 })
        };
        let (kind, direction, domains, phases, skills) = match found.subject {
            Subject::CrossDomain { domains, phase: number } => (
                Kind::CrossDomain,
                weaker(domains),
                Two::both(domain(domains.0), domain(domains.1)),
                Two::one(Some(phase(number))),
                none,
            ),
            Subject::SkillMismatch { domains, skill } => (
                Kind::SkillMismatch,
                weaker(domains),
                Two::both(domain(domains.0), domain(domains.1)),
                none,
                Two::one(Some(index.skills[skill as usize])),
            ),
            Subject::PhaseCorrelation { phases, second_is_earlier } => (
                Kind::PhaseCorrelation,
                phase(if second_is_earlier { phases.1 } else { phases.0 }),
                none,
                Two::both(phase(phases.0), phase(phases.1)),
                none,
            ),
            Subject::Temporal { improving } => (
                Kind::Temporal,
                if improving { "improving" } else { "degrading" },
                none,
                none,
                none,
            ),
        };
        let insight_type = kind.insight_type().unwrap_or_default();
        Identity {
            core: Core { insight_type, kind: kind.into(), domains, phases, skills },
            direction,
        }
    }

    /// Patterns with enough confidence that no association says already, of one
    /// identity the most confident.
    fn promoted(
        &self,
        associations: &[Association],
        patterns: &'s [Found],
        foreign: &'s [ForeignPattern],
        near: &mut Nearest,
    ) -> Vec<Candidate<'s>> {
        let said = Said::of(associations, self.index);
        let ours = patterns.iter().map(|found| {
            let identity = found.identity(self.index);
            let source = Source::Pattern(found);
            candidate(source, identity, found.evidence, found.confidence(), Impact::Medium)
        });
        let theirs = foreign.iter().map(|found| {
            let source = Source::Foreign(found);
            let identity = identity_of_foreign(found);
            candidate(source, identity, found.evidence_count, found.confidence, Impact::Medium)
        });
        let mut best: Vec<Candidate<'s>> = Vec::new();
        let mut places: HashMap<Identity<'s>, usize> = HashMap::new();
        for one in ours.chain(theirs) {
            let (domains, phases, skills) = self.names(one.source);
            if said.already(&domains, &phases, &skills) {
                continue;
            }
            if Thousandths::of(one.confidence) < self.limits.confidence {
                self.offer_unsure(&one, near);
                continue;
            }
            let place = *places.entry(one.identity).or_insert(best.len());
            match best.get_mut(place) {
                None => best.push(one),
                Some(other) if one.confidence > other.confidence => *other = one,
                Some(_) => {}
            }
        }
        best
    }

    fn offer_unsure(&self, one: &Candidate<'_>, near: &mut Nearest) {
        let limit = self.limits.confidence;
        let confidence = Thousandths::of(one.confidence);
        near.offer(Share::below(confidence, limit), || {
            let (domains, phases, skills) = self.names(one.source);
            let reason = format!("confidence {} < {}", confidence.three_places(), limit.short());
            Miss::new(one.identity.core.insight_type, reason)
                .domains(domains)
                .phases(phases)
                .skills(skills)
        });
    }

    /// The domains, phases and skills that people see.
    fn names(&self, source: Source<'s>) -> (Vec<&'s str>, Vec<&'s str>, Vec<&'s str>) {
        let core = match source {
            Source::Association(found) => self.identity_of(found).core,
            Source::Pattern(found) => found.identity(self.index).core,
            Source::Foreign(found) => fields_of_foreign(found),
        };
        (core.domains.list(), core.phases.list(), core.skills.list())
    }

    /// Takes in the evidence of the earlier dreams (dream.md, "Evidence by id").
    fn merge(&self, candidate: &mut Candidate<'s>, seen: &Seen<'s>) {
        let kind = candidate.identity.core.kind;
        let is_theirs = matches!(candidate.source, Source::Foreign(_));
        if kind == Kind::Temporal.as_ref() || is_theirs {
            return;
        }
        let (ours, foreign) = seen.of_identity(&candidate.identity);
        if ours.is_empty() && foreign.is_none() {
            return;
        }
        let mut union: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
        let own = self.support(candidate.source);
        for support in ours.iter().filter_map(|insight| insight.support.as_ref()).chain([&own]) {
            for (side, ids) in support {
                union.entry(side.clone()).or_default().extend(ids.iter().cloned());
            }
        }
        let sides = own.keys().map(|side| union.get(side).map_or(0, BTreeSet::len));
        let merged = sides.min().unwrap_or(candidate.own);
        candidate.evidence = merged + foreign.map_or(0, |insight| insight.evidence_count);
        candidate.confidence = confidence(candidate.evidence);
        candidate.rank = Thousandths::of(candidate.confidence * candidate.impact.weight());
    }

    /// The ids of what speaks for it now.
    fn support(&self, source: Source<'_>) -> Support {
        let index = self.index;
        let side = |domain: u32, of: &dyn Fn(u32, u32) -> bool| {
            let ids = index.ids(|(d, phase, skill)| *d == domain && of(*phase, *skill), |_| true);
            (index.domains[domain as usize].to_owned(), ids)
        };
        match source {
            Source::Association(found) => match found.subject {
                Subject::CrossDomain { domains, phase } => {
                    [domains.0, domains.1].map(|domain| side(domain, &|of, _| of == phase)).into()
                }
                Subject::SkillMismatch { domains, skill } => {
                    [domains.0, domains.1].map(|domain| side(domain, &|_, of| of == skill)).into()
                }
                Subject::PhaseCorrelation { phases, .. } => {
                    [(CASES.to_owned(), cases_of(index, self.limits, phases))].into()
                }
                Subject::Temporal { .. } => {
                    [(RECORDS.to_owned(), index.ids(|_| true, |_| true))].into()
                }
            },
            Source::Pattern(found) => [(RECORDS.to_owned(), ids_of_pattern(index, found))].into(),
            Source::Foreign(_) => [(RECORDS.to_owned(), Vec::new())].into(),
        }
    }

    fn insight(&self, candidate: &Candidate<'s>, seen: &Seen<'s>) -> Insight {
        let identity = &candidate.identity;
        let (domains, phases, skills) = self.names(candidate.source);
        let (finding, advice) = match candidate.source {
            Source::Association(found) => (text(found, identity), advice(found, identity)),
            Source::Pattern(found) => (found.text(self.index), found.advice(self.index)),
            Source::Foreign(found) => {
                let sentence = |text: &str| text.trim().trim_end_matches('.').to_owned();
                let advice = found.advice.as_deref().map(sentence).unwrap_or_default();
                (sentence(&found.description), advice)
            }
        };
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let (ours, foreign) = seen.of_identity(identity);
        let before = || ours.iter().copied().chain(foreign);
        let mut seen_in: BTreeSet<String> = BTreeSet::new();
        for insight in before() {
            seen_in.extend(insight.seen_in.iter().cloned());
            seen_in.insert(insight.dream_id.clone());
        }
        seen_in.remove("");
        Insight {
            insight_type: identity.core.insight_type.to_owned(),
            description: match advice.is_empty() {
                true => format!("{finding}."),
                false => format!("{finding}. {advice}."),
            },
            confidence: Thousandths::of(candidate.confidence),
            impact: candidate.impact.name().to_owned(),
            rank_score: candidate.rank,
            evidence_count: candidate.evidence,
            domains: owned(domains),
            phases: owned(phases),
            skills: owned(skills),
            kind: identity.core.kind.to_owned(),
            direction: identity.direction.to_owned(),
            advice,
            support: Some(self.support(candidate.source)),
            own_evidence: Some(candidate.own),
            first_seen: before().filter_map(|i| i.first_seen.or(i.created_at)).min(),
            seen_in: seen_in.into_iter().collect(),
            identity: identity.hash(),
            turned_from: seen.turned_from(identity),
            ..Insight::default()
        }
    }
}

fn candidate<'s>(
    source: Source<'s>,
    identity: Identity<'s>,
    own: usize,
    confidence: f64,
    impact: Impact,
) -> Candidate<'s> {
    let rank = Thousandths::of(confidence * impact.weight());
    Candidate { source, identity, own, evidence: own, confidence, impact, rank }
}

/// The ids of a pattern's records.
pub fn ids_of_pattern(index: &Index<'_>, found: &Found) -> Vec<Arc<str>> {
    index.ids(|outcome| found.is_about(*outcome), |row| found.is_told_by(row))
}

fn fields_of_foreign(found: &ForeignPattern) -> Core<'_> {
    Core {
        insight_type: &found.category,
        kind: Kind::Pattern.into(),
        domains: Two::one(found.domain.as_deref()),
        phases: Two::one(found.phase.as_deref()),
        skills: Two::one(found.skill.as_deref()),
    }
}

/// A foreign pattern's id stands for its fields.
fn identity_of_foreign(found: &ForeignPattern) -> Identity<'_> {
    let core = fields_of_foreign(found);
    let none = Two::default();
    match &found.id {
        None => Identity { core, direction: "" },
        Some(id) => Identity {
            core: Core { domains: none, phases: none, skills: none, ..core },
            direction: id,
        },
    }
}

/// What the associations say already.
struct Said<'s> {
    phases: HashSet<(&'s str, &'s str)>,
    skills: HashSet<(&'s str, &'s str)>,
}

impl<'s> Said<'s> {
    fn of(associations: &[Association], index: &'s Index<'_>) -> Self {
        let mut said = Self { phases: HashSet::new(), skills: HashSet::new() };
        let domain = |number: u32| index.domains[number as usize];
        for found in associations {
            match found.subject {
                Subject::CrossDomain { domains, phase } => {
                    let phase = index.phases[phase as usize];
                    said.phases.extend([domains.0, domains.1].map(|d| (domain(d), phase)));
                }
                Subject::SkillMismatch { domains, skill } => {
                    let skill = index.skills[skill as usize];
                    said.skills.extend([domains.0, domains.1].map(|d| (domain(d), skill)));
                }
                Subject::PhaseCorrelation { .. } | Subject::Temporal { .. } => {}
            }
        }
        said
    }

    fn already(&self, domains: &[&str], phases: &[&str], skills: &[&str]) -> bool {
        domains.iter().any(|domain| {
            phases.iter().any(|phase| self.phases.contains(&(*domain, *phase)))
                || skills.iter().any(|skill| self.skills.contains(&(*domain, *skill)))
        })
    }
}

/// The insights of the dreams that count, newest first, by what they are about.
struct Seen<'s>(HashMap<Core<'s>, Vec<&'s Insight>>);

impl<'s> Seen<'s> {
    fn of(past: &'s Past<'_>) -> Self {
        let mut seen: HashMap<Core<'s>, Vec<&'s Insight>> = HashMap::new();
        for dream in past.dreams.iter().filter_map(|one| one.dream.as_ref().ok()) {
            for insight in &dream.insights {
                if let Some(core) = insight.core() {
                    seen.entry(core).or_default().push(insight);
                }
            }
        }
        Self(seen)
    }

    /// Those of one identity with their ids, and the newest foreign one, of
    /// which direction is not compared.
    fn of_identity(&self, identity: &Identity<'_>) -> (Vec<&'s Insight>, Option<&'s Insight>) {
        let all = self.0.get(&identity.core).map_or(&[][..], Vec::as_slice);
        let ours = all
            .iter()
            .copied()
            .filter(|insight| !insight.is_foreign() && insight.direction == identity.direction);
        (ours.collect(), all.iter().copied().find(|insight| insight.is_foreign()))
    }

    /// The way that it pointed when it was last seen, if another one.
    fn turned_from(&self, identity: &Identity<'_>) -> Option<String> {
        if identity.core.kind == Kind::Pattern.as_ref() {
            return None;
        }
        let newest = self.0.get(&identity.core)?.iter().find(|insight| !insight.is_foreign())?;
        (newest.direction != identity.direction).then(|| newest.direction.clone())
    }
}
