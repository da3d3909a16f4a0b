//! Which files are records, and which of them are kept.

use super::*;
use crate::core::dream::record::is_record_path;

fn good() -> Value {
    record("a", "banking", "case", "phase-1", "skill", 0.5, 0)
}

fn with(key: &str, value: Value) -> Vec<u8> {
    let mut record = good();
    record[key] = value;
    record.to_string().into_bytes()
}

fn without(key: &str) -> Vec<u8> {
    let mut record = good();
    record.as_object_mut().expect("an object").remove(key);
    record.to_string().into_bytes()
}

fn reason(bytes: &[u8]) -> String {
    let memory = Memory::of([("x.json", bytes)]);
    match memory.skipped.first() {
        Some(skipped) => skipped.reason.clone(),
        None => "fine".to_owned(),
    }
}

#[test]
fn each_kind_of_malformed_record_has_its_reason() {
    let nan = good().to_string().replace("0.5", "NaN");
    let huge = good().to_string().replace("0.5", "1e999");
    for (bytes, expected) in [
        (good().to_string().into_bytes(), "fine"),
        (
            [b"\xef\xbb\xbf".to_vec(), good().to_string().replace(',', ",\r\n").into()].concat(),
            "fine",
        ),
        (b"{".to_vec(), "parse_error"),
        (Vec::new(), "parse_error"),
        (nan.into_bytes(), "parse_error"),
        (huge.into_bytes(), "parse_error"),
        ([good().to_string().into_bytes(), b"{}".to_vec()].concat(), "parse_error"),
        (b"{\"id\":\"\xff\"}".to_vec(), "parse_error"),
        (b"[]".to_vec(), "not_an_object"),
        (b"null".to_vec(), "not_an_object"),
        (b"\"text\"".to_vec(), "not_an_object"),
        (without("case_slug"), "missing_field"),
        (with("domain", Value::Null), "missing_field"),
        (with("phase", json!(" \t")), "missing_field"),
        (without("skill_used"), "missing_field"),
        (without("reward"), "missing_field"),
        (without("timestamp"), "missing_field"),
        (with("domain", json!(7)), "wrong_type"),
        (with("phase", json!(["x"])), "wrong_type"),
        (with("skill_used", json!({})), "wrong_type"),
        (with("timestamp", json!(1_772_366_400)), "wrong_type"),
        (with("reward", json!("0.5")), "reward_not_number"),
        (with("reward", json!(true)), "reward_not_number"),
        (with("reward", json!([0.5])), "reward_not_number"),
        (with("reward", json!(1.000_001)), "reward_out_of_range"),
        (with("reward", json!(-0.1)), "reward_out_of_range"),
        (with("reward", json!(0)), "fine"),
        (with("reward", json!(1)), "fine"),
        (with("timestamp", json!("2026-02-01")), "bad_timestamp"),
        (with("timestamp", json!("2026-02-01T10:00:00")), "bad_timestamp"),
        (with("timestamp", json!("yesterday")), "bad_timestamp"),
        (with("timestamp", json!("2026-02-01T10:00:00+02:00")), "fine"),
    ] {
        assert_eq!(reason(&bytes), expected, "{}", String::from_utf8_lossy(&bytes));
    }
    let mut memory = Memory::new();
    memory.add("x.json", Err("permission denied".to_owned()));
    assert_eq!(memory.skipped[0].reason, "unreadable");
}

#[test]
fn the_first_fault_counts_in_the_order_of_the_fields() {
    let mut record = good();
    record["timestamp"] = json!("no");
    record["reward"] = json!("no");
    assert_eq!(reason(record.to_string().as_bytes()), "reward_not_number");
    record["domain"] = json!(3);
    record["skill_used"] = Value::Null;
    assert_eq!(reason(record.to_string().as_bytes()), "wrong_type");
    record["case_slug"] = Value::Null;
    assert_eq!(reason(record.to_string().as_bytes()), "missing_field");
}

#[test]
fn the_other_key_names_are_read_and_the_newer_win() {
    let mut old = good();
    let map = old.as_object_mut().expect("an object");
    for (from, to) in [("case_slug", "project_slug"), ("phase", "stage")] {
        let value = map.remove(from).expect("there");
        map.insert(to.to_owned(), value);
    }
    assert_eq!(reason(old.to_string().as_bytes()), "fine");
    let name = |record: &Value| {
        let memory = Memory::of([("x.json", record.to_string())]);
        let row = &memory.rows[0];
        (memory.names.text(row.case).to_string(), memory.names.text(row.phase).to_string())
    };
    assert_eq!(name(&old), ("case".to_owned(), "phase-1".to_owned()));
    old["case_slug"] = json!("newer");
    old["phase"] = json!("phase-9");
    assert_eq!(name(&old), ("newer".to_owned(), "phase-9".to_owned()));
}

#[test]
fn excluded_files_are_no_records() {
    for path in [
        "config.json",
        "a/index.json",
        "reward-summary.json",
        "domain-patterns.json",
        "imported-baselines.json",
        "a/b.JSON",
        "a/b.json.bak",
        "a/.b.json",
        ".git/b.json",
        "_stats/b.json",
        "a/_patterns/b.json",
    ] {
        assert!(!is_record_path(path), "{path}");
    }
    for path in ["a/b/phase-1_2026-02-01T10:00:00.json", "b.json", "a_b/c_.json"] {
        assert!(is_record_path(path), "{path}");
    }
}

#[test]
fn a_record_without_an_id_has_its_path_as_id() {
    let bytes = without("id");
    let memory = Memory::of([("a/b.json", bytes.as_slice())]);
    assert_eq!(&*memory.rows[0].id, "a/b.json");
    let memory = Memory::of([("a/b.json", with("id", json!(5)))]);
    assert_eq!(&*memory.rows[0].id, "a/b.json");
}

