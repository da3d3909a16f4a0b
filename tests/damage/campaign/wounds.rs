//! The ways in which a file is broken.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::world::{Role, Syntax, Target};

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A sample that takes seconds.
    Quick,
    /// Every byte of small files, many flips, lines of 100 MB.
    Long,
}

/// What stands where the file stood.
#[derive(Clone, Debug)]
pub enum State {
    /// A file with these bytes.
    Bytes(Vec<u8>),
    /// A link to somewhere.
    Link(PathBuf),
    /// A link to a file outside of the workspace that holds what the file held.
    LinkOutside,
    /// A folder.
    Folder,
    /// A pipe that nobody writes into.
    Pipe,
    /// Nothing.
    Gone,
}

/// What may be asked of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It says the same in other bytes: read as before, nothing to say.
    Harmless,
    /// It can't be meant: told, wherever the file is no free text.
    Broken,
    /// It may make sense, of another kind: if it makes none, that is told.
    Altered,
}

/// Formats that are not read any more once they did their work.
const UNREAD: [&str; 4] = ["worker job", "worker brief", "lock", "naming lock"];

/// Formats of small files with one reader each: half a sample is enough.
const SMALL: [&str; 7] =
    ["approvals", "place", "draft", "keys", "deck settings", "theme", "worker status"];

/// One way.
#[derive(Clone, Debug)]
pub struct Wound {
    /// In words.
    pub name: String,
    /// What stands there.
    pub state: State,
    /// What may be asked.
    pub kind: Kind,
}

/// The wounds of one file.
pub struct Wounds<'a> {
    target: &'a Target,
    depth: Depth,
    random: Random,
    found: Vec<Wound>,
}

/// A small generator of numbers: the same seed, the same campaign.
pub struct Random(u64);

impl Random {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or(0)
    }
}

impl<'a> Wounds<'a> {
    /// The wounds of a file that are deep or long beyond all measure.
    pub fn huge(target: &'a Target, depth: Depth) -> Vec<Wound> {
        let mut wounds = Self { target, depth, random: Random::new(1), found: Vec::new() };
        wounds.beyond_measure();
        wounds.found
    }

    /// All its other wounds, as far as the depth goes.
    pub fn of(target: &'a Target, depth: Depth, seed: u64) -> Vec<Wound> {
        let mut wounds = Self { target, depth, random: Random::new(seed), found: Vec::new() };
        wounds.places();
        wounds.wholes();
        // What nobody reads again is read no better for a bit that turned.
        if depth == Depth::Quick && UNREAD.contains(&target.format) {
            return wounds.found;
        }
        wounds.cuts();
        wounds.flips();
        wounds.lines();
        wounds.leaves();
        wounds.numbers();
        if depth == Depth::Quick && SMALL.contains(&target.format) {
            let mut nth = 0;
            wounds.found.retain(|wound| {
                nth += 1;
                nth % 2 == 0 || !matches!(wound.state, State::Bytes(_))
            });
        }
        wounds.found
    }

    fn add(&mut self, name: impl Into<String>, kind: Kind, bytes: Vec<u8>) {
        if bytes != self.target.bytes {
            self.found.push(Wound { name: name.into(), state: State::Bytes(bytes), kind });
        }
    }

    fn place(&mut self, name: &str, kind: Kind, state: State) {
        self.found.push(Wound { name: name.to_owned(), state, kind });
    }

    /// Something else where a file belongs.
    fn places(&mut self) {
        self.place(
            "a link that leads nowhere",
            Kind::Broken,
            State::Link("/nowhere/at/all".into()),
        );
        self.place("a link to itself", Kind::Broken, State::Link(self.target.path.clone()));
        self.place("a link to a device", Kind::Broken, State::Link("/dev/zero".into()));
        self.place("a link to a file outside", Kind::Altered, State::LinkOutside);
        self.place("a folder", Kind::Broken, State::Folder);
        self.place("a pipe", Kind::Broken, State::Pipe);
        self.place("nothing", Kind::Altered, State::Gone);
    }

