//! `loopdeck loop log --follow`: new events as they come.

use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::log::{event_json, row};
use crate::cli::call::{Answer, Call, stdout_page};
use crate::cli::errors::{Fault, Result};
use crate::core::loops::ids::LoopId;
use crate::core::text::shown_json;
use crate::engine::{Change, Engine, LogEntry, LogQuery};

/// How often is looked whether anybody still reads.
const LOOK: Duration = Duration::from_millis(500);

/// Prints the events that there are, then each that comes, until nobody reads
/// any more.
pub(super) fn run(call: &Call, engine: &Engine, id: &LoopId, query: &LogQuery) -> Result<Answer> {
    let (news, inbox) = channel();
    let watched = id.clone();
    // Watched before the first look: nothing falls in between.
    let _watch = engine.watch(Box::new(move |change| {
        if matches!(&change, Change::Loop(id) if *id == watched) || change == Change::Loops {
            let _ = news.send(());
        }
    }))?;
    let mut query = query.clone();
    let mut seen = 0;
    loop {
        let log = engine.log(&query)?;
        let fresh: Vec<&LogEntry> = log.entries.iter().filter(|e| e.event.seq > seen).collect();
        if let Some(last) = fresh.last() {
            seen = last.event.seq;
            if !print(call, engine, id, &fresh)? {
                break;
            }
        }
        query.limit = None;
        if !wait(&inbox) {
            break;
        }
    }
    Ok(call.answer(|| serde_json::Value::Null, |_| {}, Vec::new()))
}

/// Waits for news; whether there may be some, or nobody reads any more.
fn wait(inbox: &std::sync::mpsc::Receiver<()>) -> bool {
    loop {
        match inbox.recv_timeout(LOOK) {
            Ok(()) => return true,
            Err(RecvTimeoutError::Timeout) if !reader_is_gone() => {}
            Err(_) => return false,
        }
    }
}

/// Prints events; whether they could be.
fn print(call: &Call, engine: &Engine, id: &LoopId, events: &[&LogEntry]) -> Result<bool> {
    let text = if call.globals.json {
        let lines: Result<Vec<String>> =
            events.iter().map(|e| Ok(format!("{}\n", event_json(id, &e.event)?))).collect();
        shown_json(&lines?.concat()).into_owned()
    } else {
        let state = engine.load(id)?;
        let now = engine.now();
        let mut page = stdout_page();
        page.table(0, &[4], events.iter().map(|e| row(&e.event, Some(&state), now)).collect());
        page.into_text()
    };
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Fault::new("io", format!("standard output cannot be written: {error}"))),
    }
}

/// Whether standard output is a pipe whose other end was closed.
#[cfg(unix)]
fn reader_is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = PollFlags::ERR | PollFlags::HUP;
    poll(&mut fds, Some(&at_once)).is_ok_and(|n| n > 0) && fds[0].revents().intersects(gone)
}

/// Whether standard output is a pipe whose other end was closed: seen only when
/// something is written.
#[cfg(not(unix))]
fn reader_is_gone() -> bool {
    false
}
