//! The one table of actions: names, keys by context, help.
//!
//! The key map, the hint line, the help and the palette are all made from it,
//! so they cannot disagree. Whether an action can act now is asked of the state
//! (`App::available`). Only what there is stands here.

use std::collections::HashMap;
use std::sync::OnceLock;

use strum::{EnumIter, IntoStaticStr};

use super::keys::Chord;

/// Where the keyboard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
pub enum Context {
    /// Before there is a workspace.
    Start,
    /// The list of loops.
    Loops,
    /// The gate of a loop.
    Gate,
    /// Its slots.
    Slots,
    /// What helps next.
    Next,
    /// The artifacts of a round.
    Artifacts,
    /// Its newest events.
    Journal,
    /// All its artifacts.
    AllArtifacts,
    /// The text of its brief.
    Brief,
    /// The list of memory items.
    Memory,
    /// The text of a memory item.
    MemoryText,
    /// The events of all loops.
    Events,
    /// A text in full, over the screen.
    Viewer,
    /// The preview of an advance.
    Preview,
    /// A question with yes and no.
    Confirm,
    /// The list of facets.
    Facets,
    /// The command lines of what was done.
    CommandLog,
    /// The help, with its search.
    Help,
    /// The palette, with its search.
    Palette,
    /// A filter that is being typed.
    Filter,
}

impl Context {
    /// Whether keys that nothing is bound to are text here.
    pub fn takes_text(self) -> bool {
        matches!(self, Context::Help | Context::Palette | Context::Filter)
    }
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
#[allow(missing_docs)] // The table below says what each does.
pub enum Action {
    Down,
    Up,
    Top,
    Bottom,
    PageDown,
    PageUp,
    HalfDown,
    HalfUp,
    NextPane,
    PrevPane,
    Enter,
    Back,
    Filter,
    NextMatch,
    PrevMatch,
    Sort,
    Facets,
    ShowLoops,
    ShowMemory,
    ShowJournal,
    NextTab,
    PrevTab,
    NextRound,
    PrevRound,
    NewLoop,
    AddArtifact,
    Turn,
    Complete,
    Advance,
    AdvanceTo,
    Force,
    Why,
    Brief,
    Pause,
    Close,
    Supersede,
    Retract,
    Waive,
    Amend,
    Reopen,
    Link,
    ImportMemory,
    AddMemory,
    RemoveMemory,
    Edit,
    Copy,
    CommandLog,
    Mouse,
    Redraw,
    Help,
    Palette,
    Yes,
    MakeWorkspace,
    OpenDemo,
    Suspend,
    Quit,
}

/// The heading under which the help lists an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
#[allow(missing_docs)] // Headings.
pub enum Group {
    Moving,
    Finding,
    Screens,
    Loop,
    Memory,
    Deck,
}

/// Keys in some contexts.
#[derive(Debug)]
pub struct Bind {
    /// Where.
    pub contexts: &'static [Context],
    /// The keys, the one that hints show first.
    pub keys: &'static [&'static str],
}

/// An action with all that is said of it.
#[derive(Debug)]
pub struct Spec {
    /// Which.
    pub action: Action,
    /// Its name, as the palette lists it.
    pub name: &'static str,
    /// One word or two for the hint line.
    pub short: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// Its heading.
    pub group: Group,
    /// Its keys.
    pub binds: &'static [Bind],
    /// Whether the palette lists it (moving about is for keys alone).
    pub in_palette: bool,
}

use Context as C;

const PANES: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Memory,
    C::MemoryText,
    C::Events,
];
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
    C::Memory,
    C::MemoryText,
    C::Events,
];
const ON_LOOP: &[C] =
    &[C::Loops, C::Gate, C::Slots, C::Next, C::Artifacts, C::Journal, C::AllArtifacts, C::Brief];