    /// What happens to whole files.
    fn wholes(&mut self) {
        let bytes = self.target.bytes.clone();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let middle = bytes.len() / 2;
        let inserted = |what: &[u8]| [&bytes[..middle], what, &bytes[middle..]].concat();
        self.add("empty", Kind::Altered, Vec::new());
        self.add("white space", Kind::Altered, b" \r\n\t\n".to_vec());
        self.add("a picture", Kind::Broken, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec());
        self.add("all NULs", Kind::Broken, vec![0; bytes.len()]);
        self.add("another language", Kind::Broken, b"<?xml version=\"1.0\"?><a/>\n".to_vec());
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        self.add("UTF-16", Kind::Broken, [&[0xff, 0xfe][..], &utf16].concat());
        self.add("a NUL inside", Kind::Broken, inserted(b"\0"));
        self.add("bytes that are no UTF-8", Kind::Broken, inserted(b"\xff\xc0\x80"));
        self.add("a lone surrogate", Kind::Broken, inserted(b"\xed\xa0\x80"));
        self.add("an escape sequence", Kind::Altered, inserted(b"\x1b]52;c;aGk=\x07\x1b[2J"));
        // A long text is kept under the hash of its bytes, a log as it was said.
        let exact = self.target.role == Role::Derived
            || ["body", "worker log"].contains(&self.target.format);
        let harmless = if exact { Kind::Altered } else { Kind::Harmless };
        self.add("a byte order mark", harmless, [b"\xef\xbb\xbf", &bytes[..]].concat());
        if !text.contains('\r') {
            self.add("CRLF", harmless, text.replace('\n', "\r\n").into_bytes());
        }
        self.add("twice", Kind::Altered, [&bytes[..], &bytes[..]].concat());
        self.add("something behind it", Kind::Altered, [&bytes[..], b"}]\n"].concat());
    }

    /// What is deep or long beyond all measure.
    fn beyond_measure(&mut self) {
        let bytes = self.target.bytes.clone();
        let middle = bytes.len() / 2;
        let many = if self.depth == Depth::Quick { 5_000 } else { 2_000_000 };
        let all = ["[", "{\"a\":", "a.", "[[a.", "{a=", "(", "+++\n["];
        let some = if self.depth == Depth::Quick { 3 } else { all.len() };
        for deep in &all[..some] {
            self.add(format!("deep {deep}"), Kind::Broken, deep.repeat(many).into_bytes());
        }
        let long = if self.depth == Depth::Quick { 300_000 } else { 100_000_000 };
        let line = vec![b'a'; long];
        self.add("a very long line behind it", Kind::Altered, [&bytes[..], &line, b"\n"].concat());
        self.add(
            "a very long line inside",
            Kind::Altered,
            [&bytes[..middle], &line, &bytes[middle..]].concat(),
        );
    }

    /// Cut off at every byte, or at a sample of them.
    fn cuts(&mut self) {
        let length = self.target.bytes.len();
        let step = match self.depth {
            Depth::Quick => (length / 7).max(1),
            Depth::Long if length <= 4_096 => 1,
            Depth::Long => length / 2_000 + 1,
        };
        let last = [1, 2].map(|n| length.saturating_sub(n));
        for cut in (1..length).step_by(step).chain(last) {
            self.add(
                format!("cut at byte {cut}"),
                Kind::Altered,
                self.target.bytes[..cut].to_vec(),
            );
        }
    }

    fn flips(&mut self) {
        let length = self.target.bytes.len();
        let times = match self.depth {
            _ if length == 0 => 0,
            Depth::Quick => 5,
            Depth::Long => 400,
        };
        for _ in 0..times {
            let (at, bit) = (self.random.below(length), self.random.below(8));
            let mut bytes = self.target.bytes.clone();
            bytes[at] ^= 1 << bit;
            self.add(format!("bit {bit} of byte {at} flipped"), Kind::Altered, bytes);
        }
    }

    /// What merges and editors do to lines.
    fn lines(&mut self) {
        let text = String::from_utf8_lossy(&self.target.bytes).into_owned();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let most = if self.depth == Depth::Quick { 2 } else { 200 };
        let step = (lines.len() / most).max(1);
        for at in (0..lines.len()).step_by(step) {
            let build = |parts: &[&[&str]]| parts.concat().concat().into_bytes();
            let (before, line, after) = (&lines[..at], &lines[at..=at], &lines[at + 1..]);
            let n = at + 1;
            self.add(format!("line {n} twice"), Kind::Altered, build(&[before, line, line, after]));
            self.add(format!("line {n} gone"), Kind::Altered, build(&[before, after]));
            self.add(
                format!("a blank line before {n}"),
                Kind::Altered,
                build(&[before, &["\n"], line, after]),
            );
            let ours = ["<<<<<<< HEAD\n"];
            let theirs = ["=======\n"];
            let end = [">>>>>>> other branch\n"];
            self.add(
                format!("a conflict at line {n}"),
                Kind::Broken,
                build(&[before, &ours, line, &theirs, line, &end, after]),
            );
            if at + 1 < lines.len() {
                let (next, rest) = (&lines[at + 1..at + 2], &lines[at + 2..]);
                self.add(
                    format!("lines {n} and {} changed about", n + 1),
                    Kind::Altered,
                    build(&[before, next, line, rest]),
                );
            }
        }
    }

