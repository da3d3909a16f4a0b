//! The past: undo and redo, time travel, forks; and coverage.

use super::drive::{Deck, filled};
use super::frames::{SIZES, snap};
use crate::core::loops::command::{Command, Content, NewArtifact};
use crate::core::loops::ids::LoopId;
use crate::core::memory::Category;
use crate::engine::{MemoryQuery, Write};
use crate::tui::action::Context;
use crate::tui::app::detail::Tab;

fn toast(deck: &Deck) -> String {
    deck.app.toasts.notes().last().map(|n| n.text.clone()).unwrap_or_default()
}

fn loop_id(deck: &Deck) -> LoopId {
    deck.app.loop_id().expect("a loop is chosen")
}

fn file(deck: &Deck, artifact: NewArtifact) -> String {
    let done =
        deck.engine().execute(&loop_id(deck), Command::AddArtifact(artifact), &Write::operator());
    done.expect("filed").made.artifact_ids[0].to_string()
}

fn said(kind: &str, text: &str) -> NewArtifact {
    NewArtifact {
        artifact_type: kind.into(),
        content: Content::Body(text.into()),
        ..NewArtifact::default()
    }
}

fn palette(deck: &mut Deck, words: &str) {
    deck.press(&[":"]);
    deck.write(words);
    deck.press(&["enter"]);
}

/// The artifacts of the loop as the deck shows it now.
fn artifacts(deck: &Deck) -> usize {
    deck.app.detail.data().expect("a loop is in view").state.artifacts.len()
}

#[test]
fn undo_shows_what_would_be_different_and_redo_brings_it_back() {
    let mut deck = Deck::on(filled());
    file(&deck, said("critique", "Who pays for the second machine?"));
    deck.press(&["ctrl-l"]);
    let before = artifacts(&deck);
    deck.press(&["u"]);
    assert_eq!(deck.app.context(), Some(Context::UndoPreview), "{}", deck.screen());
    let screen = deck.screen();
    assert!(screen.contains("Who pays for the second machine?"), "{screen}");
    deck.press(&["esc"]);
    assert_eq!(artifacts(&deck), before, "Esc leaves it");
    deck.press(&["u", "enter"]);
    assert_eq!(artifacts(&deck), before - 1);
    assert!(toast(&deck).contains("U redoes"), "{}", toast(&deck));
    let logged = deck.app.command_log.last().expect("it is in the command log");
    assert!(logged.command.starts_with("loopdeck loop undo lop_"), "{logged:?}");
    deck.press(&["U"]);
    assert_eq!(artifacts(&deck), before);
    assert!(toast(&deck).contains("u undoes"), "{}", toast(&deck));
}

#[test]
fn what_an_agent_did_is_undone_by_name_and_with_a_warning() {
    let mut deck = Deck::on(filled());
    let before = artifacts(&deck);
    deck.press(&["u"]);
    let screen = deck.screen();
    assert!(screen.contains("made by agent:codex"), "{screen}");
    deck.press(&["enter"]);
    assert_eq!(artifacts(&deck), before - 1);
    let logged = deck.app.command_log.last().expect("it is in the command log");
    assert!(logged.command.contains("--to "), "{logged:?}");
}

#[test]
fn when_the_loop_moved_after_the_look_undo_asks_again() {
    let mut deck = Deck::on(filled());
    file(&deck, said("critique", "One more."));
    deck.press(&["ctrl-l", "u"]);
    file(&deck, said("critique", "And one from elsewhere."));
    let before = artifacts(&deck);
    deck.press(&["enter"]);
    assert_eq!(artifacts(&deck), before + 1, "nothing was undone, the new one is there");
    assert_eq!(deck.app.context(), Some(Context::UndoPreview), "{}", deck.screen());
    assert!(deck.screen().contains("And one from elsewhere."));
    deck.press(&["enter"]);
    assert_eq!(artifacts(&deck), before);
}