const ON_MEMORY: &[C] = &[C::Memory, C::MemoryText];
const LISTS: &[C] = &[C::Loops, C::Memory, C::Events];
const SCROLLING: &[C] = &[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::AllArtifacts,
    C::Brief,
    C::Memory,
    C::MemoryText,
    C::Events,
    C::Viewer,
    C::CommandLog,
    C::Facets,
];
const TYPING: &[C] = &[C::Help, C::Palette, C::Filter];
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
    C::Memory,
    C::MemoryText,
    C::Events,
    C::Viewer,
    C::CommandLog,
];
const EDITS: &[C] = &[C::Artifacts, C::AllArtifacts, C::Brief, C::Memory, C::MemoryText, C::Viewer];
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
    C::Memory,
    C::MemoryText,
    C::Events,
    C::Viewer,
    C::Preview,
    C::Confirm,
    C::Facets,
    C::CommandLog,
    C::Help,
    C::Palette,
    C::Filter,
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
    C::Memory,
    C::Events,
    C::Preview,
    C::Facets,
    C::Help,
    C::Palette,
    C::Filter,
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
        [(PANES, ["tab", "l", "right"])],
        false
    ),
    spec!(
        PrevPane,
        Moving,
        "pane before",
        "back",
        "Goes to the pane before.",
        [(PANES, ["shift-tab", "h", "left"])],
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
        [(LISTS, ["/"])]
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
        "Shows only some: by kind, by status, stuck ones; and what is folded away.",
        [(&[C::Loops, C::Memory], ["f"])]
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
        Link,
        Loop,
        "link plans or another loop",
        "link",
        "Ties the loop to plans, sequences, or the loop that it follows.",
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

impl Action {
    /// What the table says of it.
    pub fn spec(self) -> &'static Spec {
        ACTIONS
            .iter()
            .find(|spec| spec.action == self)
            .expect("every action has a row in the table: a test says so")
    }

    /// The keys that it has in a context.
    pub fn keys(self, context: Context) -> impl Iterator<Item = Chord> {
        self.spec()
            .binds
            .iter()
            .filter(move |bind| bind.contexts.contains(&context))
            .flat_map(|bind| bind.keys.iter())
            .filter_map(|key| Chord::parse(key))
    }

    /// The key that hints show in a context.
    pub fn key(self, context: Context) -> Option<Chord> {
        self.keys(context).next()
    }

    /// The key that help and palette show, wherever it is bound.
    pub fn any_key(self) -> Option<Chord> {
        self.spec().binds.iter().flat_map(|b| b.keys).find_map(|key| Chord::parse(key))
    }
}

/// The action that a key has in a context.
pub fn lookup(context: Context, chord: Chord) -> Option<Action> {
    static MAP: OnceLock<HashMap<(Context, Chord), Action>> = OnceLock::new();
    let map = MAP.get_or_init(|| {
        let mut map = HashMap::new();
        for (context, chord, action) in bindings() {
            map.entry((context, chord)).or_insert(action);
        }
        map
    });
    map.get(&(context, chord)).copied()
}

/// Every binding there is.
fn bindings() -> impl Iterator<Item = (Context, Chord, Action)> {
    ACTIONS.iter().flat_map(|spec| {
        spec.binds.iter().flat_map(move |bind| {
            bind.contexts.iter().flat_map(move |context| {
                bind.keys.iter().filter_map(move |key| {
                    Chord::parse(key).map(|chord| (*context, chord, spec.action))
                })
            })
        })
    })
}

