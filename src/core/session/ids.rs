//! Identities of sessions and what they hold.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::core::text::is_reserved_name;

/// Characters that a session's id has at most: it is a file's name.
const LONGEST: usize = 100;

macro_rules! id_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The UUIDv4 that some random bytes give; other bytes, another id.
            pub fn random(bytes: [u8; 16]) -> Self {
                Self(uuid_of(bytes).into())
            }

            /// The id that follows from some parts; the same parts give the same id.
            pub fn derive(parts: &[&[u8]]) -> Self {
                let mut hash = Sha256::new();
                hash.update(stringify!($name));
                for part in parts {
                    hash.update((part.len() as u64).to_be_bytes());
                    hash.update(part);
                }
                let digest: [u8; 32] = hash.finalize().into();
                let mut bytes = [0; 16];
                bytes.copy_from_slice(&digest[..16]);
                Self::random(bytes)
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type!(
    /// A session: a UUIDv4 where this program makes it, any name that is safe
    /// as a file's where another one did.
    SessionId
);
id_type!(
    /// An attempt.
    AttemptId
);
id_type!(
    /// An observation.
    ObservationId
);

impl SessionId {
    /// An id as read from a file's name or a person: letters, digits, `-`, `_`
    /// and `.`, at most 100, not beginning with `_`, `.` or `-`, no device name.
    ///
    /// # Errors
    /// A sentence that says what an id looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let safe = (1..=LONGEST).contains(&text.len())
            && text.chars().all(fits)
            && !text.starts_with(['_', '.', '-'])
            && !text.ends_with('.')
            && !is_reserved_name(text);
        match safe {
            true => Ok(Self(text.into())),
            false => Err(format!("{text:?} is no session id: it is a UUID, or a plain name")),
        }
    }
}

fn uuid_of(bytes: [u8; 16]) -> String {
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}
