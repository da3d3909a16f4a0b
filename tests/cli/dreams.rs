//! Reward records and dreams by the binary: the published pages, exit statuses,
//! what is written and what is not.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Place;

const NOW: &str = "2026-03-01T14:30:22Z";

fn insights(place: &Place) -> PathBuf {
    place.root().join(".keysarium/insights")
}

/// Stores records of one domain, phase and skill below the published folder.
fn store(place: &Place, domain: &str, phase: &str, skill: &str, rewards: &[f64]) {
    for (n, reward) in rewards.iter().enumerate() {
        let case = format!("{domain}-{n}");
        let record = json!({
            "id": format!("{domain}-{phase}-{n}"), "version": "1.1",
            "timestamp": format!("2026-02-01T10:{n:02}:00Z"), "case_slug": case,
            "domain": domain, "phase": phase, "skill_used": skill, "reward": reward,
        });
        let name =
            format!(".keysarium/memory/{domain}/{case}/{phase}_2026-02-01T10-{n:02}-00.json");
        place.file(&name, record.to_string());
    }
}

/// Eight records each in two domains, far apart.
fn two_domains(place: &Place) {
    store(place, "banking", "phase-2", "goap", &[0.55; 8]);
    store(place, "retail", "phase-2", "triz", &[0.9; 8]);
}

fn names(place: &Place) -> Vec<String> {
    let Ok(entries) = fs::read_dir(insights(place)) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("dream-"))
        .collect();
    names.sort();
    names
}

fn at(now: &str) -> Vec<(&str, &str)> {
    vec![("LOOPDECK_NOW", now), ("LOOPDECK_SEED", "1")]
}

#[test]
fn the_insights_print_as_the_published_page() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.file(
        ".keysarium/insights/trigger-state.json",
        json!({ "records_since_last_dream": 23, "last_dream_completed_at": "2026-03-01T14:00:00Z" })
            .to_string(),
    );
    let run = place.run_with(&at(NOW), &["dream", "run"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.starts_with("Dreamt from 16 records.\n"), "{}", run.stdout);
    let shown = place.run_with(&at(NOW), &["dream", "insights"]).stdout;
    let expected = "\
Dream Insights (from dream-20260301-143022)
Trigger: manual (23 new records)
Generated: 2026-03-01 14:30:22

Top Insights:
───────────────────────────────────────────────────────────────
1. [0.80 HIGH] Phase phase-2 performs differently in banking (avg
   0.55) vs retail (avg 0.90).
   Advice: Consider adjusting time budget for phase-2 in banking.
   Domains: banking, retail | Phases: phase-2 | Evidence: 8 records
───────────────────────────────────────────────────────────────
Showing 1 of 1 insights (confidence >= 0.3)
";
    assert_eq!(shown, expected);
}

#[test]
fn the_status_prints_as_the_published_page() {
    let place = Place::with_workspace();
    place.file(
        ".keysarium/insights/trigger-state.json",
        json!({
            "version": "1.0", "last_dream_completed_at": NOW,
            "last_dream_id": "dream-20260301-143022", "records_since_last_dream": 7,
            "pending_events": [], "config": { "time_threshold_minutes": 60,
            "volume_threshold": 20, "event_triggers_enabled": true },
        })
        .to_string(),
    );
    let shown = place.run_with(&at("2026-03-01T16:45:22Z"), &["dream", "status"]).stdout;
    let expected = "\
Dream Cycle Status
───────────────────────────────────────────────────
Last dream:         dream-20260301-143022 (2h 15m ago)
Records since:      7 / 20 (volume threshold)
Pending events:     0
Time threshold:     60 min (MET -- 135 min elapsed)
Volume threshold:   20 (not met -- 7/20)
Event trigger:      enabled (no pending events)

Status: TRIGGER MET (time)
Recommendation: Nothing to dream of yet: 0 of 5 records
───────────────────────────────────────────────────
";
    assert_eq!(shown, expected);
}

