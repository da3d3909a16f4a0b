//! Questions to the operator, their answers and what comes of silence.

use super::fixture::*;
use crate::core::loops::command::{Amend, Command, NewQuestion, Reply};
use crate::core::loops::condition::Condition;
use crate::core::loops::decide::{after_timeouts, fork};
use crate::core::loops::event::{EventBody, Outcome};
use crate::core::loops::ids::LoopId;
use crate::core::loops::lint;
use crate::core::loops::model::{
    Actor, QuestionOption, QuestionScope, SlotStatus, Status, TimeoutPolicy, TurnState,
};
use crate::core::loops::protocol::{Kind, Protocol};

fn question(scope: QuestionScope) -> NewQuestion {
    NewQuestion {
        text: "Which database?".to_owned(),
        evidence: vec!["both are in use".to_owned()],
        scope,
        ..NewQuestion::default()
    }
}

fn option(id: &str) -> QuestionOption {
    QuestionOption { id: id.to_owned(), label: format!("use {id}") }
}

fn with_options(scope: QuestionScope) -> NewQuestion {
    NewQuestion { options: vec![option("postgres"), option("sqlite")], ..question(scope) }
}

fn text(words: &str) -> Reply {
    Reply::Text(words.to_owned())
}

impl Deck {
    fn ask(&mut self, new: NewQuestion) -> String {
        self.run(Command::Ask(new)).made.question_id.expect("asked").to_string()
    }

    fn reply(&mut self, question: &str, reply: Reply) {
        self.run(Command::Answer { question: question.to_owned(), reply });
    }

    /// Time passes, and nobody does anything.
    fn wait(&mut self, seconds: u64) {
        for _ in 0..seconds {
            let _ = self.try_as("operator", &Command::Redo);
        }
    }

    fn time_out(&mut self) {
        self.try_as("engine", &Command::Timeout).expect("never refused");
    }
}

fn in_turn() -> Deck {
    let mut deck = Deck::ideation();
    deck.advance();
    deck.turn("critic");
    deck
}

#[test]
fn a_turn_waits_for_its_answer_and_goes_on_with_it() {
    let mut deck = in_turn();
    let id = deck.ask(with_options(QuestionScope::Slot));
    let critic = |deck: &Deck| deck.state.slots[1].clone();
    assert_eq!(critic(&deck).status, SlotStatus::WaitingInput);
    assert_eq!(deck.state.status, Status::Open);
    assert_eq!(deck.attention().detail, "1 question waits");
    assert!(deck.attention().next.expect("a step").command.contains(" answer "));
    for body in ["one", "two", "three"] {
        deck.add("critique", body);
    }
    let refusal = deck.refused(advance());
    assert_eq!(refusal.code, "slots_pending");
    assert!(refusal.next_steps[0].command.contains(&format!(" answer {} {id}", deck.state.id)));
    deck.reply(&id, Reply::Choose("sqlite".to_owned()));
    assert_eq!(critic(&deck).live_turn().map(|t| t.state), Some(TurnState::Assigned));
    let answer = deck.state.artifacts.back().expect("filed");
    assert_eq!(&*answer.artifact_type, "operator_answer");
    assert_eq!((&*answer.phase, answer.preview.as_str()), ("critique", "sqlite"));
    deck.done("critic");
    deck.check();

    let mut deck = in_turn();
    let id = deck.ask(question(QuestionScope::Slot));
    deck.reply(&id, text("the first"));
    deck.done("critic");
    assert!(critic(&deck).turns[0].empty, "a question and its answer are no critique");
}

#[test]
fn a_loop_waits_for_its_answer() {
    let mut deck = in_turn();
    let id = deck.ask(question(QuestionScope::Loop));
    assert_eq!(deck.state.status, Status::Paused);
    let asked = format!("asked: {}", question(QuestionScope::Loop).text);
    assert_eq!(deck.state.pause_reason, Some(asked), "its words, not its id");
    assert_eq!(deck.refused(advance()).code, "paused");
    let refusal = deck.refused(Command::Resume);
    assert_eq!(refusal.code, "question_open");
    assert!(refusal.next_steps[0].command.contains(" answer "));
    assert_eq!(
        deck.refused(Command::Retract { artifact: id.clone(), reason: "r".to_owned() }).code,
        "question_open"
    );
    deck.reply(&id[..10], text("the first"));
    assert_eq!(deck.state.status, Status::Open);
    deck.check();
}

