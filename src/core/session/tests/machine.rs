//! Seed step 1343: the state machine.

use super::super::machine::may_pass;
use super::super::*;
use super::fixture::*;

fn path(session: &Session) -> Vec<String> {
    session.transitions.iter().map(|t| format!("{} {}", t.from, t.to)).collect()
}

fn refused(session: &Session, n: u8) -> &'static str {
    let mut copy = session.clone();
    let new = attempt(session, n);
    let refusal = record(&mut copy, new, at(60)).expect_err("refused");
    assert_eq!(copy, *session, "a refusal changes nothing");
    refusal.code
}

#[test]
fn pending_to_active_on_first_attempt() {
    let mut session = session(3);
    with_gap(&mut session, 1, 3);
    assert_eq!(session.status, Status::Active);
    assert_eq!(path(&session), ["pending active"]);
    assert_eq!(session.updated_at, at(1));
}

#[test]
fn active_to_converged_when_gap_closes() {
    let mut session = session(2);
    with_gap(&mut session, 1, 1);
    // On the last attempt that it has: that is convergence, not the cap.
    with_gap(&mut session, 2, 0);
    assert_eq!(session.status, Status::Converged);
    assert_eq!(path(&session), ["pending active", "active converged"]);
}

#[test]
fn active_to_escalated_at_max_attempts() {
    let mut session = session(2);
    with_gap(&mut session, 1, 3);
    with_gap(&mut session, 2, 2);
    assert_eq!(session.status, Status::Escalated);
    let cause = &session.transitions[1].cause;
    assert!(cause.contains("all 2 attempts are used up"), "{cause}");
}

#[test]
fn active_to_failed_on_terminal_error() {
    let mut session = session(5);
    let mut error = attempt(&session, 1);
    error.attempt.outcome = Outcome::Error;
    record(&mut session, error.clone(), at(1)).expect("an error may be got over");
    assert_eq!(session.status, Status::Active);
    error.attempt.attempt_id = AttemptId::random([2; 16]);
    error.attempt.recoverable = false;
    record(&mut session, error.clone(), at(2)).expect("recorded");
    assert_eq!(session.status, Status::Failed);
    // At the cap it is the cap that ends it.
    let mut last = super::fixture::session(1);
    record(&mut last, error, at(2)).expect("recorded");
    assert_eq!(last.status, Status::Escalated);
}

#[test]
fn illegal_transition_rejected() {
    let mut statuses = Status::KNOWN.to_vec();
    statuses.push(Status::Other("hibernating".into()));
    let mut legal = Vec::new();
    for from in &statuses {
        for to in &statuses {
            if may_pass(from, to) {
                legal.push(format!("{from} {to}"));
            }
        }
    }
    let named = ["pending active", "active converged", "active escalated", "active failed"];
    assert_eq!(legal, named);
    let mut unknown = session(3);
    unknown.status = Status::Other("hibernating".into());
    assert_eq!(refused(&unknown, 1), "unknown_status");
}

#[test]
fn terminal_states_immutable() {
    for status in [Status::Converged, Status::Escalated, Status::Failed] {
        let mut session = session(3);
        session.status = status;
        assert_eq!(refused(&session, 1), "session_closed");
        let mut give_up = attempt(&session, 1);
        give_up.attempt.action_type = ActionType::Escalate;
        let refusal = record(&mut session, give_up, at(1)).expect_err("closed");
        assert_eq!(refusal.code, "session_closed");
        let go_on = refusal.next_steps.iter().find(|step| step.command.contains("--previous"));
        assert!(go_on.is_some(), "{:?}", refusal.next_steps);
    }
}

#[test]
fn state_serialized() {
    let mut session = session(1);
    with_gap(&mut session, 1, 0);
    assert!(written(&session).contains("\"status\": \"converged\""));
}

#[test]
fn state_deserialized() {
    let mut session = session(1);
    with_gap(&mut session, 1, 0);
    let read: Session = read(&written(&session));
    assert_eq!(read.status, Status::Converged);
    assert_eq!(refused(&read, 2), "session_closed");
}

#[test]
fn history_preserved_through_transitions() {
    let mut session = session(4);
    for (n, failures) in [(1, 3), (2, 3), (3, 1), (4, 0)] {
        with_gap(&mut session, n, failures);
    }
    let values: Vec<_> = session.gap_history.iter().map(|g| g.current_value.to_string()).collect();
    assert_eq!(values, ["3", "3", "1", "0"]);
    let trends: Vec<_> =
        session.gap_history.iter().map(|g| g.trend.as_ref().map_or("", Trend::as_str)).collect();
    assert_eq!(trends, ["", "stagnant", "improving", "improving"]);
    assert_eq!((session.attempts.len(), session.observations.len()), (4, 4));
    assert_eq!(path(&session), ["pending active", "active converged"]);
}

