//! What concerns the deck as a whole.

use crate::tui::action::contexts::Contexts;
use crate::tui::action::contexts::{COPIES, EDITS, ESCAPES, PAGES, PANES, SCREENS};
use crate::tui::action::{Action, Bind, Context as C, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        Edit,
        Deck,
        "edit in $EDITOR",
        "edit",
        "Opens the text in $VISUAL or $EDITOR; what you change is offered as a new version.",
        [(EDITS, ["e"])]
    ),
    spec!(
        Page,
        Deck,
        "read in $PAGER",
        "page",
        "Hands the text in view to $PAGER (less, if it names none) and comes back.",
        [(PAGES, ["P"])]
    ),
    spec!(
        Copy,
        Deck,
        "copy id or text",
        "copy",
        "Copies the id of what is chosen, or the text in view, through the terminal (OSC 52).",
        [(COPIES, ["y"])]
    ),
    spec!(
        CommandLog,
        Deck,
        "show the command log",
        "commands",
        "Shows the command lines that would have done what you did here.",
        [(PANES, ["`"])]
    ),
    spec!(
        Warnings,
        Deck,
        "read the warnings",
        "warnings",
        "Shows what could not be read or used, where it is, and what to do.",
        [(PANES, ["!"])]
    ),
    spec!(
        Mouse,
        Deck,
        "give the mouse back, or take it",
        "mouse",
        "Gives the mouse back to the terminal for selecting text, or takes it again.",
        [(SCREENS, ["m"])]
    ),
    spec!(
        Themes,
        Deck,
        "choose a theme",
        "theme",
        "Shows the themes and wears each as you go through them; Enter keeps one.",
        [(SCREENS, [", t"])]
    ),
    spec!(
        Tour,
        Deck,
        "begin or end the tour",
        "tour",
        "Shows step by step what is where, and waits for your keys; the demo is the place for it.",
        [(SCREENS, ["ctrl-t"]), (Contexts::of(&[C::Viewer]), ["ctrl-t"])]
    ),
    spec!(
        Doctor,
        Deck,
        "check every file",
        "doctor",
        "Reads every store and says what is not as it should be; nothing is changed.",
        [(PANES, [", x"])]
    ),
    spec!(
        Redraw,
        Deck,
        "read and draw everything again",
        "redraw",
        "Reads everything again and draws the whole screen.",
        [(SCREENS, ["ctrl-l", "f5"])]
    ),
    spec!(
        Help,
        Deck,
        "help",
        "help",
        "Lists every action with its keys; type to search.",
        [(SCREENS, ["?", "f1"]), (Contexts::of(&[C::Viewer]), ["?", "f1"])]
    ),
    spec!(
        Palette,
        Deck,
        "palette",
        "palette",
        "Begins with what would help the chosen loop on; finds any action by its name and runs it.",
        [(SCREENS, [":", "ctrl-p"])],
        false
    ),
    spec!(
        Yes,
        Deck,
        "yes",
        "yes",
        "Says yes to a question.",
        [(Contexts::of(&[C::Confirm]), ["y"])],
        false
    ),
    spec!(
        MakeWorkspace,
        Deck,
        "make a workspace here",
        "make",
        "Makes a workspace in this folder: a .loopdeck folder, nothing else.",
        [(Contexts::of(&[C::Start]), ["i"])]
    ),
    spec!(
        OpenDemo,
        Deck,
        "open the demo",
        "demo",
        "Opens a filled workspace in a temporary folder, to look around in.",
        [(Contexts::of(&[C::Start]), ["d"])]
    ),
    spec!(
        Suspend,
        Deck,
        "suspend",
        "suspend",
        "Goes to the background, as Ctrl-Z does (fg returns).",
        [(ESCAPES, ["ctrl-z"])]
    ),
    spec!(
        Quit,
        Deck,
        "quit",
        "quit",
        "Ends the deck; the loops stay as they are.",
        [(SCREENS, ["q"]), (ESCAPES, ["ctrl-c"])]
    ),
];
