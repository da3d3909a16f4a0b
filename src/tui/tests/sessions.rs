//! The sessions screen: as pictures, with many attempts, and without a panic at
//! any size.

use super::drive::{Deck, engine, folder};
use super::frames::{SIZES, snap};
use crate::core::session::{ActionType, Amount, GoalType, Outcome, SessionId};
use crate::engine::{AttemptDraft, Engine, GapDraft, ObservationDraft, SessionDraft, Write};

fn start(engine: &Engine, goal: &str, max_attempts: u32) -> SessionId {
    let draft = SessionDraft {
        goal: goal.into(),
        goal_type: Some(GoalType::TestsPass),
        max_attempts: Some(max_attempts),
        previous: None,
    };
    engine.start_session(&draft, &Write::operator()).expect("started").session.session_id.clone()
}

fn attempt(engine: &Engine, id: &SessionId, what: &str, failures: Option<u32>) {
    let raw = "running 44 tests\ntest labels::owner ... FAILED\ntest labels::kept ... FAILED\n\n\
        test result: FAILED. 42 passed; 2 failed; 0 ignored; finished in 1.20s\n";
    let draft = AttemptDraft {
        outcome: Some(if failures == Some(0) { Outcome::Success } else { Outcome::Failure }),
        observation: ObservationDraft {
            raw_text: if failures.is_some() { raw.to_owned() } else { String::new() },
            exit_code: failures.map(|n| i64::from(n != 0)),
            duration_ms: Some(1_200),
            ..ObservationDraft::default()
        },
        gap: failures.map(|n| GapDraft {
            metric_type: None,
            current_value: Amount::from(n),
            target_value: None,
        }),
        ..AttemptDraft::new(ActionType::Test, what)
    };
    engine.record_attempt(id, &draft, &Write::operator()).expect("recorded");
}

/// Three sessions: one that was closed, one given up, one that is stalled.
fn with_sessions() -> tempfile::TempDir {
    let folder = folder(true);
    let engine = engine(folder.path());
    let closed = start(&engine, "the importer's tests pass", 5);
    for failures in [7, 3, 0] {
        attempt(&engine, &closed, "cargo test -p importer", Some(failures));
    }
    let given_up = start(&engine, "it builds on the old runner", 5);
    attempt(&engine, &given_up, "make", Some(2));
    let write = Write::operator();
    engine.escalate_session(&given_up, "the runner is switched off in May", &write).expect("done");
    let stalled = start(&engine, "all tests of the labels pass", 12);
    for failures in [9, 5, 2, 4, 2] {
        attempt(&engine, &stalled, "cargo test --workspace", Some(failures));
    }
    attempt(&engine, &stalled, "mock the clock instead of waiting for it", None);
    folder
}

#[test]
fn the_screen_at_four_sizes() {
    let mut deck = Deck::on(with_sessions());
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        deck.press(&["3"]);
        snap(&format!("sessions-{columns}x{rows}"), &mut deck);
        deck.press(&["enter"]);
        snap(&format!("attempts-{columns}x{rows}"), &mut deck);
        deck.press(&["down", "enter"]);
        snap(&format!("attempt-output-{columns}x{rows}"), &mut deck);
        deck.press(&["esc", "esc", "1"]);
    }
}

#[test]
fn an_empty_screen_says_what_would_fill_it() {
    let mut deck = Deck::on(folder(true));
    deck.resize(80, 24);
    deck.press(&["3"]);
    snap("empty-sessions-80x24", &mut deck);
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    let mut deck = Deck::on(with_sessions());
    deck.press(&["3"]);
    for keys in [&[][..], &["enter"], &["enter"]] {
        deck.press(keys);
        for columns in (40..=130).step_by(9) {
            for rows in (10..=44).step_by(3) {
                deck.resize(columns, rows);
                deck.draw();
            }
        }
    }
}

