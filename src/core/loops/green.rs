//! Whether the verify command is green, lane by lane (engine.md §4,
//! command_green).

use std::sync::Arc;

use super::evaluate::{Detail, Evaluator, Purpose, leaf, standing};
use super::explain::{Ignored, Node};
use super::ids::Name;
use super::model::{Artifact, Loop};
use super::protocol::ExitWhen;

/// The latest verify report that counts for "green": of this round, from the
/// cycle's last phase, run by the engine where a command is set.
pub fn latest_report(state: &Loop) -> Option<&Arc<Artifact>> {
    latest_of_lane(state, None)
}

/// The latest report that counts, of one lane if one is named.
fn latest_of_lane<'a>(state: &'a Loop, lane: Option<&Name>) -> Option<&'a Arc<Artifact>> {
    let last = state.protocol.iteration.as_ref()?.cycle.last()?;
    let needs_run = state.protocol.verify.is_some();
    state.artifacts_in(last, state.iteration_count).rev().find(|a| {
        &*a.artifact_type == "verify_report"
            && a.counts()
            && a.report.as_ref().is_some_and(|r| !needs_run || !r.narrated)
            && lane.is_none_or(|lane| speaks_for(state, a, lane))
    })
}

/// The reports that decide: the latest of every lane, or of the loop where it
/// has no lanes; none for a lane without one.
fn deciding(state: &Loop) -> Vec<Option<&Arc<Artifact>>> {
    let lanes = lanes(state);
    match lanes.is_empty() {
        true => vec![latest_report(state)],
        false => lanes.into_iter().map(|lane| latest_of_lane(state, Some(lane))).collect(),
    }
}

/// The lanes that the loop's slots work in, in order.
pub fn lanes(state: &Loop) -> Vec<&Name> {
    let mut out: Vec<&Name> = Vec::new();
    for lane in state.slots.iter().filter_map(|s| s.lane.as_ref()) {
        if !out.contains(&lane) {
            out.push(lane);
        }
    }
    out
}

/// Whether a report is one of a lane: filed through its slot, or run by the
/// engine on the whole workspace.
pub(super) fn speaks_for(state: &Loop, report: &Artifact, lane: &Name) -> bool {
    let own = report.slot_id.as_ref().and_then(|id| state.slot(id)).and_then(|s| s.lane.as_ref());
    match own {
        Some(own) => own == lane,
        None => report.report.as_ref().is_some_and(|r| !r.narrated),
    }
}

/// Whether the present phase ends a cycle that a green command leaves.
pub fn asks_for_green(state: &Loop) -> bool {
    state.protocol.iteration.as_ref().is_some_and(|iteration| {
        iteration.exit_when == Some(ExitWhen::CommandGreen)
            && iteration.cycle.last() == Some(&state.current_phase)
    })
}

/// What a red report says that decides in the present phase (`the command is red:
/// exit 1, 0.4 s`); none where nobody asks for green or none is red.
pub fn red_words(state: &Loop) -> Option<String> {
    if !asks_for_green(state) {
        return None;
    }
    let failed = |a: &&Arc<Artifact>| a.report.as_ref().is_some_and(|report| !report.passed);
    let red = deciding(state).into_iter().flatten().find(failed)?;
    Some(match red.report.as_ref().is_some_and(|report| report.narrated) {
        true => "the command is red, the last report says".to_owned(),
        false => format!("the command is {}", red.said()),
    })
}

/// Whether the command is green, with the reports of the round that say so and
/// those that don't; none where nobody asks.
pub fn exit(state: &Loop, workspace_digest: Option<&str>) -> Option<Node> {
    if !asks_for_green(state) {
        return None;
    }
    let met = command_green(state, workspace_digest);
    let stale = is_stale(state, workspace_digest);
    let deciding = deciding(state);
    let text = match deciding.iter().any(Option::is_none) {
        _ if met => "command_green: the latest report passed",
        _ if stale => "command_green unmet: files changed since: verify again",
        true => "command_green unmet: no report of this round counts",
        false => "command_green unmet: the latest report is red",
    };
    let mut node = leaf("command_green", met, text.to_owned());
    let evaluator = Evaluator::new(state, Purpose::Gate, Detail::Full);
    let here = state.artifacts_in(&state.current_phase, state.iteration_count);
    for report in here.filter(|a| &*a.artifact_type == "verify_report") {
        let decides = deciding.iter().flatten().any(|a| a.artifact_id == report.artifact_id);
        let passed = report.report.as_ref().is_some_and(|r| r.passed);
        let why = match standing(report) {
            Some(why) => why,
            None if evaluator.is_narrated(report) => "narrated",
            None if !decides => "older_report",
            None if passed && !stale => {
                node.counts.push(report.artifact_id.clone());
                continue;
            }
            None if stale => "stale_workspace",
            None => "red",
        };
        let artifact_id = report.artifact_id.clone();
        node.ignored.push(Ignored { artifact_id, why: why.to_owned() });
    }
    Some(node)
}

/// Whether the reports that decide passed, but on another workspace than the
/// present one.
pub fn is_stale(state: &Loop, workspace_digest: Option<&str>) -> bool {
    let passed = |a: &Option<&Arc<Artifact>>| {
        a.and_then(|a| a.report.as_ref()).is_some_and(|report| report.passed)
    };
    deciding(state).iter().all(passed) && !command_green(state, workspace_digest)
}

/// Whether the latest report passed, of every lane where there are lanes, on
/// the workspace as it still is. Without a digest on either side nothing is
/// compared.
pub fn command_green(state: &Loop, workspace_digest: Option<&str>) -> bool {
    deciding(state).into_iter().all(|report| {
        report.and_then(|a| a.report.as_ref()).is_some_and(|report| {
            report.passed
                && match (&report.workspace_digest, workspace_digest) {
                    (Some(then), Some(now)) => then == now,
                    _ => true,
                }
        })
    })
}
