//! Imports of real records and of everything that can be wrong with files.

use std::fs;
use std::path::Path;

use super::*;
use crate::store::memory::{MemoryStore, Snapshot};

const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/decisions");

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().expect("a time")
}

struct Place {
    dir: tempfile::TempDir,
    store: MemoryStore,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        let store = MemoryStore::new(dir.path().join("memory"), dir.path().join("quarantine"));
        Self { dir, store }
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn collect(&self, path: &str, category: Option<Category>) -> Collected {
        collect(&self.dir.path().join(path), self.dir.path(), category).expect("collected")
    }

    /// Imports, and says how many items came and what was left out.
    fn import(&self, collected: Collected) -> (usize, Vec<(String, String)>) {
        let choose = |there: &Snapshot| {
            let plan = plan(collected, there, now());
            (plan.imports, plan.left_out)
        };
        let before = self.store.read();
        let left_out = self.store.import(now(), choose).expect("imported");
        let after = self.store.read();
        let is_new = |stored: &&crate::store::memory::Stored| {
            before.get(&stored.item.id).is_none_or(|old| old.item != stored.item)
        };
        (after.items().filter(is_new).count(), left_out)
    }
}

/// Title, status, number and date of all twenty, from their own words.
const REAL: [(&str, &str, &str, &str); 20] = [
    ("Record architecture decisions", "accepted", "1", "2017-06-30"),
    ("Hosting Platforms", "accepted", "2", "2017-06-30"),
    ("Networking Outline", "partly-superseded", "3", "2017-06-30"),
    ("DNS definitions for hosts and services", "superseded", "4", "2017-07-14"),
    ("Terraform Module Location", "accepted", "5", "2017-07-04"),
    ("Puppet architecture", "pending", "6", "2017-07-04"),
    ("Puppet certificate management", "accepted", "7", "2017-07-04"),
    ("Postgres on Puppetmaster", "accepted", "8", "2017-07-04"),
    ("Environment bootstrapping process", "pending", "9", "2017-07-04"),
    ("Terraform directory structure", "accepted", "10", "2017-07-04"),
    ("Migration Strategy", "accepted", "11", "2017-07-04"),
    ("Security Groups in Terraform", "accepted", "12", "2017-07-05"),
    ("Userdata provisioning snippets", "pending", "13", "2017-07-14"),
    ("Launch Config change propagation process", "accepted", "14", "2017-07-14"),
    ("DNS infrastructure", "accepted", "15", "2018-03-06"),
    ("internal DNS zones", "accepted", "16", "2017-07-19"),
    ("Terraform Data Structure", "accepted", "17", "2017-07-14"),
    ("Use RDS instead of provisioned EC2 databases", "accepted", "18", "2017-08-01"),
    ("Centralise MySQL Databases", "accepted", "19", "2017-08-02"),
    ("Merge API PostgreSQL instance into main PostgreSQL instance", "accepted", "20", "2017-08-07"),
];

#[test]
fn twenty_real_decision_records_become_twenty_decisions() {
    let place = Place::new();
    let collected = collect(Path::new(RECORDS), place.dir.path(), None).expect("collected");
    let said: Vec<(&str, &str, String, String)> = collected
        .candidates
        .iter()
        .map(|c| {
            let date = c.created_at.expect("a date").to_string()[..10].to_owned();
            (c.title.as_str(), c.tags[0].as_str(), c.tags[1].clone(), date)
        })
        .collect();
    let expected: Vec<_> =
        REAL.iter().map(|(t, s, n, d)| (*t, *s, format!("adr-{n}"), (*d).to_owned())).collect();
    assert_eq!(said, expected);
    assert_eq!(collected.left_out.len(), 1);
    assert!(collected.left_out[0].0.ends_with("LICENCE"));
    assert_eq!(collected.left_out[0].1, "a licence, not an item");
    let (dns, source) = (&collected.candidates[3], &collected.candidates[3].source);
    assert_eq!(source, "decisions/0004-dns-definitions-for-hosts-and-services.md");
    assert_eq!(dns.category, Category::Decisions);
    assert!(dns.text.contains("Superseded by [DNS Infrastructure]"), "{}", dns.text);
    assert!(!dns.text.contains("# 4."), "the title is not said twice");

    assert_eq!(place.import(collected).0, 20);
    assert!(place.store.read().faults().is_empty());
    let again = collect(Path::new(RECORDS), place.dir.path(), None).expect("collected");
    let (new, left_out) = place.import(again);
    assert_eq!((new, left_out.len()), (0, 21));
    let repeated = |reason: &&(String, String)| reason.1.starts_with("already there as dec_");
    assert_eq!(left_out.iter().filter(repeated).count(), 20);
    assert_eq!(place.store.read().items().len(), 20);
}

