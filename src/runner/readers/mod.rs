//! What tools' outputs come to: counts of failures, errors and missing things
//! (sessions.md, "By running it"). One file a tool.
//!
//! Output may be of any size and is read as it comes, in constant memory. No
//! line is looked at that holds nothing any reader knows ([`needles`]). A line that
//! does is freed of colours and given to the readers that may want it; each keeps
//! only counts and a few names.
//! At the end the reader that is surest speaks for the run.

mod cargo;
mod compiler;
mod eslint;
mod go;
mod jest;
mod junit;
mod line;
mod missing;
mod needles;
mod nextest;
mod pytest;
mod tap;
mod tsc;

#[cfg(test)]
mod tests;

use std::io::{BufReader, Read};
use std::path::Path;

use crate::core::session::Reading;
use needles::{Scan, Who};

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

/// All readers, listening to one run.
pub struct Readers {
    readers: Vec<(&'static str, Who, Box<dyn Reader>)>,
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
                ("nextest", needles::NEXTEST, Box::<nextest::Nextest>::default()),
                ("cargo", needles::CARGO, Box::new(cargo::Cargo::new(argv))),
                ("pytest", needles::PYTEST, Box::<pytest::Pytest>::default()),
                ("go", needles::GO, Box::new(go::Go::new(argv))),
                ("jest", needles::JEST, Box::new(jest::Jest::new(argv))),
                ("tsc", needles::TSC, Box::<tsc::Tsc>::default()),
                ("eslint", needles::ESLINT, Box::<eslint::Eslint>::default()),
                ("tap", needles::TAP, Box::<tap::Tap>::default()),
                ("gcc", needles::GCC, Box::<compiler::Compiler>::default()),
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
        let mut scan = Scan::of(text);
        let mut at = 0;
        while at < text.len() {
            if self.junit.is_open() {
                at += self.junit.feed(&text[at..]);
                continue;
            }
            let Some(hit) = scan.next(at) else { return };
            let start = memchr::memrchr(b'\n', &text.as_bytes()[at..hit]);
            let start = start.map_or(at, |found| at + found + 1);
            let end = memchr::memchr(b'\n', &text.as_bytes()[hit..]);
            let end = end.map_or(text.len(), |found| hit + found + 1);
            let raw = &text[start..end];
            let who = needles::who(raw);
            if who.has(needles::JUNIT)
                && let Some(begin) = raw.find(junit::START)
            {
                self.junit.open();
                at = start + begin;
                continue;
            }
            self.line(raw, who);
            at = end;
        }
    }

    fn line(&mut self, raw: &str, who: Who) {
        if who.has(needles::ESLINT_COUNT) {
            self.eslint_json.piece(raw);
        }
        if let Some(row) = line::single(raw) {
            return self.row(row, who);
        }
        let whole = raw.starts_with(['{', '[']) || raw.contains('\r');
        let most = if whole { usize::MAX } else { LOOKED_AT };
        for row in line::rows(line::beginning(raw, most)) {
            // What a reader knows may stand there in several colours.
            self.row(&row, needles::ALL);
        }
    }

    fn row(&mut self, row: &str, who: Who) {
        for (_, _, reader) in self.readers.iter_mut().filter(|(_, own, _)| who.has(*own)) {
            reader.line(row);
        }
        if who.has(needles::MISSING) {
            self.missing.line(row);
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
        let others = others.filter_map(|(name, _, r)| Some((r.found()?, named(name))));
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
    let file = super::regular::open(path).map_err(|error| error.to_string())?;
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
