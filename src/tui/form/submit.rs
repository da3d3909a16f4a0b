//! Submitting: what holds it back, what is asked first, what a preview is for.

use super::api::{FormEvent, Submission};
use super::field::{Grade, Note};
use super::sheet;
use super::state::{Form, Question, Stand, values};

impl Form {
    pub(super) fn submit(&mut self) -> FormEvent {
        if self.busy {
            return FormEvent::Redraw;
        }
        self.close_lists();
        self.tried = true;
        if let Some(fault) = self.first_fault() {
            if let Some(position) = fault {
                self.focus_on(position);
            }
            return FormEvent::Redraw;
        }
        if let Some(question) = self.unasked() {
            self.question = Some(question);
            return FormEvent::Redraw;
        }
        match self.submission() {
            Some(submission) => {
                self.busy = true;
                self.refusal.clear();
                FormEvent::Submit(submission)
            }
            None => FormEvent::Redraw,
        }
    }

    /// What holds the submission back: the field to go to, if it is one's.
    pub(super) fn first_fault(&self) -> Option<Option<usize>> {
        let faults = self.faults();
        if faults.is_empty() {
            return None;
        }
        let position = |id| self.fields.0.iter().position(|f| f.id == id && f.visible);
        Some(faults.iter().filter_map(|n| n.field).filter_map(position).min())
    }

    pub(super) fn faults(&self) -> Vec<Note> {
        let mut notes = self.sheet.check(&self.context, &self.fields);
        notes.extend(sheet::missing(&self.fields));
        notes.retain(|n| n.grade == Grade::Blocks);
        notes
    }

    /// The question that the moving on of the loop calls for.
    pub(super) fn unasked(&self) -> Option<Question> {
        let (origin, state) = (self.origin.as_ref()?, self.context.state.as_ref()?);
        let now = Stand::of(state);
        if *origin == now || self.place.is_some() {
            return None;
        }
        Some(if self.sheet.can_file_there() && !now.closed {
            Question::Where
        } else {
            Question::GoOn
        })
    }

    pub(super) fn submission(&self) -> Option<Submission> {
        let place = self.place.clone().unwrap_or_default();
        self.sheet.submission(&self.context, &self.fields, &place)
    }

    /// After a change: what was said of the former text goes, a preview is wanted.
    pub(super) fn changed(&mut self) -> FormEvent {
        self.adapt();
        self.refusal.clear();
        self.preview = None;
        self.ticket += 1;
        let submission = match self.submission() {
            Some(submission) if self.faults().is_empty() => submission,
            _ => return FormEvent::Redraw,
        };
        let submission = match submission {
            execute @ (Submission::Execute { .. } | Submission::WithVerify { .. }) => execute,
            Submission::Import { path, category, .. } => {
                Submission::Import { path, category, dry_run: true }
            }
            _ => return FormEvent::Redraw,
        };
        FormEvent::PreviewWanted { ticket: self.ticket, submission }
    }

    pub(super) fn adapt(&mut self) {
        self.sheet.adapt(&self.context, &mut self.fields);
        if self.fields.0.get(self.focus).is_some_and(|f| !f.visible) {
            self.focus = self.next_visible(self.focus).unwrap_or(self.fields.0.len());
        }
    }

    pub(super) fn reset_fields(&mut self) {
        self.fields = self.sheet.fields(&self.context);
        self.initial = values(&self.fields);
        self.focus = self.focus.min(self.fields.0.len());
        self.adapt();
    }
}
