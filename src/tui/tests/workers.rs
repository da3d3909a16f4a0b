//! The workers as pictures: each way in which one can stand.

use super::drive::{Deck, NOON, filled};
use super::frames::{SIZES, snap};
use crate::core::loops::attempt::AttemptStatus;
use crate::core::loops::ids::{LoopId, RunId, SlotId, TurnId};
use crate::core::time::Timestamp;
use crate::engine::{Worker, WorkerLife};
use crate::tui::msg::{Answer, Effect, Msg, Request};

fn worker(agent: &str, role: &str, title: &str) -> Worker {
    let turn_id = TurnId::derive(&[agent.as_bytes()]);
    Worker {
        loop_id: LoopId::derive(&[title.as_bytes()]),
        title: title.to_owned(),
        slot_id: SlotId::derive(&[agent.as_bytes()]),
        role: role.into(),
        agent: agent.into(),
        assignment_id: None,
        run_id: Some(RunId::of(&turn_id, 0)),
        turn_id,
        generation: Some(0),
        phase: "critique".into(),
        round: 1,
        status: AttemptStatus::Running,
        process: WorkerLife::Alive,
        pid: Some(4_711),
        host: Some("here".to_owned()),
        started_at: Some(Timestamp::from_millis(NOON - 83_000)),
        lease_until: Some(Timestamp::from_millis(NOON + 37_000)),
        writes: false,
        worktree: None,
        run_dir: None,
        failure: None,
        reply: false,
        contradiction: None,
        turned_away: None,
        shut_out: None,
        taken_back: false,
    }
}

/// One of each kind.
fn crew() -> Vec<(Worker, Vec<String>)> {
    let said = ["reading the proposal", "the cache is dropped on every write", "writing it down"];
    let quiet = WorkerLife::None;
    vec![
        (worker("codex", "critic", "Cache the index"), said.map(str::to_owned).to_vec()),
        (
            Worker { generation: Some(1), ..worker("claude", "critic", "Cache the index") },
            Vec::new(),
        ),
        (
            Worker {
                shut_out: Some("undone".to_owned()),
                status: AttemptStatus::Cancelled,
                ..worker("birch", "reviewer", "Deliver webhooks through an outbox and never twice")
            },
            Vec::new(),
        ),
        (
            Worker {
                taken_back: true,
                process: WorkerLife::Ended,
                ..worker("atlas", "critic", "Retry with a jitter")
            },
            Vec::new(),
        ),
        (
            Worker {
                status: AttemptStatus::LaunchAttemptedUnknown,
                process: WorkerLife::Unknown,
                pid: None,
                ..worker("nova", "fixer", "A test that fails on Mondays")
            },
            Vec::new(),
        ),
        (
            Worker {
                status: AttemptStatus::Reserved,
                process: quiet,
                pid: None,
                started_at: None,
                ..worker("iris", "author", "Rename the crate")
            },
            Vec::new(),
        ),
    ]
}

#[test]
fn workers_at_four_sizes() {
    let mut deck = Deck::on(filled());
    deck.press(&["W"]);
    deck.resize(120, 36);
    snap("workers-none-120x36", &mut deck);
    deck.send(Msg::Answer(Answer::Workers(Ok(crew()))));
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        snap(&format!("workers-{columns}x{rows}"), &mut deck);
    }
    // The second worker of a turn says that it is; the first says nothing.
    let first = deck.screen();
    assert!(!first.contains("of this turn"), "{first}");
    deck.press(&["j"]);
    let second = deck.screen();
    assert!(second.contains("worker 2 of this turn"), "{second}");
    // One that was shut out is ended without a turn being called off.
    deck.press(&["j", "x"]);
    let asked = deck.screen();
    assert!(asked.contains("shut out (undone)"), "{asked}");
}

#[test]
fn workers_that_have_ended_stand_below_the_others_with_how_they_ended() {
    let done = |agent, status| Worker {
        status,
        process: WorkerLife::Ended,
        started_at: Some(Timestamp::from_millis(NOON - 7_200_000)),
        ..worker(agent, "critic", "Cache the index")
    };
    let failed = Worker {
        failure: Some("its worker ended with status 3".to_owned()),
        ..done("nova", AttemptStatus::Failed)
    };
    let left = ["thinking aloud", "", "It replied: done"].map(str::to_owned).to_vec();
    let ended = vec![
        (done("atlas", AttemptStatus::Completed), left),
        (failed, Vec::new()),
        (done("iris", AttemptStatus::Cancelled), Vec::new()),
    ];
    let mut deck = Deck::on(filled());
    deck.press(&["W"]);
    deck.send(Msg::Answer(Answer::EndedWorkers(Ok(ended))));
    deck.send(Msg::Answer(Answer::Workers(Ok(crew()[..1].to_vec()))));
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        snap(&format!("workers-ended-{columns}x{rows}"), &mut deck);
    }
    // The first is at work; those that ended can't be ended or taken over any more.
    deck.press(&["j", "x"]);
    let screen = deck.screen();
    assert!(screen.contains("It replied: done"), "{screen}");
    assert!(!screen.contains("End the work of"), "{screen}");
    let said = deck.app.toasts.notes().last().map(|note| note.text.clone()).unwrap_or_default();
    assert!(said.contains("it has ended"), "{said}");
    deck.press(&["j"]);
    assert!(deck.screen().contains("its worker ended with status 3"), "{}", deck.screen());
    deck.press(&["k", "enter"]);
    assert!(deck.screen().contains("thinking aloud"), "{}", deck.screen());
    // Who leaves the list of those at work is looked for among the ended ones.
    deck.press(&["esc"]);
    let effects = deck.app.update(Msg::Answer(Answer::Workers(Ok(Vec::new()))));
    let asks = |effect: &Effect| matches!(effect, Effect::Ask(Request::EndedWorkers));
    assert!(effects.iter().any(asks), "{effects:?}");
}