#[test]
fn of_two_files_with_one_id_the_newer_counts_then_the_greater_path() {
    let older = record("a", "d", "c", "p", "s", 0.1, 0);
    let newer = record("a", "d", "c", "p", "s", 0.2, 1);
    let same = record("a", "d", "c", "p", "s", 0.3, 1);
    let run = |files: &[(&str, &Value)]| {
        let others = series("d", "p", "s", &[0.5; 5]);
        let mut all = super::files(&others);
        all.extend(files.iter().map(|(p, v)| ((*p).to_owned(), v.to_string().into_bytes())));
        dream_of_files(all, &Request::at(now())).dream
    };
    let dream = run(&[("b.json", &older), ("a.json", &newer), ("c.json", &same)]);
    assert_eq!(dream.records_analyzed, 6);
    let paths: Vec<&str> = dream.skipped.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["a.json", "b.json"]);
    assert!(dream.skipped.iter().all(|s| s.reason == "duplicate_id"));
}

#[test]
fn duplicates_are_settled_before_expiry() {
    let mut expired = record("a", "d", "c", "p", "s", 0.2, 1);
    expired["expires_at"] = json!("2026-02-02");
    let older = record("a", "d", "c", "p", "s", 0.1, 0);
    let mut all = series("d", "p", "s", &[0.5; 5]);
    all.extend([expired, older]);
    let dream = dreamt(&all).dream;
    assert_eq!((dream.records_analyzed, dream.expired, dream.skipped.len()), (5, 1, 1));
}

#[test]
fn what_expires_today_still_counts() {
    let counts = |expires: Value| {
        let mut all = series("d", "p", "s", &[0.5; 5]);
        all[0]["expires_at"] = expires;
        let dreamt = dreamt(&all);
        (dreamt.dream.status == "completed", dreamt.warnings.len())
    };
    assert_eq!(counts(json!("2026-03-01")), (true, 0), "to the end of that day");
    assert_eq!(counts(json!("2026-02-28")), (false, 0));
    assert_eq!(counts(json!("2026-03-01T12:00:00Z")), (true, 0), "not before now");
    assert_eq!(counts(json!("2026-03-01T11:59:59Z")), (false, 0));
    assert_eq!(counts(json!("2026-03-01T13:59:59+02:00")), (false, 0));
    assert_eq!(counts(json!("soon")), (true, 1));
    assert_eq!(counts(json!(5)), (true, 1));
    assert_eq!(counts(Value::Null), (true, 0));
}

#[test]
fn a_record_dated_after_now_counts_with_one_warning() {
    let mut all = series("d", "p", "s", &[0.5; 5]);
    for record in &mut all[..2] {
        record["timestamp"] = json!("2026-04-01T00:00:00Z");
    }
    let dreamt = dreamt(&all);
    assert_eq!(dreamt.dream.records_analyzed, 5);
    assert_eq!(dreamt.warnings.len(), 1, "{:?}", dreamt.warnings);
}

#[test]
fn four_records_are_too_few_and_five_are_enough() {
    let four = dreamt(&series("d", "p", "s", &[0.5; 4]));
    assert_eq!(four.dream.status, "insufficient_data");
    assert_eq!(four.dream.records_analyzed, 0);
    assert_eq!(four.dream.near_misses[0].reason, "4 of 5 records");
    assert!(four.refusal().is_some_and(|text| text.contains("4 of 5")));
    let five = dreamt(&series("d", "p", "s", &[0.5; 5]));
    assert_eq!((five.dream.status.as_str(), five.dream.records_analyzed), ("completed", 5));
    let none = dream(&Memory::default(), &Request::at(now()));
    assert_eq!(none.dream.status, "no_data");
}

#[test]
fn of_more_than_200_records_the_selection_says_which_are_kept() {
    let mut rewards = vec![0.9; 150];
    rewards.extend([0.2; 100]);
    let all = super::files(&series("d", "p", "s", &rewards));
    let run = |selection, max_records| {
        let settings = Settings { selection, max_records };
        dream_of_files(all.clone(), &Request { settings, ..Request::at(now()) }).dream
    };
    let top = run(Selection::TopReward, 200);
    let left = top.left_out.clone().expect("left out");
    assert_eq!((top.records_analyzed, left.records, left.failures), (200, 50, 50));
    let line = top.first_line();
    assert!(line.contains("50 left out, 50 of them failures"), "{line}");
    assert!(line.contains("dream.selection = \"top_reward\""), "{line}");
    let newest = run(Selection::Newest, 200);
    let left = newest.left_out.expect("left out");
    assert_eq!((left.records, left.failures), (50, 0), "the oldest were good");
    let whole = run(Selection::All, 200);
    assert_eq!((whole.records_analyzed, whole.left_out), (250, None));
    assert_eq!(run(Selection::Newest, 10).records_analyzed, 10);
}

#[test]
fn ties_at_the_limit_go_to_the_newer_then_the_lesser_id() {
    let mut all: Vec<Value> = (0..6)
        .map(|n| record(&format!("r{n}"), "d", "c", "p", "s", 0.5, if n < 2 { 1 } else { 0 }))
        .collect();
    all.reverse();
    let settings = Settings { selection: Selection::TopReward, max_records: 5 };
    let memory = Memory::of(super::files(&all));
    let limits = Limits::default();
    let kept = crate::core::dream::select::select(
        &memory,
        settings,
        &limits,
        &Without::default(),
        now().to_utc(),
    );
    let ids: Vec<&str> = kept.rows.iter().map(|row| &*row.id).collect();
    assert_eq!(ids, ["r2", "r3", "r4", "r0", "r1"], "by time; r5 is left out");
}
