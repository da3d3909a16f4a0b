//! Keys: what they do to the state and what they ask for.

use ratatui::style::Color;

use super::drive::{Deck, filled, folder};
use crate::core::loops::command::{Command, NewQuestion};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Status;
use crate::core::loops::question::{QuestionScope, TimeoutPolicy};
use crate::engine::{Change, Write};
use crate::tui::action::Context;
use crate::tui::app::Screen;
use crate::tui::app::detail::Tab;
use crate::tui::app::overlay::Overlay;
use crate::tui::app::place::Place;
use crate::tui::msg::{Effect, Msg};

fn title(deck: &Deck) -> String {
    deck.app.selected_loop().map(|l| l.title.clone()).unwrap_or_default()
}

#[test]
fn rows_panes_tabs_and_screens_are_walked_with_keys() {
    let mut deck = Deck::on(filled());
    let first = title(&deck);
    deck.press(&["j"]);
    assert_ne!(title(&deck), first);
    deck.press(&["k", "k"]);
    assert_eq!(title(&deck), first);
    deck.press(&["G"]);
    assert_eq!(deck.app.loops.cursor.index, deck.app.loops.visible.len() - 1);
    deck.press(&["g", "tab"]);
    assert_eq!(deck.app.context(), Some(Context::Gate));
    deck.press(&["l", "l", "l"]);
    assert_eq!(deck.app.context(), Some(Context::Artifacts));
    deck.press(&["h", "shift-tab"]);
    assert_eq!(deck.app.context(), Some(Context::Slots));
    deck.press(&["]"]);
    assert_eq!(deck.app.detail.tab, Tab::Artifacts);
    deck.press(&["[", "["]);
    assert_eq!(deck.app.detail.tab, Tab::Time);
    deck.press(&["[", "["]);
    assert_eq!(deck.app.detail.tab, Tab::Brief);
    deck.press(&["4"]);
    assert_eq!(deck.app.screen, Screen::Memory);
    assert!(deck.app.memory.loaded);
    deck.press(&["5"]);
    assert_eq!(deck.app.screen, Screen::Journal);
    assert!(!deck.app.events.visible.is_empty());
    deck.press(&["esc"]);
    assert_eq!(deck.app.screen, Screen::Loops);
}

#[test]
fn a_filter_begun_beside_the_list_takes_the_words_too() {
    let mut deck = Deck::on(filled());
    for key in ["tab", "]", "z"] {
        deck.press(&[key, "/"]);
        assert_eq!(deck.app.context(), Some(Context::Filter), "after {key}");
        deck.write("pa");
        assert!(deck.app.overlays.is_empty(), "no word is a key");
        deck.press(&["esc", "esc"]);
    }
}

#[test]
fn a_filter_works_while_it_is_typed_and_esc_brings_everything_back() {
    let mut deck = Deck::on(filled());
    let (all, first) = (deck.app.loops.visible.len(), title(&deck));
    deck.press(&["/"]);
    deck.write("retry");
    assert_eq!(deck.app.loops.visible.len(), 1);
    assert_eq!(title(&deck), "Which retry policy fits the upstream API");
    assert!(deck.screen().contains("1 of 6"));
    deck.press(&["esc"]);
    assert_eq!((deck.app.loops.visible.len(), title(&deck)), (all, first));
    deck.press(&["/"]);
    deck.write("構築");
    deck.press(&["enter"]);
    assert_eq!(deck.app.context(), Some(Context::Loops));
    assert!(title(&deck).starts_with("Flaky build"));
    deck.press(&["esc"]);
    assert_eq!(deck.app.loops.visible.len(), all);
    assert!(title(&deck).starts_with("Flaky build"), "the choice that it led to stays");
}

