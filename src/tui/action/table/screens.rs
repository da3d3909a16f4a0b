//! Going to screens, tabs and rounds.

use crate::tui::action::contexts::{ON_LOOP, ROUNDS, SCREENS};
use crate::tui::action::{Action, Bind, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(ShowLoops, Screens, "go to Loops", "loops", "Shows the loops.", [(SCREENS, ["1"])]),
    spec!(
        ShowMemory,
        Screens,
        "go to Memory",
        "memory",
        "Shows the project's memory.",
        [(SCREENS, ["4"])]
    ),
    spec!(
        ShowJournal,
        Screens,
        "go to Journal",
        "journal",
        "Shows what happened in all loops, newest first.",
        [(SCREENS, ["5"])]
    ),
    spec!(
        NextTab,
        Screens,
        "next tab",
        "tab",
        "Goes to the next tab of the loop.",
        [(ON_LOOP, ["]"])]
    ),
    spec!(PrevTab, Screens, "tab before", "tab", "Goes to the tab before.", [(ON_LOOP, ["["])]),
    spec!(
        NextRound,
        Screens,
        "artifacts of the next round",
        "round",
        "Shows the artifacts of the next round.",
        [(ROUNDS, [">"])]
    ),
    spec!(
        PrevRound,
        Screens,
        "artifacts of the round before",
        "round",
        "Shows the artifacts of the round before.",
        [(ROUNDS, ["<"])]
    ),
    spec!(
        ToSource,
        Screens,
        "go to the loop that this one follows",
        "source",
        "Goes to the loop that this one follows.",
        [(ON_LOOP, ["("])]
    ),
    spec!(
        ToFollower,
        Screens,
        "go to the loop that follows this one",
        "follower",
        "Goes to the newest loop that follows this one.",
        [(ON_LOOP, [")"])]
    ),
];
