//! Seed step 1344: sessions as files.

use super::*;
use crate::core::session::{GoalType, Status};

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().expect("valid")
}

fn session(n: u8) -> Session {
    Session::new(SessionId::random([n; 16]), "all tests pass", GoalType::TestsPass, now())
}

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
    store: SessionStore,
}

fn place() -> Place {
    let dir = tempfile::tempdir().expect("temporary folder");
    let root = dir.path().to_owned();
    let store = SessionStore::new(root.join(".whetstone/sessions"));
    Place { _dir: dir, root, store }
}

#[test]
fn save_creates_file() {
    let place = place();
    place.store.save(&session(1), now()).expect("saved");
    let text = fs::read_to_string(place.store.path(&session(1).session_id)).expect("there");
    assert!(text.starts_with("{\n  \"schema_version\": 1,") && text.ends_with("}\n"), "{text}");
}

#[test]
fn load_round_trips_session() {
    let place = place();
    place.store.save(&session(1), now()).expect("saved");
    let other = SessionStore::new(place.store.dir());
    let loaded = other.load(&session(1).session_id).expect("readable").expect("there");
    assert_eq!(*loaded, session(1));
    let again = other.load(&session(1).session_id).expect("readable").expect("there");
    assert!(Arc::ptr_eq(&loaded, &again), "what didn't change is not read again");
}

#[test]
fn list_returns_saved_ids() {
    let place = place();
    assert_eq!(place.store.ids().expect("no folder is no fault"), []);
    for n in [2, 1, 3] {
        place.store.save(&session(n), now()).expect("saved");
    }
    let ids: Vec<_> = [1, 2, 3].map(|n| session(n).session_id).into();
    assert_eq!(place.store.ids().expect("listed"), ids);
    let lines = place.store.list().expect("listed").lines;
    assert_eq!(lines.iter().map(|l| l.session_id.clone()).collect::<Vec<_>>(), ids);
}

#[test]
fn overwrite_preserves_new_state() {
    let place = place();
    let mut changed = session(1);
    place.store.save(&changed, now()).expect("saved");
    let _ = place.store.load(&changed.session_id);
    changed.status = Status::Other("paused".into());
    place.store.save(&changed, now()).expect("saved");
    let fresh = SessionStore::new(place.store.dir());
    for store in [&place.store, &fresh] {
        let loaded = store.load(&changed.session_id).expect("readable").expect("there");
        assert_eq!(loaded.status, changed.status);
        assert_eq!(store.list().expect("listed").lines[0].status, changed.status);
    }
}

#[test]
fn missing_session_returns_nullopt() {
    let place = place();
    assert_eq!(place.store.load(&session(1).session_id).expect("no fault"), None);
    assert!(!place.store.dir().exists(), "looking makes no folder");
}

#[test]
fn atomic_write_partial_write_does_not_corrupt() {
    let place = place();
    place.store.save(&session(1), now()).expect("saved");
    let path = place.store.path(&session(1).session_id);
    let before = fs::read(&path).expect("there");
    // What a kill in the middle leaves: half a file under a passing name.
    let temp = atomic::prepare(&path, |out| out.write_all(&before[..20])).expect("prepared");
    let (_, half) = temp.keep().expect("kept");
    assert_eq!(fs::read(&path).expect("there"), before);
    let other = SessionStore::new(place.store.dir());
    assert_eq!(other.list().expect("listed").lines.len(), 1);
    assert_eq!(other.list().expect("listed").faults.len(), 0, "{}", half.display());
    assert_eq!(*other.load(&session(1).session_id).expect("whole").expect("there"), session(1));
}

#[test]
fn path_derivation_from_workspace_root() {
    let place = place();
    let layout = crate::store::layout::Layout::new(&place.root);
    let store = SessionStore::new(layout.sessions());
    let id = session(1).session_id;
    assert_eq!(store.path(&id), place.root.join(format!(".whetstone/sessions/{id}.json")));
}

