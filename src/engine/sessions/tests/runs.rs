//! Attempts made by running small scripts.

use std::time::{Duration, Instant};

use super::*;

const RED: &str = "echo 'test a ... FAILED'; echo 'test result: FAILED. 1 passed; 3 failed; \
                   0 ignored'; exit 101";

#[test]
fn red_then_better_then_converged_then_closed() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), Some(5));
    let value = |done: &AttemptDone| {
        let gap = done.session.gap.clone().expect("measured");
        let attempt = done.session.attempts.last().expect("recorded");
        let trend = gap.trend.map(|t| t.to_string()).unwrap_or_default();
        (attempt.outcome.to_string(), gap.current_value.to_string(), trend)
    };
    let told = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
    let done = deck.run(&id, RED).expect("recorded");
    assert_eq!(value(&done), told("failure", "3", ""));
    let seen = done.session.observations[0].clone();
    assert_eq!((seen.exit_code, seen.source.as_str()), (101, "test_output"));
    assert!(seen.raw_text.starts_with("test a ... FAILED\n"), "{}", seen.raw_text);
    assert_eq!(seen.structured_data.value()["failed"], 3);
    let done = deck.run(&id, &RED.replace("3 failed", "2 failed")).expect("recorded");
    assert_eq!(value(&done), told("partial", "2", "improving"));
    let green = "echo 'test result: ok. 4 passed; 0 failed; 0 ignored'";
    let done = deck.run(&id, green).expect("recorded");
    assert_eq!(value(&done), told("success", "0", "improving"));
    assert_eq!(done.session.status, Status::Converged);
    std::fs::remove_file(deck.dir.path().join("script.sh")).expect("there");
    let refused = deck.run(&id, "touch ran").expect_err("closed");
    assert_eq!(refused.code(), "session_closed");
    assert!(!deck.dir.path().join("ran").exists(), "nothing was run");
}

#[test]
fn what_nobody_recognises_counts_by_its_exit_code_and_says_so() {
    let deck = Deck::new();
    let id = deck.start(None, None);
    let done = deck.run(&id, "echo what; exit 7").expect("recorded");
    assert_eq!(done.session.gap.as_ref().map(|g| g.current_value.clone()), Some(1.into()));
    let data = done.session.observations[0].structured_data.value();
    assert_eq!((&data["parser"], &data["fallback"]), (&().into(), &"exit_code".into()));
    assert!(done.warnings.iter().any(|w| w.contains("exit code alone")), "{:?}", done.warnings);
    let done = deck.run(&id, "exit 0").expect("recorded");
    assert_eq!(done.session.status, Status::Converged);
}

#[test]
fn escalation_at_the_cap_and_convergence_on_the_last_attempt() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), Some(2));
    deck.run(&id, RED).expect("recorded");
    assert_eq!(deck.run(&id, RED).expect("recorded").session.status, Status::Escalated);
    let id = deck.start(Some(GoalType::TestsPass), Some(2));
    deck.run(&id, RED).expect("recorded");
    let done = deck.run(&id, "exit 0").expect("recorded");
    assert_eq!(done.session.status, Status::Converged);
}

#[test]
fn an_unrecoverable_error_fails_the_session() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    let mut draft = AttemptDraft::new(ActionType::Build, "no disk left");
    draft.recoverable = Some(false);
    let done = deck.engine.record_attempt(&id, &draft, &Write::operator()).expect("recorded");
    assert_eq!(done.session.attempts[0].outcome, Outcome::Error, "nobody said otherwise");
    assert_eq!(done.session.status, Status::Failed);
    assert_eq!(deck.run(&id, RED).expect_err("failed").code(), "session_closed");
}

#[test]
fn what_cannot_be_started_is_an_error_that_leaves_the_gap() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.run(&id, RED).expect("recorded");
    let draft = RunDraft { argv: vec!["./no-such-program".into()], ..RunDraft::default() };
    let run = |id| {
        let (write, cancel) = (Write::operator(), Cancel::default());
        deck.engine.run_attempt(id, &draft, &write, &cancel, |_| {}).expect("recorded")
    };
    let done = run(&id);
    let attempt = done.session.attempts.last().expect("recorded");
    assert_eq!(attempt.outcome, Outcome::Error);
    assert!(!done.gap_updated && done.session.status == Status::Active);
    let seen = done.session.observation_of(attempt).expect("kept");
    assert!(seen.raw_text.contains("no-such-program"), "{}", seen.raw_text);
    assert_eq!((seen.exit_code, &seen.structured_data.value()["not_started"]), (-1, &true.into()));
    // Where a missing command is what is counted, it counts.
    let id = deck.start(Some(GoalType::EnvironmentReady), None);
    let gap = run(&id).session.gap.clone().expect("measured");
    assert_eq!((gap.metric_type, gap.current_value), (MetricType::MissingDeps, 1.into()));
}

