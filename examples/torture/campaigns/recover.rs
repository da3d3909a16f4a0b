//! After a fault: the next start is clean, the doctor finds nothing that isn't so,
//! and a repeat of the request does what was asked, once.

use std::path::Path;

use loopdeck::core::loops::Command;
use loopdeck::core::loops::command::{Content, NewArtifact};
use loopdeck::engine::{Engine, Error, MemoryDraft, Severity, Treatment, Write};

use super::faults::{Recorded, Work};
use super::judge::{Judged, Told, judge};
use super::steps::{self, Step};
use super::workers;
use super::world::{self, Tree};

/// Codes that no healthy workspace answers with.
const SICK: [&str; 5] = ["io", "damaged", "newer_format", "read_only", "lock_timeout"];

/// Goes on after a fault; `engine` is the one that met it, if it lives.
pub fn recover(
    work: &Work,
    recorded: &Recorded,
    engine: Option<Engine>,
    root: &Path,
    judged: &mut Judged,
) {
    if matches!(recorded.step, Step::Init) {
        match steps::init(root) {
            Ok(_) => {}
            Err(error) => return judged.fault(format!("init again: {}", told(&error))),
        }
    }
    // A second process looks first, without writing anything.
    match world::open(root, recorded.n, &work.keeper) {
        Ok(engine) => look(&engine, judged, "the next start"),
        Err(error) => return judged.fault(format!("the next start: {}", told(&error))),
    }
    let engine = match engine {
        Some(engine) => engine,
        None => match world::open(root, recorded.n, &work.keeper) {
            Ok(engine) => engine,
            Err(error) => return judged.fault(format!("the next start: {}", told(&error))),
        },
    };
    again(recorded, &engine, root, judged);
    if workers::concern(&recorded.step) {
        workers::finish(work, recorded, root, judged);
    }
    probe(&engine, judged);
    drop(engine);
    let fresh = match world::open(root, recorded.n, &work.keeper) {
        Ok(engine) => engine,
        Err(error) => return judged.fault(format!("the last start: {}", told(&error))),
    };
    look(&fresh, judged, "in the end");
    match fresh.doctor(Treatment { repair: true, accept_edits: false }, &[]) {
        Ok(found) => {
            for finding in found.findings.iter().filter(|f| !f.repaired) {
                if finding.severity != Severity::Info {
                    judged.fault(format!("doctor, in the end: {}", finding.message));
                }
            }
        }
        Err(error) => judged.fault(format!("doctor --repair: {}", told(&error))),
    }
}

fn told(error: &Error) -> String {
    format!("{}: {}", error.code(), error.message())
}

/// Lists everything; nothing may be unreadable.
pub fn look(engine: &Engine, judged: &mut Judged, when: &str) {
    let mut problems = engine.problems();
    match engine.list() {
        Ok(listing) => problems.extend(listing.problems),
        Err(error) => judged.fault(format!("{when}, list: {}", told(&error))),
    }
    match engine.sessions() {
        Ok(listing) => problems.extend(listing.problems),
        Err(error) => judged.fault(format!("{when}, sessions: {}", told(&error))),
    }
    if let Err(error) = engine.memory(&Default::default()) {
        judged.fault(format!("{when}, memory: {}", told(&error)));
    }
    for dream in engine.dreams().unwrap_or_default() {
        if let Some(problem) = dream.problem {
            judged.fault(format!("{when}, {}: {problem}", dream.dream_id.as_str()));
        }
    }
    match engine.doctor(Treatment::default(), &[]) {
        Ok(found) => {
            for finding in found.findings.iter().filter(|f| f.severity == Severity::Error) {
                judged.fault(format!("{when}, doctor: {}", finding.message));
            }
        }
        Err(error) => judged.fault(format!("{when}, doctor: {}", told(&error))),
    }
    for problem in problems {
        judged.fault(format!("{when}: {}", problem.message));
    }
}

/// Asks for the step once more.
fn again(recorded: &Recorded, engine: &Engine, root: &Path, judged: &mut Judged) {
    let elsewhere = workers::concern(&recorded.step) || matches!(recorded.step, Step::Line);
    if recorded.came.is_err() || elsewhere {
        return;
    }
    let done = Tree::of(root).counting() == recorded.after.counting();
    if done && !recorded.step.has_request() {
        return;
    }
    let came = steps::carry_out(engine, recorded.n, &recorded.step);
    match came {
        Ok(_) => {}
        // It went before the fault.
        Err(error)
            if matches!(recorded.step, Step::Forget { .. }) && error.code() == "item_not_found" => {
        }
        Err(error) => judged.fault(format!("asked again: {}", told(&error))),
    }
    if recorded.step.has_request() && recorded.step.is_determined() {
        // Done once, not twice: nothing else than what the step would write.
        let owing = Told::Done(vec!["something may be owed still".to_owned()]);
        let twice = judge(recorded, &Tree::of(root), &owing);
        judged.faults.extend(twice.faults.into_iter().map(|fault| format!("asked again: {fault}")));
    }
}

/// Everything can be changed again.
fn probe(engine: &Engine, judged: &mut Judged) {
    let loops = engine.list().map(|listing| listing.loops).unwrap_or_default();
    for summary in loops {
        let note = Command::AddArtifact(NewArtifact {
            artifact_type: "note".to_owned(),
            content: Content::Body("It goes on.".into()),
            ..NewArtifact::default()
        });
        if let Err(error) = engine.execute(&summary.id, note, &Write::operator())
            && SICK.contains(&error.code())
        {
            judged.fault(format!("the next change of {}: {}", summary.slug, told(&error)));
        }
    }
    let category = Some(loopdeck::core::memory::Category::Traps);
    let text = Some("It goes on.".to_owned());
    if let Err(error) = engine.memory_add(&MemoryDraft { category, text, ..Default::default() }) {
        judged.fault(format!("the next memory item: {}", told(&error)));
    }
}
