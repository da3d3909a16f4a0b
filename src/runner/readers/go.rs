//! go test, also with `-json`, and go build.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;

use super::{Found, Reader, Sure};
use crate::core::session::Reading;

/// Tests at once that are told apart by name.
const TOLD_APART: usize = 100_000;

#[derive(Default)]
pub(super) struct Go {
    asks_json: bool,
    passed: u64,
    failed: u64,
    skipped: u64,
    /// Tests that run: only these have verdicts. Without `-v` nobody says.
    running: HashSet<String>,
    says_running: bool,
    /// Tests that ran when a package's end was told, and the one that was blamed
    /// for it. A test may print such a line: then they have verdicts yet.
    lost: HashSet<String>,
    blamed: Option<String>,
    errors: u64,
    /// Packages that failed without saying why by a test or an error.
    broken: u64,
    packages: u64,
    saw_failure: bool,
    json: bool,
    named: Reading,
}

impl Go {
    /// A reader for what a command says.
    pub(super) fn new(argv: &[String]) -> Self {
        let asks_json = argv.iter().any(|argument| argument.trim_start_matches('-') == "json");
        Self { asks_json, ..Self::default() }
    }
}

impl Reader for Go {
    fn line(&mut self, line: &str) {
        if line.starts_with('{') {
            return self.json(line);
        }
        if let Some(name) = line.strip_prefix("=== RUN ") {
            self.runs(name.trim());
        } else if let Some((before, rest)) = line.split_once("--- ") {
            // What a test prints without a line end stands before its verdict.
            if before.trim().is_empty() || self.says_running {
                self.verdict(rest);
            }
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            self.package_failed(rest);
        } else if line.starts_with("ok  \t") {
            self.packages += 1;
            self.saw_failure = false;
        } else if line.starts_with("flag provided but not defined") {
            self.saw_failure = true;
        } else if is_compile_error(line) {
            self.errors += 1;
        }
    }

    fn found(&self) -> Option<Found> {
        let tests = self.passed + self.failed + self.skipped;
        let ran = self.packages > 0 || tests > 0 || self.json;
        let parser = if self.json || self.asks_json { "go-test-json" } else { "go-test" };
        let errors = self.errors.max(self.broken);
        if !ran {
            let reading = Reading { errors: Some(errors), ..Reading::of(parser) };
            return if errors == 0 { None } else { Found::new(Sure::Words, reading) };
        }
        let reading = Reading {
            parser: parser.into(),
            failed: Some(self.failed),
            passed: Some(self.passed),
            skipped: Some(self.skipped),
            errors: (errors > 0).then_some(errors),
            cut: self.packages == 0 && !self.json,
            ..self.named.clone()
        };
        let sure = match (self.json, self.packages > 0) {
            (true, _) => Sure::Machine,
            (false, true) => Sure::Summary,
            (false, false) => Sure::Lines,
        };
        Found::new(sure, reading)
    }
}

impl Go {
    fn runs(&mut self, name: &str) {
        self.says_running = true;
        if self.running.len() < TOLD_APART {
            self.running.insert(name.to_owned());
        }
    }

    /// What follows the dashes: `FAIL: TestA/b (0.00s)`. Every verdict counts, a
    /// test with tests in it too: go counts so itself.
    fn verdict(&mut self, rest: &str) {
        let Some((word, name)) = rest.split_once(": ") else { return };
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        if self.ends(name) {
            self.count(word, name);
        }
    }

    /// Whether a test of this name runs; it does no more.
    fn ends(&mut self, name: &str) -> bool {
        if self.lost.remove(name) {
            if let Some(blamed) = self.blamed.take() {
                self.failed = self.failed.saturating_sub(1);
                self.named.names.retain(|known| *known != blamed);
            }
            return true;
        }
        !self.says_running || self.running.remove(name) || self.running.len() >= TOLD_APART
    }

    fn count(&mut self, word: &str, name: &str) {
        match word {
            "PASS" => self.passed += 1,
            "SKIP" => self.skipped += 1,
            "FAIL" => {
                self.failed += 1;
                self.saw_failure = true;
                self.named.name(name);
            }
            _ => {}
        }
    }

    /// What follows `FAIL` and a tab: the package, and its time or `[build failed]`.
    fn package_failed(&mut self, rest: &str) {
        // A test may print this line too; while one runs, only its own counts.
        self.packages += 1;
        let broken = rest.ends_with("[build failed]") || rest.ends_with("[setup failed]");
        self.ended_badly(broken, rest.split([' ', '\t']).next().unwrap_or(rest));
    }

    /// A package failed: by a test, else by the one that had no verdict yet, else
    /// by itself.
    fn ended_badly(&mut self, broken: bool, package: &str) {
        let explained = std::mem::take(&mut self.saw_failure);
        if !explained && !broken && !self.running.is_empty() {
            self.failed += 1;
            let deepest = self.running.iter().max_by_key(|name| (name.len(), *name)).cloned();
            self.named.name(deepest.as_deref().unwrap_or_default());
            self.blamed = deepest;
            self.lost = std::mem::take(&mut self.running);
        } else if broken || !explained {
            self.broken += 1;
            self.named.name(package);
        }
        self.running.clear();
    }

    fn json(&mut self, line: &str) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(line) else { return };
        let Some(action) = event.action else { return };
        self.json = true;
        match (&*action, event.test) {
            ("run", Some(test)) => self.runs(&test),
            ("pass", Some(test)) if self.ends(&test) => self.count("PASS", &test),
            ("skip", Some(test)) if self.ends(&test) => self.count("SKIP", &test),
            ("fail", Some(test)) if self.ends(&test) => self.count("FAIL", &test),
            ("pass" | "skip", None) => {
                self.packages += 1;
                self.saw_failure = false;
                self.running.clear();
            }
            ("fail", None) => {
                self.packages += 1;
                self.ended_badly(false, event.package.as_deref().unwrap_or_default());
            }
            ("output", Some(_) | None) => self.json_output(&event.output.unwrap_or_default()),
            ("build-output", _) => {
                let text = super::line::plain(&event.output.unwrap_or_default());
                self.errors += u64::from(is_compile_error(&text));
            }
            _ => {}
        }
    }
}

impl Go {
    /// A verdict behind what a test printed without a line end has no event.
    fn json_output(&mut self, output: &str) {
        if let Some((before, rest)) = output.trim_end().split_once("--- ")
            && !before.trim().is_empty()
        {
            self.verdict(rest);
        }
    }
}

/// `./a.go:3:5: undefined: x`, `a_test.go:3:5: …`; what a test logs is indented.
fn is_compile_error(line: &str) -> bool {
    let Some(at) = line.find(".go:") else { return false };
    let path = &line[..at];
    if path.is_empty() || path.starts_with([' ', '\t']) && !path.trim_start().starts_with("vet: ") {
        return false;
    }
    let path = path.strip_prefix("vet: ").unwrap_or(path);
    if path.contains([' ', '"', '\'']) {
        return false;
    }
    let Some((numbers, said)) = line[at + ".go:".len()..].split_once(": ") else { return false };
    if said == "too many errors" {
        return false;
    }
    let mut parts = numbers.split(':');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.clone().count(), 1 | 2) && parts.all(is_number)
}

/// A line of `-json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Option<Cow<'a, str>>,
    #[serde(borrow)]
    package: Option<Cow<'a, str>>,
    #[serde(borrow)]
    test: Option<Cow<'a, str>>,
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
}
