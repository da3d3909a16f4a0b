//! Which records a dream is dreamt from (dream.md, "Run", 1).

use std::cmp::Reverse;
use std::collections::BTreeSet;

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
    let rows = one_an_id(memory, without, &mut skipped);
    skipped.retain(|file| !without.files.contains(&file.path));
    skipped.sort();
    let valid = rows.len();
    let mut warnings = Vec::new();
    warn_of_times(&rows, now, &mut warnings);
    let mut rows: Vec<&Row> = rows.into_iter().filter(|row| !row.expires.is_past(now)).collect();
    let expired = valid - rows.len();
    let left_out = cut(&mut rows, settings, limits);
    // Rows come by id, so that a stable order by time is the one by both.
    let by_time = sorted_by_key(&rows, |row| row.at);
    Kept { rows: by_time, skipped, valid, expired, left_out, warnings }
}

/// Rows by a key, of equals in the order that they had. The keys stand together
/// while they are sorted: a million rows are scattered over the memory.
fn sorted_by_key<'a, K: Ord>(rows: &[&'a Row], key: impl Fn(&Row) -> K) -> Vec<&'a Row> {
    let mut keys: Vec<(K, u32)> =
        rows.iter().enumerate().map(|(place, row)| (key(row), place as u32)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, place)| rows[place as usize]).collect()
}

/// Of several files with one id the newer timestamp counts, then the greater
/// path. The rows that count are in the bytewise order of their ids.
fn one_an_id<'a>(
    memory: &'a Memory,
    without: &Without,
    skipped: &mut Vec<Skipped>,
) -> Vec<&'a Row> {
    let everything = without.is_empty();
    let rows = memory.rows.iter().filter(|row| everything || !without.leaves_out(memory, row));
    let mut rows: Vec<&Row> = by_text(rows.map(|row| (&*row.id, row)));
    rows.dedup_by(|row, first| {
        let is_again = row.id == first.id;
        if is_again {
            let newer = (row.at, &row.path) > (first.at, &first.path);
            let loser = if newer { std::mem::replace(first, *row) } else { *row };
            skipped.push(Skipped {
                path: loser.path.to_string(),
                reason: Reason::DuplicateId.to_string(),
                detail: format!("another file with the id {} counts", loser.id),
            });
        }
        is_again
    });
    rows
}

/// Things in the bytewise order of their texts. What the texts begin with stands
/// beside each while they are sorted, so that few texts are looked up.
pub(super) fn by_text<'t, T>(things: impl Iterator<Item = (&'t str, T)>) -> Vec<T> {
    let mut all: Vec<(u128, &str, T)> =
        things.map(|(text, thing)| (beginning(text), text, thing)).collect();
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    all.into_iter().map(|(.., thing)| thing).collect()
}

/// The first 16 bytes of a text as a number that is in order as they are.
fn beginning(text: &str) -> u128 {
    let mut bytes = [0; 16];
    let known = text.len().min(bytes.len());
    bytes[..known].copy_from_slice(&text.as_bytes()[..known]);
    u128::from_be_bytes(bytes)
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
        // Of equals the first by id, which is the order that they come in.
        Selection::TopReward => {
            *rows = sorted_by_key(rows, |row| Reverse((order_of(row.reward), row.at)))
        }
        Selection::Newest => *rows = sorted_by_key(rows, |row| Reverse(row.at)),
    }
    let left = rows.split_off(most);
    *rows = by_text(rows.iter().map(|row| (&*row.id, *row)));
    Some(LeftOut {
        records: left.len(),
        failures: left.iter().filter(|r| Thousandths::of(r.reward) < limits.low).count(),
        selection: settings.selection.to_string(),
        max_records: most,
    })
}

/// A number whose order is that of a reward, which is never negative.
fn order_of(reward: f64) -> u64 {
    reward.abs().to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_bytewise_order_however_much_they_have_in_common() {
        let long = "the same sixteen bytes and more";
        let mut texts = vec!["", "\0", "b", "a", "a\0", "é", "Z", "aa"];
        let (longer, other) = (format!("{long}, b"), format!("{long}, a"));
        texts.extend([longer.as_str(), other.as_str(), long, &long[..16]]);
        let sorted = by_text(texts.iter().map(|text| (*text, *text)));
        texts.sort_unstable();
        assert_eq!(sorted, texts);
    }

    #[test]
    fn of_equal_keys_the_order_stays() {
        let mut memory = Memory::new();
        for n in 0..9 {
            let text = format!(
                r#"{{"id":"{n}","timestamp":"2026-02-01T10:0{}:00Z","case_slug":"c","domain":"d",
                "phase":"p","skill_used":"s","reward":0.5}}"#,
                n % 3
            );
            memory.add(&format!("{}.json", 9 - n), Ok(text.as_bytes()));
        }
        let rows: Vec<&Row> = memory.rows.iter().collect();
        let ids: String = sorted_by_key(&rows, |row| row.at).iter().map(|row| &*row.id).collect();
        assert_eq!(ids, "036147258");
    }
}
