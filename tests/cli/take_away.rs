//! search, export and `log --follow`, through the binary.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::json;

use crate::support::{Place, text};

#[test]
fn artifacts_are_found_by_what_they_say_long_ones_too() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let short = place.add(&id, "critique", "Retries without jitter arrive together");
    let long = format!("{}\n\nthe jitter is measured here", "filler words ".repeat(2_000));
    let long = place.add(&id, "critique", &long);
    place.add(&id, "critique", "Something else entirely");
    let found = place.json(&["loop", "search", "jitter"]).result();
    assert_eq!(found["total"], 2, "{found:#}");
    let ids: Vec<String> =
        found["found"].as_array().unwrap().iter().map(|f| text(&f["artifact_id"])).collect();
    assert_eq!(ids, [short, long]);
    assert!(text(&found["found"][1]["excerpt"]).contains("jitter is measured"), "{found:#}");
    assert_eq!(place.json(&["loop", "search", "nowhere"]).result()["total"], 0);
    place.json(&["loop", "search", "  "]).error("usage", 2);
    let page = place.run(&["loop", "search", "retries", "jitter", "--limit", "1"]).stdout;
    assert!(page.contains("Retries without jitter"), "{page}");
}

#[test]
fn a_loop_is_exported_with_its_plan_and_every_answer() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let critiques: Vec<String> =
        ["No order.", "No retry.", "No way back."].map(|t| place.add(&id, "critique", t)).into();
    place.json(&["loop", "advance", &id]).result();
    let addresses = critiques[..2].join(",");
    let revision = [
        "loop",
        "add",
        &id,
        "--type",
        "revision",
        "--body",
        "Ordered by id.",
        "--addresses",
        &addresses,
    ];
    place.json(&revision).result();
    place.json(&["loop", "waive", &id, &critiques[2], "--reason", "later"]).result();
    let page = place.run(&["loop", "export", &id, "--md"]).stdout;
    for told in [
        "# Extract the dispatcher",
        "- Ideation loop: open in revision, round 1 of 3",
        "- [x] Round 1: No order.",
        "  - answered by the revision: Ordered by id.",
        "  - set aside: later",
        "critique → revision, round 1",
    ] {
        assert!(page.contains(told), "{told}\n{page}");
    }
    let whole = place.json(&["loop", "export", &id]).result();
    assert_eq!(whole["loop"]["id"], id.as_str());
    assert_eq!(whole["artifacts"][1]["body"], "No order.");
    assert_eq!(whole["coverage"]["open"], 0);
    assert_eq!(whole["markdown"].as_str().map(str::trim_end), Some(page.trim_end()));
    let last = whole["events"].as_array().and_then(|e| e.last()).unwrap();
    assert_eq!(last["seq"], whole["loop"]["version"]);
}

#[test]
fn the_journal_is_followed_until_nobody_reads() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let args = ["loop", "log", &id, "--follow", "--kind", "artifact_added", "--json"];
    let command = place.command(&args);
    let mut follow = std::process::Command::new(command.get_program());
    follow.args(command.get_args()).current_dir(place.root());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => follow.env(name, value),
            None => follow.env_remove(name),
        };
    }
    let mut child = follow.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || -> serde_json::Value {
        let line = lines.next().expect("a line").expect("UTF-8");
        serde_json::from_str(&line).expect("an object a line")
    };
    assert_eq!(next()["artifact"]["type"], "proposal");
    let critique = place.add(&id, "critique", "one");
    let told = next();
    assert_eq!(told["artifact"]["artifact_id"], critique.as_str());
    assert_eq!(told["loop_id"], id.as_str());
    drop(lines);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    place.json(&["loop", "log", "--follow"]).error("usage", 2);
}

