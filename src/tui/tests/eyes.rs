//! What the eye has to find: the way ahead, the newest lines, what helps.

use strum::IntoEnumIterator;

use super::drive::{Deck, engine, filled, folder};
use super::frames::SIZES;
use crate::core::loops::command::{Amend, Command, LinkChange};
use crate::core::loops::protocol::Kind;
use crate::engine::{Change, OpenRequest, Write};
use crate::tui::action::{Action, Context};
use crate::tui::app::overlay::Overlay;
use crate::tui::app::palette::PaletteRow;
use crate::tui::app::toast::Tone;
use crate::tui::msg::Msg;

/// The rows of the rail: those above the first divider that hold a phase's mark.
fn rail(deck: &mut Deck) -> String {
    let screen = deck.screen();
    let above = screen.split("Gate").next().unwrap_or_default();
    let rows = above.lines().skip(2).map(|line| line.rsplit_once("││").map_or(line, |(_, l)| l));
    rows.collect::<Vec<_>>().join("\n")
}

/// Every phase of every kind: whatever the size, the present one and all that are still
/// to come are read in full.
#[test]
fn the_present_phase_and_the_way_ahead_are_readable_at_every_size() {
    for kind in Kind::iter() {
        let folder = folder(true);
        let made = engine(folder.path())
            .open_loop(&OpenRequest::new(kind, "A loop"), &Write::operator())
            .expect("a loop");
        let id = made.state.id.clone();
        let mut deck = Deck::on(folder);
        deck.press(&["enter"]);
        loop {
            let state = deck.app.detail.data().expect("it is in view").state.clone();
            let now = state.protocol.position(&state.current_phase).unwrap_or_default();
            for (columns, rows) in SIZES {
                deck.resize(columns, rows);
                let rail = rail(&mut deck);
                for phase in state.protocol.phases.iter().skip(now) {
                    let name = &*phase.name;
                    assert!(rail.contains(name), "{name} at {columns}x{rows}:\n{}", deck.screen());
                }
            }
            let force = Command::Advance { to: None, force: true, reason: Some("on".into()) };
            let moved = deck.engine().execute(&id, force, &Write::operator());
            deck.send(Msg::Changed(Change::Loop(id.clone())));
            let after = deck.app.detail.data().expect("it is in view").state.clone();
            if moved.is_err() || after.status.is_closed() || after.iteration_count > 0 {
                break;
            }
        }
    }
}

#[test]
fn a_note_in_passing_hides_no_line_of_any_pane() {
    let mut deck = Deck::on(filled());
    deck.press(&["enter"]);
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        deck.app.toasts.dismiss();
        let without = deck.screen();
        let uptime = deck.app.clock.uptime;
        deck.app.toasts.say(Tone::Done, "put away", uptime);
        deck.app.toasts.say(Tone::Done, "critique filed in critique · u undoes", uptime);
        let with = deck.screen();
        assert!(with.contains("✓ critique filed in critique · u undoes"), "{with}");
        let edge = usize::from(rows) - 2;
        for (y, (a, b)) in without.lines().zip(with.lines()).enumerate() {
            assert!(a == b || y == edge, "row {y} at {columns}x{rows}\n{with}");
        }
    }
    // What is told at once is all read, though the edge is too short for it.
    deck.app.toasts.dismiss();
    deck.resize(60, 18);
    let uptime = deck.app.clock.uptime;
    deck.app.toasts.say(Tone::Done, "another worker was started", uptime);
    deck.app.toasts.say(Tone::Warning, "the one before it works on, shut out", uptime);
    let screen = deck.screen();
    assert!(screen.contains("another worker was started"), "{screen}");
    assert!(screen.contains("the one before it works on, shut out"), "{screen}");
    deck.app.toasts.dismiss();
    // What failed and is longer than the edge is read in full.
    deck.resize(60, 18);
    let uptime = deck.app.clock.uptime;
    let long = "the disk is full: nothing was written to the journal of this loop, try again";
    deck.app.toasts.say(Tone::Failure, long, uptime);
    let screen = deck.screen();
    assert!(screen.contains("the disk is full") && screen.contains("try again"), "{screen}");
}

#[test]
fn a_pane_of_a_row_says_how_much_more_there_is() {
    let mut deck = Deck::on_tour(filled());
    deck.press(&["j", "k", "enter"]);
    let mut cut = 0;
    let panes = [Context::Gate, Context::Next, Context::Slots, Context::Artifacts];
    for (columns, rows) in (18..=30).flat_map(|rows| [(60, rows), (80, rows)]) {
        deck.resize(columns, rows);
        let screen = deck.screen();
        for pane in panes.into_iter().filter(|pane| deck.app.layout.shows(*pane)) {
            let (view, lines) = (deck.app.layout.view(pane), deck.app.layout.lines(pane));
            if (1..3).contains(&view) && view < lines {
                cut += 1;
                let more = format!("… {} more", lines - view);
                assert!(screen.contains(&more), "{pane:?} at {columns}x{rows}\n{screen}");
            }
        }
    }
    assert!(cut > 3, "only {cut} panes were low enough");
}

#[test]
fn all_that_the_tour_says_is_read_at_every_size() {
    let mut deck = Deck::on_tour(filled());
    deck.press(&["j", "k", "enter"]);
    for (columns, rows) in SIZES {
        deck.resize(columns, rows);
        let says = deck.app.tour_says().expect("it is on");
        let last = says.rsplit(' ').next().unwrap_or_default();
        let screen = deck.screen();
        let strip = screen.rsplit("Tour").next().unwrap_or_default();
        assert!(strip.contains(last), "{last} at {columns}x{rows}\n{screen}");
    }
}

