//! One reward record: which files are one, and what a file says
//! (dream.md, "Reward records").

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display};

/// Files below `memory/` that bear other things than records.
const OTHER_FILES: [&str; 5] = [
    "config.json",
    "index.json",
    "reward-summary.json",
    "domain-patterns.json",
    "imported-baselines.json",
];

/// Whether a file name is one that records have: ends in `.json` exactly, is no
/// dot file and none of the files that hold other things.
pub fn is_record_name(name: &str) -> bool {
    name.ends_with(".json") && !name.starts_with('.') && !OTHER_FILES.contains(&name)
}

/// Whether a folder below `memory/` is looked into for records.
pub fn is_record_folder(name: &str) -> bool {
    !name.starts_with('.') && !name.starts_with('_')
}

/// Whether the file at a path relative to `memory/` (with `/`) is taken for a record.
pub fn is_record_path(path: &str) -> bool {
    match path.rsplit_once('/') {
        None => is_record_name(path),
        Some((folders, name)) => is_record_name(name) && folders.split('/').all(is_record_folder),
    }
}

/// Why a file is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// The system does not give it.
    Unreadable,
    /// Bad JSON, NaN, not UTF-8.
    ParseError,
    /// JSON, but something else than an object.
    NotAnObject,
    /// A field that is absent, null or blank.
    MissingField,
    /// A number or the like where text belongs.
    WrongType,
    /// A reward that is text, true or the like.
    RewardNotNumber,
    /// A reward outside of [0, 1].
    RewardOutOfRange,
    /// A timestamp that is not RFC 3339 with Z or an offset.
    BadTimestamp,
    /// Another file has this id and counts.
    DuplicateId,
}

/// The first fault of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// Its kind.
    pub reason: Reason,
    /// Where, or what the system or the parser says.
    pub detail: String,
}

impl Fault {
    /// A fault with what is known about it.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

/// When a record stops counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expiry {
    /// Not at all.
    #[default]
    Never,
    /// After this moment.
    After(DateTime<Utc>),
    /// It says something that is no time: never, with a warning.
    Unreadable,
}

impl Expiry {
    /// Whether a record does not count any more.
    pub fn is_past(self, now: DateTime<Utc>) -> bool {
        matches!(self, Expiry::After(last) if last < now)
    }

    /// Reads a time, or a bare date, which lasts to the end of that day in UTC.
    pub fn read(text: &str) -> Self {
        if let Some(at) = moment(text) {
            return Expiry::After(at);
        }
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == 10);
        let next = day.and_then(|day| day.succ_opt()).and_then(|day| day.and_hms_opt(0, 0, 0));
        next.map_or(Expiry::Unreadable, |end| {
            Expiry::After(end.and_utc() - TimeDelta::nanoseconds(1))
        })
    }
}

/// Reads a time as RFC 3339 has it, with `Z` or an offset.
pub fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&Utc))
}

/// What a record says, as far as it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    /// Its id, if it brings one.
    pub id: Option<Cow<'a, str>>,
    /// The case.
    pub case: Cow<'a, str>,
    /// The domain.
    pub domain: Cow<'a, str>,
    /// The phase.
    pub phase: Cow<'a, str>,
    /// The skill.
    pub skill: Cow<'a, str>,
    /// From 0 to 1.
    pub reward: f64,
    /// When.
    pub at: DateTime<Utc>,
    /// When it stops counting.
    pub expires: Expiry,
    /// Rounds that it took, if it says so.
    pub iterations: Option<f64>,
}

/// Reads a file as a record. The first fault counts, fields in the order case,
/// domain, phase, skill, reward, timestamp.
///
/// # Errors
/// What is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Record<'_>, Fault> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Fault::new(Reason::ParseError, format!("not UTF-8: {error}")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = serde_json::Deserializer::from_str(text);
    let fields = Top::deserialize(&mut parser)
        .and_then(|top| parser.end().map(|()| top))
        .map_err(|error| Fault::new(Reason::ParseError, error.to_string()))?;
    let Top::Object(fields) = fields else {
        return Err(Fault::new(Reason::NotAnObject, "JSON, but not an object"));
    };
    fields.into_record()
}

/// The fields that are read, as they stand.
#[derive(Default)]
struct Fields<'a> {
    id: Scalar<'a>,
    case_slug: Scalar<'a>,
    project_slug: Scalar<'a>,
    domain: Scalar<'a>,
    phase: Scalar<'a>,
    stage: Scalar<'a>,
    skill: Scalar<'a>,
    reward: Scalar<'a>,
    timestamp: Scalar<'a>,
    expires_at: Scalar<'a>,
    iterations: Option<f64>,
}

impl<'a> Fields<'a> {
    fn into_record(self) -> Result<Record<'a>, Fault> {
        let case = text("case_slug", self.case_slug.or(self.project_slug))?;
        let domain = text("domain", self.domain)?;
        let phase = text("phase", self.phase.or(self.stage))?;
        let skill = text("skill_used", self.skill)?;
        let reward = reward(&self.reward)?;
        let timestamp = text("timestamp", self.timestamp)?;
        let at = moment(&timestamp).ok_or_else(|| {
            let wanted = "is not RFC 3339 with Z or an offset";
            Fault::new(Reason::BadTimestamp, format!("timestamp {timestamp:?} {wanted}"))
        })?;
        let expires = match self.expires_at {
            Scalar::Absent => Expiry::Never,
            Scalar::Text(text) => Expiry::read(&text),
            _ => Expiry::Unreadable,
        };
        let id = match self.id {
            Scalar::Text(id) => Some(id),
            _ => None,
        };
        let iterations = self.iterations.filter(|n| n.is_finite());
        Ok(Record { id, case, domain, phase, skill, reward, at, expires, iterations })
    }
}

