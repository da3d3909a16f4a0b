//! Data that gets lost, or grows without end.

use std::fs;

use crate::support::{Place, text};

/// Field note: a parse error read as an empty list, then written back (ralphd 15,
/// nezha PR 357).
#[test]
fn what_cannot_be_read_is_never_written_over() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let session = text(&place.json(&["session", "start", "--goal", "g"]).result()["session_id"]);
    for (n, reward) in [0.9, 0.2, 0.9, 0.2, 0.9, 0.2].iter().enumerate() {
        let domain = ["billing", "search"][n % 2];
        let reward = reward.to_string();
        let case = format!("c{n}");
        let add = ["rewards", "add", "--case", &case, "--phase", "p", "--domain", domain];
        place.json(&[&add[..], &["--reward", &reward]].concat()).result();
    }
    place.json(&["dream", "run"]).result();
    place.json(&["dream", "accept", "1"]).result();
    let add = ["memory", "add", "--category", "traps", "--title", "t", "--text", "x"];
    let item = text(&place.json(&add).result()["id"]);
    let broken = "{\"version\": \"1.0\", \"marks\": [ \u{1}\n<<<<<<< HEAD\n+++\n";
    for (path, change) in [
        (".keysarium/insights/marks.json".to_owned(), vec!["dream", "accept", "1"]),
        (
            format!(".whetstone/sessions/{session}.json"),
            vec!["session", "record", &session, "--action", "test", "--gap", "1"],
        ),
        (format!(".loopdeck/loops/{id}/journal.jsonl"), vec!["loop", "pause", &id]),
        (
            format!(".loopdeck/memory/traps/{item}.md"),
            vec!["memory", "edit", &item, "--title", "n"],
        ),
    ] {
        let path = place.root().join(path);
        let before = fs::read(&path).expect("it is there");
        fs::write(&path, broken).expect("written");
        // Free text is a memory item of its own right.
        let run = place.json(&change);
        if path.extension().is_some_and(|e| e == "md") && run.status == 0 {
            let quarantine = place.root().join(".loopdeck/quarantine/memory");
            let kept = fs::read_dir(quarantine).expect("kept").flatten();
            let texts: Vec<_> = kept.map(|e| fs::read_to_string(e.path()).expect("text")).collect();
            assert!(texts.iter().any(|text| text == broken), "{texts:?}");
        } else {
            assert_ne!(run.status, 0, "{change:?}: {run:?}");
            assert_eq!(fs::read_to_string(&path).expect("there"), broken, "{change:?}");
        }
        fs::write(&path, before).expect("put back");
    }
}

/// Field note: a byte order mark or CRLF resets all settings in silence (tty7 PR 215).
#[test]
fn settings_hold_with_the_marks_that_editors_leave() {
    let settings = "actor = \"agent:somebody\"\n[brief]\ntop_k = 3\n";
    for text in [
        format!("\u{feff}{settings}"),
        settings.replace('\n', "\r\n"),
        format!("\u{feff}{}", settings.replace('\n', "\r\n")),
    ] {
        let place = Place::with_workspace();
        place.file(".loopdeck/config.toml", &text);
        assert_eq!(place.json(&["config", "check"]).status, 0, "{text:?}");
        let id = place.ideation();
        let log = place.json(&["loop", "log", &id]).result();
        assert_eq!(log["events"][0]["by"], "agent:somebody", "{text:?}");
        place.write_config("keys.toml", "\u{feff}[everywhere]\r\nadvance = [\"ctrl-y\"]\r\n");
        assert_eq!(place.json(&["config", "check"]).status, 0);
        let keys = place.json(&["keys"]).result().to_string();
        assert!(keys.contains("ctrl-y"), "{keys}");
    }
}

/// Field note: each event stores the whole state (claude-code 18687).
#[test]
fn a_commit_costs_the_same_bytes_however_long_the_loop_is() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let journal = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    for n in 100..160 {
        place.add(&id, "note", &format!("note {n}"));
    }
    let text = fs::read_to_string(journal).expect("a journal");
    let lengths: Vec<usize> =
        text.lines().filter(|l| l.contains("\"type\":\"note\"")).map(str::len).collect();
    let (first, last) = (lengths[5], lengths[lengths.len() - 1]);
    assert!(lengths.len() >= 60 && last <= first + 8, "{first}, then {last}");
    let summary = place.root().join(format!(".loopdeck/loops/{id}/summary.json"));
    assert!(summary.metadata().expect("there").len() <= 2_048);
}

/// Field note: cites files that no longer exist (openclaw 70104).
#[test]
fn an_insight_says_which_of_its_records_are_gone() {
    let place = Place::with_workspace();
    for n in 0..8 {
        let (case, reward) = (format!("c{n}"), ["0.9", "0.2"][n % 2]);
        let domain = ["billing", "search"][n % 2];
        let add = ["rewards", "add", "--case", &case, "--phase", "p", "--domain", domain];
        place.json(&[&add[..], &["--reward", reward]].concat()).result();
    }
    place.json(&["dream", "run"]).result();
    let missing = || {
        let opened = place.json(&["dream", "insights", "1"]).result();
        let sides = opened["sides"].as_array().expect("sides").clone();
        let gone = |side: &serde_json::Value| side["missing"].as_array().map_or(0, Vec::len);
        sides.iter().map(gone).sum::<usize>()
    };
    assert_eq!(missing(), 0);
    let record = place.json(&["rewards", "list"]).result()["records"][0].clone();
    fs::remove_file(text(&record["file"])).expect("removed");
    assert_eq!(missing(), 1);
}

/// Field note: sources deleted or overwritten by the dream (openclaw 84882).
#[test]
fn a_dream_leaves_what_it_is_dreamt_from_as_it_is() {
    let place = Place::with_workspace();
    for n in 0..6 {
        let (case, reward) = (format!("c{n}"), ["0.9", "0.2"][n % 2]);
        let domain = ["billing", "search"][n % 2];
        let add = ["rewards", "add", "--case", &case, "--phase", "p", "--domain", domain];
        place.json(&[&add[..], &["--reward", reward]].concat()).result();
    }
    let records = || {
        let folder = place.root().join(".keysarium/memory");
        let (mut todo, mut found) = (vec![folder], Vec::new());
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(folder).expect("listed").flatten() {
                let is_ours = entry.file_name().to_string_lossy().starts_with('_');
                match entry.path().is_dir() {
                    true if !is_ours => todo.push(entry.path()),
                    true => {}
                    false => {
                        let about = entry.metadata().expect("there").modified().expect("known");
                        found.push((entry.path(), fs::read(entry.path()).expect("read"), about));
                    }
                }
            }
        }
        found.sort();
        found
    };
    let before = records();
    assert_eq!(before.len(), 6);
    for args in [
        &["dream", "run"][..],
        &["dream", "run", "--force"],
        &["dream", "insights"],
        &["dream", "dismiss", "1"],
        &["dream", "clear"],
        &["rewards", "stats"],
        &["doctor", "--repair"],
    ] {
        place.json(args);
        assert_eq!(records(), before, "{args:?}");
    }
}
