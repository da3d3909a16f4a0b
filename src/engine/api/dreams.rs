//! Reward records and dreams.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::workspace::Problem;
use crate::core::dream::diff::Change;
use crate::core::dream::graph::Graph;
use crate::core::dream::marks::Mark;
use crate::core::dream::memory::Skipped;
use crate::core::dream::number::Trend;
use crate::core::dream::trigger::{Evaluation, News, State};
use crate::core::dream::{Dream, DreamId, Insight, Limits, Thousandths, Without};
use crate::core::time::Timestamp;

/// A reward record to be stored (absent = by default).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RewardDraft {
    /// The case.
    pub case: String,
    /// The domain; `general` where absent.
    pub domain: Option<String>,
    /// The phase.
    pub phase: String,
    /// The phase as people call it.
    pub phase_name: Option<String>,
    /// Who or what worked it; `operator` where absent.
    pub skill: Option<String>,
    /// From 0 to 1.
    pub reward: f64,
    /// Why so much.
    pub reason: Option<String>,
    /// Rounds that it took.
    pub iterations: Option<u64>,
    /// When it stops counting: a time or a bare date.
    pub expires_at: Option<String>,
}

/// A reward record as it was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RewardRecord {
    /// Its id.
    pub id: Arc<str>,
    /// Its file, relative to the folder of records, with `/`.
    pub path: Arc<str>,
    /// Its file.
    pub file: PathBuf,
    /// When.
    pub timestamp: Timestamp,
    /// The case.
    pub case_slug: Arc<str>,
    /// The domain.
    pub domain: Arc<str>,
    /// The phase.
    pub phase: Arc<str>,
    /// Who or what worked it.
    pub skill_used: Arc<str>,
    /// From 0 to 1.
    pub reward: f64,
    /// In a word.
    pub reward_label: &'static str,
    /// Rounds that it took.
    pub iterations: Option<f64>,
    /// Whether it has expired.
    pub expired: bool,
}

/// Some reward records, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewardPage {
    /// The records.
    pub records: Vec<RewardRecord>,
    /// How many match in all.
    pub total: usize,
    /// Where the next page begins, if there is one.
    pub next_offset: Option<usize>,
    /// Files that do not count, and why.
    pub skipped: Vec<Skipped>,
}

/// Which reward records are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewardQuery {
    /// Of this domain.
    pub domain: Option<String>,
    /// Of this phase.
    pub phase: Option<String>,
    /// Of this case.
    pub case: Option<String>,
    /// At most so many; absent = all.
    pub limit: Option<usize>,
    /// After so many.
    pub offset: usize,
}

/// What is known of the records that bear a name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameStats {
    /// The name.
    pub name: String,
    /// Their mean reward.
    pub average: Thousandths,
    /// How many.
    pub count: usize,
    /// Where it is going.
    pub trend: Trend,
}

/// A pattern of the tracker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// `pat_` and the hash of its identity.
    pub pattern_id: String,
    /// bottleneck, excellence, mismatch, improving, degrading, overhead.
    pub category: String,
    /// What it says.
    pub description: String,
    /// A tenth a record, at most 1.
    pub confidence: Thousandths,
    /// How many records say so.
    pub evidence_count: usize,
    /// Which.
    pub record_ids: Vec<Arc<str>>,
    /// Where.
    pub domain: String,
    /// Of which phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Of which skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// What to do.
    pub actionable_advice: String,
    /// When it was seen.
    pub detected_at: Timestamp,
}

/// A name whose average in the summary that was there differs from what the
/// records say by more than 0.05.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// phases, domains or skills.
    pub of: &'static str,
    /// The name.
    pub name: String,
    /// What the summary said.
    pub summary: Thousandths,
    /// What the records say.
    pub records: Thousandths,
}

/// What the tracker makes of the records.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardStats {
    /// Valid records that have not expired.
    pub records: usize,
    /// Their mean.
    pub average: Thousandths,
    /// Where it is going.
    pub trend: Trend,
    /// By phase, in natural order.
    pub phases: Vec<NameStats>,
    /// By domain, in natural order.
    pub domains: Vec<NameStats>,
    /// By skill, in natural order.
    pub skills: Vec<NameStats>,
    /// The patterns.
    pub patterns: Vec<Pattern>,
    /// Where the summary that was there differs.
    pub differences: Vec<Difference>,
    /// Records that have expired.
    pub expired: usize,
    /// Files that do not count, and why.
    pub skipped: Vec<Skipped>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// Why a dream is dreamt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Somebody asked for it.
    #[default]
    ByHand,
    /// A trigger was met.
    Trigger,
}

