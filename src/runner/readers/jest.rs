//! jest and vitest.

use super::line::number_before;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Jest {
    /// Of the runs that are done with.
    done: Option<Reading>,
    /// Of the run under way; its summary stands right below that of its files.
    summary: Option<Reading>,
    below_files: bool,
    /// Suites that did not come to run a test.
    errors: u64,
    failed_suites: u64,
    /// What was thrown and caught by nobody.
    unhandled: u64,
    /// Lines of single tests.
    passed: u64,
    failed: u64,
    vitest: bool,
    ran_nothing: bool,
    /// Failing tests by the headings of what went wrong, the first fifty.
    told: Reading,
    /// Whether suites or tests were told of since the summary: a next run.
    tests_since: bool,
    named: Reading,
}

impl Jest {
    /// A reader for what a command says.
    pub(super) fn new(argv: &[String]) -> Self {
        let vitest = argv.iter().any(|argument| argument.contains("vitest"));
        Self { vitest, ..Self::default() }
    }
}

impl Reader for Jest {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let below_files = std::mem::take(&mut self.below_files);
        if let Some(counts) = text.strip_prefix("Tests:").filter(|_| below_files) {
            self.summed_up("jest", counts);
        } else if let Some(counts) = text.strip_prefix("Tests  ").filter(|_| below_files) {
            self.summed_up("vitest", counts);
        } else if let Some(counts) = text.strip_prefix("Test Suites:") {
            self.files(counts);
        } else if let Some(counts) = text.strip_prefix("Test Files ") {
            self.vitest = true;
            self.files(counts);
        } else if let Some(count) = text.strip_prefix("Errors  ") {
            self.unhandled += super::line::number_at_start(count).unwrap_or(0);
        } else if text.starts_with("failed to load config from ") {
            self.vitest = true;
            self.errors += 1;
        } else if text.starts_with("RUN  v") {
            self.vitest = true;
            self.end();
        } else if text.starts_with("● Test suite failed to run")
            || text.starts_with("● Validation Error")
        {
            self.errors += 1;
        } else if let Some(name) =
            text.strip_prefix("● ").filter(|name| !name.contains("process.exit called"))
        {
            // Told where it fails and again at the end.
            self.told.name(name);
        } else if text.starts_with("{\"numTotalTestSuites\":") {
            self.json(text);
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
        let mut reading = match (&self.done, self.now()) {
            (done, Some(now)) => super::sum(done.clone(), now),
            (Some(done), None) => done.clone(),
            (None, None) if self.ran_nothing => {
                Reading { failed: Some(0), passed: Some(0), ..Reading::of(parser) }
            }
            (None, None) => return None,
        };
        reading.parser = parser.into();
        reading.names.clone_from(&self.named.names);
        let sure = if reading.cut { Sure::Lines } else { Sure::Summary };
        Found::new(sure, reading)
    }
}

impl Jest {
    /// The run under way, by its summary or else by its lines.
    fn now(&self) -> Option<Reading> {
        // The same suite is told of where it fails and again at the end.
        let errors = match self.failed_suites {
            0 => self.errors,
            suites => self.errors.min(suites),
        } + self.unhandled;
        let errors = (errors > 0).then_some(errors);
        if let Some(summary) = &self.summary {
            return Some(Reading { errors, ..summary.clone() });
        }
        let failed = self.failed.max(self.told.names.len() as u64);
        (failed + errors.unwrap_or(0) > 0).then(|| Reading {
            failed: Some(failed),
            passed: Some(self.passed),
            errors,
            cut: true,
            ..Reading::of("jest")
        })
    }

    /// A run that was summed up is done with.
    fn end(&mut self) {
        if self.summary.is_some()
            && let Some(now) = self.now()
        {
            self.done = Some(super::sum(self.done.take(), now));
            self.summary = None;
            (self.errors, self.failed_suites, self.unhandled) = (0, 0, 0);
        }
        (self.passed, self.failed) = (0, 0);
    }

    /// What of the files came to what: the summary of the tests is next.
    fn files(&mut self, counts: &str) {
        let of_next_run = !self.vitest && self.summary.is_some() && self.tests_since;
        if of_next_run {
            self.end();
        }
        self.failed_suites = number_before(counts, "failed").unwrap_or(0);
        self.below_files = true;
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
        self.tests_since = false;
    }

    /// The beginning of the JSON reporter's only line.
    fn json(&mut self, text: &str) {
        let count = |word: &str| {
            let at = text.find(word)? + word.len();
            super::line::number_at_start(&text[at..])
        };
        let mut reading = Reading::of("jest");
        reading.failed = count("\"numFailedTests\":");
        reading.passed = count("\"numPassedTests\":");
        reading.skipped = count("\"numPendingTests\":");
        let broken = count("\"numRuntimeErrorTestSuites\":").unwrap_or(0);
        self.errors += broken;
        if reading.failed.is_some() {
            self.summary = Some(reading);
        }
    }

    /// `✕ adds (3 ms)`, `× src/a.test.ts > adds 3ms`, `✓ adds`.
    fn test(&mut self, text: &str) {
        let is_suite = text.starts_with("PASS ") || text.starts_with("FAIL ");
        self.tests_since |= is_suite || text.starts_with(['✕', '✓']);
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