#[test]
fn every_moment_is_shown_as_it_was_and_looking_writes_nothing() {
    let mut deck = Deck::on(filled());
    let id = loop_id(&deck);
    let last = deck.engine().load(&id).expect("it is there").version;
    deck.press(&["z"]);
    assert_eq!(deck.app.context(), Some(Context::Time));
    for seq in (1..=last).rev() {
        let time = deck.app.detail.time.as_ref().expect("the past is at hand");
        let shown = time.shown.as_ref().expect("a moment is shown");
        assert_eq!(shown.seq, seq);
        let then = deck.engine().state_at(&id, seq).expect("it was recorded");
        assert_eq!(*shown.data.state, then, "at event {seq}");
        assert!(deck.screen().contains(&format!("event {seq} of {last}")), "{}", deck.screen());
        deck.press(&["left"]);
    }
    deck.press(&["L"]);
    let at = |deck: &Deck| deck.app.detail.time.as_ref().expect("a past").at();
    let round = at(&deck);
    let state = deck.engine().state_at(&id, round).expect("it was recorded");
    assert_eq!(state.round(), 2, "a jump goes to where a round begins");
    deck.press(&["H", "G"]);
    assert_eq!(at(&deck), last);
    deck.press(&["h", "l", "g"]);
    assert_eq!(at(&deck), 1);
    // What was said in passing takes no key of its own.
    deck.press(&["esc"]);
    assert_eq!(at(&deck), last, "Esc leads back to now");
    assert_eq!(deck.engine().load(&id).expect("it is there").version, last);
    deck.press(&["tab"]);
    assert_eq!(deck.app.context(), Some(Context::Loops), "Tab leaves the pane");
}

#[test]
fn moments_are_compared_and_forked_from() {
    let mut deck = Deck::on(filled());
    let loops = deck.app.loops.all.len();
    deck.press(&["z", "g", "d", "G"]);
    let screen = deck.screen();
    assert!(screen.contains("Compared with event 1"), "{screen}");
    assert!(screen.contains("proposal → critique"), "{screen}");
    deck.press(&["g", "l", "F"]);
    assert_eq!(deck.app.context(), Some(Context::Confirm), "{}", deck.screen());
    deck.press(&["y"]);
    assert_eq!(deck.app.loops.all.len(), loops + 1);
    let screen = deck.screen();
    let data = deck.app.detail.data().expect("the new loop is in view");
    assert_eq!(data.state.version, 1, "{screen}");
    assert!(data.state.linked.source_loop_id.is_some());
    assert_eq!(data.state.artifacts.len(), 1);
    assert_eq!(&*data.state.current_phase, "proposal");
}

#[test]
fn an_artifact_is_promoted_under_the_category_that_was_picked() {
    let mut deck = Deck::on(filled());
    deck.press(&["]", "G"]);
    palette(&mut deck, "promote");
    assert_eq!(deck.app.context(), None, "{}", deck.screen());
    deck.press(&["tab", "enter"]);
    deck.write("traps");
    deck.press(&["enter", "ctrl-s"]);
    let query = MemoryQuery { categories: vec![Category::Traps], ..MemoryQuery::default() };
    let traps = deck.engine().memory(&query).expect("memory");
    assert_eq!(traps.total, 3, "{}", deck.screen());
    let of_loop = |item: &std::sync::Arc<crate::core::memory::MemoryItem>| {
        item.source.as_deref().is_some_and(|s| s.starts_with("loop:lop_"))
    };
    assert_eq!(traps.items.iter().filter(|item| of_loop(item)).count(), 1);
    assert!(toast(&deck).contains("remembered as trp_"), "{}", toast(&deck));
}

#[test]
fn a_loop_is_put_away_and_taken_out_again() {
    let mut deck = Deck::on(filled());
    let away = |deck: &Deck| {
        let list = deck.engine().list().expect("a list");
        list.loops.iter().filter(|l| l.archived).count()
    };
    let id = loop_id(&deck);
    palette(&mut deck, "archive: put");
    assert_eq!(away(&deck), 1);
    assert_ne!(loop_id(&deck), id, "lists leave it out");
    deck.press(&["f", "G", "enter", "esc"]);
    let now = deck.app.now();
    deck.app.loops.choose(&id, now);
    deck.press(&["ctrl-l"]);
    palette(&mut deck, "unarchive");
    assert_eq!(away(&deck), 0, "{}", deck.screen());
}