#[test]
fn what_follows_from_a_loop_is_filled_in_from_it() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let open = ["loop", "open", "--kind", "implementation", "--title", "Build it", "--follow", &id];
    place.json(&open).error("no_follow_up", 1);
    let critique = place.add(&id, "critique", "No order.");
    let to = ["loop", "advance", &id, "--to", "synthesis", "--force", "--reason", "known"];
    place.json(&to).result();
    let plan = [
        "loop",
        "add",
        &id,
        "--type",
        "plan_draft",
        "--body",
        "In two steps.",
        "--addresses",
        &critique,
    ];
    let closed = place.json(&plan).result();
    assert_eq!(closed["loop"]["status"], "completed");
    let why = place.json(&["loop", "why", &id]).result();
    let command = text(&why["next_steps"][0]["command"]);
    assert!(command.contains("--follow"), "{command}");
    let words: Vec<String> = command.replace("'", "").split(' ').map(str::to_owned).collect();
    assert_eq!(words[..3], ["loopdeck", "loop", "open"]);
    let new = place.json(&open).result();
    assert_eq!(new["linked"]["source_loop_id"], id.as_str());
    let seed = text(&new["artifacts"][0]["artifact_id"]);
    let shown = place.json(&["loop", "show", &text(&new["id"]), "--artifact", &seed]).result();
    assert_eq!(shown["artifact"]["body"], "In two steps.");
    let listed = place.json(&["loop", "list", "--kind", "implementation"]).result();
    assert_eq!(listed["loops"][0]["source_loop_id"], id.as_str(), "{listed:#}");
}

#[test]
fn a_loop_starts_from_a_template_and_what_is_given_wins() {
    let place = Place::with_workspace();
    let head = "kind = \"debug\"\ntitle = \"Flaky test\"\ngoal = \"green ten times\"\n";
    let more = "verify = \"cargo test\"\nslots = [\"fixer=atlas\"]\n";
    place.file(
        ".loopdeck/templates/flaky.md",
        format!("+++\n{head}{more}+++\n\n## Where it was seen\n"),
    );
    let opened = place.json(&["loop", "open", "--template", "flaky"]).result();
    assert_eq!((&opened["kind"], &opened["title"]), (&json!("debug"), &json!("Flaky test")));
    assert_eq!(opened["protocol"]["verify"], json!(["cargo", "test"]));
    assert_eq!(opened["slots"][0]["agent"], "atlas");
    assert_eq!(opened["artifacts"][0]["preview"], "## Where it was seen");
    let mine = ["loop", "open", "--template", "flaky", "--title", "Mine", "--proposal", "Here."];
    let opened = place.json(&mine).result();
    assert_eq!((&opened["title"], &opened["goal"]), (&json!("Mine"), &json!("green ten times")));
    assert_eq!(opened["artifacts"][0]["preview"], "Here.");

    let other = ["loop", "open", "--template", "flaky", "--kind", "review"];
    place.json(&other).error("invalid_kind", 2);
    let near = place.json(&["loop", "open", "--template", "flakyy"]).error("unknown_template", 3);
    assert!(near.to_string().contains("did you mean flaky?"), "{near:#}");
    place.file(".loopdeck/templates/broken.md", "+++\nkind = 3\n+++\n");
    let error = place.json(&["loop", "open", "--template", "broken"]).error("damaged", 5);
    assert!(error.to_string().contains("line 2"), "{error:#}");
    let status = place.json(&["status"]).result();
    assert!(status["problems"].to_string().contains("broken.md"), "{status:#}");
}

#[test]
fn rounds_are_told_side_by_side() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let first: Vec<String> =
        ["one", "two", "three"].iter().map(|body| place.add(&id, "critique", body)).collect();
    for _ in 0..2 {
        place.json(&["loop", "advance", &id]).result();
    }
    let again = place.add(&id, "critique", "four");
    let rounds = place.json(&["loop", "rounds", &id]).result();
    assert_eq!(rounds["rounds"], json!([1, 2]));
    assert_eq!(rounds["phases"][0], json!({"phase": "critique", "rounds": [first, [again]]}));
    let page = place.run(&["loop", "rounds", &id]).stdout;
    assert!(page.contains("round 1") && page.contains("round 2"), "{page}");
    let beside = |line: &&str| line.contains("one") && line.contains("four");
    assert!(page.lines().find(beside).is_some(), "{page}");
}
