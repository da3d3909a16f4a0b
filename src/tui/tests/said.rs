//! What a deck says in words where files hold something else: runs, questions, ends.

use super::drive::{Deck, engine, folder};
use crate::core::loops::command::{Command, Content, NewArtifact, NewQuestion};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Kind;
use crate::core::loops::question::{QuestionOption, QuestionScope};
use crate::core::loops::verify_run::VerifyRun;
use crate::core::memory::Category;
use crate::engine::{Engine, MemoryDraft, OpenRequest, Write};
use crate::tui::form::{Draft, FieldId, FormKind};
use crate::tui::msg::Effect;

fn advance() -> Command {
    Command::Advance { to: None, force: false, reason: None }
}

fn add(kind: &str, body: &str) -> Command {
    let content = Content::Body(body.into());
    Command::AddArtifact(NewArtifact {
        artifact_type: kind.into(),
        content,
        ..NewArtifact::default()
    })
}

fn run(engine: &Engine, id: &LoopId, command: Command) {
    engine.execute(id, command, &Write::operator()).expect("it is allowed");
}

/// What a run of the command said, filed as the engine files it.
fn ran(engine: &Engine, id: &LoopId, exit_code: i32) {
    let state = engine.load(id).expect("it is there");
    let run = VerifyRun {
        command: vec!["sh".to_owned(), "check.sh".to_owned()],
        exit_code: Some(exit_code),
        passed: exit_code == 0,
        duration_ms: 40,
        stdout_tail: "two of three hold".to_owned(),
        ..VerifyRun::default()
    };
    let (phase, iteration) = (state.current_phase.clone(), state.iteration_count);
    let command = Command::RecordVerify { run, phase, iteration };
    engine.execute(id, command, &Write::operator()).expect("it is allowed");
}

/// An implementation with a verify command, in its first verify, and its deck.
fn in_verify(exits: &[i32]) -> Deck {
    let folder = folder(true);
    let engine = engine(folder.path());
    let mut request = OpenRequest::new(Kind::Implementation, "Red or green");
    request.verify = Some(vec!["sh".to_owned(), "check.sh".to_owned()]);
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    run(&engine, &id, advance());
    run(&engine, &id, add("execute_report", "Done."));
    run(&engine, &id, advance());
    for exit in exits {
        ran(&engine, &id, *exit);
    }
    drop(engine);
    let mut deck = Deck::on(folder);
    deck.press(&["enter"]);
    deck
}

#[test]
fn a_run_is_red_or_green_in_words_wherever_it_is_listed_and_read() {
    let mut deck = in_verify(&[1, 0]);
    let overview = deck.screen();
    assert!(
        overview.contains("✗ verify_report") && overview.contains("✓ verify_report"),
        "{overview}"
    );
    assert!(overview.contains("red: exit 1, 0.0 s"), "{overview}");
    assert!(overview.contains("green, 0.0 s"), "{overview}");
    assert!(!overview.contains("{\""), "{overview}");
    deck.press(&["]"]);
    let tab = deck.screen();
    assert!(tab.contains("red: exit 1, 0.0 s"), "{tab}");
    assert!(tab.contains("command: sh check.sh") && tab.contains("two of three hold"), "{tab}");
    assert!(!tab.contains("{\"command\""), "{tab}");
}

#[test]
fn a_red_run_is_said_where_the_next_step_stands_and_what_an_advance_then_does() {
    let mut deck = in_verify(&[1]);
    let screen = deck.screen();
    assert!(screen.contains("the command is red: exit 1"), "{screen}");
    assert!(screen.contains("advance, red as it is"), "{screen}");
    assert!(screen.contains("advance would go to execute, round 2"), "{screen}");
    let mut green = in_verify(&[1, 0]);
    let screen = green.screen();
    assert!(!screen.contains("the command is red"), "{screen}");
    assert!(!screen.contains("red as it is"), "{screen}");
}

#[test]
fn research_offers_to_say_that_nothing_is_missing() {
    let folder = folder(true);
    let engine = engine(folder.path());
    let request = OpenRequest::new(Kind::Research, "Which policy");
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    run(&engine, &id, add("finding", "Both fit."));
    run(&engine, &id, advance());
    run(&engine, &id, add("synthesis", "Take the first."));
    drop(engine);
    let mut deck = Deck::on(folder);
    deck.press(&["enter"]);
    let screen = deck.screen();
    assert!(screen.contains("or say that nothing is missing"), "{screen}");
    deck.press(&["a", "shift-tab"]);
    deck.write("critic_signal");
    let picker = deck.screen();
    assert!(picker.contains("nothing is missing; belongs here"), "{picker}");
}

/// A loop that waits for an answer, and its deck.
fn asked() -> Deck {
    let folder = folder(true);
    let engine = engine(folder.path());
    let request = OpenRequest::new(Kind::Research, "Which policy");
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    let option =
        |id: &str, label: &str| QuestionOption { id: id.to_owned(), label: label.to_owned() };
    let ask = Command::Ask(NewQuestion {
        text: "Which vendor?".to_owned(),
        evidence: vec!["both offer".to_owned()],
        options: vec![option("first", "The cheap one"), option("second", "The near one")],
        scope: QuestionScope::Loop,
        ..NewQuestion::default()
    });
    run(&engine, &id, ask);
    drop(engine);
    Deck::on(folder)
}

