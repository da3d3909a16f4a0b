//! Identity and evidence over several dreams, marks, counterfactuals, changes.

use super::*;
use crate::core::dream::diff::{Change, compare};
use crate::core::dream::marks::Marked;
use crate::core::dream::what_if::what_if;

fn at(minute: i64) -> Timestamp {
    now().plus_millis(minute * 60_000)
}

/// Ids `from..to` of a phase in two domains, far apart.
fn apart(from: usize, to: usize) -> Vec<Value> {
    let mut all = Vec::new();
    for n in from..to {
        for (domain, reward) in [("alpha", 0.9), ("beta", 0.3)] {
            let id = format!("{domain}{n}");
            all.push(record(&id, domain, &id, "phase-1", domain, reward, n as u32));
        }
    }
    all
}

/// Dreams at several minutes, each after the ones before.
fn night(dreams: &[(i64, Vec<Value>)]) -> Vec<Dream> {
    let mut earlier: Vec<(String, Vec<u8>)> = Vec::new();
    let mut all = Vec::new();
    for (minute, records) in dreams {
        let past = Earlier::of(earlier.clone());
        let request = Request { earlier: &past, ..Request::at(at(*minute)) };
        let dream = dream_of_files(files(records), &request).dream;
        earlier.push((format!("{}.json", dream.dream_id), dream.to_bytes()));
        all.push(dream);
    }
    all
}

fn evidence(dream: &Dream) -> (usize, usize) {
    let insight = of_kind(dream, "cross_domain")[0];
    (insight.evidence_count, insight.own_evidence.expect("ours"))
}

#[test]
fn evidence_that_overlaps_over_three_dreams_counts_once() {
    let dreams = night(&[
        (0, apart(0, 4)),
        (1, apart(2, 6)),
        (2, apart(4, 8)),
        (3, apart(6, 10)),
        (4, apart(8, 12)),
    ]);
    let counts: Vec<_> = dreams.iter().map(evidence).collect();
    // The fourth takes in the three before it; the fifth not the first any more.
    assert_eq!(counts, [(4, 4), (6, 4), (8, 4), (10, 4), (10, 4)]);
    let last = of_kind(&dreams[4], "cross_domain")[0];
    assert_eq!(last.first_seen, Some(at(0)));
    assert_eq!(last.seen_in.len(), 5);
    assert_eq!(last.confidence.0, 1000);
}

#[test]
fn the_same_records_seen_twice_count_once() {
    let dreams = night(&[(0, apart(0, 4)), (1, apart(0, 4))]);
    assert_eq!(evidence(&dreams[1]), (4, 4));
}

#[test]
fn a_foreign_dream_without_ids_is_added_once_while_it_is_among_the_three() {
    let foreign = json!({
        "dream_id": "dream-20260301-120000", "insights": [{
            "type": "performance", "description": "Phase 1 differs", "confidence": 0.8,
            "evidence_count": 5, "domains": ["beta", "alpha"], "phases": ["phase-1"],
            "skills": ["anything"], "created_at": "2026-03-01T12:00:00Z",
        }, {
            "type": "performance", "description": "another phase", "evidence_count": 50,
            "domains": ["alpha", "beta"], "phases": ["phase-2"], "skills": [],
        }],
    });
    let mut files_so_far =
        vec![("dream-20260301-120000.json".to_owned(), foreign.to_string().into_bytes())];
    let mut counts = Vec::new();
    for minute in 1..5 {
        let past = Earlier::of(files_so_far.clone());
        let request = Request { earlier: &past, ..Request::at(at(minute)) };
        let dream = dream_of_files(files(&apart(0, 4)), &request).dream;
        counts.push(evidence(&dream));
        files_so_far.push((format!("{}.json", dream.dream_id), dream.to_bytes()));
    }
    assert_eq!(counts, [(9, 4), (9, 4), (9, 4), (4, 4)]);
}

