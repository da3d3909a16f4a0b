//! Two processes that hand out the same turn at once (attempts.md, "How it is
//! tested").
#![cfg(unix)]

mod fixture;

use std::fs;
use std::path::PathBuf;

use fixture::{Workspace, advance, argument, child, run};
use loopdeck::core::loops::EventBody;
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::engine::{DispatchRequest, Engine, LogQuery, OpenRequest, Options, Write};

const LOOPS: usize = 200;

fn engine(root: PathBuf) -> Engine {
    let keeper = vec![PathBuf::from(env!("CARGO_BIN_EXE_loopdeck")), "__keep-worker".into()];
    // What is shown here is who starts what; power cuts are another test's.
    let options = Options {
        workspace: Some(root),
        keeper: Some(keeper),
        unflushed: true,
        ..Options::default()
    };
    Engine::open(options).expect("a workspace")
}

fn in_critique(engine: &Engine, n: usize) -> LoopId {
    let mut request = OpenRequest::new(Kind::Ideation, format!("Loop {n}"));
    request.proposal = Some("p".to_owned());
    request.slots = ["champion", "critic=codex"].map(|s| s.parse().expect("a slot")).to_vec();
    let id = engine.open_loop(&request, &Write::operator()).expect("opened").state.id.clone();
    run(engine, &id, advance());
    id
}

#[test]
fn two_processes_hand_out_the_same_turn_200_times_and_one_worker_starts_each_time() {
    let workspace = Workspace::new();
    let root = &workspace.root;
    let state = root.join("state");
    fs::create_dir_all(&state).expect("made");
    fs::write(root.join("worker.sh"), "echo \"$1\" >> \"$LOOPDECK_WORKSPACE/starts.txt\"\n")
        .expect("written");
    fs::write(
        root.join(".loopdeck/config.toml"),
        "[agents.codex]\ncommand = [\"sh\", \"worker.sh\", \"{loop}\"]\n",
    )
    .expect("written");
    let approved = serde_json::json!({"schema_version": 1, "commands": [{
        "command": ["sh", "worker.sh", "{loop}"], "approved_at": "2026-03-01T12:00:00.000Z",
    }]});
    fs::write(state.join("approvals.json"), approved.to_string()).expect("written");
    let here = engine(root.clone());
    let ids: Vec<LoopId> = (0..LOOPS).map(|n| in_critique(&here, n)).collect();
    let list = ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(",");
    let told = |name| {
        [("LOOPS", &*list), ("NAME", name), ("LOOPDECK_STATE_DIR", state.to_str().expect("UTF-8"))]
    };
    let children = [
        child("child_dispatches_all", root, &told("one")),
        child("child_dispatches_all", root, &told("two")),
    ];
    let mut won = 0;
    for child in children {
        let output = child.wait_with_output().expect("ended");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
        won += said.matches("WON").count();
    }
    assert_eq!(won, LOOPS, "one of two each time");
    for id in &ids {
        let query = LogQuery { loop_id: Some(id.clone()), ..LogQuery::default() };
        let events = here.log(&query).expect("readable").entries;
        let crossed = events.iter().filter(|e| matches!(e.event.body, EventBody::LaunchCrossed(_)));
        assert_eq!(crossed.count(), 1, "{id}");
    }
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let starts = || fs::read_to_string(root.join("starts.txt")).unwrap_or_default();
    while starts().lines().count() < LOOPS && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let mut started: Vec<String> = starts().lines().map(str::to_owned).collect();
    started.sort();
    let mut wanted: Vec<String> = ids.iter().map(ToString::to_string).collect();
    wanted.sort();
    assert_eq!(started, wanted);
}

#[test]
#[ignore = "the part of another process"]
fn child_dispatches_all() {
    let engine = engine(argument("LOOPDECK_TEST_ROOT").into());
    for id in argument("LOOPS").split(',') {
        let id = LoopId::parse(id).expect("an id");
        let request = DispatchRequest { slot: "critic".to_owned(), agent: None };
        // Both wait here for each other.
        let own = engine.root().join(format!("{id}-{}", argument("NAME")));
        fs::write(&own, "").expect("written");
        let other = if argument("NAME") == "one" { "two" } else { "one" };
        let other = engine.root().join(format!("{id}-{other}"));
        while !other.exists() {
            std::thread::yield_now();
        }
        match engine.dispatch(&id, &request, &Write::operator()) {
            Ok(_) => println!("WON"),
            Err(error) => assert!(
                matches!(error.code(), "slot_busy" | "stale_evidence"),
                "{}: {}",
                error.code(),
                error.message()
            ),
        }
    }
}
