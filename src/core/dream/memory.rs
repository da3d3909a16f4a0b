//! All records that were read, as a compact table: names are kept once, a row
//! is numbers (dream.md, "Reward records").

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::record::{self, Expiry, Fault, Reason};

/// Texts by number, each kept once.
#[derive(Clone, Debug, Default)]
pub struct Names {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// The number of a text, new or known.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (number, text) = (self.texts.len() as u32, Arc::<str>::from(text));
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The text of a number that this table gave.
    pub fn text(&self, number: u32) -> &Arc<str> {
        &self.texts[number as usize]
    }
}

/// One record: names by number in the [`Memory`] that it belongs to.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub id: Arc<str>,
    /// Its file, relative to `memory/`, with `/`.
    pub path: Arc<str>,
    /// Its case's slug.
    pub case: u32,
    /// Its domain.
    pub domain: u32,
    /// Its phase.
    pub phase: u32,
    /// Its skill.
    pub skill: u32,
    /// From 0 to 1.
    pub reward: f64,
    /// When.
    pub at: DateTime<Utc>,
    /// When it stops counting.
    pub expires: Expiry,
    /// Rounds that it took.
    pub iterations: Option<f64>,
}

/// A file that is not counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skipped {
    /// Relative to `memory/`, with `/`.
    pub path: String,
    /// A [`Reason`] by its name.
    pub reason: String,
    /// Where in the file, or what the system or the parser says.
    pub detail: String,
}

/// All files below `memory/` that bear the name of a record.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The names that rows speak of.
    pub names: Names,
    /// The files that are records.
    pub rows: Vec<Row>,
    /// Those that are not, and why.
    pub skipped: Vec<Skipped>,
    /// Whether the folder is there at all.
    pub is_there: bool,
}

impl Memory {
    /// An empty folder.
    pub fn new() -> Self {
        Self { is_there: true, ..Self::default() }
    }

    /// Reads files by path and bytes; paths that no record has are passed over.
    pub fn of<P: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let mut memory = Self::new();
        for (path, bytes) in files {
            let path = path.as_ref();
            if record::is_record_path(path) {
                memory.add(path, Ok(bytes.as_ref()));
            }
        }
        memory
    }

    /// Adds one file: its bytes, or why the system does not give them.
    pub fn add(&mut self, path: &str, bytes: Result<&[u8], String>) {
        let read = match bytes {
            Ok(bytes) => record::read(bytes),
            Err(error) => Err(Fault::new(Reason::Unreadable, error)),
        };
        match read {
            Ok(record) => self.push(path, &record),
            Err(fault) => self.skipped.push(Skipped {
                path: path.to_owned(),
                reason: fault.reason.to_string(),
                detail: fault.detail,
            }),
        }
    }

    fn push(&mut self, path: &str, record: &record::Record<'_>) {
        let path = Arc::<str>::from(path);
        self.rows.push(Row {
            id: record.id.as_deref().map_or_else(|| Arc::clone(&path), Arc::from),
            path,
            case: self.names.number(&record.case),
            domain: self.names.number(&record.domain),
            phase: self.names.number(&record.phase),
            skill: self.names.number(&record.skill),
            reward: record.reward,
            at: record.at,
            expires: record.expires,
            iterations: record.iterations,
        });
    }

    /// Takes another one's files in.
    pub fn absorb(&mut self, other: Memory) {
        self.is_there |= other.is_there;
        if self.rows.is_empty() && self.names.is_empty() {
            (self.names, self.rows) = (other.names, other.rows);
            self.skipped.extend(other.skipped);
            return;
        }
        let new: Vec<u32> = other.names.texts.iter().map(|text| self.names.number(text)).collect();
        self.rows.reserve(other.rows.len());
        self.rows.extend(other.rows.into_iter().map(|row| Row {
            case: new[row.case as usize],
            domain: new[row.domain as usize],
            phase: new[row.phase as usize],
            skill: new[row.skill as usize],
            ..row
        }));
        self.skipped.extend(other.skipped);
    }
}
