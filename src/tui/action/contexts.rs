//! Sets of contexts, each named for what one can do there, and built from one
//! another: a new pane is added in one place.

use super::Context as C;

/// A set of contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contexts(u64);

impl Contexts {
    /// These.
    pub const fn of(contexts: &[C]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < contexts.len() {
            bits |= 1 << contexts[i] as u64;
            i += 1;
        }
        Self(bits)
    }

    /// These and those.
    pub const fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// These without one.
    pub const fn but(self, less: Self) -> Self {
        Self(self.0 & !less.0)
    }

    /// Whether a context is among them.
    pub const fn contains(self, context: C) -> bool {
        self.0 & (1 << context as u64) != 0
    }
}

/// The past of a loop.
pub const TIME: Contexts = Contexts::of(&[C::Time]);
/// Where artifacts are listed by round.
pub const ROUNDS: Contexts = Contexts::of(&[C::Artifacts, C::AllArtifacts]);
/// Where a loop is chosen.
pub const ON_LOOP: Contexts = Contexts::of(&[
    C::Loops,
    C::Gate,
    C::Slots,
    C::Next,
    C::Artifacts,
    C::Journal,
    C::Insights,
    C::AllArtifacts,
    C::Brief,
    C::Coverage,
    C::Time,
]);
/// The Dreams screen.
pub const ON_DREAMS: Contexts = Contexts::of(&[C::Dreams, C::DreamDetail]);
/// Where a reward record is chosen.
pub const ON_RECORDS: Contexts = Contexts::of(&[C::DreamDetail]);
/// Where `[` and `]` turn.
pub const TABS: Contexts = ON_LOOP.and(ON_DREAMS);
/// Where a session is chosen.
pub const ON_SESSION: Contexts = Contexts::of(&[C::Sessions, C::Attempts, C::Output]);
/// Where a memory item is chosen.
pub const ON_MEMORY: Contexts = Contexts::of(&[C::Memory, C::MemoryText]);
/// What is searched by typing after a key: the panes' lists, and the help.
pub const SEARCHED: Contexts = PANES.and(Contexts::of(&[C::Help]));
/// Lists that are filtered and sorted.
pub const LISTS: Contexts = Contexts::of(&[C::Loops, C::Memory, C::Events]);
/// Where there is a next match.
pub const MATCHES: Contexts = LISTS.and(Contexts::of(&[C::Sessions, C::Output]));
/// Every pane of every screen of a workspace.
pub const PANES: Contexts = ON_LOOP.and(ON_DREAMS).and(ON_MEMORY).and(ON_SESSION).and(LISTS);
/// Panes in which left and right go from pane to pane.
pub const PANES_BUT_TIME: Contexts = PANES.but(TIME);
/// The panes, and the screen outside a workspace.
pub const SCREENS: Contexts = PANES.and(Contexts::of(&[C::Start]));
/// A text in full.
pub const VIEWER: Contexts = Contexts::of(&[C::Viewer]);
/// Texts that lie over the screen.
const TEXTS: Contexts = Contexts::of(&[C::Viewer, C::CommandLog]);
/// The workers.
pub const WORKERS: Contexts = Contexts::of(&[C::Workers]);
/// Lists to choose from that lie over the screen.
const MENUS: Contexts = Contexts::of(&[C::Facets, C::Themes, C::Help, C::Workers]);
/// Where up and down go through rows or lines.
pub const SCROLLING: Contexts = PANES.and(TEXTS).and(Contexts::of(&[C::UndoPreview])).and(MENUS);
/// Where letters are text.
pub const TYPING: Contexts = Contexts::of(&[C::HelpSearch, C::Palette, C::Filter, C::Found]);
/// Where there is something to copy.
pub const COPIES: Contexts = PANES.and(TEXTS);
/// Where there is a text to edit.
pub const EDITS: Contexts =
    ROUNDS.and(ON_MEMORY).and(Contexts::of(&[C::Coverage, C::Brief, C::Viewer]));
/// Where there is a text that may be long.
pub const PAGES: Contexts = EDITS.and(Contexts::of(&[C::Output]));
/// What lies over the screen and asks for a yes.
const ASKING: Contexts = Contexts::of(&[C::Preview, C::UndoPreview, C::Confirm]);
/// Everywhere.
pub const ESCAPES: Contexts = SCREENS.and(TEXTS).and(TYPING).and(ASKING).and(MENUS);
/// Where Enter opens or confirms.
pub const OPENS: Contexts = SCREENS
    .but(Contexts::of(&[C::Brief, C::MemoryText, C::Output]))
    .and(TYPING)
    .and(MENUS)
    .and(Contexts::of(&[C::Preview, C::UndoPreview]));