#[test]
fn facets_and_sorting_keep_the_choice() {
    let mut deck = Deck::on(filled());
    let first = title(&deck);
    deck.press(&["s"]);
    assert_eq!(title(&deck), first);
    deck.press(&["f", "enter", "esc"]);
    assert_eq!(deck.app.loops.visible.len(), 1, "only the stuck one");
    deck.press(&["f", "enter", "esc"]);
    assert_eq!(deck.app.loops.visible.len(), 6);
    assert_eq!(title(&deck), first);
}

#[test]
fn a_key_that_cannot_act_says_why() {
    let mut deck = Deck::on(filled());
    deck.press(&["/"]);
    deck.write("flaky");
    deck.press(&["enter", "a"]);
    assert!(deck.app.overlays.is_empty());
    let said = deck.app.toasts.notes().last().map(|n| n.text.clone()).unwrap_or_default();
    assert!(said.contains("the loop is blocked"), "{said}");
}

#[test]
fn a_paste_never_acts() {
    let mut deck = Deck::on(filled());
    deck.send(Msg::Paste("qAX\rjjj".into()));
    assert!(deck.app.overlays.is_empty());
    assert!(deck.effects.is_empty());
    deck.press(&["/"]);
    deck.send(Msg::Paste("cache\r\nlayout".into()));
    assert_eq!(deck.app.filter_words(), "cache layout");
}

#[test]
fn the_palette_runs_what_it_finds_and_tells_why_it_cannot() {
    let mut deck = Deck::on(filled());
    deck.press(&[":"]);
    deck.write("journal");
    deck.press(&["enter"]);
    assert_eq!(deck.app.screen, Screen::Journal);
    deck.press(&[":"]);
    deck.write("reopen");
    let screen = deck.screen();
    assert!(screen.contains("loops are on screen 1"), "{screen}");
}

#[test]
fn copying_says_what_it_copied() {
    let mut deck = Deck::on(filled());
    let id = deck.app.loop_id().expect("a loop").to_string();
    deck.press(&["y"]);
    assert_eq!(deck.effects, [Effect::Copy(id)]);
    deck.press(&["4", "y"]);
    let item = deck.app.memory.selected().expect("an item").id.to_string();
    assert_eq!(deck.effects.last(), Some(&Effect::Copy(item)));
}

#[test]
fn e_hands_the_chosen_text_to_the_editor_and_offers_what_was_changed() {
    let mut deck = Deck::on(filled());
    deck.press(&["tab", "tab", "tab", "tab", "j", "e"]);
    let Some(Effect::Edit { purpose, text }) = deck.effects.last().cloned() else {
        panic!("{:?}", deck.effects);
    };
    assert_eq!(text, "The tests stay where they were.");
    let result = Ok(text.clone());
    deck.send(Msg::Edited { purpose: purpose.clone(), result });
    assert_eq!(deck.app.context(), Some(Context::Artifacts), "nothing was changed");
    deck.send(Msg::Edited { purpose, result: Ok(format!("{text} Move them.")) });
    assert_eq!(deck.app.context(), None, "the new version is offered in a form");
    assert!(deck.screen().contains("Move them."), "{}", deck.screen());
}

#[test]
fn what_cannot_be_read_is_counted_and_can_be_looked_up() {
    let mut deck = Deck::on(filled());
    deck.press(&["!"]);
    assert!(deck.app.overlays.is_empty(), "there is nothing to warn of");
    let folder = filled();
    let broken = folder.path().join(".loopdeck/memory/traps/broken.md");
    std::fs::write(&broken, "+++\nid = 3\n+++\n").expect("written");
    let mut deck = Deck::on(folder);
    deck.press(&["4"]);
    assert!(deck.screen().contains("! 1 warning"), "{}", deck.screen());
    deck.press(&["!"]);
    assert!(deck.screen().contains("broken.md"), "{}", deck.screen());
}