#[test]
fn deterministic_transition_log() {
    let run = || {
        let mut session = session(1);
        with_gap(&mut session, 1, 0);
        session
    };
    assert_eq!(written(&run()), written(&run()));
    let session = run();
    assert_eq!(path(&session), ["pending active", "active converged"], "both are logged");
    assert!(session.transitions.iter().all(|t| t.at == at(1) && !t.cause.is_empty()));
}

#[test]
fn an_attempt_to_escalate_gives_up_even_before_any_other() {
    let mut session = session(5);
    let mut give_up = attempt(&session, 1);
    give_up.attempt.action_type = ActionType::Escalate;
    give_up.attempt.action_description = "needs a key that we don't have".to_owned();
    record(&mut session, give_up, at(1)).expect("recorded");
    assert_eq!(path(&session), ["pending active", "active escalated"]);
    assert_eq!(session.transitions[1].cause, "given up: needs a key that we don't have");
}

#[test]
fn the_same_attempt_again_changes_nothing() {
    let mut session = session(5);
    with_gap(&mut session, 1, 0);
    let before = session.clone();
    let again = with_gap(&mut session, 1, 3);
    assert!(again.replayed);
    assert_eq!(session, before);
}

#[test]
fn time_never_goes_back() {
    let mut session = session(5);
    let late = attempt(&session, 9);
    record(&mut session, late, at(9)).expect("recorded");
    let early = attempt(&session, 2);
    record(&mut session, early, at(2)).expect("recorded");
    assert_eq!(session.updated_at, at(9));
}

#[test]
fn outcome_and_gap_are_derived_as_told() {
    let mut session = session(9);
    let reading = |failed| Reading { failed: Some(failed), passed: Some(9), ..Reading::of("x") };
    let red = Some(101);
    let gap = |session: &Session, failed, code| {
        gap_of_reading(session, Some(&reading(failed)), code).expect("a gap").current_value
    };
    assert_eq!(gap(&session, 3, red), Amount::from(3));
    assert_eq!(gap(&session, 0, red), Amount::from(1), "what failed is not at its goal");
    assert_eq!(gap(&session, 2, Some(0)), Amount::from(2), "whatever the exit code hides");
    let fallback = |code| gap_of_reading(&session, None, code).map(|gap| gap.current_value);
    assert_eq!(fallback(Some(0)), Some(Amount::zero()));
    assert_eq!(fallback(Some(2)), Some(Amount::from(1)));
    assert_eq!(fallback(None), None);

    let new = |session: &Session, failed| gap_of_reading(session, Some(&reading(failed)), red);
    let ended = |session: &Session, failed| {
        outcome_of_run(session, RunEnd::Exited(red), new(session, failed).as_ref())
    };
    assert_eq!(ended(&session, 3), Outcome::Failure);
    with_gap(&mut session, 1, 3);
    assert_eq!(ended(&session, 2), Outcome::Partial);
    assert_eq!(ended(&session, 3), Outcome::Failure);
    assert_eq!(outcome_of_run(&session, RunEnd::Exited(Some(0)), None), Outcome::Success);
    for end in [RunEnd::TimedOut, RunEnd::Interrupted, RunEnd::NotStarted] {
        assert_eq!(outcome_of_run(&session, end, None), Outcome::Error);
    }
}

#[test]
fn what_counts_follows_the_goal() {
    let both = Reading { failed: Some(2), errors: Some(5), missing: Some(1), ..Reading::of("x") };
    let count = |goal_type: &GoalType| {
        let mut session = session(9);
        session.goal_type = goal_type.clone();
        let gap = gap_of_reading(&session, Some(&both), Some(1)).expect("a gap");
        (gap.metric_type.to_string(), gap.current_value.to_string())
    };
    let told = |metric: &str, value: &str| (metric.to_owned(), value.to_owned());
    assert_eq!(count(&GoalType::TestsPass), told("test_failure_count", "7"));
    assert_eq!(count(&GoalType::BuildSuccess), told("error_count", "5"));
    assert_eq!(count(&GoalType::EnvironmentReady), told("missing_deps", "1"));
    assert_eq!(count(&GoalType::Custom), told("test_failure_count", "7"));
}
