//! ESLint: its usual forms, and JSON.

use serde::Deserialize;

use super::line::{number_at_start, number_before, place};
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Eslint {
    /// `  3:5  error  …`.
    errors: u64,
    warnings: u64,
    told: Option<u64>,
    json: Option<u64>,
}

impl Reader for Eslint {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if text.starts_with("[{") && text.contains("\"errorCount\":") {
            self.json(text);
        } else if let Some(rest) = text.strip_prefix('✖') {
            self.summed_up(rest.trim_start());
        } else if is_finding(text) == Some(true) {
            self.errors += 1;
        } else if is_finding(text) == Some(false) {
            self.warnings += 1;
        } else if line.ends_with(']') && line.contains("[Error/") && place_before(line) {
            self.errors += 1;
        }
    }

    fn found(&self) -> Option<Found> {
        let reading = |errors| Reading { errors: Some(errors), ..Reading::of("eslint") };
        if let Some(errors) = self.json {
            return Found::new(Sure::Machine, reading(errors));
        }
        if let Some(errors) = self.told {
            return Found::new(Sure::Summary, reading(errors));
        }
        let seen = self.errors + self.warnings > 0;
        let cut = Reading { cut: true, ..reading(self.errors) };
        if seen { Found::new(Sure::Lines, cut) } else { None }
    }
}

impl Eslint {
    /// `3 problems (2 errors, 1 warning)`.
    fn summed_up(&mut self, rest: &str) {
        if number_at_start(rest).is_none() || !rest.contains("problem") {
            return;
        }
        let errors = number_before(rest, "errors").or_else(|| number_before(rest, "error"));
        // The bracket stands before the number.
        let errors = errors.or_else(|| {
            let (_, inside) = rest.split_once('(')?;
            number_at_start(inside)
        });
        if let Some(errors) = errors {
            self.told = Some(self.told.unwrap_or(0) + errors);
        }
    }

    /// The line is cut where it is long: then what is whole of it counts.
    fn json(&mut self, text: &str) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct File {
            error_count: u64,
        }
        let errors: u64 = match serde_json::from_str::<Vec<File>>(text) {
            Ok(files) => files.iter().map(|file| file.error_count).sum(),
            Err(_) => text
                .match_indices("\"errorCount\":")
                .filter_map(|(at, key)| number_at_start(&text[at + key.len()..]))
                .sum(),
        };
        self.json = Some(self.json.unwrap_or(0) + errors);
    }
}

/// A line of the usual form, and whether it is an error.
fn is_finding(text: &str) -> Option<bool> {
    let (at, rest) = text.split_once(' ')?;
    let (line, column) = at.split_once(':')?;
    line.parse::<u64>().ok()?;
    column.parse::<u64>().ok()?;
    let rest = rest.trim_start();
    if rest.starts_with("error ") {
        Some(true)
    } else if rest.starts_with("warning ") {
        Some(false)
    } else {
        None
    }
}

fn place_before(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(before, _)| place(before).is_some())
}