#[test]
fn a_read_only_deck_shows_everything_and_changes_nothing() {
    let mut deck = Deck::read_only(filled());
    assert!(deck.screen().contains("read-only"));
    for key in ["a", "o", "A", "X", "t", "c", "p", "C", "I"] {
        deck.press(&[key]);
        assert!(deck.app.overlays.is_empty(), "{key}");
        let said = deck.app.toasts.notes().last().map(|n| n.text.clone()).unwrap_or_default();
        assert!(said.contains("read-only"), "{key}: {said}");
    }
    deck.press(&["esc", "w"]);
    assert_eq!(deck.app.context(), Some(Context::Viewer));
}

#[test]
fn a_prefix_lists_what_may_follow_and_waits_for_it() {
    let mut deck = Deck::on(filled());
    deck.press(&["j", ","]);
    let screen = deck.screen();
    assert!(screen.contains("m  change title, goal, cap or slots"), "{screen}");
    deck.press(&["esc"]);
    assert!(!deck.screen().contains("change title, goal"), "Esc takes it away");
    deck.press(&[",", "~"]);
    assert!(deck.screen().contains(",~ does nothing here"), "{}", deck.screen());
    deck.press(&[",", "m"]);
    assert!(matches!(deck.app.overlays.last(), Some(Overlay::Form(_))), "the form opened");
}

#[test]
fn a_theme_is_worn_while_it_is_chosen_and_kept_by_enter() {
    let mut deck = Deck::on(filled());
    let usual = deck.app.theme.clone();
    deck.press(&[",", "t", "down"]);
    assert_ne!(deck.app.theme, usual, "it is worn at once");
    assert!(deck.cells().content().iter().all(|cell| cell.bg != Color::Reset), "every cell");
    deck.press(&["esc"]);
    assert_eq!(deck.app.theme, usual, "Esc leaves it as it was");
    deck.press(&[",", "t", "down", "down", "enter"]);
    let worn = deck.app.theme.clone();
    assert_ne!(worn, usual);
    deck.press(&["esc"]);
    assert_eq!(deck.app.theme, worn, "it is kept");
}

#[test]
fn a_question_calls_a_person_who_looks_elsewhere_and_nobody_else() {
    let mut deck = Deck::on(filled());
    let ask = |deck: &mut Deck, text: &str| {
        let engine = deck.engine();
        let open = deck.app.loops.all.iter().find(|l| l.status == Status::Open);
        let id = open.expect("there is one").id.clone();
        let command = Command::Ask(NewQuestion {
            slot: None,
            text: text.into(),
            evidence: vec!["both were tried".into()],
            options: Vec::new(),
            default: None,
            scope: QuestionScope::Loop,
            on_timeout: TimeoutPolicy::ContinueIncomplete,
            deadline: None,
        });
        engine.execute(&id, command, &Write::operator()).expect("asked");
        deck.effects.clear();
        deck.send(Msg::Changed(Change::Loop(id)));
        deck.effects.iter().any(|effect| matches!(effect, Effect::Call(_)))
    };
    assert!(!ask(&mut deck, "A or B?"), "the terminal has the focus");
    deck.send(Msg::Focus(false));
    assert!(ask(&mut deck, "C or D?"));
}

#[test]
fn the_deck_goes_back_to_where_the_person_was() {
    let mut deck = Deck::on(filled());
    deck.press(&["s", "s", "j", "j", "]", "]", ",", "t", "down", "enter"]);
    let (was, place) = (title(&deck), deck.app.place());
    let Deck { folder, .. } = deck;
    let mut again = Deck::back_at(folder, place.clone());
    assert_eq!((title(&again), again.app.detail.tab), (was, Tab::Brief));
    assert_eq!(again.app.place(), place);
    assert!(again.screen().contains("Brief"), "{}", again.screen());
}

