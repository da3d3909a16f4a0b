//! Turns that were handed to workers: who works, what they say, and what can be
//! done about them.

use std::collections::BTreeSet;

use crate::core::loops::command::Command;
use crate::core::loops::event::Outcome;
use crate::core::loops::ids::{LoopId, RunId, SlotId};
use crate::engine::{DispatchOffer, Error, Worker, WorkerLife};
use crate::tui::action::Context;
use crate::tui::form::{FormKind, Submission};
use crate::tui::msg::{Effect, FormOrder, Request};

use super::App;
use super::cursor::{Cursor, Wrapped};
use super::overlay::{Confirm, Overlay, Viewed};

/// Something with workers.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Hand a slot's turn out.
    Dispatch {
        /// The loop.
        loop_id: LoopId,
        /// The slot.
        slot_id: SlotId,
    },
    /// Approve the agent's command, then hand the turn out.
    ApproveAndDispatch {
        /// The loop.
        loop_id: LoopId,
        /// The slot.
        slot_id: SlotId,
        /// The command.
        argv: Vec<String>,
        /// The variables that it is handed and that are not approved yet.
        variables: Vec<String>,
    },
    /// Put another worker in a slot's worker's place.
    TakeOver {
        /// The loop.
        loop_id: LoopId,
        /// The slot.
        slot_id: SlotId,
        /// Why.
        cause: String,
    },
    /// End a worker that was shut out and runs on.
    End {
        /// The loop.
        loop_id: LoopId,
        /// Its run.
        run: RunId,
    },
    /// Take what ended workers brought.
    Harvest {
        /// The loop.
        loop_id: LoopId,
        /// Whether what they changed is merged.
        integrate: bool,
        /// Whether nobody asked for it: the worker has just ended.
        by_itself: bool,
    },
    /// Revoke launches that never came about.
    Sweep,
}

impl Work {
    /// The command line that does the same.
    pub fn command_line(&self) -> Option<String> {
        Some(match self {
            Work::Dispatch { loop_id, slot_id }
            | Work::ApproveAndDispatch { loop_id, slot_id, .. } => {
                format!("loopdeck turn dispatch {loop_id} --slot {slot_id}")
            }
            Work::TakeOver { loop_id, slot_id, cause } => {
                let submission = Submission::TakeOver {
                    loop_id: loop_id.clone(),
                    slot_id: slot_id.clone(),
                    cause: cause.clone(),
                };
                super::command_line::of(&submission)
            }
            // Its process is ended, and nothing else: no verb of the command line.
            Work::End { .. } => return None,
            Work::Harvest { loop_id, integrate, .. } => {
                let more = if *integrate { " --integrate --continue" } else { "" };
                format!("loopdeck turn harvest {loop_id}{more}")
            }
            Work::Sweep => "loopdeck turn sweep".to_owned(),
        })
    }

    fn loop_id(&self) -> Option<&LoopId> {
        match self {
            Work::Dispatch { loop_id, .. }
            | Work::ApproveAndDispatch { loop_id, .. }
            | Work::TakeOver { loop_id, .. }
            | Work::End { loop_id, .. }
            | Work::Harvest { loop_id, .. } => Some(loop_id),
            Work::Sweep => None,
        }
    }
}

