//! The faults that the campaigns found, each by name (docs/reliability.md).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use loopdeck::core::loops::Command;
use loopdeck::core::loops::command::{Content, NewArtifact};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::memory::Category;
use loopdeck::engine::{Engine, InitOptions, MemoryDraft, OpenRequest, Options, Write};
use loopdeck::seam::{Plan, inject};

struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    Engine::init(&root, InitOptions::default()).expect("made");
    Place { _folder: folder, root }
}

fn engine(root: &Path) -> Engine {
    Engine::open(Options { workspace: Some(root.to_owned()), ..Options::default() })
        .expect("a workspace")
}

fn plan(text: &str) -> Plan {
    text.parse().expect("a plan")
}

fn open(engine: &Engine, title: &str) -> Result<LoopId, loopdeck::engine::Error> {
    let mut request = OpenRequest::new(Kind::Ideation, title);
    request.proposal = Some("p".to_owned());
    engine.open_loop(&request, &Write::operator()).map(|done| done.state.id.clone())
}

fn note(text: &str) -> Command {
    Command::AddArtifact(NewArtifact {
        artifact_type: "note".to_owned(),
        content: Content::Body(text.into()),
        ..NewArtifact::default()
    })
}

/// Does something once for each point of an operation, which fails there; says
/// how often it was refused.
fn at_each(op: &str, mut each: impl FnMut(&Plan) -> (bool, bool)) -> usize {
    let mut refused = 0;
    for nth in 1.. {
        let (struck, failed) = each(&plan(&format!("{op}@{nth}:eio")));
        refused += usize::from(failed);
        if !struck {
            return refused;
        }
    }
    unreachable!("points end")
}

#[test]
fn a_loop_that_was_told_not_to_be_opened_is_not_there() {
    let mut refusals = 0;
    for op in ["flush", "look", "read", "lock"] {
        refusals += at_each(op, |plan| {
            let place = place();
            let engine = engine(&place.root);
            let injected = inject(&place.root, plan.clone());
            let came = open(&engine, "T");
            let struck = injected.struck().is_some();
            drop(injected);
            let there = self::engine(&place.root).list().expect("listed").loops.len();
            assert_eq!(there, usize::from(came.is_ok()), "{plan:?}: {came:?}");
            (struck, came.is_err())
        });
    }
    assert!(refusals > 4, "{refusals}");
}

#[test]
fn a_change_that_was_told_to_have_failed_is_not_there() {
    let mut refusals = 0;
    for command in [note("n"), Command::Undo { to: None }] {
        for op in ["flush", "look", "read", "lock"] {
            let place = place();
            let id = open(&engine(&place.root), "T").expect("opened");
            refusals += at_each(op, |plan| {
                let engine = engine(&place.root);
                engine.execute(&id, note("before"), &Write::operator()).expect("filed");
                let before = engine.load(&id).expect("there").version;
                let injected = inject(&place.root, plan.clone());
                let came = engine.execute(&id, command.clone(), &Write::operator());
                let struck = injected.struck().is_some();
                drop(injected);
                let after = self::engine(&place.root).load(&id).expect("there").version;
                assert_eq!(after != before, came.is_ok(), "{plan:?}: {came:?}");
                (struck, came.is_err())
            });
        }
    }
    assert!(refusals > 8, "{refusals}");
}

#[test]
fn a_loop_whose_journal_cannot_be_read_now_is_not_swept_away() {
    let place = place();
    let id = open(&engine(&place.root), "Old").expect("opened");
    let dir = place.root.join(".loopdeck/loops").join(id.as_str());
    fs::remove_file(dir.join("summary.json")).expect("there");
    let long_ago = SystemTime::now() - Duration::from_secs(7_200);
    fs::File::open(&dir).and_then(|dir| dir.set_modified(long_ago)).expect("set");
    let journal = dir.join("journal.jsonl");
    let injected = inject(&place.root, plan(&format!("read~{}:eio+", journal.display())));
    let engine = engine(&place.root);
    // What opens a loop sweeps, in the background: its end is waited for.
    let _ = open(&engine, "New");
    drop(engine);
    assert!(injected.struck().is_some(), "the sweep looked");
    drop(injected);
    assert!(journal.is_file(), "it is where it was");
}

