//! A queue of requests in which a newer question takes the place of an older
//! one about the same thing that nobody has begun to answer.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::tui::msg::Request;

#[derive(Default)]
struct State {
    waiting: VecDeque<Request>,
    closed: bool,
}

/// The queue. One running and the newest waiting request a resource; what
/// changes something is never left out.
#[derive(Default)]
pub(in crate::tui) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

impl Queue {
    /// Adds a request.
    pub fn push(&self, request: Request) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resource) = request.resource() {
            state.waiting.retain(|other| other.resource() != Some(resource));
        }
        state.waiting.push_back(request);
        self.wake.notify_one();
    }

    /// The next request; waits for one. None when the queue was closed and is empty.
    pub fn next(&self) -> Option<Request> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(request) = state.waiting.pop_front() {
                return Some(request);
            }
            if state.closed {
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next request, if one is there.
    #[cfg(test)]
    pub fn try_next(&self) -> Option<Request> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.pop_front()
    }

    /// No more requests come; those that wait are still answered.
    pub fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::loops::ids::LoopId;

    #[test]
    fn only_the_newest_question_about_a_thing_waits() {
        let queue = Queue::default();
        let first = LoopId::derive(&[b"1"]);
        let second = LoopId::derive(&[b"2"]);
        queue.push(Request::Detail(first));
        queue.push(Request::List);
        queue.push(Request::Detail(second.clone()));
        queue.push(Request::RemoveMemory("a".into()));
        queue.push(Request::RemoveMemory("a".into()));
        queue.close();
        let all: Vec<Request> = std::iter::from_fn(|| queue.next()).collect();
        assert_eq!(
            all,
            [
                Request::List,
                Request::Detail(second),
                Request::RemoveMemory("a".into()),
                Request::RemoveMemory("a".into()),
            ]
        );
    }
}
