//! Workers that have ended: which, how, and what they left, as far as their runs are
//! kept.

use std::path::Path;

use super::super::api::Result;
use super::super::inner::{Engine, Inner};
use super::reply::{self, Found};
use super::{Worker, WorkerLife};
use crate::core::loops::attempt::{Attempt, Evidence, ReviewVerdict, awaits};
use crate::core::loops::command::Content;
use crate::core::loops::model::Loop;

/// Loops whose workers are looked for, those that were worked on last.
const LOOPS: usize = 50;

impl Engine {
    /// The workers that have ended and that nobody waits for any more, the newest
    /// first, at most so many. Writes nothing.
    ///
    /// # Errors
    /// `io`.
    pub fn ended_workers(&self, most: usize) -> Result<Vec<Worker>> {
        let (mut listed, _) = self.inner.listed()?;
        listed.retain(|one| self.inner.layout.loop_files(&one.summary.id).runs().is_dir());
        listed.sort_by_key(|one| std::cmp::Reverse(one.summary.updated_at));
        let mut workers = Vec::new();
        for one in listed.iter().take(LOOPS) {
            // One that can't be read hides none of the others.
            let Ok(view) = self.inner.view(&one.summary.id) else { continue };
            let state = &view.state;
            let attempts = state.ledger.attempts.values();
            let all = attempts.map(|attempt| (attempt, self.inner.worker_of(state, attempt)));
            let ended = all.filter(|(attempt, worker)| {
                worker.started_at.is_some() && !self.inner.is_listed(state, attempt, worker)
            });
            workers.extend(ended.map(|(_, worker)| worker));
        }
        workers.sort_by(|a, b| {
            b.started_at.cmp(&a.started_at).then_with(|| a.turn_id.cmp(&b.turn_id))
        });
        workers.truncate(most);
        Ok(workers)
    }

    /// What a worker replied, in words, with its secrets taken out; none if no reply is
    /// kept.
    pub fn run_reply(&self, run_dir: &Path, worktree: Option<&Path>) -> Option<String> {
        let folders: Vec<&Path> = std::iter::once(run_dir).chain(worktree).collect();
        match reply::look(&folders, &self.inner.redactor()) {
            Found::Nothing => None,
            Found::Reply(_, evidence) => Some(in_words(&evidence)),
            Found::Bad { why, .. } => Some(format!("Its reply is none: {why}")),
        }
    }
}

impl Inner {
    /// Whether the list of those at work names a worker.
    pub(super) fn is_listed(&self, state: &Loop, attempt: &Attempt, worker: &Worker) -> bool {
        let open = state.attempts_open().chain(state.attempts_shut_out());
        let open = open.into_iter().any(|one| one.turn_id == attempt.turn_id);
        let awaited = attempt.turn(state).is_some_and(|turn| awaits(state, turn));
        open && (awaited || worker.process == WorkerLife::Alive)
    }
}

fn in_words(evidence: &Evidence) -> String {
    let mut out = vec![format!("It replied: {}", evidence.outcome)];
    out.extend(evidence.summary.clone());
    if let Some(verdict) = &evidence.verdict {
        let word = match verdict {
            ReviewVerdict::Approve => "approve",
            ReviewVerdict::RequestChanges => "request changes",
        };
        out.push(format!("Verdict: {word}"));
    }
    out.extend(evidence.review_summary.clone());
    for artifact in &evidence.artifacts {
        let body = match &artifact.content {
            Content::Body(body) => body.text.clone(),
            Content::File(file) => format!("in {}", file.reference),
            _ => "without a text".to_owned(),
        };
        out.push(format!("{}: {body}", artifact.artifact_type));
    }
    out.join("\n\n")
}
