//! Links that a repository brings: what lies behind them is neither read into what
//! agents see nor removed nor moved.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::support::{Place, text};

/// Files below a folder with what they hold.
fn below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut todo, mut found) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).expect("listed").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => todo.push(path),
                false => drop(found.insert(path.clone(), fs::read(&path).expect("readable"))),
            }
        }
    }
    found
}

/// A person's own folder, whose files are named as ours are and are days old.
fn somebodys(place: &Place) -> PathBuf {
    let folder = place.root().parent().expect("a folder").join("documents");
    let hash = "0a".repeat(16);
    let mut names = vec![
        "notes.txt".to_owned(),
        format!("{hash}.json"),
        format!("{hash}{hash}"),
        ".loopdeck-tmp-0123456789ab".to_owned(),
        "run_0123456789abcdef/status.json".to_owned(),
        "trp_0123abcd.md".to_owned(),
    ];
    names.extend((10..30).map(|day| format!("dream-202001{day}-120000.json")));
    for name in names {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, "precious\n").expect("written");
        let file = fs::File::open(&path).expect("there");
        let long_ago = SystemTime::now() - Duration::from_secs(9 * 24 * 3_600);
        file.set_modified(long_ago).expect("its time is set");
    }
    folder
}

#[test]
fn nothing_is_removed_or_moved_through_a_linked_folder() {
    let mut lost = Vec::new();
    for nth in 0..9 {
        let place = Place::with_workspace();
        let id = place.in_critique();
        for n in 0..3 {
            for domain in ["billing", "search"] {
                let case = format!("c{n}");
                let reward = ["rewards", "add", "--case", &case, "--domain", domain];
                let more = ["--phase", "design", "--reward", "0.5"];
                place.json(&[&reward[..], &more[..]].concat()).result();
            }
        }
        let folders = [
            ".loopdeck/requests".to_owned(),
            format!(".loopdeck/loops/{id}/artifacts"),
            format!(".loopdeck/loops/{id}/runs"),
            ".loopdeck/memory".to_owned(),
            ".loopdeck/memory/traps".to_owned(),
            ".loopdeck/quarantine".to_owned(),
            ".keysarium/insights".to_owned(),
            ".keysarium/memory".to_owned(),
            ".whetstone/sessions".to_owned(),
        ];
        let (documents, name) = (somebodys(&place), &folders[nth]);
        let before = below(&documents);
        let link = place.root().join(name);
        let _ = fs::remove_dir_all(&link);
        fs::create_dir_all(link.parent().expect("a folder")).expect("made");
        symlink(&documents, &link).expect("linked");
        let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
        let long = "long ".repeat(2_000);
        for command in [
            &open[..],
            &["loop", "add", &id, "--type", "note", "--body", &long],
            &["memory", "add", "--category", "traps", "--title", "t", "--text", "x"],
            &["memory", "list"],
            &["session", "start", "--goal", "g"],
            &["rewards", "stats"],
            &["dream", "run", "--force"],
            &["turn", "sweep"],
            &["doctor", "--repair"],
            &["status"],
            &open,
        ] {
            place.json(command);
        }
        let after = below(&documents);
        let gone = before.iter().filter(|(path, bytes)| after.get(*path) != Some(*bytes));
        lost.extend(gone.map(|(path, _)| format!("{name}: {}", path.display())));
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn what_a_link_leads_to_outside_gets_into_no_brief_and_no_proposal() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let secret = place.root().parent().expect("a folder").join("secrets/trp_00000009.md");
    fs::create_dir_all(secret.parent().expect("a folder")).expect("made");
    fs::write(&secret, "swordfish opens every cache\n").expect("written");
    let store = place.root().join(".loopdeck");
    fs::create_dir_all(store.join("memory/traps")).expect("made");
    fs::create_dir_all(store.join("templates")).expect("made");
    symlink(&secret, store.join("memory/traps/trp_00000001.md")).expect("linked");
    symlink(secret.parent().expect("a folder"), store.join("memory/feedback")).expect("linked");
    symlink(&secret, store.join("templates/start.md")).expect("linked");
    // One that stays inside is followed as ever.
    place.file("docs/kept.md", "inside of every cache\n");
    symlink(place.root().join("docs/kept.md"), store.join("memory/traps/trp_00000002.md"))
        .expect("linked");
    for command in [
        &["memory", "list"][..],
        &["memory", "search", "cache"],
        &["memory", "show", "trp_00000001"],
        &["loop", "brief", &id],
        &["loop", "open", "--kind", "ideation", "--title", "t", "--template", "start"],
        &["loop", "search", "swordfish"],
        &["status"],
        &["doctor"],
    ] {
        let run = place.json(command);
        assert!(!run.stdout.contains("swordfish opens"), "{command:?}: {}", run.stdout);
    }
    // Nor by an import of what the repository offers.
    let agents = place.root().join("CLAUDE.md");
    symlink(&secret, &agents).expect("linked");
    fs::create_dir_all(place.root().join("docs/adr")).expect("made");
    symlink(&secret, place.root().join("docs/adr/0001-x.md")).expect("linked");
    symlink(secret.parent().expect("a folder"), place.root().join("docs/decisions"))
        .expect("linked");
    for (path, refused) in [("CLAUDE.md", true), ("docs/adr", false), ("docs/decisions", true)] {
        let run = place.json(&["memory", "import", path, "--category", "constraints"]);
        let object = run.object();
        assert!(run.stdout.contains("leads out of the workspace"), "{path}: {object:#}");
        assert_eq!(object["status"] == "error", refused, "{path}: {object:#}");
        assert!(!run.stdout.contains("swordfish"), "{path}: {object:#}");
    }
    let listed = place.json(&["memory", "list"]).object();
    assert_eq!(listed["result"]["total"], 1, "{listed:#}");
    let told = listed["warnings"].to_string();
    for name in ["traps/trp_00000001.md", "memory/feedback"] {
        assert!(told.contains(name) && told.contains("leads out of the workspace"), "{told}");
    }
    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--template", "start"];
    let refused = place.json(&open).error("io", 5);
    assert!(text(&refused["message"]).contains("leads out of the workspace"), "{refused:#}");
}

/// A journal that came with the repository names what a close wrote; undoing the close
/// sets that aside.
#[test]
fn a_journal_sets_aside_no_file_outside_of_the_records() {
    let place = Place::with_workspace();
    let precious = place.root().parent().expect("a folder").join("precious.txt");
    let inside = place.root().join("precious.txt");
    let behind = place.root().join(".keysarium/memory/linked");
    for way in ["/absolute", "../../../precious.txt", "../../precious.txt", "linked/precious.txt"] {
        for file in [&precious, &inside] {
            fs::write(file, "mine\n").expect("written");
        }
        let id = place.in_critique();
        let critique = place.add(&id, "critique", "It leaks.");
        place.json(&["loop", "advance", &id, "--force", "--reason", "no time"]).result();
        place.json(&["loop", "advance", &id, "--to", "synthesis"]).result();
        let plan = ["--type", "plan_draft", "--body", "The plan.", "--addresses", &critique];
        place.json(&[&["loop", "add", &id][..], &plan].concat()).result();
        let path = place.root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
        let journal = fs::read_to_string(&path).expect("a journal");
        let (before, rest) = journal.split_once("\"path\":\"").expect("it wrote a record");
        let (_, after) = rest.split_once('"').expect("its end");
        let named = match way {
            "/absolute" => precious.to_string_lossy().into_owned(),
            way => way.to_owned(),
        };
        fs::write(&path, format!("{before}\"path\":\"{named}\"{after}")).expect("written");
        if !behind.exists() {
            symlink(precious.parent().expect("a folder"), &behind).expect("linked");
        }
        let undone = place.json(&["loop", "undo", &id]).object();
        assert_eq!(undone["status"], "ok", "{undone:#}");
        assert!(undone["warnings"].to_string().contains("it is left alone"), "{way}: {undone:#}");
        for file in [&precious, &inside] {
            assert_eq!(fs::read_to_string(file).expect("it is there"), "mine\n", "{way}");
        }
    }
}
