//! The one table of actions: names, keys by context, help.
//!
//! The key map, the hint line, the help and the palette are all made from it,
//! so they cannot disagree. Whether an action can act now is asked of the state
//! (`App::available`). Only what there is stands here.

mod contexts;
mod hints;
mod table;

use std::collections::HashMap;
use std::sync::OnceLock;

use strum::{EnumIter, IntoEnumIterator as _, IntoStaticStr};

use super::keys::Chord;

pub use contexts::Contexts;
pub use hints::hints;
pub use table::actions;

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
    /// Its critiques and what answers them.
    Coverage,
    /// A moment of its past.
    Time,
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
    /// A search over what artifacts say.
    Found,
    /// What an undo would take back.
    UndoPreview,
    /// A question with yes and no.
    Confirm,
    /// The list of facets.
    Facets,
    /// The command lines of what was done.
    CommandLog,
    /// The help.
    Help,
    /// The help while it is searched.
    HelpSearch,
    /// The palette, with its search.
    Palette,
    /// A filter that is being typed.
    Filter,
}

impl Context {
    /// Whether keys that nothing is bound to are text here.
    pub fn takes_text(self) -> bool {
        matches!(self, Context::HelpSearch | Context::Palette | Context::Filter | Context::Found)
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
    ShowCoverage,
    TimeTravel,
    MomentBefore,
    MomentAfter,
    RoundBefore,
    RoundAfter,
    MarkMoment,
    Answer,
    Ask,
    Verify,
    CancelRun,
    Pause,
    Close,
    Supersede,
    Retract,
    Waive,
    Amend,
    Reopen,
    Link,
    Bind,
    Undo,
    Redo,
    Export,
    SearchArtifacts,
    FollowUp,
    ToSource,
    ToFollower,
    Fork,
    Promote,
    Archive,
    Unarchive,
    ImportMemory,
    AddMemory,
    RemoveMemory,
    Edit,
    Copy,
    CommandLog,
    Warnings,
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
    pub contexts: Contexts,
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

impl Action {
    /// What the table says of it.
    pub fn spec(self) -> &'static Spec {
        actions()
            .find(|spec| spec.action == self)
            .expect("every action has a row in the table: a test says so")
    }

    /// The keys that it has in a context.
    pub fn keys(self, context: Context) -> impl Iterator<Item = Chord> {
        self.spec()
            .binds
            .iter()
            .filter(move |bind| bind.contexts.contains(context))
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
    actions().flat_map(|spec| {
        spec.binds.iter().flat_map(move |bind| {
            Context::iter().filter(|c| bind.contexts.contains(*c)).flat_map(move |context| {
                bind.keys.iter().filter_map(move |key| {
                    Chord::parse(key).map(|chord| (context, chord, spec.action))
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use strum::IntoEnumIterator;

    #[test]
    fn every_action_has_one_row_with_a_name_and_a_sentence() {
        for action in Action::iter() {
            let rows = actions().filter(|spec| spec.action == action).count();
            assert_eq!(rows, 1, "{action:?}");
            let spec = action.spec();
            assert!(!spec.name.is_empty() && !spec.short.is_empty(), "{action:?}");
            assert!(spec.help.ends_with(['.', '…']), "{action:?}: {}", spec.help);
        }
    }

    #[test]
    fn every_key_can_be_read_and_no_two_actions_share_one() {
        for spec in actions() {
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
        for spec in actions() {
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
