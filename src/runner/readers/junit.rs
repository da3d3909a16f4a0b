//! JUnit XML, from files and from what a command says.
//!
//! Such documents may be of any size, and what tests printed stands in them. So
//! only tags are looked at, one at a time (quick-xml reads each); texts, CDATA
//! and comments are passed over as they come.

use quick_xml::Reader as XmlReader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::{Found, Sure};
use crate::core::session::Reading;

/// Bytes of a tag at most; what is longer is none.
const LONGEST_TAG: usize = 64 * 1024;
/// With what the results in such a document begin.
pub(super) const START: &str = "<testsuite";

#[derive(Default)]
pub(super) struct Junit {
    open: bool,
    /// How many suites are open.
    depth: u32,
    skipping: Option<&'static str>,
    pending: String,
    seen: bool,
    finished: bool,
    /// What the tests' own elements say.
    seen_counts: Counts,
    /// What the outermost elements that count say: some tests have no element,
    /// and some elements are no tests.
    told: Counts,
    /// How deep an element that counts is open.
    told_at: Option<u32>,
    /// Whether there was such an element, whether a test stood outside of one, and
    /// whether they say how many were skipped.
    told_any: bool,
    untold: bool,
    told_skipped: bool,
    /// What is known of the test that is open.
    case: Option<Case>,
    named: Reading,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    tests: u64,
    failed: u64,
    errors: u64,
    skipped: u64,
}

impl Counts {
    fn passed(self) -> u64 {
        self.tests.saturating_sub(self.failed + self.errors + self.skipped)
    }
}

#[derive(Default)]
struct Case {
    name: String,
    counted: bool,
}

impl Junit {
    /// Whether a document is being read: then all text is part of it.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// A document begins.
    pub(super) fn open(&mut self) {
        self.open = true;
        self.depth = 0;
        self.skipping = None;
        self.pending.clear();
    }

    /// Takes in text of a document up to its end. Says how much of it that was.
    pub(super) fn feed(&mut self, text: &str) -> usize {
        let kept = self.pending.len();
        self.pending.push_str(text);
        let used = self.tags();
        if self.open {
            self.pending.drain(..used);
            return text.len();
        }
        self.pending.clear();
        used.saturating_sub(kept).max(1).min(text.len())
    }

    /// Takes in text of a file, which may hold several suites.
    pub(super) fn feed_file(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            self.open = true;
            let mut used = self.feed(rest);
            while !rest.is_char_boundary(used) {
                used += 1;
            }
            rest = &rest[used..];
        }
    }

    /// What the documents came to.
    pub(super) fn found(&self) -> Option<Found> {
        if !self.seen {
            return None;
        }
        let counts = self.counts();
        let mut reading = self.named.clone();
        reading.parser = "junit".into();
        reading.failed = Some(counts.failed);
        reading.errors = Some(counts.errors);
        reading.skipped = Some(counts.skipped);
        reading.passed = Some(counts.passed());
        reading.cut = !self.finished;
        Found::new(Sure::Machine, reading)
    }

    /// What counts: what the elements around the tests say, where they say it of
    /// all, else the tests' own.
    fn counts(&self) -> Counts {
        let (told, seen) = (self.told, self.seen_counts);
        if !self.told_any || self.untold {
            return seen;
        }
        let skipped = if self.told_skipped { told.skipped } else { seen.skipped };
        let mut counts = Counts { skipped, ..told };
        if self.finished {
            // A package that doesn't build is an error and no test; a test that is
            // still to be written is an element and not counted.
            let passed = told.tests.saturating_sub(told.failed + skipped).min(seen.passed());
            counts.tests = passed + told.failed + told.errors + skipped;
        }
        counts
    }

    /// Reads the tags that are whole. Says how many bytes are done with.
    fn tags(&mut self) -> usize {
        let pending = std::mem::take(&mut self.pending);
        let mut at = 0;
        while at < pending.len() && self.open {
            let rest = &pending[at..];
            if let Some(end) = self.skipping {
                match rest.find(end) {
                    Some(found) => {
                        at += found + end.len();
                        self.skipping = None;
                        continue;
                    }
                    None => {
                        // The end itself may be cut.
                        at = floor(&pending, pending.len().saturating_sub(end.len()).max(at));
                        break;
                    }
                }
            }
            let Some(found) = memchr::memchr(b'<', rest.as_bytes()) else {
                at = pending.len();
                break;
            };
            at += found;
            let rest = &pending[at..];
            match tag(rest) {
                Tag::Skip(end, length) => {
                    self.skipping = Some(end);
                    at += length;
                }
                Tag::Whole(length) => {
                    self.tag(&rest[..length]);
                    at += length;
                }
                Tag::NotYet if rest.len() > LONGEST_TAG => at += 1,
                Tag::NotYet => break,
            }
        }
        self.pending = pending;
        at
    }

    fn tag(&mut self, tag: &str) {
        let mut reader = XmlReader::from_str(tag);
        let config = reader.config_mut();
        (config.check_end_names, config.allow_unmatched_ends) = (false, true);
        match reader.read_event() {
            Ok(Event::Start(start)) => self.begin(&start, false),
            Ok(Event::Empty(start)) => self.begin(&start, true),
            Ok(Event::End(end)) => self.end(end.local_name().as_ref()),
            _ => {}
        }
    }

    fn begin(&mut self, start: &BytesStart<'_>, empty: bool) {
        match start.local_name().as_ref() {
            "testsuites" | "testsuite" => {
                self.seen = true;
                self.depth += 1;
                self.tell(start);
                if empty {
                    self.end("testsuite");
                }
            }
            "testcase" => {
                self.seen_counts.tests += 1;
                self.untold |= self.told_at.is_none();
                self.seen = true;
                self.case = (!empty).then(|| Case { name: name_of(start), counted: false });
            }
            "failure" => self.count(|counts| &mut counts.failed, true),
            "error" => self.count(|counts| &mut counts.errors, true),
            "skipped" => self.count(|counts| &mut counts.skipped, false),
            _ => {}
        }
    }

    /// Counts the open test, once: it may fail in several ways.
    fn count(&mut self, which: impl FnOnce(&mut Counts) -> &mut u64, bad: bool) {
        let Some(case) = &mut self.case else { return };
        if std::mem::replace(&mut case.counted, true) {
            return;
        }
        if bad {
            let name = std::mem::take(&mut case.name);
            self.named.name(&name);
        }
        *which(&mut self.seen_counts) += 1;
    }

    /// Takes in what an element says of all within it.
    fn tell(&mut self, start: &BytesStart<'_>) {
        if self.told_at.is_some() {
            return;
        }
        let number = |name| attribute(start, name)?.trim().parse::<u64>().ok();
        let Some(tests) = number("tests") else { return };
        self.told_at = Some(self.depth);
        self.told_any = true;
        self.told.tests += tests;
        self.told.failed += number("failures").unwrap_or(0);
        self.told.errors += number("errors").unwrap_or(0);
        let skipped = number("skipped").or_else(|| number("disabled"));
        self.told_skipped |= skipped.is_some();
        self.told.skipped += skipped.unwrap_or(0);
    }

    fn end(&mut self, name: &str) {
        match name {
            "testcase" => self.case = None,
            "testsuites" | "testsuite" => {
                if self.told_at == Some(self.depth) {
                    self.told_at = None;
                }
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.finished = true;
                    self.open = false;
                }
            }
            _ => {}
        }
    }
}

