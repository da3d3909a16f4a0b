//! dream.md, Reward records, and Run 1.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use serde_json::{Map, Value};

use super::arithmetic::thousandths;
use super::types::{Config, Fault, LeftOut, Record, Selection, Warning};

/// What a memory folder holds.
pub struct Loaded {
    /// valid and not expired
    pub records: Vec<Record>,
    pub expired: Vec<String>,
    pub skipped: Vec<(String, Fault)>,
    pub warnings: Vec<Warning>,
}

enum Expiry {
    Never,
    /// `expires_at` is a moment: expired if it is before now
    At(DateTime<Utc>),
    Unreadable,
}

/// Reads every file that is a record.
pub fn load(files: &[(String, Vec<u8>)], now: DateTime<Utc>) -> Loaded {
    let mut skipped = Vec::new();
    let mut valid: Vec<(Record, Expiry)> = Vec::new();
    for (path, bytes) in files {
        if !is_record_path(path) {
            continue;
        }
        match read(path, bytes) {
            Ok(record) => valid.push(record),
            Err(fault) => skipped.push((path.clone(), fault)),
        }
    }

    // "`duplicate_id` (the newer timestamp counts, then the greater path; settled before expiry)".
    let mut counting: Vec<(Record, Expiry)> = Vec::new();
    let all: Vec<(String, DateTime<Utc>, String)> =
        valid.iter().map(|(r, _)| (r.id.clone(), r.timestamp, r.path.clone())).collect();
    for (record, expiry) in valid {
        let beaten = all.iter().any(|(id, timestamp, path)| {
            *id == record.id && (*timestamp, path.as_str()) > (record.timestamp, &record.path)
        });
        if beaten {
            skipped.push((record.path, Fault::DuplicateId));
        } else {
            counting.push((record, expiry));
        }
    }
    skipped.sort();

    let mut loaded =
        Loaded { records: Vec::new(), expired: Vec::new(), skipped, warnings: Vec::new() };
    counting.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    for (record, expiry) in counting {
        match expiry {
            // "Expired: `expires_at` before now".
            Expiry::At(moment) if moment < now => loaded.expired.push(record.path),
            Expiry::Unreadable => {
                // "absent or unreadable (warned) = never".
                loaded.warnings.push(Warning::UnreadableExpiry { path: record.path.clone() });
                loaded.records.push(record);
            }
            _ => loaded.records.push(record),
        }
    }

    // "A record dated after now counts, with one warning."
    let count = loaded.records.iter().filter(|r| r.timestamp > now).count();
    if count > 0 {
        loaded.warnings.push(Warning::FutureRecords { count });
    }
    loaded
}

/// "Not records: config.json, index.json, reward-summary.json, domain-patterns.json,
/// imported-baselines.json, files not ending in `.json` (exactly), dot files and dot folders,
/// folders whose name starts with `_`, linked folders."
fn is_record_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last().expect("split gives at least one part");
    let known = [
        "config.json",
        "index.json",
        "reward-summary.json",
        "domain-patterns.json",
        "imported-baselines.json",
    ];
    name.ends_with(".json")
        && !name.starts_with('.')
        && !known.contains(name)
        && !folders.iter().any(|folder| folder.starts_with('.') || folder.starts_with('_'))
}

/// "the first fault counts, fields in the order case, domain, phase, skill, reward, timestamp".
fn read(path: &str, bytes: &[u8]) -> Result<(Record, Expiry), Fault> {
    // "`parse_error` (bad JSON, NaN, not UTF-8)"; a byte order mark is tolerated (store.md).
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::ParseError)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|_| Fault::ParseError)?;
    let object = value.as_object().ok_or(Fault::NotAnObject)?;

    // "Read also: `project_slug`, `stage`, `stage_name` in place of case_slug, phase, phase_name
    // (with both, the newer spelling wins)".
    let case = name_of(object, &["project_slug", "case_slug"])?;
    let domain = name_of(object, &["domain"])?;
    let phase = name_of(object, &["stage", "phase"])?;
    let skill = name_of(object, &["skill_used"])?;
    let reward = reward(object)?;
    let stamp = name_of(object, &["timestamp"])?;
    // "`bad_timestamp` (anything but RFC 3339 with Z or offset)".
    let timestamp = moment(&stamp).ok_or(Fault::BadTimestamp)?;

    // "A record without id (or with one that is no text) has its path relative to memory/ as id."
    let id = match object.get("id") {
        Some(Value::String(id)) if !id.trim().is_empty() => id.clone(),
        _ => path.to_string(),
    };
    let iterations =
        object.get("outcome").and_then(|o| o.get("iterations")).and_then(Value::as_f64);
    let record = Record {
        path: path.to_string(),
        id,
        timestamp,
        case,
        domain,
        phase,
        skill,
        reward,
        iterations,
    };
    Ok((record, expiry(object)))
}

