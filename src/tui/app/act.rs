//! What each action does.

use std::rc::Rc;

use crate::core::loops::command::Command;
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::Status;
use crate::tui::action::{Action, Context};
use crate::tui::form::{FormKind, Submission};
use crate::tui::msg::{Effect, FormOrder, Origin, Request};

use super::cursor::{Cursor, Step, Wrapped};
use super::detail::Tab;
use super::overlay::{Confirm, Overlay, Search, Viewed, Viewer};
use super::toast::Tone;
use super::{App, Screen, Start, told};

impl App {
    /// Does what an action says; that it can was asked before.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        match action {
            A::Down => self.step(Step::Rows(1)),
            A::Up => self.step(Step::Rows(-1)),
            A::Top => self.step(Step::First),
            A::Bottom => self.step(Step::Last),
            A::PageDown => self.step(Step::Halves(2)),
            A::PageUp => self.step(Step::Halves(-2)),
            A::HalfDown => self.step(Step::Halves(1)),
            A::HalfUp => self.step(Step::Halves(-1)),
            A::NextMatch | A::PrevMatch if self.pane() == Context::Output => {
                self.next_in_output(action == A::NextMatch);
                Vec::new()
            }
            A::NextMatch => self.step(Step::Rows(1)),
            A::PrevMatch => self.step(Step::Rows(-1)),
            A::NextPane => self.turn_pane(true),
            A::PrevPane => self.turn_pane(false),
            A::Enter => self.enter(),
            A::Back => self.back(),
            A::Filter if self.context() == Some(Context::Help) => {
                if let Some(Overlay::Help(search)) = self.overlays.last_mut() {
                    search.typing = true;
                }
                Vec::new()
            }
            A::Filter => {
                self.filtering = true;
                self.in_detail = false;
                if self.pane() != Context::Output {
                    self.sessions.pane = super::sessions::Pane::List;
                }
                Vec::new()
            }
            A::Sort => self.sort(),
            A::Facets => {
                self.open_overlay(Overlay::Facets(Cursor::default()));
                Vec::new()
            }
            A::ShowLoops => self.go_to(Screen::Loops),
            A::ShowDreams => self.go_to(Screen::Dreams),
            A::ShowSessions => self.go_to(Screen::Sessions),
            A::ShowMemory => self.go_to(Screen::Memory),
            A::ShowJournal => self.go_to(Screen::Journal),
            A::NextTab | A::PrevTab if self.screen == Screen::Dreams => {
                self.turn_look(action == A::NextTab)
            }
            A::NextTab => self.show_tab(self.detail.tab.turn(true)),
            A::PrevTab => self.show_tab(self.detail.tab.turn(false)),
            A::NextRound | A::PrevRound => {
                self.detail.turn_round(action == A::NextRound);
                self.read_chosen_body()
            }
            A::Brief => {
                self.rewind_brief();
                self.show_tab(Tab::Brief)
            }
            A::SearchArtifacts => self.search_artifacts(),
            A::Export => self.export(),
            A::Doctor => {
                self.tell("looking at every file …");
                vec![Effect::Ask(Request::Doctor)]
            }
            A::ToSource | A::ToFollower => self.walk_trail(action),
            A::ShowCoverage => self.show_tab(Tab::Coverage),
            A::CompareRounds => {
                self.view("Rounds side by side", Viewed::Rounds);
                Vec::new()
            }
            A::SaveExport => {
                let id = self.exported().cloned();
                self.pending += usize::from(id.is_some());
                id.map(|id| Effect::Ask(Request::SaveExport(id))).into_iter().collect()
            }
            A::TimeTravel
            | A::MomentBefore
            | A::MomentAfter
            | A::RoundBefore
            | A::RoundAfter
            | A::MarkMoment => self.travel(action),
            A::Why => {
                self.view("Why it stands here", Viewed::Why);
                Vec::new()
            }
            A::Help => {
                self.open_overlay(Overlay::Help(Search::default()));
                Vec::new()
            }
            A::Palette => {
                self.open_overlay(Overlay::Palette(Search::default()));
                Vec::new()
            }
            A::CommandLog => {
                let last = self.command_log.len().saturating_sub(1);
                let cursor = Cursor { index: last, offset: last };
                self.open_overlay(Overlay::CommandLog(cursor));
                Vec::new()
            }
            A::ShowWorkers => self.show_workers(),
            A::Sweep => self.work(Request::Work(super::workers::Work::Sweep)),
            A::EndWorker => self.ask_to_end_worker(),
            A::Warnings => {
                let told: Vec<String> = self.problems().into_iter().map(told::problem).collect();
                let text = told.join("\n\n");
                self.view("Warnings", Viewed::Text(Rc::new(Wrapped::new(text))));
                Vec::new()
            }
            A::Mouse => self.toggle_mouse(),
            A::Themes => self.choose_theme(),
            A::Tour => {
                self.toggle_tour();
                Vec::new()
            }
            A::Redraw => self.read_again(),
            A::MakeWorkspace => self.begin(Request::Init),
            A::OpenDemo => self.open_demo(),
            A::Yes => self.yes(),
            A::Copy => self.copy(),
            A::Edit => self.edit(),
            A::Page => self.page(),
            A::Suspend => vec![Effect::Suspend],
            A::Quit => self.quit(),
            A::DreamNow
            | A::AcceptInsight
            | A::SnoozeInsight
            | A::DismissInsight
            | A::ShowHidden
            | A::LeaveOutRecord
            | A::LeaveOutCase
            | A::LeaveOutDomain
            | A::NextLimit
            | A::LimitUp
            | A::LimitDown
            | A::PutBack => self.act_on_dreams(action),
            A::RemoveMemory => self.ask_to_remove(),
            _ => self.act_on_loop(action),
        }
    }

    fn act_on_loop(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        let kind = match action {
            A::Advance => return self.preview_advance(),
            A::Undo => return self.preview_undo(None),
            A::Redo => return self.run(Command::Redo),
            A::Archive => return self.run(Command::Archive),
            A::Unarchive => return self.run(Command::Unarchive),
            A::RateExcellent => return self.rate(1.0),
            A::RateGood => return self.rate(0.7),
            A::RateWeak => return self.rate(0.3),
            A::RateFailed => return self.rate(0.0),
            A::FollowUp => return self.order_follow_up(),
            A::Fork => return self.ask_to_fork(),
            A::Promote => FormKind::Promote,
            A::Verify => return self.verify(),
            A::CancelRun => return self.cancel_run(),
            A::Dispatch => return self.dispatch(),
            A::Harvest => return self.harvest(false),
            A::Integrate => return self.harvest(true),
            A::TakeOver => return self.ask_to_take_over(),
            A::ToSession => return self.show_linked_session(),
            A::NewSession | A::RecordAttempt | A::RunAttempt | A::Escalate => {
                return self.order_session_form(action);
            }
            A::Pause if self.status() == Some(Status::Paused) => return self.resume(),
            A::NewLoop => FormKind::NewLoop,
            A::AddArtifact => FormKind::Artifact,
            A::Turn => FormKind::Turn,
            A::Complete => FormKind::Complete,
            A::AdvanceTo => FormKind::Advance,
            A::Force => FormKind::Force,
            A::Answer => FormKind::Answer,
            A::Ask => FormKind::Ask,
            A::Pause => FormKind::Pause,
            A::Close => FormKind::Close,
            A::Supersede => FormKind::Supersede,
            A::Retract => FormKind::Retract,
            A::Waive => FormKind::Waive,
            A::Amend => FormKind::Amend,
            A::Reopen => FormKind::Reopen,
            A::Link => FormKind::Link,
            A::Bind => FormKind::Bind,
            A::ImportMemory => FormKind::MemoryImport,
            A::AddMemory => FormKind::MemoryAdd,
            _ => return Vec::new(),
        };
        self.order_form(kind, None)
    }

    /// Asks for what a form may show; it opens when that is there.
    pub(super) fn order_form(&mut self, kind: FormKind, text: Option<String>) -> Vec<Effect> {
        let about_memory = matches!(
            kind,
            FormKind::NewLoop | FormKind::MemoryImport | FormKind::MemoryAdd | FormKind::MemoryEdit
        );
        let order = FormOrder {
            kind,
            loop_id: self.loop_id().filter(|_| !about_memory),
            artifact: self.chosen_artifact(),
            slot: None,
            item: self.memory.selected().map(|item| item.id.clone()),
            session: None,
            text,
        };
        vec![Effect::Ask(Request::Form(order))]
    }

    /// The artifact that a verb is meant for: the one in full, else the chosen one.
    fn chosen_artifact(&self) -> Option<ArtifactId> {
        if let Some(Overlay::Viewer(Viewer { viewed: Viewed::Artifact(_, id), .. })) =
            self.overlays.last()
        {
            return Some(id.clone());
        }
        self.detail.chosen_in(self.pane()).map(|artifact| artifact.artifact_id.clone())
    }

    fn status(&self) -> Option<Status> {
        self.detail.data().map(|data| data.state.status)
    }

    pub(super) fn begin(&mut self, request: Request) -> Vec<Effect> {
        self.start = Start::Opening;
        vec![Effect::Ask(request)]
    }

    /// Opens the demo; asks first where it takes the place of a workspace.
    fn open_demo(&mut self) -> Vec<Effect> {
        if !matches!(self.start, Start::Ready(_)) {
            return self.begin(Request::Demo);
        }
        let confirm = Confirm {
            question: "Open the demo in this deck?".to_owned(),
            consequence: "It takes the place of what is open here, which stays as it is on disk: \
                          leave the deck and start it again to come back."
                .to_owned(),
            request: Request::Demo,
        };
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Vec::new()
    }

    /// Rates the phase in view: the chosen artifact's, else the present one, of
    /// a closed loop the one last worked.
    fn rate(&mut self, reward: f64) -> Vec<Effect> {
        let chosen = self.detail.chosen_in(self.pane()).map(|artifact| artifact.phase.clone());
        let Some(data) = self.detail.data() else { return Vec::new() };
        let state = &data.state;
        let last = state.close.as_ref().map_or(&state.current_phase, |close| &close.from_phase);
        let phase = chosen.unwrap_or_else(|| last.clone()).to_string();
        self.run(Command::Rate { phase, reward })
    }

    fn preview_advance(&mut self) -> Vec<Effect> {
        let Some(data) = self.detail.data() else { return Vec::new() };
        let (id, version) = (data.state.id.clone(), data.state.version);
        vec![Effect::Ask(Request::PreviewAdvance(id, version))]
    }

    fn resume(&mut self) -> Vec<Effect> {
        let Some(loop_id) = self.loop_id() else { return Vec::new() };
        self.submit(Submission::Execute {
            loop_id,
            command: Command::Resume,
            expected_version: None,
        })
    }

    /// Carries out a verb on the loop in view, at the version that is shown.
    pub(super) fn run(&mut self, command: Command) -> Vec<Effect> {
        let Some(data) = self.detail.data() else { return Vec::new() };
        let (loop_id, version) = (data.state.id.clone(), data.state.version);
        self.submit(Submission::Execute { loop_id, command, expected_version: Some(version) })
    }

    /// Carries out a submission that no form waits for.
    pub(super) fn submit(&mut self, submission: Submission) -> Vec<Effect> {
        self.pending += 1;
        vec![Effect::Ask(Request::Submit { submission, origin: Origin::Key })]
    }

    fn sort(&mut self) -> Vec<Effect> {
        if self.screen == Screen::Memory {
            self.memory.sort_next();
            self.tell(format!("memory sorted {}", self.memory.sort.label()));
            return Vec::new();
        }
        if self.screen == Screen::Sessions {
            self.sessions.sort_next();
            self.tell(format!("sessions sorted {}", self.sessions.sort.label()));
            return self.follow_session();
        }
        self.loops.sort_next(self.clock.now);
        self.tell(format!("loops sorted {}", self.loops.sort.label()));
        self.follow_choice()
    }

    fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.mouse = !self.mouse;
        let key = self.keys().any_key_in_words(Action::Mouse);
        let said = if self.mouse {
            "the mouse selects and scrolls here".to_owned()
        } else {
            format!("the mouse is the terminal's: select text with it; {key} takes it back")
        };
        self.tell(said);
        vec![Effect::CaptureMouse(self.mouse)]
    }

    fn read_again(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::Repaint];
        if !matches!(self.start, Start::Ready(_)) {
            self.start = Start::Opening;
            effects.push(Effect::Ask(Request::Open));
            return effects;
        }
        self.memory.stale = true;
        self.events.stale = true;
        effects.extend(self.read_dreams());
        effects.push(Effect::Ask(Request::List));
        effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
        effects.extend(self.go_to(self.screen));
        effects
    }

    /// Ends the deck; asks only if a worker runs.
    fn quit(&mut self) -> Vec<Effect> {
        match self.crew.at_work() {
            0 => self.leave(),
            n => {
                self.open_overlay(Overlay::Confirm(Box::new(super::overlay::leaving(n))));
                Vec::new()
            }
        }
    }

    /// Ends the deck; what is being written is kept.
    pub(super) fn leave(&mut self) -> Vec<Effect> {
        let draft = self.overlays.iter().rev().find_map(|overlay| match overlay {
            Overlay::Form(form) => form.draft(),
            _ => None,
        });
        let keep = draft.map(|draft| Effect::KeepDraft(Some(Box::new(draft))));
        keep.into_iter().chain([Effect::Quit]).collect()
    }

    /// Says something in passing.
    pub(super) fn tell(&mut self, text: impl Into<String>) {
        self.toasts.say(Tone::Done, text, self.clock.uptime);
    }

    /// Says something that wants a look.
    pub(super) fn warn(&mut self, text: impl Into<String>) {
        self.toasts.say(Tone::Warning, text, self.clock.uptime);
    }
}
