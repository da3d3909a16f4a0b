//! Replacing secrets before anything that was captured is kept (store.md,
//! "Secrets").

use std::env;
use std::ffi::OsString;

use regex::Regex;

use super::environment::is_secret;

/// What stands where a secret stood.
const MARK: &str = "[redacted]";
/// Bytes that a value has at least to be looked for. Shorter ones are no
/// secrets, and replacing every "1" would make the output unreadable.
const SHORTEST: usize = 4;

/// Replaces the values of secret variables and what some patterns match.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// The longest first, so that one within another doesn't spoil it.
    values: Vec<String>,
    patterns: Vec<Regex>,
}

impl Redactor {
    /// For this process's secret variables and some patterns.
    pub fn of_process(patterns: &[Regex]) -> Self {
        Self::new(env::vars_os(), patterns)
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
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values, patterns: patterns.to_vec() }
    }

    /// The text with its secrets replaced.
    pub fn redacted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), MARK);
            }
        }
        for pattern in &self.patterns {
            if pattern.is_match(&text) {
                text = pattern.replace_all(&text, MARK).into_owned();
            }
        }
        text
    }
}
