//! A person's session, with keys alone, against the real engine.

use super::drive::{Deck, filled, folder, key_event};
use crate::core::loops::command::{Command, Content, NewArtifact};
use crate::core::loops::model::Status;
use crate::engine::{Change, Write};
use crate::tui::action::Context;
use crate::tui::msg::Msg;

/// Files what the phase wants. The text stands below the type, and on a
/// critique below the label too.
fn file(deck: &mut Deck, text: &str) {
    deck.press(&["a"]);
    assert_eq!(deck.app.context(), None, "the form has the keyboard");
    deck.send(Msg::Paste(text.to_owned()));
    deck.press(&["ctrl-s"]);
    assert_ne!(deck.app.context(), None, "{}", deck.screen());
}

fn status(deck: &Deck) -> (Status, String, u32) {
    let data = deck.app.detail.data().expect("a loop is in view");
    let state = &data.state;
    (state.status, state.current_phase.to_string(), state.round())
}

#[test]
fn a_shut_gate_says_why_and_opens_when_what_it_asks_for_is_there() {
    let mut deck = Deck::on(filled());
    deck.press(&["A"]);
    let refused = deck.app.detail.refused.clone().expect("the gate is shut");
    assert_eq!(refused.error.code(), "gate_unmet");
    let screen = deck.screen();
    assert!(screen.contains("critiques: 2 of 3 this round"), "{screen}");
    assert!(screen.contains("add 1 critique"), "{screen}");
    deck.press(&["enter"]);
    file(&mut deck, "Nobody said who deploys it.");
    assert!(deck.app.detail.refused.is_none(), "the refusal is no news any more");
    let data = deck.app.detail.data().expect("a loop").clone();
    assert!(data.why.gate.met);
    assert_eq!(status(&deck).1, "critique");
}

#[test]
fn an_advance_is_shown_first_and_done_on_enter() {
    let mut deck = Deck::on(filled());
    deck.press(&["/"]);
    deck.write("approach");
    deck.press(&["enter", "A"]);
    assert_eq!(deck.app.context(), Some(Context::Preview), "{}", deck.screen());
    assert!(deck.screen().contains("critique"));
    deck.press(&["esc"]);
    assert_eq!(status(&deck).1, "proposal", "no means no");
    deck.press(&["A", "enter"]);
    assert_eq!(status(&deck), (Status::Open, "critique".into(), 1));
    let logged = deck.app.command_log.last().expect("it is in the command log");
    assert!(logged.command.starts_with("loopdeck loop advance lop_"), "{logged:?}");
}

#[test]
fn when_the_loop_moved_after_the_look_the_deck_asks_again() {
    let mut deck = Deck::on(filled());
    deck.press(&["/"]);
    deck.write("approach");
    deck.press(&["enter", "A"]);
    let id = deck.app.loop_id().expect("a loop");
    let artifact = NewArtifact {
        artifact_type: "proposal".into(),
        content: Content::Body("Format B, because it can be read by hand.".into()),
        ..NewArtifact::default()
    };
    let engine = deck.engine();
    engine.execute(&id, Command::AddArtifact(artifact), &Write::operator()).expect("filed");
    deck.press(&["enter"]);
    assert_eq!(status(&deck).1, "proposal", "nothing moved yet");
    assert_eq!(deck.app.context(), Some(Context::Preview), "{}", deck.screen());
    deck.press(&["enter"]);
    assert_eq!(status(&deck).1, "critique");
}

#[test]
fn what_another_process_does_is_shown_with_choice_and_scroll_unmoved() {
    let mut deck = Deck::on(filled());
    deck.press(&["tab", "tab", "tab", "tab", "j"]);
    let chosen = deck.app.detail.chosen_in(Context::Artifacts).expect("one").artifact_id.clone();
    let id = deck.app.loop_id().expect("a loop");
    let artifact = NewArtifact {
        artifact_type: "critique".into(),
        content: Content::Body("From another process.".into()),
        ..NewArtifact::default()
    };
    let engine = deck.engine();
    engine.execute(&id, Command::AddArtifact(artifact), &Write::operator()).expect("filed");
    deck.send(Msg::Changed(Change::Loop(id.clone())));
    assert!(deck.screen().contains("From another process."));
    assert_eq!(deck.app.loop_id(), Some(id));
    let still = deck.app.detail.chosen_in(Context::Artifacts).expect("one").artifact_id.clone();
    assert_eq!(still, chosen);
}

