//! cargo-nextest.

use super::line::number_before;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Nextest {
    /// Of the runs that are done with.
    done: Option<Reading>,
    /// Of the run under way: its summary (the last; tests may print one), or
    /// what its lines say.
    summary: Option<Reading>,
    passed: u64,
    failed: u64,
    retried: Vec<String>,
    named: Reading,
    ran_nothing: bool,
}

/// What nextest calls a test that did not pass.
const BAD: [&str; 9] =
    ["FAIL", "SIGABRT", "SIGSEGV", "ABORT", "TIMEOUT", "XFAIL", "SIGKILL", "SIGILL", "SIGBUS"];

impl Reader for Nextest {
    fn line(&mut self, line: &str) {
        let line = line.trim_start();
        if line.starts_with("Starting ") && line.contains(" across ") {
            self.end();
        } else if line.starts_with("Summary [") {
            self.summed_up(line);
        } else if line.starts_with("error: no tests to run") {
            self.ran_nothing = true;
        } else if self.summary.is_none() {
            self.test(line);
        }
    }

    fn found(&self) -> Option<Found> {
        let now = self.summary.clone().or_else(|| self.by_lines());
        let reading = match (&self.done, now) {
            (done, Some(now)) => super::sum(done.clone(), now),
            (Some(done), None) => done.clone(),
            (None, None) if self.ran_nothing => {
                Reading { failed: Some(0), passed: Some(0), ..Reading::of("cargo-nextest") }
            }
            (None, None) => return None,
        };
        let sure = if reading.cut { Sure::Lines } else { Sure::Machine };
        Found::new(sure, Reading { names: self.named.names.clone(), ..reading })
    }
}

impl Nextest {
    fn by_lines(&self) -> Option<Reading> {
        let counts = (Some(self.failed), Some(self.passed));
        (self.passed + self.failed > 0).then(|| Reading {
            failed: counts.0,
            passed: counts.1,
            cut: true,
            ..Reading::of("cargo-nextest")
        })
    }

    /// A next run begins.
    fn end(&mut self) {
        if let Some(now) = self.summary.take().or_else(|| self.by_lines()) {
            self.done = Some(super::sum(self.done.take(), now));
        }
        (self.passed, self.failed) = (0, 0);
        self.retried.clear();
    }

    /// `PASS [   0.005s] (1/3) app tests::a`, `TRY 2 FAIL [ …`.
    fn test(&mut self, line: &str) {
        let Some((word, rest)) = line.split_once(" [") else { return };
        let Some((_, name)) = rest.split_once(']') else { return };
        // One try of several; the last one counts.
        let (word, tried) = match word.strip_prefix("TRY ").and_then(|w| w.split_once(' ')) {
            Some((_, word)) => (word, true),
            None => (word, false),
        };
        let name = name.split_once(')').map_or(name, |(_, name)| name).trim();
        if word == "PASS" {
            self.passed += 1;
            if let Some(at) = self.retried.iter().position(|retried| retried == name) {
                self.retried.swap_remove(at);
                self.failed = self.failed.saturating_sub(1);
                self.named.names.retain(|known| known != name);
            }
        } else if BAD.contains(&word) {
            if tried && self.retried.iter().any(|retried| retried == name) {
                return;
            }
            if tried && self.retried.len() < 1_000 {
                self.retried.push(name.to_owned());
            }
            self.failed += 1;
            self.named.name(name);
        }
    }

    /// `Summary [   0.006s] 5 tests run: 3 passed (1 slow), 2 failed, 1 skipped`.
    fn summed_up(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("run:") else { return };
        let count = |word| number_before(counts, word);
        let bad = ["failed", "timed out", "exec failed"].map(|word| count(word).unwrap_or(0));
        let mut reading = Reading::of("cargo-nextest");
        reading.failed = Some(bad.iter().sum());
        reading.passed = Some(count("passed").unwrap_or(0));
        reading.skipped = Some(count("skipped").unwrap_or(0));
        self.summary = Some(reading);
    }
}
