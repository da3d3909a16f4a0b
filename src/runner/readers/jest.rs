//! jest and vitest.

use super::line::number_before;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Jest {
    summary: Option<Reading>,
    /// Suites that did not come to run a test.
    errors: u64,
    failed_suites: u64,
    /// Lines of single tests.
    passed: u64,
    failed: u64,
    vitest: bool,
    ran_nothing: bool,
    named: Reading,
}

impl Reader for Jest {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some(counts) = text.strip_prefix("Tests:") {
            self.summed_up("jest", counts);
        } else if let Some(counts) = text.strip_prefix("Tests  ") {
            self.vitest = true;
            self.summed_up("vitest", counts);
        } else if let Some(counts) = text.strip_prefix("Test Suites:") {
            self.failed_suites = number_before(counts, "failed").unwrap_or(0);
        } else if let Some(counts) = text.strip_prefix("Test Files") {
            self.vitest = true;
            self.failed_suites = number_before(counts, "failed").unwrap_or(0);
        } else if text.starts_with("● Test suite failed to run") {
            self.errors += 1;
        } else if let Some((_, count)) = text.split_once("Failed Suites ") {
            self.vitest = true;
            self.errors = super::line::number_at_start(count).unwrap_or(self.errors);
        } else if text.starts_with("No test files found") {
            self.vitest = true;
            self.ran_nothing = true;
        } else if text.starts_with("No tests found") {
            self.ran_nothing = true;
        } else {
            self.test(text);
        }
    }

    fn found(&self) -> Option<Found> {
        let parser = if self.vitest { "vitest" } else { "jest" };
        let names = self.named.names.clone();
        // The same suite is told of where it fails and again at the end.
        let errors = match self.failed_suites {
            0 => self.errors,
            suites => self.errors.min(suites),
        };
        if let Some(summary) = &self.summary {
            let errors = (errors > 0).then_some(errors);
            return Found::new(Sure::Summary, Reading { names, errors, ..summary.clone() });
        }
        if self.ran_nothing {
            let nothing = Reading { failed: Some(0), passed: Some(0), ..Reading::of(parser) };
            return Found::new(Sure::Summary, nothing);
        }
        if self.failed + errors == 0 {
            return None;
        }
        let reading = Reading {
            failed: Some(self.failed),
            passed: Some(self.passed),
            errors: (errors > 0).then_some(errors),
            names,
            cut: true,
            ..Reading::of(parser)
        };
        Found::new(Sure::Lines, reading)
    }
}

impl Jest {
    /// `1 failed, 2 passed, 3 total`, `1 failed | 2 passed (3)`, `no tests`.
    fn summed_up(&mut self, parser: &'static str, counts: &str) {
        let count = |word| number_before(counts, word);
        let known = ["failed", "passed", "total", "skipped", "todo"];
        let counts_something = known.iter().any(|word| count(word).is_some());
        if !counts_something && !counts.contains("no tests") {
            return;
        }
        let mut reading = Reading::of(parser);
        reading.failed = Some(count("failed").unwrap_or(0));
        reading.passed = Some(count("passed").unwrap_or(0));
        reading.skipped = Some(count("skipped").unwrap_or(0) + count("todo").unwrap_or(0));
        self.summary = Some(reading);
    }

    /// `✕ adds (3 ms)`, `× src/a.test.ts > adds 3ms`, `✓ adds`.
    fn test(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix('✕').or_else(|| text.strip_prefix('×')) {
            self.failed += 1;
            self.named.name(without_time(name));
        } else if text.starts_with(['✓', '✔']) {
            self.passed += 1;
        }
    }
}

fn without_time(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_suffix(')').and_then(|n| n.rsplit_once(" (")).map_or(name, |(n, _)| n);
    match name.strip_suffix("ms").and_then(|n| n.rsplit_once(' ')) {
        Some((before, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => before,
        _ => name,
    }
}
