//! Rounds as people are told of them, everywhere in the same words (engine.md §1,
//! "Iteration").

use super::event::AdvanceReason;
use super::model::Loop;
use super::protocol::Protocol;
use crate::core::text::plural;

impl Loop {
    /// Which round it is; none where rounds say nothing.
    pub fn rounds(&self) -> Option<String> {
        rounds_at(&self.protocol, &self.current_phase, self.iteration_count)
    }
}

impl Loop {
    /// The last round of artifacts (0-based): the present one, and of a loop that is
    /// over the one that was worked in last, for its cap may have counted one more.
    pub fn last_round(&self) -> u32 {
        let worked = self.artifacts.iter().map(|artifact| artifact.iteration).max();
        match self.status.is_closed() {
            true => worked.map_or(self.iteration_count, |last| last.min(self.iteration_count)),
            false => self.iteration_count,
        }
    }
}

/// Which round a phase and iteration (0-based) are: `round 2 of 3`, behind the
/// cycle `after 2 rounds`, and `after 3 rounds (cap)` where the cap ended it.
/// None before the cycle was ever entered, and where nothing repeats.
pub fn rounds_at(protocol: &Protocol, phase: &str, iteration: u32) -> Option<String> {
    let max = protocol.max_rounds();
    let Some(cycle) = &protocol.iteration else {
        return (max.is_some() || iteration > 0).then(|| round_of(iteration, max));
    };
    let place = |name: &str| protocol.position(name);
    let here = place(phase);
    if cycle.cycle.last().is_some_and(|last| here > place(last)) {
        let cap = cycle.max_iterations;
        let finished = iteration.saturating_add(1).min(cap.max(1));
        let by_cap = if iteration >= cap { " (cap)" } else { "" };
        return Some(format!("after {}{by_cap}", plural(finished as usize, "round", "rounds")));
    }
    let before = cycle.cycle.first().is_some_and(|first| here < place(first));
    (!before || iteration > 0).then(|| round_of(iteration, max))
}

/// `round 2 of 3`, or `round 2` where there is no cap: n counts from 1 and is
/// never over the cap.
pub fn round_of(iteration: u32, max: Option<u32>) -> String {
    let n = iteration.saturating_add(1);
    match max {
        Some(max) => format!("round {} of {max}", n.min(max.max(1))),
        None => format!("round {n}"),
    }
}

/// Which round an advance leads to: `round 2`, and where the cap ended the cycle
/// `after 3 rounds (cap)`, for no fourth one begins.
pub fn led_to(reason: AdvanceReason, iteration: u32) -> String {
    match reason {
        AdvanceReason::MaxIterations => {
            format!("after {} (cap)", plural(iteration as usize, "round", "rounds"))
        }
        _ => round_of(iteration, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::loops::lint;
    use crate::core::loops::protocol::Kind;

    #[test]
    fn a_round_is_counted_inside_the_cycle_and_summed_up_behind_it() {
        let ideation = lint::builtin(Kind::Ideation);
        let said = |phase, iteration| rounds_at(&ideation, phase, iteration);
        assert_eq!(said("proposal", 0), None);
        assert_eq!(said("proposal", 1).as_deref(), Some("round 2 of 3"), "sent back");
        assert_eq!(said("critique", 0).as_deref(), Some("round 1 of 3"));
        assert_eq!(said("revision", 2).as_deref(), Some("round 3 of 3"));
        assert_eq!(said("synthesis", 0).as_deref(), Some("after 1 round"));
        assert_eq!(said("synthesis", 2).as_deref(), Some("after 3 rounds"));
        assert_eq!(said("synthesis", 3).as_deref(), Some("after 3 rounds (cap)"));
        assert_eq!(led_to(AdvanceReason::NextRound, 1), "round 2");
        assert_eq!(led_to(AdvanceReason::MaxIterations, 3), "after 3 rounds (cap)");
        let review = lint::builtin(Kind::Review);
        assert_eq!(rounds_at(&review, "findings", 1).as_deref(), Some("round 2 of 3"));
        let (_, bootstrap) = lint::preset("bootstrap").expect("exists");
        assert_eq!(rounds_at(&bootstrap, "propose", 0), None);
        assert_eq!(rounds_at(&bootstrap, "propose", 1).as_deref(), Some("round 2"));
    }
}
