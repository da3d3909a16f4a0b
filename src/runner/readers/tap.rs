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
    thrown: bool,
    /// Perl's own words about tests without a plan.
    no_plan: bool,
    /// prove sums up what it has read: `Files=2, Tests=5`.
    proved: Option<u64>,
    prove_failed: u64,
    prove_skipped: u64,
    /// What stands below all points: `# tests 4`, `# pass 2`, `# fail 2`.
    told: [Option<u64>; 5],
    named: Reading,
}

/// The words of that, in its order. Only who knows of suites counts tests there;
/// others count points, skipped ones as passed.
const TOLD: [&str; 5] = ["# suites ", "# tests ", "# pass ", "# fail ", "# skipped "];

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
        } else if line.starts_with("Node.js v") && self.version && self.plan.is_none() {
            // Or nobody caught what was thrown.
            self.thrown = true;
        } else if line.starts_with("# Tests were run but no plan was declared") {
            self.no_plan = true;
        } else if let Some((_, tests)) =
            line.strip_prefix("Files=").and_then(|l| l.split_once("Tests="))
        {
            self.proved = number_at_start(tests);
        } else if let Some((_, failed)) =
            line.split_once(" Failed: ").filter(|(l, _)| l.contains("(Wstat:"))
        {
            self.prove_failed += number_at_start(failed).unwrap_or(0);
        } else if let Some(skipped) = line.trim_start().strip_prefix("(less ") {
            self.prove_skipped += number_at_start(skipped).unwrap_or(0);
        } else if let Some(at) = TOLD.iter().position(|word| line.starts_with(word)) {
            self.told[at] = number_at_start(line[TOLD[at].len()..].trim_start());
        }
    }

    fn found(&self) -> Option<Found> {
        let points = self.passed + self.failed + self.skipped;
        if let Some(tests) = self.proved.filter(|_| points == 0) {
            let mut reading = Reading::of("tap");
            reading.failed = Some(self.prove_failed);
            reading.skipped = Some(self.prove_skipped);
            reading.passed = Some(tests.saturating_sub(self.prove_failed + self.prove_skipped));
            return Found::new(Sure::Summary, reading);
        }
        let known = self.version || self.plan.is_some() || self.bailed || self.no_plan;
        if !known {
            return None;
        }
        // Points that were promised and never came have not passed.
        let lost = self.plan.map_or(0, |plan| plan.saturating_sub(points));
        let mut reading = Reading {
            parser: "tap".into(),
            failed: Some(self.failed),
            passed: Some(self.passed),
            skipped: Some(self.skipped),
            cut: lost > 0 || self.plan.is_none() || self.bailed || self.thrown,
            ..self.named.clone()
        };
        let errors = lost.max(u64::from(self.thrown || self.bailed));
        reading.errors = (errors > 0).then_some(errors);
        if let [Some(_), Some(_), Some(passed), failed, skipped] = self.told {
            // Tests within tests are counted there, suites are not.
            reading.passed = Some(passed);
            reading.failed = Some(failed.unwrap_or(0));
            reading.skipped = skipped.or(reading.skipped);
        }
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
