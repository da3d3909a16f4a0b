//! Undo, redo, time travel, fork and promotion on real files.

mod fixture;

use std::fs;

use fixture::{Workspace, add, advance, run};
use loopdeck::core::loops::Command;
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::model::Loop;
use loopdeck::core::memory::Category;
use loopdeck::engine::{MemoryQuery, Write};

/// What another process reads is what this one holds, with and without the snapshot.
fn check(workspace: &Workspace, id: &LoopId) -> Loop {
    let here = (*workspace.engine.load(id).expect("readable")).clone();
    assert_eq!(here, *workspace.second().load(id).expect("readable"));
    let _ = fs::remove_file(workspace.loop_dir(id).join("snapshot.json"));
    assert_eq!(here, *workspace.second().load(id).expect("readable"));
    here
}

fn undo() -> Command {
    Command::Undo { to: None }
}

#[test]
fn undo_and_redo_are_what_every_reader_sees() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let engine = &workspace.engine;
    run(engine, &id, advance());
    run(engine, &id, add("critique", "first"));
    let done = run(engine, &id, undo());
    assert_eq!(done.made.back_to, Some(3));
    assert_eq!(done.state.artifacts.len(), 1);
    check(&workspace, &id);
    run(engine, &id, Command::Redo);
    assert_eq!(check(&workspace, &id).artifacts.len(), 2);
    let other = workspace.second();
    run(&other, &id, undo());
    run(&other, &id, undo());
    assert_eq!(&*check(&workspace, &id).current_phase, "proposal");
    run(engine, &id, advance());
    let refused = engine.execute(&id, Command::Redo, &Write::operator()).expect_err("a new commit");
    assert_eq!(refused.code(), "nothing_to_redo");
}

#[test]
fn undo_reaches_back_over_a_snapshot() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let engine = &workspace.engine;
    run(engine, &id, advance());
    for i in 0..300 {
        run(engine, &id, add("critique", &format!("critique {i}")));
    }
    let preview =
        engine.preview(&id, Command::Undo { to: Some(10) }, &Write::operator()).expect("readable");
    assert_eq!(preview.made.back_to, Some(10));
    run(engine, &id, Command::Undo { to: Some(10) });
    let state = check(&workspace, &id);
    assert_eq!(state.artifacts.len(), 8);
    assert_eq!(state, Loop { version: state.version, ..state.clone() });
    run(engine, &id, add("critique", "goes on"));
    assert_eq!(check(&workspace, &id).artifacts.len(), 9);
}

#[test]
fn every_moment_can_be_looked_at_and_forked() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let engine = &workspace.engine;
    run(engine, &id, advance());
    let long = "a long critique. ".repeat(500);
    run(engine, &id, add("critique", "short critique"));
    run(engine, &id, add("critique", &long));
    let now = engine.load(&id).expect("readable");
    run(engine, &id, Command::Pause { reason: Some("for now".to_owned()) });
    assert_eq!(engine.state_at(&id, now.version).expect("a moment"), *now);
    assert_eq!(engine.state_at(&id, 99).expect_err("none").code(), "unknown_seq");
    assert_eq!(
        engine.fork(&id, 1, &Write::operator()).expect_err("half a commit").code(),
        "not_a_commit_boundary"
    );
    let copy = engine.fork(&id, now.version, &Write::operator()).expect("forked").state;
    assert_eq!(copy.linked.source_loop_id.as_ref(), Some(&id));
    let copy = check(&workspace, &copy.id);
    for (artifact, body) in
        now.artifacts.iter().zip(["Keep the parsed index in memory.", "short critique", &long])
    {
        let read = engine.body(&copy.id, &artifact.artifact_id).expect("copied");
        assert_eq!(read, body);
    }
    run(engine, &copy.id, add("critique", "a third"));
    run(engine, &copy.id, advance());
    assert_eq!(&*check(&workspace, &copy.id).current_phase, "revision");
    let twice = engine.fork(&copy.id, copy.version, &Write::operator()).expect("forked").state;
    let first = &now.artifacts[1].artifact_id;
    assert_eq!(engine.body(&twice.id, first).expect("copied again"), "short critique");
    assert_eq!(&*check(&workspace, &id).current_phase, "critique", "the source is as it was");
}

#[test]
fn a_promoted_artifact_is_one_memory_item() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let engine = &workspace.engine;
    let done = run(
        engine,
        &id,
        add("critique", "The cache was split twice before.\n\nBoth times it hurt."),
    );
    let artifact = done.made.artifact_ids[0].to_string();
    let write = Write::operator();
    let promote =
        || engine.promote(&id, &artifact, Some(Category::Traps), &write).expect("promoted");
    let item_id = promote().made.item_id.expect("has an id");
    promote();
    let items = engine.memory(&MemoryQuery::default()).expect("readable").items;
    assert_eq!(items.len(), 1);
    assert_eq!((&items[0].id, items[0].category), (&item_id, Category::Traps));
    assert_eq!(items[0].title, "The cache was split twice before.");
    assert_eq!(items[0].source.as_deref(), Some(&*format!("loop:{id}/{artifact}@3")));
    engine.memory_remove(&item_id).expect("removed");
    promote();
    assert!(engine.memory_item(&item_id).is_ok(), "put back");
    check(&workspace, &id);
}
