//! Identities: short prefixed hexadecimal names, derived, never drawn here.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::core::text::hex;

/// A name in a loop: of a phase, a role, an artifact type, an agent. Cheap to clone.
pub type Name = Arc<str>;

/// Reads a name, copied once.
pub(super) fn name<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
    crate::core::text::with_text(deserializer, |text| Ok(text.into()))
}

/// Why a text is not an id of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an id of the form {prefix}+{digits} hexadecimal digits")]
pub struct IdError {
    /// What was given.
    pub text: String,
    /// The prefix that was expected.
    pub prefix: &'static str,
    /// How many hexadecimal digits follow it.
    pub digits: usize,
}

macro_rules! id_type {
    ($(#[$meta:meta])* $name:ident, $prefix:literal, $digits:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(#[serde(deserialize_with = "name")] Name);

        impl $name {
            /// What ids of this kind begin with.
            pub const PREFIX: &'static str = $prefix;
            /// How many hexadecimal digits follow the prefix.
            pub const DIGITS: usize = $digits;

            /// The id that follows from some parts; the same parts give the same id.
            pub fn derive(parts: &[&[u8]]) -> Self {
                Self(format!("{}{}", $prefix, derive_hex(parts, $digits)).into())
            }

            /// An id as read from a file or a person, of the exact form.
            ///
            /// # Errors
            /// If the text has another prefix, length or alphabet.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let digits = text.strip_prefix($prefix).unwrap_or("");
                let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                if digits.len() == $digits && digits.chars().all(hexadecimal) {
                    Ok(Self(text.into()))
                } else {
                    Err(IdError { text: text.to_owned(), prefix: $prefix, digits: $digits })
                }
            }

            /// The id as a name, which is cheap to clone.
            pub fn name(&self) -> &Name {
                &self.0
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

fn derive_hex(parts: &[&[u8]], digits: usize) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut text = hex(&hash.finalize());
    text.truncate(digits);
    text
}

id_type!(
    /// A loop, `lop_` + 16 hex digits.
    LoopId, "lop_", 16
);
id_type!(
    /// A slot of a loop, `slt_` + 8 hex digits.
    SlotId, "slt_", 8
);
id_type!(
    /// An artifact of a loop, `art_` + 12 hex digits.
    ArtifactId, "art_", 12
);
id_type!(
    /// A turn: follows from loop, slot, phase, iteration and n (attempts.md).
    TurnId, "trn_", 16
);
id_type!(
    /// One launch generation of a dispatched turn, as those who wait for it name
    /// it: follows from turn and epoch (attempts.md).
    AssignmentId, "asg_", 16
);
id_type!(
    /// The run of one launch generation: its folder, and what its worker signs
    /// with; follows from turn and epoch (attempts.md).
    RunId, "run_", 16
);

impl AssignmentId {
    /// The assignment of a turn's `epoch`th launch generation, from 0.
    pub fn of(turn: &TurnId, epoch: u32) -> Self {
        Self::derive(&[b"assignment", turn.as_str().as_bytes(), &epoch.to_be_bytes()])
    }
}

impl RunId {
    /// The run of a turn's `epoch`th launch generation, from 0.
    pub fn of(turn: &TurnId, epoch: u32) -> Self {
        Self::derive(&[b"run", turn.as_str().as_bytes(), &epoch.to_be_bytes()])
    }
}

impl TurnId {
    /// The id of a slot's `n`th turn (0-based) in a phase and iteration.
    pub fn of(loop_id: &LoopId, slot: &SlotId, phase: &str, iteration: u32, n: u32) -> Self {
        Self::derive(&[
            loop_id.as_str().as_bytes(),
            slot.as_str().as_bytes(),
            phase.as_bytes(),
            &iteration.to_be_bytes(),
            &n.to_be_bytes(),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_ids_have_the_form_that_parse_wants() {
        let id = LoopId::derive(&[b"a", b"b"]);
        assert_eq!(LoopId::parse(id.as_str()), Ok(id.clone()));
        assert_ne!(id, LoopId::derive(&[b"ab", b""]));
        assert!(LoopId::parse("lop_12").is_err());
        assert!(LoopId::parse("art_0123456789abcdef").is_err());
        assert!(LoopId::parse("lop_0123456789ABCDEF").is_err());
        assert!(LoopId::parse("lop_../../../../etc").is_err());
    }
}
