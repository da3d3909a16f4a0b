//! What the engine answered.

use crossterm::event::Event;

use crate::core::loops::command::Command;
use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Decision;
use crate::core::loops::rounds::rounds_at;
use crate::engine::{Error, Listing, Problem};
use crate::tui::action::Context;
use crate::tui::form::{Draft, Form, FormContext, FormEvent, FormKind, Submission};
use crate::tui::keys::Chord;
use crate::tui::msg::{
    Answer, DetailData, EditPurpose, Effect, FormOrder, Origin, Outcome, Request, Workspace,
    advance,
};

use super::cursor::Wrapped;
use super::detail::{BriefView, Refused};
use super::overlay::{AdvancePreview, Overlay};
use super::toast::Tone;
use super::{App, Logged, Start, command_line, told};

impl App {
    pub(super) fn on_answer(&mut self, answer: Answer) -> Vec<Effect> {
        match answer {
            Answer::Opened(result) => self.on_opened(result),
            Answer::Unwatched(error) => self.fail(&error),
            Answer::Listing(result) => self.on_listing(result),
            Answer::Problems(result) => self.on_problems(result),
            Answer::Detail(id, result) => self.on_detail(&id, result),
            Answer::Body(loop_id, artifact, body) => {
                if self.detail.id.as_ref() != Some(&loop_id) {
                    return Vec::new();
                }
                self.detail.set_body(artifact.clone(), body);
                match self.editing.take_if(|wanted| *wanted == artifact) {
                    Some(artifact) => self.edit_artifact(&artifact),
                    None => Vec::new(),
                }
            }
            Answer::Brief(loop_id, result) => {
                self.on_brief(loop_id, result);
                Vec::new()
            }
            Answer::Memory(Ok(page)) => {
                self.memory.set(page);
                Vec::new()
            }
            Answer::Events(Ok(log)) => {
                self.events.set(log);
                Vec::new()
            }
            Answer::Memory(Err(error)) | Answer::Events(Err(error)) => self.fail(&error),
            Answer::Form(order, Ok(context)) => self.open_form(&order, *context),
            Answer::Form(order, Err(error)) => {
                let lost = self.draft.take_if(|draft| fits(draft, &order)).is_some();
                let mut effects = self.fail(&error);
                effects.extend(lost.then_some(Effect::KeepDraft(None)));
                effects
            }
            Answer::Preview(ticket, preview) => {
                if let Some(Overlay::Form(form)) = self.overlays.last_mut() {
                    form.previewed(ticket, preview);
                }
                Vec::new()
            }
            Answer::Advance(id, version, result) => self.on_advance_preview(id, version, result),
            Answer::Export(result) => self.on_export(result),
            Answer::Doctor(result) => self.on_diagnosis(result),
            Answer::Search(words, result) => {
                self.on_found(&words, result);
                Vec::new()
            }
            Answer::Past(id, result) => {
                self.on_past(&id, result);
                Vec::new()
            }
            Answer::Undo(id, result) => self.on_undo_preview(id, result),
            Answer::Workers(result) => self.on_workers(result),
            Answer::Verified(id, result) => self.on_verified(id, result.map(|verified| *verified)),
            Answer::Submitted { request, result } => self.on_submitted(&request, result),
        }
    }

    fn on_opened(&mut self, result: Result<Box<Workspace>, Error>) -> Vec<Effect> {
        match result {
            Ok(workspace) => {
                if workspace.created {
                    self.tell(format!("workspace made in {}", workspace.root.display()));
                }
                self.start = Start::Ready(workspace);
                self.detail.forget_all();
                let place = self.place.take();
                let mut effects = place.map(|place| self.go_back_to(&place)).unwrap_or_default();
                effects.extend(self.offer_draft());
                effects
            }
            Err(error) if error.code() == "no_workspace" => {
                self.start = Start::NoWorkspace(error.message().to_owned());
                Vec::new()
            }
            Err(error) => {
                self.start = Start::Failed(error);
                Vec::new()
            }
        }
    }

    /// What was being written when an earlier run ended is offered again.
    fn offer_draft(&mut self) -> Vec<Effect> {
        let Some(draft) = self.draft.as_ref().filter(|_| self.read_only().is_none()) else {
            return Vec::new();
        };
        let order = FormOrder {
            kind: draft.form,
            loop_id: draft.loop_id.clone(),
            artifact: None,
            item: None,
            text: None,
        };
        vec![Effect::Ask(Request::Form(order))]
    }

