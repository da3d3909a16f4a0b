//! Seed step 1345: starting a session.

use super::*;

#[test]
fn session_id_returned() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    assert_eq!(id.as_str().len(), 36);
    assert_eq!(deck.engine.resolve_session(&id.as_str()[..8]).expect("unique"), id);
    assert_ne!(id, deck.start(Some(GoalType::TestsPass), None));
}

#[test]
fn status_is_pending() {
    let deck = Deck::new();
    assert_eq!(deck.load(&deck.start(None, None)).status, Status::Pending);
}

#[test]
fn session_persisted_to_disk() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), Some(5));
    let stored = deck.on_disk(&id);
    assert_eq!((&stored["status"], &stored["max_attempts"]), (&"pending".into(), &5.into()));
}

#[test]
fn missing_goal_type_defaults_to_custom() {
    let deck = Deck::new();
    assert_eq!(deck.load(&deck.start(None, None)).goal_type, GoalType::Custom);
    let kind = Some(GoalType::Other("x".into()));
    let odd = SessionDraft { goal_type: kind, ..draft("g") };
    let refused = deck.engine.start_session(&odd, &Write::operator()).expect_err("unknown");
    assert_eq!(refused.code(), "invalid_goal_type");
}

#[test]
fn max_attempts_defaults_to_10() {
    let deck = Deck::new();
    assert_eq!(deck.load(&deck.start(None, None)).max_attempts, 10);
    let none = SessionDraft { max_attempts: Some(0), ..draft("g") };
    let refused = deck.engine.start_session(&none, &Write::operator()).expect_err("none");
    assert_eq!(refused.code(), "invalid_max_attempts");
    let refused = deck.engine.start_session(&draft(""), &Write::operator()).expect_err("no goal");
    assert_eq!(refused.code(), "invalid_goal");
}

#[test]
fn deterministic_output_shape() {
    let files = same_every_time(|engine| {
        let start = || {
            let done = engine.start_session(&draft("g"), &Write::operator()).expect("started");
            serde_json::to_string(&*done.session).expect("written")
        };
        let (one, two) = (start(), start());
        assert_ne!(one, two, "two sessions are two, also with one seed");
        one + &two
    });
    assert!(files.contains("\"status\":\"pending\""), "{files}");
}

#[test]
fn a_session_may_continue_another() {
    let deck = Deck::new();
    let first = deck.start(Some(GoalType::BuildSuccess), None);
    let previous = Some(first.as_str()[..8].to_owned());
    let draft = SessionDraft { goal: "g".into(), previous, ..Default::default() };
    let next = deck.engine.start_session(&draft, &Write::operator()).expect("started").session;
    assert_eq!(next.previous.as_ref(), Some(&first));
    assert_eq!(next.goal_type, GoalType::BuildSuccess, "taken over");
    let draft = SessionDraft { previous: Some("nowhere".into()), ..draft };
    let refused = deck.engine.start_session(&draft, &Write::operator()).expect_err("refused");
    assert_eq!(refused.code(), "session_not_found");
}
