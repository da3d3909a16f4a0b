//! What happened: the events of one loop or of all.

use std::collections::VecDeque;
use std::sync::Arc;

use super::api::{Log, LogEntry, LogQuery, Result};
use super::inner::{Engine, Inner};
use super::list::Listed;
use super::loops::problems_of;
use crate::core::loops::Event;
use crate::core::loops::ids::LoopId;
use crate::core::time::Timestamp;
use crate::store::journal::{Commit, newest};
use crate::store::{self};

impl Engine {
    /// Events, of one loop (oldest first) or of all (newest first); with a limit
    /// the newest so many.
    ///
    /// # Errors
    /// As [`Engine::load`] for one loop; `io` if the folder of all cannot be read.
    pub fn log(&self, query: &LogQuery) -> Result<Log> {
        self.log_as(query, |entry| entry)
    }

    /// As [`Engine::log`], but of each event is kept only what `row` makes of it:
    /// whole events carry texts and protocols that a long list has no use for.
    ///
    /// # Errors
    /// As [`Engine::log`].
    pub fn log_as<T>(&self, query: &LogQuery, row: impl Fn(LogEntry) -> T) -> Result<Log<T>> {
        match &query.loop_id {
            Some(id) => self.inner.log_of(id, query, row),
            None => self.inner.log_of_all(query, row),
        }
    }
}

/// Events of one journal, newest first, as far as they are wanted.
struct Selection {
    /// The wanted ones.
    events: Vec<Event>,
    /// How many match, wanted or not.
    matching: usize,
}

impl Inner {
    fn log_of<T>(
        &self,
        id: &LoopId,
        query: &LogQuery,
        row: impl Fn(LogEntry) -> T,
    ) -> Result<Log<T>> {
        let view = self.view(id)?;
        let end = view.position.offset;
        let selected = self.select(id, end, view.position.seq, query, |_| true)?;
        let title: Arc<str> = view.state.title.as_str().into();
        let entry = |event| row(LogEntry { loop_id: id.clone(), title: Arc::clone(&title), event });
        Ok(Log {
            entries: selected.events.into_iter().rev().map(entry).collect(),
            total: selected.matching,
            problems: problems_of(&self.layout.loop_files(id), &view),
        })
    }

    fn log_of_all<T>(&self, query: &LogQuery, row: impl Fn(LogEntry) -> T) -> Result<Log<T>> {
        let (listed, problems) = self.listed()?;
        let mut log = Log { problems, ..Log::default() };
        let limit = query.limit.unwrap_or(usize::MAX);
        // Loops come newest change first: once there are enough events, only
        // newer ones than the oldest of these are of interest.
        let mut newest_so_far: VecDeque<(Timestamp, T)> = VecDeque::new();
        for one in &listed {
            let oldest_wanted = match newest_so_far.len() >= limit {
                true => newest_so_far.back().map(|(at, _)| *at),
                false => None,
            };
            let wanted = |event: &Event| oldest_wanted.is_none_or(|at| event.at > at);
            match self.select_listed(one, query, wanted) {
                Ok(selected) => {
                    log.total += selected.matching;
                    merge(&mut newest_so_far, one, selected.events, limit, &row);
                }
                Err(error) => {
                    log.problems
                        .push(error.problem(self.layout.loop_files(&one.summary.id).journal()));
                }
            }
        }
        log.entries = newest_so_far.into_iter().map(|(_, row)| row).collect();
        Ok(log)
    }

    fn select_listed(
        &self,
        one: &Listed,
        query: &LogQuery,
        wanted: impl Fn(&Event) -> bool,
    ) -> Result<Selection> {
        self.select(&one.summary.id, one.end, one.summary.version, query, wanted)
    }

    /// The events of a journal's first `end` bytes that match a query, as long as
    /// they are wanted. Without a filter nothing is read that is not shown.
    fn select(
        &self,
        id: &LoopId,
        end: u64,
        version: u64,
        query: &LogQuery,
        wanted: impl Fn(&Event) -> bool,
    ) -> Result<Selection> {
        let path = self.layout.loop_files(id).journal();
        let file = store::plain::open(&path).map_err(|source| store::Error::read(&path, source))?;
        let limit = query.limit.unwrap_or(usize::MAX);
        let counts_all = query.kind.is_some() || query.by.is_some();
        let mut selection = Selection { events: Vec::new(), matching: 0 };
        let mut open = true;
        newest(&file, &path, end, |commit: Commit| {
            for event in commit.events.into_iter().rev().filter(|event| matches(query, event)) {
                selection.matching += 1;
                open = open && selection.events.len() < limit && wanted(&event);
                if open {
                    selection.events.push(event);
                }
            }
            counts_all || (open && selection.events.len() < limit)
        })?;
        if !counts_all {
            selection.matching = usize::try_from(version).unwrap_or(usize::MAX);
        }
        Ok(selection)
    }
}

fn matches(query: &LogQuery, event: &Event) -> bool {
    query.kind.as_deref().is_none_or(|kind| event.body.kind() == kind)
        && query.by.as_ref().is_none_or(|by| event.by == *by)
}

/// Puts the events of one loop, newest first, among those of others.
fn merge<T>(
    all: &mut VecDeque<(Timestamp, T)>,
    one: &Listed,
    events: Vec<Event>,
    limit: usize,
    row: impl Fn(LogEntry) -> T,
) {
    if events.is_empty() {
        return;
    }
    let title: Arc<str> = one.summary.title.as_str().into();
    let id = &one.summary.id;
    let entry = |event: Event| {
        (event.at, row(LogEntry { loop_id: id.clone(), title: Arc::clone(&title), event }))
    };
    all.extend(events.into_iter().map(entry));
    // Stable: within one loop and moment the order of the journal stays.
    all.make_contiguous().sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    all.truncate(limit);
}