#[test]
fn concurrent_save_does_not_corrupt() {
    let place = place();
    place.store.save(&session(1), now()).expect("saved");
    let id = session(1).session_id;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // A store of its own each, like a process of its own.
                let store = SessionStore::new(place.store.dir());
                for _ in 0..8 {
                    let grown = store.change::<_, Error>(&id, now(), |slot| {
                        let session = Arc::make_mut(slot.as_mut().expect("there"));
                        session.max_attempts += 1;
                        Ok(())
                    });
                    grown.expect("changed");
                }
            });
        }
    });
    let loaded = place.store.load(&id).expect("whole").expect("there");
    assert_eq!(loaded.max_attempts, session(1).max_attempts + 64, "none was lost");
}

#[test]
fn deterministic_file_layout() {
    let place = place();
    place.store.save(&session(1), now()).expect("saved");
    let path = place.store.path(&session(1).session_id);
    let first = fs::read(&path).expect("there");
    place.store.save(&session(1), now()).expect("saved");
    assert_eq!(fs::read(&path).expect("there"), first);
    // Also after reading what was written.
    let loaded = place.store.load(&session(1).session_id).expect("readable").expect("there");
    assert_eq!(render(&loaded).into_bytes(), first);
}

#[test]
fn sidecar_dir_created_on_first_save() {
    let place = place();
    assert!(!place.root.join(".whetstone").exists());
    place.store.save(&session(1), now()).expect("saved");
    assert!(place.root.join(".whetstone/sessions").is_dir());
}

#[test]
fn a_damaged_file_is_told_with_its_place_and_hides_no_other() {
    let place = place();
    for n in [1, 2] {
        place.store.save(&session(n), now()).expect("saved");
    }
    let path = place.store.path(&session(1).session_id);
    let text = render(&session(1)).replace("\"goal\": \"all tests pass\",", "\"goal\": all,");
    fs::write(&path, &text).expect("written");
    let error = place.store.load(&session(1).session_id).expect_err("damaged");
    assert_eq!(error.code(), "damaged");
    assert!(error.to_string().contains("line 4, column 11"), "{error}");
    let all = place.store.list().expect("listed");
    assert_eq!((all.lines.len(), all.faults.len()), (1, 1));
    let changed = place.store.change::<(), Error>(&session(1).session_id, now(), |_| Ok(()));
    assert!(changed.is_err());
    assert_eq!(fs::read_to_string(&path).expect("there"), text, "it is left alone");

    let copy = place.store.dir().join("copy.json");
    fs::copy(place.store.path(&session(2).session_id), &copy).expect("copied");
    let all = place.store.list().expect("listed");
    assert_eq!((all.lines.len(), all.faults.len()), (1, 2));
    assert!(all.faults.iter().any(|f| f.to_string().contains("it holds the session")));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_read() {
    let place = place();
    let id = session(1).session_id;
    fs::create_dir_all(place.store.dir()).expect("made");
    let text = format!("\u{feff}{}", render(&session(1)).replace('\n', "\r\n"));
    fs::write(place.store.path(&id), text).expect("written");
    assert_eq!(*place.store.load(&id).expect("readable").expect("there"), session(1));
}

#[test]
fn a_change_that_changes_nothing_or_fails_writes_nothing() {
    let place = place();
    place.store.save(&session(1), now()).expect("saved");
    let id = session(1).session_id;
    let before = Stamp::at(&place.store.path(&id)).expect("there");
    place.store.change::<_, Error>(&id, now(), |_| Ok(())).expect("nothing to do");
    let failed = place.store.change::<(), Error>(&id, now(), |slot| {
        Arc::make_mut(slot.as_mut().expect("there")).goal = "other".to_owned();
        Err(Error::read(Path::new("x"), io::ErrorKind::Other.into()))
    });
    assert!(failed.is_err());
    assert_eq!(Stamp::at(&place.store.path(&id)).expect("there"), before);
    assert_eq!(place.store.load(&id).expect("readable").expect("there").goal, "all tests pass");
}
