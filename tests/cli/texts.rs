//! Texts from files and standard input, to the byte; long ones and odd ones.

use serde_json::Value;

use crate::support::{Place, Run, text};

fn body_of(place: &Place, id: &str, artifact: &Value) -> String {
    let shown = place.json(&["loop", "show", id, "--artifact", &text(artifact)]).result();
    text(&shown["artifact"]["body"])
}

#[test]
fn a_text_comes_from_a_file_or_standard_input_to_the_byte() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let odd = "\u{feff}  first\r\n\tsecond \u{1b}[31m Ünïcödé 日本語\n\n";
    place.file("body.md", odd);
    let add = |body: &str| place.json(&["loop", "add", &id, "--type", "critique", "--body", body]);
    let from_file = add("@body.md").result();
    assert_eq!(body_of(&place, &id, &from_file["artifact_id"]), odd);
    let piped = place.run_with_stdin(
        &["loop", "add", &id, "--type=critique", "--body=-", "--json"],
        "from a pipe\n",
    );
    assert_eq!(body_of(&place, &id, &piped.result()["artifact_id"]), "from a pipe\n");
    let literal = add("@@body.md").result();
    assert_eq!(body_of(&place, &id, &literal["artifact_id"]), "@body.md");
    let bullet = add("- a bullet\n- another").result();
    assert_eq!(body_of(&place, &id, &bullet["artifact_id"]), "- a bullet\n- another");
}

#[test]
fn a_text_that_cannot_be_read_is_refused_by_name() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let add = |body: &str| -> Run {
        place.json(&["loop", "add", &id, "--type", "critique", "--body", body])
    };
    let error = add("@missing.md").error("usage", 2);
    assert!(text(&error["message"]).contains("missing.md"), "{error:#}");
    add("@.loopdeck").error("io", 5);
    place.file("latin1.md", b"caf\xe9");
    let error = add("@latin1.md").error("invalid_body", 2);
    assert!(text(&error["message"]).contains("latin1.md"), "{error:#}");
    let twice = place.run_with_stdin(
        &[
            "loop",
            "open",
            "--kind",
            "ideation",
            "--title",
            "x",
            "--goal=-",
            "--proposal=-",
            "--json",
        ],
        "once",
    );
    twice.error("usage", 2);
    place
        .json(&["loop", "add", "no-such-loop", "--type", "x", "--body", "@missing.md"])
        .error("usage", 2);
}

#[test]
fn a_body_of_a_megabyte_is_kept_whole() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let long = "Ein langer Satz über Pakete. 日本語\n".repeat(1 << 15);
    assert!(long.len() > 1 << 20);
    place.file("long.md", &long);
    let added =
        place.json(&["loop", "add", &id, "--type", "critique", "--body", "@long.md"]).result();
    assert_eq!(body_of(&place, &id, &added["artifact_id"]), long);
    let head = added["loop"]["artifacts"].as_array().and_then(|a| a.last()).cloned();
    let head = head.expect("an artifact");
    assert_eq!(head["byte_count"], long.len());
    assert_eq!(head.get("body"), None, "the loop never holds a body");
    let verdict =
        place.json(&["loop", "add", &id, "--type", "critic_signal", "--body", "@long.md"]);
    verdict.error("body_too_large", 1);
}

#[test]
fn control_characters_are_shown_and_never_sent_to_a_terminal() {
    let place = Place::with_workspace();
    let title = "Evil \u{1b}]0;title\u{7} \u{9b}31m";
    let opened = place.json(&["loop", "open", "--kind", "ideation", "--title", title]);
    if opened.status != 0 {
        opened.error("invalid_title", 2);
    }
    let id = place.in_critique();
    place.add(&id, "critique", "clear \u{1b}[2J the \u{8} screen");
    let artifact = place.json(&["loop", "show", &id]).result();
    let last = artifact["artifacts"].as_array().and_then(|a| a.last()).cloned().expect("one");
    for args in [
        &["status"][..],
        &["loop", "list"],
        &["loop", "show", &id],
        &["loop", "log", &id],
        &["loop", "why", &id],
        &["loop", "brief", &id],
        &["loop", "coverage", &id],
        &["loop", "show", &id, "--artifact", &text(&last["artifact_id"])],
        &["loop", "show", "\u{1b}[2J"],
        &["loop", "\u{1b}[2J"],
    ] {
        let run = place.run(args);
        let seen = format!("{}{}", run.stdout, run.stderr);
        let sent = seen.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(sent, None, "{args:?}: {seen}");
    }
}
