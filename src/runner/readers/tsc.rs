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
        // Watch mode puts a time before it.
        let text = line.split_once("] ").map_or(line, |(_, rest)| rest).trim_start();
        let text = text.rsplit_once(" - Found ").map_or(text, |(_, rest)| rest);
        let counted = text.strip_prefix("Found ").unwrap_or(text);
        if let Some(count) = number_at_start(counted)
            && (counted.contains(" errors") || counted.contains(" error"))
            && text.len() != counted.len() + usize::from(text == counted)
        {
            self.told = Some(self.told.unwrap_or(0).max(count));
            self.clean |= count == 0;
        } else if is_error(line) {
            self.errors += 1;
        }
    }

    fn found(&self) -> Option<Found> {
        if self.errors == 0 && !self.clean {
            return None;
        }
        let errors = self.errors.max(self.told.unwrap_or(0));
        let sure = if self.told.is_some() { Sure::Summary } else { Sure::Lines };
        Found::new(sure, Reading { errors: Some(errors), ..Reading::of("tsc") })
    }
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