#[test]
fn what_a_question_must_look_like() {
    let mut deck = in_turn();
    let base = || with_options(QuestionScope::Slot);
    let long = "x".repeat(501);
    let wrong = [
        NewQuestion { text: " ".to_owned(), ..base() },
        NewQuestion { text: long, ..base() },
        NewQuestion { evidence: vec!["\u{200b}".to_owned()], ..base() },
        NewQuestion { options: vec![option("one")], ..base() },
        NewQuestion { options: vec![option("one"), option("one")], ..base() },
        NewQuestion { default: Some("mysql".to_owned()), ..base() },
        NewQuestion { on_timeout: TimeoutPolicy::UseDefault, ..base() },
    ];
    for new in wrong {
        assert_eq!(deck.refused(Command::Ask(new.clone())).code, "invalid_question", "{new:?}");
    }
    for deadline in ["yesterday", "2020-01-01T00:00:00Z"] {
        let new = NewQuestion { deadline: Some(deadline.to_owned()), ..base() };
        assert_eq!(deck.refused(Command::Ask(new)).code, "invalid_deadline");
    }
    let idle = NewQuestion { slot: Some("champion".to_owned()), ..base() };
    assert_eq!(deck.refused(Command::Ask(idle)).code, "no_turn");
    deck.ask(base());
    assert_eq!(deck.refused(Command::Ask(base())).code, "too_many_questions");
    deck.ask(question(QuestionScope::Loop));
    assert_eq!(deck.refused(Command::Ask(question(QuestionScope::Loop))).code, "paused");
}

#[test]
fn what_an_answer_must_look_like() {
    let mut deck = in_turn();
    let id = deck.ask(with_options(QuestionScope::Slot));
    let answer = |question: &str, reply| Command::Answer { question: question.to_owned(), reply };
    assert_eq!(deck.refused(answer(&id, text(" "))).code, "invalid_answer");
    let other = Reply::Choose("mysql".to_owned());
    assert_eq!(deck.refused(answer(&id, other)).code, "invalid_answer");
    assert_eq!(deck.refused(answer(&id, Reply::Skip)).code, "no_default");
    assert_eq!(deck.refused(answer("art_ffff", text("x"))).code, "unknown_question");
    deck.try_as("agent:codex", &answer(&id, text("the operator says sqlite"))).expect("relayed");
    assert!(deck.warnings[0].contains("relayed by agent:codex"));
    let before = deck.state.clone();
    let again = deck.run(answer(&id, text("no, postgres")));
    assert!(again.warnings[0].contains("was answered before"));
    assert_eq!(again.made.artifact_ids.len(), 1);
    assert_eq!(deck.state, before, "the first answer stands");
}

#[test]
fn a_question_ends_with_its_turn_its_phase_and_its_loop() {
    let closed = |deck: &mut Deck, id: &str| {
        assert!(deck.state.open_questions.is_empty());
        let late = Command::Answer { question: id.to_owned(), reply: text("late") };
        let code = deck.refused(late).code;
        let wanted =
            if deck.state.status.is_closed() { "already_closed" } else { "question_closed" };
        assert_eq!(code, wanted);
        deck.check();
    };
    let mut deck = in_turn();
    let id = deck.ask(question(QuestionScope::Slot));
    deck.done("critic");
    closed(&mut deck, &id);
    let mut deck = in_turn();
    let id = deck.ask(question(QuestionScope::Slot));
    deck.run(force("go on"));
    closed(&mut deck, &id);
    let mut deck = in_turn();
    let id = deck.ask(question(QuestionScope::Loop));
    deck.run(Command::Close { status: Status::Cancelled, reason: Some("enough".to_owned()) });
    closed(&mut deck, &id);
    deck.run(Command::Reopen { reason: "again".to_owned(), rounds: 1 });
    closed(&mut deck, &id);
}

#[test]
fn the_budget_of_questions_is_kept() {
    let mut deck = Deck::ideation();
    for _ in 0..10 {
        let id = deck.ask(question(QuestionScope::Loop));
        deck.reply(&id, text("so"));
    }
    assert_eq!(
        deck.refused(Command::Ask(question(QuestionScope::Loop))).code,
        "too_many_questions"
    );
}

