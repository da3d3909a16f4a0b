//! What is kept of a stream that may never end: its head and its tail.

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
    /// The end, and perhaps as much again of what came before it: so it is
    /// moved seldom.
    tail: String,
    /// Bytes in all.
    pub total_bytes: u64,
}

impl Captured {
    /// Takes a piece of text in, in the order in which it was said.
    pub(super) fn push(&mut self, text: &str) {
        self.total_bytes += text.len() as u64;
        let rest = self.fill_head(text);
        if rest.len() >= TAIL_BYTES {
            self.tail.clear();
            self.tail.push_str(end_of(rest, TAIL_BYTES));
            return;
        }
        self.tail.push_str(rest);
        if self.tail.len() > 2 * TAIL_BYTES {
            let from = self.tail.len() - end_of(&self.tail, TAIL_BYTES).len();
            self.tail.drain(..from);
        }
    }

    /// Takes what the head has room for. Returns the rest.
    fn fill_head<'a>(&mut self, text: &'a str) -> &'a str {
        if self.full {
            return text;
        }
        let mut at = text.len().min(HEAD_BYTES - self.head.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        self.head.push_str(&text[..at]);
        self.full = at < text.len();
        &text[at..]
    }

    /// The first few KiB.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// What is kept of the rest.
    fn tail(&self) -> &str {
        end_of(&self.tail, TAIL_BYTES)
    }

    /// Bytes between head and tail that were not kept.
    pub fn missing_bytes(&self) -> u64 {
        self.total_bytes - (self.head.len() + self.tail().len()) as u64
    }

    /// The end of what was said, at most `max_bytes` of it, cut between
    /// characters; all of it where all was kept.
    pub fn last(&self, max_bytes: usize) -> String {
        let head = if self.missing_bytes() == 0 { self.head() } else { "" };
        let mut text = format!("{head}{}", self.tail());
        let from = text.len() - end_of(&text, max_bytes).len();
        text.split_off(from)
    }
}

/// The last bytes of a text, cut between characters.
fn end_of(text: &str, max_bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(max_bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_what_they_would_be_however_the_pieces_come() {
        let text: String = (0..60_000).map(|n| format!("{n} ä\n")).collect();
        let mut whole = Captured::default();
        whole.push(&text);
        for size in [7, 4_096, 65_536, 70_001] {
            let mut pieces = Captured::default();
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let mut at = size.min(rest.len());
                while !rest.is_char_boundary(at) {
                    at += 1;
                }
                pieces.push(&rest[..at]);
                rest = &rest[at..];
            }
            assert_eq!(pieces.head(), whole.head());
            assert_eq!(pieces.tail(), whole.tail());
            assert_eq!(pieces.missing_bytes(), whole.missing_bytes());
        }
        assert!(whole.last(100).len() <= 100 && text.ends_with(&whole.last(100)));
        assert_eq!(
            whole.head().len() as u64 + whole.missing_bytes() + whole.tail().len() as u64,
            text.len() as u64
        );
    }
}
