//! Interrupts while a command runs on the person's behalf.

use std::thread;

use crate::engine::Cancel;

/// The command has a process group of its own, so an interrupt from the terminal
/// reaches only this program: it is handed on as calling the run off.
pub fn cancel_on_signals(cancel: Cancel) {
    thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(async {
            interrupted().await;
            cancel.cancel();
        });
    });
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut streams: Vec<_> = wanted.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    let waits = streams.iter_mut().map(|stream| Box::pin(stream.recv()));
    futures_util::future::select_all(waits).await;
}

#[cfg(not(unix))]
async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
