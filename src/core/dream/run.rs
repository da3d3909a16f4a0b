//! Dreaming: from what was read to a dream, all of it pure (dream.md, "Run").

use super::associate;
use super::file::{Dream, Metadata, TriggerDetail};
use super::foreign::ForeignPattern;
use super::graph::Graph;
use super::index::Index;
use super::insight::Maker;
use super::limits::Limits;
use super::marks::Marks;
use super::memory::Memory;
use super::near::{Miss, Nearest};
use super::number::Thousandths;
use super::past::{DreamId, Earlier, Past};
use super::select::{Settings, Without, select};
use super::tracker;
use crate::core::text::{hex, plural};
use crate::core::time::Timestamp;

/// Whether the graph is made, which costs a little where it is large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithGraph {
    /// Its nodes and edges are only counted.
    #[default]
    No,
    /// It is made.
    Yes,
}

/// All that a dream depends on besides the records.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The moment that counts as now.
    pub now: Timestamp,
    /// The dream's id; where absent that of now.
    pub id: Option<DreamId>,
    /// Which records are kept.
    pub settings: Settings,
    /// The limits of the rules.
    pub limits: Limits,
    /// What is left out.
    pub without: Without,
    /// Earlier dreams; only the newest three count.
    pub earlier: &'a [Earlier],
    /// Patterns of other tools.
    pub foreign: &'a [ForeignPattern],
    /// What people think of insights.
    pub marks: Marks,
    /// Why it is dreamt: time, volume, event, manual.
    pub reason: &'a str,
    /// What stood in the trigger's state.
    pub trigger: TriggerDetail,
    /// Whether the graph is wanted.
    pub graph: WithGraph,
}

impl Request<'_> {
    /// A dream by hand at a moment, with nothing before it.
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            id: None,
            settings: Settings::default(),
            limits: Limits::default(),
            without: Without::default(),
            earlier: &[],
            foreign: &[],
            marks: Marks::default(),
            reason: "manual",
            trigger: TriggerDetail::default(),
            graph: WithGraph::No,
        }
    }
}

