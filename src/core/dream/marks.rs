//! What people think of insights: accepted, snoozed, dismissed
//! (dream.md, "Between dreams").

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use crate::core::time::Timestamp;

/// What somebody thinks of an insight.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
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
pub enum Mark {
    /// It is right and was acted upon.
    Accepted,
    /// Not now: out of sight for [`Marks::SNOOZE_DAYS`] days.
    Snoozed,
    /// It is wrong or of no use: gone until its evidence has doubled.
    Dismissed,
}

/// A mark on an insight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// The insight's identity.
    pub identity: String,
    /// What is thought of it.
    pub mark: Mark,
    /// Since when.
    pub time: Timestamp,
    /// Its own evidence then.
    pub evidence: usize,
}

/// All marks, one an identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// Of the format: `1.0`.
    #[serde(default)]
    pub version: String,
    /// The marks.
    #[serde(default)]
    pub marks: Vec<Marked>,
}

impl Marks {
    /// Days that a snoozed insight stays out of sight.
    pub const SNOOZE_DAYS: i64 = 7;

    /// Reads the file of marks.
    ///
    /// # Errors
    /// What the parser says.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The mark on an insight.
    pub fn get(&self, identity: &str) -> Option<&Marked> {
        self.marks.iter().rev().find(|marked| marked.identity == identity)
    }

    /// Marks an insight, in place of what stood there.
    pub fn set(&mut self, marked: Marked) {
        self.clear(&marked.identity);
        "1.0".clone_into(&mut self.version);
        self.marks.push(marked);
    }

    /// Takes a mark away; whether there was one.
    pub fn clear(&mut self, identity: &str) -> bool {
        let before = self.marks.len();
        self.marks.retain(|marked| marked.identity != identity);
        self.marks.len() < before
    }

    /// Whether an insight is dismissed and its own evidence has not doubled since.
    pub fn is_dismissed(&self, identity: &str, own_evidence: usize) -> bool {
        self.get(identity).is_some_and(|marked| {
            marked.mark == Mark::Dismissed && own_evidence < (2 * marked.evidence).max(1)
        })
    }

    /// Until when an insight is snoozed, if it is.
    pub fn snoozed_until(&self, identity: &str, now: Timestamp) -> Option<Timestamp> {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        let marked = self.get(identity).filter(|marked| marked.mark == Mark::Snoozed)?;
        let until = marked.time.plus_millis(Self::SNOOZE_DAYS * DAY_MS);
        (now < until).then_some(until)
    }

    /// Whether an insight is out of sight now.
    pub fn hides(&self, identity: &str, own_evidence: usize, now: Timestamp) -> bool {
        self.is_dismissed(identity, own_evidence) || self.snoozed_until(identity, now).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(mark: Mark, evidence: usize) -> (Marks, Timestamp) {
        let time: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
        let mut marks = Marks::default();
        marks.set(Marked { identity: "a".to_owned(), mark, time, evidence });
        (marks, time)
    }

    #[test]
    fn a_dismissed_one_comes_back_when_its_evidence_has_doubled() {
        let (marks, _) = marks(Mark::Dismissed, 4);
        assert!(marks.is_dismissed("a", 4) && marks.is_dismissed("a", 7));
        assert!(!marks.is_dismissed("a", 8));
        assert!(!marks.is_dismissed("b", 1));
    }

    #[test]
    fn a_snoozed_one_is_out_of_sight_for_a_week() {
        let (marks, time) = marks(Mark::Snoozed, 4);
        let day = 24 * 60 * 60 * 1000;
        assert!(marks.hides("a", 99, time.plus_millis(7 * day - 1)));
        assert!(!marks.hides("a", 4, time.plus_millis(7 * day)));
    }
}
