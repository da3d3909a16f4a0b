//! Reward records: storing, listing, and what the tracker makes of them
//! (dream.md, "Reward records" and "The tracker").

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::api::{
    Difference, Error, NameStats, Pattern, Result, RewardDraft, RewardPage, RewardQuery,
    RewardRecord, RewardStats,
};
use super::inner::{Engine, Inner};
use crate::core::dream::index::Index;
use crate::core::dream::insight::ids_of_pattern;
use crate::core::dream::limits::Limits;
use crate::core::dream::memory::{Memory, Row};
use crate::core::dream::near::Nearest;
use crate::core::dream::new_record::{NewRecord, Outcome, label};
use crate::core::dream::number::{Stat, Thousandths};
use crate::core::dream::record::Expiry;
use crate::core::dream::select::{Kept, Selection, Settings, Without, select};
use crate::core::dream::tracker;
use crate::core::loops::refusal::Refusal;
use crate::core::text::{has_visible, hex};
use crate::store::rewards::{RewardStore, Stored, scan};

/// The domain of what names none.
pub(super) const GENERAL: &str = "general";
/// A difference of averages that is worth a word.
const NOTABLE: Thousandths = Thousandths(50);

impl Engine {
    /// Stores a reward record, and says where.
    ///
    /// # Errors
    /// `invalid_case`, `invalid_phase`, `invalid_domain`, `invalid_skill`,
    /// `invalid_reward`, `invalid_expires_at`; `read_only`, `io`.
    pub fn reward_add(&self, draft: &RewardDraft) -> Result<(RewardRecord, Vec<String>)> {
        let inner = &self.inner;
        inner.check_writable()?;
        let record = inner.new_record(draft)?;
        let mut warnings = Vec::new();
        let (path, _) = inner.store_record(&record, &mut warnings)?;
        let memory = Memory::of([(path.as_str(), record.to_bytes())]);
        let row = memory.rows.first().ok_or_else(|| {
            Error::new("io", format!("the record {} cannot be read back", record.id))
        })?;
        Ok((inner.reward_record(&memory, row), warnings))
    }

    /// Reward records, newest first.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn rewards(&self, query: &RewardQuery) -> Result<RewardPage> {
        let memory = self.inner.rewards_memory()?;
        let kept = everything(&memory, self.now());
        let is = |wanted: &Option<String>, number: u32| {
            wanted.as_deref().is_none_or(|wanted| &**memory.names.text(number) == wanted)
        };
        // Expired ones too: they are there.
        let mut rows: Vec<&Row> = memory
            .rows
            .iter()
            .filter(|row| {
                is(&query.domain, row.domain)
                    && is(&query.phase, row.phase)
                    && is(&query.case, row.case)
            })
            .collect();
        rows.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.path.cmp(&b.path)));
        let total = rows.len();
        let page = rows.into_iter().skip(query.offset).take(query.limit.unwrap_or(total));
        let records: Vec<RewardRecord> =
            page.map(|row| self.inner.reward_record(&memory, row)).collect();
        let end = query.offset.saturating_add(records.len());
        let next_offset = (!records.is_empty() && end < total).then_some(end);
        Ok(RewardPage { records, total, next_offset, skipped: kept.skipped })
    }

    /// The text of a record's file, by its path below the folder of records.
    ///
    /// # Errors
    /// `io` if it is not there or cannot be read; a path that leads out of the
    /// folder is not there.
    pub fn reward_text(&self, path: &str) -> Result<String> {
        let inside = |part| matches!(part, std::path::Component::Normal(_));
        if !std::path::Path::new(path).components().all(inside) {
            return Err(Error::new("io", format!("{path} is no record")));
        }
        let file = self.inner.reward_store().file(path);
        let bytes =
            crate::store::plain::read(&file).map_err(|e| crate::store::Error::read(&file, e))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What the tracker makes of the records; writes its summary and its
    /// patterns where something may be written. Patterns of other tools stay.
    ///
    /// # Errors
    /// If the folder cannot be listed or a file not be written.
    pub fn reward_stats(&self) -> Result<RewardStats> {
        let inner = &self.inner;
        let memory = inner.rewards_memory()?;
        let store = inner.reward_store();
        let kept = everything(&memory, self.now());
        let index = Index::new(&memory, &kept.rows);
        let mut stats = self.stats_of(&index, &kept);
        let before = store.summary()?;
        if let Some(bytes) = before {
            compare(&bytes, &mut stats);
        }
        if inner.check_writable().is_ok() && memory.is_there {
            let patterns = inner.patterns_with_theirs(&store, &stats)?;
            store.write_stats(&pretty(&self.summary(&stats)), &pretty(&patterns))?;
        }
        Ok(stats)
    }

    fn stats_of(&self, index: &Index<'_>, kept: &Kept<'_>) -> RewardStats {
        let limits = Limits::default();
        let named = |names: &[&str], stats: &[Stat]| -> Vec<NameStats> {
            let one = |(name, stat): (&&str, &Stat)| NameStats {
                name: (*name).to_owned(),
                average: stat.average(),
                count: stat.count(),
                trend: stat.trend(limits.gap),
            };
            names.iter().zip(stats).map(one).collect()
        };
        let patterns = tracker::find(index, &limits, &mut Nearest::default());
        let pattern = |found: &tracker::Found| Pattern {
            pattern_id: format!("pat_{}", found.identity(index).hash()),
            category: found.category.to_string(),
            description: found.text(index),
            confidence: Thousandths::of(found.confidence()),
            evidence_count: found.evidence,
            record_ids: ids_of_pattern(index, found),
            domain: index.domains[found.domain as usize].to_owned(),
            phase: found.phase.map(|phase| index.phases[phase as usize].to_owned()),
            skill: found.skill.map(|skill| index.skills[skill as usize].to_owned()),
            actionable_advice: found.advice(index),
            detected_at: self.now(),
        };
        RewardStats {
            records: kept.rows.len(),
            average: index.whole.average(),
            trend: index.whole.trend(limits.gap),
            phases: named(&index.phases, &index.by_phase),
            domains: named(&index.domains, &index.by_domain),
            skills: named(&index.skills, &index.by_skill),
            patterns: patterns.iter().map(pattern).collect(),
            differences: Vec::new(),
            expired: kept.expired,
            skipped: kept.skipped.clone(),
            warnings: kept.warnings.clone(),
        }
    }

    /// The summary's file.
    fn summary(&self, stats: &RewardStats) -> Value {
        let table = |names: &[NameStats]| {
            let one = |n: &NameStats| {
                let value = json!({ "average": n.average, "count": n.count, "trend": n.trend });
                (n.name.clone(), value)
            };
            Value::Object(names.iter().map(one).collect::<Map<_, _>>())
        };
        let (best, worst) = (best_of(&stats.phases), worst_of(&stats.phases));
        json!({
            "version": NewRecord::VERSION,
            "generated_at": self.now(),
            "total_records": stats.records,
            "average_reward": stats.average,
            "trend": stats.trend,
            "phases": table(&stats.phases),
            "domains": table(&stats.domains),
            "skills": table(&stats.skills),
            "best": best.map(|n| json!({ "phase": n.name, "average": n.average })),
            "worst": worst.map(|n| json!({ "phase": n.name, "average": n.average })),
        })
    }
}

