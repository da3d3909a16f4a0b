//! What was said in passing: short notes at the lower right.

use crate::core::time::Timestamp;

/// How long a note stays, in milliseconds.
const STAYS_MS: i64 = 5_000;
/// How many notes stay in view.
const KEPT: usize = 4;

/// How a note is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Done,
    /// Something wants a look.
    Warning,
    /// Something failed. Stays until Esc.
    Failure,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// How it is meant.
    pub tone: Tone,
    /// What it says.
    pub text: String,
    /// When it goes; a failure stays.
    pub until: Option<Timestamp>,
}

/// The notes in view, newest last.
#[derive(Clone, Debug, Default)]
pub struct Toasts {
    notes: Vec<Toast>,
}

impl Toasts {
    /// Says something. What is already in view is not said twice.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>, now: Timestamp) {
        let text = text.into();
        self.notes.retain(|note| note.text != text);
        let until = (tone != Tone::Failure).then(|| now.plus_millis(STAYS_MS));
        self.notes.push(Toast { tone, text, until });
        let over = self.notes.len().saturating_sub(KEPT);
        self.notes.drain(..over);
    }

    /// The notes in view.
    pub fn notes(&self) -> &[Toast] {
        &self.notes
    }

    /// Takes away what has been there long enough.
    pub fn expire(&mut self, now: Timestamp) {
        self.notes.retain(|note| note.until.is_none_or(|until| until > now));
    }

    /// Takes all away; whether there was one that stays until then.
    pub fn dismiss(&mut self) -> bool {
        let any = self.notes.iter().any(|note| note.until.is_none());
        self.notes.clear();
        any
    }

    /// In how many milliseconds the next one goes.
    pub fn ends_in(&self, now: Timestamp) -> Option<i64> {
        self.notes.iter().filter_map(|n| n.until).map(|until| until.since(now).max(1)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_go_by_themselves_and_failures_stay() {
        let now = Timestamp::from_millis(0);
        let mut toasts = Toasts::default();
        toasts.say(Tone::Done, "added", now);
        toasts.say(Tone::Done, "added", now);
        toasts.say(Tone::Failure, "disk full", now);
        assert_eq!(toasts.notes().len(), 2);
        assert_eq!(toasts.ends_in(now), Some(STAYS_MS));
        toasts.expire(now.plus_millis(STAYS_MS));
        assert_eq!(toasts.notes().len(), 1);
        assert_eq!(toasts.ends_in(now), None);
        assert!(toasts.dismiss());
        assert!(!toasts.dismiss());
    }
}
