//! What tools' outputs come to: counts of failures, errors and missing things
//! (sessions.md, "By running it"). One file a tool.
//!
//! Output may be of any size and is read as it comes, in constant memory. No
//! line is looked at that holds none of the [`NEEDLES`]: those are searched for
//! all at once, as fast as memory gives them. A line that holds one is freed of
//! colours and given to every reader; each keeps only counts and a few names.
//! At the end the reader that is surest speaks for the run.

mod cargo;
mod compiler;
mod eslint;
mod go;
mod jest;
mod junit;
mod line;
mod missing;
mod nextest;
mod pytest;
mod tap;
mod tsc;

#[cfg(test)]
mod tests;

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input};

use crate::core::session::Reading;

/// Bytes of a line that are looked at: what readers know stands near its start.
const LOOKED_AT: usize = 4 * 1024;

/// A reader of one tool's output.
trait Reader: Send {
    /// Takes in a line that holds a needle, without colours and line end.
    fn line(&mut self, line: &str);
    /// What was recognised so far.
    fn found(&self) -> Option<Found>;
}

/// What a reader recognised.
struct Found {
    reading: Reading,
    sure: Sure,
}

/// How sure a reader is that it was its tool that spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sure {
    /// Lines that other tools might say too.
    Words,
    /// Lines that only this tool says, but no summary.
    Lines,
    /// Its summary.
    Summary,
    /// A format that is made for programs.
    Machine,
}

impl Found {
    fn new(sure: Sure, reading: Reading) -> Option<Self> {
        Some(Self { reading, sure })
    }
}

/// What a line holds that some reader may want: at least three bytes each, and
/// rare in what is no result.
const NEEDLES: &[&str] = &[
    // cargo, rustc, compilers, tsc, eslint, in the languages that they speak
    "rror",
    "Fehler",
    "erreur",
    "erro:",
    "ошибка",
    "エラー",
    "错误",
    "오류",
    "could not compile",
    "undefined ",
    "Nicht definierter Verweis",
    "indéfinie",
    "definido",
    "定義されていない",
    "*** ",
    "test result",
    " stdout ----",
    "running ",
    "Running ",
    "Doc-tests",
    "exit successfully",
    "test ",
    "\"reason\":",
    "\"level\":",
    "\"event\":",
    // cargo-nextest
    "Summary",
    "Starting ",
    "PASS",
    "FAIL",
    "SIG",
    "ABORT",
    "TIMEOUT",
    // pytest, unittest
    "failed",
    "passed",
    "no tests ran",
    " deselected",
    " skipped",
    "ERROR",
    "session starts",
    "%]",
    // go test
    "=== RUN",
    "--- SKIP",
    "ok  \t",
    "\"Action\":",
    ".go:",
    "flag provided",
    // jest, vitest
    "Tests:",
    "Tests  ",
    "Test Suites:",
    "Test Files",
    "Failed Suites",
    "No test files",
    "No tests found",
    "RUN  v",
    "●",
    "\"numTotalTestSuites\":",
    "✕",
    "×",
    "✓",
    "✔",
    // eslint
    "✖",
    " problem",
    "warning",
    "Oops!",
    eslint::COUNT,
    // TAP
    "ok ",
    "Bail out!",
    "1..",
    "# tests",
    "# suites",
    "Node.js v",
    "# pass",
    "# fail",
    "# skipped",
    "TAP version",
    "no plan was declared",
    "Files=",
    "Wstat",
    // missing things
    "not found",
    "No module named",
    "Cannot find",
    "no required module",
    "No such file",
    "no such command",
    // JUnit XML
    junit::START,
];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(NEEDLES).ok());

/// All readers, listening to one run.
pub struct Readers {
    readers: Vec<(&'static str, Box<dyn Reader>)>,
    missing: missing::Missing,
    eslint_json: eslint::EslintJson,
    junit: junit::Junit,
    hint: Vec<&'static str>,
}

impl Readers {
    /// Readers for what a command says. Its words decide only between readers
    /// that are equally sure.
    pub fn of(argv: &[String]) -> Self {
        Self {
            readers: vec![
                ("nextest", Box::<nextest::Nextest>::default()),
                ("cargo", Box::new(cargo::Cargo::new(argv))),
                ("pytest", Box::<pytest::Pytest>::default()),
                ("go", Box::new(go::Go::new(argv))),
                ("jest", Box::new(jest::Jest::new(argv))),
                ("tsc", Box::<tsc::Tsc>::default()),
                ("eslint", Box::<eslint::Eslint>::default()),
                ("tap", Box::<tap::Tap>::default()),
                ("gcc", Box::<compiler::Compiler>::default()),
            ],
            missing: missing::Missing::default(),
            eslint_json: eslint::EslintJson::default(),
            junit: junit::Junit::default(),
            hint: hints(argv),
        }
    }

    /// What a whole text comes to, whoever said it.
    pub fn read(text: &str, exit_code: Option<i64>) -> Option<Reading> {
        let mut readers = Self::of(&[]);
        readers.feed(text);
        readers.finish(exit_code)
    }