    fn on_listing(&mut self, result: Result<Listing, Error>) -> Vec<Effect> {
        match result {
            Ok(listing) => {
                let known = self.loops.loaded.then(|| self.counts().questions);
                self.loops.set(listing, self.clock.now);
                let mut effects = self.follow_choice();
                effects.extend(self.look_at_workers());
                if known.is_some_and(|known| self.counts().questions > known) {
                    effects.extend(self.call("a question waits for your answer"));
                }
                effects
            }
            Err(error) => self.fail(&error),
        }
    }

    /// What is mended is warned of no more.
    fn on_problems(&mut self, result: Result<Vec<Problem>, Error>) -> Vec<Effect> {
        match (result, &mut self.start) {
            (Ok(problems), Start::Ready(workspace)) => {
                workspace.problems = problems;
                // Those of the memory are among them.
                self.memory.problems.clear();
                Vec::new()
            }
            (Ok(_), _) => Vec::new(),
            (Err(error), _) => self.fail(&error),
        }
    }

    fn on_detail(&mut self, id: &LoopId, result: Result<Box<DetailData>, Error>) -> Vec<Effect> {
        match result {
            Ok(data) => {
                let moved = data.state.clone();
                let in_view = self.detail.id.as_ref() == Some(id);
                self.detail.set(*data);
                if !in_view {
                    return Vec::new();
                }
                let mut effects = self.after_detail();
                if let Some(Overlay::Form(form)) = self.overlays.last_mut() {
                    let event = form.moved(moved);
                    effects.extend(self.after_form(event));
                }
                effects
            }
            Err(error) if self.detail.id.as_ref() == Some(id) => {
                self.detail.fault = Some(error);
                Vec::new()
            }
            Err(_) => Vec::new(),
        }
    }

    fn on_brief(&mut self, loop_id: LoopId, result: Result<Box<crate::engine::Brief>, Error>) {
        if self.detail.id.as_ref() != Some(&loop_id) {
            return;
        }
        let version = self.detail.data().map_or(0, |data| data.state.version);
        let text = match &result {
            Ok(brief) => brief.text.as_str(),
            Err(error) => error.message(),
        };
        let text = Wrapped::new(text);
        self.detail.brief = Some(BriefView { loop_id, version, result, text });
    }

    fn open_form(&mut self, order: &FormOrder, mut context: FormContext) -> Vec<Effect> {
        if matches!(self.overlays.last(), Some(Overlay::Form(_))) {
            return Vec::new();
        }
        let offered = self.draft.take_if(|draft| fits(draft, order));
        context.draft = offered;
        let mut form = Form::new(order.kind, context);
        let mut event = form.begin();
        if let Some(text) = &order.text {
            let field = match order.kind {
                FormKind::MemoryEdit | FormKind::MemoryAdd => crate::tui::form::FieldId::Text,
                FormKind::Force => crate::tui::form::FieldId::Reason,
                _ => crate::tui::form::FieldId::Body,
            };
            event = form.edited(field, text);
        }
        self.open_overlay(Overlay::Form(Box::new(form)));
        self.after_form(event)
    }

    /// Hands an event to the form on top.
    pub(super) fn on_form_event(&mut self, event: &Event, chord: Option<Chord>) -> Vec<Effect> {
        let Some(Overlay::Form(form)) = self.overlays.last_mut() else { return Vec::new() };
        let answer = form.handle(event);
        if answer == FormEvent::Ignored {
            return self.ignored_by_form(chord);
        }
        self.after_form(answer)
    }

    /// Of the keys that a form has no use for, two still mean something.
    fn ignored_by_form(&mut self, chord: Option<Chord>) -> Vec<Effect> {
        match chord {
            Some(c) if Some(c) == Chord::parse("ctrl-c") => {
                self.act(crate::tui::action::Action::Quit)
            }
            Some(c) if Some(c) == Chord::parse("ctrl-z") => vec![Effect::Suspend],
            _ => Vec::new(),
        }
    }

