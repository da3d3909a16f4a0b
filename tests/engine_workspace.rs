//! The workspace as a whole: making it, finding loops in it, disks that are
//! full and folders that may not be written, long bodies, logs, watching.

mod fixture;

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use fixture::{Workspace, add, advance, argument, child, child_engine, open, pause, run};
use loopdeck::core::loops::Command;
use loopdeck::core::loops::command::{Content, NewArtifact};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::model::INLINE_CAP;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::engine::{Change, Engine, InitOptions, LogQuery, OpenRequest, Options, Watch, Write};

#[test]
fn init_makes_a_workspace_once_and_leaves_what_people_wrote() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let root = dir.path();
    fs::write(root.join("AGENTS.md"), "# Rules\n").expect("written");
    fs::create_dir_all(root.join("docs/adr")).expect("made");
    fs::write(root.join("docs/adr/0001-use-rust.md"), "# Use Rust\n").expect("written");
    fs::create_dir_all(root.join("doc/adr")).expect("made");
    let first = Engine::init(root, InitOptions::default()).expect("made");
    assert!(first.created);
    let names: Vec<_> =
        first.importable.iter().filter_map(|p| p.strip_prefix(&first.root).ok()).collect();
    assert_eq!(names, [Path::new("AGENTS.md"), std::path::Path::new("docs/adr")]);
    let config = root.join(".loopdeck/config.toml");
    let text = fs::read_to_string(&config).expect("written");
    assert!(
        text.lines().all(|l| l.is_empty() || l.starts_with('#') || l.starts_with('[')),
        "{text}"
    );
    let ignored = fs::read_to_string(root.join(".loopdeck/.gitignore")).expect("written");
    assert!(ignored.lines().any(|l| l == "loops/") && !ignored.lines().any(|l| l == "memory/"));
    fs::write(&config, "# mine\n").expect("written");
    let second = Engine::init(root, InitOptions { track: true }).expect("there");
    assert!(!second.created);
    assert_eq!(fs::read_to_string(&config).expect("there"), "# mine\n");
    assert_eq!(open(root).problems(), []);
}

#[test]
fn outside_a_workspace_it_says_what_to_do() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let options = Options { workspace: Some(dir.path().to_owned()), ..Options::default() };
    let error = Engine::open(options).err().expect("no workspace");
    assert_eq!(error.code(), "no_workspace");
    assert!(error.next_steps().iter().any(|s| s.command == "loopdeck init"));
}

#[test]
fn a_loop_is_found_by_id_beginning_and_slug() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let engine = &workspace.engine;
    let digits = &id.as_str()[LoopId::PREFIX.len()..];
    for text in [
        id.as_str(),
        digits,
        &digits[..4],
        &format!("lop_{}", &digits[..5]),
        "cache-the-parsed-index",
    ] {
        assert_eq!(engine.resolve(text).expect("found"), id, "{text}");
    }
    for text in [&digits[..3], "", "lop_", "nothing-like-it", "..", "lop_0123456789abcdef"] {
        assert_eq!(engine.resolve(text).expect_err("not found").code(), "loop_not_found", "{text}");
    }
    let near = engine.resolve("cache-the-parsd-index").expect_err("not found");
    assert!(near.message().contains("cache-the-parsed-index"), "{}", near.message());
    let other = workspace.open_loop();
    // A second loop of the same title has a slug of its own, and the first keeps its.
    assert_eq!(engine.resolve("cache-the-parsed-index").expect("the first"), id);
    assert_eq!(engine.resolve("cache-the-parsed-index-2").expect("the second"), other);
}

#[test]
fn the_list_is_newest_change_first_and_the_same_with_and_without_summaries() {
    let workspace = Workspace::new();
    let ids: Vec<LoopId> = (0..4).map(|_| workspace.open_loop()).collect();
    run(&workspace.engine, &ids[1], pause("first"));
    let with = workspace.second().list().expect("readable");
    assert_eq!(with.loops[0].id, ids[1]);
    assert_eq!(with.loops.len(), 4);
    assert_eq!(with, workspace.engine.list().expect("readable"));
    for (n, id) in ids.iter().enumerate() {
        let summary = workspace.loop_dir(id).join("summary.json");
        assert!(fs::metadata(&summary).expect("written").len() <= 2_048);
        let text = fs::read_to_string(&summary).expect("readable");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
        match n {
            0 => fs::remove_file(&summary).expect("removed"),
            1 => fs::write(&summary, &text[..100]).expect("written"),
            2 => fs::write(&summary, text.replacen("proposal", "critique", 1)).expect("written"),
            _ => {}
        }
    }
    assert_eq!(workspace.second().list().expect("readable"), with);
}

