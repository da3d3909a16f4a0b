//! What the engine answered.

use std::sync::Arc;

use crossterm::event::Event;

use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Decision;
use crate::core::loops::rounds::rounds_at;
use crate::engine::{Error, Listing, Problem};
use crate::tui::form::{Draft, Form, FormContext, FormEvent, FormKind, Submission};
use crate::tui::keys::Chord;
use crate::tui::msg::{
    Answer, DetailData, EditPurpose, Effect, FormOrder, Origin, Request, Workspace, advance,
};

use super::cursor::Wrapped;
use super::detail::BriefView;
use super::overlay::{AdvancePreview, Overlay};
use super::{App, Start};

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
                match self.awaited.take_if(|(wanted, _)| *wanted == artifact) {
                    Some((artifact, tool)) => self.hand_out(&artifact, tool),
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
            Answer::Dreams(result) => self.on_dreams(result),
            Answer::DreamStatus(result) => self.on_dream_status(result),
            Answer::Provenance(id, result) => {
                self.on_provenance(id, result);
                Vec::new()
            }
            Answer::WhatIf(result) => self.on_what_if(result),
            Answer::RecordFile(path, result) => self.on_record_file(&path, result),
            Answer::Dreamt { by_itself, result } => self.on_dreamt(by_itself, result),
            Answer::Memory(Err(error)) | Answer::Events(Err(error)) => self.fail(&error),
            Answer::Sessions(Ok(listing)) => self.on_sessions(listing),
            Answer::Sessions(Err(error)) => self.fail(&error),
            Answer::Session(id, read) => {
                self.sessions.set_session(&id, read);
                let runs = self.runs_here();
                self.sessions.read_chosen_of(runs);
                Vec::new()
            }
            Answer::Ran(id, result) => self.on_ran(&id, result),
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
            Answer::EndedWorkers(result) => self.on_ended_workers(result),
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
            artifact: draft.artifact.clone(),
            slot: None,
            item: draft.item.as_deref().map(Arc::from),
            session: draft.session.clone(),
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
                if known.is_none() {
                    effects.push(Effect::Ask(Request::DreamStatus));
                }
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
                FormKind::Force | FormKind::Escalate | FormKind::TakeOver => {
                    crate::tui::form::FieldId::Reason
                }
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
            FormEvent::Submit(Submission::Run(id, draft)) => {
                self.overlays.pop();
                let mut effects = self.run_attempt(id, draft);
                effects.push(Effect::KeepDraft(None));
                effects
            }
            FormEvent::Submit(Submission::TakeOver { loop_id, slot_id, cause }) => {
                self.overlays.pop();
                let work = super::workers::Work::TakeOver { loop_id, slot_id, cause };
                let mut effects = self.work(Request::Work(work));
                effects.push(Effect::KeepDraft(None));
                effects
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
}

/// Whether a draft belongs into the form that is ordered.
fn fits(draft: &Draft, order: &FormOrder) -> bool {
    let form = draft.form == order.kind && draft.loop_id == order.loop_id;
    // An order may name what is chosen though the form has no use for it.
    let artifact = draft.artifact.is_none() || draft.artifact == order.artifact;
    let item = draft.item.is_none() || draft.item.as_deref() == order.item.as_deref();
    let session = draft.session.is_none() || draft.session == order.session;
    form && artifact && item && session && order.text.is_none()
}
