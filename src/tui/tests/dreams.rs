//! The Dreams screen: a dream by key, an insight to its record's file, what
//! would be without some of them, marks, the graph, and a loop's insights pane.

use super::drive::{Deck, filled, folder};
use super::frames::{SIZES, snap};
use crate::core::dream::marks::Mark;
use crate::engine::{Engine, RewardDraft};
use crate::tui::action::Context;
use crate::tui::app::Screen;
use crate::tui::app::dreams::{Look, Row};

fn toast(deck: &Deck) -> String {
    deck.app.toasts.notes().last().map(|n| n.text.clone()).unwrap_or_default()
}

/// Records of two domains that are far apart in one phase.
fn earn(engine: &Engine) {
    for n in 0..5 {
        for (domain, skill, reward) in [("banking", "codex", 0.3), ("general", "claude", 0.9)] {
            let draft = RewardDraft {
                case: format!("{domain}-{n}"),
                domain: Some(domain.to_owned()),
                phase: "critique".to_owned(),
                skill: Some(skill.to_owned()),
                reward,
                reason: Some("because".to_owned()),
                ..RewardDraft::default()
            };
            engine.reward_add(&draft).expect("stored");
        }
    }
}

fn dreaming() -> Deck {
    let folder = filled();
    earn(&super::drive::engine(folder.path()));
    Deck::on(folder)
}

#[test]
fn one_key_dreams_and_enter_leads_to_the_records_file() {
    let mut deck = dreaming();
    deck.resize(160, 36);
    let before = deck.screen();
    assert!(before.contains("dream due"), "{before}");
    for (columns, rows) in [(80, 24), (60, 18)] {
        deck.resize(columns, rows);
        let screen = deck.screen();
        let header = screen.lines().next().expect("a header");
        let keys: String = header.chars().rev().take(22).collect();
        assert!(["1", "2", "3", "4", "5", ":", "?"].iter().all(|k| keys.contains(k)), "{header}");
    }
    deck.resize(120, 36);
    deck.press(&["2"]);
    assert_eq!(deck.app.screen, Screen::Dreams);
    assert!(deck.screen().contains("no dream yet"), "{}", deck.screen());
    deck.press(&["D"]);
    assert!(toast(&deck).starts_with("Dreamt from 12 records"), "{}", toast(&deck));
    assert!(!deck.screen().contains("dream due"), "{}", deck.screen());
    assert_eq!(deck.app.command_log.last().expect("logged").command, "loopdeck dream run");
    deck.press(&["enter"]);
    assert_eq!(deck.app.pane(), Context::DreamDetail);
    let record = deck.app.dreams.record().expect("the first record").clone();
    deck.press(&["enter"]);
    let shown = deck.screen();
    assert!(shown.contains(&*record.path) && shown.contains("\"reward_reason\""), "{shown}");
    deck.press(&["esc"]);
    deck.press(&["D"]);
    assert!(toast(&deck).contains("nothing has changed"), "{}", toast(&deck));
}

#[test]
fn leaving_a_case_out_shows_at_once_what_falls() {
    let mut deck = dreaming();
    deck.press(&["2", "D", "enter"]);
    let one = |deck: &Deck| deck.app.dreams.listed().len();
    assert_eq!(one(&deck), 1);
    deck.press(&["c"]);
    let identity = deck.app.dreams.selected().expect("chosen").insight.identity();
    let fate = deck.app.dreams.fate(&identity).expect("it stays").clone();
    assert_eq!((fate.insight.evidence_count, fate.after), (4, Some(1)));
    let screen = deck.screen();
    assert!(screen.contains("→ 4 ") && screen.contains("supposed without case"), "{screen}");
    deck.press(&["d"]);
    let fate = deck.app.dreams.fate(&identity).expect("compared").clone();
    assert_eq!(fate.after, None);
    let screen = deck.screen();
    assert!(screen.contains("falls") && screen.contains("without domain"), "{screen}");
    deck.press(&["0"]);
    assert!(!deck.app.dreams.supposes() && deck.app.dreams.what_if.is_none());
    // A limit that is moved does the same: the gap is 0.6.
    deck.press(&["+"; 10]);
    assert!(deck.screen().contains("gap 0.65 instead of 0.15"), "{}", deck.screen());
    assert_eq!(deck.app.dreams.fate(&identity).expect("compared").after, None);
    deck.press(&["esc", "esc", "esc"]);
    assert!(!deck.app.dreams.supposes());
}

