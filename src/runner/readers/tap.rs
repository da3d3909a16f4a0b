//! The Test Anything Protocol. There is no kept library that reads it as it
//! comes, and it is a page long.

use super::line::number_at_start;
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Tap {
    version: bool,
    plan: Option<u64>,
    passed: u64,
    failed: u64,
    skipped: u64,
    bailed: bool,
    /// Points without anything else that is TAP's.
    numbered: bool,
    named: Reading,
}

impl Reader for Tap {
    fn line(&mut self, line: &str) {
        if line.starts_with("TAP version ") {
            self.version = true;
        } else if let Some(rest) = line.strip_prefix("not ok") {
            self.point(rest, false);
        } else if let Some(rest) = line.strip_prefix("ok") {
            self.point(rest, true);
        } else if let Some(rest) = line.strip_prefix("1..") {
            let plan = number_at_start(rest);
            self.plan = plan.map(|plan| plan + self.plan.unwrap_or(0)).or(self.plan);
        } else if line.starts_with("Bail out!") {
            self.bailed = true;
        }
    }

    fn found(&self) -> Option<Found> {
        let points = self.passed + self.failed + self.skipped;
        let known = self.version || self.plan.is_some();
        if !(known || self.numbered && points > 0) {
            return None;
        }
        // Points that were promised and never came have not passed.
        let lost = self.plan.map_or(0, |plan| plan.saturating_sub(points));
        let errors = lost.max(u64::from(self.bailed));
        let reading = Reading {
            parser: "tap".into(),
            failed: Some(self.failed),
            passed: Some(self.passed),
            skipped: Some(self.skipped),
            errors: (errors > 0).then_some(errors),
            cut: lost > 0 || self.plan.is_none() || self.bailed,
            ..self.named.clone()
        };
        let sure = match (self.plan.is_some(), points > 0) {
            (true, true) => Sure::Summary,
            (true, false) | (false, _) => Sure::Lines,
        };
        Found::new(sure, reading)
    }
}

impl Tap {
    /// What follows `ok` or `not ok`. Points of tests within others are
    /// indented, and not met here.
    fn point(&mut self, rest: &str, ok: bool) {
        let Some(rest) = rest.strip_prefix(' ') else {
            if rest.is_empty() {
                *(if ok { &mut self.passed } else { &mut self.failed }) += 1;
            }
            return;
        };
        let number = number_at_start(rest);
        self.numbered |= number.is_some();
        if number.is_none() && !rest.starts_with('-') && !self.version && self.plan.is_none() {
            // `ok, …` in prose.
            return;
        }
        let directive =
            rest.rsplit_once('#').map(|(_, word)| word.trim_start().to_ascii_lowercase());
        let is = |word: &str| directive.as_deref().is_some_and(|d| d.starts_with(word));
        if is("skip") {
            self.skipped += 1;
        } else if is("todo") {
            // One that is known not to work yet is no failure, whichever way.
            self.skipped += 1;
        } else if ok {
            self.passed += 1;
        } else {
            self.failed += 1;
            let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            self.named.name(name.trim_start_matches([' ', '-']));
        }
    }
}
