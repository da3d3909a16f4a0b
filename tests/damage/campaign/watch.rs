//! Ends the process where one case takes too long: a reader that waits for a pipe
//! or never finishes would hang the campaign without a word.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Watches over one case at a time.
pub struct Watch {
    now: Arc<Mutex<(String, Instant)>>,
    over: Arc<AtomicBool>,
}

impl Watch {
    /// Begins; a case may take as long as `limit`.
    pub fn start(limit: Duration) -> Self {
        let now = Arc::new(Mutex::new((String::new(), Instant::now())));
        let over = Arc::new(AtomicBool::new(false));
        let (seen, ended) = (Arc::clone(&now), Arc::clone(&over));
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                let (case, since) = seen.lock().expect("nobody panics holding it").clone();
                if since.elapsed() > limit && !ended.load(Ordering::Relaxed) {
                    eprintln!("hangs for more than {limit:?} on {case}");
                    std::process::abort();
                }
            }
        });
        Self { now, over }
    }

    /// Says which case begins now.
    pub fn at(&self, case: &str) {
        *self.now.lock().expect("nobody panics holding it") = (case.to_owned(), Instant::now());
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
