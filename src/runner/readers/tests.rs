//! Small outputs, one for each thing that readers have to get right; recorded
//! ones are in `tests/readers.rs`.

use super::*;

fn read(text: &str) -> Reading {
    Readers::read(text, Some(1)).unwrap_or_else(|| panic!("not recognised: {text}"))
}

fn counts(text: &str) -> (String, Option<u64>, Option<u64>, Option<u64>) {
    let reading = read(text);
    (reading.parser.to_string(), reading.failed, reading.passed, reading.errors)
}

#[test]
fn prose_is_no_result() {
    for text in [
        "",
        "there were errors and 3 failed attempts, it is ok now\n",
        "ok then\nerrors: none\n",
        "all tests of the engine passed in 2024\n",
        "a test ... that goes on\n",
        "// error handling in a.go: see below\n",
    ] {
        assert_eq!(Readers::read(text, Some(1)), None, "{text}");
    }
}

#[test]
fn a_cut_or_interleaved_cargo_test_is_counted_by_its_lines() {
    let text = "running 3 tests\ntest a ... ok\ntest b_failed ... FAILED\ntest c";
    assert_eq!(counts(text), ("cargo-test".into(), Some(1), Some(1), None));
    assert!(read(text).cut);
    assert_eq!(read(text).names, ["b_failed"]);
}

#[test]
fn names_of_tests_are_no_counts() {
    let text = "running 1 test\ntest three_failed_9_passed ... ok\n\n\
        test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    assert_eq!(counts(text), ("cargo-test".into(), Some(0), Some(1), None));
}

#[test]
fn results_in_xml_are_found_among_other_output() {
    let text = "starting 3 things\n<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"a\">\n\
        <testcase name=\"x\"\n  classname='c'><failure message=\"a &gt; b\"/>\n\
        <system-out><![CDATA[<failure/> error: no\n]]></system-out></testcase>\n\
        <!-- <testcase/> --><testcase name=\"y\"/></testsuite></testsuites>\nerror: later\n";
    assert_eq!(counts(text), ("junit".into(), Some(1), Some(1), Some(0)));
    assert_eq!(read(text).names, ["c::x"]);
    assert!(!read(text).cut);
}

#[test]
fn pieces_of_any_size_give_the_same() {
    let text = "x\n<testsuite><testcase name=\"ä\"><error/></testcase>\
        <testcase name=\"b\"><![CDATA[]]]]></testcase></testsuite>\n\
        test result: FAILED. 1 passed; 2 failed; 0 ignored\n";
    let mut junit = junit::Junit::default();
    for (at, c) in text.char_indices() {
        junit.feed_file(&text[at..at + c.len_utf8()]);
    }
    let by_characters = junit.found().expect("recognised").reading;
    assert_eq!((by_characters.errors, by_characters.passed), (Some(1), Some(1)));
    let mut readers = Readers::of(&[]);
    text.split_inclusive('\n').for_each(|line| readers.feed(line));
    assert_eq!(readers.finish(Some(1)), Readers::read(text, Some(1)));
}

#[test]
fn what_is_missing_is_told_each_once() {
    let text = "sh: 1: frobnicate: not found\nbash: line 1: frobnicate: command not found\n\
        ModuleNotFoundError: No module named 'requests'\nError: Cannot find module 'left-pad'\n";
    let reading = read(text);
    assert_eq!(reading.missing, Some(3));
    assert_eq!(reading.names, ["frobnicate", "requests", "left-pad"]);
}

#[test]
fn no_input_breaks_a_reader() {
    let scraps = [
        "{",
        "[{\"errorCount\":",
        "<testsuite",
        "test ",
        " ... ",
        "ok ",
        "not ok",
        "\u{1b}[",
        "Summary [",
        "--- FAIL:",
        "error[",
        "Tests:",
        "✖ ",
        "😀",
        "\r",
        "\n",
        ": error:",
        "1..",
        "FAILED (",
    ];
    for a in scraps {
        for b in scraps {
            for c in scraps {
                let _ = Readers::read(&format!("{a}{b}{c}"), None);
            }
        }
    }
}
