//! A dream as it is stored: the published format and what is added to it, keys
//! in a fixed order (dream.md, "Run", 7).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::identity::{Core, Identity, Kind, Two};
use super::memory::Skipped;
use super::near::Miss;
use super::number::Thousandths;
use super::select::LeftOut;
use crate::core::time::Timestamp;

/// Ids by side: a domain each, or `cases`, or `records`.
pub type Support = BTreeMap<String, Vec<Arc<str>>>;

/// One thing that a dream found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Insight {
    /// `{dream_id}-001` and so on, in order of rank.
    pub insight_id: String,
    /// performance, effectiveness, anti_pattern, or a pattern's category.
    #[serde(rename = "type")]
    pub insight_type: String,
    /// What was found and what to do.
    pub description: String,
    /// From 0 to 1.
    pub confidence: Thousandths,
    /// high, medium or low.
    pub impact: String,
    /// Confidence × weight of the impact.
    pub rank_score: Thousandths,
    /// How much speaks for it, over up to three dreams.
    pub evidence_count: usize,
    /// The domains that it names.
    pub domains: Vec<String>,
    /// The phases that it names.
    pub phases: Vec<String>,
    /// The skills that it names.
    pub skills: Vec<String>,
    /// When it was dreamt.
    pub created_at: Option<Timestamp>,
    /// In which dream.
    pub dream_id: String,
    /// What it was made from; absent in other tools' dreams.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Which way it points.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub direction: String,
    /// What to do, alone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub advice: String,
    /// The ids of *this* dream's evidence; absent in other tools' dreams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<Support>,
    /// This dream's evidence alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_evidence: Option<usize>,
    /// When it was first dreamt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<Timestamp>,
    /// The dreams that found it, this one included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen_in: Vec<String>,
    /// Its identity's hash.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identity: String,
    /// The way it pointed before, if it turned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned_from: Option<String>,
}

impl Insight {
    /// The kind, which a foreign one does not name.
    pub fn kind(&self) -> Kind {
        let by_type = || Kind::of_foreign(&self.insight_type, !self.phases.is_empty());
        self.kind.parse().unwrap_or_else(|_| by_type())
    }

    /// Whether another tool dreamt it: then only its count is known.
    pub fn is_foreign(&self) -> bool {
        self.support.is_none()
    }

    /// What it is about, whichever way it points: the fields that its kind
    /// fills. Absent if they hold more names than the kind knows.
    pub fn core(&self) -> Option<Core<'_>> {
        let (domains, phases, skills) =
            (Two::of(&self.domains)?, Two::of(&self.phases)?, Two::of(&self.skills)?);
        let kind = self.kind();
        let none = Two::default();
        let (domains, phases, skills) = match kind {
            Kind::CrossDomain => (domains, phases, none),
            Kind::SkillMismatch => (domains, none, skills),
            Kind::PhaseCorrelation => (none, phases, none),
            Kind::Temporal => (none, none, none),
            // A foreign pattern's id stands for all of these.
            Kind::Pattern if !self.direction.is_empty() => (none, none, none),
            Kind::Pattern => (domains, phases, skills),
        };
        let kind: &'static str = kind.into();
        Some(Core { insight_type: &self.insight_type, kind, domains, phases, skills })
    }

    /// What makes it the one it is: as stored, else of its fields.
    pub fn identity(&self) -> String {
        if !self.identity.is_empty() {
            return self.identity.clone();
        }
        let of = |core| Identity { core, direction: &self.direction }.hash();
        self.core().map_or_else(|| self.insight_id.clone(), of)
    }

    /// What was found, without the advice.
    pub fn finding(&self) -> &str {
        let text = self.description.trim_end();
        let advice = self.advice.trim_end_matches('.');
        let head = text.trim_end_matches('.').strip_suffix(advice).map(str::trim_end);
        match head {
            Some(head) if !advice.is_empty() && !head.is_empty() => head,
            _ => text,
        }
    }
}

/// Which triggers were met when the dream began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Met {
    /// Long enough ago, or never dreamt.
    pub time: bool,
    /// Enough new records.
    pub volume: bool,
    /// Something happened.
    pub event: bool,
}

/// What stood in the trigger's state when the dream began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TriggerDetail {
    /// Records stored since the last dream.
    pub records_since: u64,
    /// Events since then.
    pub events: usize,
    /// Which triggers were met.
    pub met: Met,
}

/// What the records cover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// In natural order.
    pub domains_covered: Vec<String>,
    /// In natural order.
    pub phases_covered: Vec<String>,
    /// Valid records, expired ones too.
    pub total_reward_records_in_memory: usize,
}

/// A dream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dream {
    /// Of the format: `1.0`.
    pub version: String,
    /// `dream-YYYYMMDD-HHmmss`.
    pub dream_id: String,
    /// completed, no_data, insufficient_data, unchanged_input, failed.
    pub status: String,
    /// time, volume, event or manual.
    pub trigger_reason: String,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// How many records it was dreamt from.
    pub records_analyzed: usize,
    /// Nodes of the concept graph.
    pub concept_graph_nodes: usize,
    /// Edges of the concept graph.
    pub concept_graph_edges: usize,
    /// Associations that were found.
    pub associations_found: usize,
    /// The best twenty.
    pub insights: Vec<Insight>,
    /// What the records cover.
    pub metadata: Metadata,
    /// What led to it.
    pub trigger_detail: TriggerDetail,
    /// The hash of all that went in.
    pub input_fingerprint: String,
    /// What came near, closest first.
    pub near_misses: Vec<Miss>,
    /// How many more came less near.
    pub near_misses_more: usize,
    /// Files that did not count.
    pub skipped: Vec<Skipped>,
    /// Records that have expired.
    pub expired: usize,
    /// What the limit on records left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

impl Dream {
    /// The status of a dream that was dreamt.
    pub const COMPLETED: &'static str = "completed";

    /// The status of one that could not be stored.
    pub const FAILED: &'static str = "failed";

    /// Reads a dream file; a byte order mark is tolerated.
    ///
    /// # Errors
    /// What the parser says.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The first line for people: how many records, and what the limit left out.
    pub fn first_line(&self) -> String {
        let records = crate::core::text::plural(self.records_analyzed, "record", "records");
        match &self.left_out {
            None => format!("Dreamt from {records}"),
            Some(left) => format!(
                "Dreamt from {records}; {} left out, {} of them failures (reward < 0.5): \
                 dream.selection = \"{}\", dream.max_records = {}",
                left.records, left.failures, left.selection, left.max_records
            ),
        }
    }
}