/// The name with the best average; of equals the first.
pub(super) fn best_of(names: &[NameStats]) -> Option<&NameStats> {
    names.iter().rev().max_by_key(|n| n.average)
}

/// The name with the worst average; of equals the first.
pub(super) fn worst_of(names: &[NameStats]) -> Option<&NameStats> {
    names.iter().min_by_key(|n| n.average)
}

/// All valid records that have not expired.
pub(super) fn everything(memory: &Memory, now: crate::core::time::Timestamp) -> Kept<'_> {
    let settings = Settings { selection: Selection::All, ..Settings::default() };
    select(memory, settings, &Limits::default(), &Without::default(), now.to_utc())
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Where a summary that was there says something else by more than 0.05. Both
/// plain numbers and objects with an average are understood.
fn compare(bytes: &[u8], stats: &mut RewardStats) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let summary: Value = match serde_json::from_slice(bytes) {
        Ok(summary) => summary,
        Err(error) => {
            stats.warnings.push(format!("the summary that was there cannot be read: {error}"));
            return;
        }
    };
    let said = |of: &str, name: &str| -> Option<f64> {
        let singular = of.trim_end_matches('s');
        let keys = [of.to_owned(), format!("{singular}_averages"), format!("by_{singular}")];
        let table = keys.iter().find_map(|key| summary.get(key))?;
        let value = table.get(name)?;
        let fields = ["average", "avg_reward", "average_reward", "avg", "mean"];
        value.as_f64().or_else(|| fields.iter().find_map(|field| value.get(field)?.as_f64()))
    };
    let mut differences = Vec::new();
    for (of, names) in
        [("phases", &stats.phases), ("domains", &stats.domains), ("skills", &stats.skills)]
    {
        for name in names {
            let Some(value) = said(of, &name.name) else { continue };
            let summary = Thousandths::of(value);
            let off = Thousandths::of((value - name.average.to_f64()).abs());
            if off > NOTABLE {
                let (name, records) = (name.name.clone(), name.average);
                differences.push(Difference { of, name, summary, records });
            }
        }
    }
    stats.differences = differences;
}

impl Inner {
    /// The store of reward records.
    pub fn reward_store(&self) -> RewardStore {
        RewardStore::new(self.layout.rewards().to_owned(), self.quarantine(), self.flush)
    }

    /// All records, read anew.
    pub fn rewards_memory(&self) -> Result<Arc<Memory>> {
        let memory = scan(self.layout.rewards(), &|_, _| true)?;
        Ok(Arc::new(memory.unwrap_or_default()))
    }

