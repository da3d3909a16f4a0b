//! The guided tour of the demo: it points at real panes and waits for real keys.
//! Each step says one thing and knows from the state when it was done.

use crate::tui::action::{Action, Context};
use crate::tui::form::FormKind;

use super::detail::Tab;
use super::overlay::{Overlay, Viewed, Viewer};
use super::{App, Screen};

/// A step of the tour.
pub struct Step {
    /// What is said; `{key}` stands for the key of the action that is asked for.
    pub says: &'static str,
    /// Which pane it points at, if one.
    pub points_at: Option<Context>,
    /// The action that it waits for, for its key.
    pub wants: Action,
    /// Whether it was done.
    done: fn(&App, Started) -> bool,
}

/// What was so when a step began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Started {
    row: usize,
    moment: u64,
}

/// How far the tour has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tour {
    at: usize,
    started: Started,
}

fn form(app: &App, kind: FormKind) -> bool {
    matches!(app.overlays.last(), Some(Overlay::Form(form)) if form.kind() == kind)
}

fn reads_why(app: &App) -> bool {
    let viewed = |viewer: &Viewer| matches!(viewer.viewed, Viewed::Why);
    matches!(app.overlays.last(), Some(Overlay::Viewer(viewer)) if viewed(viewer))
}

fn moment(app: &App) -> u64 {
    app.detail.time.as_ref().map_or(0, |time| time.at())
}

/// The steps, in order.
pub static STEPS: [Step; 13] = [
    Step {
        says: "These are loops: a proposal, a review, a bug, each on its way through phases. What needs you stands on top. Press {key} to go down.",
        points_at: Some(Context::Loops),
        wants: Action::Down,
        done: |app, started| app.loops.cursor.index != started.row || app.in_detail,
    },
    Step {
        says: "The first one is stuck. Go back up to it with k and open it with {key}; from anywhere else Esc leads back here.",
        points_at: Some(Context::Loops),
        wants: Action::Enter,
        done: |app, _| app.loops.cursor.index == 0 && app.in_detail,
    },
    Step {
        says: "This is its gate: what must be true before it goes on. Here you see what is counted and what is missing. Press {key} for all of it.",
        points_at: Some(Context::Gate),
        wants: Action::Why,
        done: |app, _| reads_why(app),
    },
    Step {
        says: "What counts, what doesn't and why, and what would open the gate. That is why the loop is stuck. {key} closes it.",
        points_at: None,
        wants: Action::Back,
        done: |app, _| !reads_why(app),
    },
    Step {
        says: "Next says what helps, each with its key. One more critique is wanted: press {key}.",
        points_at: Some(Context::Next),
        wants: Action::AddArtifact,
        done: |app, _| form(app, FormKind::Artifact),
    },
    Step {
        says: "Write what you think and file it with ^s, or leave with Esc. What the gate wants is chosen already.",
        points_at: None,
        wants: Action::AddArtifact,
        done: |app, _| app.overlays.is_empty(),
    },
    Step {
        says: "Press {key} to take the loop on. First it shows where that would lead, or what is still in the way.",
        points_at: Some(Context::Gate),
        wants: Action::Advance,
        done: |app, _| {
            let refused = app.overlays.is_empty() && app.detail.refused.is_some();
            refused || matches!(app.overlays.last(), Some(Overlay::Preview(_)))
        },
    },
    Step {
        says: "Nothing has happened yet: {key} goes on, Esc stays here, and u takes back what was done.",
        points_at: None,
        wants: Action::Enter,
        done: |app, _| app.overlays.is_empty(),
    },
    Step {
        says: "Whatever happened can be looked at again: {key} travels in time.",
        points_at: None,
        wants: Action::TimeTravel,
        done: |app, _| app.in_detail && app.detail.tab == Tab::Time && moment(app) > 0,
    },
    Step {
        says: "Go back with {key}, forward with Right: the loop as it was at every event, and what changed. Looking never writes.",
        points_at: Some(Context::Time),
        wants: Action::MomentBefore,
        done: |app, started| moment(app) != started.moment,
    },
    Step {
        says: "Dreams find in what loops were worth where it goes wrong: a phase, a skill, a turn for the worse. Press {key} to see them.",
        points_at: None,
        wants: Action::ShowDreams,
        done: |app, _| app.screen == Screen::Dreams,
    },
    Step {
        says: "The memory is what critics are confronted with: traps, decisions, feedback. Press {key} to see it.",
        points_at: None,
        wants: Action::ShowMemory,
        done: |app, _| app.screen == Screen::Memory,
    },
    Step {
        says: "That was the tour. {key} lists every key, : finds any action by name, u takes back what you did. Press {key} to end.",
        points_at: None,
        wants: Action::Help,
        done: |app, _| matches!(app.overlays.last(), Some(Overlay::Help(_))),
    },
];

impl Tour {
    /// Which step it is at, from 1, and of how many.
    pub fn place(self) -> (usize, usize) {
        (self.at + 1, STEPS.len())
    }

    /// The step.
    pub fn step(self) -> Option<&'static Step> {
        STEPS.get(self.at)
    }
}

impl App {
    /// Begins the tour, or ends it.
    pub(super) fn toggle_tour(&mut self) {
        self.tour = match self.tour {
            Some(_) => None,
            None => Some(Tour { at: 0, started: self.started() }),
        };
    }

    fn started(&self) -> Started {
        Started { row: self.loops.cursor.index, moment: moment(self) }
    }

    /// Goes on with the tour, if what it waited for was done.
    pub(super) fn follow_tour(&mut self) {
        let Some(tour) = self.tour else { return };
        // The list has to be there before anything can be done with it.
        if !self.loops.loaded {
            return;
        }
        let (mut at, mut started) = (tour.at, tour.started);
        // Several at once: what an advance that is refused leaves out.
        while STEPS.get(at).is_some_and(|step| (step.done)(self, started)) {
            (at, started) = (at + 1, self.started());
        }
        if at > tour.at {
            self.tour = (at < STEPS.len()).then_some(Tour { at, started });
        }
    }

    /// What the tour says now, with the key that holds.
    pub fn tour_says(&self) -> Option<String> {
        let step = self.tour?.step()?;
        let context = step.points_at.unwrap_or(Context::Gate);
        let keys = self.keys();
        let key = keys.key(step.wants, context).or_else(|| keys.any_key(step.wants));
        let key = key.map(|key| key.to_string()).unwrap_or_default();
        Some(step.says.replace("{key}", &key))
    }
}