#[test]
fn silence_takes_the_default() {
    let mut deck = in_turn();
    let mut new = with_options(QuestionScope::Slot);
    new.default = Some("sqlite".to_owned());
    new.on_timeout = TimeoutPolicy::UseDefault;
    new.deadline = Some("3s".to_owned());
    let id = deck.ask(new);
    deck.time_out();
    assert_eq!(deck.state.open_questions.len(), 1, "not before its time");
    deck.wait(4);
    assert_eq!(deck.attention().detail, "1 question waits");
    let now = ctx("operator", 30);
    let (after, _) = after_timeouts(&deck.state, &now).expect("one is overdue");
    assert!(after.open_questions.is_empty(), "what a dry run decides on");
    deck.time_out();
    assert!(deck.state.open_questions.is_empty());
    let answer = deck.state.artifacts.back().expect("filed");
    assert_eq!((answer.usable, &answer.produced_by), (true, &Actor::Engine));
    let synthetic = deck
        .events
        .iter()
        .any(|e| matches!(&e.body, EventBody::InputProvided { synthetic, .. } if *synthetic));
    assert!(synthetic);
    // Undone, it waits for a person: what was carried out is not carried out again.
    deck.run(Command::Undo { to: None });
    assert_eq!(deck.state.open_questions.len(), 1);
    let version = deck.state.version;
    deck.time_out();
    assert_eq!(deck.state.version, version);
    assert!(deck.state.next_deadline().is_none());
    deck.reply(&id, Reply::Skip);
    deck.check();
}

#[test]
fn silence_cancels_the_loop_or_lets_it_go_on_without() {
    let mut deck = in_turn();
    let mut new = question(QuestionScope::Loop);
    new.deadline = Some("1s".to_owned());
    new.on_timeout = TimeoutPolicy::CancelLoop;
    deck.ask(new.clone());
    deck.wait(2);
    deck.time_out();
    assert_eq!(deck.state.status, Status::Cancelled);
    deck.check();

    let mut deck = in_turn();
    new.on_timeout = TimeoutPolicy::ContinueIncomplete;
    deck.ask(new);
    deck.wait(2);
    deck.time_out();
    assert_eq!(deck.state.status, Status::Open);
    let answer = deck.state.artifacts.back().expect("filed");
    assert_eq!((&*answer.artifact_type, answer.usable), ("operator_answer", false));
    deck.check();
}

#[test]
fn a_fork_drops_questions_and_goes_on() {
    let mut deck = in_turn();
    deck.ask(question(QuestionScope::Slot));
    deck.ask(question(QuestionScope::Loop));
    let ctx = ctx("operator", 40);
    let decision = fork(&LoopId::derive(&[b"copy"]), &deck.state, Default::default(), &ctx);
    let EventBody::Forked(forked) = &decision.events[0] else { panic!("no fork") };
    assert_eq!(forked.state.status, Status::Open);
    assert!(forked.state.open_questions.is_empty());
    assert!(forked.state.slots.iter().all(|s| s.live_turn().is_none()));
}

fn in_review() -> Deck {
    let (kind, protocol) = lint::preset("bootstrap").expect("exists");
    reviewed_of(kind, protocol)
}

fn reviewed_of(kind: Kind, protocol: Protocol) -> Deck {
    let mut deck = Deck::open_with(request(kind, protocol)).expect("opens");
    deck.add("signals_report", "A library, six modules.");
    deck.advance();
    deck.add("project_md_draft", "What this project is for.");
    deck.advance();
    let id = deck.ask(question(QuestionScope::Loop));
    assert_eq!(deck.refused(advance()).code, "paused");
    deck.reply(&id, text("the second"));
    deck.advance();
    assert_eq!(deck.at(), ("review_draft", 0));
    deck
}

/// The question that the engine asked by itself.
fn review(deck: &Deck) -> String {
    let question = deck.state.holding_question().expect("the engine asks");
    assert_eq!(question.asked_by, Actor::Engine);
    assert!(question.deadline.is_some(), "max_pause_duration bounds it");
    question.question_id.to_string()
}