#[test]
fn an_item_that_was_edited_is_not_taken_in_again_nor_overwritten() {
    let place = Place::new();
    let record =
        |said: &str| format!("# 1. Cache\n\n## Status\n\nAccepted\n\n## Decision\n\n{said}\n");
    place.write("adr/0001-cache.md", record("Share it."));
    assert_eq!(place.import(place.collect("adr", None)).0, 1);
    let id = place.store.read().items().next().expect("one").item.id.clone();

    place.write("adr/0001-cache.md", record("Split it."));
    let (changed, _) = place.import(place.collect("adr", None));
    let read = place.store.read();
    assert_eq!((changed, read.items().len()), (1, 1));
    assert!(read.get(&id).expect("the same id").item.text.contains("Split it."));
    let kept = fs::read_dir(place.dir.path().join("quarantine/memory")).expect("there").count();
    assert_eq!(kept, 1, "the former text is kept");

    place.store.edit(&id, now(), |item| item.text = "Mine.".into()).expect("edited");
    let (changed, left_out) = place.import(place.collect("adr", None));
    assert_eq!((changed, left_out[0].1.as_str()), (0, &*format!("already there as {id}")));
    place.write("adr/0001-cache.md", record("Drop it."));
    let (changed, left_out) = place.import(place.collect("adr", None));
    assert_eq!(changed, 0);
    assert!(left_out[0].1.contains("was changed here since"), "{left_out:?}");
    assert_eq!(place.store.read().get(&id).expect("there").item.text, "Mine.");
}

#[test]
fn an_older_text_does_not_take_the_place_of_a_newer_one() {
    let place = Place::new();
    let record = |date: &str| format!("# 1. Cache\n\nDate: {date}\n\n## Status\n\nAccepted\n");
    place.write("adr/0001-cache.md", record("2026-02-01"));
    assert_eq!(place.import(place.collect("adr", None)).0, 1);
    place.write("adr/0001-cache.md", record("2025-02-01"));
    let (changed, left_out) = place.import(place.collect("adr", None));
    assert_eq!(changed, 0);
    assert!(left_out[0].1.contains("holds a text of a later date"), "{left_out:?}");
    place.write("adr/0001-cache.md", record("2026-03-01"));
    assert_eq!(place.import(place.collect("adr", None)).0, 1);
}

#[test]
fn agent_instructions_are_constraints_and_other_markdown_needs_a_category() {
    let place = Place::new();
    place.write(
        "CLAUDE.md",
        "# Project\n\n## Build\n\nUse cargo.\n\n## Style\n\n- short\n- plain\n",
    );
    place.write("NOTES.md", "- one\n- two\n- one\n");
    let collected = place.collect("CLAUDE.md", None);
    let said: Vec<(&str, Category, &str)> = collected
        .candidates
        .iter()
        .map(|c| (c.title.as_str(), c.category, c.source.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("Build", Category::Constraints, "CLAUDE.md#build"),
            ("Style", Category::Constraints, "CLAUDE.md#style")
        ]
    );
    let path = place.dir.path().join("NOTES.md");
    let fault = collect(&path, place.dir.path(), None).expect_err("no category");
    assert_eq!(fault, Fault::NeedsCategory { path: path.clone() });
    let collected = place.collect("NOTES.md", Some(Category::Traps));
    let (new, left_out) = place.import(collected);
    assert_eq!(new, 2);
    assert_eq!(
        left_out,
        [(format!("{}:3", path.display()), format!("says the same as {}:1", path.display()))]
    );
}

