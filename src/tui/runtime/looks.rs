//! Longer looks: what an undo would take back, what the Dreams screen shows.

use crate::core::loops::command::Command;
use crate::core::loops::diff::{diff, in_words};
use crate::core::loops::ids::LoopId;
use crate::engine::{Diagnosis, Engine, Error, Options, Result, Treatment, Write};
use crate::tui::app::dreams::DreamsData;
use crate::tui::kept;
use crate::tui::msg::UndoLook;

/// How many of the events that would be taken back are named.
const NAMED: usize = 50;

/// What the doctor finds, in the person's own files too.
pub(super) fn doctor(engine: &Engine) -> Result<Box<Diagnosis>> {
    let options = Options { workspace: Some(engine.root().to_owned()), ..Options::default() };
    engine.doctor(Treatment::default(), &kept::problems(&options)).map(Box::new)
}

/// What an undo would take back. Where the newest change is not the person's
/// own, the look is at the undo that names the moment, with a warning.
pub(super) fn undo(engine: &Engine, id: &LoopId, to: Option<u64>) -> Result<UndoLook> {
    let mut to = to;
    let mut warning = None;
    let back_to = loop {
        let decision = engine.preview(id, Command::Undo { to }, &Write::operator())?;
        let Some(refusal) = decision.refusal else {
            break decision.made.back_to.unwrap_or_default();
        };
        let named = refusal.details.get("to").and_then(serde_json::Value::as_u64);
        match named.filter(|_| refusal.code == "undo_unsafe" && to.is_none()) {
            Some(seq) => {
                to = Some(seq);
                warning = Some(refusal.message);
            }
            None => return Err(refusal.into()),
        }
    };
    let timeline = engine.timeline(id)?;
    let then = timeline
        .at(back_to)
        .ok_or_else(|| Error::new("unknown_seq", format!("this loop has no event {back_to}")))?;
    let now = timeline.head();
    let events = timeline.events();
    let first = events.partition_point(|event| event.seq <= back_to);
    let first = first.max(events.len().saturating_sub(NAMED));
    Ok(UndoLook {
        version: now.version,
        to,
        back_to,
        warning,
        differences: in_words(&diff(now, &then), now, &then),
        events: events[first..].to_vec(),
    })
}

/// All that the Dreams screen shows, of a dream or of the latest.
pub(super) fn dreams(engine: &Engine, wanted: Option<&str>) -> Result<DreamsData> {
    let view = match engine.dream(wanted) {
        Ok(view) => Some(view),
        Err(error) if error.code() == "no_dream" => None,
        Err(error) => return Err(error),
    };
    Ok(DreamsData {
        status: engine.dream_status()?,
        view,
        past: engine.dreams()?,
        graph: engine.dream_graph(),
    })
}
