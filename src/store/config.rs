//! The workspace's settings, `.loopdeck/config.toml`. Read key by key: what
//! cannot be used is said with its place, and its default holds. Never written.

mod dispatch;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use dispatch::{Agents, DispatchSettings};

use super::lock;
use crate::core::brief::{DEFAULT_MAX_CHARS, DEFAULT_TOP_K, Limits, MIN_MAX_CHARS};
use crate::core::dream::{self, Selection};
use crate::core::loops::command::Grants;
use crate::core::loops::model::Actor;
pub use crate::core::settings::Fault;
use crate::core::text::{did_you_mean, is_variable};

/// The settings of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where the loops are, if elsewhere; relative to the workspace's root.
    pub loops: Option<PathBuf>,
    /// Where the memory is, if elsewhere; relative to the workspace's root.
    pub memory: Option<PathBuf>,
    /// Where the iteration sessions are, if elsewhere; relative to the
    /// workspace's root.
    pub sessions: Option<PathBuf>,
    /// Who acts where nobody is named.
    pub actor: Option<Actor>,
    /// How much a brief holds where nothing else is asked for.
    pub brief: Limits,
    /// How long a writer waits for another one.
    pub lock_wait: Duration,
    /// What agents may do beyond their station, by agent.
    pub grants: BTreeMap<String, Grants>,
    /// Patterns (crate regex) of what is replaced in captured output.
    pub redact: Vec<String>,
    /// How verify commands are run.
    pub verify: VerifySettings,
    /// Where the reward records are, if elsewhere; relative to the workspace's root.
    pub rewards: Option<PathBuf>,
    /// Where the dreams are, if elsewhere; relative to the workspace's root.
    pub insights: Option<PathBuf>,
    /// How dreams are dreamt, and when.
    pub dream: DreamSettings,
    /// Whether closing a loop writes reward records.
    pub rewards_auto: bool,
    /// The commands of agents.
    pub agents: Agents,
    /// How turns are handed to them.
    pub dispatch: DispatchSettings,
}

/// How dreams are dreamt, and when (dream.md, "Run" and "Trigger").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DreamSettings {
    /// Which records are kept.
    pub run: dream::Settings,
    /// Dreams that are kept; at least three.
    pub keep: usize,
    /// Whether the deck dreams by itself when one is due.
    pub auto: bool,
}

impl DreamSettings {
    /// Dreams that are kept where nothing else is set.
    const KEEP: usize = 10;
}

impl Default for DreamSettings {
    fn default() -> Self {
        Self { run: dream::Settings::default(), keep: Self::KEEP, auto: false }
    }
}

/// How verify commands are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifySettings {
    /// After which time a command is ended.
    pub timeout: Duration,
    /// Variables that are passed on besides the usual ones, by name.
    pub pass_env: Vec<String>,
}

impl VerifySettings {
    /// Seconds that a command may take where nothing else is set.
    const DEFAULT_TIMEOUT_S: u64 = 600;
    /// Seconds that can be set at most.
    const MAX_TIMEOUT_S: u64 = 3_600;
}

impl Default for VerifySettings {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(Self::DEFAULT_TIMEOUT_S), pass_env: Vec::new() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            loops: None,
            memory: None,
            sessions: None,
            actor: None,
            brief: Limits::default(),
            lock_wait: lock::DEFAULT_WAIT,
            grants: BTreeMap::new(),
            redact: Vec::new(),
            verify: VerifySettings::default(),
            rewards: None,
            insights: None,
            dream: DreamSettings::default(),
            rewards_auto: true,
            agents: Agents::new(),
            dispatch: DispatchSettings::default(),
        }
    }
}

impl Config {
    /// What an actor was granted.
    pub fn grants_of(&self, actor: &Actor) -> Grants {
        let granted = actor.agent().and_then(|agent| self.grants.get(&**agent));
        granted.cloned().unwrap_or_default()
    }
}

/// The keys of the whole file that this version follows.
const KNOWN: [&str; 11] = [
    "actor",
    "agents",
    "brief",
    "dispatch",
    "dream",
    "grants",
    "lock_wait_ms",
    "redact",
    "rewards",
    "stores",
    "verify",
];
/// What can be granted, and what the core calls it.
const GRANTS: [(&str, &str); 8] = [
    ("force", "force"),
    ("target", "a target past a shut gate"),
    ("amend", "amend"),
    ("reopen", "reopen"),
    ("close", "close"),
    ("supersede", "supersede"),
    ("retract", "retract"),
    ("waive", "waive"),
];

