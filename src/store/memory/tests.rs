use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn now() -> Timestamp {
    at("2026-03-01T12:00:00Z")
}

fn draft(category: Category, title: &str, text: &str) -> MemoryItem {
    MemoryItem {
        id: "".into(),
        category,
        title: title.into(),
        text: text.into(),
        tags: Vec::new(),
        paths: Vec::new(),
        source: None,
        created_at: now(),
    }
}

struct Place {
    dir: tempfile::TempDir,
    store: MemoryStore,
    next: std::cell::Cell<u32>,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        let store = MemoryStore::new(dir.path().join("memory"), dir.path().join("quarantine"));
        Self { dir, store, next: std::cell::Cell::new(1) }
    }

    fn add(&self, category: Category, title: &str, text: &str) -> MemoryItem {
        let mut ids = || {
            self.next.set(self.next.get() + 1);
            (self.next.get() / 2).to_be_bytes()
        };
        self.store.add(draft(category, title, text), &mut ids, now()).expect("added")
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.dir.path().join("memory").join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }

    fn quarantined(&self) -> Vec<String> {
        let dir = self.dir.path().join("quarantine/memory");
        let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("listed").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

fn ids(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.items().map(|stored| &*stored.item.id).collect()
}

#[test]
fn what_was_added_is_there_for_others_and_taken_ids_are_not_given_again() {
    let place = Place::new();
    let first = place.add(Category::Traps, "Shared cache", "\nDon't.\r\n");
    let second = place.add(Category::Traps, "Locks", "Order them.");
    assert_eq!((&*first.id, &*second.id), ("trp_00000001", "trp_00000002"));
    let other = MemoryStore::new(place.dir.path().join("memory"), place.dir.path().join("q"));
    let read = other.read();
    let stored = read.get("trp_00000001").expect("there");
    assert_eq!(*stored.item, first);
    assert_eq!(first.text, "Don't.");
    assert!(read.faults().is_empty());
}

#[test]
fn nothing_there_is_empty_and_what_cannot_be_read_is_said() {
    let place = Place::new();
    assert_eq!(place.store.read().items().len(), 0);
    assert!(place.store.read().faults().is_empty());
    assert!(!place.dir.path().join("memory").exists(), "reading writes nothing");
    fs::create_dir_all(place.dir.path().join("memory")).expect("made");
    fs::write(place.dir.path().join("memory/traps"), "no folder").expect("written");
    let faults = place.store.read().faults().to_vec();
    assert_eq!((faults.len(), faults[0].code), (1, "io"));
    assert!(faults[0].message.contains("traps"), "{}", faults[0].message);
}

#[test]
fn a_broken_file_is_reported_with_its_place_and_hides_nothing() {
    let place = Place::new();
    place.add(Category::Traps, "Good", "text");
    place.write("traps/trp_bad00001.md", b"+++\ntitle = \n+++\n");
    place.write("traps/trp_bad00002.md", b"\xff\xfe");
    place.write("traps/notes.md", b"# notes");
    place.write("traps/.hidden.md", b"\xff");
    place.write("traps/picture.png", b"\xff");
    place.write("trapz/trp_00000009.md", b"lost?");
    let read = place.store.read();
    assert_eq!(ids(&read), ["trp_00000001"]);
    let said: Vec<(&str, String)> = read
        .faults()
        .iter()
        .map(|fault| (fault.code, fault.path.file_name().unwrap().to_string_lossy().into_owned()))
        .collect();
    assert_eq!(
        said,
        [
            ("invalid_name", "notes.md".to_owned()),
            ("damaged", "trp_bad00001.md".to_owned()),
            ("damaged", "trp_bad00002.md".to_owned()),
            ("unknown_category", "trapz".to_owned()),
        ]
    );
    assert!(
        read.faults()[1].message.contains("trp_bad00001.md:2:9:"),
        "{}",
        read.faults()[1].message
    );
}

#[test]
fn the_same_id_twice_is_read_once() {
    let place = Place::new();
    place.write("traps/trp_00000001.md", b"one");
    place.write("decisions/trp_00000001.md", b"two");
    let read = place.store.read();
    assert_eq!(read.items().len(), 1);
    assert_eq!(read.faults()[0].code, "duplicate");
}

#[test]
fn only_what_changed_is_read_again() {
    let place = Place::new();
    place.add(Category::Traps, "One", "cache");
    place.add(Category::Feedback, "Two", "lock");
    let first = place.store.read();
    assert!(Arc::ptr_eq(&first, &place.store.read()), "nothing changed");
    let old = first.index();
    place.write("traps/trp_00000009.md", b"queue");
    let second = place.store.read();
    let item = |snapshot: &Snapshot, id: &str| snapshot.get(id).expect("there").item.clone();
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(second.index().search("queue", &Category::USER).len(), 1);
    assert_eq!(old.search("queue", &Category::USER).len(), 0);
    place.write("traps/trp_00000009.md", b"other");
    place.store.invalidate();
    assert_eq!(item(&place.store.read(), "trp_00000009").text, "other", "same size, same moment");
    fs::remove_file(place.dir.path().join("memory/traps/trp_00000009.md")).expect("removed");
    assert_eq!(place.store.read().items().len(), 2);
}

#[test]
fn an_edit_keeps_the_former_file_and_unknown_keys() {
    let place = Place::new();
    place.write(
        "traps/trp_00000001.md",
        b"+++\nrating = 3\ntitle = \"Old\"\nby = \"me\"\n+++\nold text\n",
    );
    let edited = place.store.edit("trp_00000001", now(), |item| item.title = "New".into());
    assert_eq!(edited.expect("edited").expect("there").title, "New");
    let path = place.dir.path().join("memory/traps/trp_00000001.md");
    let text = fs::read_to_string(path).expect("readable");
    let order =
        ["title = \"New\"", "rating = 3", "by = \"me\"", "old text"].map(|part| text.find(part));
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{text}");
    assert_eq!(place.quarantined(), ["trp_00000001-20260301T120000000Z.md"]);
    let same = place.store.edit("trp_00000001", now(), |_| {}).expect("edited");
    assert!(same.is_some() && place.quarantined().len() == 1, "nothing changed, nothing written");
    assert!(place.store.edit("trp_99999999", now(), |_| {}).expect("looked").is_none());
}

#[test]
fn another_category_moves_the_file_and_keeps_the_id() {
    let place = Place::new();
    let item = place.add(Category::Traps, "One", "text");
    let moved = place.store.edit(&item.id, now(), |item| item.category = Category::Constraints);
    assert_eq!(moved.expect("edited").expect("there").id, item.id);
    let read = place.store.read();
    assert_eq!(read.items().len(), 1);
    assert_eq!(read.get(&item.id).expect("there").item.category, Category::Constraints);
    assert!(read.faults().is_empty());
}

#[test]
fn what_is_removed_is_kept_in_quarantine() {
    let place = Place::new();
    let item = place.add(Category::Traps, "One", "text");
    assert!(place.store.remove(&item.id, now()).expect("removed").is_some());
    assert_eq!(place.store.read().items().len(), 0);
    assert_eq!(place.quarantined().len(), 1);
    assert!(place.store.remove(&item.id, now()).expect("looked").is_none());
}

#[test]
fn a_writer_waits_for_another_and_then_says_who_it_is() {
    let place = Place::new();
    place.add(Category::Traps, "One", "text");
    let lock = LockFile::open(&lock_path(&place.dir.path().join("memory"))).expect("opened");
    let _held = lock.acquire(DEFAULT_WAIT, now()).expect("free");
    let impatient = MemoryStore::new(place.dir.path().join("memory"), place.dir.path().join("q"))
        .with_wait(Duration::from_millis(5));
    let refused = impatient.add(draft(Category::Traps, "Two", "x"), &mut || [0; 4], now());
    assert_eq!(refused.expect_err("held").code(), "lock_timeout");
    assert_eq!(impatient.read().items().len(), 1, "reading waits for nobody");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_said_and_still_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let item = place.add(Category::Traps, "One", "text");
    let dir = place.dir.path().join("memory/traps");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o555)).expect("set");
    let probe = fs::write(dir.join("probe"), "x");
    let result = place.store.edit(&item.id, now(), |item| item.text = "new".into());
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("set back");
    if probe.is_err() {
        // A superuser may write anywhere; then there is nothing to refuse.
        assert_eq!(result.expect_err("refused").code(), "read_only");
        assert_eq!(place.store.read().get(&item.id).expect("there").item.text, "text");
    }
}