#[test]
fn many_loops_are_listed_whole_and_each_damaged_one_says_so() {
    let mut workspace = Workspace::new();
    let root = Some(workspace.root.clone());
    let options = Options { workspace: root, unflushed: true, ..Options::default() };
    workspace.engine = Engine::open(options).expect("opens");
    let ids: Vec<LoopId> = (0..300).map(|_| workspace.open_loop()).collect();
    let damaged = [&ids[3], &ids[130], &ids[299]];
    for id in damaged {
        workspace.edit_journal(id, |lines| lines[0].insert(20, 'x'));
    }
    let engine = workspace.second();
    let listing = engine.list().expect("readable");
    let mut listed: Vec<&LoopId> = listing.loops.iter().map(|l| &l.id).collect();
    assert!(listing.loops.is_sorted_by(|a, b| a.updated_at >= b.updated_at));
    listed.sort();
    let mut wanted: Vec<&LoopId> = ids.iter().collect();
    wanted.sort();
    assert_eq!(listed, wanted);
    for id in damaged {
        let of_it = |path: &Path| path.starts_with(workspace.loop_dir(id));
        assert!(listing.problems.iter().any(|p| of_it(&p.path)), "{id}: {:?}", listing.problems);
    }
    assert_eq!(engine.list().expect("readable"), listing, "the same from memory");
}

#[test]
fn long_bodies_live_in_files_and_come_back_whole() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let engine = &workspace.engine;
    let long = "é".repeat(INLINE_CAP / 2 + 1);
    let inline = "é".repeat(INLINE_CAP / 2);
    let megabyte = "line\n".repeat(200_000);
    for text in [&inline, &long, &megabyte] {
        let done = run(engine, &id, add("note", text));
        let artifact = &done.made.artifact_ids[0];
        let head = done.state.artifact(artifact.as_str()).expect("filed").clone();
        assert_eq!(head.body_file.is_some(), text.len() > INLINE_CAP);
        assert_eq!(&workspace.second().body(&id, artifact).expect("readable"), text);
    }
    let folder = workspace.loop_dir(&id).join("artifacts");
    assert_eq!(fs::read_dir(&folder).expect("listed").count(), 2);
    // Filed again: the same content, from the same file.
    let state = engine.load(&id).expect("readable");
    let source = state.artifacts.last().expect("filed").artifact_id.clone();
    let again = run(
        engine,
        &id,
        Command::AddArtifact(NewArtifact {
            artifact_type: "note".to_owned(),
            content: Content::From { artifact: source, body: "".into() },
            ..NewArtifact::default()
        }),
    );
    let body = engine.body(&id, &again.made.artifact_ids[0]).expect("readable");
    assert_eq!(body, megabyte);
    // What is refused leaves no file behind.
    let refused = engine.execute(&id, add("critic_signal", &"y".repeat(9_000)), &Write::operator());
    assert_eq!(refused.expect_err("stays inline").code(), "body_too_large");
    assert_eq!(fs::read_dir(&folder).expect("listed").count(), 2);
    // A file that was changed is not passed off as the body.
    for entry in fs::read_dir(&folder).expect("listed").flatten() {
        fs::write(entry.path(), "something else").expect("written");
    }
    let damaged = workspace.second().body(&id, &again.made.artifact_ids[0]);
    assert_eq!(damaged.expect_err("changed").code(), "damaged");
}