    /// Every value of the JSON in it in turn replaced by what it shouldn't be.
    fn leaves(&mut self) {
        let lines: Vec<Vec<u8>> = match self.target.syntax {
            Syntax::Json => vec![self.target.bytes.clone()],
            Syntax::Lines => {
                let split = self.target.bytes.split_inclusive(|b| *b == b'\n');
                split.map(<[u8]>::to_vec).collect()
            }
            _ => return,
        };
        let odd = odd_values();
        for at in 0..lines.len() {
            let Ok(value) = serde_json::from_slice::<Value>(&lines[at]) else { continue };
            let mut paths = Vec::new();
            collect(&value, &mut Vec::new(), &mut paths);
            let most = if self.depth == Depth::Quick { 24 / lines.len().min(12) } else { 10_000 };
            let step = (paths.len() / most).max(1);
            let first = self.random.below(step);
            for (nth, path) in paths.iter().enumerate().skip(first).step_by(step) {
                let take = if self.depth == Depth::Quick { 1 } else { odd.len() };
                for turn in 0..take {
                    let which = (nth + at + turn + self.random.below(odd.len())) % odd.len();
                    let mut changed = value.clone();
                    let Some(place) = changed.pointer_mut(path) else { continue };
                    *place = odd[which].clone();
                    let mut line = serde_json::to_vec(&changed).expect("JSON");
                    line.push(b'\n');
                    let mut all = lines.clone();
                    all[at] = line;
                    let name = format!("{path} of line {} is {}", at + 1, short(&odd[which]));
                    self.add(name, Kind::Altered, all.concat());
                }
            }
        }
    }

    /// Every number in it in turn far out of range.
    fn numbers(&mut self) {
        let text = String::from_utf8_lossy(&self.target.bytes).into_owned();
        let huge = [
            "18446744073709551615",
            "-1",
            "1e400",
            "4294967295",
            "99999999999999999999",
            "0",
            "99",
        ];
        let mut spans = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match (c.is_ascii_digit(), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    spans.push((from, at));
                    start = None;
                }
                _ => {}
            }
        }
        let most = if self.depth == Depth::Quick { 7 } else { 600 };
        let step = (spans.len() / most).max(1);
        for (nth, (from, to)) in spans.into_iter().step_by(step).enumerate() {
            let take = if self.depth == Depth::Quick { 1 } else { huge.len() };
            for turn in 0..take {
                let number = huge[(nth + turn) % huge.len()];
                let changed = format!("{}{number}{}", &text[..from], &text[to..]);
                let name = format!("{number} at byte {from}");
                self.add(name, Kind::Altered, changed.into_bytes());
            }
        }
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    text.chars().take(40).collect()
}

/// What no field expects, and every field may get.
fn odd_values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(4_294_967_295_u64),
        json!(1e308),
        json!(0),
        json!(""),
        json!("../../../etc/passwd"),
        json!("CON"),
        json!("__proto__"),
        json!("\u{1b}]0;owned\u{7}\u{202e}\0"),
        json!("no_such_word"),
        json!("9999-12-31T23:59:59.999Z"),
        json!("0000-01-01T00:00:00Z"),
        json!("é".repeat(3_000)),
        json!([]),
        json!({}),
        json!([[[[]]]]),
        json!({"kind": "all", "conditions": []}),
    ]
}

/// Pointers to all values below one.
fn collect(value: &Value, at: &mut Vec<String>, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                at.push(escaped(key));
                found.push(format!("/{}", at.join("/")));
                collect(value, at, found);
                at.pop();
            }
        }
        Value::Array(items) => {
            for (nth, value) in items.iter().enumerate() {
                at.push(nth.to_string());
                found.push(format!("/{}", at.join("/")));
                collect(value, at, found);
                at.pop();
            }
        }
        _ => {}
    }
}
