//! Pages on a real terminal: colour only there, never where somebody says no,
//! and never wider than it is.

#![cfg(unix)]

use std::io::Read;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use unicode_width::UnicodeWidthStr;

use crate::support::Place;

/// What a command writes to a terminal of 70 columns.
fn on_terminal(place: &Place, args: &[&str], env: &[(&str, &str)]) -> String {
    let size = PtySize { rows: 24, cols: 70, ..PtySize::default() };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_loopdeck"));
    command.args(args);
    command.cwd(place.root());
    command.env_remove("NO_COLOR");
    command.env("TERM", "xterm-256color");
    for (name, value) in env {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).expect("it runs");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut seen = Vec::new();
    // The terminal's end is an error on some systems; what came before counts.
    let _ = reader.read_to_end(&mut seen);
    child.wait().expect("it ends");
    String::from_utf8(seen).expect("UTF-8")
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let place = Place::with_workspace();
    place.in_critique();
    assert!(on_terminal(&place, &["status"], &[]).contains("\u{1b}[1m"));
    for env in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let seen = on_terminal(&place, &["status"], &[env]);
        assert!(seen.contains("Extract the dispatcher"), "{seen}");
        assert!(!seen.contains('\u{1b}'), "{env:?}: {seen:?}");
    }
}

#[test]
fn pages_are_no_wider_than_the_terminal() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    place.add(&id, "critique", &"Ein langer Satz über 日本語 und mehr. ".repeat(20));
    for args in [&["status"][..], &["loop", "list"], &["loop", "log", &id]] {
        let seen = on_terminal(&place, args, &[("NO_COLOR", "1")]);
        for line in seen.lines().filter(|line| !line.contains("loopdeck loop ")) {
            let width = line.trim_end().width();
            assert!(width <= 70, "{args:?}: {width}: {line}");
        }
    }
}