#[test]
fn no_data_and_too_few_records_are_refusals_that_write_nothing() {
    let place = Place::with_workspace();
    let run = place.json(&["dream", "run"]);
    assert_eq!(run.status, 1);
    assert_eq!(run.object()["result"]["status"], "no_data");
    store(&place, "banking", "p", "s", &[0.5; 4]);
    let run = place.json(&["dream", "run"]);
    let result = run.object()["result"].clone();
    assert_eq!((run.status, result["status"].as_str()), (1, Some("insufficient_data")));
    assert_eq!(result["near_misses"][0]["reason"], "4 of 5 records");
    assert!(!insights(&place).exists(), "not even a folder");
    let text = place.run(&["dream", "run"]);
    assert!(text.stderr.contains("4 of 5 records"), "{text:?}");
}

#[test]
fn unchanged_input_writes_nothing_but_the_trigger_and_force_does() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.json_with(&at(NOW), &["dream", "run"]).result();
    let later = at("2026-03-01T15:30:22Z");
    let again = place.json_with(&later, &["dream", "run"]).result();
    assert_eq!(again["status"], "unchanged_input");
    assert_eq!(names(&place), ["dream-20260301-143022.json"]);
    let status = place.json_with(&later, &["dream", "status"]).result();
    assert_eq!(status["last_dream_completed_at"], "2026-03-01T15:30:22.000Z");
    let forced = place.json_with(&later, &["dream", "run", "--force", "--graph"]).result();
    assert_eq!(forced["status"], "completed");
    assert!(forced["graph"]["nodes"].as_array().is_some_and(|n| n.len() == 7), "{forced:#}");
    // A taken name moves to the next free second.
    place.json_with(&later, &["dream", "run", "--force"]).result();
    assert_eq!(
        names(&place),
        ["dream-20260301-143022.json", "dream-20260301-153022.json", "dream-20260301-153023.json"]
    );
}

#[test]
fn the_same_input_and_clock_give_the_same_bytes() {
    let bytes = |order: bool| {
        let place = Place::with_workspace();
        let mut domains = [("banking", 0.55), ("retail", 0.9)];
        if order {
            domains.reverse();
        }
        for (domain, reward) in domains {
            store(&place, domain, "phase-2", "goap", &[reward; 8]);
        }
        place.file(".keysarium/memory/README.md", "unrelated");
        place.json_with(&at(NOW), &["dream", "run"]).result();
        fs::read(insights(&place).join("dream-20260301-143022.json")).expect("written")
    };
    assert_eq!(bytes(true), bytes(false));
}

#[test]
fn an_insight_opens_to_its_records_and_their_files() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.json_with(&at(NOW), &["dream", "run"]).result();
    let found = place.json(&["dream", "insights", "1"]).result();
    let sides = found["sides"].as_array().expect("sides");
    assert_eq!((sides[0]["name"].as_str(), sides.len()), (Some("banking"), 2));
    for record in sides.iter().flat_map(|s| s["records"].as_array().expect("records")) {
        let file = record["file"].as_str().expect("a path");
        assert!(PathBuf::from(file).is_file(), "{file}");
    }
    let lost = ".keysarium/memory/retail/retail-3/phase-2_2026-02-01T10-03-00.json";
    fs::remove_file(place.root().join(lost)).expect("removed");
    let found = place.json(&["dream", "insights", "dream-20260301-143022-001"]).result();
    assert_eq!(found["sides"][1]["missing"], json!(["retail-phase-2-3"]));
    place.json(&["dream", "insights", "99"]).error("insight_not_found", 3);
}

#[test]
fn leaving_a_domain_or_case_out_shows_what_falls() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.json_with(&at(NOW), &["dream", "run"]).result();
    let supposed = place.json(&["dream", "insights", "--without", "domain=retail"]).result();
    assert_eq!(supposed["fates"][0]["after"], Value::Null);
    let supposed = place.json(&["dream", "insights", "--suppose", "gap=0.4"]).result();
    assert_eq!(supposed["fates"][0]["after"], Value::Null);
    let one = place.json(&["dream", "insights", "--without", "case=retail/retail-0"]).result();
    assert_eq!(one["records_after"], 15);
    assert_eq!(one["fates"][0]["insight"]["evidence_count"], 7);
    place.json(&["dream", "insights", "--without", "case=retail"]).error("invalid_without", 2);
    place.json(&["dream", "insights", "--suppose", "gap=2"]).error("invalid_suppose", 2);
}

