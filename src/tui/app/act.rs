//! What each action does.

use std::rc::Rc;

use crate::core::loops::command::Command;
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::Status;
use crate::core::loops::refusal::NextStep;
use crate::tui::action::{Action, Context};
use crate::tui::form::{FormKind, Submission};
use crate::tui::msg::{EditPurpose, Effect, FormOrder, Origin, Request};

use super::cursor::{Cursor, Step, Wrapped};
use super::detail::Tab;
use super::overlay::{Confirm, Overlay, Search, Viewed, Viewer};
use super::toast::Tone;
use super::{App, Screen, Start};

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
            A::NextMatch => self.step(Step::Rows(1)),
            A::PrevMatch => self.step(Step::Rows(-1)),
            A::NextPane => self.turn_pane(true),
            A::PrevPane => self.turn_pane(false),
            A::Enter => self.enter(),
            A::Back => self.back(),
            A::Filter => {
                self.filtering = true;
                self.in_detail = false;
                Vec::new()
            }
            A::Sort => self.sort(),
            A::Facets => {
                self.open_overlay(Overlay::Facets(Cursor::default()));
                Vec::new()
            }
            A::ShowLoops => self.go_to(Screen::Loops),
            A::ShowMemory => self.go_to(Screen::Memory),
            A::ShowJournal => self.go_to(Screen::Journal),
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
            A::Mouse => self.toggle_mouse(),
            A::Redraw => self.read_again(),
            A::MakeWorkspace => self.begin(Request::Init),
            A::OpenDemo => self.begin(Request::Demo),
            A::Yes => self.yes(),
            A::Copy => self.copy(),
            A::Edit => self.edit(),
            A::Suspend => vec![Effect::Suspend],
            A::Quit => self.quit(),
            A::RemoveMemory => self.ask_to_remove(),
            _ => self.act_on_loop(action),
        }
    }

    fn act_on_loop(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        let kind = match action {
            A::Advance => return self.preview_advance(),
            A::Pause if self.status() == Some(Status::Paused) => return self.resume(),
            A::NewLoop => FormKind::NewLoop,
            A::AddArtifact => FormKind::Artifact,
            A::Turn => FormKind::Turn,
            A::Complete => FormKind::Complete,
            A::AdvanceTo => FormKind::Advance,
            A::Force => FormKind::Force,
            A::Pause => FormKind::Pause,
            A::Close => FormKind::Close,
            A::Supersede => FormKind::Supersede,
            A::Retract => FormKind::Retract,
            A::Waive => FormKind::Waive,
            A::Amend => FormKind::Amend,
            A::Reopen => FormKind::Reopen,
            A::Link => FormKind::Link,
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
            item: self.memory.selected().map(|item| item.id.clone()),
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

    fn begin(&mut self, request: Request) -> Vec<Effect> {
        self.start = Start::Opening;
        vec![Effect::Ask(request)]
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
        self.loops.sort_next(self.clock.now);
        self.tell(format!("loops sorted {}", self.loops.sort.label()));
        self.follow_choice()
    }

    fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.mouse = !self.mouse;
        let said = if self.mouse {
            "the mouse selects and scrolls here"
        } else {
            "the mouse is the terminal's: select text with it; m takes it back"
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
        effects.push(Effect::Ask(Request::List));
        effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
        effects.extend(self.go_to(self.screen));
        effects
    }

    fn quit(&mut self) -> Vec<Effect> {
        let draft = self.overlays.iter().rev().find_map(|overlay| match overlay {
            Overlay::Form(form) => form.draft(),
            _ => None,
        });
        let keep = draft.map(|draft| Effect::KeepDraft(Some(Box::new(draft))));
        keep.into_iter().chain([Effect::Quit]).collect()
    }

    /// Enter: opens what is chosen, wherever the keyboard is.
    fn enter(&mut self) -> Vec<Effect> {
        match self.context() {
            Some(Context::Start) => self.enter_start(),
            Some(Context::Filter) => {
                self.settle_filter();
                self.follow_choice_on_loops()
            }
            Some(Context::Help | Context::Palette) => self.run_searched(),
            Some(Context::Preview) => self.yes(),
            Some(Context::Facets) => {
                if let Some(Overlay::Facets(cursor)) = self.overlays.last() {
                    self.toggle_facet(cursor.index);
                }
                self.follow_choice_on_loops()
            }
            Some(Context::Loops) => {
                if self.selected_loop().is_some() {
                    self.in_detail = true;
                    return self.read_chosen_body();
                }
                Vec::new()
            }
            Some(Context::Gate | Context::Slots) => self.act(Action::Why),
            Some(Context::Next) => self.run_next_step(),
            Some(Context::Artifacts | Context::AllArtifacts) => self.open_artifact(),
            Some(Context::Journal) => self.open_event(),
            Some(Context::Memory) => {
                self.memory.in_text = self.memory.selected().is_some();
                Vec::new()
            }
            Some(Context::Events) => self.go_to_event(),
            _ => Vec::new(),
        }
    }

    fn follow_choice_on_loops(&mut self) -> Vec<Effect> {
        if self.screen == Screen::Loops { self.follow_choice() } else { Vec::new() }
    }

    fn enter_start(&mut self) -> Vec<Effect> {
        match self.start {
            Start::NoWorkspace(_) => self.begin(Request::Init),
            Start::Failed(_) => self.begin(Request::Open),
            _ => Vec::new(),
        }
    }

    fn run_searched(&mut self) -> Vec<Effect> {
        let Some(action) = self.searched_action() else { return Vec::new() };
        self.overlays.pop();
        self.perform(action)
    }

    /// Says yes to the preview or the question on top.
    fn yes(&mut self) -> Vec<Effect> {
        match self.overlays.pop() {
            Some(Overlay::Preview(preview)) => {
                self.submit(crate::tui::msg::advance(preview.loop_id, preview.version))
            }
            Some(Overlay::Confirm(confirm)) => {
                self.pending += 1;
                vec![Effect::Ask(confirm.request)]
            }
            Some(other) => {
                self.overlays.push(other);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    fn ask_to_remove(&mut self) -> Vec<Effect> {
        let Some(item) = self.memory.selected() else { return Vec::new() };
        let confirm = Confirm {
            question: format!("Remove \"{}\" from memory?", item.title),
            consequence: "It moves to quarantine; briefs hold it no more.".to_owned(),
            request: Request::RemoveMemory(item.id.clone()),
        };
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Vec::new()
    }

    /// The next steps of the loop in view.
    pub fn next_steps(&self) -> &[NextStep] {
        self.detail.data().map_or(&[], |data| &data.why.next_steps)
    }

    fn run_next_step(&mut self) -> Vec<Effect> {
        let step = self.next_steps().get(self.detail.next.index);
        let reason = step.and_then(given_reason);
        match step.and_then(step_action) {
            // The step names the reason that the rules want to the letter.
            Some(Action::Force) if reason.is_some() && self.available(Action::Force).is_ok() => {
                self.order_form(FormKind::Force, reason)
            }
            Some(action) => self.perform(action),
            None => Vec::new(),
        }
    }

    fn open_artifact(&mut self) -> Vec<Effect> {
        let Some(artifact) = self.detail.chosen_in(self.pane()).cloned() else { return Vec::new() };
        let Some(loop_id) = self.detail.id.clone() else { return Vec::new() };
        let id = artifact.artifact_id.clone();
        self.view(&artifact.artifact_type, Viewed::Artifact(loop_id.clone(), id.clone()));
        match self.detail.body(&id) {
            Some(_) => Vec::new(),
            None => vec![Effect::Ask(Request::Body(loop_id, id))],
        }
    }

    fn open_event(&mut self) -> Vec<Effect> {
        let Some(data) = self.detail.data().cloned() else { return Vec::new() };
        let entries = &data.log.entries;
        let at = entries.len().checked_sub(self.detail.journal.index + 1);
        let Some(entry) = at.and_then(|at| entries.get(at)) else { return Vec::new() };
        let title = format!("#{} {}", entry.event.seq, entry.event.body.kind());
        let text = super::told::event_in_full(&entry.event);
        self.view(&title, Viewed::Text(Rc::new(Wrapped::new(text))));
        Vec::new()
    }

    fn go_to_event(&mut self) -> Vec<Effect> {
        let Some(id) = self.events.selected().map(|entry| entry.loop_id.clone()) else {
            return Vec::new();
        };
        self.loops.choose(&id, self.clock.now);
        self.in_detail = true;
        self.detail.pane = Context::Journal;
        self.detail.tab = Tab::Overview;
        self.go_to(Screen::Loops)
    }

    fn view(&mut self, title: &str, viewed: Viewed) {
        let viewer = Viewer { title: title.to_owned(), viewed, scroll: Cursor::default() };
        self.open_overlay(Overlay::Viewer(viewer));
    }

    /// What `copy` would copy, and what it is called.
    pub(super) fn copied(&self) -> Option<(String, &'static str)> {
        match self.overlays.last() {
            Some(Overlay::Viewer(viewer)) => return self.viewed_text(viewer).map(|t| (t, "text")),
            Some(Overlay::CommandLog(cursor)) => {
                let logged = self.command_log.get(cursor.index)?;
                return Some((logged.command.clone(), "command line"));
            }
            _ => {}
        }
        match self.pane() {
            Context::Memory => Some((self.memory.selected()?.id.to_string(), "id")),
            Context::MemoryText => Some((self.memory.selected()?.text.clone(), "text")),
            Context::Events => Some((self.events.selected()?.loop_id.to_string(), "loop id")),
            Context::Brief => {
                let brief = self.detail.brief.as_ref()?.result.as_ref().ok()?;
                Some((brief.text.clone(), "brief"))
            }
            Context::Next => {
                let step = self.next_steps().get(self.detail.next.index)?;
                Some((step.command.clone(), "command line"))
            }
            pane @ (Context::Artifacts | Context::AllArtifacts) => {
                Some((self.detail.chosen_in(pane)?.artifact_id.to_string(), "artifact id"))
            }
            Context::Start => None,
            _ => Some((self.loop_id()?.to_string(), "loop id")),
        }
    }

    /// The text that a viewer shows, if it is there.
    pub fn viewed_text(&self, viewer: &Viewer) -> Option<String> {
        match &viewer.viewed {
            Viewed::Artifact(_, id) => match self.detail.body(id)? {
                Ok(text) => Some(text.text().to_owned()),
                Err(_) => None,
            },
            Viewed::Text(text) => Some(text.text().to_owned()),
            Viewed::Why => {
                let data = self.detail.data()?;
                Some(super::told::why_in_text(&data.why))
            }
        }
    }

    fn copy(&mut self) -> Vec<Effect> {
        let Some((text, what)) = self.copied() else { return Vec::new() };
        self.tell(format!("{what} copied through the terminal"));
        vec![Effect::Copy(text)]
    }

    fn edit(&mut self) -> Vec<Effect> {
        let effect = |purpose, text: &str| vec![Effect::Edit { purpose, text: text.to_owned() }];
        if let Some(Overlay::Viewer(viewer)) = self.overlays.last() {
            let Some(text) = self.viewed_text(viewer) else { return Vec::new() };
            return match &viewer.viewed {
                Viewed::Artifact(loop_id, id) if self.read_only().is_none() => {
                    let purpose =
                        EditPurpose::Artifact(loop_id.clone(), id.clone(), text.as_str().into());
                    effect(purpose, &text)
                }
                _ => effect(EditPurpose::Look, &text),
            };
        }
        match self.pane() {
            Context::Memory | Context::MemoryText => {
                let Some(item) = self.memory.selected() else { return Vec::new() };
                match self.read_only() {
                    Some(_) => effect(EditPurpose::Look, &item.text),
                    None => {
                        let text = item.text.as_str().into();
                        effect(EditPurpose::Memory(item.id.clone(), text), &item.text)
                    }
                }
            }
            // The body may have to be read first: in full, then e again.
            Context::Artifacts | Context::AllArtifacts => self.open_artifact(),
            Context::Brief => match self.copied() {
                Some((text, _)) => effect(EditPurpose::Look, &text),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Takes in what was written in the editor.
    pub(super) fn on_edited(
        &mut self,
        purpose: EditPurpose,
        result: Result<String, String>,
    ) -> Vec<Effect> {
        let text = match result {
            Ok(text) => text,
            Err(reason) => {
                self.toasts.say(Tone::Failure, reason, self.clock.uptime);
                return Vec::new();
            }
        };
        match purpose {
            EditPurpose::Field(field) => match self.overlays.last_mut() {
                Some(Overlay::Form(form)) => {
                    let event = form.edited(field, &text);
                    self.after_form(event)
                }
                _ => Vec::new(),
            },
            EditPurpose::Artifact(_, _, before) | EditPurpose::Memory(_, before)
                if *before == *text =>
            {
                self.tell("nothing was changed");
                Vec::new()
            }
            EditPurpose::Artifact(loop_id, artifact, _) => {
                self.overlays.pop();
                let order = FormOrder {
                    kind: FormKind::Supersede,
                    loop_id: Some(loop_id),
                    artifact: Some(artifact),
                    item: None,
                    text: Some(text),
                };
                vec![Effect::Ask(Request::Form(order))]
            }
            EditPurpose::Memory(item, _) => {
                let order = FormOrder {
                    kind: FormKind::MemoryEdit,
                    loop_id: None,
                    artifact: None,
                    item: Some(item),
                    text: Some(text),
                };
                vec![Effect::Ask(Request::Form(order))]
            }
            EditPurpose::Look => Vec::new(),
        }
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

/// The reason that the command line of a step gives, unless it is only a place
/// for one (`'WHY'`).
fn given_reason(step: &NextStep) -> Option<String> {
    let words = shell_words::split(&step.command).ok()?;
    let at = words.iter().position(|word| word == "--reason")?;
    let reason = words.get(at + 1)?;
    let placeholder = reason.chars().any(char::is_uppercase);
    (!placeholder).then(|| reason.clone())
}

/// The action that takes a next step, by the verb of its command line.
pub fn step_action(step: &NextStep) -> Option<Action> {
    let words = shell_words::split(&step.command).ok()?;
    let mut words = words.iter().map(String::as_str).skip_while(|w| *w == "loopdeck");
    match (words.next()?, words.next()?) {
        ("loop", verb) => Some(match verb {
            "open" => Action::NewLoop,
            "add" => Action::AddArtifact,
            "turn" => Action::Turn,
            "complete" => Action::Complete,
            "advance" if words.any(|w| w == "--force") => Action::Force,
            "advance" if step.command.contains("--to") => Action::AdvanceTo,
            "advance" => Action::Advance,
            "pause" | "resume" => Action::Pause,
            "close" => Action::Close,
            "supersede" => Action::Supersede,
            "retract" => Action::Retract,
            "waive" => Action::Waive,
            "amend" => Action::Amend,
            "reopen" => Action::Reopen,
            "link" => Action::Link,
            "why" | "show" => Action::Why,
            "brief" => Action::Brief,
            _ => return None,
        }),
        ("memory", "import") => Some(Action::ImportMemory),
        ("memory", _) => Some(Action::ShowMemory),
        _ => None,
    }
}