#[test]
fn an_insight_that_turned_is_new_and_says_so() {
    let swapped = |records: Vec<Value>| -> Vec<Value> {
        let swap = |mut r: Value| {
            r["reward"] = json!(1.2 - r["reward"].as_f64().expect("a number"));
            r
        };
        records.into_iter().map(swap).collect()
    };
    let dreams = night(&[(0, apart(0, 4)), (1, swapped(apart(0, 4)))]);
    let insight = of_kind(&dreams[1], "cross_domain")[0];
    assert_eq!(insight.turned_from.as_deref(), Some("beta"));
    assert_eq!(insight.direction, "alpha");
    assert_eq!(evidence(&dreams[1]), (4, 4), "nothing is merged");
    let changes = compare(Some(&dreams[0]), &dreams[1]);
    assert!(changes.iter().any(|c| c.change == Change::Turned));
}

#[test]
fn the_words_are_no_part_of_identity_but_the_phase_is() {
    let mut other = apart(0, 4);
    for record in &mut other {
        let reward = record["reward"].as_f64().expect("a number");
        record["reward"] = json!(reward - 0.05);
    }
    let (a, b) = (dreamt(&apart(0, 4)).dream, dreamt(&other).dream);
    let (a, b) = (of_kind(&a, "cross_domain")[0], of_kind(&b, "cross_domain")[0]);
    assert_ne!(a.description, b.description);
    assert_eq!(a.identity, b.identity);
    for record in &mut other {
        record["phase"] = json!("phase-5");
    }
    let c = dreamt(&other).dream;
    assert_ne!(of_kind(&c, "cross_domain")[0].identity, a.identity);
}

#[test]
fn a_dream_dated_after_now_is_said_and_neither_latest_nor_merged() {
    let dreams = night(&[(10, apart(0, 4))]);
    let past = Earlier::of([(format!("{}.json", dreams[0].dream_id), dreams[0].to_bytes())]);
    let request = Request { earlier: &past, ..Request::at(at(0)) };
    let dreamt = dream_of_files(files(&apart(4, 8)), &request);
    assert_eq!(evidence(&dreamt.dream), (4, 4));
    assert!(!dreamt.is_unchanged);
    assert_eq!(dreamt.warnings.len(), 1, "{:?}", dreamt.warnings);
}

#[test]
fn an_unreadable_dream_keeps_its_place_among_the_three() {
    let dream = night(&[(0, apart(0, 4))]).remove(0);
    let mut files_so_far = vec![(format!("{}.json", dream.dream_id), dream.to_bytes())];
    for minute in 1..3 {
        files_so_far.push((DreamId::at(at(minute)).file_name(), b"{".to_vec()));
    }
    let run = |files_so_far: &[(String, Vec<u8>)]| {
        let past = Earlier::of(files_so_far.to_vec());
        let request = Request { earlier: &past, ..Request::at(at(9)) };
        evidence(&dream_of_files(files(&apart(4, 8)), &request).dream).0
    };
    assert_eq!(run(&files_so_far), 8);
    files_so_far.push((DreamId::at(at(4)).file_name(), b"{".to_vec()));
    assert_eq!(run(&files_so_far), 4, "the readable one is the fourth");
}

#[test]
fn unchanged_input_is_known_by_its_fingerprint() {
    let dreams = night(&[(0, apart(0, 4))]);
    let past = Earlier::of([(format!("{}.json", dreams[0].dream_id), dreams[0].to_bytes())]);
    let request = Request { earlier: &past, ..Request::at(at(1)) };
    assert!(dream_of_files(files(&apart(0, 4)), &request).is_unchanged);
    let settings = Settings { max_records: 100, ..Settings::default() };
    let other = Request { settings, ..request.clone() };
    assert!(!dream_of_files(files(&apart(0, 4)), &other).is_unchanged, "other settings");
    let mut changed = apart(0, 4);
    changed[0]["outcome"] = json!({ "iterations": 3 });
    assert!(!dream_of_files(files(&changed), &request).is_unchanged);
    let mut unread = apart(0, 4);
    unread[0]["reward_reason"] = json!("not looked at");
    assert!(dream_of_files(files(&unread), &request).is_unchanged);
}

