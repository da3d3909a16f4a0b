//! The state of the deck. Plain values: no terminal, no disk, no clock.

pub mod cursor;
pub mod detail;
pub mod dreams;
pub mod events;
pub mod finder;
pub mod found;
pub mod looks;
pub mod loops;
pub mod memory;
pub mod overlay;
pub mod palette;
pub mod place;
pub mod run;
pub mod sessions;
pub mod time;
pub mod toast;
pub mod tour;
pub mod workers;

mod act;
mod answer;
mod attempts;
mod available;
mod changes;
mod command_line;
pub mod hand_out;
mod moving;
mod open;
mod pointer;
mod submitted;
mod told;
mod trail;
mod undo;
mod update;
mod waits;

use std::collections::HashMap;
use std::path::PathBuf;

use strum::{EnumString, IntoStaticStr};

use crate::core::loops::attention::AttentionState;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Status;
use crate::core::time::Timestamp;
use crate::engine::{Error, LoopSummary, Problem};

pub use open::step_action;
pub use told::{event_detail, event_word, words as told_words};

use super::action::Context;
use super::form::Draft;
use super::keymap::KeyMap;
use super::keys::Chord;
use super::msg::{Effect, Request, ScreenClock, Workspace};
use super::settings::{Mouse, Settings};
use super::theme::Theme;
use super::view::Layout;
use detail::{Detail, Tab};
use dreams::Dreams;
use events::Events;
use hand_out::Tool;
use loops::Loops;
use memory::Memory;
use overlay::Overlay;
use place::Place;
use sessions::Sessions;
use toast::Toasts;
use tour::Tour;

/// A screen of the deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Screen {
    /// List and detail of loops.
    #[default]
    Loops,
    /// What dreams found.
    Dreams,
    /// Iteration sessions and their attempts.
    Sessions,
    /// The project's memory.
    Memory,
    /// What happened, in all loops.
    Journal,
}

/// How far the workspace has been opened.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// The engine is being opened.
    Opening,
    /// There is none; it can be made, or the demo opened.
    NoWorkspace(String),
    /// It can't be opened.
    Failed(Error),
    /// It is open.
    Ready(Box<Workspace>),
}

/// A command line that would have done what was done here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// When.
    pub at: Timestamp,
    /// The command line.
    pub command: String,
    /// The code of the refusal, if it was refused.
    pub refused: Option<&'static str>,
}

/// Everything that the deck knows and shows.
pub struct App {
    /// Styles and symbols, of the theme that is on.
    pub theme: Theme,
    /// The keys, the themes and what else a person can set.
    pub settings: Settings,
    /// The keys of a sequence that were pressed so far.
    pub typed: Vec<Chord>,
    /// The tour, while it goes on.
    pub tour: Option<Tour>,
    /// Whether the theme was chosen here, not by a file.
    pub theme_chosen: bool,
    /// Where the person was last, until the workspace is open.
    place: Option<Place>,
    /// Whether the terminal has the focus, as far as it tells.
    pub focused: bool,
    /// What ages are counted from.
    pub clock: ScreenClock,
    /// The folder that the deck was started in.
    pub folder: PathBuf,
    /// Whether the demo can be offered.
    pub has_demo: bool,
    /// How far the workspace has been opened.
    pub start: Start,
    /// Which screen is in view.
    pub screen: Screen,
    /// The list of loops.
    pub loops: Loops,
    /// Whether the keyboard is in the detail rather than in the list of loops.
    pub in_detail: bool,
    /// The loop in view.
    pub detail: Detail,
    /// The Dreams screen.
    pub dreams: Dreams,
    /// The memory screen.
    pub memory: Memory,
    /// The sessions screen.
    pub sessions: Sessions,
    /// The journal screen.
    pub events: Events,
    /// What lies over the screen, the topmost last.
    pub overlays: Vec<Overlay>,
    /// Whether a filter is being typed.
    pub filtering: bool,
    /// What was said in passing.
    pub toasts: Toasts,
    /// Command lines that would have done what was done here, newest last.
    pub command_log: Vec<Logged>,
    /// A draft that an earlier run left behind.
    pub draft: Option<Draft>,
    /// The artifact that is handed out as soon as its body was read, and to what.
    pub awaited: Option<(ArtifactId, Tool)>,
    /// Whether the mouse is captured.
    pub mouse: bool,
    /// Where things were drawn last: for the mouse and for paging.
    pub layout: Layout,
    /// The click before, for double clicks: where and when.
    pub last_click: Option<(u16, u16, Timestamp)>,
    /// How many changes are under way.
    pub pending: usize,
    /// The deadlines that the engine was asked to carry out.
    overdue_asked: HashMap<LoopId, Timestamp>,
    /// The newest run of a verify command.
    pub run: Option<run::Run>,
    /// The turns that were handed to workers.
    pub crew: workers::Crew,
    /// What a key asked for that is to lie over the screen as soon as it is read.
    waits: Option<waits::Waits>,
}

