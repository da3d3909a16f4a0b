//! cargo-nextest.

use super::line::number_before;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Nextest {
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
        if line.starts_with("Summary [") {
            self.summed_up(line);
            return;
        }
        if line.starts_with("error: no tests to run") {
            self.ran_nothing = true;
            return;
        }
        let Some((word, rest)) = line.split_once(" [") else { return };
        let Some((_, name)) = rest.split_once(']') else { return };
        // `TRY 2 FAIL [` is one try of several; the last one counts.
        let (word, tried) = match word.strip_prefix("TRY ").and_then(|w| w.split_once(' ')) {
            Some((_, word)) => (word, true),
            None => (word, false),
        };
        let name = name.split_once(')').map_or(name, |(_, name)| name).trim();
        if word == "PASS" {
            self.passed += 1;
            self.retried.retain(|retried| retried != name);
        } else if BAD.contains(&word) && self.summary.is_none() {
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

    fn found(&self) -> Option<Found> {
        if let Some(summary) = &self.summary {
            let names = self.named.names.clone();
            return Found::new(Sure::Machine, Reading { names, ..summary.clone() });
        }
        if self.passed + self.failed > 0 {
            let reading = Reading {
                failed: Some(self.failed),
                passed: Some(self.passed),
                cut: true,
                parser: "cargo-nextest".into(),
                ..self.named.clone()
            };
            return Found::new(Sure::Lines, reading);
        }
        let nothing = Reading { failed: Some(0), passed: Some(0), ..Reading::of("cargo-nextest") };
        if self.ran_nothing { Found::new(Sure::Summary, nothing) } else { None }
    }
}

impl Nextest {
    /// `Summary [   0.006s] 5 tests run: 3 passed (1 slow), 2 failed, 1 skipped`.
    fn summed_up(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("run:") else { return };
        let count = |word| number_before(counts, word);
        let bad = ["failed", "timed out", "exec failed"].map(|word| count(word).unwrap_or(0));
        let mut reading = Reading::of("cargo-nextest");
        // "2 failed" is found in "1 exec failed" only where it stands alone.
        reading.failed = Some(bad.iter().sum());
        reading.passed = Some(count("passed").unwrap_or(0));
        reading.skipped = Some(count("skipped").unwrap_or(0));
        self.summary = Some(reading);
    }
}
