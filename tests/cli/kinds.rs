//! Every kind of loop is driven to every end that the verbs allow, by command
//! line alone. The rules themselves are tested in the library.

use crate::support::Place;

/// One command on the loop, its id left out, and `then` what its status is.
struct End {
    kind: &'static str,
    name: &'static str,
    steps: &'static [&'static str],
    status: &'static str,
}

const ADD_CRITIQUES: [&str; 3] = [
    "add --type critique --body one",
    "add --type critique --body two",
    "add --type critique --body three",
];

const ENDS: &[End] = &[
    End {
        kind: "ideation",
        name: "a plan after one round cut short by saturation",
        steps: &[
            "advance",
            ADD_CRITIQUES[0],
            ADD_CRITIQUES[1],
            ADD_CRITIQUES[2],
            "advance",
            "advance",
            "turn --role champion",
            "complete --slot champion",
            "advance",
            "add --type plan_draft --body p --addresses @first-critique",
        ],
        status: "completed",
    },
    End {
        kind: "ideation",
        name: "given up",
        steps: &["close --status cancelled --reason r"],
        status: "cancelled",
    },
    End {
        kind: "review",
        name: "accepted",
        steps: &["advance", "add --type verdict --body accepted"],
        status: "completed",
    },
    End {
        kind: "review",
        name: "sent back until the cap",
        steps: &[
            "advance",
            "add --type finding --body f",
            "advance",
            "add --type author_response --body a",
            "advance",
            "add --type verdict --body no",
            "advance",
            "add --type author_response --body b",
            "advance",
            "add --type verdict --body no",
            "advance",
            "add --type author_response --body c",
            "advance",
            "add --type verdict --body no",
            "advance",
        ],
        status: "blocked",
    },
    End {
        kind: "research",
        name: "concluded",
        steps: &[
            "add --type finding --body f",
            "advance",
            "add --type synthesis --body s",
            "add --type critic_signal",
            "advance",
            "add --type synthesis --body end",
        ],
        status: "completed",
    },
    End {
        kind: "research",
        name: "concluded at the cap",
        steps: &[
            "add --type finding --body f1",
            "advance",
            "advance",
            "add --type finding --body f2",
            "advance",
            "advance",
            "add --type finding --body f3",
            "advance",
            "advance",
            "add --type synthesis --body end",
        ],
        status: "completed",
    },
    End {
        kind: "implementation",
        name: "green and handed over",
        steps: &[
            "advance",
            "add --type execute_report --body e",
            "advance",
            "add --type verify_report --body passed",
            "advance",
            "add --type handoff --body h",
        ],
        status: "completed",
    },
    End {
        kind: "implementation",
        name: "red until the cap",
        steps: &[
            "advance",
            "advance",
            "add --type verify_report --body failed",
            "advance",
            "advance",
            "add --type verify_report --body failed",
            "advance",
            "advance",
            "add --type verify_report --body failed",
            "advance",
        ],
        status: "blocked",
    },
    End {
        kind: "debug",
        name: "fixed",
        steps: &[
            "add --type repro --body r",
            "advance",
            "add --type hypothesis --body h",
            "advance",
            "add --type isolation_report --body i",
            "advance",
            "add --type verify_report --body passed",
            "advance",
            "add --type handoff --body h",
        ],
        status: "completed",
    },
    End {
        kind: "debug",
        name: "not fixed until the cap",
        steps: &[
            "add --type repro --body r",
            "advance",
            "advance",
            "advance",
            "add --type verify_report --body failed",
            "advance",
            "advance",
            "advance",
            "add --type verify_report --body failed",
            "advance",
            "advance",
            "advance",
            "add --type verify_report --body failed",
            "advance",
        ],
        status: "blocked",
    },
    End {
        kind: "debug",
        name: "given up as blocked",
        steps: &["close --status blocked --reason r"],
        status: "blocked",
    },
    End {
        kind: "research",
        name: "declared complete",
        steps: &["close --status completed"],
        status: "completed",
    },
];

#[test]
fn every_kind_is_driven_to_every_end() {
    let place = Place::with_workspace();
    for end in ENDS {
        let opened = place.json(&["loop", "open", "--kind", end.kind, "--title", end.name]);
        let id = opened.result()["id"].as_str().expect("an id").to_owned();
        for step in end.steps {
            let critique = first_critique(&place, &id);
            let words: Vec<&str> = step
                .split(' ')
                .map(|w| if w == "@first-critique" { critique.as_str() } else { w })
                .collect();
            let args = [&["loop", words[0], &id], &words[1..]].concat();
            let run = place.json(&args);
            assert_eq!(run.status, 0, "{} ({}): {step}: {}", end.kind, end.name, run.stdout);
        }
        let state = place.json(&["loop", "show", &id]).result();
        assert_eq!(state["status"], end.status, "{} ({}): {state:#}", end.kind, end.name);
        let shown = place.run(&["loop", "show", &id]);
        assert!(shown.status == 0 && shown.stdout.contains(end.status), "{}", shown.stdout);
        let reopened = place.json(&["loop", "reopen", &id, "--reason", "again"]);
        assert!(reopened.status <= 1, "{}", reopened.stdout);
    }
}

fn first_critique(place: &Place, id: &str) -> String {
    let coverage = place.json(&["loop", "coverage", id]).result();
    coverage["critiques"][0]["artifact_id"].as_str().unwrap_or("none").to_owned()
}