/// How a dream is dreamt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DreamRequest {
    /// Whether one is written even if nothing has changed.
    pub force: bool,
    /// Whether the concept graph is wanted.
    pub graph: bool,
    /// Why it is dreamt.
    pub cause: Cause,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct DreamDone {
    /// The dream, with its status: completed, no_data, insufficient_data,
    /// unchanged_input.
    pub dream: Dream,
    /// Its file, if it was written.
    pub file: Option<PathBuf>,
    /// The concept graph, if it was wanted and there were enough records.
    pub graph: Option<Graph>,
    /// How it stands to the dream before.
    pub changes: Vec<(Change, String)>,
    /// Why there is no dream, in a sentence.
    pub refusal: Option<String>,
    /// Old dreams that were removed.
    pub removed: usize,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// When a dream is due.
#[derive(Clone, Debug, PartialEq)]
pub struct DreamStatus {
    /// The trigger's state.
    pub state: State,
    /// Which triggers are met.
    pub evaluation: Evaluation,
    /// The newest dream that is not dated after now.
    pub latest: Option<DreamId>,
    /// What is new since.
    pub news: News,
    /// Whether a dream is worth it now: a trigger is met and something is new.
    pub due: bool,
    /// Whether the deck dreams by itself.
    pub auto: bool,
    /// The moment that counts as now.
    pub now: Timestamp,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

impl DreamStatus {
    /// The first trigger that is met, with its figures: `volume 23/20`.
    pub fn why(&self) -> String {
        let (state, met) = (&self.state, &self.evaluation.met);
        match () {
            () if met.event => crate::core::text::plural(state.events.len(), "event", "events"),
            () if met.volume => {
                format!("volume {}/{}", state.records_since, state.thresholds.volume)
            }
            () if met.time => match self.evaluation.elapsed_ms {
                Some(ms) => format!("{} min since the last", ms / 60_000),
                None => "none was dreamt yet".to_owned(),
            },
            () => "no trigger".to_owned(),
        }
    }

    /// When a dream becomes due by time alone, if the time is not over yet.
    pub fn due_at(&self) -> Option<Timestamp> {
        let last = self.state.last_completed.filter(|_| !self.evaluation.met.time)?;
        let minutes = self.state.thresholds.time_minutes.min(1e9);
        Some(last.plus_millis((minutes * 60_000.0) as i64 + 1))
    }
}

/// An insight as people see it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenInsight {
    /// Its place in the dream, from 1.
    pub rank: usize,
    /// What was found.
    pub insight: Insight,
    /// How it stands to the dream before.
    pub change: Change,
    /// What people think of it.
    pub mark: Option<Mark>,
    /// Until when it is snoozed.
    pub snoozed_until: Option<Timestamp>,
    /// Whether it is out of sight: dismissed or snoozed.
    pub hidden: bool,
}

/// A dream with its insights as people see them.
#[derive(Clone, Debug, PartialEq)]
pub struct DreamView {
    /// The dream.
    pub dream: Dream,
    /// Its file.
    pub file: PathBuf,
    /// The dream before it, if there is one that can be read.
    pub previous: Option<DreamId>,
    /// Its insights, by rank.
    pub insights: Vec<SeenInsight>,
    /// Those of the dream before that are gone.
    pub gone: Vec<Insight>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A dream in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DreamLine {
    /// Its id.
    pub dream_id: DreamId,
    /// When it was dreamt.
    pub at: Option<Timestamp>,
    /// Why.
    pub trigger_reason: String,
    /// From how many records.
    pub records_analyzed: usize,
    /// How many insights it has.
    pub insights: usize,
    /// Why it cannot be read, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One side of what an insight rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// A domain, a case, or `records`.
    pub name: String,
    /// The mean reward of its records that are there.
    pub average: Thousandths,
    /// The records that are there, oldest first.
    pub records: Vec<RewardRecord>,
    /// Ids whose records are not there any more.
    pub missing: Vec<Arc<str>>,
}

/// What an insight rests on, down to the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// The insight.
    pub seen: SeenInsight,
    /// The dream that found it.
    pub dream_id: DreamId,
    /// Its sides.
    pub sides: Vec<Side>,
    /// Evidence that only earlier dreams have.
    pub from_earlier: usize,
}

/// What is changed for a counterfactual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supposition {
    /// What is left out.
    pub without: Without,
    /// The limits.
    pub limits: Limits,
}
