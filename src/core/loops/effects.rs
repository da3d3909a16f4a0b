//! What a loop brings about outside of itself: reward records and events for
//! dreams (store.md, "Journal"; dream.md, "With loops"). What is owed follows
//! from the state, so that whoever meets it can carry it out, and carrying it
//! out again changes nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::ids::{ArtifactId, Name};
use super::model::{Loop, Status};
use crate::core::dream::Thousandths;
use crate::core::dream::new_record::{NewRecord, Outcome, label};
use crate::core::text::{sha256_hex, slugify};
use crate::core::time::Timestamp;

/// The domain of a loop that names none.
pub const GENERAL: &str = "general";
/// How every automatic record's reason begins.
const AUTO: &str = "auto:";
/// Characters of a title's slug in a case's slug.
const CASE_CHARS: usize = 60;
/// Characters of the loop's id in a case's slug.
const ID_CHARS: usize = 6;

/// Why effects were carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The loop was closed.
    #[default]
    Close,
    /// Its close was undone, or it was reopened.
    TakenBack,
    /// A phase was rated.
    Rating,
    /// The verify command was run while the loop linked a session.
    Report,
}

/// A record that was written, in a journaled event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Of which phase.
    pub phase: Name,
    /// Its file, relative to the folder of records.
    pub path: String,
}

/// Effects that were carried out, with what is needed to take them back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectsDone {
    /// The event whose effects they are.
    pub of_seq: u64,
    /// Why.
    #[serde(default)]
    pub cause: Cause,
    /// Records that were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Written>,
    /// Records that were moved to quarantine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

/// A record of this loop that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The event that it follows from.
    pub of_seq: u64,
    /// Of which phase.
    pub phase: Name,
    /// Its file, relative to the folder of records.
    pub path: String,
}

/// The operator's rating of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// How good it was.
    pub reward: Thousandths,
    /// The event that says so.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
}

/// A run of the verify command that is to be an attempt of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedRun {
    /// Its report.
    pub artifact_id: ArtifactId,
    /// The session.
    pub session_id: String,
}

/// A gate that was found shut, and how much had been said by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundShut {
    /// The phase.
    pub phase: Name,
    /// The iteration, 0-based.
    pub iteration: u32,
    /// Artifacts that the loop had.
    pub artifacts: usize,
}

/// What of a loop's effects is recorded; folded over every event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// Closes whose effects were carried out and not taken back.
    #[serde(default)]
    pub closes: std::collections::BTreeSet<u64>,
    /// Records that are there.
    #[serde(default)]
    pub records: Vec<Kept>,
    /// The newest rating of each phase.
    #[serde(default)]
    pub ratings: BTreeMap<Name, Rating>,
    /// Runs that are no attempts of their sessions yet, by the event of each report.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reports: BTreeMap<u64, ReportedRun>,
}

impl Effects {
    /// Takes in that effects were carried out.
    pub fn take_in(&mut self, done: &EffectsDone) {
        match done.cause {
            Cause::Close => {
                self.closes.insert(done.of_seq);
            }
            Cause::TakenBack => {
                self.closes.remove(&done.of_seq);
            }
            Cause::Rating => {}
            Cause::Report => {
                self.reports.remove(&done.of_seq);
            }
        }
        self.records.retain(|kept| !done.removed.contains(&kept.path));
        for written in &done.written {
            let Written { phase, path } = written.clone();
            self.records.retain(|kept| kept.path != path);
            self.records.push(Kept { of_seq: done.of_seq, phase, path });
        }
    }
}

/// Effects that are owed, as they are to be carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Owed {
    /// The event whose effects they are.
    pub of_seq: u64,
    /// Why.
    pub cause: Cause,
    /// Records to write, with the phase of each.
    pub records: Vec<(Name, NewRecord)>,
    /// Records to move to quarantine.
    pub remove: Vec<String>,
    /// Whether a case was completed by it.
    pub completes: bool,
    /// The run that is to be an attempt.
    pub report: Option<ReportedRun>,
}

/// Whether anything is owed, without working out what: asked after every command.
pub fn is_owing(state: &Loop) -> bool {
    let effects = &state.ledger.effects;
    let open = close_of(state).is_some_and(|close| !effects.closes.contains(&close));
    let stale = effects.closes.iter().any(|close| close_of(state) != Some(*close));
    open || stale || !effects.reports.is_empty() || unrecorded(state).next().is_some()
}

