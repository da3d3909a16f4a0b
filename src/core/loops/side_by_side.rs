//! Rounds side by side: what each of them brought, phase by phase.

use serde::Serialize;

use super::ids::{ArtifactId, Name};
use super::model::Loop;

/// What the rounds of a loop brought, for each phase that repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SideBySide {
    /// The rounds, counted from 1, in order.
    pub rounds: Vec<u32>,
    /// The phases that repeat, in the order of the protocol.
    pub phases: Vec<PhaseRow>,
}

/// What the rounds brought in one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhaseRow {
    /// The phase.
    pub phase: Name,
    /// The artifacts of each round, oldest first: as many lists as there are
    /// rounds. What was taken back or superseded is left out.
    pub rounds: Vec<Vec<ArtifactId>>,
}

/// The rounds of a loop side by side. Of a protocol with a cycle only the
/// cycle's phases repeat; else any of them may.
pub fn side_by_side(state: &Loop) -> SideBySide {
    let repeats =
        |phase: &str| state.protocol.iteration.is_none() || state.protocol.in_cycle(phase);
    let last = state.visits.iter().filter(|v| repeats(&v.phase)).map(|v| v.iteration).max();
    let Some(last) = last else { return SideBySide::default() };
    let of_phase = |phase: &Name| PhaseRow {
        phase: phase.clone(),
        rounds: (0..=last)
            .map(|round| {
                let said = state.artifacts_in(phase, round).filter(|a| a.is_current());
                said.map(|a| a.artifact_id.clone()).collect()
            })
            .collect(),
    };
    let names = state.protocol.phases.iter().map(|phase| &phase.name).filter(|n| repeats(n));
    SideBySide {
        rounds: (1..=last + 1).collect(),
        phases: names
            .map(of_phase)
            .filter(|row| row.rounds.iter().any(|r| !r.is_empty()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::loops::protocol::Kind;
    use crate::core::loops::tests::fixture::*;

    #[test]
    fn the_phases_that_repeat_stand_beside_each_other() {
        let mut deck = Deck::ideation();
        assert_eq!(side_by_side(&deck.state), SideBySide::default(), "no round yet");
        deck.advance();
        let first: Vec<_> = (0..3).map(|i| deck.add("critique", &i.to_string())).collect();
        deck.advance();
        let revision = deck.add("revision", "r");
        deck.advance();
        let again = deck.add("critique", "again");
        let retracted = deck.add("critique", "hasty").to_string();
        deck.run(crate::core::loops::command::Command::Retract {
            artifact: retracted,
            reason: "no".to_owned(),
        });
        let both = side_by_side(&deck.state);
        assert_eq!(both.rounds, [1, 2]);
        assert_eq!(&*both.phases[0].phase, "critique");
        assert_eq!(both.phases[0].rounds, [first, vec![again]]);
        assert_eq!(both.phases[1].rounds, [vec![revision], Vec::new()]);
        let mut review = Deck::open(Kind::Review);
        review.add("change_summary", "x");
        assert_eq!(side_by_side(&review.state).phases.len(), 1, "any phase of a review may repeat");
    }
}