/// What a command is handed, after its name; nothing where that is nothing new.
fn handed(variables: &[String]) -> String {
    match variables {
        [] => String::new(),
        names => format!(", and is handed {}", names.join(", ")),
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    /// The loop that it was about.
    pub loop_id: Option<LoopId>,
    /// In words.
    pub text: String,
    /// What else is worth knowing.
    pub warnings: Vec<String>,
}

impl Worked {
    /// What was done on a loop.
    pub fn new(loop_id: &LoopId, text: String) -> Self {
        Self { loop_id: Some(loop_id.clone()), text, warnings: Vec::new() }
    }

    /// With warnings.
    #[must_use]
    pub fn with(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }
}

/// The turns that were handed to workers and have not ended.
#[derive(Clone, Debug, Default)]
pub struct Crew {
    /// Each with the end of what it said, the newest first.
    pub rows: Vec<(Worker, Vec<String>)>,
    /// Those that have ended, the newest first, with what they left.
    pub ended: Vec<(Worker, Vec<String>)>,
    /// The runs whose result was taken, or tried to be taken, by itself.
    tried: BTreeSet<RunId>,
}

impl Crew {
    /// How many there are, ended ones too.
    pub fn len(&self) -> usize {
        self.rows.len() + self.ended.len()
    }

    /// Whether there is none, not even an ended one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them; the ended ones stand below the others.
    pub fn get(&self, at: usize) -> Option<&(Worker, Vec<String>)> {
        self.rows.get(at).or_else(|| self.ended.get(at.checked_sub(self.rows.len())?))
    }

    fn runs(&self) -> Vec<&RunId> {
        self.rows.iter().filter_map(|(worker, _)| worker.run_id.as_ref()).collect()
    }

    /// How many run.
    pub fn at_work(&self) -> usize {
        self.rows.iter().filter(|(worker, _)| worker.process == WorkerLife::Alive).count()
    }
}

impl App {
    /// Looks at the workers, if there are any to be looked at.
    pub(super) fn look_at_workers(&self) -> Vec<Effect> {
        let some = self.loops.all.iter().any(|one| one.workers > 0) || !self.crew.rows.is_empty();
        some.then_some(Effect::Ask(Request::Workers)).into_iter().collect()
    }

    /// Takes in how the workers stand. What a reading worker brought is taken as
    /// soon as it has ended.
    pub(super) fn on_workers(
        &mut self,
        result: Result<Vec<(Worker, Vec<String>)>, Error>,
    ) -> Vec<Effect> {
        let rows = match result {
            Ok(rows) => rows,
            Err(error) => return self.fail(&error),
        };
        let mut effects = Vec::new();
        for (worker, _) in &rows {
            let Some(run) = &worker.run_id else { continue };
            let ended = worker.process == WorkerLife::Ended && !worker.status.has_ended();
            // Whose taking somebody undid is not taken by itself again.
            let ended = ended && worker.shut_out.is_none() && !worker.taken_back;
            if !ended || self.read_only().is_some() || !self.crew.tried.insert(run.clone()) {
                continue;
            }
            effects.extend(self.call(format!("{} has ended its work", worker.agent)));
            let loop_id = worker.loop_id.clone();
            effects.extend(self.work(Request::Work(Work::Harvest {
                loop_id,
                integrate: false,
                by_itself: true,
            })));
        }
        let before = self.crew.runs().into_iter().cloned().collect::<Vec<_>>();
        self.crew.rows = rows;
        let now = self.crew.runs();
        // Who is gone from here has ended, and stands below from now on.
        let gone = before.iter().any(|run| !now.contains(&run));
        if gone && matches!(self.overlays.last(), Some(Overlay::Workers(_))) {
            effects.push(Effect::Ask(Request::EndedWorkers));
        }
        effects
    }

    /// Takes in which workers have ended. One that is at work again is no such.
    pub(super) fn on_ended_workers(
        &mut self,
        result: Result<Vec<(Worker, Vec<String>)>, Error>,
    ) -> Vec<Effect> {
        match result {
            Ok(ended) => self.crew.ended = ended,
            Err(error) => return self.fail(&error),
        }
        Vec::new()
    }

    /// Asks the engine for something with workers.
    pub(super) fn work(&mut self, request: Request) -> Vec<Effect> {
        self.pending += 1;
        vec![Effect::Ask(request)]
    }

    pub(super) fn show_workers(&mut self) -> Vec<Effect> {
        self.open_overlay(Overlay::Workers(Cursor::default()));
        vec![Effect::Ask(Request::Workers), Effect::Ask(Request::EndedWorkers)]
    }

    /// Whether the chosen worker of the list has ended.
    pub(super) fn chose_an_ended_worker(&self) -> bool {
        let chosen = match self.overlays.last() {
            Some(Overlay::Workers(cursor)) => cursor.index,
            _ => return false,
        };
        chosen >= self.crew.rows.len() && self.crew.get(chosen).is_some()
    }

    /// The worker that is meant: the chosen one of the list, else the newest of
    /// the loop in view.
    pub(super) fn chosen_worker(&self) -> Option<&Worker> {
        if let Some(Overlay::Workers(cursor)) = self.overlays.last() {
            return self.crew.rows.get(cursor.index).map(|(worker, _)| worker);
        }
        let id = self.loop_id()?;
        let slot = self.chosen_slot();
        let of_loop = || self.crew.rows.iter().map(|(w, _)| w).filter(|w| w.loop_id == id);
        of_loop().find(|worker| Some(&worker.slot_id) == slot.as_ref()).or_else(|| of_loop().next())
    }

    fn chosen_slot(&self) -> Option<SlotId> {
        if self.pane() != Context::Slots {
            return None;
        }
        let data = self.detail.data()?;
        data.state.slots.get(self.detail.slots.index).map(|slot| slot.slot_id.clone())
    }

    /// The loop whose workers' results are meant.
    pub(super) fn harvested_loop(&self) -> Option<LoopId> {
        if matches!(self.overlays.last(), Some(Overlay::Workers(_))) {
            return self.chosen_worker().map(|worker| worker.loop_id.clone());
        }
        let chosen = self.selected_loop().filter(|one| one.workers > 0)?;
        Some(chosen.id.clone())
    }

    /// The turn that would be handed out: of the chosen slot, else the first.
    pub(super) fn offer(&self) -> Option<&DispatchOffer> {
        let offers = &self.detail.data()?.offers;
        let slot = self.chosen_slot();
        let chosen = offers.iter().find(|offer| Some(&offer.slot_id) == slot.as_ref());
        chosen.or_else(|| offers.first().filter(|_| slot.is_none()))
    }

    /// Hands a turn out; asks first where the command was never approved.
    pub(super) fn dispatch(&mut self) -> Vec<Effect> {
        let Some((loop_id, offer)) = self.loop_id().zip(self.offer().cloned()) else {
            return Vec::new();
        };
        let slot_id = offer.slot_id;
        if offer.approved {
            return self.work(Request::Work(Work::Dispatch { loop_id, slot_id }));
        }
        let confirm = Confirm {
            question: format!("Run {} on this machine?", shell_words::join(&offer.command)),
            consequence: format!(
                "It is the command of {} in this workspace's settings{}. A yes approves exactly \
                 that, from now on, and hands the turn of {} out.",
                offer.agent,
                handed(&offer.variables),
                offer.role
            ),
            request: Request::Work(Work::ApproveAndDispatch {
                loop_id,
                slot_id,
                argv: offer.command,
                variables: offer.variables,
            }),
        };
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Vec::new()
    }

    pub(super) fn harvest(&mut self, integrate: bool) -> Vec<Effect> {
        let Some(loop_id) = self.harvested_loop() else { return Vec::new() };
        self.work(Request::Work(Work::Harvest { loop_id, integrate, by_itself: false }))
    }

    /// Asks why, in a form; what its yes starts is [`Work::TakeOver`].
    pub(super) fn ask_to_take_over(&mut self) -> Vec<Effect> {
        let Some(worker) = self.chosen_worker() else { return Vec::new() };
        let order = FormOrder {
            kind: FormKind::TakeOver,
            loop_id: Some(worker.loop_id.clone()),
            artifact: None,
            slot: Some(worker.slot_id.clone()),
            item: None,
            session: None,
            text: None,
        };
        vec![Effect::Ask(Request::Form(order))]
    }

    pub(super) fn ask_to_end_worker(&mut self) -> Vec<Effect> {
        let Some(worker) = self.chosen_worker() else { return Vec::new() };
        if let (Some(why), Some(run)) = (&worker.shut_out, &worker.run_id) {
            let confirm = Confirm {
                question: format!("End what {} still does as {}?", worker.agent, worker.role),
                consequence: format!("It was shut out ({why}): nobody takes what it brings."),
                request: Request::Work(Work::End {
                    loop_id: worker.loop_id.clone(),
                    run: run.clone(),
                }),
            };
            self.open_overlay(Overlay::Confirm(Box::new(confirm)));
            return Vec::new();
        }
        let submission = Submission::Execute {
            loop_id: worker.loop_id.clone(),
            command: Command::CompleteTurn {
                slot: worker.slot_id.to_string(),
                turn: Some(worker.turn_id.to_string()),
                outcome: Outcome::Cancelled,
                reason: Some("ended from the deck".to_owned()),
                artifacts: Vec::new(),
                proof: None,
            },
            expected_version: None,
        };
        let confirm = Confirm {
            question: format!("End the work of {} as {}?", worker.agent, worker.role),
            consequence: "Its process and its children are ended, its turn is called off.".into(),
            request: Request::Submit { submission, origin: crate::tui::msg::Origin::Key },
        };
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Vec::new()
    }

    /// Shows what the chosen worker said.
    pub(super) fn read_worker(&mut self, at: usize) {
        let Some((worker, lines)) = self.crew.get(at) else { return };
        let title = format!("{} as {}", worker.agent, worker.role);
        let text = match lines.is_empty() {
            true if at < self.crew.rows.len() => "It has said nothing yet.".to_owned(),
            true => "It said nothing, and no reply of it is kept.".to_owned(),
            false => lines.join("\n"),
        };
        self.view(&title, Viewed::Text(std::rc::Rc::new(Wrapped::new(text))));
    }

    /// Takes in what was done with workers.
    pub(super) fn on_worked(&mut self, worked: Worked) -> Vec<Effect> {
        self.detail.refused = None;
        self.tell(worked.text);
        for warning in worked.warnings {
            self.warn(warning);
        }
        self.after_work(worked.loop_id)
    }

    fn after_work(&mut self, loop_id: Option<LoopId>) -> Vec<Effect> {
        self.events.stale = true;
        let detail = loop_id.map(|id| Effect::Ask(Request::Detail(id)));
        let mut effects = vec![Effect::Ask(Request::List), Effect::Ask(Request::Workers)];
        effects.extend(detail);
        effects
    }

    /// Says why something with workers was not done.
    pub(super) fn on_work_refused(&mut self, work: &Work, error: Error) -> Vec<Effect> {
        let loop_id = work.loop_id().cloned();
        match (&loop_id, work) {
            (Some(id), Work::Harvest { by_itself: false, .. } | Work::Dispatch { .. }) => {
                let verb =
                    if matches!(work, Work::Dispatch { .. }) { "dispatch" } else { "harvest" };
                self.refuse(id.clone(), verb, error);
            }
            _ => drop(self.fail(&error)),
        }
        self.after_work(loop_id)
    }
}