#[test]
fn an_interrupted_run_is_an_error_even_if_the_child_ignores_it() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    deck.run(&id, RED).expect("recorded");
    let path = deck.dir.path().join("deaf.sh");
    let script = "trap '' TERM; echo 'test a ... ok'; echo begun; while :; do sleep 1; done";
    std::fs::write(&path, script).expect("written");
    let argv = vec!["sh".to_owned(), path.display().to_string()];
    let (cancel, started) = (Cancel::default(), Instant::now());
    let draft = RunDraft { argv, ..RunDraft::default() };
    let done = deck.engine.run_attempt(&id, &draft, &Write::operator(), &cancel, |said| {
        if said.text.contains("begun") {
            cancel.cancel();
        }
    });
    let done = done.expect("recorded");
    assert!(started.elapsed() < Duration::from_secs(60));
    let attempt = done.session.attempts.last().expect("recorded");
    assert_eq!(attempt.outcome, Outcome::Error);
    let seen = done.session.observation_of(attempt).expect("kept");
    assert_eq!(seen.structured_data.value()["interrupted"], true);
    assert!(seen.raw_text.contains("begun"));
    assert!(!done.gap_updated, "what it had not come to yet is not known");
    assert_eq!(done.session.gap.as_ref().map(|g| g.current_value.clone()), Some(3.into()));
}

#[test]
fn one_that_prints_without_end_is_ended_in_time_and_kept_small() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    let done = deck.run_with(&id, "yes 'again and again'", &Cancel::default(), |draft| {
        draft.timeout = Some(Duration::from_millis(400));
    });
    let done = done.expect("recorded");
    let attempt = done.session.attempts.last().expect("recorded");
    let seen = done.session.observation_of(attempt).expect("kept");
    assert_eq!(attempt.outcome, Outcome::Error);
    assert_eq!(seen.structured_data.value()["timed_out"], true);
    assert!(seen.truncated && seen.raw_text.len() <= 16_384, "{}", seen.raw_text.len());
    assert!(seen.original_bytes > 1_000_000, "{}", seen.original_bytes);
    assert!(seen.raw_text.contains(" bytes are left out here "));
}

#[test]
fn closed_streams_and_grandchildren_on_the_pipe_hang_nothing() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    let started = Instant::now();
    let script = "sleep 600 & echo $! > child; echo said; exit 3";
    let done = deck.run(&id, script).expect("recorded");
    assert_eq!(done.session.observations[0].exit_code, 3);
    assert_eq!(done.session.observations[0].raw_text, "said\n");
    let closed = deck.run(&id, "exec >&- 2>&-; sleep 0.3; exit 4").expect("recorded");
    assert_eq!(closed.session.observations[1].exit_code, 4);
    assert!(started.elapsed() < Duration::from_secs(60));
    let child = std::fs::read_to_string("child")
        .or_else(|_| std::fs::read_to_string(deck.dir.path().join("child")));
    let pid = child.expect("written").trim().parse().expect("a number");
    let pid = rustix::process::Pid::from_raw(pid).expect("not 0");
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

#[test]
fn result_files_count_only_if_this_run_wrote_them() {
    let deck = Deck::new();
    let id = deck.start(Some(GoalType::TestsPass), None);
    let xml = "<testsuite><testcase name='a'><failure/></testcase><testcase name='b'/></testsuite>";
    let script = format!("echo \"{xml}\" > report.xml; exit 1");
    let cancel = Cancel::default();
    let with_file = |draft: &mut RunDraft| draft.junit = vec!["report.xml".into()];
    let done = deck.run_with(&id, &script, &cancel, with_file).expect("recorded");
    assert_eq!(done.reading.as_ref().map(|r| (r.failed, r.passed)), Some((Some(1), Some(1))));
    let done = deck.run_with(&id, "exit 1", &cancel, with_file).expect("recorded");
    assert!(done.reading.is_none());
    assert!(done.warnings.iter().any(|w| w.contains("from before")), "{:?}", done.warnings);
}

#[test]
fn a_repeated_request_runs_nothing_again() {
    let deck = Deck::new();
    let id = deck.start(None, None);
    std::fs::write(deck.dir.path().join("s.sh"), "echo x >> ran; exit 1").expect("written");
    let argv = vec!["sh".to_owned(), "s.sh".to_owned()];
    let draft = RunDraft { argv, ..RunDraft::default() };
    let run = || {
        let cancel = Cancel::default();
        deck.engine.run_attempt(&id, &draft, &request("r1"), &cancel, |_| {}).expect("answered")
    };
    let (one, two) = (run(), run());
    assert_eq!((one.attempt_id, two.replayed), (two.attempt_id, true));
    let ran = std::fs::read_to_string(deck.dir.path().join("ran")).expect("it ran");
    assert_eq!(ran, "x\n");
}
