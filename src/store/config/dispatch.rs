//! `[agents.NAME]` and `[dispatch]`: which commands workers are, and whether
//! they may be started (attempts.md, "Workers").

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use super::{Reader, Value};
use crate::core::loops::protocol::Kind;
use crate::core::text::is_variable;

/// Seconds for which a launch may be crossed, where nothing else is set.
const DEFAULT_LEASE_S: u64 = 120;

/// How turns are handed to workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchSettings {
    /// Whether they are at all.
    pub enabled: bool,
    /// In which kinds of loops; absent = in all.
    pub kinds: Option<Vec<Kind>>,
    /// For how long a launch may be crossed.
    pub lease: Duration,
    /// Variables that workers get besides the usual ones, by name.
    pub pass_env: Vec<String>,
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            kinds: None,
            lease: Duration::from_secs(DEFAULT_LEASE_S),
            pass_env: Vec::new(),
        }
    }
}

impl DispatchSettings {
    /// Whether turns of a kind of loop are handed to workers.
    pub fn allows(&self, kind: Kind) -> bool {
        self.enabled && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }
}

/// The commands of agents, by name: argv with placeholders.
pub type Agents = BTreeMap<String, Vec<String>>;

impl Reader<'_> {
    pub(super) fn agent(&mut self, name: &str, _at: Range<usize>, value: &Value<'_>) {
        let section = format!("agents.{name}");
        let mut command = Vec::new();
        self.section(&section, value, |reader, key, at, value| match key {
            "command" => {
                let key = format!("{section}.command");
                command = reader.texts(&key, value, "a word of the command", |_| true);
            }
            other => reader.unknown(&format!("{section}.{other}"), at, &["command"]),
        });
        match command.first().is_some_and(|program| !program.is_empty()) {
            true => drop(self.config.agents.insert(name.to_owned(), command)),
            false => self.fault(
                value.span(),
                format!("{section} names no program: write command = [\"PROGRAM\", \"ARGUMENT\"]"),
            ),
        }
    }

    pub(super) fn dispatch(&mut self, key: &str, at: Range<usize>, value: &Value<'_>) {
        match key {
            "enabled" => match value.get_ref().as_bool() {
                Some(enabled) => self.config.dispatch.enabled = enabled,
                None => {
                    // Meant to be switched off, perhaps: then it is.
                    self.config.dispatch.enabled = false;
                    self.wrong("dispatch.enabled", value, "true or false", "nothing is dispatched");
                }
            },
            "kinds" => {
                let is_kind = |word: &str| word.parse::<Kind>().is_ok();
                let words = self.texts("dispatch.kinds", value, "a kind of loop", is_kind);
                let kinds = words.iter().filter_map(|word| word.parse().ok()).collect();
                self.config.dispatch.kinds = Some(kinds);
            }
            "lease_s" => {
                let read = self.number("dispatch.lease_s", value, 1..=3_600, DEFAULT_LEASE_S);
                if let Some(seconds) = read {
                    self.config.dispatch.lease = Duration::from_secs(seconds);
                }
            }
            "pass_env" => {
                self.config.dispatch.pass_env =
                    self.texts("dispatch.pass_env", value, "the name of a variable", is_variable);
            }
            other => {
                let known = ["enabled", "kinds", "lease_s", "pass_env"];
                self.unknown(&format!("dispatch.{other}"), at, &known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn agents_and_dispatch_are_read_and_what_is_wrong_is_said() {
        let text = "[agents.codex]\ncommand = [\"codex\", \"exec\", \"-\"]\n[agents.none]\n\
                    [dispatch]\nkinds = [\"review\", \"x\"]\nlease_s = 5\nenabled = true\n";
        let (config, faults) = parse(text);
        assert_eq!(config.agents["codex"], ["codex", "exec", "-"]);
        assert!(!config.agents.contains_key("none"));
        assert!(config.dispatch.allows(Kind::Review) && !config.dispatch.allows(Kind::Debug));
        assert_eq!(config.dispatch.lease, Duration::from_secs(5));
        assert_eq!(faults.len(), 2, "{faults:?}");
        let (config, _) = parse("[dispatch]\nenabled = \"no\"\n");
        assert!(!config.dispatch.allows(Kind::Review));
    }
}
