//! The one table of actions: names, keys by context, help.
//!
//! The key map (`keymap`, which also takes in the person's own keys), the hint
//! line, the help and the palette are all made from it, so they cannot disagree. Whether an action can act now is asked of the state
//! (`App::available`). Only what there is stands here.

mod contexts;
mod hints;
mod table;

use strum::{EnumIter, IntoStaticStr};

pub use contexts::{Contexts, ON_DREAMS, ON_LOOP, ON_MEMORY, SCREENS};
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
    /// The dream insights of its domain.
    Insights,
    /// The list of the Dreams screen.
    Dreams,
    /// What the chosen insight or node is made of.
    DreamDetail,
    /// The list of memory items.
    Memory,
    /// The text of a memory item.
    MemoryText,
    /// The events of all loops.
    Events,
    /// The list of sessions.
    Sessions,
    /// The attempts of a session.
    Attempts,
    /// What an attempt showed, or what a running one says.
    Output,
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
    /// The workers.
    Workers,
    /// The themes.
    Themes,
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
    /// Its name in `keys.toml`: `all-artifacts`.
    pub fn name(self) -> String {
        kebab(self.into())
    }

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
    ShowDreams,
    ShowSessions,
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
    CompareRounds,
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
    Dispatch,
    Harvest,
    Integrate,
    TakeOver,
    Sweep,
    ShowWorkers,
    EndWorker,
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
    SaveExport,
    SearchArtifacts,
    FollowUp,
    ToSource,
    ToFollower,
    Fork,
    Promote,
    Archive,
    Unarchive,
    DreamNow,
    AcceptInsight,
    SnoozeInsight,
    DismissInsight,
    ShowHidden,
    LeaveOutRecord,
    LeaveOutCase,
    LeaveOutDomain,
    NextLimit,
    LimitUp,
    LimitDown,
    PutBack,
    RateExcellent,
    RateGood,
    RateWeak,
    RateFailed,
    NewSession,
    RecordAttempt,
    RunAttempt,
    Escalate,
    ToSession,
    ImportMemory,
    AddMemory,
    RemoveMemory,
    Edit,
    Page,
    Copy,
    CommandLog,
    Warnings,
    Mouse,
    Themes,
    Tour,
    Doctor,
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
    Dreams,
    Sessions,
    Memory,
    Deck,
}

/// Keys in some contexts.
#[derive(Debug)]
pub struct Bind {
    /// Where.
    pub contexts: Contexts,
    /// The keys, the one that hints show first; with spaces, keys one after the other.
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

    /// Its name in `keys.toml`: `add-artifact`.
    pub fn name(self) -> String {
        kebab(self.into())
    }
}

/// A name of the table as files write it: `AllArtifacts` is `all-artifacts`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::keymap::Sequence;
    use strum::IntoEnumIterator as _;

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
    fn every_key_can_be_read() {
        for key in actions().flat_map(|spec| spec.binds).flat_map(|bind| bind.keys) {
            assert!(Sequence::parse(key).is_some(), "{key}");
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
    fn names_are_as_files_write_them() {
        assert_eq!(Action::AddArtifact.name(), "add-artifact");
        assert_eq!(Context::AllArtifacts.name(), "all-artifacts");
    }
}
