//! cargo and rustc: `cargo build`, `check`, `clippy`, `test`; also their JSON
//! messages.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{number_before, place};
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Cargo {
    /// Whether the command asked for tests, and for JSON.
    asks_tests: bool,
    asks_json: bool,
    /// Of the binaries of tests that are done with.
    tests: Counts,
    ran_tests: bool,
    /// Of the binary that runs: its lines, and its summary once it came. What
    /// tests print may look like both; the last summary is the real one.
    running: Option<Counts>,
    summary: Option<Counts>,
    cut: bool,
    /// Whether cargo runs a binary of which no test was seen.
    in_target: bool,
    /// The test that has no verdict yet.
    open_test: String,
    errors: u64,
    /// What `could not compile` counts, for where no error was shown.
    told_errors: u64,
    could_not_compile: bool,
    json: bool,
    /// Errors in JSON, by what they say: a library and its test have the same.
    seen: HashSet<u64>,
    named: Reading,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

/// Errors that are told apart; more are counted as they come.
const TOLD_APART: usize = 10_000;

/// Errors that only sum up what was said before, or say what a tool of cargo's
/// came to.
const ECHOES: [&str; 12] = [
    "aborting due to",
    "test failed, to rerun",
    "build failed",
    "test run failed",
    "no tests to run",
    "doctest failed, to rerun",
    "bench failed, to rerun",
    "could not document",
    "process didn't exit successfully",
    "command `",
    "recipe ",
    "Recipe ",
];

impl Cargo {
    /// A reader for what a command says.
    pub(super) fn new(argv: &[String]) -> Self {
        let says = |word: &str| argv.iter().any(|argument| argument == word);
        let json =
            |a: &String| a.contains("message-format=json") || a.contains("error-format=json");
        Self {
            asks_tests: says("test") || says("bench") || says("nextest"),
            asks_json: argv.iter().any(json),
            ..Self::default()
        }
    }
}

impl Reader for Cargo {
    fn line(&mut self, line: &str) {
        if line.starts_with("test ") && line.ends_with(" ... ok") {
            // Nearly all lines of a long run: the one case that has to be fast.
            self.running.get_or_insert_default().passed += 1;
            return;
        }
        if line.starts_with('{') {
            return self.json(line);
        }
        if let Some(rest) = line.strip_prefix("test result: ") {
            self.summed_up(rest);
        } else if is_running(line) {
            self.begin();
        } else if line.starts_with("test ") {
            self.test(line);
        } else if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            if self.named.names.is_empty() {
                self.named.name(name);
            }
        } else if line.contains("process didn't exit successfully") {
            self.died();
        } else if is_target(line) {
            self.end();
            self.in_target = true;
        } else if let Some(message) = error(line) {
            self.error(message);
        }
    }

    fn found(&self) -> Option<Found> {
        let running = self.summary.or(self.running).unwrap_or_default();
        let sum = self.tests.plus(running);
        let errors = self.errors();
        if self.ran_tests || self.running.is_some() {
            let mut reading = self.named.clone();
            reading.parser = "cargo-test".into();
            reading.failed = Some(sum.failed);
            reading.passed = Some(sum.passed);
            reading.skipped = Some(sum.ignored);
            reading.errors = (errors > 0).then_some(errors);
            reading.cut = self.cut || (self.running.is_some() && self.summary.is_none());
            let sure =
                if self.summary.is_some() || self.ran_tests { Sure::Summary } else { Sure::Lines };
            return Found::new(sure, reading);
        }
        if errors == 0 && !self.json {
            return None;
        }
        let parser = match () {
            () if self.json || self.asks_json => "cargo-json",
            // What cargo itself finds wrong with a request for tests.
            () if self.asks_tests && !self.could_not_compile => "cargo-test",
            () => "rustc",
        };
        let sure = match (self.json, self.could_not_compile) {
            (true, _) => Sure::Machine,
            (false, true) => Sure::Summary,
            (false, false) => Sure::Words,
        };
        Found::new(sure, Reading { errors: Some(errors), ..Reading::of(parser) })
    }
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            ignored: self.ignored + other.ignored,
        }
    }
}

impl Cargo {
    fn errors(&self) -> u64 {
        if self.errors > 0 { self.errors } else { self.told_errors }
    }

    /// A binary of tests begins to run; within one that runs, a test says so.
    fn begin(&mut self) {
        if self.running.is_none() || self.summary.is_some() {
            self.end();
            self.in_target = false;
            self.running = Some(Counts::default());
        }
    }

    /// A binary of tests is done with, summed up or not.
    fn end(&mut self) {
        if let Some(running) = self.running.take() {
            self.cut |= self.summary.is_none();
            self.tests = self.tests.plus(self.summary.take().unwrap_or(running));
            self.ran_tests = true;
        }
        self.open_test.clear();
    }

    fn summed_up(&mut self, rest: &str) {
        let count = |word| number_before(rest, word);
        let (Some(passed), Some(failed)) = (count("passed"), count("failed")) else { return };
        let ignored = count("ignored").unwrap_or(0);
        // Somebody may have cut off how it began.
        self.running.get_or_insert_default();
        self.summary = Some(Counts { passed, failed, ignored });
    }