/// The actions that the hint line of a context names, the most wanted first.
pub fn hints(context: Context) -> &'static [Action] {
    use Action as A;
    match context {
        C::Start => &[A::MakeWorkspace, A::OpenDemo, A::Help, A::Quit],
        C::Loops => &[
            A::Enter,
            A::NewLoop,
            A::AddArtifact,
            A::Advance,
            A::Turn,
            A::Complete,
            A::Why,
            A::Brief,
            A::Filter,
            A::Facets,
            A::Sort,
            A::ImportMemory,
        ],
        C::Gate => &[A::Advance, A::AddArtifact, A::Why, A::Turn, A::Complete, A::Force, A::Brief],
        C::Slots => &[A::Turn, A::Complete, A::Advance, A::AddArtifact, A::Why],
        C::Next => &[A::Enter, A::Advance, A::AddArtifact, A::Turn, A::Complete, A::Why],
        C::Artifacts => &[
            A::Enter,
            A::AddArtifact,
            A::PrevRound,
            A::NextRound,
            A::Edit,
            A::Copy,
            A::Advance,
            A::Why,
        ],
        C::Journal => &[A::Enter, A::Advance, A::AddArtifact, A::Why, A::Copy],
        C::AllArtifacts => {
            &[A::Enter, A::AddArtifact, A::PrevRound, A::NextRound, A::Edit, A::Copy, A::NextTab]
        }
        C::Brief => &[A::Copy, A::Edit, A::NextTab, A::Advance, A::AddArtifact],
        C::Memory => &[
            A::Enter,
            A::ImportMemory,
            A::AddMemory,
            A::Edit,
            A::Filter,
            A::Facets,
            A::Sort,
            A::Copy,
        ],
        C::MemoryText => &[A::Edit, A::Copy, A::AddMemory, A::ImportMemory],
        C::Events => &[A::Enter, A::Filter, A::Copy],
        C::Viewer => &[A::Copy, A::Edit, A::Back],
        C::Preview => &[A::Enter, A::Back],
        C::Confirm => &[A::Yes, A::Back],
        C::Facets => &[A::Enter, A::Back],
        C::CommandLog => &[A::Copy, A::Back],
        C::Help | C::Palette => &[A::Enter, A::Back],
        C::Filter => &[A::Enter, A::Back],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use strum::IntoEnumIterator;

    #[test]
    fn every_action_has_one_row_with_a_name_and_a_sentence() {
        for action in Action::iter() {
            let rows = ACTIONS.iter().filter(|spec| spec.action == action).count();
            assert_eq!(rows, 1, "{action:?}");
            let spec = action.spec();
            assert!(!spec.name.is_empty() && !spec.short.is_empty(), "{action:?}");
            assert!(spec.help.ends_with(['.', '…']), "{action:?}: {}", spec.help);
        }
    }

    #[test]
    fn every_key_can_be_read_and_no_two_actions_share_one() {
        for spec in ACTIONS {
            for key in spec.binds.iter().flat_map(|b| b.keys) {
                assert!(Chord::parse(key).is_some(), "{key}");
            }
        }
        let mut seen: HashMap<(Context, Chord), Action> = HashMap::new();
        for (context, chord, action) in bindings() {
            if let Some(other) = seen.insert((context, chord), action) {
                assert_eq!(other, action, "{chord} in {context:?}");
            }
        }
    }

    #[test]
    fn every_action_is_reached_by_a_key_or_the_palette() {
        for spec in ACTIONS {
            let has_key = spec.binds.iter().any(|b| !b.keys.is_empty());
            assert!(has_key || spec.in_palette, "{:?}", spec.action);
        }
    }

    #[test]
    fn every_hint_resolves_to_its_own_action() {
        for context in Context::iter() {
            for action in hints(context) {
                let key = action.key(context);
                assert!(key.is_some(), "{action:?} has no key in {context:?}");
                let found = key.and_then(|key| lookup(context, key));
                assert_eq!(found, Some(*action), "{context:?}");
            }
        }
    }

    #[test]
    fn esc_goes_back_and_never_quits_anywhere() {
        let esc = Chord::parse("esc").expect("a key");
        for context in Context::iter() {
            assert_eq!(lookup(context, esc), Some(Action::Back), "{context:?}");
        }
    }

    #[test]
    fn where_text_is_typed_no_letter_is_a_command() {
        for (context, chord, action) in bindings() {
            if context.takes_text() {
                assert_eq!(chord.typed(), None, "{action:?} in {context:?}");
            }
        }
    }
}