#[test]
fn the_tour_points_at_real_panes_and_waits_for_real_keys() {
    for (columns, rows) in [(120, 36), (80, 24), (60, 18)] {
        let mut deck = Deck::on_tour(filled());
        deck.resize(columns, rows);
        let step = |deck: &Deck| deck.app.tour.map(|tour| tour.place().0);
        // The stuck loop refuses to advance: what the preview would say is passed.
        let steps: [(usize, &[&str]); 12] = [
            (1, &["j"]),
            (2, &["k", "enter"]),
            (3, &["w"]),
            (4, &["esc"]),
            (5, &["a"]),
            (6, &["esc"]),
            (7, &["A"]),
            (9, &["z"]),
            (10, &["left"]),
            (11, &["2"]),
            (12, &["4"]),
            (13, &["?"]),
        ];
        for (at, keys) in steps {
            assert_eq!(step(&deck), Some(at), "{columns} × {rows}:\n{}", deck.screen());
            assert!(deck.screen().contains(&format!("{at} of 13")), "{}", deck.screen());
            deck.press(keys);
        }
        assert_eq!(step(&deck), None, "it is over");
    }
}

#[test]
fn the_doctor_looks_at_every_file_and_says_what_it_found() {
    let mut deck = Deck::on(filled());
    deck.press(&[",", "x"]);
    assert!(deck.screen().contains("All is well."), "{}", deck.screen());
    assert!(deck.screen().contains("6 loops, "), "{}", deck.screen());
    let stray = deck.folder.path().join(".loopdeck/loops/notes.txt");
    std::fs::write(stray, "mine").expect("written");
    deck.press(&["esc", ",", "x"]);
    assert!(deck.screen().contains("notes.txt is no loop"), "{}", deck.screen());
}

#[test]
fn the_tour_explains_the_preview_of_an_advance() {
    let mut deck = Deck::on_tour(filled());
    deck.press(&["j", "k", "enter", "w", "esc", "a", "esc", "esc", "j", "j"]);
    assert!(deck.screen().contains("7 of 13"), "{}", deck.screen());
    deck.press(&["A"]);
    assert_eq!(deck.app.context(), Some(Context::Preview), "{}", deck.screen());
    assert!(deck.screen().contains("8 of 13"), "{}", deck.screen());
    deck.press(&["esc"]);
    assert!(deck.screen().contains("9 of 13"), "{}", deck.screen());
}

#[test]
fn the_tour_is_left_and_begun_again_with_its_key() {
    let mut deck = Deck::on_tour(filled());
    deck.press(&["j", "ctrl-t"]);
    assert_eq!(deck.app.tour, None);
    assert!(!deck.screen().contains("of 13"), "{}", deck.screen());
    deck.press(&["ctrl-t"]);
    assert!(deck.screen().contains("1 of 13"), "{}", deck.screen());
}

#[test]
fn a_place_that_is_gone_or_unknown_leads_to_the_beginning() {
    let place = Place {
        screen: "from-later".to_owned(),
        loop_id: LoopId::parse("lop_0000000000000000").ok(),
        tab: "nonsense".to_owned(),
        theme: Some("none".to_owned()),
        ..Place::default()
    };
    let deck = Deck::back_at(filled(), place);
    assert_eq!(deck.app.screen, Screen::Loops);
    assert_eq!(deck.app.detail.tab, Tab::Overview);
    assert!(deck.app.selected_loop().is_some());
}

#[test]
fn q_quits_and_esc_never_does() {
    let mut deck = Deck::on(filled());
    for _ in 0..10 {
        deck.press(&["esc"]);
    }
    assert!(deck.effects.is_empty());
    deck.press(&["q"]);
    assert_eq!(deck.effects, [Effect::Quit]);
}

#[test]
fn outside_a_workspace_one_is_made_with_a_key() {
    let mut deck = Deck::on(folder(false));
    assert_eq!(deck.app.context(), Some(Context::Start));
    deck.press(&["a"]);
    deck.press(&["i"]);
    assert_eq!(deck.app.context(), Some(Context::Loops));
    assert!(deck.folder.path().join(".loopdeck").is_dir());
}

