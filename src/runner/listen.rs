//! Listening to a command: both its streams, on threads of their own, in pieces
//! of whole lines.
//!
//! A command that prints without end is to cost little more than it costs
//! itself. So a piece is as much as was there to be read, its buffer goes back to
//! the thread that fills it, and no line is looked at here unless a secret may be
//! in it.

use std::io::{self, PipeReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::{Redactor, Stream};

/// Bytes that are read at once.
const CHUNK: usize = 128 * 1024;
/// Bytes that a pipe is asked to hold, so that the command seldom waits.
#[cfg(target_os = "linux")]
const PIPE: usize = 1024 * 1024;
/// Pieces of a stream that wait to be taken in.
const WAITING: usize = 4;
/// Bytes of a line that are waited for; a longer one is handed on in pieces.
const LONGEST_LINE: usize = 16 * 1024;
/// Bytes of such a piece that wait for the next one: a secret may begin there.
const HELD_BACK: usize = 2 * 1024;

/// Some whole lines.
pub(super) struct Piece {
    /// Where they were said.
    pub stream: Stream,
    /// What was said.
    pub text: String,
    back: Sender<Vec<u8>>,
}

impl Piece {
    /// Gives the buffer back to be filled again.
    pub fn give_back(self) {
        let _ = self.back.send(self.text.into_bytes());
    }
}

/// Reads both streams on threads of their own. The channel is bounded, so a
/// command that says more than is taken in has to wait. A thread whose stream is
/// held open by somebody ends with the next byte there.
pub(super) fn listen_to(
    child: &mut Child,
    together: Option<PipeReader>,
    redactor: &Redactor,
) -> Receiver<Piece> {
    let (sender, pieces) = sync_channel(WAITING);
    if let Some(both) = together {
        let listener = Listener::new(Stream::Stdout, redactor, &sender);
        thread::spawn(move || listener.read(both));
    }
    if let Some(stdout) = child.stdout.take() {
        let listener = Listener::new(Stream::Stdout, redactor, &sender);
        thread::spawn(move || listener.read(stdout));
    }
    if let Some(stderr) = child.stderr.take() {
        let listener = Listener::new(Stream::Stderr, redactor, &sender);
        thread::spawn(move || listener.read(stderr));
    }
    pieces
}

/// Makes pieces of bytes.
struct Listener {
    stream: Stream,
    redactor: Redactor,
    to: SyncSender<Piece>,
    back: (Sender<Vec<u8>>, Receiver<Vec<u8>>),
}

impl Listener {
    fn new(stream: Stream, redactor: &Redactor, to: &SyncSender<Piece>) -> Self {
        Self { stream, redactor: redactor.clone(), to: to.clone(), back: channel() }
    }

    /// Reads to the end, or until nobody listens.
    fn read(self, from: impl Source) {
        from.widen();
        let mut buffer = Vec::with_capacity(CHUNK);
        loop {
            let before = buffer.len();
            match from.read_onto(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            }
            let end = memchr::memrchr(b'\n', &buffer[before..]).map(|at| before + at + 1);
            let heard = match end {
                Some(end) => {
                    let rest = self.empty(&buffer[end..]);
                    buffer.truncate(end);
                    self.send(std::mem::replace(&mut buffer, rest))
                }
                None if buffer.len() >= LONGEST_LINE => {
                    let piece = std::mem::replace(&mut buffer, self.empty(&[]));
                    match self.send_all_but_the_end(piece) {
                        Some(rest) => {
                            buffer.extend_from_slice(&rest);
                            true
                        }
                        None => false,
                    }
                }
                None => true,
            };
            if !heard {
                return;
            }
        }
        if !buffer.is_empty() {
            self.send(buffer);
        }
    }

    /// An empty buffer with room, in which `begin` stands.
    fn empty(&self, begin: &[u8]) -> Vec<u8> {
        let mut buffer = self.back.1.try_recv().unwrap_or_default();
        buffer.clear();
        buffer.reserve(CHUNK.max(begin.len() + CHUNK / 4));
        buffer.extend_from_slice(begin);
        buffer
    }

    /// Hands on a part of a very long line, but for some bytes at its end, in
    /// which a secret may have begun: those are given back. None if nobody
    /// listens.
    fn send_all_but_the_end(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let whole = whole_characters(&bytes);
        let mut text = self.redactor.redacted(String::from_utf8_lossy(&bytes[..whole]));
        let mut at = text.len().saturating_sub(HELD_BACK);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let mut rest = text.split_off(at).into_bytes();
        rest.extend_from_slice(&bytes[whole..]);
        self.hand_on(text).then_some(rest)
    }

    /// Hands on all of some bytes. Says whether somebody listens.
    fn send(&self, bytes: Vec<u8>) -> bool {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let text = match self.redactor.is_idle() {
            true => text,
            false => self.redactor.redacted(text.into()),
        };
        self.hand_on(text)
    }

    fn hand_on(&self, text: String) -> bool {
        let back = self.back.0.clone();
        self.to.send(Piece { stream: self.stream, text, back }).is_ok()
    }
}

/// The length of some bytes without a character that is not all there.
fn whole_characters(bytes: &[u8]) -> usize {
    let end = bytes.len();
    for back in 1..=3.min(end) {
        let byte = bytes[end - back];
        if byte & 0b1100_0000 == 0b1100_0000 {
            let needs = if byte >= 0xf0 {
                4
            } else if byte >= 0xe0 {
                3
            } else {
                2
            };
            return if needs > back { end - back } else { end };
        }
        if byte < 0x80 {
            break;
        }
    }
    end
}

/// What can be listened to.
trait Source: Send + 'static {
    /// Reads once, behind what the buffer holds.
    fn read_onto(&self, buffer: &mut Vec<u8>) -> io::Result<usize>;
    /// Makes room between the command and its reader, where that can be had.
    fn widen(&self) {}
}

#[cfg(unix)]
impl<T: std::os::fd::AsFd + Send + 'static> Source for T {
    fn read_onto(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        buffer.reserve(CHUNK / 4);
        Ok(rustix::io::read(self, rustix::buffer::spare_capacity(buffer))?)
    }

    fn widen(&self) {
        // More than the system grants is no fault: the pipe stays as it is.
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(self, PIPE);
    }
}

#[cfg(not(unix))]
impl<T> Source for T
where
    for<'a> &'a T: io::Read,
    T: Send + 'static,
{
    fn read_onto(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        use io::Read;
        let before = buffer.len();
        buffer.resize(before + CHUNK / 4, 0);
        let read = (&*self).read(&mut buffer[before..]);
        buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_kept_whole() {
        for text in ["ä", "a日", "🦀", "x"] {
            let bytes = text.as_bytes();
            assert_eq!(whole_characters(bytes), bytes.len(), "{text}");
            let first = text.chars().next().map_or(0, char::len_utf8);
            let last = text.chars().next_back().map_or(0, char::len_utf8);
            if last > 1 {
                let whole = whole_characters(&bytes[..bytes.len() - 1]);
                assert_eq!(whole, bytes.len() - last, "{text} {first}");
            }
        }
        assert_eq!(whole_characters(b"\xff\xfe"), 1);
    }
}