    /// Carries out what a form answered.
    pub(super) fn after_form(&mut self, event: FormEvent) -> Vec<Effect> {
        match event {
            FormEvent::Ignored => Vec::new(),
            FormEvent::Redraw => self.keep_draft(),
            FormEvent::Cancelled => {
                self.overlays.pop();
                vec![Effect::KeepDraft(None)]
            }
            FormEvent::Submit(submission) => {
                self.pending += 1;
                vec![Effect::Ask(Request::Submit { submission, origin: Origin::Form })]
            }
            FormEvent::Editor { field, text } => {
                vec![Effect::Edit { purpose: EditPurpose::Field(field), text }]
            }
            FormEvent::PreviewWanted { ticket, submission } => {
                let mut effects = self.keep_draft();
                effects.push(Effect::Ask(Request::Preview { ticket, submission }));
                effects
            }
        }
    }

    fn keep_draft(&self) -> Vec<Effect> {
        match self.overlays.last() {
            Some(Overlay::Form(form)) => form
                .draft()
                .map(|draft| Effect::KeepDraft(Some(Box::new(draft))))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    fn on_advance_preview(
        &mut self,
        id: LoopId,
        version: u64,
        result: Result<Decision, Error>,
    ) -> Vec<Effect> {
        let moved = matches!(self.overlays.last(), Some(Overlay::Preview(p)) if p.moved);
        if moved {
            self.overlays.pop();
        }
        if !self.overlays.is_empty() || self.loop_id().as_ref() != Some(&id) {
            return Vec::new();
        }
        match result {
            Ok(Decision { refusal: Some(_), events, .. }) if !events.is_empty() && !moved => {
                // The journal keeps that somebody was refused: so it is really asked.
                self.submit(advance(id, version))
            }
            Ok(Decision { refusal: Some(refusal), .. }) => {
                self.refuse(id, "advance", refusal.into());
                Vec::new()
            }
            Ok(decision) => {
                self.open_advance_preview(id, version, decision, moved);
                Vec::new()
            }
            Err(error) => {
                self.refuse(id, "advance", error);
                Vec::new()
            }
        }
    }

    fn open_advance_preview(&mut self, id: LoopId, version: u64, made: Decision, moved: bool) {
        let Some(would) = made.made.would else { return };
        let summary = self.selected_loop();
        let state = self.detail.data().map(|data| &data.state);
        let rounds = state.and_then(|s| rounds_at(&s.protocol, &would.target, would.iteration));
        let preview = AdvancePreview {
            rounds,
            loop_id: id,
            title: summary.map(|s| s.title.clone()).unwrap_or_default(),
            from: summary.map(|s| s.phase.to_string()).unwrap_or_default(),
            version,
            would,
            warnings: made.warnings,
            moved,
        };
        self.open_overlay(Overlay::Preview(Box::new(preview)));
    }

    fn on_submitted(&mut self, request: &Request, result: Result<Outcome, Error>) -> Vec<Effect> {
        self.pending = self.pending.saturating_sub(1);
        let Request::Submit { submission, origin } = request else {
            return self.on_forgotten(request, result);
        };
        self.log_command(submission, result.as_ref().err());
        match result {
            Ok(outcome) => {
                let dry = matches!(submission, Submission::Import { dry_run: true, .. });
                if *origin == Origin::Form && !dry {
                    self.close_form();
                }
                let mut effects = self.on_outcome(outcome);
                if *origin == Origin::Form {
                    effects.push(Effect::KeepDraft(None));
                }
                effects
            }
            Err(error) => self.on_refused(submission, *origin, error),
        }
    }

    fn close_form(&mut self) {
        if let Some(at) = self.overlays.iter().rposition(|o| matches!(o, Overlay::Form(_))) {
            self.overlays.remove(at);
        }
    }

    fn on_forgotten(&mut self, request: &Request, result: Result<Outcome, Error>) -> Vec<Effect> {
        let line = match request {
            Request::RemoveMemory(id) => Some(command_line::of_removal(id)),
            Request::Approve { argv, .. } => Some(command_line::of_approval(argv)),
            Request::Work(work) => work.command_line(),
            Request::SaveExport(id) => {
                let path = match &result {
                    Ok(Outcome::Saved(path)) => Some(path.as_path()),
                    _ => None,
                };
                Some(command_line::of_export(id.as_str(), path))
            }
            _ => None,
        };
        if let Some(line) = line {
            self.push_log(line, result.as_ref().err());
        }
        match result {
            Ok(outcome) => self.on_outcome(outcome),
            Err(error) => match request {
                Request::Work(work) => self.on_work_refused(work, error),
                _ => self.fail(&error),
            },
        }
    }

    fn on_outcome(&mut self, outcome: Outcome) -> Vec<Effect> {
        match outcome {
            Outcome::Done(done) | Outcome::Opened(done) => {
                let id = done.state.id.clone();
                self.detail.refused = None;
                self.tell(format!("{}{}", told::done(&done), told::way_back(&done)));
                for warning in &done.warnings {
                    self.warn(warning.clone());
                }
                self.events.stale = true;
                let new = !self.loops.all.iter().any(|summary| summary.id == id);
                if new {
                    self.loops.choose(&id, self.clock.now);
                    self.in_detail = true;
                    self.detail.pane = Context::Next;
                    self.screen = super::Screen::Loops;
                }
                vec![Effect::Ask(Request::List), Effect::Ask(Request::Detail(id))]
            }
            Outcome::Imported(report) if report.dry_run => Vec::new(),
            Outcome::Imported(report) => {
                self.tell(told::imported(&report));
                self.memory_changed()
            }
            Outcome::Remembered(item) => {
                self.tell(format!("remembered {} ({})", item.id, item.category));
                self.memory.choose(&item.id);
                self.memory_changed()
            }
            Outcome::Saved(path) => {
                self.tell(format!("saved as {}", path.display()));
                Vec::new()
            }
            Outcome::Approved(id) => self.on_approved(&id),
            Outcome::Worked(worked) => self.on_worked(*worked),
            Outcome::Forgotten(item) => {
                self.tell(format!("{} is in quarantine", item.id));
                self.memory_changed()
            }
        }
    }

    fn on_refused(&mut self, submission: &Submission, origin: Origin, error: Error) -> Vec<Effect> {
        if origin == Origin::Form
            && let Some(Overlay::Form(form)) =
                self.overlays.iter_mut().rev().find(|o| matches!(o, Overlay::Form(_)))
        {
            form.refused(&error);
            return self.after_refusal(submission);
        }
        let Submission::Execute { loop_id, command, .. } = submission else {
            return self.fail(&error);
        };
        match (error.code(), command) {
            ("version_conflict", Command::Advance { .. }) => {
                return self.ask_again(loop_id.clone());
            }
            ("version_conflict", Command::Undo { to }) => {
                return self.look_again(loop_id.clone(), *to);
            }
            _ => {}
        }
        self.refuse(loop_id.clone(), command.verb(), error);
        self.after_refusal(submission)
    }

    /// A refusal may have been journaled: the loop is read again.
    fn after_refusal(&mut self, submission: &Submission) -> Vec<Effect> {
        match submission {
            Submission::Execute { loop_id, .. } | Submission::WithVerify { loop_id, .. } => {
                self.events.stale = true;
                vec![Effect::Ask(Request::List), Effect::Ask(Request::Detail(loop_id.clone()))]
            }
            _ => Vec::new(),
        }
    }

    /// The loop moved between the look and the yes: it is read again, and asked again.
    fn ask_again(&mut self, id: LoopId) -> Vec<Effect> {
        self.warn("the loop has moved since you looked: here is where it would go now");
        vec![
            Effect::Ask(Request::List),
            Effect::Ask(Request::Detail(id.clone())),
            Effect::Ask(Request::PreviewAdvance(id, u64::MAX)),
        ]
    }

    pub(super) fn refuse(&mut self, loop_id: LoopId, verb: &'static str, error: Error) {
        self.detail.refused = Some(Refused { loop_id, verb, error });
    }

    pub(super) fn fail(&mut self, error: &Error) -> Vec<Effect> {
        self.toasts.say(Tone::Failure, error.message(), self.clock.uptime);
        Vec::new()
    }

    fn log_command(&mut self, submission: &Submission, error: Option<&Error>) {
        let dry = matches!(submission, Submission::Import { dry_run: true, .. });
        if !dry {
            self.push_log(command_line::of(submission), error);
        }
    }

    pub(super) fn push_log(&mut self, command: String, error: Option<&Error>) {
        let refused = error.map(Error::code);
        self.command_log.push(Logged { at: self.clock.now, command, refused });
    }
}

/// Whether a draft belongs into the form that is ordered.
fn fits(draft: &Draft, order: &FormOrder) -> bool {
    draft.form == order.kind && draft.loop_id == order.loop_id && order.text.is_none()
}
