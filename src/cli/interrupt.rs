//! Interrupts while a command runs on the person's behalf.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::engine::Cancel;

/// The command has a process group of its own, so an interrupt from the terminal
/// reaches only this program: it is handed on as calling the run off. Returns once
/// interrupts are caught: one that came before would end this program, and leave
/// the command running.
pub fn cancel_on_signals(cancel: Cancel) {
    let (caught, wait) = channel();
    thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(async {
            interrupted(caught).await;
            cancel.cancel();
        });
    });
    // An end without a word means that nothing can be caught here.
    let _ = wait.recv();
}

#[cfg(unix)]
async fn interrupted(caught: Sender<()>) {
    use tokio::signal::unix::{SignalKind, signal};
    let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut streams: Vec<_> = wanted.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    let _ = caught.send(());
    let waits = streams.iter_mut().map(|stream| Box::pin(stream.recv()));
    futures_util::future::select_all(waits).await;
}

#[cfg(not(unix))]
async fn interrupted(caught: Sender<()>) {
    let _ = caught.send(());
    let _ = tokio::signal::ctrl_c().await;
}
