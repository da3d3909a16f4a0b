//! What goes in and what comes out.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Run 1: which records are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// reward desc, timestamp desc, id
    TopReward,
    /// timestamp desc, id
    Newest,
    /// no limit
    All,
}

/// Looking, Counterfactual: the limits that can be moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// A difference must be greater than this (0.15).
    pub gap: f64,
    /// A phase is low below this (0.5).
    pub low: f64,
    /// A correlation needs so many cases (3).
    pub cases: usize,
    /// Impact is high above this (0.3).
    pub high: f64,
    /// Impact is medium from this on (0.15).
    pub medium: f64,
    /// A pattern is promoted from this confidence on (0.5).
    pub confidence: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { gap: 0.15, low: 0.5, cases: 3, high: 0.3, medium: 0.15, confidence: 0.5 }
    }
}

/// Looking, Between dreams: a dismissed identity and its own evidence then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismissed {
    /// 16 hex digits
    pub identity: String,
    /// own evidence when it was dismissed
    pub evidence: usize,
}

/// Everything that steers a dream.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// which records are kept
    pub selection: Selection,
    /// how many are kept at most, ≥ 5 (200)
    pub max_records: usize,
    /// thresholds
    pub limits: Limits,
    /// marks of the operator
    pub dismissed: Vec<Dismissed>,
    /// dream though the input has not changed
    pub force: bool,
    /// whether the memory folder exists
    pub memory_folder: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            selection: Selection::TopReward,
            max_records: 200,
            limits: Limits::default(),
            dismissed: Vec::new(),
            force: false,
            memory_folder: true,
        }
    }
}

/// A reward record that counts.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Record {
    pub path: String,
    pub id: String,
    pub timestamp: DateTime<Utc>,
    pub case: String,
    pub domain: String,
    pub phase: String,
    pub skill: String,
    pub reward: f64,
    pub iterations: Option<f64>,
}

/// How a dream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Status {
    Completed,
    NoData,
    InsufficientData,
    UnchangedInput,
}

/// Reward records: why a file is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Fault {
    ParseError,
    NotAnObject,
    MissingField,
    WrongType,
    RewardNotNumber,
    RewardOutOfRange,
    BadTimestamp,
    DuplicateId,
}

impl Fault {
    /// The spelling in dream.md.
    pub fn code(self) -> &'static str {
        match self {
            Fault::ParseError => "parse_error",
            Fault::NotAnObject => "not_an_object",
            Fault::MissingField => "missing_field",
            Fault::WrongType => "wrong_type",
            Fault::RewardNotNumber => "reward_not_number",
            Fault::RewardOutOfRange => "reward_out_of_range",
            Fault::BadTimestamp => "bad_timestamp",
            Fault::DuplicateId => "duplicate_id",
        }
    }
}

/// What is reported without stopping anything.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Warning {
    FutureRecords { count: usize },
    UnreadableExpiry { path: String },
    BadPattern { file: usize, entry: usize },
    FutureDream { name: String },
    UnreadableDream { name: String },
}

/// Arithmetic: the trend of a list of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Trend {
    Improving,
    Degrading,
    Stable,
    InsufficientData,
}

impl Trend {
    /// The spelling in dream.md.
    pub fn code(self) -> &'static str {
        match self {
            Trend::Improving => "improving",
            Trend::Degrading => "degrading",
            Trend::Stable => "stable",
            Trend::InsufficientData => "insufficient_data",
        }
    }
}

/// Run 2: "identity (type, id), an outcome's is (domain, phase, skill)". `id` has one part, an
/// outcome's three.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct NodeKey {
    pub kind: &'static str,
    pub id: Vec<String>,
}

/// A node of the concept graph.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Node {
    pub key: NodeKey,
    pub label: String,
    pub avg_reward: f64,
    pub record_count: usize,
    pub trend: Trend,
}

/// An edge of the concept graph.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Edge {
    pub from: NodeKey,
    pub to: NodeKey,
    pub weight: f64,
    pub record_count: usize,
}

/// Both lists are sorted by key; the specification fixes no order.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// Run 5: evidence by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// `{domain: [ids]}`
    Sides(BTreeMap<String, BTreeSet<String>>),
    /// `{"cases": ["domain/case_slug"]}`
    Cases(BTreeSet<String>),
    /// `{"records": [ids]}`
    Records(BTreeSet<String>),
}

