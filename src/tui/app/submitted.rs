//! What came of a change that was asked for.

use crate::core::loops::command::Command;
use crate::core::loops::event::{Event, EventBody};
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::engine::Error;
use crate::tui::action::Context;
use crate::tui::form::Submission;
use crate::tui::msg::{Effect, Origin, Outcome, Request};

use super::detail::Refused;
use super::overlay::Overlay;
use super::toast::Tone;
use super::{App, Logged, command_line, told};

impl App {
    pub(super) fn on_submitted(
        &mut self,
        request: &Request,
        result: Result<Outcome, Error>,
    ) -> Vec<Effect> {
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
            Request::Approve { argv, variables, .. } => {
                Some(command_line::of_approval(argv, variables))
            }
            Request::MarkInsight { id, mark } => Some(command_line::of_mark(id, *mark)),
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
                for note in &done.notes {
                    self.tell(note.clone());
                }
                for warning in &done.warnings {
                    self.warn(warning.clone());
                }
                self.events.stale = true;
                if let Some(filed) = filed(&done.events) {
                    self.detail.choose = Some(filed.clone());
                }
                let mut effects = self.after_effects(&done);
                let new = !self.loops.all.iter().any(|summary| summary.id == id);
                if new {
                    self.loops.choose(&id, self.clock.now);
                    self.in_detail = true;
                    self.detail.pane = Context::Next;
                    self.screen = super::Screen::Loops;
                }
                effects.extend([Effect::Ask(Request::List), Effect::Ask(Request::Detail(id))]);
                effects
            }
            Outcome::Imported(report, _) if report.dry_run => Vec::new(),
            Outcome::Imported(report, left) => {
                self.tell(told::imported(&report));
                if let super::Start::Ready(workspace) = &mut self.start {
                    workspace.importable = left;
                }
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
            Outcome::Session(done) => self.on_session(&done),
            Outcome::Attempt(done) => self.on_attempt(&done),
            Outcome::Approved(id) => self.on_approved(id.as_ref()),
            Outcome::Marked(seen) => self.on_marked(&seen),
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
        self.toasts.say(Tone::Failure, error.0.said(), self.clock.uptime);
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

/// The newest artifact that some events filed.
fn filed(events: &[Event]) -> Option<&ArtifactId> {
    events.iter().rev().find_map(|event| match &event.body {
        EventBody::ArtifactAdded(added) => Some(&added.artifact.artifact_id),
        _ => None,
    })
}