fn text<'a>(field: &str, value: Scalar<'a>) -> Result<Cow<'a, str>, Fault> {
    match value {
        Scalar::Text(text) if !text.trim().is_empty() => Ok(text),
        Scalar::Text(_) | Scalar::Absent => Err(Fault::new(Reason::MissingField, field)),
        Scalar::Number(_) | Scalar::Other => {
            Err(Fault::new(Reason::WrongType, format!("{field} is no text")))
        }
    }
}

fn reward(value: &Scalar<'_>) -> Result<f64, Fault> {
    match value {
        // -0.0 is 0.
        Scalar::Number(n) if (0.0..=1.0).contains(n) => Ok(n + 0.0),
        Scalar::Number(n) => {
            Err(Fault::new(Reason::RewardOutOfRange, format!("reward {n} is not within 0 to 1")))
        }
        Scalar::Absent => Err(Fault::new(Reason::MissingField, "reward")),
        Scalar::Text(text) if text.trim().is_empty() => {
            Err(Fault::new(Reason::MissingField, "reward"))
        }
        Scalar::Text(_) | Scalar::Other => {
            Err(Fault::new(Reason::RewardNotNumber, "reward is no number"))
        }
    }
}

/// A file's outermost value.
enum Top<'a> {
    Object(Box<Fields<'a>>),
    Other,
}

/// A value of a field, as much of it as matters.
#[derive(Default)]
enum Scalar<'a> {
    /// Not there, or null.
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(f64),
    /// true, false, a list, an object.
    Other,
}

impl Scalar<'_> {
    /// This, else the older spelling of it.
    fn or(self, older: Self) -> Self {
        if matches!(self, Scalar::Absent) { older } else { self }
    }
}

/// Implements the scalars of a visitor by one expression each.
macro_rules! scalars {
    ($lifetime:lifetime, $text:expr, $number:expr, $bool:expr, $null:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON value")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($bool)
        }
        fn visit_i64<E>(self, n: i64) -> Result<Self::Value, E> {
            Ok($number(n as f64))
        }
        fn visit_u64<E>(self, n: u64) -> Result<Self::Value, E> {
            Ok($number(n as f64))
        }
        fn visit_f64<E>(self, n: f64) -> Result<Self::Value, E> {
            Ok($number(n))
        }
        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok($text(Cow::Owned(text.to_owned())))
        }
        fn visit_borrowed_str<E>(self, text: &$lifetime str) -> Result<Self::Value, E> {
            Ok($text(Cow::Borrowed(text)))
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($null)
        }
        fn visit_seq<A: SeqAccess<$lifetime>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($bool)
        }
    };
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar<'de>;
            scalars!('de, Scalar::Text, Scalar::Number, Scalar::Other, Scalar::Absent);
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The rounds that an outcome names.
struct Outcome(Option<f64>);

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Outcome;
            scalars!('de, |_: Cow<'de, str>| Outcome(None), |_: f64| Outcome(None),
                Outcome(None), Outcome(None));
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = None;
                while let Some(key) = map.next_key::<Key>()? {
                    if let Key::Iterations = key {
                        found = match map.next_value::<Scalar<'de>>()? {
                            Scalar::Number(n) => Some(n),
                            _ => None,
                        };
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Outcome(found))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The keys that are read, without keeping their texts.
enum Key {
    Id,
    CaseSlug,
    ProjectSlug,
    Domain,
    Phase,
    Stage,
    Skill,
    Reward,
    Timestamp,
    ExpiresAt,
    Outcome,
    Iterations,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(match key {
                    "id" => Key::Id,
                    "case_slug" => Key::CaseSlug,
                    "project_slug" => Key::ProjectSlug,
                    "domain" => Key::Domain,
                    "phase" => Key::Phase,
                    "stage" => Key::Stage,
                    "skill_used" => Key::Skill,
                    "reward" => Key::Reward,
                    "timestamp" => Key::Timestamp,
                    "expires_at" => Key::ExpiresAt,
                    "outcome" => Key::Outcome,
                    "iterations" => Key::Iterations,
                    _ => Key::Other,
                })
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

impl<'de> Deserialize<'de> for Top<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Top<'de>;
            scalars!('de, |_: Cow<'de, str>| Top::Other, |_: f64| Top::Other, Top::Other,
                Top::Other);
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut f = Box::<Fields<'de>>::default();
                // The last of several equal keys counts, as everywhere in JSON.
                while let Some(key) = map.next_key::<Key>()? {
                    let place = match key {
                        Key::Id => &mut f.id,
                        Key::CaseSlug => &mut f.case_slug,
                        Key::ProjectSlug => &mut f.project_slug,
                        Key::Domain => &mut f.domain,
                        Key::Phase => &mut f.phase,
                        Key::Stage => &mut f.stage,
                        Key::Skill => &mut f.skill,
                        Key::Reward => &mut f.reward,
                        Key::Timestamp => &mut f.timestamp,
                        Key::ExpiresAt => &mut f.expires_at,
                        Key::Outcome => {
                            f.iterations = map.next_value::<Outcome>()?.0;
                            continue;
                        }
                        Key::Iterations | Key::Other => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *place = map.next_value()?;
                }
                Ok(Top::Object(f))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
