//! What a person's terminal sends, and the person's own files.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use loopdeck::core::time::Timestamp;
use loopdeck::tui::app::{App, Setup};
use loopdeck::tui::keymap::{KeyMap, Sequence};
use loopdeck::tui::msg::{Msg, ScreenClock};
use loopdeck::tui::settings::Settings;
use loopdeck::tui::{theme, view};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Files of the person's own folder, and keys as they are written.
pub fn keymap(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (map, faults) = KeyMap::with(&text);
    assert!(!map.bindings().is_empty(), "there is always a way out");
    assert!(faults.iter().all(|fault| fault.line > 0 && fault.column > 0), "{faults:?}");
    let (_, faults) = theme::parse(&text);
    assert!(faults.iter().all(|fault| fault.line > 0 && fault.column > 0), "{faults:?}");
    for line in text.lines() {
        if let Some(keys) = Sequence::parse(line) {
            let written = keys.written();
            assert_eq!(Sequence::parse(&written).as_ref(), Some(&keys), "{line:?}, {written:?}");
        }
    }
}

/// What a terminal sends, a few bytes an event, drawn as it goes.
pub fn input(bytes: &[u8]) {
    let (mut app, _) = App::new(Setup {
        settings: Settings::usual(),
        clock: ScreenClock {
            now: Timestamp::from_millis(1_772_366_400_000),
            zone: loopdeck::tui::msg::Zone::Fixed(60),
            uptime: Timestamp::from_millis(0),
        },
        folder: "/repo/parcels".into(),
        has_demo: true,
        draft: None,
        place: None,
        tour: false,
    });
    let mut size = (80, 24);
    for (nth, event) in bytes.chunks(3).take(400).enumerate() {
        let mut part = [0; 3];
        part[..event.len()].copy_from_slice(event);
        let message = message(part, &mut size);
        let _ = app.update(message);
        if nth % 16 == 0 {
            draw(&mut app, size);
        }
    }
    draw(&mut app, size);
}

fn draw(app: &mut App, size: (u16, u16)) {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a screen of cells");
    terminal.draw(|frame| view::draw(app, frame)).expect("drawn");
}

fn message([kind, one, two]: [u8; 3], size: &mut (u16, u16)) -> Msg {
    let modifiers = KeyModifiers::from_bits_truncate(two & 0b111);
    let key = |code| Msg::Key(KeyEvent::new(code, modifiers));
    match kind % 16 {
        0 => Msg::Paste(char::from(one).to_string().repeat(usize::from(two) + 1)),
        1 => Msg::Resize(size.0, size.1),
        2 => {
            *size = (u16::from(one) + 1, u16::from(two) % 70 + 1);
            Msg::Resize(size.0, size.1)
        }
        3 => Msg::Focus(one % 2 == 0),
        4 => Msg::Tick,
        5 => {
            let kinds = [
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::ScrollDown,
                MouseEventKind::ScrollUp,
                MouseEventKind::Drag(MouseButton::Left),
            ];
            Msg::Mouse(MouseEvent {
                kind: kinds[usize::from(two) % kinds.len()],
                column: u16::from(one),
                row: u16::from(two),
                modifiers: KeyModifiers::NONE,
            })
        }
        6 => key(KeyCode::Esc),
        7 => key(KeyCode::Enter),
        8 => key([KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right][usize::from(one) % 4]),
        9 => {
            key([KeyCode::Tab, KeyCode::BackTab, KeyCode::Home, KeyCode::End][usize::from(one) % 4])
        }
        10 => key([KeyCode::Backspace, KeyCode::Delete, KeyCode::PageUp, KeyCode::PageDown]
            [usize::from(one) % 4]),
        11 => key(KeyCode::F(one)),
        12 => key(KeyCode::Null),
        13 => {
            let odd = ['é', '\u{202e}', '👩', '字', '\u{300}', '\u{0}', 'ß', '\u{feff}'];
            key(KeyCode::Char(odd[usize::from(one) % odd.len()]))
        }
        _ => key(KeyCode::Char(char::from(one))),
    }
}
