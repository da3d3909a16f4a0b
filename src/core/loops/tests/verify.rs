//! Reports that the engine files: where they count, and on which files.

use super::fixture::*;
use crate::core::loops::command::{Command, VerifyRun};
use crate::core::loops::decide::{decide, verify_command};
use crate::core::loops::explain::why;
use crate::core::loops::lint;
use crate::core::loops::model::{Actor, INLINE_CAP, Status};
use crate::core::loops::protocol::{Kind, ReviewMode};

fn with_command() -> Deck {
    let mut request = request(Kind::Implementation, lint::builtin(Kind::Implementation));
    request.verify = Some(vec!["cargo".to_owned(), "test".to_owned()]);
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    deck.advance();
    assert_eq!(deck.at(), ("verify", 0));
    deck
}

fn report(deck: &Deck, passed: bool, digest: Option<&str>) -> Command {
    Command::RecordVerify {
        run: VerifyRun {
            command: deck.state.protocol.verify.clone().unwrap_or_default(),
            exit_code: Some(i32::from(!passed)),
            passed,
            workspace_digest: digest.map(str::to_owned),
            ..VerifyRun::default()
        },
        phase: deck.state.current_phase.clone(),
        iteration: deck.state.iteration_count,
    }
}

#[test]
fn a_report_of_the_engine_opens_the_gate_and_a_narrated_one_does_not() {
    let mut deck = with_command();
    deck.add("verify_report", "passed: all tests");
    let refused = deck.refused(advance());
    assert_eq!(refused.code, "gate_unmet");
    let verify = format!("loopdeck loop verify {}", deck.state.id);
    assert_eq!(refused.next_steps[0].command, verify);
    let green = report(&deck, true, None);
    deck.try_as("agent:codex", &green).expect("filed");
    let filed = deck.state.artifacts.last().expect("filed");
    assert_eq!(filed.produced_by, Actor::Engine);
    assert_eq!(deck.events.last().map(|e| e.by.to_string()).as_deref(), Some("agent:codex"));
    assert!(deck.warnings.is_empty(), "{:?}", deck.warnings);
    deck.advance();
    assert_eq!(deck.at(), ("handoff_ready", 0));
    deck.add("handoff", "done");
    assert_eq!(deck.state.status, Status::Completed);
    deck.check();
}

#[test]
fn a_green_on_other_files_is_not_green_and_why_says_so() {
    let mut deck = with_command();
    deck.run(report(&deck, true, Some("one")));
    let on = |digest: &str| {
        let mut ctx = ctx("operator", 99);
        ctx.workspace_digest = Some(digest.to_owned());
        let target = decide(&deck.state, &advance(), &ctx).made.would.expect("advances").target;
        (target, why(&deck.state, &ctx))
    };
    let (target, fresh) = on("one");
    assert_eq!((target.as_str(), fresh.exit.map(|e| e.met)), ("handoff_ready", Some(true)));
    let (target, stale) = on("two");
    assert_eq!(target, "execute");
    let exit = stale.exit.expect("asked for");
    assert_eq!((exit.met, &*exit.ignored[0].why), (false, "stale_workspace"));
    assert_eq!(stale.near_misses, ["files changed since: verify again"]);
    assert!(stale.next_steps[0].command.contains(" verify "));
}

#[test]
fn red_at_the_cap_ends_blocked() {
    let mut deck = with_command();
    for _ in 0..3 {
        deck.run(report(&deck, false, None));
        deck.advance();
        if !deck.state.status.is_closed() {
            deck.advance();
        }
    }
    assert_eq!(deck.state.status, Status::Blocked);
}

#[test]
fn a_report_is_filed_where_it_was_started_and_says_where_it_opens_nothing() {
    let mut deck = with_command();
    let first = report(&deck, false, None);
    deck.run(first.clone());
    deck.advance();
    deck.run(first.clone());
    let filed = deck.state.artifacts.last().expect("filed");
    assert_eq!((&*filed.phase, filed.iteration, filed.late), ("verify", 0, false));
    assert!(deck.warnings[0].contains("round 1"), "{:?}", deck.warnings);
    let elsewhere = report(&deck, true, None);
    deck.run(elsewhere);
    assert!(deck.warnings[0].contains("execute"), "{:?}", deck.warnings);
    let close = Command::Close { status: Status::Cancelled, reason: Some("r".to_owned()) };
    deck.run(close);
    assert_eq!(verify_command(&deck.state).expect_err("closed").code, "already_closed");
    deck.run(first);
    assert!(deck.state.artifacts.last().is_some_and(|a| a.late));
    assert!(deck.warnings[0].contains("late"), "{:?}", deck.warnings);
    deck.check();
    assert_eq!(
        verify_command(&Deck::open(Kind::Debug).state).expect_err("none").code,
        "verify_unconfigured"
    );
}

#[test]
fn a_report_always_fits_inline() {
    let mut deck = with_command();
    for text in ["\u{1}\"\\".repeat(3_000), "ä€".repeat(2_000), "x".repeat(9_000)] {
        let mut command = report(&deck, true, Some(&"d".repeat(64)));
        if let Command::RecordVerify { run, .. } = &mut command {
            run.stdout_tail.clone_from(&text);
            run.stderr_tail.clone_from(&text);
        }
        deck.run(command);
        let filed = deck.state.artifacts.last().expect("filed");
        assert!(filed.byte_count <= INLINE_CAP as u64, "{}", filed.byte_count);
        assert!(filed.byte_count > INLINE_CAP as u64 / 2, "{}", filed.byte_count);
    }
    let mut command = report(&deck, true, None);
    if let Command::RecordVerify { run, .. } = &mut command {
        run.command = vec!["word".repeat(900); 40];
    }
    deck.run(command);
}

#[test]
fn a_symmetric_turn_says_once_what_it_mended() {
    let mut request = request(Kind::Review, lint::builtin(Kind::Review));
    request.review_mode = Some(ReviewMode::Symmetric);
    request.proposal = Some("x".into());
    let mut deck = Deck::open_with(request).expect("opens");
    deck.advance();
    deck.turn("reviewer");
    deck.add("changes_applied", "renamed it");
    let refused = deck.refused(Command::AddArtifact(said("changes_applied", "and that")));
    assert_eq!(refused.code, "invalid_type");
    assert!(refused.next_steps[0].command.contains(" supersede "));
    deck.done("reviewer");
    deck.turn("reviewer");
    deck.add("changes_applied", "another turn");
}
