//! How long a loop has been in each phase, and in how many rounds.

use super::ids::Name;
use super::model::Loop;
use crate::core::time::Timestamp;

/// The time that was spent in a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The phase.
    pub phase: Name,
    /// For how long, in milliseconds.
    pub millis: i64,
    /// How often it was entered.
    pub visits: usize,
}

/// The time in each phase up to a moment, in the order in which they were first
/// entered. A closed loop's time ends when it was closed.
pub fn spent(state: &Loop, now: Timestamp) -> Vec<Spent> {
    let end = state.closed_at.unwrap_or(now);
    let mut out: Vec<Spent> = Vec::new();
    for (at, visit) in state.visits.iter().enumerate() {
        let until = state.visits.get(at + 1).map_or(end, |next| next.at);
        let millis = until.since(visit.at).max(0);
        match out.iter_mut().find(|s| s.phase == visit.phase) {
            Some(known) => {
                known.millis += millis;
                known.visits += 1;
            }
            None => out.push(Spent { phase: visit.phase.clone(), millis, visits: 1 }),
        }
    }
    out
}

/// The time in each phase in one line: `proposal 1h, critique 3h in 2 rounds`.
pub fn in_words(state: &Loop, now: Timestamp) -> String {
    let part = |one: &Spent| {
        let rounds = match one.visits {
            1 => String::new(),
            n => format!(" in {n} rounds"),
        };
        format!("{} {}{rounds}", one.phase, duration(one.millis))
    };
    spent(state, now).iter().map(part).collect::<Vec<_>>().join(", ")
}

/// A duration in its two largest units.
fn duration(millis: i64) -> String {
    let minutes = millis / 60_000;
    let (days, hours, rest) = (minutes / 1_440, minutes / 60 % 24, minutes % 60);
    match (days, hours, rest) {
        (0, 0, 0) => format!("{}s", millis / 1_000),
        (0, 0, m) => format!("{m}m"),
        (0, h, 0) => format!("{h}h"),
        (0, h, m) => format!("{h}h {m}m"),
        (d, 0, _) => format!("{d}d"),
        (d, h, _) => format!("{d}d {h}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_at_most_two_units() {
        let minute = 60_000;
        for (millis, said) in [
            (4_000, "4s"),
            (7 * minute, "7m"),
            (60 * minute, "1h"),
            (61 * minute, "1h 1m"),
            (1_440 * minute, "1d"),
            ((2 * 1_440 + 90) * minute, "2d 1h"),
        ] {
            assert_eq!(duration(millis), said);
        }
    }
}