/// Reads the settings. A byte order mark and CRLF are tolerated.
pub fn parse(text: &str) -> (Config, Vec<Fault>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, config: Config::default(), faults: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => reader.file(table.get_ref()),
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            reader.fault(at, format!("{}; the defaults are used", error.message()));
        }
    }
    (reader.config, reader.faults)
}

type Value<'a> = Spanned<DeValue<'a>>;

struct Reader<'a> {
    text: &'a str,
    config: Config,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, at: Range<usize>, message: String) {
        self.faults.push(Fault::at(self.text, at.start, message));
    }

    fn wrong(&mut self, key: &str, value: &Value<'_>, wanted: &str, instead: &str) {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("the text {text:?}"),
            DeValue::Integer(number) => number.as_str().to_owned(),
            other => format!("a {}", other.type_str()),
        };
        self.fault(value.span(), format!("{key} should be {wanted}, not {found}; {instead}"));
    }

    fn unknown(&mut self, key: &str, at: Range<usize>, known: &[&str]) {
        let word = key.rsplit('.').next().unwrap_or(key);
        let near = did_you_mean(word, known.iter().copied());
        self.fault(at, format!("there is no setting {key}{near}"));
    }

    fn file(&mut self, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            match &**key.get_ref() {
                "actor" => self.actor(value),
                "lock_wait_ms" => {
                    let default = lock::DEFAULT_WAIT.as_millis() as u64;
                    if let Some(wait) = self.number("lock_wait_ms", value, 0..=600_000, default) {
                        self.config.lock_wait = Duration::from_millis(wait);
                    }
                }
                "brief" => self.section("brief", value, Self::brief),
                "stores" => self.section("stores", value, Self::store),
                "grants" => self.section("grants", value, Self::grant),
                "verify" => self.section("verify", value, Self::verify),
                "dream" => self.section("dream", value, Self::dream),
                "rewards" => self.section("rewards", value, Self::rewards),
                "agents" => self.section("agents", value, Self::agent),
                "dispatch" => self.section("dispatch", value, Self::dispatch),
                "redact" => {
                    self.config.redact = self.texts("redact", value, "a pattern", |pattern| {
                        regex::Regex::new(pattern).is_ok()
                    });
                }
                other => self.unknown(other, key.span(), &KNOWN),
            }
        }
    }

    fn section(
        &mut self,
        name: &str,
        value: &Value<'_>,
        mut each: impl FnMut(&mut Self, &str, Range<usize>, &Value<'_>),
    ) {
        match value.get_ref().as_table() {
            Some(table) => {
                for (key, value) in table.iter() {
                    each(self, key.get_ref(), key.span(), value);
                }
            }
            None => self.wrong(name, value, &format!("a table [{name}]"), "it is not followed"),
        }
    }

    fn brief(&mut self, key: &str, at: Range<usize>, value: &Value<'_>) {
        match key {
            "max_chars" => {
                let allowed = MIN_MAX_CHARS as u64..=100_000_000;
                if let Some(n) =
                    self.number("brief.max_chars", value, allowed, DEFAULT_MAX_CHARS as u64)
                {
                    self.config.brief.max_chars = n as usize;
                }
            }
            "top_k" => {
                if let Some(n) = self.number("brief.top_k", value, 1..=1_000, DEFAULT_TOP_K as u64)
                {
                    self.config.brief.top_k = n as usize;
                }
            }
            other => self.unknown(&format!("brief.{other}"), at, &["max_chars", "top_k"]),
        }
    }

    fn store(&mut self, key: &str, at: Range<usize>, value: &Value<'_>) {
        let place = match key {
            "loops" => &mut self.config.loops,
            "memory" => &mut self.config.memory,
            "sessions" => &mut self.config.sessions,
            "rewards" => &mut self.config.rewards,
            "insights" => &mut self.config.insights,
            other => {
                let known = ["loops", "memory", "sessions", "rewards", "insights"];
                return self.unknown(&format!("stores.{other}"), at, &known);
            }
        };
        match value.get_ref().as_str().filter(|path| !path.trim().is_empty()) {
            Some(path) => *place = Some(path.into()),
            None => {
                self.wrong(&format!("stores.{key}"), value, "a path", "the usual place is used")
            }
        }
    }

    fn dream(&mut self, key: &str, at: Range<usize>, value: &Value<'_>) {
        match key {
            "selection" => match value.get_ref().as_str().map(str::parse::<Selection>) {
                Some(Ok(selection)) => self.config.dream.run.selection = selection,
                _ => {
                    let wanted = "top_reward, newest or all";
                    self.wrong("dream.selection", value, wanted, "top_reward is used");
                }
            },
            "max_records" => {
                let allowed = dream::Settings::MIN_RECORDS as u64..=100_000_000;
                let default = dream::Settings::MAX_RECORDS as u64;
                if let Some(n) = self.number("dream.max_records", value, allowed, default) {
                    self.config.dream.run.max_records = n as usize;
                }
            }
            "keep_dreams" => {
                let default = DreamSettings::KEEP as u64;
                if let Some(n) = self.number("dream.keep_dreams", value, 3..=100_000, default) {
                    self.config.dream.keep = n as usize;
                }
            }
            "auto" => {
                if let Some(auto) = self.flag("dream.auto", value, false) {
                    self.config.dream.auto = auto;
                }
            }
            other => {
                let known = ["selection", "max_records", "keep_dreams", "auto"];
                self.unknown(&format!("dream.{other}"), at, &known);
            }
        }
    }

    fn rewards(&mut self, key: &str, at: Range<usize>, value: &Value<'_>) {
        match key {
            "auto" => {
                if let Some(auto) = self.flag("rewards.auto", value, true) {
                    self.config.rewards_auto = auto;
                }
            }
            other => self.unknown(&format!("rewards.{other}"), at, &["auto"]),
        }
    }

    fn flag(&mut self, key: &str, value: &Value<'_>, default: bool) -> Option<bool> {
        let found = value.get_ref().as_bool();
        if found.is_none() {
            self.wrong(key, value, "true or false", &format!("the default {default} is used"));
        }
        found
    }

    fn verify(&mut self, key: &str, at: Range<usize>, value: &Value<'_>) {
        match key {
            "timeout_s" => {
                let allowed = 1..=VerifySettings::MAX_TIMEOUT_S;
                let default = VerifySettings::DEFAULT_TIMEOUT_S;
                if let Some(n) = self.number("verify.timeout_s", value, allowed, default) {
                    self.config.verify.timeout = Duration::from_secs(n);
                }
            }
            "pass_env" => {
                self.config.verify.pass_env =
                    self.texts("verify.pass_env", value, "the name of a variable", is_variable);
            }
            other => self.unknown(&format!("verify.{other}"), at, &["timeout_s", "pass_env"]),
        }
    }

    /// Those texts of a list that make sense.
    fn texts(
        &mut self,
        key: &str,
        value: &Value<'_>,
        what: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(key, value, &format!("a list, each {what}"), "it is not followed");
            return Vec::new();
        };
        let mut out = Vec::new();
        for one in list.iter() {
            match one.get_ref().as_str().filter(|text| fits(text)) {
                Some(text) => out.push(text.to_owned()),
                None => self.wrong(key, one, what, "it is not followed"),
            }
        }
        out
    }

    fn grant(&mut self, agent: &str, _at: Range<usize>, value: &Value<'_>) {
        let key = format!("grants.{agent}");
        let Some(list) = value.get_ref().as_array() else {
            return self.wrong(&key, value, "a list of verbs", "nothing is granted");
        };
        let mut granted = BTreeSet::new();
        for verb in list.iter() {
            let name = verb.get_ref().as_str().unwrap_or_default();
            match GRANTS.iter().find(|(known, _)| *known == name) {
                Some((_, what)) => {
                    granted.insert((*what).to_owned());
                }
                None => {
                    let known: Vec<&str> = GRANTS.iter().map(|(known, _)| *known).collect();
                    let wanted = format!("one of {}", known.join(", "));
                    self.wrong(&key, verb, &wanted, "that is not granted");
                }
            }
        }
        self.config.grants.insert(agent.to_owned(), Grants(granted));
    }

    fn actor(&mut self, value: &Value<'_>) {
        match value.get_ref().as_str().map(str::parse::<Actor>) {
            Some(Ok(actor @ (Actor::Operator | Actor::Agent(_)))) => {
                self.config.actor = Some(actor)
            }
            _ => self.wrong("actor", value, "operator or agent:<name>", "operator is used"),
        }
    }

    fn number(
        &mut self,
        key: &str,
        value: &Value<'_>,
        allowed: RangeInclusive<u64>,
        default: u64,
    ) -> Option<u64> {
        let read = value.get_ref().as_integer().and_then(|number| {
            let digits = number.as_str().replace('_', "");
            u64::from_str_radix(&digits, number.radix()).ok()
        });
        let found = read.filter(|number| allowed.contains(number));
        if found.is_none() {
            let (least, most) = (allowed.start(), allowed.end());
            let wanted = format!("a whole number from {least} to {most}");
            self.wrong(key, value, &wanted, &format!("the default {default} is used"));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let (_, faults) = parse(text);
        faults.iter().map(|f| format!("{}:{}: {}", f.line, f.column, f.message)).collect()
    }

    #[test]
    fn the_template_sets_nothing_and_all_its_keys_are_known() {
        let template = include_str!("../../assets/config.toml");
        assert_eq!(parse(template), (Config::default(), Vec::new()));
        let is_key = |line: &&str| {
            let rest = line.trim_start_matches("# ");
            line.starts_with("# ")
                && (rest.starts_with('[')
                    || rest.split_once(" = ").is_some_and(|(key, _)| {
                        key.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '-' | '"'))
                    }))
        };
        let set: Vec<&str> =
            template.lines().filter(is_key).map(|line| line.trim_start_matches("# ")).collect();
        let text = set.join("\n");
        assert_eq!(faults(&text), Vec::<String>::new(), "{text}");
        for known in KNOWN {
            assert!(text.contains(known), "{known} is not in the template");
        }
        let (config, _) = parse(&text);
        assert_eq!((config.brief, config.lock_wait), (Limits::default(), lock::DEFAULT_WAIT));
    }

    #[test]
    fn every_setting_is_read() {
        let text = "\u{feff}actor = \"agent:claude\"\r\nlock_wait_ms = 1_000\r\n[stores]\r\n\
            loops = \"../loops\"\r\nmemory = \"docs/memory\"\r\nsessions = \"runs\"\r\n[brief]\r\nmax_chars = 0x2000\r\n\
            top_k = 3\r\n[grants]\r\nclaude = [\"force\", \"target\"]\r\n[agents.claude]\r\ncommand = [\"claude\"]\r\n";
        let (config, faults) = parse(text);
        assert_eq!(faults, []);
        assert_eq!(config.brief, Limits { max_chars: 8_192, top_k: 3 });
        assert_eq!(config.lock_wait, Duration::from_secs(1));
        assert_eq!(config.loops, Some("../loops".into()));
        assert_eq!(config.memory, Some("docs/memory".into()));
        assert_eq!(config.sessions, Some("runs".into()));
        let claude = Actor::Agent("claude".into());
        assert_eq!(config.grants_of(&claude).0.len(), 2);
        assert!(config.grants_of(&Actor::Operator).0.is_empty());
        assert_eq!(config.actor, Some(claude));
    }

    #[test]
    fn a_wrong_value_is_said_with_its_place_and_the_rest_is_followed() {
        let text = "lock_wait_ms = -1\nbrif = 3\n[brief]\nmax_chars = 100\ntop_k = \"x\"\n\
            [stores]\nloop = \"x\"\n[grants]\na = [\"undo_all\"]\n";
        let (config, _) = parse(text);
        assert_eq!(config.brief, Limits::default());
        let said = faults(text);
        assert_eq!(said.len(), 6, "{said:?}");
        let starts = [
            "1:16: lock_wait_ms should be",
            "2:1: there is no setting brif; did you mean brief?",
            "4:13: brief.max_chars should be a whole number from 4000",
            "5:9: brief.top_k should be a whole number from 1 to 1000, not the text \"x\"; the default 8 is used",
            "7:1: there is no setting stores.loop; did you mean loops?",
            "9:6: grants.a should be one of force",
        ];
        for start in starts {
            assert!(said.iter().any(|s| s.starts_with(start)), "{start} in {said:#?}");
        }
    }

    #[test]
    fn what_is_no_toml_gives_the_defaults_and_says_where() {
        assert_eq!(parse("[brief\nmax_chars = 5000\n").0, Config::default());
        assert!(faults("a = 1\n[brief\n")[0].starts_with("2:"), "{:?}", faults("a = 1\n[brief\n"));
        assert_eq!(
            faults("brief = 3"),
            ["1:9: brief should be a table [brief], not 3; it is not followed"]
        );
        assert_eq!(faults("actor = \"engine\"").len(), 1);
    }
}