#[test]
fn json_items_keep_their_ids_and_go_where_these_say() {
    let place = Place::new();
    place.write("items/a.json", r#"{"id":"trp_0011aabb","text":"Never share it","title":"Cache"}"#);
    place.write("items/b.json", r#"[{"id":"fbk_1","text":"Nice"},{"id":"zz_1","text":"x"},{"id":"DEC_1","text":"x"},{"id":"trp_0011aabb","text":"Another"}]"#);
    place.write("items/c.json", "{\"id\": \"trp_2\",\n \"text\": }");
    let (new, left_out) = place.import(place.collect("items", None));
    let read = place.store.read();
    assert_eq!(read.get("trp_0011aabb").expect("there").item.title, "Cache");
    assert_eq!(read.get("fbk_1").expect("there").item.category, Category::Feedback);
    // The second text under a taken id gets an id of its own.
    assert_eq!(new, 3);
    let reasons: Vec<(&str, &str)> = left_out
        .iter()
        .map(|(place, reason)| (place.rsplit('/').next().unwrap(), reason.as_str()))
        .collect();
    assert_eq!(reasons[0], ("b.json#2", "its id \"zz_1\" tells no category: say --category"));
    assert_eq!(reasons[1].0, "b.json#3");
    assert!(reasons[2].0 == "c.json" && reasons[2].1.contains("line 2"), "{reasons:?}");
    assert_eq!(reasons.len(), 3);
    let (new, _) = place.import(place.collect("items", None));
    assert_eq!(new, 0, "a repeat adds nothing");
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_taken() {
    let place = Place::new();
    place.write("adr/0001-good.md", "# Good\r\n\r\nStatus: accepted\r\n\r\nText.\r\n");
    place.write("adr/0002-bom.md", "\u{feff}# 2. Bom\n\nText.\n");
    place.write("adr/0003-binary.md", b"# 3\0\x01");
    place.write("adr/0004-latin1.md", b"# 4. caf\xe9\n\nx\n");
    place.write("adr/0005-huge.md", "x".repeat(files::MAX_BYTES as usize + 1));
    place.write("adr/0006-empty.md", "# 6. Only a title\n");
    place.write("adr/README.md", "# Index\n\n- [1](0001-good.md)\n");
    place.write("adr/0000-template.md", "# Title\n\n## Status\n\nx\n");
    place.write("adr/notes.md", "# Notes\n\nSome.\n");
    place.write("adr/picture.png", "x");
    place.write("adr/.hidden.md", "# 9. Hidden\n\nx\n");
    place.write("adr/deep/0007-deep.md", "# 7. Deep\n\nx\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("..", place.dir.path().join("adr/deep/up")).expect("linked");
        std::os::unix::fs::symlink("loop.md", place.dir.path().join("adr/loop.md"))
            .expect("linked");
    }
    let collected = place.collect("adr", None);
    let titles: Vec<&str> = collected.candidates.iter().map(|c| c.title.as_str()).collect();
    assert_eq!(titles, ["Good", "Bom", "Deep"]);
    assert_eq!(collected.candidates[0].text, "Status: accepted\n\nText.");
    let reason = |name: &str| {
        let found = collected.left_out.iter().find(|(path, _)| path.ends_with(name));
        found.map(|(_, reason)| reason.as_str()).unwrap_or_default()
    };
    assert_eq!(reason("0003-binary.md"), "binary");
    assert_eq!(reason("0004-latin1.md"), "not UTF-8 from byte 8 on");
    assert!(reason("0005-huge.md").contains("longer than 1 MiB"));
    assert_eq!(reason("0006-empty.md"), "nothing but a title");
    assert_eq!(reason("README.md"), "an index, not an item");
    assert_eq!(reason("0000-template.md"), "a template, not an item");
    assert!(reason("notes.md").contains("not a decision record"));
    assert_eq!(reason("picture.png"), "neither Markdown nor JSON");
    if cfg!(unix) {
        assert!(reason("deep/up").contains("links are not followed"));
        assert!(reason("adr/loop.md").contains("cannot be read"));
    }
    let missing = collect(&place.dir.path().join("none"), place.dir.path(), None);
    assert!(matches!(missing, Err(Fault::Unreadable { .. })));
}

#[test]
fn titles_are_tidied_and_sources_stay_apart() {
    let place = Place::new();
    let long = "long ".repeat(80);
    place.write("n.md", format!("## A\n\nx\n\n## A\n\ny\n\n## {long}\n\nz\n"));
    let collected = place.collect("n.md", Some(Category::Traps));
    let sources: Vec<&str> = collected.candidates.iter().map(|c| c.source.as_str()).collect();
    assert_eq!(&sources[..2], ["n.md#a", "n.md#a-2"]);
    assert!(collected.candidates[2].title.chars().count() <= 200);
    assert!(collected.candidates[2].title.ends_with('…'));
    assert_eq!(tidy_title("a\u{1b}[31m\tb"), "a [31m b");
}