/// What a deck is started with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What the person set.
    pub settings: Settings,
    /// The moment and the zone.
    pub clock: ScreenClock,
    /// The folder that it is started in.
    pub folder: PathBuf,
    /// Whether the demo can be offered.
    pub has_demo: bool,
    /// A draft that an earlier run left behind.
    pub draft: Option<Draft>,
    /// Where the person was last.
    pub place: Option<Place>,
    /// Whether it begins with the tour.
    pub tour: bool,
}

impl App {
    /// A deck that has not read anything yet, and what it asks first.
    pub fn new(setup: Setup) -> (Self, Vec<Effect>) {
        let mut app = Self {
            theme: setup.settings.theme(),
            mouse: setup.settings.habits.mouse == Mouse::On,
            settings: setup.settings,
            typed: Vec::new(),
            focused: true,
            tour: setup.tour.then(Tour::default),
            theme_chosen: false,
            place: None,
            clock: setup.clock,
            folder: setup.folder,
            has_demo: setup.has_demo,
            start: Start::Opening,
            screen: Screen::default(),
            loops: Loops::default(),
            in_detail: false,
            detail: Detail::default(),
            dreams: Dreams::default(),
            memory: Memory::default(),
            sessions: Sessions::default(),
            events: Events::default(),
            overlays: Vec::new(),
            filtering: false,
            toasts: Toasts::default(),
            command_log: Vec::new(),
            draft: setup.draft,
            awaited: None,
            layout: Layout::default(),
            last_click: None,
            pending: 0,
            overdue_asked: HashMap::new(),
            run: None,
            crew: workers::Crew::default(),
            waits: None,
        };
        if let Some(place) = setup.place {
            app.wear_again(&place);
            app.place = Some(place);
        }
        (app, vec![Effect::Ask(Request::Open)])
    }

    /// The keys that hold.
    pub fn keys(&self) -> &KeyMap {
        &self.settings.keys
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        self.clock.now
    }

    /// The workspace, once it is open.
    pub fn workspace(&self) -> Option<&Workspace> {
        match &self.start {
            Start::Ready(workspace) => Some(workspace),
            _ => None,
        }
    }

    /// Why nothing may be changed, if so.
    pub fn read_only(&self) -> Option<&str> {
        self.workspace().and_then(|w| w.read_only.as_deref())
    }

    /// Where the keyboard is; none while a form has it.
    pub fn context(&self) -> Option<Context> {
        match self.overlays.last() {
            Some(overlay) => overlay.context(),
            None if self.filtering => Some(Context::Filter),
            None => Some(self.pane()),
        }
    }

    /// The pane of the screen that has the focus, whatever lies over it.
    pub fn pane(&self) -> Context {
        if !matches!(self.start, Start::Ready(_)) {
            return Context::Start;
        }
        match self.screen {
            Screen::Loops if !self.in_detail => Context::Loops,
            Screen::Loops => match self.detail.tab {
                Tab::Overview => self.detail.pane,
                Tab::Artifacts => Context::AllArtifacts,
                Tab::Brief => Context::Brief,
                Tab::Coverage => Context::Coverage,
                Tab::Time => Context::Time,
            },
            Screen::Dreams if self.dreams.in_detail => Context::DreamDetail,
            Screen::Dreams => Context::Dreams,
            Screen::Sessions => match self.sessions.pane {
                sessions::Pane::List => Context::Sessions,
                sessions::Pane::Attempts => Context::Attempts,
                sessions::Pane::Output => Context::Output,
            },
            Screen::Memory if self.memory.in_text => Context::MemoryText,
            Screen::Memory => Context::Memory,
            Screen::Journal => Context::Events,
        }
    }

    /// What could not be used, of the workspace and of its loops and memory.
    /// Each once: the engine tells of some with the workspace and with the list.
    pub fn problems(&self) -> Vec<&Problem> {
        let of_workspace = self.workspace().map(|w| w.problems.as_slice()).unwrap_or_default();
        let of_person = &self.settings.problems;
        let all = of_person
            .iter()
            .chain(of_workspace)
            .chain(&self.loops.problems)
            .chain(&self.memory.problems)
            .chain(&self.sessions.problems);
        let mut out: Vec<&Problem> = Vec::new();
        for problem in all {
            if !out.contains(&problem) {
                out.push(problem);
            }
        }
        out
    }

    /// The summary of the chosen loop.
    pub fn selected_loop(&self) -> Option<&LoopSummary> {
        self.loops.selected()
    }

    /// The id of the chosen loop.
    pub fn loop_id(&self) -> Option<LoopId> {
        self.selected_loop().map(|summary| summary.id.clone())
    }

