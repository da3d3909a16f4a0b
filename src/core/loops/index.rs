//! Counts over a loop's artifacts, so that a commit costs the same at ten
//! events and at a hundred thousand.
//!
//! Kept up by `apply` through [`Index::add`] and [`Index::recount`]; rebuilt
//! from the artifacts after a snapshot was read. Everything here follows from
//! `Loop::artifacts`.

use std::sync::Arc;

use imbl::{HashMap, Vector};

use super::ids::Name;
use super::model::{Actor, Artifact, Loop};

/// A phase and an iteration.
type Place = (Name, u32);
/// What makes two artifacts of a type the same: the maker and the trimmed text.
type Sameness = (Actor, Name);

/// How the artifacts of one type in one phase and iteration count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Different counting ones (same producer and same trimmed text are one).
    distinct: HashMap<Sameness, u32>,
    /// Counting ones, duplicates included.
    counting: u32,
    /// Current ones without usable content.
    blank: u32,
}

impl Tally {
    /// How many different ones count.
    pub fn distinct(&self) -> u32 {
        u32::try_from(self.distinct.len()).unwrap_or(u32::MAX)
    }

    /// How many count if repetitions are counted too.
    pub fn counting(&self) -> u32 {
        self.counting
    }

    /// How many repeat another's text.
    pub fn duplicates(&self) -> u32 {
        self.counting.saturating_sub(self.distinct())
    }

    /// How many carry no usable content.
    pub fn blank(&self) -> u32 {
        self.blank
    }

    /// Whether one of this producer with this trimmed text counts already.
    pub fn holds(&self, producer: &Actor, text_key: &str) -> bool {
        self.distinct.contains_key(&(producer.clone(), Name::from(text_key)))
    }

    /// Whether several of this producer with this trimmed text count.
    fn holds_several(&self, producer: &Actor, text_key: &str) -> bool {
        self.distinct.get(&(producer.clone(), Name::from(text_key))).is_some_and(|n| *n > 1)
    }

    fn change(&mut self, artifact: &Artifact, sign: Sign) {
        if artifact.counts() {
            sign.apply(&mut self.counting);
            let key = (artifact.produced_by.clone(), artifact.text_key.clone());
            match sign {
                Sign::Plus => sign.apply(self.distinct.entry(key).or_default()),
                Sign::Minus => {
                    let mut count = self.distinct.remove(&key).unwrap_or(0);
                    sign.apply(&mut count);
                    if count > 0 {
                        self.distinct.insert(key, count);
                    }
                }
            }
        } else if !artifact.usable && !artifact.late && artifact.is_current() {
            sign.apply(&mut self.blank);
        }
    }
}

#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

impl Sign {
    fn apply(self, count: &mut u32) {
        *count = match self {
            Sign::Plus => count.saturating_add(1),
            Sign::Minus => count.saturating_sub(1),
        };
    }
}

/// The counts and positions of a loop's artifacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    positions: HashMap<Name, usize>,
    places: HashMap<Place, Vector<usize>>,
    tallies: HashMap<Place, HashMap<Name, Tally>>,
}

impl Loop {
    /// Whether an artifact says what one before it said already: the same text
    /// of the same type by the same producer in one phase and round (§4).
    pub fn repeats(&self, artifact: &Artifact) -> bool {
        self.said_before(artifact).is_some()
    }

    /// The first artifact that said what this one repeats, if it repeats one.
    pub fn said_before(&self, artifact: &Artifact) -> Option<&Arc<Artifact>> {
        let key = (&artifact.produced_by, &*artifact.text_key);
        let (phase, iteration) = (&*artifact.phase, artifact.iteration);
        let tally = self.index.tally(phase, iteration, &artifact.artifact_type)?;
        if !artifact.counts() || !tally.holds_several(key.0, key.1) {
            return None;
        }
        self.artifacts_in(phase, iteration)
            .take_while(|earlier| earlier.artifact_id != artifact.artifact_id)
            .filter(|earlier| earlier.artifact_type == artifact.artifact_type)
            .find(|earlier| earlier.counts() && (&earlier.produced_by, &*earlier.text_key) == key)
    }
}

impl Index {
    /// The index of some artifacts.
    pub fn of<'a>(artifacts: impl IntoIterator<Item = &'a Arc<Artifact>>) -> Self {
        let mut index = Self::default();
        for (position, artifact) in artifacts.into_iter().enumerate() {
            index.add(position, artifact);
        }
        index
    }

    /// Takes in an artifact that was appended at a position.
    pub fn add(&mut self, position: usize, artifact: &Artifact) {
        let place = (artifact.phase.clone(), artifact.iteration);
        self.positions.insert(artifact.artifact_id.name().clone(), position);
        self.places.entry(place.clone()).or_default().push_back(position);
        self.tally_mut(place, artifact).change(artifact, Sign::Plus);
    }

    /// Takes in that an artifact changed from one state to another.
    pub fn recount(&mut self, before: &Artifact, after: &Artifact) {
        let place = (before.phase.clone(), before.iteration);
        let tally = self.tally_mut(place, before);
        tally.change(before, Sign::Minus);
        tally.change(after, Sign::Plus);
    }

    /// Where an artifact stands in `Loop::artifacts`.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.positions.get(id).copied()
    }

    /// The positions of the artifacts of a phase and iteration, oldest first.
    pub fn place(
        &self,
        phase: &str,
        iteration: u32,
    ) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let positions = self.places.get(&(phase.into(), iteration)).cloned().unwrap_or_default();
        positions.into_iter()
    }

    /// How a type counts in a phase and iteration.
    pub fn tally(&self, phase: &str, iteration: u32, artifact_type: &str) -> Option<&Tally> {
        self.tallies.get(&(phase.into(), iteration))?.get(artifact_type)
    }

    /// How a type counts in the phases of one iteration, phase by phase.
    pub fn in_iteration<'a>(
        &'a self,
        iteration: u32,
        artifact_type: &'a str,
    ) -> impl Iterator<Item = &'a Tally> {
        let of_iteration = move |(place, _): &(&Place, _)| place.1 == iteration;
        self.tallies.iter().filter(of_iteration).filter_map(move |(_, t)| t.get(artifact_type))
    }

    /// Every phase and iteration that holds something.
    pub fn places(&self) -> impl Iterator<Item = (&Name, u32)> {
        self.places.keys().map(|(phase, iteration)| (phase, *iteration))
    }

    fn tally_mut(&mut self, place: Place, artifact: &Artifact) -> &mut Tally {
        self.tallies.entry(place).or_default().entry(artifact.artifact_type.clone()).or_default()
    }
}
