//! What a line holds that some reader may want, and how such lines are found
//! fast.
//!
//! Every byte of what a command says goes through one automaton. A step of it
//! waits for the step before, so four parts of a text are gone through side by
//! side: that is three times as fast as one after the other.

use std::sync::LazyLock;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;

use super::{eslint, junit};

/// A set of readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who(u16);

impl Who {
    const NONE: Self = Self(0);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether one of the others is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

pub(super) const NEXTEST: Who = Who(1);
pub(super) const CARGO: Who = Who(1 << 1);
pub(super) const PYTEST: Who = Who(1 << 2);
pub(super) const GO: Who = Who(1 << 3);
pub(super) const JEST: Who = Who(1 << 4);
pub(super) const TSC: Who = Who(1 << 5);
pub(super) const ESLINT: Who = Who(1 << 6);
pub(super) const TAP: Who = Who(1 << 7);
pub(super) const GCC: Who = Who(1 << 8);
pub(super) const MISSING: Who = Who(1 << 9);
/// ESLint's JSON, which is counted in the line as it came.
pub(super) const ESLINT_COUNT: Who = Who(1 << 10);
/// A document of JUnit's begins.
pub(super) const JUNIT: Who = Who(1 << 11);
/// All that read lines.
pub(super) const ALL: Who = Who((1 << 10) - 1);

/// What a line holds that some reader may want, and who: at least three bytes
/// each but for signs, and rare in what is no result. Only what stands in very
/// many lines needs to be said exactly.
const NEEDLES: &[(&str, Who)] = &[
    // cargo, rustc, compilers, tsc, eslint, in the languages that they speak
    ("rror", ALL),
    ("Fehler", ALL),
    ("erreur", ALL),
    ("erro:", ALL),
    ("ошибка", ALL),
    ("エラー", ALL),
    ("错误", ALL),
    ("오류", ALL),
    ("could not compile", ALL),
    ("undefined ", ALL),
    ("Nicht definierter Verweis", ALL),
    ("indéfinie", ALL),
    ("definido", ALL),
    ("定義されていない", ALL),
    ("*** ", ALL),
    ("test result", CARGO),
    (" stdout ----", CARGO),
    ("running ", CARGO),
    ("Running ", CARGO),
    ("Doc-tests", CARGO),
    ("exit successfully", CARGO),
    ("test ", CARGO),
    ("\"reason\":", CARGO),
    ("\"level\":", CARGO),
    ("\"event\":", CARGO),
    // cargo-nextest
    ("Summary", ALL),
    ("Starting ", ALL),
    ("PASS", NEXTEST.and(PYTEST).and(GO).and(JEST)),
    ("FAIL", ALL),
    ("SIG", ALL),
    ("ABORT", ALL),
    ("TIMEOUT", ALL),
    // pytest, unittest
    ("failed", ALL),
    ("passed", ALL),
    ("no tests ran", ALL),
    (" deselected", ALL),
    (" skipped", ALL),
    ("ERROR", ALL),
    ("session starts", ALL),
    ("%]", PYTEST),
    // go test
    ("=== RUN", GO),
    ("--- SKIP", GO),
    ("ok  \t", GO),
    ("\"Action\":", GO),
    (".go:", GO),
    ("flag provided", ALL),
    // jest, vitest
    ("Tests:", ALL),
    ("Tests  ", ALL),
    ("Test Suites:", ALL),
    ("Test Files", ALL),
    ("Failed Suites", ALL),
    ("No test files", ALL),
    ("No tests found", ALL),
    ("RUN  v", ALL),
    ("●", ALL),
    ("\"numTotalTestSuites\":", ALL),
    ("✕", ALL),
    ("×", ALL),
    ("✓", JEST),
    ("✔", JEST),
    // eslint
    ("✖", ALL),
    (" problem", ESLINT),
    ("warning", ESLINT),
    ("Oops!", ALL),
    (eslint::COUNT, ESLINT_COUNT),
    // TAP
    ("ok ", TAP),
    ("Bail out!", ALL),
    ("1..", TAP),
    ("# tests", ALL),
    ("# suites", ALL),
    ("Node.js v", ALL),
    ("# pass", ALL),
    ("# fail", ALL),
    ("# skipped", ALL),
    ("TAP version", ALL),
    ("no plan was declared", ALL),
    ("Files=", ALL),
    ("Wstat", ALL),
    // missing things
    ("not found", ALL),
    ("No module named", ALL),
    ("Cannot find", ALL),
    ("no required module", ALL),
    ("No such file", ALL),
    ("no such command", ALL),
    // JUnit XML
    (junit::START, JUNIT),
];

static FINDER: LazyLock<Option<DFA>> =
    LazyLock::new(|| DFA::new(NEEDLES.iter().map(|(needle, _)| needle)).ok());

/// Parts that are gone through side by side.
const LANES: usize = 4;
/// Bytes of such a part, about.
const LANE: usize = 4 * 1024;

/// Who wants a line.
pub(super) fn who(line: &str) -> Who {
    let Some((finder, mut state)) = finder() else { return ALL.and(ESLINT_COUNT).and(JUNIT) };
    let mut who = Who::NONE;
    for byte in line.bytes() {
        state = finder.next_state(Anchored::No, state, byte);
        if finder.is_special(state) && finder.is_match(state) {
            for at in 0..finder.match_len(state) {
                who = who.and(NEEDLES[finder.match_pattern(state, at).as_usize()].1);
            }
        }
    }
    who
}

/// The automaton and the state in which it begins. Where there is none, every
/// line is looked at.
fn finder() -> Option<(&'static DFA, StateID)> {
    let finder = FINDER.as_ref()?;
    Some((finder, finder.start_state(Anchored::No).ok()?))
}

/// Goes through a text from one line that holds a needle to the next.
pub(super) struct Scan<'t> {
    text: &'t [u8],
    /// The parts of the text that were gone through last, and up to where.
    lanes: [Lane; LANES],
    end: usize,
}