#[test]
fn marks_hide_insights_and_the_same_key_brings_them_back() {
    let mut deck = dreaming();
    deck.press(&["2", "D", "a"]);
    let mark = |deck: &Deck| deck.app.dreams.selected().and_then(|seen| seen.mark);
    assert_eq!(mark(&deck), Some(Mark::Accepted));
    deck.press(&["x"]);
    assert_eq!(deck.app.dreams.listed().len(), 0);
    assert!(toast(&deck).contains("H lists it too"), "{}", toast(&deck));
    deck.press(&["H"]);
    assert_eq!(mark(&deck), Some(Mark::Dismissed));
    deck.press(&["x"]);
    assert_eq!(mark(&deck), None);
    deck.press(&["s", "s"]);
    assert_eq!(mark(&deck), None);
    let line = &deck.app.command_log.last().expect("logged").command;
    assert!(line.ends_with("--undo"), "{line}");
}

#[test]
fn one_walks_along_the_edges_of_the_graph() {
    let mut deck = dreaming();
    deck.press(&["2", "]", "]"]);
    assert_eq!(deck.app.dreams.look, Look::Graph);
    assert_eq!(deck.app.dreams.node().expect("a node").label, "banking");
    let screen = deck.screen();
    let hints = screen.lines().last().expect("hints");
    assert!(hints.contains("its edges") && !hints.contains("accept"), "{hints}");
    deck.press(&["enter"]);
    assert!(matches!(deck.app.dreams.row(), Some(Row::Edge(..))));
    deck.press(&["enter"]);
    assert_eq!(deck.app.dreams.node().expect("a node").label, "critique");
    assert!(deck.screen().contains("10 records"), "{}", deck.screen());
}

#[test]
fn a_loops_pane_holds_the_insights_of_its_brief_and_opens_them() {
    let mut deck = dreaming();
    deck.press(&["D"]);
    let shown = deck.screen();
    assert!(shown.contains("Insights 1"), "{shown}");
    deck.press(&["enter"]);
    while deck.app.pane() != Context::Insights {
        deck.press(&["tab"]);
    }
    deck.press(&["enter"]);
    assert_eq!((deck.app.screen, deck.app.pane()), (Screen::Dreams, Context::DreamDetail));
    deck.press(&["1", "b"]);
    let brief = deck.app.detail.brief.as_ref().expect("read");
    let brief = brief.result.as_ref().expect("assembled");
    assert!(brief.text.contains("Phase critique performs differently"), "{}", brief.text);
}

#[test]
fn the_phase_in_view_is_rated_by_two_keys() {
    let mut deck = Deck::on(filled());
    deck.press(&[",", "2"]);
    assert!(toast(&deck).contains("rated 0.7"), "{}", toast(&deck));
    let page = deck.engine().rewards(&Default::default()).expect("listed");
    assert!(page.records.iter().any(|r| (r.reward - 0.7).abs() < 1e-9), "{page:?}");
}

#[test]
fn dreams_by_itself_where_that_is_set_and_one_is_due() {
    let folder = filled();
    earn(&super::drive::engine(folder.path()));
    std::fs::write(folder.path().join(".loopdeck/config.toml"), "[dream]\nauto = true\n")
        .expect("written");
    let mut deck = Deck::on(folder);
    deck.press(&["2"]);
    assert_eq!(deck.app.dreams.view().expect("dreamt").dream.trigger_reason, "event");
    let count = deck.engine().dreams().expect("listed").len();
    deck.press(&["1", "2", "ctrl-l"]);
    assert_eq!(deck.engine().dreams().expect("listed").len(), count, "once for one input");
}

#[test]
fn the_screen_at_four_sizes() {
    let mut deck = dreaming();
    deck.press(&["2", "D", "esc"]);
    deck.app.toasts.dismiss();
    let places: [(&str, &[&str]); 4] = [
        ("insights", &["2"]),
        ("insight", &["2", "enter"]),
        ("near", &["2", "]"]),
        ("graph", &["2", "]", "]"]),
    ];
    for (place, keys) in places {
        for (columns, rows) in SIZES {
            deck.resize(columns, rows);
            deck.press(keys);
            snap(&format!("dreams-{place}-{columns}x{rows}"), &mut deck);
            deck.press(&["esc", "esc", "1"]);
            deck.app.dreams.look = Look::Insights;
            deck.app.dreams.in_detail = false;
        }
    }
    let mut empty = Deck::on(folder(true));
    empty.resize(80, 24);
    empty.press(&["2"]);
    snap("dreams-empty-80x24", &mut empty);
}
