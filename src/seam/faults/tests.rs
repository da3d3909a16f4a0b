//! The seam itself: what it breaks is broken as a machine would break it.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use super::fs::{self, File, OpenOptions};
use super::{Plan, What, inject};
use crate::seam::Op;

fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    (folder, root)
}

fn plan(text: &str) -> Plan {
    text.parse().expect("a plan")
}

fn names(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root).expect("listed").flatten();
    let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn points_are_counted_below_the_folder_only() {
    let (_keep, root) = folder();
    let (_other, elsewhere) = folder();
    let injected = inject(&root, Plan::count());
    fs::write(root.join("a"), "text").expect("written");
    fs::write(elsewhere.join("a"), "text").expect("written");
    File::open(root.join("a")).and_then(|file| file.sync_all()).expect("flushed");
    let ops: Vec<_> = injected.points().into_iter().map(|point| point.op).collect();
    assert_eq!(ops, [Op::Open, Op::Write, Op::Open, Op::Flush]);
    assert_eq!(injected.struck(), None);
}

#[test]
fn a_fault_strikes_once_or_from_there_on() {
    let (_keep, root) = folder();
    let injected = inject(&root, plan("write~b@2:enospc"));
    for (name, works) in [("a", true), ("b", true), ("a", true), ("b", false), ("b", true)] {
        assert_eq!(fs::write(root.join(name), "text").is_ok(), works, "{name}");
    }
    assert_eq!(injected.struck().expect("struck").path, root.join("b"));
    drop(injected);
    let _injected = inject(&root, plan("write@2:enospc+"));
    let tried: Vec<_> = (0..3).map(|_| fs::write(root.join("a"), "x").is_ok()).collect();
    assert_eq!(tried, [true, false, false]);
    let error = fs::write(root.join("a"), "x").expect_err("full");
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[test]
fn half_a_write_is_half_a_write() {
    let (_keep, root) = folder();
    let path = root.join("a");
    let injected = inject(&root, plan("write@1:short"));
    fs::write(&path, "12345").expect("the rest is written after");
    assert_eq!(injected.points().len(), 3, "one more write");
    assert_eq!(std::fs::read(&path).expect("there"), b"12345");
    drop(injected);
    let injected = inject(&root, plan("write@1:torn"));
    fs::write(&path, "abcde").expect_err("full");
    assert_eq!(std::fs::read(&path).expect("there"), b"ab");
    drop(injected);
    let _injected = inject(&root, plan("read@1:short"));
    let mut text = String::new();
    File::open(&path).and_then(|mut file| file.read_to_string(&mut text)).expect("read");
    assert_eq!(text, "ab");
}

#[test]
fn nothing_is_done_after_the_end() {
    let (_keep, root) = folder();
    let injected = inject(&root, Plan::at(3, What::Die));
    fs::write(root.join("a"), "1").expect("before");
    fs::write(root.join("b"), "1").expect_err("the end");
    fs::rename(root.join("a"), root.join("c")).expect_err("dead");
    assert!(injected.is_dead());
    assert_eq!(names(&root), ["a"]);
}

#[test]
fn a_power_cut_leaves_what_was_flushed() {
    let (_keep, root) = folder();
    std::fs::write(root.join("old"), "old").expect("written");
    let injected = inject(&root, plan("write~last:power"));
    let flush = |path: &Path| File::open(path).and_then(|file| file.sync_all());
    // Appended and flushed, then appended once more.
    let mut old = OpenOptions::new().append(true).open(root.join("old")).expect("opened");
    old.write_all(b" new").and_then(|()| old.sync_data()).expect("flushed");
    old.write_all(b" lost").expect("written");
    // Its bytes are flushed now, its name with the folder's, below.
    fs::write(root.join("nameless"), "x").expect("written");
    flush(&root.join("nameless")).expect("flushed");
    fs::create_dir(root.join("dir")).expect("made");
    flush(&root).expect("flushed");
    // A name that is flushed of bytes that aren't, and both.
    fs::write(root.join("dir/empty"), "x").expect("written");
    fs::write(root.join("dir/whole"), "x").expect("written");
    flush(&root.join("dir/whole")).expect("flushed");
    flush(&root.join("dir")).expect("flushed");
    // A rename that isn't flushed.
    fs::rename(root.join("dir/whole"), root.join("old")).expect("renamed");
    fs::write(root.join("last"), "x").expect_err("the end");
    injected.cut_power().expect("restored");
    drop(injected);
    assert_eq!(names(&root), ["dir", "nameless", "old"]);
    assert_eq!(names(&root.join("dir")), ["empty", "whole"]);
    assert_eq!(std::fs::read(root.join("old")).expect("there"), b"old new");
    assert_eq!(std::fs::read(root.join("dir/empty")).expect("there"), b"");
    assert_eq!(std::fs::read(root.join("dir/whole")).expect("there"), b"x");
}
