//! ESLint: its usual forms, and JSON.

use super::line::{number_at_start, number_before, place};
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Eslint {
    /// `  3:5  error  …`.
    errors: u64,
    warnings: u64,
    told: Option<u64>,
    /// It ended before it looked at anything.
    stopped: bool,
}

impl Reader for Eslint {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix('✖') {
            self.summed_up(rest.trim_start());
        } else if let Some(is_error) = finding(text) {
            *(if is_error { &mut self.errors } else { &mut self.warnings }) += 1;
        } else if line.starts_with("Oops! Something went wrong!")
            || line.starts_with("There was a problem loading formatter")
        {
            self.stopped = true;
        }
    }

    fn found(&self) -> Option<Found> {
        let reading = |errors| Reading { errors: Some(errors), ..Reading::of("eslint") };
        if let Some(errors) = self.told {
            return Found::new(Sure::Summary, reading(errors));
        }
        let cut = Reading { cut: true, ..reading(self.errors) };
        let seen = self.errors + self.warnings > 0 || self.stopped;
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
}

/// What a line finds, in one of eslint's forms: whether it is an error.
fn finding(text: &str) -> Option<bool> {
    stylish(text).or_else(|| unix(text)).or_else(|| compact(text)).or_else(|| visual_studio(text))
}

/// `3:5  error  …`
fn stylish(text: &str) -> Option<bool> {
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

/// `a.js:3:5: … [Error/no-undef]`
fn unix(text: &str) -> Option<bool> {
    let (before, rest) = text.split_once(": ")?;
    place(before)?;
    let kind = rest.strip_suffix(']')?.rsplit_once('[')?.1;
    word(kind.split('/').next()?)
}

/// `a.js: line 1, col 18, Error - …`
fn compact(text: &str) -> Option<bool> {
    let (_, rest) = text.split_once(": line ")?;
    let (_, rest) = rest.split_once(", col ")?;
    let (_, rest) = rest.split_once(", ")?;
    word(rest.split_once(" - ")?.0)
}

/// `a.js(1,18): error no-undef : …`
fn visual_studio(text: &str) -> Option<bool> {
    let (before, rest) = text.split_once("): ")?;
    let (_, numbers) = before.rsplit_once('(')?;
    let (line, column) = numbers.split_once(',')?;
    line.parse::<u64>().ok()?;
    column.parse::<u64>().ok()?;
    let (kind, rest) = rest.split_once(' ')?;
    // A compiler's line looks alike, but for the rule.
    rest.split_once(" : ")?;
    word(kind)
}

fn word(kind: &str) -> Option<bool> {
    match kind {
        "Error" | "error" => Some(true),
        "Warning" | "warning" => Some(false),
        _ => None,
    }
}

/// ESLint's JSON: one line of any length, so it is counted as it comes.
#[derive(Default)]
pub(super) struct EslintJson {
    errors: Option<u64>,
    /// The end of what came before, where a count may be cut in two.
    before: String,
}

/// What stands before a count.
pub(super) const COUNT: &str = "\"errorCount\":";
/// Bytes of a piece's end that are kept for the next one.
const KEPT: usize = 64;

impl EslintJson {
    /// Takes in a piece of output, whatever it holds.
    pub(super) fn piece(&mut self, text: &str) {
        if !self.before.is_empty() {
            let kept = std::mem::take(&mut self.before);
            let join = format!("{kept}{}", super::line::beginning(text, KEPT));
            // What is whole before the cut was counted then.
            self.count(&join, |start, end| start < kept.len() && end >= kept.len());
        }
        self.count(text, |_, end| end < text.len());
        if !text.ends_with('\n') {
            let from = text.len() - KEPT.min(text.len());
            let from = (from..=text.len()).find(|at| text.is_char_boundary(*at));
            self.before = text[from.unwrap_or(text.len())..].to_owned();
        }
    }

    fn count(&mut self, text: &str, counts: impl Fn(usize, usize) -> bool) {
        for (at, key) in text.match_indices(COUNT) {
            // In a quoted source the quotation marks are escaped.
            let quoted = text[..at].ends_with('\\');
            let digits = &text[at + key.len()..];
            let Some(number) = number_at_start(digits) else { continue };
            let end = at + key.len() + number.to_string().len();
            if !quoted && counts(at, end) {
                self.errors = Some(self.errors.unwrap_or(0) + number);
            }
        }
    }

    /// What it came to.
    pub(super) fn found(&self) -> Option<Found> {
        let errors = self.errors?;
        Found::new(Sure::Machine, Reading { errors: Some(errors), ..Reading::of("eslint-json") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_counted_wherever_it_is_cut() {
        let text =
            "[{\"a\":\"\\\"errorCount\\\":9\",\"errorCount\":12,\"b\":1},{\"errorCount\":3}]\n";
        for at in 0..text.len() {
            let mut json = EslintJson::default();
            json.piece(&text[..at]);
            json.piece(&text[at..]);
            assert_eq!(json.errors, Some(15), "cut at {at}");
        }
    }
}
