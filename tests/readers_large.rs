//! A log of any size is read in constant memory. Alone in its program, so that
//! nothing else's memory is counted.

use loopdeck::runner::readers::Readers;

/// Megabytes of a log that goes through the readers.
const LARGE: usize = 200;

#[test]
fn a_log_of_200_megabytes_is_read_in_constant_memory() {
    let mut piece = String::new();
    while piece.len() < 1_000_000 {
        let n = piece.len();
        piece.push_str(&format!(
            "2026-03-01T12:00:00Z INFO worker-{n}: handled request {n} in 3ms\n"
        ));
        if n % 1_000 < 60 {
            piece.push_str(&format!("test module::case_{n} ... ok\n"));
        }
    }
    let cases = piece.matches("... ok").count() as u64;
    let mut readers = Readers::of(&["cargo".to_owned(), "test".to_owned()]);
    readers.feed("running 9 tests\n");
    readers.feed(&piece);
    let before = resident();
    for _ in 1..LARGE {
        readers.feed(&piece);
    }
    let grown = resident().zip(before).map(|(after, before)| after.saturating_sub(before));
    assert!(grown.is_none_or(|kilobytes| kilobytes < 30 * 1024), "{grown:?} KiB more");
    let reading = readers.finish(Some(101)).expect("recognised");
    assert_eq!((reading.passed, reading.cut), (Some(cases * LARGE as u64), true));
    readers.feed("test result: FAILED. 7 passed; 2 failed; 0 ignored; 0 measured\n");
    assert_eq!(readers.finish(Some(101)).expect("recognised").failed, Some(2));
}

/// Kilobytes of this process that are in memory, where the system says it.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
