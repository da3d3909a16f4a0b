//! The thread that a dream is dreamt on, beside reading and changing; and what
//! the Dreams screen asks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use tokio::sync::mpsc::UnboundedSender;

use crate::core::dream::marks::Mark;
use crate::engine::{Cancel, DreamRequest, Engine, Error, Result};
use crate::tui::app::dreams::Progress;
use crate::tui::msg::{Answer, Msg, Outcome, Request};

use super::looks;
use super::newest::Newest;
use super::worker::{Job, Reader, Shared, THREADS, guarded};

/// Steps of the whole in which progress is told.
const STEPS: usize = 50;

/// What a dream needs of the deck.
pub(super) struct DreamRuns {
    pub shared: Shared,
    pub answers: UnboundedSender<Msg>,
    pub logs: std::path::PathBuf,
    /// The newest one; only one is started at a time.
    pub newest: Newest,
}

impl DreamRuns {
    /// None yet.
    pub fn new(job: &Job) -> Self {
        let (shared, answers, logs) = (job.shared.clone(), job.answers.clone(), job.logs.clone());
        Self { shared, answers, logs, newest: Newest::default() }
    }

    /// Dreams on a thread of its own, if that is asked; any other request back.
    pub fn start(&self, request: Request) -> Option<Request> {
        let Request::Dream { by_itself, cancel, progress } = request else { return Some(request) };
        self.begin(by_itself, cancel, progress);
        None
    }

    fn begin(&self, by_itself: bool, cancel: Cancel, progress: Progress) {
        let (shared, answers, logs) =
            (self.shared.clone(), self.answers.clone(), self.logs.clone());
        let off = cancel.clone();
        let thread = Builder::new().name(format!("{THREADS}dream")).spawn(move || {
            let told = AtomicUsize::new(0);
            let pace = |done: usize, total: usize| {
                progress.say(done, total);
                let step = done.saturating_mul(STEPS) / total.max(1);
                if told.swap(step, Ordering::Relaxed) != step {
                    let _ = answers.send(Msg::DreamPace);
                }
                !off.is_cancelled()
            };
            let result = guarded(&logs, || {
                let engine = shared.get()?;
                match by_itself {
                    true => engine.dream_if_due(&pace),
                    false => engine.dream_run(&DreamRequest::default(), &pace),
                }
            });
            let result = result.map(|done| done.map(Box::new));
            let _ = answers.send(Msg::Answer(Answer::Dreamt { by_itself, result }));
        });
        match thread {
            Ok(thread) => self.newest.is(cancel, thread),
            Err(error) => {
                let result = Err(Error::new("io", format!("no thread to dream on: {error}")));
                let _ = self.answers.send(Msg::Answer(Answer::Dreamt { by_itself, result }));
            }
        }
    }
}

/// Marks an insight, or takes its mark away.
pub(super) fn mark(engine: &Engine, id: &str, mark: Option<Mark>) -> Result<Outcome> {
    engine.dream_mark(id, mark).map(|seen| Outcome::Marked(Box::new(seen)))
}

impl Reader {
    /// Answers a request of the Dreams screen.
    pub(super) fn of_dreams(&self, request: Request) -> Option<Answer> {
        Some(match request {
            Request::Dreams(wanted) => {
                let data = self.with(|engine| looks::dreams(engine, wanted.as_deref()));
                Answer::Dreams(data.map(Box::new))
            }
            Request::DreamStatus => {
                Answer::DreamStatus(self.with(|engine| engine.dream_status().map(Box::new)))
            }
            Request::Provenance(id) => {
                let found = self.with(|engine| engine.dream_provenance(&id).map(Box::new));
                Answer::Provenance(id, found)
            }
            Request::WhatIf(suppose) => {
                Answer::WhatIf(self.with(|engine| engine.dream_what_if(&suppose).map(Box::new)))
            }
            Request::RecordFile(path) => {
                let text = self.with(|engine| engine.reward_text(&path));
                Answer::RecordFile(path, text)
            }
            _ => return None,
        })
    }
}