#[test]
fn what_the_tour_points_at_is_in_view_however_low_the_screen() {
    let mut deck = Deck::on_tour(filled());
    deck.resize(60, 18);
    deck.press(&["j", "k", "enter"]);
    assert!(deck.app.layout.shows(Context::Gate), "{}", deck.screen());
    deck.press(&["w", "esc"]);
    let screen = deck.screen();
    assert!(deck.app.layout.shows(Context::Next), "{screen}");
    assert!(screen.contains("look here") && screen.contains("add 1 critique"), "{screen}");
}

#[test]
fn a_refusal_that_finds_no_room_shows_that_it_goes_on() {
    let mut deck = Deck::on(filled());
    deck.resize(60, 18);
    deck.press(&["enter", "A"]);
    let screen = deck.screen();
    let refusal = screen.split("advance refused").nth(1).unwrap_or_default();
    let above = refusal.split("├").next().unwrap_or_default();
    assert!(above.contains("end the round short") || above.contains('…'), "{screen}");
}

#[test]
fn the_palette_begins_with_what_would_help_the_chosen_loop() {
    let mut deck = Deck::on(filled());
    deck.press(&[":"]);
    let Some(Overlay::Palette(search)) = deck.app.overlays.last() else { panic!("it is open") };
    let rows = deck.app.palette_rows(search);
    let steps = deck.app.next_steps().len();
    assert!(steps >= 2);
    for (at, row) in rows.iter().enumerate() {
        let is_step = matches!(row, PaletteRow::Step(of, _) if *of == at);
        assert_eq!(is_step, at < steps, "{row:?}");
    }
    let screen = deck.screen();
    let (step, action) = (screen.find("▸ add 1 critique"), screen.find("open a new loop"));
    assert!(step.is_some() && (action.is_none() || step < action), "{screen}");
    // Its second step cuts the round short, with the reason that the rules want.
    deck.press(&["down", "enter"]);
    assert!(deck.screen().contains("short_round"), "{}", deck.screen());
    let mut deck = Deck::on(filled());
    // Words find steps too, and on other screens there are none.
    deck.press(&[":"]);
    deck.write("add 1");
    let Some(Overlay::Palette(search)) = deck.app.overlays.last() else { panic!("it is open") };
    let rows = deck.app.palette_rows(search);
    assert!(matches!(rows.first(), Some(PaletteRow::Step(0, Action::AddArtifact))), "{rows:?}");
    deck.press(&["esc", "4", ":"]);
    let Some(Overlay::Palette(search)) = deck.app.overlays.last() else { panic!("it is open") };
    let rows = deck.app.palette_rows(search);
    assert!(rows.iter().all(|row| matches!(row, PaletteRow::Action(..))));
}

#[test]
fn journal_rows_say_what_was_changed_and_what_was_linked() {
    let folder = filled();
    let mut deck = Deck::on(folder);
    let id = deck.app.loop_id().expect("a loop");
    let run = |deck: &mut Deck, command: Command| {
        deck.engine().execute(&id, command, &Write::operator()).expect("it is allowed");
        deck.send(Msg::Changed(Change::Loop(id.clone())));
        deck.screen()
    };
    let head =
        Amend { goal: Some("Testable alone".into()), max_rounds: Some(5), ..Amend::default() };
    let screen = run(&mut deck, Command::Amend(head));
    assert!(screen.contains("goal, rounds 3 → 5"), "{screen}");
    let plan = LinkChange { plans: vec!["pln_1".into()], ..LinkChange::default() };
    let screen = run(&mut deck, Command::Link(plan));
    assert!(screen.contains("to plan pln_1"), "{screen}");
    let screen = run(&mut deck, Command::Undo { to: None });
    assert!(screen.contains("undone      as after event"), "{screen}");
    let screen = run(&mut deck, Command::Redo);
    assert!(screen.contains("redone      as after event"), "{screen}");
}

#[test]
fn what_was_imported_is_offered_no_more() {
    let folder = folder(true);
    std::fs::write(folder.path().join("CLAUDE.md"), "- Never force-push.\n").expect("written");
    let mut deck = Deck::on(folder);
    let offers = |deck: &mut Deck| deck.screen().contains("Found here, to import:");
    assert!(offers(&mut deck), "{}", deck.screen());
    deck.press(&["I"]);
    let form = deck.screen();
    assert!(form.contains("CLAUDE.md") && !form.contains("in memory already"), "{form}");
    deck.press(&["ctrl-s"]);
    assert!(deck.screen().contains("1 item imported"), "{}", deck.screen());
    assert!(!offers(&mut deck), "{}", deck.screen());
    deck.press(&["I", "enter"]);
    let form = deck.screen();
    assert!(form.contains("is in memory already"), "{form}");
    // So it is in a deck that is opened later.
    let mut later = Deck::on(std::mem::replace(&mut deck.folder, super::drive::folder(false)));
    assert!(!offers(&mut later), "{}", later.screen());
    // Where there are loops nothing is read for an offer that no screen shows.
    let engine = later.engine();
    assert!(engine.offered_at_first().is_empty());
    engine
        .open_loop(&OpenRequest::new(Kind::Ideation, "A loop"), &Write::operator())
        .expect("a loop");
    assert_eq!(engine.offered_at_first().len(), 1);
    assert_eq!(engine.importable().there.len(), 1);
}
