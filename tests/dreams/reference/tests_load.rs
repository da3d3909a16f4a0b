//! The reference itself, at the traps of reading, skipping and keeping records.

use serde_json::{Value, json};

use super::tests::{file, many, now, run};
use super::*;

#[test]
fn fewer_than_five_is_too_little() {
    let four = many("a", "d p s c", 0.4, 4, 0);
    let outcome = run(&four);
    assert_eq!(
        (outcome.status, outcome.reason.as_str(), outcome.records_analyzed),
        (Status::InsufficientData, "4 of 5", 0)
    );
    assert_eq!(run(&many("a", "d p s c", 0.4, 5, 0)).status, Status::Completed);
    let config = Config { memory_folder: false, ..Config::default() };
    assert_eq!(dream(&four, &[], &[], &config, now()).status, Status::NoData);
}

#[test]
fn more_than_two_hundred_records() {
    let mut files = many("a", "d p s c", 0.9, 150, 0);
    files.extend(many("b", "d p s c", 0.4, 60, 500));
    files.extend(many("c", "d p s c", 0.3, 10, 600));
    let outcome = run(&files);
    assert_eq!((outcome.records_analyzed, outcome.valid_records), (200, 220));
    assert_eq!(outcome.left_out, LeftOut { count: 20, failures: 20 });
    // Of equal rewards the newest stay.
    assert!(outcome.kept.contains(&"b059".into()) && !outcome.kept.contains(&"b009".into()));
    let config = Config { selection: Selection::Newest, ..Config::default() };
    let outcome = dream(&files, &[], &[], &config, now());
    assert_eq!(outcome.left_out, LeftOut { count: 20, failures: 0 });
    let config = Config { selection: Selection::All, ..Config::default() };
    assert_eq!(dream(&files, &[], &[], &config, now()).records_analyzed, 220);
}

#[test]
fn the_first_fault_counts() {
    let fault = |change: &dyn Fn(&mut Value)| {
        let (path, bytes) = file("a d p s c 0.5 0");
        let mut record: Value = serde_json::from_slice(&bytes).unwrap();
        change(&mut record);
        let outcome = run(&[(path, record.to_string().into_bytes())]);
        outcome.skipped.first().map(|(_, fault)| fault.code())
    };
    assert_eq!(fault(&|_| {}), None);
    assert_eq!(fault(&|r| r["domain"] = json!(" ")), Some("missing_field"));
    assert_eq!(fault(&|r| r["domain"] = json!(7)), Some("wrong_type"));
    assert_eq!(fault(&|r| r["reward"] = json!("0.5")), Some("reward_not_number"));
    assert_eq!(fault(&|r| r["reward"] = json!(true)), Some("reward_not_number"));
    assert_eq!(fault(&|r| r["reward"] = json!(1.0000001)), Some("reward_out_of_range"));
    assert_eq!(fault(&|r| r["reward"] = Value::Null), Some("missing_field"));
    assert_eq!(fault(&|r| r["timestamp"] = json!("2026-02-01T08:00:00")), Some("bad_timestamp"));
    assert_eq!(fault(&|r| r["timestamp"] = json!("2026-02-01T08:00:00+05:30")), None);
    assert_eq!(
        fault(&|r| {
            r["timestamp"] = json!(3);
            r["reward"] = json!(7)
        }),
        Some("reward_out_of_range")
    );
    assert_eq!(
        fault(&|r| {
            r["domain"] = json!(3);
            r["case_slug"] = Value::Null
        }),
        Some("missing_field")
    );
    assert_eq!(fault(&|r| r["stage"] = json!("newer")), None);
    assert_eq!(fault(&|r| *r = json!([])), Some("not_an_object"));
    for bytes in [&b""[..], b"{", b"{\"reward\":NaN}", b"\"\xff\""] {
        let outcome = run(&[("x.json".into(), bytes.to_vec())]);
        assert_eq!(outcome.skipped[0].1.code(), "parse_error");
    }
}

#[test]
fn duplicates_are_settled_before_expiry() {
    let mut all = many("a", "d p s c", 0.5, 5, 0);
    let (_, bytes) = file("a000 d p s c 0.9 700");
    let mut newer: Value = serde_json::from_slice(&bytes).unwrap();
    newer["expires_at"] = json!("2026-02-28");
    all.push(("copy.json".into(), newer.to_string().into_bytes()));
    let outcome = run(&all);
    assert_eq!(
        outcome.status,
        Status::InsufficientData,
        "the newer one counts, and it has expired"
    );
    assert_eq!(outcome.skipped, [("d/c/a000.json".into(), Fault::DuplicateId)]);
    assert_eq!(outcome.expired, ["copy.json"]);
    // A bare date lasts to the end of its day; a moment to itself.
    for (expires, alive) in [
        ("2026-03-01", true),
        ("2026-03-01T12:00:00Z", true),
        ("2026-03-01T11:59:59Z", false),
        ("never", true),
    ] {
        newer["expires_at"] = json!(expires);
        *all.last_mut().unwrap() = ("copy.json".into(), newer.to_string().into_bytes());
        assert_eq!(run(&all).status == Status::Completed, alive, "{expires}");
    }
    // With the same timestamp the greater path counts.
    let mut same = many("a", "d p s c", 0.5, 5, 0);
    same.push(("a.json".into(), same[0].1.clone()));
    assert_eq!(run(&same).skipped, [("a.json".into(), Fault::DuplicateId)]);
}

#[test]
fn only_records_are_records() {
    let bytes = file("a d p s c 0.5 0").1;
    for path in [
        "config.json",
        "x/index.json",
        "_x/a.json",
        "x/.y/a.json",
        ".a.json",
        "a.JSON",
        "a.json.bak",
    ] {
        assert_eq!(run(&[(path.into(), bytes.clone())]).valid_records, 0, "{path}");
    }
    for path in ["a.json", "x/_a.json", "x/p_2026-03-01T12:00:00.json"] {
        assert_eq!(run(&[(path.into(), bytes.clone())]).valid_records, 1, "{path}");
    }
}
