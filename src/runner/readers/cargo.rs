//! cargo and rustc: `cargo build`, `check`, `clippy`, `test`; also their JSON
//! messages.

use serde::Deserialize;

use super::line::number_before;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Cargo {
    /// Of the runs of tests that came to their summary.
    passed: u64,
    failed: u64,
    ignored: u64,
    summaries: u64,
    /// Of the run that is under way.
    running: Running,
    /// Errors that were seen, and those that `could not compile` counts.
    errors: u64,
    told_errors: u64,
    uncounted: u64,
    json: bool,
    named: Reading,
}

#[derive(Clone, Copy, Default)]
struct Running {
    passed: u64,
    failed: u64,
    ignored: u64,
}

/// Errors that only sum up what was said before.
const ECHOES: [&str; 12] = [
    "aborting due to",
    "could not compile",
    "test failed, to rerun",
    "build failed",
    "test run failed",
    "no tests to run",
    "doctest failed, to rerun",
    "bench failed, to rerun",
    "could not document",
    "process didn't exit successfully",
    "Recipe ",
    "recipe ",
];

impl Reader for Cargo {
    fn line(&mut self, line: &str) {
        if line.starts_with('{') {
            return self.json(line);
        }
        if let Some(rest) = line.strip_prefix("test result: ") {
            self.summary(rest);
        } else if line.starts_with("test ") {
            self.test(line);
        } else if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            self.named.name(name);
        } else if is_target(line) {
            self.targets();
        } else if let Some(message) = error(line) {
            self.error(message);
        }
    }

    fn found(&self) -> Option<Found> {
        let (Running { passed, failed, ignored }, errors) = (self.running, self.errors());
        let has_tests = self.summaries > 0 || passed + failed + ignored > 0;
        if !has_tests {
            if errors == 0 && !self.json {
                return None;
            }
            let sure = match (self.json, self.told_errors + self.uncounted) {
                (true, _) => Sure::Machine,
                (false, 0) => Sure::Words,
                (false, _) => Sure::Summary,
            };
            return Found::new(sure, Reading { errors: Some(errors), ..Reading::of("cargo") });
        }
        let mut reading = self.named.clone();
        reading.parser = "cargo-test".into();
        reading.failed = Some(self.failed + failed);
        reading.passed = Some(self.passed + passed);
        reading.skipped = Some(self.ignored + ignored);
        reading.errors = (errors > 0).then_some(errors);
        reading.cut = passed + failed + ignored > 0;
        let sure = if self.summaries > 0 { Sure::Summary } else { Sure::Lines };
        Found::new(sure, reading)
    }
}

impl Cargo {
    fn errors(&self) -> u64 {
        self.errors.max(self.told_errors).max(self.uncounted)
    }

    fn summary(&mut self, rest: &str) {
        let count = |word| number_before(rest, word);
        let (Some(passed), Some(failed)) = (count("passed"), count("failed")) else { return };
        self.passed += passed;
        self.failed += failed;
        self.ignored += count("ignored").unwrap_or(0);
        self.summaries += 1;
        self.running = Running::default();
    }

    /// `test a::b ... FAILED`; what a test prints may stand in between.
    fn test(&mut self, line: &str) {
        let Some((name, end)) = line["test ".len()..].rsplit_once(" ... ") else { return };
        match end.trim_end() {
            "ok" => self.running.passed += 1,
            end if end == "FAILED" || end.ends_with("FAILED") => {
                self.running.failed += 1;
                self.named.name(name.trim_end_matches(" - should panic"));
            }
            end if end.starts_with("ignored") => self.running.ignored += 1,
            end if end.starts_with("ok ") => self.running.passed += 1,
            end if end.starts_with("FAILED ") => self.running.failed += 1,
            _ => {}
        }
    }

    /// A next binary of tests begins: what the one before had not summed up by
    /// then, it never will.
    fn targets(&mut self) {
        let Running { passed, failed, ignored } = std::mem::take(&mut self.running);
        self.passed += passed;
        self.failed += failed;
        self.ignored += ignored;
    }

    fn error(&mut self, message: &str) {
        if let Some((_, rest)) = message.split_once("could not compile") {
            match number_before(rest, "previous errors").or(number_before(rest, "previous error")) {
                Some(count) => self.told_errors += count,
                None => self.uncounted += 1,
            }
        } else if !ECHOES.iter().any(|echo| message.starts_with(echo)) {
            self.errors += 1;
        }
    }

    fn json(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Message<'_>>(line) else { return };
        let diagnostic = match (message.reason.as_deref(), message.level.as_deref()) {
            (Some("compiler-message"), _) => message.message.and_then(|text| match text {
                Text::Diagnostic { level, message } => Some((level, message)),
                Text::Plain(_) => None,
            }),
            (Some(_), _) => None,
            (None, Some(level)) => match message.message {
                Some(Text::Plain(text)) => Some((level.to_owned(), text)),
                _ => None,
            },
            (None, None) => return self.json_test(&message),
        };
        if message.reason.is_some() || diagnostic.is_some() {
            self.json = true;
        }
        if let Some((level, text)) = diagnostic
            && level.starts_with("error")
            && !text.starts_with("aborting due to")
        {
            self.errors += 1;
        }
    }

    /// libtest's own JSON, which nightly compilers write.
    fn json_test(&mut self, message: &Message<'_>) {
        let (Some(kind), Some(event)) = (&message.r#type, &message.event) else { return };
        match (&**kind, &**event) {
            ("suite", "ok" | "failed") => {
                self.passed += message.passed.unwrap_or(0);
                self.failed += message.failed.unwrap_or(0);
                self.ignored += message.ignored.unwrap_or(0);
                self.summaries += 1;
                self.running = Running::default();
            }
            ("test", "ok") => self.running.passed += 1,
            ("test", "failed") => {
                self.running.failed += 1;
                self.named.name(message.name.as_deref().unwrap_or_default());
            }
            ("test", "ignored") => self.running.ignored += 1,
            _ => {}
        }
    }
}

/// What an error of cargo or rustc says: `error: …`, `error[E0308]: …`.
fn error(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error")?;
    let rest = match rest.strip_prefix('[') {
        Some(code) => code.split_once(']')?.1,
        None => rest,
    };
    rest.strip_prefix(": ")
}

fn is_target(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Running unittests ")
        || line.starts_with("Running tests/")
        || line.starts_with("Doc-tests ")
}

/// A line of `--message-format=json`, of rustc's `--error-format=json`, or of
/// libtest.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    reason: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    level: Option<std::borrow::Cow<'a, str>>,
    message: Option<Text>,
    #[serde(borrow)]
    r#type: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    event: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<std::borrow::Cow<'a, str>>,
    passed: Option<u64>,
    failed: Option<u64>,
    ignored: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    Diagnostic { level: String, message: String },
}