/// "`missing_field` (absent, null or blank text), `wrong_type` (a number where text belongs)";
/// "names are taken as they stand".
fn name_of(object: &Map<String, Value>, keys: &[&str]) -> Result<String, Fault> {
    for key in keys {
        match object.get(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) => return Ok(text.clone()),
            Some(_) => return Err(Fault::WrongType),
        }
    }
    Err(Fault::MissingField)
}

/// "`reward_not_number` (text, true), `reward_out_of_range` (exactly [0, 1])".
fn reward(object: &Map<String, Value>) -> Result<f64, Fault> {
    match object.get("reward") {
        None | Some(Value::Null) => Err(Fault::MissingField),
        Some(Value::String(text)) if text.trim().is_empty() => Err(Fault::MissingField),
        Some(Value::Number(number)) => {
            let reward = number.as_f64().ok_or(Fault::RewardNotNumber)?;
            if (0.0..=1.0).contains(&reward) { Ok(reward) } else { Err(Fault::RewardOutOfRange) }
        }
        Some(_) => Err(Fault::RewardNotNumber),
    }
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|t| t.with_timezone(&Utc))
}

/// "Expired: `expires_at` before now; a bare date lasts to the end of that day, UTC; absent or
/// unreadable (warned) = never."
fn expiry(object: &Map<String, Value>) -> Expiry {
    let text = match object.get("expires_at") {
        None | Some(Value::Null) => return Expiry::Never,
        Some(Value::String(text)) => text,
        Some(_) => return Expiry::Unreadable,
    };
    if let Some(moment) = moment(text) {
        return Expiry::At(moment);
    }
    let bare = text.len() == 10;
    match NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        Ok(day) if bare => {
            // The last moment of the day is just before the next midnight.
            let midnight = (day + Days::new(1)).and_time(NaiveTime::MIN).and_utc();
            Expiry::At(midnight - chrono::Duration::nanoseconds(1))
        }
        _ => Expiry::Unreadable,
    }
}

/// "(timestamp, id) order"
pub fn in_time_order<'a>(records: &[&'a Record]) -> Vec<&'a Record> {
    let mut sorted = records.to_vec();
    sorted.sort_by(|a, b| (a.timestamp, &a.id).cmp(&(b.timestamp, &b.id)));
    sorted
}

/// Run 1: "sort reward desc, timestamp desc, id; keep the top 200"; "`selection = "top_reward" |
/// "newest"` (timestamp desc, id) `| "all"` (no limit) and `max_records` ≥ 5"; "how many and how
/// many of them were failures (reward < 0.5)".
pub fn select<'a>(records: &'a [Record], config: &Config) -> (Vec<&'a Record>, LeftOut) {
    let mut sorted: Vec<&Record> = records.iter().collect();
    let newest = |a: &&Record, b: &&Record| b.timestamp.cmp(&a.timestamp).then(a.id.cmp(&b.id));
    match config.selection {
        Selection::Newest => sorted.sort_by(newest),
        _ => sorted.sort_by(|a, b| {
            let order = b.reward.partial_cmp(&a.reward).expect("rewards lie in [0, 1]");
            order.then(newest(a, b))
        }),
    }
    let limit = match config.selection {
        Selection::All => sorted.len(),
        _ => config.max_records.min(sorted.len()),
    };
    let rest = sorted.split_off(limit);
    let failures = rest.iter().filter(|r| thousandths(r.reward) < 500).count();
    (sorted, LeftOut { count: rest.len(), failures })
}