#[test]
fn the_log_of_one_loop_and_of_all() {
    let workspace = Workspace::new();
    let (one, two) = (workspace.open_loop(), workspace.open_loop());
    for n in 0..5 {
        run(&workspace.engine, if n % 2 == 0 { &one } else { &two }, add("note", &format!("{n}")));
    }
    run(&workspace.engine, &two, pause("enough"));
    let engine = workspace.second();
    let log = |query: LogQuery| engine.log(&query).expect("readable");
    let all = log(LogQuery { loop_id: Some(one.clone()), ..LogQuery::default() });
    assert_eq!((all.entries.len(), all.total), (5, 5));
    assert!(all.entries.is_sorted_by_key(|e| e.event.seq));
    let last = log(LogQuery { loop_id: Some(one), limit: Some(2), ..LogQuery::default() });
    assert_eq!(last.entries, all.entries[3..]);
    assert_eq!(last.total, 5);
    let everything = log(LogQuery::default());
    assert_eq!((everything.entries.len(), everything.total), (10, 10));
    assert!(everything.entries.is_sorted_by(|a, b| a.event.at >= b.event.at));
    for limit in 1..10 {
        let some = log(LogQuery { limit: Some(limit), ..LogQuery::default() });
        let times = |l: &loopdeck::engine::Log| -> Vec<_> {
            l.entries.iter().take(limit).map(|e| e.event.at).collect()
        };
        assert_eq!((some.entries.len(), times(&some)), (limit, times(&everything)));
    }
    let paused =
        log(LogQuery { kind: Some("paused".into()), limit: Some(9), ..LogQuery::default() });
    assert_eq!((paused.entries.len(), paused.total), (1, 1));
    assert_eq!(paused.entries[0].loop_id, two);
}

#[test]
fn a_workspace_opened_for_reading_is_not_written() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let before = workspace.files();
    let options =
        Options { workspace: Some(workspace.root.clone()), read_only: true, ..Options::default() };
    let engine = Engine::open(options).expect("a workspace");
    assert!(engine.read_only().is_some());
    let write = Write::operator();
    let request = OpenRequest::new(Kind::Debug, "No");
    assert_eq!(engine.open_loop(&request, &write).expect_err("read-only").code(), "read_only");
    let refused = engine.execute(&id, advance(), &write).expect_err("read-only");
    assert_eq!(refused.code(), "read_only");
    engine.load(&id).expect("readable");
    engine.list().expect("readable");
    assert_eq!(before, workspace.files());
}

/// Folders that this user may not write: as root another user plays the part.
#[cfg(unix)]
#[test]
fn in_a_folder_that_may_not_be_written_reading_works_and_writing_says_why() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    set_modes(&workspace.root, 0o555, 0o444);
    let program = std::env::current_exe().expect("known");
    let copy = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o755))
        .tempfile()
        .expect("temporary file")
        .into_temp_path();
    fs::copy(program, &copy).expect("copied");
    let mut process = std::process::Command::new(&copy);
    process
        .args(["--exact", "child_may_not_write", "--ignored", "--nocapture"])
        .env("LOOPDECK_TEST_ROOT", &workspace.root)
        .env("LOOP", id.as_str())
        .current_dir("/");
    if rustix::process::geteuid().is_root() {
        process.uid(65_534).gid(65_534);
    }
    let output = process.output().expect("started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    // So that the folder can be removed.
    set_modes(&workspace.root, 0o755, 0o644);
}

/// Sets what may be done with all folders and files below a folder.
#[cfg(unix)]
fn set_modes(root: &Path, folders: u32, files: u32) {
    use std::os::unix::fs::PermissionsExt;
    let mut todo = vec![root.to_owned()];
    while let Some(path) = todo.pop() {
        let mode = if path.is_dir() { folders } else { files };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).expect("listed").flatten().map(|e| e.path()));
        }
    }
}

#[test]
#[ignore = "the part of another process"]
fn child_may_not_write() {
    let (engine, id) = (child_engine(), LoopId::parse(&argument("LOOP")).expect("an id"));
    let reason = engine.read_only().expect("it may not be written");
    assert!(reason.contains("may not write"), "{reason}");
    assert_eq!(engine.load(&id).expect("readable").version, 2);
    assert_eq!(engine.list().expect("readable").loops.len(), 1);
    let refused = engine.execute(&id, pause("no"), &Write::operator()).expect_err("read-only");
    assert_eq!(refused.code(), "read_only");
    let request = OpenRequest::new(Kind::Debug, "No");
    let refused = engine.open_loop(&request, &Write::operator()).expect_err("read-only");
    assert_eq!(refused.code(), "read_only");
}

