//! The mouse: what is clicked, and that it reaches everything.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::drive::{Deck, clock, filled};
use crate::tui::action::{Context, actions};
use crate::tui::app::overlay::Overlay;
use crate::tui::msg::{Effect, Msg};

fn mouse(deck: &mut Deck, kind: MouseEventKind, column: u16, row: u16) {
    let modifiers = KeyModifiers::NONE;
    deck.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers }));
}

fn click(deck: &mut Deck, column: u16, row: u16) {
    mouse(deck, MouseEventKind::Down(MouseButton::Left), column, row);
}

/// Clicks on the first cell of a text on the screen.
fn click_on(deck: &mut Deck, text: &str) {
    let screen = deck.screen();
    let (row, line) = screen
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(text))
        .unwrap_or_else(|| panic!("no {text:?} on\n{screen}"));
    let before = line.split(text).next().unwrap_or_default();
    let column = crate::tui::widget::text::width(before);
    click(deck, u16::try_from(column).expect("fits"), u16::try_from(row).expect("fits"));
}

#[test]
fn the_mouse_focuses_chooses_and_opens() {
    let mut deck = Deck::on(filled());
    deck.app.clock = clock(1_000);
    click(&mut deck, 5, 6);
    assert_eq!(deck.app.loops.cursor.index, 2);
    deck.app.clock = clock(1_100);
    click(&mut deck, 5, 6);
    assert!(deck.app.in_detail, "a double click opens");
    mouse(&mut deck, MouseEventKind::ScrollDown, 5, 6);
    assert_eq!(deck.app.loops.cursor.index, 5, "the wheel moves what it is over");
    deck.press(&["m"]);
    assert_eq!(deck.effects.last(), Some(&Effect::CaptureMouse(false)));
}

#[test]
fn every_action_is_within_reach_of_the_mouse() {
    let mut deck = Deck::on(filled());
    deck.resize(200, 40);
    click_on(&mut deck, "? help");
    assert_eq!(deck.app.context(), Some(Context::Help));
    // The rows that can be clicked, all the way down.
    let mut seen = String::new();
    loop {
        let screen = deck.screen();
        if seen.ends_with(&screen) {
            break;
        }
        seen.push_str(&screen);
        mouse(&mut deck, MouseEventKind::ScrollDown, 100, 20);
    }
    for spec in actions() {
        let begin: String = spec.help.chars().take(40).collect();
        assert!(seen.contains(&begin), "{:?}: {}", spec.action, spec.help);
    }
    // And a row that is clicked twice is run.
    deck.press(&["esc"]);
    click_on(&mut deck, ": palette");
    deck.write("check every file");
    deck.app.clock = clock(5_000);
    click_on(&mut deck, "▌  check every file");
    deck.app.clock = clock(5_100);
    click_on(&mut deck, "▌  check every file");
    assert!(!matches!(deck.app.overlays.last(), Some(Overlay::Palette(_))), "{}", deck.screen());
    assert!(deck.screen().contains("looked at"), "{}", deck.screen());
}
