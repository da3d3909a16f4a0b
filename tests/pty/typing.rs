//! Pastes, sizes, colours.

use crate::support::Place;

#[test]
fn a_paste_outside_a_text_does_nothing() {
    let place = Place::workspace();
    let mut deck = place.deck();
    deck.sees("This workspace has no loop yet");
    deck.paste("qoI\rCX\n:quit\r");
    // The next key is answered, and only it.
    deck.keys("?").sees("Help: every action");
    assert!(!deck.screen().contains("Open a loop"));
    deck.keys("<Esc>").sees_no("Help: every action");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_paste_into_a_text_comes_in_one_piece() {
    let place = Place::workspace();
    let mut deck = place.deck();
    deck.sees("This workspace has no loop yet").keys("o").sees("stress-test a proposal");
    deck.keys("<Enter>Pasted<Enter>").sees("Pasted");
    deck.paste("first line\nq and more\n\nlast line");
    deck.sees("last line");
    deck.keys("<C-s>").sees_no("Open a loop");
    let list = place.json(&["loop", "list"]);
    let id = list["result"]["loops"][0]["id"].as_str().expect("a loop").to_owned();
    let shown = place.json(&["loop", "show", &id]);
    let preview = &shown["result"]["artifacts"][0]["preview"];
    assert_eq!(preview, "first line\nq and more\n\nlast line");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let place = Place::workspace();
    place.open_loop(&["--kind", "ideation", "--title", "Storm", "--proposal", "Do it."]);
    let mut deck = place.deck();
    deck.sees("Storm").keys("a").sees("Add an artifact");
    for (columns, rows) in [(2, 2), (200, 60), (3, 2), (60, 18), (20, 5), (90, 2), (120, 36)] {
        deck.resize(columns, rows);
    }
    deck.sees("Add an artifact");
    deck.keys("<Esc>").sees_no("Add an artifact");
    for (columns, rows) in [(2, 40), (80, 24), (10, 10), (2, 60), (60, 18)] {
        deck.resize(columns, rows);
    }
    deck.sees("Storm").keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
}

#[test]
fn without_colours_it_draws_none() {
    let place = Place::workspace();
    place.open_loop(&["--kind", "ideation", "--title", "Plain", "--proposal", "Do it."]);
    let mut deck = place.deck_with(120, 36, &[("NO_COLOR", "1")]);
    deck.sees("Plain").keys("a").sees("Add an artifact");
    assert!(!deck.has_colours(), "{}", deck.screen());
    deck.keys("<Esc>").sees_no("Add an artifact");
    deck.keys("q");
    assert!(deck.ends().success());

    let mut deck = place.deck();
    deck.sees("Plain");
    assert!(deck.has_colours(), "else the check above says nothing");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn at_sixty_by_eighteen_the_forms_can_be_used() {
    let place = Place::workspace();
    let mut deck = place.deck_with(60, 18, &[]);
    deck.sees("This workspace has no loop yet").keys("o").sees("Use instead:");
    deck.keys("<Enter>Small<Enter>Fits.<C-s>").sees_no("Open a loop").sees("Small");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn the_editor_has_the_terminal_and_gives_it_back() {
    let place = Place::workspace();
    let editor = place.root().join("editor.sh");
    std::fs::write(&editor, "echo 'the editor is here'; echo 'and from the editor' >> \"$1\"\n")
        .expect("a script");
    let command = format!("sh {}", editor.display());
    let mut deck = place.deck_with(120, 36, &[("EDITOR", &command)]);
    deck.sees("This workspace has no loop yet").keys("o").sees("Use instead:");
    deck.keys("<Enter>Edited<Enter>From the form").sees("From the form");
    deck.keys("<C-o>").sees("and from the editor").sees("From the form");
    // The deck reads its keys again.
    deck.keys("!").sees("and from the editor!").keys("<C-s>").sees_no("Open a loop");
    deck.keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
}

#[test]
fn the_pager_has_the_terminal_and_an_interrupt_there_is_not_the_decks() {
    let place = Place::workspace();
    place.open_loop(&[
        "--kind",
        "ideation",
        "--title",
        "Paged",
        "--proposal",
        "Read \u{1b}[31mme.",
    ]);
    let pager = place.root().join("pager.sh");
    let script = "trap 'echo interrupted' INT; cat; echo 'the pager waits'; until read -r _ </dev/tty; do :; done";
    std::fs::write(&pager, script).expect("a script");
    let command = format!("sh {}", pager.display());
    let mut deck = place.deck_with(120, 36, &[("PAGER", &command)]);
    deck.sees("Paged").keys("b").sees("P page").keys("P").sees("the pager waits");
    deck.sees_no("Loops 1").keys("<C-c>").sees("interrupted").keys("<Enter>").sees("Loops 1");
    // The deck reads its keys again, and can be left.
    deck.keys("?").sees("Help: every action").keys("<Esc>").sees_no("Help: every action");
    deck.keys("q");
    assert!(deck.ends().success());
    deck.left_clean();
}

#[test]
fn fields_and_buttons_can_be_clicked() {
    let place = Place::workspace();
    place.open_loop(&["--kind", "ideation", "--title", "Mouse", "--proposal", "Do it."]);
    let mut deck = place.deck();
    deck.sees("Mouse").keys("a").sees("Add an artifact");
    deck.clicks("cites").clicks("text").keys("by mouse").sees("by mouse");
    deck.clicks("[ file it ]").sees_no("Add an artifact").sees("by mouse");
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn a_second_deck_is_not_offered_what_is_being_written_in_the_first() {
    let place = Place::workspace();
    place.open_loop(&["--kind", "ideation", "--title", "Two decks", "--proposal", "p"]);
    let mut first = place.deck();
    first.sees("Two decks").keys("a").sees("Add an artifact").keys("half written");
    first.sees("half written");
    let drafts = place.state().join("drafts");
    let kept = || {
        std::fs::read_dir(&drafts).is_ok_and(|mut files| {
            files.any(|file| {
                let text = file.ok().and_then(|file| std::fs::read_to_string(file.path()).ok());
                text.is_some_and(|text| text.contains("half written"))
            })
        })
    };
    while !kept() {
        std::thread::yield_now();
    }
    let mut second = place.deck();
    second.sees("Two decks").sees("Gate").sees_no("half written").keys("q");
    assert!(second.ends().success());
    first.keys("<Esc>");
    drop(first);
}
