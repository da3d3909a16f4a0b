//! What is done with a loop.

use crate::tui::action::contexts::Contexts;
use crate::tui::action::contexts::{ON_LOOP, ON_SESSION, PANES, TIME, VIEWER, WORKERS};
use crate::tui::action::{Action, Bind, Context as C, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        NewLoop,
        Loop,
        "open a new loop",
        "new loop",
        "Opens a new loop: its kind, its title, and what it starts from.",
        [(PANES, ["o"])]
    ),
    spec!(
        AddArtifact,
        Loop,
        "add an artifact",
        "artifact",
        "Files an artifact: a critique, a revision, a plan …",
        [(ON_LOOP, ["a"])]
    ),
    spec!(
        Turn,
        Loop,
        "give a turn",
        "turn",
        "Gives a slot its turn in this phase.",
        [(ON_LOOP, ["t"])]
    ),
    spec!(
        Complete,
        Loop,
        "complete a turn",
        "complete",
        "Ends a turn: done, failed or cancelled, with what it brought.",
        [(ON_LOOP, ["c"])]
    ),
    spec!(
        Advance,
        Loop,
        "advance to the next phase",
        "advance",
        "Shows where the loop would go, and goes there on Enter.",
        [(ON_LOOP, ["A"])]
    ),
    spec!(
        AdvanceTo,
        Loop,
        "advance to a phase by name",
        "advance to",
        "Goes to a phase that you name; past a shut gate with a reason.",
        [(ON_LOOP, [", g"])]
    ),
    spec!(
        Force,
        Loop,
        "force the gate",
        "force",
        "Passes a shut gate and pending slots; asks, and needs a reason.",
        [(ON_LOOP, ["X"])]
    ),
    spec!(
        Why,
        Loop,
        "why does it stand here",
        "why",
        "Shows gate, slots and stop in full: what counts, what doesn't, and what helps.",
        [(ON_LOOP, ["w"])]
    ),
    spec!(
        Brief,
        Loop,
        "read the brief",
        "brief",
        "Shows what the slot would read.",
        [(ON_LOOP, ["b"])]
    ),
    spec!(
        CompareRounds,
        Loop,
        "rounds side by side",
        "rounds",
        "Shows what each round brought, one beside the other.",
        [(ON_LOOP, ["="])]
    ),
    spec!(
        ShowCoverage,
        Loop,
        "coverage of the critiques",
        "coverage",
        "Shows which critiques are addressed, waived or open, and by what.",
        [(ON_LOOP, [", c"])]
    ),
    spec!(
        TimeTravel,
        Loop,
        "time travel",
        "time travel",
        "Shows the loop as it was at any moment of its past.",
        [(ON_LOOP, ["z"])]
    ),
    spec!(
        MarkMoment,
        Loop,
        "compare moments with this one",
        "compare",
        "Marks the moment in view; every other is then compared with it.",
        [(TIME, ["d"])]
    ),
    spec!(
        Answer,
        Loop,
        "answer the question",
        "answer",
        "Answers the question that waits: by an option, in words, or by its default.",
        [(ON_LOOP, ["i"])]
    ),
    spec!(
        Ask,
        Loop,
        "ask the operator",
        "ask",
        "Asks the operator something; a turn or the whole loop waits for the answer.",
        [(ON_LOOP, [", q"])]
    ),
    spec!(
        Verify,
        Loop,
        "run the verify command",
        "verify",
        "Runs the loop's command and files its report; shows the output as it comes.",
        [(ON_LOOP, ["v"])]
    ),
    spec!(
        CancelRun,
        Loop,
        "end the command that runs",
        "end it",
        "Ends the command that runs, with its children: a verify records nothing, an attempt that it was interrupted.",
        [(Contexts::of(&[C::Viewer]), ["x"]), (ON_SESSION, ["x"])]
    ),
    spec!(
        Dispatch,
        Loop,
        "dispatch the turn to its agent",
        "dispatch",
        "Starts the agent's command for the slot that is free: once, whatever crashes.",
        [(ON_LOOP, ["T"])]
    ),
    spec!(
        Harvest,
        Loop,
        "harvest what workers brought",
        "harvest",
        "Takes the results of the loop's workers that have ended.",
        [(ON_LOOP.but(TIME).and(WORKERS), ["H"])]
    ),
    spec!(
        Integrate,
        Loop,
        "harvest and merge their changes",
        "integrate",
        "Commits and merges what workers changed in files, and takes their results; a review goes on by itself.",
        [(ON_LOOP, [", i"]), (WORKERS, ["I"])]
    ),
    spec!(
        TakeOver,
        Loop,
        "take over: put another worker there",
        "take over",
        "Ends the chosen worker and starts another for the same turn; what the old one brings is stale.",
        [(ON_LOOP, [", k"]), (WORKERS, ["t"])]
    ),
    spec!(
        Sweep,
        Loop,
        "sweep launches that never came about",
        "sweep",
        "Revokes launches whose lease has passed, and says whose worker is gone.",
        [(WORKERS, ["s"])]
    ),
    spec!(
        ShowWorkers,
        Screens,
        "workers and what they say",
        "workers",
        "Shows the turns that were handed to workers: how long they work, what they say, how those before ended.",
        [(PANES, ["W"])]
    ),
    spec!(
        EndWorker,
        Loop,
        "end a worker",
        "end it",
        "Calls the worker's turn off and ends its process with its children.",
        [(WORKERS, ["x"])],
        false
    ),
    spec!(
        Pause,
        Loop,
        "pause or resume",
        "pause",
        "Holds the loop, or lets it go on.",
        [(ON_LOOP, ["p"])]
    ),
    spec!(
        Close,
        Loop,
        "close the loop",
        "close",
        "Ends the loop by hand: completed, cancelled or blocked.",
        [(ON_LOOP, ["C"])]
    ),
    spec!(
        Supersede,
        Loop,
        "put a new version in an artifact's place",
        "supersede",
        "Files a new version of the chosen artifact; the old one stays readable.",
        [(ON_LOOP, [", s"])]
    ),
    spec!(
        Retract,
        Loop,
        "take an artifact back",
        "retract",
        "Takes the chosen artifact back, with a reason; it counts no more.",
        [(ON_LOOP, [", r"])]
    ),
    spec!(
        Waive,
        Loop,
        "set a critique aside",
        "waive",
        "Sets the chosen critique aside, with a reason.",
        [(ON_LOOP, [", w"])]
    ),
    spec!(
        Amend,
        Loop,
        "change title, goal, cap or slots",
        "amend",
        "Changes the loop's head: title, goal, domain, verify command, round cap, slots.",
        [(ON_LOOP, [", m"])]
    ),
    spec!(
        Reopen,
        Loop,
        "reopen the loop",
        "reopen",
        "Takes a closed loop up again, with a reason and more rounds.",
        [(ON_LOOP, [", o"])]
    ),
    spec!(
        Bind,
        Loop,
        "bind plans",
        "bind",
        "Says what an implementation carries out, in lanes if it has a sequence, and goes on to it.",
        [(ON_LOOP, [", b"])]
    ),
    spec!(
        Link,
        Loop,
        "link plans or another loop",
        "link",
        "Ties the loop to plans, sequences, or the loop that it follows.",
        [(ON_LOOP, [", l"])]
    ),
    spec!(
        Undo,
        Loop,
        "undo the newest change",
        "undo",
        "Shows what would be different without the newest change, and takes it back on Enter.",
        [(ON_LOOP, ["u"])]
    ),
    spec!(Redo, Loop, "redo", "redo", "Takes the last undo back.", [(ON_LOOP, ["U"])]),
    spec!(
        Export,
        Loop,
        "export as Markdown",
        "export",
        "Shows the loop as Markdown for a pull request, to copy or to open in your editor.",
        [(ON_LOOP, ["E"])]
    ),
    spec!(
        SaveExport,
        Loop,
        "save the export",
        "save",
        "Saves the Markdown on the screen in a new file of the workspace's folder.",
        [(VIEWER, ["s"])]
    ),
    spec!(
        FollowUp,
        Loop,
        "open what follows: implement, review or debug",
        "follow-up",
        "Opens the loop that follows: implements a plan, reviews a handoff, debugs what stayed red.",
        [(ON_LOOP, ["O"])]
    ),
    spec!(
        Fork,
        Loop,
        "fork: a new loop that begins here",
        "fork",
        "Begins a new loop as this one is now, or as it was at the moment in view.",
        [(TIME, ["F"])]
    ),
    spec!(
        Promote,
        Loop,
        "promote an artifact to memory",
        "promote",
        "Makes the chosen artifact a memory item, with this loop as its source.",
        [(ON_LOOP, [", p"])]
    ),
    spec!(
        Archive,
        Loop,
        "archive: put the loop away",
        "archive",
        "Puts the loop away: lists leave it out unless asked.",
        [(ON_LOOP, [", a"])]
    ),
    spec!(
        Unarchive,
        Loop,
        "unarchive: take the loop out again",
        "unarchive",
        "Takes a loop that was put away out again.",
        [(ON_LOOP, [", u"])]
    ),
];
