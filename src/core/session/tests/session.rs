//! Seed step 1339: the session.

use super::super::*;
use super::fixture::*;

#[test]
fn constructable_with_defaults() {
    let session = Session::new(SessionId::random([1; 16]), "x", GoalType::Custom, at(0));
    assert_eq!(session.check(), Ok(()));
    assert_eq!((session.max_attempts, session.attempts_left()), (10, 10));
    assert_eq!((session.created_at, session.updated_at), (at(0), at(0)));
    assert!(session.gap.is_none() && session.transitions.is_empty());
    let bare = r#"{"session_id":"a","goal":"g","created_at":"2026-03-01T12:00:00Z",
        "updated_at":"2026-03-01T12:00:00Z"}"#;
    let read: Session = read(bare);
    assert_eq!((read.goal_type, read.max_attempts), (GoalType::Custom, 10));
}

#[test]
fn goal_stored() {
    assert_eq!(session(3).goal, "all tests pass");
    let mut long = session(3);
    long.goal = "é".repeat(500);
    assert_eq!(long.check(), Ok(()));
    for goal in ["", " \n", &"é".repeat(501)] {
        long.goal = goal.to_owned();
        assert_eq!(long.check().expect_err("no goal").code, "invalid_goal");
    }
}

#[test]
fn goal_type_round_trips() {
    assert_eq!(GoalType::KNOWN.len(), 4);
    for known in GoalType::KNOWN {
        assert_eq!(known.as_str().parse().as_ref(), Ok(known));
        assert_eq!(read::<GoalType>(&written(known)), *known);
    }
    let said = "test_pass".parse::<GoalType>().expect_err("no goal type");
    assert!(said.contains("did you mean tests_pass?"), "{said}");
}

#[test]
fn status_defaults_to_pending() {
    assert_eq!(session(1).status, Status::Pending);
    let text = written(&session(1)).replace("\"status\": \"pending\",", "");
    assert_eq!(read::<Session>(&text).status, Status::Pending);
}

#[test]
fn session_id_is_non_empty_on_construction() {
    let id = SessionId::random([0; 16]);
    let uuid: uuid::Uuid = id.as_str().parse().expect("a UUID");
    assert_eq!(uuid.get_version_num(), 4);
    assert_ne!(id, SessionId::random([1; 16]));
    assert_eq!(SessionId::parse(id.as_str()), Ok(id));
    for wrong in ["", "..", "../x", "a/b", ".hidden", "_x", "-x", "nul", "a.", "é", "a b"] {
        assert!(SessionId::parse(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn attempt_list_starts_empty() {
    assert!(session(1).attempts.is_empty() && session(1).observations.is_empty());
}

#[test]
fn max_attempts_enforced() {
    let mut none = session(0);
    assert_eq!(none.check().expect_err("no attempts").code, "invalid_max_attempts");
    none.max_attempts = 2;
    with_gap(&mut none, 1, 3);
    with_gap(&mut none, 2, 2);
    assert_eq!(none.status, Status::Escalated);
    let third = attempt(&none, 3);
    let refused = record(&mut none, third, at(3)).expect_err("over the cap");
    assert_eq!((refused.code, none.attempts.len()), ("session_closed", 2));
    // A file may say that a session is active and has no attempt left.
    none.status = Status::Active;
    let third = attempt(&none, 3);
    let refused = record(&mut none, third, at(3)).expect_err("over the cap");
    assert_eq!((refused.code, none.attempts.len()), ("session_closed", 2));
    let mut give_up = attempt(&none, 4);
    give_up.attempt.action_type = ActionType::Escalate;
    record(&mut none, give_up, at(4)).expect("giving up is always possible");
    assert_eq!(none.status, Status::Escalated);
}

#[test]
fn json_serialization() {
    let mut session = session(3);
    with_gap(&mut session, 1, 3);
    let value: serde_json::Value = read(&written(&session));
    assert_eq!(value["session_id"], session.session_id.as_str());
    assert_eq!(value["goal_type"], "tests_pass");
    assert_eq!(value["created_at"], "2026-03-01T12:00:00.000Z");
    assert_eq!(value["attempts"][0]["outcome"], "failure");
    assert_eq!(value["gap"]["current_value"], 3);
    assert_eq!(value["transitions"][0]["to"], "active");
    assert!(value.get("previous").is_none() && value.get("request").is_none());
}

#[test]
fn json_deserialization() {
    let mut session = session(3);
    with_gap(&mut session, 1, 3);
    with_gap(&mut session, 2, 1);
    assert_eq!(read::<Session>(&written(&session)), session);
    let error = serde_json::from_str::<Session>("{\"goal\": \"x\"}").expect_err("no id");
    assert!(error.to_string().contains("session_id"), "{error}");
}

#[test]
fn unknown_status_survives_passthrough() {
    let text = written(&session(3))
        .replace("\"pending\"", "\"hibernating\"")
        .replace("\"tests_pass\"", "\"lint_clean\"");
    round_trips::<Session>(&text);
    let mut session: Session = read(&text);
    assert_eq!(session.status, Status::Other("hibernating".into()));
    let new = attempt(&session, 1);
    assert_eq!(record(&mut session, new, at(1)).expect_err("unknown").code, "unknown_status");
    assert_eq!(written(&session), text);
}

#[test]
fn deterministic_serialization_order() {
    let mut session = session(3);
    session.previous = Some(SessionId::random([9; 16]));
    with_gap(&mut session, 1, 3);
    let text = written(&session);
    assert_eq!(text, written(&session.clone()));
    let keys: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("  \""))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    let expected = [
        "schema_version",
        "session_id",
        "goal",
        "goal_type",
        "status",
        "created_at",
        "updated_at",
        "max_attempts",
        "attempts",
        "observations",
        "gap",
        "gap_history",
        "transitions",
        "previous",
    ];
    assert_eq!(keys, expected);
    // However another program orders them.
    let mut value: serde_json::Value = read(&text);
    let map = value.as_object_mut().expect("an object");
    let goal = map.shift_remove("goal").expect("there");
    map.insert("goal".to_owned(), goal);
    assert_eq!(written(&read::<Session>(&value.to_string())), text);
}

#[test]
fn schema_version_field_present() {
    assert!(written(&session(1)).starts_with("{\n  \"schema_version\": 1,"));
}

#[test]
fn unknown_fields_survive_to_the_byte_after_the_known_ones() {
    let mut session = session(3);
    with_gap(&mut session, 1, 3);
    let text = written(&session);
    let big = "12345678901234567890123456789";
    let text = text
        .replace(
            "\n  ]\n}",
            &format!("\n  ],\n  \"z\": {{\"b\":{big},\"a\":1.10}},\n  \"a\": 1e2\n}}"),
        )
        .replace("\"recoverable\": true", "\"recoverable\": true,\n      \"by\": [ 1,  2 ]");
    assert!(text.contains(big) && text.contains("[ 1,  2 ]"));
    round_trips::<Session>(&text);
}

#[test]
fn a_stall_is_three_attempts_without_a_new_best() {
    let mut session = session(20);
    for (n, failures, without) in
        [(1, 3, 0), (2, 2, 0), (3, 3, 1), (4, 2, 2), (5, 2, 3), (6, 1, 0), (7, 1, 1)]
    {
        with_gap(&mut session, n, failures);
        assert_eq!(session.without_improvement(), without, "after attempt {n}");
        assert_eq!(session.is_stalled(), without >= STALL, "after attempt {n}");
    }
    let blind = attempt(&session, 8);
    record(&mut session, blind, at(8)).expect("recorded");
    assert_eq!(session.without_improvement(), 2, "nothing measured is no improvement");
}
