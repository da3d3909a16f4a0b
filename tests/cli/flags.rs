//! The forms in which flags may be given.

use crate::support::Place;

#[test]
fn a_flag_takes_its_value_beside_it_or_after_an_equals_sign() {
    let place = Place::with_workspace();
    let beside = place.json(&["loop", "open", "--kind", "debug", "--title", "a"]).result();
    let equals = place.json(&["loop", "open", "--kind=debug", "--title=a"]).result();
    assert_eq!(beside["kind"], equals["kind"]);
    assert_eq!(beside["title"], equals["title"]);
}

#[test]
fn what_stands_everywhere_may_stand_before_or_after_the_verb() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let root = place.root();
    let root = root.to_str().expect("a path in UTF-8");
    let elsewhere = Place::empty();
    for args in [
        ["--json", "--workspace", root, "loop", "show", &id],
        ["loop", "--workspace", root, "show", "--json", &id],
        ["loop", "show", &id, "--json", "--workspace", root],
    ] {
        assert_eq!(elsewhere.run(&args).result()["id"], id.as_str(), "{args:?}");
    }
}

#[test]
fn unknown_flags_are_refused_with_a_suggestion() {
    let place = Place::with_workspace();
    let id = place.ideation();
    let run = place.run(&["loop", "add", &id, "--type", "critique", "--boddy", "x"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("--body"), "{}", run.stderr);
    assert_eq!(place.run(&["mpc"]).status, 2, "a slip of the pen is no command");
}

#[test]
fn the_actor_is_taken_on_ones_word() {
    let place = Place::with_workspace();
    let id = place.in_critique();
    let args = ["loop", "add", &id, "--type", "critique", "--body", "x", "--actor", "agent:atlas"];
    let added = place.json(&args).result();
    let artifacts = added["loop"]["artifacts"].as_array().expect("artifacts");
    assert_eq!(artifacts.last().expect("one")["produced_by"], "agent:atlas");
    let advance = ["loop", "advance", &id, "--force", "--reason", "x", "--actor", "agent:atlas"];
    place.json(&advance).error("operator_only", 1);
}

#[test]
fn slots_conditions_and_gates_are_read_from_their_short_forms() {
    let place = Place::with_workspace();
    let opened = place
        .json(&[
            "loop",
            "open",
            "--kind",
            "ideation",
            "--title",
            "x",
            "--slot",
            "champion",
            "--slot",
            "critic=atlas@pessimist:ro",
            "--gate",
            "critique=none",
            "--stop",
            r#"{"kind":"manual"}"#,
        ])
        .result();
    let critic = &opened["slots"][1];
    assert_eq!(
        (critic["role"].as_str(), critic["agent"].as_str()),
        (Some("critic"), Some("atlas"))
    );
    assert_eq!(critic["profile"], "pessimist");
    assert_eq!(opened["protocol"]["stop_condition"]["kind"], "manual");
    let phases = opened["protocol"]["phases"].as_array().expect("phases");
    assert!(phases.iter().all(|p| p["advance_gate"].is_null()), "{phases:#?}");
    for (flag, value) in [("--stop", "{"), ("--gate", "critique={"), ("--slot", "=x")] {
        let code = format!("invalid_{}", &flag[2..]);
        place
            .json(&["loop", "open", "--kind", "ideation", "--title", "x", flag, value])
            .error(&code, 2);
    }
}
