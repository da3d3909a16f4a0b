//! What is done with iteration sessions.

use crate::tui::action::contexts::{ON_LOOP, ON_SESSION};
use crate::tui::action::{Action, Bind, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        NewSession,
        Sessions,
        "start a session",
        "start",
        "Starts an iteration session: a goal, and how many attempts it may take.",
        [(ON_SESSION, ["a"])]
    ),
    spec!(
        RunAttempt,
        Sessions,
        "run an attempt",
        "run",
        "Runs a command as an attempt of the session; its output tells the gap.",
        [(ON_SESSION, ["R"]), (ON_LOOP, ["R"])]
    ),
    spec!(
        RecordAttempt,
        Sessions,
        "record an attempt",
        "record",
        "Records an attempt that was made elsewhere.",
        [(ON_SESSION, ["r"]), (ON_LOOP, ["r"])]
    ),
    spec!(
        Escalate,
        Sessions,
        "give the session up",
        "give up",
        "Ends the session by hand, with a reason.",
        [(ON_SESSION, ["C"])]
    ),
    spec!(
        ToSession,
        Sessions,
        "go to the loop's session",
        "session",
        "Shows the iteration session that the loop links.",
        [(ON_LOOP, ["S"])]
    ),
];