/// All that is owed, in order.
pub fn owed(state: &Loop) -> Vec<Owed> {
    let effects = &state.ledger.effects;
    let mut owed: Vec<Owed> = effects
        .closes
        .iter()
        .filter(|close| close_of(state) != Some(**close))
        .map(|close| Owed {
            of_seq: *close,
            cause: Cause::TakenBack,
            records: Vec::new(),
            remove: paths(state, |kept| kept.of_seq == *close),
            completes: false,
            report: None,
        })
        .collect();
    if let Some(close) = close_of(state).filter(|close| !effects.closes.contains(close)) {
        owed.push(Owed {
            of_seq: close,
            cause: Cause::Close,
            records: earned(state, close),
            remove: Vec::new(),
            completes: state.status == Status::Completed,
            report: None,
        });
    }
    owed.extend(unrecorded(state).map(|(phase, rating)| Owed {
        of_seq: rating.seq,
        cause: Cause::Rating,
        records: vec![(phase.clone(), rated(state, phase, rating))],
        remove: paths(state, |kept| kept.phase == *phase),
        completes: false,
        report: None,
    }));
    owed.extend(effects.reports.iter().map(|(seq, run)| Owed {
        of_seq: *seq,
        cause: Cause::Report,
        records: Vec::new(),
        remove: Vec::new(),
        completes: false,
        report: Some(run.clone()),
    }));
    owed
}

/// The event that closed the loop, if it is closed.
fn close_of(state: &Loop) -> Option<u64> {
    state.close.as_ref().filter(|_| state.status.is_closed()).map(|close| close.seq)
}

/// The ratings that no record says yet.
fn unrecorded(state: &Loop) -> impl Iterator<Item = (&Name, &Rating)> {
    let effects = &state.ledger.effects;
    effects.ratings.iter().filter(|(phase, rating)| {
        !effects.records.iter().any(|k| k.of_seq == rating.seq && k.phase == **phase)
    })
}

fn paths(state: &Loop, which: impl Fn(&Kept) -> bool) -> Vec<String> {
    let records = state.ledger.effects.records.iter();
    records.filter(|kept| which(kept)).map(|kept| kept.path.clone()).collect()
}

/// The records that a close earns: one for each phase of the cycle (in review:
/// findings to followup_review) and each gated phase that was passed, but for
/// those that the operator rated.
fn earned(state: &Loop, close: u64) -> Vec<(Name, NewRecord)> {
    if state.status == Status::Cancelled {
        return Vec::new();
    }
    let at = state.closed_at.unwrap_or(state.updated_at);
    let mut records = Vec::new();
    for phase in &state.protocol.phases {
        let name = &phase.name;
        let in_cycle = is_cycle(state, name);
        if state.ledger.effects.ratings.contains_key(name) {
            continue;
        }
        let reward = if state.status == Status::Blocked && last_of_cycle(state) == Some(name) {
            Some((Thousandths(0), rounds(state, name), "the cycle ended blocked".to_owned()))
        } else if in_cycle || phase.advance_gate.is_some() {
            passed(state, name)
        } else {
            None
        };
        if let Some((reward, rounds, why)) = reward {
            let reason = format!("{AUTO} {why}");
            records.push((name.clone(), record(state, name, close, reward, rounds, reason, at)));
        }
    }
    records
}

/// How well a phase was passed: in the first round possible, the next, later or
/// by force; none if it was not passed.
fn passed(state: &Loop, phase: &str) -> Option<(Thousandths, u32, String)> {
    let last = state.visits.iter().rposition(|visit| &*visit.phase == phase)?;
    let is_last = last + 1 == state.visits.len();
    let stop_unmet = state.close.as_ref().is_some_and(|close| close.stop_unmet);
    // Whoever ends a loop by hand before its time ends the phase by force.
    let forced = state.visits[last].forced || (is_last && stop_unmet);
    let rounds = rounds(state, phase);
    let first = first_possible(state, phase);
    let (reward, how) = match rounds {
        _ if forced => (300, "by force"),
        n if n <= first => (1000, "in the first round possible"),
        n if n == first + 1 => (700, "in the second round possible"),
        _ => (300, "late"),
    };
    let count = crate::core::text::plural(rounds as usize, "round", "rounds");
    Some((Thousandths(reward), rounds, format!("passed {how}, after {count}")))
}

/// Rounds that a phase took: the whole cycle's for its phases, else its visits.
fn rounds(state: &Loop, phase: &str) -> u32 {
    if is_cycle(state, phase) {
        let of_cycle = state.visits.iter().filter(|visit| is_cycle(state, &visit.phase));
        return of_cycle.map(|visit| visit.iteration).max().map_or(0, |last| last + 1);
    }
    let visits = state.visits.iter().filter(|visit| &*visit.phase == phase).count();
    u32::try_from(visits).unwrap_or(u32::MAX)
}

