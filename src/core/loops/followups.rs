//! Loops that follow from others: a plan is implemented, a handoff reviewed, a
//! fault that the rounds did not end is debugged.

use super::ids::ArtifactId;
use super::model::{Artifact, Loop, Status};
use super::protocol::Kind;
use super::refusal::NextStep;
use super::steps;
use crate::core::text::first_chars;

/// Characters of a title (engine.md §6, open).
const TITLE: usize = 200;

/// What follows from a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// The kind of the loop that follows.
    pub kind: Kind,
    /// What it does, in words.
    pub words: &'static str,
    /// Its title.
    pub title: String,
    /// The artifact that it starts from, if there is one.
    pub seed: Option<ArtifactId>,
}

/// What follows from a loop, if something does: a completed ideation has a plan
/// to implement, an implementation or a fix that was handed over is reviewed,
/// and one that ended blocked is debugged.
pub fn follow_up(state: &Loop) -> Option<FollowUp> {
    let newest = |kinds: &[&str]| {
        let of = |a: &&std::sync::Arc<Artifact>| kinds.contains(&&*a.artifact_type) && a.counts();
        state.artifacts.iter().rev().find(of).map(|a| a.artifact_id.clone())
    };
    let follow = |kind, words, prefix: &str, seed| {
        let title = format!("{prefix}: {}", state.title);
        Some(FollowUp { kind, words, title: first_chars(&title, TITLE).to_owned(), seed })
    };
    match (state.kind, state.status) {
        (Kind::Ideation, Status::Completed) => {
            let plan = newest(&["plan_draft"])?;
            follow(Kind::Implementation, "implement this plan", "Implement", Some(plan))
        }
        (Kind::Implementation | Kind::Debug, Status::Completed) => {
            let handoff = newest(&["handoff"])?;
            follow(Kind::Review, "review what was handed over", "Review", Some(handoff))
        }
        (Kind::Implementation | Kind::Debug, Status::Blocked) => {
            let seed = newest(&["verify_report", "implementation_summary", "fix", "proposal"]);
            follow(Kind::Debug, "debug what kept it red", "Debug", seed)
        }
        _ => None,
    }
}

/// The step that opens what follows.
pub fn step(state: &Loop) -> Option<NextStep> {
    let follow = follow_up(state)?;
    let title = steps::quoted(&follow.title);
    let command =
        format!("loopdeck loop open --kind {} --title {title} --follow {}", follow.kind, state.id);
    Some(NextStep::new(follow.words, command))
}