impl Support {
    /// As it stands in a dream file.
    pub fn to_value(&self) -> Value {
        match self {
            Support::Sides(sides) => json!(sides),
            Support::Cases(cases) => json!({ "cases": cases }),
            Support::Records(records) => json!({ "records": records }),
        }
    }
}

/// Run 5: "(type, kind, direction, domains, phases, skills)"; compares part by part, bytewise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Identity {
    pub r#type: String,
    pub kind: String,
    pub direction: String,
    pub domains: Vec<String>,
    pub phases: Vec<String>,
    pub skills: Vec<String>,
}

impl Identity {
    /// Run 7: "the first 16 hex digits of the SHA-256 of the identity as a JSON array".
    pub fn hash(&self) -> String {
        let array =
            json!([self.r#type, self.kind, self.direction, self.domains, self.phases, self.skills]);
        let digest = Sha256::digest(array.to_string().as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..16].to_string()
    }
}

/// Run 3: an association.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Association {
    pub kind: &'static str,
    pub direction: String,
    pub domains: Vec<String>,
    pub phases: Vec<String>,
    pub skills: Vec<String>,
    pub gap: f64,
    pub evidence_count: usize,
    pub text: String,
    pub advice: String,
    pub support: Support,
}

/// Run 4–6: an insight.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Insight {
    pub insight_id: String,
    pub identity: String,
    pub identity_parts: Identity,
    /// the association's or pattern's text, without the advice
    pub title: String,
    /// `{text}. {advice}.`
    pub description: String,
    pub advice: String,
    pub confidence: f64,
    /// "high", "medium" or "low"
    pub impact: &'static str,
    pub rank_score: f64,
    pub evidence_count: usize,
    pub own_evidence: usize,
    pub support: Support,
    pub first_seen: DateTime<Utc>,
    /// dream ids, oldest first, this one last
    pub seen_in: Vec<String>,
    /// the direction that it had in the newest of the three dreams that had it at all
    pub turned_from: Option<String>,
    /// a pattern that someone else wrote: its evidence has no ids
    pub foreign: bool,
}

/// Looking, Near misses.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct NearMiss {
    /// cross_domain, skill_mismatch, phase_correlation, temporal or pattern
    pub kind: &'static str,
    /// of a pattern: its category
    pub category: String,
    pub domains: Vec<String>,
    pub phases: Vec<String>,
    pub skills: Vec<String>,
    pub reason: String,
    /// The missing share of the limit: numerator and denominator.
    pub missing: (i64, i64),
}

/// Run 1: what the selection left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct LeftOut {
    pub count: usize,
    pub failures: usize,
}

/// Everything that a dream found.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Outcome {
    pub status: Status,
    /// "4 of 5" where there is too little
    pub reason: String,
    /// empty unless completed
    pub dream_id: String,
    pub records_analyzed: usize,
    /// all valid records, expired ones too
    pub valid_records: usize,
    /// ids of the kept records in (timestamp, id) order
    pub kept: Vec<String>,
    /// paths of expired records, sorted
    pub expired: Vec<String>,
    /// (path, reason), sorted by path
    pub skipped: Vec<(String, Fault)>,
    pub warnings: Vec<Warning>,
    pub left_out: LeftOut,
    pub domains_covered: Vec<String>,
    pub phases_covered: Vec<String>,
    pub graph: Graph,
    pub associations: Vec<Association>,
    pub insights: Vec<Insight>,
    /// the closest 20
    pub near_misses: Vec<NearMiss>,
    /// how many more there are
    pub near_misses_rest: usize,
    /// all of them, closest first
    pub all_near_misses: Vec<NearMiss>,
    /// Only equality between two fingerprints of this reference means anything.
    pub fingerprint: String,
}

impl Outcome {
    pub(super) fn empty() -> Outcome {
        Outcome {
            status: Status::NoData,
            reason: String::new(),
            dream_id: String::new(),
            records_analyzed: 0,
            valid_records: 0,
            kept: Vec::new(),
            expired: Vec::new(),
            skipped: Vec::new(),
            warnings: Vec::new(),
            left_out: LeftOut::default(),
            domains_covered: Vec::new(),
            phases_covered: Vec::new(),
            graph: Graph::default(),
            associations: Vec::new(),
            insights: Vec::new(),
            near_misses: Vec::new(),
            near_misses_rest: 0,
            all_near_misses: Vec::new(),
            fingerprint: String::new(),
        }
    }
}
