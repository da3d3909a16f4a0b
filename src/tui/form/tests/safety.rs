//! No keys, no size, no text makes a form panic; Esc always leads out.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use proptest::prelude::*;
use strum::IntoEnumIterator;

use super::super::{Form, FormEvent, FormKind};
use super::fixture::{context, ideation, picture, press};

fn kinds() -> impl Strategy<Value = FormKind> {
    prop::sample::select(FormKind::iter().collect::<Vec<_>>())
}

fn codes() -> impl Strategy<Value = KeyCode> {
    use KeyCode::*;
    prop_oneof![
        any::<char>().prop_map(Char),
        prop::sample::select(vec![
            Enter,
            Tab,
            BackTab,
            Esc,
            Backspace,
            Delete,
            Up,
            Down,
            Left,
            Right,
            Home,
            End,
            PageUp,
            PageDown,
            Char(' '),
            Char('s'),
            Char('y'),
            Char('z'),
        ]),
    ]
}

fn events() -> impl Strategy<Value = Event> {
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::SHIFT,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
    ]);
    prop_oneof![
        8 => (codes(), modifiers).prop_map(|(code, m)| Event::Key(KeyEvent::new(code, m))),
        1 => "(\\PC|[\r\n\t\u{1b}\u{0}]){0,40}".prop_map(Event::Paste),
        1 => (0_u16..90, 0_u16..30, 0_u8..3).prop_map(|(column, row, what)| {
            let kind = match what {
                0 => MouseEventKind::Down(MouseButton::Left),
                1 => MouseEventKind::ScrollDown,
                _ => MouseEventKind::ScrollUp,
            };
            Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_pressed_it_stands_and_esc_leads_out(
        kind in kinds(),
        events in prop::collection::vec(events(), 0..60),
    ) {
        let mut form = Form::new(kind, context(ideation("synthesis")));
        for (i, event) in events.iter().enumerate() {
            if form.handle(event) == FormEvent::Cancelled {
                return Ok(());
            }
            if i % 9 == 0 {
                picture(&form, 70, 20);
            }
        }
        picture(&form, 70, 20);
        // A list, a question, the form: at most a few steps.
        let out = (0..4).any(|_| {
            if picture(&form, 70, 20).contains("Drop what you wrote?") {
                return press(&mut form, "y") == FormEvent::Cancelled;
            }
            press(&mut form, "<Esc>") == FormEvent::Cancelled
        });
        prop_assert!(out, "{}", picture(&form, 70, 20));
    }
}

#[test]
fn every_size_is_drawn_inside_its_rectangle() {
    for kind in FormKind::iter() {
        let mut form = Form::new(kind, context(ideation("synthesis")));
        for (width, height) in sizes() {
            picture(&form, width, height);
        }
        press(&mut form, "x<Enter><Tab><Enter>");
        for (width, height) in sizes() {
            picture(&form, width, height);
        }
        press(&mut form, "<Esc><Esc><Esc>");
        for (width, height) in sizes() {
            picture(&form, width, height);
        }
    }
}

fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let heights = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 18, 25];
    [1, 2, 3, 5, 8, 12, 17, 25, 40, 60, 90]
        .into_iter()
        .flat_map(move |w| heights.into_iter().map(move |h| (w, h)))
}

#[test]
fn a_form_draws_nothing_outside_its_rectangle() {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::layout::Rect;

    let mut form = Form::new(FormKind::Artifact, context(ideation("synthesis")));
    press(&mut form, "<Tab>text<Esc>");
    let area = Rect { x: 7, y: 3, width: 40, height: 12 };
    let mut terminal = Terminal::new(TestBackend::new(60, 20)).expect("a backend");
    let theme = crate::tui::theme::Theme::default();
    terminal.draw(|frame| form.render(frame, area, &theme)).expect("a frame");
    let buffer = terminal.backend().buffer();
    for y in 0..20 {
        for x in 0..60 {
            let inside = area.contains((x, y).into());
            assert!(inside || buffer[(x, y)].symbol() == " ", "{x},{y}");
        }
    }
}

#[test]
fn a_form_without_its_loop_says_so_and_submits_nothing() {
    use FormKind::{Escalate, MemoryAdd, MemoryEdit, MemoryImport, NewLoop};
    use FormKind::{NewSession, RecordAttempt, RunAttempt};
    let alone = |kind: &FormKind| matches!(kind, NewLoop | MemoryImport | MemoryAdd | MemoryEdit);
    let of_session =
        |kind: &FormKind| matches!(kind, NewSession | RecordAttempt | RunAttempt | Escalate);
    for kind in FormKind::iter().filter(|kind| !alone(kind) && !of_session(kind)) {
        let mut form = Form::new(kind, super::super::FormContext::default());
        assert!(picture(&form, 80, 24).contains("No loop is chosen"), "{kind}");
        let event = press(&mut form, "<Esc><Tab>x<C-s>");
        assert!(!matches!(event, FormEvent::Submit(_)), "{kind}");
        picture(&form, 80, 24);
    }
}

#[test]
fn a_megabyte_can_be_pasted() {
    let mut form = Form::new(FormKind::Artifact, context(ideation("synthesis")));
    press(&mut form, "<Tab>");
    form.handle(&Event::Paste("a line of some length\n".repeat(50_000)));
    picture(&form, 80, 24);
    press(&mut form, "x");
    picture(&form, 80, 24);
    form.handle(&Event::Paste("\n".repeat(70_000)));
    picture(&form, 80, 24);
}

#[test]
fn a_click_beside_options_that_all_show_opens_nothing_that_esc_cannot_close() {
    let mut form = Form::new(FormKind::Close, context(ideation("synthesis")));
    picture(&form, 70, 20);
    for column in 0..70 {
        for row in 0..20 {
            let kind = MouseEventKind::Down(MouseButton::Left);
            let click = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
            if form.handle(&Event::Mouse(click)) == FormEvent::Cancelled {
                return;
            }
            picture(&form, 70, 20);
        }
    }
    let out = (0..4).any(|_| {
        press(&mut form, "<Esc>") == FormEvent::Cancelled
            || press(&mut form, "y") == FormEvent::Cancelled
    });
    assert!(out, "{}", picture(&form, 70, 20));
}