#[test]
fn nothing_ticks_when_nothing_is_shown_that_ages() {
    let mut deck = Deck::on(folder(false));
    deck.app.toasts.dismiss();
    assert_eq!(deck.app.next_tick(), None);
    let mut deck = Deck::on(filled());
    assert_eq!(deck.app.next_tick(), Some(1_000), "an agent's turn runs");
    deck.press(&["4"]);
    assert_eq!(deck.app.next_tick(), Some(60_000), "ages alone");
}

#[test]
fn keys_after_a_key_that_asks_wait_for_what_was_asked() {
    let mut deck = Deck::on(filled());
    let before = deck.app.loop_id();
    // Typed before the form is there: into the form, never into the pane.
    deck.type_ahead(&["a", "j", "q", "x"]);
    assert_eq!(deck.app.context(), None, "the form is there: {}", deck.screen());
    assert!(deck.screen().contains("jqx"), "{}", deck.screen());
    deck.press(&["esc", "y"]);
    // A yes is given to what was seen only.
    deck.press(&["/"]);
    deck.write("approach");
    deck.press(&["enter"]);
    deck.type_ahead(&["A", "enter", "enter", "u"]);
    assert_eq!(deck.app.context(), Some(Context::Preview), "{}", deck.screen());
    deck.press(&["esc", "esc"]);
    assert_ne!(deck.app.loop_id(), before);
}

#[test]
fn the_help_is_moved_through_by_letters_and_searched_after_a_slash() {
    let mut deck = Deck::on(filled());
    deck.press(&["?", "j", "j", "k"]);
    assert_eq!(deck.app.context(), Some(Context::Help));
    assert!(deck.screen().contains("/ searches"), "{}", deck.screen());
    deck.press(&["/", "j"]);
    assert_eq!(deck.app.context(), Some(Context::HelpSearch));
    assert!(deck.screen().contains("> j"), "{}", deck.screen());
    deck.press(&["esc"]);
    assert_eq!(deck.app.context(), Some(Context::Help), "{}", deck.screen());
    deck.press(&["esc"]);
    assert_eq!(deck.app.context(), Some(Context::Loops));
}

#[test]
fn a_warning_goes_when_the_file_is_mended() {
    let folder = filled();
    let config = folder.path().join(".loopdeck/config.toml");
    let item = folder.path().join(".loopdeck/memory/traps/broken.md");
    std::fs::write(&config, "foo = [").expect("written");
    std::fs::write(&item, "+++\nid = 3\n+++\n").expect("written");
    let mut deck = Deck::on(folder);
    assert!(deck.screen().contains("! 2 warnings"), "{}", deck.screen());
    std::fs::write(&config, "").expect("written");
    deck.send(Msg::Changed(Change::Settings));
    assert!(deck.screen().contains("! 1 warning"), "{}", deck.screen());
    std::fs::remove_file(&item).expect("removed");
    deck.send(Msg::Changed(Change::Memory));
    assert!(!deck.screen().contains("warning"), "{}", deck.screen());
}

#[test]
fn a_damaged_loop_says_so_and_its_keys_say_why_they_do_nothing() {
    let folder = filled();
    let mut deck = Deck::on(folder);
    let id = deck.app.loop_id().expect("a loop");
    let journal = deck.engine().root().join(format!(".loopdeck/loops/{id}/journal.jsonl"));
    let mut text = std::fs::read_to_string(&journal).expect("readable");
    text.push_str("garbage\n");
    std::fs::write(&journal, text).expect("written");
    deck.send(Msg::Changed(Change::Loop(id)));
    let screen = deck.screen();
    assert!(screen.contains("! damaged at line"), "{screen}");
    for key in ["a", "A", "u", "p"] {
        deck.press(&[key]);
        assert!(deck.screen().contains("may only be"), "{key}: {}", deck.screen());
        deck.press(&["esc"]);
    }
}
