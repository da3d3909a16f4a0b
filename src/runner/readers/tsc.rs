//! TypeScript's compiler.

use super::line::{number_at_start, place};
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Tsc {
    errors: u64,
    told: Option<u64>,
    clean: bool,
}

impl Reader for Tsc {
    fn line(&mut self, line: &str) {
        if let Some(count) = told(line) {
            self.told = Some(self.told.unwrap_or(0) + count);
            self.clean |= count == 0;
        } else if is_error(line) {
            self.errors += 1;
        }
    }

    fn found(&self) -> Option<Found> {
        if self.errors == 0 && !self.clean {
            return None;
        }
        // A source line may look like an error; the compiler knows better.
        let errors = self.told.unwrap_or(self.errors);
        let sure = if self.told.is_some() { Sure::Summary } else { Sure::Lines };
        Found::new(sure, Reading { errors: Some(errors), ..Reading::of("tsc") })
    }
}

/// `Found 3 errors in 2 files.`; watch mode puts a time before it.
fn told(line: &str) -> Option<u64> {
    let text = line.rsplit_once(" - Found ").map(|(_, rest)| rest);
    let text = text.or_else(|| line.trim_start().strip_prefix("Found "))?;
    let count = number_at_start(text)?;
    text[count.to_string().len()..].starts_with(" error").then_some(count)
}

/// `a.ts(1,2): error TS2322: …`, `a.ts:1:2 - error TS2322: …`, `error TS18003: …`.
fn is_error(line: &str) -> bool {
    let Some((before, after)) = line.split_once("error TS") else { return false };
    let Some(code) = number_at_start(after) else { return false };
    let is_coded = after[code.to_string().len()..].starts_with(':');
    let before = before.trim_end();
    let placed = before.is_empty()
        || before.strip_suffix("):").is_some_and(|b| b.contains('('))
        || before.strip_suffix(" -").is_some_and(|b| place(b).is_some());
    is_coded && placed
}
