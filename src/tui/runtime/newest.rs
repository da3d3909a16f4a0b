//! The newest of the things that run on a thread of their own, one at a time: no
//! command and no dream outlives the deck.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::engine::Cancel;

/// What is under way, and how it is called off.
#[derive(Default)]
pub(super) struct Newest(Mutex<Option<(Cancel, JoinHandle<()>)>>);

impl Newest {
    /// Remembers what was started.
    pub fn is(&self, cancel: Cancel, thread: JoinHandle<()>) {
        *self.held() = Some((cancel, thread));
    }

    /// Ends what is under way and waits for that.
    pub fn end(&self) {
        let newest = self.held().take();
        if let Some((cancel, thread)) = newest {
            cancel.cancel();
            // A fault in the thread was reported when it happened.
            let _ = thread.join();
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<(Cancel, JoinHandle<()>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
