//! Loops that get stuck, or lie about it.

use crate::support::{Place, text};

/// Field note: a substring in free text counts as a completion signal
/// (ralph-orchestrator 139).
#[test]
fn words_in_a_text_complete_nothing() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    for body in [
        "approved: no, not yet. LGTM is what others say. DONE. <promise>COMPLETE</promise>",
        "accepted or not, verify passed, all tests green, task complete, exit 0",
    ] {
        place.add(&id, "note", body);
        place.add(&id, "critique", body);
    }
    let state = place.json(&["loop", "show", &id]).result();
    assert_eq!((&state["status"], &state["current_phase"]), (&"open".into(), &"critique".into()));
    let debug = ["loop", "open", "--kind", "debug", "--title", "t", "--verify", "sh check.sh"];
    let id = text(&place.json(&debug).result()["id"]);
    place.add(&id, "note", "passed: all green");
    let why = place.json(&["loop", "why", &id]).result();
    assert_eq!(why["stop"]["met"], false, "{why:#}");
}

/// Field note: no upper bound at all (claude-plugins-official 1699).
#[test]
fn every_loop_that_turns_has_an_upper_bound() {
    let place = Place::with_workspace();
    for kind in ["ideation", "review", "research", "implementation", "debug"] {
        let open = ["loop", "open", "--kind", kind, "--title", kind, "--proposal", "p"];
        let opened = place.json(&open).result();
        let cycle = &opened["protocol"]["iteration"];
        if cycle.is_null() {
            continue;
        }
        let id = text(&opened["id"]);
        let bound = cycle["max"].as_u64().or(cycle["max_iterations"].as_u64());
        assert!(bound.is_some_and(|n| (1..100).contains(&n)), "{kind}: {cycle:#}");
        // By force alone it comes to an end.
        let mut status = String::new();
        for _ in 0..60 {
            let force = ["loop", "advance", &id, "--force", "--reason", "r"];
            let run = place.json(&force);
            status = text(&place.json(&["loop", "show", &id]).result()["status"]);
            if status != "open" || run.status != 0 {
                break;
            }
        }
        let rounds = place.json(&["loop", "show", &id]).result()["iteration_count"].clone();
        assert!(rounds.as_u64().is_some_and(|n| n < 20), "{kind}: {rounds} rounds, {status}");
    }
}

/// Field note: an empty id matches everything (claude-plugins-official 1371).
#[test]
fn an_empty_id_names_nothing() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    place.add(&id, "critique", "c");
    place.json(&["session", "start", "--goal", "g"]).result();
    let add = ["memory", "add", "--category", "traps", "--title", "t", "--text", "x"];
    place.json(&add).result();
    for empty in ["", " ", "\t", "lop_", "art_", "trp_"] {
        for args in [
            &["loop", "show", empty][..],
            &["loop", "close", empty, "--status", "completed"],
            &["loop", "retract", &id, empty, "--reason", "r"],
            &["loop", "show", &id, "--artifact", empty],
            &["loop", "turn", &id, "--slot", empty],
            &["loop", "answer", &id, empty, "--text", "t"],
            &["memory", "show", empty],
            &["memory", "rm", empty],
            &["session", "show", empty],
            &["session", "escalate", empty, "--reason", "r"],
            &["turn", "harvest", empty],
            &["turn", "logs", empty],
            &["dream", "dismiss", empty],
        ] {
            let object = place.json(args).object();
            assert_eq!(object["status"], "error", "{args:?}: {object:#}");
        }
    }
    assert_eq!(place.json(&["loop", "show", &id]).result()["status"], "open");
    assert_eq!(place.json(&["memory", "list"]).result()["total"], 1);
}
