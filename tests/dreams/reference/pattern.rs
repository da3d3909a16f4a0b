//! dream.md, The tracker: patterns from the kept records, and patterns that others wrote.

use std::collections::BTreeSet;

use serde_json::Value;

use super::arithmetic::{drift, mean, mean_of, names, show2, thousandths, trend};
use super::associate::ids;
use super::load::in_time_order;
use super::types::{NearMiss, Record, Trend, Warning};

/// A pattern, ours or someone else's.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    pub category: String,
    pub domain: Option<String>,
    pub phase: Option<String>,
    pub skill: Option<String>,
    pub text: String,
    pub advice: String,
    pub evidence_count: usize,
    pub records: BTreeSet<String>,
    pub foreign: bool,
    /// a foreign pattern's `pattern_id`
    pub id: Option<String>,
}

struct Look<'a> {
    kept: &'a [&'a Record],
    patterns: Vec<Pattern>,
    misses: Vec<NearMiss>,
}

/// "A dream computes these patterns from its own records": all of them, whatever their confidence,
/// and the ones that failed a limit.
pub fn tracker(kept: &[&Record]) -> (Vec<Pattern>, Vec<NearMiss>) {
    let mut look = Look { kept, patterns: Vec::new(), misses: Vec::new() };
    for domain in names(kept.iter().map(|r| r.domain.as_str())) {
        let here: Vec<&Record> = kept.iter().copied().filter(|r| r.domain == domain).collect();
        for phase in names(here.iter().map(|r| r.phase.as_str())) {
            let there: Vec<&Record> = here.iter().copied().filter(|r| r.phase == phase).collect();
            look.phase(&domain, &phase, &there);
        }
        for skill in names(here.iter().map(|r| r.skill.as_str())) {
            look.mismatch(&domain, &skill);
        }
    }
    (look.patterns, look.misses)
}

impl Look<'_> {
    /// "per (domain, phase), limits on thousandths, ≥ 3 records on each side, ≥ 4 for a trend".
    fn phase(&mut self, domain: &str, phase: &str, records: &[&Record]) {
        let average = mean(records);
        let (avg, shown) = (thousandths(average), show2(average));
        // "bottleneck (average < 0.5)".
        self.judge(
            ("bottleneck", domain, Some(phase), None),
            records,
            &[above(avg, 499, 500), few(records.len(), 3)],
            format!("Phase {phase} is a bottleneck in {domain} (avg {shown})"),
            "Give it more time or split it".into(),
        );
        // "excellence (> 0.9)".
        self.judge(
            ("excellence", domain, Some(phase), None),
            records,
            &[below(avg, 901, 900), few(records.len(), 3)],
            format!("Phase {phase} excels in {domain} (avg {shown})"),
            "Reuse what works there".into(),
        );
        // "improving, degrading": the trend of Arithmetic.
        match trend(records) {
            Trend::Improving => self.judge(
                ("improving", domain, Some(phase), None),
                records,
                &[],
                format!("Phase {phase} is improving in {domain}"),
                "Keep the current approach".into(),
            ),
            Trend::Degrading => self.judge(
                ("degrading", domain, Some(phase), None),
                records,
                &[],
                format!("Phase {phase} is degrading in {domain}"),
                "Review recent changes to it".into(),
            ),
            Trend::Stable => {
                let drift = thousandths(drift(records));
                let category = if drift < 0 { "degrading" } else { "improving" };
                let miss = (150 - drift.abs(), 150);
                self.miss((category, domain, Some(phase), None), miss);
            }
            Trend::InsufficientData => {}
        }
        // "overhead (mean outcome.iterations > 2)": over the records that say how many.
        let counted: Vec<&Record> =
            in_time_order(records).into_iter().filter(|r| r.iterations.is_some()).collect();
        if !counted.is_empty() {
            let rounds = mean_of(&counted.iter().filter_map(|r| r.iterations).collect::<Vec<_>>());
            self.judge(
                ("overhead", domain, Some(phase), None),
                &counted,
                &[below(thousandths(rounds), 2001, 2000), few(counted.len(), 3)],
                format!("Phase {phase} takes {} rounds on average in {domain}", show2(rounds)),
                "Sharpen its input".into(),
            );
        }
    }

    /// "mismatch (skill < 0.5 here, > 0.7 elsewhere)"; "mismatch is per (domain, skill)"; "≥ 3
    /// records on each side". Elsewhere is the one other domain where the skill does best.
    fn mismatch(&mut self, domain: &str, skill: &str) {
        let with: Vec<&Record> = self.kept.iter().copied().filter(|r| r.skill == skill).collect();
        let of =
            |d: &str| -> Vec<&Record> { with.iter().copied().filter(|r| r.domain == d).collect() };
        let mut best: Option<(String, Vec<&Record>, f64)> = None;
        for other in names(with.iter().map(|r| r.domain.as_str())) {
            let there = of(&other);
            let average = mean(&there);
            if other == domain || there.len() < 3 {
                continue;
            }
            if best.as_ref().is_none_or(|(_, _, b)| thousandths(average) > thousandths(*b)) {
                best = Some((other, there, average));
            }
        }
        let Some((other, there, better)) = best else {
            return;
        };
        let here = of(domain);
        let average = mean(&here);
        self.judge(
            ("mismatch", domain, None, Some(skill)),
            &here,
            &[
                above(thousandths(average), 499, 500),
                below(thousandths(better), 701, 700),
                few(here.len(), 3),
                few(there.len(), 3),
            ],
            format!(
                "{skill} underperforms in {domain} (avg {}) but not in {other} (avg {})",
                show2(average),
                show2(better)
            ),
            format!("Use another skill for it in {domain}"),
        );
    }

    /// A pattern if nothing is missing, else a near miss by its greatest missing share.
    fn judge(
        &mut self,
        name: (&str, &str, Option<&str>, Option<&str>),
        records: &[&Record],
        missing: &[Option<(i64, i64)>],
        text: String,
        advice: String,
    ) {
        let worst = missing.iter().flatten().max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
        match worst {
            Some(share) => self.miss(name, *share),
            None => self.patterns.push(Pattern {
                category: name.0.into(),
                domain: Some(name.1.into()),
                phase: name.2.map(String::from),
                skill: name.3.map(String::from),
                text,
                advice,
                evidence_count: records.len(),
                records: ids(records),
                foreign: false,
                id: None,
            }),
        }
    }

    fn miss(&mut self, name: (&str, &str, Option<&str>, Option<&str>), missing: (i64, i64)) {
        self.misses.push(NearMiss {
            kind: "pattern",
            category: name.0.into(),
            domains: vec![name.1.into()],
            phases: name.2.map(String::from).into_iter().collect(),
            skills: name.3.map(String::from).into_iter().collect(),
            reason: String::new(),
            missing,
        });
    }
}

