//! The thread that a verify command is run from.

use std::thread::Builder;

use tokio::sync::mpsc::UnboundedSender;

use crate::core::loops::ids::LoopId;
use crate::core::session::SessionId;
use crate::engine::{Cancel, Engine, Error, RunDraft, Said, Write};
use crate::tui::app::run::Output;
use crate::tui::msg::{Answer, Msg};

use super::newest::Newest;
use super::worker::{Shared, THREADS, guarded};

/// What a run needs of the deck.
pub(super) struct Runs {
    pub shared: Shared,
    pub answers: UnboundedSender<Msg>,
    pub logs: std::path::PathBuf,
    /// The newest run; only one is started at a time.
    pub newest: Newest,
}

impl Runs {
    /// Runs a loop's command on a thread of its own: reading and changing go on.
    pub fn start(&self, loop_id: LoopId, cancel: Cancel, output: Output) {
        let (id, off) = (loop_id.clone(), cancel.clone());
        let run = move |engine: &Engine, hear: &mut dyn FnMut(Said<'_>)| {
            let result = engine.verify(&id, &Write::operator(), &off, hear);
            result.map(Box::new)
        };
        self.spawn(cancel, output, run, move |result| Answer::Verified(loop_id, result));
    }

    /// Runs a command as an attempt, likewise.
    pub fn start_attempt(&self, id: SessionId, draft: RunDraft, cancel: Cancel, output: Output) {
        let (session, off) = (id.clone(), cancel.clone());
        let run = move |engine: &Engine, hear: &mut dyn FnMut(Said<'_>)| {
            let result = engine.run_attempt(&session, &draft, &Write::operator(), &off, hear);
            result.map(Box::new)
        };
        self.spawn(cancel, output, run, move |result| Answer::Ran(id, result));
    }

    fn spawn<T: Send + 'static>(
        &self,
        cancel: Cancel,
        output: Output,
        run: impl FnOnce(&Engine, &mut dyn FnMut(Said<'_>)) -> Result<T, Error> + Send + 'static,
        answer: impl FnOnce(Result<T, Error>) -> Answer + Clone + Send + 'static,
    ) {
        let (shared, answers, logs) =
            (self.shared.clone(), self.answers.clone(), self.logs.clone());
        let told = answer.clone();
        let thread = Builder::new().name(format!("{THREADS}run")).spawn(move || {
            let result = guarded(&logs, || {
                run(&shared.get()?, &mut |said| {
                    if output.push_all(said.lines()) {
                        let _ = answers.send(Msg::RunOutput);
                    }
                })
            });
            let _ = answers.send(Msg::Answer(told(result)));
        });
        match thread {
            Ok(thread) => self.newest.is(cancel, thread),
            Err(error) => {
                let error = Error::new("io", format!("no thread to run it: {error}"));
                let _ = self.answers.send(Msg::Answer(answer(Err(error))));
            }
        }
    }
}
