//! ask and answer, through the binary.

use crate::support::{Place, text};

fn ask(place: &Place, id: &str, more: &[&str]) -> serde_json::Value {
    let base = ["loop", "ask", id, "--question", "Which one?", "--evidence", "both are in use"];
    place.json(&[&base, more].concat()).result()
}

#[test]
fn a_question_holds_the_loop_until_it_is_answered() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let options = ["--scope", "loop", "--option", "a=The first", "--option", "b=The second"];
    let asked = ask(&place, &id, &options);
    let question = text(&asked["question_id"]);
    assert_eq!(asked["loop"]["status"], "paused");
    assert_eq!(asked["loop"]["attention"], "person");
    assert_eq!(asked["loop"]["open_questions"][0]["options"][1]["label"], "The second");
    let step = text(&asked["loop"]["next_step"]["command"]);
    place.json(&["loop", "resume", &id]).error("question_open", 1);
    place.json(&["loop", "answer", &id, &question, "--skip"]).error("no_default", 1);
    place.json(&["loop", "answer", &id, &question]).error("usage", 2);
    // The step that is named is one that runs.
    let words: Vec<&str> = step.split(' ').skip(1).collect();
    let answered = place.json(&words).result();
    assert_eq!(answered["loop"]["status"], "open");
    let again = place.json(&["loop", "answer", &id, &question, "--choose", "b"]);
    assert!(again.stdout.contains("was answered before"), "{again:?}");
    let body = text(&answered["artifact_ids"][0]);
    let shown = place.json(&["loop", "show", &id, "--artifact", &body]).result();
    assert!(text(&shown["artifact"]["body"]).contains(r#""option":"a""#));
}

#[test]
fn an_overdue_question_is_resolved_before_the_next_change() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let more = [
        "--scope",
        "loop",
        "--default",
        "go on",
        "--on-timeout",
        "use_default",
        "--deadline",
        "1h",
    ];
    ask(&place, &id, &more);
    let later = "2099-01-01T00:00:00Z";
    // Looking changes nothing.
    let seen = place.at(later, &["loop", "show", &id]).result();
    assert_eq!(seen["status"], "paused");
    assert_eq!(seen["attention_detail"], "1 question waits, overdue");
    let added =
        place.at(later, &["loop", "add", &id, "--type", "critique", "--body", "one"]).result();
    assert_eq!(added["loop"]["status"], "open");
    let log = place.json(&["loop", "log", &id]).result();
    let events = log["events"].as_array().expect("a list");
    let timeout = events.iter().position(|e| e["kind"] == "pause_timeout").expect("carried out");
    assert_eq!(events[timeout]["by"], "engine");
    let provided = events.iter().find(|e| e["kind"] == "input_provided").expect("answered");
    assert_eq!(provided["synthetic"], true);
}
