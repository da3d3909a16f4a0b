//! Who acts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ids::Name;
use crate::core::text::with_text;

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The person at the terminal.
    Operator,
    /// A coding agent by name.
    Agent(Name),
    /// The program itself.
    Engine,
    /// A spelling that this version doesn't know; kept as it was.
    Other(Name),
}

impl Actor {
    /// The agent's name, if it is one.
    pub fn agent(&self) -> Option<&Name> {
        match self {
            Actor::Agent(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Operator => f.write_str("operator"),
            Actor::Engine => f.write_str("engine"),
            Actor::Agent(name) => write!(f, "agent:{name}"),
            Actor::Other(text) => f.write_str(text),
        }
    }
}

impl FromStr for Actor {
    type Err = String;

    /// Reads `operator`, `engine` or `agent:<name>`.
    fn from_str(text: &str) -> Result<Self, String> {
        match Actor::lenient(text) {
            Actor::Other(_) => Err(format!(
                "{text:?} is no actor: use operator or agent:<name> \
                 (a name has 1-64 letters, digits, - _ . or /)"
            )),
            actor => Ok(actor),
        }
    }
}

impl Actor {
    fn lenient(text: &str) -> Actor {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        match text {
            "operator" => Actor::Operator,
            "engine" => Actor::Engine,
            _ => match text.strip_prefix("agent:") {
                Some(name)
                    if (1..=64).contains(&name.chars().count()) && name.chars().all(allowed) =>
                {
                    Actor::Agent(name.into())
                }
                _ => Actor::Other(text.into()),
            },
        }
    }
}

impl Serialize for Actor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        with_text(deserializer, |text| Ok(Actor::lenient(text)))
    }
}
