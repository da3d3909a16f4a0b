//! Moving about.

use crate::tui::action::contexts::{
    ESCAPES, OPENS, PANES, PANES_BUT_TIME, SCROLLING, TIME, TYPING,
};
use crate::tui::action::{Action, Bind, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        Down,
        Moving,
        "down",
        "down",
        "Goes down a row or a line.",
        [(SCROLLING, ["j", "down"]), (TYPING, ["down", "ctrl-n"])],
        false
    ),
    spec!(
        Up,
        Moving,
        "up",
        "up",
        "Goes up a row or a line.",
        [(SCROLLING, ["k", "up"]), (TYPING, ["up", "ctrl-p"])],
        false
    ),
    spec!(
        Top,
        Moving,
        "first",
        "first",
        "Goes to the first row.",
        [(SCROLLING, ["g", "home"])],
        false
    ),
    spec!(
        Bottom,
        Moving,
        "last",
        "last",
        "Goes to the last row.",
        [(SCROLLING, ["G", "end"])],
        false
    ),
    spec!(
        PageDown,
        Moving,
        "page down",
        "page",
        "Goes down a page.",
        [(SCROLLING, ["pgdn", "space"]), (TYPING, ["pgdn"])],
        false
    ),
    spec!(
        PageUp,
        Moving,
        "page up",
        "page",
        "Goes up a page.",
        [(SCROLLING, ["pgup"]), (TYPING, ["pgup"])],
        false
    ),
    spec!(
        HalfDown,
        Moving,
        "half a page down",
        "half",
        "Goes down half a page.",
        [(SCROLLING, ["ctrl-d"])],
        false
    ),
    spec!(
        HalfUp,
        Moving,
        "half a page up",
        "half",
        "Goes up half a page.",
        [(SCROLLING, ["ctrl-u"])],
        false
    ),
    spec!(
        NextPane,
        Moving,
        "next pane",
        "pane",
        "Goes to the next pane.",
        [(PANES, ["tab"]), (PANES_BUT_TIME, ["l", "right"])],
        false
    ),
    spec!(
        PrevPane,
        Moving,
        "pane before",
        "back",
        "Goes to the pane before.",
        [(PANES, ["shift-tab"]), (PANES_BUT_TIME, ["h", "left"])],
        false
    ),
    spec!(
        Enter,
        Moving,
        "open",
        "open",
        "Opens what is chosen; runs the chosen next step; says yes to a preview.",
        [(OPENS, ["enter"])],
        false
    ),
    spec!(
        Back,
        Moving,
        "back",
        "back",
        "Closes what lies over the screen, clears the filter, goes back to the list. Never quits.",
        [(ESCAPES, ["esc"])],
        false
    ),
    spec!(
        MomentBefore,
        Moving,
        "the event before",
        "before",
        "Looks at the loop one event earlier.",
        [(TIME, ["left", "h"])],
        false
    ),
    spec!(
        MomentAfter,
        Moving,
        "the event after",
        "after",
        "Looks at the loop one event later.",
        [(TIME, ["right", "l"])],
        false
    ),
    spec!(
        RoundBefore,
        Moving,
        "where the round before begins",
        "round back",
        "Looks at where this round began, or the one before.",
        [(TIME, ["H", "shift-left"])],
        false
    ),
    spec!(
        RoundAfter,
        Moving,
        "where the next round begins",
        "round on",
        "Looks at where the next round begins.",
        [(TIME, ["L", "shift-right"])],
        false
    ),
];
