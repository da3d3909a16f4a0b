//! Seed step 1347: looking at a session.

use super::*;

fn two_attempts() -> (Deck, SessionId) {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.record(&id, 3).expect("recorded");
    deck.record(&id, 2).expect("recorded");
    (deck, id)
}

#[test]
fn full_session_returned() {
    let (deck, id) = two_attempts();
    let session = deck.load(&id);
    assert_eq!(serde_json::to_value(&*session).expect("written"), deck.on_disk(&id));
    assert_eq!((session.observations.len(), session.transitions.len()), (2, 1));
}

#[test]
fn attempts_included() {
    let (deck, id) = two_attempts();
    let session = deck.load(&id);
    assert!(session.attempts.iter().all(|a| a.action_description == "cargo test"));
    assert!(session.attempts.iter().all(|a| session.observation_of(a).is_some()));
}

#[test]
fn gap_included_when_present() {
    let (deck, id) = two_attempts();
    assert_eq!(deck.load(&id).gap.as_ref().map(|gap| gap.current_value.clone()), Some(2.into()));
    assert!(deck.load(&deck.start(None, None)).gap.is_none());
}

#[test]
fn terminal_sessions_readable() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.engine.escalate_session(&id, "no key", &Write::operator()).expect("given up");
    let session = deck.load(&id);
    assert_eq!(session.status, Status::Escalated);
    assert_eq!(session.transitions[1].cause, "given up: no key");
    assert_eq!(deck.engine.sessions().expect("listed").sessions[0].status, Status::Escalated);
}

#[test]
fn missing_session_returns_structured_error() {
    let deck = Deck::new();
    let id = SessionId::parse("00000000-0000-4000-8000-000000000000").expect("an id");
    let error = deck.engine.session(&id).expect_err("unknown");
    assert_eq!(
        (error.code(), &error.0.details["given"]),
        ("session_not_found", &id.as_str().into())
    );
    assert_eq!(error.next_steps()[0].command, "loopdeck session list");
}

#[test]
fn deterministic_serialization() {
    let (deck, id) = two_attempts();
    let text = |session: &Session| serde_json::to_string(session).expect("written");
    let other = open(deck.dir.path(), None).session(&id).expect("there");
    assert_eq!(text(&deck.load(&id)), text(&other));
}

#[test]
fn attempt_count_correct() {
    let (deck, id) = two_attempts();
    assert_eq!(deck.load(&id).attempts.len(), 2);
    assert_eq!(deck.engine.sessions().expect("listed").sessions[0].attempts, 2);
}

#[test]
fn a_damaged_session_is_listed_as_a_problem() {
    let deck = Deck::new();
    let (good, bad) = (deck.start(None, None), deck.start(None, None));
    let path = deck.dir.path().join(format!(".whetstone/sessions/{bad}.json"));
    std::fs::write(&path, "{\"session_id\": \n  oops}").expect("written");
    let listing = deck.engine.sessions().expect("listed");
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.sessions[0].session_id, good);
    assert_eq!(listing.problems[0].code, "damaged");
    assert!(listing.problems[0].message.contains("line 2"), "{:?}", listing.problems);
    assert_eq!(deck.record(&bad, 1).expect_err("damaged").code(), "damaged");
    let meant = deck.engine.resolve_session(bad.as_str()).expect("it is meant");
    assert_eq!(deck.engine.session(&meant).expect_err("damaged").code(), "damaged");
}