#[test]
fn bootstrap_is_approved_after_a_change() {
    let mut deck = in_review();
    let id = review(&deck);
    deck.reply(&id, Reply::Choose("change".to_owned()));
    assert_eq!((deck.at(), deck.state.status), (("propose", 1), Status::Open));
    deck.add("project_md_draft", "What it is really for.");
    deck.advance();
    deck.advance();
    let id = review(&deck);
    deck.reply(&id, Reply::Choose("approve".to_owned()));
    deck.advance();
    assert_eq!(deck.at(), ("converge", 1));
    deck.add("project_md_final", "What it is for.");
    assert_eq!(deck.state.status, Status::Completed);
    deck.check();
}

#[test]
fn only_an_approval_or_words_open_the_gate_of_a_review() {
    let mut deck = in_review();
    deck.wait(8);
    let id = review(&deck);
    deck.reply(&id, text("good, but shorter"));
    deck.advance();
    assert_eq!(deck.at(), ("converge", 0));

    let mut deck = in_review();
    review(&deck);
    let late = deck.state.next_deadline().expect("bounded").plus_millis(1);
    let mut now = ctx("engine", 0);
    now.now = late;
    let (after, _) = after_timeouts(&deck.state, &now).expect("overdue");
    deck.state = after;
    assert_eq!(deck.state.status, Status::Open);
    let refusal = deck.refused(advance());
    assert_eq!(refusal.code, "gate_unmet");
    assert!(refusal.next_steps[0].command.contains("--to review_draft"), "{refusal:?}");
    deck.run(advance_to("review_draft", Some("not answered")));
    review(&deck);
}

#[test]
fn a_review_is_asked_again_when_nothing_stands_in_the_way() {
    let (kind, mut protocol) = lint::preset("bootstrap").expect("exists");
    let ends = protocol.stop_condition.take().into_iter().collect::<Vec<_>>();
    let cap = Condition::MaxIterations { n: 1 };
    let conditions = ends.into_iter().chain([cap]).collect();
    protocol.stop_condition = Some(Condition::Any { conditions });
    let mut deck = reviewed_of(kind, protocol);
    let id = review(&deck);
    deck.reply(&id, text("good"));
    let answer = deck.state.artifacts.back().expect("filed").artifact_id.to_string();
    deck.run(Command::Retract { artifact: answer, reason: "read too fast".to_owned() });
    deck.turn("champion");
    let step = |deck: &mut Deck| deck.refused(advance()).next_steps[0].clone();
    let first = step(&mut deck);
    assert!(first.command.contains("loop complete"), "{first:?}");
    let slot = deck.state.slots[0].slot_id.to_string();
    deck.done(&slot);
    let second = step(&mut deck);
    assert_eq!(second.text, "raise the cap");
    deck.run(Command::Amend(Amend { max_rounds: Some(2), ..Amend::default() }));
    assert_eq!(step(&mut deck).text, "have it asked again");
    deck.run(advance_to("review_draft", Some("not answered")));
    review(&deck);
}

#[test]
fn the_engines_own_question_is_outside_the_budget() {
    let mut deck = in_review();
    for round in 1..4 {
        let id = review(&deck);
        deck.reply(&id, Reply::Choose("change".to_owned()));
        deck.add("project_md_draft", &format!("draft {round}"));
        deck.advance();
        deck.advance();
    }
    assert_eq!(deck.at(), ("review_draft", 3));
    assert_eq!(deck.events.iter().filter(|e| e.body.kind() == "input_requested").count(), 5);
}

#[test]
fn complete_cancelled_closes_a_waiting_turn() {
    let mut deck = in_turn();
    deck.ask(question(QuestionScope::Slot));
    deck.run(complete("critic", Outcome::Cancelled));
    assert!(deck.state.open_questions.is_empty());
    deck.check();
}

#[test]
fn an_artifact_that_closes_a_loop_says_which_questions_it_drops() {
    let mut protocol = lint::builtin(Kind::Ideation);
    protocol.phases[1].advance_gate = None;
    let mut deck = Deck::open_with(request(Kind::Ideation, protocol)).expect("opens");
    deck.run(advance_to("synthesis", None));
    let id = deck.ask(question(QuestionScope::Loop));
    assert_eq!(deck.state.status, Status::Paused);
    deck.plan(&[]).expect("engine.md §6: add is for paused loops too");
    assert_eq!(deck.state.status, Status::Completed);
    assert!(deck.state.open_questions.is_empty());
    let said = format!("closing the loop drops 1 open question without an answer: {id}");
    assert!(deck.warnings.contains(&said), "{:?}", deck.warnings);
}
