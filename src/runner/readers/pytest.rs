//! pytest, and Python's own unittest.

use super::line::number_at_start;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Pytest {
    /// Of the runs that are done with.
    done: Option<Reading>,
    /// Of the run under way: its summary, or what its lines say.
    summary: Option<Reading>,
    /// The short summary: `FAILED …`, `ERROR …`.
    short: Counts,
    /// With `-v`: `tests/a.py::test_x FAILED [ 50%]`.
    verbose: Counts,
    /// Rows of letters: `tests/a.py ..F. [ 50%]`.
    letters: Counts,
    /// Errors before any test: a conftest, a plugin, a path.
    early: u64,
    named: Reading,
    /// unittest's `FAILED (failures=1)`.
    unittest: Option<Reading>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    failed: u64,
    passed: u64,
    skipped: u64,
    errors: u64,
}

/// What a summary counts besides.
const OTHERS: [&str; 5] = ["warning", "warnings", "xfailed", "xpassed", "deselected"];

impl Reader for Pytest {
    fn line(&mut self, line: &str) {
        if line.contains("test session starts") && line.starts_with("==") {
            self.end();
        } else if let Some(reading) = summary(line) {
            self.summary = Some(reading);
        } else if let Some(rest) = line.strip_prefix("FAILED ") {
            if is_node(rest) {
                self.short.failed += 1;
                self.named.name(node(rest));
            }
        } else if let Some(rest) = line.strip_prefix("ERROR ") {
            if is_node(rest) || is_file(rest) {
                self.short.errors += 1;
                self.named.name(node(rest));
            }
        } else if line.starts_with("ERROR: ")
            || line.starts_with("ImportError while loading conftest")
        {
            self.early = 1;
        } else if let Some((before, _)) = line.split_once("Fatal Python error: ") {
            // The test that ran brought the interpreter down.
            self.letters(before);
            self.letters.failed += 1;
        } else if line.contains("::") {
            self.verbose(line);
        } else if line.ends_with("%]") {
            self.letters(line);
        } else if let Some(rest) = line.strip_prefix("FAILED (") {
            self.unittest(rest);
        }
    }

    fn found(&self) -> Option<Found> {
        if let Some(unittest) = &self.unittest
            && self.done.is_none()
            && self.summary.is_none()
        {
            return Found::new(Sure::Summary, unittest.clone());
        }
        let now = self.now();
        let mut reading = match (&self.done, now) {
            (done, Some(now)) => super::sum(done.clone(), now),
            (Some(done), None) => done.clone(),
            (None, None) if self.early > 0 => {
                Reading { errors: Some(self.early), ..Reading::of("pytest") }
            }
            (None, None) => return None,
        };
        if reading.failed.unwrap_or(0) + reading.passed.unwrap_or(0) == 0 {
            reading.errors = Some(reading.errors.unwrap_or(0).max(self.early));
        }
        let sure = match (reading.cut, reading.failed.is_none()) {
            (_, true) => Sure::Words,
            (true, _) => Sure::Lines,
            (false, _) => Sure::Summary,
        };
        Found::new(sure, Reading { names: self.named.names.clone(), ..reading })
    }
}

impl Pytest {
    /// The run under way, by its summary or else by its lines.
    fn now(&self) -> Option<Reading> {
        if self.summary.is_some() {
            return self.summary.clone();
        }
        let all = [self.short, self.verbose, self.letters];
        let most = |of: fn(&Counts) -> u64| all.iter().map(of).max().unwrap_or(0);
        let counts = Counts {
            failed: most(|c| c.failed),
            passed: most(|c| c.passed),
            skipped: most(|c| c.skipped),
            errors: most(|c| c.errors),
        };
        let any = counts.failed + counts.passed + counts.skipped + counts.errors;
        (any > 0).then(|| Reading {
            failed: Some(counts.failed),
            passed: Some(counts.passed),
            skipped: Some(counts.skipped),
            errors: Some(counts.errors),
            cut: true,
            ..Reading::of("pytest")
        })
    }

    /// A next run begins.
    fn end(&mut self) {
        if let Some(now) = self.now() {
            self.done = Some(super::sum(self.done.take(), now));
        }
        self.summary = None;
        (self.short, self.verbose, self.letters) = Default::default();
    }

    /// `tests/test_a.py::test_x FAILED [ 50%]`, and with workers before it.
    fn verbose(&mut self, line: &str) {
        let line = without_share(line);
        let Some((name, word)) = line.rsplit_once(' ') else { return };
        match word {
            "FAILED" => {
                self.verbose.failed += 1;
                self.named.name(name);
            }
            "PASSED" => self.verbose.passed += 1,
            "SKIPPED" => self.verbose.skipped += 1,
            "ERROR" => {
                self.verbose.errors += 1;
                self.named.name(name);
            }
            _ => {}
        }
    }

    /// `tests/test_a.py ..F.s [ 50%]`, `..F.s [ 50%]`.
    fn letters(&mut self, line: &str) {
        let line = without_share(line);
        let letters = line.rsplit(' ').next().unwrap_or(line);
        let known = letters.chars().all(|c| matches!(c, '.' | 'F' | 'E' | 's' | 'x' | 'X'));
        let placed = line == letters || line[..line.len() - letters.len()].trim().ends_with(".py");
        if !known || !placed {
            return;
        }
        for letter in letters.chars() {
            match letter {
                '.' => self.letters.passed += 1,
                'F' => self.letters.failed += 1,
                'E' => self.letters.errors += 1,
                's' => self.letters.skipped += 1,
                _ => {}
            }
        }
    }

    /// What follows `FAILED (`: `failures=1, errors=1)`.
    fn unittest(&mut self, rest: &str) {
        let count = |word: &str| {
            let at = rest.find(word)?;
            number_at_start(&rest[at + word.len()..])
        };
        let failed = ["failures=", "unexpected successes="].map(|word| count(word).unwrap_or(0));
        self.unittest = Some(Reading {
            failed: Some(failed.iter().sum()),
            errors: count("errors="),
            skipped: count("skipped="),
            ..Reading::of("unittest")
        });
    }
}

/// A line without the share of all tests at its end, `[ 50%]`.
fn without_share(line: &str) -> &str {
    let line = line.trim_end();
    match line.strip_suffix("%]").and_then(|rest| rest.rsplit_once('[')) {
        Some((before, _)) => before.trim_end(),
        None => line,
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
