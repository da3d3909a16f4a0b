//! Modules and commands that are missing, whoever says so.

use crate::core::session::Reading;

/// Names that are told apart; more are counted as they come.
const TOLD_APART: usize = 10_000;

#[derive(Default)]
pub(super) struct Missing {
    names: Vec<String>,
}

impl Missing {
    /// Takes in a line.
    pub(super) fn line(&mut self, line: &str) {
        if let Some(name) = missing(line)
            && self.names.len() < TOLD_APART
            && !self.names.iter().any(|known| known == name)
        {
            self.names.push(name.to_owned());
        }
    }

    /// What is missing, each once.
    pub(super) fn reading(&self) -> Option<Reading> {
        if self.names.is_empty() {
            return None;
        }
        let mut reading = Reading::of("missing");
        reading.missing = Some(self.names.len() as u64);
        self.names.iter().for_each(|name| reading.name(name));
        Some(reading)
    }
}

/// What a line says is missing.
fn missing(line: &str) -> Option<&str> {
    let quoted = |rest: &str| -> Option<usize> {
        let open = rest.chars().next()?;
        let close = match open {
            '\'' | '"' | '`' => open,
            '‘' => '’',
            _ => return None,
        };
        rest[open.len_utf8()..].find(close).map(|end| end + open.len_utf8())
    };
    // Python: No module named 'x' (or, older, without quotation marks).
    if let Some((_, rest)) = line.split_once("No module named ") {
        return Some(match quoted(rest) {
            Some(end) => &rest[first_len(rest)..end],
            None => rest.split_whitespace().next()?,
        });
    }
    // Node: Cannot find module 'x', Cannot find package 'x'.
    for words in ["Cannot find module ", "Cannot find package "] {
        if let Some((_, rest)) = line.split_once(words) {
            return quoted(rest).map(|end| &rest[first_len(rest)..end]);
        }
    }
    // Go: no required module provides package x; to add it: …
    if let Some((_, rest)) = line.split_once("no required module provides package ") {
        return rest.split([';', ' ']).next();
    }
    // cargo: no such command: `x`; no matching package named `x`; failed to get `x`.
    for words in
        ["error: no such command: ", "error: no matching package named ", "error: failed to get "]
    {
        if let Some((_, rest)) = line.split_once(words) {
            return quoted(rest).map(|end| &rest[first_len(rest)..end]);
        }
    }
    // Compilers: fatal error: x.h: No such file or directory.
    if let Some((_, rest)) = line.split_once("fatal error: ")
        && let Some((name, _)) = rest.split_once(": No such file")
    {
        return Some(name);
    }
    command(line)
}

/// A command that a shell, make or env did not find.
fn command(line: &str) -> Option<&str> {
    let text = line.trim_end();
    if let Some((_, name)) = text.split_once("command not found: ") {
        // zsh
        return Some(name);
    }
    let before = text
        .strip_suffix(": command not found")
        .or_else(|| text.strip_suffix(": not found"))
        .or_else(|| {
            let is_tool = text.starts_with("env: ") || text.starts_with("make: ");
            text.strip_suffix(": No such file or directory").filter(|_| is_tool)
        })?;
    let name = before.rsplit(": ").next()?.trim_matches(['\'', '‘', '’', '"', '`']);
    let is_word = !name.is_empty() && !name.contains(char::is_whitespace);
    // `sh: 1: x: not found`: without anything before it, it is prose.
    (is_word && before.contains(": ")).then_some(name)
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}