/// Fails where `value` is above `most`; the share is of `limit`.
fn above(value: i64, most: i64, limit: i64) -> Option<(i64, i64)> {
    (value > most).then_some((value - limit, limit))
}

/// Fails where `value` is below `least`.
fn below(value: i64, least: i64, limit: i64) -> Option<(i64, i64)> {
    (value < least).then_some((limit - value, limit))
}

fn few(count: usize, needed: i64) -> Option<(i64, i64)> {
    let count = count as i64;
    (count < needed).then_some((needed - count, needed))
}

/// "a pattern file (this schema, a bare list, or plural keys with lists) is read only for what others
/// wrote: entries with `record_ids` are ours and never read back; … a bad entry is skipped with a
/// warning."
pub fn foreign(files: &[Value], warnings: &mut Vec<Warning>) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    for (file, content) in files.iter().enumerate() {
        for (entry, (key, value)) in entries(content).into_iter().enumerate() {
            if value.get("record_ids").is_some() {
                continue;
            }
            match one_foreign(value, key) {
                Some(pattern) => found.push(pattern),
                None => warnings.push(Warning::BadPattern { file, entry }),
            }
        }
    }
    found
}

/// Each entry with the plural key that it stands under, if any.
fn entries(content: &Value) -> Vec<(Option<&str>, &Value)> {
    if let Some(list) = content.as_array() {
        return list.iter().map(|entry| (None, entry)).collect();
    }
    let mut found = Vec::new();
    for (key, value) in content.as_object().into_iter().flatten() {
        let plural = (key != "patterns").then_some(key.as_str());
        for entry in value.as_array().into_iter().flatten() {
            found.push((plural, entry));
        }
    }
    found
}

/// "of the rest `actionable_advice` is the advice". Absent category: the plural key without its s.
fn one_foreign(entry: &Value, key: Option<&str>) -> Option<Pattern> {
    let entry = entry.as_object()?;
    let text = |name: &str| match entry.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(Value::String(text)) if text.trim().is_empty() => Some(None),
        Some(Value::String(text)) => Some(Some(text.clone())),
        Some(_) => None,
    };
    let from_key = key.map(|k| k.strip_suffix('s').unwrap_or(k).to_string());
    Some(Pattern {
        category: text("category")?.or(from_key)?,
        domain: text("domain")?,
        phase: text("phase")?,
        skill: text("skill")?,
        text: text("description")??,
        advice: text("actionable_advice")?.unwrap_or_default(),
        // "confidence min(1, evidence/10), always computed".
        evidence_count: usize::try_from(entry.get("evidence_count")?.as_u64()?).ok()?,
        records: BTreeSet::new(),
        foreign: true,
        id: text("pattern_id")?,
    })
}
