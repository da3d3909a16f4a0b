//! Damaged files of every format (store.md, "Every other file"; field-notes.md,
//! "Lost or damaged data").

mod campaign;

use std::time::Duration;

use campaign::{Plan, run};

fn holds(formats: fn(&str) -> bool) {
    let report = run(Plan { formats, ..Plan::quick() });
    println!("{} damaged files, {} repairs", report.total(), report.repairs);
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
    assert!(report.total() > 150 && report.repairs > 10, "{report:?}");
}

fn is_of_a_loop(format: &str) -> bool {
    ["journal", "summary", "lock note", "snapshot", "body", "request", "lock"].contains(&format)
}

fn is_noted(format: &str) -> bool {
    ["session", "record", "dream", "trigger", "marks"].contains(&format)
}

#[test]
fn a_loop_whose_files_are_damaged_hides_no_other_and_loses_nothing() {
    holds(is_of_a_loop);
}

#[test]
fn damaged_sessions_records_and_dreams_are_told_and_hide_nothing() {
    holds(is_noted);
}

fn is_of_a_worker(format: &str) -> bool {
    format.starts_with("worker") || format == "reply"
}

fn is_the_persons(format: &str) -> bool {
    ["approvals", "place", "draft", "keys", "deck settings", "theme"].contains(&format)
}

#[test]
fn damaged_files_of_workers_are_told_and_a_spoilt_reply_is_turned_away_and_kept() {
    holds(is_of_a_worker);
}

#[test]
fn damaged_files_of_the_person_are_told_and_stop_nothing() {
    holds(is_the_persons);
}

#[test]
fn damaged_settings_protocols_and_memory_are_told_and_hide_nothing() {
    holds(|format| {
        let elsewhere = [is_of_a_loop, is_noted, is_of_a_worker, is_the_persons];
        !elsewhere.iter().any(|is_there| is_there(format))
    });
}

/// All wounds, for `cargo test --test damage -- --ignored`; minutes long.
#[test]
#[ignore = "takes minutes; the torture example runs it too"]
fn the_long_campaign() {
    let report = run(Plan::long(1, Duration::from_secs(600)));
    println!("{report:#?}");
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
}
