//! What happened to an attempt, in words.

use super::super::event::EventBody;

/// An event of an attempt as one word and what it says beside it; none for
/// other events.
pub fn words(body: &EventBody) -> Option<(&'static str, String)> {
    Some(match body {
        EventBody::TurnReserved(one) => {
            let kind = if one.writes { ", may change files" } else { "" };
            ("turn", format!("handed to {}{kind}", one.agent))
        }
        EventBody::TurnCommitted(_) => ("turn", "ready to start".to_owned()),
        EventBody::TurnAborted(one) => ("given up", one.reason.clone()),
        EventBody::LaunchArmed(_) => ("worker", "about to start".to_owned()),
        EventBody::LaunchCrossed(one) => ("worker", format!("started{}", again(one.epoch))),
        EventBody::LaunchRevoked(one) => {
            ("worker", format!("called off: {}", one.reason.replace('_', " ")))
        }
        EventBody::Spawned(one) => {
            let process = &one.process;
            ("worker", format!("runs as process {} on {}", process.pid, process.host))
        }
        EventBody::SpawnFailed(one) => ("no worker", one.error.clone()),
        EventBody::EvidenceAccepted(one) => ("worker", format!("result taken{}", again(one.epoch))),
        EventBody::EvidenceRejected(one) => ("turned away", one.reason.clone()),
        EventBody::TurnContradiction(one) => {
            ("contradiction", format!("the reply says done, but {}", one.failure))
        }
        EventBody::GenerationSuperseded(one) => {
            ("worker", format!("shut out: {}", one.cause.replace('_', " ")))
        }
        _ => return None,
    })
}

/// Which worker of a turn it is, where it isn't the first.
fn again(epoch: u32) -> String {
    if epoch == 0 { String::new() } else { format!(" (worker {epoch} after the first)") }
}
