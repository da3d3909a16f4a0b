//! go test, also with `-json`, and go build.

use serde::Deserialize;
use std::borrow::Cow;

use super::line::place;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Go {
    passed: u64,
    failed: u64,
    skipped: u64,
    /// The tests whose lines were met, from the outermost: with which end, and
    /// whether a test within one stands for it already.
    open: Vec<(End, bool)>,
    errors: u64,
    /// Packages that failed without saying why by a test.
    broken: u64,
    packages: u64,
    saw_test_fail: bool,
    json: bool,
    named: Reading,
    /// The failing test of `-json` whose parents are to be told apart.
    last_json: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Pass,
    Fail,
    Skip,
}

impl Reader for Go {
    fn line(&mut self, line: &str) {
        if line.starts_with('{') {
            return self.json(line);
        }
        let body = line.trim_start();
        if let Some(rest) = body.strip_prefix("--- ") {
            self.test((line.len() - body.len()) / 4, rest);
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            self.package(rest);
        } else if line.starts_with("ok  \t") {
            self.packages += 1;
            self.saw_test_fail = false;
        } else if is_compile_error(line) {
            self.errors += 1;
        }
    }

    fn found(&self) -> Option<Found> {
        let tests = self.passed + self.failed + self.skipped;
        let ran = self.packages > 0 || tests > 0;
        if !ran && !self.json {
            if self.errors == 0 {
                return None;
            }
            let reading = Reading { errors: Some(self.errors), ..Reading::of("go") };
            return Found::new(Sure::Words, reading);
        }
        let errors = self.errors.max(self.broken);
        let reading = Reading {
            parser: "go-test".into(),
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
    /// `--- FAIL: TestA/b (0.00s)`. A test that has tests within it is counted
    /// by those.
    fn test(&mut self, depth: usize, rest: &str) {
        let Some((word, name)) = rest.split_once(": ") else { return };
        let end = match word {
            "PASS" => End::Pass,
            "FAIL" => End::Fail,
            "SKIP" => End::Skip,
            _ => return,
        };
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        self.open.truncate(depth);
        let stands_for = self.open.last_mut().filter(|(outer, taken)| *outer == end && !*taken);
        let replaces = match stands_for {
            Some((_, taken)) => {
                *taken = true;
                true
            }
            None => false,
        };
        self.open.push((end, false));
        match end {
            End::Fail => {
                self.saw_test_fail = true;
                if replaces {
                    let outer = name.rsplit_once('/').map_or(name, |(outer, _)| outer);
                    self.named.names.retain(|known| known != outer);
                }
                self.named.name(name);
            }
            End::Pass | End::Skip => {}
        }
        if !replaces {
            *self.count(end) += 1;
        }
    }

    fn count(&mut self, end: End) -> &mut u64 {
        match end {
            End::Pass => &mut self.passed,
            End::Fail => &mut self.failed,
            End::Skip => &mut self.skipped,
        }
    }

    /// `FAIL`, a tab, the package, and its time or `[build failed]`.
    fn package(&mut self, rest: &str) {
        self.packages += 1;
        let broken = rest.ends_with("[build failed]") || rest.ends_with("[setup failed]");
        if broken || !self.saw_test_fail {
            self.broken += 1;
            self.named.name(rest.split([' ', '\t']).next().unwrap_or(rest));
        }
        self.saw_test_fail = false;
        self.open.clear();
    }

    fn json(&mut self, line: &str) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(line) else { return };
        let Some(action) = event.action else { return };
        self.json = true;
        match (&*action, event.test) {
            ("pass", Some(_)) => self.passed += 1,
            ("skip", Some(_)) => self.skipped += 1,
            ("fail", Some(test)) => self.json_fail(&test),
            ("fail", None) if std::mem::take(&mut self.saw_test_fail) => {}
            ("fail", None) => {
                self.broken += 1;
                self.named.name(event.package.as_deref().unwrap_or_default());
            }
            ("build-output" | "output", _) => {
                let text = event.output.unwrap_or_default();
                let text = super::line::plain(&text);
                if &*action == "build-output" && is_compile_error(&text) {
                    self.errors += 1;
                }
            }
            _ => {}
        }
    }

    /// Tests within another one end before it: then that is counted by them.
    fn json_fail(&mut self, test: &str) {
        self.saw_test_fail = true;
        let inner = self.last_json.strip_prefix(test).is_some_and(|rest| rest.starts_with('/'));
        if !inner {
            self.failed += 1;
            self.named.name(test);
        }
        test.clone_into(&mut self.last_json);
    }
}

/// `./a.go:3:5: undefined: x`, `a_test.go:3:5: …`; what a test logs is indented.
fn is_compile_error(line: &str) -> bool {
    let Some(at) = line.find(".go:") else { return false };
    if line.starts_with([' ', '\t']) {
        return false;
    }
    let Some((numbers, _)) = line[at + ".go:".len()..].split_once(": ") else { return false };
    let mut parts = numbers.split(':');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.clone().count() == 2 && parts.all(is_number) && place(&line[..at + 3]).is_none()
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
