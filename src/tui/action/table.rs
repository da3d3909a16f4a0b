//! The table itself: every action with its name, its help and its keys.

use super::{Action, Bind, Context as C, Group, Spec};

const PANES: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
    C::Memory,
    C::MemoryText,
    C::Events,
];
const PANES_BUT_TIME: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Memory,
    C::MemoryText,
    C::Events,
];
const TIME: &[C] = &[C::Time];
const SCREENS: &[C] = &[
    C::Start,
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
    C::Memory,
    C::MemoryText,
    C::Events,
];
const ON_LOOP: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
];
const ON_MEMORY: &[C] = &[C::Memory, C::MemoryText];
const LISTS: &[C] = &[C::Loops, C::Memory, C::Events];
// Beside a list as well as in it: the words that follow must never be keys.
const FILTERS: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
    C::Memory,
    C::MemoryText,
    C::Events,
];
const SCROLLING: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
    C::Memory,
    C::MemoryText,
    C::Events,
    C::Viewer,
    C::UndoPreview,
    C::CommandLog,
    C::Facets,
];
const TYPING: &[C] = &[C::Help, C::Palette, C::Filter, C::Found];
const ROUNDS: &[C] = &[C::Artifacts, C::AllArtifacts];
const COPIES: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
    C::Memory,
    C::MemoryText,
    C::Events,
    C::Viewer,
    C::CommandLog,
];
const EDITS: &[C] =
    &[C::Artifacts, C::AllArtifacts, C::Coverage, C::Brief, C::Memory, C::MemoryText, C::Viewer];
const ESCAPES: &[C] = &[
    C::Start,
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
    C::Memory,
    C::MemoryText,
    C::Events,
    C::Viewer,
    C::Preview,
    C::UndoPreview,
    C::Confirm,
    C::Facets,
    C::CommandLog,
    C::Help,
    C::Palette,
    C::Filter,
    C::Found,
];
const OPENS: &[C] = &[
    C::Start,
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Coverage,
    C::Time,
    C::Memory,
    C::Events,
    C::Preview,
    C::UndoPreview,
    C::Facets,
    C::Help,
    C::Palette,
    C::Filter,
    C::Found,
];

/// A row of the table for an action with keys in one set of contexts.
macro_rules! spec {
    ($action:ident, $group:ident, $name:literal, $short:literal, $help:literal,
     [$(($contexts:expr, [$($key:literal),*])),* $(,)?]) => {
        spec!($action, $group, $name, $short, $help, [$(($contexts, [$($key),*])),*], true)
    };
    ($action:ident, $group:ident, $name:literal, $short:literal, $help:literal,
     [$(($contexts:expr, [$($key:literal),*])),* $(,)?], $palette:literal) => {
        Spec {
            action: Action::$action,
            name: $name,
            short: $short,
            help: $help,
            group: Group::$group,
            binds: &[$(Bind { contexts: $contexts, keys: &[$($key),*] }),*],
            in_palette: $palette,
        }
    };
}

