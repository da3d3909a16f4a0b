//! Journals as files: what is read back after crashes, editors and newer versions.

use loopdeck::seam::fs::File;
use std::fs;
use std::path::PathBuf;

use loopdeck::core::loops::EventBody;
use loopdeck::core::loops::model::Actor;
use loopdeck::core::text::sha256_hex;
use loopdeck::core::time::Timestamp;
use loopdeck::store::Flush;
use loopdeck::store::journal::{
    Commit, Draft, FaultKind, Journal, LONGEST_LINE, Position, RequestMark, Scanned, commit_at,
    newest, scan,
};

struct Fixture {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

/// A journal with `commits` commits of one or two events, every third with a request.
fn fixture(commits: u64) -> Fixture {
    let dir = tempfile::tempdir().expect("temporary folder");
    let path = dir.path().join("journal.jsonl");
    let mut journal = Journal::open_or_create(&path, Flush::No).expect("made");
    let mut end = Position::default();
    for n in 0..commits {
        (end, _) = append(&mut journal, &end, n);
    }
    Fixture { _dir: dir, path }
}

fn append(journal: &mut Journal, end: &Position, n: u64) -> (Position, Commit) {
    let pause = EventBody::Paused { reason: Some(format!("café № {n}\u{2028}\"quoted\"")) };
    let events = if n.is_multiple_of(2) { vec![pause] } else { vec![pause, EventBody::Resumed {}] };
    let request = RequestMark { id: format!("req-{n}"), body_sha256: "ab".repeat(32) };
    let draft = Draft {
        at: Timestamp::from_millis(1_772_366_400_000 + i64::try_from(n).expect("small")),
        by: &Actor::Operator,
        request: n.is_multiple_of(3).then_some(&request),
        events: &events,
    };
    journal.append(end, &draft).expect("appended")
}

impl Fixture {
    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).expect("readable")
    }

    fn put(&self, bytes: impl AsRef<[u8]>) {
        fs::write(&self.path, bytes).expect("written");
    }

    fn scan(&self) -> (Vec<Commit>, Scanned) {
        let mut commits = Vec::new();
        let file = File::open(&self.path).expect("opened");
        let scanned = scan(&file, &self.path, &Position::default(), |c| commits.push(c));
        (commits, scanned.expect("readable"))
    }

    /// Edits the text of one line, from 0.
    fn edit(&self, line: usize, edit: impl Fn(&str) -> String) {
        let text = String::from_utf8(self.bytes()).expect("text");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[line] = edit(&lines[line]);
        self.put(lines.join("\n") + "\n");
    }
}

#[test]
fn a_line_has_the_documented_form() {
    let journal = fixture(2);
    let text = String::from_utf8(journal.bytes()).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "{\"v\":1,\"first_seq\":1,\"last_seq\":1,\"at\":\"2026-03-01T12:00:00.000Z\",\
         \"by\":\"operator\",\"request\":{\"id\":\"req-0\",\"body_sha256\":\"AB\"},\"prev\":null,\
         \"events\":[{\"seq\":1,\"kind\":\"paused\",\"reason\":\"café № 0\u{2028}\\\"quoted\\\"\"}]}"
            .replace("AB", &"ab".repeat(32))
    );
    let prev = format!("\"request\":null,\"prev\":\"{}\"", sha256_hex(lines[0].as_bytes()));
    assert!(lines[1].contains(&prev), "{}", lines[1]);
    assert!(lines[1].starts_with("{\"v\":1,\"first_seq\":2,\"last_seq\":3,"), "{}", lines[1]);
}

#[test]
fn what_was_appended_is_read_back_whole_or_from_any_commit_on() {
    let journal = fixture(7);
    let (commits, scanned) = journal.scan();
    assert_eq!(commits.len(), 7);
    assert_eq!(scanned.end.seq, 10);
    assert_eq!(scanned.end.offset, journal.bytes().len() as u64);
    assert!(scanned.fault.is_none() && scanned.tail.is_none() && scanned.breaks.is_empty());

    let file = File::open(&journal.path).expect("opened");
    let mut writer = Journal::open(&journal.path, Flush::No).expect("opened");
    let (end, written) = append(&mut writer, &scanned.end, 7);
    let mut read = Vec::new();
    let onwards = scan(&file, &journal.path, &scanned.end, |c| read.push(c)).expect("readable");
    assert_eq!(read, [written]);
    assert_eq!(onwards.end, end);
}

