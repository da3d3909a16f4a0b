//! Running a dream.

use std::env;
use std::path::{Path, PathBuf};

use super::{known, limits};
use crate::core::dream::diff::{self, Change};
use crate::core::dream::trigger::State;
use crate::core::dream::{
    Dream, DreamId, Dreamt, Earlier, Memory, Request, WithGraph, Without, dream,
};
use crate::core::loops::refusal::Refusal;
use crate::core::time::Timestamp;
use crate::engine::api::{Cause, DreamDone, DreamRequest, Error, Result};
use crate::engine::inner::{Engine, Inner};
use crate::seam::fs;
use crate::store;
use crate::store::dreams::DreamStore;
use crate::store::rewards::{Pace, scan};

/// Names the folder of whoever runs a dream as a background worker: a copy of
/// the dream is left in its `output/`.
const WORKER_OUTPUT: &str = "WORKER_OUTPUT_DIR";

impl Engine {
    /// Dreams: reads all records, finds insights, writes the dream, applies the
    /// retention, resets the trigger. `pace` is told how many files of how many
    /// were read and answers whether to go on; if it says no, nothing has
    /// happened and the answer is absent.
    ///
    /// # Errors
    /// `read_only`, `lock_timeout`; `io` with the detail `status: failed` if the
    /// dream cannot be written: trigger and old files are untouched then.
    pub fn dream_run(&self, request: &DreamRequest, pace: &Pace<'_>) -> Result<Option<DreamDone>> {
        let inner = &self.inner;
        inner.check_writable()?;
        let now = inner.time.now();
        let store = inner.dream_store();
        let before = known(store.state(now))?.state().clone();
        let Some(memory) = known(scan(inner.layout.rewards(), pace))? else { return Ok(None) };
        let run = Run { inner, store, memory, request: *request, now, before };
        run.carry_out().map(Some)
    }

    /// Dreams by itself if `dream.auto` is set, one is due, and nobody else is
    /// at it; absent if not.
    ///
    /// # Errors
    /// As [`Engine::dream_run`].
    pub fn dream_if_due(&self, pace: &Pace<'_>) -> Result<Option<DreamDone>> {
        let status = self.dream_status()?;
        if !status.auto || !status.due || self.inner.check_writable().is_err() {
            return Ok(None);
        }
        let lock = known(self.inner.dream_store().auto_lock())?;
        let Ok(_guard) = lock.take(std::time::Duration::ZERO, status.now) else {
            return Ok(None);
        };
        let request = DreamRequest { cause: Cause::Trigger, ..DreamRequest::default() };
        self.dream_run(&request, pace)
    }
}

/// A run, its records read.
struct Run<'a> {
    inner: &'a Inner,
    store: DreamStore,
    memory: Memory,
    request: DreamRequest,
    now: Timestamp,
    /// The trigger's state before the records were read.
    before: State,
}

