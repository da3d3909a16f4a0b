//! pytest, and Python's own unittest.

use super::line::number_at_start;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Pytest {
    summary: Option<Reading>,
    /// Of the short summary: `FAILED …`, `ERROR …` lines.
    short_failed: u64,
    short_errors: u64,
    /// Of `-v`: `tests/a.py::test_x FAILED [ 50%]`.
    failed: u64,
    passed: u64,
    skipped: u64,
    errors: u64,
    named: Reading,
    /// unittest's `FAILED (failures=1)`.
    unittest: Option<Reading>,
}

/// What a summary counts besides.
const OTHERS: [&str; 5] = ["warning", "warnings", "xfailed", "xpassed", "deselected"];

impl Reader for Pytest {
    fn line(&mut self, line: &str) {
        if let Some(reading) = summary(line) {
            // One for each run; a session's own is the last.
            self.summary = Some(reading);
        } else if let Some(rest) = line.strip_prefix("FAILED ") {
            if is_node(rest) {
                self.short_failed += 1;
                self.named.name(node(rest));
            }
        } else if let Some(rest) = line.strip_prefix("ERROR ") {
            if is_node(rest) || is_file(rest) {
                self.short_errors += 1;
                self.named.name(node(rest));
            }
        } else if line.contains("::") {
            self.verbose(line);
        } else {
            self.unittest(line);
        }
    }

    fn found(&self) -> Option<Found> {
        if let Some(summary) = &self.summary {
            let names = self.named.names.clone();
            return Found::new(Sure::Summary, Reading { names, ..summary.clone() });
        }
        if let Some(unittest) = &self.unittest {
            return Found::new(Sure::Summary, unittest.clone());
        }
        let failed = self.failed.max(self.short_failed);
        let errors = self.errors.max(self.short_errors);
        if failed + errors + self.passed + self.skipped == 0 {
            return None;
        }
        let reading = Reading {
            parser: "pytest".into(),
            failed: Some(failed),
            passed: Some(self.passed),
            skipped: Some(self.skipped),
            errors: Some(errors),
            cut: true,
            ..self.named.clone()
        };
        Found::new(Sure::Lines, reading)
    }
}

impl Pytest {
    /// `tests/test_a.py::test_x FAILED [ 50%]`.
    fn verbose(&mut self, line: &str) {
        let line = line.trim_end();
        let line = match line.strip_suffix("%]").and_then(|rest| rest.rsplit_once('[')) {
            Some((before, _)) => before.trim_end(),
            None => line,
        };
        let Some((name, word)) = line.rsplit_once(' ') else { return };
        match word {
            "FAILED" => {
                self.failed += 1;
                self.named.name(name);
            }
            "PASSED" | "XPASS" => self.passed += 1,
            "SKIPPED" | "XFAIL" => self.skipped += 1,
            "ERROR" => {
                self.errors += 1;
                self.named.name(name);
            }
            _ => {}
        }
    }

    fn unittest(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("FAILED (") {
            let count = |word: &str| {
                let at = rest.find(word)?;
                number_at_start(&rest[at + word.len()..])
            };
            let failed =
                count("failures=").unwrap_or(0) + count("unexpected successes=").unwrap_or(0);
            let errors = count("errors=").unwrap_or(0);
            let reading = Reading {
                failed: Some(failed),
                errors: Some(errors),
                skipped: count("skipped="),
                ..Reading::of("unittest")
            };
            self.unittest = Some(reading);
        }
    }
}

/// `== 3 failed, 2 passed in 0.12s ==`, with or without the rule around it.
fn summary(line: &str) -> Option<Reading> {
    let ruled = line.starts_with("==");
    let text = line.trim_matches(|c: char| c == '=' || c == ' ');
    let (counts, time) = text.rsplit_once(" in ")?;
    if !time.starts_with(|c: char| c.is_ascii_digit()) || !time.contains('s') {
        return None;
    }
    let mut reading = Reading {
        failed: Some(0),
        passed: Some(0),
        skipped: Some(0),
        errors: Some(0),
        ..Reading::of("pytest")
    };
    if counts == "no tests ran" {
        return Some(reading);
    }
    for part in counts.split(", ") {
        let (number, word) = part.trim().split_once(' ')?;
        let count: u64 = number.parse().ok()?;
        match word {
            "failed" => reading.failed = Some(count),
            "passed" => reading.passed = Some(count),
            "skipped" => reading.skipped = Some(count),
            "error" | "errors" => reading.errors = Some(count),
            word if OTHERS.contains(&word) => {}
            // Plugins count too (`2 rerun`); without a rule it is prose.
            _ if ruled => {}
            _ => return None,
        }
    }
    Some(reading)
}

/// The test that a line of the short summary names.
fn node(rest: &str) -> &str {
    rest.split_once(" - ").map_or(rest, |(node, _)| node).trim()
}

fn is_node(rest: &str) -> bool {
    let path = rest.split("::").next().unwrap_or(rest);
    rest.contains("::") && path.ends_with(".py")
}

/// A file that could not be collected has no test's name.
fn is_file(rest: &str) -> bool {
    node(rest).ends_with(".py")
}