/// How a file's text is written.
#[derive(Clone, Copy)]
enum Form {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
}

/// Makes text of a file's bytes, piece by piece: UTF-8, or UTF-16 where a byte
/// order mark says so.
#[derive(Default)]
pub(super) struct Decoder {
    rest: Vec<u8>,
    form: Option<Form>,
}

impl Decoder {
    /// The text of the next bytes; what is cut waits for those that follow.
    pub(super) fn decoded(&mut self, bytes: &[u8], last: bool) -> String {
        self.rest.extend_from_slice(bytes);
        let form = *self.form.get_or_insert_with(|| match self.rest.get(..2) {
            Some([0xff, 0xfe]) => Form::Utf16(u16::from_le_bytes),
            Some([0xfe, 0xff]) => Form::Utf16(u16::from_be_bytes),
            _ => Form::Utf8,
        });
        let length = match form {
            // Four bytes may be one character.
            Form::Utf16(_) if !last => self.rest.len() / 4 * 4,
            Form::Utf16(_) => self.rest.len() / 2 * 2,
            Form::Utf8 => match std::str::from_utf8(&self.rest) {
                Err(error) if error.error_len().is_none() && !last => error.valid_up_to(),
                _ => self.rest.len(),
            },
        };
        let whole: Vec<u8> = self.rest.drain(..length).collect();
        match form {
            Form::Utf16(unit) => {
                let units = whole.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
                let decoded = char::decode_utf16(units);
                decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
            Form::Utf8 => String::from_utf8_lossy(&whole).into_owned(),
        }
    }
}

enum Tag {
    /// It begins what is passed over up to this end.
    Skip(&'static str, usize),
    /// It ends after so many bytes.
    Whole(usize),
    /// More of it has to come.
    NotYet,
}

/// What a text that begins with `<` begins.
fn tag(text: &str) -> Tag {
    for (begin, end) in [("<![CDATA[", "]]>"), ("<!--", "-->")] {
        if text.starts_with(begin) {
            return Tag::Skip(end, begin.len());
        }
        if begin.starts_with(text) {
            return Tag::NotYet;
        }
    }
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().take(LONGEST_TAG + 1) {
        match (quote, byte) {
            (None, b'>') => return Tag::Whole(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if byte == open => quote = None,
            _ => {}
        }
    }
    Tag::NotYet
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).ok().flatten()?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}

fn name_of(start: &BytesStart<'_>) -> String {
    let name = attribute(start, "name").unwrap_or_default();
    match attribute(start, "classname").filter(|class| !class.is_empty() && *class != name) {
        Some(class) => format!("{class}::{name}"),
        None => name,
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