    /// Whether the loops have been read, and the chosen one whole.
    pub fn is_read(&self) -> bool {
        let chosen = self.selected_loop().map(|summary| &summary.id);
        self.loops.loaded && (chosen.is_none() || self.detail.data().is_some())
    }

    /// How many loops are open, stuck and blocked, for header and title.
    pub fn counts(&self) -> Counts {
        let all = &self.loops.all;
        let count = |test: &dyn Fn(&LoopSummary) -> bool| all.iter().filter(|l| test(l)).count();
        Counts {
            open: count(&|l| matches!(l.status, Status::Open | Status::Paused)),
            stuck: count(&|l| l.attention == AttentionState::Stuck),
            questions: all.iter().filter(|l| !l.status.is_closed()).map(|l| l.questions).sum(),
            blocked: count(&|l| l.status == Status::Blocked && !l.is_folded_away(self.now())),
        }
    }

    /// The title that the terminal's window shows.
    pub fn window_title(&self) -> String {
        let Some(workspace) = self.workspace() else { return "loopdeck".to_owned() };
        let counts = self.counts();
        let mut title = format!("loopdeck {} · {} open", workspace.name, counts.open);
        if counts.questions > 0 {
            title.push_str(&format!(" · {} ?", counts.questions));
        }
        if counts.stuck > 0 {
            title.push_str(&format!(" · {} stuck", counts.stuck));
        }
        super::widget::text::one_line(&title).into_owned()
    }

    /// In how many milliseconds the picture changes by itself, if it does: a
    /// toast ends, a running turn's clock shows another second, an age another
    /// minute.
    pub fn next_tick(&self) -> Option<u64> {
        let minute = 60_000 - self.now().millis().rem_euclid(60_000);
        let second = 1_000 - self.now().millis().rem_euclid(1_000);
        let ages = self.loops.loaded.then_some(minute);
        // Where nothing is to move by itself, clocks go on with the minute.
        let moves = !self.settings.habits.still;
        let clock =
            (moves && (self.shows_running_turn() || self.shows_countdown())).then_some(second);
        let due = self.next_due().map(|at| at.since(self.now()).max(1));
        let dream = self.dream_due_at().map(|at| at.since(self.now()).max(1));
        let toast = self.toasts.ends_in(self.clock.uptime);
        let working = self.running().is_some() || self.crew.at_work() > 0;
        let run = (moves && working).then_some(second);
        [ages, clock, toast, due, dream, run]
            .into_iter()
            .flatten()
            .min()
            .map(|ms| ms.max(1).unsigned_abs())
    }

    /// Whether the seconds of a question's last hour are in view.
    fn shows_countdown(&self) -> bool {
        const HOUR: i64 = 3_600_000;
        let deadline = self.detail.data().and_then(|data| data.state.next_deadline());
        let left = deadline.map(|at| at.since(self.now()));
        self.screen == Screen::Loops && left.is_some_and(|left| (1..=HOUR).contains(&left))
    }

    /// The next moment at which a question's time is up that was not asked
    /// about yet; none where nothing may be changed.
    fn next_due(&self) -> Option<Timestamp> {
        if self.read_only().is_some() {
            return None;
        }
        let asked = |l: &&LoopSummary| self.overdue_asked.get(&l.id) == l.deadline.as_ref();
        self.loops.all.iter().filter(|l| !asked(l)).filter_map(|l| l.deadline).min()
    }

    /// When a dream becomes due by time alone, if that lies ahead.
    fn dream_due_at(&self) -> Option<Timestamp> {
        let at = self.dreams.status.as_ref()?.due_at()?;
        (at > self.now()).then_some(at)
    }

    /// Has the engine resolve the questions whose time is up, each once.
    pub(super) fn resolve_overdue(&mut self) -> Vec<Effect> {
        let now = self.now();
        if self.next_due().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let due: Vec<(LoopId, Timestamp)> = self
            .loops
            .all
            .iter()
            .filter_map(|l| Some((l.id.clone(), l.deadline.filter(|at| *at <= now)?)))
            .filter(|(id, at)| self.overdue_asked.get(id) != Some(at))
            .collect();
        self.pending += due.len();
        self.overdue_asked.extend(due.iter().cloned());
        due.into_iter().map(|(id, _)| Effect::Ask(Request::ResolveOverdue(id))).collect()
    }

    fn shows_running_turn(&self) -> bool {
        self.screen == Screen::Loops
            && self.detail.tab == Tab::Overview
            && self
                .detail
                .data()
                .is_some_and(|data| data.state.slots.iter().any(|s| s.live_turn().is_some()))
    }
}

/// How many loops there are of what the header counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Open or paused.
    pub open: usize,
    /// Somebody was refused and nothing has happened since.
    pub stuck: usize,
    /// Questions that wait for an answer.
    pub questions: usize,
    /// Ended without what they were for, not folded away.
    pub blocked: usize,
}
