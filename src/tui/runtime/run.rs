//! The thread that a verify command is run from.

use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::UnboundedSender;

use crate::core::loops::ids::LoopId;
use crate::engine::{Cancel, Write};
use crate::tui::app::run::Output;
use crate::tui::msg::{Answer, Msg};

use super::worker::{Shared, THREADS, guarded};

/// What a run needs of the deck.
pub(super) struct Runs {
    pub shared: Shared,
    pub answers: UnboundedSender<Msg>,
    pub logs: std::path::PathBuf,
    /// The newest run; only one is started at a time.
    pub newest: Mutex<Option<(Cancel, JoinHandle<()>)>>,
}

impl Runs {
    /// Runs a loop's command on a thread of its own: reading and changing go on.
    pub fn start(&self, loop_id: LoopId, cancel: Cancel, output: Output) {
        let (shared, answers, logs) =
            (self.shared.clone(), self.answers.clone(), self.logs.clone());
        let (id, off) = (loop_id.clone(), cancel.clone());
        let thread = Builder::new().name(format!("{THREADS}verify")).spawn(move || {
            let result = guarded(&logs, || {
                shared.get()?.verify(&id, &Write::operator(), &off, |said| {
                    for line in said.lines() {
                        if output.push(line.to_owned()) {
                            let _ = answers.send(Msg::RunOutput);
                        }
                    }
                })
            });
            let _ = answers.send(Msg::Answer(Answer::Verified(id, result.map(Box::new))));
        });
        match thread {
            Ok(thread) => *self.newest() = Some((cancel, thread)),
            Err(error) => {
                let error =
                    crate::engine::Error::new("io", format!("no thread to run it: {error}"));
                let _ = self.answers.send(Msg::Answer(Answer::Verified(loop_id, Err(error))));
            }
        }
    }

    /// Ends the run that is under way and waits for that: no command outlives the
    /// deck.
    pub fn end(&self) {
        let newest = self.newest().take();
        if let Some((cancel, thread)) = newest {
            cancel.cancel();
            // A fault in the thread was reported when it happened.
            let _ = thread.join();
        }
    }

    fn newest(&self) -> std::sync::MutexGuard<'_, Option<(Cancel, JoinHandle<()>)>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