#[test]
fn cut_at_every_byte_of_its_last_lines_it_has_all_commits_before() {
    let journal = fixture(4);
    let bytes = journal.bytes();
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1).collect();
    for cut in ends[1]..=bytes.len() {
        journal.put(&bytes[..cut]);
        let (commits, scanned) = journal.scan();
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(commits.len(), whole, "cut at {cut}");
        assert_eq!(scanned.fault, None, "cut at {cut}");
        let tail = cut - ends[whole - 1];
        assert_eq!(scanned.tail.map_or(0, |t| t.length), tail as u64, "cut at {cut}");

        // The next writer sets the tail aside, whole, and goes on (flushing at
        // every single byte would make the test slow without finding more).
        if cut % 11 != 0 && cut != bytes.len() {
            continue;
        }
        let mut writer = Journal::open(&journal.path, Flush::No).expect("opened");
        if let Some(tail) = scanned.tail {
            let now = Timestamp::from_millis(1_772_366_400_000);
            let copy = writer.set_aside(tail, now).expect("set aside");
            assert_eq!(fs::read(&copy).expect("readable"), &bytes[ends[whole - 1]..cut]);
            let name = copy.file_name().and_then(|n| n.to_str()).expect("a name");
            assert!(name.starts_with("journal.tail-20260301T120000000Z"), "{name}");
        }
        append(&mut writer, &scanned.end, 9);
        let (commits, scanned) = journal.scan();
        assert_eq!(commits.len(), whole + 1, "cut at {cut}");
        assert!(scanned.breaks.is_empty() && scanned.tail.is_none(), "cut at {cut}");
    }
}

#[test]
fn nuls_at_the_end_are_a_tail_and_in_the_middle_damage() {
    let journal = fixture(3);
    let bytes = journal.bytes();
    for end in [&b"\0\0\0\0"[..], b"\0\0\0\0\n", b"{\"v\":1,\0\0\0}\n"] {
        journal.put([&bytes[..], end].concat());
        let (commits, scanned) = journal.scan();
        assert_eq!((commits.len(), scanned.fault), (3, None), "{end:?}");
        assert_eq!(scanned.tail.map(|t| t.length), Some(end.len() as u64), "{end:?}");
    }
    let first = bytes.iter().position(|b| *b == b'\n').expect("a line") + 1;
    journal.put([&bytes[..first], b"\0\0\0\n", &bytes[first..]].concat());
    let (commits, scanned) = journal.scan();
    assert_eq!(commits.len(), 1);
    assert_eq!(scanned.fault.map(|f| (f.kind, f.line)), Some((FaultKind::Damaged, 2)));
}

#[test]
fn crlf_and_a_byte_order_mark_change_nothing() {
    let journal = fixture(3);
    let before = journal.scan();
    let text = String::from_utf8(journal.bytes()).expect("text");
    journal.put(format!("\u{feff}{}", text.replace('\n', "\r\n")));
    let (commits, scanned) = journal.scan();
    assert_eq!(commits, before.0);
    assert!(scanned.fault.is_none() && scanned.breaks.is_empty());
    assert_eq!(scanned.end.line_sha256, before.1.end.line_sha256);

    let mut writer = Journal::open(&journal.path, Flush::No).expect("opened");
    append(&mut writer, &scanned.end, 3);
    let (commits, scanned) = journal.scan();
    assert_eq!((commits.len(), scanned.breaks), (4, Vec::new()));
}

#[test]
fn damage_stops_it_at_the_commit_before_and_says_where() {
    type Edit = fn(&str) -> String;
    let cases: [(&str, Edit); 6] = [
        ("garbage", |_| "garbage".to_owned()),
        ("an empty line", |_| String::new()),
        ("half a line", |line| line[..line.len() / 2].to_owned()),
        ("a foreign object", |_| "{}".to_owned()),
        ("a seq twice", |line| line.replace("\"seq\":3", "\"seq\":2")),
        ("events that were numbered before", |line| {
            line.replace("_seq\":2", "_seq\":1").replace("_seq\":3", "_seq\":2")
        }),
    ];
    for (name, edit) in cases {
        for (commits, line) in [(4, 1), (2, 1)] {
            let journal = fixture(commits);
            journal.edit(line, edit);
            let (read, scanned) = journal.scan();
            let fault = scanned.fault.expect(name);
            assert_eq!((fault.kind, fault.line), (FaultKind::Damaged, 2), "{name}");
            assert_eq!((read.len(), scanned.end.seq), (1, 1), "{name}");
            let error = fault.error(&journal.path);
            assert_eq!(error.code(), "damaged");
            assert!(error.to_string().contains("line 2"), "{error}");
        }
    }
}

