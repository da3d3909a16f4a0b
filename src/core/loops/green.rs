//! Whether the verify command is green (engine.md §4, command_green).

use std::sync::Arc;

use super::evaluate::{Detail, Evaluator, Purpose, leaf, standing};
use super::explain::{Ignored, Node};
use super::model::{Artifact, Loop};
use super::protocol::ExitWhen;

/// The latest verify report that counts for "green": of this round, from the
/// cycle's last phase, run by the engine where a command is set.
pub fn latest_report(state: &Loop) -> Option<&Arc<Artifact>> {
    let last = state.protocol.iteration.as_ref()?.cycle.last()?;
    let needs_run = state.protocol.verify.is_some();
    state.artifacts_in(last, state.iteration_count).rev().find(|a| {
        &*a.artifact_type == "verify_report"
            && a.counts()
            && a.report.as_ref().is_some_and(|r| !needs_run || !r.narrated)
    })
}

/// Whether the present phase ends a cycle that a green command leaves.
pub fn asks_for_green(state: &Loop) -> bool {
    state.protocol.iteration.as_ref().is_some_and(|iteration| {
        iteration.exit_when == Some(ExitWhen::CommandGreen)
            && iteration.cycle.last() == Some(&state.current_phase)
    })
}

/// Whether the command is green, with the reports of the round that say so and
/// those that don't; none where nobody asks.
pub fn exit(state: &Loop, workspace_digest: Option<&str>) -> Option<Node> {
    if !asks_for_green(state) {
        return None;
    }
    let met = command_green(state, workspace_digest);
    let latest = latest_report(state);
    let text = match latest.and_then(|a| a.report.as_ref()) {
        _ if met => "command_green: the latest report passed",
        None => "command_green unmet: no report of this round counts",
        Some(report) if report.passed => "command_green unmet: files changed since: verify again",
        Some(_) => "command_green unmet: the latest report is red",
    };
    let mut node = leaf("command_green", met, text.to_owned());
    let evaluator = Evaluator::new(state, Purpose::Gate, Detail::Full);
    let here = state.artifacts_in(&state.current_phase, state.iteration_count);
    for report in here.filter(|a| &*a.artifact_type == "verify_report") {
        let newest = latest.is_some_and(|a| a.artifact_id == report.artifact_id);
        let why = match standing(report) {
            Some(why) => why,
            None if evaluator.is_narrated(report) => "narrated",
            None if !newest => "older_report",
            None if met => {
                node.counts.push(report.artifact_id.clone());
                continue;
            }
            None if is_stale(state, workspace_digest) => "stale_workspace",
            None => "red",
        };
        let artifact_id = report.artifact_id.clone();
        node.ignored.push(Ignored { artifact_id, why: why.to_owned() });
    }
    Some(node)
}

/// Whether the latest report that counts for green passed, but on another
/// workspace than the present one.
pub fn is_stale(state: &Loop, workspace_digest: Option<&str>) -> bool {
    let report = latest_report(state).and_then(|a| a.report.as_ref());
    report.is_some_and(|r| r.passed) && !command_green(state, workspace_digest)
}

/// Whether the latest report passed, on the workspace as it still is. Without
/// a digest on either side nothing is compared.
pub fn command_green(state: &Loop, workspace_digest: Option<&str>) -> bool {
    latest_report(state).and_then(|a| a.report.as_ref()).is_some_and(|report| {
        report.passed
            && match (&report.workspace_digest, workspace_digest) {
                (Some(then), Some(now)) => then == now,
                _ => true,
            }
    })
}
