//! Which records a dream is dreamt from (dream.md, "Run", 1).

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::limits::Limits;
use super::memory::{Memory, Row, Skipped};
use super::number::Thousandths;
use super::record::{Expiry, Reason};
use crate::core::text::plural;

/// Which records are kept where there are more than the limit.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Selection {
    /// The best rewards, then the newest.
    #[default]
    TopReward,
    /// The newest.
    Newest,
    /// All, without a limit.
    All,
}

/// How a dream is dreamt, by config.toml.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Which records are kept.
    pub selection: Selection,
    /// How many, at least 5; of no meaning with [`Selection::All`].
    pub max_records: usize,
}

impl Settings {
    /// Records that are kept where nothing else is set.
    pub const MAX_RECORDS: usize = 200;
    /// Records that a dream needs.
    pub const MIN_RECORDS: usize = 5;
}

impl Default for Settings {
    fn default() -> Self {
        Self { selection: Selection::default(), max_records: Self::MAX_RECORDS }
    }
}

/// What is left out, as if its files were not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// Files, by path relative to `memory/`.
    pub files: BTreeSet<String>,
    /// Records, by id: every file that bears it.
    pub records: BTreeSet<String>,
    /// Cases: domain and case slug.
    pub cases: BTreeSet<(String, String)>,
    /// Domains.
    pub domains: BTreeSet<String>,
}

impl Without {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.records.is_empty()
            && self.cases.is_empty()
            && self.domains.is_empty()
    }

    /// The first record, case or domain to be left out that no record is of, as it
    /// was named: `case webhooks/retry`.
    pub fn names_nothing(&self, memory: &Memory) -> Option<String> {
        let text = |number: u32| &**memory.names.text(number);
        let none = |is: &dyn Fn(&Row) -> bool| !memory.rows.iter().any(is);
        let record = self.records.iter().find(|id| none(&|row| *row.id == ***id));
        let case = self.cases.iter().find(|(domain, case)| {
            none(&|row| text(row.domain) == domain && text(row.case) == case)
        });
        let domain = self.domains.iter().find(|domain| none(&|row| text(row.domain) == **domain));
        record
            .map(|id| format!("record {id}"))
            .or_else(|| case.map(|(domain, case)| format!("case {domain}/{case}")))
            .or_else(|| domain.map(|domain| format!("domain {domain}")))
    }

    fn leaves_out(&self, memory: &Memory, row: &Row) -> bool {
        let (domain, case) = (memory.names.text(row.domain), memory.names.text(row.case));
        self.files.contains(&*row.path)
            || self.records.contains(&*row.id)
            || self.domains.contains(&**domain)
            || (!self.cases.is_empty()
                && self.cases.contains(&(domain.to_string(), case.to_string())))
    }
}

/// What the limit on records left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// How many.
    pub records: usize,
    /// How many of them were failures: reward < 0.5.
    pub failures: usize,
    /// The setting that chose, by name.
    pub selection: String,
    /// The limit.
    pub max_records: usize,
}

/// The records that a dream is dreamt from.
#[derive(Clone, Debug)]
pub struct Kept<'a> {
    /// By (timestamp, id).
    pub rows: Vec<&'a Row>,
    /// Files that are no record or whose id another one has, by path.
    pub skipped: Vec<Skipped>,
    /// Valid records, expired ones too.
    pub valid: usize,
    /// Those that have expired.
    pub expired: usize,
    /// What the limit left out, if anything.
    pub left_out: Option<LeftOut>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// Chooses the records: one a file id, none that has expired, and of these as
/// many as the settings say, kept in (timestamp, id) order.
pub fn select<'a>(
    memory: &'a Memory,
    settings: Settings,
    limits: &Limits,
    without: &Without,
    now: DateTime<Utc>,
) -> Kept<'a> {
    let mut skipped = memory.skipped.clone();
    let rows = one_a_file(memory, without, &mut skipped);
    skipped.retain(|file| !without.files.contains(&file.path));
    skipped.sort();
    let valid = rows.len();
    let mut warnings = Vec::new();
    warn_of_times(&rows, now, &mut warnings);
    let mut rows: Vec<&Row> = rows.into_iter().filter(|row| !row.expires.is_past(now)).collect();
    let expired = valid - rows.len();
    let left_out = cut(&mut rows, settings, limits);
    rows.sort_unstable_by(|a, b| by_time(a, b));
    Kept { rows, skipped, valid, expired, left_out, warnings }
}

/// The (timestamp, id) order.
fn by_time(a: &Row, b: &Row) -> std::cmp::Ordering {
    a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id))
}

/// Of several files with one id the newer timestamp counts, then the greater path.
fn one_a_file<'a>(
    memory: &'a Memory,
    without: &Without,
    skipped: &mut Vec<Skipped>,
) -> Vec<&'a Row> {
    let everything = without.is_empty();
    let mut by_id: HashMap<&str, usize> = HashMap::with_capacity(memory.rows.len());
    let mut rows: Vec<&Row> = Vec::with_capacity(memory.rows.len());
    for row in memory.rows.iter().filter(|row| everything || !without.leaves_out(memory, row)) {
        let next = rows.len();
        let place = *by_id.entry(&row.id).or_insert(next);
        if place == next {
            rows.push(row);
            continue;
        }
        let newer = (row.at, &row.path) > (rows[place].at, &rows[place].path);
        let loser = if newer { std::mem::replace(&mut rows[place], row) } else { row };
        skipped.push(Skipped {
            path: loser.path.to_string(),
            reason: Reason::DuplicateId.to_string(),
            detail: format!("another file with the id {} counts", loser.id),
        });
    }
    rows
}

fn warn_of_times(rows: &[&Row], now: DateTime<Utc>, warnings: &mut Vec<String>) {
    let about = |found: &mut dyn Iterator<Item = &&Row>, what: &str| {
        let paths: Vec<&str> = found.map(|row| &*row.path).collect();
        let first = paths.iter().min()?;
        Some(format!("{} {what} ({first}{})", plural(paths.len(), "record", "records"), {
            if paths.len() > 1 { ", …" } else { "" }
        }))
    };
    warnings.extend(about(
        &mut rows.iter().filter(|row| row.at > now),
        "dated after now: counted all the same; check the clock that wrote it",
    ));
    warnings.extend(about(
        &mut rows.iter().filter(|row| row.expires == Expiry::Unreadable),
        "with an expires_at that is no time: taken as never expiring",
    ));
}

/// Keeps what the settings say and counts the rest.
fn cut(rows: &mut Vec<&Row>, settings: Settings, limits: &Limits) -> Option<LeftOut> {
    let most = settings.max_records.max(Settings::MIN_RECORDS);
    match settings.selection {
        Selection::All => return None,
        _ if rows.len() <= most => return None,
        Selection::TopReward => rows.sort_unstable_by(|a, b| {
            b.reward.total_cmp(&a.reward).then(b.at.cmp(&a.at)).then_with(|| a.id.cmp(&b.id))
        }),
        Selection::Newest => {
            rows.sort_unstable_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
        }
    }
    let left = rows.split_off(most);
    Some(LeftOut {
        records: left.len(),
        failures: left.iter().filter(|r| Thousandths::of(r.reward) < limits.low).count(),
        selection: settings.selection.to_string(),
        max_records: most,
    })
}
