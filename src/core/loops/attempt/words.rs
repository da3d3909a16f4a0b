//! What happened to an attempt, in words.

use super::super::event::EventBody;

/// An event of an attempt as one word and what it says beside it; none for
/// other events.
pub fn words(body: &EventBody) -> Option<(&'static str, String)> {
    Some(match body {
        EventBody::TurnReserved(one) => {
            let kind = if one.writes { ", may change files" } else { "" };
            ("reserved", format!("for {}{kind}", one.agent))
        }
        EventBody::TurnCommitted(_) => ("dispatch", "it is to be launched".to_owned()),
        EventBody::TurnAborted(one) => ("given up", one.reason.clone()),
        EventBody::LaunchArmed(one) => {
            ("armed", format!("generation {}, until {}", one.epoch, one.lease_until))
        }
        EventBody::LaunchCrossed(one) => ("launched", format!("generation {}", one.epoch)),
        EventBody::LaunchRevoked(one) => {
            ("revoked", format!("generation {}: {}", one.epoch, one.reason.replace('_', " ")))
        }
        EventBody::Spawned(one) => {
            let process = &one.process;
            ("worker", format!("process {} on {} runs", process.pid, process.host))
        }
        EventBody::SpawnFailed(one) => ("no worker", one.error.clone()),
        EventBody::EvidenceAccepted(one) => ("result", format!("of generation {}", one.epoch)),
        EventBody::EvidenceRejected(one) => ("turned away", one.reason.clone()),
        EventBody::TurnContradiction(one) => {
            ("contradiction", format!("the reply says done, but {}", one.failure))
        }
        EventBody::GenerationSuperseded(one) => {
            ("fenced out", format!("generation {}: {}", one.epoch, one.cause))
        }
        _ => return None,
    })
}
