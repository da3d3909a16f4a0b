//! Every screen as a picture at four sizes, and every size without a panic.

use ratatui::style::{Color, Modifier};

use super::drive::{Deck, filled, folder};
use crate::tui::theme::{Colours, Glyphs, Theme};

pub(super) const SIZES: [(u16, u16); 4] = [(60, 18), (80, 24), (120, 36), (200, 60)];

/// What is shown, by name and the keys that lead there.
const PLACES: [(&str, &[&str]); 9] = [
    ("loops", &[]),
    ("overview", &["enter"]),
    ("artifacts", &["]"]),
    ("brief", &["b"]),
    ("why", &["w"]),
    ("memory", &["4"]),
    ("journal", &["5"]),
    ("help", &["?"]),
    ("palette", &[":", "a", "d", "v"]),
];

pub(super) fn snap(name: &str, deck: &mut Deck) {
    let screen = deck.screen();
    insta::with_settings!({
        filters => vec![
            (r"art_[0-9a-f]{12}", "art_000000000000"),
            (r"lop_[0-9a-f]{16}", "lop_0000000000000000"),
            (r"slt_[0-9a-f]{8}", "slt_00000000"),
            (r"(trp|dec|con|fb|vis)_[0-9a-f]{8}", "${1}_00000000"),
            (r"rwd_[0-9a-f]{8}", "rwd_00000000"),
            (r"deck[A-Za-z0-9]{6} ", "parcels    "),
        ],
        omit_expression => true,
        prepend_module_to_snapshot => false,
    }, {
        insta::assert_snapshot!(name, screen);
    });
}

#[test]
fn every_screen_at_four_sizes() {
    let mut deck = Deck::on(filled());
    for (place, keys) in PLACES {
        for (columns, rows) in SIZES {
            deck.resize(columns, rows);
            deck.press(keys);
            snap(&format!("{place}-{columns}x{rows}"), &mut deck);
            deck.press(&["esc", "esc", "1", "esc", "esc"]);
            while deck.app.detail.tab != crate::tui::app::detail::Tab::Overview {
                deck.press(&["]", "esc"]);
            }
        }
    }
}

#[test]
fn an_empty_workspace_teaches_and_no_workspace_offers_one() {
    let mut empty = Deck::on(folder(true));
    snap("empty-120x36", &mut empty);
    empty.resize(60, 18);
    snap("empty-60x18", &mut empty);
    empty.resize(80, 24);
    empty.press(&["4"]);
    snap("empty-memory-80x24", &mut empty);
    empty.press(&["5"]);
    snap("empty-journal-80x24", &mut empty);
    let mut none = Deck::on(folder(false));
    none.resize(80, 24);
    snap("no-workspace-80x24", &mut none);
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    let mut deck = Deck::on(filled());
    for (place, (_, keys)) in PLACES.iter().enumerate() {
        deck.resize(120, 36);
        deck.press(keys);
        // Each size once, each place at sizes of all shapes.
        for rows in 0..=50_u16 {
            for columns in 0..=130_u16 {
                if usize::from(columns + rows * 131) % PLACES.len() == place {
                    deck.resize(columns, rows);
                }
            }
        }
        deck.press(&["esc", "esc", "1", "esc", "esc"]);
    }
}

#[test]
fn below_the_least_size_a_card_says_which_is_needed() {
    let mut deck = Deck::on(filled());
    deck.resize(40, 10);
    let screen = deck.screen();
    assert!(screen.contains("60 × 18") && screen.contains("40 × 10"), "{screen}");
}

#[test]
fn without_colours_every_state_is_still_told_and_the_focus_seen() {
    let mut deck = Deck::on(filled());
    deck.app.theme = Theme::new(Colours::Off, Glyphs::Unicode);
    let cells = deck.cells();
    let mut bold = 0;
    for cell in cells.content() {
        assert_eq!(cell.fg, Color::Reset);
        assert_eq!(cell.bg, Color::Reset);
        bold += usize::from(cell.modifier.contains(Modifier::BOLD));
    }
    assert!(bold > 0);
    let screen = deck.screen();
    for told in ["stuck", "paused", "blocked", "completed", "✗", "◌", "■", "✓"] {
        assert!(screen.contains(told), "{told}");
    }
}

#[test]
fn the_ascii_deck_is_ascii() {
    let mut deck = Deck::on(filled());
    deck.app.theme = Theme::new(Colours::Off, Glyphs::Ascii);
    for keys in [&[][..], &["enter"], &["]"], &["4"], &["5"], &["?"], &["esc", "w"]] {
        deck.press(keys);
        let screen = deck.screen();
        let strange: Vec<char> =
            screen.chars().filter(|c| !c.is_ascii() && !"構築が不安定".contains(*c)).collect();
        assert!(strange.is_empty(), "{strange:?}\n{screen}");
        assert!(screen.contains("+-"), "{screen}");
    }
}