    /// A record as people see it.
    pub fn reward_record(&self, memory: &Memory, row: &Row) -> RewardRecord {
        let name = |number: u32| Arc::clone(memory.names.text(number));
        RewardRecord {
            id: Arc::clone(&row.id),
            path: Arc::clone(&row.path),
            file: self.layout.rewards().join(&*row.path),
            timestamp: row.at.into(),
            case_slug: name(row.case),
            domain: name(row.domain),
            phase: name(row.phase),
            skill_used: name(row.skill),
            reward: row.reward,
            reward_label: label(row.reward),
            iterations: row.iterations,
            expired: row.expires.is_past(self.time.now().to_utc()),
        }
    }

    /// Stores a record and counts it for the trigger. Counting is advisory: if it
    /// fails the record is stored all the same, with a warning.
    pub fn store_record(
        &self,
        record: &NewRecord,
        warnings: &mut Vec<String>,
    ) -> Result<(String, Stored)> {
        let (path, stored) = self.reward_store().add(record)?;
        if stored == Stored::New {
            self.tell_trigger(warnings, |state| state.count_record());
        }
        Ok((path, stored))
    }

    fn new_record(&self, draft: &RewardDraft) -> Result<NewRecord> {
        let text = |field: &'static str, value: &str| {
            let fits = has_visible(value) && value.chars().count() <= 200;
            if fits && !value.chars().any(char::is_control) {
                return Ok(value.to_owned());
            }
            Err(invalid(field, &format!("{field} is a line of 1 to 200 visible characters")))
        };
        if !(0.0..=1.0).contains(&draft.reward) {
            return Err(invalid("reward", "a reward is a number from 0 to 1"));
        }
        if let Some(expires) = &draft.expires_at
            && Expiry::read(expires) == Expiry::Unreadable
        {
            let wanted = "it is a date (2026-12-31) or an RFC 3339 time";
            return Err(invalid("expires_at", wanted));
        }
        let now = self.time.now();
        let domain = text("domain", draft.domain.as_deref().unwrap_or(GENERAL))?;
        let phase = text("phase", &draft.phase)?;
        let case_slug = text("case", &draft.case)?;
        let said = [&*domain, &*case_slug, &*phase, &now.to_string()];
        let id = format!("rwd_{}", hex(&self.chance.for_memory(&said, 1)));
        Ok(NewRecord {
            id,
            version: NewRecord::VERSION,
            timestamp: now,
            phase_name: draft.phase_name.clone().unwrap_or_else(|| phase.clone()),
            skill_used: text("skill", draft.skill.as_deref().unwrap_or("operator"))?,
            reward: draft.reward,
            reward_label: label(draft.reward),
            reward_reason: draft.reason.clone().unwrap_or_default(),
            context: Map::new(),
            outcome: Outcome { iterations: draft.iterations, ..Outcome::default() },
            promise_tag: None,
            usage_count: 0,
            expires_at: draft.expires_at.clone(),
            case_slug,
            domain,
            phase,
        })
    }

    /// Our patterns, and after them those of other tools as they stand.
    fn patterns_with_theirs(&self, store: &RewardStore, stats: &RewardStats) -> Result<Value> {
        let mut patterns: Vec<Value> = stats.patterns.iter().map(|p| json!(p)).collect();
        let mut rest = Map::new();
        if let Some(bytes) = store.patterns()? {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            let path = store.file("_patterns/domain-patterns.json");
            let theirs =
                |list: Vec<Value>| list.into_iter().filter(|p| p.get("record_ids").is_none());
            match serde_json::from_slice(bytes) {
                Ok(Value::Array(list)) => patterns.extend(theirs(list)),
                Ok(Value::Object(mut map)) => {
                    if let Some(Value::Array(list)) = map.shift_remove("patterns") {
                        patterns.extend(theirs(list));
                    }
                    for key in ["version", "generated_at"] {
                        map.shift_remove(key);
                    }
                    rest = map;
                }
                Ok(_) | Err(_) => {
                    return Err(Refusal::new(
                        "damaged",
                        format!(
                            "{} cannot be read; it is left alone: mend it or move it away",
                            path.display()
                        ),
                    )
                    .detail("path", path.display().to_string())
                    .into());
                }
            }
        }
        let mut file = Map::from_iter([
            ("version".to_owned(), json!("1.0")),
            ("generated_at".to_owned(), json!(self.time.now())),
            ("patterns".to_owned(), Value::Array(patterns)),
        ]);
        file.extend(rest);
        Ok(Value::Object(file))
    }
}

fn invalid(field: &'static str, message: &str) -> Error {
    let code = match field {
        "reward" => "invalid_reward",
        "domain" => "invalid_domain",
        "phase" => "invalid_phase",
        "skill" => "invalid_skill",
        "expires_at" => "invalid_expires_at",
        _ => "invalid_case",
    };
    Refusal::new(code, message.to_owned()).detail("field", field).into()
}

/// Rows by id, of those that count.
pub(super) fn by_id<'a>(kept: &Kept<'a>) -> HashMap<&'a str, &'a Row> {
    kept.rows.iter().map(|row| (&*row.id, *row)).collect()
}