#[test]
fn a_dismissed_insight_is_gone_and_comes_back_when_the_mark_is_taken_away() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.json_with(&at(NOW), &["dream", "run"]).result();
    let count = || place.json(&["dream", "insights"]).result()["insights"].as_array().map(Vec::len);
    assert_eq!(count(), Some(1));
    let marked = place.json(&["dream", "dismiss", "1"]).result();
    assert_eq!(marked["insight"]["mark"], "dismissed");
    assert_eq!(count(), Some(0));
    let all = place.json(&["dream", "insights", "--all"]).result();
    assert_eq!(all["insights"][0]["hidden"], true);
    place.json(&["dream", "dismiss", "1", "--undo"]).result();
    assert_eq!(count(), Some(1));
    place.json(&["dream", "snooze", "1"]).result();
    assert_eq!(count(), Some(0));
    place.json(&["dream", "accept", "1"]).result();
    assert_eq!(count(), Some(1));
}

#[test]
fn a_malformed_state_is_set_aside_by_the_next_writer() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.file(".keysarium/insights/trigger-state.json", "{\"records_since_last_dream\":\"x\"}");
    let status = place.json(&["dream", "status"]);
    status.result();
    assert!(status.object()["warnings"][0].as_str().is_some_and(|w| w.contains("cannot be used")));
    let run = place.json_with(&at(NOW), &["dream", "run"]);
    run.result();
    assert!(run.stdout.contains("set aside as"), "{}", run.stdout);
    let kept = fs::read_dir(place.root().join(".loopdeck/quarantine/insights")).expect("kept");
    assert_eq!(kept.count(), 1);
    let status = place.json_with(&at(NOW), &["dream", "status"]).result();
    assert_eq!(status["records_since_last_dream"], 0);
}

#[test]
fn a_write_failure_leaves_trigger_and_old_dreams_alone() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.json_with(&at(NOW), &["dream", "run"]).result();
    let state = insights(&place).join("trigger-state.json");
    let before = fs::read(&state).expect("there");
    let later = at("2026-03-01T15:30:22Z");
    for fault in ["write~insights:enospc+", "flush~insights:eio+", "rename~insights:eacces+"] {
        let env: Vec<_> = later.iter().cloned().chain([("LOOPDECK_FAULT", fault)]).collect();
        let run = place.json_with(&env, &["dream", "run", "--force"]);
        assert_eq!(run.status, 5, "{fault}: {run:?}");
        assert_eq!(run.object()["error"]["details"]["status"], "failed", "{fault}: {run:?}");
        assert_eq!(fs::read(&state).expect("there"), before, "{fault}");
        assert_eq!(names(&place), ["dream-20260301-143022.json"], "{fault}");
    }
    let run = place.json_with(&later, &["dream", "run", "--force"]).result();
    assert_eq!(run["status"], "completed");
    assert_eq!(names(&place).len(), 2);
}

#[test]
fn the_newest_ten_are_kept_and_foreign_names_never_touched() {
    let place = Place::with_workspace();
    two_domains(&place);
    place.file(".keysarium/insights/dream-20200101-000000-mine.json", "{}");
    for minute in 10..23 {
        let now = format!("2026-03-01T14:{minute}:00Z");
        place.json_with(&at(&now), &["dream", "run", "--force"]).result();
    }
    let names = names(&place);
    assert_eq!(names.len(), 11);
    assert_eq!(names[0], "dream-20200101-000000-mine.json");
    assert_eq!(names[1], "dream-20260301-141300.json");
    assert_eq!(place.run(&["dream", "clear"]).stdout, "Nothing to clear.\n");
    place.file(".loopdeck/config.toml", "[dream]\nkeep_dreams = 4\n");
    assert_eq!(place.run(&["dream", "clear"]).stdout, "6 dreams removed.\n");
}

