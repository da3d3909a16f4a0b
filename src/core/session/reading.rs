//! What a tool's output came to.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

/// Names of failing tests that are kept at most.
const NAMED: usize = 50;

/// What was recognised in a tool's output: counts, and what failed by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// Which tool's output it is (`cargo-test`, `pytest`, …).
    pub parser: Cow<'static, str>,
    /// Tests that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Tests that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    /// Tests that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// Errors outside of tests: of a compiler, of collecting tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// Modules or commands that are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
    /// What failed or is missing, by name, as far as it is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Whether the tool never came to its summary: what was seen is counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl Reading {
    /// A reading of a tool without any count.
    pub fn of(parser: &'static str) -> Self {
        Self { parser: parser.into(), ..Self::default() }
    }

    /// Keeps a name, each once, the first fifty.
    pub fn name(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && self.names.len() < NAMED && !self.names.iter().any(|n| n == name) {
            self.names.push(name.to_owned());
        }
    }

    /// What structured data says, whoever wrote it; none if it counts nothing.
    /// `failed` (or `failures`), `errors` and `missing` are counts, or lists.
    pub fn of_structured(data: &Value) -> Option<Self> {
        let count = |names: &[&str]| {
            names.iter().find_map(|name| match data.get(name)? {
                Value::Array(list) => Some(list.len() as u64),
                value => value.as_u64(),
            })
        };
        let parser = data.get("parser").and_then(Value::as_str).unwrap_or("structured_data");
        let reading = Self {
            parser: parser.to_owned().into(),
            failed: count(&["failed", "failures"]),
            passed: count(&["passed"]),
            skipped: count(&["skipped"]),
            errors: count(&["errors"]),
            missing: count(&["missing"]),
            names: Vec::new(),
            cut: false,
        };
        let counts = reading.failed.or(reading.errors).or(reading.missing);
        counts.map(|_| reading)
    }

    /// What was recognised, in words: `cargo-test: 3 failed, 41 passed`.
    pub fn in_words(&self) -> String {
        let counts = [
            (self.failed, "failed"),
            (self.passed, "passed"),
            (self.skipped.filter(|n| *n > 0), "skipped"),
            (self.errors, "errors"),
            (self.missing, "missing"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter_map(|(count, word)| count.map(|count| format!("{count} {word}")))
            .collect();
        let cut = if self.cut { " (no summary: counted by its lines)" } else { "" };
        format!("{}: {}{cut}", self.parser, parts.join(", "))
    }

    /// Whether tests were looked for and none ran.
    pub fn ran_nothing(&self) -> bool {
        self.failed == Some(0) && self.passed == Some(0) && self.errors.unwrap_or(0) == 0
    }
}
