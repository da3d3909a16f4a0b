//! Earlier dreams: their names, and which of them count (dream.md, "Run", 5 and 7).

use std::fmt;

use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};

use super::file::Dream;
use crate::core::time::Timestamp;

/// Dreams whose evidence a new one takes in.
pub const MERGED: usize = 3;

/// A dream's id, which is also its file's name without `.json`:
/// `dream-YYYYMMDD-HHmmss`, in UTC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DreamId(String);

impl DreamId {
    /// The id of a dream dreamt at a moment.
    pub fn at(now: Timestamp) -> Self {
        Self(now.to_utc().format("dream-%Y%m%d-%H%M%S").to_string())
    }

    /// Reads an id; anything not exactly of that form is none.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Self(text.to_owned());
        (id.moment().is_some_and(|at| Self::at(at) == id)).then_some(id)
    }

    /// Reads a file name.
    pub fn of_file(name: &str) -> Option<Self> {
        Self::parse(name.strip_suffix(".json")?)
    }

    /// Its file's name.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.0)
    }

    /// The second that it names.
    pub fn moment(&self) -> Option<Timestamp> {
        let digits = self.0.strip_prefix("dream-")?;
        let at = NaiveDateTime::parse_from_str(digits, "%Y%m%d-%H%M%S").ok()?;
        Some(at.and_utc().into())
    }

    /// The id of the next second.
    pub fn next(&self) -> Self {
        self.moment().map_or_else(|| self.clone(), |at| Self::at(at.plus_millis(1000)))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An earlier dream: its name, and what its file says or why it cannot be read.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// Its name.
    pub id: DreamId,
    /// What it says.
    pub dream: Result<Dream, String>,
}

impl Earlier {
    /// Reads dream files by name and bytes; other names are passed over.
    pub fn of<N: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (N, B)>) -> Vec<Self> {
        let files = files.into_iter().filter_map(|(name, bytes)| {
            let id = DreamId::of_file(name.as_ref())?;
            Some(Self { id, dream: Dream::parse(bytes.as_ref()) })
        });
        let mut earlier: Vec<Self> = files.collect();
        earlier.sort_by(|a, b| b.id.cmp(&a.id));
        earlier
    }
}

/// The dreams that count for a new one, newest first.
#[derive(Clone, Debug, Default)]
pub struct Past<'a> {
    /// At most [`MERGED`].
    pub dreams: Vec<&'a Earlier>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

impl<'a> Past<'a> {
    /// The newest dreams not dated after now. One that cannot be read keeps its
    /// place among them.
    pub fn new(earlier: &'a [Earlier], now: Timestamp) -> Self {
        let mut sorted: Vec<&Earlier> = earlier.iter().collect();
        sorted.sort_by(|a, b| b.id.cmp(&a.id));
        let mut past = Self::default();
        for one in sorted {
            if one.id.moment().is_some_and(|at| at > now) {
                past.warnings.push(format!(
                    "{} is dated after now: it is neither the latest nor merged",
                    one.id
                ));
            } else if past.dreams.len() < MERGED {
                past.dreams.push(one);
            }
        }
        for one in &past.dreams {
            if let Err(error) = &one.dream {
                past.warnings
                    .push(format!("{} cannot be read, nothing is merged: {error}", one.id));
            }
        }
        past
    }

    /// The newest, if it can be read.
    pub fn latest(&self) -> Option<&'a Dream> {
        self.dreams.first().and_then(|one| one.dream.as_ref().ok())
    }
}
