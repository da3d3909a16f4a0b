//! Signals, and a terminal that goes away.

use std::io;

use tokio::sync::mpsc::UnboundedSender;

use crate::tui::msg::Msg;

use super::Error;

/// The terminal went away.
pub(super) const GONE: Error = Error::Ended { name: "the end of its terminal", status: 129 };

/// What an interrupt is called.
pub(super) const INTERRUPT: &str = "SIGINT";

#[cfg(unix)]
mod unix {
    use super::{Error, GONE, INTERRUPT, Msg, UnboundedSender, io};
    use rustix::event::{PollFd, PollFlags, poll};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// The signals that end the deck, or wake it after a stop from outside.
    pub(in super::super) struct Signals {
        terminate: Signal,
        hang_up: Signal,
        interrupt: Signal,
        go_on: Signal,
    }

    impl Signals {
        /// Listens.
        pub fn new() -> io::Result<Self> {
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                hang_up: signal(SignalKind::hangup())?,
                interrupt: signal(SignalKind::interrupt())?,
                go_on: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            })
        }

        /// Stops the deck and all that was started with it, so that the shell
        /// gets its turn; returns when somebody lets it go on. SIGSTOP, because
        /// a SIGTSTP that a program sends to its own group is dropped where no
        /// shell waits. The stop may come a moment after the call returns:
        /// that it goes on is what is waited for.
        pub async fn stop(&mut self) {
            use rustix::process::{Signal, kill_current_process_group};
            if kill_current_process_group(Signal::STOP).is_ok() {
                self.go_on.recv().await;
            }
        }

        /// The error that ends the deck, or none when it was stopped and goes on.
        pub async fn next(&mut self) -> Option<Error> {
            tokio::select! {
                _ = self.terminate.recv() => {
                    Some(Error::Ended { name: "SIGTERM", status: 143 })
                }
                _ = self.hang_up.recv() => Some(GONE),
                _ = self.interrupt.recv() => Some(Error::Ended { name: INTERRUPT, status: 130 }),
                _ = self.go_on.recv() => None,
            }
        }
    }

    /// Tells when the terminal hangs up. The reader of events would spin on a
    /// terminal that is gone; poll reports it without being asked for anything.
    pub(in super::super) fn watch_hang_up(messages: UnboundedSender<Msg>) {
        let watch = move || {
            let stdin = io::stdin();
            let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
            loop {
                match poll(&mut watched, None) {
                    Err(rustix::io::Errno::INTR) => {}
                    Ok(_) if watched[0].revents().is_empty() => {}
                    Ok(_) => break,
                    Err(_) => return,
                }
            }
            let _ = messages.send(Msg::HungUp);
        };
        // Without the thread the deck still ends by SIGHUP or at the next frame.
        let _ = std::thread::Builder::new().name("terminal-watch".to_owned()).spawn(watch);
    }
}

#[cfg(not(unix))]
mod other {
    use super::{Error, Msg, UnboundedSender, io};

    /// There are no signals here that the deck could listen to.
    pub(in super::super) struct Signals;

    impl Signals {
        /// Listens to nothing.
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        /// There is no background to go to.
        pub async fn stop(&mut self) {}

        /// Never comes.
        pub async fn next(&mut self) -> Option<Error> {
            std::future::pending().await
        }
    }

    /// The reader of events tells by itself.
    pub(in super::super) fn watch_hang_up(_: UnboundedSender<Msg>) {}
}

#[cfg(not(unix))]
pub(super) use other::{Signals, watch_hang_up};
#[cfg(unix)]
pub(super) use unix::{Signals, watch_hang_up};