#[test]
fn what_the_person_files_is_chosen() {
    let mut deck = Deck::on(filled());
    deck.press(&["tab", "tab", "tab", "tab", "j"]);
    file(&mut deck, "Mine, and the newest.");
    let chosen = deck.app.detail.chosen_in(Context::Artifacts).expect("one").clone();
    assert!(chosen.preview.contains("Mine, and the newest."), "{chosen:?}");
    assert_eq!(deck.app.detail.all_artifacts.index, 0);
}

#[test]
fn what_helps_stands_above_all_that_explains_it() {
    let mut deck = Deck::on(filled());
    deck.press(&["w"]);
    let screen = deck.screen();
    let at = |words: &str| screen.find(words).unwrap_or_else(|| panic!("{words}: {screen}"));
    assert!(at("What helps") < at("Ends when"), "{screen}");
}

#[test]
fn from_an_empty_folder_to_a_completed_ideation_with_keys_alone() {
    let mut deck = Deck::on(folder(false));
    deck.press(&["i", "o"]);
    assert_eq!(deck.app.context(), None, "{}", deck.screen());
    // The kind is chosen first; ideation stands on top.
    deck.press(&["tab"]);
    deck.write("Deliver webhooks through a table");
    deck.press(&["ctrl-s"]);
    assert_eq!(status(&deck), (Status::Open, "proposal".into(), 1), "{}", deck.screen());
    file(&mut deck, "Write them to a table and send them from there.");
    deck.press(&["A", "enter"]);
    assert_eq!(status(&deck).1, "critique");
    deck.press(&["A"]);
    assert!(
        deck.screen().contains("critiques: 0 of 3 this round; 3 more open the gate"),
        "{}",
        deck.screen()
    );
    for text in ["No order.", "No retry.", "No way back."] {
        file(&mut deck, text);
    }
    deck.press(&["A", "enter"]);
    assert_eq!(status(&deck).1, "revision");
    file(&mut deck, "Ordered by id, retried with jitter, switched by a flag.");
    deck.press(&["A", "enter"]);
    assert_eq!(status(&deck), (Status::Open, "critique".into(), 2));
    deck.press(&["t", "ctrl-s"]);
    deck.press(&["c", "ctrl-s"]);
    deck.press(&["A", "enter"]);
    assert_eq!(status(&deck).1, "synthesis", "{}", deck.screen());
    // The plan must answer critiques: it starts from those that are open.
    deck.press(&["a"]);
    deck.send(Msg::Paste("One table, one sender.".to_owned()));
    deck.press(&["ctrl-s"]);
    assert_eq!(status(&deck).0, Status::Completed, "{}", deck.screen());
    let data = deck.app.detail.data().expect("a loop").clone();
    assert_eq!((data.coverage.total, data.coverage.open), (3, 0));
}

#[test]
fn a_draft_is_kept_while_it_is_written_and_forgotten_when_it_is_filed() {
    use crate::tui::msg::Effect;
    let mut deck = Deck::on(filled());
    deck.press(&["a"]);
    deck.send(Msg::Paste("half a thought".to_owned()));
    let kept = deck.effects.iter().rev().find_map(|effect| match effect {
        Effect::KeepDraft(draft) => Some(draft.clone()),
        _ => None,
    });
    assert!(kept.flatten().is_some());
    deck.press(&["ctrl-s"]);
    assert_eq!(deck.effects.last(), Some(&Effect::KeepDraft(None)));
}

#[test]
fn a_release_of_a_key_is_nothing() {
    let mut deck = Deck::on(filled());
    let mut event = key_event("q");
    event.kind = crossterm::event::KeyEventKind::Release;
    deck.send(Msg::Key(event));
    assert!(deck.effects.is_empty());
}