/// All actions, in the order of the help.
pub static ACTIONS: &[Spec] = &[
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
        Filter,
        Finding,
        "filter this list",
        "filter",
        "Filters the list as you type, fuzzily; Esc clears it.",
        [(FILTERS, ["/"])]
    ),
    spec!(
        NextMatch,
        Finding,
        "next match",
        "next",
        "Goes to the next match of the filter.",
        [(LISTS, ["n"])],
        false
    ),
    spec!(
        PrevMatch,
        Finding,
        "match before",
        "before",
        "Goes to the match before.",
        [(LISTS, ["N"])],
        false
    ),
    spec!(
        Sort,
        Finding,
        "sort this list another way",
        "sort",
        "Sorts the list another way: by change, by attention, by title; memory by date or title.",
        [(&[C::Loops, C::Memory], ["s"])]
    ),
    spec!(
        Facets,
        Finding,
        "show only some",
        "facets",
        "Shows only some: by kind, status or actor, stuck ones; and what is folded away.",
        [(LISTS, ["f"])]
    ),
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
        NewLoop,
        Loop,
        "open a new loop",
        "new loop",
        "Opens a new loop: its kind, its title, and what it starts from.",
        [(SCREENS_WITHOUT_START, ["o"])]
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
        []
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
        ShowCoverage,
        Loop,
        "coverage of the critiques",
        "coverage",
        "Shows which critiques are addressed, waived or open, and by what.",
        []
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
        "round",
        "Looks at where this round began, or the one before.",
        [(TIME, ["H", "shift-left"])],
        false
    ),
    spec!(
        RoundAfter,
        Moving,
        "where the next round begins",
        "round",
        "Looks at where the next round begins.",
        [(TIME, ["L", "shift-right"])],
        false
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
        []
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
        "end the verify command",
        "end it",
        "Ends the command that runs, with its children; nothing is recorded.",
        [(&[C::Viewer], ["x"])]
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
        []
    ),
    spec!(
        Retract,
        Loop,
        "take an artifact back",
        "retract",
        "Takes the chosen artifact back, with a reason; it counts no more.",
        []
    ),
    spec!(
        Waive,
        Loop,
        "set a critique aside",
        "waive",
        "Sets the chosen critique aside, with a reason.",
        []
    ),
    spec!(
        Amend,
        Loop,
        "change title, goal, cap or slots",
        "amend",
        "Changes the loop's head: title, goal, domain, verify command, round cap, slots.",
        []
    ),
    spec!(
        Reopen,
        Loop,
        "reopen the loop",
        "reopen",
        "Takes a closed loop up again, with a reason and more rounds.",
        []
    ),
    spec!(
        Bind,
        Loop,
        "bind plans",
        "bind",
        "Says what an implementation carries out, in lanes if it has a sequence, and goes on to it.",
        []
    ),
    spec!(
        Link,
        Loop,
        "link plans or another loop",
        "link",
        "Ties the loop to plans, sequences, or the loop that it follows.",
        []
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
        SearchArtifacts,
        Finding,
        "search what artifacts say",
        "search",
        "Searches the artifacts of all loops by what they say, long ones too.",
        [(PANES, ["ctrl-f"])]
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
        []
    ),
    spec!(
        Archive,
        Loop,
        "archive: put the loop away",
        "archive",
        "Puts the loop away: lists leave it out unless asked.",
        []
    ),
    spec!(
        Unarchive,
        Loop,
        "unarchive: take the loop out again",
        "unarchive",
        "Takes a loop that was put away out again.",
        []
    ),
    spec!(
        ImportMemory,
        Memory,
        "import memory",
        "import",
        "Imports decision records, CLAUDE.md, AGENTS.md, Markdown or JSON as memory.",
        [(SCREENS_WITHOUT_START, ["I"])]
    ),
    spec!(
        AddMemory,
        Memory,
        "add a memory item",
        "add",
        "Files a new memory item.",
        [(ON_MEMORY, ["a"])]
    ),
    spec!(
        RemoveMemory,
        Memory,
        "remove the memory item",
        "remove",
        "Moves the chosen memory item to quarantine; asks first.",
        [(ON_MEMORY, ["del"])]
    ),
    spec!(
        Edit,
        Deck,
        "edit in $EDITOR",
        "edit",
        "Opens the text in $VISUAL or $EDITOR; what you change is offered as a new version.",
        [(EDITS, ["e"])]
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
        [(SCREENS_WITHOUT_START, ["`"])]
    ),
    spec!(
        Warnings,
        Deck,
        "read the warnings",
        "warnings",
        "Shows what could not be read or used, where it is, and what to do.",
        [(SCREENS_WITHOUT_START, ["!"])]
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
        [(SCREENS, ["?", "f1"]), (&[C::Viewer], ["?", "f1"])]
    ),
    spec!(
        Palette,
        Deck,
        "palette",
        "palette",
        "Finds any action by its name, with its key, and runs it.",
        [(SCREENS, [":", "ctrl-p"])],
        false
    ),
    spec!(Yes, Deck, "yes", "yes", "Says yes to a question.", [(&[C::Confirm], ["y"])], false),
    spec!(
        MakeWorkspace,
        Deck,
        "make a workspace here",
        "make",
        "Makes a workspace in this folder: a .loopdeck folder, nothing else.",
        [(&[C::Start], ["i"])]
    ),
    spec!(
        OpenDemo,
        Deck,
        "open the demo",
        "demo",
        "Opens a filled workspace in a temporary folder, to look around in.",
        [(&[C::Start], ["d"])]
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

const SCREENS_WITHOUT_START: &[C] = PANES;