#[test]
fn the_choice_stays_with_its_session_through_filters_and_changes() {
    let mut deck = Deck::on(with_sessions());
    deck.press(&["3", "down", "down"]);
    let chosen = deck.app.sessions.id().cloned().expect("one is chosen");
    deck.press(&["/"]);
    deck.write("importer");
    deck.press(&["enter"]);
    assert_eq!(deck.app.sessions.visible.len(), 1);
    assert_eq!(deck.app.sessions.id(), Some(&chosen));
    deck.press(&["esc"]);
    assert_eq!(deck.app.sessions.id(), Some(&chosen));
    start(&deck.engine(), "a newer one", 3);
    deck.press(&["ctrl-l"]);
    assert_eq!(deck.app.sessions.all.len(), 4);
    assert_eq!(deck.app.sessions.id(), Some(&chosen), "the list grew above it");
}

#[test]
fn sessions_are_sorted_and_shown_by_facets_and_the_choice_stays() {
    let mut deck = Deck::on(with_sessions());
    deck.press(&["3"]);
    let goals = |deck: &Deck| -> Vec<String> {
        let rows = 0..deck.app.sessions.visible.len();
        rows.filter_map(|row| deck.app.sessions.row(row)).map(|line| line.goal.clone()).collect()
    };
    let (stalled, given_up, closed) = (
        "all tests of the labels pass",
        "it builds on the old runner",
        "the importer's tests pass",
    );
    let start_of = |text: &str| text.to_owned();
    deck.press(&["down", "down"]);
    let chosen = deck.app.sessions.id().cloned();
    deck.press(&["s"]);
    assert_eq!(goals(&deck), [stalled, given_up, closed].map(start_of), "by attention");
    assert_eq!(deck.app.sessions.id().cloned(), chosen);
    deck.press(&["s"]);
    assert_eq!(goals(&deck), [stalled, given_up, closed].map(start_of), "by goal");
    // The first facet is the stalled ones.
    deck.press(&["f", "enter", "esc"]);
    assert_eq!(goals(&deck), [start_of(stalled)]);
    let screen = deck.screen();
    assert!(screen.contains("only stalled"), "{screen}");
    let shown = deck.app.sessions.open().map(|session| session.goal.clone());
    assert_eq!(shown.as_deref(), Some(stalled), "the detail follows");
    deck.press(&["f", "enter", "esc", "s"]);
    assert_eq!(goals(&deck).len(), 3);
    assert_eq!(deck.app.sessions.sort.label(), "newest first");
}

#[test]
fn a_session_of_ten_thousand_attempts_is_drawn_in_a_frame() {
    let folder = folder(true);
    let engine = engine(folder.path());
    let id = start(&engine, "long", 20_000);
    attempt(&engine, &id, "cargo test", Some(9));
    // As another program would write it: the same attempt many times.
    let path = folder.path().join(format!(".whetstone/sessions/{id}.json"));
    let text = std::fs::read_to_string(&path).expect("there");
    let mut session: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for (list, key) in [
        ("attempts", "attempt_id"),
        ("observations", "observation_id"),
        ("gap_history", "attempt_id"),
    ] {
        let one = session[list][0].clone();
        let many = (0..10_000).map(|n| {
            let mut copy = one.clone();
            copy[key] = format!("{key}-{n}").into();
            if list == "attempts" {
                copy["observation_id"] = format!("observation_id-{n}").into();
            }
            copy
        });
        session[list] = many.collect::<Vec<_>>().into();
    }
    std::fs::write(&path, session.to_string()).expect("written");
    let mut deck = Deck::on(folder);
    deck.press(&["3", "enter", "G", "g"]);
    let began = std::time::Instant::now();
    for _ in 0..20 {
        deck.press(&["down"]);
    }
    let each = began.elapsed() / 20;
    // Without optimisation, under load: far from what a walk over all would take.
    assert!(each.as_millis() < 150, "{each:?} for a key and its frames");
    assert!(deck.screen().contains("10000 of 20000"), "{}", deck.screen());
}