#[test]
fn a_dismissed_insight_is_left_out_until_its_own_evidence_doubles() {
    let identity = of_kind(&dreamt(&apart(0, 4)).dream, "cross_domain")[0].identity.clone();
    let mut marks = Marks::default();
    let mark = Mark::Dismissed;
    marks.set(Marked { identity, mark, time: now(), evidence: 4 });
    let run = |records: usize| {
        let request = Request { marks: marks.clone(), ..Request::at(now()) };
        let dream = dream_of_files(files(&apart(0, records)), &request).dream;
        of_kind(&dream, "cross_domain").len()
    };
    assert_eq!((run(4), run(7), run(8)), (0, 0, 1));
}

#[test]
fn leaving_a_case_out_says_which_insights_fall() {
    let memory = Memory::of(files(&apart(0, 4)));
    let request = Request::at(now());
    let mut without = Without::default();
    without.domains.insert("beta".to_owned());
    let none = what_if(&memory, &request, &without, &Limits::default());
    assert_eq!(none.status, "insufficient_data");
    assert_eq!((none.records_before, none.records_after), (8, 4));
    assert!(none.fates.iter().any(|f| f.after.is_none() && f.before == Some(1)));
    let mut without = Without::default();
    without.cases.insert(("beta".to_owned(), "beta0".to_owned()));
    let less = what_if(&memory, &request, &without, &Limits::default());
    assert_eq!((less.records_before, less.records_after), (8, 7));
    assert!(!less.fates.is_empty());
    let mut limits = Limits::default();
    limits.set(Limit::Gap, 0.7).expect("a limit");
    let moved = what_if(&memory, &request, &Without::default(), &limits);
    assert!(moved.fates.iter().any(|f| f.insight.kind == "cross_domain" && f.after.is_none()));
    let same = what_if(&memory, &request, &Without::default(), &Limits::default());
    assert!(same.changes_nothing());
}

#[test]
fn leaving_a_record_out_is_as_if_its_file_were_not_there() {
    let records = apart(0, 5);
    let memory = Memory::of(files(&records));
    let mut without = Without::default();
    without.records.insert("beta2".to_owned());
    let less = dream(&memory, &Request { without, ..Request::at(now()) }).dream;
    let kept: Vec<Value> = records.into_iter().filter(|r| r["id"] != "beta2").collect();
    let gone = dreamt(&kept).dream;
    assert_eq!(less, gone);
}

#[test]
fn between_dreams_insights_are_new_persisting_or_gone() {
    let first = dreamt(&apart(0, 4)).dream;
    let mut other = apart(0, 4);
    other.extend(series("gamma", "phase-9", "x", &[0.1; 6]));
    let second = dreamt(&other).dream;
    let changes = compare(Some(&first), &second);
    let count = |change| changes.iter().filter(|c| c.change == change).count();
    assert!(count(Change::Persisting) > 0 && count(Change::New) > 0);
    let back = compare(Some(&second), &first);
    assert!(back.iter().any(|c| c.change == Change::Gone));
    assert!(compare(None, &first).iter().all(|c| c.change == Change::New));
}

#[test]
fn dream_names_are_exact_and_move_to_the_next_second() {
    assert!(DreamId::of_file("dream-20260301-120000.json").is_some());
    for name in [
        "dream-20260301-120000.JSON",
        "dream-20260301-1200.json",
        "dream-20261301-120000.json",
        "dream-20260301-120000-copy.json",
        "xdream-20260301-120000.json",
        "dream-2026301-1200000.json",
    ] {
        assert_eq!(DreamId::of_file(name), None, "{name}");
    }
    let last = DreamId::parse("dream-20261231-235959").expect("valid");
    assert_eq!(last.next().as_str(), "dream-20270101-000000");
}