#[test]
fn coverage_shows_answers_waivers_and_citations_that_lead_nowhere() {
    let mut deck = Deck::on(filled());
    let critiques: Vec<String> = deck
        .app
        .detail
        .data()
        .expect("a loop")
        .coverage
        .critiques
        .iter()
        .map(|c| c.artifact_id.to_string())
        .collect();
    let traps = MemoryQuery { categories: vec![Category::Traps], ..MemoryQuery::default() };
    let trap = deck.engine().memory(&traps).expect("memory").items[0].id.to_string();
    file(
        &deck,
        NewArtifact {
            addresses: vec![critiques[0].clone()],
            waives: [(critiques[1].clone(), "it is another team's".to_owned())].into(),
            ..said("revision", "The cache moves with the dispatcher.")
        },
    );
    file(
        &deck,
        NewArtifact {
            cites: vec![trap, "trp_nowhere".into()],
            ..said("critique", "A cold start costs four minutes each time.")
        },
    );
    deck.press(&["ctrl-l"]);
    palette(&mut deck, "coverage");
    assert_eq!(deck.app.context(), Some(Context::Coverage));
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        snap(&format!("coverage-{columns}x{rows}"), &mut deck);
    }
    let screen = deck.screen();
    for told in ["addressed", "waived", "open", "trp_nowhere"] {
        assert!(screen.contains(told), "{told}\n{screen}");
    }
    deck.press(&["j", "enter"]);
    assert_eq!(deck.app.context(), Some(Context::Viewer), "Enter opens the critique");
    deck.press(&["esc"]);
    assert_eq!(deck.app.detail.tab, Tab::Coverage);
}

#[test]
fn time_travel_at_four_sizes() {
    let mut deck = Deck::on(filled());
    deck.press(&["z", "h", "h", "h", "h", "h"]);
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        snap(&format!("time-{columns}x{rows}"), &mut deck);
    }
    deck.press(&["d", "g", "l", "l"]);
    deck.resize(120, 36);
    snap("time-compared-120x36", &mut deck);
}

#[test]
fn a_completed_ideation_offers_to_implement_its_plan_and_the_trail_leads_both_ways() {
    let mut deck = Deck::on(filled());
    let id = loop_id(&deck);
    let critique = file(&deck, said("critique", "It has no owner."));
    let forced = |to: &str| Command::Advance {
        to: Some(to.to_owned()),
        force: true,
        reason: Some("the plan is known".to_owned()),
    };
    let engine = deck.engine();
    engine.execute(&id, forced("synthesis"), &Write::operator()).expect("forced");
    file(
        &deck,
        NewArtifact {
            addresses: vec![critique],
            ..said("plan_draft", "Move it in two steps, the cache first.")
        },
    );
    deck.press(&["ctrl-l"]);
    let screen = deck.screen();
    assert!(screen.contains("implement this plan"), "{screen}");
    deck.press(&["O"]);
    assert_eq!(deck.app.context(), None, "{}", deck.screen());
    // All is filled in; only the command is asked for.
    let screen = deck.screen();
    assert!(screen.contains("Implement: Extract the dispatcher"), "{screen}");
    assert!(screen.contains("Move it in two steps"), "{screen}");
    deck.press(&["ctrl-s"]);
    let data = deck.app.detail.data().expect("a loop is in view").clone();
    assert_eq!(data.state.linked.source_loop_id.as_ref(), Some(&id), "{}", deck.screen());
    assert_eq!(data.state.kind, crate::core::loops::protocol::Kind::Implementation);
    let new = loop_id(&deck);
    deck.press(&["("]);
    assert_eq!(loop_id(&deck), id);
    assert!(deck.screen().contains("followed by implementation"), "{}", deck.screen());
    deck.press(&[")"]);
    assert_eq!(loop_id(&deck), new);
}

#[test]
fn artifacts_are_searched_by_what_they_say_and_opened_in_their_loop() {
    let mut deck = Deck::on(filled());
    let id = loop_id(&deck);
    deck.press(&["j", "ctrl-f"]);
    assert_eq!(deck.app.context(), Some(Context::Found));
    deck.write("retry path");
    let screen = deck.screen();
    assert!(screen.contains("No plan for the retry path."), "{screen}");
    snap("found-120x36", &mut deck);
    deck.press(&["enter"]);
    assert_eq!(deck.app.context(), Some(Context::Viewer), "{}", deck.screen());
    assert_eq!(loop_id(&deck), id, "the loop that says it is chosen");
    assert!(deck.screen().contains("No plan for the retry path."));
}