impl Run<'_> {
    fn carry_out(&self) -> Result<DreamDone> {
        let mut warnings = Vec::new();
        let foreign = self.inner.foreign_patterns(&mut warnings);
        let evaluation = self.before.evaluate(self.now);
        if evaluation.in_the_future {
            warnings.push("the last dream is dated after now: check the clock".to_owned());
        }
        let request = Request {
            now: self.now,
            id: None,
            settings: self.inner.settings.now().config.dream.run,
            limits: limits(),
            without: Without::default(),
            earlier: &[],
            foreign: &foreign,
            marks: self.inner.marks(&mut warnings),
            reason: match self.request.cause {
                Cause::ByHand => "manual",
                Cause::Trigger => evaluation.reason(),
            },
            trigger: self.before.detail(self.now),
            graph: if self.request.graph { WithGraph::Yes } else { WithGraph::No },
        };
        // Too few records: nothing is written, not even a folder or a lock.
        let earlier = known(self.store.earlier(self.now))?;
        let first = dream(&self.memory, &Request { earlier: &earlier, ..request.clone() });
        if first.refusal().is_some() {
            return Ok(done(first, None, &[], warnings));
        }
        let lock = self.store.lock().map_err(failed)?;
        let _guard = lock.take(self.store.wait(), self.now)?;
        let id = self.store.free_id(self.now);
        let again = known(self.store.earlier(self.now))?;
        let same_past = again.iter().map(|e| &e.id).eq(earlier.iter().map(|e| &e.id));
        let dreamt = if same_past && id == DreamId::at(self.now) {
            first
        } else {
            dream(&self.memory, &Request { earlier: &again, id: Some(id.clone()), ..request })
        };
        if dreamt.is_unchanged && !self.request.force {
            return Ok(self.unchanged(dreamt, &again, warnings));
        }
        let file = self.store.write_dream(&id, &dreamt.dream.to_bytes()).map_err(failed)?;
        let keep = self.inner.settings.now().config.dream.keep;
        let mut done = done(dreamt, Some(file.clone()), &again, warnings);
        match self.store.retain(keep, Some(&id)) {
            Ok(removed) => done.removed = removed,
            Err(error) => done.warnings.push(format!("old dreams were not removed: {error}")),
        }
        self.reset(id.as_str(), &mut done.warnings);
        done.warnings.extend(copy_for_worker(&file));
        Ok(done)
    }

    /// The same input as the newest dream's: only the trigger is reset.
    fn unchanged(&self, dreamt: Dreamt, earlier: &[Earlier], warnings: Vec<String>) -> DreamDone {
        let mut done = done(dreamt, None, earlier, warnings);
        "unchanged_input".clone_into(&mut done.dream.status);
        let latest = earlier.iter().find(|e| e.id.moment().is_some_and(|at| at <= self.now));
        let id = latest.map_or(DreamId::at(self.now), |e| e.id.clone());
        self.reset(id.as_str(), &mut done.warnings);
        done
    }

    /// Resets the trigger; what came in while the records were read stays.
    fn reset(&self, id: &str, warnings: &mut Vec<String>) {
        let changed = self.store.change_state(self.now, |state| {
            let records = state.records_since.saturating_sub(self.before.records_since);
            let events: Vec<_> =
                state.events.iter().filter(|e| !self.before.events.contains(e)).cloned().collect();
            state.reset(id, self.now);
            state.records_since = records;
            state.events = events;
        });
        match changed {
            Ok(said) => warnings.extend(said),
            Err(error) => warnings.push(format!("the trigger was not reset: {error}")),
        }
    }
}

fn done(
    dreamt: Dreamt,
    file: Option<PathBuf>,
    earlier: &[Earlier],
    mut warnings: Vec<String>,
) -> DreamDone {
    let refusal = dreamt.refusal();
    warnings.extend(dreamt.warnings);
    let at = dreamt.dream.completed_at;
    let is_before = |e: &&Earlier| e.id.moment().is_some_and(|m| at.is_none_or(|at| m <= at));
    let previous = earlier.iter().find(is_before).and_then(|e| e.dream.as_ref().ok());
    let changes = diff::compare(previous, &dreamt.dream);
    let changes: Vec<(Change, String)> =
        changes.into_iter().map(|c| (c.change, c.insight.identity())).collect();
    DreamDone {
        dream: dreamt.dream,
        file,
        graph: dreamt.graph,
        changes,
        refusal,
        removed: 0,
        warnings,
    }
}

/// A dream that could not be written.
fn failed(error: store::Error) -> Error {
    let code = error.code();
    let refusal = Refusal::new(code, format!("the dream was not stored: {error}"))
        .detail("status", Dream::FAILED)
        .detail("path", error.path().display().to_string());
    refusal.into()
}

/// Leaves a copy where a background worker's output is gathered; a warning if
/// that fails.
fn copy_for_worker(file: &Path) -> Option<String> {
    let folder = env::var_os(WORKER_OUTPUT).filter(|dir| !dir.is_empty())?;
    let folder = PathBuf::from(folder).join("output");
    let target = folder.join(file.file_name()?);
    let copied = fs::create_dir_all(&folder).and_then(|()| fs::copy(file, &target));
    copied.err().map(|error| format!("no copy was left at {}: {error}", target.display()))
}