#[test]
fn a_loop_whose_journal_may_not_be_read_is_listed_as_such() {
    let place = place();
    let made = engine(&place.root);
    let id = open(&made, "Old").expect("opened");
    drop(made);
    let engine = engine(&place.root);
    assert_eq!(engine.list().expect("listed").loops[0].read_only, None);
    let journal = format!("{id}/journal.jsonl");
    let injected = inject(&place.root, plan(&format!("open~{journal}:eacces+")));
    // What is kept in memory of it must not pass for the journal, nor its summary.
    for engine in [&engine, &self::engine(&place.root)] {
        let listed = engine.list().expect("listed");
        assert_eq!(listed.loops[0].read_only.as_deref(), Some("its journal can't be read"));
        assert_eq!(listed.problems[0].code, "io");
        assert_eq!(engine.why(&id).expect_err("as the list says").code(), "io");
    }
    drop(injected);
    assert_eq!(engine.list().expect("listed").loops[0].read_only, None);
}

#[test]
fn init_is_not_told_as_done_without_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    for file in [".gitignore", "config.toml"] {
        let _injected = inject(&root, plan(&format!("look~{file}:eio")));
        Engine::init(&root, InitOptions::default()).expect_err("not all of it is there");
    }
    Engine::init(&root, InitOptions::default()).expect("made");
}

#[test]
fn the_first_item_of_a_folder_outlives_a_power_cut() {
    let place = place();
    fs::remove_dir_all(place.root.join(".loopdeck/memory")).expect("there");
    let injected = inject(&place.root, plan("100000:power"));
    let draft = MemoryDraft {
        category: Some(Category::Traps),
        text: Some("Mind the gap.".to_owned()),
        ..MemoryDraft::default()
    };
    let engine = engine(&place.root);
    let item = engine.memory_add(&draft).expect("filed");
    drop(engine);
    injected.cut_power().expect("cut");
    drop(injected);
    assert_eq!(*self::engine(&place.root).memory_item(&item.id).expect("there"), item);
}

#[test]
fn what_was_removed_outlives_a_power_cut_in_quarantine() {
    let place = place();
    let draft = MemoryDraft {
        category: Some(Category::Traps),
        text: Some("Mind the gap.".to_owned()),
        ..MemoryDraft::default()
    };
    let item = engine(&place.root).memory_add(&draft).expect("filed");
    let injected = inject(&place.root, plan("100000:power"));
    engine(&place.root).memory_remove(&item.id).expect("removed");
    injected.cut_power().expect("cut");
    drop(injected);
    let mut todo = vec![place.root.join(".loopdeck")];
    let mut found = false;
    while let Some(folder) = todo.pop() {
        for path in fs::read_dir(folder).expect("listed").flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => todo.push(path),
                false => found |= fs::read_to_string(&path).is_ok_and(|t| t.contains("the gap")),
            }
        }
    }
    assert!(found, "its text is in quarantine, or where it was");
}

#[test]
fn a_failure_of_something_that_stands_says_that_it_stands() {
    let place = place();
    let id = open(&engine(&place.root), "T").expect("opened");
    let refusal = |faults: &str, of: &dyn Fn(&Engine) -> Option<loopdeck::engine::Error>| {
        let _injected = inject(&place.root, plan(faults));
        of(&engine(&place.root)).expect("it fails").message().to_owned()
    };
    // Neither flushed nor cut off again.
    let said = refusal("flush~journal.jsonl:eio+,cut:eio+", &|engine| {
        engine.execute(&id, note("n"), &Write::operator()).err()
    });
    assert!(said.contains("it may be done all the same"), "{said}");
    // Named, and its name not flushed.
    let draft = MemoryDraft {
        category: Some(Category::Decisions),
        text: Some("It stands.".to_owned()),
        ..MemoryDraft::default()
    };
    engine(&place.root).memory_add(&draft).expect("its folder is there then");
    // The first flush there is the new file's own.
    let said = refusal("flush~memory/decisions@2:eio", &|engine| engine.memory_add(&draft).err());
    assert!(said.contains("It is done all the same"), "{said}");
}
