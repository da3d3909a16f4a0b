//! Going to screens, tabs and rounds.

use crate::tui::action::contexts::{ON_LOOP, ROUNDS, SCREENS, TABS};
use crate::tui::action::{Action, Bind, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(ShowLoops, Screens, "go to Loops", "loops", "Shows the loops.", [(SCREENS, ["1"])]),
    spec!(
        ShowDreams,
        Screens,
        "go to Dreams",
        "dreams",
        "Shows what dreams found in the reward records.",
        [(SCREENS, ["2"])]
    ),
    spec!(
        ShowSessions,
        Screens,
        "go to Sessions",
        "sessions",
        "Shows iteration sessions and their attempts.",
        [(SCREENS, ["3"])]
    ),
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
        "Goes to the next tab of the loop, or of the dreams.",
        [(TABS, ["]"])]
    ),
    spec!(PrevTab, Screens, "tab before", "tab", "Goes to the tab before.", [(TABS, ["["])]),
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