#[test]
fn stored_records_are_counted_and_the_tracker_writes_its_files() {
    let place = Place::with_workspace();
    for n in 0..5 {
        let now = format!("2026-03-01T14:3{n}:00Z");
        let case = format!("c{n}");
        let args = ["rewards", "add", "--case", &case, "--phase", "phase-2", "--reward", "0.2"];
        let added = place.json_with(&at(&now), &args).result();
        assert_eq!(added["record"]["reward_label"], "needs_work");
    }
    let status = place.json_with(&at(NOW), &["dream", "status"]).result();
    assert_eq!(status["records_since_last_dream"], 5);
    let page = place.json(&["rewards", "list", "--limit", "2"]).result();
    assert_eq!((page["total"].as_u64(), page["next_offset"].as_u64()), (Some(5), Some(2)));
    assert_eq!(page["records"][0]["case_slug"], "c4");
    let stats = place.json(&["rewards", "stats"]).result();
    assert_eq!(stats["patterns"][0]["category"], "bottleneck");
    let memory = place.root().join(".keysarium/memory");
    let summary = fs::read_to_string(memory.join("_stats/reward-summary.json")).expect("written");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["phases"]["phase-2"]["average"], 0.2);
    assert!(memory.join("_patterns/domain-patterns.json").is_file());
    // A summary that says something else is compared, and never counted.
    place.file(
        ".keysarium/memory/_stats/reward-summary.json",
        "{\"phase_averages\":{\"phase-2\":0.7}}",
    );
    let stats = place.json(&["rewards", "stats"]).result();
    assert_eq!(stats["differences"][0]["summary"], 0.7);
    let refused = ["rewards", "add", "--case", "c", "--phase", "p", "--reward", "1.5"];
    place.json(&refused).error("invalid_reward", 2);
}