/// The first round in which a phase can be passed: a cycle that ends because
/// nobody found anything new needs a second round to find nothing in.
fn first_possible(state: &Loop, phase: &str) -> u32 {
    use super::protocol::ExitWhen;
    let waits = state.protocol.iteration.as_ref().is_some_and(|iteration| {
        iteration.exit_when == Some(ExitWhen::NoNewCritiqueArtifacts)
            && iteration.cycle.iter().any(|name| &**name == phase)
    });
    if waits { 2 } else { 1 }
}

/// The phases that a review goes through again and again.
const REVIEW_CYCLE: [&str; 3] = ["findings", "author_response", "followup_review"];

fn is_cycle(state: &Loop, phase: &str) -> bool {
    let of_review = state.kind == super::protocol::Kind::Review
        && state.protocol.iteration.is_none()
        && REVIEW_CYCLE.contains(&phase);
    of_review || state.protocol.in_cycle(phase)
}

fn last_of_cycle(state: &Loop) -> Option<&Name> {
    state.protocol.phases.iter().map(|phase| &phase.name).rfind(|name| is_cycle(state, name))
}

fn rated(state: &Loop, phase: &Name, rating: &Rating) -> NewRecord {
    let reason = "rated by the operator".to_owned();
    let rounds = rounds(state, phase);
    record(state, phase, rating.seq, rating.reward, rounds, reason, rating.at)
}

fn record(
    state: &Loop,
    phase: &Name,
    of_seq: u64,
    reward: Thousandths,
    rounds: u32,
    reason: String,
    at: Timestamp,
) -> NewRecord {
    // Derived, so that repeating writes nothing twice.
    let mut id = sha256_hex(format!("{}/{of_seq}/{phase}", state.id).as_bytes());
    id.truncate(16);
    let made = state.artifacts.iter().filter(|artifact| artifact.phase == *phase);
    let made = made.filter(|artifact| artifact.is_current());
    let reward_label = label(reward.to_f64());
    let context = Map::from_iter([
        ("loop_id".to_owned(), json!(state.id)),
        ("seq".to_owned(), json!(of_seq)),
        ("kind".to_owned(), json!(state.kind)),
        ("status".to_owned(), json!(state.status)),
    ]);
    NewRecord {
        id: format!("rwd_{id}"),
        version: NewRecord::VERSION,
        timestamp: at,
        case_slug: case_slug(state),
        domain: domain_of(state).to_owned(),
        phase: phase.to_string(),
        phase_name: phase.to_string(),
        skill_used: skill(state, phase),
        reward: reward.to_f64(),
        reward_label,
        reward_reason: reason,
        context,
        outcome: Outcome {
            artifacts_created: made.map(|a| a.artifact_id.to_string()).collect(),
            iterations: Some(u64::from(rounds)),
            ..Outcome::default()
        },
        promise_tag: None,
        usage_count: 0,
        expires_at: None,
    }
}

/// The domain that a loop's records and insights belong to.
pub fn domain_of(state: &Loop) -> &str {
    state.domain.as_deref().unwrap_or(GENERAL)
}

/// The title as a slug and the beginning of the loop's id.
fn case_slug(state: &Loop) -> String {
    let id = &state.id.as_str()[super::ids::LoopId::PREFIX.len()..];
    let id: String = id.chars().take(ID_CHARS).collect();
    format!("{}-{id}", slugify(&state.title, CASE_CHARS, "loop"))
}

/// The agent or the role that worked a phase last; a role that the phase asks
/// for where nobody took a turn.
fn skill(state: &Loop, phase: &str) -> String {
    let worked = state.slots.iter().filter_map(|slot| {
        let turn = slot.turns.iter().rev().find(|turn| &*turn.phase == phase)?;
        Some((turn.seq, slot, turn))
    });
    if let Some((_, slot, turn)) = worked.max_by_key(|(seq, ..)| *seq) {
        let agent = slot.agent.clone().or_else(|| turn.by.agent().cloned());
        return agent.unwrap_or_else(|| slot.role.clone()).to_string();
    }
    let asked = state.protocol.phase(phase).and_then(|phase| phase.role.clone());
    asked.map_or_else(|| "engine".to_owned(), |role| role.to_string())
}

/// Whether a gate that is found shut now is one that was not found so before:
/// the same gate again, with nothing new said, is no news.
pub fn is_news(before: &Loop, phase: &str) -> bool {
    before.found_shut.as_ref().is_none_or(|found| {
        &*found.phase != phase
            || found.iteration != before.iteration_count
            || found.artifacts != before.artifacts.len()
    })
}