/// What dreaming came to.
#[derive(Clone, Debug)]
pub struct Dreamt {
    /// The dream: completed, or why there is none.
    pub dream: Dream,
    /// The concept graph, if it was wanted and there were enough records.
    pub graph: Option<Graph>,
    /// Whether the newest dream came of the same input.
    pub is_unchanged: bool,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// Dreams. The same records, request and clock give the same bytes, in whatever
/// order the records were read.
pub fn dream(memory: &Memory, request: &Request<'_>) -> Dreamt {
    let id = request.id.clone().unwrap_or_else(|| DreamId::at(request.now));
    let mut dream = Dream {
        version: "1.0".to_owned(),
        dream_id: id.to_string(),
        status: "no_data".to_owned(),
        trigger_reason: request.reason.to_owned(),
        started_at: Some(request.now),
        completed_at: Some(request.now),
        trigger_detail: request.trigger,
        ..Dream::default()
    };
    if !memory.is_there {
        return Dreamt { dream, graph: None, is_unchanged: false, warnings: Vec::new() };
    }
    let now = request.now.to_utc();
    let kept = select(memory, request.settings, &request.limits, &request.without, now);
    let past = Past::new(request.earlier, request.now);
    let mut warnings = kept.warnings.clone();
    warnings.extend(past.warnings.iter().cloned());
    dream.metadata.total_reward_records_in_memory = kept.valid;
    dream.expired = kept.expired;
    if kept.rows.len() < Settings::MIN_RECORDS {
        "insufficient_data".clone_into(&mut dream.status);
        dream.near_misses = vec![too_few(kept.rows.len())];
        dream.skipped = kept.skipped;
        return Dreamt { dream, graph: None, is_unchanged: false, warnings };
    }
    let index = Index::new(memory, &kept.rows);
    dream.input_fingerprint = fingerprint(&index, request);
    fill(&mut dream, &index, request, &past);
    dream.skipped = kept.skipped;
    dream.left_out = kept.left_out;
    let latest = past.latest();
    let is_unchanged =
        latest.is_some_and(|latest| latest.input_fingerprint == dream.input_fingerprint);
    let graph = (request.graph == WithGraph::Yes).then(|| Graph::new(&index, &request.limits));
    Dreamt { dream, graph, is_unchanged, warnings }
}

fn too_few(count: usize) -> Miss {
    let needed = Settings::MIN_RECORDS;
    let mut miss = Miss::new("records", format!("{count} of {needed} records"));
    miss.missing = Thousandths::of((needed - count) as f64 / needed as f64);
    miss
}

/// What the kept records show.
fn fill(dream: &mut Dream, index: &Index<'_>, request: &Request<'_>, past: &Past<'_>) {
    let limits = &request.limits;
    let mut near = Nearest::default();
    let associations = associate::find(index, limits, &mut near);
    let patterns = tracker::find(index, limits, &mut near);
    let maker = Maker { index, limits, past, marks: &request.marks };
    let insights = maker.insights(&associations, &patterns, request.foreign, &mut near);
    (dream.concept_graph_nodes, dream.concept_graph_edges) = Graph::counts(index);
    dream.associations_found = associations.len();
    dream.insights = insights;
    for (place, insight) in dream.insights.iter_mut().enumerate() {
        insight.insight_id = format!("{}-{:03}", dream.dream_id, place + 1);
        insight.dream_id.clone_from(&dream.dream_id);
        insight.created_at = Some(request.now);
        insight.first_seen = insight.first_seen.or(Some(request.now));
        insight.seen_in.push(dream.dream_id.clone());
    }
    (dream.near_misses, dream.near_misses_more) = near.into_parts();
    dream.records_analyzed = index.rows.len();
    Dream::COMPLETED.clone_into(&mut dream.status);
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    dream.metadata = Metadata {
        domains_covered: owned(&index.domains),
        phases_covered: owned(&index.phases),
        ..dream.metadata
    };
}

/// The hash of all that goes in: of the kept records id, reward, timestamp,
/// case, domain, phase, skill and iterations, the foreign patterns, the settings.
/// Records name what they share by number; the names follow in that order.
fn fingerprint(index: &Index<'_>, request: &Request<'_>) -> String {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    let mut line: Vec<u8> = Vec::new();
    for (row, entry) in index.rows.iter().zip(&index.entries) {
        line.clear();
        put(&mut line, row.id.as_bytes());
        line.extend(row.reward.to_bits().to_be_bytes());
        line.extend(row.at.timestamp().to_be_bytes());
        line.extend(row.at.timestamp_subsec_nanos().to_be_bytes());
        for number in [entry.case, entry.domain, entry.phase, entry.skill] {
            line.extend(number.to_be_bytes());
        }
        // No number of rounds is NaN.
        line.extend(row.iterations.unwrap_or(f64::NAN).to_bits().to_be_bytes());
        hasher.update(&line);
    }
    for names in [&index.cases, &index.domains, &index.phases, &index.skills] {
        line.clear();
        line.extend((names.len() as u64).to_be_bytes());
        names.iter().for_each(|name| put(&mut line, name.as_bytes()));
        hasher.update(&line);
    }
    hasher.update(serde_json::to_vec(&(request.foreign, request.settings)).unwrap_or_default());
    hex(&hasher.finalize())
}

/// A text with its length before it, so that no two rows of texts are the same.
fn put(line: &mut Vec<u8>, text: &[u8]) {
    line.extend((text.len() as u64).to_be_bytes());
    line.extend(text);
}

/// Dreams from files by path (relative to `memory/`) and bytes: the whole way
/// from bytes to a dream, for tests and tools.
pub fn dream_of_files<P: AsRef<str>, B: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (P, B)>,
    request: &Request<'_>,
) -> Dreamt {
    dream(&Memory::of(files), request)
}

impl Dreamt {
    /// Why there is no dream, in a sentence; absent if there is one.
    pub fn refusal(&self) -> Option<String> {
        match self.dream.status.as_str() {
            "no_data" => Some(
                "there is no memory of rewards yet: close a loop, or add a record by hand"
                    .to_owned(),
            ),
            "insufficient_data" => {
                let skipped = self.dream.skipped.len();
                let count = self.dream.near_misses.first().map_or("", |miss| miss.reason.as_str());
                let also = match skipped {
                    0 => String::new(),
                    n => format!("; {} skipped", plural(n, "file was", "files were")),
                };
                Some(format!("too few records for a dream: {count}{also}"))
            }
            _ => None,
        }
    }
}
