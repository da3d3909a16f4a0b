//! Replacing secrets before anything that was captured is kept (store.md,
//! "Secrets").

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::environment::{SECRET_WORDS, is_secret};

/// What stands where a secret stood.
const MARK: &str = "[redacted]";
/// Bytes that a value has at least to be looked for. Shorter ones are no
/// secrets, and replacing every "1" would make the output unreadable.
const SHORTEST: usize = 4;

/// Replaces the values of secret variables and what some patterns match.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Finds the values; of two that begin at one place the longer one.
    values: Option<AhoCorasick>,
    patterns: Vec<Regex>,
}

impl Redactor {
    /// For this process's secret variables and some patterns.
    pub fn of_process(patterns: &[Regex]) -> Self {
        Self::new(env::vars_os(), patterns)
    }

    /// For this process's secret variables, some more values, and some patterns.
    pub(super) fn knowing(values: Vec<String>, patterns: &[Regex]) -> Self {
        let secret = |value: String| (OsString::from(SECRET_WORDS[0]), OsString::from(value));
        Self::new(env::vars_os().chain(values.into_iter().map(secret)), patterns)
    }

    /// For some variables and some patterns.
    pub fn new(vars: impl IntoIterator<Item = (OsString, OsString)>, patterns: &[Regex]) -> Self {
        let mut values: Vec<String> = Vec::new();
        for (name, value) in vars.into_iter().filter(|(name, _)| is_secret(name)) {
            let value = value.to_string_lossy();
            // Output is looked at line by line: a value of many lines is many.
            let lines = value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST);
            values.extend(lines.map(|line| line.to_owned()));
            let _ = name;
        }
        values.sort();
        values.dedup();
        let finder = (!values.is_empty()).then(|| {
            // Words that fit into an environment are never too many.
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values).ok()
        });
        Self { values: finder.flatten(), patterns: patterns.to_vec() }
    }

    /// Whether there is nothing to replace.
    pub(super) fn is_idle(&self) -> bool {
        self.values.is_none() && self.patterns.is_empty()
    }

    /// The text with its secrets replaced. Patterns see one line at a time.
    pub fn redacted(&self, text: Cow<'_, str>) -> String {
        let mut text = text.into_owned();
        if let Some(values) = &self.values
            && values.is_match(&text)
        {
            text = values.replace_all(&text, &vec![MARK; values.patterns_len()]);
        }
        if self.patterns.is_empty() {
            return text;
        }
        text.split_inclusive('\n').map(|line| self.without_matches(line)).collect()
    }

    fn without_matches<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let mut line = Cow::Borrowed(line);
        for pattern in &self.patterns {
            if pattern.is_match(&line) {
                line = Cow::Owned(pattern.replace_all(&line, MARK).into_owned());
            }
        }
        line
    }
}