    /// Takes in some whole lines of output.
    pub fn feed(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            if self.junit.is_open() {
                at += self.junit.feed(&text[at..]);
                continue;
            }
            let Some(hit) = next_hit(text, at) else { return };
            let start = memchr::memrchr(b'\n', &text.as_bytes()[at..hit]);
            let start = start.map_or(at, |found| at + found + 1);
            let end = memchr::memchr(b'\n', &text.as_bytes()[hit..]);
            let end = end.map_or(text.len(), |found| hit + found + 1);
            let raw = &text[start..end];
            if let Some(begin) = raw.find(junit::START) {
                self.junit.open();
                at = start + begin;
                continue;
            }
            self.line(raw);
            at = end;
        }
    }

    fn line(&mut self, raw: &str) {
        let is_json = raw.starts_with(['{', '[']);
        if raw.contains(eslint::COUNT) {
            self.eslint_json.piece(raw);
        }
        let most = if is_json || raw.contains('\r') { usize::MAX } else { LOOKED_AT };
        for row in line::rows(line::beginning(raw, most)) {
            for (_, reader) in &mut self.readers {
                reader.line(&row);
            }
            self.missing.line(&row);
        }
    }

    /// What the output came to; none if no tool was recognised. Of a command that
    /// succeeded only what no other program says counts.
    pub fn finish(&self, exit_code: Option<i64>) -> Option<Reading> {
        let named = |name: &str| self.hint.contains(&name);
        let green = exit_code == Some(0);
        let machine = [(self.junit.found(), "junit"), (self.eslint_json.found(), "eslint")];
        let machine = machine.into_iter().filter_map(|(found, name)| Some((found?, named(name))));
        let others = self.readers.iter();
        let others = others.filter_map(|(name, r)| Some((r.found()?, named(name))));
        let all = machine.chain(others).filter(|(found, _)| !green || found.sure > Sure::Words);
        // Of equals the first: tools of tests before compilers.
        let best = all.reduce(|best, next| {
            let rank = |(found, named): &(Found, bool)| (found.sure, *named);
            if rank(&next) > rank(&best) { next } else { best }
        });
        let missing = self.missing.reading().filter(|_| !green);
        match (best, missing) {
            (Some((found, _)), Some(missing)) => {
                let mut reading = found.reading;
                reading.missing = missing.missing;
                missing.names.iter().for_each(|name| reading.name(name));
                Some(reading)
            }
            (Some((found, _)), None) => Some(found.reading),
            (None, missing) => missing,
        }
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Readers({:?})", self.finish(None))
    }
}

fn next_hit(text: &str, at: usize) -> Option<usize> {
    match &*FINDER {
        Some(finder) => finder.find(Input::new(text).range(at..)).map(|found| found.start()),
        // Where there is no finder, every line is looked at.
        None => Some(at),
    }
}

/// The readers that a command's words speak of.
fn hints(argv: &[String]) -> Vec<&'static str> {
    let says = |word: &str| argv.iter().any(|argument| argument.contains(word));
    let hints: [(&[&str], &str); 9] = [
        (&["nextest"], "nextest"),
        (&["cargo", "rustc"], "cargo"),
        (&["pytest", "py.test", "unittest"], "pytest"),
        (&["go"], "go"),
        (&["jest", "vitest"], "jest"),
        (&["tsc", "tsgo"], "tsc"),
        (&["eslint"], "eslint"),
        (&["tap", "prove", "bats"], "tap"),
        (&["gcc", "g++", "clang", "cc", "make", "ninja"], "gcc"),
    ];
    hints.into_iter().filter(|(words, _)| words.iter().any(|w| says(w))).map(|(_, h)| h).collect()
}

/// What a JUnit XML file comes to, of any size.
///
/// # Errors
/// Why it can't be read, or that it holds no test results.
pub fn junit_file(path: &Path) -> Result<Reading, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut junit = junit::Junit::default();
    let mut text = junit::Decoder::default();
    let mut reader = BufReader::with_capacity(128 * 1024, file);
    let mut buffer = vec![0; 128 * 1024];
    loop {
        let read = reader.read(&mut buffer).map_err(|error| error.to_string())?;
        junit.feed_file(&text.decoded(&buffer[..read], read == 0));
        if read == 0 {
            break;
        }
    }
    let found = junit.found().ok_or("it holds no test results in JUnit's form")?;
    Ok(found.reading)
}

/// Two readings of one run together.
pub fn sum(one: Option<Reading>, other: Reading) -> Reading {
    let Some(one) = one else { return other };
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
    };
    let mut sum = Reading {
        failed: add(one.failed, other.failed),
        passed: add(one.passed, other.passed),
        skipped: add(one.skipped, other.skipped),
        errors: add(one.errors, other.errors),
        missing: add(one.missing, other.missing),
        cut: one.cut || other.cut,
        ..one
    };
    other.names.iter().for_each(|name| sum.name(name));
    sum
}