#[test]
fn the_diff_and_the_export_are_the_published_ones() {
    let place = Place::with_workspace();
    place.json(&["dream", "insights"]).error("no_dream", 3);
    two_domains(&place);
    place.json_with(&at(NOW), &["dream", "run"]).result();
    store(&place, "retail", "phase-9", "other", &[0.1; 6]);
    place.json_with(&at("2026-03-01T15:30:22Z"), &["dream", "run"]).result();
    let diff = place.json(&["dream", "diff"]).result();
    assert_eq!(diff["from"], "dream-20260301-143022");
    let changes: Vec<&str> = diff["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .filter_map(|c| c["change"].as_str())
        .collect();
    assert!(changes.contains(&"new") && changes.contains(&"persisting"), "{changes:?}");
    let export = place.json(&["dream", "export"]).result();
    let export = &export["dream_insights"];
    assert_eq!(export["latest_dream_id"], "dream-20260301-153022");
    assert_eq!(export["exported_from"], ".keysarium/insights/");
    assert_eq!(place.json(&["dream", "list"]).result()["total"], 2);
}

#[test]
fn two_who_dream_at_once_are_both_safe() {
    let place = Place::with_workspace();
    two_domains(&place);
    let statuses: Vec<String> = std::thread::scope(|scope| {
        let one = || {
            place.json_with(&at(NOW), &["dream", "run"]).result()["status"]
                .as_str()
                .expect("a status")
                .to_owned()
        };
        let running: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        running.into_iter().map(|thread| thread.join().expect("ended")).collect()
    });
    let completed = statuses.iter().filter(|s| *s == "completed").count();
    assert_eq!(completed, 1, "the others find it done: {statuses:?}");
    assert_eq!(names(&place), ["dream-20260301-143022.json"]);
    let forced: Vec<i32> = std::thread::scope(|scope| {
        let one = || place.json_with(&at(NOW), &["dream", "run", "--force"]).status;
        let running: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        running.into_iter().map(|thread| thread.join().expect("ended")).collect()
    });
    assert_eq!(forced, [0; 4]);
    assert_eq!(names(&place).len(), 5, "each under a name of its own");
    for name in names(&place) {
        let text = fs::read_to_string(insights(&place).join(&name)).expect("there");
        let dream: Value = serde_json::from_str(&text).expect("whole");
        assert_eq!(dream["dream_id"].as_str(), name.strip_suffix(".json"));
    }
}

#[test]
fn a_worker_gets_a_copy() {
    let place = Place::with_workspace();
    two_domains(&place);
    let out = place.root().join("worker");
    let out = out.to_string_lossy();
    let mut env = at(NOW);
    env.push(("WORKER_OUTPUT_DIR", &out));
    place.json_with(&env, &["dream", "run"]).result();
    assert!(place.root().join("worker/output/dream-20260301-143022.json").is_file());
}

/// An ideation loop in a domain, driven to its end: the critique passed late.
fn weak_loop(place: &Place, n: u32) -> String {
    let title = format!("Case {n}");
    let open = ["loop", "open", "--kind", "ideation", "--title", &title, "--domain", "banking"];
    let opened = place.json(&[&open[..], &["--proposal", "Do it."]].concat());
    let id = crate::support::text(&opened.result()["id"]);
    place.json(&["loop", "advance", &id]).result();
    let critique = place.add(&id, "critique", "Only one, and the gate wants three.");
    let force = ["loop", "advance", &id, "--force", "--reason", "no time"];
    place.json(&force).result();
    place.json(&["loop", "advance", &id, "--to", "synthesis"]).result();
    let plan = ["--type", "plan_draft", "--body", "The plan.", "--addresses", &critique];
    place.json(&[&["loop", "add", &id][..], &plan].concat()).result();
    id
}

#[test]
fn closing_loops_by_hand_leads_to_an_insight_in_the_next_critiques_brief() {
    let place = Place::with_workspace();
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(weak_loop(&place, n));
    }
    let page = place.json(&["rewards", "list", "--phase", "critique"]).result();
    assert_eq!(page["total"], 5, "a forced critique each: {page:#}");
    assert_eq!(page["records"][0]["reward"], 0.3);
    let status = place.json(&["dream", "status"]).result();
    assert_eq!(status["records_since_last_dream"], 10);
    let completions = status["pending_events"].as_array().expect("events");
    assert_eq!(completions.iter().filter(|e| e["event_type"] == "case_completion").count(), 5);
    let dream = place.json(&["dream", "run"]).result();
    let weak = dream["insights"].as_array().expect("insights").iter();
    let weak: Vec<&Value> = weak.filter(|i| i["type"] == "bottleneck").collect();
    assert_eq!(weak.len(), 1, "{dream:#}");
    assert_eq!(weak[0]["phases"], json!(["critique"]), "{dream:#}");
    let id = crate::support::text(&weak[0]["insight_id"]);

    let next = ["loop", "open", "--kind", "ideation", "--title", "Next", "--domain", "banking"];
    let opened = place.run(&[&next[..], &["--proposal", "Something else."]].concat());
    let live = dream["insights"].as_array().map_or(0, Vec::len);
    let loaded = format!("Loaded {live} dream insights for banking domain");
    assert!(opened.stdout.contains(&loaded), "{opened:?}");
    place.json(&["loop", "advance", "next"]).result();
    let brief = place.json(&["loop", "brief", "next"]).result();
    let text = crate::support::text(&brief["text"]);
    let feedback = text.split("### feedback\n").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(feedback.contains(&format!("- [{id}]")), "{text}");
    assert!(text.contains("Phase critique is a bottleneck in banking (avg 0.30)"), "{text}");
    let cite = ["--type", "critique", "--body", "Weak here before.", "--cites", &id];
    let added = place.json(&[&["loop", "add", "next"][..], &cite].concat()).result();
    let artifact = added["loop"]["artifacts"].as_array().and_then(|a| a.last()).cloned();
    let artifact = artifact.expect("filed");
    assert_eq!(artifact["cites"], json!([id]));
    assert!(artifact["dangling"].as_array().is_none_or(Vec::is_empty), "{artifact:#}");
    // Another domain is not confronted with it.
    let other = ["loop", "open", "--kind", "ideation", "--title", "Other", "--domain", "retail"];
    assert!(!place.run(&other).stdout.contains("Loaded"));
}