#[test]
fn what_a_newer_version_wrote_is_read_up_to_there() {
    for (edit, word) in [
        (("\"v\":1", "\"v\":2"), "format 2"),
        (("\"kind\":\"paused\"", "\"kind\":\"teleported\""), "teleported"),
    ] {
        let journal = fixture(3);
        journal.edit(1, |line| line.replace(edit.0, edit.1));
        let (read, scanned) = journal.scan();
        let fault = scanned.fault.expect("a newer line");
        assert_eq!((read.len(), fault.kind, fault.line), (1, FaultKind::Newer, 2));
        let error = fault.error(&journal.path);
        assert_eq!(error.code(), "newer_format");
        assert!(error.to_string().contains(word), "{error}");
    }
    let journal = fixture(3);
    journal.edit(1, |line| {
        line.replace("\"kind\":\"paused\"", "\"optional\":true,\"kind\":\"teleported\"")
    });
    let (read, scanned) = journal.scan();
    assert_eq!((read.len(), scanned.fault), (3, None));
    assert_eq!(read[1].events[0].body.kind(), "teleported");
}

#[test]
fn an_edited_line_is_a_warning_and_the_next_commit_chains_to_what_is_there() {
    let journal = fixture(4);
    journal.edit(1, |line| line.replace("café", "coffee"));
    let (commits, scanned) = journal.scan();
    assert_eq!((commits.len(), scanned.fault), (4, None));
    assert_eq!(scanned.breaks, [3]);
    journal.edit(3, |line| line.replace("café", "tea"));
    let (_, scanned) = journal.scan();
    let mut writer = Journal::open(&journal.path, Flush::No).expect("opened");
    append(&mut writer, &scanned.end, 4);
    assert_eq!(journal.scan().1.breaks, [3]);
}

#[test]
fn a_line_taken_out_is_a_warning_too() {
    let journal = fixture(4);
    let text = String::from_utf8(journal.bytes()).expect("text");
    let kept: Vec<&str> = text.lines().enumerate().filter(|(i, _)| *i != 1).map(|l| l.1).collect();
    journal.put(kept.join("\n") + "\n");
    let (commits, scanned) = journal.scan();
    assert_eq!((commits.len(), scanned.fault, scanned.breaks), (3, None, vec![2]));
}

#[test]
fn any_event_is_found_without_an_index() {
    let journal = fixture(60);
    let (commits, scanned) = journal.scan();
    let file = File::open(&journal.path).expect("opened");
    for commit in &commits {
        for seq in commit.first_seq..=commit.last_seq {
            let found = commit_at(&file, &journal.path, scanned.end.offset, seq).expect("read");
            let found = found.expect("there");
            assert_eq!((&found.events, found.last_seq), (&commit.events, commit.last_seq));
        }
    }
    for seq in [0, scanned.end.seq + 1] {
        assert_eq!(commit_at(&file, &journal.path, scanned.end.offset, seq).expect("read"), None);
    }
}

#[test]
fn the_newest_commits_are_read_from_the_end() {
    let journal = fixture(20);
    let (commits, scanned) = journal.scan();
    let file = File::open(&journal.path).expect("opened");
    let mut read = Vec::new();
    newest(&file, &journal.path, scanned.end.offset, |commit| {
        read.push(commit.last_seq);
        read.len() < 3
    })
    .expect("readable");
    let expected: Vec<u64> = commits.iter().rev().take(3).map(|c| c.last_seq).collect();
    assert_eq!(read, expected);
    newest(&file, &journal.path, scanned.end.offset, |commit| {
        read.push(commit.last_seq);
        true
    })
    .expect("readable");
    assert_eq!(read.len(), 3 + 20);
}

/// A file of holes, or of zeros after a crash of the disk, is not read into memory whole.
#[test]
fn a_line_that_never_ends_is_read_up_to_a_bound_and_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("journal.jsonl");
    let file = File::create(&path).expect("made");
    file.set_len(LONGEST_LINE * 40).expect("holes");
    let file = File::open(&path).expect("open");
    let scanned = scan(&file, &path, &Position::default(), |_| panic!("there is no commit"));
    let fault = scanned.expect("read").fault.expect("it is told");
    assert_eq!((fault.kind, fault.line), (FaultKind::Damaged, 1));
    assert!(fault.reason.contains("longer than 256 MiB"), "{}", fault.reason);
}
