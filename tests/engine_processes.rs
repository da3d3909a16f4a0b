//! Many processes on one loop, and processes that are killed.

mod fixture;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write as _};
use std::time::Duration;

use fixture::{Workspace, add, argument, child, child_engine, open, run};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::{Event, history};
use loopdeck::core::text::sha256_hex;
use loopdeck::engine::{Engine, LogQuery, Options, Write};

fn told_loop() -> LoopId {
    LoopId::parse(&argument("LOOP")).expect("an id")
}

/// Checks that every line follows from the one before and that the state that
/// readers get is the fold of all events.
fn check_chain(workspace: &Workspace, id: &LoopId) {
    let mut prev = serde_json::Value::Null;
    for line in workspace.journal_text(id).lines() {
        let commit: serde_json::Value = serde_json::from_str(line).expect("a commit");
        assert_eq!(commit["prev"], prev);
        prev = sha256_hex(line.as_bytes()).into();
    }
    let engine = workspace.second();
    assert_eq!(engine.loop_problems(id), []);
    let query = LogQuery { loop_id: Some(id.clone()), ..LogQuery::default() };
    let events: Vec<Event> =
        engine.log(&query).expect("readable").entries.into_iter().map(|e| e.event).collect();
    let replayed = history::fold(&events).expect("a loop");
    assert_eq!(replayed, *engine.load(id).expect("readable"));
}

#[test]
fn eight_processes_adding_at_once_lose_nothing() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let children: Vec<_> = (0..8)
        .map(|n| {
            let told = [("LOOP", id.as_str()), ("NAME", &n.to_string())];
            child("child_adds_fifty", &workspace.root, &told)
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let state = workspace.engine.load(&id).expect("readable");
    let notes: Vec<_> = state.artifacts.iter().filter(|a| &*a.artifact_type == "note").collect();
    assert_eq!(notes.len(), 400);
    let ids: BTreeSet<_> = notes.iter().map(|a| &a.artifact_id).collect();
    let texts: BTreeSet<_> = notes.iter().map(|a| &a.preview).collect();
    assert_eq!((ids.len(), texts.len()), (400, 400));
    check_chain(&workspace, &id);

    // 401 commits: a snapshot was made on the way, and it is the same state.
    let snapshot = workspace.loop_dir(&id).join("snapshot.json");
    let fresh = workspace.second().load(&id).expect("readable");
    std::fs::remove_file(&snapshot).expect("there is one");
    assert_eq!(fresh, workspace.second().load(&id).expect("readable"));
}

#[test]
#[ignore = "the part of another process"]
fn child_adds_fifty() {
    let (engine, id, name) = (child_engine(), told_loop(), argument("NAME"));
    for n in 0..50 {
        run(&engine, &id, add("note", &format!("note {n} of {name}")));
    }
}

#[test]
fn what_a_killed_process_reported_is_there_and_the_next_command_works() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let mut reported = BTreeSet::new();
    for round in 0..100_u64 {
        let told = [("LOOP", id.as_str()), ("NAME", &round.to_string())];
        let mut child = child("child_adds_until_killed", &workspace.root, &told);
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        // Wait for some reports, then strike at another point of the work each time.
        let wanted = 1 + round % 3;
        let mut seen = 0;
        while seen < wanted {
            let line = lines.next().expect("more to come").expect("readable");
            if let Some(artifact) = line.strip_prefix("reported ") {
                reported.insert(artifact.to_owned());
                seen += 1;
            }
        }
        std::thread::sleep(Duration::from_micros(round * 37 % 1_900));
        child.kill().expect("killed");
        child.wait().expect("ended");
        for line in lines.map_while(Result::ok) {
            reported.extend(line.strip_prefix("reported ").map(str::to_owned));
        }
        let next = run(&open(&workspace.root), &id, add("note", &format!("after {round}")));
        reported.insert(next.made.artifact_ids[0].to_string());
    }
    let state = workspace.second().load(&id).expect("readable");
    for artifact in &reported {
        assert!(state.artifact(artifact).is_some(), "{artifact} was reported and is not there");
    }
    assert!(reported.len() >= 200, "{}", reported.len());
    for line in workspace.journal_text(&id).lines().skip(1) {
        // Each command is two events at least: none is there by half.
        let commit: serde_json::Value = serde_json::from_str(line).expect("whole lines only");
        assert!(commit["events"].as_array().is_some_and(|events| !events.is_empty()));
    }
    check_chain(&workspace, &id);
}

#[test]
#[ignore = "the part of another process"]
fn child_adds_until_killed() {
    let (engine, id, name) = (child_engine(), told_loop(), argument("NAME"));
    let mut out = std::io::stdout();
    for n in 0.. {
        // Every other one goes to a file of its own first.
        let text = format!("{n} of {name} {}", "x".repeat(if n % 2 == 0 { 10 } else { 5_000 }));
        let done = run(&engine, &id, add("note", &text));
        // One write, so that a report is never cut in two.
        let line = format!("\nreported {}\n", done.made.artifact_ids[0]);
        out.write_all(line.as_bytes()).and_then(|()| out.flush()).expect("the parent reads");
    }
}

#[test]
fn readers_are_not_kept_waiting_by_a_writer_and_only_see_whole_commits() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let told = [("LOOP", id.as_str()), ("NAME", "writer")];
    let mut writer = child("child_adds_until_killed", &workspace.root, &told);
    let reader = workspace.second();
    let mut last = 0;
    while last < 60 {
        let state = reader.load(&id).expect("readable");
        assert!(state.version >= last, "a reader never goes back");
        last = state.version;
        let listed = reader.list().expect("readable");
        assert_eq!((listed.loops.len(), listed.problems), (1, Vec::new()));
    }
    writer.kill().expect("killed");
    writer.wait().expect("ended");
}

#[test]
fn a_process_that_holds_the_lock_is_named_after_the_wait() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let lock = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(workspace.loop_dir(&id).join("journal.lock"))
        .expect("opened");
    lock.lock().expect("locked");
    let options = Options {
        workspace: Some(workspace.root.clone()),
        lock_wait: Some(Duration::from_millis(20)),
        ..Options::default()
    };
    let engine = Engine::open(options).expect("a workspace");
    let refused = engine
        .execute(&id, add("note", "waits"), &Write::operator())
        .expect_err("somebody holds the lock");
    assert_eq!(refused.code(), "lock_timeout");
    let pid = format!("pid {} since", std::process::id());
    assert!(refused.message().contains(&pid), "{}", refused.message());
    // Reading goes on.
    assert_eq!(engine.load(&id).expect("readable").version, 2);
    lock.unlock().expect("unlocked");
    run(&engine, &id, add("note", "now it works"));
}