#[test]
fn undoing_a_close_sets_its_records_aside_and_a_rating_takes_their_place() {
    let place = Place::with_workspace();
    let id = weak_loop(&place, 0);
    let list =
        || place.json(&["rewards", "list", "--phase", "critique"]).result()["records"].clone();
    let first = list();
    assert_eq!(first.as_array().map(Vec::len), Some(1));
    place.json(&["loop", "undo", &id]).result();
    assert_eq!(list(), json!([]));
    place.json(&["loop", "redo", &id]).result();
    assert_eq!(list(), first, "the same record again");
    place.json(&["loop", "rate", &id, "critique", "0.7"]).result();
    let rated = list();
    assert_eq!((rated.as_array().map(Vec::len), &rated[0]["reward"]), (Some(1), &json!(0.7)));
    place.json(&["loop", "reopen", &id, "--reason", "more"]).result();
    assert_eq!(list(), rated, "a rating is the operator's and stays");
    place.json(&["loop", "rate", &id, "critique", "1.2"]).error("invalid_reward", 2);
    place.json(&["loop", "rate", &id, "nowhere", "0.7"]).error("unknown_phase", 3);
}

#[test]
fn a_shut_gate_is_an_event_once_until_something_new_is_said() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let events =
        || place.json(&["dream", "status"]).result()["pending_events"].as_array().map(Vec::len);
    for _ in 0..3 {
        place.json(&["loop", "advance", &id]).error("gate_unmet", 1);
    }
    assert_eq!(events(), Some(1));
    place.add(&id, "critique", "one");
    place.json(&["loop", "advance", &id]).error("gate_unmet", 1);
    assert_eq!(events(), Some(2));
    let status = place.json(&["dream", "status"]).result();
    assert_eq!(status["reason"], "event");
}

#[test]
fn no_records_are_written_where_that_is_switched_off() {
    let place = Place::with_workspace();
    place.file(".loopdeck/config.toml", "[rewards]\nauto = false\n");
    weak_loop(&place, 0);
    assert_eq!(place.json(&["rewards", "list"]).result()["total"], 0);
}

#[test]
fn a_name_of_absurd_length_does_not_push_the_others_off_the_page() {
    let place = Place::with_workspace();
    let long = "x".repeat(3_000);
    for (n, phase) in [&long, &long, &long, "draft", "draft", "draft"].into_iter().enumerate() {
        let record = format!(
            r#"{{"id":"r{n}","timestamp":"2026-02-01T10:0{n}:00Z","case_slug":"c",
            "domain":"alpha","phase":"{phase}","skill_used":"s","reward":0.6}}"#
        );
        place.file(&format!(".keysarium/memory/r{n}.json"), &record);
    }
    let page = place.run_with(&at(NOW), &["dream", "run"]).stdout;
    assert!(page.contains("What came near"), "{page}");
    let short: Vec<&str> = page.lines().filter(|line| !line.contains("xxx")).collect();
    assert!(short.iter().all(|line| line.chars().count() < 300), "{page}");
    assert!(page.contains(&long) && page.contains("draft"), "nothing is cut: {page}");
}

#[test]
fn a_record_that_is_taken_back_or_replaced_is_counted_once() {
    let place = Place::with_workspace();
    let id = weak_loop(&place, 0);
    let agree = |what: &str, records: usize| {
        let listed = place.json(&["rewards", "list"]).result();
        let status = place.json(&["dream", "status"]).result();
        assert_eq!(listed["total"], records, "{what}: {listed}");
        assert_eq!(status["records_since_last_dream"], records, "{what}: {status}");
    };
    agree("closed", 2);
    place.json(&["loop", "undo", &id]).result();
    agree("undone", 0);
    place.json(&["loop", "redo", &id]).result();
    agree("done again", 2);
    place.json(&["loop", "rate", &id, "critique", "0.7"]).result();
    agree("rated", 2);
}