/// A part of a text, whole lines.
#[derive(Clone, Copy, Default)]
struct Lane {
    from: usize,
    to: usize,
    /// Where a needle ends that was found first.
    hit: Option<usize>,
}

impl<'t> Scan<'t> {
    pub fn of(text: &'t str) -> Self {
        Self { text: text.as_bytes(), lanes: Default::default(), end: 0 }
    }

    /// A place within the next needle from a beginning of a line on.
    pub fn next(&mut self, at: usize) -> Option<usize> {
        let Some((finder, start)) = finder() else { return (at < self.text.len()).then_some(at) };
        let mut at = at;
        loop {
            for lane in &mut self.lanes {
                if at >= lane.to {
                    continue;
                }
                if lane.hit.is_some_and(|hit| hit < at) {
                    // That one is done with: the rest of its part is still to be seen.
                    lane.hit = first(finder, start, &self.text[at..lane.to]).map(|hit| at + hit);
                }
                if lane.hit.is_some() {
                    return lane.hit;
                }
                at = lane.to;
            }
            at = at.max(self.end);
            if at >= self.text.len() {
                return None;
            }
            self.fill(at, finder, start);
        }
    }

    /// Goes through the next parts.
    fn fill(&mut self, at: usize, finder: &DFA, start: StateID) {
        let mut from = at;
        self.lanes = std::array::from_fn(|_| {
            let to = self.after_line((from + LANE).min(self.text.len()));
            let lane = Lane { from, to, hit: None };
            from = to;
            lane
        });
        self.end = from;
        let parts = self.lanes.map(|lane| &self.text[lane.from..lane.to]);
        let common = parts.iter().map(|part| part.len()).min().unwrap_or(0);
        let mut states = [start; LANES];
        let mut open = LANES;
        for step in 0..common {
            let mut special = false;
            for (state, part) in states.iter_mut().zip(parts) {
                *state = finder.next_state(Anchored::No, *state, part[step]);
                special |= finder.is_special(*state);
            }
            if special {
                for (lane, state) in self.lanes.iter_mut().zip(states) {
                    if lane.hit.is_none() && finder.is_match(state) {
                        lane.hit = Some(lane.from + step);
                        open -= 1;
                    }
                }
                if open == 0 {
                    return;
                }
            }
        }
        for ((lane, part), state) in self.lanes.iter_mut().zip(parts).zip(states) {
            if lane.hit.is_none() {
                let found = first(finder, state, &part[common..]);
                lane.hit = found.map(|hit| lane.from + common + hit);
            }
        }
    }

    /// Behind the line in which a place is.
    fn after_line(&self, at: usize) -> usize {
        if at == 0 || self.text.get(at - 1) == Some(&b'\n') {
            return at;
        }
        let end = memchr::memchr(b'\n', &self.text[at..]);
        end.map_or(self.text.len(), |end| at + end + 1)
    }
}

/// Where the first needle ends.
fn first(finder: &DFA, mut state: StateID, text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| {
        state = finder.next_state(Anchored::No, state, *byte);
        finder.is_special(state) && finder.is_match(state)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All lines that hold a needle, as one finds them without any haste.
    fn slowly(text: &str) -> Vec<&str> {
        let holds = |line: &&str| NEEDLES.iter().any(|(needle, _)| line.contains(needle));
        text.split_inclusive('\n').filter(holds).collect()
    }

    fn fast(text: &str) -> Vec<&str> {
        let (mut scan, mut at, mut found) = (Scan::of(text), 0, Vec::new());
        while let Some(hit) = scan.next(at) {
            let start = memchr::memrchr(b'\n', &text.as_bytes()[..hit]).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', &text.as_bytes()[hit..]);
            let end = end.map_or(text.len(), |end| hit + end + 1);
            found.push(&text[start..end]);
            at = end;
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 64, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default()
        })]

        #[test]
        fn no_line_with_a_needle_is_missed_and_no_other_is_found(
            lines in prop::collection::vec((0..NEEDLES.len(), 0_u32..8, 0_usize..300, any::<bool>()), 0..400),
            open in any::<bool>(),
        ) {
            let mut text = String::new();
            for (needle, kind, filler, before) in lines {
                let filler = "zä ".repeat(filler);
                let needle = if kind == 0 { NEEDLES[needle].0 } else { "" };
                let (a, b) = if before { (needle, &*filler) } else { (&*filler, needle) };
                text.push_str(a);
                text.push_str(b);
                text.push('\n');
            }
            if open {
                text.pop();
            }
            prop_assert_eq!(fast(&text), slowly(&text));
        }
    }

    #[test]
    fn who_wants_a_line_is_all_that_its_needles_say() {
        assert_eq!(who("test a::b ... ok"), CARGO);
        assert_eq!(who("ok  \tpkg/a"), GO.and(TAP));
        assert_eq!(who("plain"), Who::NONE);
        assert!(who("<testsuites name=\"a\">").has(JUNIT));
    }
}