/// A disk that takes no more: a limit on the size of files fails writes half-way
/// just so, and needs no privileges.
#[cfg(unix)]
#[test]
fn a_disk_that_takes_no_more_loses_nothing_and_is_said() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let program = std::env::current_exe().expect("known");
    // In units of 512 or 1,024 bytes, by shell: 16 or 32 KiB.
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" --exact child_fills_the_disk --ignored --nocapture";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(program)
        .env("LOOPDECK_TEST_ROOT", &workspace.root)
        .env("LOOP", id.as_str())
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let state = workspace.second().load(&id).expect("readable");
    let kept = said.lines().filter(|l| *l == "reported").count();
    assert!(kept > 5, "{said}");
    assert_eq!(state.artifacts.len(), kept + 1, "what was reported, and nothing else");
    assert_eq!(workspace.second().loop_problems(&id), []);
    run(&workspace.second(), &id, add("note", "with room again"));
}

#[test]
#[ignore = "the part of another process"]
fn child_fills_the_disk() {
    let (engine, id) = (child_engine(), LoopId::parse(&argument("LOOP")).expect("an id"));
    let text = "x".repeat(1_000);
    let error = loop {
        match engine.execute(&id, add("note", &text), &Write::operator()) {
            Ok(_) => println!("\nreported"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "io");
    assert!(error.message().contains("journal.jsonl"), "{}", error.message());
    // Nothing is stuck: it can be read, and a long body fails as plainly.
    engine.load(&id).expect("readable");
    let refused = engine.execute(&id, add("note", &"y".repeat(50_000)), &Write::operator());
    assert_eq!(refused.expect_err("no room").code(), "io");
}

/// What a watcher tells, waiting for each word as long as it takes.
struct Told {
    changes: Receiver<Change>,
    _watch: Watch,
}

impl Told {
    fn by(engine: &Engine) -> Self {
        let (tell, changes) = channel();
        let tell = std::sync::Mutex::new(tell);
        let watch = engine.watch(Box::new(move |change| {
            let _ = tell.lock().expect("unbroken").send(change);
        }));
        Self { changes, _watch: watch.expect("watching") }
    }

    fn wait_for(&self, wanted: &Change) {
        loop {
            let next = self.changes.recv_timeout(Duration::from_secs(20));
            if next.expect("it is told in time") == *wanted {
                return;
            }
        }
    }
}

#[test]
fn changes_by_others_are_told_and_ones_own_are_not() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let told = Told::by(&workspace.engine);
    run(&workspace.second(), &id, add("note", "by another"));
    told.wait_for(&Change::Loop(id.clone()));
    // Its own change, then another's on another loop: the first is never told.
    run(&workspace.engine, &id, add("note", "by myself"));
    let other = open(&workspace.root)
        .open_loop(&OpenRequest::new(Kind::Research, "Another"), &Write::operator())
        .expect("opened");
    let first = told.changes.recv_timeout(Duration::from_secs(20)).expect("told");
    assert_eq!(first, Change::Loop(other.state.id.clone()));
    told.wait_for(&Change::Loops);
    fs::create_dir_all(workspace.root.join(".loopdeck/memory/traps")).expect("made");
    fs::write(workspace.root.join(".loopdeck/memory/traps/trp_00000001.md"), "x").expect("written");
    told.wait_for(&Change::Memory);
    fs::write(workspace.root.join(".loopdeck/protocols/own.toml"), "x").expect("written");
    told.wait_for(&Change::Settings);
    // Reading is no change.
    workspace.second().list().expect("readable");
    workspace.engine.load(&id).expect("readable");
    fs::remove_dir_all(workspace.loop_dir(&other.state.id)).expect("removed");
    let next = told.changes.recv_timeout(Duration::from_secs(20)).expect("told");
    assert_eq!(next, Change::Loop(other.state.id.clone()));
}

#[test]
fn folders_that_are_made_later_are_watched_too() {
    let workspace = Workspace::new();
    for folder in [".whetstone", ".keysarium"] {
        assert!(!workspace.root.join(folder).exists(), "{folder} is there already");
    }
    let told = Told::by(&workspace.engine);
    for (file, change) in [
        (".whetstone/sessions/11111111-2222-4333-8444-555555555555.json", Change::Sessions),
        (".keysarium/insights/trigger-state.json", Change::Dreams),
    ] {
        let path = workspace.root.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, "{}").expect("written");
        told.wait_for(&change);
        // From then on what changes there is told by itself.
        fs::write(&path, "{\"a\":1}").expect("written");
        told.wait_for(&change);
    }
}

