//! What an attempt showed, and how much of it is kept (sessions.md, "Records").

use super::record::record;
use super::{Json, ObservationId, Source};

/// Bytes of `raw_text` at most, the line that says what is missing included.
pub const RAW_CAP: usize = 16_384;
/// Bytes of the beginning that are kept of a longer text.
pub const RAW_HEAD: usize = 4_096;
/// What `exit_code` says where there was none.
pub const NO_EXIT_CODE: i64 = -1;

record! {
    /// What an attempt showed.
    Observation {
        /// Its id.
        observation_id: ObservationId;
        /// Where it comes from.
        source: Source = Source::ProcessStdout;
        /// What was said, at most 16,384 bytes of it.
        raw_text: String = String::new();
        /// The status of the command; −1 if there was none.
        exit_code: i64 = NO_EXIT_CODE;
        /// How long it took, in milliseconds.
        duration_ms: u64 = 0;
        /// What was recognised in it.
        structured_data: Json = Json::default();
        /// Whether `raw_text` is not all that was said.
        truncated: bool = false;
        /// Bytes of what was said.
        original_bytes: u64 = 0;
    }
}

impl Observation {
    /// An observation of a text, cut if need be.
    pub fn new(observation_id: ObservationId, source: Source, text: &str) -> Self {
        let mut made = Self {
            observation_id,
            source,
            raw_text: String::new(),
            exit_code: NO_EXIT_CODE,
            duration_ms: 0,
            structured_data: Json::default(),
            truncated: false,
            original_bytes: text.len() as u64,
            extra: Vec::new(),
        };
        (made.raw_text, made.truncated) = capped(text);
        made
    }

    fn settled(mut self) -> Self {
        if self.original_bytes == 0 && !self.truncated {
            self.original_bytes = self.raw_text.len() as u64;
        }
        self
    }
}

/// A text as it is kept, and whether that is not all of it.
pub fn capped(text: &str) -> (String, bool) {
    capped_parts(&text[..cut_down(text, RAW_HEAD)], text, text.len() as u64)
}

/// What is kept of a text of which only a head and a tail are at hand (they may
/// overlap). `total` is the number of its bytes.
pub fn capped_parts(head: &str, tail: &str, total: u64) -> (String, bool) {
    if total <= RAW_CAP as u64 && total == tail.len() as u64 {
        return (tail.to_owned(), false);
    }
    let head = &head[..cut_down(head, RAW_HEAD)];
    let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let room = RAW_CAP - head.len() - gap.len();
    // The number's width depends on how much of the end is kept, hardly.
    let mut kept = room.saturating_sub(mark(total).len());
    for _ in 0..3 {
        let from = cut_up(tail, tail.len().saturating_sub(kept));
        let missing = total.saturating_sub((head.len() + tail.len() - from) as u64);
        let mark = mark(missing);
        let whole = mark.len() + tail.len() - from;
        if whole > room {
            kept -= whole - room;
        } else if from > 0 && whole < room && kept < room - mark.len() {
            kept = room - mark.len();
        } else {
            return (format!("{head}{gap}{mark}{}", &tail[from..]), true);
        }
    }
    let from = cut_up(tail, tail.len().saturating_sub(room.saturating_sub(mark(total).len())));
    let missing = total.saturating_sub((head.len() + tail.len() - from) as u64);
    (format!("{head}{gap}{}{}", mark(missing), &tail[from..]), true)
}

/// The line that says how much is missing.
fn mark(missing: u64) -> String {
    format!("[… {missing} bytes are left out here …]\n")
}

/// The nearest boundary between characters at or before a place.
fn cut_down(text: &str, mut at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The nearest boundary between characters at or after a place.
fn cut_up(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
