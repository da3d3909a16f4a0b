//! The engine's one clock and its one source of chance.

use std::env;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::api::{Clock, Error, Result};
use crate::core::loops::ids::LoopId;
use crate::core::time::Timestamp;

/// Where the present moment comes from.
pub(super) enum Time {
    /// The system's clock.
    System,
    /// Always the same moment (`LOOPDECK_NOW`).
    Fixed(Timestamp),
    /// What the caller says.
    Given(Clock),
}

impl Time {
    /// The clock that was given, else the one that `LOOPDECK_NOW` fixes, else
    /// the system's.
    pub fn new(given: Option<Clock>) -> Result<Self> {
        match (given, env::var("LOOPDECK_NOW")) {
            (Some(clock), _) => Ok(Time::Given(clock)),
            (None, Ok(text)) if !text.is_empty() => text.parse().map(Time::Fixed).map_err(|_| {
                Error::new(
                    "usage",
                    format!(
                        "LOOPDECK_NOW={text:?} is not a time; write it like \
                             2026-03-01T12:30:00Z"
                    ),
                )
            }),
            _ => Ok(Time::System),
        }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        match self {
            Time::System => chrono::Utc::now().into(),
            Time::Fixed(at) => *at,
            Time::Given(clock) => clock.now(),
        }
    }
}

/// What new ids are derived from.
pub(super) enum Chance {
    /// A random start that is counted on.
    Random {
        /// Drawn once.
        start: [u8; 32],
        /// How many values were given out.
        drawn: AtomicU64,
    },
    /// The same values in every run (`LOOPDECK_SEED`).
    Seeded(u64),
}

impl Chance {
    /// The seed that was given, else that of `LOOPDECK_SEED`, else chance.
    pub fn new(given: Option<u64>) -> Result<Self> {
        match (given, env::var("LOOPDECK_SEED")) {
            (Some(seed), _) => Ok(Chance::Seeded(seed)),
            (None, Ok(text)) if !text.is_empty() => {
                text.trim().parse().map(Chance::Seeded).map_err(|_| {
                    Error::new("usage", format!("LOOPDECK_SEED={text:?} is not a whole number"))
                })
            }
            _ => {
                let mut start = [0; 32];
                start[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
                start[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
                Ok(Chance::Random { start, drawn: AtomicU64::new(0) })
            }
        }
    }

    /// The value for a command on a loop. With a seed it follows from the loop
    /// and its version, so that separate processes get the same ids in every
    /// run, and no two commands the same.
    pub fn for_command(&self, id: &LoopId, version: u64) -> [u8; 32] {
        self.value(&[b"command", id.as_str().as_bytes(), &version.to_be_bytes()])
    }

    /// The value for the `attempt`th id that an opening tries.
    pub fn for_open(&self, request_sha256: &str, attempt: u64) -> [u8; 32] {
        self.value(&[b"open", request_sha256.as_bytes(), &attempt.to_be_bytes()])
    }

    /// The digits of the `attempt`th id that a new memory item tries.
    pub fn for_memory(&self, said: &[&str], attempt: u64) -> [u8; 4] {
        let said = crate::core::text::sha256_hex(said.join("\0").as_bytes());
        let value = self.value(&[b"memory", said.as_bytes(), &attempt.to_be_bytes()]);
        [value[0], value[1], value[2], value[3]]
    }

    /// 16 bytes for a new id in a session; `said` tells it from the others.
    pub fn for_session(&self, said: &[&[u8]]) -> [u8; 16] {
        let mut parts: Vec<&[u8]> = vec![b"session"];
        parts.extend(said);
        let value = self.value(&parts);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&value[..16]);
        bytes
    }

    fn value(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut hash = Sha256::new();
        match self {
            Chance::Random { start, drawn } => {
                hash.update(start);
                hash.update(drawn.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            }
            Chance::Seeded(seed) => {
                hash.update(seed.to_be_bytes());
                for part in parts {
                    hash.update((part.len() as u64).to_be_bytes());
                    hash.update(part);
                }
            }
        }
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_values_in_every_run_and_different_ones_in_one() {
        let id = LoopId::derive(&[b"a"]);
        let (one, two) = (Chance::Seeded(7), Chance::Seeded(7));
        assert_eq!(one.for_command(&id, 3), two.for_command(&id, 3));
        assert_ne!(one.for_command(&id, 3), one.for_command(&id, 4));
        assert_ne!(one.for_command(&id, 3), Chance::Seeded(8).for_command(&id, 3));
        assert_ne!(one.for_open("x", 0), one.for_open("x", 1));
    }

    #[test]
    fn without_one_no_value_comes_twice() {
        let id = LoopId::derive(&[b"a"]);
        let chance = Chance::Random { start: [1; 32], drawn: AtomicU64::new(0) };
        assert_ne!(chance.for_command(&id, 3), chance.for_command(&id, 3));
    }
}