#[test]
fn a_loop_is_shown_as_markdown_to_copy() {
    let mut deck = Deck::on(filled());
    deck.press(&["E"]);
    assert_eq!(deck.app.context(), Some(Context::Viewer), "{}", deck.screen());
    deck.press(&["y"]);
    let copied = deck.effects.iter().find_map(|effect| match effect {
        crate::tui::msg::Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.expect("it is on the clipboard");
    assert!(copied.starts_with("# Extract the dispatcher"), "{copied}");
    assert!(copied.contains("## Critiques"), "{copied}");
}

#[test]
fn the_journal_shows_only_some_kinds_and_actors() {
    let mut deck = Deck::on(filled());
    deck.press(&["5"]);
    let all = deck.app.events.visible.len();
    let facets = deck.app.events.facets();
    let (at, count) = facets
        .iter()
        .enumerate()
        .find(|(_, (facet, _))| facet.label() == "by agent:codex")
        .map(|(at, (_, count))| (at, *count))
        .expect("codex said something");
    deck.press(&["f"]);
    for _ in 0..at {
        deck.press(&["j"]);
    }
    deck.press(&["enter", "esc"]);
    assert_eq!(deck.app.events.visible.len(), count);
    assert!(count < all);
    assert!(deck.screen().contains("only by agent:codex"), "{}", deck.screen());
}

#[test]
fn the_time_in_each_phase_is_told_where_there_is_room() {
    let mut deck = Deck::on(filled());
    deck.resize(120, 40);
    let state = deck.app.detail.data().expect("a loop").state.clone();
    let spent = crate::core::loops::spent::spent(&state, deck.app.now());
    let all: i64 = spent.iter().map(|s| s.millis).sum();
    assert_eq!(all, deck.app.now().since(state.created_at), "no moment is lost or told twice");
    assert_eq!(spent.iter().find(|s| &*s.phase == "critique").map(|s| s.visits), Some(2));
    assert!(deck.screen().contains("in 2 rounds"), "{}", deck.screen());
    deck.resize(80, 24);
    assert!(!deck.screen().contains("in 2 rounds"));
}

#[test]
fn rounds_stand_side_by_side() {
    let mut deck = Deck::on(filled());
    deck.press(&["="]);
    assert_eq!(deck.app.context(), Some(Context::Viewer), "{}", deck.screen());
    let screen = deck.screen();
    let heads = screen.lines().find(|line| line.contains("round 1 of 3")).expect("heads");
    assert!(heads.contains("round 2 of 3"), "{screen}");
    let first = screen.lines().find(|line| line.contains("Splitting drops the")).expect("round 1");
    assert!(first.contains("A cache handed over"), "beside each other: {screen}");
    for (columns, rows) in [(80, 24), (120, 36)] {
        deck.resize(columns, rows);
        snap(&format!("rounds-{columns}x{rows}"), &mut deck);
    }
    deck.press(&["esc"]);
    // A loop in its first round has nothing to compare.
    deck.press(&["/"]);
    deck.write("approach");
    deck.press(&["enter", "="]);
    assert!(deck.screen().contains("there is one round only"), "{}", deck.screen());
}

#[test]
fn an_export_is_saved_and_never_over_another_file() {
    let mut deck = Deck::on(filled());
    let slug = deck.engine().load(&loop_id(&deck)).expect("a loop").slug.clone();
    let folder = deck.folder.path().to_path_buf();
    std::fs::write(folder.join(format!("{slug}.md")), "mine").expect("written");
    deck.press(&["E"]);
    assert!(deck.screen().contains("s saves"), "{}", deck.screen());
    deck.press(&["s"]);
    let saved = std::fs::read_to_string(folder.join(format!("{slug}-2.md"))).expect("saved");
    assert!(saved.contains("Extract the dispatcher into a package"), "{saved}");
    assert_eq!(std::fs::read_to_string(folder.join(format!("{slug}.md"))).expect("kept"), "mine");
    assert!(toast(&deck).contains(&format!("{slug}-2.md")), "{}", toast(&deck));
    let logged = deck.app.command_log.last().expect("it is in the command log");
    assert!(logged.command.ends_with(&format!(" --md > {slug}-2.md")), "{logged:?}");
}