#[test]
fn a_store_that_is_moved_away_is_missed_and_watched_again_when_it_is_back() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    let told = Told::by(&workspace.engine);
    let (store, away) = (workspace.root.join(".loopdeck"), workspace.root.join("away"));
    fs::rename(&store, &away).expect("moved");
    told.wait_for(&Change::Loops);
    let error = workspace.engine.list().expect_err("it is gone");
    assert!(error.message().contains("is gone"), "{}", error.message());
    fs::rename(&away, &store).expect("moved back");
    told.wait_for(&Change::Loops);
    run(&workspace.second(), &id, add("note", "by another"));
    told.wait_for(&Change::Loop(id.clone()));
    // So fast that nobody looked in between.
    fs::rename(&store, &away).and_then(|()| fs::rename(&away, &store)).expect("moved");
    run(&workspace.second(), &id, add("note", "at once"));
    told.wait_for(&Change::Loop(id));
}

#[test]
fn a_process_that_was_killed_before_its_first_commit_leaves_a_request_that_still_works() {
    let workspace = Workspace::new();
    let write = fixture::requested("open 1");
    let request = OpenRequest::new(Kind::Ideation, "Once");
    let id = workspace.engine.open_loop(&request, &write).expect("opened").state.id.clone();
    // As if it had been killed half-way through the line, before there was a summary.
    fs::remove_file(workspace.loop_dir(&id).join("summary.json")).expect("removed");
    let text = workspace.journal_text(&id);
    fs::write(workspace.journal(&id), &text[..text.len() / 2]).expect("written");
    let again = workspace.second().open_loop(&request, &write).expect("opened after all");
    assert!(!again.replayed);
    assert_eq!(again.state.id, id);
    assert!(again.warnings.iter().any(|w| w.contains("set aside")), "{:?}", again.warnings);
}

#[test]
fn many_threads_of_one_engine_share_a_loop() {
    let workspace = Workspace::new();
    let id = workspace.open_loop();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (engine, id) = (workspace.engine.clone(), &id);
            scope.spawn(move || {
                for m in 0..10 {
                    run(&engine, id, add("note", &format!("{n}/{m}")));
                    engine.load(id).expect("readable");
                }
            });
        }
    });
    assert_eq!(workspace.second().load(&id).expect("readable").artifacts.len(), 41);
    let mut another = child("child_reads", &workspace.root, &[("LOOP", id.as_str())]);
    assert!(another.wait().expect("ended").success());
}

#[test]
#[ignore = "the part of another process"]
fn child_reads() {
    let (engine, id) = (child_engine(), LoopId::parse(&argument("LOOP")).expect("an id"));
    assert_eq!(engine.load(&id).expect("readable").artifacts.len(), 41);
}

#[test]
fn what_an_interrupted_opening_left_is_set_aside_after_an_hour() {
    let mut workspace = Workspace::new();
    let id = workspace.open_loop();
    // The opening has the workspace swept too: that is over when its engine is gone.
    workspace.engine = workspace.second();
    let loops = workspace.root.join(".loopdeck/loops");
    let (old, young) = (loops.join("lop_00000000000000aa"), loops.join("lop_00000000000000bb"));
    let two_hours_ago = std::time::SystemTime::now() - Duration::from_secs(7_200);
    for folder in [&old, &young] {
        fs::create_dir(folder).expect("made");
        fs::write(folder.join("journal.jsonl"), "{\"v\":1,\"first_s").expect("written");
    }
    for folder in [&old, &workspace.loop_dir(&id)] {
        fs::File::open(folder).and_then(|f| f.set_modified(two_hours_ago)).expect("set");
    }
    let engine = workspace.second();
    let request = OpenRequest::new(Kind::Research, "Another");
    engine.open_loop(&request, &Write::operator()).expect("opened");
    // Dropping the last handle waits for what is done after the answer.
    drop(engine);
    assert!(!old.exists() && young.exists() && workspace.loop_dir(&id).exists());
    let aside: Vec<_> = fs::read_dir(workspace.root.join(".loopdeck/quarantine"))
        .expect("made")
        .flatten()
        .map(|e| fs::read_to_string(e.path().join("journal.jsonl")).expect("kept"))
        .collect();
    assert_eq!(aside, ["{\"v\":1,\"first_s"]);
}
