//! What is kept of a stream that may never end: its head and its tail.

use std::collections::VecDeque;

/// Bytes that are kept of the beginning of a stream.
const HEAD_BYTES: usize = 4 * 1024;
/// Bytes that are kept of the end of a stream.
const TAIL_BYTES: usize = 64 * 1024;

/// Head and tail of one stream, secrets replaced. Its size doesn't grow with
/// what was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: String,
    /// Whether something came that the head has no room for.
    full: bool,
    tail: VecDeque<String>,
    tail_bytes: usize,
    /// Bytes in all.
    pub total_bytes: u64,
}

impl Captured {
    /// Takes a piece of text in, in the order in which it was said.
    pub(super) fn push(&mut self, text: &str) {
        self.total_bytes += text.len() as u64;
        if !self.full && self.head.len() + text.len() <= HEAD_BYTES {
            self.head.push_str(text);
            return;
        }
        self.full = true;
        self.tail_bytes += text.len();
        self.tail.push_back(text.to_owned());
        while self.tail_bytes > TAIL_BYTES
            && let Some(oldest) = self.tail.pop_front()
        {
            self.tail_bytes -= oldest.len();
        }
    }

    /// The first few KiB.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Bytes between head and tail that were not kept.
    pub fn missing_bytes(&self) -> u64 {
        self.total_bytes - (self.head.len() + self.tail_bytes) as u64
    }

    /// The end of what was said, at most `max_bytes` of it, cut between
    /// characters.
    pub fn last(&self, max_bytes: usize) -> String {
        let mut text = if self.missing_bytes() == 0 { self.head.clone() } else { String::new() };
        self.tail.iter().for_each(|piece| text.push_str(piece));
        let mut from = text.len().saturating_sub(max_bytes);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        text.split_off(from)
    }
}