    /// `test a::b ... FAILED`; what a test prints may stand in between.
    fn test(&mut self, line: &str) {
        let Some((name, end)) = line["test ".len()..].split_once(" ... ") else { return };
        let running = self.running.get_or_insert_default();
        let verdict = end.trim_end().rsplit([' ', '.']).next().unwrap_or_default();
        match (end.split(' ').next(), verdict) {
            (Some("ok"), _) | (_, "ok") => running.passed += 1,
            (Some("FAILED"), _) | (_, "FAILED") => {
                running.failed += 1;
                self.named.name(name.trim_end_matches(" - should panic"));
            }
            (Some(word), _) if word.starts_with("ignored") => running.ignored += 1,
            _ => name.clone_into(&mut self.open_test),
        }
    }

    /// The process ended before it had summed up: the test that ran brought it
    /// down.
    fn died(&mut self) {
        if self.summary.is_none()
            && let Some(running) = &mut self.running
        {
            running.failed += 1;
            self.named.name(&std::mem::take(&mut self.open_test));
        }
    }

    fn error(&mut self, message: &str) {
        if self.running.is_some() && self.summary.is_none() {
            // What a test says, or a document's example that doesn't compile.
            return;
        }
        if let Some((_, rest)) = message.split_once("could not compile") {
            self.could_not_compile = true;
            let told = number_before(rest, "previous errors");
            let told = told.or_else(|| number_before(rest, "previous error"));
            self.told_errors += told.unwrap_or(1);
        } else if message.starts_with("aborting due to") {
            self.could_not_compile = true;
        } else if message.starts_with("test failed, to rerun") && self.in_target {
            // A binary of tests that speaks its own language.
            self.tests.failed += 1;
            self.ran_tests = true;
        } else if !is_echo(message) {
            self.errors += 1;
        }
    }

    fn json(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Message<'_>>(line) else { return };
        let diagnostic = match (message.reason.as_deref(), message.level.as_deref()) {
            (Some(_), _) => {
                self.json = true;
                match (message.reason.as_deref(), &message.message) {
                    (
                        Some("compiler-message"),
                        Some(Text::Diagnostic { level, message, spans }),
                    ) => Some((level.as_str(), message.as_str(), spans.get())),
                    _ => None,
                }
            }
            (None, Some(level)) => match (&message.message, &message.spans) {
                (Some(Text::Plain(text)), Some(spans)) => {
                    self.json = true;
                    Some((level, text.as_str(), spans.get()))
                }
                _ => None,
            },
            (None, None) => return self.json_test(&message),
        };
        if let Some((level, text, spans)) = diagnostic
            && level.starts_with("error")
            && !text.starts_with("aborting due to")
        {
            let mut hasher = DefaultHasher::new();
            (text, spans).hash(&mut hasher);
            let new = self.seen.len() >= TOLD_APART || self.seen.insert(hasher.finish());
            self.errors += u64::from(new);
        }
    }

    /// libtest's own JSON, which nightly compilers write.
    fn json_test(&mut self, message: &Message<'_>) {
        let (Some(kind), Some(event)) = (&message.r#type, &message.event) else { return };
        match (&**kind, &**event) {
            ("suite", "started") => self.begin(),
            ("suite", "ok" | "failed") => {
                self.running.get_or_insert_default();
                self.summary = Some(Counts {
                    passed: message.passed.unwrap_or(0),
                    failed: message.failed.unwrap_or(0),
                    ignored: message.ignored.unwrap_or(0),
                });
            }
            ("test", "ok") => self.running.get_or_insert_default().passed += 1,
            ("test", "failed") => {
                self.running.get_or_insert_default().failed += 1;
                self.named.name(message.name.as_deref().unwrap_or_default());
            }
            ("test", "ignored") => self.running.get_or_insert_default().ignored += 1,
            _ => {}
        }
    }
}

fn is_echo(message: &str) -> bool {
    let targets = message.split_once(' ').is_some_and(|(count, rest)| {
        count.parse::<u64>().is_ok() && rest.starts_with("target") && rest.contains("failed")
    });
    targets || ECHOES.iter().any(|echo| message.starts_with(echo))
}

/// `running 3 tests`.
fn is_running(line: &str) -> bool {
    let count = line.strip_prefix("running ").and_then(|rest| rest.split_once(' '));
    count.is_some_and(|(n, rest)| {
        n.parse::<u64>().is_ok() && matches!(rest.trim_end(), "test" | "tests")
    })
}

/// What an error of cargo or rustc says: `error: …`, `error[E0308]: …`, or with
/// `--message-format short` behind its place.
fn error(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("error") {
        Some(rest) => rest,
        None => {
            let (before, rest) = line.split_once(": error")?;
            place(before).filter(|path| path.ends_with(".rs"))?;
            rest
        }
    };
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
    spans: Option<Box<RawValue>>,
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

/// A diagnostic, or its words.
enum Text {
    Plain(String),
    Diagnostic { level: String, message: String, spans: Box<RawValue> },
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Diagnostic {
            level: String,
            message: String,
            spans: Box<RawValue>,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let wrong = serde::de::Error::custom;
        if raw.get().starts_with('{') {
            let read: Diagnostic = serde_json::from_str(raw.get()).map_err(wrong)?;
            let Diagnostic { level, message, spans } = read;
            return Ok(Text::Diagnostic { level, message, spans });
        }
        serde_json::from_str(raw.get()).map(Text::Plain).map_err(wrong)
    }
}