#[test]
fn a_question_is_read_with_its_options_and_found_by_them() {
    let mut deck = asked();
    deck.press(&["enter", "]"]);
    let tab = deck.screen();
    assert!(tab.contains("first: The cheap one") && tab.contains("second: The near one"), "{tab}");
    assert!(!tab.contains("{\"question\""), "{tab}");
    let found = deck.engine().search("cheap", 5).expect("a search").found;
    assert_eq!(found.len(), 1);
    let excerpt = &found[0].excerpt;
    assert!(excerpt.contains("first: The cheap one") && !excerpt.contains('{'), "{excerpt}");
    assert_eq!(deck.engine().search("on_timeout", 5).expect("a search").total, 0);
}

#[test]
fn a_draft_of_a_new_version_is_offered_for_the_artifact_it_was_for() {
    let folder = folder(true);
    let engine = engine(folder.path());
    let request = OpenRequest::new(Kind::Research, "Which policy");
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    run(&engine, &id, add("finding", "Both fit."));
    let artifact = engine.load(&id).expect("it is there").artifacts[0].artifact_id.clone();
    drop(engine);
    let draft = Draft {
        form: FormKind::Supersede,
        loop_id: Some(id),
        artifact: Some(artifact),
        item: None,
        session: None,
        phase: None,
        iteration: None,
        fields: [(FieldId::Body, "None fits.".into())].into_iter().collect(),
    };
    let mut deck = Deck::with_draft(folder, draft);
    let screen = deck.screen();
    assert!(screen.contains("None fits."), "{screen}");
    assert!(screen.contains("Both fit."), "it says of which: {screen}");
}

#[test]
fn a_draft_of_a_memory_item_is_offered_for_what_it_was_for() {
    let folder = folder(true);
    let engine = engine(folder.path());
    let draft = MemoryDraft {
        category: Some(Category::Traps),
        title: Some("Mondays".to_owned()),
        text: Some("The mail job runs twice.".to_owned()),
        ..MemoryDraft::default()
    };
    let item = engine.memory_add(&draft).expect("filed").id.to_string();
    drop(engine);
    let draft = Draft {
        form: FormKind::MemoryEdit,
        loop_id: None,
        artifact: None,
        item: Some(item),
        session: None,
        phase: None,
        iteration: None,
        fields: [(FieldId::Title, "On Mondays".into())].into_iter().collect(),
    };
    let screen = Deck::with_draft(folder, draft).screen();
    assert!(screen.contains("On Mondays"), "{screen}");
    assert!(screen.contains("The mail job runs twice."), "it changes that item: {screen}");
}

#[test]
fn what_holds_a_loop_is_the_question_and_the_keys_say_so() {
    for key in ["p", "X", "A"] {
        let mut deck = asked();
        deck.press(&["enter", key]);
        let screen = deck.screen();
        assert!(screen.contains("answer the question first: i"), "{key}: {screen}");
    }
}

/// An implementation that stayed red in all its rounds, and its deck.
fn blocked() -> Deck {
    let folder = folder(true);
    let engine = engine(folder.path());
    let request = OpenRequest::new(Kind::Implementation, "To the cap");
    let id = engine.open_loop(&request, &Write::operator()).expect("a loop").state.id.clone();
    run(&engine, &id, advance());
    for round in 1..=3 {
        run(&engine, &id, add("execute_report", &format!("Done {round}.")));
        run(&engine, &id, advance());
        run(&engine, &id, add("verify_report", &format!("failed: {round}")));
        run(&engine, &id, advance());
    }
    let state = engine.load(&id).expect("it is there");
    assert_eq!(state.status, Status::Blocked);
    drop(engine);
    let mut deck = Deck::on(folder);
    deck.press(&["enter"]);
    deck
}

#[test]
fn an_ended_loop_shows_the_round_it_was_worked_in_and_offers_what_can_be_done() {
    let mut deck = blocked();
    let screen = deck.screen();
    assert!(!screen.contains("nothing in this round"), "{screen}");
    assert!(screen.contains("Artifacts 2 · round 3 of 3"), "{screen}");
    assert!(!screen.contains("past"), "{screen}");
    let footer = screen.lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("O ") && footer.contains("reopen"), "{footer}");
    assert!(!footer.contains("complete"), "{footer}");
    deck.press(&["tab", "tab", "tab", "<"]);
    assert!(deck.screen().contains("round 2 of 3, past"), "{}", deck.screen());
}

#[test]
fn an_artifact_of_an_ended_loop_is_refused_before_the_editor_opens() {
    let mut deck = blocked();
    deck.press(&["]", "e"]);
    let screen = deck.screen();
    assert!(screen.contains("its artifacts stay as they are"), "{screen}");
    let edits = deck.effects.iter().filter(|effect| matches!(effect, Effect::Edit { .. }));
    assert_eq!(edits.count(), 0);
}
