//! The fold: events in, state out. Total; never fails on a journaled event.

use super::event::{Event, EventBody};
use super::model::Loop;

/// The state after a loop's first event, if that event can begin one.
pub fn begin(_event: &Event) -> Option<Loop> {
    todo!()
}

/// Takes one more event into a loop's state.
pub fn apply(_state: &mut Loop, _event: &Event) {
    todo!()
}

/// The state after some events, oldest first; none if they don't begin a loop.
pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Loop> {
    let mut events = events.into_iter();
    let mut state = begin(events.next()?)?;
    events.for_each(|event| apply(&mut state, event));
    let _ = EventBody::kind;
    Some(state)
}
