//! One line of a journal: a commit as bytes.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{FORMAT, FaultKind, Position};
use crate::core::loops::event::{Event, EventBody, EventError, Wire, read_event};
use crate::core::loops::model::Actor;
use crate::core::text::sha256_hex;
use crate::core::time::Timestamp;

/// The greatest number that an event may have: what every reader of JSON can hold
/// exactly. A greater one is damage, and left no room for the next event.
const MAX_SEQ: u64 = (1 << 53) - 1;

/// The request that a commit answered; a repeat of it changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMark {
    /// The id that the caller gave.
    pub id: String,
    /// SHA-256 of verb and arguments as canonical JSON.
    pub body_sha256: String,
}

/// A commit as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// Its line, from 1.
    pub line: u64,
    /// The seq of its first event.
    pub first_seq: u64,
    /// The seq of its last event.
    pub last_seq: u64,
    /// When it was made.
    pub at: Timestamp,
    /// Who made it.
    pub by: Actor,
    /// The request that it answered.
    pub request: Option<RequestMark>,
    /// SHA-256 of the line before, as its writer saw it.
    pub prev: Option<String>,
    /// What happened.
    pub events: Vec<Event>,
}

/// A commit that is to be written.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// When it is made; never before the commit before it.
    pub at: Timestamp,
    /// Who makes it.
    pub by: &'a Actor,
    /// The request that it answers.
    pub request: Option<&'a RequestMark>,
    /// What happens, at least one event.
    pub events: &'a [EventBody],
}

#[derive(Serialize)]
struct LineOut<'a> {
    v: u64,
    first_seq: u64,
    last_seq: u64,
    at: Timestamp,
    by: &'a Actor,
    request: Option<&'a RequestMark>,
    prev: Option<&'a str>,
    events: Vec<Wire<'a>>,
}

#[derive(Deserialize)]
struct LineIn<'a> {
    v: u64,
    first_seq: u64,
    last_seq: u64,
    at: Timestamp,
    by: Actor,
    #[serde(default)]
    request: Option<RequestMark>,
    #[serde(default)]
    prev: Option<String>,
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Version {
    v: u64,
}

/// The line, line feed included, that puts a commit after a position.
pub(super) fn encode(after: &Position, draft: &Draft<'_>) -> serde_json::Result<Vec<u8>> {
    let first_seq = after.seq + 1;
    let mut line = serde_json::to_vec(&LineOut {
        v: FORMAT,
        first_seq,
        last_seq: after.seq + draft.events.len() as u64,
        at: draft.at,
        by: draft.by,
        request: draft.request,
        prev: after.line_sha256.as_deref(),
        events: (first_seq..).zip(draft.events).map(|(seq, body)| Wire(seq, body)).collect(),
    })?;
    line.push(b'\n');
    Ok(line)
}

/// A line without what editors put around it: the line end (LF or CRLF), and
/// in front of the first line a byte order mark.
pub(super) fn content(bytes: &[u8], is_first: bool) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if is_first => rest,
        _ => bytes,
    }
}

/// Reads the commit of a line that stands at a position, or says why that
/// cannot be done. `content` is the line as [`content`] gives it.
pub(super) fn decode(content: &[u8], at: &Position) -> Result<Commit, (FaultKind, String)> {
    let damaged = |reason: String| (FaultKind::Damaged, reason);
    let text = std::str::from_utf8(content)
        .map_err(|error| damaged(format!("not UTF-8 from byte {}", error.valid_up_to() + 1)))?;
    let raw = match serde_json::from_str::<LineIn<'_>>(text) {
        Ok(raw) if raw.v == FORMAT => raw,
        Ok(raw) => return Err(newer(raw.v)),
        Err(error) => {
            check_version(text)?;
            return Err(damaged(format!("not a commit: {error}")));
        }
    };
    let expected = raw.last_seq.checked_sub(raw.first_seq).and_then(|n| n.checked_add(1));
    let fits = raw.first_seq > at.seq && raw.last_seq <= MAX_SEQ;
    if expected != Some(raw.events.len() as u64) || !fits {
        return Err(damaged(format!(
            "its events are numbered {} to {} ({} of them) after event {}",
            raw.first_seq,
            raw.last_seq,
            raw.events.len(),
            at.seq
        )));
    }
    let mut events = Vec::with_capacity(raw.events.len());
    for (expected, json) in (raw.first_seq..).zip(&raw.events) {
        let (seq, body) = read_event(json.get()).map_err(|error| match error {
            EventError::UnknownKind { .. } => (FaultKind::Newer, error.to_string()),
            EventError::Malformed(_) => damaged(error.to_string()),
        })?;
        if seq != expected {
            return Err(damaged(format!("event {expected} is numbered {seq}")));
        }
        events.push(Event { seq, at: raw.at, by: raw.by.clone(), body });
    }
    Ok(Commit {
        line: at.lines + 1,
        first_seq: raw.first_seq,
        last_seq: raw.last_seq,
        at: raw.at,
        by: raw.by,
        request: raw.request,
        prev: raw.prev,
        events,
    })
}

fn newer(v: u64) -> (FaultKind, String) {
    (FaultKind::Newer, format!("format {v}, this version knows format {FORMAT}"))
}

fn check_version(text: &str) -> Result<(), (FaultKind, String)> {
    match serde_json::from_str::<Version>(text) {
        Ok(Version { v: FORMAT }) => Ok(()),
        Ok(Version { v }) => Err(newer(v)),
        Err(error) => Err((FaultKind::Damaged, format!("not a commit: {error}"))),
    }
}

/// The place after a line that stands at a position.
pub(super) fn advance(at: &Position, bytes: u64, content: &[u8], commit: &Commit) -> Position {
    Position {
        offset: at.offset + bytes,
        line_start: at.offset,
        lines: at.lines + 1,
        seq: commit.last_seq,
        at: Some(commit.at),
        line_sha256: Some(sha256_hex(content)),
    }
}
