//! What is printed where: pages, one-liners, pipes, terminals.

use std::process::Stdio;

use crate::support::Place;

#[test]
fn bare_loopdeck_without_a_terminal_is_the_status_page() {
    let place = Place::with_workspace();
    place.in_critique();
    let run = place.run(&[]);
    assert_eq!(run.status, 0);
    assert!(run.stderr.contains("terminal"), "a sentence: {}", run.stderr);
    assert!(run.stdout.contains("Extract the dispatcher"), "{}", run.stdout);
    let status = place.run(&["status"]);
    assert_eq!((status.stdout, status.stderr), (run.stdout, String::new()));
}

#[test]
fn status_in_short_is_one_line() {
    let place = Place::with_workspace();
    assert_eq!(place.run(&["status", "--short"]).stdout, "nothing open\n");
    let id = place.in_critique();
    place.run(&["loop", "advance", &id]);
    assert_eq!(place.run(&["status", "--short"]).stdout, "1 open · 1 stuck\n");
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    for args in [&["status"][..], &["loop", "why", &id], &["--help"], &["loop", "nothing"]] {
        let run = place.run(args);
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
    }
}

#[test]
fn pages_fit_the_columns_that_they_are_told() {
    let place = Place::with_workspace();
    place
        .json(&[
            "loop",
            "open",
            "--kind",
            "research",
            "--title",
            "A rather long title in which there is a good deal more than anybody wants to read",
        ])
        .result();
    for columns in ["60", "80", "120"] {
        let mut command = place.command(&["loop", "list"]);
        let output = command.env("COLUMNS", columns).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let widest = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
        let columns: usize = columns.parse().expect("a number");
        assert!(widest <= columns, "{widest} > {columns}:\n{text}");
    }
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_quietly() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    for n in 0..40 {
        place.add(&id, "critique", &format!("critique {n} {}", "x".repeat(3000)));
    }
    let binary = assert_cmd::cargo::cargo_bin("loopdeck");
    for args in [&["loop", "log", &id, "--json"][..], &["loop", "show", &id], &["--help"], &["man"]]
    {
        let mut child = std::process::Command::new(&binary)
            .args(args)
            .current_dir(place.root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_a_redirection_is_said() {
    let place = Place::with_workspace();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("loopdeck"))
        .args(["status"])
        .current_dir(place.root())
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_change_whose_answer_is_lost_was_made_and_says_so() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("loopdeck"))
        .args(["loop", "add", &id, "--type", "critique", "--body", "x"])
        .current_dir(place.root())
        .stdout(full)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5));
    assert!(said.contains("was carried out"), "{said}");
    assert_eq!(place.json(&["loop", "show", &id]).result()["artifacts"][1]["preview"], "x");
}

#[test]
fn help_version_completions_and_manual_are_there() {
    let place = Place::empty();
    let version = place.run(&["--version"]);
    assert_eq!(version.stdout, format!("loopdeck {}\n", env!("CARGO_PKG_VERSION")));
    assert!(place.run(&["--help"]).stdout.contains("Usage: loopdeck"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(&["completions", shell]);
        assert!(script.status == 0 && script.stdout.contains("coverage"), "{shell}: {script:?}");
    }
    let manual = place.run(&["man"]).stdout;
    assert!(manual.contains(".TH loopdeck") && manual.contains("supersede"), "{manual}");
    place.json(&["completions", "bash"]).result();
    assert!(place.json(&["--version"]).result()["text"].is_string());
}
